//! Blocks of the C library's between two uses.
//!
//! A block is one of `malloc`'s as it stands, so that it does not matter who frees it: the pool, or `free`. Large ones lie in
//! places of a table, a row for each size; a place is taken and filled by one atomic exchange. Small ones lie on shelves. There is no lock that a thread
//! could end with, or a process fork with, and nothing that belongs to a thread.

use super::small::{self, Small};
use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

unsafe extern "C" {
    pub fn free(block: *mut c_void);
    /// How many bytes of a block can be used: as many as were asked for, or more.
    pub fn malloc_usable_size(block: *mut c_void) -> usize;
}

/// Smaller blocks lie on shelves.
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
    small: Small,
    budget: Budget,
}

/// How many bytes are kept, and how many may be.
pub struct Budget {
    held: AtomicUsize,
    most: AtomicUsize,
}

impl Budget {
    pub const fn new(most: usize) -> Budget {
        Budget { held: AtomicUsize::new(0), most: AtomicUsize::new(most) }
    }

    pub fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    fn most(&self) -> usize {
        self.most.load(Ordering::Relaxed)
    }

    /// Whether so many bytes more may be kept; then they count as kept.
    pub fn reserve(&self, bytes: usize) -> bool {
        let is_little_enough = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.most();
        if !is_little_enough {
            self.give_back(bytes);
        }
        is_little_enough
    }

    pub fn give_back(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Pool {
    pub const fn new() -> Pool {
        let rows = [const { [const { Place::new(null_mut()) }; PLACES] }; SIZES];
        Pool { rows, small: Small::new(), budget: Budget::new(MOST_HELD) }
    }

    pub fn held(&self) -> usize {
        self.budget.held()
    }

    pub fn hold_at_most(&self, bytes: usize) {
        self.budget.most.store(bytes, Ordering::Relaxed);
        if self.held() > bytes {
            self.release();
        }
    }

    /// A block of so many bytes that was kept, or null.
    pub fn take(&self, size: usize) -> *mut c_void {
        match row_for(size) {
            Some(row) => self.take_from(row),
            None if size <= small::LARGEST => self.small.take(size, &self.budget),
            None => null_mut(),
        }
    }

    /// The same for what grows: a block with room, if there is one; of what is small one of that size, or each time one more would be
    /// kept than was taken.
    pub fn take_with_room(&self, size: usize) -> *mut c_void {
        let Some(least) = row_for(size) else { return self.take(size) };
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
        let is_kept =
            if size < LEAST { unsafe { self.small.keep(block, size, &self.budget) } } else { self.keep_in_row(block, size) };
        if !is_kept {
            unsafe { free(block) };
        }
    }

    fn keep_in_row(&self, block: *mut c_void, size: usize) -> bool {
        if !self.budget.reserve(size) {
            self.release(); // what has lain here longest is of sizes that nobody wants now
            if !self.budget.reserve(size) {
                return false;
            }
        }
        let is_kept = self.put(block, row_within(size));
        if !is_kept {
            self.budget.give_back(size);
        }
        is_kept
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
        self.small.release(&self.budget);
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
            self.budget.give_back(unsafe { malloc_usable_size(block) });
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

/// All places of a row, from one on that is this thread's as a rule.
fn places_from_here(row: &[Place; PLACES]) -> impl Iterator<Item = &Place> {
    let first = place_of_this_thread::<PLACES>();
    row[first..].iter().chain(&row[..first])
}

/// One of so many places, and for another thread another as a rule: its stack is where no other thread's is.
pub fn place_of_this_thread<const PLACES: usize>() -> usize {
    let on_stack = 0_u8;
    let stack = (&raw const on_stack).addr() >> 20;
    (stack.wrapping_mul(0x9E37_79B9) >> 12) % PLACES
}

/// The row whose blocks all have so many bytes, if the pool has them at all.
fn row_for(size: usize) -> Option<usize> {
    match size {
        ..=small::LARGEST => None,
        ..=LEAST => Some(0),
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
    match row_for(size) {
        Some(row) => size_of_row(row),
        None if size <= small::LARGEST => small::rounded_up(size),
        None => size,
    }
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
        assert_eq!((row_for(small::LARGEST), row_for(small::LARGEST + 1), row_for(usize::MAX)), (None, Some(0), None));
        assert_eq!((rounded_up(100), rounded_up(LEAST - 1)), (112, LEAST));
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
        let small = unsafe { malloc(96) };
        unsafe { pool.keep(small) };
        // It may be larger than what was asked for.
        assert_eq!(pool.take_with_room(unsafe { malloc_usable_size(small) } - 14), small);
        unsafe { free(small) };
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
