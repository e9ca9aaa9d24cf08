use crate::dual::Number;
use std::collections::HashMap;
use std::f64::consts::PI;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug, Default)]
struct Vec3<T> {
    x: T,
    y: T,
    z: T,
}

impl<T: Number> Vec3<T> {
    fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }
    fn constant(x: f64, y: f64, z: f64) -> Self {
        Self::new(x.into(), y.into(), z.into())
    }
    fn dot(self, other: Self) -> T {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
    fn length(self) -> T {
        self.dot(self).sqrt()
    }
    fn normalized(self) -> Self {
        self * self.length().recip()
    }
    fn reflected(self, normal: Self) -> Self {
        self - normal * (self.dot(normal) * 2.0)
    }
}

impl<T: Number> Add for Vec3<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl<T: Number> Sub for Vec3<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<T: Number> Neg for Vec3<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl<T: Number> Mul<T> for Vec3<T> {
    type Output = Self;
    fn mul(self, by: T) -> Self {
        Self::new(self.x * by, self.y * by, self.z * by)
    }
}

impl<T: Number> AddAssign for Vec3<T> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

// ---------------------------------------------------------------- smoothed particle hydrodynamics

const SMOOTHING: f64 = 0.6;

#[derive(Clone, Debug)]
struct Particle<T> {
    position: [T; 2],
    velocity: [T; 2],
    density: T,
}

impl<T: Number> Particle<T> {
    fn pressure(&self) -> T {
        (self.density - 0.5) * 0.8
    }
}

struct Fluid<T> {
    particles: Vec<Particle<T>>,
    cells: HashMap<(i32, i32), Vec<usize>>,
    viscosity: T,
}

impl<T: Number> Fluid<T> {
    fn cell_of(position: [T; 2]) -> (i32, i32) {
        let [x, y] = position.map(|c| (c.value() / SMOOTHING).floor() as i32);
        (x, y)
    }

    fn rehash(&mut self) {
        self.cells.clear();
        for (i, particle) in self.particles.iter().enumerate() {
            self.cells.entry(Self::cell_of(particle.position)).or_default().push(i);
        }
    }

    fn neighbours(&self, i: usize) -> impl Iterator<Item = (usize, [T; 2], T)> {
        let here = self.particles[i].position;
        let (cx, cy) = Self::cell_of(here);
        (-1..=1)
            .flat_map(move |dx| (-1..=1).map(move |dy| (cx + dx, cy + dy)))
            .filter_map(|cell| self.cells.get(&cell))
            .flatten()
            .filter_map(move |&j| {
                let there = self.particles[j].position;
                let apart = [here[0] - there[0], here[1] - there[1]];
                let squared = apart[0] * apart[0] + apart[1] * apart[1];
                (squared < SMOOTHING * SMOOTHING).then_some((j, apart, squared))
            })
    }

    fn force_on(&self, i: usize) -> [T; 2] {
        let me = &self.particles[i];
        let mut force = [T::from(0.0), -me.density];
        for (j, apart, squared) in self.neighbours(i).filter(|&(j, ..)| j != i) {
            let other = &self.particles[j];
            let distance = squared.sqrt();
            let overlap = -distance + SMOOTHING;
            let push = (me.pressure() + other.pressure()) * 0.5 / other.density * overlap * overlap / distance;
            for axis in 0..2 {
                let drag = self.viscosity * (other.velocity[axis] - me.velocity[axis]) / other.density * overlap;
                force[axis] += apart[axis] * push + drag;
            }
        }
        force
    }

    fn step(&mut self, dt: f64) {
        self.rehash();
        for i in 0..self.particles.len() {
            let kernel = |(_, _, squared): (usize, [T; 2], T)| (-squared + SMOOTHING * SMOOTHING).powi(3) * 12.0;
            self.particles[i].density = self.neighbours(i).map(kernel).sum();
        }
        let forces: Vec<_> = (0..self.particles.len()).map(|i| self.force_on(i)).collect();
        for (particle, force) in self.particles.iter_mut().zip(forces) {
            for axis in 0..2 {
                particle.velocity[axis] += force[axis] / particle.density * dt;
                particle.position[axis] += particle.velocity[axis] * dt;
            }
            if particle.position[1] < 0.0 {
                particle.position[1] = -particle.position[1];
                particle.velocity[1] *= T::from(-0.4);
            }
        }
    }
}

pub fn dam_break_of_a_fluid<T: Number>(xs: &[T], k: usize) -> T {
    let particles = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| Particle {
            position: [x * 0.07 + (i % 3) as f64 * 0.4, x * x * 0.03 + (i / 3) as f64 * 0.35],
            velocity: [x * 0.1, T::default()],
            density: T::from(1.0),
        })
        .collect();
    let mut fluid = Fluid { particles, cells: HashMap::new(), viscosity: xs[0] * xs[0] * 0.1 + 0.05 };
    for _ in 0..2 * k + 3 {
        fluid.step(0.05);
    }
    fluid.particles.iter().map(|p| p.velocity[0] * p.velocity[0] + p.velocity[1] * p.velocity[1] + p.position[1]).sum()
}

// ---------------------------------------------------------------- rockets and orbits

struct Stage<T> {
    dry_mass: f64,
    fuel: T,
    thrust: T,
    exhaust_speed: f64,
}

