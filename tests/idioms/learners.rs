use crate::dual::Number;
use std::fmt::Debug;

#[derive(Clone, Copy, Debug)]
enum Activation {
    Identity,
    Relu,
    Swish,
}

impl Activation {
    fn apply<T: Number>(self, x: T) -> T {
        match self {
            Activation::Identity => x,
            Activation::Relu => x.max(T::from(0.0)),
            Activation::Swish => x / ((-x).exp() + 1.0),
        }
    }
}

#[derive(Clone, Debug)]
struct Layer<T> {
    weights: Vec<Vec<T>>,
    biases: Vec<T>,
    activation: Activation,
}

#[derive(Default)]
struct Network<T> {
    layers: Vec<Layer<T>>,
}

impl<T: Number> Network<T> {
    fn layer(mut self, size: usize, activation: Activation, source: &mut impl Iterator<Item = T>) -> Self {
        let inputs = self.layers.last().map_or(2, |layer| layer.biases.len());
        let weights = (0..size).map(|_| source.by_ref().take(inputs).collect()).collect();
        let biases = source.by_ref().take(size).collect();
        self.layers.push(Layer { weights, biases, activation });
        self
    }
    fn run(&self, input: &[T]) -> Vec<T> {
        self.layers.iter().fold(input.to_vec(), |signal, layer| {
            layer
                .weights
                .iter()
                .zip(&layer.biases)
                .map(|(row, &bias)| row.iter().zip(&signal).map(|(&w, &s)| w * s).sum::<T>() + bias)
                .map(|x| layer.activation.apply(x))
                .collect()
        })
    }
}

pub fn network_built_in_steps<T: Number>(xs: &[T], k: usize) -> T {
    let mut source = xs.iter().copied().cycle();
    let network = Network::default()
        .layer(3, Activation::Swish, &mut source)
        .layer(2, Activation::Relu, &mut source)
        .layer(1 + k % 2, Activation::Identity, &mut source);
    network.run(&[xs[0], T::from(0.5)]).iter().map(|&y| y * y).sum()
}

enum Tree<T> {
    Leaf(T),
    Split { feature: usize, threshold: f64, below: Box<Tree<T>>, above: Box<Tree<T>> },
}

impl<T: Number> Tree<T> {
    fn grown(values: &[T], depth: usize) -> Tree<T> {
        match values {
            [] => Tree::Leaf(T::from(0.0)),
            [value] => Tree::Leaf(*value),
            _ if depth == 0 => Tree::Leaf(values.iter().sum::<T>() / values.len() as f64),
            _ => {
                let (left, right) = values.split_at(values.len() / 2);
                Tree::Split {
                    feature: depth % 2,
                    threshold: 0.1 * depth as f64,
                    below: Box::new(Tree::grown(left, depth - 1)),
                    above: Box::new(Tree::grown(right, depth - 1)),
                }
            }
        }
    }
    fn value(&self, features: &[f64]) -> T {
        match self {
            Tree::Leaf(value) => *value * *value,
            Tree::Split { feature, threshold, below, above } => {
                if features[*feature] < *threshold {
                    below.value(features)
                } else {
                    above.value(features)
                }
            }
        }
    }
}

pub fn decision_trees_in_a_forest<T: Number>(xs: &[T], k: usize) -> T {
    let forest: Vec<Tree<T>> = (0..=k).map(|depth| Tree::grown(xs, depth)).collect();
    (0..4)
        .map(|i| [0.05 * i as f64, 0.3 - 0.1 * i as f64])
        .map(|f| forest.iter().map(|tree| tree.value(&f)).sum::<T>())
        .sum()
}

pub fn soft_clusters<T: Number>(xs: &[T], k: usize) -> T {
    let mut centres = [xs[0] - 0.5, xs[0] + 0.7];
    for _ in 0..=k {
        let mut sums = [(T::from(0.0), T::from(1e-3)); 2];
        for &x in xs {
            let near = centres.map(|c| (-(x - c) * (x - c)).exp());
            let all: T = near.iter().sum();
            for ((sum, weight), n) in sums.iter_mut().zip(near) {
                *sum += x * n / all;
                *weight += n / all;
            }
        }
        for (centre, (sum, weight)) in centres.iter_mut().zip(sums) {
            *centre = sum / weight;
        }
    }
    let [a, b] = centres;
    (a - b).powi(2)
}

