use crate::dual::Number;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::ops::ControlFlow;

#[derive(Debug)]
enum Fault {
    Empty,
    Unknown(String),
    TooLarge { limit: u32 },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Empty => write!(f, "nothing there"),
            Fault::Unknown(name) => write!(f, "`{name}` is not known"),
            Fault::TooLarge { limit } => write!(f, "over {limit}"),
        }
    }
}

impl std::error::Error for Fault {}

struct Machine<T> {
    stack: Vec<T>,
    memory: HashMap<String, T>,
    calls: usize,
}

impl<T: Number> Machine<T> {
    fn pop(&mut self) -> Result<T, Fault> {
        self.stack.pop().ok_or(Fault::Empty)
    }

    fn run(&mut self, program: &str) -> Result<T, Fault> {
        for word in program.split_whitespace() {
            self.calls += 1;
            match word {
                "+" | "*" | "-" => {
                    let (b, a) = (self.pop()?, self.pop()?);
                    self.stack.push(match word {
                        "+" => a + b,
                        "*" => a * b,
                        _ => a - b,
                    });
                }
                "dup" => {
                    let top = *self.stack.last().ok_or(Fault::Empty)?;
                    self.stack.push(top);
                }
                "sin" => {
                    let x = self.pop()?;
                    self.stack.push(x.sin());
                }
                name if name.starts_with('!') => {
                    let value = self.pop()?;
                    if value > 1e3 {
                        return Err(Fault::TooLarge { limit: 1000 });
                    }
                    self.memory.insert(name[1..].to_string(), value);
                }
                name => {
                    let value = match name.parse::<f64>() {
                        Ok(number) => T::from(number),
                        Err(_) => *self.memory.get(name).ok_or_else(|| Fault::Unknown(name.to_owned()))?,
                    };
                    self.stack.push(value);
                }
            }
        }
        self.pop()
    }
}

pub fn stack_machine<T: Number>(xs: &[T], k: usize) -> T {
    let mut machine = Machine { stack: Vec::new(), memory: HashMap::new(), calls: 0 };
    for (i, &x) in xs.iter().enumerate() {
        machine.memory.insert(format!("x{i}"), x);
    }
    let programs = ["x0 dup * 0.5 + !y y sin x0 *", "y x1 * 2 +", "x5 x0 - dup * !y y", "+ +"];
    let mut sum = T::from(0.0);
    for program in programs.iter().take(k + 2) {
        sum += machine.run(program).unwrap_or_else(|fault| T::from(fault.to_string().len() as f64));
    }
    sum * (machine.calls as f64 * 0.1)
}

struct Tokens<'a> {
    rest: &'a [u8],
}

impl Tokens<'_> {
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }
}

pub fn drawn_by_letters<T: Number>(xs: &[T], k: usize) -> T {
    let mut tokens = Tokens { rest: b"FLFRFFLBFRRFLFF" };
    let (mut x, mut y, mut heading) = (T::from(0.0), T::from(0.0), T::from(0.1));
    let mut kept: Vec<(T, T, T)> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.next() {
        let length = xs[at % xs.len()];
        match token {
            b'F' => {
                let (sin, cos) = heading.sin_cos();
                x += length * cos;
                y += length * sin;
                at += 1;
            }
            b'L' => heading += length * 0.3,
            b'R' => heading -= T::from(0.4),
            b'B' if k > 1 => kept.push((x, y, heading)),
            _ => (x, y, heading) = kept.pop().unwrap_or_default(),
        }
    }
    x * x + y * y + heading
}