struct Rocket<T> {
    stages: Vec<Stage<T>>,
    payload: T,
    altitude: T,
    speed: T,
}

impl<T: Number> Rocket<T> {
    fn mass(&self) -> T {
        self.payload + self.stages.iter().map(|stage| stage.fuel + stage.dry_mass).sum::<T>()
    }

    /// Burns what is left of the lowest stage, and drops it when it is empty.
    fn burn(&mut self, dt: f64) -> Option<T> {
        let stage = self.stages.last_mut()?;
        let burnt = (stage.thrust / stage.exhaust_speed * dt).min(stage.fuel);
        stage.fuel -= burnt;
        let thrust = burnt * stage.exhaust_speed / dt;
        if stage.fuel <= 0.0 {
            self.stages.pop();
        }
        Some(thrust)
    }

    fn advance(&mut self, dt: f64) {
        let mass = self.mass();
        let gravity = (self.altitude * 0.1 + 1.0).powi(-2);
        let drag = self.speed * self.speed.abs() * (-self.altitude).exp() * 0.05;
        let thrust = self.burn(dt).unwrap_or_default();
        self.speed += ((thrust - drag) / mass - gravity) * dt;
        self.altitude += self.speed * dt;
    }
}

pub fn rocket_dropping_its_stages<T: Number>(xs: &[T], k: usize) -> T {
    let stages = xs
        .iter()
        .take(4)
        .enumerate()
        .map(|(i, &x)| Stage {
            dry_mass: 0.1 * (i + 1) as f64,
            fuel: x * x * 0.2 + 0.5,
            thrust: x.abs() + 2.0 + i as f64 * 1.5,
            exhaust_speed: 3.0,
        })
        .collect();
    let payload = xs.last().map_or(T::from(0.2), |&x| x.abs() * 0.2 + 0.1);
    let mut rocket = Rocket { stages, payload, altitude: T::from(0.0), speed: T::from(0.05) };
    let mut highest = T::from(0.0);
    for _ in 0..12 + 6 * k {
        rocket.advance(0.11);
        highest = highest.max(rocket.altitude);
    }
    highest + rocket.speed * 0.1 + rocket.mass()
}

#[derive(Clone, Copy, Debug)]
enum Maneuver<T> {
    Coast(usize),
    Prograde(T),
    Radial { kick: T },
    PlaneChange { angle: T },
    Circularise,
}

#[derive(Debug)]
struct Orbit<T> {
    position: Vec3<T>,
    velocity: Vec3<T>,
    spent: T,
}

impl<T: Number> Orbit<T> {
    fn coast(&mut self, steps: usize) {
        const DT: f64 = 0.08;
        let pull = |at: Vec3<T>| at * -(at.length().powi(-3));
        for _ in 0..steps {
            self.velocity += pull(self.position) * T::from(DT / 2.0);
            self.position += self.velocity * T::from(DT);
            self.velocity += pull(self.position) * T::from(DT / 2.0);
        }
    }

    fn kick(&mut self, by: Vec3<T>) {
        self.spent += by.length();
        self.velocity += by;
    }

    fn perform(&mut self, maneuver: &Maneuver<T>) {
        match *maneuver {
            Maneuver::Coast(steps) => self.coast(steps),
            Maneuver::Prograde(dv) => self.kick(self.velocity.normalized() * dv),
            Maneuver::Radial { kick } => self.kick(self.position.normalized() * kick),
            Maneuver::PlaneChange { angle } => {
                let Vec3 { x, y, z } = self.velocity;
                let (sin, cos) = angle.sin_cos();
                self.kick(Vec3::new(x, y * cos - z * sin, y * sin + z * cos) - self.velocity);
            }
            Maneuver::Circularise => {
                let radial = self.position.normalized();
                let along = (self.velocity - radial * self.velocity.dot(radial)).normalized();
                self.kick(along * self.position.length().sqrt().recip() - self.velocity);
            }
        }
    }

    fn energy(&self) -> T {
        self.velocity.dot(self.velocity) * 0.5 - self.position.length().recip()
    }
}

pub fn orbit_with_planned_burns<T: Number>(xs: &[T], k: usize) -> T {
    let mut plan = vec![Maneuver::Coast(4)];
    for (i, &x) in xs.iter().enumerate() {
        plan.push(match (i + k) % 4 {
            0 => Maneuver::Prograde(x * 0.05 + 0.01),
            1 => Maneuver::Radial { kick: x * 0.04 },
            2 => Maneuver::PlaneChange { angle: x * 0.1 },
            _ => Maneuver::Circularise,
        });
        plan.push(Maneuver::Coast(3 + i % 3));
    }
    let mut orbit = Orbit {
        position: Vec3::constant(1.0, 0.1, 0.0),
        velocity: Vec3::new(T::from(0.02), xs[0] * 0.02 + 1.0, T::from(0.05)),
        spent: T::default(),
    };
    plan.iter().for_each(|maneuver| orbit.perform(maneuver));
    orbit.energy() + orbit.spent * 0.3 + orbit.position.z * orbit.velocity.x
}

// ---------------------------------------------------------------- billiards by the times of events

const BALL: f64 = 0.15;

#[derive(Clone, Copy, Debug)]
enum Event {
    Cushion { ball: usize, axis: usize },
    Collision(usize, usize),
}

#[derive(Clone, Copy, Debug)]
struct Ball<T> {
    place: [T; 2],
    speed: [T; 2],
}

