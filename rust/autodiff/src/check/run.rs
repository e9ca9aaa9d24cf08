//! The comparisons.

use super::differences::{roundings, slopes, Estimate, Precision};
use super::random::Random;
use super::report::{Against, Comparison, Kink, Place, Report};
use super::{Settings, Vec};
use std::borrow::ToOwned;
use std::boxed::Box;
use std::slice;
use std::vec;

/// The numbers of each argument, and of the result as the last; an empty list where nothing moves.
pub type Lists = Vec<Vec<f64>>;

/// The values of a function as its derivative returns them, and in each direction what is asked for: tangents of the
/// results in forward mode, adjoints of the arguments in reverse mode.
pub type Evaluated = (Lists, Vec<Lists>);

/// A function as one of lists.
pub type Values<'a> = Box<dyn Fn(&[Vec<f64>]) -> Lists + 'a>;

/// A derivative at a point, in some directions.
pub type Evaluate<'a> = Box<dyn Fn(&[Vec<f64>], &[Lists]) -> Evaluated + 'a>;

/// A function at a point, with its derivatives.
pub struct Function<'a> {
    /// Its name.
    pub name: &'static str,
    /// The arguments, as they are written, and "the result".
    pub places: &'static [&'static str],
    /// Where it is called.
    pub at: Lists,
    /// Whether it computes with `f32`.
    pub is_single: bool,
    /// Its values somewhere.
    pub values: Values<'a>,
    /// Its derivatives.
    pub derivatives: Vec<Derivative<'a>>,
    /// What was set.
    pub settings: Settings,
}

/// A derivative, and whether each argument, and the result as the last, takes part in it.
pub struct Derivative<'a> {
    /// Its name.
    pub name: &'static str,
    /// Whether it takes adjoints of the results, and gives those of the arguments.
    pub is_reverse: bool,
    /// How many directions it follows at once.
    pub width: usize,
    /// Whether the result has one seed for all directions: reverse mode.
    pub shares_seed: bool,
    /// The arguments that move.
    pub inputs: &'static [bool],
    /// What moves with them: arguments behind `&mut`, and the result.
    pub outputs: &'static [bool],
    /// Those of which the derivative returns the value as well.
    pub returned: &'static [bool],
    /// The derivative itself.
    pub evaluate: Evaluate<'a>,
}

/// What comes of a point that a generator has chosen.
pub enum Outcome {
    /// The derivatives were checked there.
    Checked(Result<Report, Report>),
    /// The function gives infinities or no numbers there.
    NotFinite,
    /// This argument, or the result, is of a type that cannot be made, or whose numbers are not known.
    Unknown(&'static str),
}

/// How arguments move, or how results are weighted: one number alone, or all of them.
struct Direction {
    lists: Lists,
    only: Option<(usize, usize)>,
}

/// A check under way.
struct Check<'a> {
    function: &'a Function<'a>,
    /// The function's values.
    values: Lists,
    /// How large these are, or how much they change near by, should that be more.
    sizes: Lists,
    precision: Precision,
    report: Report,
}

impl Function<'_> {
    /// Compares all there is to compare.
    ///
    /// # Errors
    ///
    /// The report, if anything is wrong.
    #[expect(clippy::result_large_err, reason = "a check takes longer than to move it")]
    pub fn check(&self) -> Result<Report, Report> {
        let mut check = Check::new(self);
        let (reverse, forward): (Vec<_>, Vec<_>) =
            self.derivatives.iter().partition(|derivative| derivative.is_reverse);
        for derivative in &self.derivatives {
            check.hold_against_differences(derivative);
        }
        for (reverse, forward) in pairs(&reverse, &forward) {
            check.hold_against_forward(reverse, forward);
        }
        for (wide, narrow) in pairs(&reverse, &reverse).chain(pairs(&forward, &forward)) {
            if wide.width > 1 && narrow.does_one_direction_of(wide) {
                check.hold_against_width_1(wide, narrow);
            }
        }
        if check.report.is_right() {
            Ok(check.report)
        } else {
            Err(check.report)
        }
    }

    /// The same, and panics with the report if anything is wrong.
    ///
    /// # Panics
    ///
    /// If anything is wrong.
    #[track_caller]
    pub fn assert(&self) -> Report {
        self.check().unwrap_or_else(|report| panic!("{report}"))
    }

    /// The same at a point that was chosen blindly: the function may not be defined there.
    pub fn sampled(&self) -> Outcome {
        if (self.values)(&self.at).iter().flatten().all(|value| value.is_finite()) {
            Outcome::Checked(self.check())
        } else {
            Outcome::NotFinite
        }
    }

    fn scales(&self) -> Lists {
        self.at.iter().map(|list| scales(list)).collect()
    }

    fn tolerance(&self) -> f64 {
        self.settings.tolerance.unwrap_or(if self.is_single { 1e-3 } else { 1e-6 })
    }

    fn place(&self, place: usize, number: usize, of: &Lists) -> Place {
        Place { of: self.places[place].to_owned(), number, count: of[place].len() }
    }
}

