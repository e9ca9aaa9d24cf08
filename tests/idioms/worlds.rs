use crate::dual::Number;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;

#[derive(Clone, Copy, Default)]
struct Vec2<T> {
    x: T,
    y: T,
}

impl<T: Number> Vec2<T> {
    fn dot(self, other: Self) -> T {
        self.x * other.x + self.y * other.y
    }
    fn scaled(self, by: T) -> Self {
        Vec2 { x: self.x * by, y: self.y * by }
    }
    fn plus(self, other: Self) -> Self {
        Vec2 { x: self.x + other.x, y: self.y + other.y }
    }
    fn minus(self, other: Self) -> Self {
        self.plus(other.scaled(T::from(-1.0)))
    }
}

#[derive(Clone)]
struct Body<T> {
    at: Vec2<T>,
    speed: Vec2<T>,
    mass: T,
    name: String,
}

fn bodies<T: Number>(xs: &[T]) -> Vec<Body<T>> {
    xs.iter()
        .enumerate()
        .map(|(i, &x)| Body {
            at: Vec2 { x: x + i as f64, y: x * x * 0.3 },
            speed: Vec2 { x: T::from(0.1), y: -x * 0.2 },
            mass: x.abs() + 0.5,
            name: format!("body {i}"),
        })
        .collect()
}

trait Force<T> {
    fn on(&self, body: &Body<T>, others: &[Body<T>]) -> Vec2<T>;
}

struct Gravity;
struct Drag<T>(T);
struct Tether<T> {
    to: Vec2<T>,
    name: &'static str,
}

impl<T: Number> Force<T> for Gravity {
    fn on(&self, body: &Body<T>, others: &[Body<T>]) -> Vec2<T> {
        others.iter().filter(|other| other.name != body.name).fold(Vec2::default(), |sum, other| {
            let apart = other.at.minus(body.at);
            let squared = apart.dot(apart) + 0.2;
            sum.plus(apart.scaled(other.mass / (squared * squared.sqrt())))
        })
    }
}

impl<T: Number> Force<T> for Drag<T> {
    fn on(&self, body: &Body<T>, _: &[Body<T>]) -> Vec2<T> {
        body.speed.scaled(-self.0 * (body.speed.dot(body.speed) + 0.01).sqrt())
    }
}

impl<T: Number> Force<T> for Tether<T> {
    fn on(&self, body: &Body<T>, _: &[Body<T>]) -> Vec2<T> {
        if body.name.ends_with(self.name) { self.to.minus(body.at) } else { Vec2::default() }
    }
}

pub fn world_of_forces<T: Number>(xs: &[T], k: usize) -> T {
    let forces: Vec<Box<dyn Force<T>>> = vec![
        Box::new(Gravity),
        Box::new(Drag(xs[0] * 0.1)),
        Box::new(Tether { to: Vec2 { x: T::from(0.5), y: xs[xs.len() - 1] }, name: "0" }),
    ];
    let mut world = bodies(xs);
    for _ in 0..k + 1 {
        let before = world.clone();
        for body in world.iter_mut() {
            let force = forces.iter().map(|force| force.on(body, &before)).fold(Vec2::default(), Vec2::plus);
            body.speed = body.speed.plus(force.scaled(T::from(0.05) / body.mass));
            body.at = body.at.plus(body.speed.scaled(T::from(0.05)));
        }
    }
    world.iter().map(|body| body.at.dot(body.at) * body.mass).sum()
}

pub fn collisions_sorted_by_place<T: Number>(xs: &[T], k: usize) -> T {
    let mut world = bodies(xs);
    for _ in 0..k + 1 {
        world.sort_by(|a, b| a.at.x.partial_cmp(&b.at.x).unwrap());
        for i in 1..world.len() {
            let (left, right) = world.split_at_mut(i);
            let (a, b) = (left.last_mut().unwrap(), &mut right[0]);
            let gap = b.at.x - a.at.x;
            if gap < 1.0 {
                let push = (-gap + 1.0) * 0.5;
                a.at.x -= push;
                b.at.x += push;
                std::mem::swap(&mut a.speed, &mut b.speed);
            }
        }
        world.iter_mut().for_each(|body| body.at = body.at.plus(body.speed));
    }
    world.iter().map(|body| body.at.x * body.at.y).sum()
}

struct Metres;
struct Feet;
struct Length<T, Unit>(T, PhantomData<Unit>);

impl<T: Number> From<Length<T, Feet>> for Length<T, Metres> {
    fn from(feet: Length<T, Feet>) -> Self {
        Length(feet.0 * 0.3048, PhantomData)
    }
}

pub fn units_by_types<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter()
        .map(|&x| Length::<T, Feet>(x, PhantomData))
        .map(Length::<T, Metres>::from)
        .map(|metres| metres.0 * metres.0)
        .sum()
}

struct Sensor<T> {
    reading: Cell<T>,
    log: RefCell<Vec<T>>,
    next: Option<Rc<Sensor<T>>>,
}

impl<T: Number> Sensor<T> {
    fn feed(&self, signal: T) {
        let old = self.reading.replace(signal * 0.7 + self.reading.get() * 0.3);
        self.log.borrow_mut().push(old);
        if let Some(next) = &self.next {
            next.feed(self.reading.get() - old);
        }
    }
}

pub fn sensors_in_a_chain<T: Number>(xs: &[T], k: usize) -> T {
    let mut head: Option<Rc<Sensor<T>>> = None;
    for _ in 0..=k {
        head = Some(Rc::new(Sensor { reading: Cell::new(T::from(0.1)), log: RefCell::default(), next: head.take() }));
    }
    let head = head.unwrap();
    xs.iter().for_each(|&x| head.feed(x));
    let mut sum = T::from(0.0);
    let mut at = Some(&head);
    while let Some(sensor) = at {
        sum += sensor.log.borrow().iter().map(|&x| x * x).sum::<T>() + sensor.reading.get();
        at = sensor.next.as_ref();
    }
    sum
}

#[derive(Clone, Copy)]
enum Phase<T> {
    Rising { from: T, steps: u8 },
    Holding(T),
    Falling { rate: T },
}

pub fn phases_of_a_controller<T: Number>(xs: &[T], k: usize) -> T {
    let mut phase = Phase::Rising { from: T::from(0.0), steps: 0 };
    let mut level = T::from(0.2);
    let mut cost = T::from(0.0);
    for (i, &x) in xs.iter().cycle().take(xs.len() + k).enumerate() {
        phase = match phase {
            Phase::Rising { from, steps } if steps > 1 => Phase::Holding(level - from),
            Phase::Rising { from, steps } => {
                level += x.abs() * 0.3 + from * 0.1;
                Phase::Rising { from: level * 0.5, steps: steps + 1 }
            }
            Phase::Holding(target) if level > target => Phase::Falling { rate: x * 0.1 + 0.2 },
            Phase::Holding(target) => {
                level += (target - level) * 0.5;
                Phase::Holding(target + x * 0.01)
            }
            Phase::Falling { rate } if i % 3 == 0 => Phase::Rising { from: level * rate, steps: 0 },
            Phase::Falling { rate } => {
                level *= -rate + 1.0;
                phase
            }
        };
        cost += level * level;
    }
    cost
}