fn dot2<T: Number>(a: [T; 2], b: [T; 2]) -> T {
    a.iter().zip(&b).map(|(&a, &b)| a * b).sum()
}

fn minus2<T: Number>(a: [T; 2], b: [T; 2]) -> [T; 2] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

impl<T: Number> Ball<T> {
    fn time_to_cushion(&self, axis: usize) -> Option<T> {
        let (place, speed) = (self.place[axis], self.speed[axis]);
        if speed > 0.0 {
            Some((-place + (3.0 - BALL)) / speed)
        } else if speed < 0.0 {
            Some((-place + BALL) / speed)
        } else {
            None
        }
    }

    fn time_to_meet(&self, other: &Self) -> Option<T> {
        let gap = minus2(other.place, self.place);
        let closing = minus2(other.speed, self.speed);
        let along = dot2(gap, closing);
        if along >= 0.0 {
            return None;
        }
        let speed = dot2(closing, closing);
        let reach = dot2(gap, gap) - 4.0 * BALL * BALL;
        let discriminant = along * along - speed * reach;
        (discriminant > 0.0).then(|| (-along - discriminant.sqrt()) / speed)
    }
}

fn next_event<T: Number>(balls: &[Ball<T>]) -> Option<(T, Event)> {
    let cushions = balls.iter().enumerate().flat_map(|(ball, b)| {
        (0..2).filter_map(move |axis| Some((b.time_to_cushion(axis)?, Event::Cushion { ball, axis })))
    });
    let collisions = (0..balls.len()).flat_map(|i| {
        (i + 1..balls.len()).filter_map(move |j| balls[i].time_to_meet(&balls[j]).map(|t| (t, Event::Collision(i, j))))
    });
    cushions.chain(collisions).min_by(|(a, _), (b, _)| a.total_cmp(b))
}

pub fn billiards_between_events<T: Number>(xs: &[T], k: usize) -> T {
    let mut balls: Vec<Ball<T>> = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| Ball {
            place: [x * 0.05 + 0.5 + (i % 3) as f64, -x * 0.04 + 0.6 + (i / 3) as f64 * 0.9],
            speed: [(x * 2.0 + i as f64).sin(), x * 0.5 + 0.2],
        })
        .collect();
    let mut clock = T::from(0.0);
    let mut impulse = T::from(0.0);
    for _ in 0..k + 3 {
        let Some((after, event)) = next_event(&balls) else { break };
        clock += after;
        for ball in &mut balls {
            for axis in 0..2 {
                ball.place[axis] += ball.speed[axis] * after;
            }
        }
        match event {
            Event::Cushion { ball, axis } => {
                let speed = &mut balls[ball].speed[axis];
                impulse += speed.abs() * 2.0;
                *speed = -*speed * 0.9;
            }
            Event::Collision(i, j) => {
                let normal = minus2(balls[j].place, balls[i].place).map(|c| c / (2.0 * BALL));
                let passed = dot2(minus2(balls[i].speed, balls[j].speed), normal);
                impulse += passed;
                for axis in 0..2 {
                    balls[i].speed[axis] -= normal[axis] * passed;
                    balls[j].speed[axis] += normal[axis] * passed;
                }
            }
        }
    }
    impulse + clock * 0.5 + balls.iter().map(|ball| ball.place[0] * ball.place[1]).sum::<T>()
}

// ---------------------------------------------------------------- a tracer of rays

#[derive(Clone, Copy, Debug)]
struct Ray<T> {
    origin: Vec3<T>,
    direction: Vec3<T>,
}

struct Hit<T> {
    distance: T,
    point: Vec3<T>,
    normal: Vec3<T>,
}

trait Surface<T> {
    fn hit(&self, ray: &Ray<T>) -> Option<Hit<T>>;
}

struct Sphere<T> {
    center: Vec3<T>,
    radius: T,
}

struct Floor<T> {
    height: T,
}

impl<T: Number> Surface<T> for Sphere<T> {
    fn hit(&self, ray: &Ray<T>) -> Option<Hit<T>> {
        let from_center = ray.origin - self.center;
        let half = from_center.dot(ray.direction);
        let discriminant = half * half - from_center.dot(from_center) + self.radius * self.radius;
        if discriminant < 0.0 {
            return None;
        }
        let root = discriminant.sqrt();
        let distance = [-half - root, -half + root].into_iter().find(|&t| t > 1e-3)?;
        let point = ray.origin + ray.direction * distance;
        Some(Hit { distance, point, normal: (point - self.center) * self.radius.recip() })
    }
}

impl<T: Number> Surface<T> for Floor<T> {
    fn hit(&self, ray: &Ray<T>) -> Option<Hit<T>> {
        let distance = (self.height - ray.origin.y) / ray.direction.y;
        (distance > 1e-3 && distance < 50.0).then(|| Hit {
            distance,
            point: ray.origin + ray.direction * distance,
            normal: Vec3::constant(0.0, 1.0, 0.0),
        })
    }
}

enum Material<T> {
    Matte { albedo: T },
    Mirror { gloss: T },
    Glass { index: f64 },
}

struct Object<T> {
    surface: Box<dyn Surface<T>>,
    material: Material<T>,
}

struct Scene<T> {
    objects: Vec<Object<T>>,
    lamp: Vec3<T>,
}

