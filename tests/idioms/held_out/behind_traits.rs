use crate::dual::Number;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Add, Mul, Sub};
use std::rc::{Rc, Weak};

// --- a small Monte-Carlo-free book of instruments, priced through a trait with default methods

#[derive(Clone, Copy, Debug)]
struct Market<T> {
    spot: T,
    rate: T,
    vol: T,
}

#[derive(Clone, Copy, Debug, Default)]
struct Greeks<T> {
    delta: T,
    vega: T,
    theta: Option<T>,
}

trait Named {
    fn name(&self) -> String;
    fn tag(&self) -> usize {
        self.name().bytes().map(usize::from).sum::<usize>() % 7
    }
}

trait Instrument<T: Number>: Named {
    fn price(&self, market: &Market<T>) -> T;

    fn maturity(&self) -> Option<T> {
        None
    }

    fn greeks(&self, market: &Market<T>) -> Greeks<T> {
        let bump = 0.01;
        let up = self.price(&Market { spot: market.spot * (1.0 + bump), ..*market });
        let down = self.price(&Market { spot: market.spot * (1.0 - bump), ..*market });
        let wilder = self.price(&Market { vol: market.vol + bump, ..*market });
        let base = self.price(market);
        Greeks {
            delta: (up - down) / (market.spot * (2.0 * bump)),
            vega: (wilder - base) / bump,
            theta: self.maturity().map(|t| -base / (t + 1.0)),
        }
    }
}

struct Forward<T> {
    strike: T,
    years: T,
}

struct Call<T> {
    strike: T,
    years: T,
    label: &'static str,
}

struct Cash<T>(T);

impl<T> Named for Forward<T> {
    fn name(&self) -> String {
        "forward".into()
    }
}

impl<T> Named for Call<T> {
    fn name(&self) -> String {
        format!("call/{}", self.label)
    }
}

impl<T> Named for Cash<T> {
    fn name(&self) -> String {
        String::from("cash")
    }
    fn tag(&self) -> usize {
        0
    }
}

fn normal_cdf<T: Number>(x: T) -> T {
    ((x * 0.797_884_56 + x.powi(3) * 0.035_677_41).tanh() + 1.0) * 0.5
}

impl<T: Number> Instrument<T> for Forward<T> {
    fn price(&self, market: &Market<T>) -> T {
        market.spot - self.strike * (-market.rate * self.years).exp()
    }
    fn maturity(&self) -> Option<T> {
        Some(self.years)
    }
}

impl<T: Number> Instrument<T> for Call<T> {
    fn price(&self, market: &Market<T>) -> T {
        let deviation = market.vol * self.years.sqrt();
        let d1 =
            ((market.spot / self.strike).ln() + (market.rate + market.vol * market.vol * 0.5) * self.years) / deviation;
        let d2 = d1 - deviation;
        market.spot * normal_cdf(d1) - self.strike * (-market.rate * self.years).exp() * normal_cdf(d2)
    }
    fn maturity(&self) -> Option<T> {
        (self.tag() % 2 == 0).then_some(self.years)
    }
}

impl<T: Number> Instrument<T> for Cash<T> {
    fn price(&self, _: &Market<T>) -> T {
        self.0
    }
    fn greeks(&self, _: &Market<T>) -> Greeks<T> {
        Greeks::default()
    }
}

fn riskiest<'a, T: Number>(
    book: &'a [Box<dyn Instrument<T>>],
    market: &Market<T>,
) -> Option<(&'a dyn Instrument<T>, Greeks<T>)> {
    book.iter()
        .map(|instrument| (instrument.as_ref(), instrument.greeks(market)))
        .max_by(|(_, a), (_, b)| a.vega.partial_cmp(&b.vega).unwrap())
}

pub fn greeks_by_bumping<T: Number>(xs: &[T], k: usize) -> T {
    let market = Market { spot: xs[0] + 1.0, rate: T::from(0.03), vol: xs[xs.len() - 1].abs() * 0.1 + 0.15 };
    let book: Vec<Box<dyn Instrument<T>>> = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| -> Box<dyn Instrument<T>> {
            let strike = x * x * 0.2 + 1.1;
            let years = T::from(0.5 + 0.25 * i as f64);
            match (i + k) % 3 {
                0 => Box::new(Forward { strike, years }),
                1 => Box::new(Cash(x)),
                _ => Box::new(Call { strike, years, label: if i < 4 { "near" } else { "far" } }),
            }
        })
        .collect();
    let value: T = book.iter().map(|instrument| instrument.price(&market)).sum();
    let delta = book.iter().map(|instrument| instrument.greeks(&market)).fold(T::from(0.0), |sum, g| sum + g.delta);
    let decay = match riskiest(&book, &market) {
        Some((instrument, Greeks { vega, theta: Some(theta), .. })) => vega * theta + instrument.tag() as f64,
        Some((_, greeks)) => greeks.vega,
        None => T::default(),
    };
    value - delta * market.spot * 0.5 + decay
}

