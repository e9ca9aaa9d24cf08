use crate::dual::Number;
use std::cmp::{Ordering, Reverse};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::fmt::Debug;
use std::mem;
use std::ops::{Bound, Index, IndexMut, RangeInclusive};

// --- a balanced tree with sums over its subtrees

struct AvlNode<T> {
    key: T,
    sum: T,
    height: i32,
    left: Link<T>,
    right: Link<T>,
}

type Link<T> = Option<Box<AvlNode<T>>>;

fn height<T>(link: &Link<T>) -> i32 {
    link.as_ref().map_or(0, |node| node.height)
}

impl<T: Number> AvlNode<T> {
    fn leaf(key: T) -> Box<Self> {
        Box::new(AvlNode { key, sum: key, height: 1, left: None, right: None })
    }

    fn update(&mut self) {
        let below = [&self.left, &self.right].into_iter().flatten();
        self.sum = self.key + below.map(|node| node.sum).sum::<T>();
        self.height = 1 + height(&self.left).max(height(&self.right));
    }

    fn rotated_left(mut self: Box<Self>) -> Box<Self> {
        let Some(mut pivot) = self.right.take() else { return self };
        self.right = pivot.left.take();
        self.update();
        pivot.left = Some(self);
        pivot.update();
        pivot
    }

    fn rotated_right(mut self: Box<Self>) -> Box<Self> {
        let Some(mut pivot) = self.left.take() else { return self };
        self.left = pivot.right.take();
        self.update();
        pivot.right = Some(self);
        pivot.update();
        pivot
    }

    fn balanced(mut self: Box<Self>) -> Box<Self> {
        self.update();
        match height(&self.left) - height(&self.right) {
            2 => {
                if let Some(left) = self.left.take_if(|left| height(&left.right) > height(&left.left)) {
                    self.left = Some(left.rotated_left());
                }
                self.rotated_right()
            }
            -2 => {
                if let Some(right) = self.right.take_if(|right| height(&right.left) > height(&right.right)) {
                    self.right = Some(right.rotated_right());
                }
                self.rotated_left()
            }
            _ => self,
        }
    }
}

fn insert<T: Number>(link: Link<T>, key: T) -> Box<AvlNode<T>> {
    let Some(mut node) = link else { return AvlNode::leaf(key) };
    if key < node.key {
        node.left = Some(insert(node.left.take(), key));
    } else {
        node.right = Some(insert(node.right.take(), key));
    }
    node.balanced()
}

fn sum_below<T: Number>(link: &Link<T>, bound: T) -> T {
    match link.as_deref() {
        None => T::default(),
        Some(node) if node.key < bound => {
            node.key + node.left.as_ref().map(|left| left.sum).unwrap_or_default() + sum_below(&node.right, bound)
        }
        Some(node) => sum_below(&node.left, bound),
    }
}

pub fn avl_tree_of_subtree_sums<T: Number>(xs: &[T], k: usize) -> T {
    let mut root: Link<T> = None;
    for (i, &x) in xs.iter().enumerate() {
        let shifted = x + 0.37 * (i * k) as f64;
        root = Some(insert(root.take(), shifted));
    }
    let below: T = xs.iter().map(|&x| sum_below(&root, x * 2.0 + 0.11)).sum();
    let root = root.expect("something was inserted");
    below * 0.5 + root.sum * f64::from(root.height) + root.key * root.key
}

// --- a search tree by keys from which some are removed again

#[derive(Debug, Default)]
struct Tree<K, V> {
    root: Option<Box<TreeNode<K, V>>>,
    len: usize,
}

#[derive(Debug)]
struct TreeNode<K, V> {
    key: K,
    value: V,
    children: [Option<Box<TreeNode<K, V>>>; 2],
}

impl<K: Ord, V> Tree<K, V> {
    fn insert(&mut self, key: K, value: V) -> Option<V> {
        let mut slot = &mut self.root;
        while let Some(node) = slot {
            slot = match key.cmp(&node.key) {
                Ordering::Less => &mut node.children[0],
                Ordering::Greater => &mut node.children[1],
                Ordering::Equal => return Some(mem::replace(&mut node.value, value)),
            };
        }
        *slot = Some(Box::new(TreeNode { key, value, children: [None, None] }));
        self.len += 1;
        None
    }

