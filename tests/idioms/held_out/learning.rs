use crate::dual::Number;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

// ---------------------------------------------------------------- random numbers of our own

#[derive(Clone, Debug)]
struct Lcg {
    state: u64,
    spare: Option<f64>,
}

impl Lcg {
    fn new(seed: u64) -> Self {
        Lcg { state: seed.wrapping_mul(0x5851_f42d_4c95_7f2d) | 1, spare: None }
    }

    fn uniform(&mut self) -> f64 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.state >> 33) as f64 + 0.5) / (1u64 << 31) as f64
    }

    /// Box and Muller's, two at a time.
    fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        let (sin, cos) = (std::f64::consts::TAU * self.uniform()).sin_cos();
        self.spare = Some(radius * sin);
        radius * cos
    }
}

fn mean<T: Number>(values: &[T]) -> T {
    values.iter().sum::<T>() / values.len() as f64
}

fn softmax<T: Number>(logits: &[T]) -> Vec<T> {
    let top = logits.iter().copied().reduce(T::max).unwrap();
    let exps: Vec<T> = logits.iter().map(|&logit| (logit - top).exp()).collect();
    let total: T = exps.iter().sum();
    exps.into_iter().map(|e| e / total).collect()
}

// ---------------------------------------------------------------- networks

#[derive(Clone, Copy, Debug)]
enum Activation {
    LeakyRelu(f64),
    Gelu,
    Swish,
}

impl Activation {
    fn apply<T: Number>(self, x: T) -> T {
        match self {
            Activation::LeakyRelu(slope) if x < 0.0 => x * slope,
            Activation::LeakyRelu(_) => x,
            Activation::Gelu => x * ((x * 0.7978845608 * (x * x * 0.044715 + 1.0)).tanh() + 1.0) * 0.5,
            Activation::Swish => x / ((-x).exp() + 1.0),
        }
    }
}

enum Layer<T> {
    Dense { weights: Vec<Vec<T>>, bias: Vec<T> },
    Activate(Activation),
    BatchNorm { gain: Vec<T>, shift: Vec<T> },
    Dropout { rate: f64, rng: Lcg },
}

impl<T: Number> Layer<T> {
    fn forward(&mut self, batch: Vec<Vec<T>>) -> Vec<Vec<T>> {
        match self {
            Layer::Dense { weights, bias } => batch
                .iter()
                .map(|row| {
                    let dot = |w: &Vec<T>| w.iter().zip(row).map(|(&w, &x)| w * x).sum::<T>();
                    weights.iter().zip(bias.iter()).map(|(w, &b)| dot(w) + b).collect()
                })
                .collect(),
            Layer::Activate(activation) => {
                batch.into_iter().map(|row| row.into_iter().map(|x| activation.apply(x)).collect()).collect()
            }
            Layer::BatchNorm { gain, shift } => {
                let mut normed = batch;
                for (feature, (&gain, &shift)) in gain.iter().zip(shift.iter()).enumerate() {
                    let column: Vec<T> = normed.iter().map(|row| row[feature]).collect();
                    let center = mean(&column);
                    let variance = column.iter().map(|&x| (x - center).powi(2)).sum::<T>() / column.len() as f64;
                    let scale = gain / (variance + 1e-2).sqrt();
                    normed.iter_mut().for_each(|row| row[feature] = (row[feature] - center) * scale + shift);
                }
                normed
            }
            Layer::Dropout { rate, rng } => batch
                .into_iter()
                .map(|mut row| {
                    for x in row.iter_mut() {
                        *x = if rng.uniform() < *rate { T::default() } else { *x / (1.0 - *rate) };
                    }
                    row
                })
                .collect(),
        }
    }
}

pub fn classifier_with_batch_norm_and_dropout<T: Number>(xs: &[T], k: usize) -> T {
    let weight = |i: usize, j: usize| xs[(i * 3 + j) % xs.len()] * ((i + 2 * j) as f64).cos();
    let dense = |inputs: usize, outputs: usize| Layer::Dense {
        weights: (0..outputs).map(|i| (0..inputs).map(|j| weight(i, j)).collect()).collect(),
        bias: (0..outputs).map(|i| xs[i % xs.len()] * 0.1).collect(),
    };
    let mut network = vec![
        dense(2, 4),
        Layer::BatchNorm { gain: (0..4).map(|i| xs[i % xs.len()].abs() + 0.5).collect(), shift: vec![T::from(0.1); 4] },
        Layer::Activate([Activation::LeakyRelu(0.1), Activation::Gelu, Activation::Swish][k % 3]),
        Layer::Dropout { rate: 0.25, rng: Lcg::new(k as u64 + 7) },
        dense(4, 3),
    ];
    let samples = [([0.2, -0.7], 0), ([1.1, 0.4], 2), ([-0.5, 0.9], 1), ([0.8, -1.3], 2), ([-1.2, -0.1], 0)];
    let batch = samples.iter().map(|(features, _)| features.iter().map(|&f| T::from(f)).collect()).collect();
    let logits = network.iter_mut().fold(batch, |batch, layer| layer.forward(batch));
    let losses = logits.iter().zip(&samples).map(|(row, &(_, label))| -softmax(row)[label].ln());
    losses.sum::<T>() / samples.len() as f64
}

