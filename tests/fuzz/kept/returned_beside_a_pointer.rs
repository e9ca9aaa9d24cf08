// A float that is returned beside a pointer lost its adjoint; so does a list's `clone`, which calls itself.
#[derive(Clone)]
struct Link<T> {
    x: T,
    next: Option<Box<Link<T>>>,
}

#[inline(never)]
fn last<T: Number>(xs: &[T]) -> (T, &T) {
    let at = &xs[xs.len() - 1];
    (*at * *at, at)
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let list = xs.iter().fold(None, |next, &x| Some(Box::new(Link { x, next })));
    let other = list.clone();
    let (mut sum, mut at) = (T::from(0.0), &other);
    while let Some(link) = at {
        sum = sum * 0.5 + link.x * link.x;
        at = &link.next;
    }
    let (square, x) = last(xs);
    sum + square * *x
}
