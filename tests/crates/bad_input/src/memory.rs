//! Memory that is not initialised, looked at as something else, or not freed.

use crate::tried;
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::hint::black_box;
use std::mem::{ManuallyDrop, MaybeUninit, transmute, zeroed};
use std::ptr::write_bytes;
use std::slice::{from_raw_parts, from_raw_parts_mut};

#[repr(C)]
union Word {
    float: f64,
    bits: u64,
}

/// A vector of somebody's own, as published crates have them.
struct Grown<T> {
    first: *mut T,
    len: usize,
    capacity: usize,
}

impl<T: Copy> Grown<T> {
    fn new() -> Self {
        Self { first: unsafe { alloc(Layout::array::<T>(1).unwrap()) }.cast(), len: 0, capacity: 1 }
    }

    #[inline(never)]
    fn grow(&mut self) {
        let (old, new) = (Layout::array::<T>(self.capacity).unwrap(), Layout::array::<T>(2 * self.capacity).unwrap());
        self.first = unsafe { realloc(self.first.cast(), old, new.size()) }.cast();
        self.capacity *= 2;
    }

    fn push(&mut self, one: T) {
        if self.len == self.capacity {
            self.grow();
        }
        unsafe { self.first.add(self.len).write(one) };
        self.len += 1;
    }
}

impl<T> std::ops::Deref for Grown<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        unsafe { from_raw_parts(self.first, self.len) }
    }
}

impl<T> Drop for Grown<T> {
    fn drop(&mut self) {
        unsafe { dealloc(self.first.cast(), Layout::array::<T>(self.capacity).unwrap()) }
    }
}

