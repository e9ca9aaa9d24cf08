//! Loops: left early, begun again early, one in another, in steps.

use crate::body;
use crate::dual::Number;

#[inline(never)]
fn square<T: Number>(x: &mut T) {
    *x = *x * *x;
}

body!(skips, |xs| {
    let mut sum = T::from(0.0);
    for &x in xs {
        if x < 0.0 {
            continue;
        }
        sum += x * x;
    }
    sum
});

body!(filters, |xs| xs.iter().filter(|x| **x > 0.0).map(|&x| x * x * x).sum());

body!(skips_twice, |xs| {
    let mut sum = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        if i % 3 == 1 {
            continue;
        }
        if x > 3.0 {
            sum *= x;
            continue;
        }
        sum += x * x;
    }
    sum
});

body!(labels, |xs| {
    let mut sum = T::from(0.0);
    'outer: for &x in xs {
        let mut y = x;
        for &k in xs {
            if k > 3.0 {
                continue 'outer;
            }
            if k < -0.7 {
                break 'outer;
            }
            y = y * 0.9 + k;
        }
        sum += y * y;
    }
    sum
});

body!(only_way_out_is_inside, |xs| {
    let (mut sum, mut i) = (T::from(1.0), 0);
    'outer: loop {
        let y = sum * sum * 0.5 + sum;
        let mut taken = 0;
        loop {
            if i >= xs.len() {
                break 'outer;
            }
            let x = xs[i];
            i += 1;
            if x < 0.0 {
                continue;
            }
            taken += 1;
            sum = sum * 0.5 + x * y * 0.1;
            if taken == 3 {
                break;
            }
        }
        sum = sum * 1.1;
    }
    sum
});

body!(skips_in_both, |xs| {
    let mut sum = T::from(0.0);
    for &x in xs {
        if x < 0.0 {
            continue;
        }
        for &y in xs {
            if y < x {
                continue;
            }
            sum += x * y;
        }
    }
    sum
});

body!(while_in_while, |xs| {
    let mut sum = T::from(1.0);
    let mut all = xs.iter();
    while let Some(&x) = all.next() {
        if x < 0.0 {
            break;
        }
        let mut y = x;
        while y > 0.5 {
            y = y * 0.7;
            if y > 2.0 {
                continue;
            }
            sum = sum + y * sum * 0.1;
        }
    }
    sum
});

body!(two_at_a_time, |xs| {
    let mut sum = T::from(0.0);
    let mut all = xs.iter();
    while let (Some(&a), Some(&b)) = (all.next(), all.next()) {
        if a < 0.0 {
            continue;
        }
        sum += a * b + sum * 0.1;
    }
    sum
});

body!(steps, |xs| {
    let ones = xs.iter().step_by(3).map(|&x| x * x * x).sum::<T>();
    ones + xs.iter().skip(1).step_by(2).map(|&x| x * x).sum::<T>()
});

body!(scan_in_steps, |xs| {
    let products = xs.iter().scan(T::from(1.0), |product, &x| {
        *product *= x;
        Some(*product)
    });
    products.step_by(2).fold(T::from(0.0), |sum, x| sum * 0.5 + x * x)
});

body!(reversed_in_steps, |xs| {
    let sums = xs.iter().rev().step_by(2).scan(T::from(0.5), |sum, &x| {
        *sum = *sum * 0.5 + x;
        Some(*sum * *sum)
    });
    sums.sum()
});

body!(zips_of_other_steps, |xs| {
    let far = xs.iter().skip(2).step_by(4);
    xs.iter().zip(far).fold(T::from(1.0), |sum, (&x, &y)| sum * 0.8 + x * y * sum * 0.1)
});

body!(takes_while, |xs| {
    let some = xs.iter().take_while(|x| **x < 3.0).filter(|x| **x > 0.0);
    some.zip(xs.iter().step_by(2)).map(|(&x, &y)| x * y).sum()
});

body!(skips_while, |xs| {
    xs.iter().skip_while(|x| **x > 0.0).flat_map(|&x| [x * x, x * 2.0]).filter(|x| *x < 4.9).sum()
});

body!(chunks, |xs| {
    let products = xs.chunks(2).map(|two| if two.len() == 2 { two[0] * two[1] } else { two[0] });
    products.sum::<T>() + xs.chunks_exact(3).map(|three| three[0] * three[1] - three[2] * three[0]).sum::<T>()
});

