// Loops in which nothing has a derivative: the outer one's first run does not come by the inner one, its last run does.
pub fn body<T: Number>(xs: &[T], _k: usize) -> T {
    for _ in xs.iter().step_by(3) {
        let mut left = xs.len();
        while left >= 4 {
            left -= 1;
            let _ = xs[left];
        }
        let mut all = xs.iter();
        while let Some(_) = all.next() {
            let mut all_again = xs.iter();
            while let Some(_) = all_again.next() {
                all_again.next();
            }
            all.next();
        }
    }
    xs[0]
}