trait Layerlike<T>: Debug {
    fn forward(&mut self, input: Vec<T>) -> Vec<T>;
    fn penalty(&self) -> T;
}

#[derive(Debug)]
struct Scale<T>(T);
#[derive(Debug)]
struct Normalise<T> {
    mean: T,
    seen: usize,
}

impl<T: Number> Layerlike<T> for Scale<T> {
    fn forward(&mut self, mut input: Vec<T>) -> Vec<T> {
        input.iter_mut().for_each(|x| *x *= self.0);
        input
    }
    fn penalty(&self) -> T {
        self.0 * self.0 * 0.1
    }
}

impl<T: Number> Layerlike<T> for Normalise<T> {
    fn forward(&mut self, input: Vec<T>) -> Vec<T> {
        self.seen += input.len();
        let mean = input.iter().sum::<T>() / input.len() as f64;
        self.mean = self.mean * 0.5 + mean * 0.5;
        let spread = (input.iter().map(|&x| (x - mean) * (x - mean)).sum::<T>() / input.len() as f64 + 0.1).sqrt();
        input.into_iter().map(|x| (x - self.mean) / spread).collect()
    }
    fn penalty(&self) -> T {
        self.mean / (self.seen + 1) as f64
    }
}

pub fn layers_that_remember<T: Number>(xs: &[T], k: usize) -> T {
    let mut layers: Vec<Box<dyn Layerlike<T>>> = vec![Box::new(Scale(xs[0]))];
    for _ in 0..k {
        layers.push(Box::new(Normalise { mean: T::from(0.1), seen: 0 }));
        layers.push(Box::new(Scale(xs[xs.len() - 1] + 0.5)));
    }
    let out = layers.iter_mut().fold(xs.to_vec(), |signal, layer| layer.forward(signal));
    out.iter().enumerate().map(|(i, &x)| x * (i as f64).cos()).sum::<T>()
        + layers.iter().map(|layer| layer.penalty()).sum::<T>()
}

pub fn beam_search<T: Number>(xs: &[T], k: usize) -> T {
    let mut beams: Vec<(Vec<usize>, T)> = vec![(vec![], T::from(0.0))];
    for step in 0..k + 2 {
        let mut next: Vec<(Vec<usize>, T)> = Vec::new();
        for (path, score) in &beams {
            for choice in 0..2 {
                let gain = (xs[(step + 3 * choice + path.iter().sum::<usize>()) % xs.len()]).tanh();
                let mut longer = path.clone();
                longer.push(choice);
                next.push((longer, *score + gain));
            }
        }
        next.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap());
        next.truncate(3);
        beams = next;
    }
    beams.iter().map(|(path, score)| *score * path.len() as f64).sum()
}

pub fn pruned_by_importance<T: Number>(xs: &[T], k: usize) -> T {
    #[derive(Clone)]
    struct Unit<T> {
        id: usize,
        weight: T,
        tag: &'static str,
    }
    let mut units: Vec<Unit<T>> = xs
        .iter()
        .enumerate()
        .map(|(id, &x)| Unit { id, weight: x * x, tag: if id % 2 == 0 { "even" } else { "odd" } })
        .collect();
    units.sort_by(|a, b| b.weight.partial_cmp(&a.weight).unwrap().then(a.id.cmp(&b.id)));
    let dropped = units.split_off((k + 1).min(units.len()));
    units.retain(|unit| unit.tag == "even" || unit.id > 2);
    let kept: T = units.iter().map(|unit| unit.weight).sum();
    let lost: T = dropped.into_iter().map(|unit| unit.weight * unit.tag.len() as f64).sum();
    kept - lost * 0.1
}
