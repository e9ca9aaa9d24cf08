//! What looks at floats' bits, or moves them as something else: for dual numbers, which have no bits, it is said plainly.

#![allow(dead_code)] // nobody who takes this file in calls all of the functions

use crate::dual::{self, Dual};
use crate::single::Single;
use std::any::Any;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Numbers whose bits are looked at.  No slice that is given need have elements.
pub trait Number: dual::Number {
    /// Numbers that are there before the program begins.
    const TABLE: [Self; 5];

    fn copied_by_words(to: &mut [Self], from: &[Self]) {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    }
    fn copied_by_bytes(to: &mut [Self], from: &[Self]) {
        Self::copied_by_words(to, from);
    }
    fn collected_as_words(xs: &[Self]) -> Vec<Self> {
        xs.to_vec()
    }
    fn written_and_read(xs: &[Self]) -> Vec<Self> {
        xs.to_vec()
    }
    fn swapped_as_words(xs: &mut [Self], one: usize, other: usize) {
        xs.swap(one, other);
    }
    fn exchanged_as_words(xs: &mut [Self], ys: &mut [Self]) {
        xs.iter_mut().zip(ys).for_each(|(x, y)| std::mem::swap(x, y));
    }
    fn reversed_as_words(xs: &mut [Self]) {
        xs.reverse();
    }
    fn rotated_as_bytes(xs: &mut [Self], by: usize) {
        xs.rotate_left(by);
    }
    fn filled_as_words(self, xs: &mut [Self]) {
        xs.fill(self);
    }
    fn moved_down_as_bytes(xs: &mut [Self]) {
        if !xs.is_empty() {
            xs.copy_within(1.., 0);
        }
    }
    /// The sum of each number times the sum before it.
    fn summed_in_scratch(xs: &[Self]) -> Self {
        xs.iter().fold(Self::from(0.25), |sum, &x| sum * 0.5 + x * sum)
    }
    fn summed_on_heap(xs: &[Self]) -> Self {
        Self::summed_in_scratch(xs)
    }
    fn summed_in_bytes(xs: &[Self]) -> Self {
        Self::summed_in_scratch(xs)
    }
    fn summed_in_atomic(xs: &[Self]) -> Self {
        Self::summed_in_scratch(xs)
    }
    fn in_union(self) -> Self {
        self
    }
    fn in_bits(self) -> Self {
        self
    }
    fn in_any(self) -> Self {
        self
    }
    fn in_bytes(three: [Self; 3]) -> [Self; 3] {
        three
    }
    fn in_one_word(one: Self, other: Self) -> (Self, Self) {
        (one, other)
    }
    fn negated_by_bits(self) -> Self {
        -self
    }
    fn abs_by_bits(self) -> Self {
        self.abs()
    }
    fn copysign_by_bits(self, sign: Self) -> Self {
        self.copysign(sign)
    }
    fn chosen_by_bits(self, other: Self, is_other: bool) -> Self {
        if is_other { other } else { self }
    }
    fn largest_by_bits(xs: &[Self]) -> Option<Self> {
        xs.iter().copied().reduce(|most, x| if x.total_cmp(&most).is_lt() { most } else { x })
    }
}

impl Number for Dual {
    const TABLE: [Self; 5] = [fixed(0.5), fixed(-1.25), fixed(0.0), fixed(1.75), fixed(-0.375)];
}

const fn fixed(value: f64) -> Dual {
    Dual { value, tangent: 0.0 }
}