impl<T: Number> Scene<T> {
    fn nearest(&self, ray: &Ray<T>) -> Option<(Hit<T>, &Material<T>)> {
        self.objects
            .iter()
            .filter_map(|object| object.surface.hit(ray).map(|hit| (hit, &object.material)))
            .min_by(|(a, _), (b, _)| a.distance.partial_cmp(&b.distance).unwrap())
    }

    fn trace(&self, ray: &Ray<T>, depth: usize) -> T {
        let Some((hit, material)) = self.nearest(ray) else {
            return ray.direction.y * 0.3 + 0.4;
        };
        match material {
            Material::Matte { albedo } => {
                let to_lamp = self.lamp - hit.point;
                let shadow = Ray { origin: hit.point, direction: to_lamp.normalized() };
                let lit = self.nearest(&shadow).is_none_or(|(blocker, _)| blocker.distance > to_lamp.length());
                let light = if lit { shadow.direction.dot(hit.normal).max(T::from(0.0)) } else { T::from(0.0) };
                *albedo * (light + 0.1)
            }
            Material::Mirror { gloss } if depth > 0 => {
                let direction = ray.direction.reflected(hit.normal).normalized();
                *gloss * self.trace(&Ray { origin: hit.point, direction }, depth - 1)
            }
            Material::Glass { index } if depth > 0 => {
                let inside = ray.direction.dot(hit.normal) > 0.0;
                let (normal, ratio) = if inside { (-hit.normal, *index) } else { (hit.normal, 1.0 / index) };
                let cosine = -ray.direction.dot(normal);
                let sine_squared = (-cosine * cosine + 1.0) * ratio * ratio;
                let direction = if sine_squared > 1.0 {
                    ray.direction.reflected(normal)
                } else {
                    ray.direction * T::from(ratio) + normal * (cosine * ratio - (-sine_squared + 1.0).sqrt())
                };
                self.trace(&Ray { origin: hit.point, direction: direction.normalized() }, depth - 1) * 0.95
            }
            Material::Mirror { .. } | Material::Glass { .. } => T::from(0.2),
        }
    }
}

pub fn scene_traced_with_materials<T: Number>(xs: &[T], k: usize) -> T {
    let mut objects: Vec<Object<T>> = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| Object {
            surface: Box::new(Sphere {
                center: Vec3::new(x * 0.1 + (i as f64 - 1.5) * 0.9, x * 0.1 + 0.1, x * x * 0.05 + 4.0 + i as f64 * 0.2),
                radius: x.abs() * 0.05 + 0.45,
            }),
            material: match (i + k) % 3 {
                0 => Material::Mirror { gloss: x * 0.1 + 0.7 },
                1 => Material::Glass { index: 1.4 },
                _ => Material::Matte { albedo: x.cos() * 0.3 + 0.5 },
            },
        })
        .collect();
    objects.push(Object {
        surface: Box::new(Floor { height: xs[0] * 0.1 - 0.9 }),
        material: Material::Matte { albedo: T::from(0.6) },
    });
    let scene = Scene { objects, lamp: Vec3::constant(2.0, 5.0, -1.0) };
    let mut brightness = T::from(0.0);
    for row in -1..=1 {
        for column in -2..=2 {
            let towards = Vec3::constant(column as f64 * 0.21 + 0.02, row as f64 * 0.17 + 0.03, 1.0);
            let ray = Ray { origin: Vec3::constant(0.05, 0.0, 0.0), direction: towards.normalized() };
            brightness += scene.trace(&ray, k + 1);
        }
    }
    brightness / 15.0
}

// ---------------------------------------------------------------- lenses by their matrices

#[derive(Clone, Copy, Debug)]
struct Abcd<T> {
    a: T,
    b: T,
    c: T,
    d: T,
}

impl<T: Number> Mul for Abcd<T> {
    type Output = Self;
    fn mul(self, then: Self) -> Self {
        Abcd {
            a: self.a * then.a + self.b * then.c,
            b: self.a * then.b + self.b * then.d,
            c: self.c * then.a + self.d * then.c,
            d: self.c * then.b + self.d * then.d,
        }
    }
}

enum Optic<T> {
    Gap(T),
    Lens { focal: T },
    Interface { from: f64, into: f64, radius: Option<T> },
    Mirror { radius: T },
}

impl<T: Number> From<&Optic<T>> for Abcd<T> {
    fn from(optic: &Optic<T>) -> Self {
        let (zero, one) = (T::from(0.0), T::from(1.0));
        let unit = Abcd { a: one, b: zero, c: zero, d: one };
        match optic {
            Optic::Gap(length) => Abcd { b: *length, ..unit },
            Optic::Lens { focal } => Abcd { c: -focal.recip(), ..unit },
            &Optic::Interface { from, into, radius } => Abcd {
                c: radius.map_or(zero, |radius| radius.recip() * ((from - into) / into)),
                d: T::from(from / into),
                ..unit
            },
            Optic::Mirror { radius } => Abcd { c: radius.recip() * -2.0, ..unit },
        }
    }
}

