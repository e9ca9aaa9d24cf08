//! What derivatives call in the place of the C library's allocator. The pipeline knows these by name (`pipeline/tape.py`), and
//! sees to it that a derivative looks whether there was memory.

use super::pool::{malloc_usable_size, LEAST, ROOM_TO_GROW};
use super::{release, POOL};
use core::ffi::{c_int, c_void};
use core::ptr::{null_mut, NonNull};
use core::sync::atomic::{AtomicBool, Ordering};

unsafe extern "C" {
    /// What stands for this library, or for the program: the C compiler links it into each.
    static __dso_handle: u8;

    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn __cxa_atexit(function: extern "C" fn(*mut c_void), argument: *mut c_void, library: *const c_void) -> c_int;
}

/// As `malloc`.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn __crategrad_pooled_malloc(size: usize) -> *mut c_void {
    NonNull::new(POOL.take(size)).map_or_else(|| POOL.allocate(size, |size| unsafe { malloc(size) }), NonNull::as_ptr)
}

/// As `calloc`.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn __crategrad_pooled_calloc(count: usize, size: usize) -> *mut c_void {
    let size = count.saturating_mul(size);
    let kept = POOL.take(size);
    if kept.is_null() {
        return POOL.allocate(size, |size| unsafe { calloc(1, size) });
    }
    unsafe { kept.write_bytes(0, size) };
    kept
}

/// As `realloc`; what grows to be large is given room for more, if there is.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn __crategrad_pooled_realloc(block: *mut c_void, size: usize) -> *mut c_void {
    let usable = if block.is_null() { 0 } else { unsafe { malloc_usable_size(block) } };
    if usable >= LEAST && (size..=size.saturating_mul(2 * ROOM_TO_GROW)).contains(&usable) {
        return block;
    }
    let kept = if usable < size { POOL.take_with_room(size) } else { null_mut() };
    if kept.is_null() {
        return POOL.allocate(size, |size| unsafe { realloc(block, size) });
    }
    unsafe {
        kept.copy_from_nonoverlapping(block, usable);
        __crategrad_pooled_free(block);
    }
    kept
}

/// As `free`.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn __crategrad_pooled_free(block: *mut c_void) {
    if !block.is_null() {
        release_in_the_end();
        unsafe { POOL.keep(block) };
    }
}

/// Sees to it that nothing is kept when this library is unloaded; in a program, when it ends.
fn release_in_the_end() {
    static IS_SEEN_TO: AtomicBool = AtomicBool::new(false);
    extern "C" fn release_all(_: *mut c_void) {
        release();
    }
    if !IS_SEEN_TO.load(Ordering::Relaxed) && !IS_SEEN_TO.swap(true, Ordering::Relaxed) {
        // As `atexit` does it, which is no function of the C library's own, but of a part that is linked where it is asked for early.
        unsafe { __cxa_atexit(release_all, null_mut(), (&raw const __dso_handle).cast()) };
    }
}
