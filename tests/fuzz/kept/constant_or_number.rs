// One store of a number or a constant: the adjoint of the float before went on, and what was in its memory was a tangent.
#[derive(Clone, Copy)]
enum Shape<T> { One(T), Counted(usize, T) }
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
let mut v: Vec<Shape<T>> = xs.iter().map(|&x| Shape::One(x * x)).collect();
for n in 0..xs.len() / 2 {
  v[n] = if k > n { Shape::One(T::from(1.5)) } else { Shape::Counted(n, T::from(2.5)) };
}
xs[0] * 0.5 + v.iter().map(|one| match one { Shape::One(x) => *x * *x, _ => T::from(0.5) }).sum::<T>() 
}
