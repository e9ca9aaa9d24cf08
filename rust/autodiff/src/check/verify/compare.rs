//! What is compared: <w, J u> with <J^T w, u>, the function's values with those of a plain call, and both with differences.

use super::sites::{Call, Outcome};
use crate::check::differences::{roundings, slopes, Estimate, Precision};
use crate::check::random::Random;
use crate::check::run::{dot, magnitude, scales, Lists};
use crate::check::Vec;
use std::format;
use std::string::String;

/// Whether central differences are taken as well.
const DIFFERENCES: bool = option_env!("CRATEGRAD_VERIFY_DIFFERENCES").is_some();

/// What reverse mode does with the shadow of an argument, or of the result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shadow {
    /// There is none.
    Nothing,
    /// It adds the adjoint: behind `&`.
    Added,
    /// It takes the seed there, and leaves the adjoint: behind `&mut`.
    Used,
    /// It returns the adjoint, or for the result takes the seed: by value.
    ByValue,
}

/// What is known before the derivative itself runs. Lists are those of the arguments, and the result's last.
pub struct Seen {
    /// Whether any number is an `f32`.
    is_single: bool,
    /// The shadows of each lane as the user gave them, and the seed.
    seeds: Vec<Lists>,
    /// How the arguments move: u.
    direction: Lists,
    /// How with them all that the function writes and returns does: J u.
    tangents: Lists,
    /// What a plain call writes and returns.
    values: Lists,
    /// J u by differences; empty where these are not wanted.
    slopes: Vec<Estimate>,
}

/// Numbers for directions: others at each call.
pub struct Directions(Random);

impl Call<'_> {
    /// Directions for this call.
    pub fn directions(&self) -> Directions {
        Directions(Random::new(self.number()))
    }
}

impl Directions {
    /// How an argument of these numbers may move: each by about as much as it is, or as others are.
    pub fn next(&mut self, numbers: &[f64]) -> Vec<f64> {
        scales(numbers).into_iter().map(|scale| scale * self.0.factor()).collect()
    }
}

impl Seen {
    /// Runs the function, by `at` as many steps in that direction as it is told.
    pub fn new(
        is_single: bool,
        seeds: Vec<Lists>,
        direction: Lists,
        tangents: Lists,
        at: &dyn Fn(f64) -> Lists,
    ) -> Self {
        let all = |steps: f64| at(steps).concat();
        let precision = || Precision { epsilon: epsilon(is_single), rounding: roundings(&all) };
        let slopes = if DIFFERENCES { slopes(&all, 1.0, 0, &precision()) } else { Vec::new() };
        Self { is_single, seeds, direction, tangents, values: at(0.0), slopes }
    }

    /// Compares it with what the derivative left: in each lane the adjoints, and what it returns as the function's values.
    pub fn compare(&self, call: &Call<'_>, found: &[Lists], returned: &Lists) {
        let adjoints = self.seeds.iter().zip(found).map(|(seeds, found)| self.adjoint(call, seeds, found));
        let outcomes = [self.value(call, returned)].into_iter().chain(adjoints);
        let worst = outcomes.reduce(|first, second| match (&first, &second) {
            (Outcome::Wrong(_), _) | (_, Outcome::Right) => first,
            _ => second,
        });
        call.note(worst.unwrap_or(Outcome::Right));
    }

    /// <w, J u> and <J^T w, u>, which are the same.
    fn adjoint(&self, call: &Call<'_>, seeds: &Lists, found: &Lists) -> Outcome {
        let of = |shadow: Shadow, list: &Vec<f64>| if shadow == Shadow::Added { Vec::new() } else { list.clone() };
        let shadows = || call.places.iter().map(|(_, shadow)| *shadow);
        let weights: Lists = shadows().zip(seeds).map(|(shadow, seed)| of(shadow, seed)).collect();
        let gradient: Lists =
            shadows().zip(seeds.iter().zip(found)).map(|(shadow, (s, f))| added(shadow, s, f)).collect();
        let reverse = dot(&gradient, &self.direction);
        let forward = dot(&self.tangents, &weights);
        let size = magnitude(&gradient, &self.direction).max(magnitude(&self.tangents, &weights));
        // What was in a shadow before rounds what is added to it.
        let lost: f64 = [seeds, found].into_iter().map(|shadows| magnitude(shadows, &self.direction)).sum();
        let tolerance = self.tolerance() * size + 4.0 * epsilon(self.is_single) * lost;
        let by_differences = self.by_differences(&weights);
        if !(reverse.is_finite() && forward.is_finite()) {
            return Outcome::Undecided;
        }
        if (reverse - forward).abs() > tolerance {
            let third = by_differences.map_or_else(String::new, |(value, _)| format!("\n  differences  {value:?}"));
            return Outcome::Wrong(format!(
                "  reverse mode {reverse:?}, of all adjoints in a random direction\n  forward mode {forward:?}, of that \
                 direction{third}\n{}\n{}",
                off(reverse, forward, tolerance),
                self.sizes(call)
            ));
        }
        match by_differences {
            Some((_, error)) if error.is_nan() || error >= 0.1 * size => Outcome::Undecided,
            Some((value, error)) if (reverse - value).abs() > tolerance + error => Outcome::Wrong(format!(
                "  reverse mode {reverse:?}, and so says forward mode\n  differences  {value:?}\n{}\n{}",
                off(reverse, value, tolerance + error),
                self.sizes(call)
            )),
            _ => Outcome::Right,
        }
    }

