//! Elements that hold floats beside other things: copied many at a time, sorted, moved up and down, grown.

use crate::body;
use crate::dual::Number;
use std::collections::VecDeque;

/// A sum in which every element has a weight of its own, by its number and by its place.
fn weigh<T: Number>(pairs: &[(T, usize)]) -> T {
    pairs.iter().enumerate().map(|(i, &(x, k))| x * x * (i as f64 + 1.0) * (k as f64 + 0.5)).sum()
}

body!(sorted_pairs, |xs| {
    let mut pairs: Vec<(T, usize)> = xs.iter().copied().zip(3..).collect();
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    weigh(&pairs)
});

#[derive(Clone)]
struct Record<T> {
    key: u32,
    is_heavy: bool,
    value: T,
    weights: [T; 2],
}

body!(sorted_records, |xs| {
    let record = |(i, &x): (usize, &T)| Record {
        key: (i * 7 % 5) as u32,
        is_heavy: x > 1.0,
        value: x,
        weights: [x * x, x + 1.0],
    };
    let mut records: Vec<Record<T>> = xs.iter().enumerate().map(record).collect();
    records.sort_by_key(|record| record.key);
    let heavy: Vec<Record<T>> = records.iter().filter(|r| r.is_heavy).cloned().collect();
    let of = |(i, r): (usize, &Record<T>)| r.value * r.weights[0] * (i as f64 + 1.0) - r.weights[1] * f64::from(r.key);
    records.iter().enumerate().map(of).sum::<T>() + heavy.iter().enumerate().map(of).sum::<T>()
});

body!(pairs_reversed, |xs| {
    let mut pairs: Vec<(T, usize)> = xs.iter().map(|&x| x * 2.0).zip(0..).collect();
    pairs.reverse();
    weigh(&pairs)
});

body!(pairs_removed_and_inserted, |xs| {
    let mut pairs: Vec<(T, usize)> = xs.iter().copied().zip(1..).collect();
    if pairs.len() > 3 {
        let (x, k) = pairs.remove(1);
        pairs.insert(3, (x * x, k + 1));
        pairs.insert(0, (x, k));
        pairs.rotate_left(2);
    }
    weigh(&pairs)
});

body!(pairs_cloned, |xs| {
    let pairs: Vec<(T, usize)> = xs.iter().copied().zip(2..).collect();
    let mut clone = pairs.clone();
    clone.extend_from_slice(&pairs);
    for pair in &mut clone {
        pair.0 *= pair.0;
    }
    weigh(&pairs) + weigh(&clone)
});

body!(queue_of_pairs, |xs| {
    let mut queue = VecDeque::from([(0, T::from(1.0))]);
    let mut total = T::from(0.0);
    while let Some((node, weight)) = queue.pop_front() {
        if node < xs.len() {
            let weight = weight * xs[node] * 0.8;
            total += weight;
            queue.push_back((2 * node + 1, weight));
            queue.push_back((2 * node + 2, weight * 0.5));
        }
    }
    total
});

struct Node<T> {
    value: T,
    next: Option<usize>,
}

body!(arena, |xs| {
    let mut nodes: Vec<Node<T>> = Vec::new();
    for (i, &x) in xs.iter().enumerate() {
        nodes.push(Node { value: x * x, next: i.checked_sub(2) });
    }
    let mut total = T::from(0.0);
    for begin in 0..nodes.len() {
        let mut at = Some(begin);
        while let Some(i) = at {
            total = total * 0.9 + nodes[i].value;
            at = nodes[i].next;
        }
    }
    total
});

body!(references, |xs| {
    let nodes: Vec<Node<T>> = xs.iter().map(|&x| Node { value: x, next: None }).collect();
    let mut cells: Vec<Vec<&Node<T>>> = vec![Vec::new(); 3];
    for (i, node) in nodes.iter().enumerate() {
        cells[i % 3].push(node);
    }
    cells.iter().flat_map(|cell| cell.windows(2)).map(|two| two[0].value * two[1].value).sum()
});

pub fn report(inputs: &[f64]) {
    let reports = [
        sorted_pairs::report,
        sorted_records::report,
        pairs_reversed::report,
        pairs_removed_and_inserted::report,
        pairs_cloned::report,
        queue_of_pairs::report,
        arena::report,
        references::report,
    ];
    for report in reports {
        report(inputs);
    }
}
