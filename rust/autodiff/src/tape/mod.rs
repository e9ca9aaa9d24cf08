//! The memory of derivatives: what is kept of it between calls.
//!
//! A derivative in reverse mode writes down what its way back needs: its tape. The blocks of it are kept
//! for the next derivative, in whatever thread, so that the operating system need not hand out pages
//! anew at each call, nor the C library look for each of many small blocks. The functions here are for whoever wants that memory back; with `tape: system` in
//! the config nothing is kept.
//!
//! ```
//! autodiff::tape::hold_at_most(64 << 20);
//! autodiff::tape::release();
//! assert_eq!(autodiff::tape::held(), 0);
//! ```

#[cfg(crategrad)]
mod functions;
#[cfg(any(crategrad, test))]
mod pool;
#[cfg(any(crategrad, test))]
mod small;

/// What derivatives of this program, or of this library, share.
#[cfg(crategrad)]
static POOL: pool::Pool = pool::Pool::new();

/// Gives all memory that no derivative uses right now back to the C library.
///
/// Derivatives may run meanwhile. A library does this when it is unloaded, and a program when it ends.
pub fn release() {
    #[cfg(crategrad)]
    POOL.release();
}

/// How many bytes are kept that no derivative uses right now.
#[must_use]
pub fn held() -> usize {
    #[cfg(crategrad)]
    return POOL.held();
    #[cfg(not(crategrad))]
    0
}

/// Sets how many bytes may be kept that no derivative uses; 1 GiB if nothing is said.
pub fn hold_at_most(bytes: usize) {
    #[cfg(crategrad)]
    POOL.hold_at_most(bytes);
    let _ = bytes;
}