#[derive(Clone)]
struct Linear<T> {
    weights: Vec<T>,
    inputs: usize,
}

impl<T: Number> Linear<T> {
    fn from_seed(xs: &[T], seed: usize, inputs: usize, outputs: usize) -> Self {
        let weights = (0..inputs * outputs)
            .map(|i| xs[(i + seed) % xs.len()] * 0.5 * ((i * (seed + 2)) as f64).sin() + 0.05)
            .collect();
        Linear { weights, inputs }
    }

    fn forward(&self, x: &[T]) -> Vec<T> {
        self.weights.chunks_exact(self.inputs).map(|row| row.iter().zip(x).map(|(&w, &x)| w * x).sum()).collect()
    }
}

fn layer_norm<T: Number>(x: &[T]) -> Vec<T> {
    let center = mean(x);
    let variance = x.iter().map(|&v| (v - center) * (v - center)).sum::<T>() / x.len() as f64;
    let scale = (variance + 1e-5).sqrt().recip();
    x.iter().map(|&v| (v - center) * scale).collect()
}

struct Block<T> {
    query: Linear<T>,
    key: Linear<T>,
    value: Linear<T>,
    widen: Linear<T>,
    narrow: Linear<T>,
    heads: usize,
}

impl<T: Number> Block<T> {
    fn attend(&self, tokens: &[Vec<T>]) -> Vec<Vec<T>> {
        let project = |by: &Linear<T>| tokens.iter().map(|t| by.forward(&layer_norm(t))).collect::<Vec<_>>();
        let (queries, keys, values) = (project(&self.query), project(&self.key), project(&self.value));
        let width = tokens[0].len() / self.heads;
        let mut out = vec![Vec::with_capacity(tokens[0].len()); tokens.len()];
        for head in 0..self.heads {
            let part = head * width..(head + 1) * width;
            for (at, query) in queries.iter().enumerate() {
                let scores: Vec<T> = keys[..=at]
                    .iter()
                    .map(|key| query[part.clone()].iter().zip(&key[part.clone()]).map(|(&q, &k)| q * k).sum::<T>())
                    .map(|score| score / (width as f64).sqrt())
                    .collect();
                let weights = softmax(&scores);
                out[at].extend(part.clone().map(|d| weights.iter().zip(&values).map(|(&w, v)| w * v[d]).sum::<T>()));
            }
        }
        out
    }

    fn forward(&self, tokens: &mut [Vec<T>]) {
        let attended = self.attend(tokens);
        for (token, extra) in tokens.iter_mut().zip(attended) {
            token.iter_mut().zip(extra).for_each(|(t, e)| *t += e);
            let hidden: Vec<T> =
                self.widen.forward(&layer_norm(token)).into_iter().map(|h| Activation::Gelu.apply(h)).collect();
            token.iter_mut().zip(self.narrow.forward(&hidden)).for_each(|(t, e)| *t += e);
        }
    }
}

pub fn transformer_with_causal_heads<T: Number>(xs: &[T], k: usize) -> T {
    const WIDTH: usize = 4;
    let mut tokens: Vec<Vec<T>> = xs
        .iter()
        .take(5)
        .enumerate()
        .map(|(at, &x)| (0..WIDTH).map(|d| x * (d as f64 - 1.3) * 0.5 + ((at * 4 + d) as f64).sin()).collect())
        .collect();
    let blocks: Vec<Block<T>> = (0..k % 2 + 1)
        .map(|depth| Block {
            query: Linear::from_seed(xs, depth, WIDTH, WIDTH),
            key: Linear::from_seed(xs, depth + 1, WIDTH, WIDTH),
            value: Linear::from_seed(xs, depth + 2, WIDTH, WIDTH),
            widen: Linear::from_seed(xs, depth + 3, WIDTH, 2 * WIDTH),
            narrow: Linear::from_seed(xs, depth + 4, 2 * WIDTH, WIDTH),
            heads: 2,
        })
        .collect();
    blocks.iter().for_each(|block| block.forward(&mut tokens));
    tokens.iter().flatten().enumerate().map(|(i, &t)| t * (i as f64 + 0.5).cos()).sum()
}

struct Gate<T> {
    input: T,
    recurrent: [T; 2],
    bias: T,
}

