// Integers of one variant that are computed with lie where another has a float: what was one word came as an integer alone.
#[derive(Clone, Copy)]
enum Value<T> {
    Real(T),
    Count(i64),
}

impl<T: Number> Value<T> {
    fn real(self) -> T {
        match self {
            Value::Real(x) => x,
            Value::Count(n) => T::from(n as f64),
        }
    }
}

#[inline(never)]
fn add<T: Number>(registers: &mut [Value<T>; 2], x: T) {
    registers[0] = match (registers[0], registers[1]) {
        (Value::Count(a), Value::Count(b)) => Value::Count(a + b),
        (a, b) => Value::Real(a.real() + b.real() * x),
    };
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    enum State<T> {
        Begin,
        Rising(T, u32),
        Falling { from: T, low: T },
        Done(u64),
    }
    let mut registers = [Value::Count(1), Value::Count(k as i64)];
    let mut state = State::Begin;
    let mut sum = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        if i == 2 {
            registers[1] = Value::Real(x);
        }
        add(&mut registers, x);
        state = match state {
            State::Begin => State::Rising(x, 1),
            State::Rising(before, n) if x > before => {
                sum += x - before;
                State::Rising(x, n + 1)
            }
            State::Rising(_, n) if n as usize > k => State::Done(n as u64),
            State::Rising(before, _) => State::Falling { from: before, low: x },
            State::Falling { from, low } if x < low => State::Falling { from, low: x },
            State::Falling { from, low } => {
                sum += from * low;
                State::Rising(x, 0)
            }
            State::Done(n) => State::Done(n + i as u64),
        };
    }
    let last = match state {
        State::Begin => T::from(0.0),
        State::Rising(x, n) => x * x * n as f64,
        State::Falling { from, low } => from * low,
        State::Done(n) => xs[0] * n as f64,
    };
    sum + registers[0].real() + last
}
