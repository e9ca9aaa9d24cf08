use crate::dual::Number;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, VecDeque};
use std::fmt;
use std::iter::Peekable;
use std::ops::{Index, IndexMut};
use std::str::{Chars, FromStr};

// ---------------------------------------------------------------- chemistry and biology

const NETWORK: &str = "
    # an enzyme and what it does
    E + S -> ES @ 0.8
    ES -> E + S @ 0.3
    ES -> E + P @ 0.5
    2 P -> D @ 0.2
    P -> @ 0.1
";

#[derive(Debug)]
enum ParseError {
    NoArrow(String),
    NoRate(String),
    BadNumber(std::num::ParseFloatError),
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::NoArrow(line) => write!(f, "no arrow in {line:?}"),
            ParseError::NoRate(line) => write!(f, "no rate in {line:?}"),
            ParseError::BadNumber(error) => write!(f, "bad number: {error}"),
        }
    }
}

impl From<std::num::ParseFloatError> for ParseError {
    fn from(error: std::num::ParseFloatError) -> Self {
        ParseError::BadNumber(error)
    }
}

#[derive(Debug)]
struct Reaction<T> {
    consumed: Vec<(usize, f64)>,
    produced: Vec<(usize, f64)>,
    rate: T,
}

#[derive(Debug)]
struct Network<T> {
    species: HashMap<String, usize>,
    reactions: Vec<Reaction<T>>,
}

impl<T: Number> Network<T> {
    fn intern(&mut self, name: &str) -> usize {
        let next = self.species.len();
        *self.species.entry(name.to_string()).or_insert(next)
    }

    fn side(&mut self, text: &str) -> Result<Vec<(usize, f64)>, ParseError> {
        let mut terms = Vec::new();
        for term in text.split('+').map(str::trim).filter(|term| !term.is_empty()) {
            let (count, name) = match term.split_once(' ') {
                Some((count, name)) => (count.parse()?, name),
                None => (1.0, term),
            };
            terms.push((self.intern(name), count));
        }
        Ok(terms)
    }

    fn parse(text: &str) -> Result<Self, ParseError> {
        let mut network = Network { species: HashMap::new(), reactions: Vec::new() };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (equation, rate) = line.split_once('@').ok_or_else(|| ParseError::NoRate(line.to_owned()))?;
            let (left, right) = equation.split_once("->").ok_or_else(|| ParseError::NoArrow(line.to_owned()))?;
            let (consumed, produced) = (network.side(left)?, network.side(right)?);
            let rate = T::from(rate.trim().parse::<f64>()?);
            network.reactions.push(Reaction { consumed, produced, rate });
        }
        Ok(network)
    }

    fn slopes(&self, amounts: &[T]) -> Vec<T> {
        let mut slopes = vec![T::default(); amounts.len()];
        for reaction in &self.reactions {
            let flux = reaction.consumed.iter().fold(reaction.rate, |flux, &(s, n)| flux * amounts[s].powi(n as i32));
            reaction.consumed.iter().for_each(|&(s, n)| slopes[s] -= flux * n);
            reaction.produced.iter().for_each(|&(s, n)| slopes[s] += flux * n);
        }
        slopes
    }
}

pub fn reaction_network_parsed_from_text<T: Number>(xs: &[T], k: usize) -> T {
    let mut network = Network::parse(NETWORK).unwrap_or_else(|error| panic!("{error}"));
    for (reaction, &x) in network.reactions.iter_mut().zip(xs) {
        reaction.rate *= x * 0.2 + 1.0;
    }
    let mut amounts = vec![T::from(0.05); network.species.len()];
    amounts[network.species["S"]] = xs[0].abs() + 1.0;
    amounts[network.species["E"]] = T::from(0.4);
    let dt = 0.2;
    let shifted = |a: &[T], s: &[T], h: f64| a.iter().zip(s).map(|(&a, &s)| a + s * h).collect::<Vec<T>>();
    for _ in 0..2 * k + 3 {
        let k1 = network.slopes(&amounts);
        let k2 = network.slopes(&shifted(&amounts, &k1, dt / 2.0));
        let k3 = network.slopes(&shifted(&amounts, &k2, dt / 2.0));
        let k4 = network.slopes(&shifted(&amounts, &k3, dt));
        for (i, amount) in amounts.iter_mut().enumerate() {
            *amount += (k1[i] + (k2[i] + k3[i]) * 2.0 + k4[i]) * (dt / 6.0);
        }
    }
    let of = |name: &str| network.species.get(name).map(|&s| amounts[s]);
    of("P").unwrap_or_default() + of("D").unwrap_or_default() * 2.0 - of("ES").unwrap_or_default() * 0.5
}

#[derive(Debug)]
struct Clade {
    name: String,
    branch: f64,
    children: Vec<Clade>,
}

fn newick(chars: &mut Peekable<Chars<'_>>) -> Option<Clade> {
    let mut children = Vec::new();
    if chars.next_if_eq(&'(').is_some() {
        loop {
            children.push(newick(chars)?);
            match chars.next()? {
                ',' => continue,
                ')' => break,
                _ => return None,
            }
        }
    }
    let mut name = String::new();
    while let Some(letter) = chars.next_if(|c| c.is_alphanumeric()) {
        name.push(letter);
    }
    let mut branch = String::new();
    if chars.next_if_eq(&':').is_some() {
        while let Some(digit) = chars.next_if(|c| c.is_ascii_digit() || *c == '.') {
            branch.push(digit);
        }
    }
    Some(Clade { name, branch: branch.parse().unwrap_or(0.0), children })
}

struct Substitution<T> {
    speed: T,
    transitions: T,
}

impl<T: Number> Substitution<T> {
    /// Kimura's, of two parameters, in the order A, G, C, T.
    fn chance(&self, from: usize, to: usize, branch: f64) -> T {
        let beta = self.speed / (self.transitions + 2.0);
        let slow = (beta * (-4.0 * branch)).exp();
        let fast = (beta * (self.transitions + 1.0) * (-2.0 * branch)).exp();
        match (from == to, from / 2 == to / 2) {
            (true, _) => slow * 0.25 + fast * 0.5 + 0.25,
            (false, true) => slow * 0.25 - fast * 0.5 + 0.25,
            (false, false) => -slow * 0.25 + 0.25,
        }
    }