// --- a validated configuration, put together by a builder

#[derive(Debug)]
enum BuildError {
    Missing(&'static str),
    OutOfRange { field: &'static str, at: f64 },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Missing(field) => write!(f, "missing {field}"),
            BuildError::OutOfRange { field, at } => write!(f, "{field} is out of range: {at:.1}"),
        }
    }
}

struct Controller<T> {
    gains: [T; 3],
    limit: Option<T>,
    setpoint: Box<dyn Fn(usize) -> T>,
}

struct ControllerBuilder<T> {
    p: Option<T>,
    i: Option<T>,
    d: T,
    limit: Option<T>,
    setpoint: Option<Box<dyn Fn(usize) -> T>>,
}

impl<T: Number> Controller<T> {
    fn builder() -> ControllerBuilder<T> {
        ControllerBuilder { p: None, i: None, d: T::default(), limit: None, setpoint: None }
    }

    fn simulate(&self, steps: usize, mut plant: impl FnMut(T) -> T) -> T {
        let [p, i, d] = self.gains;
        let mut output = T::default();
        let mut integral = T::default();
        let mut previous: Option<T> = None;
        let mut cost = T::default();
        for step in 0..steps {
            let error = (self.setpoint)(step) - output;
            integral += error * 0.1;
            let slope = previous.replace(error).map_or(T::default(), |before| (error - before) * 10.0);
            let drive = p * error + i * integral + d * slope;
            output = plant(self.limit.map_or(drive, |limit| limit * (drive / limit).tanh()));
            cost += error * error;
        }
        cost / steps as f64
    }
}

impl<T: Number> ControllerBuilder<T> {
    fn proportional(mut self, gain: T) -> Self {
        self.p = Some(gain);
        self
    }
    fn integral(mut self, gain: T) -> Self {
        self.i.get_or_insert(gain);
        self
    }
    fn derivative(self, d: T) -> Self {
        Self { d, ..self }
    }
    fn saturating_at(mut self, limit: T) -> Self {
        self.limit = Some(limit).filter(|&limit| limit > 0.1);
        self
    }
    fn tracking(mut self, setpoint: impl Fn(usize) -> T + 'static) -> Self {
        self.setpoint = Some(Box::new(setpoint));
        self
    }
    fn build(self) -> Result<Controller<T>, BuildError> {
        let p = self.p.ok_or(BuildError::Missing("p"))?;
        if p > 2.5 {
            return Err(BuildError::OutOfRange { field: "p", at: p.value() });
        }
        let i = self.i.unwrap_or(p * 0.1);
        let setpoint = self.setpoint.ok_or(BuildError::Missing("setpoint"))?;
        Ok(Controller { gains: [p, i, self.d], limit: self.limit, setpoint })
    }
}

pub fn controller_from_a_builder<T: Number>(xs: &[T], k: usize) -> T {
    let targets: Rc<[T]> = xs.into();
    xs.iter()
        .map(|&x| {
            let targets = Rc::clone(&targets);
            let mut builder = Controller::builder().proportional(x.abs() + 0.3).derivative(x * 0.01);
            if k > 0 {
                builder = builder.tracking(move |step| targets[step / 4 % targets.len()]);
            }
            builder.integral(T::from(0.4)).saturating_at(x + 0.5).build()
        })
        .map(|built| match built {
            Ok(controller) => {
                let mut level = T::from(0.1);
                controller.simulate(12, |drive| {
                    level += (drive - level) * 0.1;
                    level
                })
            }
            Err(error) => xs[0] * error.to_string().len() as f64,
        })
        .sum()
}

// --- a rocket whose stages are types

struct OnPad;
struct Burning;
struct Coasting;

struct Rocket<T, Stage> {
    height: T,
    speed: T,
    fuel: T,
    stage: PhantomData<Stage>,
}

impl<T: Number, Stage> Rocket<T, Stage> {
    fn into_stage<Next>(self) -> Rocket<T, Next> {
        let Self { height, speed, fuel, .. } = self;
        Rocket { height, speed, fuel, stage: PhantomData }
    }
    fn energy(&self) -> T {
        self.speed * self.speed * 0.5 + self.height * 9.81
    }
}

impl<T: Number> Rocket<T, OnPad> {
    fn fuelled(fuel: T) -> Self {
        Rocket { height: T::from(0.0), speed: T::from(0.0), fuel, stage: PhantomData }
    }
    fn ignite(self) -> Rocket<T, Burning> {
        self.into_stage()
    }
}

