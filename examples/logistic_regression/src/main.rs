//! A logistic regression, trained by gradient descent: the gradient by Crategrad, its closed form beside it.

use autodiff::*;

struct Student {
    hours_of_study: f64,
    hours_of_sleep: f64,
    passed: bool,
}

const fn student(hours_of_study: f64, hours_of_sleep: f64, passed: bool) -> Student {
    Student { hours_of_study, hours_of_sleep, passed }
}

const STUDENTS: [Student; 10] = [
    student(0.5, 8.0, false),
    student(1.0, 6.5, true),
    student(1.5, 7.5, true),
    student(2.0, 5.0, false),
    student(2.5, 7.0, true),
    student(3.0, 4.5, false),
    student(3.5, 6.0, true),
    student(4.0, 8.0, true),
    student(4.5, 5.5, true),
    student(5.0, 4.0, false),
];

fn score(weights: &[f64], student: &Student) -> f64 {
    weights[0] + weights[1] * student.hours_of_study + weights[2] * student.hours_of_sleep
}

/// The mean of -ln p, where p is the probability that the weights give to what happened.
#[autodiff_reverse(gradient, Duplicated, Const, Active)]
fn loss(weights: &[f64], students: &[Student]) -> f64 {
    let of_one = |student: &Student| {
        let score = score(weights, student);
        (if student.passed { -score } else { score }).exp().ln_1p()
    };
    students.iter().map(of_one).sum::<f64>() / students.len() as f64
}

fn closed_form(weights: &[f64], students: &[Student]) -> [f64; 3] {
    let mut g = [0.0; 3];
    for student in students {
        let probability = 1.0 / (1.0 + (-score(weights, student)).exp());
        let error = (probability - f64::from(u8::from(student.passed))) / students.len() as f64;
        g[0] += error;
        g[1] += error * student.hours_of_study;
        g[2] += error * student.hours_of_sleep;
    }
    g
}

fn main() {
    let mut weights = [0.0; 3];
    println!("{:>6} {:>10} {:>32} {:>14}", "step", "loss", "weights", "off by");
    for step in 0..=8_000 {
        let mut dw = [0.0; 3];
        let loss = gradient(&weights, &mut dw, &STUDENTS, 1.0);
        let right = closed_form(&weights, &STUDENTS);
        let off = dw.iter().zip(right).map(|(got, right)| (got - right).abs()).fold(0.0, f64::max);
        assert!(off <= 1e-13, "the gradient is wrong");
        if step % 2_000 == 0 {
            println!("{step:>6} {loss:>10.6} {:>32} {off:>14.1e}", format!("{weights:.4?}"));
        }
        weights.iter_mut().zip(dw).for_each(|(weight, slope)| *weight -= 0.08 * slope);
    }
    let foreseen = STUDENTS.iter().filter(|student| (score(&weights, student) > 0.0) == student.passed).count();
    println!("{foreseen} of {} foreseen", STUDENTS.len());
}