    fn pruned(&self, clade: &Clade, site: usize, sequences: &HashMap<&str, &str>) -> [T; 4] {
        if clade.children.is_empty() {
            let letter = sequences[clade.name.as_str()].as_bytes()[site];
            return std::array::from_fn(|base| T::from(f64::from(u8::from(b"AGCT"[base] == letter))));
        }
        let mut partial = [T::from(1.0); 4];
        for child in &clade.children {
            let below = self.pruned(child, site, sequences);
            for (from, here) in partial.iter_mut().enumerate() {
                *here *= (0..4).map(|to| self.chance(from, to, child.branch) * below[to]).sum::<T>();
            }
        }
        partial
    }
}

pub fn phylogeny_pruned_from_newick<T: Number>(xs: &[T], k: usize) -> T {
    let text = "((human:0.2,chimp:0.25):0.4,(mouse:0.3,rat:0.35):0.5,chicken:1.1)";
    let root = newick(&mut text.chars().peekable()).expect("a tree");
    let sequences = HashMap::from([
        ("human", "ACGTTGA"),
        ("chimp", "ACGTTGG"),
        ("mouse", "GCGATGA"),
        ("rat", "GCAATTA"),
        ("chicken", "TCAACTC"),
    ]);
    (0..k + 3)
        .map(|site| {
            let x = xs[site % xs.len()];
            let model = Substitution { speed: x.abs() * 0.5 + 0.4, transitions: xs[0] * 0.3 + 2.0 };
            let partial = model.pruned(&root, site, &sequences);
            (partial.into_iter().sum::<T>() * 0.25).ln()
        })
        .sum()
}

#[derive(Clone, Copy, Debug)]
enum Dose<T> {
    Bolus(T),
    InfusionStarts(T),
    InfusionEnds,
    Oral { amount: T, taken_up: f64 },
    Sample { measured: T },
}

#[derive(Clone, Debug, Default)]
struct Patient<T> {
    gut: T,
    blood: T,
    tissue: T,
    infusion: Option<T>,
}

pub fn dosing_events_in_a_patient<T: Number>(xs: &[T], k: usize) -> T {
    let mut events: Vec<(f64, Dose<T>)> = vec![(0.0, Dose::Bolus(T::from(1.0)))];
    for (i, &x) in xs.iter().enumerate() {
        let time = (i * 7 % 5) as f64 + 0.3 * i as f64;
        let event = match (i + k) % 3 {
            0 => (time, Dose::Oral { amount: x * x * 0.5, taken_up: 0.8 }),
            1 => (time, Dose::Bolus(x.abs() * 0.3)),
            _ => {
                events.push((time + 1.1, Dose::InfusionEnds));
                (time, Dose::InfusionStarts(x.abs() * 0.2 + 0.1))
            }
        };
        events.push(event);
        events.push((time + 0.75, Dose::Sample { measured: x * 0.1 + 0.6 }));
    }
    events.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let clearance = xs[0] * 0.1 + 0.4;
    let exchange = xs[xs.len() - 1] * 0.05 + 0.3;
    let mut patient = Patient::default();
    let mut misfit = T::default();
    let mut clock = 0.0;
    for (time, event) in events {
        let steps = ((time - clock) / 0.1).ceil().max(1.0);
        let dt = (time - clock) / steps;
        for _ in 0..steps as usize {
            let absorbed = patient.gut * 0.9;
            let to_tissue = (patient.blood - patient.tissue) * exchange;
            let eliminated = clearance * patient.blood / (patient.blood * 0.5 + 1.0);
            patient.gut -= absorbed * dt;
            patient.tissue += to_tissue * dt;
            patient.blood += (absorbed - to_tissue - eliminated + patient.infusion.unwrap_or_default()) * dt;
        }
        clock = time;
        match event {
            Dose::Bolus(amount) => patient.blood += amount,
            Dose::InfusionStarts(rate) => patient.infusion = Some(patient.infusion.map_or(rate, |other| other + rate)),
            Dose::InfusionEnds => patient.infusion = None,
            Dose::Oral { amount, taken_up } => patient.gut += amount * taken_up,
            Dose::Sample { measured } => misfit += (patient.blood - measured).powi(2),
        }
    }
    misfit + patient.tissue * 0.2
}

#[derive(Clone, Copy, Debug)]
struct Compartments<T> {
    susceptible: T,
    infected: T,
    recovered: T,
}

enum Measure<T> {
    Nothing,
    Vaccinate { town: usize, share: T },
    CloseRoads(f64),
}

pub fn epidemic_on_a_graph_of_towns<T: Number>(xs: &[T], k: usize) -> T {
    let count = xs.len() + 2;
    let mut roads: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    for town in 1..count {
        for (other, traffic) in [(town - 1, 0.2), (town / 2, 0.1)] {
            roads.entry(town).or_default().push((other, traffic));
            roads.entry(other).or_default().push((town, traffic * 0.8));
        }
    }
    let mut towns: Vec<Compartments<T>> = (0..count)
        .map(|i| {
            let infected = if i == 0 { xs[0].abs() * 0.05 + 0.01 } else { T::default() };
            Compartments { susceptible: -infected + 1.0, infected, recovered: T::default() }
        })
        .collect();
    let contagion = xs[xs.len() - 1] * 0.1 + 0.6;
    let mut peak = T::default();
    let mut openness = 1.0;
    for day in 0..2 * k + 4 {
        let x = xs[day % xs.len()];
        let measure = match day % 3 {
            0 => Measure::Nothing,
            1 => Measure::Vaccinate { town: day % count, share: x.abs() * 0.1 },
            _ => Measure::CloseRoads(if x > 0.5 { 0.5 } else { 0.9 }),
        };
        match measure {
            Measure::Nothing => openness = 1.0,
            Measure::Vaccinate { town, share } => {
                let moved = towns[town].susceptible * share;
                towns[town].susceptible -= moved;
                towns[town].recovered += moved;
            }
            Measure::CloseRoads(left) => openness *= left,
        }
        let before = towns.clone();
        for (i, town) in towns.iter_mut().enumerate() {
            let imported: T = roads[&i].iter().map(|&(j, traffic)| before[j].infected * (traffic * openness)).sum();
            let caught = contagion * town.susceptible * (before[i].infected + imported);
            let healed = before[i].infected * 0.25;
            *town = Compartments {
                susceptible: town.susceptible - caught,
                infected: town.infected + caught - healed,
                recovered: town.recovered + healed,
            };
        }
        peak = peak.max(towns.iter().map(|town| town.infected).sum());
    }
    peak + towns.iter().map(|town| town.recovered * town.recovered).sum::<T>()
}