impl<T: Number> Rocket<T, Burning> {
    fn step(mut self, dt: f64) -> Result<Self, Rocket<T, Coasting>> {
        let burnt = self.fuel * 0.3;
        self.fuel -= burnt;
        self.speed += (burnt / (self.fuel + 1.0) * 40.0 - 9.81) * dt;
        self.height += self.speed * dt;
        if self.fuel > 0.2 { Ok(self) } else { Err(self.into_stage()) }
    }
}

impl<T: Number> Rocket<T, Coasting> {
    fn apex(self) -> (T, T) {
        let energy = self.energy();
        (self.height + self.speed * self.speed / (2.0 * 9.81), energy)
    }
}

pub fn rocket_of_typed_stages<T: Number>(xs: &[T], k: usize) -> T {
    let mut best: Option<(T, T)> = None;
    let mut mean = T::default();
    for &x in xs {
        let mut burning = Rocket::fuelled(x.abs() + 0.8).ignite();
        let coasting = loop {
            match burning.step(0.05 + 0.01 * k as f64) {
                Ok(next) => burning = next,
                Err(done) => break done,
            }
        };
        let (apex, energy) = coasting.apex();
        mean += energy / xs.len() as f64;
        best = best.filter(|&(highest, _)| highest > apex).or(Some((apex, energy)));
    }
    let (apex, energy) = best.expect("there is at least one rocket");
    apex * 2.0 + energy * 0.1 + mean
}

// --- middleware around a handler, like in a web framework

type Next<'a, T> = &'a dyn Fn(Signal<T>) -> Signal<T>;

#[derive(Clone, Debug)]
struct Signal<T> {
    level: T,
    trail: Vec<String>,
}