    fn remove(&mut self, key: &K) -> Option<V> {
        let mut slot = &mut self.root;
        while slot.as_ref()?.key != *key {
            let node = slot.as_mut()?;
            slot = &mut node.children[usize::from(*key > node.key)];
        }
        let TreeNode { value, mut children, .. } = *slot.take()?;
        *slot = match &mut children {
            [None, only] | [only, None] => only.take(),
            [left, right] => {
                let mut next = Self::pop_first(right)?;
                next.children = [left.take(), right.take()];
                Some(next)
            }
        };
        self.len -= 1;
        Some(value)
    }

    fn pop_first(mut slot: &mut Option<Box<TreeNode<K, V>>>) -> Option<Box<TreeNode<K, V>>> {
        while slot.as_ref()?.children[0].is_some() {
            slot = &mut slot.as_mut()?.children[0];
        }
        let mut first = slot.take()?;
        *slot = first.children[1].take();
        Some(first)
    }

    fn iter(&self) -> TreeIter<'_, K, V> {
        let mut iter = TreeIter { stack: Vec::new() };
        iter.descend(self.root.as_deref());
        iter
    }
}

struct TreeIter<'a, K, V> {
    stack: Vec<&'a TreeNode<K, V>>,
}

impl<'a, K, V> TreeIter<'a, K, V> {
    fn descend(&mut self, mut node: Option<&'a TreeNode<K, V>>) {
        while let Some(inner) = node {
            self.stack.push(inner);
            node = inner.children[0].as_deref();
        }
    }
}

impl<'a, K, V> Iterator for TreeIter<'a, K, V> {
    type Item = (&'a K, &'a V);
    fn next(&mut self) -> Option<Self::Item> {
        let node = self.stack.pop()?;
        self.descend(node.children[1].as_deref());
        Some((&node.key, &node.value))
    }
}

pub fn search_tree_with_removals<T: Number>(xs: &[T], k: usize) -> T {
    let mut tree = Tree { root: None, len: 0 };
    let mut replaced = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        let key = format!("{:02}", (i * 5 + k) % 8);
        if let Some(old) = tree.insert(key, (x, i)) {
            replaced += old.0 * x;
        }
    }
    let removed: Option<T> = ["04", "00", "03"].iter().map(|&key| tree.remove(&key.to_string()).map(|(x, _)| x)).sum();
    let walked: T = tree.iter().zip(1..).map(|((key, (x, i)), rank)| *x * (rank * (i + key.len())) as f64).sum();
    let largest = tree.iter().map(|(_, &(x, _))| x).reduce(T::max).unwrap_or(replaced);
    walked + removed.map_or(replaced, T::exp) + largest * tree.len as f64
}

// --- a list of boxed links, edited through cursors

#[derive(Clone, Debug)]
struct Cons<T> {
    head: T,
    tail: List<T>,
}

#[derive(Clone, Debug)]
struct List<T>(Option<Box<Cons<T>>>);

impl<T> Default for List<T> {
    fn default() -> Self {
        List(None)
    }
}

impl<T> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list = List::default();
        list.extend(items);
        list
    }
}

impl<T> Extend<T> for List<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        let mut end = self;
        while end.0.is_some() {
            end = &mut end.0.as_mut().unwrap().tail;
        }
        for head in items {
            end = &mut end.0.insert(Box::new(Cons { head, tail: List(None) })).tail;
        }
    }
}

impl<T> Iterator for List<T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        let Cons { head, tail } = *self.0.take()?;
        *self = tail;
        Some(head)
    }
}

impl<T: Number> List<T> {
    fn merged(self, other: Self) -> Self {
        match (self.0, other.0) {
            (None, rest) | (rest, None) => List(rest),
            (Some(mut a), Some(mut b)) => {
                if a.head <= b.head {
                    a.tail = mem::take(&mut a.tail).merged(List(Some(b)));
                    List(Some(a))
                } else {
                    b.tail = mem::take(&mut b.tail).merged(List(Some(a)));
                    List(Some(b))
                }
            }
        }
    }

    fn remove_where(&mut self, mut unwanted: impl FnMut(&T) -> bool) -> Vec<T> {
        let mut removed = vec![];
        let mut cursor = self;
        while let Some(mut cons) = cursor.0.take() {
            if unwanted(&cons.head) {
                removed.push(cons.head);
                cursor.0 = cons.tail.0.take();
            } else {
                cursor = &mut cursor.0.insert(cons).tail;
            }
        }
        removed
    }
}

