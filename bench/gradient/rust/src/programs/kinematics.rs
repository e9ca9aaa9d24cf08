//! A hand's skin on its bones, and how far it is from where it was seen.

use crate::numbers::Numbers;
use crate::program::program;
use autodiff::*;
use std::array::from_fn;

/// Bones of a finger; its first one is joined to the palm.
const FINGER: usize = 4;

/// Three rows of a rotation, each followed by a shift.
type Pose = [f64; 12];

pub struct Hand {
    /// Three of each bone's joint.
    angles: Vec<f64>,
    /// How each bone's end lies in the one before.
    offsets: Vec<f64>,
    skin: Vec<f64>,
    /// The two bones that a point of the skin is bound to; the first one's share is in `shares`.
    bound_to: Vec<[usize; 2]>,
    shares: Vec<f64>,
    seen: Vec<f64>,
}

impl Hand {
    pub fn new(sizes: &[usize], numbers: &mut Numbers) -> Self {
        let &[bones, points] = sizes else { panic!("kinematics: bones, points") };
        Self {
            angles: numbers.many(3 * bones, -0.5, 0.5),
            offsets: numbers.many(3 * bones, -1.0, 1.0),
            skin: numbers.many(3 * points, -1.0, 1.0),
            bound_to: (0..points).map(|_| [numbers.below(bones), numbers.below(bones)]).collect(),
            shares: numbers.many(points, 0.0, 1.0),
            seen: numbers.many(3 * points, -2.0, 2.0),
        }
    }
}

program!(Hand, |it| misfit[angles, offsets](&it.skin, &it.bound_to, &it.shares, &it.seen));

#[autodiff_reverse(gradient, Duplicated, Duplicated, Const, Const, Const, Const, Active)]
#[autodiff_reverse(gradient_only, Duplicated, Duplicated, Const, Const, Const, Const, ActiveOnly)]
#[autodiff_forward(slope, Dual, Dual, Const, Const, Const, Const, DualOnly)]
#[autodiff_forward(slopes, 8, Dualv, Dualv, Const, Const, Const, Const, DualOnly)]
fn misfit(angles: &[f64], offsets: &[f64], skin: &[f64], bound_to: &[[usize; 2]], shares: &[f64], seen: &[f64]) -> f64 {
    let mut poses: Vec<Pose> = Vec::with_capacity(angles.len() / 3);
    for (bone, (angles, offset)) in angles.chunks_exact(3).zip(offsets.chunks_exact(3)).enumerate() {
        let own = pose(angles, offset);
        poses.push(if bone % FINGER == 0 { own } else { joined(&poses[bone - 1], &own) });
    }
    let mut sum = 0.0;
    for (((point, bones), share), seen) in skin.chunks_exact(3).zip(bound_to).zip(shares).zip(seen.chunks_exact(3)) {
        let [a, b] = bones.map(|bone| placed(&poses[bone], point));
        for i in 0..3 {
            let off = share * a[i] + (1.0 - share) * b[i] - seen[i];
            sum += off * off;
        }
    }
    sum / shares.len() as f64
}

/// Turned about x, then y, then z, and shifted.
fn pose(angles: &[f64], shift: &[f64]) -> Pose {
    let [(sx, cx), (sy, cy), (sz, cz)] = from_fn(|i| (angles[i].sin(), angles[i].cos()));
    let rows = [
        [cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz],
        [cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz],
        [-sy, sx * cy, cx * cy],
    ];
    from_fn(|at| if at % 4 == 3 { shift[at / 4] } else { rows[at / 4][at % 4] })
}

/// First the second, then the first.
fn joined(a: &Pose, b: &Pose) -> Pose {
    from_fn(|at| {
        let (row, column) = (4 * (at / 4), at % 4);
        let shift = if column == 3 { a[row + 3] } else { 0.0 };
        a[row] * b[column] + a[row + 1] * b[4 + column] + a[row + 2] * b[8 + column] + shift
    })
}

fn placed(pose: &Pose, point: &[f64]) -> [f64; 3] {
    from_fn(|i| pose[4 * i] * point[0] + pose[4 * i + 1] * point[1] + pose[4 * i + 2] * point[2] + pose[4 * i + 3])
}
