"""The strategy `slice`: what is cut out, what stays where the program has it, and when the whole program is merged instead."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.strategies.slice import WHOLE
from tests.machines import machine
from tests.workbench import CUBE, Finished, Workbench, every_strategy

pytestmark = pytest.mark.toolchain

CONFIG = "config=slice"
STAGES_OF_THE_SLICE = {"opt1", "abi_fixup", "enzyme", "opt2", "codegen"}


@pytest.fixture(scope="module")
def sliced(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """A crate that is built with this strategy alone."""
    return Workbench(tmp_path_factory.mktemp("sliced"))


def built(bench: Workbench, source: str) -> Finished:
    bench.write(source)
    return bench.build(CONFIG)


def is_right(bench: Workbench) -> bool:
    """The programs end with 0 where what they compared is right."""
    return subprocess.run([bench.output("slice") / "bench"], check=False).returncode == 0


def merged(bench: Workbench, source: str) -> str:
    """Build as far as a program is merged, which is the whole one: why that is so."""
    bench.write(source)
    assert bench.doit("llvm_link", CONFIG).returncode == 0
    return is_whole(bench)


@pytest.fixture
def is_whole_for(request: pytest.FixtureRequest, sliced: Workbench) -> Callable[[str, str], None]:
    """Whether the whole program is merged, and why; with `--full` whether it is right then."""

    def assert_whole(source: str, why: str) -> None:
        assert merged(sliced, source).startswith(why)
        if request.config.getoption("--full"):
            sliced.build(CONFIG)
            assert is_right(sliced)

    return assert_whole


def is_whole(bench: Workbench) -> str:
    """Why the whole program was merged; empty where it was not."""
    why = bench.output("slice") / "stages/03-llvm_link" / WHOLE
    return why.read_text() if why.exists() else ""


PRELUDE = """\
#![no_main]
#![allow(static_mut_refs)]
use autodiff::*;

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-12 * other.abs().max(1.0)
}
"""


def program(items: str, condition: str) -> str:
    """A program that ends with 0 where the condition holds; `x` is 1.5, and the compiler cannot know."""
    return f"""{PRELUDE}
{items}
#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {{
    let x = f64::from(argc) + 0.5;
    i32::from(!({condition}))
}}
"""


def test_a_slice_is_differentiated_and_the_rest_is_as_rustc_made_it(sliced: Workbench) -> None:
    built(sliced, CUBE)
    assert is_right(sliced)
    assert not is_whole(sliced)


def test_what_no_derivative_reaches_costs_nothing_after_the_crate(sliced: Workbench) -> None:
    built(sliced, CUBE)
    another = 2 + time.time_ns() % 1_000_000  # what was built before is a hit
    edited = CUBE.replace("i32::from(!right)", f"i32::from(!right) * {another}")
    assert edited != CUBE
    assert set(built(sliced, edited).ran) == {"crate_bitcode", "llvm_link", "link"}


def test_a_program_without_derivatives_is_built_as_ever(sliced: Workbench) -> None:
    built(sliced, program("", "x > 1.0"))
    assert is_right(sliced)


COUNTED = """
mod counted {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    pub static CALLS: AtomicUsize = AtomicUsize::new(0);
    #[inline(never)]
    pub fn count() { CALLS.fetch_add(1, Relaxed); }
    #[inline(never)]
    pub fn so_far() -> usize { CALLS.load(Relaxed) }
}
#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 {
    counted::count();
    x * x
}
"""


def test_there_is_one_of_each_static(is_whole_for: Callable[[str, str], None]) -> None:
    """What the derivative counts, and what the program counts, is counted together, wherever the counter can be seen from."""
    calls = "{ f(x); df(x, 1.0); f(x); counted::so_far() == 3 && close(df(x, 1.0).1, 2.0 * x) }"
    is_whole_for(program(COUNTED, calls), "only one codegen unit sees ")


POINTERS = """
type Curve = Box<dyn Fn(f64) -> f64>;
#[autodiff_reverse(df, Const, Active, Active)]
fn f(curve: &Curve, x: f64) -> f64 { curve(x) * x }
#[inline(never)]
fn curve(kind: f64) -> Curve {
    if kind > 1.0 { Box::new(move |x| kind * x) } else { Box::new(|x| x.sin()) }
}
"""


def test_what_a_pointer_calls_only_the_whole_program_tells(sliced: Workbench) -> None:
    built(sliced, program(POINTERS, "close(df(&curve(x), x, 1.0).1, 2.0 * x * x)"))
    assert is_right(sliced)
    assert is_whole(sliced).startswith("a pointer is called at src/main.rs:")
    assert is_whole(sliced).endswith(", for `df` of `bench::f`")
    assert f"the whole program was merged: {is_whole(sliced)}" in sliced.build(CONFIG).stdout


MADE_HERE = """
use std::collections::HashMap;
#[autodiff_reverse(df, Active, Const, Active)]
fn f(x: f64, kinds: &[u8]) -> f64 {
    let mut rules: HashMap<u8, Box<dyn Fn(f64) -> f64>> = HashMap::new();
    for &kind in kinds { rules.insert(kind, if kind > 1 { Box::new(move |y| y * x) } else { Box::new(f64::sin) }); }
    kinds.iter().map(|kind| rules[kind](x)).sum()
}
#[autodiff_reverse(dg, Active, Const, Active)]
fn g(x: f64, names: &[&str]) -> f64 {
    let mut powers = HashMap::new();
    for name in names { *powers.entry(name.to_string()).or_insert(x) *= x; }
    names.iter().map(|name| powers[*name] / name.len() as f64).sum()
}
#[autodiff_reverse(dh, Active, Active)]
fn h(x: f64) -> f64 {
    let known = HashMap::<usize, f64>::new(); // nobody asks for the keys that it is given
    known.get(&2).copied().unwrap_or(x) * x
}
"""


def test_what_is_called_and_was_made_in_the_derivative_it_tells_itself(sliced: Workbench) -> None:
    """Nothing that may be called comes in: neither by an argument nor in a variable of the program's."""
    slopes = ["df(x, &[1, 2, 3], 1.0).1, x.cos() + 4.0 * x", 'dg(x, &["a", "bb", "a"], 1.0).1, 6.0 * x * x + x']
    slopes.append("dh(x, 1.0).1, 2.0 * x")
    built(sliced, program(MADE_HERE, " && ".join(f"close({slope})" for slope in slopes)))
    assert is_right(sliced)
    assert not is_whole(sliced)


