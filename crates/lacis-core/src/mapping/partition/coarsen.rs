//! Matching along heavy edges, so that a graph becomes half as large.
//!
//! G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM J. Sci. Comput. 20(1), 1998.
//! Where hubs leave many vertices without a free neighbour, vertices of the same hub are matched with each other.

use super::side::Side;
use crate::mapping::graph::Graph;
use crate::traffic::Rng;

const FREE: u32 = u32::MAX;

/// The vertices of the smaller graph by vertex, and how many there are. Vertices that are bound to different sides stay apart.
pub(super) fn matched(graph: &Graph, bound: &[Option<Side>], most: u32, rng: &mut Rng) -> (Vec<u32>, usize) {
    let n = graph.len();
    let mut order: Vec<u32> = (0..n as u32).collect();
    rng.shuffle(&mut order);
    // Vertices with few neighbours first: they have the least choice.
    order.sort_by_key(|&v| graph.neighbours(v).len().min(16));
    let mut mate = vec![FREE; n];
    let may = |a: u32, b: u32, mate: &[u32]| {
        mate[b as usize] == FREE
            && bound[a as usize] == bound[b as usize]
            && graph.weight[a as usize] + graph.weight[b as usize] <= most
    };
    for &v in &order {
        if mate[v as usize] != FREE {
            continue;
        }
        let free = graph.neighbours(v).iter().filter(|e| may(v, e.0, &mate));
        // Of equally heavy edges the one to the lighter vertex: sizes stay alike.
        let heaviest =
            free.max_by_key(|&&(u, bytes)| (bytes, std::cmp::Reverse((graph.weight[u as usize], u))));
        if let Some(&(u, _)) = heaviest {
            (mate[v as usize], mate[u as usize]) = (u, v);
        }
    }
    let mut waiting = vec![FREE; n];
    for &v in &order {
        if mate[v as usize] != FREE {
            continue;
        }
        let Some(&(hub, _)) = graph.neighbours(v).iter().max_by_key(|e| (e.1, std::cmp::Reverse(e.0))) else {
            continue;
        };
        let other = waiting[hub as usize];
        if other != FREE && other != v && may(v, other, &mate) {
            (mate[v as usize], mate[other as usize]) = (other, v);
            waiting[hub as usize] = FREE;
        } else {
            waiting[hub as usize] = v;
        }
    }
    let mut set = vec![FREE; n];
    let mut sets = 0;
    for v in 0..n {
        if set[v] == FREE {
            set[v] = sets;
            if mate[v] != FREE {
                set[mate[v] as usize] = sets;
            }
            sets += 1;
        }
    }
    (set, sets as usize)
}
