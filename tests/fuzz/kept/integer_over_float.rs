// Integers take the place of floats in an enum: their bits were added to the adjoints of these, -1 is no number.
enum Value<T> {
    Int(i64),
    Float(T),
    Counted(usize, T),
}

impl<T: Number> Value<T> {
    fn get(&self) -> T {
        match self {
            Value::Int(n) => T::from(*n as f64),
            Value::Float(x) => *x,
            Value::Counted(n, x) => *x * ((n >> 61) as f64),
        }
    }
}

#[inline(never)]
fn count<T: Number>(values: &mut [Value<T>], at: usize, n: usize, x: T) {
    values[at] = Value::Counted(n << 61, x);
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut values: Vec<Value<T>> = xs.iter().map(|&x| Value::Float(x)).collect();
    let mut sum = T::from(0.0);
    for i in 0..values.len() {
        sum += values[i].get() * values[(i * 2) % xs.len()].get();
        match i % 3 {
            0 => count(&mut values, i, k + i, xs[i]),
            1 => values[i] = Value::Int(-(k as i64) - 1),
            _ => {}
        }
        sum += values[i].get() * 0.001;
    }
    sum
}