impl<T: Number> Gate<T> {
    fn raw(&self, x: T, hidden: &[T; 2]) -> T {
        self.recurrent.iter().zip(hidden).fold(self.input * x + self.bias, |sum, (&w, &h)| sum + w * h)
    }
}

struct Gru<T> {
    reset: [Gate<T>; 2],
    update: [Gate<T>; 2],
    candidate: [Gate<T>; 2],
}

impl<T: Number> Gru<T> {
    fn new(xs: &[T], shift: usize) -> Self {
        let pick = |i: usize| xs[(i + shift) % xs.len()] * 0.6;
        let gates = |first: usize| {
            std::array::from_fn(|unit| Gate {
                input: pick(first + unit) + 0.2,
                recurrent: [pick(first + unit + 1), -pick(first + 2 * unit) + 0.1],
                bias: T::from(0.1 * (first + unit) as f64),
            })
        };
        Gru { reset: gates(0), update: gates(2), candidate: gates(4) }
    }

    fn step(&self, x: T, hidden: [T; 2]) -> [T; 2] {
        let sigmoid = |z: T| (z * 0.5).tanh() * 0.5 + 0.5;
        let mut kept = hidden;
        for (h, gate) in kept.iter_mut().zip(&self.reset) {
            *h *= sigmoid(gate.raw(x, &hidden));
        }
        std::array::from_fn(|unit| {
            let z = sigmoid(self.update[unit].raw(x, &hidden));
            let fresh = self.candidate[unit].raw(x, &kept).tanh();
            z * hidden[unit] + (-z + 1.0) * fresh
        })
    }
}

pub fn sequence_encoded_and_decoded<T: Number>(xs: &[T], k: usize) -> T {
    let (encoder, decoder) = (Gru::new(xs, 0), Gru::new(xs, 1));
    let mut hidden = xs.iter().fold([T::default(); 2], |hidden, &x| encoder.step(x, hidden));
    let mut last = T::from(0.0);
    let mut loss = T::from(0.0);
    for (step, &target) in xs.iter().rev().enumerate() {
        hidden = decoder.step(last, hidden);
        let guess = hidden[0] * 1.5 - hidden[1] * 0.5;
        loss += (guess - target).powi(2);
        last = if step % (k + 2) == 0 { target } else { guess }; // forced now and then
    }
    loss / xs.len() as f64
}

// ---------------------------------------------------------------- learning inside

struct Stump<T> {
    feature: usize,
    threshold: f64,
    below: T,
    above: T,
}

impl<T: Number> Stump<T> {
    fn fit(rows: &[[f64; 2]], residuals: &[T]) -> Option<Self> {
        let mut best: Option<(T, Stump<T>)> = None;
        for feature in 0..2 {
            for pivot in rows {
                let threshold = pivot[feature];
                let side = |row: &[f64; 2]| row[feature] < threshold;
                let (below, above): (Vec<_>, Vec<_>) = rows.iter().zip(residuals).partition(|(row, _)| side(row));
                if below.is_empty() || above.is_empty() {
                    continue;
                }
                let center = |part: &[(&[f64; 2], &T)]| part.iter().map(|(_, r)| **r).sum::<T>() / part.len() as f64;
                let (low, high) = (center(&below), center(&above));
                let error: T = below.iter().map(|(_, r)| (**r - low).powi(2)).sum::<T>()
                    + above.iter().map(|(_, r)| (**r - high).powi(2)).sum::<T>();
                if best.as_ref().is_none_or(|(least, _)| error < *least) {
                    best = Some((error, Stump { feature, threshold, below: low, above: high }));
                }
            }
        }
        best.map(|(_, stump)| stump)
    }

    fn predict(&self, row: &[f64; 2]) -> T {
        if row[self.feature] < self.threshold { self.below } else { self.above }
    }
}

pub fn boosted_stumps_fitted<T: Number>(xs: &[T], k: usize) -> T {
    let rows: Vec<[f64; 2]> = (0..xs.len()).map(|i| [(i as f64 * 1.7).sin(), (i as f64 * 0.9 + 0.3).cos()]).collect();
    let base = mean(xs);
    let mut residuals: Vec<T> = xs.iter().map(|&x| x - base).collect();
    let mut ensemble = Vec::new();
    for round in 0..k + 2 {
        let Some(stump) = Stump::fit(&rows, &residuals) else { break };
        let rate = 0.5 / (1.0 + round as f64 * 0.1);
        for (residual, row) in residuals.iter_mut().zip(&rows) {
            *residual -= stump.predict(row) * rate;
        }
        ensemble.push((rate, stump));
    }
    let predict = |row: &[f64; 2]| ensemble.iter().fold(base, |sum, (rate, stump)| sum + stump.predict(row) * *rate);
    predict(&[0.3, -0.2]).powi(2) + predict(&[-0.6, 0.8]) + residuals.iter().map(|&r| r * r).sum::<T>()
}