struct Stack<T> {
    layers: Vec<Box<dyn Fn(Signal<T>, Next<'_, T>) -> Signal<T>>>,
    handler: fn(T) -> T,
}

impl<T: Number> Stack<T> {
    fn new(handler: fn(T) -> T) -> Self {
        Self { layers: Vec::new(), handler }
    }
    fn with<F>(mut self, layer: F) -> Self
    where
        F: Fn(Signal<T>, Next<'_, T>) -> Signal<T> + 'static,
    {
        self.layers.push(Box::new(layer));
        self
    }
    fn call(&self, signal: Signal<T>) -> Signal<T> {
        self.dispatch(&self.layers, signal)
    }
    fn dispatch(
        &self,
        layers: &[Box<dyn Fn(Signal<T>, Next<'_, T>) -> Signal<T>>],
        mut signal: Signal<T>,
    ) -> Signal<T> {
        match layers.split_first() {
            Some((layer, rest)) => layer(signal, &|inner| self.dispatch(rest, inner)),
            None => {
                signal.level = (self.handler)(signal.level);
                signal.trail.push("handled".to_string());
                signal
            }
        }
    }
}

pub fn middleware_around_a_handler<T: Number>(xs: &[T], k: usize) -> T {
    let gain = xs[k % xs.len()] * 0.5 + 1.2;
    let calls = Rc::new(Cell::new(0_usize));
    let counter = Rc::clone(&calls);
    let stack = Stack::new(|x: T| x.sin() + x * 0.25)
        .with(move |mut signal, next| {
            signal.level *= gain;
            let mut answer = next(signal);
            answer.level = answer.level / gain;
            answer
        })
        .with(move |signal, next| {
            counter.set(counter.get() + 1);
            let before = signal.level;
            let answer = next(signal);
            Signal { level: answer.level + before * 0.1, ..answer }
        })
        .with(|signal, next| {
            if signal.level < -1.0 {
                return Signal { level: signal.level * 0.3, trail: vec!["rejected".into()] };
            }
            let retry = next(signal.clone());
            if retry.level > 1.0 { next(Signal { level: signal.level * 0.5, ..retry }) } else { retry }
        });
    let answers: Vec<_> = xs.iter().map(|&level| stack.call(Signal { level, trail: vec![] })).collect();
    let joined: Vec<String> = answers.iter().map(|answer| answer.trail.join(",")).collect();
    let total: T = answers.iter().zip(&joined).map(|(answer, trail)| answer.level * trail.len() as f64).sum();
    total / (calls.get() as f64)
}

// --- a reverse-mode tape, written by hand

#[derive(Clone, Copy)]
struct Entry<T> {
    parents: [Option<(usize, T)>; 2],
}

#[derive(Clone, Default)]
struct Tape<T> {
    entries: Rc<RefCell<Vec<Entry<T>>>>,
}

#[derive(Clone)]
struct Var<T> {
    tape: Tape<T>,
    index: usize,
    value: T,
}

impl<T: Number> Tape<T> {
    fn push(&self, value: T, parents: [Option<(usize, T)>; 2]) -> Var<T> {
        let mut entries = self.entries.borrow_mut();
        entries.push(Entry { parents });
        Var { tape: self.clone(), index: entries.len() - 1, value }
    }
    fn var(&self, value: T) -> Var<T> {
        self.push(value, [None; 2])
    }
}

impl<T: Number> Var<T> {
    fn unary(&self, value: T, slope: T) -> Var<T> {
        self.tape.push(value, [Some((self.index, slope)), None])
    }
    fn tanh(&self) -> Var<T> {
        let y = self.value.tanh();
        self.unary(y, -(y * y) + 1.0)
    }
    fn grad(&self) -> Vec<T> {
        let entries = self.tape.entries.borrow();
        let mut adjoints = vec![T::from(0.0); entries.len()];
        adjoints[self.index] = T::from(1.0);
        for (i, entry) in entries.iter().enumerate().rev() {
            let adjoint = adjoints[i];
            for (parent, slope) in entry.parents.iter().flatten().copied() {
                adjoints[parent] += slope * adjoint;
            }
        }
        adjoints
    }
}

impl<T: Number> Add for &Var<T> {
    type Output = Var<T>;
    fn add(self, other: Self) -> Var<T> {
        let one = T::from(1.0);
        self.tape.push(self.value + other.value, [Some((self.index, one)), Some((other.index, one))])
    }
}

impl<T: Number> Sub for &Var<T> {
    type Output = Var<T>;
    fn sub(self, other: Self) -> Var<T> {
        let one = T::from(1.0);
        self.tape.push(self.value - other.value, [Some((self.index, one)), Some((other.index, -one))])
    }
}

impl<T: Number> Mul for &Var<T> {
    type Output = Var<T>;
    fn mul(self, other: Self) -> Var<T> {
        self.tape.push(self.value * other.value, [Some((self.index, other.value)), Some((other.index, self.value))])
    }
}

pub fn perceptron_on_a_tape<T: Number>(xs: &[T], k: usize) -> T {
    let mut weights: Vec<T> = xs.iter().map(|&x| x * 0.5).collect();
    for epoch in 0..=k {
        let tape = Tape::default();
        let vars: Vec<Var<T>> = weights.iter().map(|&w| tape.var(w)).collect();
        let bias = tape.var(T::from(0.1 * epoch as f64));
        let activation = vars
            .iter()
            .zip(xs.iter().rev())
            .map(|(w, &x)| w * &tape.var(x))
            .fold(bias, |sum, term| &sum + &term)
            .tanh();
        let miss = &activation - &tape.var(T::from(0.4));
        let loss = &miss * &miss;
        let gradient = loss.grad();
        weights.iter_mut().zip(&vars).for_each(|(w, var)| *w -= gradient[var.index] * 0.3);
    }
    weights.iter().map(|&w| w * w).sum()
}

// --- cells of a spreadsheet that notify those that depend on them

struct SheetCell<T> {
    value: Cell<T>,
    formula: Option<Box<dyn Fn(&[T]) -> T>>,
    inputs: Vec<Rc<SheetCell<T>>>,
    dependents: RefCell<Vec<Weak<SheetCell<T>>>>,
}

impl<T: Number> SheetCell<T> {
    fn input(value: T) -> Rc<Self> {
        Rc::new(SheetCell { value: Cell::new(value), formula: None, inputs: vec![], dependents: RefCell::default() })
    }

    fn computed(inputs: &[&Rc<Self>], formula: impl Fn(&[T]) -> T + 'static) -> Rc<Self> {
        let cell = Rc::new(SheetCell {
            value: Cell::new(T::default()),
            formula: Some(Box::new(formula)),
            inputs: inputs.iter().map(|&input| Rc::clone(input)).collect(),
            dependents: RefCell::new(Vec::with_capacity(2)),
        });
        for input in inputs {
            input.dependents.borrow_mut().push(Rc::downgrade(&cell));
        }
        cell.refresh();
        cell
    }

    fn set(&self, value: T) {
        self.value.set(value);
        self.notify();
    }

    fn refresh(&self) {
        if let Some(formula) = &self.formula {
            let arguments: Vec<T> = self.inputs.iter().map(|input| input.value.get()).collect();
            self.value.set(formula(&arguments));
        }
        self.notify();
    }

    fn notify(&self) {
        self.dependents.borrow_mut().retain(|dependent| dependent.strong_count() > 0);
        for dependent in self.dependents.borrow().iter().filter_map(Weak::upgrade) {
            dependent.refresh();
        }
    }
}

pub fn spreadsheet_of_weak_links<T: Number>(xs: &[T], k: usize) -> T {
    let price = SheetCell::input(xs[0]);
    let amount = SheetCell::input(T::from(2.0));
    let net = SheetCell::computed(&[&price, &amount], |v| v[0] * v[1]);
    let discount = xs[xs.len() / 2] * 0.1;
    let gross = SheetCell::computed(&[&net], move |v| v[0] * (-discount + 1.19));
    let mut history = Vec::new();
    for (i, &x) in xs.iter().enumerate() {
        let temporary = SheetCell::computed(&[&gross, &amount], |v| v.iter().map(|&y| y * y).sum());
        if i % 2 == 0 {
            price.set(x);
        } else {
            amount.set(x + k as f64);
        }
        history.push(temporary.value.get());
    }
    let alive = amount.dependents.borrow().len();
    history.iter().copied().sum::<T>() / history.len() as f64 + gross.value.get() * alive as f64
}

// --- shared materials and rays that bounce

#[derive(Clone, Copy)]
struct Ray<T> {
    origin: T,
    slope: T,
    energy: T,
}

struct Scattered<T> {
    ray: Ray<T>,
    absorbed: T,
}

trait Material<T: Number> {
    fn name() -> &'static str
    where
        Self: Sized;
    fn albedo(&self) -> T;
    fn scatter(&self, ray: &Ray<T>, depth: usize) -> Option<Scattered<T>> {
        let kept = ray.energy * self.albedo();
        (kept > 0.05 && depth < 6).then(|| Scattered {
            ray: Ray { origin: ray.origin + ray.slope, slope: -ray.slope * 0.9, energy: kept },
            absorbed: ray.energy - kept,
        })
    }
}

struct Mirror;
struct Lacquer<T> {
    base: Rc<dyn Material<T>>,
    coat: T,
}
struct Matte<T>(T);

impl<T: Number> Material<T> for Mirror {
    fn name() -> &'static str {
        "mirror"
    }
    fn albedo(&self) -> T {
        T::from(0.95)
    }
}

impl<T: Number> Material<T> for Matte<T> {
    fn name() -> &'static str {
        "matte"
    }
    fn albedo(&self) -> T {
        self.0
    }
    fn scatter(&self, ray: &Ray<T>, depth: usize) -> Option<Scattered<T>> {
        let energy = ray.energy * self.0;
        if depth > 2 {
            return None;
        }
        Some(Scattered { ray: Ray { slope: ray.slope * ray.slope * 0.2, energy, ..*ray }, absorbed: energy * 0.5 })
    }
}

impl<T: Number> Material<T> for Lacquer<T> {
    fn name() -> &'static str {
        "lacquer"
    }
    fn albedo(&self) -> T {
        self.base.albedo() * (-self.coat).exp()
    }
    fn scatter(&self, ray: &Ray<T>, depth: usize) -> Option<Scattered<T>> {
        let dimmed = Ray { energy: ray.energy * (-self.coat * 0.5).exp(), ..*ray };
        let Scattered { ray: inner, absorbed } = self.base.scatter(&dimmed, depth)?;
        Some(Scattered {
            ray: Ray { origin: inner.origin + self.coat, ..inner },
            absorbed: absorbed + self.coat * 0.01,
        })
    }
}

pub fn light_on_shared_materials<T: Number>(xs: &[T], k: usize) -> T {
    let matte: Rc<dyn Material<T>> = Rc::new(Matte(xs[0] * 0.2 + 0.5));
    let mirror: Rc<dyn Material<T>> = Rc::new(Mirror);
    let lacquer: Rc<dyn Material<T>> =
        Rc::new(Lacquer { base: Rc::clone(&mirror), coat: xs[xs.len() - 1].abs() * 0.3 });
    let twice: Rc<dyn Material<T>> = Rc::new(Lacquer { base: lacquer.clone(), coat: T::from(0.05) });
    let scene = [matte, lacquer, twice, mirror];
    let seed = <Mirror as Material<T>>::name().len() + <Matte<T>>::name().len();
    let mut absorbed = T::from(0.0);
    let mut image = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        let mut ray = Ray { origin: x, slope: x * 0.3 + 0.1, energy: T::from(1.0) };
        let mut depth = 0;
        while let Some(hit) = scene[(seed + i + depth * k) % scene.len()].scatter(&ray, depth) {
            absorbed += hit.absorbed;
            ray = hit.ray;
            depth += 1;
        }
        image += ray.origin * ray.energy;
    }
    image + absorbed
}

