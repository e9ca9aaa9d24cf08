//! What derivatives call in the place of the C library's allocator. The pipeline knows these by name (`pipeline/tape.py`).
//!
//! A derivative does not ask whether there was memory. So each of these ends the program where there is none, as Rust does, and
//! says which derivative wanted it: what they are given last. What no machine could have is not missed: see `ADDRESSES`.

use super::pool::{malloc_usable_size, ADDRESSES, LEAST, ROOM_TO_GROW};
use super::{release, POOL};
use core::ffi::{c_char, c_int, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, Ordering};

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn dprintf(file: c_int, format: *const c_char, ...) -> c_int;
    fn abort() -> !;
    fn atexit(function: extern "C" fn()) -> c_int;
}

/// As `malloc`, without the pool.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn __crategrad_checked_malloc(size: usize, derivative: *const c_char) -> *mut c_void {
    unsafe { checked(malloc(size), size, derivative) }
}

/// As `calloc`, without the pool.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn __crategrad_checked_calloc(count: usize, size: usize, derivative: *const c_char) -> *mut c_void {
    unsafe { checked(calloc(count, size), count.saturating_mul(size), derivative) }
}

/// As `realloc`, without the pool.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn __crategrad_checked_realloc(
    block: *mut c_void,
    size: usize,
    derivative: *const c_char,
) -> *mut c_void {
    unsafe { checked(realloc(block, size), size, derivative) }
}

/// As `malloc`.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn __crategrad_pooled_malloc(size: usize, derivative: *const c_char) -> *mut c_void {
    let kept = POOL.take(size);
    if !kept.is_null() {
        return kept;
    }
    unsafe { checked(POOL.allocate(size, |size| malloc(size)), size, derivative) }
}

/// As `calloc`.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn __crategrad_pooled_calloc(count: usize, size: usize, derivative: *const c_char) -> *mut c_void {
    let size = count.saturating_mul(size);
    let kept = POOL.take(size);
    if !kept.is_null() {
        unsafe { kept.write_bytes(0, size) };
        return kept;
    }
    unsafe { checked(POOL.allocate(size, |size| calloc(1, size)), size, derivative) }
}

/// As `realloc`; what grows to be large is given room for more, if there is.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn __crategrad_pooled_realloc(
    block: *mut c_void,
    size: usize,
    derivative: *const c_char,
) -> *mut c_void {
    let usable = if block.is_null() { 0 } else { unsafe { malloc_usable_size(block) } };
    if usable >= LEAST && (size..=size.saturating_mul(2 * ROOM_TO_GROW)).contains(&usable) {
        return block;
    }
    let kept = if usable < size { POOL.take_with_room(size) } else { null_mut() };
    if kept.is_null() {
        return unsafe { checked(POOL.allocate(size, |size| realloc(block, size)), size, derivative) };
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
    extern "C" fn release_all() {
        release();
    }
    if !IS_SEEN_TO.load(Ordering::Relaxed) && !IS_SEEN_TO.swap(true, Ordering::Relaxed) {
        unsafe { atexit(release_all) };
    }
}

unsafe fn checked(block: *mut c_void, size: usize, derivative: *const c_char) -> *mut c_void {
    if block.is_null() && (1..ADDRESSES).contains(&size) {
        unsafe { end(size, derivative) }
    }
    block
}

#[cold]
unsafe fn end(size: usize, derivative: *const c_char) -> ! {
    unsafe {
        dprintf(2, c"memory allocation of %zu bytes failed in the derivative %s\n".as_ptr(), size, derivative);
        abort()
    }
}

/// Nobody calls these before there are derivatives: where the program becomes one module, they would be left out of it.
#[cfg(not(crategrad_slice))]
#[used]
static KEPT: (
    [unsafe extern "C" fn(usize, *const c_char) -> *mut c_void; 2],
    [unsafe extern "C" fn(usize, usize, *const c_char) -> *mut c_void; 2],
    [unsafe extern "C" fn(*mut c_void, usize, *const c_char) -> *mut c_void; 2],
    unsafe extern "C" fn(*mut c_void),
) = (
    [__crategrad_checked_malloc, __crategrad_pooled_malloc],
    [__crategrad_checked_calloc, __crategrad_pooled_calloc],
    [__crategrad_checked_realloc, __crategrad_pooled_realloc],
    __crategrad_pooled_free,
);