pub fn beam_through_a_lens_train<T: Number>(xs: &[T], k: usize) -> T {
    let mut train = Vec::with_capacity(2 * xs.len());
    for (i, &x) in xs.iter().enumerate() {
        train.push(Optic::Gap(x * x * 0.1 + 0.2));
        train.push(match (i + k) % 4 {
            0 => Optic::Lens { focal: x * 0.2 + 1.5 },
            1 => Optic::Interface { from: 1.0, into: 1.5, radius: Some(x * 0.3 + 2.0) },
            2 => Optic::Interface { from: 1.5, into: 1.0, radius: None },
            _ => Optic::Mirror { radius: x * 0.5 + 4.0 },
        });
    }
    let system = train.iter().map(Abcd::from).reduce(|before, next| next * before).unwrap();
    // the complex parameter of a Gaussian beam: q = i z, taken through the system
    let z = xs[xs.len() / 2].abs() + 0.8;
    let (above, below) = ((system.b, system.a * z), (system.d, system.c * z));
    let norm = below.0 * below.0 + below.1 * below.1;
    let place = (above.0 * below.0 + above.1 * below.1) / norm;
    let range = (above.1 * below.0 - above.0 * below.1) / norm;
    let determinant = system.a * system.d - system.b * system.c;
    place * 0.3 + range.ln() + determinant
}

// ---------------------------------------------------------------- arms of robots

#[derive(Clone, Debug)]
struct Joint<T> {
    angle: T,
    length: f64,
    limit: f64,
}

struct Arm<T> {
    joints: Vec<Joint<T>>,
}

impl<T: Number> Arm<T> {
    /// Where each joint is, and last the hand.
    fn places(&self) -> Vec<(T, T)> {
        let start = (T::from(0.0), T::from(0.0));
        let further = self.joints.iter().scan((start, T::from(0.0)), |((x, y), heading), joint| {
            *heading += joint.angle;
            *x += heading.cos() * joint.length;
            *y += heading.sin() * joint.length;
            Some((*x, *y))
        });
        std::iter::once(start).chain(further).collect()
    }

    fn reach_for(&mut self, target: (T, T), sweeps: usize) -> T {
        for _ in 0..sweeps {
            for i in (0..self.joints.len()).rev() {
                let places = self.places();
                let (pivot, hand) = (places[i], *places.last().unwrap());
                let wanted = (target.1 - pivot.1).atan2(target.0 - pivot.0);
                let actual = (hand.1 - pivot.1).atan2(hand.0 - pivot.0);
                let mut turn = wanted - actual;
                while turn > PI {
                    turn = turn - 2.0 * PI;
                }
                while turn < -PI {
                    turn = turn + 2.0 * PI;
                }
                let joint = &mut self.joints[i];
                joint.angle = (joint.angle + turn * 0.7).clamp(T::from(-joint.limit), T::from(joint.limit));
            }
        }
        let hand = self.places().pop().unwrap();
        (hand.0 - target.0).hypot(hand.1 - target.1)
    }
}

pub fn arm_reaching_by_coordinate_descent<T: Number>(xs: &[T], k: usize) -> T {
    let joints = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| Joint {
            angle: x * 0.3 + 0.1,
            length: 1.0 / (i + 1) as f64,
            limit: if i == 0 { PI } else { 1.2 },
        })
        .collect();
    let mut arm = Arm { joints };
    let target = (xs[xs.len() - 1] * 0.1 + 1.1, xs[0] * 0.2 + 0.9);
    let missed = arm.reach_for(target, k + 1);
    missed + arm.joints.iter().map(|joint| joint.angle * joint.angle).sum::<T>() * 0.1
}

type Pose<T> = [[T; 4]; 4];

enum Link<T> {
    Revolute { offset: f64, length: f64, twist: f64, angle: T },
    Prismatic { extension: T, twist: f64 },
    Rigid(Pose<T>),
}

impl<T: Number> Link<T> {
    fn denavit_hartenberg(theta: T, d: T, a: f64, alpha: f64) -> Pose<T> {
        let ((st, ct), (sa, ca)) = (theta.sin_cos(), alpha.sin_cos());
        let (zero, one) = (T::from(0.0), T::from(1.0));
        [
            [ct, -st * ca, st * sa, ct * a],
            [st, ct * ca, -ct * sa, st * a],
            [zero, T::from(sa), T::from(ca), d],
            [zero, zero, zero, one],
        ]
    }

    fn pose(&self) -> Pose<T> {
        match self {
            Link::Revolute { offset, length, twist, angle } => {
                Self::denavit_hartenberg(*angle, T::from(*offset), *length, *twist)
            }
            Link::Prismatic { extension, twist } => Self::denavit_hartenberg(T::from(0.3), *extension, 0.0, *twist),
            Link::Rigid(pose) => *pose,
        }
    }
}

fn composed<T: Number>(a: &Pose<T>, b: &Pose<T>) -> Pose<T> {
    let mut product = [[T::default(); 4]; 4];
    for (row, out) in a.iter().zip(product.iter_mut()) {
        for (j, cell) in out.iter_mut().enumerate() {
            *cell = row.iter().zip(b).map(|(&left, right)| left * right[j]).sum();
        }
    }
    product
}