pub fn lists_merged_by_boxes<T: Number>(xs: &[T], k: usize) -> T {
    let (front, back) = xs.split_at(xs.len() / 2);
    let mut a: List<T> = front.iter().copied().collect();
    a.extend(back.iter().take(k).map(|&x| x * 0.5 + 1.0));
    let b: List<T> = back.iter().map(|&x| x * x - 1.0).collect();
    let mut merged = a.clone().merged(b);
    let removed = merged.remove_where(|&x| x < -0.5);
    let front: T = a.map(|x| x * x).sum();
    let folded = merged.fold((T::from(0.0), 1.0), |(sum, weight), x| (sum + x * weight, weight * 0.8));
    folded.0 + removed.iter().map(|&x| x.sin()).sum::<T>() + front * folded.1
}

// --- a cache that forgets what was not used for longest

#[derive(Clone, Copy)]
struct Slot<K, V> {
    key: K,
    value: V,
    newer: Option<usize>,
    older: Option<usize>,
}

struct LruCache<K, V, const CAPACITY: usize> {
    slots: Vec<Slot<K, V>>,
    places: HashMap<K, usize>,
    newest: Option<usize>,
    oldest: Option<usize>,
    misses: usize,
}

impl<K: Copy + Eq + std::hash::Hash, V: Copy, const CAPACITY: usize> LruCache<K, V, CAPACITY> {
    fn new() -> Self {
        LruCache { slots: Vec::new(), places: HashMap::new(), newest: None, oldest: None, misses: 0 }
    }

    fn unlink(&mut self, at: usize) {
        let Slot { newer, older, .. } = self.slots[at];
        match newer {
            Some(newer) => self.slots[newer].older = older,
            None => self.newest = older,
        }
        match older {
            Some(older) => self.slots[older].newer = newer,
            None => self.oldest = newer,
        }
    }

    fn push_newest(&mut self, at: usize) {
        let before = self.newest.replace(at);
        self.slots[at].newer = None;
        self.slots[at].older = before;
        if let Some(before) = before {
            self.slots[before].newer = Some(at);
        }
        self.oldest.get_or_insert(at);
    }

    fn get_or_compute(&mut self, key: K, compute: impl FnOnce(&K) -> V) -> V {
        if let Some(&at) = self.places.get(&key) {
            self.unlink(at);
            self.push_newest(at);
            return self.slots[at].value;
        }
        self.misses += 1;
        let slot = Slot { value: compute(&key), key, newer: None, older: None };
        let at = if let Some(oldest) = self.oldest
            && self.slots.len() == CAPACITY
        {
            self.unlink(oldest);
            let forgotten = mem::replace(&mut self.slots[oldest], slot);
            self.places.remove(&forgotten.key);
            oldest
        } else {
            self.slots.push(slot);
            self.slots.len() - 1
        };
        self.places.insert(key, at);
        self.push_newest(at);
        slot.value
    }
}

pub fn cache_of_least_recently_used<T: Number>(xs: &[T], k: usize) -> T {
    let mut cache = LruCache::<(usize, bool), T, 3>::new();
    let mut total = T::from(0.0);
    let mut drift = xs[0];
    for step in 0..3 * xs.len() + k {
        let key = ((step * step + k) % xs.len(), step % 4 == 0);
        let value = cache.get_or_compute(key, |&(i, doubled)| {
            let x = xs[i] + drift * 0.1;
            if doubled { x * 2.0 } else { x.cos() }
        });
        drift = drift * 0.9 + value * 0.1;
        total += value;
    }
    total / (cache.misses + 1) as f64 + cache.newest.map_or(drift, |at| cache.slots[at].value)
}

// --- an order book of price levels

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Buy,
    Sell,
}

#[derive(Clone, Copy, Debug)]
struct Order<T> {
    id: u32,
    side: Side,
    level: i64,
    quantity: T,
}

#[derive(Debug)]
struct OrderBook<T> {
    bids: BTreeMap<Reverse<i64>, VecDeque<Order<T>>>,
    asks: BTreeMap<i64, VecDeque<Order<T>>>,
}

#[derive(Debug, Default)]
struct Fill<T> {
    quantity: T,
    notional: T,
    partners: Vec<u32>,
}