impl<'a> Check<'a> {
    fn new(function: &'a Function<'a>) -> Self {
        let values = (function.values)(&function.at);
        let scales = function.scales();
        let near_by = (function.values)(&moved(&function.at, &scales, 0.125));
        let size = |(value, near): (&f64, &f64)| {
            let change = 8.0 * (near - value).abs();
            value.abs().max(if change.is_finite() { change } else { 0.0 })
        };
        let sizes = values.iter().zip(&near_by).map(|(values, near)| values.iter().zip(near).map(size).collect());
        let report = Report { function: function.name.to_owned(), seed: function.settings.seed, ..Report::default() };
        let precision = Precision {
            epsilon: if function.is_single { f64::from(f32::EPSILON) } else { f64::EPSILON },
            rounding: roundings(&|step| (function.values)(&moved(&function.at, &scales, step)).concat()),
        };
        Self { function, sizes: sizes.collect(), values, precision, report }
    }

    fn hold_against_differences(&mut self, derivative: &Derivative<'_>) {
        let directions = self.directions(derivative);
        let slopes: Vec<Vec<Estimate>> = directions.iter().map(|direction| self.slopes(direction)).collect();
        if derivative.is_reverse {
            let weights = self.weights(derivative);
            let adjoints = self.evaluate(derivative, &weights);
            for (weight, adjoint) in weights.iter().zip(&adjoints) {
                let of = weight.place(self.function, &self.values);
                for (direction, slopes) in directions.iter().zip(&slopes) {
                    let (want, size) = weighted(slopes, weight);
                    self.decide(derivative, direction, of.clone(), dot(adjoint, &direction.lists), &want, size);
                }
            }
        } else {
            let tangents = self.evaluate(derivative, &directions);
            for ((direction, slopes), tangent) in directions.iter().zip(&slopes).zip(&tangents) {
                for ((place, number), want) in indices(&self.values).zip(slopes) {
                    if derivative.outputs[place] {
                        let of = self.function.place(place, number, &self.values);
                        self.decide(derivative, direction, Some(of), tangent[place][number], want, 0.0);
                    }
                }
            }
        }
    }

    /// ⟨w, J·t⟩ with ⟨Jᵀ·w, t⟩.
    fn hold_against_forward(&mut self, reverse: &Derivative<'_>, forward: &Derivative<'_>) {
        let inputs = both(reverse.inputs, forward.inputs);
        let outputs = both(reverse.outputs, forward.outputs);
        let mut random = Random::new(self.function.settings.seed ^ 2);
        for _ in 0..3 {
            let direction = Direction::of_all(&self.function.scales(), &inputs, &mut random);
            let weight = Direction::of_all(&ones(&self.values), &outputs, &mut random);
            let adjoint = self.evaluate(reverse, slice::from_ref(&weight)).swap_remove(0);
            let tangent = self.evaluate(forward, slice::from_ref(&direction)).swap_remove(0);
            let size = magnitude(&tangent, &weight.lists).max(magnitude(&adjoint, &direction.lists));
            self.agree(
                size,
                Comparison {
                    derivative: reverse.name,
                    by: None,
                    of: None,
                    got: dot(&adjoint, &direction.lists),
                    want: dot(&tangent, &weight.lists),
                    tolerance: 0.0,
                    against: Against::Derivative(forward.name),
                },
            );
        }
    }

    /// Several directions at once with one after another.
    fn hold_against_width_1(&mut self, wide: &Derivative<'_>, narrow: &Derivative<'_>) {
        let mut random = Random::new(self.function.settings.seed ^ 3);
        let (sizes, moving) =
            if wide.is_reverse { (ones(&self.values), wide.outputs) } else { (self.function.scales(), wide.inputs) };
        let directions: Vec<_> = (0..wide.width).map(|_| Direction::of_all(&sizes, moving, &mut random)).collect();
        let got = self.evaluate(wide, &directions);
        let want = self.evaluate(narrow, &directions);
        let asked = if wide.is_reverse { wide.inputs } else { wide.outputs };
        // What a sum of terms cancels to says nothing of how exactly it is known; other directions' sums do.
        let largest = want.iter().flatten().flatten().fold(0.0, |largest: f64, number| largest.max(number.abs()));
        for (got, want) in got.iter().zip(&want) {
            for (place, number) in indices(want).filter(|(place, _)| asked[*place]) {
                let here = Some(self.function.place(place, number, want));
                let (by, of) = if wide.is_reverse { (here, None) } else { (None, here) };
                let size = if wide.is_reverse { largest } else { largest.max(self.sizes[place][number]) };
                let (got, want) = (got[place][number], want[place][number]);
                let against = Against::Derivative(narrow.name);
                self.agree(size, Comparison { derivative: wide.name, by, of, got, want, tolerance: 0.0, against });
            }
        }
    }

