// A float, or a count of which the tag of another is made, in one place of an enum.
enum Shape<T> {
    Empty,
    One(T),
    Two(T, T),
    Counted(usize, T),
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let x = xs[k % xs.len()] * 0.75;
    let shapes = vec![
        if k % 2 == 0 { Shape::Empty } else { Shape::Two(x, x) },
        if x > T::from(0.5) { Shape::One(x) } else { Shape::Counted(k, xs[k % xs.len()]) },
        Shape::One(xs.get(k).copied().unwrap_or(x)),
    ];
    let mut sum = T::from(0.0);
    for (i, shape) in shapes.iter().enumerate() {
        sum = sum + match shape {
            Shape::Empty => T::from(0.5),
            Shape::One(x) => *x * *x,
            Shape::Two(x, y) => *x * *y,
            Shape::Counted(n, x) => *x * ((*n + i) as f64),
        };
    }
    sum * xs[k * 3 % xs.len()]
}