// ---------------------------------------------------------------- engineering

fn solved<T: Number>(mut a: Vec<Vec<T>>, mut b: Vec<T>) -> Option<Vec<T>> {
    let n = b.len();
    for pivot in 0..n {
        let best = (pivot..n).max_by(|&i, &j| a[i][pivot].abs().partial_cmp(&a[j][pivot].abs()).unwrap())?;
        if a[best][pivot].abs() < 1e-12 {
            return None;
        }
        a.swap(pivot, best);
        b.swap(pivot, best);
        let (top, rest) = a.split_at_mut(pivot + 1);
        let row = &top[pivot];
        for (i, other) in rest.iter_mut().enumerate() {
            let factor = other[pivot] / row[pivot];
            other.iter_mut().zip(row).skip(pivot).for_each(|(o, &r)| *o -= factor * r);
            let known = b[pivot];
            b[pivot + 1 + i] -= factor * known;
        }
    }
    for i in (0..n).rev() {
        let sum: T = (i + 1..n).map(|j| a[i][j] * b[j]).sum();
        b[i] = (b[i] - sum) / a[i][i];
    }
    Some(b)
}

const NETLIST: &str = "\
V1 in gnd 2.0
R1 in mid 1.0
R2 mid gnd 2.0
D1 mid out 0.05
R3 out gnd 1.5
I1 gnd out 0.2
R4 in out 4.0";

#[derive(Clone, Debug)]
enum Part<T> {
    Resistor { ends: [usize; 2], ohms: T },
    CurrentSource { from: usize, into: usize, amps: T },
    VoltageSource { plus: usize, minus: usize, volts: T },
    Diode { anode: usize, cathode: usize, saturation: T },
}

struct Circuit<T> {
    nodes: Vec<String>,
    parts: Vec<Part<T>>,
}

impl<T: Number> Circuit<T> {
    fn node(&mut self, name: &str) -> usize {
        self.nodes.iter().position(|known| known == name).unwrap_or_else(|| {
            self.nodes.push(name.into());
            self.nodes.len() - 1
        })
    }

    fn read(netlist: &str) -> Result<Self, String> {
        let mut circuit = Circuit { nodes: vec!["gnd".into()], parts: vec![] };
        for line in netlist.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name, a, b, value] = words[..] else { return Err(format!("what is {line:?}?")) };
            let (a, b) = (circuit.node(a), circuit.node(b));
            let value = T::from(value.parse::<f64>().map_err(|e| e.to_string())?);
            circuit.parts.push(match name.chars().next() {
                Some('R') => Part::Resistor { ends: [a, b], ohms: value },
                Some('I') => Part::CurrentSource { from: a, into: b, amps: value },
                Some('V') => Part::VoltageSource { plus: a, minus: b, volts: value },
                Some('D') => Part::Diode { anode: a, cathode: b, saturation: value },
                other => return Err(format!("no part {other:?}")),
            });
        }
        Ok(circuit)
    }

    /// One step of Newton's from these voltages.
    fn relinearised(&self, at: &[T]) -> Option<Vec<T>> {
        let sources = self.parts.iter().filter(|part| matches!(part, Part::VoltageSource { .. })).count();
        let n = self.nodes.len();
        let mut matrix = vec![vec![T::default(); n + sources]; n + sources];
        let mut right = vec![T::default(); n + sources];
        let mut next_source = n;
        let conduct = |matrix: &mut Vec<Vec<T>>, a: usize, b: usize, siemens: T| {
            matrix[a][a] += siemens;
            matrix[b][b] += siemens;
            matrix[a][b] -= siemens;
            matrix[b][a] -= siemens;
        };
        for part in &self.parts {
            match *part {
                Part::Resistor { ends: [a, b], ohms } => conduct(&mut matrix, a, b, ohms.recip()),
                Part::CurrentSource { from, into, amps } => {
                    right[from] -= amps;
                    right[into] += amps;
                }
                Part::VoltageSource { plus, minus, volts } => {
                    for (node, sign) in [(plus, 1.0), (minus, -1.0)] {
                        matrix[node][next_source] += T::from(sign);
                        matrix[next_source][node] += T::from(sign);
                    }
                    right[next_source] = volts;
                    next_source += 1;
                }
                Part::Diode { anode, cathode, saturation } => {
                    let drop = (at[anode] - at[cathode]).min(T::from(1.2));
                    let siemens = saturation * (drop * 4.0).exp() * 4.0;
                    let amps = saturation * (drop * 4.0).exp_m1() - siemens * drop;
                    conduct(&mut matrix, anode, cathode, siemens);
                    right[anode] -= amps;
                    right[cathode] += amps;
                }
            }
        }
        // the ground is at zero
        matrix[0].fill(T::default());
        matrix[0][0] = T::from(1.0);
        right[0] = T::default();
        solved(matrix, right)
    }
}

pub fn circuit_read_from_a_netlist<T: Number>(xs: &[T], k: usize) -> T {
    let mut circuit = match Circuit::read(NETLIST) {
        Ok(circuit) => circuit,
        Err(complaint) => panic!("{complaint}"),
    };
    for (part, &x) in circuit.parts.iter_mut().zip(xs.iter().cycle()) {
        match part {
            Part::Resistor { ohms: value, .. }
            | Part::CurrentSource { amps: value, .. }
            | Part::VoltageSource { volts: value, .. }
            | Part::Diode { saturation: value, .. } => *value *= x * 0.15 + 1.0,
        }
    }
    let mut voltages = vec![T::default(); circuit.nodes.len() + 1];
    for _ in 0..k + 3 {
        let Some(next) = circuit.relinearised(&voltages) else { break };
        voltages = next;
    }
    let dissipated = circuit.parts.iter().filter_map(|part| match part {
        Part::Resistor { ends: [a, b], ohms } => Some((voltages[*a] - voltages[*b]).powi(2) / *ohms),
        _ => None,
    });
    dissipated.sum::<T>() + voltages[circuit.node("out")]
}

#[derive(Clone, Copy, Debug)]
struct Bar {
    ends: (usize, usize),
    stiffness: f64,
}