pub fn gripper_by_denavit_and_hartenberg<T: Number>(xs: &[T], k: usize) -> T {
    let mut tool = [[T::from(0.0); 4]; 4];
    for (i, row) in tool.iter_mut().enumerate() {
        row[i] = T::from(1.0);
        if i < 3 {
            row[3] = xs[i % xs.len()] * 0.1;
        }
    }
    let mut links: Vec<Link<T>> = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| match (i + k) % 3 {
            2 => Link::Prismatic { extension: x.abs() * 0.4 + 0.1, twist: -PI / 2.0 },
            odd => Link::Revolute { offset: 0.1, length: 0.5 - 0.1 * odd as f64, twist: PI / 2.0, angle: x },
        })
        .collect();
    links.push(Link::Rigid(tool));
    let poses: Vec<Pose<T>> = links.iter().map(Link::pose).collect();
    let (first, rest) = poses.split_first().unwrap();
    let hand = rest.iter().fold(*first, |so_far, pose| composed(&so_far, pose));
    let trace = hand[0][0] + hand[1][1] + hand[2][2];
    hand[0][3] + hand[1][3] * 2.0 - hand[2][3] + ((trace - 1.0) * 0.45).atan()
}

// ---------------------------------------------------------------- controllers and filters

#[derive(Clone, Debug)]
struct Pid<T> {
    gains: (T, T, T),
    integral: T,
    last_error: Option<T>,
    output_limit: f64,
}

impl<T: Number> Pid<T> {
    fn new(p: T, i: T, d: T, output_limit: f64) -> Self {
        Pid { gains: (p, i, d), integral: T::default(), last_error: None, output_limit }
    }

    fn control(&mut self, error: T, dt: f64) -> T {
        let (p, i, d) = self.gains;
        let slope = self.last_error.replace(error).map_or(T::default(), |last| (error - last) / dt);
        let integral = self.integral + error * dt;
        let wanted = error * p + integral * i + slope * d;
        let limit = T::from(self.output_limit);
        let given = wanted.clamp(-limit, limit);
        if given == wanted {
            self.integral = integral; // no windup while saturated
        }
        given
    }
}

pub fn motor_under_cascaded_control<T: Number>(xs: &[T], k: usize) -> T {
    let gain = xs[0] * xs[0] * 0.2 + 1.0;
    let mut outer = Pid::new(gain, T::from(0.3), T::from(0.05), 2.0);
    let mut inner = Pid { output_limit: 5.0, ..Pid::new(T::from(1.5), gain * 0.4, T::default(), 0.0) };
    let (mut angle, mut speed, mut current) = (T::from(0.0), T::from(0.0), T::from(0.0));
    let mut cost = T::from(0.0);
    let dt = 0.1;
    for &setpoint in xs {
        for _ in 0..k + 4 {
            let wanted_speed = outer.control(setpoint - angle, dt);
            let voltage = inner.control(wanted_speed - speed, dt);
            current += (voltage - current * 1.2 - speed * 0.3) * dt;
            let friction = if speed.abs() < 0.01 { speed * 5.0 } else { speed.signum() * 0.05 };
            speed += (current * 2.0 - friction) * dt;
            angle += speed * dt;
            cost += (setpoint - angle).powi(2) + voltage * voltage * 0.01;
        }
    }
    cost * dt
}

type Matrix<T, const N: usize> = [[T; N]; N];

fn cholesky<T: Number, const N: usize>(a: &Matrix<T, N>) -> Option<Matrix<T, N>> {
    let mut l = [[T::default(); N]; N];
    for i in 0..N {
        for j in 0..=i {
            let rest = a[i][j] - (0..j).map(|m| l[i][m] * l[j][m]).sum::<T>();
            if i != j {
                l[i][j] = rest / l[j][j];
            } else if rest > 0.0 {
                l[i][i] = rest.sqrt();
            } else {
                return None;
            }
        }
    }
    Some(l)
}

struct Unscented<T, const N: usize> {
    mean: [T; N],
    covariance: Matrix<T, N>,
}

impl<T: Number, const N: usize> Unscented<T, N> {
    fn sigma_points(&self) -> Result<Vec<([T; N], f64)>, &'static str> {
        let root = cholesky(&self.covariance).ok_or("covariance is not positive")?;
        let spread = (N as f64 + 1.0).sqrt();
        let mut points = vec![(self.mean, 1.0 / (N as f64 + 1.0))];
        for column in 0..N {
            for sign in [1.0, -1.0] {
                let point = std::array::from_fn(|row| self.mean[row] + root[row][column] * (sign * spread));
                points.push((point, 0.5 / (N as f64 + 1.0)));
            }
        }
        Ok(points)
    }

    fn predict(&mut self, motion: impl Fn(&[T; N]) -> [T; N], noise: f64) -> Result<(), &'static str> {
        let moved: Vec<_> = self.sigma_points()?.iter().map(|(point, weight)| (motion(point), *weight)).collect();
        self.mean = std::array::from_fn(|i| moved.iter().map(|(point, weight)| point[i] * *weight).sum());
        for i in 0..N {
            for j in 0..N {
                let spread = |(p, w): &([T; N], f64)| (p[i] - self.mean[i]) * (p[j] - self.mean[j]) * *w;
                let process = if i == j { noise } else { 0.0 };
                self.covariance[i][j] = moved.iter().map(spread).sum::<T>() + process;
            }
        }
        Ok(())
    }

    /// Takes in a reading; gives its log likelihood.
    fn update(&mut self, sensor: impl Fn(&[T; N]) -> T, reading: T, noise: f64) -> Result<T, &'static str> {
        let points = self.sigma_points()?;
        let seen: Vec<T> = points.iter().map(|(point, _)| sensor(point)).collect();
        let expected: T = seen.iter().zip(&points).map(|(&s, (_, w))| s * *w).sum();
        let variance = seen.iter().zip(&points).map(|(&s, (_, w))| (s - expected).powi(2) * *w).sum::<T>() + noise;
        let gain: [T; N] = std::array::from_fn(|i| {
            let cross = seen.iter().zip(&points).map(|(&s, (p, w))| (p[i] - self.mean[i]) * (s - expected) * *w);
            cross.sum::<T>() / variance
        });
        let surprise = reading - expected;
        for i in 0..N {
            self.mean[i] += gain[i] * surprise;
            for j in 0..N {
                self.covariance[i][j] -= gain[i] * gain[j] * variance;
            }
        }
        Ok((surprise * surprise / variance + variance.ln()) * -0.5)
    }
}

