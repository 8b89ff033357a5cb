//! Orders of switches for up*/down*: dense ones, so that few turns go from down to up.
//!
//! On a switch with *u* links up, up*/down* forbids *u*(*u* − 1)/2 of its turns. The sum over all
//! switches is least where *u* is the same for all. A search in breadth, the usual choice, gives
//! inner switches one link up and the last ones all that they have; and all traffic passes its
//! root. Taking next the switch with most links to those already taken spreads both.
//!
//! R. E. Tarjan, M. Yannakakis, "Simple Linear-Time Algorithms to Test Chordality of Graphs …",
//! SIAM J. Comput. 13(3), 1984 (maximum cardinality search). H. C. von Warnsdorff, "Des
//! Rösselsprunges einfachste und allgemeinste Lösung", 1823 (next, where there are fewest paths on).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::component::{Component, NONE};

/// How the next switch is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// Nearest to the first.
    Breadth,
    /// Most links to those taken; of these the first found.
    DenseFirst,
    /// The same; the last found.
    DenseLast,
    /// Onward from the last one, to where the fewest paths lead on.
    Walk,
}

/// By switch, its index in an order that begins with `start`. Each other has a neighbour before it.
pub(super) fn order(component: &Component, start: u32, growth: Growth) -> Vec<u32> {
    match growth {
        Growth::Breadth => breadth(component, start),
        Growth::DenseFirst => dense(component, start, Reverse),
        Growth::DenseLast => dense(component, start, |round| round),
        Growth::Walk => walk(component, start),
    }
}

fn breadth(component: &Component, start: u32) -> Vec<u32> {
    let (mut order, mut distance) = (Vec::new(), Vec::new());
    component.search(start, &mut order, &mut distance);
    let mut index = vec![NONE; component.len()];
    for (number, &switch) in (0..).zip(&order) {
        index[switch as usize] = number;
    }
    index
}

/// Among switches with equally many links to those taken, the greatest `tie` of the round in which
/// they were found (first or last, as `tie` orders them) is next, then the lowest number.
fn dense<T: Ord>(component: &Component, start: u32, tie: impl Fn(u32) -> T) -> Vec<u32> {
    let mut index = vec![NONE; component.len()];
    let mut links = vec![0_u32; component.len()];
    let mut met = vec![NONE; component.len()];
    let mut heap = BinaryHeap::from([(0, tie(0), Reverse(start))]);
    let mut round = 0;
    while let Some((count, _, Reverse(switch))) = heap.pop() {
        if index[switch as usize] != NONE || count != links[switch as usize] {
            continue;
        }
        index[switch as usize] = round;
        round += 1;
        for channel in component.channels.out_of(switch) {
            let far = component.channels.head[channel];
            if index[far as usize] != NONE {
                continue;
            }
            links[far as usize] += 1;
            let known = met[far as usize];
            if known == NONE || tie(round) > tie(known) {
                met[far as usize] = round;
            }
            heap.push((links[far as usize], tie(met[far as usize]), Reverse(far)));
        }
    }
    index
}

fn walk(component: &Component, start: u32) -> Vec<u32> {
    let mut index = vec![NONE; component.len()];
    let mut stack = vec![start];
    let mut round = 0;
    let mut next = Vec::new();
    while let Some(switch) = stack.pop() {
        if index[switch as usize] != NONE {
            continue;
        }
        index[switch as usize] = round;
        round += 1;
        let onward = |s: u32| {
            component
                .channels
                .out_of(s)
                .filter(|&c| index[component.channels.head[c] as usize] == NONE)
                .count()
        };
        next.clear();
        next.extend(
            component
                .channels
                .out_of(switch)
                .map(|c| component.channels.head[c])
                .filter(|&s| index[s as usize] == NONE),
        );
        // The best comes last, on top; of equals that is the lowest port.
        next.reverse();
        next.sort_by_key(|&s| Reverse(onward(s)));
        stack.append(&mut next);
    }
    index
}