MAPS = """
use std::collections::{HashMap, HashSet};
fn collected(x: f64) -> f64 {
    let map: HashMap<usize, f64> = (0..3).map(|i| x * (i as f64 + x)).enumerate().collect();
    map.iter().map(|(key, y)| *key as f64 * y).sum()
}
fn counted(x: f64) -> f64 {
    let mut seen = HashSet::new();
    (0..4).map(|i| if seen.insert(i % 3) { x * x } else { x }).sum()
}
fn named(x: f64) -> f64 {
    let mut sums: HashMap<String, f64> = HashMap::new();
    for i in 0..4 { *sums.entry(format!("k{}", i % 2)).or_insert(x) += x * i as f64; }
    sums["k0"] * sums["k1"]
}
fn listed(x: f64) -> f64 {
    let mut lists: HashMap<u8, Vec<f64>> = HashMap::new();
    for i in 0..4 { lists.entry(i % 2).or_default().push(x * f64::from(i)); }
    lists.values().map(|list| list.iter().sum::<f64>().powi(2)).sum()
}
mod of {
    use autodiff::*;
    #[autodiff_reverse(collected, Active, Active)] fn a(x: f64) -> f64 { super::collected(x) }
    #[autodiff_reverse(counted, Active, Active)] fn b(x: f64) -> f64 { super::counted(x) }
    #[autodiff_reverse(named, Active, Active)] fn c(x: f64) -> f64 { super::named(x) }
    #[autodiff_reverse(listed, Active, Active)] fn d(x: f64) -> f64 { super::listed(x) }
    pub fn every(x: f64) -> [f64; 4] { [collected(x, 1.0).1, counted(x, 1.0).1, named(x, 1.0).1, listed(x, 1.0).1] }
}
#[inline(never)]
fn others(n: usize) -> usize {
    let map: HashMap<i32, u8> = (0..n).map(|i| (i as i32, 1)).collect();
    let set: HashSet<u16> = (0..n).map(|i| i as u16).collect();
    map.len() + set.len()
}
"""


