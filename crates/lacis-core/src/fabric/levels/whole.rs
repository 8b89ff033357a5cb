//! Whole trees that look like something else: the levels of a plane in which every cable is that of a parallel-ports generalized fat
//! tree.
//!
//! Where switches of a middle level have a single child, a tree may be a ring or a chain with hosts on few of its switches, or its tops
//! are cabled just as its leaves are, as where three leaves are joined to each of three tops by a switch of their own. What tells
//! these apart is which switches have hosts; and as nothing is missing, that can be trusted.

use fixedbitset::FixedBitSet;

use super::assign::{HIGHEST, LevelGraph, NONE};

/// By switch, its level ([`NONE`] outside the plane), and how many leaves there are, where all switches with hosts are leaves of a
/// whole tree: cables join adjacent levels, the switches of a level are alike, those with one parent in common have all parents in
/// common and no leaf below, and each top leads to all leaves.
pub(super) fn levels(graph: &LevelGraph, plane: &[u32]) -> Option<(Vec<u8>, usize)> {
    let leaves: Vec<u32> = plane.iter().copied().filter(|&s| graph.hosts[s as usize] > 0).collect();
    let (level, order) = distances(graph, &leaves)?;
    let is_whole = leaves.len() >= 2
        && order.len() == plane.len()
        && are_alike(graph, &level, &order)
        && are_subtrees_apart(graph, &level, &order, leaves.len());
    is_whole.then_some((level, leaves.len()))
}

/// By switch, how far it is from the leaves, and the switches in that order.
fn distances(graph: &LevelGraph, leaves: &[u32]) -> Option<(Vec<u8>, Vec<u32>)> {
    let mut level = vec![NONE; graph.hosts.len()];
    for &leaf in leaves {
        level[leaf as usize] = 0;
    }
    let mut order = leaves.to_vec();
    let mut at = 0;
    while let Some(&s) = order.get(at) {
        at += 1;
        for &(t, _) in graph.next(s) {
            if level[t as usize] == NONE {
                level[t as usize] = level[s as usize] + 1;
                order.push(t);
            }
        }
        if level[s as usize] >= HIGHEST {
            return None;
        }
    }
    Some((level, order))
}

/// The neighbours of a switch a level above (or below) and the cables to each.
fn beside<'a>(
    graph: &'a LevelGraph,
    level: &'a [u8],
    s: u32,
    is_above: bool,
) -> impl Iterator<Item = (u32, u32)> + 'a {
    let own = level[s as usize];
    let is_wanted = move |l: u8| if is_above { l == own + 1 } else { l + 1 == own };
    graph.next(s).iter().copied().filter(move |&(t, _)| is_wanted(level[t as usize]))
}

/// Whether all switches of a level have equally many children and parents with equally many cables to each, no cable leads elsewhere,
/// and tops join two switches or more. `order`: by level.
fn are_alike(graph: &LevelGraph, level: &[u8], order: &[u32]) -> bool {
    let shape = |s: u32| {
        let of = |is_above| -> Vec<u32> { beside(graph, level, s, is_above).map(|(_, n)| n).collect() };
        [of(false), of(true)]
    };
    order.chunk_by(|&a, &b| level[a as usize] == level[b as usize]).all(|same| {
        let first = shape(same[0]);
        let [children, parents] = &first;
        let is_even = first.iter().all(|cables| cables.iter().all(|n| *n == cables[0]));
        let joins = !parents.is_empty() || children.len() >= 2;
        let whole = children.len() + parents.len();
        is_even && joins && same.iter().all(|&s| graph.next(s).len() == whole && shape(s) == first)
    })
}

/// Whether the children of each switch have the same parents and no leaf in common, and each top has all leaves below. `order`: by
/// level, the leaves first.
fn are_subtrees_apart(graph: &LevelGraph, level: &[u8], order: &[u32], leaves: usize) -> bool {
    let mut below = vec![FixedBitSet::new(); graph.hosts.len()];
    for (nth, &s) in order.iter().enumerate() {
        let mut own = FixedBitSet::with_capacity(leaves);
        if nth < leaves {
            own.insert(nth);
        }
        let mut parents: Option<Vec<(u32, u32)>> = None;
        for (child, _) in beside(graph, level, s, false) {
            let of_child: Vec<(u32, u32)> = beside(graph, level, child, true).collect();
            if !own.is_disjoint(&below[child as usize]) || parents.is_some_and(|parents| parents != of_child)
            {
                return false;
            }
            own.union_with(&below[child as usize]);
            parents = Some(of_child);
        }
        let is_top = beside(graph, level, s, true).next().is_none();
        if is_top && own.count_ones(..) < leaves {
            return false;
        }
        below[s as usize] = own;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::Levels;
    use super::*;
    use crate::fabric::planes;
    use crate::generate::{edit, generate};

    /// How many switches there are by level, from the leaves up.
    fn sizes(spec: &str, selectors: &[&str]) -> Option<Vec<usize>> {
        let fabric = edit(&generate(spec).unwrap(), selectors).unwrap();
        let levels = Levels::of(&fabric)?;
        Some((0..levels.count() as u8).map(|level| levels.at(level).count()).collect())
    }

    #[test]
    fn a_ring_or_chain_that_is_a_tree_by_its_hosts_has_levels() {
        // By the definition of these trees: m leaves, w for each, and so on.
        assert_eq!(sizes("pgft:3;2,1,2;1,2,1;1,1,1", &[]), Some(vec![2, 4, 2]));
        assert_eq!(sizes("pgft:4;4,1,1,2;1,2,1,1;1,3,1,1", &[]), Some(vec![2, 4, 4, 2]));
        assert_eq!(sizes("pgft:4;4,1,1,2;1,1,1,1;1,2,3,1", &[]), Some(vec![2, 2, 2, 1]));
        assert_eq!(sizes("ring:8", &[]), None);
    }

    #[test]
    fn tops_that_are_cabled_like_leaves_are_none() {
        assert_eq!(sizes("pgft:3;5,1,3;1,3,1;1,1,1", &[]), Some(vec![3, 9, 3]));
        assert_eq!(sizes("pgft:4;2,1,1,3;1,3,1,1;1,1,3,1", &[]), Some(vec![3, 9, 9, 3]));
    }

    #[test]
    fn nothing_but_a_whole_tree_is_one() {
        let is_whole = |spec: &str, selectors: &[&str]| {
            let fabric = edit(&generate(spec).unwrap(), selectors).unwrap();
            let of = planes(&fabric);
            let plane: Vec<u32> = fabric.switches().filter(|&s| of.of(s) == 0).map(|s| s.0).collect();
            levels(&LevelGraph::of(&fabric), &plane).is_some()
        };
        assert!(is_whole("fat-tree:8,3", &[]) && is_whole("pgft:3;2,3,2;1,2,3;1,2,1", &[]));
        // A missing cable, one too many, a host on a spine, and a leaf without hosts, which would be above the spines.
        assert!(!is_whole("fat-tree:8,2", &["leaf-01--spine-01"]));
        assert!(!is_whole("fat-tree:8,2:radix=12", &["+leaf-01--spine-01"]));
        assert!(!is_whole("fat-tree:8,2:radix=12", &["+host@spine-01"]));
        assert!(!is_whole("fat-tree:8,2", &["node0001", "node0002", "node0003", "node0004"]));
        assert!(!is_whole("torus:4x4", &[]) && !is_whole("ring:8", &[]) && !is_whole("random:20,4,2", &[]));
    }
}
