use crate::dual::Number;
use std::f64::consts::PI;

#[derive(Clone, Debug)]
struct Rk45State<T> {
    t: T,
    h: T,
    y: Vec<T>,
    accepted: usize,
    rejected: usize,
}

struct DormandPrince<F> {
    rhs: F,
    tolerance: f64,
}

const DP_C: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
const DP_A: [[f64; 6]; 7] = [
    [0.0; 6],
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
const DP_E: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];

impl<F> DormandPrince<F> {
    fn step<T: Number>(&self, state: &mut Rk45State<T>) -> bool
    where
        F: Fn(T, &[T]) -> Vec<T>,
    {
        let n = state.y.len();
        let mut stages: Vec<Vec<T>> = Vec::with_capacity(7);
        let mut y = state.y.clone();
        for s in 0..7 {
            for i in 0..n {
                let mut sum = T::from(0.0);
                for (p, stage) in stages.iter().enumerate() {
                    sum += stage[i] * DP_A[s][p];
                }
                y[i] = state.y[i] + state.h * sum;
            }
            stages.push((self.rhs)(state.t + state.h * DP_C[s], &y));
        }
        let mut error = T::from(0.0);
        for i in 0..n {
            let e: T = stages.iter().zip(DP_E).map(|(stage, weight)| stage[i] * weight).sum();
            let scale = state.y[i].abs().max(y[i].abs()) * self.tolerance + self.tolerance;
            let ratio = e * state.h / scale;
            error += ratio * ratio;
        }
        error = (error / n as f64 + 1e-12).sqrt();
        let factor = (error.powf(T::from(-0.2)) * 0.9).max(T::from(0.2)).min(T::from(3.0));
        if error <= 1.0 {
            state.t += state.h;
            state.y = y;
            state.h *= factor;
            state.accepted += 1;
            true
        } else {
            state.h *= factor.min(T::from(1.0));
            state.rejected += 1;
            false
        }
    }
}

pub fn dormand_prince_driven_oscillators<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let rhs = |t: T, y: &[T]| {
        let mut dy = vec![T::from(0.0); n];
        for i in 0..n {
            let next = y[(i + 1) % n];
            dy[i] = -y[i] * y[i] * y[i] * 0.3 + (t * (1.0 + 0.2 * i as f64)).sin() * next * 0.5;
        }
        dy
    };
    let solver = DormandPrince { rhs, tolerance: 1e-4 };
    let end = 0.8 + 0.4 * k as f64;
    let mut state = Rk45State { t: T::from(0.0), h: T::from(0.4), y: xs.to_vec(), accepted: 0, rejected: 0 };
    while state.t < end {
        if state.accepted + state.rejected > 30 {
            break;
        }
        if state.t + state.h > end {
            state.h = -state.t + end;
        }
        if !solver.step(&mut state) && state.h < 1e-6 {
            return T::from(0.0);
        }
    }
    state.y.iter().map(|&y| y * y).sum()
}

fn rk4<T: Number>(f: &dyn Fn(f64, T) -> T, t: f64, y: T, h: f64) -> T {
    let k1 = f(t, y);
    let k2 = f(t + h / 2.0, y + k1 * (h / 2.0));
    let k3 = f(t + h / 2.0, y + k2 * (h / 2.0));
    let k4 = f(t + h, y + k3 * h);
    y + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0)
}

pub fn adams_moulton_predictor_corrector<T: Number>(xs: &[T], k: usize) -> T {
    let growth = xs[0] * 0.4 + 1.0;
    let capacity = xs.iter().map(|&x| x * x).sum::<T>() + 1.0;
    let harvest = xs[xs.len() - 1] * 0.05;
    let f = move |t: f64, y: T| growth * y * (T::from(1.0) - y / capacity) - harvest * t.cos();
    let h = 0.1;
    let steps = 8 + 4 * k;
    let mut t = 0.0;
    let mut y = T::from(0.5);
    let mut history = [T::default(); 4];
    history[0] = f(t, y);
    for i in 1..4 {
        y = rk4(&f, t, y, h);
        t += h;
        history[i] = f(t, y);
    }
    let mut worst = T::default();
    for _ in 3..steps {
        let [f0, f1, f2, f3] = history;
        let predicted = y + (f3 * 55.0 - f2 * 59.0 + f1 * 37.0 - f0 * 9.0) * (h / 24.0);
        let fp = f(t + h, predicted);
        let corrected = y + (fp * 9.0 + f3 * 19.0 - f2 * 5.0 + f1) * (h / 24.0);
        let local = (corrected - predicted) * (19.0 / 270.0);
        if local.abs() > worst.abs() {
            worst = local;
        }
        y = corrected - local;
        t += h;
        history.rotate_left(1);
        history[3] = f(t, y);
    }
    y + worst * 100.0
}

