// What is read through a pointer that is itself in memory was not seen to be floats where they are swapped as words.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut rows: Vec<Vec<T>> = xs.iter().map(|&x| vec![x, x * x, x.sin()]).collect();
    for row in &mut rows {
        T::swapped_as_words(&mut row[..], xs.iter().position(|&x| x > 0.75).unwrap_or(1) % 3, 2 * k % 3);
        T::reversed_as_words(&mut row[..]);
    }
    rows.iter().map(|row| row.iter().enumerate().map(|(i, &y)| y * (i as f64 + 1.0)).sum::<T>()).sum()
}