pub fn until_something_breaks<T: Number>(xs: &[T], k: usize) -> T {
    let outcome = xs.iter().try_fold((T::from(1.0), 0_usize), |(load, count), &x| {
        let next = load * 0.8 + x * x;
        if next > 3.0 + k as f64 { ControlFlow::Break(next * 2.0) } else { ControlFlow::Continue((next, count + 1)) }
    });
    match outcome {
        ControlFlow::Break(load) => load.sqrt(),
        ControlFlow::Continue((load, count)) => load / (count as f64 + 1.0),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Place {
    Shop,
    Bench,
    Oven,
}

#[derive(Clone, Debug)]
struct Task<T> {
    place: Place,
    work: T,
    after: Option<usize>,
}

pub fn tasks_with_dependencies<T: Number>(xs: &[T], k: usize) -> T {
    let places = [Place::Shop, Place::Bench, Place::Oven];
    let tasks: Vec<Task<T>> = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| Task { place: places[(i + k) % 3], work: x.abs() + 0.2, after: (i > 1).then(|| i / 2) })
        .collect();
    let mut waiting: VecDeque<(usize, Task<T>)> = tasks.into_iter().enumerate().collect();
    let mut done: HashSet<usize> = HashSet::new();
    let mut free: HashMap<Place, T> = places.iter().map(|&place| (place, T::from(0.0))).collect();
    let mut ends: Vec<Option<T>> = vec![None; waiting.len()];
    while let Some((number, task)) = waiting.pop_front() {
        let ready = match task.after {
            Some(before) if !done.contains(&before) => {
                waiting.push_back((number, task));
                continue;
            }
            Some(before) => ends[before].unwrap(),
            None => T::from(0.0),
        };
        let begin = ready.max(free[&task.place]);
        let end = begin + task.work;
        free.insert(task.place, end);
        ends[number] = Some(end);
        done.insert(number);
    }
    ends.into_iter().map(Option::unwrap_or_default).fold(T::from(0.0), T::max) + free[&Place::Oven] * 0.1
}

pub fn bucketed_by_size<T: Number>(xs: &[T], k: usize) -> T {
    let mut buckets: [Vec<T>; 4] = Default::default();
    for &x in xs {
        let bucket = match (x.value() * 2.0).round() as i64 {
            i64::MIN..=-1 => 0,
            0 => 1,
            1..=2 => 2,
            _ => 3,
        };
        buckets[bucket].push(x);
    }
    if let [first, .., last] = &mut buckets {
        first.append(last);
    }
    buckets
        .iter()
        .filter(|bucket| !bucket.is_empty())
        .map(|bucket| bucket.iter().map(|&x| x * x).sum::<T>() / (bucket.len() + k) as f64)
        .map(|mean| (mean + 0.1).ln())
        .sum()
}

pub fn undone_and_redone<T: Number>(xs: &[T], k: usize) -> T {
    enum Edit<T> {
        Scale(T),
        Shift(usize, T),
        Swap(usize, usize),
    }
    impl<T: Number> Edit<T> {
        fn apply(&self, to: &mut [T]) {
            match *self {
                Edit::Scale(by) => to.iter_mut().for_each(|x| *x *= by),
                Edit::Shift(at, by) => to[at] += by,
                Edit::Swap(a, b) => to.swap(a, b),
            }
        }
        fn undo(&self, to: &mut [T]) {
            match *self {
                Edit::Scale(by) => to.iter_mut().for_each(|x| *x /= by),
                Edit::Shift(at, by) => to[at] -= by,
                Edit::Swap(a, b) => to.swap(b, a),
            }
        }
    }
    let mut state = xs.to_vec();
    let mut history: Vec<Edit<T>> = Vec::new();
    for (i, &x) in xs.iter().enumerate() {
        let edit = match i % 3 {
            0 => Edit::Scale(x * x + 0.5),
            1 => Edit::Shift(i / 2, x.sin()),
            _ => Edit::Swap(i, i - 2),
        };
        edit.apply(&mut state);
        history.push(edit);
    }
    for edit in history.iter().rev().take(k) {
        edit.undo(&mut state);
    }
    state.iter().enumerate().map(|(i, &x)| x * (i as f64 + 1.0)).sum()
}