@every_strategy
def test_maps_beside_others_of_the_program(bench: Workbench, strategy: str) -> None:
    """All hash by the same keys, and by a pointer that the whole program has many functions for."""
    slopes = "[6.0 * x + 5.0, 6.0 * x + 1.0, 2.0 * x * 3.0 * 5.0, 40.0 * x]"
    bench.write(program(MAPS, f"others(3) == 6 && of::every(x).iter().zip({slopes}).all(|(got, right)| close(*got, right))"))
    bench.build(f"config={strategy}")
    assert subprocess.run([bench.output(strategy) / "bench"], check=False).returncode == 0


PRINTS = """
use std::{cell::Cell, fmt};
struct Said(f64, Cell<f64>);
impl fmt::Display for Said {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        WRITTEN
        write!(to, "{:.2} {:?}", self.0, [1, 2])
    }
}
#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 {
    let said = Said(x, Cell::new(0.0));
    println!("{said}");
    if x > 100.0 { eprintln!("{x} is large"); }
    x * x + said.1.get()
}
"""


def test_what_prints_is_left_to_the_program(sliced: Workbench) -> None:
    built(sliced, program(PRINTS.replace("WRITTEN", ""), "close(df(x, 1.0).1, 2.0 * x)"))
    finished = subprocess.run([sliced.output("slice") / "bench"], check=False, capture_output=True, text=True)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "1.50 [1, 2]\n", "")
    assert not is_whole(sliced)


WRITING = program(PRINTS.replace("WRITTEN", "self.1.set(self.0 * self.0);"), "close(df(x, 1.0).1, 4.0 * x)")


def test_what_writes_floats_as_it_prints_only_the_whole_program_tells(sliced: Workbench) -> None:
    assert merged(sliced, WRITING).startswith("a `Display` may write floats as it prints at src/main.rs:")


@pytest.mark.full
def test_what_writes_floats_as_it_prints_is_refused(sliced: Workbench) -> None:
    sliced.write(WRITING)
    finished = sliced.doit("build", CONFIG)
    assert finished.returncode == 1
    assert "error: text is written here to what may hold floats" in finished.stderr


KEPT = """
fn twice(x: f64) -> f64 { 2.0 * x }
#[unsafe(no_mangle)]
static mut RULE: fn(f64) -> f64 = f64::sin;
#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 { let rule = unsafe { RULE }; rule(x) * x }
#[inline(never)]
fn slope(x: f64) -> f64 { unsafe { if x > 1.0 { RULE = twice } } df(x, 1.0).1 }
"""


def test_what_a_variable_leads_to_only_the_whole_program_tells(is_whole_for: Callable[[str, str], None]) -> None:
    is_whole_for(program(KEPT, "close(slope(x), 4.0 * x)"), "a pointer is called at src/main.rs:")


KEPT_FOR_ANOTHER = """
#[unsafe(no_mangle)]
static mut RULE: Option<fn(f64) -> f64> = None;
#[autodiff_reverse(di, Active, Active)]
fn i(x: f64) -> f64 { if unsafe { RULE.is_none() } { x * x } else { x } }
#[inline(never)]
fn slope(x: f64) -> f64 { unsafe { if x > 2.0 { RULE = Some(f64::sin) } } di(x, 1.0).1 }
"""


def test_what_a_variable_leads_to_is_no_matter_to_a_derivative_that_does_not_come_to_it(sliced: Workbench) -> None:
    right = "close(df(x, &[1, 2, 3], 1.0).1, x.cos() + 4.0 * x) && close(slope(x), 2.0 * x)"
    built(sliced, program(MADE_HERE + KEPT_FOR_ANOTHER, right))
    assert is_right(sliced)
    assert not is_whole(sliced)


HIDDEN = """
fn twice(x: f64) -> f64 { 2.0 * x }
#[autodiff_reverse(df, Const, Active, Active)]
fn f(rule: usize, x: f64) -> f64 {
    let rule: fn(f64) -> f64 = if rule == 0 { f64::sin } else { unsafe { std::mem::transmute(rule) } };
    rule(x) * x
}
"""


def test_what_came_in_as_a_number_and_is_called_ends_the_program(sliced: Workbench) -> None:
    """No type told of it; the derivative knows what it may be here, and says that it is none of that."""
    rule = "if x > 2.0 { std::hint::black_box(twice as usize) } else { 0 }"
    built(sliced, program(HIDDEN, f"close(df({rule}, x, 1.0).1, x.sin() + x * x.cos())"))
    assert not is_whole(sliced)
    assert is_right(sliced)
    hidden = subprocess.run([sliced.output("slice") / "bench", "more"], capture_output=True, text=True, check=False)
    assert hidden.returncode < 0
    assert "differentiated code called a pointer that is none of what it could be here: " in hidden.stderr