fn modified_midpoint<T: Number>(y: &[T], h: f64, n: usize, f: &impl Fn(&[T], &mut [T])) -> Vec<T> {
    let dim = y.len();
    let step = h / n as f64;
    let mut dydx = vec![T::default(); dim];
    f(y, &mut dydx);
    let mut z0 = y.to_vec();
    let mut z1: Vec<T> = (0..dim).map(|i| y[i] + dydx[i] * step).collect();
    for _ in 1..n {
        f(&z1, &mut dydx);
        for i in 0..dim {
            let next = z0[i] + dydx[i] * (2.0 * step);
            z0[i] = z1[i];
            z1[i] = next;
        }
    }
    f(&z1, &mut dydx);
    (0..dim).map(|i| (z0[i] + z1[i] + dydx[i] * step) * 0.5).collect()
}

pub fn bulirsch_stoer_lotka_volterra_chain<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let derivative = |y: &[T], dy: &mut [T]| {
        for i in 0..n {
            let prey = if i > 0 { y[i - 1] } else { T::from(0.8) };
            let hunter = if i + 1 < n { y[i + 1] } else { T::default() };
            dy[i] = y[i] * (prey * 0.5 - hunter * 0.4 - y[i] * 0.2);
        }
    };
    let mut y: Vec<T> = xs.iter().map(|&x| (x * 0.5).exp()).collect();
    for _ in 0..k + 1 {
        let mut table: Vec<Vec<Vec<T>>> = Vec::new();
        for (row, &substeps) in [2usize, 4, 6, 8, 10].iter().enumerate() {
            let mut current = vec![modified_midpoint(&y, 0.5, substeps, &derivative)];
            for col in 1..=row {
                let ratio = substeps as f64 / [2usize, 4, 6, 8, 10][row - col] as f64;
                let refined = (0..n)
                    .map(|i| {
                        let (fine, coarse) = (current[col - 1][i], table[row - 1][col - 1][i]);
                        fine + (fine - coarse) / (ratio * ratio - 1.0)
                    })
                    .collect();
                current.push(refined);
            }
            let mut error: f64 = 0.0;
            if row > 0 {
                for i in 0..n {
                    error = error.max((current[row][i] - current[row - 1][i]).abs().value());
                }
            }
            table.push(current);
            if row > 0 && error < 1e-6 {
                break;
            }
        }
        y = table.pop().and_then(|mut row| row.pop()).unwrap();
    }
    y.iter().map(|y| y.ln()).sum()
}

/// Solves a tridiagonal system; `None` if a pivot vanishes.
fn tridag<T: Number>(a: &[T], b: &[T], c: &[T], r: &[T]) -> Option<Vec<T>> {
    let n = b.len();
    let mut gam = vec![T::default(); n];
    let mut u = vec![T::default(); n];
    if b[0] == 0.0 {
        return None;
    }
    let mut bet = b[0];
    u[0] = r[0] / bet;
    for j in 1..n {
        gam[j] = c[j - 1] / bet;
        bet = b[j] - a[j] * gam[j];
        if bet == 0.0 {
            return None;
        }
        u[j] = (r[j] - a[j] * u[j - 1]) / bet;
    }
    for j in (0..n - 1).rev() {
        u[j] = u[j] - gam[j + 1] * u[j + 1];
    }
    Some(u)
}

