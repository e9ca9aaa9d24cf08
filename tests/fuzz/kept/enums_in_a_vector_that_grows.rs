// Enums that have a number in one variant and a float in its place in another, in a vector that grows: copied word by word.
#[derive(Clone, Copy)]
enum Shape<T> {
    Empty,
    One(T),
    Two(T, T),
    Counted(isize, T),
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut all: Vec<Shape<T>> = Vec::new();
    for n in 0..k % 5 + 6 {
        let x = xs[n % xs.len()];
        all.push(match n % 4 {
            0 => Shape::One(x * x),
            1 => Shape::Counted(-(n as isize) - 3, x * 0.9),
            2 => Shape::Two(x, x * 0.5),
            _ => Shape::Empty,
        });
    }
    for one in &mut all {
        *one = match *one {
            Shape::One(x) => Shape::Counted(-7, x),
            Shape::Counted(n, x) => Shape::Two(x * (n as f64), x),
            other => other,
        };
    }
    all.extend_from_within(1..);
    all.iter()
        .map(|s| match *s {
            Shape::One(x) => x * x,
            Shape::Two(x, y) => x * y,
            Shape::Counted(n, x) => x * x * (n as f64),
            Shape::Empty => T::from(1.0),
        })
        .sum()
}