tried! {
    written_before_it_is_read(x) { let mut kept = MaybeUninit::<[f64; 2]>::uninit(); kept.write([x, x * x]); unsafe { kept.assume_init()[black_box(1)] } }
        => x * x, 2.0 * x;
    array_element_by_element(x) {
        let mut kept = [const { MaybeUninit::<f64>::uninit() }; 8];
        for i in 0..8 { kept[i].write(x * x * i as f64); }
        (0..black_box(8)).map(|i| unsafe { kept[i].assume_init_read() }).sum()
    } => 28.0 * x * x, 56.0 * x;
    vec_with_a_length_that_is_set(x) {
        let (n, mut numbers) = (black_box(3), Vec::<f64>::with_capacity(3));
        unsafe { for i in 0..n { numbers.as_mut_ptr().add(i).write(x); } numbers.set_len(n); }
        numbers.iter().product()
    } => x.powi(3), 3.0 * x * x;
    all_zeros(x) { let mut kept: [f64; 3] = unsafe { zeroed() }; kept[black_box(1)] += x * x; kept.iter().sum() } => x * x, 2.0 * x;
    allocated_by_hand(x) {
        let layout = Layout::array::<f64>(4).unwrap();
        let numbers: *mut f64 = unsafe { alloc(layout) }.cast();
        for i in 0..4 { unsafe { numbers.add(i).write(x * i as f64) }; }
        let last = unsafe { *numbers.add(black_box(3)) };
        unsafe { dealloc(numbers.cast(), layout) };
        last * x
    } => 3.0 * x * x, 6.0 * x;
    allocated_as_zeros(x) {
        let layout = Layout::array::<f64>(4).unwrap();
        let numbers: *mut f64 = unsafe { alloc_zeroed(layout) }.cast();
        unsafe { *numbers.add(black_box(3)) += x };
        let last = unsafe { *numbers.add(black_box(3)) };
        unsafe { dealloc(numbers.cast(), layout) };
        last * x
    } => x * x, 2.0 * x;
    reallocated_by_hand(x) {
        let mut layout = Layout::array::<f64>(2).unwrap();
        let mut numbers: *mut f64 = unsafe { alloc(layout) }.cast();
        for i in 0..black_box(9) {
            if i == layout.size() / 8 {
                numbers = unsafe { realloc(numbers.cast(), layout, 2 * layout.size()) }.cast();
                layout = Layout::array::<f64>(2 * i).unwrap();
            }
            unsafe { numbers.add(i).write(x * i as f64) };
        }
        let sum: f64 = (0..9).map(|i| unsafe { *numbers.add(i) }).sum();
        unsafe { dealloc(numbers.cast(), layout) };
        sum * x
    } => 36.0 * x * x, 72.0 * x;
    grown_by_a_type_of_its_own(x) {
        let mut kept = Grown::new();
        for i in 0..black_box(20) { kept.push(x * x * i as f64); }
        kept.iter().sum()
    } => 190.0 * x * x, 380.0 * x;
    grown_pairs_of_its_own(x) {
        let mut kept = Grown::new();
        for i in 0..black_box(20) { kept.push((i, x * x)); }
        kept.iter().map(|(i, one)| *i as f64 * one).sum()
    } => 190.0 * x * x, 380.0 * x;
    union(x) { let word = Word { float: x * x }; unsafe { Word { bits: black_box(&word).bits }.float } } => x * x, 2.0 * x;
    transmuted(x) { let words: [u32; 2] = black_box(unsafe { transmute(x * x) }); unsafe { transmute::<_, f64>(words) } } => x * x, 2.0 * x;
    copied_as_bytes(x) {
        let (from, mut to, size) = (vec![x, x * x], [0.0; 2], black_box(16));
        unsafe { from_raw_parts_mut(to.as_mut_ptr().cast::<u8>(), size) }.copy_from_slice(unsafe { from_raw_parts(from.as_ptr().cast(), size) });
        to[0] * to[1]
    } => x.powi(3), 3.0 * x * x;
    copied_as_words(x) {
        let (from, mut to, count) = (vec![x, x * x], [0.0; 2], black_box(2));
        unsafe { from_raw_parts_mut(to.as_mut_ptr().cast::<u64>(), count) }.copy_from_slice(unsafe { from_raw_parts(from.as_ptr().cast(), count) });
        to[0] * to[1]
    } => x.powi(3), 3.0 * x * x;
    swapped_as_words(x) {
        let mut kept = vec![x, x * x, 3.0];
        let words = unsafe { from_raw_parts_mut(kept.as_mut_ptr().cast::<u64>(), 3) };
        words.swap(black_box(0), black_box(1));
        words.rotate_left(black_box(1));
        kept[0] + 2.0 * kept[1] + 3.0 * kept[2]
    } => x + 6.0 + 3.0 * x * x, 1.0 + 6.0 * x;
    zeroed_as_bytes(x) {
        let mut kept = [x, x * x];
        let before = kept[0] * kept[1];
        unsafe { write_bytes(kept.as_mut_ptr().cast::<u8>(), 0, black_box(8)) };
        before + kept[0] + kept[1]
    } => x.powi(3) + x * x, 3.0 * x * x + 2.0 * x;
    not_aligned(x) {
        let mut bytes = [0_u8; 20];
        unsafe { bytes.as_mut_ptr().add(3).cast::<f64>().write_unaligned(x * x) };
        unsafe { bytes.as_ptr().add(3).cast::<f64>().read_unaligned() }
    } => x * x, 2.0 * x;
    volatile(x) { let mut y = x; unsafe { (&raw mut y).write_volatile(x * x); (&raw const y).read_volatile() } } => x * x, 2.0 * x;
    never_dropped(x) { let kept = ManuallyDrop::new(vec![x, x * x]); kept[black_box(1)] } => x * x, 2.0 * x;
    leaked(x) { let kept = Box::leak(Box::new([x, x * x])); kept[black_box(1)] } => x * x, 2.0 * x;
    behind_an_address(x) { let kept = [x, x * x]; let address = kept.as_ptr() as usize + 8; unsafe { *(address as *const f64) } }
        => x * x, 2.0 * x;
}
