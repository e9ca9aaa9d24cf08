// What a place of the grid becomes is known by what returns it: where it was not, a rung of the ladder copied no adjoint.
#[derive(Clone, Copy)]
enum Pay<T> {
    Full(T, u32),
    Words(u64, u64),
    Unit,
}

#[inline(never)]
fn paid<T: Number>(pay: Pay<T>, x: T) -> Pay<T> {
    match pay {
        Pay::Full(y, n) => Pay::Full(y * x, n + 1),
        other => other,
    }
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut grid = [[Pay::Unit; 3]; 2];
    for (i, &x) in xs.iter().enumerate() {
        grid[i % 2][(i + k) % 3] = match grid[(i + 1) % 2][i % 3] {
            Pay::Unit if i % 3 == 0 => Pay::Full(x, i as u32 + 1),
            Pay::Unit => Pay::Words(i as u64, k as u64),
            Pay::Words(a, b) => Pay::Words(b, a),
            other => paid(other, x),
        };
    }
    let value = |pay: &Pay<T>| match *pay {
        Pay::Full(x, n) => x * n as f64,
        Pay::Words(a, b) => T::from((a * 3 + b) as f64),
        Pay::Unit => T::from(0.25),
    };
    grid.iter().flatten().map(value).sum()
}
