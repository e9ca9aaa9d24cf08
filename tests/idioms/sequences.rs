use crate::dual::Number;

fn log_add<T: Number>(a: T, b: T) -> T {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high + (low - high).exp().ln_1p()
}

pub fn hidden_markov_forward<T: Number>(xs: &[T], _k: usize) -> T {
    const TRANSITIONS: [[f64; 2]; 2] = [[0.7, 0.3], [0.4, 0.6]];
    let emission = |state: usize, x: T| -(x - state as f64).powi(2) * 0.5;
    let mut scores = [0, 1].map(|state| emission(state, xs[0]) + 0.5_f64.ln());
    for &x in &xs[1..] {
        scores = [0, 1].map(|to| {
            let [a, b] = [0, 1].map(|from: usize| scores[from] + TRANSITIONS[from][to].ln());
            log_add(a, b) + emission(to, x)
        });
    }
    log_add(scores[0], scores[1])
}

pub fn viterbi<T: Number>(xs: &[T], _k: usize) -> T {
    let states = 3;
    let mut scores: Vec<(T, Vec<usize>)> = (0..states).map(|s| (T::from(-(s as f64)), vec![s])).collect();
    for &x in xs {
        scores = (0..states)
            .map(|to| {
                let (score, path) = scores
                    .iter()
                    .map(|(score, path)| (*score - 0.3 * (path[path.len() - 1] as f64 - to as f64).abs(), path))
                    .max_by(|a, b| a.0.partial_cmp(&b.0).unwrap())
                    .unwrap();
                let mut path = path.clone();
                path.push(to);
                (score - (x - to as f64 * 0.8) * (x - to as f64 * 0.8), path)
            })
            .collect();
    }
    let (best, path) = scores.into_iter().reduce(|a, b| if a.0 > b.0 { a } else { b }).unwrap();
    best + path.len() as f64
}

pub fn dynamic_time_warping<T: Number>(xs: &[T], _k: usize) -> T {
    let template = [0.5, -0.8, 1.5, 0.2];
    let mut table = vec![vec![T::from(f64::INFINITY); template.len() + 1]; xs.len() + 1];
    table[0][0] = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        for (j, &y) in template.iter().enumerate() {
            let best = table[i][j].min(table[i][j + 1]).min(table[i + 1][j]);
            table[i + 1][j + 1] = (x - y).powi(2) + best;
        }
    }
    table[xs.len()][template.len()]
}

pub fn alignment_of_sequences<T: Number>(xs: &[T], _k: usize) -> T {
    #[derive(Clone, Copy)]
    enum Step {
        Match,
        Skip,
    }
    let other: Vec<T> = xs.iter().rev().map(|&x| x * 0.9).collect();
    let mut row: Vec<(T, Step)> = (0..=other.len()).map(|j| (T::from(j as f64 * -0.5), Step::Skip)).collect();
    for &x in xs {
        let mut diagonal = row[0].0;
        row[0].0 = row[0].0 - 0.5;
        for j in 1..row.len() {
            let matched = diagonal - (x - other[j - 1]).abs() + 0.4;
            diagonal = row[j].0;
            let skipped = row[j].0.max(row[j - 1].0) - 0.5;
            row[j] = if matched > skipped { (matched, Step::Match) } else { (skipped, Step::Skip) };
        }
    }
    let matches = row.iter().filter(|(_, step)| matches!(step, Step::Match)).count();
    row[other.len()].0 * (matches as f64 + 1.0)
}

pub fn knapsack<T: Number>(xs: &[T], k: usize) -> T {
    let capacity = 4 + k;
    let mut best = vec![T::from(0.0); capacity + 1];
    for (i, &x) in xs.iter().enumerate() {
        let (weight, value) = (i % 3 + 1, x * x + 0.1);
        for room in (weight..=capacity).rev() {
            let taken = best[room - weight] + value;
            if taken > best[room] {
                best[room] = taken;
            }
        }
    }
    best[capacity]
}

pub fn heaviest_rising_subsequence<T: Number>(xs: &[T], _k: usize) -> T {
    let mut best: Vec<T> = Vec::with_capacity(xs.len());
    for (i, &x) in xs.iter().enumerate() {
        let before = (0..i).filter(|&j| xs[j] < x).map(|j| best[j]).fold(T::from(0.0), T::max);
        best.push(before + x * x);
    }
    best.into_iter().reduce(T::max).unwrap_or_default()
}

pub fn all_pairs_of_paths<T: Number>(xs: &[T], _k: usize) -> T {
    let n = xs.len().min(5);
    let mut distance: Vec<Vec<T>> =
        (0..n).map(|i| (0..n).map(|j| xs[(i * 3 + j) % xs.len()].exp() + i as f64 * 0.1).collect()).collect();
    for via in 0..n {
        for from in 0..n {
            for to in 0..n {
                let detour = distance[from][via] + distance[via][to];
                if detour < distance[from][to] {
                    distance[from][to] = detour;
                }
            }
        }
    }
    distance.concat().iter().sum()
}

pub fn optimal_stopping_on_a_tree<T: Number>(xs: &[T], _k: usize) -> T {
    let (up, rate) = (xs[0] * 0.1 + 1.2, 0.97);
    let steps = xs.len().min(6);
    let price = |step: usize, ups: usize| up.powi(2 * ups as i32 - step as i32) * 10.0;
    let mut values: Vec<T> = (0..=steps).map(|ups| (-price(steps, ups) + 10.5).max(T::from(0.0))).collect();
    for step in (0..steps).rev() {
        values = (0..=step)
            .map(|ups| {
                let held = (values[ups] * 0.45 + values[ups + 1] * 0.55) * rate;
                held.max(-price(step, ups) + 10.5)
            })
            .collect();
    }
    values[0] + xs[xs.len() - 1]
}
