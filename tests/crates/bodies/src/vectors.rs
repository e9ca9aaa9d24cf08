//! What is done to the elements of a `Vec` where they are.

use crate::body;
use crate::dual::Number;

/// A sum in which every element has a weight of its own.
fn weigh<T: Number>(xs: &[T]) -> T {
    xs.iter().enumerate().map(|(i, &x)| x * x * (i as f64 + 1.0)).sum()
}

body!(reverses, |xs| {
    let mut v = xs.to_vec();
    v.reverse();
    xs.iter().zip(&v).map(|(&x, &y)| x * y).sum::<T>() + weigh(&v)
});

body!(swaps_and_retains, |xs| {
    let mut v = xs.to_vec();
    if v.len() > 3 {
        v.swap(0, 2);
    }
    v.retain(|x| *x > 0.0);
    weigh(&v)
});

body!(rotates, |xs| {
    let mut v = xs.to_vec();
    if v.len() > 3 {
        v.rotate_left(2);
    }
    weigh(&v)
});

body!(removes, |xs| {
    let mut v = xs.to_vec();
    let removed = if v.len() > 3 { v.remove(1) } else { T::from(1.0) };
    weigh(&v) * removed
});

body!(drains, |xs| {
    let mut v = xs.to_vec();
    let mut product = T::from(1.0);
    if v.len() > 4 {
        for x in v.drain(1..3) {
            product = product * x;
        }
    }
    weigh(&v) + product
});

body!(copies_within, |xs| {
    let mut v = xs.to_vec();
    if v.len() > 5 {
        v.copy_within(0..3, 2);
    }
    weigh(&v)
});

body!(updates_in_place, |xs| {
    let mut v = xs.to_vec();
    for _ in 0..3 {
        for i in 1..v.len() {
            v[i] = v[i] * 0.5 + v[i - 1] * v[i];
        }
    }
    weigh(&v)
});

body!(replaces_in_a_loop, |xs| {
    let mut v = xs.to_vec();
    for k in 0..3 {
        v = v.iter().map(|&x| x * x * 0.5 + f64::from(k)).collect();
    }
    weigh(&v)
});

body!(bubble_sort, |xs| {
    let mut v = xs.to_vec();
    for i in 0..v.len() {
        for j in 1..v.len() - i {
            if v[j - 1] > v[j] {
                v.swap(j - 1, j);
            }
        }
    }
    weigh(&v)
});

body!(goes_back_and_forth, |xs| {
    let mut now = xs.to_vec();
    let mut next = vec![T::from(0.0); now.len()];
    for _ in 0..5 {
        for i in 0..now.len() {
            next[i] = now[i] * 0.5 + now[i.saturating_sub(1)] * now[i] * 0.1;
        }
        std::mem::swap(&mut now, &mut next);
    }
    weigh(&now)
});

body!(keeps_a_ring, |xs| {
    let mut ring = [T::from(0.0); 8];
    let (mut head, mut tail) = (0usize, 0usize);
    let mut sum = T::from(0.0);
    for &x in xs {
        ring[tail % 8] = x * x;
        tail += 1;
        if tail - head > 4 {
            sum += ring[head % 8] * x;
            head += 1;
        }
    }
    while head < tail {
        sum += ring[head % 8];
        head += 1;
    }
    sum
});

pub fn report() {
    let inputs = [1.5, -0.5, 2.5, 3.5, 0.75, -1.0, 1.25, 0.3, 2.2, -0.1, 1.1, 0.9, 4.4];
    let reports = [
        reverses::report,
        swaps_and_retains::report,
        rotates::report,
        removes::report,
        drains::report,
        copies_within::report,
        updates_in_place::report,
        replaces_in_a_loop::report,
        bubble_sort::report,
        goes_back_and_forth::report,
        keeps_a_ring::report,
    ];
    for report in reports {
        report(&inputs);
    }
}
