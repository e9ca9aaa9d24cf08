use crate::dual::Number;

pub fn prints_seldom<T: Number>(xs: &[T], _k: usize) -> T {
    let mut s = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        s += x * x;
        if i == 100 {
            println!("at {i}");
        }
    }
    s
}

pub fn string_keys<T: Number>(xs: &[T], _k: usize) -> T {
    let names: Vec<String> = (0..xs.len()).map(|i| format!("x{i}")).collect();
    xs.iter().zip(&names).map(|(&x, n)| x * x * (n.len() as f64)).sum()
}