#[derive(Clone, Debug)]
struct Cluster<T> {
    center: [T; 2],
    members: Vec<usize>,
}

fn squared_distance<T: Number>(a: &[T; 2], b: &[T; 2]) -> T {
    (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)
}

pub fn clusters_started_far_apart<T: Number>(xs: &[T], k: usize) -> T {
    let points: Vec<[T; 2]> = xs.iter().enumerate().map(|(i, &x)| [x, x * x * 0.3 + (i as f64).sin()]).collect();
    let mut clusters = vec![Cluster { center: points[0], members: vec![] }];
    while clusters.len() < (k + 1).min(points.len()) {
        let farthest = points
            .iter()
            .map(|point| (point, clusters.iter().map(|c| squared_distance(point, &c.center)).reduce(T::min).unwrap()))
            .max_by(|(_, a), (_, b)| a.total_cmp(b));
        let center = farthest.map(|(point, _)| *point).unwrap();
        clusters.push(Cluster { center, members: vec![] });
    }
    for _ in 0..4 {
        clusters.iter_mut().for_each(|cluster| cluster.members.clear());
        for (i, point) in points.iter().enumerate() {
            let nearest = clusters.iter_mut().min_by(|a, b| {
                let (a, b) = (squared_distance(point, &a.center), squared_distance(point, &b.center));
                a.partial_cmp(&b).unwrap()
            });
            nearest.unwrap().members.push(i);
        }
        for cluster in clusters.iter_mut().filter(|cluster| !cluster.members.is_empty()) {
            for axis in 0..2 {
                let coordinates: Vec<T> = cluster.members.iter().map(|&i| points[i][axis]).collect();
                cluster.center[axis] = mean(&coordinates);
            }
        }
    }
    clusters.sort_by_key(|cluster| Reverse(cluster.members.len()));
    let spread = |c: &Cluster<T>| c.members.iter().map(|&i| squared_distance(&points[i], &c.center)).sum::<T>();
    clusters.iter().enumerate().map(|(rank, c)| spread(c) + c.center[0] * c.center[1] / (rank + 1) as f64).sum()
}

#[derive(Debug)]
struct Adam<T> {
    rate: f64,
    first: Vec<T>,
    second: Vec<T>,
    step: i32,
}

impl<T: Number> Adam<T> {
    fn new(size: usize, rate: f64) -> Self {
        Adam { rate, first: vec![T::default(); size], second: vec![T::default(); size], step: 0 }
    }

    fn update(&mut self, parameters: &mut [T], gradient: &[T]) {
        let (b1, b2): (f64, f64) = (0.9, 0.99);
        self.step += 1;
        for (i, (p, &g)) in parameters.iter_mut().zip(gradient).enumerate() {
            self.first[i] = self.first[i] * b1 + g * (1.0 - b1);
            self.second[i] = self.second[i] * b2 + g * g * (1.0 - b2);
            let first = self.first[i] / (1.0 - b1.powi(self.step));
            let second = self.second[i] / (1.0 - b2.powi(self.step));
            *p -= first / ((second + 1e-4).sqrt() + 1e-3) * self.rate;
        }
    }
}

pub fn spam_filter_trained_with_adam<T: Number>(xs: &[T], k: usize) -> T {
    const MAIL: [(&str, bool); 5] = [
        ("cheap pills cheap", true),
        ("meeting at noon", false),
        ("win cheap money now", true),
        ("money for the meeting", false),
        ("pills at noon", false),
    ];
    let mut vocabulary: HashMap<&str, usize> = HashMap::new();
    for word in MAIL.iter().flat_map(|(text, _)| text.split_whitespace()) {
        let next = vocabulary.len();
        vocabulary.entry(word).or_insert(next);
    }
    let bags: Vec<(BTreeMap<usize, f64>, bool)> = MAIL
        .iter()
        .map(|&(text, spam)| {
            let mut bag = BTreeMap::new();
            text.split(' ').for_each(|word| *bag.entry(vocabulary[word]).or_default() += 1.0);
            (bag, spam)
        })
        .collect();
    let mut weights: Vec<T> = (0..vocabulary.len()).map(|i| xs[i % xs.len()] * 0.4 + 0.05 * i as f64).collect();
    let decay = xs[0] * xs[0] * 0.05 + 0.02;
    let score = |weights: &[T], bag: &BTreeMap<usize, f64>| bag.iter().map(|(&w, &n)| weights[w] * n).sum::<T>();
    let mut adam = Adam::new(weights.len(), 0.1);
    for _ in 0..k + 4 {
        let mut gradient: Vec<T> = weights.iter().map(|&w| w * decay).collect();
        for (bag, spam) in &bags {
            let chance = ((-score(&weights, bag)).exp() + 1.0).recip();
            let error = chance - if *spam { 1.0 } else { 0.0 };
            bag.iter().for_each(|(&word, &count)| gradient[word] += error * count);
        }
        adam.update(&mut weights, &gradient);
    }
    let suspect = ["cheap", "meeting", "money", "unheard"].iter().filter_map(|word| vocabulary.get(word));
    suspect.map(|&word| weights[word]).sum::<T>() + weights.iter().map(|&w| w * w).sum::<T>() * 0.2
}

