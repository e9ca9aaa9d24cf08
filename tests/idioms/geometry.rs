use crate::dual::Number;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Vector<T> {
    x: T,
    y: T,
    z: T,
}

impl<T: Number> Vector<T> {
    fn new(x: T, y: T, z: T) -> Self {
        Vector { x, y, z }
    }

    fn dot(self, other: Self) -> T {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn cross(self, other: Self) -> Self {
        Vector {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    fn length(self) -> T {
        self.dot(self).sqrt()
    }

    fn normalized(self) -> Self {
        self * self.length().recip()
    }
}

impl<T: Number> Add for Vector<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Vector::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl<T: Number> Sub for Vector<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<T: Number> Neg for Vector<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Vector::new(-self.x, -self.y, -self.z)
    }
}

impl<T: Number> Mul<T> for Vector<T> {
    type Output = Self;
    fn mul(self, factor: T) -> Self {
        Vector::new(self.x * factor, self.y * factor, self.z * factor)
    }
}

impl<T: Number> AddAssign for Vector<T> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<T: Number> std::iter::Sum for Vector<T> {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Vector::default(), Add::add)
    }
}

fn points<T: Number>(xs: &[T]) -> Vec<Vector<T>> {
    (0..xs.len()).map(|i| Vector::new(xs[i], xs[(i + 1) % xs.len()] + i as f64, xs[(i + 2) % xs.len()] * 0.5)).collect()
}

pub fn length_of_a_path<T: Number>(xs: &[T], _k: usize) -> T {
    let points = points(xs);
    points.windows(2).map(|pair| (pair[1] - pair[0]).length()).sum::<T>() + points[0].length()
}

pub fn centroid_and_spread<T: Number>(xs: &[T], _k: usize) -> T {
    let points = points(xs);
    let centroid = points.iter().copied().sum::<Vector<T>>() * T::from(1.0 / points.len() as f64);
    points.iter().map(|&p| p - centroid).map(|d| d.dot(d)).sum::<T>() + centroid.length()
}

pub fn area_of_a_polygon<T: Number>(xs: &[T], _k: usize) -> T {
    let corners: Vec<(T, T)> = xs.iter().enumerate().map(|(i, &x)| (x, x * x + i as f64)).collect();
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| a.0 * b.1 - a.1 * b.0).sum::<T>() * 0.5 + xs[0]
}

pub fn volume_of_a_fan<T: Number>(xs: &[T], _k: usize) -> T {
    let points = points(xs);
    let Some((&apex, rest)) = points.split_first() else { return T::from(0.0) };
    let mut volume = apex.length();
    for pair in rest.windows(2) {
        if let [a, b] = *pair {
            volume +=
                (a - apex).cross(b - apex).dot(apex + Vector::new(T::from(1.0), T::from(2.0), T::from(0.5))) * 0.1;
        }
    }
    volume
}

pub fn angular_momentum<T: Number>(xs: &[T], _k: usize) -> T {
    let mut total = Vector::default();
    for (i, p) in points(xs).into_iter().enumerate() {
        let velocity = Vector { x: p.y, ..p };
        total += p.cross(velocity) * T::from(i as f64 + 1.0);
    }
    (total.dot(total) + 1.0).sqrt() + total.x
}

#[derive(Clone, Copy)]
struct Quaternion<T> {
    w: T,
    v: Vector<T>,
}

impl<T: Number> Quaternion<T> {
    fn about(axis: Vector<T>, angle: T) -> Self {
        let (sin, cos) = (angle * 0.5).sin_cos();
        Quaternion { w: cos, v: axis.normalized() * sin }
    }

    fn conjugate(self) -> Self {
        Quaternion { v: -self.v, ..self }
    }

    fn rotate(self, p: Vector<T>) -> Vector<T> {
        (self * Quaternion { w: T::from(0.0), v: p } * self.conjugate()).v
    }
}

impl<T: Number> Mul for Quaternion<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Quaternion {
            w: self.w * other.w - self.v.dot(other.v),
            v: other.v * self.w + self.v * other.w + self.v.cross(other.v),
        }
    }
}

pub fn turned_by_quaternions<T: Number>(xs: &[T], _k: usize) -> T {
    let axis = Vector::new(T::from(1.0), T::from(0.5), T::from(-0.3));
    let start = Vector::new(T::from(1.0), T::from(2.0), T::from(3.0));
    let end = xs.iter().fold(start, |p, &angle| Quaternion::about(axis, angle).rotate(p));
    end.x + end.y * 2.0
}

struct Sphere<T> {
    centre: Vector<T>,
    radius: T,
}

impl<T: Number> Sphere<T> {
    /// How far along the ray the sphere is hit.
    fn hit(&self, from: Vector<T>, towards: Vector<T>) -> Option<T> {
        let offset = from - self.centre;
        let (half, rest) = (offset.dot(towards), offset.dot(offset) - self.radius * self.radius);
        let discriminant = half * half - rest;
        (discriminant > 0.0).then(|| -half - discriminant.sqrt()).filter(|&distance| distance > 0.0)
    }
}

pub fn nearest_sphere_on_a_ray<T: Number>(xs: &[T], k: usize) -> T {
    let spheres: Vec<Sphere<T>> = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| Sphere {
            centre: Vector::new(x * 0.3, T::from(0.1 * k as f64), T::from(4.0 + i as f64)),
            radius: x * x * 0.1 + 0.8,
        })
        .collect();
    let towards = Vector::new(T::from(0.05), T::from(0.02), T::from(1.0)).normalized();
    spheres
        .iter()
        .filter_map(|sphere| sphere.hit(Vector::default(), towards))
        .min_by(|a, b| a.partial_cmp(b).unwrap())
        .unwrap_or(T::from(100.0))
}

pub fn bezier_by_de_casteljau<T: Number>(xs: &[T], _k: usize) -> T {
    let at = |t: f64| {
        let mut points = points(xs);
        while points.len() > 1 {
            points = points.windows(2).map(|w| w[0] * T::from(1.0 - t) + w[1] * T::from(t)).collect();
        }
        points[0]
    };
    [0.25, 0.5, 0.8].into_iter().map(at).map(Vector::length).sum()
}

pub fn rotation_in_the_plane<T: Number>(xs: &[T], _k: usize) -> T {
    type Plane<T> = [[T; 2]; 2];
    fn rotation<T: Number>(angle: T) -> Plane<T> {
        let (sin, cos) = angle.sin_cos();
        [[cos, -sin], [sin, cos]]
    }
    fn product<T: Number>(a: Plane<T>, b: Plane<T>) -> Plane<T> {
        let mut c = [[T::from(0.0); 2]; 2];
        for (i, row) in c.iter_mut().enumerate() {
            for (j, element) in row.iter_mut().enumerate() {
                *element = a[i].iter().zip(&b).map(|(&a, b)| a * b[j]).sum();
            }
        }
        c
    }
    let turned = xs.iter().map(|&x| rotation(x * 0.5)).reduce(product).unwrap();
    turned[0][0] + turned[1][0] * 2.0
}
