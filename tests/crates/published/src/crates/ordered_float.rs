//! Floats with an order: largest, sorted, in heaps and maps, never NaN

use crate::tried;
use ordered_float::{NotNan, OrderedFloat};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

const SIX: [f64; 6] = [1.5, -0.5, 2.5, 0.75, -1.0, 0.3];

tried! {
    largest(x: SIX) {
        let largest = x.iter().copied().map(OrderedFloat).max().unwrap();
        *largest * *largest
    } => [0.0, 0.0, 5.0, 0.0, 0.0, 0.0];
    sorted(x: SIX) {
        let mut sorted: Vec<_> = x.iter().copied().map(OrderedFloat).collect();
        sorted.sort();
        sorted.iter().enumerate().map(|(i, x)| i as f64 * x.0 * x.0).sum()
    };
    never_nan(x: SIX) {
        let sum: NotNan<f64> = x.iter().map(|x| NotNan::new(*x).unwrap()).map(|x| x * x).sum();
        sum.into_inner().sqrt()
    };
    largest_first(x: SIX) {
        let mut heap: BinaryHeap<_> = x.iter().map(|x| OrderedFloat(x * x)).collect();
        let mut sum = 0.0;
        while let Some(x) = heap.pop() {
            sum = sum * 0.5 + *x;
        }
        sum
    };
    smallest_first(x: SIX) {
        let mut heap: BinaryHeap<_> = x.iter().enumerate().map(|(i, x)| (Reverse(OrderedFloat(*x)), i)).collect();
        let mut sum = 0.0;
        while let Some((Reverse(x), i)) = heap.pop() {
            sum = sum * 0.5 + *x * *x * i as f64;
        }
        sum
    };
    as_keys(x: SIX) {
        let map: BTreeMap<_, _> = x.iter().enumerate().map(|(i, x)| (OrderedFloat(*x), i)).collect();
        map.iter().enumerate().map(|(rank, (x, i))| (rank + i) as f64 * x.0 * x.0).sum()
    };
}
