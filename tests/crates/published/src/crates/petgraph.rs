//! Weights of edges; nodes visited in depth

use crate::tried;
use petgraph::graph::DiGraph;
use petgraph::visit::EdgeRef;

const SEVEN: [f64; 7] = [1.5, 0.5, 2.5, 0.75, 1.0, 0.3, 2.0];

/// From 0 to 4 by 1, 2 and 3; the shortest way is 0 → 1 → 2 → 4.
fn roads(x: &[f64]) -> DiGraph<(), f64> {
    let ends = [(0, 1), (1, 2), (0, 2), (2, 4), (1, 3), (3, 4), (0, 3)];
    DiGraph::from_edges(ends.iter().zip(x).map(|(&(from, to), &length)| (from, to, length * length)))
}

tried! {
    weights_of_edges(x: SEVEN) {
        let graph = roads(x);
        graph.edge_references().map(|edge| edge.weight() * edge.target().index() as f64).sum()
    } => [1, 2, 2, 4, 3, 4, 3].iter().zip(x).map(|(to, x)| 2.0 * f64::from(*to) * x).collect::<Vec<_>>();
    values_of_nodes_visited(x: SEVEN) {
        let mut graph = DiGraph::<f64, ()>::new();
        let nodes: Vec<_> = x.iter().map(|x| graph.add_node(x * x)).collect();
        graph.extend_with_edges([(0, 1), (1, 2), (2, 5), (5, 6)]);
        let mut visit = petgraph::visit::Dfs::new(&graph, nodes[1]);
        let mut sum = 0.0;
        while let Some(node) = visit.next(&graph) {
            sum = sum * 0.5 + graph[node];
        }
        sum
    };
}
