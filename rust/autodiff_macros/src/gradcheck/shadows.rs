//! The shadows of an argument.

use super::{adjoint, local, Argument, Derivative, Passing, Values};
use crate::activity::Activity;
use proc_macro2::TokenStream;

/// The shadows of an argument: how they are made, how they are passed, and what the derivative leaves of each lane.
#[derive(Default)]
pub struct Shadows {
    pub definitions: Vec<TokenStream>,
    pub passed: Vec<TokenStream>,
    pub derived: Vec<TokenStream>,
}

impl Shadows {
    pub fn new(index: usize, argument: &Argument, derivative: &Derivative, values: Values) -> Self {
        match derivative.arguments[index] {
            Activity::Const => Self::default(),
            Activity::Active => Self { derived: vec![values.numbers(&adjoint(index))], ..Self::default() },
            activity if activity.is_batched() && derivative.width > 1 => {
                Self::batched(index, argument, derivative.width, values)
            }
            activity => Self::of_each_lane(index, argument, activity, derivative.width, values),
        }
    }

    fn of_each_lane(index: usize, argument: &Argument, activity: Activity, width: usize, values: Values) -> Self {
        let is_reverse = matches!(activity, Activity::Duplicated | Activity::DuplicatedOnly);
        let (held, lanes) = (local(&format!("held_{index}")), local("lanes"));
        let mut shadows = Self::default();
        for lane in 0..width {
            let shadow = local(&format!("shadow_{index}_{lane}"));
            let start = values.with(&held, &generated!(&#lanes[#lane][#index]));
            let (mutable, reference) = match argument.passing {
                Passing::Value => (None, None),
                Passing::Shared if !is_reverse => (None, Some(generated!(&))),
                _ => (Some(generated!(mut)), Some(generated!(&mut))),
            };
            shadows.definitions.push(generated!(let #mutable #shadow = #start;));
            shadows.passed.push(generated!(#reference #shadow));
            if is_reverse || argument.is_output() {
                shadows.derived.push(values.numbers(&shadow));
            }
        }
        shadows
    }

    /// One slice for all lanes.
    fn batched(index: usize, argument: &Argument, width: usize, values: Values) -> Self {
        let (held, lanes) = (local(&format!("held_{index}")), local("lanes"));
        let shadow = local(&format!("shadow_{index}"));
        let parts = (0..width).map(|lane| values.with(&held, &generated!(&#lanes[#lane][#index])));
        let is_exclusive = argument.passing == Passing::Exclusive;
        let mutable = is_exclusive.then(|| generated!(mut));
        let all = values.numbers(&shadow);
        let lane = |lane: usize| private!(lane(&#all, #lane, #width));
        Self {
            definitions: vec![generated!(let #mutable #shadow = [#(&#parts[..]),*].concat();)],
            passed: vec![generated!(&#mutable #shadow)],
            derived: if is_exclusive { (0..width).map(lane).collect() } else { Vec::new() },
        }
    }
}