pub fn truss_under_its_loads<T: Number>(xs: &[T], k: usize) -> T {
    let bays = (xs.len() / 2 + 1).min(4);
    let nodes: Vec<[T; 2]> = (0..=bays)
        .flat_map(|bay| {
            let x = xs[bay % xs.len()];
            [[T::from(bay as f64), T::from(0.0)], [x * 0.03 + bay as f64 + 0.1, x * 0.05 + 1.0]]
        })
        .collect();
    let mut bars = Vec::new();
    for bay in 0..=bays {
        let low = 2 * bay;
        bars.push(Bar { ends: (low, low + 1), stiffness: 2.0 });
        if bay < bays {
            bars.extend([(low, low + 2), (low + 1, low + 3), (low, low + 3)].map(|ends| Bar { ends, stiffness: 3.0 }));
        }
    }
    let fixed = BTreeSet::from([0, 1, 2, 2 * (nodes.len() - 2) + 1]);
    let free: Vec<usize> = (0..2 * nodes.len()).filter(|dof| !fixed.contains(dof)).collect();
    let place: HashMap<usize, usize> = free.iter().enumerate().map(|(i, &dof)| (dof, i)).collect();
    let along = |bar: &Bar| {
        let (a, b) = (nodes[bar.ends.0], nodes[bar.ends.1]);
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let length = dx.hypot(dy);
        ([-dx / length, -dy / length, dx / length, dy / length], length)
    };
    let dofs = |bar: &Bar| [2 * bar.ends.0, 2 * bar.ends.0 + 1, 2 * bar.ends.1, 2 * bar.ends.1 + 1];
    let mut stiffness = vec![vec![T::default(); free.len()]; free.len()];
    for bar in &bars {
        let (direction, length) = along(bar);
        for (i, row) in dofs(bar).iter().enumerate() {
            for (j, column) in dofs(bar).iter().enumerate() {
                if let (Some(&r), Some(&c)) = (place.get(row), place.get(column)) {
                    stiffness[r][c] += direction[i] * direction[j] * bar.stiffness / length;
                }
            }
        }
    }
    let load = |dof: usize| if dof % 4 == 3 { xs[dof % xs.len()] * 0.1 - 0.2 } else { T::from(0.01 * k as f64) };
    let loads: Vec<T> = free.iter().map(|&dof| load(dof)).collect();
    let moved = solved(stiffness, loads.clone()).expect("a stable truss");
    let work: T = loads.iter().zip(&moved).map(|(&f, &u)| f * u).sum();
    let stretched = bars.iter().map(|bar| {
        let shift = |dof: &usize| place.get(dof).map_or(T::default(), |&i| moved[i]);
        along(bar).0.iter().zip(&dofs(bar)).map(|(&d, dof)| d * shift(dof)).sum::<T>() * bar.stiffness
    });
    work + stretched.map(|force| force * force).sum::<T>() * 0.1
}

struct Pipe<T> {
    resistance: T,
    flow: T,
}

pub fn pipes_balanced_by_hardy_cross<T: Number>(xs: &[T], k: usize) -> T {
    // a ladder: loop i goes forward along the upper pipe, down a rung, back along the lower one and up the rung before
    let loops = xs.len().min(4);
    let mut pipes: BTreeMap<(char, usize), Pipe<T>> = BTreeMap::new();
    let inflow = xs[0] * 0.1 + 2.0;
    for i in 0..=loops {
        let x = xs[i % xs.len()];
        if i < loops {
            pipes.insert(('u', i), Pipe { resistance: x * x * 0.3 + 0.5, flow: inflow * 0.6 });
            pipes.insert(('l', i), Pipe { resistance: x.abs() * 0.4 + 0.7, flow: inflow * 0.4 });
        }
        let flow = if i == 0 { inflow * 0.4 } else { T::from(0.0) };
        pipes.insert(('r', i), Pipe { resistance: T::from(1.0 + 0.2 * i as f64), flow });
    }
    let head = |pipe: &Pipe<T>| pipe.resistance * pipe.flow * (pipe.flow.abs() + 0.01);
    for _ in 0..k + 3 {
        for i in 0..loops {
            let around = [(('u', i), 1.0), (('r', i + 1), 1.0), (('l', i), -1.0), (('r', i), -1.0)];
            let lost: T = around.iter().map(|(key, sign)| head(&pipes[key]) * *sign).sum();
            let slope: T = around
                .iter()
                .map(|(key, _)| {
                    let Pipe { resistance, flow } = &pipes[key];
                    *resistance * (flow.abs() * 2.0 + 0.01)
                })
                .sum();
            let correction = lost / slope;
            for (key, sign) in around {
                if let Some(pipe) = pipes.get_mut(&key) {
                    pipe.flow -= correction * sign;
                }
            }
        }
    }
    let pumped: T = pipes.iter().filter(|((kind, _), _)| *kind == 'u').map(|(_, pipe)| head(pipe)).sum();
    pumped + pipes.values().map(|pipe| pipe.flow * pipe.flow).sum::<T>() * 0.3
}

#[derive(Clone, Copy, Debug)]
struct Car<T> {
    place: T,
    speed: T,
}

#[derive(Clone, Copy, Debug)]
struct Driver<T> {
    desired: T,
    headway: T,
    braking: f64,
}

impl<T: Number> Driver<T> {
    fn acceleration(&self, speed: T, gap: T, closing: T) -> T {
        let wanted = (self.headway * speed + speed * closing / (2.0 * self.braking)).max(T::default()) + 0.2;
        -(speed / self.desired).powi(4) - (wanted / gap).powi(2) + 1.0
    }
}