// --- a tree walked by visitors with associated outputs

enum Scene<T> {
    Leaf { mass: T, at: T },
    Shifted(T, Box<Scene<T>>),
    Group { name: String, children: Vec<Scene<T>> },
}

trait Visitor<T> {
    type Output;
    fn leaf(&mut self, mass: T, at: T) -> Self::Output;
    fn shifted(&mut self, by: T, inner: &Scene<T>) -> Self::Output;
    fn group(&mut self, name: &str, children: &[Scene<T>]) -> Self::Output;
}

impl<T: Number> Scene<T> {
    fn accept<V: Visitor<T>>(&self, visitor: &mut V) -> V::Output {
        match self {
            Scene::Leaf { mass, at } => visitor.leaf(*mass, *at),
            Scene::Shifted(by, inner) => visitor.shifted(*by, inner),
            Scene::Group { name, children } => visitor.group(name, children),
        }
    }
}

struct Balance<T> {
    offset: T,
}

impl<T: Number> Visitor<T> for Balance<T> {
    type Output = (T, T);
    fn leaf(&mut self, mass: T, at: T) -> (T, T) {
        (mass, mass * (at + self.offset))
    }
    fn shifted(&mut self, by: T, inner: &Scene<T>) -> (T, T) {
        let shifted = self.offset + by;
        let before = std::mem::replace(&mut self.offset, shifted);
        let found = inner.accept(self);
        self.offset = before;
        found
    }
    fn group(&mut self, _: &str, children: &[Scene<T>]) -> (T, T) {
        children.iter().map(|child| child.accept(self)).fold(Default::default(), |(m, p), (dm, dp)| (m + dm, p + dp))
    }
}

