// A number that a closure has borrowed, and that therefore lies in memory, is stored where another variant has a float.
enum Shape<T> { Empty, One(T), Counted(usize, T) }

#[inline(never)]
fn largest<T: Number>(of: &dyn Fn(&T) -> T, xs: &[T]) -> T {
    xs.iter().fold(T::from(0.5), |most, x| most.max(of(x)))
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let x = largest(&|x: &T| *x * xs[k % xs.len()], xs);
    let shapes = vec![Shape::One(x), if k % 2 == 0 { Shape::Empty } else { Shape::Counted(k, xs[0]) }];
    shapes.iter().map(|one| match one { Shape::One(x) => *x, Shape::Counted(n, x) => *x * *n as f64, _ => T::from(0.5) }).sum::<T>()
}
