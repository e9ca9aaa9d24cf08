// A recursive function of constants that returns at once in one branch: "No create nofree of empty function".
#[inline(never)]
fn power<T: Number>(x: T, y: T, n: usize) -> T {
    if n == 0 {
        return y;
    }
    let all = vec![y; n % 9];
    let one = power(x * x, all.iter().copied().fold(x, |_, _| y), n - 1);
    one * y
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let most = xs.len() % 4 + 1;
    let mut grid: Vec<Vec<T>> = (0..most)
        .map(|i| (0..most).map(|j| if i == j { T::from(3.0) + power(T::from(0.5), T::from(1.5), i % 4) } else { xs[k % xs.len()] }).collect())
        .collect();
    for i in 1..most {
        let by = grid[i][0] / grid[0][0];
        grid[i][i] -= by;
    }
    grid[most - 1][most - 1]
}
