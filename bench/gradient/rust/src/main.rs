//! One program of the suite, measured: `gradient PROGRAM SECONDS SIZE…`.
//!
//! Prints its value, what tells its gradient from others, and what each of its functions takes; `bench/gradient` reads that.

mod measure;
mod numbers;
mod program;
mod programs;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = words.split_first() else { panic!("gradient PROGRAM SECONDS SIZE…") };
    let mut numbers = rest.iter().map(|word| word.parse::<f64>().expect("seconds and sizes are numbers"));
    let seconds = numbers.next().expect("seconds come after the program's name");
    let sizes: Vec<usize> = numbers.map(|size| size as usize).collect();
    measure::measure(programs::open(name, &sizes).as_ref(), seconds);
}