fn tracked<T: Number>(xs: &[T], k: usize) -> Result<T, &'static str> {
    let unit = |i: usize, j: usize| T::from(if i == j { 0.5 } else { 0.05 });
    let mut filter = Unscented {
        mean: [T::from(1.0), T::from(0.5), xs[0] * 0.3],
        covariance: std::array::from_fn(|i| std::array::from_fn(|j| unit(i, j))),
    };
    let mut likelihood = T::from(0.0);
    for (step, &x) in xs.iter().enumerate() {
        filter.predict(|&[x, y, heading]| [x + heading.cos() * 0.3, y + heading.sin() * 0.3, heading + 0.1], 0.02)?;
        likelihood += if (step + k) % 2 == 0 {
            filter.update(|&[x, y, _]| x.hypot(y), x.abs() + 1.0, 0.1)?
        } else {
            filter.update(|&[x, y, heading]| y.atan2(x) - heading, x * 0.3, 0.2)?
        };
    }
    Ok(likelihood + filter.mean.iter().sum::<T>())
}

pub fn unscented_tracking_of_a_rover<T: Number>(xs: &[T], k: usize) -> T {
    match tracked(xs, k) {
        Ok(likelihood) => likelihood,
        Err(problem) => panic!("the rover was lost: {problem}"),
    }
}

// ---------------------------------------------------------------- solids and polygons

enum Solid<T> {
    Ball { center: Vec3<T>, radius: T },
    Cuboid { half: Vec3<T> },
    Union(Vec<Solid<T>>),
    Carved { from: Box<Solid<T>>, by: Box<Solid<T>> },
    Moved { solid: Box<Solid<T>>, by: Vec3<T> },
    Blend { a: Box<Solid<T>>, b: Box<Solid<T>>, width: T },
}

impl<T: Number> Solid<T> {
    fn moved(self, by: Vec3<T>) -> Self {
        Solid::Moved { solid: Box::new(self), by }
    }

    fn without(self, other: Solid<T>) -> Self {
        Solid::Carved { from: Box::new(self), by: Box::new(other) }
    }

    fn distance(&self, at: Vec3<T>) -> T {
        match self {
            Solid::Ball { center, radius } => (at - *center).length() - *radius,
            Solid::Cuboid { half } => {
                let zero = T::from(0.0);
                let q = Vec3::new(at.x.abs() - half.x, at.y.abs() - half.y, at.z.abs() - half.z);
                let outside = Vec3::new(q.x.max(zero), q.y.max(zero), q.z.max(zero));
                (outside.dot(outside) + 1e-6).sqrt() + q.x.max(q.y).max(q.z).min(zero)
            }
            Solid::Union(parts) => {
                parts.iter().map(|part| part.distance(at)).reduce(T::min).unwrap_or_else(|| T::from(100.0))
            }
            Solid::Carved { from, by } => from.distance(at).max(-by.distance(at)),
            Solid::Moved { solid, by } => solid.distance(at - *by),
            Solid::Blend { a, b, width } => {
                let (a, b) = (a.distance(at), b.distance(at));
                let h = ((b - a) / *width * 0.5 + 0.5).clamp(T::from(0.0), T::from(1.0));
                b + (a - b) * h - *width * h * (-h + 1.0)
            }
        }
    }
}

pub fn solids_marched_by_distance<T: Number>(xs: &[T], k: usize) -> T {
    let parts = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| {
            let ball = Solid::Ball { center: Vec3::new(x * 0.1, x * x * 0.1, T::from(0.1)), radius: x * 0.05 + 0.5 };
            let cuboid = || Solid::Cuboid { half: Vec3::new(x.abs() * 0.1 + 0.4, T::from(0.35), T::from(0.3)) };
            let place = Vec3::constant(i as f64 * 0.7 - 1.0, 0.2 * (i % 2) as f64, 3.0 + 0.3 * i as f64);
            match (i + k) % 3 {
                0 => cuboid().without(ball).moved(place),
                1 => ball.moved(place),
                _ => {
                    let width = x * x * 0.02 + 0.2;
                    Solid::Blend { a: Box::new(ball), b: Box::new(cuboid()), width }.moved(place)
                }
            }
        })
        .collect();
    let scene = Solid::Union(parts);
    let mut depths = T::from(0.0);
    for pixel in 0..5 {
        let direction = Vec3::constant(pixel as f64 * 0.17 - 0.36, 0.07, 1.0).normalized();
        let mut travelled = T::from(0.0);
        let mut closest = T::from(10.0);
        for _ in 0..20 {
            let free = scene.distance(direction * travelled);
            closest = closest.min(free);
            if free < 0.01 || travelled > 6.0 {
                break;
            }
            travelled += free;
        }
        depths += (-travelled * 0.2).exp() + closest * 0.1;
    }
    depths
}