// ---------------------------------------------------------------- finance

fn solve3<T: Number>(mut a: [[T; 4]; 3]) -> [T; 3] {
    for pivot in 0..3 {
        let best = (pivot..3).max_by(|&i, &j| a[i][pivot].abs().total_cmp(&a[j][pivot].abs())).unwrap();
        a.swap(pivot, best);
        for row in pivot + 1..3 {
            let factor = a[row][pivot] / a[pivot][pivot];
            for column in pivot..4 {
                let above = a[pivot][column];
                a[row][column] -= factor * above;
            }
        }
    }
    let mut x = [T::default(); 3];
    for row in (0..3).rev() {
        let known: T = (row + 1..3).map(|column| a[row][column] * x[column]).sum();
        x[row] = (a[row][3] - known) / a[row][row];
    }
    x
}

pub fn american_put_by_regression<T: Number>(xs: &[T], k: usize) -> T {
    const STRIKE: f64 = 1.1;
    let volatility = xs[0].abs() * 0.2 + 0.2;
    let steps = k + 3;
    let dt = 1.0 / steps as f64;
    let mut rng = Lcg::new(2024);
    let paths: Vec<Vec<T>> = (0..14)
        .map(|path| {
            let start = xs[path % xs.len()] * 0.02 + 1.0;
            (0..steps)
                .scan(start, |spot, _| {
                    *spot *=
                        ((-volatility * volatility * 0.5 + 0.03) * dt + volatility * (rng.normal() * dt.sqrt())).exp();
                    Some(*spot)
                })
                .collect()
        })
        .collect();
    let exercise = |spot: T| (-spot + STRIKE).max(T::from(0.0));
    let mut worth: Vec<T> = paths.iter().map(|path| exercise(path[steps - 1])).collect();
    for step in (0..steps - 1).rev() {
        worth.iter_mut().for_each(|w| *w *= T::from((-0.03 * dt).exp()));
        let in_the_money: Vec<usize> = (0..paths.len()).filter(|&p| paths[p][step] < STRIKE).collect();
        if in_the_money.len() < 4 {
            continue;
        }
        let basis = |spot: T| [T::from(1.0), spot - 1.0, (spot - 1.0).powi(2) * 4.0];
        let mut normal = [[T::from(0.0); 4]; 3];
        for &p in &in_the_money {
            let b = basis(paths[p][step]);
            for i in 0..3 {
                for j in 0..3 {
                    normal[i][j] += b[i] * b[j];
                }
                normal[i][3] += b[i] * worth[p];
            }
        }
        (0..3).for_each(|i| normal[i][i] += T::from(0.01));
        let fit = solve3(normal);
        for p in in_the_money {
            let now = exercise(paths[p][step]);
            let later: T = basis(paths[p][step]).iter().zip(&fit).map(|(&b, &c)| b * c).sum();
            if now > later {
                worth[p] = now;
            }
        }
    }
    mean(&worth)
}

#[derive(Clone, Copy, Debug)]
enum Instrument<T> {
    Deposit { months: u32, rate: T },
    Swap { years: u32, rate: T },
}

#[derive(Debug, Default)]
struct Curve<T> {
    discounts: BTreeMap<u32, T>,
}

impl<T: Number> Curve<T> {
    /// Interpolates the logarithm of what is known, and goes on at the last rate beyond.
    fn discount(&self, months: u32) -> T {
        let before = self.discounts.range(..=months).next_back();
        let after = self.discounts.range(months..).next();
        match (before, after) {
            (Some((&m, &known)), _) if m == months => known,
            (Some((&m0, &d0)), Some((&m1, &d1))) => {
                let t = f64::from(months - m0) / f64::from(m1 - m0);
                (d0.ln() * (1.0 - t) + d1.ln() * t).exp()
            }
            (Some((&m, &d)), None) if m > 0 => (d.ln() * (f64::from(months) / f64::from(m))).exp(),
            _ => T::from(1.0),
        }
    }

    fn add(&mut self, quote: Instrument<T>) {
        match quote {
            Instrument::Deposit { months, rate } => {
                self.discounts.insert(months, (rate * (f64::from(months) / 12.0) + 1.0).recip());
            }
            Instrument::Swap { years, rate } => {
                let annuity: T = (1..years).map(|year| self.discount(12 * year)).sum();
                self.discounts.insert(12 * years, (-rate * annuity + 1.0) / (rate + 1.0));
            }
        }
    }
}

