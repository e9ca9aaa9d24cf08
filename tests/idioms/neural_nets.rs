use crate::dual::Number;

#[derive(Clone, Copy, PartialEq)]
enum Activation {
    Identity,
    Tanh,
    Sigmoid,
    LeakyRelu(f64),
    Swish,
}

fn sigmoid<T: Number>(x: T) -> T {
    ((-x).exp() + 1.0).recip()
}

impl Activation {
    fn of<T: Number>(self, x: T) -> T {
        match self {
            Activation::Identity => x,
            Activation::Tanh => x.tanh(),
            Activation::Sigmoid => sigmoid(x),
            Activation::LeakyRelu(slope) if x < 0.0 => x * slope,
            Activation::LeakyRelu(_) => x,
            Activation::Swish => x * sigmoid(x),
        }
    }
}

trait Layer<T> {
    fn forward(&self, input: &[T]) -> Vec<T>;
}

struct Dense<T> {
    weights: Vec<Vec<T>>,
    biases: Vec<T>,
    activation: Activation,
}

impl<T: Number> Dense<T> {
    /// A layer whose weights are taken from these numbers, one after another.
    fn new(inputs: usize, outputs: usize, activation: Activation, numbers: &mut impl Iterator<Item = T>) -> Self {
        let weights = (0..outputs).map(|_| numbers.by_ref().take(inputs).collect()).collect();
        let biases = numbers.take(outputs).collect();
        Dense { weights, biases, activation }
    }
}

impl<T: Number> Layer<T> for Dense<T> {
    fn forward(&self, input: &[T]) -> Vec<T> {
        self.weights
            .iter()
            .zip(&self.biases)
            .map(|(row, &bias)| row.iter().zip(input).map(|(&w, &x)| w * x).sum::<T>() + bias)
            .map(|x| self.activation.of(x))
            .collect()
    }
}

struct Residual<L>(L);

impl<T: Number, L: Layer<T>> Layer<T> for Residual<L> {
    fn forward(&self, input: &[T]) -> Vec<T> {
        self.0.forward(input).into_iter().zip(input).map(|(y, &x)| y + x).collect()
    }
}

struct Normalize;

impl<T: Number> Layer<T> for Normalize {
    fn forward(&self, input: &[T]) -> Vec<T> {
        let mean = input.iter().sum::<T>() / input.len() as f64;
        let variance = input.iter().map(|&x| (x - mean) * (x - mean)).sum::<T>() / input.len() as f64;
        input.iter().map(|&x| (x - mean) / (variance + 0.1).sqrt()).collect()
    }
}

fn softmax<T: Number>(logits: &[T]) -> Vec<T> {
    let largest = logits.iter().copied().reduce(T::max).unwrap();
    let exponentials: Vec<T> = logits.iter().map(|&x| (x - largest).exp()).collect();
    let total: T = exponentials.iter().sum();
    exponentials.into_iter().map(|e| e / total).collect()
}

pub fn two_dense_layers<T: Number>(xs: &[T], k: usize) -> T {
    let mut numbers = xs.iter().copied().cycle();
    let hidden = Dense::new(2, k + 2, Activation::Tanh, &mut numbers);
    let output = Dense::new(k + 2, 1, Activation::Identity, &mut numbers);
    let loss = |input: [f64; 2], target: f64| {
        let found = output.forward(&hidden.forward(&input.map(T::from)));
        (found[0] - target).powi(2)
    };
    [([0.0, 0.5], 1.0), ([0.3, -0.2], 0.0), ([1.0, 1.0], 0.5)].map(|(input, target)| loss(input, target)).iter().sum()
}

pub fn layers_behind_a_trait<T: Number>(xs: &[T], _k: usize) -> T {
    let mut numbers = xs.iter().map(|&x| x * 0.5).cycle();
    let layers: Vec<Box<dyn Layer<T>>> = vec![
        Box::new(Dense::new(3, 3, Activation::Swish, &mut numbers)),
        Box::new(Residual(Dense::new(3, 3, Activation::Sigmoid, &mut numbers))),
        Box::new(Normalize),
        Box::new(Dense::new(3, 2, Activation::LeakyRelu(0.1), &mut numbers)),
    ];
    let input = vec![xs[0], T::from(0.5), T::from(-0.25)];
    let output = layers.iter().fold(input, |values, layer| layer.forward(&values));
    output[0] * 2.0 + output[1]
}