pub fn jam_on_a_ring_road<T: Number>(xs: &[T], k: usize) -> T {
    let count = xs.len() + 1;
    let ring = 2.5 * count as f64;
    let mut traffic: Vec<(Driver<T>, Car<T>)> = (0..count)
        .map(|i| {
            let x = xs[i % xs.len()];
            let driver = Driver { desired: x * 0.2 + 2.0, headway: x.abs() * 0.1 + 0.4, braking: 1.2 };
            (driver, Car { place: x * 0.1 + 2.5 * i as f64, speed: T::from(0.5 + 0.05 * i as f64) })
        })
        .collect();
    let mut discomfort = T::default();
    for _ in 0..3 * k + 4 {
        let ahead: Vec<Car<T>> = traffic.iter().cycle().skip(1).take(count).map(|&(_, car)| car).collect();
        for ((driver, car), leader) in traffic.iter_mut().zip(ahead) {
            let mut gap = leader.place - car.place - 0.5;
            if gap < -0.5 {
                gap = gap + ring;
            }
            let acceleration = driver.acceleration(car.speed, gap.max(T::from(0.3)), car.speed - leader.speed);
            car.speed = (car.speed + acceleration * 0.15).max(T::default());
            discomfort += acceleration * acceleration;
        }
        for (_, car) in &mut traffic {
            car.place += car.speed * 0.15;
            if car.place >= ring {
                car.place = car.place - ring;
            }
        }
    }
    discomfort * 0.05 + traffic.iter().map(|(_, car)| car.speed).sum::<T>() / count as f64
}

// ---------------------------------------------------------------- a room read from a map

const ROOM: &str = "\
#########
#..H....#
#....##.#
W...#...D
W.T.#..H#
#########";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tile {
    Wall,
    Air,
    Heater,
    Window,
    Door,
}

#[derive(Debug)]
struct Room {
    tiles: Vec<Vec<Tile>>,
    thermostat: (usize, usize),
}

impl FromStr for Room {
    type Err = String;
    fn from_str(map: &str) -> Result<Self, String> {
        let mut thermostat = None;
        let tiles = map
            .lines()
            .enumerate()
            .map(|(row, line)| {
                line.char_indices()
                    .map(|(column, letter)| match letter {
                        '#' => Ok(Tile::Wall),
                        '.' => Ok(Tile::Air),
                        'H' => Ok(Tile::Heater),
                        'W' => Ok(Tile::Window),
                        'D' => Ok(Tile::Door),
                        'T' => {
                            thermostat = Some((row, column));
                            Ok(Tile::Air)
                        }
                        other => Err(format!("tile {other:?} at {row}, {column}")),
                    })
                    .collect()
            })
            .collect::<Result<_, _>>()?;
        Ok(Room { tiles, thermostat: thermostat.ok_or("no thermostat")? })
    }
}

pub fn heated_room_read_from_a_map<T: Number>(xs: &[T], k: usize) -> T {
    let room: Room = ROOM.parse().unwrap();
    let (height, width) = (room.tiles.len(), room.tiles[0].len());
    let mut warmth = vec![vec![xs[0] * 0.1 + 0.5; width]; height];
    let outside = xs[xs.len() - 1] * 0.2 - 0.3;
    let (thermostat_row, thermostat_column) = room.thermostat;
    let mut heated = T::from(0.0);
    for step in 0..4 + 3 * k {
        let missing = xs[step % xs.len()] * 0.05 + 1.0 - warmth[thermostat_row][thermostat_column];
        let power = if missing > 0.0 { missing * 1.5 } else { T::from(0.0) };
        let old = warmth.clone();
        for (row, tiles) in room.tiles.iter().enumerate() {
            for (column, tile) in tiles.iter().enumerate() {
                warmth[row][column] = match tile {
                    Tile::Wall => continue,
                    Tile::Window => old[row][column] * 0.7 + outside * 0.3,
                    Tile::Door => old[row][column] * 0.9 + outside * 0.1,
                    Tile::Air | Tile::Heater => {
                        let here = old[row][column];
                        let beside = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)];
                        let flow: T = beside
                            .into_iter()
                            .filter(|&(r, c)| room.tiles[r][c] != Tile::Wall)
                            .map(|(r, c)| old[r][c] - here)
                            .sum();
                        let mut next = here + flow * 0.2;
                        if *tile == Tile::Heater {
                            next += power * 0.4;
                            heated += power;
                        }
                        next
                    }
                };
            }
        }
    }
    let comfort = |row: usize| warmth[row].iter().zip(&room.tiles[row]).filter(|(_, t)| **t == Tile::Air);
    let discomfort = (0..height).flat_map(comfort).map(|(&t, _)| (t - 0.8).powi(2)).sum::<T>();
    discomfort + heated * 0.05
}

// ---------------------------------------------------------------- graphs and schedules

#[derive(Clone, Copy, Debug)]
struct Visit<T> {
    cost: T,
    node: usize,
}

impl<T: Number> PartialEq for Visit<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: Number> Eq for Visit<T> {}

impl<T: Number> PartialOrd for Visit<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Number> Ord for Visit<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then_with(|| self.node.cmp(&other.node))
    }
}

struct Road<T> {
    to: usize,
    length: T,
    toll: Option<T>,
}

pub fn cheapest_route_with_tolls<T: Number>(xs: &[T], k: usize) -> T {
    let count = xs.len() + 3;
    let mut roads: Vec<Vec<Road<T>>> = (0..count).map(|_| Vec::new()).collect();
    for from in 0..count {
        for (hop, toll) in [(1, false), (2, true), (3, from % 2 == 0)] {
            let to = from + hop;
            if to < count {
                let x = xs[(from * hop) % xs.len()];
                let length = x * x * 0.3 + 0.4 * hop as f64 + 0.03 * from as f64;
                let toll = toll.then(|| x.abs() * 0.2 + 0.05);
                roads[from].push(Road { to, length, toll });
                roads[to].push(Road { to: from, length: length * 1.1, toll: None });
            }
        }
    }
    let fuel = xs[0] * 0.1 + 1.0;
    let mut cheapest: Vec<Option<T>> = vec![None; count];
    let mut came_from: HashMap<usize, usize> = HashMap::new();
    let start = k % count;
    cheapest[start] = Some(T::default());
    let mut frontier = BinaryHeap::from([Visit { cost: T::default(), node: start }]);
    while let Some(Visit { cost, node }) = frontier.pop() {
        if cheapest[node].is_some_and(|known| cost > known) {
            continue;
        }
        for road in &roads[node] {
            let total = cost + road.length * fuel + road.toll.unwrap_or_default();
            if cheapest[road.to].is_none_or(|known| total < known) {
                cheapest[road.to] = Some(total);
                came_from.insert(road.to, node);
                frontier.push(Visit { cost: total, node: road.to });
            }
        }
    }
    let route: Vec<usize> = std::iter::successors(Some(count - 1), |node| came_from.get(node).copied()).collect();
    let farthest = cheapest.iter().flatten().copied().reduce(T::max).unwrap();
    route.iter().filter_map(|&node| cheapest[node]).sum::<T>() / route.len() as f64 + farthest
}

