//! Small blocks of the C library's between two uses.
//!
//! A tape is made of many of them where a loop runs in another: a row for each run of the outer one. The C library has a few of
//! each size at hand, and looks for all others; here as many are at hand as there were at once. They lie on shelves, a pile for
//! each size, the first word of a block leads to the one below it. A shelf is for one at a time, and nobody waits for it: who finds
//! two taken goes to the C library. So nothing belongs to a thread, and where a process forks that uses a shelf in another
//! thread, that shelf is not used any more.

use super::pool::{free, place_of_this_thread, Budget};
use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Blocks of more bytes are not small.
pub const LARGEST: usize = size_of_pile(PILES - 1);

// The C library's own blocks are of so many bytes and eight; of more than a few a step may be larger.
const STEP: usize = 16;
const FINE: usize = 64;
const COARSE_STEP: usize = 256;
const PILES: usize = FINE + 59;

const SHELVES: usize = 32;

/// How many bytes a shelf asks for at once.
const RESERVE: usize = 1 << 16;

/// How often a shelf that is taken is looked at again where all is given back.
const PATIENCE: usize = 1000;

pub struct Small {
    shelves: [Shelf; SHELVES],
}

/// As far from the next one as no two threads would take a cache line from one another.
#[repr(align(128))]
struct Shelf {
    is_taken: AtomicBool,
    piles: UnsafeCell<[*mut Block; PILES]>,
    held: AtomicUsize,
    reserved: AtomicUsize,
}

struct Block {
    below: *mut Block,
}

// What is in the cell is touched only by who has taken the shelf.
unsafe impl Sync for Shelf {}
unsafe impl Send for Shelf {}

impl Small {
    pub const fn new() -> Small {
        Small { shelves: [const { Shelf::new() }; SHELVES] }
    }

    /// A block of so many bytes, `LARGEST` or less, that was kept, or null.
    pub fn take(&self, size: usize, budget: &Budget) -> *mut c_void {
        self.shelf_at_hand().map_or(null_mut(), |shelf| {
            let block = shelf.pop(pile_for(size), budget);
            shelf.leave();
            block
        })
    }

    /// Keeps a block of which so many bytes can be used, if there is room.
    ///
    /// # Safety
    ///
    /// It is one of `malloc`'s, and whoever had it has it no more.
    pub unsafe fn keep(&self, block: *mut c_void, usable: usize, budget: &Budget) -> bool {
        self.shelf_at_hand().is_some_and(|shelf| {
            let is_kept = unsafe { shelf.push(pile_within(usable), block, budget) };
            shelf.leave();
            is_kept
        })
    }

    pub fn release(&self, budget: &Budget) {
        for shelf in &self.shelves {
            if (0..PATIENCE).any(|_| shelf.enter()) {
                shelf.clear(budget);
                shelf.leave();
            }
        }
    }

    /// A shelf that is this thread's as a rule, now taken.
    fn shelf_at_hand(&self) -> Option<&Shelf> {
        let first = place_of_this_thread::<SHELVES>();
        [first, first ^ 1].map(|shelf| &self.shelves[shelf]).into_iter().find(|shelf| shelf.enter())
    }
}

impl Shelf {
    const fn new() -> Shelf {
        Shelf {
            is_taken: AtomicBool::new(false),
            piles: UnsafeCell::new([null_mut(); PILES]),
            held: AtomicUsize::new(0),
            reserved: AtomicUsize::new(0),
        }
    }

    fn enter(&self) -> bool {
        !self.is_taken.swap(true, Ordering::Acquire)
    }

    fn leave(&self) {
        self.is_taken.store(false, Ordering::Release);
    }

    fn pop(&self, pile: usize, budget: &Budget) -> *mut c_void {
        let top = unsafe { &mut (*self.piles.get())[pile] };
        let block = *top;
        if !block.is_null() {
            *top = unsafe { (*block).below };
            let held = self.add(0_usize.wrapping_sub(size_of_pile(pile)));
            let reserved = self.reserved.load(Ordering::Relaxed);
            if reserved > held + 2 * RESERVE {
                budget.give_back(RESERVE);
                self.reserved.store(reserved - RESERVE, Ordering::Relaxed);
            }
        }
        block.cast()
    }

    unsafe fn push(&self, pile: usize, block: *mut c_void, budget: &Budget) -> bool {
        let reserved = self.reserved.load(Ordering::Relaxed);
        if self.held.load(Ordering::Relaxed) + size_of_pile(pile) > reserved {
            if !budget.reserve(RESERVE) {
                return false;
            }
            self.reserved.store(reserved + RESERVE, Ordering::Relaxed);
        }
        self.add(size_of_pile(pile));
        let top = unsafe { &mut (*self.piles.get())[pile] };
        let block: *mut Block = block.cast();
        unsafe { block.write(Block { below: *top }) };
        *top = block;
        true
    }

    fn clear(&self, budget: &Budget) {
        for pile in 0..PILES {
            loop {
                let block = self.pop(pile, budget);
                if block.is_null() {
                    break;
                }
                unsafe { free(block) };
            }
        }
        budget.give_back(self.reserved.swap(0, Ordering::Relaxed));
    }

    /// Only who has taken the shelf adds to it: there is no need to exchange anything.
    fn add(&self, bytes: usize) -> usize {
        let held = self.held.load(Ordering::Relaxed).wrapping_add(bytes);
        self.held.store(held, Ordering::Relaxed);
        held
    }
}