pub fn yield_curve_bootstrapped<T: Number>(xs: &[T], k: usize) -> T {
    let mut curve = Curve { discounts: BTreeMap::from([(0, T::from(1.0))]) };
    for (i, &x) in xs.iter().enumerate() {
        let rate = x * 0.01 + 0.03 + i as f64 * 0.001;
        curve.add(match i as u32 {
            0..=2 => Instrument::Deposit { months: 4 * (i as u32 + 1), rate },
            years => Instrument::Swap { years: years - 1, rate },
        });
    }
    let coupon = xs[xs.len() - 1] * 0.01 + 0.04;
    let coupons: T = (1..=2 * k as u32 + 3).map(|half| curve.discount(6 * half) * coupon * 0.5).sum();
    let forwards = curve.discounts.values().zip(curve.discounts.values().skip(1)).map(|(&a, &b)| a / b - 1.0);
    coupons + curve.discount(12 * k as u32 + 18) + forwards.reduce(T::max).unwrap_or_default()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Buy,
    Sell,
}

#[derive(Debug)]
struct Order<T> {
    trader: usize,
    size: T,
}

#[derive(Default)]
struct Book<T> {
    bids: BTreeMap<Reverse<u32>, VecDeque<Order<T>>>,
    asks: BTreeMap<u32, VecDeque<Order<T>>>,
    traded: Vec<(usize, usize, u32, T)>,
}

impl<T: Number> Book<T> {
    fn best(&mut self, side: Side) -> Option<(u32, &mut VecDeque<Order<T>>)> {
        match side {
            Side::Buy => self.bids.first_entry().map(|level| (level.key().0, level.into_mut())),
            Side::Sell => self.asks.first_entry().map(|level| (*level.key(), level.into_mut())),
        }
    }

    fn submit(&mut self, side: Side, limit: u32, mut order: Order<T>) {
        let opposite = if side == Side::Buy { Side::Sell } else { Side::Buy };
        while let Some((price, queue)) = self.best(opposite) {
            let crosses = if side == Side::Buy { price <= limit } else { price >= limit };
            if !crosses {
                break;
            }
            let Some(resting) = queue.front_mut() else { break };
            let filled = order.size.min(resting.size);
            let other = resting.trader;
            resting.size -= filled;
            order.size -= filled;
            let exhausted = resting.size <= 1e-9;
            if exhausted {
                queue.pop_front();
            }
            let empty = queue.is_empty();
            self.traded.push((order.trader, other, price, filled));
            if empty {
                match opposite {
                    Side::Buy => self.bids.pop_first().map(|_| ()),
                    Side::Sell => self.asks.pop_first().map(|_| ()),
                };
            }
            if order.size <= 1e-9 {
                return;
            }
        }
        match side {
            Side::Buy => self.bids.entry(Reverse(limit)).or_default().push_back(order),
            Side::Sell => self.asks.entry(limit).or_default().push_back(order),
        }
    }
}

pub fn orders_matched_in_a_book<T: Number>(xs: &[T], k: usize) -> T {
    let mut book = Book { bids: BTreeMap::new(), asks: BTreeMap::new(), traded: Vec::new() };
    for (i, &x) in xs.iter().chain(xs.iter().rev()).enumerate() {
        let side = if (i + k) % 3 == 0 { Side::Sell } else { Side::Buy };
        let limit = (100.0 + 5.0 * x.value() + i as f64).round() as u32;
        book.submit(side, limit, Order { trader: i % 4, size: x.abs() + 0.3 + 0.11 * i as f64 });
    }
    let mut cash = [T::default(); 4];
    for &(taker, maker, price, size) in &book.traded {
        cash[taker] -= size * (f64::from(price) * 0.01 + 0.001);
        cash[maker] += size * f64::from(price) * 0.01;
    }
    let resting = book.bids.values().flatten().map(|order| order.size).sum::<T>()
        - book.asks.values().flatten().map(|order| order.size * order.size).sum::<T>();
    cash.iter().map(|&c| c * c).sum::<T>() + resting * 0.5
}

#[derive(Debug)]
enum Extra<T> {
    LumpSum { month: u32, amount: T },
    RateReset { month: u32, rate: T },
    Holiday(u32),
}

struct Mortgage<T> {
    balance: T,
    rate: T,
    months: u32,
}

impl<T: Number> Mortgage<T> {
    fn payment(&self, left: u32) -> T {
        let monthly = self.rate / 12.0;
        self.balance * monthly / (-(monthly + 1.0).powi(-(left as i32)) + 1.0)
    }