macro_rules! casts {
    ($number:ident, $word:ident, $signed:ident, $two:ident, $atomic:ident, $bits:expr, $from:expr, $table:expr) => {
        impl Number for $number {
            const TABLE: [Self; 5] = $table;

            fn copied_by_words(to: &mut [Self], from: &[Self]) {
                let (from, to) = (words::<Self, $word>(from), words_mut::<Self, $word>(to));
                for at in 0..from.len().min(to.len()) {
                    to[at] = from[at];
                }
            }
            fn copied_by_bytes(to: &mut [Self], from: &[Self]) {
                let (from, to) = (words::<Self, u8>(from), words_mut::<Self, u8>(to));
                let most = from.len().min(to.len());
                to[..most].copy_from_slice(&from[..most]);
            }
            fn collected_as_words(xs: &[Self]) -> Vec<Self> {
                let words: Vec<$word> = xs.iter().map(|&x| $bits(x)).collect();
                words.into_iter().map($from).collect()
            }
            fn written_and_read(xs: &[Self]) -> Vec<Self> {
                let mut text: Vec<u8> = Vec::new();
                xs.iter().for_each(|&x| text.extend_from_slice(&$bits(x).to_le_bytes()));
                let words = text.chunks_exact(size_of::<$word>()).map(|word| $word::from_le_bytes(word.try_into().unwrap()));
                words.map($from).collect()
            }
            fn swapped_as_words(xs: &mut [Self], one: usize, other: usize) {
                words_mut::<Self, $word>(xs).swap(one, other);
            }
            fn exchanged_as_words(xs: &mut [Self], ys: &mut [Self]) {
                let (xs, ys) = (words_mut::<Self, $word>(xs), words_mut::<Self, $word>(ys));
                let most = xs.len().min(ys.len());
                xs[..most].swap_with_slice(&mut ys[..most]);
            }
            fn reversed_as_words(xs: &mut [Self]) {
                words_mut::<Self, $word>(xs).reverse();
            }
            fn rotated_as_bytes(xs: &mut [Self], by: usize) {
                words_mut::<Self, u8>(xs).rotate_left(by * size_of::<Self>());
            }
            fn filled_as_words(self, xs: &mut [Self]) {
                words_mut::<Self, $word>(xs).fill($bits(self));
            }
            fn moved_down_as_bytes(xs: &mut [Self]) {
                if !xs.is_empty() {
                    words_mut::<Self, u8>(xs).copy_within(size_of::<Self>().., 0);
                }
            }
            fn summed_in_scratch(xs: &[Self]) -> Self {
                let mut scratch = [0 as $word; 32];
                // SAFETY: both have the same size.
                let floats = unsafe { std::slice::from_raw_parts_mut(scratch.as_mut_ptr().cast::<Self>(), 32) };
                summed(xs, floats)
            }
            fn summed_on_heap(xs: &[Self]) -> Self {
                let mut scratch = vec![0 as $word; xs.len() + 1];
                // SAFETY: both have the same size.
                let floats = unsafe { std::slice::from_raw_parts_mut(scratch.as_mut_ptr().cast::<Self>(), xs.len() + 1) };
                summed(xs, floats)
            }
            fn summed_in_bytes(xs: &[Self]) -> Self {
                #[repr(align(16))]
                struct Bytes([MaybeUninit<u8>; 256]);
                let mut scratch = Bytes([MaybeUninit::uninit(); 256]);
                let floats = scratch.0.as_mut_ptr().cast::<Self>();
                // SAFETY: it is aligned, and written before it is read.
                unsafe { (0..32).for_each(|at| floats.add(at).write(0.0.into())) };
                // SAFETY: 32 numbers need no more than 256 bytes.
                summed(xs, unsafe { std::slice::from_raw_parts_mut(floats, 32) })
            }
            fn summed_in_atomic(xs: &[Self]) -> Self {
                let sum = $atomic::new($bits(0.25.into()));
                for &x in xs {
                    let before = $from(sum.load(Relaxed));
                    sum.store($bits(before * 0.5 + x * before), Relaxed);
                }
                $from(sum.load(Relaxed))
            }
            fn in_union(self) -> Self {
                union Either {
                    number: $number,
                    bytes: [u8; size_of::<$word>()],
                }
                let one = Either { number: self };
                // SAFETY: any bytes are bytes, and these are a number's.
                let other = Either { bytes: unsafe { one.bytes } };
                unsafe { other.number }
            }
            fn in_bits(self) -> Self {
                $from($word::from_ne_bytes($bits(self).to_ne_bytes()))
            }
            fn in_any(self) -> Self {
                let any: Box<dyn Any> = Box::new(self);
                *any.downcast_ref::<Self>().unwrap()
            }
            fn in_bytes(three: [Self; 3]) -> [Self; 3] {
                // SAFETY: they have the same size, and any bits are those of each.
                let bytes: [u8; 3 * size_of::<$word>()] = unsafe { std::mem::transmute(three) };
                unsafe { std::mem::transmute(bytes) }
            }
            fn in_one_word(one: Self, other: Self) -> (Self, Self) {
                let both = $bits(one) as $two | ($bits(other) as $two) << $word::BITS;
                ($from(both as $word), $from((both >> $word::BITS) as $word))
            }
            fn negated_by_bits(self) -> Self {
                $from($bits(self) ^ 1 << ($word::BITS - 1))
            }
            fn abs_by_bits(self) -> Self {
                $from($bits(self) & $word::MAX >> 1)
            }
            fn copysign_by_bits(self, sign: Self) -> Self {
                let of_sign = 1 << ($word::BITS - 1);
                $from($bits(self) & !of_sign | $bits(sign) & of_sign)
            }
            fn chosen_by_bits(self, other: Self, is_other: bool) -> Self {
                let mask = (is_other as $word).wrapping_neg();
                $from($bits(self) & !mask | $bits(other) & mask)
            }
            fn largest_by_bits(xs: &[Self]) -> Option<Self> {
                let key = |x: Self| {
                    let bits = $bits(x) as $signed;
                    bits ^ ((bits >> ($word::BITS - 1)) as $word >> 1) as $signed
                };
                xs.iter().copied().max_by_key(|&x| key(x))
            }
        }
    };
}

casts!(f64, u64, i64, u128, AtomicU64, f64::to_bits, f64::from_bits, [0.5, -1.25, 0.0, 1.75, -0.375]);
casts!(
    Single,
    u32,
    i32,
    u64,
    AtomicU32,
    (|x: Single| x.0.to_bits()),
    (|bits| Single(f32::from_bits(bits))),
    [Single(0.5), Single(-1.25), Single(0.0), Single(1.75), Single(-0.375)]
);

fn words<T, W>(xs: &[T]) -> &[W] {
    // SAFETY: as long as what it is of, and any bits are a word's.
    unsafe { std::slice::from_raw_parts(xs.as_ptr().cast(), size_of_val(xs) / size_of::<W>()) }
}

fn words_mut<T, W>(xs: &mut [T]) -> &mut [W] {
    // SAFETY: as long as what it is of, and any bits are those of both.
    unsafe { std::slice::from_raw_parts_mut(xs.as_mut_ptr().cast(), size_of_val(xs) / size_of::<W>()) }
}

/// Each sum is kept in memory that has been nobody's float.
fn summed<T: dual::Number>(xs: &[T], sums: &mut [T]) -> T {
    let least = sums.len() - 1;
    sums[0] = T::from(0.25);
    for (at, &x) in xs.iter().enumerate() {
        sums[(at + 1) % (least + 1)] = sums[at % (least + 1)] * 0.5 + x * sums[at % (least + 1)];
    }
    sums[xs.len() % (least + 1)]
}
