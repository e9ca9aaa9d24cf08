use crate::dual::Number;
use std::collections::{BTreeMap, HashMap};

enum Quad<T> {
    Empty,
    Leaf { at: [T; 2], mass: T },
    Node { mass: T, centre: [T; 2], parts: Box<[Quad<T>; 4]> },
}

impl<T: Number> Quad<T> {
    fn put(self, at: [T; 2], mass: T, middle: [f64; 2], half: f64) -> Quad<T> {
        match self {
            Quad::Empty => Quad::Leaf { at, mass },
            Quad::Leaf { at: old, mass: its } if half < 0.1 => Quad::Leaf { at: old, mass: its + mass },
            Quad::Leaf { at: old, mass: its } => {
                let node = Quad::Node {
                    mass: T::from(0.0),
                    centre: [T::from(0.0); 2],
                    parts: Box::new([Quad::Empty, Quad::Empty, Quad::Empty, Quad::Empty]),
                };
                node.put(old, its, middle, half).put(at, mass, middle, half)
            }
            Quad::Node { mass: all, centre, mut parts } => {
                let (right, up) = (at[0] > middle[0], at[1] > middle[1]);
                let which = usize::from(right) + 2 * usize::from(up);
                let quarter = half * 0.5;
                let inner = [
                    middle[0] + if right { quarter } else { -quarter },
                    middle[1] + if up { quarter } else { -quarter },
                ];
                let part = std::mem::replace(&mut parts[which], Quad::Empty);
                parts[which] = part.put(at, mass, inner, quarter);
                let sum = all + mass;
                let centre = [(centre[0] * all + at[0] * mass) / sum, (centre[1] * all + at[1] * mass) / sum];
                Quad::Node { mass: sum, centre, parts }
            }
        }
    }

    fn potential(&self, at: [T; 2], half: f64) -> T {
        let pull = |to: &[T; 2], mass: T| {
            let (dx, dy) = (to[0] - at[0], to[1] - at[1]);
            mass / (dx * dx + dy * dy + 0.1).sqrt()
        };
        match self {
            Quad::Empty => T::from(0.0),
            Quad::Leaf { at: to, mass } => pull(to, *mass),
            Quad::Node { mass, centre, parts } => {
                let far = ((centre[0] - at[0]).abs() + (centre[1] - at[1]).abs()).value();
                if half < 0.3 * far {
                    pull(centre, *mass)
                } else {
                    parts.iter().map(|part| part.potential(at, half * 0.5)).sum()
                }
            }
        }
    }
}

pub fn tree_of_quarters<T: Number>(xs: &[T], _k: usize) -> T {
    let mut tree = Quad::Empty;
    for (i, &x) in xs.iter().enumerate() {
        tree = tree.put([x * 0.9, x * x * 0.3 - 0.5], x.abs() + 0.2, [0.0, 0.0], 4.0 + i as f64 * 0.0);
    }
    tree.potential([xs[0], T::from(0.4)], 4.0)
}

pub fn smoothed_particles<T: Number>(xs: &[T], k: usize) -> T {
    let mut cells: HashMap<(i32, i32), Vec<usize>> = HashMap::new();
    let places: Vec<(T, T)> = xs.iter().enumerate().map(|(i, &x)| (x, (x * 0.5).cos() + 0.1 * i as f64)).collect();
    for (i, (x, y)) in places.iter().enumerate() {
        cells.entry((x.value().floor() as i32, y.value().floor() as i32)).or_default().push(i);
    }
    let density = |i: usize| {
        let (x, y) = places[i];
        let (cx, cy) = (x.value().floor() as i32, y.value().floor() as i32);
        let mut sum = T::from(0.0);
        for dx in -1..=1 {
            for dy in -1..=1 {
                let Some(near) = cells.get(&(cx + dx, cy + dy)) else { continue };
                for &j in near {
                    let q = (x - places[j].0) * (x - places[j].0) + (y - places[j].1) * (y - places[j].1);
                    if q < 1.0 {
                        sum += (-q + 1.0).powi(3);
                    }
                }
            }
        }
        sum
    };
    (0..xs.len()).map(|i| density(i).powi(2) * (1.0 + 0.1 * k as f64)).sum()
}