COMPLAINING = """
#[derive(Debug)]
struct Weights { all: Vec<f64>, name: String }
#[autodiff_reverse(df, Const, Active, Active)]
fn f(weights: &Weights, x: f64) -> f64 {
    assert!(x < 1e9, "{x} is too much for {weights:?}");
    weights.all.iter().try_fold(x, |sum, weight| if sum > 1e9 { Err(weights) } else { Ok(sum * weight) }).expect("too large")
}
"""


def test_what_a_panic_says_does_not_count(sliced: Workbench) -> None:
    """Text is made through pointers, and nothing of it has a derivative."""
    weights = 'Weights { all: vec![2.0, x, 3.0], name: String::from("three") }'
    built(sliced, program(COMPLAINING, f"close(df(&{weights}, x, 1.0).1, 6.0 * x)"))
    assert is_right(sliced)
    assert not is_whole(sliced)


SCRATCH = """
mod scratch {
    use std::cell::Cell;
    thread_local! { static LAST: Cell<[f64; 2]> = const { Cell::new([0.0; 2]) }; }
    #[inline(never)]
    pub fn kept(x: f64) -> f64 { LAST.with(|last| { last.set([x, last.get()[0]]); last.get()[0] * last.get()[1] }) }
    pub fn last() -> f64 { LAST.with(|last| last.get()[0]) }
}
#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 { scratch::kept(x); scratch::kept(x * x) * scratch::kept(3.0 * x) }
"""


def test_there_is_one_of_each_thread_local(is_whole_for: Callable[[str, str], None]) -> None:
    """The derivative writes to the program's own."""
    condition = "close(df(x, 1.0).1, 18.0 * x.powi(5)) && scratch::last() == 3.0 * x"
    is_whole_for(program(SCRATCH, condition), "only one codegen unit sees ")


RULES = """
#[inline(never)]
fn twice(x: f64) -> f64 { 2.0 * x }
#[inline(never)]
fn half(x: f64) -> f64 { 0.5 * x }
#[inline(never)]
fn rule(x: f64) -> fn(f64) -> f64 { if x > 1.0 { twice } else { half } }
"""
FUNCTION = """
#[autodiff_reverse(df, Const, Active, Active)]
fn f(rule: fn(f64) -> f64, x: f64) -> f64 { if rule as usize == twice as usize { twice(x) * x } else { half(x) } }
"""
ONE_OF_A_TABLE = """
static RULES: [fn(f64) -> f64; 9] = [half, half, twice, half, half, half, half, half, f64::sin];
#[autodiff_reverse(df, Const, Active, Active)]
fn f(rule: fn(f64) -> f64, x: f64) -> f64 {
    x.powi(RULES.iter().position(|&one| one as usize == rule as usize).unwrap_or(7) as i32)
}
"""
NUMBER = """
#[autodiff_reverse(df, Const, Active, Active)]
fn f(rule: usize, x: f64) -> f64 { if rule == twice as usize { twice(x) * x } else { half(x) } }
"""
AMONG_BYTES = """
#[autodiff_reverse(df, Const, Active, Active)]
fn f(rules: [usize; 4], x: f64) -> f64 { if rules == [half as usize, 1, twice as usize, 2] { twice(x) * x } else { x } }
"""
NO_FUNCTION = """
#[autodiff_reverse(df, Const, Active, Active)]
fn f(rule: *const f64, x: f64) -> f64 { if rule == twice as *const f64 { twice(x) * x } else { half(x) } }
"""
STATIC = """
static LIMITS: [f64; 2] = [1.0, 3.0];
#[autodiff_reverse(df, Const, Active, Active)]
fn f(limits: &'static [f64; 2], x: f64) -> f64 { if std::ptr::eq(limits, &LIMITS) { x * x * limits[1] } else { x } }
#[inline(never)]
fn limits(x: f64) -> &'static [f64; 2] { if x > 1.0 { &LIMITS } else { &[1.0, 5.0] } }
"""