#[derive(Default)]
struct Names<T> {
    path: Vec<String>,
    heaviest: BTreeMap<String, T>,
}

impl<T: Number> Visitor<T> for Names<T> {
    type Output = ();
    fn leaf(&mut self, mass: T, _: T) {
        let heaviest = self.heaviest.entry(self.path.join("/")).or_insert(mass);
        *heaviest = heaviest.max(mass);
    }
    fn shifted(&mut self, _: T, inner: &Scene<T>) {
        inner.accept(self);
    }
    fn group(&mut self, name: &str, children: &[Scene<T>]) {
        self.path.push(name.to_owned());
        for child in children {
            child.accept(self);
        }
        self.path.pop();
    }
}

fn scene<T: Number>(xs: &[T], depth: usize) -> Scene<T> {
    match *xs {
        [] => Scene::Group { name: "void".into(), children: Vec::new() },
        [x] => Scene::Leaf { mass: x.abs() + 0.2, at: x },
        [first, ref rest @ ..] => {
            let (left, right) = rest.split_at(rest.len() / 2);
            let children = [left, right].into_iter().filter(|part| !part.is_empty()).map(|part| scene(part, depth + 1));
            let group = Scene::Group { name: format!("level{depth}"), children: children.collect() };
            Scene::Shifted(first * 0.5, Box::new(group))
        }
    }
}

pub fn scene_under_visitors<T: Number>(xs: &[T], k: usize) -> T {
    let scene = scene(xs, k);
    let (mass, moment) = scene.accept(&mut Balance { offset: T::from(0.1) });
    let mut names = Names::default();
    scene.accept(&mut names);
    let heavy: T = names.heaviest.iter().map(|(path, &mass)| mass * path.matches('/').count() as f64).sum();
    moment / mass + heavy * 0.3 + mass
}

// --- schemes chosen by associated types and constants

trait Scheme {
    const NODES: &'static [f64];
    const COUPLING: &'static [&'static [f64]];
    const WEIGHTS: &'static [f64];
    type Record<T: Number>: Recorder<T>;
}

trait Recorder<T>: Default {
    fn note(&mut self, t: f64, y: T);
    fn finish(self) -> T;
}

#[derive(Default)]
struct Last<T>(T);

#[derive(Default)]
struct Weighted<T>(Vec<(f64, T)>);

impl<T: Number> Recorder<T> for Last<T> {
    fn note(&mut self, _: f64, y: T) {
        self.0 = y;
    }
    fn finish(self) -> T {
        self.0
    }
}

impl<T: Number> Recorder<T> for Weighted<T> {
    fn note(&mut self, t: f64, y: T) {
        self.0.push((t, y));
    }
    fn finish(self) -> T {
        self.0.windows(2).map(|pair| (pair[1].1 + pair[0].1) * ((pair[1].0 - pair[0].0) * 0.5)).sum()
    }
}

enum Midpoint {}
enum Kutta {}

impl Scheme for Midpoint {
    const NODES: &'static [f64] = &[0.0, 0.5];
    const COUPLING: &'static [&'static [f64]] = &[&[], &[0.5]];
    const WEIGHTS: &'static [f64] = &[0.0, 1.0];
    type Record<T: Number> = Weighted<T>;
}

impl Scheme for Kutta {
    const NODES: &'static [f64] = &[0.0, 0.5, 1.0];
    const COUPLING: &'static [&'static [f64]] = &[&[], &[0.5], &[-1.0, 2.0]];
    const WEIGHTS: &'static [f64] = &[1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0];
    type Record<T: Number> = Last<T>;
}

fn integrate<S: Scheme, T: Number>(f: &dyn Fn(f64, T) -> T, start: T, steps: usize) -> T {
    let h = 1.0 / steps as f64;
    let mut record = S::Record::<T>::default();
    let mut y = start;
    record.note(0.0, y);
    for step in 0..steps {
        let t = step as f64 * h;
        let mut slopes: Vec<T> = Vec::with_capacity(S::NODES.len());
        for (node, row) in S::NODES.iter().zip(S::COUPLING) {
            let inside = slopes.iter().zip(*row).map(|(&slope, &a)| slope * (a * h)).sum::<T>() + y;
            slopes.push(f(t + node * h, inside));
        }
        y += slopes.into_iter().zip(S::WEIGHTS).map(|(slope, &b)| slope * (b * h)).sum();
        record.note(t + h, y);
    }
    record.finish()
}