impl<T: Number> OrderBook<T> {
    fn fill<K: Ord + Copy>(
        levels: &mut BTreeMap<K, VecDeque<Order<T>>>,
        accepts: impl Fn(K) -> Option<f64>,
        wanted: &mut T,
    ) -> Fill<T> {
        let mut fill = Fill::default();
        while let Some(mut level) = levels.first_entry() {
            let Some(price) = accepts(*level.key()) else { break };
            let queue = level.get_mut();
            let resting = queue.front_mut().expect("no level is empty");
            let traded = resting.quantity.min(*wanted);
            fill.quantity += traded;
            fill.notional += traded * price;
            fill.partners.push(resting.id);
            *wanted -= traded;
            if resting.quantity > traded {
                resting.quantity -= traded;
                break;
            }
            queue.pop_front();
            if queue.is_empty() {
                level.remove();
            }
        }
        fill
    }

    fn submit(&mut self, mut order: Order<T>) -> Fill<T> {
        let Order { side, level, .. } = order;
        let fill = match side {
            Side::Buy => {
                Self::fill(&mut self.asks, |ask| (ask <= level).then_some(ask as f64 * 0.5), &mut order.quantity)
            }
            Side::Sell => Self::fill(
                &mut self.bids,
                |Reverse(bid)| (bid >= level).then_some(bid as f64 * 0.5),
                &mut order.quantity,
            ),
        };
        if order.quantity > 1e-9 {
            match side {
                Side::Buy => self.bids.entry(Reverse(level)).or_default().push_back(order),
                Side::Sell => self.asks.entry(level).or_default().push_back(order),
            }
        }
        fill
    }
}

pub fn orders_matched_by_price<T: Number>(xs: &[T], k: usize) -> T {
    let mut book = OrderBook { bids: BTreeMap::new(), asks: BTreeMap::new() };
    let mut notional = T::from(0.0);
    let mut partners = HashSet::new();
    for (id, &x) in xs.iter().chain(xs.iter().rev()).enumerate() {
        let side = if (id + k) % 3 == 0 { Side::Sell } else { Side::Buy };
        let level = 4 + (x.value() * 2.0).round() as i64 + if side == Side::Sell { -1 } else { 0 };
        let quantity = (x * x + 0.3) * (1.0 + 0.07 * id as f64);
        let fill = book.submit(Order { id: id as u32, side, level, quantity });
        notional += fill.notional + fill.quantity * 0.01;
        partners.extend(fill.partners);
    }
    let open = |(price, queue): (f64, &VecDeque<Order<T>>)| queue.iter().map(|order| order.quantity).sum::<T>() * price;
    let bids: T = book.bids.iter().map(|(&Reverse(level), queue)| open((level as f64, queue))).sum();
    let asks: T = book.asks.iter().map(|(&level, queue)| open((level as f64, queue))).sum();
    notional + bids * 0.5 - asks + partners.len() as f64
}

// --- weights merged in a heap, lightest first

enum Code<T> {
    Symbol(usize),
    Joined { zero: Box<Code<T>>, one: Box<Code<T>>, cost: T },
}

struct Weighted<T> {
    weight: T,
    code: Code<T>,
}

impl<T: Number> PartialEq for Weighted<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl<T: Number> Eq for Weighted<T> {}
impl<T: Number> PartialOrd for Weighted<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<T: Number> Ord for Weighted<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.weight.total_cmp(&other.weight)
    }
}

impl<T: Number> Code<T> {
    fn lengths(&self, depth: usize, into: &mut BTreeMap<usize, usize>) -> T {
        match self {
            Code::Symbol(symbol) => {
                into.insert(*symbol, depth);
                T::default()
            }
            Code::Joined { zero, one, cost } => {
                *cost + zero.lengths(depth + 1, into) + one.lengths(depth + 1, into) * 0.9
            }
        }
    }
}

pub fn huffman_codes_by_a_heap<T: Number>(xs: &[T], k: usize) -> T {
    let leaf = |(symbol, &x): (usize, &T)| Reverse(Weighted { weight: x.exp(), code: Code::Symbol(symbol) });
    let mut heap: BinaryHeap<_> = xs.iter().enumerate().map(leaf).collect();
    let root = loop {
        let Some(Reverse(first)) = heap.pop() else { return T::from(0.0) };
        let Some(Reverse(second)) = heap.pop() else { break first };
        let weight = first.weight + second.weight;
        let cost = (weight + 1.0).ln();
        let code = Code::Joined { zero: Box::new(first.code), one: Box::new(second.code), cost };
        heap.push(Reverse(Weighted { weight, code }));
    };
    let mut lengths = BTreeMap::new();
    let cost = root.code.lengths(k, &mut lengths);
    let bits: T = lengths.iter().map(|(&symbol, &length)| xs[symbol] * length as f64).sum();
    cost + bits / root.weight
}