@pytest.mark.parametrize(
    ("items", "condition"),
    [
        (RULES + FUNCTION, "close(df(rule(x), x, 1.0).1, 4.0 * x)"),
        pytest.param(RULES + ONE_OF_A_TABLE, "close(df(rule(x), x, 1.0).1, 2.0 * x)", marks=pytest.mark.full),
        pytest.param(RULES + NUMBER, "close(df(rule(x) as usize, x, 1.0).1, 4.0 * x)", marks=pytest.mark.full),
        pytest.param(
            RULES + AMONG_BYTES,
            "close(df([half as usize, 1, rule(x) as usize, 2], x, 1.0).1, 4.0 * x)",
            marks=pytest.mark.full,
        ),
        pytest.param(RULES + NO_FUNCTION, "close(df(rule(x) as *const f64, x, 1.0).1, 4.0 * x)", marks=pytest.mark.full),
        pytest.param(STATIC, "close(df(limits(x), x, 1.0).1, 6.0 * x)", marks=pytest.mark.full),
    ],
)
def test_where_addresses_are_compared_only_the_whole_program_tells(
    is_whole_for: Callable[[str, str], None], items: str, condition: str
) -> None:
    """A copy of a function or of a `static` has an address of its own: the derivative would go another way than the program."""
    is_whole_for(program(items, condition), "an address is compared, or read as a number, at src/main.rs:")


IN_A_SECTION = """
#[used] #[unsafe(link_section = "weights")] static FIRST: [f64; 4] = [1.0, 2.0, 3.0, 4.0];
#[used] #[unsafe(link_section = "weights")] static SECOND: [f64; 4] = [5.0, 6.0, 7.0, 8.0];
unsafe extern "C" {
    #[link_name = "__start_weights"] static BEGIN: f64;
    #[link_name = "__stop_weights"] static END: f64;
}
fn all() -> &'static [f64] {
    let (begin, end) = (&raw const BEGIN, &raw const END);
    unsafe { std::slice::from_raw_parts(begin, end.offset_from(begin) as usize) }
}
#[autodiff_reverse(df, Active, Const, Active)]
fn f(x: f64, at: usize) -> f64 { FIRST[at] * SECOND[at] * x * x }
#[autodiff_reverse(dg, Active, Active)]
fn g(x: f64) -> f64 { all().iter().map(|weight| weight * x * x).sum() }
"""


def test_in_a_section_there_is_one_of_each(sliced: Workbench) -> None:
    """As crates that gather what is registered all over a program read them."""
    slopes = "close(df(x, 1, 1.0).1, 24.0 * x) && close(dg(x, 1.0).1, 72.0 * x)"
    built(sliced, program(IN_A_SECTION, f"all().len() == 8 && {slopes}"))
    assert is_right(sliced)


TABLES = """
static NODES: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];
static WEIGHTS: [f64; 5] = [0.5, 1.5, 2.5, 1.0, 0.25];
#[inline(never)]
fn weighed<'a>(nodes: impl Iterator<Item = &'a f64>, x: f64) -> f64 {
    nodes.zip(WEIGHTS.iter().rev().chain(&NODES)).map(|(node, weight)| (node * x).sin() * weight).sum()
}
#[autodiff_reverse(df, Active, Const, Active)]
fn f(x: f64, nodes: &[f64]) -> f64 {
    weighed(NODES.iter().filter(|node| **node > 0.2).chain(nodes).chain(&WEIGHTS), x)
}
fn slope(x: f64) -> bool {
    let by = |x| f(x, &[2.0, 3.0]);
    (df(x, &[2.0, 3.0], 1.0).1 - (by(x + 1e-6) - by(x - 1e-6)) / 2e-6).abs() < 1e-7
}
"""


def test_tables_are_copied(sliced: Workbench) -> None:
    """Where they end is asked as they are gone through, and that is no question of which they are."""
    built(sliced, program(TABLES, "slope(x)"))
    assert is_right(sliced)
    assert not is_whole(sliced)


NESTED = """
#[autodiff_forward(slope, Dual, Dual)]
fn cube(x: f64) -> f64 { x * x * x }
#[autodiff_reverse(curvature, Active, Active)]
fn slope_alone(x: f64) -> f64 { slope(x, 1.0).1 }
"""


def test_a_derivative_may_be_differentiated(sliced: Workbench) -> None:
    built(sliced, program(NESTED, "close(curvature(x, 1.0).1, 6.0 * x) && close(slope(x, 1.0).1, 3.0 * x * x)"))
    assert is_right(sliced)
    assert not is_whole(sliced)


INACTIVE = """
#[inactive]
fn note(x: f64) -> f64 { if x > 1.0 { 2.0 } else { 3.0 } }
#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 { note(x) * x * x }
"""