pub fn schemes_with_associated_consts<T: Number>(xs: &[T], k: usize) -> T {
    let decay = xs[0];
    let forcing = xs.to_vec();
    let logistic = move |t: f64, y: T| y * (-y * 0.5 + decay) + forcing[(t * 2.0) as usize % forcing.len()] * 0.1;
    let solvers: [(&str, fn(&dyn Fn(f64, T) -> T, T, usize) -> T); 2] =
        [("midpoint", integrate::<Midpoint, T>), ("kutta", integrate::<Kutta, T>)];
    xs.iter()
        .zip(solvers.iter().cycle().skip(k))
        .map(|(&x, (name, solver))| solver(&logistic, x * 0.4 + 0.6, name.len()))
        .sum()
}

// --- filters made by name from a registry of factories

#[derive(Clone, Default)]
struct Params<T> {
    values: HashMap<String, T>,
}

impl<T: Number> Params<T> {
    fn with(mut self, key: impl Into<String>, value: T) -> Self {
        self.values.insert(key.into(), value);
        self
    }
    fn get(&self, key: &str) -> Option<T> {
        self.values.get(key).copied()
    }
}

trait Filter<T> {
    fn push(&mut self, sample: T) -> Option<T>;
    fn flush(self: Box<Self>) -> Vec<T> {
        Vec::new()
    }
}

struct LowPass<T> {
    alpha: T,
    state: Option<T>,
}

struct Blocks<T> {
    size: usize,
    pending: Vec<T>,
}

impl<T: Number> Filter<T> for LowPass<T> {
    fn push(&mut self, sample: T) -> Option<T> {
        let next = match self.state {
            Some(state) => state + self.alpha * (sample - state),
            None => sample,
        };
        self.state.replace(next)
    }
    fn flush(self: Box<Self>) -> Vec<T> {
        self.state.into_iter().collect()
    }
}

impl<T: Number> Filter<T> for Blocks<T> {
    fn push(&mut self, sample: T) -> Option<T> {
        self.pending.push(sample);
        if self.pending.len() < self.size {
            return None;
        }
        let block = std::mem::take(&mut self.pending);
        Some(block.iter().sum::<T>() / block.len() as f64)
    }
    fn flush(self: Box<Self>) -> Vec<T> {
        self.pending
    }
}

impl<T, F: FnMut(T) -> T> Filter<T> for F {
    fn push(&mut self, sample: T) -> Option<T> {
        Some(self(sample))
    }
}

type Factory<T> = Box<dyn Fn(&Params<T>) -> Option<Box<dyn Filter<T>>>>;

fn registry<T: Number>() -> HashMap<&'static str, Factory<T>> {
    let mut registry: HashMap<&'static str, Factory<T>> = HashMap::new();
    registry.insert("low", Box::new(|params| Some(Box::new(LowPass { alpha: params.get("alpha")?, state: None }))));
    registry.insert("blocks", Box::new(|_| Some(Box::new(Blocks { size: 2, pending: vec![] }))));
    registry.insert(
        "gain",
        Box::new(|params| {
            let mut gain = params.get("gain").or_else(|| params.get("alpha"))?;
            Some(Box::new(move |sample: T| {
                gain *= T::from(0.9);
                sample * gain
            }))
        }),
    );
    registry
}

fn run_chain<T: Number>(filters: Vec<Box<dyn Filter<T>>>, samples: &[T]) -> Vec<T> {
    filters.into_iter().fold(samples.to_vec(), |samples, mut filter| {
        let mut passed: Vec<T> = samples.into_iter().filter_map(|sample| filter.push(sample)).collect();
        passed.extend(filter.flush());
        passed
    })
}

pub fn filters_from_a_registry<T: Number>(xs: &[T], k: usize) -> T {
    let registry = registry();
    let params = Params::default().with("alpha", xs[0] * 0.2 + 0.3);
    let params = if k % 2 == 1 { params.clone().with(String::from("gain"), xs[xs.len() - 1]) } else { params };
    let filters: Option<Vec<_>> =
        "gain low blocks low".split(' ').map(|name| registry.get(name).and_then(|factory| factory(&params))).collect();
    let Some(filters) = filters else {
        return xs[0];
    };
    let outcome = run_chain(filters, xs);
    outcome.iter().rev().enumerate().map(|(i, &y)| y * (i + 1) as f64).sum::<T>() + outcome.len() as f64
}