    /// The derivative in each direction; what it says of the function's own values is compared on the way.
    fn evaluate(&mut self, derivative: &Derivative<'_>, directions: &[Direction]) -> Vec<Lists> {
        let at_once = if derivative.shares_seed { 1 } else { derivative.width };
        let mut derived = Vec::new();
        for some in directions.chunks(at_once) {
            let lane = |lane: usize| some[lane.min(some.len() - 1)].lists.clone();
            let lanes: Vec<Lists> = (0..derivative.width).map(lane).collect();
            let (returned, lanes) = (derivative.evaluate)(&self.function.at, &lanes);
            self.hold_against_function(derivative, &returned);
            derived.extend(lanes.into_iter().take(some.len()));
        }
        derived
    }

    fn hold_against_function(&mut self, derivative: &Derivative<'_>, returned: &Lists) {
        for (place, number) in indices(returned).filter(|(place, _)| derivative.returned[*place]) {
            self.agree(
                self.sizes[place][number],
                Comparison {
                    derivative: derivative.name,
                    by: None,
                    of: Some(self.function.place(place, number, &self.values)),
                    got: returned[place][number],
                    want: self.values[place][number],
                    tolerance: 0.0,
                    against: Against::Function,
                },
            );
        }
    }

    /// Holds a number against a difference: right, wrong, or not to be told. `size` is that of the terms of a sum.
    fn decide(
        &mut self,
        derivative: &Derivative<'_>,
        direction: &Direction,
        of: Option<Place>,
        got: f64,
        want: &Estimate,
        size: f64,
    ) {
        // Differences know the order of magnitude of their error.
        let unknown = 10.0 * want.error;
        let size = got.abs().max(want.value.abs()).max(size);
        let comparison = Comparison {
            derivative: derivative.name,
            by: direction.place(self.function, &self.function.at),
            of,
            got,
            want: want.value,
            tolerance: self.function.tolerance() * size + unknown,
            against: Against::Differences { step: want.step, error: want.error },
        };
        let report = &mut self.report;
        report.compared += 1;
        if let Some((left, right)) = want.kink {
            if comparison.is_news(report.kinks.iter().map(|kink| &kink.comparison)) {
                report.kinks.push(Kink { comparison, left, right });
            }
        } else if want.says_nothing() {
            report.undecided.push(comparison);
        } else if !comparison.agrees() {
            report.note_error(&comparison);
            if comparison.is_news(report.mismatches.iter()) {
                report.mismatches.push(comparison);
            }
        } else if unknown > 1e-2 * want.typical.max(got.abs()) {
            report.undecided.push(comparison);
        } else if unknown < size {
            report.note_error(&comparison);
        }
    }

    /// Holds a number against one that is better known than differences are; `size` is that of what it is made of.
    fn agree(&mut self, size: f64, mut comparison: Comparison) {
        comparison.tolerance = 1e-2 * self.function.tolerance() * size + f64::MIN_POSITIVE;
        self.report.compared += 1;
        // Where the function itself is not a number, nothing else is one.
        if !comparison.agrees() && comparison.want.is_finite() {
            self.report.mismatches.push(comparison);
        }
    }

    fn directions(&self, derivative: &Derivative<'_>) -> Vec<Direction> {
        let seed = self.function.settings.seed;
        Direction::single_and_all(&self.function.scales(), derivative.inputs, self.function.settings.most, seed)
    }

    fn weights(&self, derivative: &Derivative<'_>) -> Vec<Direction> {
        let seed = self.function.settings.seed ^ 1;
        Direction::single_and_all(&ones(&self.values), derivative.outputs, self.function.settings.most, seed)
    }

    /// How every result changes along a direction.
    fn slopes(&self, direction: &Direction) -> Vec<Estimate> {
        let function = self.function;
        let (scale, halvings) = match direction.only {
            Some((place, number)) => {
                let scale = function.scales()[place][number];
                (scale, halvings(scale, function.at[place][number]))
            }
            None => (1.0, 0),
        };
        let values = |step| (function.values)(&moved(&function.at, &direction.lists, step)).concat();
        slopes(&values, scale, halvings, &self.precision)
    }
}

impl Derivative<'_> {
    /// Whether it gives one by one what `wide` gives at once.
    fn does_one_direction_of(&self, wide: &Self) -> bool {
        self.width == 1 && self.inputs == wide.inputs && self.outputs == wide.outputs
    }
}

