// A byte that is swapped beside a float was taken for a part of one.
pub fn body<T: Number>(xs: &[T], _k: usize) -> T {
    struct Record<T> {
        group: u8,
        score: T,
    }
    let mut records: Vec<Record<T>> = (0..).zip(xs).map(|(i, &score)| Record { group: i % 3, score }).collect();
    records.sort_by(|a, b| a.group.cmp(&b.group).then_with(|| b.score.total_cmp(&a.score)));
    records.iter().enumerate().map(|(i, r)| r.score * r.score * (i + usize::from(r.group)) as f64).sum()
}
