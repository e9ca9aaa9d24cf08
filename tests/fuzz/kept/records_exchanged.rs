// Records of several sizes are exchanged word by word, in one arm of a `match`; a loop over their words begins at what it asks for.
struct Record<T> { weight: T, history: Vec<T> }
#[inline(never)]
fn exchange<T: Number>(a: &mut Record<T>, b: &mut Record<T>, how: usize) {
    match how % 3 { 0 => std::mem::swap(a, b), 1 => std::mem::swap(&mut a.history, &mut b.history), _ => std::mem::swap(&mut a.weight, &mut b.weight) }
}
#[inline(never)]
fn boxed<T: Number>(a: &mut (T, Box<[T]>), b: &mut (T, Box<[T]>), how: usize) {
    match how % 3 { 0 => std::mem::swap(a, b), 1 => {} _ => std::mem::swap(&mut a.0, &mut b.0) }
}
#[inline(never)]
fn grown<T: Number>(a: &mut (T, Vec<T>), b: &mut (T, Vec<T>), how: usize) {
    match how % 3 { 0 => std::mem::swap(a, b), 1 => {} _ => std::mem::swap(&mut a.0, &mut b.0) }
}
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut all: Vec<Record<T>> = xs.iter().map(|&x| Record { weight: x, history: vec![x; 2] }).collect();
    all.push(Record { weight: xs[0], history: vec![xs[0] * 0.5, xs[0].sin()] });
    for i in 0..all.len() - 1 { let (a, b) = all.split_at_mut(i + 1); exchange(&mut a[0], &mut b[0], i + k); }
    let (mut p, mut q, mut r, mut s) = ((xs[0], Box::from([xs[0]])), (xs[0], Box::from([xs[0]])), (xs[0], vec![xs[0]]), (xs[0], vec![xs[0]]));
    boxed(&mut p, &mut q, k);
    grown(&mut r, &mut s, k);
    let sum = all.iter().enumerate().map(|(i, one)| one.weight * (i as f64 + 1.0) + one.history.iter().product::<T>());
    sum.sum::<T>() + p.1[0] * r.1[0]
}
