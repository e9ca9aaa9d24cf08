//! Pushed, spilled, inserted, removed, sorted, extended

use crate::{refused, tried};
use smallvec::SmallVec;

const SIX: [f64; 6] = [1.5, -0.5, 2.5, 0.75, -1.0, 0.3];

fn weighed(v: &[f64]) -> f64 {
    v.iter().enumerate().map(|(i, x)| (i + 1) as f64 * x * x).sum()
}

tried! {
    sorted(x: SIX) {
        let mut v = SmallVec::<[f64; 8]>::from_slice(x);
        v.sort_by(|a, b| a.total_cmp(b));
        weighed(&v)
    };
    pushed(x: SIX) {
        let mut v = SmallVec::<[f64; 8]>::new();
        for &x in x {
            v.push(x * x);
        }
        v.iter().sum()
    } => x.iter().map(|x| 2.0 * x).collect::<Vec<_>>();
    spilled(x: SIX) {
        let mut v = SmallVec::<[f64; 4]>::new();
        for &x in x {
            v.push(x * x);
        }
        v.iter().sum()
    } => x.iter().map(|x| 2.0 * x).collect::<Vec<_>>();
    inserted_and_removed(x: SIX) {
        let mut v = SmallVec::<[f64; 8]>::from_slice(x);
        let removed = v.remove(1);
        v.insert(3, removed * removed);
        v.swap_remove(0);
        v.truncate(4);
        weighed(&v)
    };
}

refused! {
    collected(x: SIX) {
        let v: SmallVec<[f64; 4]> = x.iter().map(|x| x * x).collect(); //~ a word that may hold floats is moved as an integer here, and their derivatives would be lost
        weighed(&v)
    };
    of_pairs(x: SIX) {
        let mut v = SmallVec::<[(usize, f64); 4]>::new();
        for (i, &x) in x.iter().enumerate() {
            v.push((i, x * x));
        }
        v.iter().map(|(i, x)| *i as f64 * x).sum() //~ the same memory holds values of two types
    } => x.iter().enumerate().map(|(i, x)| 2.0 * i as f64 * x).collect::<Vec<_>>();
    filtered_and_collected(x: SIX) {
        let v: SmallVec<[f64; 4]> = x.iter().filter(|x| **x > 0.0).map(|x| x * x).collect(); //~ the bits of a float are moved as an integer here, and their derivative would be lost
        weighed(&v)
    };
    made_by_the_macro(x: SIX) {
        let mut v: SmallVec<[f64; 4]> = smallvec::smallvec![x[0], x[1] * x[2]]; //~ the same memory holds values of two types
        v.extend_from_slice(&x[3..]);
        weighed(&v)
    };
    moved_out(x: SIX) {
        let v: SmallVec<[f64; 4]> = x.iter().map(|x| x.sin()).collect(); //~ the same memory holds values of two types
        v.into_iter().rev().fold(1.0, |sum, x| sum * 0.5 + x * x)
    };
}
