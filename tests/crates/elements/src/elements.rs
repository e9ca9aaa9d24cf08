//! Elements that hold floats beside other things: copied many at a time, sorted, moved up and down, grown.

use crate::body;
use crate::dual::Number;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

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

struct Grid<T> {
    columns: usize,
    elements: Vec<T>,
}

impl<T: Number> Grid<T> {
    fn of(rows: usize, columns: usize, element: impl Fn(usize, usize) -> T) -> Self {
        let elements = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).map(|(i, j)| element(i, j)).collect();
        Grid { columns, elements }
    }

    fn at(&self, i: usize, j: usize) -> T {
        self.elements[i * self.columns + j]
    }

    fn times(&self, other: &Self) -> Self {
        let entry = |i, j| (0..self.columns).map(|k| self.at(i, k) * other.at(k, j)).sum();
        Grid::of(self.elements.len() / self.columns.max(1), other.columns, entry)
    }
}

body!(products_of_grids, |xs| {
    let n = xs.len().min(5);
    let grid = Grid::of(n, n, |i, j| xs[(i * 2 + j) % xs.len()] * 0.3);
    let one = Grid::of(n, n, |i, j| T::from(if i == j { 1.0 } else { 0.0 }));
    let (_, power) = (0..3).fold((Grid::of(n, n, |_, _| T::from(0.0)), one), |(_, p), _| {
        let next = p.times(&grid);
        (p, next)
    });
    power.elements.iter().enumerate().map(|(i, &x)| x * (i as f64 + 1.0)).sum()
});

body!(steps_until_small, |xs| {
    let mut residual: Vec<T> = xs.iter().map(|&x| x + 2.0).collect();
    let mut along = residual.clone();
    let mut sum = vec![T::from(0.0); xs.len()];
    for _ in 0..xs.len().min(4) {
        let image: Vec<T> = (0..along.len()).map(|i| along[i] * xs[(i + 1) % xs.len()]).collect();
        let step = image.iter().zip(&along).map(|(&a, &b)| a * b).sum::<T>() * 0.01;
        for i in 0..sum.len() {
            sum[i] += step * along[i];
            residual[i] -= step * image[i];
        }
        for (a, &r) in along.iter_mut().zip(&residual) {
            *a = r * 0.5 + step * *a;
        }
    }
    sum.iter().zip(&residual).map(|(&a, &b)| a * b).sum()
});

body!(sorted_by_their_bits, |xs| {
    let mut sorted: Vec<T> = xs.iter().map(|&x| x * x - x).collect();
    sorted.sort_by(|a, b| a.total_cmp(b));
    let middle = sorted.len() / 2;
    sorted.get(middle).copied().unwrap_or_default() * 3.0
        + sorted.iter().enumerate().map(|(i, &x)| x * x * (i as f64 + 1.0)).sum::<T>()
});

body!(boxed_errors, |xs| {
    fn mean<T: Number>(xs: &[T]) -> Result<T, Box<dyn std::error::Error>> {
        if xs.is_empty() {
            return Err("nothing to average".into());
        }
        let mut sum = T::from(0.0);
        for &x in xs {
            sum += if x < 3.0 { x * x } else { return Err("too large".into()) };
        }
        Ok(sum / xs.len() as f64)
    }
    mean(&xs[xs.len().min(6)..]).unwrap_or_default() + mean(xs).unwrap_or(T::from(2.0))
});

body!(shared_log, |xs| {
    let log = Rc::new(RefCell::new(Vec::new()));
    let (one, other) = (Rc::clone(&log), Rc::clone(&log));
    for (i, &x) in xs.iter().enumerate() {
        if i % 2 == 0 {
            one.borrow_mut().push(x * x)
        } else {
            other.borrow_mut().push(x * 3.0)
        };
    }
    log.borrow().windows(2).map(|w| w[0] * w[1]).sum()
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
        products_of_grids::report,
        steps_until_small::report,
        sorted_by_their_bits::report,
        boxed_errors::report,
        shared_log::report,
    ];
    for report in reports {
        report(inputs);
    }
}
