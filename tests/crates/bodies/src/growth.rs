//! Collections that grow, and what is kept in them.

use crate::body;
use crate::dual::Number;
use std::collections::VecDeque;

/// A sum in which every element has a weight of its own.
fn weigh<T: Number>(xs: &[T]) -> T {
    xs.iter().enumerate().map(|(i, &x)| x * x * (i as f64 + 1.0)).sum()
}

body!(pushes_and_pops, |xs| {
    let mut v = Vec::new();
    for &x in xs {
        v.push(x * 2.0);
        if x < 0.0 {
            let last = v.pop().unwrap();
            v.push(last * last);
        }
    }
    weigh(&v)
});

body!(extends, |xs| {
    let mut v: Vec<T> = xs.iter().map(|&x| x * x).collect();
    v.extend(xs.iter().map(|&x| x * 3.0));
    v.extend_from_slice(xs);
    v.truncate(20);
    weigh(&v)
});

body!(removes_and_inserts, |xs| {
    let mut v = xs.to_vec();
    if v.len() > 3 {
        let removed = v.remove(1);
        v.insert(3, removed * removed);
        v.insert(0, removed);
    }
    weigh(&v)
});

body!(collects_some, |xs| {
    let v: Vec<T> = xs.iter().filter(|x| **x > 0.0).map(|&x| x * x).collect();
    weigh(&v)
});

body!(partitions, |xs| {
    let (above, below): (Vec<T>, Vec<T>) = xs.iter().partition(|x| **x > 1.0);
    weigh(&above) + weigh(&below) * 0.5
});

body!(joins_what_nobody_reads, |xs| {
    let (mut above, below): (Vec<T>, Vec<T>) = xs.iter().partition(|x| **x > 1.0);
    above.extend(below);
    weigh(xs) * above.len() as f64
});

body!(unzips, |xs| {
    let (squares, doubles): (Vec<T>, Vec<T>) = xs.iter().map(|&x| (x * x, x * 2.0)).unzip();
    weigh(&squares) + weigh(&doubles) * 0.5
});

body!(sorts, |xs| {
    let mut v = xs.to_vec();
    v.sort_by(|a, b| a.partial_cmp(b).unwrap());
    weigh(&v)
});

body!(queues, |xs| {
    let mut queue = VecDeque::new();
    let mut sum = T::from(0.0);
    for &x in xs {
        queue.push_back(x);
        if queue.len() > 3 {
            sum += queue.pop_front().unwrap() * x;
        }
    }
    sum + queue.iter().copied().sum::<T>()
});

body!(fills_a_table, |xs| {
    let n = xs.len();
    let mut table = vec![vec![T::from(0.0); n + 1]; n + 1];
    for i in 0..n {
        for j in 0..n {
            table[i + 1][j + 1] = table[i][j + 1] * 0.5 + table[i + 1][j] * 0.3 + xs[i] * xs[j];
        }
    }
    table[n][n]
});

trait Area<T> {
    fn area(&self) -> T;
}

struct Disc<T>(T);
struct Rectangle<T>(T, T);

impl<T: Number> Area<T> for Disc<T> {
    fn area(&self) -> T {
        self.0 * self.0 * 3.14
    }
}

impl<T: Number> Area<T> for Rectangle<T> {
    fn area(&self) -> T {
        self.0 * self.1
    }
}

body!(shapes_in_boxes, |xs| {
    let mut shapes: Vec<Box<dyn Area<T>>> = Vec::new();
    for (i, &x) in xs.iter().enumerate() {
        if i % 2 == 0 {
            shapes.push(Box::new(Disc(x)));
        } else {
            shapes.push(Box::new(Rectangle(x, x * 2.0)));
        }
    }
    shapes.iter().map(|shape| shape.area()).sum()
});

pub fn report() {
    let inputs = [1.5, -0.5, 2.5, 3.5, 0.75, -1.0, 1.25, 0.3, 2.2, -0.1, 1.1, 0.9, 4.4];
    let reports = [
        pushes_and_pops::report,
        extends::report,
        removes_and_inserts::report,
        collects_some::report,
        partitions::report,
        joins_what_nobody_reads::report,
        unzips::report,
        sorts::report,
        queues::report,
        fills_a_table::report,
        shapes_in_boxes::report,
    ];
    for report in reports {
        report(&inputs);
    }
}
