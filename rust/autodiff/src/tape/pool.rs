//! Large blocks of the C library's between two uses.
//!
//! A block is one of `malloc`'s as it stands, so that it does not matter who frees it: the pool, or `free`. What is kept lies in
//! places of a table, a row for each size; a place is taken and filled by one atomic exchange. There is no lock that a thread
//! could end with, or a process fork with, and nothing that belongs to a thread.

use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

unsafe extern "C" {
    fn free(block: *mut c_void);
    /// How many bytes of a block can be used: as many as were asked for, or more.
    pub fn malloc_usable_size(block: *mut c_void) -> usize;
}

/// Smaller blocks are the C library's: it has them at hand.
pub const LEAST: usize = 1 << LEAST_BITS;
const LEAST_BITS: u32 = 14;

/// Sizes from one power of two to the next; the next greater one is at most a quarter too large.
const STEPS: usize = 4;
const DOUBLINGS: usize = 26;
const SIZES: usize = STEPS * DOUBLINGS;

/// Blocks of one size; more are not kept.
const PLACES: usize = 128;

const MOST_HELD: usize = 1 << 30;

/// No process has so many addresses. What asks for so much is the tape of a loop that will not run: it is allocated before that
/// is known, for a number of runs below zero.
const ADDRESSES: usize = 1 << 48;

/// Whether there was no memory for so many bytes. Of no bytes there need be none: `realloc` has then freed the block that it was
/// given, and to ask it again would free that twice.
pub fn is_missing(block: *mut c_void, size: usize) -> bool {
    block.is_null() && (1..ADDRESSES).contains(&size)
}

/// How much larger a block may be that is given to what grows: it will grow on.
pub const ROOM_TO_GROW: usize = 8;

type Place = AtomicPtr<c_void>;

pub struct Pool {
    rows: [[Place; PLACES]; SIZES],
    held: AtomicUsize,
    most: AtomicUsize,
}

impl Pool {
    pub const fn new() -> Pool {
        let rows = [const { [const { Place::new(null_mut()) }; PLACES] }; SIZES];
        Pool { rows, held: AtomicUsize::new(0), most: AtomicUsize::new(MOST_HELD) }
    }

    pub fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    pub fn hold_at_most(&self, bytes: usize) {
        self.most.store(bytes, Ordering::Relaxed);
        if self.held() > bytes {
            self.release();
        }
    }

    /// A block of so many bytes that was kept, or null.
    pub fn take(&self, size: usize) -> *mut c_void {
        match row_for(size) {
            Some(row) => self.take_from(row),
            None => null_mut(),
        }
    }

    /// The same for what grows: a block with room, if there is one.
    pub fn take_with_room(&self, size: usize) -> *mut c_void {
        let Some(least) = row_for(size) else { return null_mut() };
        let most = row_for(size.saturating_mul(ROOM_TO_GROW)).unwrap_or(SIZES - 1);
        (least..=most).rev().map(|row| self.take_from(row)).find(|block| !block.is_null()).unwrap_or(null_mut())
    }

    /// Keeps a block that nobody uses any more, or frees it.
    ///
    /// # Safety
    ///
    /// It is one of `malloc`'s, and whoever had it has it no more.
    pub unsafe fn keep(&self, block: *mut c_void) {
        let size = unsafe { malloc_usable_size(block) };
        let most = self.most.load(Ordering::Relaxed);
        if size < LEAST || size > most {
            return unsafe { free(block) };
        }
        if self.held.fetch_add(size, Ordering::Relaxed) + size > most {
            self.release(); // what has lain here longest is of sizes that nobody wants now
        }
        if !self.put(block, row_within(size)) {
            self.held.fetch_sub(size, Ordering::Relaxed);
            unsafe { free(block) };
        }
    }

    pub fn release(&self) {
        for row in 0..SIZES {
            for place in &self.rows[row] {
                let block = self.take_at(place);
                if !block.is_null() {
                    unsafe { free(block) };
                }
            }
        }
    }

    /// A new block by one of the C library's functions; null only if there is none even without what is kept here.
    pub fn allocate(&self, size: usize, by: impl Fn(usize) -> *mut c_void) -> *mut c_void {
        let block = by(rounded_up(size));
        if !is_missing(block, size) {
            return block;
        }
        self.release();
        by(size)
    }

    fn take_from(&self, row: usize) -> *mut c_void {
        places_from_here(&self.rows[row])
            .map(|place| self.take_at(place))
            .find(|block| !block.is_null())
            .unwrap_or(null_mut())
    }

    fn take_at(&self, place: &Place) -> *mut c_void {
        if place.load(Ordering::Relaxed).is_null() {
            return null_mut();
        }
        let block = place.swap(null_mut(), Ordering::Acquire);
        if !block.is_null() {
            self.held.fetch_sub(unsafe { malloc_usable_size(block) }, Ordering::Relaxed);
        }
        block
    }

    fn put(&self, block: *mut c_void, row: usize) -> bool {
        places_from_here(&self.rows[row]).any(|place| {
            place.load(Ordering::Relaxed).is_null()
                && place.compare_exchange(null_mut(), block, Ordering::Release, Ordering::Relaxed).is_ok()
        })
    }
}

/// All places of a row, from one on that is this thread's as a rule: its stack is where no other thread's is.
fn places_from_here(row: &[Place; PLACES]) -> impl Iterator<Item = &Place> {
    let on_stack = 0_u8;
    let stack = (&raw const on_stack).addr() >> 20;
    let first = (stack.wrapping_mul(0x9E37_79B9) >> 12) % PLACES;
    row[first..].iter().chain(&row[..first])
}

