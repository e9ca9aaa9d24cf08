use crate::dual::Number;
use std::ops::{Add, Index, IndexMut, Mul};

#[derive(Clone, Debug)]
struct Grid<T> {
    rows: usize,
    columns: usize,
    cells: Vec<T>,
}

impl<T: Number> Grid<T> {
    fn from_fn(rows: usize, columns: usize, cell: impl Fn(usize, usize) -> T) -> Self {
        let cells = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).map(|(i, j)| cell(i, j)).collect();
        Grid { rows, columns, cells }
    }

    fn row(&self, i: usize) -> &[T] {
        &self.cells[i * self.columns..(i + 1) * self.columns]
    }

    fn transposed(&self) -> Self {
        Grid::from_fn(self.columns, self.rows, |i, j| self[(j, i)])
    }

    fn neighbours(&self, i: usize, j: usize) -> impl Iterator<Item = T> + '_ {
        [(-1, 0), (1, 0), (0, -1), (0, 1)].into_iter().filter_map(move |(di, dj): (isize, isize)| {
            let (i, j) = (i.checked_add_signed(di)?, j.checked_add_signed(dj)?);
            (i < self.rows && j < self.columns).then(|| self[(i, j)])
        })
    }
}

impl<T> Index<(usize, usize)> for Grid<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.cells[i * self.columns + j]
    }
}

impl<T> IndexMut<(usize, usize)> for Grid<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.cells[i * self.columns + j]
    }
}

impl<T: Number> Mul for &Grid<T> {
    type Output = Grid<T>;
    fn mul(self, other: &Grid<T>) -> Grid<T> {
        let turned = other.transposed();
        Grid::from_fn(self.rows, other.columns, |i, j| {
            self.row(i).iter().zip(turned.row(j)).map(|(&a, &b)| a * b).sum()
        })
    }
}

impl<T: Number> Add for Grid<T> {
    type Output = Grid<T>;
    fn add(mut self, other: Grid<T>) -> Grid<T> {
        self.cells.iter_mut().zip(other.cells).for_each(|(a, b)| *a += b);
        self
    }
}

fn square<T: Number>(xs: &[T]) -> Grid<T> {
    let n = xs.len();
    Grid::from_fn(n, n, |i, j| xs[(i + 2 * j) % n] * (0.1 * (i as f64 - j as f64)).cos())
}

pub fn grid_smoothed_by_neighbours<T: Number>(xs: &[T], k: usize) -> T {
    let mut grid = square(xs);
    for _ in 0..=k {
        let old = grid.clone();
        for i in 0..grid.rows {
            for j in 0..grid.columns {
                let (sum, count) = old.neighbours(i, j).fold((T::from(0.0), 0), |(s, c), x| (s + x, c + 1));
                if count > 0 {
                    grid[(i, j)] = old[(i, j)] * 0.6 + sum / count as f64 * 0.4;
                }
            }
        }
    }
    grid.cells.iter().map(|&x| x * x).sum()
}

pub fn grid_products<T: Number>(xs: &[T], k: usize) -> T {
    let grid = square(xs);
    let mut power = grid.clone();
    for _ in 0..k {
        power = &(&power * &grid) + &grid.transposed();
    }
    (0..grid.rows).map(|i| power[(i, i)]).sum::<T>() * 1e-2
}

impl<T: Number> Add for &Grid<T> {
    type Output = Grid<T>;
    fn add(self, other: &Grid<T>) -> Grid<T> {
        Grid::from_fn(self.rows, self.columns, |i, j| self[(i, j)] * 0.1 + other[(i, j)])
    }
}

pub fn seam_of_least_energy<T: Number>(xs: &[T], _k: usize) -> T {
    let grid = square(xs);
    let mut least: Vec<T> = grid.row(0).to_vec();
    for i in 1..grid.rows {
        least = (0..grid.columns)
            .map(|j| {
                let from = j.saturating_sub(1)..(j + 2).min(grid.columns);
                let best = least[from].iter().copied().min_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
                best + grid[(i, j)] * grid[(i, j)]
            })
            .collect();
    }
    least.into_iter().reduce(|a, b| if b < a { b } else { a }).unwrap()
}

pub fn summed_area_table<T: Number>(xs: &[T], k: usize) -> T {
    let grid = square(xs);
    let mut table = Grid {
        rows: grid.rows + 1,
        columns: grid.columns + 1,
        cells: vec![T::from(0.0); (grid.rows + 1) * (grid.columns + 1)],
    };
    for i in 0..grid.rows {
        for j in 0..grid.columns {
            table[(i + 1, j + 1)] = grid[(i, j)] + table[(i, j + 1)] + table[(i + 1, j)] - table[(i, j)];
        }
    }
    let side = (k + 1).min(grid.rows);
    let mut best = T::from(f64::NEG_INFINITY);
    for i in 0..=grid.rows - side {
        for j in 0..=grid.columns - side {
            let sum = table[(i + side, j + side)] - table[(i, j + side)] - table[(i + side, j)] + table[(i, j)];
            best = best.max(sum * sum);
        }
    }
    best
}

pub fn game_of_levels<T: Number>(xs: &[T], k: usize) -> T {
    let mut now = square(xs);
    let mut next = now.clone();
    for step in 0..k + 2 {
        for i in 0..now.rows {
            for j in 0..now.columns {
                let high = now.neighbours(i, j).filter(|&x| x > 0.2).count();
                next[(i, j)] = match high {
                    0 | 1 => now[(i, j)] * 0.5,
                    2 => now[(i, j)],
                    _ if step % 2 == 0 => now[(i, j)].tanh(),
                    _ => T::from(0.3),
                };
            }
        }
        std::mem::swap(&mut now, &mut next);
    }
    now.cells.iter().enumerate().map(|(i, &x)| x * (i as f64).sin()).sum()
}