pub fn crank_nicolson_black_scholes<T: Number>(xs: &[T], k: usize) -> T {
    let n = 12;
    let volatility = xs[0] * 0.05 + 0.3;
    let rate = xs[xs.len() - 1].tanh() * 0.02 + 0.04;
    let dt = 0.05;
    let payoff = |i: usize| {
        let intrinsic = i as f64 * 0.2 - 1.0;
        if intrinsic > 0.0 { T::from(intrinsic) } else { T::default() }
    };
    let mut u: Vec<T> = (0..=n).map(|i| payoff(i) + xs[i % xs.len()] * xs[i % xs.len()] * 0.01).collect();
    for _ in 0..2 * k + 3 {
        let mut a = vec![T::default(); n + 1];
        let mut b = vec![T::from(1.0); n + 1];
        let mut c = vec![T::default(); n + 1];
        let mut r = u.clone();
        for i in 1..n {
            let s = i as f64;
            let diffusion = volatility * volatility * (0.5 * s * s);
            let drift = rate * (0.5 * s);
            let lower = (diffusion - drift) * (dt * 0.5);
            let upper = (diffusion + drift) * (dt * 0.5);
            let middle = (diffusion * 2.0 + rate) * (dt * 0.5);
            a[i] = -lower;
            b[i] = middle + 1.0;
            c[i] = -upper;
            r[i] = lower * u[i - 1] + (T::from(1.0) - middle) * u[i] + upper * u[i + 1];
        }
        r[0] = r[0] * (-rate * dt).exp();
        match tridag(&a, &b, &c, &r) {
            Some(next) => u = next,
            None => return T::default(),
        }
    }
    let delta = (u[6] - u[4]) / 0.4;
    u[5] + delta * 0.1
}

fn smooth<T: Number>(u: &mut [T], f: &[T], h: f64, sweeps: usize) {
    let n = u.len();
    for _ in 0..sweeps {
        for colour in 0..2 {
            let mut i = 1 + colour;
            while i < n - 1 {
                u[i] = (u[i - 1] + u[i + 1] + f[i] * (h * h)) * 0.5;
                i += 2;
            }
        }
    }
}

fn v_cycle<T: Number>(u: &mut Vec<T>, f: &[T], h: f64) {
    let n = u.len();
    if n == 3 {
        u[1] = (u[0] + u[2] + f[1] * (h * h)) * 0.5;
        return;
    }
    smooth(u, f, h, 2);
    let mut residual = vec![T::default(); n];
    for i in 1..n - 1 {
        residual[i] = f[i] - (u[i] * 2.0 - u[i - 1] - u[i + 1]) / (h * h);
    }
    let half = n / 2 + 1;
    let mut coarse = vec![T::default(); half];
    for i in 1..half - 1 {
        coarse[i] = (residual[2 * i - 1] + residual[2 * i] * 2.0 + residual[2 * i + 1]) * 0.25;
    }
    let mut correction = vec![T::default(); half];
    v_cycle(&mut correction, &coarse, h * 2.0);
    for i in 0..half {
        u[2 * i] += correction[i];
        if i + 1 < half {
            u[2 * i + 1] += (correction[i] + correction[i + 1]) * 0.5;
        }
    }
    smooth(u, f, h, 2);
}

pub fn multigrid_v_cycles_for_poisson<T: Number>(xs: &[T], k: usize) -> T {
    let n = (1 << (k + 2)) + 1;
    let h = 1.0 / (n - 1) as f64;
    let f: Vec<T> = (0..n).map(|i| (xs[i % xs.len()] * (1.0 + i as f64 * h)).sin() * 5.0).collect();
    let mut u = vec![T::default(); n];
    u[0] = xs[0];
    u[n - 1] = -xs[xs.len() - 1];
    let mut cycles = 0;
    loop {
        let before = u[n / 2];
        v_cycle(&mut u, &f, h);
        cycles += 1;
        if (u[n / 2] - before).abs() < 1e-9 || cycles >= 8 {
            break;
        }
    }
    u.iter().map(|&v| v * v).sum::<T>() * h
}

#[derive(Clone, Copy)]
struct Planet<T> {
    pos: [T; 2],
    vel: [T; 2],
    acc: [T; 2],
}

impl<T: Number> Planet<T> {
    fn accelerate(&mut self, mu: T) {
        let r2 = self.pos[0] * self.pos[0] + self.pos[1] * self.pos[1] + 0.05;
        let r3 = r2 * r2.sqrt();
        for axis in 0..2 {
            self.acc[axis] = -mu * self.pos[axis] / r3;
        }
    }
}

