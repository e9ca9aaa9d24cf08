// `trunc nuw` of a tag of 0, 1 or 2 is poison where it is 2: in the reverse sweep it was asked there, too, and adjoints doubled.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    #[derive(Clone, Copy)]
    struct Mixed<T> {
        x: T,
        n: u16,
        is_even: bool,
    }
    let mut slots: [Option<Mixed<T>>; 3] = [None, None, None];
    let mut sum = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        let j = (i * (k + 1)) % 3;
        if let Some(one) = slots[j].take() {
            sum += one.x;
            if one.is_even {
                slots[(j + 1) % 3] = Some(Mixed { n: one.n + 1, ..one });
            }
        } else {
            slots[j] = Some(Mixed { x, n: i as u16, is_even: i % 2 == 0 });
        }
    }
    sum + slots.iter().flatten().map(|one| one.x * one.n as f64).sum::<T>()
}