/// The row whose blocks all have so many bytes, if the pool has them at all.
fn row_for(size: usize) -> Option<usize> {
    match size {
        ..LEAST => None,
        LEAST => Some(0),
        _ => Some(row_within(size - 1) + 1).filter(|row| *row < SIZES),
    }
}

/// The row of a block of so many bytes, `LEAST` or more.
fn row_within(size: usize) -> usize {
    let doubling = size.ilog2();
    let step = (size >> (doubling - 2)) % STEPS;
    ((doubling - LEAST_BITS) as usize * STEPS + step).min(SIZES - 1)
}

fn size_of_row(row: usize) -> usize {
    (STEPS + row % STEPS) << (LEAST_BITS as usize - 2 + row / STEPS)
}

/// So many bytes, or so many more that a block of them fits whoever wants as many again.
fn rounded_up(size: usize) -> usize {
    row_for(size).map_or(size, size_of_row)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::vec::Vec;

    unsafe extern "C" {
        fn malloc(size: usize) -> *mut c_void;
    }

    fn kept(pool: &Pool, size: usize) -> *mut c_void {
        let block = pool.allocate(size, |size| unsafe { malloc(size) });
        unsafe { pool.keep(block) };
        block
    }

    #[test]
    fn every_size_has_a_row_and_the_next_has_another() {
        for row in 0..SIZES {
            let size = size_of_row(row);
            assert_eq!((row_for(size), row_within(size)), (Some(row), row));
            assert_eq!(row_within(size - 1 + usize::from(row == 0)), row.saturating_sub(1));
            assert_eq!(row_for(size + 1), Some(row + 1).filter(|next| *next < SIZES));
            assert!(rounded_up(size + 1) <= (size + 1) * 5 / 4 + 1 || row == SIZES - 1);
        }
        assert_eq!((row_for(LEAST - 1), rounded_up(100), row_for(usize::MAX)), (None, 100, None));
        assert_eq!(rounded_up(usize::MAX), usize::MAX);
    }

    #[test]
    fn what_is_kept_is_had_again_once() {
        let pool = Pool::new();
        let block = kept(&pool, 100_000);
        assert!(pool.held() >= 100_000);
        assert!(pool.take(200_000).is_null() && pool.take(50_000).is_null());
        assert_eq!(pool.take(99_000), block);
        assert!(pool.take(99_000).is_null() && pool.held() == 0);
        unsafe { free(block) };
    }

    #[test]
    fn what_grows_is_given_room_within_reason() {
        let pool = Pool::new();
        let (large, _, _) = (kept(&pool, 4 * LEAST), kept(&pool, LEAST), kept(&pool, 100 * LEAST));
        assert_eq!(pool.take_with_room(LEAST), large);
        unsafe { pool.keep(large) };
        pool.release();
        assert!(pool.take_with_room(LEAST).is_null());
    }

    #[test]
    fn no_more_is_held_than_may_be() {
        let pool = Pool::new();
        pool.hold_at_most(10 * LEAST);
        for size in (1..20).map(|factor| factor * LEAST) {
            kept(&pool, size);
            assert!(pool.held() <= 10 * LEAST);
        }
        kept(&pool, LEAST - 1);
        pool.hold_at_most(0);
        assert_eq!(pool.held(), 0);
        kept(&pool, LEAST);
        assert_eq!(pool.held(), 0);
    }

    #[test]
    fn what_there_cannot_be_costs_nobody_his_block() {
        let pool = Pool::new();
        kept(&pool, LEAST);
        assert!(pool.allocate(ADDRESSES, |_| null_mut()).is_null() && pool.held() >= LEAST);
        assert!(pool.allocate(ADDRESSES - 1, |_| null_mut()).is_null() && pool.held() == 0);
    }

    #[test]
    fn what_is_made_to_be_of_no_bytes_is_freed_once() {
        let (pool, calls) = (Pool::new(), core::cell::Cell::new(0));
        let none = pool.allocate(0, |_| {
            calls.set(calls.get() + 1);
            null_mut()
        });
        assert!(none.is_null() && calls.get() == 1);
    }

    #[test]
    fn a_row_has_an_end() {
        let pool = Pool::new();
        let blocks: Vec<_> = (0..2 * PLACES).map(|_| unsafe { malloc(LEAST) }).collect();
        blocks.iter().for_each(|block| unsafe { pool.keep(*block) });
        assert!(pool.held() >= PLACES * LEAST && pool.held() < 2 * PLACES * LEAST);
        pool.release();
        assert_eq!(pool.held(), 0);
    }

    #[test]
    fn threads_share_it() {
        static POOL: Pool = Pool::new();
        POOL.hold_at_most(100 * LEAST);
        let work = |thread: usize| {
            for round in 0..500 {
                let size = LEAST + (round * 7919 + thread * 104_729) % (20 * LEAST);
                let taken = POOL.take(size);
                let block = if taken.is_null() { POOL.allocate(size, |size| unsafe { malloc(size) }) } else { taken };
                let words = unsafe { core::slice::from_raw_parts_mut(block.cast::<usize>(), size / 8) };
                words.fill(thread);
                assert!(words.iter().all(|word| *word == thread), "a block had two owners");
                unsafe { POOL.keep(block) };
            }
        };
        std::thread::scope(|scope| (0..8).for_each(|thread| drop(scope.spawn(move || work(thread)))));
        POOL.release();
        assert_eq!(POOL.held(), 0);
    }
}
