//! One function under test: how to differentiate it in each mode, and what must come out.

use std::array::from_fn;
use std::iter::zip;

/// The directions that the vector mode follows at once.
pub const WIDTH: usize = 8;

/// Takes inputs and a seed; returns outputs and derivatives.
type Derivative = fn(&[f64], &[f64]) -> (Vec<f64>, Vec<f64>);
/// The outputs and their tangents, in each direction.
type InDirections = (Vec<f64>, [Vec<f64>; WIDTH]);

/// A function of many numbers to many, whatever its header: inputs and outputs lie flat here.
pub struct Case {
    pub name: &'static str,
    pub precision: Precision,
    /// Where it is differentiated.
    pub at: Vec<f64>,
    /// The function itself.
    pub primal: fn(&[f64]) -> Vec<f64>,
    /// Outputs, and the adjoints of the inputs for these weights of the outputs.
    pub reverse: Derivative,
    /// Outputs, and their tangents for this direction of the inputs.
    pub forward: Derivative,
    /// Outputs, and their tangents for each of these directions.
    pub forward_8: fn(&[f64], &[Vec<f64>; WIDTH]) -> InDirections,
    /// The closed form: for each output, its derivatives by the inputs.
    pub jacobian: fn(&[f64]) -> Vec<Vec<f64>>,
}

#[derive(Clone, Copy)]
pub enum Precision {
    F32,
    F64,
}

impl Precision {
    fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The step of central differences: near the cube root of the precision, where truncation and rounding balance.
    /// A power of two, so that it is lost on no input.
    fn step(self) -> f64 {
        match self {
            Self::F32 => 1.0 / 128.0,
            Self::F64 => 1.0 / 131_072.0,
        }
    }
}

/// What one mode makes of a case, and what it should.
struct Measured {
    mode: &'static str,
    value: Vec<f64>,
    enzyme: Vec<f64>,
    closed: Vec<f64>,
    differences: Vec<f64>,
}

impl Case {
    /// Differentiates in every mode and prints a line for each.
    pub fn report(&self) {
        let primal = (self.primal)(&self.at);
        let weights = samples(primal.len(), -1.0..1.0, 0.37);
        let directions: [Vec<f64>; WIDTH] = from_fn(|k| samples(self.at.len(), -1.0..1.0, 0.11 * k as f64));
        for measured in [self.in_reverse(&weights), self.in_forward(&directions[0]), self.in_forward_8(&directions)] {
            let Measured { mode, value, enzyme, closed, differences } = measured;
            println!(
                r#"{{"case": "{}", "mode": "{mode}", "precision": "{}", "value": {value:?}, "primal": {primal:?}, "enzyme": {enzyme:?}, "closed": {closed:?}, "differences": {differences:?}, "weights": {weights:?}, "directions": {directions:?}}}"#,
                self.name,
                self.precision.name(),
            );
        }
    }

    fn in_reverse(&self, weights: &[f64]) -> Measured {
        let (value, enzyme) = (self.reverse)(&self.at, weights);
        let jacobian = (self.jacobian)(&self.at);
        let column = |j: usize| jacobian.iter().map(|row| row[j]).collect::<Vec<_>>();
        let unit = |j: usize| (0..self.at.len()).map(|i| f64::from(i == j)).collect::<Vec<_>>();
        Measured {
            mode: "reverse",
            value,
            enzyme,
            closed: (0..self.at.len()).map(|j| inner(&column(j), weights)).collect(),
            differences: (0..self.at.len()).map(|j| inner(&self.difference(&unit(j)), weights)).collect(),
        }
    }

    fn in_forward(&self, direction: &[f64]) -> Measured {
        let (value, enzyme) = (self.forward)(&self.at, direction);
        Measured {
            mode: "forward",
            value,
            enzyme,
            closed: self.tangent(direction),
            differences: self.difference(direction),
        }
    }

    fn in_forward_8(&self, directions: &[Vec<f64>; WIDTH]) -> Measured {
        let (value, enzyme) = (self.forward_8)(&self.at, directions);
        Measured {
            mode: "forward_8",
            value,
            enzyme: enzyme.concat(),
            closed: directions.iter().flat_map(|direction| self.tangent(direction)).collect(),
            differences: directions.iter().flat_map(|direction| self.difference(direction)).collect(),
        }
    }

    /// The tangent of the outputs by the closed form.
    fn tangent(&self, direction: &[f64]) -> Vec<f64> {
        (self.jacobian)(&self.at).iter().map(|row| inner(row, direction)).collect()
    }

    /// The tangent of the outputs by central differences.
    fn difference(&self, direction: &[f64]) -> Vec<f64> {
        let h = self.precision.step();
        let moved = |by: f64| (self.primal)(&zip(&self.at, direction).map(|(x, u)| x + by * u).collect::<Vec<_>>());
        zip(moved(h), moved(-h)).map(|(after, before)| (after - before) / (2.0 * h)).collect()
    }
}

/// Numbers that lie evenly in a range and follow no pattern: multiples of 2⁻¹⁰, which an `f32` holds as well.
pub fn samples(count: usize, range: std::ops::Range<f64>, start: f64) -> Vec<f64> {
    let golden = 0.618_033_988_749_895;
    let fraction = |i: usize| (start + golden * (i + 1) as f64).fract();
    let sample = |i| range.start + (range.end - range.start) * fraction(i);
    (0..count).map(|i| (1024.0 * sample(i)).round() / 1024.0).collect()
}

/// The inner product.
pub fn inner(x: &[f64], y: &[f64]) -> f64 {
    zip(x, y).map(|(x, y)| x * y).sum()
}

/// The case of a function of a slice, and of constants after it, to a number.
macro_rules! of_a_slice {
    ($primal:ident($x:ident $(, $constant:expr)*), $reverse:ident, $forward:ident, $forward_8:ident, $at:expr, $gradient:expr) => {
        $crate::case::Case {
            name: stringify!($primal),
            precision: $crate::case::Precision::F64,
            at: $at,
            primal: |$x| vec![$primal($x $(, $constant)*)],
            reverse: |$x, weights| {
                let mut dx = vec![0.0; $x.len()];
                let value = $reverse($x, &mut dx $(, $constant)*, weights[0]);
                (vec![value], dx)
            },
            forward: |$x, u| {
                let (value, tangent) = $forward($x, u $(, $constant)*);
                (vec![value], vec![tangent])
            },
            forward_8: |$x, [a, b, c, d, e, f, g, h]| {
                let [value, tangents @ ..] = $forward_8($x, a, b, c, d, e, f, g, h $(, $constant)*);
                (vec![value], tangents.map(|tangent| vec![tangent]))
            },
            jacobian: |$x| vec![$gradient($x)],
        }
    };
}
