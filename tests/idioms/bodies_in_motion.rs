use crate::dual::Number;
use std::collections::HashMap;
use std::ops::{AddAssign, Mul, Sub};

#[derive(Clone, Copy, Debug, Default)]
struct Plane<T> {
    x: T,
    y: T,
}

impl<T: Number> Plane<T> {
    fn squared(self) -> T {
        self.x * self.x + self.y * self.y
    }
}

impl<T: Number> Sub for Plane<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Plane { x: self.x - other.x, y: self.y - other.y }
    }
}

impl<T: Number> Mul<T> for Plane<T> {
    type Output = Self;
    fn mul(self, by: T) -> Self {
        Plane { x: self.x * by, y: self.y * by }
    }
}

impl<T: Number> AddAssign for Plane<T> {
    fn add_assign(&mut self, other: Self) {
        self.x += other.x;
        self.y += other.y;
    }
}

#[derive(Clone, Debug)]
struct Body<T> {
    at: Plane<T>,
    velocity: Plane<T>,
    mass: f64,
}

fn bodies<T: Number>(xs: &[T]) -> Vec<Body<T>> {
    let body = |(i, &x): (usize, &T)| Body {
        at: Plane { x: x + i as f64 * 2.0, y: x * x * 0.3 },
        velocity: Plane { x: T::from(0.1), y: x * -0.2 },
        mass: 1.0 + (i % 3) as f64,
    };
    xs.iter().enumerate().map(body).collect()
}

pub fn gravity_between_pairs<T: Number>(xs: &[T], k: usize) -> T {
    let mut bodies = bodies(xs);
    for _ in 0..=k {
        for i in 0..bodies.len() {
            let (left, right) = bodies.split_at_mut(i + 1);
            let one = &mut left[i];
            for other in right {
                let apart = other.at - one.at;
                let square = apart.squared() + 0.1;
                let pull = apart * (square * square.sqrt()).recip() * T::from(0.05);
                one.velocity += pull * T::from(other.mass);
                other.velocity += pull * T::from(-one.mass);
            }
        }
        bodies.iter_mut().for_each(|body| body.at += body.velocity * T::from(0.1));
    }
    bodies.iter().map(|body| body.velocity.squared() * body.mass * 0.5 + body.at.y).sum()
}

pub fn lennard_jones_energy<T: Number>(xs: &[T], _k: usize) -> T {
    let bodies = bodies(xs);
    let mut energy = bodies[0].at.squared();
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[..i] {
            let square = (a.at - b.at).squared() + 0.8;
            let sixth = square.powi(-3);
            energy += (sixth * sixth - sixth) * 4.0;
        }
    }
    energy
}

pub fn springs_between_named_nodes<T: Number>(xs: &[T], k: usize) -> T {
    let springs: Vec<(usize, usize, f64)> = (1..xs.len()).map(|i| (i / 2, i, 0.5 + i as f64 * 0.1)).collect();
    let mut at = xs.to_vec();
    for _ in 0..=k {
        let mut forces: HashMap<usize, T> = HashMap::new();
        for &(a, b, length) in &springs {
            let force = at[b] - at[a] - length;
            *forces.entry(a).or_default() += force;
            *forces.entry(b).or_default() -= force;
        }
        for (i, x) in at.iter_mut().enumerate() {
            if let Some(&force) = forces.get(&i) {
                *x += force * 0.1;
            }
        }
    }
    at.iter().map(|&x| x * x).sum()
}

pub fn bouncing_ball<T: Number>(xs: &[T], k: usize) -> T {
    let mut ball = Body { at: Plane { x: T::from(0.0), y: T::from(1.0) }, velocity: Plane::default(), mass: 1.0 };
    for &push in xs {
        for _ in 0..=k {
            ball.velocity += Plane { x: push * 0.1, y: T::from(-0.3) };
            ball.at += ball.velocity * T::from(0.2);
            if ball.at.y < 0.0 {
                ball.at.y = -ball.at.y;
                ball.velocity.y = ball.velocity.y * -0.8;
            }
        }
    }
    ball.at.x * ball.at.y + ball.velocity.x
}

pub fn neighbours_in_cells<T: Number>(xs: &[T], _k: usize) -> T {
    let bodies = bodies(xs);
    let mut cells: Vec<Vec<&Body<T>>> = vec![Vec::new(); 8];
    for body in &bodies {
        cells[(body.at.x.value() / 4.0).max(0.0) as usize % 8].push(body);
    }
    let pairs =
        cells.iter().flat_map(|cell| cell.iter().enumerate().flat_map(|(i, a)| cell[..i].iter().map(move |b| (a, b))));
    pairs.map(|(a, b)| (-(a.at - b.at).squared()).exp()).sum::<T>() + bodies[0].at.y
}

pub fn cloth_relaxed<T: Number>(xs: &[T], k: usize) -> T {
    const WIDTH: usize = 3;
    let mut cloth: Vec<[T; WIDTH]> = xs.iter().map(|&x| [x, x * 0.5, T::from(0.2)]).collect();
    for _ in 0..=k {
        for i in 1..cloth.len() {
            let (above, below) = cloth.split_at_mut(i);
            for (a, b) in above[i - 1].iter_mut().zip(&mut below[0]) {
                let stretch = (*b - *a - 0.1) * 0.25;
                *a += stretch;
                *b -= stretch;
            }
        }
    }
    cloth.iter().flatten().map(|&z| z * z).sum()
}