// --- what was measured, by pairs of keys

pub fn measurements_by_pairs_of_keys<T: Number>(xs: &[T], k: usize) -> T {
    #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    enum Site {
        North,
        South,
    }
    #[derive(Default)]
    struct Stats<T> {
        count: u32,
        mean: T,
        m2: T,
    }
    impl<T: Number> Stats<T> {
        fn add(&mut self, x: T) -> &mut Self {
            self.count += 1;
            let delta = x - self.mean;
            self.mean += delta / f64::from(self.count);
            self.m2 += delta * (x - self.mean);
            self
        }
    }
    let mut stats: HashMap<(Site, usize), Stats<T>> = HashMap::new();
    let mut peak: BTreeMap<String, T> = BTreeMap::new();
    for (i, &x) in xs.iter().enumerate() {
        let site = if x > 0.5 { Site::North } else { Site::South };
        let mean = stats.entry((site, i % (k + 1))).or_default().add(x).mean;
        peak.entry(format!("{}{}", site as u8, i % 2))
            .and_modify(|peak| *peak = peak.max(mean * x))
            .or_insert_with(|| mean.abs());
    }
    let lonely: HashMap<_, _> = stats.extract_if(|_, stats| stats.count < 2).collect();
    let mut keys: Vec<_> = stats.keys().copied().collect();
    keys.sort_unstable();
    let spread: T = keys.iter().map(|key| &stats[key]).map(|s| (s.m2 / f64::from(s.count - 1) + 0.1).sqrt()).sum();
    let north = lonely.into_iter().filter(|((site, _), _)| matches!(site, Site::North)).map(|(_, s)| s.mean).sum::<T>();
    peak.retain(|name, _| !name.ends_with("01"));
    peak.into_values().map(T::tanh).sum::<T>() + spread + north * 2.0
}

// --- stock that comes in and goes out, in lots

#[derive(Debug)]
enum StockError<T> {
    NoSuchItem(String),
    Short { missing: T },
}

#[derive(Default)]
struct Warehouse<T> {
    lots: BTreeMap<String, VecDeque<(T, T)>>,
}

impl<T: Number> Warehouse<T> {
    fn receive(&mut self, item: &str, quantity: T, cost: T) {
        match self.lots.entry(item.to_owned()) {
            Entry::Occupied(mut lots) if lots.get().len() >= 2 => {
                let (old, _) = lots.get_mut().pop_front().unwrap();
                lots.get_mut().push_back((quantity + old, cost));
            }
            Entry::Occupied(lots) => lots.into_mut().push_back((quantity, cost)),
            Entry::Vacant(empty) => {
                empty.insert([(quantity, cost)].into());
            }
        }
    }

    fn issue(&mut self, item: &str, mut wanted: T) -> Result<T, StockError<T>> {
        let lots = self.lots.get_mut(item).ok_or_else(|| StockError::NoSuchItem(item.to_string()))?;
        let mut cost = T::from(0.0);
        while let Some((quantity, price)) = lots.pop_front() {
            if quantity > wanted {
                lots.push_front((quantity - wanted, price));
                return Ok(cost + wanted * price);
            }
            cost += quantity * price;
            wanted -= quantity;
        }
        self.lots.remove(item);
        Err(StockError::Short { missing: wanted + cost * 0.1 })
    }
}

pub fn lots_issued_first_in_first_out<T: Number>(xs: &[T], k: usize) -> T {
    let mut warehouse = Warehouse::default();
    let items = ["bolt", "nut", "cog"];
    let mut cost = T::from(0.0);
    let mut unknown = BTreeSet::new();
    for (i, &x) in xs.iter().enumerate() {
        let item = items[(i * i + k) % items.len()];
        warehouse.receive(item, x.abs() + 0.4, x * x + 0.2);
        let wanted = items[i % 3];
        match warehouse.issue(wanted, x.abs() * 0.6 + 0.1) {
            Ok(spent) => cost += spent,
            Err(StockError::Short { missing }) if missing > 0.25 => cost += missing * missing,
            Err(StockError::Short { missing }) => cost -= missing,
            Err(StockError::NoSuchItem(name)) => {
                unknown.insert(name);
            }
        }
    }
    let held: T = warehouse.lots.range("c".to_string()..).flat_map(|(_, lots)| lots).map(|&(q, p)| q * p).sum();
    held + cost * (1.0 + unknown.len() as f64 * 0.25)
}