pub fn velocity_verlet_kepler_eccentricity<T: Number>(xs: &[T], k: usize) -> T {
    let mu = xs[0] * 0.2 + 1.0;
    let dt = 0.08;
    let mut total = T::from(0.0);
    for pair in xs.chunks(2) {
        let mut p = Planet {
            pos: [pair[0].abs() + 0.6, T::from(0.1)],
            vel: [T::from(0.0), pair.get(1).copied().unwrap_or(T::from(0.9)) * 0.3 + 0.7],
            acc: [T::from(0.0); 2],
        };
        p.accelerate(mu);
        for _ in 0..5 * (k + 1) {
            for axis in 0..2 {
                p.vel[axis] += p.acc[axis] * (0.5 * dt);
                p.pos[axis] += p.vel[axis] * dt;
            }
            p.accelerate(mu);
            for axis in 0..2 {
                p.vel[axis] += p.acc[axis] * (0.5 * dt);
            }
        }
        let Planet { pos: [x, y], vel: [vx, vy], .. } = p;
        let momentum = x * vy - y * vx;
        let r = x.hypot(y);
        let ex = vy * momentum / mu - x / r;
        let ey = -vx * momentum / mu - y / r;
        total += (ex * ex + ey * ey).sqrt();
    }
    total
}

/// Nodes and weights on [-1, 1] by Newton on the Legendre polynomials.
fn gauleg(n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut x = vec![0.0; n];
    let mut w = vec![0.0; n];
    for i in 0..n.div_ceil(2) {
        let mut z = (PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let pp = loop {
            let (mut p1, mut p2) = (1.0, 0.0);
            for j in 0..n {
                let p3 = p2;
                p2 = p1;
                p1 = ((2 * j + 1) as f64 * z * p2 - j as f64 * p3) / (j + 1) as f64;
            }
            let pp = n as f64 * (z * p1 - p2) / (z * z - 1.0);
            let z1 = z;
            z = z1 - p1 / pp;
            if (z - z1).abs() < 1e-14 {
                break pp;
            }
        };
        x[i] = -z;
        x[n - 1 - i] = z;
        w[i] = 2.0 / ((1.0 - z * z) * pp * pp);
        w[n - 1 - i] = w[i];
    }
    (x, w)
}

pub fn gauss_legendre_computed_nodes_in_two_dimensions<T: Number>(xs: &[T], k: usize) -> T {
    let (nodes, weights) = gauleg(k + 3);
    let (a, b) = (xs[0], xs[xs.len() - 1] + 2.0);
    let (xm, xr) = ((a + b) * 0.5, (b - a) * 0.5);
    let mut outer = T::default();
    for i in 0..nodes.len() {
        let x = xm + xr * nodes[i];
        // the region is bounded by y = 0 and y = 1 + x^2/4
        let top = x * x * 0.25 + 1.0;
        let mut inner = T::default();
        for j in 0..nodes.len() {
            let y = top * (0.5 * (nodes[j] + 1.0));
            let mut integrand = T::default();
            for (p, &c) in xs.iter().enumerate() {
                integrand += c * (x * 0.4 - y * (p as f64 * 0.3)).cos();
            }
            inner += integrand * weights[j];
        }
        outer += inner * top * (0.5 * weights[i]);
    }
    outer * xr
}

const KRONROD_NODES: [f64; 8] = [
    0.991455371120813,
    0.949107912342759,
    0.864864423359769,
    0.741531185599394,
    0.586087235467691,
    0.405845151377397,
    0.207784955007898,
    0.0,
];
const KRONROD_WEIGHTS: [f64; 8] = [
    0.022935322010529,
    0.063092092629979,
    0.104790010322250,
    0.140653259715525,
    0.169004726639267,
    0.190350578064785,
    0.204432940075298,
    0.209482141084728,
];
const GAUSS_WEIGHTS: [f64; 4] = [0.129484966168870, 0.279705391489277, 0.381830050505119, 0.417959183673469];

struct Panel<T> {
    a: T,
    b: T,
    depth: u32,
}

struct Quadrature<T> {
    value: T,
    error: T,
}

fn gk15<T: Number, F: Fn(T) -> T>(f: &F, a: T, b: T) -> Quadrature<T> {
    let center = (a + b) * 0.5;
    let half = (b - a) * 0.5;
    let fc = f(center);
    let mut kronrod = fc * KRONROD_WEIGHTS[7];
    let mut gauss = fc * GAUSS_WEIGHTS[3];
    for i in 0..7 {
        let dx = half * KRONROD_NODES[i];
        let sum = f(center - dx) + f(center + dx);
        kronrod += sum * KRONROD_WEIGHTS[i];
        if i % 2 == 1 {
            gauss += sum * GAUSS_WEIGHTS[i / 2];
        }
    }
    Quadrature { value: kronrod * half, error: ((kronrod - gauss) * half).abs() }
}

pub fn gauss_kronrod_on_a_stack_of_panels<T: Number>(xs: &[T], k: usize) -> T {
    let f = |t: T| {
        let mut peaks = T::from(0.0);
        for &x in xs {
            peaks += ((t - x) * (t - x) * 8.0 + 0.5).recip();
        }
        peaks
    };
    let mut stack = vec![Panel { a: T::from(-2.0), b: xs[0] * 0.2 + 3.0, depth: 0 }];
    let mut total = T::from(0.0);
    let mut error = T::from(0.0);
    while let Some(Panel { a, b, depth }) = stack.pop() {
        let q = gk15(&f, a, b);
        if q.error < 1e-7 || depth >= 2 + k as u32 {
            total += q.value;
            error += q.error;
            continue;
        }
        let mid = (a + b) * 0.5;
        stack.push(Panel { a, b: mid, depth: depth + 1 });
        stack.push(Panel { a: mid, b, depth: depth + 1 });
    }
    total + error
}

pub fn tanh_sinh_levels_until_settled<T: Number>(xs: &[T], k: usize) -> T {
    let power = xs[0] * 0.3 - 0.4; // an endpoint singularity
    let bend = xs.iter().sum::<T>() * 0.2;
    let f = |x: T| x.powf(power) * (bend * x).cos();
    let mut h = 1.0;
    let mut sum = f(T::from(0.5)) * (PI / 4.0);
    let mut previous = sum;
    for level in 0..k + 3 {
        let (start, stride) = if level == 0 { (1, 1) } else { (1, 2) };
        if level > 0 {
            h *= 0.5;
        }
        let mut j = start;
        loop {
            let t = j as f64 * h;
            if t > 3.0 {
                break;
            }
            let u = (-PI * t.sinh()).exp();
            let x = 1.0 / (1.0 + u);
            let weight = PI * t.cosh() * u / ((1.0 + u) * (1.0 + u));
            let y = u / (1.0 + u);
            sum += (f(T::from(x)) + f(T::from(y))) * weight;
            j += stride;
        }
        let estimate = sum * h;
        if (estimate - previous).abs() < estimate.abs() * 1e-10 {
            return estimate;
        }
        previous = estimate;
    }
    previous
}

pub fn clenshaw_curtis_by_cosine_sums<T: Number>(xs: &[T], k: usize) -> T {
    let n = 2 * (k + 3);
    let half_width = xs.iter().map(|&x| x * x).sum::<T>().sqrt();
    let mut samples = vec![T::default(); n + 1];
    for j in 0..=n {
        let t = half_width * (PI * j as f64 / n as f64).cos();
        samples[j] = (t * 0.7 + xs[j % xs.len()] * 0.2).exp() / (t * t + 1.0);
    }
    let mut integral = T::default();
    for m in (0..=n).step_by(2) {
        let mut a = (samples[0] + samples[n]) * 0.5;
        for j in 1..n {
            a += samples[j] * (PI * (m * j) as f64 / n as f64).cos();
        }
        a = a * (2.0 / n as f64);
        let end = if m == 0 || m == n { 0.5 } else { 1.0 };
        integral += a * end * 2.0 / (1.0 - (m * m) as f64);
    }
    integral * half_width
}

pub fn numerov_energy_by_secant<T: Number>(xs: &[T], k: usize) -> T {
    let n = 24;
    let h = 0.15;
    let anharmonic = xs.iter().map(|&x| x * x).sum::<T>() / xs.len() as f64 * 0.1;
    let tilt = xs[0] * 0.1;
    let potential: Vec<T> = (0..=n)
        .map(|i| {
            let x = (i as f64 - n as f64 / 2.0) * h;
            anharmonic * x.powi(4) + tilt * x + x * x
        })
        .collect();
    let shoot = |energy: T| -> T {
        let g = |i: usize| (energy - potential[i]) * (h * h / 12.0);
        let mut psi = vec![T::default(); n + 1];
        psi[1] = T::from(1e-3);
        for i in 1..n {
            let numerator = psi[i] * (g(i) * -5.0 + 1.0) * 2.0 - psi[i - 1] * (g(i - 1) + 1.0);
            psi[i + 1] = numerator / (g(i + 1) + 1.0);
        }
        psi[n]
    };
    let (mut e0, mut e1) = (T::from(0.9), T::from(1.1));
    let mut f0 = shoot(e0);
    for _ in 0..k + 4 {
        let f1 = shoot(e1);
        if f1.abs() < 1e-9 || (f1 - f0).abs() < 1e-12 {
            break;
        }
        let e2 = e1 - f1 * (e1 - e0) / (f1 - f0);
        (e0, f0, e1) = (e1, f1, e2);
    }
    e1
}

pub fn rosenbrock_stiff_van_der_pol<T: Number>(xs: &[T], k: usize) -> T {
    let gamma = 1.0 - 0.5f64.sqrt();
    let mu = xs.iter().map(|&x| x * x).sum::<T>() * 0.5 + 2.0;
    let f = |y: [T; 2]| [y[1], mu * ((T::from(1.0) - y[0] * y[0]) * y[1]) - y[0]];
    let jacobian =
        |y: [T; 2]| [[T::from(0.0), T::from(1.0)], [mu * y[0] * y[1] * -2.0 - 1.0, mu * (T::from(1.0) - y[0] * y[0])]];
    let mut y = [xs[0] * 0.3 + 1.5, xs[xs.len() - 1] * 0.2];
    let h = 0.05;
    for _ in 0..4 * (k + 1) {
        let j = jacobian(y);
        let mut w = [[T::from(0.0); 2]; 2];
        for r in 0..2 {
            for c in 0..2 {
                w[r][c] = -j[r][c] * (gamma * h) + if r == c { 1.0 } else { 0.0 };
            }
        }
        let det = w[0][0] * w[1][1] - w[0][1] * w[1][0];
        let solve = |b: [T; 2]| [(b[0] * w[1][1] - b[1] * w[0][1]) / det, (b[1] * w[0][0] - b[0] * w[1][0]) / det];
        let k1 = solve(f(y));
        let mid = [y[0] + k1[0] * h, y[1] + k1[1] * h];
        let fm = f(mid);
        let k2 = solve([fm[0] - k1[0] * 2.0, fm[1] - k1[1] * 2.0]);
        for i in 0..2 {
            y[i] += k1[i] * (1.5 * h) + k2[i] * (0.5 * h);
        }
    }
    y[0] * y[0] + y[1]
}

fn minmod<T: Number>(a: T, b: T) -> T {
    if a * b <= 0.0 {
        T::default()
    } else if a.abs() < b.abs() {
        a
    } else {
        b
    }
}

/// Minus the divergence of the Godunov fluxes of Burgers' equation with limited slopes, periodic.
fn burgers_rhs<T: Number>(u: &[T], dx: f64) -> Vec<T> {
    let n = u.len();
    let mut slopes = vec![T::default(); n];
    for i in 0..n {
        slopes[i] = minmod(u[i] - u[(i + n - 1) % n], u[(i + 1) % n] - u[i]);
    }
    let mut flux = vec![T::default(); n];
    for i in 0..n {
        let next = (i + 1) % n;
        let left = u[i] + slopes[i] * 0.5;
        let right = u[next] - slopes[next] * 0.5;
        flux[i] = if left > right {
            if left + right > 0.0 { left * left * 0.5 } else { right * right * 0.5 }
        } else if left > 0.0 {
            left * left * 0.5
        } else if right < 0.0 {
            right * right * 0.5
        } else {
            T::default()
        };
    }
    (0..n).map(|i| (flux[(i + n - 1) % n] - flux[i]) / dx).collect()
}

pub fn burgers_with_limited_slopes<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len() + 5;
    let dx = 1.0 / n as f64;
    let mut u: Vec<T> = (0..n).map(|i| xs[i % xs.len()] * 0.4 + (2.0 * PI * i as f64 * dx + 0.2).sin()).collect();
    let mut time = T::default();
    for _ in 0..k + 2 {
        let fastest = u.iter().fold(T::from(0.1), |fastest, &v| fastest.max(v.abs()));
        let dt = fastest.recip() * (0.4 * dx);
        let l0 = burgers_rhs(&u, dx);
        let stage: Vec<T> = u.iter().zip(&l0).map(|(&u, &l)| u + dt * l).collect();
        let l1 = burgers_rhs(&stage, dx);
        for i in 0..n {
            u[i] = (u[i] + stage[i] + dt * l1[i]) * 0.5;
        }
        time += dt;
    }
    u.iter().map(|&v| v * v).sum::<T>() * dx + time
}