impl Direction {
    /// At most so many numbers alone, chosen at random if there are more, and all of them together.
    fn single_and_all(sizes: &Lists, moving: &[bool], most: usize, seed: u64) -> Vec<Self> {
        let mut random = Random::new(seed);
        let all: Vec<_> = indices(sizes).filter(|(place, _)| moving[*place]).collect();
        let chosen = random.some(all.len(), most);
        let mut directions: Vec<_> = chosen.into_iter().map(|index| Self::of_one(sizes, all[index])).collect();
        if !all.is_empty() {
            directions.push(Self::of_all(sizes, moving, &mut random));
        }
        directions
    }

    fn of_one(sizes: &Lists, (place, number): (usize, usize)) -> Self {
        let mut lists: Lists = sizes.iter().map(|list| vec![0.0; list.len()]).collect();
        lists[place][number] = 1.0;
        Self { lists, only: Some((place, number)) }
    }

    fn of_all(sizes: &Lists, moving: &[bool], random: &mut Random) -> Self {
        let mut lists = sizes.clone();
        for (list, moves) in lists.iter_mut().zip(moving) {
            for number in list {
                *number *= if *moves { random.factor() } else { 0.0 };
            }
        }
        Self { lists, only: None }
    }

    /// The number it is about, if it is one.
    fn place(&self, function: &Function<'_>, of: &Lists) -> Option<Place> {
        self.only.map(|(place, number)| function.place(place, number, of))
    }
}

/// By how much each number changes if it changes by as much as it is, or as others of that argument are.
#[expect(clippy::cast_precision_loss, reason = "of a count")]
pub(super) fn scales(list: &[f64]) -> Vec<f64> {
    let mean = (list.iter().map(|x| x * x).sum::<f64>() / list.len().max(1) as f64).sqrt();
    let typical = if mean > 0.0 && mean.is_finite() { mean } else { 1.0 };
    list.iter().map(|x| if x.is_finite() { x.abs().max(typical) } else { typical }).collect()
}

/// How many more halvings a number needs that is small beside its scale.
fn halvings(scale: f64, number: f64) -> usize {
    let mut size = number.abs();
    let mut count = 0;
    while size > 0.0 && size < scale / 2.0 && count < 20 {
        size *= 2.0;
        count += 1;
    }
    count
}

/// The estimate for a weighted sum of results, and the size of its terms.
fn weighted(slopes: &[Estimate], weight: &Direction) -> (Estimate, f64) {
    let mut sum = Estimate { value: 0.0, error: 0.0, step: f64::INFINITY, typical: 0.0, kink: None };
    let (mut left, mut right, mut size) = (0.0, 0.0, 0.0);
    let weights = weight.lists.iter().flatten();
    for (slope, weight) in slopes.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        sum.value += weight * slope.value;
        sum.error += weight.abs() * slope.error;
        sum.typical += weight.abs() * slope.typical;
        sum.step = sum.step.min(slope.step);
        size += (weight * slope.value).abs();
        let sides = slope.kink.unwrap_or((slope.value, slope.value));
        left += weight * sides.0;
        right += weight * sides.1;
        sum.kink = slope.kink.or(sum.kink);
    }
    sum.kink = sum.kink.map(|_| (left, right));
    (sum, size)
}

fn moved(point: &Lists, direction: &Lists, step: f64) -> Lists {
    let number = |(x, t): (&f64, &f64)| if *t == 0.0 { *x } else { x + step * t };
    point.iter().zip(direction).map(|(list, direction)| list.iter().zip(direction).map(number).collect()).collect()
}

/// Where each number is: in which list, and where in that.
fn indices(lists: &Lists) -> impl Iterator<Item = (usize, usize)> {
    let lengths: Vec<usize> = lists.iter().map(Vec::len).collect();
    lengths.into_iter().enumerate().flat_map(|(place, length)| (0..length).map(move |number| (place, number)))
}

fn terms<'a>(left: &'a Lists, right: &'a Lists) -> impl Iterator<Item = f64> + 'a {
    // A derivative may be infinite where nothing moves.
    let term = |(left, right): (&f64, &f64)| if *right == 0.0 { 0.0 } else { left * right };
    left.iter().zip(right).flat_map(move |(left, right)| left.iter().zip(right).map(term))
}

pub(super) fn dot(left: &Lists, right: &Lists) -> f64 {
    terms(left, right).sum()
}

pub(super) fn magnitude(left: &Lists, right: &Lists) -> f64 {
    terms(left, right).map(f64::abs).sum()
}

fn ones(point: &Lists) -> Lists {
    point.iter().map(|list| vec![1.0; list.len()]).collect()
}

fn both(left: &[bool], right: &[bool]) -> Vec<bool> {
    left.iter().zip(right).map(|(left, right)| *left && *right).collect()
}

fn pairs<'a, T>(left: &'a [T], right: &'a [T]) -> impl Iterator<Item = (&'a T, &'a T)> {
    left.iter().flat_map(move |left| right.iter().map(move |right| (left, right)))
}
