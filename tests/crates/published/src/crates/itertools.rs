//! Windows, combinations, products, folding, zipping

use crate::tried;
use itertools::{EitherOrBoth, FoldWhile, Itertools, izip};

const SIX: [f64; 6] = [1.5, -0.5, 2.5, 0.75, -1.0, 0.3];

tried! {
    tuple_windows(x: SIX) {
        x.iter().tuple_windows().map(|(a, b)| 100.0 * (b - a * a).powi(2) + (1.0 - a).powi(2)).sum()
    };
    zip_eq(x: SIX) {
        x[..3].iter().zip_eq(&x[3..]).map(|(a, b)| a * b).sum()
    } => [&x[3..], &x[..3]].concat();
    izip(x: SIX) {
        izip!(&x[..2], &x[2..4], &x[4..]).map(|(a, b, c)| a * b * c).sum()
    };
    combinations_of_two(x: SIX) {
        x.iter().array_combinations().map(|[a, b]| (a - b).powi(2)).sum()
    };
    cartesian_product(x: SIX) {
        x[..3].iter().cartesian_product(&x[3..]).map(|(a, b)| a * a * b).sum()
    };
    fold_while(x: SIX) {
        x.iter()
            .fold_while(1.0, |sum, x| if sum > 4.0 { FoldWhile::Done(sum) } else { FoldWhile::Continue(sum * 0.5 + x * x) })
            .into_inner()
    };
    zipped_to_the_longest(x: SIX) {
        x[..4]
            .iter()
            .zip_longest(&x[4..])
            .map(|pair| match pair {
                EitherOrBoth::Both(a, b) => a * b,
                EitherOrBoth::Left(a) | EitherOrBoth::Right(a) => a * a,
            })
            .sum()
    } => [x[4], x[5], 2.0 * x[2], 2.0 * x[3], x[0], x[1]];
}