pub fn alternating_directions_heat_plate<T: Number>(xs: &[T], k: usize) -> T {
    let n = 5;
    let lambda = xs[0] * xs[0] * 0.1 + 0.2;
    let mut u = vec![vec![T::default(); n]; n];
    for i in 0..n {
        for j in 0..n {
            u[i][j] = xs[(i * n + j) % xs.len()];
        }
    }
    let lower = vec![-lambda; n];
    let upper = vec![-lambda; n];
    let diagonal = vec![lambda * 2.0 + 1.0; n];
    for half_step in 0..2 * (k + 1) {
        let along_rows = half_step % 2 == 0;
        let at = |i: usize, j: usize| if along_rows { u[i][j] } else { u[j][i] };
        let mut next = vec![vec![T::default(); n]; n];
        for i in 0..n {
            let mut r = vec![T::default(); n];
            for j in 0..n {
                let above = if i > 0 { at(i - 1, j) } else { T::default() };
                let below = if i + 1 < n { at(i + 1, j) } else { T::default() };
                r[j] = at(i, j) + lambda * (above - at(i, j) * 2.0 + below);
            }
            let Some(line) = tridag(&lower, &diagonal, &upper, &r) else {
                return T::default();
            };
            for j in 0..n {
                if along_rows {
                    next[i][j] = line[j];
                } else {
                    next[j][i] = line[j];
                }
            }
        }
        u = next;
    }
    u.iter().flatten().map(|&v| v * v).sum::<T>() + u[n / 2][n / 2]
}

