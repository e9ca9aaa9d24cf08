//! Receivers of every kind, associated functions, methods of traits.

use crate::report::show;
use autodiff::*;
use shapes::{Rectangle, Shape};

struct Spring {
    stiffness: f64,
    rest: f64,
}

impl Spring {
    #[autodiff_reverse(d_energy, Duplicated, Active, Active)]
    #[autodiff_reverse(d_energy_by_length, Const, Active, Active)]
    #[autodiff_forward(t_energy, Dual, Dual, Dual)]
    #[autodiff_forward(t_energy_2, 2, Dual, Const, Dual)]
    pub fn energy(&self, length: f64) -> f64 {
        0.5 * self.stiffness * (length - self.rest).powi(2)
    }

    #[autodiff_reverse(d_stretch, Duplicated, Active)]
    #[autodiff_forward(t_stretch, Dual, Dual)]
    fn stretch(&mut self, by: f64) {
        self.rest *= by;
        self.stiffness /= by;
    }

    #[autodiff_reverse(d_into_force, Active, Active, Active)]
    #[autodiff_forward(t_into_force, Dual, Const, Dual)]
    fn into_force(self, length: f64) -> f64 {
        self.stiffness * (self.rest - length)
    }

    #[autodiff_reverse(d_hooke, Active, Active, Active)]
    fn hooke(stiffness: f64, stretch: f64) -> f64 {
        -stiffness * stretch
    }

    #[autodiff_reverse(d_of_spring, Duplicated, Active)]
    fn of_spring(spring: &Self) -> f64 {
        spring.stiffness * spring.rest
    }
}

pub fn report() {
    let spring = Spring { stiffness: 3.0, rest: 0.5 };
    let stretch = 1.5;
    let (energy, force) = (0.5 * 3.0 * stretch * stretch, 3.0 * stretch);

    let mut shadow = Spring { stiffness: 0.0, rest: 0.0 };
    let (value, by_length) = spring.d_energy(&mut shadow, 2.0, 1.0);
    show(
        "d_energy",
        &[value, by_length, shadow.stiffness, shadow.rest],
        &[energy, force, 0.5 * stretch * stretch, -force],
    );
    let both = spring.d_energy_by_length(2.0, 1.0);
    show("d_energy_by_length", &[both.0, both.1], &[energy, force]);
    let direction = Spring { stiffness: 1.0, rest: 2.0 };
    let both = spring.t_energy(&direction, 2.0, 3.0);
    show("t_energy", &[both.0, both.1], &[energy, 0.5 * stretch * stretch - 2.0 * force + 3.0 * force]);
    let other = Spring { stiffness: 0.0, rest: 1.0 };
    let lanes = spring.t_energy_2(&direction, &other, 2.0);
    show("t_energy_2", &lanes, &[energy, 0.5 * stretch * stretch - 2.0 * force, -force]);

    let (mut moved, mut seed) = (Spring { stiffness: 3.0, rest: 0.5 }, Spring { stiffness: 1.0, rest: 10.0 });
    let by = moved.d_stretch(&mut seed, 2.0);
    show(
        "d_stretch",
        &[moved.stiffness, moved.rest, by, seed.stiffness, seed.rest],
        &[1.5, 1.0, 10.0 * 0.5 - 3.0 / 4.0, 0.5, 20.0],
    );
    let (mut moved, mut tangent) = (Spring { stiffness: 3.0, rest: 0.5 }, Spring { stiffness: 1.0, rest: 10.0 });
    moved.t_stretch(&mut tangent, 2.0, 1.0);
    show("t_stretch", &[tangent.stiffness, tangent.rest], &[0.5 - 0.75, 20.5]);

    let (value, adjoint, by_length) = Spring { stiffness: 3.0, rest: 0.5 }.d_into_force(2.0, 1.0);
    show("d_into_force", &[value, adjoint.stiffness, adjoint.rest, by_length], &[-4.5, -1.5, 3.0, -3.0]);
    let both = Spring { stiffness: 3.0, rest: 0.5 }.t_into_force(Spring { stiffness: 1.0, rest: 2.0 }, 2.0);
    show("t_into_force", &[both.0, both.1], &[-4.5, -1.5 + 6.0]);

    let (value, by_stiffness, by_stretch) = Spring::d_hooke(3.0, 2.0, 1.0);
    show("d_hooke", &[value, by_stiffness, by_stretch], &[-6.0, -2.0, -3.0]);
    let mut shadow = Spring { stiffness: 0.0, rest: 0.0 };
    let value = Spring::d_of_spring(&spring, &mut shadow, 1.0);
    show("d_of_spring", &[value, shadow.stiffness, shadow.rest], &[1.5, 0.5, 3.0]);

    let rectangle = Rectangle { width: 2.0, height: 3.0 };
    let mut shadow = Rectangle { width: 0.0, height: 0.0 };
    let (value, by_scale) = rectangle.d_area(&mut shadow, 1.5, 1.0);
    show("d_area", &[value, by_scale, shadow.width, shadow.height], &[13.5, 18.0, 6.75, 4.5]);
    let both = rectangle.t_area(&Rectangle { width: 1.0, height: 1.0 }, 1.5, 0.0);
    show("t_area", &[both.0, both.1], &[13.5, 11.25]);
    let (value, by_scale, by_height) = rectangle.d_volume(1.5, 2.0, 1.0);
    show("d_volume", &[value, by_scale, by_height], &[27.0, 36.0, 13.5]);
    let both = Rectangle::<f64>::d_square(3.0, 1.0);
    show("d_square", &[both.0, both.1], &[9.0, 6.0]);
}