def test_a_function_may_be_inactive(sliced: Workbench) -> None:
    built(sliced, program(INACTIVE, "close(df(x, 1.0).1, 4.0 * x) && close(note(x), 2.0)"))
    assert is_right(sliced)


GENERIC = """
mod squares {
    use autodiff::*;
    #[autodiff_reverse(d_scaled, Const, Active, Active)]
    pub fn scaled<const N: usize, F: Fn(f64) -> f64>(by: F, x: f64) -> f64 { by(x) * N as f64 }
}
mod one { pub fn slope(x: f64) -> f64 { super::squares::d_scaled::<3, _>(|x| x * x, x, 1.0).1 } }
mod other { pub fn slope(x: f64) -> f64 { super::squares::d_scaled::<5, _>(f64::sin, x, 1.0).1 } }
#[inline(never)]
fn threads(x: f64) -> bool {
    let slopes = |at: usize| (0..1000).map(|i| one::slope(x + (i % 7) as f64 + at as f64)).sum::<f64>();
    let expected: Vec<f64> = (0..8).map(slopes).collect();
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..8).map(|at| scope.spawn(move || slopes(at))).collect();
        running.into_iter().zip(expected).all(|(one, expected)| one.join().unwrap() == expected)
    })
}
"""


def test_a_derivative_may_be_generic_and_called_from_many_places_and_threads(sliced: Workbench) -> None:
    built(sliced, program(GENERIC, "close(one::slope(x), 6.0 * x) && close(other::slope(x), 5.0 * x.cos()) && threads(x)"))
    assert is_right(sliced)
    assert not is_whole(sliced)


ALLOCATING = """
#[autodiff_reverse(df, Duplicated, Active)]
fn f(xs: &[f64]) -> f64 {
    let mut found = Vec::new();
    for &x in xs { if x > 1.0 { found.push(x * x) } }
    found.sort_by(|a, b| b.total_cmp(a));
    found.iter().enumerate().map(|(i, x)| x * (i + 1) as f64).sum()
}
fn gradient(xs: &[f64]) -> Vec<f64> {
    let mut dx = vec![0.0; xs.len()];
    df(xs, &mut dx, 1.0);
    dx
}
"""


def test_std_is_cut_too(sliced: Workbench) -> None:
    """What a `Vec` that grows and a sort call is in other modules."""
    built(sliced, program(ALLOCATING, "gradient(&[0.5, x, x + 1.0, 3.0 * x]) == [0.0, 6.0 * x, 4.0 * (x + 1.0), 6.0 * x]"))
    assert is_right(sliced)
    assert not is_whole(sliced)


# ---- Another strategy

LAST_FIRST = """\
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.strategies import Artifacts, Given, single_module_merge
from pipeline.strategies.single_module_merge import SingleModuleMerge

BESIDE_OBJECTS = False


def strategy(given: Given) -> "LastFirst":
    return LastFirst(single_module_merge.strategy(given))


@dataclass(frozen=True)
class LastFirst:
    whole: SingleModuleMerge

    def merge(self, artifacts: Artifacts, module: Path, log: Path) -> bool:
        return self.whole.merge(replace(artifacts, crates=artifacts.crates[::-1]), module, log)
"""


def test_a_fourth_is_one_file_more(sliced: Workbench, tmp_path: Path) -> None:
    built(sliced, CUBE)
    there = machine(tmp_path / "checkout", sliced.folder / "Cargo.lock", {})
    (there.folder / "pipeline/strategies/last_first.py").write_text(LAST_FIRST)
    made = there.doit("build", "strategy=last-first", "build_std=prebuilt")
    assert made.returncode == 0, made.stderr
    assert subprocess.run([there.crate / "target/crategrad/default/bench"], check=False).returncode == 0
    refused = there.doit("build", "strategy=nobody")
    assert refused.returncode == 3
    assert "expected `fat-lto` or `last-first` or " in refused.stderr
    unwinding = there.doit("build", "strategy=last-first", "panic=unwind")
    assert "`panic` cannot be `unwind` with `strategy: last-first`" in unwinding.stderr
    python = there.folder / ".venv/bin/python"
    for writes, file in {"config": "docs/config.md", "matrix.schema": "configs/matrix.schema.json"}.items():
        subprocess.run([python, "-m", f"pipeline.{writes}"], cwd=there.folder, check=True)
        assert "last-first" in (there.folder / file).read_text()
    assert "last-first" in (there.folder / "configs/schema.json").read_text()