fn radical_inverse(mut index: usize, base: usize) -> f64 {
    let mut result = 0.0;
    let mut fraction = 1.0;
    while index > 0 {
        fraction /= base as f64;
        result += fraction * (index % base) as f64;
        index /= base;
    }
    result
}

pub fn halton_points_with_control_variate<T: Number>(xs: &[T], k: usize) -> T {
    const PRIMES: [usize; 9] = [2, 3, 5, 7, 11, 13, 17, 19, 23];
    let count = 16 + 8 * k;
    let mut values = Vec::with_capacity(count);
    let mut controls = Vec::with_capacity(count);
    for s in 1..=count {
        let mut exponent = T::default();
        let mut control = T::default();
        for (d, &x) in xs.iter().enumerate() {
            let u = radical_inverse(s, PRIMES[d % PRIMES.len()]);
            exponent += x * (u - 0.5);
            control += x * x * u;
        }
        values.push(exponent.exp());
        controls.push(control);
    }
    let mean = |v: &[T]| v.iter().sum::<T>() / v.len() as f64;
    let (mv, mc) = (mean(&values), mean(&controls));
    let (mut cov, mut var) = (T::default(), T::default());
    for (&v, &c) in values.iter().zip(&controls) {
        cov += (v - mv) * (c - mc);
        var += (c - mc) * (c - mc);
    }
    let expected = xs.iter().map(|&x| x * x).sum::<T>() * 0.5;
    if var > 1e-12 { mv - cov / var * (mc - expected) } else { mv }
}
