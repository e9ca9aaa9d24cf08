use crate::dual::Number;
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Clone)]
enum Expression<T> {
    Constant(T),
    Variable(usize),
    Sum(Box<Expression<T>>, Box<Expression<T>>),
    Product(Box<Expression<T>>, Box<Expression<T>>),
    Call { function: fn(T) -> T, argument: Box<Expression<T>> },
}

use Expression::{Call, Constant, Product, Sum, Variable};

impl<T: Number> Expression<T> {
    fn value(&self, variables: &[T]) -> T {
        match self {
            Constant(value) => *value,
            Variable(index) => variables[index % variables.len()],
            Sum(a, b) => a.value(variables) + b.value(variables),
            Product(a, b) => a.value(variables) * b.value(variables),
            Call { function, argument } => function(argument.value(variables)),
        }
    }

    fn times(self, other: Self) -> Self {
        Product(Box::new(self), Box::new(other))
    }

    fn plus(self, other: Self) -> Self {
        Sum(Box::new(self), Box::new(other))
    }

    fn simplified(self) -> Self {
        match self {
            Sum(a, b) => match (a.simplified(), b.simplified()) {
                (Constant(a), Constant(b)) => Constant(a + b),
                (Constant(zero), other) | (other, Constant(zero)) if zero == 0.0 => other,
                (a, b) => a.plus(b),
            },
            Product(a, b) => match (a.simplified(), b.simplified()) {
                (Constant(a), Constant(b)) => Constant(a * b),
                (a, b) => a.times(b),
            },
            other => other,
        }
    }
}

pub fn expression_tree<T: Number>(xs: &[T], k: usize) -> T {
    let square = Variable(k).times(Variable(k));
    let sine = Call { function: T::sin, argument: Box::new(Variable(0).plus(Constant(T::from(0.5)))) };
    square.plus(sine.times(Variable(1))).value(xs)
}

pub fn expression_simplified<T: Number>(xs: &[T], _k: usize) -> T {
    let sum = xs.iter().fold(Constant(T::from(0.0)), |sum, &x| sum.plus(Constant(x).times(Constant(x * 2.0))));
    sum.plus(Variable(0)).simplified().value(xs)
}

#[derive(Clone, Copy)]
enum Shape<T> {
    Circle { radius: T },
    Rectangle { width: T, height: T },
    Triangle(T, T, T),
    Point,
}

impl<T: Number> Shape<T> {
    fn area(self) -> T {
        match self {
            Shape::Circle { radius } => radius * radius * std::f64::consts::PI,
            Shape::Rectangle { width, height } => width * height,
            Shape::Triangle(a, b, c) => {
                let s = (a + b + c) * 0.5;
                (s * (s - a) * (s - b) * (s - c)).sqrt()
            }
            Shape::Point => T::from(0.0),
        }
    }

    fn scaled(self, by: T) -> Self {
        match self {
            Shape::Circle { radius } => Shape::Circle { radius: radius * by },
            Shape::Rectangle { width, height } => Shape::Rectangle { width: width * by, height: height * by },
            Shape::Triangle(a, b, c) => Shape::Triangle(a * by, b * by, c * by),
            Shape::Point => Shape::Point,
        }
    }
}

pub fn areas_of_shapes<T: Number>(xs: &[T], _k: usize) -> T {
    let shape = |(i, &x): (usize, &T)| match i % 4 {
        0 => Shape::Circle { radius: x },
        1 => Shape::Rectangle { width: x, height: x * x + 1.0 },
        2 => Shape::Triangle(x * x + 1.0, x * x + 1.5, T::from(2.0)),
        _ => Shape::Point,
    };
    let shapes: Vec<Shape<T>> = xs.iter().enumerate().map(shape).collect();
    shapes.iter().map(|shape| shape.scaled(xs[0]).area()).sum()
}

pub fn account_of_transactions<T: Number>(xs: &[T], _k: usize) -> T {
    enum Transaction<T> {
        Deposit(T),
        Withdrawal { amount: T, fee: Option<T> },
        Interest { rate: f64, years: u32 },
    }
    let transactions = xs.iter().enumerate().map(|(i, &x)| match i % 4 {
        0 => Transaction::Deposit(x * 10.0),
        1 => Transaction::Withdrawal { amount: x, fee: None },
        2 => Transaction::Withdrawal { amount: x, fee: Some(x * 0.1) },
        years => Transaction::Interest { rate: 0.05, years: years as u32 },
    });
    transactions.fold(T::from(100.0), |balance, transaction| match transaction {
        Transaction::Deposit(amount) => balance + amount,
        Transaction::Withdrawal { amount, .. } if amount > balance => balance,
        Transaction::Withdrawal { amount, fee } => balance - amount - fee.unwrap_or_default(),
        Transaction::Interest { rate, years } => balance * (1.0 + rate).powi(years as i32),
    })
}

pub fn traffic_of_states_with_data<T: Number>(xs: &[T], _k: usize) -> T {
    enum State<T> {
        Waiting,
        Running { since: usize, load: T },
        Cooling(T),
    }
    let mut state = State::Waiting;
    let mut worked = T::from(0.0);
    for (now, &x) in xs.iter().enumerate() {
        state = match state {
            State::Waiting if x > 0.0 => State::Running { since: now, load: x },
            State::Waiting => State::Waiting,
            State::Running { since, load } if now - since < 2 => State::Running { since, load: load + x * x },
            State::Running { load, .. } => {
                worked += load;
                State::Cooling(load * 0.5)
            }
            State::Cooling(heat) if heat > 1.0 => State::Cooling(heat * 0.5 + x * 0.1),
            State::Cooling(heat) => {
                worked += heat * x;
                State::Waiting
            }
        };
    }
    match state {
        State::Running { load, .. } | State::Cooling(load) => worked + load * 2.0,
        State::Waiting => worked,
    }
}

pub fn shared_expression_graph<T: Number>(xs: &[T], k: usize) -> T {
    enum Node<T> {
        Leaf(T),
        Both(Rc<Node<T>>, Rc<Node<T>>),
    }
    fn value<T: Number>(node: &Node<T>) -> T {
        match node {
            Node::Leaf(x) => *x,
            Node::Both(a, b) => value(a) * 0.5 + value(b) * value(b) * 0.1,
        }
    }
    let mut node = Rc::new(Node::Leaf(xs[0]));
    for &x in xs.iter().skip(1).take(k + 2) {
        let leaf = Rc::new(Node::Leaf(x));
        node = Rc::new(Node::Both(Rc::clone(&node), Rc::new(Node::Both(leaf, node))));
    }
    value(&node)
}

pub fn instructions_with_registers<T: Number>(xs: &[T], _k: usize) -> T {
    #[derive(Clone, Copy)]
    enum Instruction {
        Load(char, usize),
        Multiply(char, char),
        Add { to: char, from: char },
    }
    use Instruction::{Add, Load, Multiply};
    let program = [Load('a', 0), Load('b', 1), Multiply('a', 'b'), Add { to: 'a', from: 'b' }, Multiply('a', 'a')];
    let mut registers: HashMap<char, T> = HashMap::new();
    for instruction in program {
        match instruction {
            Load(to, index) => drop(registers.insert(to, xs[index % xs.len()])),
            Multiply(to, by) => {
                let by = registers[&by];
                registers.entry(to).and_modify(|value| *value *= by);
            }
            Add { to, from } => {
                let from = registers.get(&from).copied().unwrap_or_default();
                *registers.entry(to).or_default() += from;
            }
        }
    }
    registers[&'a'] + registers[&'b']
}