body!(windows, |xs| {
    let mut sum = T::from(1.0);
    for two in xs.windows(2) {
        if two[0] > two[1] {
            continue;
        }
        if two[1] > 4.0 {
            break;
        }
        sum += two[0] * two[0] * two[1];
    }
    sum
});

body!(by_index_in_steps, |xs| {
    let (mut sum, mut i) = (T::from(0.0), 0);
    while i < xs.len() {
        sum += xs[i] * xs[i];
        i += 2;
        if sum > 40.0 {
            break;
        }
    }
    sum
});

body!(by_growing_steps, |xs| {
    let (mut sum, mut i) = (T::from(1.0), 1);
    while i < xs.len() {
        sum += xs[i] * sum * 0.1;
        i *= 2;
        if sum > 40.0 {
            break;
        }
    }
    sum
});

body!(keeps_or_replaces, |xs| {
    let (mut kept, mut sum) = (T::from(1.5), T::from(0.0));
    for &x in xs {
        kept = if x > 0.0 { kept } else { x * x };
        sum += kept * x;
    }
    sum + kept
});

body!(keeps_the_larger, |xs| {
    let (mut largest, mut sum) = (T::from(0.1), T::from(0.0));
    for &x in xs {
        if x > largest {
            largest = x * 0.9;
        }
        sum = sum * 0.5 + largest * largest.max(x * x);
    }
    sum
});

body!(divides_on, |xs| {
    let (mut rest, mut sum) = (T::from(2.0), T::from(0.0));
    for &x in xs {
        rest = rest / (x * x + 1.0);
        sum += rest * x;
    }
    sum
});

body!(matches_in_several_arms, |xs| {
    let mut sum = T::from(0.5);
    for (i, &x) in xs.iter().enumerate() {
        let mut y = x;
        match i % 6 {
            0 | 3 => y = x * x,
            1 => y = x * sum * 0.1,
            4 if x > 1.0 => y = x * 0.3,
            _ => {}
        }
        sum = sum * 0.5 + y;
    }
    sum
});

body!(squares_in_a_branch, |xs| {
    let mut x = xs.first().copied().unwrap_or(T::from(0.5));
    square(&mut x);
    let mut y = x;
    if y < 9.0 {
        square(&mut x);
        square(&mut y);
    }
    x + y * 0.75
});

body!(eliminates_downwards, |xs| {
    let mut b = xs.to_vec();
    for i in 0..b.len() {
        let by = b[i];
        let rest = &mut b[i + 1..];
        for k in 0..rest.len() {
            rest[k] = rest[k] * by * 0.3 + T::from(0.1);
        }
    }
    let last = b.last().copied().unwrap_or_default();
    for y in &mut b {
        *y = *y * *y * last;
    }
    b.iter().copied().sum()
});

body!(reads_every_second_twice, |xs| {
    let mut rest = T::from(1.0);
    for _ in 0..xs.len().min(4) {
        let image = xs.to_vec();
        let mut step = T::from(0.01);
        for i in 0..image.len() / 2 {
            step += image[2 * i] * image[2 * i];
        }
        for i in 0..image.len() / 2 {
            rest -= step * image[2 * i];
        }
    }
    rest
});

body!(reads_pairs_twice, |xs| {
    let mut rest = T::from(1.0);
    for _ in 0..xs.len().min(4) {
        let pairs: Vec<(T, T)> = xs.iter().map(|&x| (x, x * x)).collect();
        let step = pairs.iter().map(|pair| pair.0 * pair.0).sum::<T>() * 0.01;
        for pair in &pairs {
            rest -= step * pair.0;
        }
    }
    rest
});

body!(multiplies_by_the_next, |xs| {
    let mut b = xs.to_vec();
    for i in 1..b.len() {
        b[i - 1] = b[i - 1] * b[i];
    }
    b.iter().copied().sum()
});

body!(sweeps_in_place, |xs| {
    let mut grid = xs.to_vec();
    for _ in 0..3 {
        for i in 2..grid.len() {
            grid[i - 1] = (grid[i - 2] * grid[i]).sin() + grid[i - 1];
        }
    }
    grid.iter().copied().sum()
});

body!(sweeps_backwards, |xs| {
    let mut grid = xs.to_vec();
    for i in (1..grid.len()).rev() {
        grid[i] = grid[i] * grid[i - 1] + grid[0];
    }
    grid.iter().copied().sum()
});

