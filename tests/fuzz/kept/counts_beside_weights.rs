// Zeros of integers amid elements with floats, which are counted from there in steps that would reach them, too: refused before.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    #[derive(Clone)]
    struct State<T> {
        weights: [T; 4],
        counts: [u32; 4],
        best: Option<(usize, T)>,
    }
    let blank = State { weights: [T::from(0.25); 4], counts: [0; 4], best: None };
    let mut states = vec![blank.clone(); 3];
    let mut sum = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        let state = &mut states[(i + k) % 3];
        state.weights[i % 4] = state.weights[i % 4] * x + 0.1;
        state.counts[i % 4] += 1;
        if state.best.map_or(true, |(_, best)| x > best) {
            state.best = Some((i, x));
        }
        if state.counts.iter().sum::<u32>() > 2 {
            sum += state.weights.iter().copied().sum::<T>() * state.best.map_or(T::from(0.5), |(n, best)| best * n as f64);
            *state = blank.clone();
        }
    }
    sum + states.iter().map(|state| state.weights[0] * state.weights[3] + state.best.map_or(T::from(0.0), |b| b.1)).sum::<T>()
}