#[derive(Clone, Copy, Debug)]
struct Arc<T> {
    to: usize,
    left: T,
}

#[derive(Default)]
struct FlowNetwork<T> {
    arcs: Vec<Arc<T>>,
    out: Vec<Vec<usize>>,
}

impl<T: Number> FlowNetwork<T> {
    fn connect(&mut self, from: usize, to: usize, capacity: T) {
        for (a, b, left) in [(from, to, capacity), (to, from, T::from(0.0))] {
            self.out.resize_with(self.out.len().max(a + 1), Vec::new);
            self.out[a].push(self.arcs.len());
            self.arcs.push(Arc { to: b, left });
        }
    }

    fn augmenting_path(&self, source: usize, sink: usize) -> Option<Vec<usize>> {
        let mut entered: Vec<Option<usize>> = vec![None; self.out.len()];
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            for &arc in &self.out[node] {
                let Arc { to, left } = self.arcs[arc];
                if to != source && entered[to].is_none() && left > 1e-9 {
                    entered[to] = Some(arc);
                    queue.push_back(to);
                }
            }
        }
        let mut path = Vec::new();
        let mut at = sink;
        while at != source {
            let arc = entered[at]?;
            path.push(arc);
            at = self.arcs[arc ^ 1].to;
        }
        Some(path)
    }

    fn maximum(&mut self, source: usize, sink: usize) -> T {
        let mut total = T::from(0.0);
        while let Some(path) = self.augmenting_path(source, sink) {
            let narrowest = path.iter().map(|&arc| self.arcs[arc].left).reduce(T::min).unwrap();
            for arc in path {
                self.arcs[arc].left -= narrowest;
                self.arcs[arc ^ 1].left += narrowest;
            }
            total += narrowest;
        }
        total
    }
}

pub fn greatest_flow_by_augmenting<T: Number>(xs: &[T], k: usize) -> T {
    let mut network = FlowNetwork { arcs: vec![], out: vec![] };
    let sink = xs.len() + 1;
    for (i, &x) in xs.iter().enumerate() {
        network.connect(0, i + 1, x.abs() + 0.2 + 0.07 * i as f64);
        network.connect(i + 1, sink, (x * x + 0.5) / (1.0 + 0.3 * i as f64));
        for step in 1..k + 2 {
            let other = (i + step) % xs.len();
            if other != i {
                network.connect(i + 1, other + 1, x.cos() * 0.2 + 0.31 + 0.013 * step as f64);
            }
        }
    }
    let flow = network.maximum(0, sink);
    let unused: T = network.arcs.iter().step_by(2).map(|arc| arc.left * arc.left).sum();
    flow * 2.0 + unused * 0.1
}

const PROJECT: &str = "plans: ; permit: plans; dig: permit; walls: dig, bricks; bricks: plans; \
    roof: walls; wiring: walls; paint: roof, wiring; garden: dig; party: paint, garden";

struct Task<'a, T> {
    needs: Vec<&'a str>,
    duration: T,
}

struct Planner<'a, T> {
    tasks: HashMap<&'a str, Task<'a, T>>,
    finished: HashMap<&'a str, T>,
}

impl<'a, T: Number> Planner<'a, T> {
    fn finish(&mut self, name: &'a str) -> T {
        if let Some(&known) = self.finished.get(name) {
            return known;
        }
        let needs = self.tasks[name].needs.clone();
        let start = needs.into_iter().map(|need| self.finish(need)).fold(T::default(), T::max);
        let finish = start + self.tasks[name].duration;
        self.finished.insert(name, finish);
        finish
    }
}

pub fn critical_path_of_a_house<T: Number>(xs: &[T], k: usize) -> T {
    let mut planner = Planner { tasks: HashMap::new(), finished: HashMap::new() };
    let mut order = Vec::new();
    for (i, entry) in PROJECT.split(';').enumerate() {
        let Some((name, needs)) = entry.split_once(':') else { continue };
        let needs = needs.split(',').map(str::trim).filter(|need| !need.is_empty()).collect();
        let optimistic = xs[i % xs.len()].abs() + 0.3 + 0.11 * i as f64;
        let duration = optimistic * (1.0 + 0.1 * ((i + k) % 3) as f64);
        planner.tasks.insert(name.trim(), Task { needs, duration });
        order.push(name.trim());
    }
    let end = planner.finish("party");
    let mut latest: HashMap<&str, T> = order.iter().map(|&name| (name, end)).collect();
    let mut by_finish = order.clone();
    by_finish.sort_by(|a, b| planner.finished[b].partial_cmp(&planner.finished[a]).unwrap());
    for name in by_finish {
        let start = latest[name] - planner.tasks[name].duration;
        for need in &planner.tasks[name].needs {
            latest.entry(need).and_modify(|time| *time = time.min(start));
        }
    }
    let slack = |name: &&str| latest[name] - planner.finished[name];
    let critical = order.iter().filter(|name| slack(name).value() < 1e-9).count();
    end + order.iter().map(|name| slack(name).powi(2)).sum::<T>() * 0.1 + critical as f64
}

struct Islands {
    parent: Vec<usize>,
    size: Vec<usize>,
}

impl Islands {
    fn new(count: usize) -> Self {
        Islands { parent: (0..count).collect(), size: vec![1; count] }
    }

    fn root(&mut self, of: usize) -> usize {
        if self.parent[of] != of {
            self.parent[of] = self.root(self.parent[of]);
        }
        self.parent[of]
    }

    fn join(&mut self, a: usize, b: usize) -> bool {
        let (mut a, mut b) = (self.root(a), self.root(b));
        if a == b {
            return false;
        }
        if self.size[a] < self.size[b] {
            std::mem::swap(&mut a, &mut b);
        }
        self.parent[b] = a;
        self.size[a] += self.size[b];
        true
    }
}