// --- a tree of segments with pending updates

struct SegmentTree<T> {
    nodes: Vec<Segment<T>>,
    size: usize,
}

#[derive(Clone, Copy, Default)]
struct Segment<T> {
    sum: T,
    pending: Option<Affine<T>>,
}

#[derive(Clone, Copy)]
struct Affine<T> {
    scale: T,
    shift: T,
}

impl<T: Number> Affine<T> {
    fn after(self, earlier: Option<Self>) -> Self {
        earlier.map_or(self, |earlier| Affine {
            scale: self.scale * earlier.scale,
            shift: self.scale * earlier.shift + self.shift,
        })
    }
}

impl<T: Number> Index<usize> for SegmentTree<T> {
    type Output = Segment<T>;
    fn index(&self, at: usize) -> &Segment<T> {
        &self.nodes[at]
    }
}

impl<T: Number> IndexMut<usize> for SegmentTree<T> {
    fn index_mut(&mut self, at: usize) -> &mut Segment<T> {
        &mut self.nodes[at]
    }
}

impl<T: Number> From<&[T]> for SegmentTree<T> {
    fn from(xs: &[T]) -> Self {
        let size = xs.len().next_power_of_two();
        let mut tree = SegmentTree { nodes: vec![Segment::default(); 2 * size], size };
        xs.iter().enumerate().for_each(|(i, &x)| tree[size + i].sum = x);
        for at in (1..size).rev() {
            tree[at].sum = tree[2 * at].sum + tree[2 * at + 1].sum;
        }
        tree
    }
}

impl<T: Number> SegmentTree<T> {
    fn apply(&mut self, at: usize, width: usize, update: Affine<T>) {
        let node = &mut self[at];
        node.sum = node.sum * update.scale + update.shift * width as f64;
        node.pending = Some(update.after(node.pending));
    }

    fn visit(
        &mut self,
        range: &RangeInclusive<usize>,
        (at, low, width): (usize, usize, usize),
        update: Option<Affine<T>>,
    ) -> T {
        let high = low + width - 1;
        if high < *range.start() || low > *range.end() {
            return T::default();
        }
        if range.contains(&low) && range.contains(&high) {
            if let Some(update) = update {
                self.apply(at, width, update);
            }
            return self[at].sum;
        }
        let half = width / 2;
        if let Some(pending) = self[at].pending.take() {
            (2 * at..2 * at + 2).for_each(|child| self.apply(child, half, pending));
        }
        let left = self.visit(range, (2 * at, low, half), update);
        let right = self.visit(range, (2 * at + 1, low + half, half), update);
        self[at].sum = self[2 * at].sum + self[2 * at + 1].sum;
        left + right
    }
}

pub fn segments_with_lazy_updates<T: Number>(xs: &[T], k: usize) -> T {
    let mut tree = SegmentTree::from(xs);
    let whole = (1, 0, tree.size);
    let last = xs.len() - 1;
    let mut answers = Vec::new();
    for (i, &x) in xs.iter().enumerate() {
        let (a, b) = (i * (k + 1) % xs.len(), last - i / 2);
        let range = a.min(b)..=a.max(b);
        let update = (i % 2 == 0).then(|| Affine { scale: x * 0.2 + 1.0, shift: x.sin() });
        answers.push(tree.visit(&range, whole, update));
    }
    answers.iter().rev().zip(1..).map(|(&answer, n)| answer / f64::from(n)).sum::<T>() + tree[1].sum
}

// --- entities in an arena whose handles know their generation

struct Handle<T> {
    index: usize,
    generation: u32,
    of: std::marker::PhantomData<fn() -> T>,
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Handle<T> {}

enum Place<T> {
    Free { next: Option<usize> },
    Taken(T),
}

struct Arena<T> {
    places: Vec<(u32, Place<T>)>,
    free: Option<usize>,
}

impl<T> Arena<T> {
    fn insert(&mut self, value: T) -> Handle<T> {
        let index = match self.free {
            Some(index) => {
                let place = &mut self.places[index].1;
                if let Place::Free { next } = mem::replace(place, Place::Taken(value)) {
                    self.free = next;
                }
                index
            }
            None => {
                self.places.push((0, Place::Taken(value)));
                self.places.len() - 1
            }
        };
        Handle { index, generation: self.places[index].0, of: Default::default() }
    }

