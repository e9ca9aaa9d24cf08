//! By keys of numbers and names: collected, looked up

use crate::tried;
use indexmap::{IndexMap, indexmap};

const SIX: [f64; 6] = [1.5, -0.5, 2.5, 0.75, -1.0, 0.3];

tried! {
    by_number(x: SIX) {
        let map: IndexMap<usize, f64> = x.iter().map(|x| x * x).enumerate().collect();
        map.iter().map(|(key, x)| *key as f64 * x).sum()
    } => x.iter().enumerate().map(|(i, x)| 2.0 * i as f64 * x).collect::<Vec<_>>();
    by_name(x: SIX) {
        let map = indexmap! { "mass" => x[0], "speed" => x[1], "height" => x[2] };
        0.5 * map["mass"] * map["speed"].powi(2) + 9.81 * map["mass"] * map["height"]
    } => [0.5 * x[1] * x[1] + 9.81 * x[2], x[0] * x[1], 9.81 * x[0], 0.0, 0.0, 0.0];
}
