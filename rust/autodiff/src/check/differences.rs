//! Central differences at many steps, extrapolated to none, so that how well they are known is known as well.

use super::Vec;
use std::vec;

/// How many steps are tried, each half of the one before, and at which counts it is asked whether they suffice.
const STEPS: usize = 20;
const ENOUGH: [usize; 3] = [6, 9, 13];

/// A kink shows over this many halvings of the step: there what left and right differ by hardly changes. Where it, or the
/// slope, grows each time, the function breaks: a jump, or a pole.
const HALVINGS: usize = 3;
const GROWS: f64 = 1.45;

/// What differences say of a derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The derivative, or NaN where no step gives finite values.
    pub value: f64,
    /// How far off that may be, by the scatter of the extrapolations and by rounding.
    pub error: f64,
    /// The smallest step that the value rests on.
    pub step: f64,
    /// How large a slope would be that changes the result by as much as it is.
    pub typical: f64,
    /// The derivatives from the left and from the right, where these differ.
    pub kink: Option<(f64, f64)>,
}

/// What a function gives on both sides of a point.
struct Sample {
    step: f64,
    minus: Vec<f64>,
    plus: Vec<f64>,
}

/// How exactly a function computes.
pub struct Precision {
    /// The relative precision of its arguments.
    pub epsilon: f64,
    /// What rounding does to each of its results.
    pub rounding: Vec<f64>,
}

/// How each result of `function`, which takes a step in some direction, changes with the step.
///
/// `scale` is the step at which the arguments change as much as they are, `halvings` how much smaller than usual the
/// steps may have to be.
pub fn slopes(function: &dyn Fn(f64) -> Vec<f64>, scale: f64, halvings: usize, precision: &Precision) -> Vec<Estimate> {
    let centre = function(0.0);
    let mut samples = Vec::new();
    let mut step = scale / 8.0;
    let epsilon = precision.epsilon;
    let steps = if epsilon > f64::EPSILON { STEPS / 2 } else { STEPS } + halvings;
    loop {
        samples.push(Sample { step, minus: function(-step), plus: function(step) });
        let is_last = samples.len() >= steps;
        if is_last || ENOUGH.contains(&samples.len()) {
            let estimate = |result| Ladder::new(&centre, &samples, result, scale, precision).estimate();
            let estimates: Vec<Estimate> = (0..centre.len()).map(estimate).collect();
            if is_last || estimates.iter().all(|estimate| estimate.is_settled(epsilon)) {
                return estimates;
            }
        }
        step /= 2.0;
    }
}

/// What rounding does to each result of a function: it is what is left of its values at evenly spaced points when
/// everything smooth is taken away by differences of differences.
///
/// A spacing may be too wide, then there is more left, or too narrow, then hardly a value differs from the next.
pub fn roundings(function: &dyn Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let mut smallest = vec![f64::INFINITY; function(0.0).len()];
    for spacing in [1e-3, 1e-5, 1e-7] {
        let points: Vec<Vec<f64>> = (-4..=4).map(|point| function(f64::from(point) * spacing)).collect();
        for (result, smallest) in smallest.iter_mut().enumerate() {
            let values: Vec<f64> = points.iter().map(|point| point[result]).collect();
            if let Some(rounding) = rounding(values) {
                *smallest = smallest.min(rounding);
            }
        }
    }
    smallest.into_iter().map(|rounding| if rounding.is_finite() { rounding } else { 0.0 }).collect()
}

/// The same for one result; nothing where too many values are the same.
#[expect(clippy::float_cmp, reason = "of values that rounding made the same")]
fn rounding(mut values: Vec<f64>) -> Option<f64> {
    const ORDER: usize = 6;
    /// How much larger independent errors are in differences of that order, squared: the sum of the squared binomials.
    const GROWTH: f64 = 924.0;
    let same = values.windows(2).filter(|pair| pair[0] == pair[1]).count();
    if same > values.len() / 3 {
        return None;
    }
    for _ in 0..ORDER {
        values = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    }
    let largest = values.into_iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    (!largest.is_nan()).then(|| largest / GROWTH.sqrt())
}

impl Estimate {
    /// Whether it says nothing: it is not known to a digit, and to no hundredth of what the function could change by.
    pub fn says_nothing(&self) -> bool {
        !self.error.is_finite() || self.error > (0.1 * self.value.abs()).max(1e-3 * self.typical)
    }

    /// Whether smaller steps would hardly tell more.
    fn is_settled(&self, epsilon: f64) -> bool {
        self.error <= epsilon.sqrt() * 1e-2 * self.value.abs() || self.kink.is_some()
    }
}

/// One result at all steps, from the largest to the smallest.
struct Ladder {
    centre: f64,
    scale: f64,
    rungs: Vec<Rung>,
}

