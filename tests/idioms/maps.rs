use crate::dual::Number;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};

pub fn grouped_by_name<T: Number>(xs: &[T], _k: usize) -> T {
    const NAMES: [&str; 3] = ["red", "green", "blue"];
    let mut groups: BTreeMap<String, Vec<T>> = BTreeMap::new();
    for (&x, name) in xs.iter().zip(NAMES.iter().cycle()) {
        groups.entry(name.to_string()).or_default().push(x);
    }
    groups.iter().map(|(name, its)| its.iter().map(|&x| x * x).sum::<T>() * name.len() as f64).sum()
}

pub fn range_of_a_btree_map<T: Number>(xs: &[T], k: usize) -> T {
    let map: BTreeMap<usize, T> = xs.iter().enumerate().map(|(i, &x)| (i * 2, x * x)).collect();
    let low: T = map.range(..=k).map(|(_, &x)| x).sum();
    let high: T = map.range(k + 1..).map(|(&key, &x)| x * key as f64).sum();
    low * high + low
}

pub fn counted_in_a_hash_map<T: Number>(xs: &[T], _k: usize) -> T {
    let mut sums: HashMap<bool, (usize, T)> = HashMap::new();
    for &x in xs {
        sums.entry(x > 0.5)
            .and_modify(|(count, sum)| {
                *count += 1;
                *sum += x * x;
            })
            .or_insert((1, x));
    }
    [true, false].iter().filter_map(|key| sums.get(key)).map(|&(count, sum)| sum / count as f64).sum()
}

pub fn memoised_in_a_hash_map<T: Number>(xs: &[T], _k: usize) -> T {
    fn ways<T: Number>(i: usize, xs: &[T], known: &mut HashMap<usize, T>) -> T {
        if i < 2 {
            return xs[i % xs.len()];
        }
        if let Some(&found) = known.get(&i) {
            return found;
        }
        let found = ways(i - 1, xs, known) * 0.5 + ways(i - 2, xs, known) * xs[i % xs.len()];
        known.insert(i, found);
        found
    }
    ways(xs.len() + 2, xs, &mut HashMap::new())
}

pub fn events_in_order<T: Number>(xs: &[T], k: usize) -> T {
    let mut queue: BinaryHeap<Reverse<(usize, usize)>> = (0..xs.len()).map(|i| Reverse(((i * 5 + k) % 7, i))).collect();
    let mut state = T::from(1.0);
    while let Some(Reverse((time, event))) = queue.pop() {
        state = state * 0.8 + xs[event] * xs[event];
        if time < 4 {
            queue.push(Reverse((time + 3, event)));
        }
    }
    state
}

/// A job, the most urgent of which is the greatest.
struct Job<T> {
    urgency: T,
    cost: T,
}

impl<T: Number> PartialEq for Job<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: Number> Eq for Job<T> {}

impl<T: Number> PartialOrd for Job<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Number> Ord for Job<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.urgency.total_cmp(&other.urgency)
    }
}

pub fn jobs_by_urgency<T: Number>(xs: &[T], k: usize) -> T {
    let mut jobs = BinaryHeap::new();
    for &x in xs {
        jobs.push(Job { urgency: x, cost: x * x + 1.0 });
    }
    let (mut waited, mut total) = (T::from(0.0), T::from(0.0));
    for _ in 0..k + 1 {
        let Some(Job { urgency, cost }) = jobs.pop() else { break };
        waited += cost;
        total += urgency * waited;
    }
    total
}

pub fn shortest_paths<T: Number>(xs: &[T], _k: usize) -> T {
    #[derive(PartialEq, PartialOrd)]
    struct Distance<T>(T);
    impl<T: Number> Eq for Distance<T> {}
    #[expect(clippy::derive_ord_xor_partial_ord)]
    impl<T: Number> Ord for Distance<T> {
        fn cmp(&self, other: &Self) -> Ordering {
            self.partial_cmp(other).unwrap()
        }
    }
    let n = xs.len() + 1;
    let edges: Vec<Vec<(usize, T)>> = (0..n)
        .map(|i| [i + 1, i + 2].into_iter().filter(|&j| j < n).map(|j| (j, xs[(i + j) % xs.len()].exp())).collect())
        .collect();
    let mut distances: Vec<Option<T>> = vec![None; n];
    let mut queue = BinaryHeap::from([Reverse((Distance(T::from(0.0)), 0))]);
    while let Some(Reverse((Distance(so_far), node))) = queue.pop() {
        if distances[node].is_none() {
            distances[node] = Some(so_far);
            queue.extend(edges[node].iter().map(|&(next, length)| Reverse((Distance(so_far + length), next))));
        }
    }
    distances.into_iter().flatten().sum()
}

