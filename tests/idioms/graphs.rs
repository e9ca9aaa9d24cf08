use crate::dual::Number;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

struct Edge<T> {
    to: usize,
    weight: T,
}

struct Graph<T> {
    edges: Vec<Vec<Edge<T>>>,
}

impl<T: Number> Graph<T> {
    fn ring_with_chords(xs: &[T]) -> Self {
        let n = xs.len() + 2;
        let mut edges: Vec<Vec<Edge<T>>> = (0..n).map(|_| Vec::new()).collect();
        for (i, &x) in xs.iter().enumerate() {
            edges[i].push(Edge { to: i + 1, weight: x.abs() + 0.1 });
            edges[i].push(Edge { to: (i * 3 + 2) % n, weight: x * x * 0.7 + 0.2 });
        }
        edges[n - 2].push(Edge { to: n - 1, weight: T::from(0.3) });
        Graph { edges }
    }
}

pub fn longest_path_in_order<T: Number>(xs: &[T], _k: usize) -> T {
    let graph = Graph::ring_with_chords(xs);
    let mut incoming = vec![0; graph.edges.len()];
    for (from, edges) in graph.edges.iter().enumerate() {
        edges.iter().filter(|edge| edge.to > from).for_each(|edge| incoming[edge.to] += 1);
    }
    let mut ready: VecDeque<usize> = (0..incoming.len()).filter(|&node| incoming[node] == 0).collect();
    let mut longest = vec![T::from(0.0); incoming.len()];
    while let Some(node) = ready.pop_front() {
        for Edge { to, weight } in graph.edges[node].iter().filter(|edge| edge.to > node) {
            let along = longest[node] + *weight;
            if along > longest[*to] {
                longest[*to] = along;
            }
            incoming[*to] -= 1;
            if incoming[*to] == 0 {
                ready.push_back(*to);
            }
        }
    }
    longest[longest.len() - 1]
}

pub fn distances_by_relaxation<T: Number>(xs: &[T], _k: usize) -> T {
    let graph = Graph::ring_with_chords(xs);
    let mut distance: Vec<Option<T>> = vec![None; graph.edges.len()];
    distance[0] = Some(T::from(0.0));
    for _ in 0..graph.edges.len() {
        let mut changed = false;
        for from in 0..graph.edges.len() {
            let Some(so_far) = distance[from] else { continue };
            for edge in &graph.edges[from] {
                let through = so_far + edge.weight;
                if distance[edge.to].is_none_or(|known| through < known) {
                    distance[edge.to] = Some(through);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    distance.into_iter().flatten().map(|d| d * d).sum()
}

pub fn spanning_tree<T: Number>(xs: &[T], _k: usize) -> T {
    struct Sets {
        parent: Vec<usize>,
    }
    impl Sets {
        fn root(&mut self, node: usize) -> usize {
            if self.parent[node] != node {
                let root = self.root(self.parent[node]);
                self.parent[node] = root;
            }
            self.parent[node]
        }
        fn join(&mut self, a: usize, b: usize) -> bool {
            let (a, b) = (self.root(a), self.root(b));
            self.parent[a] = b;
            a != b
        }
    }
    let graph = Graph::ring_with_chords(xs);
    let mut all: Vec<(usize, usize, T)> = Vec::new();
    for (from, edges) in graph.edges.iter().enumerate() {
        all.extend(edges.iter().map(|edge| (from, edge.to, edge.weight)));
    }
    all.sort_by(|a, b| a.2.partial_cmp(&b.2).unwrap());
    let mut sets = Sets { parent: (0..graph.edges.len()).collect() };
    all.iter().filter(|&&(a, b, _)| sets.join(a, b)).map(|&(_, _, weight)| weight * weight).sum()
}

pub fn page_rank<T: Number>(xs: &[T], k: usize) -> T {
    let graph = Graph::ring_with_chords(xs);
    let n = graph.edges.len();
    let out: Vec<T> = graph.edges.iter().map(|edges| edges.iter().map(|edge| edge.weight).sum::<T>() + 1e-3).collect();
    let mut rank = vec![T::from(1.0 / n as f64); n];
    for _ in 0..k + 3 {
        let mut next = vec![T::from(0.15 / n as f64); n];
        for (from, edges) in graph.edges.iter().enumerate() {
            for edge in edges {
                next[edge.to] += rank[from] * edge.weight / out[from] * 0.85;
            }
        }
        rank = next;
    }
    rank.iter().enumerate().map(|(i, &r)| r * (i as f64 + 1.0)).sum()
}

pub fn flow_through_layers<T: Number>(xs: &[T], k: usize) -> T {
    let mut messages: HashMap<(usize, usize), T> = HashMap::new();
    for (i, &x) in xs.iter().enumerate() {
        messages.insert((i, (i + 1) % xs.len()), x.tanh());
    }
    for round in 0..k + 1 {
        let mut keys: Vec<_> = messages.keys().copied().collect();
        keys.sort_unstable();
        for (from, to) in keys {
            let sent = messages[&(from, to)];
            let next = (to + round + 1) % xs.len();
            *messages.entry((to, next)).or_insert(T::from(0.1)) += sent * sent * 0.3;
        }
    }
    let mut sums = vec![T::from(0.0); xs.len()];
    for (&(_, to), &m) in &messages {
        sums[to] += m;
    }
    sums.iter().map(|&s| s.sin()).sum()
}

pub fn meeting_times_by_a_queue<T: Number>(xs: &[T], k: usize) -> T {
    let mut agenda: BinaryHeap<Reverse<(u32, usize)>> =
        xs.iter().enumerate().map(|(i, _)| Reverse(((i as u32 * 7) % 5, i))).collect();
    let mut levels: Vec<T> = xs.to_vec();
    let mut handled = 0;
    while let Some(Reverse((time, who))) = agenda.pop() {
        handled += 1;
        if handled > 3 * xs.len() + k {
            break;
        }
        let partner = (who + time as usize + 1) % levels.len();
        let shared = (levels[who] + levels[partner]) * 0.5;
        levels[who] = shared + levels[who] * 0.1;
        levels[partner] = shared.cos();
        agenda.push(Reverse((time + 2 + who as u32 % 3, partner)));
    }
    levels.iter().sum()
}

pub fn components_by_depth<T: Number>(xs: &[T], k: usize) -> T {
    fn visit<T: Number>(at: usize, seen: &mut [bool], links: &[Vec<usize>], xs: &[T], found: &mut Vec<T>) {
        if std::mem::replace(&mut seen[at], true) {
            return;
        }
        found.push(xs[at]);
        for &next in &links[at] {
            visit(next, seen, links, xs, found);
        }
    }
    let links: Vec<Vec<usize>> =
        (0..xs.len()).map(|i| (0..xs.len()).filter(|j| (i + j) % (k + 2) == 0).collect()).collect();
    let mut seen = vec![false; xs.len()];
    let mut components: Vec<Vec<T>> = vec![];
    for at in 0..xs.len() {
        let mut found = Vec::new();
        visit(at, &mut seen, &links, xs, &mut found);
        if !found.is_empty() {
            components.push(found);
        }
    }
    components.sort_by_key(|component| Reverse(component.len()));
    components.iter().enumerate().map(|(i, component)| component.iter().product::<T>() * (i as f64 + 0.5)).sum()
}