body!(sweeps_over_pairs, |xs| {
    let mut pairs: Vec<(T, T)> = xs.iter().map(|&x| (x, x * 0.5)).collect();
    for i in 1..pairs.len() {
        pairs[i - 1].0 = pairs[i].0 * pairs[i - 1].1;
        pairs[i - 1].1 = pairs[i].1 * pairs[i].0;
    }
    pairs.iter().map(|pair| pair.0 * pair.1).sum()
});

body!(sums_of_squares_of_the_rest, |xs| {
    let mut rest = xs.to_vec();
    for i in 0..rest.len() {
        rest[i] = rest[i + 1..].iter().map(|&x| x * x).sum::<T>() * 0.3 + rest[i];
    }
    rest.iter().copied().sum()
});

// Loops that go on while something is at least as large as what only the program knows.

body!(windows_of_a_width, |xs| {
    let width = xs.len() / 3 + 1;
    xs.windows(width).fold(T::from(1.0), |s, w| s * 0.5 + w[0] * w[width - 1])
});

body!(chunks_of_a_width, |xs| {
    let width = xs.len() / 5 + 1;
    xs.chunks_exact(width).fold(T::from(1.0), |s, w| s * w[0] * 0.5 + w[width - 1])
});

body!(down_to, |xs| {
    let (mut s, end) = (T::from(1.0), xs.len() / 4 + 1);
    let mut left = xs.len();
    while left >= end {
        left -= 1;
        s = s * 0.5 + xs[left] * xs[left] * s;
    }
    s
});

body!(down_to_below_zero, |xs| {
    let (mut s, end) = (T::from(1.0), xs.len() as i64 / 4 - 2);
    let mut i = xs.len() as i64 - 1;
    while i >= end {
        if i >= 0 {
            s = s * 0.5 + xs[i as usize] * s;
        }
        i -= 1;
    }
    s
});

body!(while_enough_is_left, |xs| {
    let (mut s, mut rest, width) = (T::from(1.0), xs, xs.len() / 4 + 1);
    while rest.len() >= width {
        s = s * rest[0] * 0.5 + rest[width - 1];
        rest = &rest[1..];
    }
    s
});

// Loops that end where they are past something that changes, or that is behind them from the beginning.

body!(past_an_end_that_changes, |xs| {
    let (mut s, mut i, mut end) = (T::from(1.0), 0, xs.len());
    while i < end {
        s = s * 0.5 + xs[i] * xs[i];
        end -= if xs[i] > 1.0 { end.min(3) } else { 0 };
        i += 1;
    }
    s
});

body!(past_the_end_of_a_vector_that_shrinks, |xs| {
    let (mut s, mut i, mut left) = (T::from(1.0), 0, xs.to_vec());
    while i < left.len() {
        s = s * left[i] * 0.5 + left[left.len() - 1];
        left.pop();
        left.pop();
        i += 1;
    }
    s
});

body!(once_at_least, |xs| {
    let (mut s, mut i, end) = (T::from(1.0), 0, xs.len().saturating_sub(5));
    loop {
        let x = xs.get(i).copied().unwrap_or(T::from(0.5));
        s = s * 0.5 + x * x;
        i += 1;
        if i >= end {
            break s;
        }
    }
});

pub fn report() {
    let inputs = [1.5, -0.5, 2.5, 3.5, 0.75, -1.0, 1.25, 0.3, 2.2, -0.1, 1.1, 0.9, 4.4];
    let reports = [
        skips::report,
        filters::report,
        skips_twice::report,
        labels::report,
        only_way_out_is_inside::report,
        skips_in_both::report,
        while_in_while::report,
        two_at_a_time::report,
        steps::report,
        scan_in_steps::report,
        reversed_in_steps::report,
        zips_of_other_steps::report,
        takes_while::report,
        skips_while::report,
        chunks::report,
        windows::report,
        by_index_in_steps::report,
        by_growing_steps::report,
        keeps_or_replaces::report,
        keeps_the_larger::report,
        divides_on::report,
        matches_in_several_arms::report,
        squares_in_a_branch::report,
        eliminates_downwards::report,
        reads_every_second_twice::report,
        multiplies_by_the_next::report,
        sweeps_in_place::report,
        sweeps_backwards::report,
        sweeps_over_pairs::report,
        sums_of_squares_of_the_rest::report,
        reads_pairs_twice::report,
        windows_of_a_width::report,
        chunks_of_a_width::report,
        down_to::report,
        down_to_below_zero::report,
        while_enough_is_left::report,
        past_an_end_that_changes::report,
        past_the_end_of_a_vector_that_shrinks::report,
        once_at_least::report,
    ];
    for report in reports {
        report(&inputs);
    }
}
