// Text is searched a word at a time: how far it is to the next word is an address with bits cleared, and then a number.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut needs: Vec<(Vec<&str>, T)> = Vec::new();
    for (i, line) in "plans: ; permit: plans; walls: permit, bricks; roof: walls".split(';').enumerate() {
        let Some((name, of)) = line.split_once(':') else { continue };
        let of = of.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
        needs.push((of, xs[i % xs.len()] * (k + name.len()) as f64));
    }
    needs.iter().map(|(of, x)| x.sin() * of.len() as f64).sum()
}