pub fn cables_between_islands<T: Number>(xs: &[T], k: usize) -> T {
    let places: Vec<(T, T)> = (0..xs.len() + 3)
        .map(|i| {
            let (sin, cos) = (i as f64 * 2.4).sin_cos();
            let radius = xs[i % xs.len()] * 0.2 + 1.0 + 0.15 * i as f64;
            (radius * cos, radius * sin)
        })
        .collect();
    let mut cables: Vec<(usize, usize, T)> = (0..places.len())
        .flat_map(|a| (0..a).map(move |b| (a, b)))
        .map(|(a, b)| (a, b, (places[a].0 - places[b].0).hypot(places[a].1 - places[b].1)))
        .collect();
    cables.sort_unstable_by(|a, b| a.2.total_cmp(&b.2));
    let mut islands = Islands::new(places.len());
    let laid: Vec<_> = cables.into_iter().filter(|&(a, b, _)| islands.join(a, b)).collect();
    let degree = laid.iter().fold(BTreeMap::<usize, i32>::new(), |mut degree, &(a, b, _)| {
        *degree.entry(a).or_default() += 1;
        *degree.entry(b).or_default() += 1;
        degree
    });
    let branching = |a: &usize, b: &usize| f64::from(degree[a].max(degree[b]));
    laid.iter().map(|(a, b, length)| *length * (branching(a, b) * 0.1 + 1.0) + length.powi(2) * (0.05 * k as f64)).sum()
}

// ---------------------------------------------------------------- neighbours in a tree of halves

enum KdTree<T> {
    Leaf(Vec<[T; 2]>),
    Split { axis: usize, at: T, below: Box<KdTree<T>>, above: Box<KdTree<T>> },
}

impl<T: Number> KdTree<T> {
    fn build(mut points: Vec<[T; 2]>, depth: usize) -> Self {
        if points.len() <= 2 {
            return KdTree::Leaf(points);
        }
        let axis = depth % 2;
        points.sort_by(|a, b| a[axis].partial_cmp(&b[axis]).unwrap());
        let upper = points.split_off(points.len() / 2);
        let at = upper[0][axis];
        KdTree::Split {
            axis,
            at,
            below: Box::new(Self::build(points, depth + 1)),
            above: Box::new(Self::build(upper, depth + 1)),
        }
    }

    fn nearest(&self, query: [T; 2], best: &mut Option<T>) {
        match self {
            KdTree::Leaf(points) => {
                for p in points {
                    let distance = (p[0] - query[0]).powi(2) + (p[1] - query[1]).powi(2);
                    if best.is_none_or(|least| distance < least) {
                        *best = Some(distance);
                    }
                }
            }
            KdTree::Split { axis, at, below, above } => {
                let beyond = query[*axis] - *at;
                let (first, second) = if beyond < 0.0 { (below, above) } else { (above, below) };
                first.nearest(query, best);
                if best.is_none_or(|least| beyond * beyond < least) {
                    second.nearest(query, best);
                }
            }
        }
    }
}

pub fn shapes_matched_by_nearest_points<T: Number>(xs: &[T], k: usize) -> T {
    let model: Vec<[T; 2]> = xs
        .iter()
        .enumerate()
        .flat_map(|(i, &x)| [[x + 0.1 * i as f64, x * x * 0.5], [x * 0.5 - 0.7, (x + i as f64).sin()]])
        .collect();
    let tree = KdTree::build(model, 0);
    let (mut shift, turn) = ([xs[0] * 0.1, T::from(0.05)], xs[xs.len() - 1] * 0.1);
    let mut error = T::default();
    for _ in 0..k + 1 {
        let mut sum = T::default();
        for step in 0..6 {
            let (sin, cos) = (turn + step as f64 * 1.1).sin_cos();
            let mut best = None;
            tree.nearest([cos * 1.2 + shift[0], sin * 0.8 + shift[1]], &mut best);
            sum += (best.unwrap() + 0.01).sqrt();
        }
        error += sum;
        shift = [shift[0] + sum * 0.01, shift[1] - sum * 0.005];
    }
    error
}

// ---------------------------------------------------------------- signals and images

#[derive(Clone, Debug)]
struct Image<T> {
    width: usize,
    height: usize,
    pixels: Vec<T>,
}

impl<T: Number> Image<T> {
    fn from_fn(width: usize, height: usize, mut pixel: impl FnMut(usize, usize) -> T) -> Self {
        let pixels = (0..width * height).map(|i| pixel(i % width, i / width)).collect();
        Image { width, height, pixels }
    }

    fn clamped(&self, x: isize, y: isize) -> T {
        let x = x.clamp(0, self.width as isize - 1) as usize;
        let y = y.clamp(0, self.height as isize - 1) as usize;
        self[(x, y)]
    }

    fn filtered<const N: usize>(&self, kernel: &[[f64; N]; N]) -> Self {
        let half = (N / 2) as isize;
        Image::from_fn(self.width, self.height, |x, y| {
            let mut sum = T::default();
            for (dy, row) in kernel.iter().enumerate() {
                for (dx, &weight) in row.iter().enumerate() {
                    sum += self.clamped(x as isize + dx as isize - half, y as isize + dy as isize - half) * weight;
                }
            }
            sum
        })
    }
}

impl<T> Index<(usize, usize)> for Image<T> {
    type Output = T;
    fn index(&self, (x, y): (usize, usize)) -> &T {
        &self.pixels[y * self.width + x]
    }
}

impl<T> IndexMut<(usize, usize)> for Image<T> {
    fn index_mut(&mut self, (x, y): (usize, usize)) -> &mut T {
        &mut self.pixels[y * self.width + x]
    }
}

fn photograph<T: Number>(xs: &[T], width: usize, height: usize) -> Image<T> {
    Image::from_fn(width, height, |x, y| {
        xs[(x + 2 * y) % xs.len()] * ((x * 3 + y * 5 + 1) as f64).sin() + 0.1 * x as f64
    })
}

pub fn edges_thinned_in_an_image<T: Number>(xs: &[T], k: usize) -> T {
    const BLUR: [[f64; 3]; 3] = [[0.0625, 0.125, 0.0625], [0.125, 0.25, 0.125], [0.0625, 0.125, 0.0625]];
    let sobel = [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]];
    let turned: [[f64; 3]; 3] = std::array::from_fn(|y| std::array::from_fn(|x| sobel[x][y]));
    let mut image = photograph(xs, 6, 5);
    for _ in 0..k % 2 {
        image = image.filtered(&BLUR);
    }
    let (across, down) = (image.filtered(&sobel), image.filtered(&turned));
    let strength = Image::from_fn(6, 5, |x, y| (across[(x, y)].powi(2) + down[(x, y)].powi(2) + 1e-3).sqrt());
    let mut edges = strength.clone();
    for y in 0..5 {
        for x in 0..6 {
            let steep = down[(x, y)].abs() > across[(x, y)].abs();
            let (dx, dy) = if steep { (0, 1) } else { (1, 0) };
            let (x0, y0) = (x as isize, y as isize);
            let beside = strength.clamped(x0 - dx, y0 - dy).max(strength.clamped(x0 + dx, y0 + dy));
            if strength[(x, y)] < beside {
                edges[(x, y)] *= T::from(0.2);
            }
        }
    }
    edges.pixels.iter().map(|&edge| edge / (edge + 1.0)).sum::<T>() / edges.pixels.len() as f64
}