pub fn stiffness_by_elements<T: Number>(xs: &[T], _k: usize) -> T {
    let nodes = xs.len() + 1;
    let mut stiffness: BTreeMap<(usize, usize), T> = BTreeMap::new();
    for (element, &x) in xs.iter().enumerate() {
        let local = x * x + 0.5;
        for (i, j, sign) in [(0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0)] {
            *stiffness.entry((element + i, element + j)).or_insert(T::from(0.0)) += local * sign;
        }
    }
    *stiffness.get_mut(&(0, 0)).unwrap() += T::from(10.0);
    let mut u = vec![T::from(0.0); nodes];
    for _ in 0..6 {
        for i in 0..nodes {
            let off: T =
                stiffness.range((i, 0)..(i + 1, 0)).filter(|((_, j), _)| *j != i).map(|(&(_, j), &s)| s * u[j]).sum();
            u[i] = (-off + 1.0) / stiffness[&(i, i)];
        }
    }
    u.iter().map(|&u| u * u).sum::<T>().sqrt()
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval<T> {
    low: T,
    high: T,
}

impl<T: Number> std::ops::Add for Interval<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Interval { low: self.low + other.low, high: self.high + other.high }
    }
}

impl<T: Number> std::ops::Mul for Interval<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let ends = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        let low = ends.iter().copied().reduce(T::min).unwrap();
        let high = ends.into_iter().reduce(T::max).unwrap();
        Interval { low, high }
    }
}

pub fn interval_arithmetic<T: Number>(xs: &[T], k: usize) -> T {
    let about = |x: T, by: f64| Interval { low: x - by, high: x + by };
    let sum = xs
        .iter()
        .map(|&x| about(x, 0.1) * about(x * 0.5, 0.05 * k as f64))
        .fold(Interval { low: T::from(0.0), high: T::from(0.0) }, |sum, one| sum + one);
    sum.high * sum.high - sum.low
}

struct Hit<T> {
    distance: T,
    normal: [T; 3],
    reflects: f64,
}

trait Surface<T> {
    fn hit(&self, from: [T; 3], towards: [T; 3]) -> Option<Hit<T>>;
}

struct Ball<T> {
    centre: [T; 3],
    radius: T,
}
struct Floor<T>(T);

fn dot<T: Number>(a: [T; 3], b: [T; 3]) -> T {
    a.iter().zip(b).map(|(&a, b)| a * b).sum()
}

impl<T: Number> Surface<T> for Ball<T> {
    fn hit(&self, from: [T; 3], towards: [T; 3]) -> Option<Hit<T>> {
        let apart: [T; 3] = std::array::from_fn(|i| from[i] - self.centre[i]);
        let b = dot(apart, towards);
        let inside = b * b - dot(apart, apart) + self.radius * self.radius;
        if inside <= 0.0 {
            return None;
        }
        let distance = -b - inside.sqrt();
        (distance > 1e-3).then(|| {
            let normal = std::array::from_fn(|i| (apart[i] + towards[i] * distance) / self.radius);
            Hit { distance, normal, reflects: 0.6 }
        })
    }
}

impl<T: Number> Surface<T> for Floor<T> {
    fn hit(&self, from: [T; 3], towards: [T; 3]) -> Option<Hit<T>> {
        let distance = (self.0 - from[1]) / towards[1];
        (distance > 1e-3).then(|| Hit { distance, normal: [T::from(0.0), T::from(1.0), T::from(0.0)], reflects: 0.3 })
    }
}

fn light<T: Number>(scene: &[Box<dyn Surface<T>>], from: [T; 3], towards: [T; 3], depth: usize) -> T {
    let nearest = scene
        .iter()
        .filter_map(|surface| surface.hit(from, towards))
        .min_by(|a, b| a.distance.partial_cmp(&b.distance).unwrap());
    match nearest {
        None => towards[1] * 0.5 + 0.5,
        Some(hit) if depth == 0 => hit.normal[1].max(T::from(0.0)),
        Some(Hit { distance, normal, reflects }) => {
            let at = std::array::from_fn(|i| from[i] + towards[i] * distance);
            let along = dot(towards, normal) * 2.0;
            let mirrored = std::array::from_fn(|i| towards[i] - normal[i] * along);
            normal[1] * (1.0 - reflects) + light(scene, at, mirrored, depth - 1) * reflects
        }
    }
}

pub fn rays_traced<T: Number>(xs: &[T], k: usize) -> T {
    let mut scene: Vec<Box<dyn Surface<T>>> = vec![Box::new(Floor(T::from(-1.5)))];
    for (i, &x) in xs.iter().enumerate() {
        scene.push(Box::new(Ball { centre: [x, T::from(-0.5), T::from(3.0 + i as f64)], radius: x.abs() * 0.3 + 0.5 }));
    }
    let towards = [xs[0] * 0.1, T::from(-0.2), T::from(1.0)];
    let length = dot(towards, towards).sqrt();
    light(&scene, [T::from(0.0); 3], towards.map(|t| t / length), k)
}