// --- an event bus of subscribers that own what they mutate

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Topic {
    Tick,
    Alarm,
    Reset,
}

struct Bus<'s, T> {
    subscribers: Vec<(Topic, Box<dyn FnMut(T) -> Option<(Topic, T)> + 's>)>,
    once: Vec<(Topic, Box<dyn FnOnce(T) + 's>)>,
}

impl<'s, T: Number> Bus<'s, T> {
    fn on(&mut self, topic: Topic, subscriber: impl FnMut(T) -> Option<(Topic, T)> + 's) -> &mut Self {
        self.subscribers.push((topic, Box::new(subscriber)));
        self
    }
    fn once(&mut self, topic: Topic, subscriber: impl FnOnce(T) + 's) -> &mut Self {
        self.once.push((topic, Box::new(subscriber)));
        self
    }
    fn publish(&mut self, topic: Topic, payload: T) {
        let (due, later) = std::mem::take(&mut self.once).into_iter().partition(|(wanted, _)| *wanted == topic);
        self.once = later;
        let due: Vec<(Topic, Box<dyn FnOnce(T) + 's>)> = due;
        due.into_iter().for_each(|(_, subscriber)| subscriber(payload));
        let raised: Vec<_> = self
            .subscribers
            .iter_mut()
            .filter(|(wanted, _)| *wanted == topic)
            .filter_map(|(_, subscriber)| subscriber(payload))
            .collect();
        for (topic, payload) in raised {
            self.publish(topic, payload);
        }
    }
}

pub fn bus_of_mutable_subscribers<T: Number>(xs: &[T], k: usize) -> T {
    let alarms = RefCell::new(Vec::new());
    let mut first = None;
    let total = Cell::new(T::from(0.0));
    {
        let mut heat = T::from(0.0);
        let mut bus = Bus { subscribers: vec![], once: vec![] };
        bus.on(Topic::Tick, |x| {
            heat = heat * 0.7 + x * x;
            (heat > 1.5).then_some((Topic::Alarm, heat))
        })
        .on(Topic::Alarm, |heat| {
            let mut alarms = alarms.borrow_mut();
            alarms.push(heat);
            (alarms.len() > k).then(|| (Topic::Reset, alarms.drain(..).sum()))
        })
        .on(Topic::Reset, |sum| {
            total.set(total.get() + sum.sqrt());
            None
        })
        .once(Topic::Alarm, |heat| first = Some(heat.ln()));
        xs.iter().for_each(|&x| bus.publish(Topic::Tick, x));
    }
    let left: T = alarms.into_inner().iter().sum();
    total.get() + left * 0.5 + first.unwrap_or(xs[0])
}

// --- rules as function pointers, with the penalties that they may give

#[derive(Clone, Copy, Debug, PartialEq)]
struct Penalty<T> {
    amount: T,
    weight: u32,
}

type Rule<T> = (&'static str, fn(&[T]) -> Option<Penalty<T>>);

fn too_rough<T: Number>(xs: &[T]) -> Option<Penalty<T>> {
    let amount = xs.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).reduce(|a, b| a + b)?;
    (amount > 0.5).then_some(Penalty { amount, weight: 2 })
}

fn too_long<T: Number>(xs: &[T]) -> Option<Penalty<T>> {
    let length = xs.iter().map(|&x| x * x).sum::<T>().sqrt();
    Some(Penalty { amount: length - 1.0, weight: 1 }).filter(|penalty| penalty.amount > 0.0)
}

fn off_centre<T: Number>(xs: &[T]) -> Option<Penalty<T>> {
    let &[first, .., last] = xs else { return None };
    Some(Penalty { amount: (first + last).cosh(), weight: if first > last { 3 } else { 1 } })
}

const fn rules<T: Number>() -> [Rule<T>; 3] {
    [("rough", too_rough::<T>), ("long", too_long), ("centre", off_centre)]
}

pub fn penalties_by_rules_in_a_table<T: Number>(xs: &[T], k: usize) -> T {
    let mut current = xs.to_vec();
    let mut total = T::from(0.0);
    let mut broken: Vec<&str> = Vec::new();
    for round in 0..=k {
        let found: Vec<(&str, Penalty<T>)> =
            rules().iter().filter_map(|(name, rule)| Some((*name, rule(&current)?))).collect();
        let Some((name, worst)) = found
            .iter()
            .max_by(|(_, a), (_, b)| (a.amount * f64::from(a.weight)).total_cmp(&(b.amount * f64::from(b.weight))))
        else {
            break;
        };
        total += worst.amount * (f64::from(worst.weight) / (round + 1) as f64);
        if !broken.contains(name) {
            broken.push(name);
        }
        let shrink = (worst.amount + 2.0).recip() + 0.5;
        current.iter_mut().for_each(|x| *x *= shrink);
    }
    current.iter().sum::<T>() + total * broken.len() as f64
}
