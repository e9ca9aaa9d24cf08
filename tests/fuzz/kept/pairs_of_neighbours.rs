// What a loop says of the references that it hands to a closure holds for one run: it was taken for all, and vectors made of them.
fn pairs<T: Number>(all: &mut [T], mut with: impl FnMut(&T, &mut T)) {
    for i in 2..all.len() {
        let (before, from) = all.split_at_mut(i);
        with(&before[i - 2], &mut from[0]);
    }
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut all = xs.to_vec();
    pairs(&mut all, |before, here| *here += *before * k as f64);
    all.iter().map(|&x| x * x).sum()
}