pub fn linked_list_of_std<T: Number>(xs: &[T], _k: usize) -> T {
    let mut list: LinkedList<T> = LinkedList::new();
    for &x in xs {
        if x > 0.5 {
            list.push_back(x);
        } else {
            list.push_front(x * x);
        }
    }
    let mut rest = list.split_off(list.len() / 2);
    rest.append(&mut list);
    rest.iter().enumerate().map(|(i, &x)| x * x * (i as f64 + 1.0)).sum()
}

pub fn chosen_by_a_set_of_keys<T: Number>(xs: &[T], k: usize) -> T {
    let multiples: BTreeSet<usize> = (0..xs.len()).step_by(k.max(1)).collect();
    let small: BTreeSet<usize> = (0..xs.len() / 2 + 1).collect();
    let both: T = multiples.intersection(&small).map(|&i| xs[i] * xs[i]).sum();
    both + multiples.union(&small).map(|&i| xs[i]).sum::<T>() * 0.5
}

pub fn visited_once<T: Number>(xs: &[T], k: usize) -> T {
    let mut seen = HashSet::new();
    let mut at = k % xs.len();
    let mut total = T::from(0.0);
    while seen.insert(at) {
        total = total * 0.7 + xs[at] * xs[at];
        at = (at * 2 + 1) % xs.len();
    }
    total
}

pub fn deque_from_both_ends<T: Number>(xs: &[T], k: usize) -> T {
    let mut deque: VecDeque<T> = xs.iter().copied().collect();
    deque.rotate_left(k % xs.len());
    let mut total = T::from(0.0);
    while let (Some(front), back) = (deque.pop_front(), deque.pop_back()) {
        total += front * back.unwrap_or(front);
        if deque.len() > 2 {
            deque.push_back(front * 0.5);
        }
    }
    total
}

pub fn sparse_polynomials<T: Number>(xs: &[T], _k: usize) -> T {
    type Polynomial<T> = BTreeMap<u32, T>;
    fn product<T: Number>(a: &Polynomial<T>, b: &Polynomial<T>) -> Polynomial<T> {
        let mut found = Polynomial::new();
        for (i, &p) in a {
            for (j, &q) in b {
                *found.entry(i + j).or_default() += p * q;
            }
        }
        found
    }
    let p: Polynomial<T> = xs.iter().zip(0..).map(|(&x, power)| (power * 3 % 5, x)).collect();
    product(&p, &p).into_iter().map(|(power, c)| c * 0.7_f64.powi(power as i32)).sum()
}

pub fn breadth_first<T: Number>(xs: &[T], _k: usize) -> T {
    let mut queue = VecDeque::from([(0, T::from(1.0))]);
    let mut total = T::from(0.0);
    while let Some((node, weight)) = queue.pop_front() {
        let weight = weight * xs[node] * 0.8;
        total += weight;
        for child in [2 * node + 1, 2 * node + 2] {
            if child < xs.len() {
                queue.push_back((child, weight));
            }
        }
    }
    total
}

pub fn retained_and_removed<T: Number>(xs: &[T], k: usize) -> T {
    let mut map: HashMap<usize, T> = xs.iter().copied().enumerate().collect();
    map.retain(|key, x| key % 2 == 0 || *x > 0.0);
    let removed = map.remove(&k).unwrap_or(T::from(2.0));
    let mut rest: Vec<(usize, T)> = map.into_iter().collect();
    rest.sort_by_key(|&(key, _)| key);
    rest.iter().fold(removed, |sum, &(key, x)| sum * 0.9 + x * x * key as f64)
}
