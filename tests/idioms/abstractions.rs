use crate::dual::Number;
use std::marker::PhantomData;
use std::ops::{Add, Index, Mul};

#[derive(Clone, Copy)]
struct Polynomial<T, const N: usize>([T; N]);

impl<T: Number, const N: usize> Polynomial<T, N> {
    fn at(&self, x: T) -> T {
        self.0.iter().rev().fold(T::from(0.0), |sum, &c| sum * x + c)
    }

    fn derivative(&self) -> Self {
        Polynomial(std::array::from_fn(|i| self.0.get(i + 1).map_or(T::from(0.0), |&c| c * (i as f64 + 1.0))))
    }
}

pub fn polynomial_of_fixed_degree<T: Number>(xs: &[T], _k: usize) -> T {
    let polynomial = Polynomial([xs[0], T::from(1.0), xs[xs.len() - 1], T::from(-0.5)]);
    xs.iter().map(|&x| polynomial.at(x) + polynomial.derivative().at(x)).sum()
}

trait Monoid: Copy {
    const EMPTY: Self;
    fn joined(self, other: Self) -> Self;

    fn all(items: impl IntoIterator<Item = Self>) -> Self {
        items.into_iter().fold(Self::EMPTY, Self::joined)
    }
}

/// An affine map `x ↦ slope · x + offset`, if it is not the identity.
#[derive(Clone, Copy)]
struct Affine<T>(Option<(T, T)>);

impl<T: Number> Monoid for Affine<T> {
    const EMPTY: Self = Affine(None);
    fn joined(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some((a, b)), Some((c, d))) => Affine(Some((a * c, b * c + d))),
            (one, None) | (None, one) => Affine(one),
        }
    }
}

pub fn monoid_of_affine_maps<T: Number>(xs: &[T], _k: usize) -> T {
    let maps = xs.iter().map(|&x| Affine(Some((x * 0.5, x * x))));
    Affine::all(maps).0.map_or(T::from(0.0), |(slope, offset)| slope * 3.0 + offset)
}

trait Unit {
    const SCALE: f64;
}
struct Metres;
struct Feet;
impl Unit for Metres {
    const SCALE: f64 = 1.0;
}
impl Unit for Feet {
    const SCALE: f64 = 0.3048;
}

struct Length<T, U> {
    amount: T,
    unit: PhantomData<U>,
}

impl<T: Number, U: Unit> Length<T, U> {
    fn new(amount: T) -> Self {
        Length { amount, unit: PhantomData }
    }

    fn to<V: Unit>(&self) -> Length<T, V> {
        Length::new(self.amount * (U::SCALE / V::SCALE))
    }
}

impl<T: Number, U: Unit, V: Unit> Add<Length<T, V>> for Length<T, U> {
    type Output = Self;
    fn add(self, other: Length<T, V>) -> Self {
        Length::new(self.amount + other.to::<U>().amount)
    }
}

pub fn lengths_with_units<T: Number>(xs: &[T], _k: usize) -> T {
    let total = xs.iter().fold(Length::<T, Metres>::new(T::from(1.0)), |sum, &x| sum + Length::<T, Feet>::new(x * x));
    total.to::<Feet>().amount
}

trait Space {
    type Point: Copy;
    type Scalar;
    fn distance(&self, a: Self::Point, b: Self::Point) -> Self::Scalar;
}

struct Line<T>(PhantomData<T>);
struct Torus<T> {
    size: T,
}

impl<T: Number> Space for Line<T> {
    type Point = T;
    type Scalar = T;
    fn distance(&self, a: T, b: T) -> T {
        (a - b).abs()
    }
}

impl<T: Number> Space for Torus<T> {
    type Point = (T, T);
    type Scalar = T;
    fn distance(&self, (a, b): (T, T), (c, d): (T, T)) -> T {
        let wrapped = |x: T| x - self.size * (x / self.size + 0.5).floor();
        wrapped(a - c).hypot(wrapped(b - d))
    }
}

fn travelled<S: Space<Scalar: std::iter::Sum>>(space: &S, path: &[S::Point]) -> S::Scalar {
    path.windows(2).map(|step| space.distance(step[0], step[1])).sum()
}

pub fn distances_by_associated_types<T: Number>(xs: &[T], _k: usize) -> T {
    let path: Vec<(T, T)> = xs.iter().enumerate().map(|(i, &x)| (x, x * 0.5 + i as f64 * 0.3)).collect();
    let torus = Torus { size: xs[0] * xs[0] + 2.0 };
    travelled(&Line(PhantomData), xs) + travelled(&torus, &path) + torus.size
}

#[derive(Clone)]
struct Grid<T, const W: usize> {
    rows: Vec<[T; W]>,
}

impl<T, const W: usize> Index<(usize, usize)> for Grid<T, W> {
    type Output = T;
    fn index(&self, (row, column): (usize, usize)) -> &T {
        &self.rows[row % self.rows.len()][column % W]
    }
}

pub fn grid_of_fixed_width<T: Number>(xs: &[T], k: usize) -> T {
    let mut grid = Grid::<T, 3> { rows: xs.iter().map(|&x| [x, x * x, T::from(0.5)]).collect() };
    for _ in 0..k {
        let old = grid.clone();
        for (i, row) in grid.rows.iter_mut().enumerate() {
            for (j, cell) in row.iter_mut().enumerate() {
                *cell = old[(i, j)] * 0.6 + old[(i + 1, j)] * 0.2 + old[(i, j + 1)] * 0.2;
            }
        }
    }
    grid.rows.iter().flatten().sum()
}

trait Scaled {
    fn scaled(&self, by: f64) -> Self;
}

impl<T: Number> Scaled for T {
    fn scaled(&self, by: f64) -> T {
        *self * by
    }
}

impl<S: Scaled> Scaled for Vec<S> {
    fn scaled(&self, by: f64) -> Self {
        self.iter().map(|item| item.scaled(by)).collect()
    }
}

impl<S: Scaled> Scaled for Option<S> {
    fn scaled(&self, by: f64) -> Self {
        self.as_ref().map(|item| item.scaled(by))
    }
}

pub fn blanket_implementations<T: Number>(xs: &[T], _k: usize) -> T {
    let nested: Vec<Option<Vec<T>>> = xs.chunks(2).map(|pair| (pair[0] > -1.0).then(|| pair.to_vec())).collect();
    nested.scaled(1.5).into_iter().flatten().flatten().map(|x| x * x).sum::<T>() + xs[0]
}

#[derive(Clone, Copy)]
struct Jet<T> {
    value: T,
    slope: T,
}

impl<T: Number> Mul for Jet<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Jet { value: self.value * other.value, slope: self.slope * other.value + self.value * other.slope }
    }
}

impl<T: Number> Add for Jet<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Jet { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

fn cubed<N: Copy + Mul<Output = N> + Add<Output = N>>(x: N) -> N {
    x * x * x + x * x
}

pub fn derivative_within<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter().map(|&value| cubed(Jet { value, slope: T::from(1.0) })).map(|jet| jet.slope * jet.slope + jet.value).sum()
}