    /// What is paid each month until nothing is owed: interest, and principal.
    fn schedule(mut self, extras: &[Extra<T>]) -> Vec<(T, T)> {
        let mut paid = Vec::new();
        let mut payment = self.payment(self.months);
        for month in 0..self.months {
            let mut today = payment;
            for extra in extras {
                match *extra {
                    Extra::LumpSum { month: when, amount } if when == month => today += amount,
                    Extra::RateReset { month: when, rate } if when == month => {
                        self.rate = rate;
                        payment = self.payment(self.months - month);
                        today = payment;
                    }
                    Extra::Holiday(when) if when == month => today = today * 0.2,
                    _ => {}
                }
            }
            let interest = self.balance * self.rate / 12.0;
            let principal = (today - interest).min(self.balance);
            self.balance -= principal;
            paid.push((interest, principal));
            if self.balance <= 1e-9 {
                break;
            }
        }
        paid
    }
}

pub fn mortgage_with_prepayments<T: Number>(xs: &[T], k: usize) -> T {
    let extras: Vec<Extra<T>> = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| match (i + k) % 3 {
            0 => Extra::LumpSum { month: 2 * i as u32 + 1, amount: x * x * 0.1 },
            1 => Extra::RateReset { month: 2 * i as u32, rate: x * 0.02 + 0.06 },
            _ => Extra::Holiday(3 * i as u32),
        })
        .collect();
    let loan = Mortgage { balance: xs[0] * xs[0] * 0.1 + 2.0, rate: xs[xs.len() - 1] * 0.01 + 0.05, months: 24 };
    let paid = loan.schedule(&extras);
    let discounted = |(month, &(interest, principal)): (usize, &(T, T))| {
        (interest * 0.7 + principal) * (1.0f64 + 0.04 / 12.0).powi(-(month as i32 + 1))
    };
    paid.iter().enumerate().map(discounted).sum::<T>() + paid.iter().map(|(interest, _)| *interest).sum::<T>()
}

// ---------------------------------------------------------------- statistics

#[derive(Clone, Copy, Debug)]
struct Garch<T> {
    base: T,
    shock: T,
    leverage: T,
    memory: T,
}

impl<T: Number> Garch<T> {
    fn unconditional(&self) -> T {
        self.base / (-self.shock - self.leverage * 0.5 - self.memory + 1.0)
    }

    fn variances<'a>(&'a self, returns: &'a [T]) -> impl Iterator<Item = T> + 'a {
        let start = self.unconditional();
        std::iter::once(start).chain(returns.iter().scan(start, move |variance, &r| {
            let shock = if r < 0.0 { self.shock + self.leverage } else { self.shock };
            *variance = self.base + shock * r * r + self.memory * *variance;
            Some(*variance)
        }))
    }
}

pub fn volatility_with_leverage<T: Number>(xs: &[T], k: usize) -> T {
    let squash = |x: T, most: f64| ((-x).exp() + 1.0).recip() * most;
    let model = Garch {
        base: squash(xs[0], 0.4),
        shock: squash(xs[xs.len() / 2], 0.2),
        leverage: T::from(0.1),
        memory: squash(xs[xs.len() - 1], 0.6),
    };
    let returns: Vec<T> = xs.iter().enumerate().map(|(i, &x)| x * 0.5 - 0.1 * (i % 2) as f64).collect();
    let fitted: T = returns.iter().zip(model.variances(&returns)).map(|(&r, v)| v.ln() + r * r / v).sum();
    let mut forecast = model.variances(&returns).last().unwrap();
    for _ in 0..k {
        forecast = model.base + forecast * (model.shock + model.leverage * 0.5 + model.memory);
    }
    fitted * -0.5 + forecast.sqrt()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Died,
    Censored,
}

struct Patient<T> {
    time: T,
    outcome: Outcome,
    dose: T,
}

pub fn survival_of_patients<T: Number>(xs: &[T], k: usize) -> T {
    let mut patients: Vec<Patient<T>> = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| Patient {
            time: x.abs() + 0.2 * i as f64 + 0.1,
            outcome: if (i + k) % 3 == 2 { Outcome::Censored } else { Outcome::Died },
            dose: x * 0.5 + (i as f64).cos(),
        })
        .collect();
    patients.sort_by(|a, b| a.time.partial_cmp(&b.time).unwrap());
    // Kaplan and Meier: the mean time lived until the last one left
    let mut alive = 1.0;
    let mut restricted_mean = T::from(0.0);
    let mut last = T::from(0.0);
    for (before, patient) in patients.iter().enumerate() {
        restricted_mean += (patient.time - last) * alive;
        last = patient.time;
        if patient.outcome == Outcome::Died {
            alive *= 1.0 - 1.0 / (patients.len() - before) as f64;
        }
    }
    // Cox: Newton's steps for the effect of the dose
    let mut effect = T::from(0.1);
    for _ in 0..3 {
        let (mut score, mut information) = (-effect, T::from(1.0));
        for (i, patient) in patients.iter().enumerate().filter(|(_, p)| p.outcome == Outcome::Died) {
            let mut sums = [T::from(0.0); 3];
            for at_risk in &patients[i..] {
                let hazard = (at_risk.dose * effect).exp();
                sums.iter_mut().enumerate().for_each(|(power, sum)| *sum += hazard * at_risk.dose.powi(power as i32));
            }
            let expected = sums[1] / sums[0];
            score += patient.dose - expected;
            information += sums[2] / sums[0] - expected * expected;
        }
        effect += score / information;
    }
    restricted_mean + effect
}