    fn remove(&mut self, handle: Handle<T>) -> Option<T> {
        let (generation, place) = self.places.get_mut(handle.index)?;
        if *generation != handle.generation || matches!(place, Place::Free { .. }) {
            return None;
        }
        *generation += 1;
        let next = self.free.replace(handle.index);
        match mem::replace(place, Place::Free { next }) {
            Place::Taken(value) => Some(value),
            Place::Free { .. } => unreachable!(),
        }
    }

    fn get_mut(&mut self, handle: Handle<T>) -> Option<&mut T> {
        match self.places.get_mut(handle.index)? {
            (generation, Place::Taken(value)) if *generation == handle.generation => Some(value),
            _ => None,
        }
    }
}

struct Particle<T> {
    at: T,
    charge: T,
    partner: Option<Handle<Particle<T>>>,
}

pub fn particles_with_generations<T: Number>(xs: &[T], k: usize) -> T {
    let mut arena = Arena { places: Vec::new(), free: None };
    let mut handles: Vec<Handle<Particle<T>>> = Vec::new();
    let mut lost = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        let partner = handles.last().copied();
        handles.push(arena.insert(Particle { at: x, charge: x * 0.5 + 0.2, partner }));
        if i % 3 == k % 3
            && let Some(particle) = arena.remove(handles[i / 2])
        {
            lost += particle.charge * particle.charge;
        }
    }
    for &handle in &handles {
        let Some(&mut Particle { charge, partner: Some(partner), .. }) = arena.get_mut(handle) else { continue };
        match arena.get_mut(partner) {
            Some(other) => other.at += charge * 0.3,
            None => lost += charge,
        }
    }
    let alive = handles.iter().filter_map(|&handle| arena.get_mut(handle).map(|p| p.at * p.charge)).sum::<T>();
    alive + lost * 0.7
}

// --- readings on a timeline that is cut and joined

#[derive(Clone)]
struct Timeline<T> {
    readings: BTreeMap<u64, T>,
}

impl<T: Number> Timeline<T> {
    fn at(&self, time: u64) -> Option<T> {
        let before = self.readings.range(..=time).next_back();
        let after = self.readings.range((Bound::Excluded(time), Bound::Unbounded)).next();
        match (before, after) {
            (Some((&t0, &a)), Some((&t1, &b))) => Some(a + (b - a) * ((time - t0) as f64 / (t1 - t0) as f64)),
            (Some((_, &only)), None) | (None, Some((_, &only))) => Some(only),
            (None, None) => None,
        }
    }

    fn integral(&self) -> T {
        let later = self.readings.iter().skip(1);
        self.readings.iter().zip(later).map(|((t0, &a), (t1, &b))| (a + b) * ((t1 - t0) as f64 * 0.5)).sum()
    }
}

pub fn timelines_cut_and_joined<T: Number>(xs: &[T], k: usize) -> T {
    let readings = xs.iter().enumerate().map(|(i, &x)| ((i * i + 2 * i) as u64, x));
    let mut timeline = Timeline { readings: readings.collect() };
    let middle = timeline.readings.keys().nth(xs.len() / 2).copied().unwrap_or_default();
    let mut late = Timeline { readings: timeline.readings.split_off(&middle) };
    let joint = late.at(middle + k as u64).zip(timeline.at(middle)).map(|(b, a)| b - a);
    if let Some(jump) = joint {
        late.readings.values_mut().for_each(|x| *x -= jump * 0.5);
    }
    let early = timeline.integral();
    timeline.readings.append(&mut late.readings);
    if timeline.readings.len() > 3
        && let Some((_, first)) = timeline.readings.pop_first()
        && let Some(mut last) = timeline.readings.last_entry()
    {
        *last.get_mut() += first * first;
    }
    let sampled: T = (0..5).filter_map(|i| timeline.at(7 * i + k as u64)).map(|x| x.atan()).sum();
    early + timeline.integral() * 0.1 + sampled
}

// --- a trie of words that carry numbers

#[derive(Debug)]
struct Trie<V> {
    value: Option<V>,
    children: BTreeMap<char, Trie<V>>,
}

impl<V> Default for Trie<V> {
    fn default() -> Self {
        Trie { value: None, children: BTreeMap::new() }
    }
}

impl<V> Trie<V> {
    fn insert(&mut self, word: &str, value: V) -> Option<V> {
        word.chars().fold(self, |node, letter| node.children.entry(letter).or_default()).value.replace(value)
    }

