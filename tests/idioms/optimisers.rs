use crate::dual::Number;

trait Optimiser<T> {
    /// Moves the parameters against the gradient.
    fn step(&mut self, parameters: &mut [T], gradient: &[T]);
}

struct Descent(f64);

struct Momentum<T> {
    rate: f64,
    velocity: Vec<T>,
}

#[derive(Default)]
struct Adam<T> {
    first: Vec<T>,
    second: Vec<T>,
    steps: i32,
}

impl<T: Number> Optimiser<T> for Descent {
    fn step(&mut self, parameters: &mut [T], gradient: &[T]) {
        parameters.iter_mut().zip(gradient).for_each(|(p, &g)| *p -= g * self.0);
    }
}

impl<T: Number> Optimiser<T> for Momentum<T> {
    fn step(&mut self, parameters: &mut [T], gradient: &[T]) {
        self.velocity.resize(parameters.len(), T::from(0.0));
        for ((p, v), &g) in parameters.iter_mut().zip(&mut self.velocity).zip(gradient) {
            *v = *v * 0.8 + g;
            *p -= *v * self.rate;
        }
    }
}

impl<T: Number> Optimiser<T> for Adam<T> {
    fn step(&mut self, parameters: &mut [T], gradient: &[T]) {
        self.steps += 1;
        self.first.resize(parameters.len(), T::default());
        self.second.resize(parameters.len(), T::default());
        for i in 0..parameters.len() {
            self.first[i] = self.first[i] * 0.9 + gradient[i] * 0.1;
            self.second[i] = self.second[i] * 0.99 + gradient[i] * gradient[i] * 0.01;
            let first = self.first[i] / (1.0 - 0.9_f64.powi(self.steps));
            let second = self.second[i] / (1.0 - 0.99_f64.powi(self.steps));
            parameters[i] -= first / (second + 0.05).sqrt() * 0.1;
        }
    }
}

/// The gradient of Σ (p − x)² + ¼ p⁴ by p.
fn gradient<T: Number>(parameters: &[T], xs: &[T]) -> Vec<T> {
    parameters.iter().zip(xs).map(|(&p, &x)| (p - x) * 2.0 + p * p * p).collect()
}

fn minimised<T: Number>(mut optimiser: impl Optimiser<T>, xs: &[T], steps: usize) -> Vec<T> {
    let mut parameters = vec![T::from(0.5); xs.len()];
    for _ in 0..steps {
        let gradient = gradient(&parameters, xs);
        optimiser.step(&mut parameters, &gradient);
    }
    parameters
}

pub fn gradient_descent<T: Number>(xs: &[T], k: usize) -> T {
    minimised(Descent(0.05), xs, k + 3).iter().map(|&p| p * p).sum()
}

pub fn momentum<T: Number>(xs: &[T], k: usize) -> T {
    minimised(Momentum { rate: 0.05, velocity: Vec::new() }, xs, k + 3).iter().sum()
}

pub fn adam<T: Number>(xs: &[T], k: usize) -> T {
    minimised(Adam::default(), xs, k + 2).iter().zip(xs).map(|(&p, &x)| p * x).sum()
}

pub fn optimisers_in_turn<T: Number>(xs: &[T], k: usize) -> T {
    let mut optimisers: [Box<dyn Optimiser<T>>; 2] =
        [Box::new(Descent(0.03)), Box::new(Momentum { rate: 0.02, velocity: Vec::new() })];
    let mut parameters = xs.to_vec();
    for step in 0..k + 3 {
        let gradient = gradient(&parameters, xs);
        optimisers[step % 2].step(&mut parameters, &gradient);
    }
    parameters.iter().map(|&p| p * p * p).sum()
}

pub fn backtracking_line_search<T: Number>(xs: &[T], k: usize) -> T {
    let cost = |p: &[T]| p.iter().zip(xs).map(|(&p, &x)| (p - x).powi(2) + p.powi(4) * 0.25).sum::<T>();
    let mut p: Vec<T> = vec![T::from(0.2); xs.len()];
    for _ in 0..=k {
        let slope = gradient(&p, xs);
        let mut rate = 1.0;
        p = loop {
            let candidate: Vec<T> = p.iter().zip(&slope).map(|(&p, &s)| p - s * rate).collect();
            if cost(&candidate) < cost(&p) || rate < 1e-6 {
                break candidate;
            }
            rate *= 0.5;
        };
    }
    cost(&p)
}

pub fn coordinate_descent_with_shrinkage<T: Number>(xs: &[T], k: usize) -> T {
    let shrunk = |x: T, by: f64| {
        if x > by {
            x - by
        } else if x < -by {
            x + by
        } else {
            T::from(0.0)
        }
    };
    let mut weights = vec![T::from(0.0); xs.len()];
    for _ in 0..=k {
        for j in 0..weights.len() {
            let others: T = weights.iter().enumerate().filter(|&(i, _)| i != j).map(|(_, &w)| w * 0.1).sum();
            weights[j] = shrunk(xs[j] - others, 0.05) / 1.2;
        }
    }
    weights.iter().map(|&w| w * w).sum()
}