    /// The weighted sum of the slopes, and how far off it may be: infinitely far at a kink.
    fn by_differences(&self, weights: &Lists) -> Option<(f64, f64)> {
        let mut slopes = self.slopes.iter();
        let mut sum = (0.0, 0.0);
        for (weights, values) in weights.iter().zip(&self.values) {
            for (slope, weight) in slopes.by_ref().take(values.len()).zip(weights).filter(|(_, weight)| **weight != 0.0)
            {
                let is_known = slope.kink.is_none() && !slope.says_nothing();
                // Differences know the order of magnitude of their error.
                let error = if is_known { 10.0 * slope.error } else { f64::INFINITY };
                sum = (sum.0 + weight * slope.value, sum.1 + weight.abs() * error);
            }
        }
        (!self.slopes.is_empty()).then_some(sum)
    }

    /// The function's own values, as the derivative returns them.
    fn value(&self, call: &Call<'_>, returned: &Lists) -> Outcome {
        for (place, (got, want)) in returned.iter().zip(&self.values).enumerate() {
            let name = call.places[place].0;
            if !got.is_empty() && got.len() != want.len() {
                let what = format!("  leaves {} numbers in `{name}`, a plain call {}", got.len(), want.len());
                return Outcome::Wrong(format!("{what}\n{}", self.sizes(call)));
            }
            // What the arguments' rounding does to a value is as large as its tangent.
            let largest = |list: &Vec<f64>| list.iter().fold(0.0, |most: f64, number| most.max(number.abs()));
            let tolerance = self.tolerance() * largest(want).max(largest(&self.tangents[place]));
            let differ = |(got, want): (&f64, &f64)| (got - want).abs() > tolerance || got.is_nan() != want.is_nan();
            let pairs = || got.iter().zip(want);
            if let Some((number, (got, want))) = pairs().enumerate().find(|(_, pair)| differ(*pair)) {
                return Outcome::Wrong(format!(
                    "  number {number} of {name} is {got:?} as the derivative returns it\n  a plain call gives {want:?}\n{}\n{}",
                    off(*got, *want, tolerance),
                    self.sizes(call)
                ));
            }
        }
        Outcome::Right
    }

    /// Relative to the larger of two numbers, or to what they are sums of.
    fn tolerance(&self) -> f64 {
        if self.is_single {
            1e-3
        } else {
            1e-6
        }
    }

    fn sizes(&self, call: &Call<'_>) -> String {
        let moving = call.places.iter().zip(&self.direction).filter(|(_, list)| !list.is_empty());
        let told: Vec<String> = moving.map(|((name, _), list)| format!("{} in {name}", list.len())).collect();
        format!("  numbers that move: {}", told.join(", "))
    }
}

/// What the derivative adds to a shadow, or leaves there.
fn added(shadow: Shadow, before: &[f64], after: &[f64]) -> Vec<f64> {
    match shadow {
        Shadow::Added => after.iter().zip(before).map(|(after, before)| after - before).collect(),
        _ => after.to_vec(),
    }
}

fn off(got: f64, want: f64, tolerance: f64) -> String {
    let (error, size) = ((got - want).abs(), got.abs().max(want.abs()));
    format!("  off by {error:.1e}, relatively {:.1e}; tolerated is {tolerance:.1e}", error / size)
}

fn epsilon(is_single: bool) -> f64 {
    if is_single {
        f64::from(f32::EPSILON)
    } else {
        f64::EPSILON
    }
}
