//! Vectors, matrices, quaternions and affine maps of `f64`

use crate::tried;
use glam::{DAffine3, DMat2, DMat3, DMat4, DQuat, DVec2, DVec3, EulerRot};

const SIX: [f64; 6] = [1.5, -0.5, 2.5, 0.75, -1.0, 0.3];
const NINE: [f64; 9] = [2.5, -0.5, 1.5, 0.75, 3.0, 0.3, -0.2, 1.1, 4.0];

tried! {
    dot_of_vectors(x: SIX) {
        DVec3::from_slice(x).dot(DVec3::from_slice(&x[3..]))
    } => [&x[3..], &x[..3]].concat();
    vectors(x: SIX) {
        let (a, b) = (DVec3::from_slice(x), DVec3::from_slice(&x[3..]));
        a.cross(b).length() + a.normalize().x + a.lerp(b, 0.3).y + a.reject_from(b).z + a.max(b).element_sum()
    };
    plane_angles(x: SIX) {
        let (a, b) = (DVec2::new(x[0], x[1]), DVec2::new(x[2], x[3]));
        a.angle_to(b) + (DMat2::from_angle(x[4]) * a).perp_dot(b)
    };
    determinant_and_inverse(x: NINE) {
        let a = DMat3::from_cols_slice(x);
        (a.inverse() * DVec3::new(1.0, 2.0, 3.0)).element_sum() + a.determinant()
    };
    inverse_of_four_by_four(x: [0.5, 0.3, -0.7]) {
        let a = DMat4::from_rotation_x(x[0]) * DMat4::from_translation(DVec3::from_slice(x)) * DMat4::from_scale(DVec3::new(1.0, 2.0, x[2]));
        a.inverse().col(3).length_squared()
    };
    quaternions(x: SIX) {
        let turn = DQuat::from_euler(EulerRot::XYZ, x[0], x[1], x[2]);
        let other = DQuat::from_rotation_z(x[3]);
        let turned = turn.slerp(other, 0.4) * DVec3::from_slice(&x[3..]);
        turned.dot(DVec3::new(1.0, 2.0, 3.0))
    };
    affine_maps(x: SIX) {
        let map = DAffine3::from_axis_angle(DVec3::Z, x[0]) * DAffine3::from_translation(DVec3::from_slice(&x[1..]));
        map.inverse().transform_point3(DVec3::from_slice(&x[3..])).length()
    };
}
