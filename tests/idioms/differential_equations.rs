use crate::dual::Number;

/// A step of the classical Runge–Kutta method.
fn rk4<T: Number, const N: usize>(slope: impl Fn(&[T; N]) -> [T; N], y: [T; N], h: f64) -> [T; N] {
    let moved = |by: &[T; N], h: f64| std::array::from_fn(|i| y[i] + by[i] * h);
    let a = slope(&y);
    let b = slope(&moved(&a, h / 2.0));
    let c = slope(&moved(&b, h / 2.0));
    let d = slope(&moved(&c, h));
    std::array::from_fn(|i| y[i] + (a[i] + b[i] * 2.0 + c[i] * 2.0 + d[i]) * (h / 6.0))
}

pub fn euler_decay<T: Number>(xs: &[T], _k: usize) -> T {
    let mut y = T::from(1.0);
    for rate in xs {
        y += -y * *rate * 0.1;
    }
    y
}

pub fn lorenz_attractor<T: Number>(xs: &[T], k: usize) -> T {
    let [sigma, rho, beta] = [10.0, 28.0, 8.0 / 3.0];
    let slope = |&[x, y, z]: &[T; 3]| [(y - x) * sigma, x * (-z + rho) - y, x * y - z * beta];
    let mut state = [xs[0], xs[xs.len() - 1], xs[xs.len() / 2] + 10.0];
    for _ in 0..5 + k {
        state = rk4(slope, state, 0.01);
    }
    state.iter().sum()
}

pub fn van_der_pol_driven<T: Number>(xs: &[T], _k: usize) -> T {
    let mut y = [T::from(1.0), T::from(0.0)];
    for &force in xs {
        y = rk4(|&[x, v]| [v, v * (-x * x + 1.0) * 0.8 - x + force], y, 0.05);
    }
    y[0] + y[1] * y[1]
}

/// A pendulum, and what moves it.
struct Pendulum<T> {
    angle: T,
    speed: T,
    length: T,
}

impl<T: Number> Pendulum<T> {
    fn kick(&mut self, h: f64) {
        self.speed -= self.angle.sin() / self.length * (9.81 * h);
    }

    fn step(&mut self, h: f64) -> &mut Self {
        self.kick(h / 2.0);
        self.angle += self.speed * h;
        self.kick(h / 2.0);
        self
    }

    fn energy(&self) -> T {
        self.speed * self.speed * self.length * self.length * 0.5 - self.length * self.angle.cos() * 9.81
    }
}

pub fn pendulum_by_leapfrog<T: Number>(xs: &[T], k: usize) -> T {
    let mut total = T::from(0.0);
    for &angle in xs {
        let mut pendulum = Pendulum { angle, speed: T::from(0.2), length: angle * angle + 1.0 };
        for _ in 0..k + 2 {
            pendulum.step(0.01).step(0.02);
        }
        total += pendulum.energy() + pendulum.angle;
    }
    total
}

pub fn adaptive_heun<T: Number>(xs: &[T], _k: usize) -> T {
    let slope = |t: f64, y: T| -y * xs[0] + xs[xs.len() - 1] * t.cos();
    let (mut t, mut h, mut y) = (0.0, 0.2, T::from(1.0));
    while t < 1.0 {
        let a = slope(t, y);
        let b = slope(t + h, y + a * h);
        let error = ((b - a) * (0.5 * h)).value().abs();
        if error > 0.01 {
            h *= 0.5;
            continue;
        }
        y += (a + b) * (0.5 * h);
        t += h;
        if error < 0.002 {
            h *= 1.5;
        }
    }
    y
}

pub fn heat_equation<T: Number>(xs: &[T], k: usize) -> T {
    let mut rod = xs.to_vec();
    let mut next = vec![T::default(); rod.len()];
    for _ in 0..2 * k + 3 {
        for (i, cell) in next.iter_mut().enumerate() {
            let left = rod[i.saturating_sub(1)];
            let right = rod[(i + 1).min(rod.len() - 1)];
            *cell = rod[i] + (left - rod[i] * 2.0 + right) * 0.2;
        }
        std::mem::swap(&mut rod, &mut next);
    }
    rod.iter().zip(xs).map(|(&r, &x)| r * x).sum()
}

pub fn wave_equation<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len() + 2;
    let mut before = vec![T::from(0.0); n];
    before[1..n - 1].copy_from_slice(xs);
    let mut now = before.clone();
    for _ in 0..k + 3 {
        let mut after = vec![T::from(0.0); n];
        for i in 1..n - 1 {
            after[i] = now[i] * 2.0 - before[i] + (now[i - 1] - now[i] * 2.0 + now[i + 1]) * 0.25;
        }
        (before, now) = (now, after);
    }
    now.iter().map(|&u| u * u).sum()
}

#[derive(Clone, Copy)]
struct Populations<T> {
    prey: T,
    predators: T,
}

pub fn predators_and_prey<T: Number>(xs: &[T], _k: usize) -> T {
    let start = Populations { prey: T::from(2.0), predators: T::from(1.0) };
    let end = xs.iter().fold(start, |Populations { prey, predators }, &growth| Populations {
        prey: prey + prey * (growth - predators * 0.5) * 0.1,
        predators: predators + predators * (prey * 0.3 - 0.4) * 0.1,
    });
    end.prey * end.predators
}

pub fn implicit_euler_by_newton<T: Number>(xs: &[T], _k: usize) -> T {
    let h = 0.1;
    xs.iter().fold(T::from(0.5), |y, &stiffness| {
        let rate = stiffness * stiffness + 1.0;
        let mut next = y;
        for _ in 0..4 {
            let residual = next - y + rate * next * next * next * h;
            let slope = rate * next * next * (3.0 * h) + 1.0;
            next -= residual / slope;
        }
        next
    })
}

pub fn adams_bashforth<T: Number>(xs: &[T], _k: usize) -> T {
    let slope = |y: T, x: T| x - y * y * 0.3;
    let mut previous: Option<T> = None;
    let mut y = T::from(0.2);
    for &x in xs {
        let now = slope(y, x);
        y += match previous.replace(now) {
            Some(before) => (now * 3.0 - before) * 0.05,
            None => now * 0.1,
        };
    }
    y
}