pub fn cross_entropy_of_a_classifier<T: Number>(xs: &[T], k: usize) -> T {
    let classes = 3;
    let loss = |sample: usize| {
        let logits: Vec<T> = (0..classes).map(|c| xs[(sample + c) % xs.len()] * (c as f64 + 0.5)).collect();
        -softmax(&logits)[(sample + k) % classes].ln()
    };
    (0..xs.len()).map(loss).sum::<T>() / xs.len() as f64
}

pub fn recurrent_cell<T: Number>(xs: &[T], _k: usize) -> T {
    let weights = [[0.5, -0.3], [0.2, 0.4]];
    let state = xs.iter().fold([T::from(0.0); 2], |state, &x| {
        std::array::from_fn(|i| (state[0] * weights[i][0] + state[1] * weights[i][1] + x * (0.3 + i as f64)).tanh())
    });
    state[0] - state[1] * 0.5
}

#[derive(Clone)]
struct Memory<T> {
    hidden: Vec<T>,
    cell: Vec<T>,
}

pub fn long_short_term_memory<T: Number>(xs: &[T], k: usize) -> T {
    let size = k + 1;
    let mut memory = Memory { hidden: vec![T::from(0.0); size], cell: vec![T::from(0.1); size] };
    for &x in xs {
        let gate = |unit: usize, shift: f64| {
            let recurrent: T = memory.hidden.iter().enumerate().map(|(j, &h)| h * (0.1 * (unit + j) as f64)).sum();
            recurrent + x * (0.4 + 0.1 * unit as f64) + shift
        };
        let mut next = memory.clone();
        for unit in 0..size {
            let (input, forget) = (sigmoid(gate(unit, 0.1)), sigmoid(gate(unit, 0.5)));
            let (output, candidate) = (sigmoid(gate(unit, -0.2)), gate(unit, 0.0).tanh());
            next.cell[unit] = forget * memory.cell[unit] + input * candidate;
            next.hidden[unit] = output * next.cell[unit].tanh();
        }
        memory = next;
    }
    memory.hidden.iter().chain(&memory.cell).sum()
}

pub fn attention<T: Number>(xs: &[T], _k: usize) -> T {
    let tokens: Vec<[T; 2]> = xs.iter().enumerate().map(|(i, &x)| [x, x * 0.5 + 0.1 * i as f64]).collect();
    let attended = tokens.iter().map(|query| {
        let scores: Vec<T> =
            tokens.iter().map(|key| (query[0] * key[0] + query[1] * key[1]) / 2.0_f64.sqrt()).collect();
        let weights = softmax(&scores);
        weights
            .iter()
            .zip(&tokens)
            .fold([T::from(0.0); 2], |sum, (&w, value)| [sum[0] + w * value[0], sum[1] + w * value[1]])
    });
    attended.map(|[a, b]| a * b).sum()
}

pub fn convolution_and_pooling<T: Number>(xs: &[T], _k: usize) -> T {
    let kernels = [[0.5, -0.2, 0.1], [-0.3, 0.8, 0.2]];
    let padded: Vec<T> = [T::from(0.0)].iter().chain(xs).chain(&[T::from(0.0)]).copied().collect();
    kernels
        .iter()
        .map(|kernel| {
            let features = padded.windows(3).map(|w| w.iter().zip(kernel).map(|(&x, &k)| x * k).sum::<T>());
            let features: Vec<T> = features.map(|x| Activation::LeakyRelu(0.2).of(x)).collect();
            features.chunks(2).filter_map(|pair| pair.iter().copied().reduce(T::max)).map(|x| x * x).sum::<T>()
        })
        .sum()
}

pub fn embeddings_looked_up<T: Number>(xs: &[T], k: usize) -> T {
    let table: Vec<&[T]> = xs.chunks(2).collect();
    let sentence = [0, 2, 1, 1, 3, k];
    let sum = sentence
        .iter()
        .map(|word| table[word % table.len()])
        .fold(T::from(0.0), |sum, row| sum * 0.5 + row.iter().map(|&x| x * x).sum::<T>());
    sum.tanh()
}

pub fn trained_by_gradient_descent<T: Number>(xs: &[T], k: usize) -> T {
    let (mut weight, mut bias) = (xs[0] * 0.3, T::from(0.1));
    for _ in 0..k + 2 {
        let (mut by_weight, mut by_bias) = (T::from(0.0), T::from(0.0));
        for (i, &x) in xs.iter().enumerate() {
            let error = weight * x + bias - 0.2 * i as f64;
            by_weight += error * x;
            by_bias += error;
        }
        weight -= by_weight * 0.05;
        bias -= by_bias * 0.05;
    }
    weight * weight + bias
}