struct Rung {
    step: f64,
    minus: f64,
    plus: f64,
    /// What rounding may do to a difference with this step.
    noise: f64,
}

impl Ladder {
    fn new(centre: &[f64], samples: &[Sample], result: usize, scale: f64, precision: &Precision) -> Self {
        let Precision { epsilon, rounding } = precision;
        let rung = |sample: &Sample| {
            let (step, minus, plus) = (sample.step, sample.minus[result], sample.plus[result]);
            // Of the results, and of the arguments, which take the step only as exactly as they can.
            let rounded = epsilon * (minus.abs().max(plus.abs()) + (plus - minus).abs() / step * scale);
            Rung { step, minus, plus, noise: rounded.max(rounding[result]) / step }
        };
        Self { centre: centre[result], scale, rungs: samples.iter().map(rung).filter(Rung::is_finite).collect() }
    }

    fn estimate(&self) -> Estimate {
        let size = |rung: &Rung| rung.minus.abs().max(rung.plus.abs());
        let typical = self.rungs.iter().map(size).fold(self.centre.abs(), f64::max) / self.scale;
        let mut best = Estimate { value: f64::NAN, error: f64::INFINITY, step: f64::NAN, typical, kink: self.kink() };
        if best.kink.is_none() && self.breaks() {
            return best;
        }
        let extrapolations = self.extrapolations();
        let mut smallest = (true, f64::INFINITY);
        for (pair, rung) in extrapolations.windows(2).zip(self.rungs.iter().skip(1)) {
            let ((before, _), (value, error)) = (pair[0], pair[1]);
            // One that agrees with itself by chance does not agree with the one before.
            let error = error.max((value - before).abs());
            // Known to a digit is better than nearly nothing: beyond a pole everything may be small.
            let is_unknown = error >= 0.1 * value.abs();
            let rank = (is_unknown, if is_unknown { error } else { error / value.abs() });
            // What smaller steps contradict, and know better, is of a kink between them and the larger ones.
            let is_contradicted = error < best.error && (value - best.value).abs() > error + best.error;
            if rank < smallest || is_contradicted {
                smallest = rank;
                best = Estimate { value, error, step: rung.step, ..best };
            }
        }
        best
    }

    /// Richardson's extrapolation at each step from those before it, with Ridders' choice and measure of its error.
    fn extrapolations(&self) -> Vec<(f64, f64)> {
        let mut row: Vec<f64> = Vec::new();
        let mut found = Vec::new();
        for rung in &self.rungs {
            let mut next = vec![rung.central()];
            let mut best = (rung.central(), f64::INFINITY);
            let mut factor = 1.0;
            for before in row {
                factor *= 4.0;
                let finer = next[next.len() - 1];
                let value = finer + (finer - before) / (factor - 1.0);
                let error = (value - finer).abs().max((value - before).abs()) + rung.noise;
                if error < best.1 {
                    best = (value, error);
                }
                next.push(value);
            }
            found.push(best);
            row = next;
        }
        found
    }

    /// The slopes on both sides, where what they differ by neither vanishes with the step nor is lost in rounding.
    fn kink(&self) -> Option<(f64, f64)> {
        let last = self.visible(Self::gap)?.last()?;
        let (left, right) = ((self.centre - last.minus) / last.step, (last.plus - self.centre) / last.step);
        let is_visible = (right - left).abs() > 1e-3 * left.abs().max(right.abs());
        let stays = |ratio: f64| (0.7..GROWS).contains(&ratio);
        (is_visible && self.ratios(Self::gap).is_some_and(|mut ratios| ratios.all(stays))).then_some((left, right))
    }

    /// Whether what left and right differ by, or the slope itself, grows without end.
    fn breaks(&self) -> bool {
        let grows = |slope: fn(&Self, &Rung) -> f64| {
            self.ratios(slope).is_some_and(|mut ratios| ratios.all(|ratio| ratio >= GROWS))
        };
        grows(Self::gap) || grows(|_, rung| rung.central())
    }

    /// How a slope changes with each of the last halvings of the step at which it is there.
    fn ratios(&self, slope: fn(&Self, &Rung) -> f64) -> Option<impl Iterator<Item = f64> + '_> {
        let visible = self.visible(slope)?;
        Some(visible.windows(2).map(move |pair| slope(self, &pair[1]) / slope(self, &pair[0])))
    }

    /// The last rungs at which a slope is not lost in rounding: as many as there are halvings, and one.
    fn visible(&self, slope: fn(&Self, &Rung) -> f64) -> Option<&[Rung]> {
        let last = self.rungs.iter().rposition(|rung| slope(self, rung).abs() > 10.0 * rung.noise)?;
        self.rungs.get(last.checked_sub(HALVINGS)?..=last)
    }

    /// What the slopes on both sides differ by.
    fn gap(&self, rung: &Rung) -> f64 {
        (rung.plus - 2.0 * self.centre + rung.minus) / rung.step
    }
}

