use super::super::graph::Graph;
use super::{ANY, Parts, partition};
use crate::traffic::Rng;

/// Cliques of 8 whose members are far apart in number, with single edges from each to the next.
fn cliques(count: u32) -> Graph {
    let member = |clique: u32, i: u32| i * count + clique;
    let mut edges = Vec::new();
    for clique in 0..count {
        for i in 0..8 {
            (0..i).for_each(|j| edges.push((member(clique, i), member(clique, j), 10)));
        }
        edges.push((member(clique, 0), member((clique + 1) % count, 1), 1));
    }
    Graph::of(8 * count as usize, edges.into_iter())
}

#[test]
fn cliques_stay_whole() {
    for count in [2, 5, 16, 40] {
        let graph = cliques(count);
        let sizes = vec![8; count as usize];
        let part = partition(&graph, Parts { sizes: &sizes, bound: &vec![ANY; graph.len()] }, 1);
        assert_eq!(graph.cut(&part), u64::from(count), "{count}");
    }
}

#[test]
fn sizes_are_exact_and_bonds_kept() {
    let mut rng = Rng::of_pattern(7, 0);
    for case in 0..20 {
        let sizes: Vec<u64> = (0..3 + case % 5).map(|_| 1 + u64::from(rng.below(30))).collect();
        let n = sizes.iter().sum::<u64>() as u32;
        let edges: Vec<_> =
            (0..4 * n).map(|_| (rng.below(n), rng.below(n), u64::from(rng.below(100)))).collect();
        let graph = Graph::of(n as usize, edges.into_iter());
        let mut bound = vec![ANY; n as usize];
        for part in 0..sizes.len() as u32 {
            bound[part as usize * 2 % n as usize] = part;
        }
        // A bond beyond a part's size cannot be met: parts of one vertex get one.
        let part = partition(&graph, Parts { sizes: &sizes, bound: &bound }, 1);
        for (p, &size) in (0..).zip(&sizes) {
            assert_eq!(part.iter().filter(|&&q| q == p).count() as u64, size, "case {case}");
        }
        assert!(part.iter().zip(&bound).all(|(p, b)| *b == ANY || p == b));
        assert_eq!(part, partition(&graph, Parts { sizes: &sizes, bound: &bound }, 1));
    }
}