pub fn bilateral_and_median_denoising<T: Number>(xs: &[T], k: usize) -> T {
    let noisy = photograph(xs, 5, 4);
    let range = xs[0] * xs[0] * 0.2 + 0.5;
    let smooth = Image::from_fn(noisy.width, noisy.height, |x, y| {
        let here = noisy[(x, y)];
        let (mut sum, mut total) = (T::default(), T::default());
        for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
            let there = noisy.clamped(x as isize + dx, y as isize + dy);
            let near = -((dx * dx + dy * dy) as f64) / (1.0 + k as f64);
            let weight = (-((there - here) / range).powi(2) * 0.5 + near).exp();
            sum += there * weight;
            total += weight;
        }
        sum / total
    });
    let median = Image::from_fn(noisy.width, noisy.height, |x, y| {
        let (x, y) = (x as isize, y as isize);
        let mut window = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)].map(|(dx, dy)| noisy.clamped(x + dx, y + dy));
        window.sort_by(T::total_cmp);
        window[window.len() / 2]
    });
    smooth.pixels.iter().zip(&median.pixels).enumerate().map(|(i, (&s, &m))| s * m + s / (i + 1) as f64).sum::<T>()
        * 0.2
}

pub fn cosine_blocks_with_a_dead_zone<T: Number>(xs: &[T], k: usize) -> T {
    const N: usize = 4;
    let basis: [[f64; N]; N] = std::array::from_fn(|u| {
        let scale = if u == 0 { (1.0 / N as f64).sqrt() } else { (2.0 / N as f64).sqrt() };
        std::array::from_fn(|x| scale * (std::f64::consts::PI * (x as f64 + 0.5) * u as f64 / N as f64).cos())
    });
    let image = photograph(xs, 2 * N, N);
    let threshold = 0.1 * (k + 1) as f64;
    let mut restored = image.clone();
    let mut bits = T::default();
    for block in 0..2 {
        let mut coefficients = [[T::default(); N]; N];
        for (v, row) in coefficients.iter_mut().enumerate() {
            for (u, coefficient) in row.iter_mut().enumerate() {
                for (y, x) in (0..N).flat_map(|y| (0..N).map(move |x| (y, x))) {
                    *coefficient += image[(block * N + x, y)] * (basis[u][x] * basis[v][y]);
                }
                let zone = threshold * (1.0 + 0.2 * (u + v) as f64);
                *coefficient = match coefficient.value() {
                    c if c > zone => *coefficient - zone * 0.5,
                    c if c < -zone => *coefficient + zone * 0.5,
                    _ => T::default(),
                };
                bits += (*coefficient * *coefficient).ln_1p();
            }
        }
        for (y, x) in (0..N).flat_map(|y| (0..N).map(move |x| (y, x))) {
            restored[(block * N + x, y)] = coefficients
                .iter()
                .zip(&basis)
                .map(|(row, vertical)| {
                    row.iter().zip(&basis).map(|(&c, across)| c * across[x]).sum::<T>() * vertical[y]
                })
                .sum();
        }
    }
    let lost: T = image.pixels.iter().zip(&restored.pixels).map(|(&a, &b)| (a - b).powi(2)).sum();
    lost + bits * 0.05
}

struct Wavelet {
    low: [f64; 4],
}

impl Wavelet {
    fn daubechies() -> Self {
        let root = 3.0f64.sqrt();
        Wavelet { low: [1.0 + root, 3.0 + root, 3.0 - root, 1.0 - root].map(|c| c / (4.0 * 2.0f64.sqrt())) }
    }

    fn high(&self) -> [f64; 4] {
        let [a, b, c, d] = self.low;
        [d, -c, b, -a]
    }

    fn split<T: Number>(&self, signal: &[T]) -> (Vec<T>, Vec<T>) {
        let through = |filter: [f64; 4]| {
            (0..signal.len() / 2)
                .map(|i| filter.iter().enumerate().map(|(j, &c)| signal[(2 * i + j) % signal.len()] * c).sum())
                .collect()
        };
        (through(self.low), through(self.high()))
    }

    fn join<T: Number>(&self, low: &[T], high: &[T]) -> Vec<T> {
        let mut signal = vec![T::default(); 2 * low.len()];
        for (i, (&l, &h)) in low.iter().zip(high).enumerate() {
            for (j, (&a, &b)) in self.low.iter().zip(&self.high()).enumerate() {
                let at = (2 * i + j) % signal.len();
                signal[at] += l * a + h * b;
            }
        }
        signal
    }
}

pub fn wavelets_shrunk_and_joined<T: Number>(xs: &[T], k: usize) -> T {
    let length = (xs.len() + 3).next_power_of_two();
    let signal: Vec<T> = xs.iter().copied().cycle().take(length).enumerate().map(|(i, x)| x + 0.1 * i as f64).collect();
    let wavelet = Wavelet::daubechies();
    let mut details = Vec::new();
    let mut smooth = signal.clone();
    while smooth.len() > 2 && details.len() <= k {
        let (low, high) = wavelet.split(&smooth);
        details.push(high);
        smooth = low;
    }
    let threshold = xs[0].abs() * 0.1 + 0.05;
    while let Some(mut high) = details.pop() {
        for detail in high.iter_mut() {
            *detail = (detail.abs() - threshold).max(T::default()).copysign(*detail);
        }
        smooth = wavelet.join(&smooth, &high);
    }
    let lost: T = signal.iter().zip(&smooth).map(|(&a, &b)| (a - b) * (a - b)).sum();
    lost + smooth.windows(2).map(|pair| pair[0] * pair[1]).sum::<T>() * 0.1
}