impl Rung {
    fn central(&self) -> f64 {
        (self.plus - self.minus) / (2.0 * self.step)
    }

    fn is_finite(&self) -> bool {
        self.minus.is_finite() && self.plus.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope(function: impl Fn(f64) -> f64, at: f64) -> Estimate {
        let scale = at.abs().max(1e-3);
        let rounding = roundings(&|step| vec![function(at + scale * step)]);
        let precision = Precision { epsilon: f64::EPSILON, rounding };
        slopes(&|step| vec![function(at + step)], scale, 0, &precision)[0]
    }

    /// The error that is told is one that holds, and is small.
    #[track_caller]
    fn assert_known(function: impl Fn(f64) -> f64, at: f64, derivative: f64, relative: f64) {
        let estimate = slope(function, at);
        let off = (estimate.value - derivative).abs();
        assert!(off <= 10.0 * estimate.error, "{estimate:?} is off by {off}");
        assert!(estimate.error <= relative * derivative.abs(), "{estimate:?}");
        assert_eq!(estimate.kink, None);
    }

    #[test]
    fn smooth_functions() {
        assert_known(f64::exp, 1.0, 1f64.exp(), 1e-10);
        assert_known(f64::ln, 1e-3, 1e3, 1e-10);
        assert_known(|x| x.powi(7), -3.0, 7.0 * 729.0, 1e-10);
        assert_known(|x| 1.0 / x, 1e9, -1e-18, 1e-10);
        assert_known(|x| x.abs().sqrt() * x, 1e-3, 1.5 * 1e-3f64.sqrt(), 1e-10);
    }

    #[test]
    fn fast_waves_and_functions_that_end_near_by() {
        assert_known(|x| (1e3 * x).sin(), 1.0, 1e3 * 1e3f64.cos(), 1e-7);
        assert_known(|x| (x - 0.999).sqrt(), 1.0, 0.5 / 1e-3f64.sqrt(), 1e-7);
        assert_known(|x| (x - 0.996).powi(-12), 1.0, -12.0 * 0.004f64.powi(-13), 1e-4);
    }

    #[test]
    fn what_rounding_takes_is_told() {
        let estimate = slope(|x| (1e10 + x.sin()) - 1e10, 1.0);
        assert!((estimate.value - 1f64.cos()).abs() <= 10.0 * estimate.error, "{estimate:?}");
        assert!(estimate.error < 1e-2);
        assert_eq!(estimate.kink, None);
    }

    #[test]
    fn kinks() {
        for (function, left, right) in [
            ((|x| x.abs()) as fn(f64) -> f64, -1.0, 1.0),
            (|x| x.max(0.0) + x.sin(), 1.0, 2.0),
            (|x| if x > 0.0 { 3.0 * x } else { x.exp() - 1.0 }, 1.0, 3.0),
        ] {
            let (found_left, found_right) = slope(function, 0.0).kink.expect("there is one");
            assert!((found_left - left).abs() < 1e-3, "{found_left}");
            assert!((found_right - right).abs() < 1e-3, "{found_right}");
        }
        assert_eq!(slope(f64::abs, 1e-5).kink, None, "beside it there is none");
        assert!((slope(f64::abs, 1e-5).value - 1.0).abs() < 1e-9);
        assert!(slope(|x| x.abs().sqrt(), 0.0).kink.is_some(), "an infinite one");
    }

    #[test]
    fn a_slope_of_nothing_with_a_kink_near_by() {
        for apart in [2e-2, 1e-2, 5.2e-3, 1e-3, 2e-4] {
            for level in [0.0, 2.0] {
                let estimate = slope(|x| (x - 1.0 - apart).max(0.0) + level, 1.0);
                let is_nothing = estimate.value.abs() <= 1e-9 && estimate.error < 1e-6;
                assert!(is_nothing || estimate.kink.is_some(), "{apart}: {estimate:?}");
            }
        }
    }

    #[test]
    fn nothing_is_known_at_a_jump_or_without_numbers() {
        for (function, at) in [
            ((|x| if x > 1.0 { 1.0 } else { 0.0 }) as fn(f64) -> f64, 1.0),
            (f64::cbrt, 0.0),
            (|x| 1.0 / (x * x + 1e-30), 0.0),
            (|x| 1.0 / (x - 1.0), 1.0 + 1e-9),
            (|_| f64::NAN, 1.0),
        ] {
            let estimate = slope(function, at);
            assert!(estimate.kink.is_none() && estimate.says_nothing(), "{estimate:?}");
        }
        let low = slope(|x| x + if x > 1.0 { 1e-3 } else { 0.0 }, 1.0);
        assert!(low.error > 1e-3 && (low.value - 1.0).abs() < 10.0 * low.error, "like rounding: {low:?}");
    }
}
