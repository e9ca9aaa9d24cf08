// Two arms of a `match` come to be loops of `tanh` alone, which Enzyme takes out: a phi then has `t` twice from one block.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let (mut t, mut last) = (xs[0], xs[0]);
    for &x in xs {
        let half = x;
        let _unused = loop {
            match k % 4 {
                0 => {}
                1 | 2 => t += x,
                _ => last = half * 0.5,
            }
            if true {
                break half.tanh();
            }
        };
        for &y in xs {
            last = y;
        }
    }
    t + last * 0.5
}
