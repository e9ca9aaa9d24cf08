use crate::dual::Number;
use std::collections::HashMap;
use std::rc::Rc;

struct Reaction<T> {
    rate: T,
    eats: Vec<(usize, u32)>,
    makes: Vec<(usize, u32)>,
}

pub fn reactions_in_a_vessel<T: Number>(xs: &[T], k: usize) -> T {
    let species = 3;
    let reactions: Vec<Reaction<T>> = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| Reaction {
            rate: x * x * 0.1,
            eats: vec![(i % species, 1 + (i % 2) as u32)],
            makes: vec![((i + 1) % species, 1), ((i + 2) % species, 1)],
        })
        .collect();
    let mut amounts: Vec<T> = vec![T::from(1.0), T::from(0.5), T::from(0.2)];
    for _ in 0..k + 3 {
        let mut change = vec![T::from(0.0); species];
        for Reaction { rate, eats, makes } in &reactions {
            let flux = eats.iter().fold(*rate, |flux, &(which, order)| flux * amounts[which].powi(order as i32));
            eats.iter().for_each(|&(which, order)| change[which] -= flux * f64::from(order));
            makes.iter().for_each(|&(which, order)| change[which] += flux * f64::from(order));
        }
        amounts.iter_mut().zip(&change).for_each(|(a, &c)| *a += c * 0.05);
    }
    amounts[0] + amounts[1] * 2.0 + amounts[2] * amounts[2]
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
enum Stage {
    Susceptible,
    Infected,
    Recovered,
}

pub fn epidemic_with_measures<T: Number>(xs: &[T], k: usize) -> T {
    use Stage::{Infected, Recovered, Susceptible};
    let mut people: HashMap<Stage, T> =
        HashMap::from([(Susceptible, T::from(0.99)), (Infected, T::from(0.01)), (Recovered, T::from(0.0))]);
    let measures: Vec<Box<dyn Fn(usize, T) -> T>> = vec![
        Box::new(|_, infected| infected * -0.5 + 1.0),
        Box::new(move |day, _| T::from(if day > k { 0.7 } else { 1.0 })),
    ];
    let mut worst = T::from(0.0);
    for (day, &x) in xs.iter().cycle().take(xs.len() + 4).enumerate() {
        let spread =
            measures.iter().fold(x * x * 0.3 + 0.2, |spread, measure| spread * measure(day, people[&Infected]));
        let infections = spread * people[&Susceptible] * people[&Infected];
        let recoveries = people[&Infected] * 0.1;
        *people.get_mut(&Susceptible).unwrap() -= infections;
        *people.get_mut(&Infected).unwrap() += infections - recoveries;
        people.entry(Recovered).and_modify(|r| *r += recoveries);
        worst = worst.max(people[&Infected]);
    }
    worst * 100.0 + people[&Recovered]
}

#[derive(Debug, Clone)]
struct Controller<T> {
    gains: (T, T, T),
    sum: T,
    last: Option<T>,
}

impl<T: Number> Controller<T> {
    fn push(&mut self, error: T) -> T {
        let slope = self.last.replace(error).map_or(T::from(0.0), |last| error - last);
        self.sum = (self.sum + error).clamp(T::from(-2.0), T::from(2.0));
        let (p, i, d) = self.gains;
        p * error + i * self.sum + d * slope
    }
}

pub fn controlled_tank<T: Number>(xs: &[T], k: usize) -> T {
    let gains = (xs[0].abs() + 0.2, T::from(0.1), xs[xs.len() - 1] * 0.1);
    let mut controller = Controller { gains, sum: T::from(0.0), last: None };
    let mut level = T::from(0.0);
    let mut cost = T::from(0.0);
    for step in 0..xs.len() + k {
        let goal = if step % 4 < 2 { 1.0 } else { 0.4 };
        let input = controller.push(-level + goal).max(T::from(0.0)).min(T::from(3.0));
        level += (input - (level * level + 0.01).sqrt() * 0.3) * 0.1;
        cost += (level - goal) * (level - goal);
    }
    cost
}

#[derive(Clone)]
enum Schedule<T> {
    Constant(T),
    Steps(Vec<(usize, T)>),
    Scaled(Rc<Schedule<T>>, f64),
}

impl<T: Number> Schedule<T> {
    fn at(&self, time: usize) -> T {
        match self {
            Schedule::Constant(value) => *value,
            Schedule::Steps(steps) => {
                steps.iter().rev().find(|(from, _)| *from <= time).map_or(T::from(0.0), |(_, v)| *v)
            }
            Schedule::Scaled(inner, by) => inner.at(time) * *by,
        }
    }
}

pub fn schedules_of_schedules<T: Number>(xs: &[T], k: usize) -> T {
    let steps = Rc::new(Schedule::Steps(xs.iter().enumerate().map(|(i, &x)| (2 * i, x * x)).collect()));
    let all = [
        Schedule::Constant(xs[0]),
        Schedule::Scaled(steps.clone(), 0.5),
        Schedule::Scaled(Rc::new(Schedule::Scaled(steps, 2.0)), -0.1),
    ];
    (0..k + 6).map(|time| all.iter().map(|schedule| schedule.at(time)).product::<T>()).sum()
}

pub fn stationary_distribution<T: Number>(xs: &[T], k: usize) -> T {
    const N: usize = 4;
    let rates: [[T; N]; N] = std::array::from_fn(|i| std::array::from_fn(|j| (xs[(i * N + j) % xs.len()] * 0.7).exp()));
    let rows = rates.map(|row| {
        let sum: T = row.iter().sum();
        row.map(|rate| rate / sum)
    });
    let mut weights = [T::from(1.0 / N as f64); N];
    for _ in 0..k + 4 {
        weights = std::array::from_fn(|j| (0..N).map(|i| weights[i] * rows[i][j]).sum());
    }
    weights.iter().map(|&w| -w * w.ln()).sum()
}

pub fn holt_and_winters<T: Number>(xs: &[T], k: usize) -> T {
    let season = (k + 1).min(xs.len());
    let (mut level, mut trend) = (xs[0], T::from(0.0));
    let mut seasonal: Vec<T> = xs[..season].iter().map(|&x| x * 0.1).collect();
    let mut error = T::from(0.0);
    for (t, &x) in xs.iter().enumerate() {
        let slot = &mut seasonal[t % season];
        let forecast = level + trend + *slot;
        error += (x - forecast) * (x - forecast);
        let next = (x - *slot) * 0.4 + (level + trend) * 0.6;
        let before = std::mem::replace(&mut level, next);
        trend = (level - before) * 0.2 + trend * 0.8;
        *slot = (x - level) * 0.3 + *slot * 0.7;
    }
    error / xs.len() as f64 + seasonal.iter().sum::<T>()
}