    fn longest_prefix<'t, 'w>(&'t self, word: &'w str) -> Option<(&'w str, &'t V)> {
        let mut best = self.value.as_ref().map(|value| ("", value));
        let mut node = self;
        for (at, letter) in word.char_indices() {
            let Some(child) = node.children.get(&letter) else { break };
            node = child;
            best = node.value.as_ref().map(|value| (&word[..at + letter.len_utf8()], value)).or(best);
        }
        best
    }

    fn walk(&self, depth: usize, visit: &mut dyn FnMut(usize, &V)) {
        self.value.iter().for_each(|value| visit(depth, value));
        for child in self.children.values() {
            child.walk(depth + 1, visit);
        }
    }
}

impl<'w, V> Extend<(&'w str, V)> for Trie<V> {
    fn extend<I: IntoIterator<Item = (&'w str, V)>>(&mut self, words: I) {
        for (word, value) in words {
            self.insert(word, value);
        }
    }
}

pub fn tariffs_by_longest_prefix<T: Number>(xs: &[T], k: usize) -> T {
    let mut tariffs = Trie::default();
    tariffs.extend(["", "4", "44", "447", "49", "4930", "é1"].into_iter().zip(xs.iter().copied().cycle()));
    let called = ["4470", "4930551", "1800", "é12", "4410"];
    let replaced = tariffs.insert("44", xs[k % xs.len()] * 2.0).unwrap_or_default();
    let mut bill = T::from(0.0);
    for (call, minutes) in called.iter().zip([3.0, 1.5, 8.0, 2.5, 0.5]).skip(k % 2) {
        match tariffs.longest_prefix(call) {
            Some(("", &rate)) => bill += rate * rate * minutes,
            Some((prefix, &rate)) => bill += rate * (minutes + prefix.len() as f64),
            None => bill += T::from(minutes),
        }
    }
    let mut weighted = T::from(0.0);
    tariffs.walk(0, &mut |depth, &rate| weighted += rate.sin() * (depth + 1) as f64);
    bill + weighted - replaced
}

// --- voltages by a union of sets with potentials

#[derive(Debug)]
struct Potentials<T> {
    parent: Vec<usize>,
    offset: Vec<T>,
    size: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Joined<T> {
    Merged { size: usize },
    Conflict(T),
}

impl<T: Number> Potentials<T> {
    fn new(count: usize) -> Self {
        Potentials { parent: (0..count).collect(), offset: vec![T::default(); count], size: vec![1; count] }
    }

    fn find(&mut self, at: usize) -> (usize, T) {
        let parent = self.parent[at];
        if parent == at {
            return (at, T::default());
        }
        let (root, above) = self.find(parent);
        self.offset[at] += above;
        self.parent[at] = root;
        (root, self.offset[at])
    }

    fn relate(&mut self, a: usize, b: usize, difference: T) -> Joined<T> {
        let ((a, above_a), (b, above_b)) = (self.find(a), self.find(b));
        let gap = above_a + difference - above_b;
        if a == b {
            return Joined::Conflict(gap);
        }
        let (small, large, gap) = if self.size[a] < self.size[b] { (a, b, -gap) } else { (b, a, gap) };
        self.parent[small] = large;
        self.offset[small] = gap;
        self.size[large] += mem::take(&mut self.size[small]);
        Joined::Merged { size: self.size[large] }
    }
}

pub fn voltages_by_united_sets<T: Number>(xs: &[T], k: usize) -> T {
    let count = xs.len() + 1;
    let mut potentials = Potentials::new(count);
    let (merged, conflicts): (Vec<Joined<T>>, Vec<_>) = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| potentials.relate((i * 4 + k) % count, (i * 7 + 1) % count, x))
        .partition(|joined| matches!(joined, Joined::Merged { .. }));
    let largest =
        merged.iter().filter_map(|joined| if let Joined::Merged { size } = joined { Some(size) } else { None });
    let scale = largest.max().copied().unwrap_or(1) as f64;
    let penalty = conflicts.iter().fold(T::from(0.0), |sum, joined| match *joined {
        Joined::Conflict(gap) => sum + gap * gap,
        Joined::Merged { .. } => sum,
    });
    let voltages: T = (0..count).map(|at| potentials.find(at)).map(|(root, v)| (v + root as f64 * 0.1).cos()).sum();
    voltages * scale + penalty
}
