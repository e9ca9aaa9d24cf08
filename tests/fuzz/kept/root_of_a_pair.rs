// A function of a new header, by pointer, that calls itself: what it returns beside a float was a word of unknown type, and refused.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    #[derive(Clone, Copy)]
    struct Set<T> {
        parent: usize,
        weight: T,
    }
    fn root<T: Number>(sets: &mut [Set<T>], i: usize) -> (usize, T) {
        if sets[i].parent == i {
            return (i, T::from(1.0));
        }
        let (root, weight) = root(sets, sets[i].parent);
        sets[i] = Set { parent: root, weight: sets[i].weight * weight };
        (root, sets[i].weight)
    }
    let n = xs.len();
    let mut sets: Vec<Set<T>> = (0..n).map(|i| Set { parent: i / 2, weight: xs[i] }).collect();
    let mut sum = T::from(0.0);
    for i in 0..n {
        let (root, weight) = root(&mut sets, (i + k) % n);
        sum += weight * (root + 1) as f64;
    }
    sum
}
