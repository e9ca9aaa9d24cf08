use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::dual::Number;

pub fn btree_map_entries<T: Number>(xs: &[T], _k: usize) -> T {
    let mut m = BTreeMap::new();
    for (i, &x) in xs.iter().enumerate() {
        *m.entry(i % 3).or_insert(T::from(1.0)) *= x;
    }
    m.values().copied().sum()
}

pub fn sliding_window<T: Number>(xs: &[T], _k: usize) -> T {
    let mut q = VecDeque::new();
    let mut s = T::from(0.0);
    for &x in xs {
        q.push_back(x);
        if q.len() > 3 {
            let y = q.pop_front().unwrap();
            s += y * x;
        }
    }
    s + q.iter().copied().sum::<T>()
}

pub fn hash_map<T: Number>(xs: &[T], _k: usize) -> T {
    let mut m = HashMap::new();
    for (i, &x) in xs.iter().enumerate() {
        *m.entry(i % 3).or_insert(T::from(1.0)) *= x;
    }
    (0..3).filter_map(|k| m.get(&k).copied()).sum()
}

pub fn while_let_stack<T: Number>(xs: &[T], _k: usize) -> T {
    let mut st: Vec<(usize, usize)> = vec![(0, xs.len())];
    let mut s = T::from(0.0);
    while let Some((a, b)) = st.pop() {
        if b - a <= 2 {
            for &x in &xs[a..b] {
                s += x * x * ((b - a) as f64);
            }
        } else {
            let m = (a + b) / 2;
            st.push((a, m));
            st.push((m, b));
        }
    }
    s
}

pub fn accumulate_map<T: Number>(xs: &[T], _k: usize) -> T {
    let mut bins = [T::from(0.0); 4];
    for (i, &x) in xs.iter().enumerate() {
        bins[(i * i) % 4] += x * x;
    }
    bins.iter().enumerate().map(|(i, &b)| b * b * (i as f64 + 1.0)).sum()
}

pub fn queue_sim<T: Number>(xs: &[T], _k: usize) -> T {
    let mut buf = [T::from(0.0); 8];
    let (mut h, mut t) = (0usize, 0usize);
    let mut s = T::from(0.0);
    for &x in xs {
        buf[t % 8] = x * x;
        t += 1;
        if t - h > 4 {
            s += buf[h % 8] * x;
            h += 1;
        }
    }
    while h < t {
        s += buf[h % 8];
        h += 1;
    }
    s
}