#[derive(Clone, Copy, Debug)]
struct HalfPlane<T> {
    normal: [T; 2],
    offset: T,
}

impl<T: Number> HalfPlane<T> {
    fn side(&self, p: [T; 2]) -> T {
        dot2(self.normal, p) - self.offset
    }

    fn clip(&self, polygon: &[[T; 2]]) -> Vec<[T; 2]> {
        let mut kept = Vec::new();
        for (i, &here) in polygon.iter().enumerate() {
            let next = polygon[(i + 1) % polygon.len()];
            let (a, b) = (self.side(here), self.side(next));
            if a <= 0.0 {
                kept.push(here);
            }
            if (a <= 0.0) != (b <= 0.0) {
                let t = a / (a - b);
                kept.push([here[0] + (next[0] - here[0]) * t, here[1] + (next[1] - here[1]) * t]);
            }
        }
        kept
    }
}

pub fn star_clipped_by_half_planes<T: Number>(xs: &[T], k: usize) -> T {
    let corners = xs.len() + 4;
    let star: Vec<[T; 2]> = (0..corners)
        .map(|i| {
            let (sin, cos) = (2.0 * PI * i as f64 / corners as f64 + 0.1).sin_cos();
            let radius = xs[i % xs.len()] * 0.2 + if i % 2 == 0 { 1.5 } else { 1.0 };
            [radius * cos, radius * sin]
        })
        .collect();
    let planes = (0..k + 2).map(|i| {
        let angle = xs[i % xs.len()] * 0.3 + i as f64 * 1.7;
        HalfPlane { normal: [angle.cos(), angle.sin()], offset: xs[xs.len() - 1] * 0.1 + 0.7 }
    });
    let clipped = planes.fold(star, |polygon, plane| plane.clip(&polygon));
    let edges = || clipped.iter().zip(clipped.iter().cycle().skip(1));
    let area = edges().map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<T>() * 0.5;
    let perimeter: T = edges().map(|(a, b)| (b[0] - a[0]).hypot(b[1] - a[1])).sum();
    area - perimeter * 0.1
}

// ---------------------------------------------------------------- molecular dynamics

struct Droplet<T> {
    atoms: Vec<Vec3<T>>,
    speeds: Vec<Vec3<T>>,
    pairs: Vec<(usize, usize)>,
    side: f64,
}

impl<T: Number> Droplet<T> {
    fn nearest_image(&self, i: usize, j: usize) -> Vec3<T> {
        let wrapped = |d: T| d - (d.value() / self.side).round() * self.side;
        let Vec3 { x, y, z } = self.atoms[i] - self.atoms[j];
        Vec3::new(wrapped(x), wrapped(y), wrapped(z))
    }

    fn rebuild_pairs(&mut self, reach: f64) {
        let count = self.atoms.len();
        let candidates = (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j)));
        self.pairs = candidates.filter(|&(i, j)| self.nearest_image(i, j).length() < reach).collect();
    }

    fn forces(&self) -> (Vec<Vec3<T>>, T) {
        let mut forces = vec![Vec3::default(); self.atoms.len()];
        let mut energy = T::from(0.0);
        for &(i, j) in &self.pairs {
            let apart = self.nearest_image(i, j);
            let inverse = apart.dot(apart).recip();
            let sixth = inverse.powi(3);
            energy += (sixth * sixth - sixth) * 4.0;
            let push = apart * ((sixth * sixth * 2.0 - sixth) * inverse * 24.0);
            forces[i] += push;
            forces[j] += -push;
        }
        (forces, energy)
    }

    fn kinetic(&self) -> T {
        self.speeds.iter().map(|v| v.dot(*v)).sum::<T>() * 0.5
    }
}

pub fn argon_with_neighbour_lists<T: Number>(xs: &[T], k: usize) -> T {
    let site = |i: usize, x: T| {
        let [a, b, c] = [i % 3, i / 3 % 3, i % 2].map(|c| c as f64 * 1.15);
        Vec3::new(x * 0.03 + a, x * x * 0.01 + b, x * -0.02 + c)
    };
    let mut droplet = Droplet {
        atoms: xs.iter().enumerate().map(|(i, &x)| site(i, x)).collect(),
        speeds: xs.iter().map(|&x| Vec3::new(x.sin(), x * 0.2, -x) * T::from(0.3)).collect(),
        pairs: Vec::new(),
        side: 4.1,
    };
    let dt = T::from(0.01);
    let mut potential = T::from(0.0);
    for step in 0..2 * k + 3 {
        if step % 3 == 0 {
            droplet.rebuild_pairs(1.9);
        }
        let (forces, energy) = droplet.forces();
        potential += energy;
        for ((atom, speed), force) in droplet.atoms.iter_mut().zip(&mut droplet.speeds).zip(forces) {
            *speed += force * dt;
            *atom += *speed * dt;
        }
        if step % 4 == 3 {
            let target = xs[0] * xs[0] * 0.1 + 0.2;
            let scale = ((target / droplet.kinetic() - 1.0) * 0.1 + 1.0).sqrt();
            droplet.speeds.iter_mut().for_each(|speed| *speed = *speed * scale);
        }
    }
    potential * 0.1 + droplet.kinetic()
}