/// The pile whose blocks all have so many bytes.
fn pile_for(size: usize) -> usize {
    match size {
        0 => 0,
        1.. if size <= FINE * STEP => (size - 1) / STEP,
        _ => FINE + (size - FINE * STEP - 1) / COARSE_STEP,
    }
}

/// The pile of a block of so many bytes, which are `STEP` or more.
fn pile_within(usable: usize) -> usize {
    match usable.saturating_sub(FINE * STEP) / COARSE_STEP {
        0 => (usable / STEP).min(FINE) - 1,
        coarse => FINE - 1 + coarse,
    }
}

const fn size_of_pile(pile: usize) -> usize {
    if pile < FINE {
        (pile + 1) * STEP
    } else {
        FINE * STEP + (pile - FINE + 1) * COARSE_STEP
    }
}

/// So many bytes, or so many more that a block of them fits whoever wants as many again.
pub fn rounded_up(size: usize) -> usize {
    size_of_pile(pile_for(size))
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::super::pool::{malloc_usable_size, LEAST};
    use super::*;
    use std::collections::BTreeSet;
    use std::vec::Vec;

    unsafe extern "C" {
        fn malloc(size: usize) -> *mut c_void;
    }

    fn block(size: usize) -> (*mut c_void, usize) {
        let block = unsafe { malloc(rounded_up(size)) };
        (block, unsafe { malloc_usable_size(block) })
    }

    #[test]
    fn every_size_has_a_pile_that_fits_it_and_that_it_comes_back_to() {
        for size in 0..=LARGEST {
            let pile = pile_for(size);
            assert!(pile < PILES && (size..=(size + STEP).max(size * 5 / 4)).contains(&size_of_pile(pile)), "{size}");
            assert_eq!(pile_within(size_of_pile(pile) + 8), pile, "{size}");
        }
        for usable in STEP..LEAST {
            assert!(size_of_pile(pile_within(usable)) <= usable, "{usable}");
        }
    }

    #[test]
    fn as_many_are_had_again_as_were_kept_each_once() {
        let (small, budget) = (Small::new(), Budget::new(1 << 20));
        let blocks: BTreeSet<usize> = (0..1000)
            .map(|_| {
                let (block, usable) = block(80);
                assert!(unsafe { small.keep(block, usable, &budget) });
                block.addr()
            })
            .collect();
        assert!((80_000..80_000 + 3 * RESERVE).contains(&budget.held()));
        // Where the C library could not do anything with what is left of a block, it has given that, too.
        let again: BTreeSet<usize> = (0..900).map(|_| small.take(72, &budget).addr()).collect();
        assert!(again.len() == 900 && again.is_subset(&blocks));
        assert!(small.take(60, &budget).is_null() && budget.held() < 4 * RESERVE);
        small.release(&budget);
        assert_eq!(budget.held(), 0);
        again.iter().for_each(|address| unsafe { free(*address as *mut c_void) });
    }

    #[test]
    fn no_more_is_kept_than_may_be() {
        let (small, budget) = (Small::new(), Budget::new(2 * RESERVE));
        let kept = (0..1000).filter(|_| {
            let (block, usable) = block(1000);
            let is_kept = unsafe { small.keep(block, usable, &budget) };
            if !is_kept {
                unsafe { free(block) };
            }
            is_kept
        });
        assert!((100..=2 * RESERVE / 1000).contains(&kept.count()));
        assert!(budget.held() <= 2 * RESERVE);
        small.release(&budget);
        assert_eq!(budget.held(), 0);
    }

    #[test]
    fn who_finds_two_shelves_taken_waits_for_nobody() {
        let (small, budget) = (Small::new(), Budget::new(1 << 20));
        let (block, usable) = block(100);
        small.shelves.iter().for_each(|shelf| assert!(shelf.enter()));
        assert!(small.take(100, &budget).is_null());
        assert!(unsafe { !small.keep(block, usable, &budget) });
        small.release(&budget);
        small.shelves.iter().for_each(Shelf::leave);
        assert!(unsafe { small.keep(block, usable, &budget) });
        // The C library may have given more than was asked for, and then the block is on a pile of larger ones.
        assert_eq!(small.take(size_of_pile(pile_within(usable)), &budget), block);
        unsafe { free(block) };
    }

    #[test]
    fn threads_share_it() {
        let (small, budget) = (Small::new(), Budget::new(8 * RESERVE));
        let work = |thread: usize| {
            for round in 0..500 {
                let sizes = (0..20).map(|i| 8 + (round * 7919 + thread * 104_729 + i * 31) % (LARGEST - 8));
                let blocks: Vec<_> = sizes
                    .map(|size| {
                        let taken = small.take(size, &budget);
                        let block = if taken.is_null() { block(size).0 } else { taken };
                        let words = unsafe { core::slice::from_raw_parts_mut(block.cast::<usize>(), size / 8) };
                        words.fill(thread);
                        words
                    })
                    .collect();
                for words in blocks {
                    assert!(words.iter().all(|word| *word == thread), "a block had two owners");
                    let block = words.as_mut_ptr().cast();
                    if unsafe { !small.keep(block, malloc_usable_size(block), &budget) } {
                        unsafe { free(block) };
                    }
                }
            }
        };
        std::thread::scope(|scope| (0..8).for_each(|thread| drop(scope.spawn(move || work(thread)))));
        small.release(&budget);
        assert_eq!(budget.held(), 0);
    }
}
