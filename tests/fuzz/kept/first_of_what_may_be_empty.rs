// The tag of a first element that is not there was read to find out by which way the sum was come to.
#[derive(Clone, Copy)]
enum Shape<T> { Empty, One(T), Two(T, T), Counted(usize, T) }
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let x = xs[k % xs.len()];
    let found: Vec<Shape<T>> = (0..xs.iter().map(|_| x).position(|y| y < T::from(1.25)).unwrap_or(1) % 5).map(|_| Shape::One(x)).collect();
    let both: Vec<T> = xs.iter().copied().flat_map(|y| [x, y]).collect();
    found.iter().map(|one| match one { Shape::One(y) => *y, _ => T::from(0.5) }).sum::<T>() + both.iter().copied().sum::<T>()
}
