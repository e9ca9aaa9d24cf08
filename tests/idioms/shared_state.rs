use crate::dual::Number;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::mem;
use std::rc::{Rc, Weak};

pub fn graph_of_counted_nodes<T: Number>(xs: &[T], k: usize) -> T {
    struct Node<T> {
        value: T,
        neighbours: RefCell<Vec<Rc<Node<T>>>>,
    }
    let nodes: Vec<Rc<Node<T>>> =
        xs.iter().map(|&value| Rc::new(Node { value, neighbours: RefCell::default() })).collect();
    for (i, node) in nodes.iter().enumerate() {
        for step in 1..=k {
            if let Some(neighbour) = nodes.get(i + step) {
                node.neighbours.borrow_mut().push(Rc::clone(neighbour));
            }
        }
    }
    nodes.iter().map(|node| node.neighbours.borrow().iter().map(|n| n.value * node.value).sum::<T>() + node.value).sum()
}

pub fn tree_with_parents<T: Number>(xs: &[T], _k: usize) -> T {
    struct Node<T> {
        value: T,
        parent: RefCell<Weak<Node<T>>>,
    }
    let nodes: Vec<Rc<Node<T>>> =
        xs.iter().map(|&value| Rc::new(Node { value, parent: RefCell::new(Weak::new()) })).collect();
    for (i, node) in nodes.iter().enumerate().skip(1) {
        *node.parent.borrow_mut() = Rc::downgrade(&nodes[(i - 1) / 2]);
    }
    let depth_sum = |node: &Rc<Node<T>>| {
        let (mut sum, mut at) = (node.value, Rc::clone(node));
        while let Some(parent) = { at.parent.borrow().upgrade() } {
            sum = sum * 0.5 + parent.value * parent.value;
            at = parent;
        }
        sum
    };
    nodes.iter().map(depth_sum).sum()
}

pub fn list_reversed_by_links<T: Number>(xs: &[T], _k: usize) -> T {
    struct Node<T> {
        value: T,
        next: Option<Box<Node<T>>>,
    }
    let mut head = None;
    for &value in xs {
        head = Some(Box::new(Node { value, next: head }));
    }
    let mut reversed = None;
    while let Some(mut node) = head {
        head = node.next.take();
        node.next = reversed;
        reversed = Some(node);
    }
    let (mut total, mut weight, mut at) = (T::from(0.0), 1.0, reversed.as_deref());
    while let Some(Node { value, next }) = at {
        total += *value * *value * weight;
        weight += 1.0;
        at = next.as_deref();
    }
    total
}

pub fn taken_and_replaced<T: Number>(xs: &[T], k: usize) -> T {
    #[derive(Default)]
    struct Buffer<T> {
        pending: Vec<T>,
        flushed: Vec<Vec<T>>,
    }
    impl<T: Number> Buffer<T> {
        fn push(&mut self, x: T, limit: usize) {
            self.pending.push(x);
            if self.pending.len() > limit {
                let full = mem::take(&mut self.pending);
                self.flushed.push(full);
            }
        }
    }
    let mut buffer = Buffer::default();
    xs.iter().for_each(|&x| buffer.push(x * x, k));
    buffer.flushed.push(mem::replace(&mut buffer.pending, vec![T::from(1.0)]));
    buffer.flushed.iter().map(|part| part.iter().sum::<T>().powi(2)).sum::<T>() + buffer.pending[0]
}

pub fn arena_of_indices<T: Number>(xs: &[T], _k: usize) -> T {
    struct Node<T> {
        value: T,
        children: Vec<usize>,
    }
    struct Arena<T> {
        nodes: Vec<Node<T>>,
    }
    impl<T: Number> Arena<T> {
        fn add(&mut self, value: T, parent: Option<usize>) -> usize {
            self.nodes.push(Node { value, children: Vec::new() });
            let id = self.nodes.len() - 1;
            if let Some(parent) = parent {
                self.nodes[parent].children.push(id);
            }
            id
        }

        fn total(&self, id: usize) -> T {
            let node = &self.nodes[id];
            node.value * node.value + node.children.iter().map(|&child| self.total(child) * 0.5).sum::<T>()
        }
    }
    let mut arena = Arena { nodes: Vec::new() };
    let root = arena.add(xs[0], None);
    for (i, &x) in xs.iter().enumerate().skip(1) {
        arena.add(x, Some(i / 3));
    }
    arena.total(root)
}

pub fn copied_on_write<T: Number>(xs: &[T], k: usize) -> T {
    let original = Rc::new(xs.to_vec());
    let mut changed = Rc::clone(&original);
    for x in Rc::make_mut(&mut changed).iter_mut().take(k + 1) {
        *x = *x * *x + 0.5;
    }
    original.iter().zip(changed.iter()).map(|(&a, &b)| a * b).sum()
}

pub fn computed_once<T: Number>(xs: &[T], _k: usize) -> T {
    struct Data<'a, T> {
        numbers: &'a [T],
        norm: OnceCell<T>,
        asked: Cell<u32>,
    }
    impl<T: Number> Data<'_, T> {
        fn norm(&self) -> T {
            self.asked.set(self.asked.get() + 1);
            *self.norm.get_or_init(|| self.numbers.iter().map(|&x| x * x).sum::<T>().sqrt())
        }
    }
    let data = Data { numbers: xs, norm: OnceCell::new(), asked: Cell::new(0) };
    let total: T = xs.iter().map(|&x| x / data.norm()).sum();
    total * f64::from(data.asked.get()) + data.norm()
}

pub fn observers<T: Number>(xs: &[T], _k: usize) -> T {
    type Observer<T> = Rc<RefCell<dyn FnMut(T)>>;
    let log = Rc::new(RefCell::new(Vec::new()));
    let largest = Rc::new(Cell::new(None::<T>));
    let observers: Vec<Observer<T>> = vec![
        Rc::new(RefCell::new({
            let log = Rc::clone(&log);
            move |x: T| log.borrow_mut().push(x * x)
        })),
        Rc::new(RefCell::new({
            let largest = Rc::clone(&largest);
            move |x: T| largest.set(Some(largest.get().map_or(x, |l| l.max(x))))
        })),
    ];
    for &x in xs {
        observers.iter().for_each(|observer| observer.borrow_mut()(x));
    }
    log.borrow().iter().sum::<T>() + largest.get().unwrap_or_default()
}

pub fn ledger_of_accounts<T: Number>(xs: &[T], _k: usize) -> T {
    #[derive(Debug)]
    struct Account<T> {
        balance: RefCell<T>,
    }
    let accounts: BTreeMap<usize, Rc<Account<T>>> =
        xs.iter().enumerate().map(|(i, &x)| (i, Rc::new(Account { balance: RefCell::new(x) }))).collect();
    for i in 1..xs.len() {
        let moved = *accounts[&(i - 1)].balance.borrow() * 0.25;
        *accounts[&(i - 1)].balance.borrow_mut() -= moved;
        *accounts[&i].balance.borrow_mut() += moved;
    }
    accounts.values().map(|account| account.balance.borrow().powi(2)).sum()
}