pub fn changepoints_by_segments<T: Number>(xs: &[T], k: usize) -> T {
    let series: Vec<T> = xs.iter().flat_map(|&x| [x, x * 0.8 + 0.3]).collect();
    let mut sums = vec![(T::from(0.0), T::from(0.0))];
    for &x in &series {
        let &(sum, squares) = sums.last().unwrap();
        sums.push((sum + x, squares + x * x));
    }
    let cost = |from: usize, to: usize| {
        let (sum, squares) = (sums[to].0 - sums[from].0, sums[to].1 - sums[from].1);
        squares - sum * sum / (to - from) as f64
    };
    let penalty = 0.4 + 0.1 * k as f64;
    let mut best: Vec<(T, Option<usize>)> = vec![(T::from(0.0), None)];
    for to in 1..=series.len() {
        let option = (0..to)
            .map(|from| (best[from].0 + cost(from, to) + penalty, Some(from)))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap();
        best.push(option);
    }
    let mut cuts = BTreeSet::from([series.len()]);
    let mut at = series.len();
    while let Some(from) = best[at].1 {
        cuts.insert(from);
        at = from;
    }
    let cuts: Vec<usize> = cuts.into_iter().collect();
    let levels: Vec<T> = cuts.windows(2).map(|w| mean(&series[w[0]..w[1]])).collect();
    best[series.len()].0 + levels.windows(2).map(|w| (w[1] - w[0]).powi(2)).sum::<T>() + levels[0]
}

pub fn autoregression_with_moving_errors<T: Number>(xs: &[T], k: usize) -> T {
    let ar: Vec<T> = xs.iter().take(2).map(|&x| (x * 0.5).tanh() * 0.5).collect();
    let ma: Vec<T> = xs.iter().rev().take(k.max(1)).map(|&x| x.sin() * 0.3).collect();
    let mut errors: VecDeque<T> = VecDeque::from(vec![T::default(); ma.len()]);
    let mut sum = T::from(0.0);
    for (t, &x) in xs.iter().enumerate() {
        let remembered = xs[..t].iter().rev().zip(&ar).map(|(&past, &phi)| past * phi).sum::<T>();
        let shaken = errors.iter().zip(&ma).map(|(&e, &theta)| e * theta).sum::<T>();
        let error = x - remembered - shaken - 0.1;
        errors.pop_back();
        errors.push_front(error);
        sum += error * error;
    }
    let variance = sum / xs.len() as f64 + 0.01;
    (variance.ln() + 1.0) * (-0.5 * xs.len() as f64) + errors.front().copied().unwrap_or_default()
}

#[derive(Clone)]
struct Chain<T> {
    at: [T; 2],
    energy: T,
    accepted: u32,
}

pub fn posterior_walked_by_chains<T: Number>(xs: &[T], k: usize) -> T {
    let energy = |[location, scale]: [T; 2]| {
        let misfit = xs.iter().map(|&x| ((x - location) / scale.exp()).powi(2) * 0.5 + scale).sum::<T>();
        misfit + location * location * 0.05 + scale * scale * 0.5
    };
    let mut rng = Lcg::new(k as u64 + 11);
    let mut chains: Vec<Chain<T>> = (0..2)
        .map(|c| {
            let at = [xs[c % xs.len()] * 0.5, T::from(0.2 * c as f64)];
            Chain { at, energy: energy(at), accepted: 0 }
        })
        .collect();
    let mut total = T::from(0.0);
    for sweep in 0..4 + 2 * k {
        for chain in &mut chains {
            let proposed = chain.at.map(|c| c + rng.normal() * 0.4);
            let worth = energy(proposed);
            if (chain.energy - worth).value() > rng.uniform().ln() {
                *chain = Chain { at: proposed, energy: worth, accepted: chain.accepted + 1 };
            }
            total += chain.at[0] * chain.at[1] + chain.energy * 0.1;
        }
        if sweep % 3 == 2 {
            let [cold, warm] = chains.as_mut_slice() else { unreachable!() };
            if warm.energy < cold.energy {
                std::mem::swap(cold, warm);
            }
        }
    }
    total / chains.iter().map(|chain| f64::from(chain.accepted) + 1.0).sum::<f64>()
}
