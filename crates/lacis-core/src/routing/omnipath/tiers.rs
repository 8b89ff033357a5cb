//! The tiers of a fat tree as Omni-Path's manager sees them: switches with hosts are the lowest, their neighbours
//! the next, and so on; within a tier they are ordered by name, `edge2` before `edge10`.

use super::balance::Counters;
use super::is_edge;
use crate::fabric::{Fabric, NodeId};
use crate::routing::Sweep;

/// The tiers, and what leads up.
pub(super) struct Tiers {
    /// Switches by tier, each tier in the manager's order.
    pub lists: Vec<Vec<NodeId>>,
    /// By switch: its index in its tier; none beyond the tiers.
    pub index: Vec<Option<u32>>,
    /// By switch: how many cables its thickest bundle upwards has.
    pub trunk: Vec<u32>,
}

impl Tiers {
    /// Finds up to `most` tiers, and marks the links of `balance` that lead up. `switches` are those of the
    /// fabric in the order of discovery.
    pub fn discover(sweep: &Sweep<'_>, switches: &[NodeId], most: usize, balance: &mut Counters) -> Self {
        let fabric = sweep.fabric;
        let mut tier: Vec<Option<usize>> = vec![None; fabric.num_switches()];
        let mut lists = vec![Vec::new(); most];
        let mut trunk = vec![0; fabric.num_switches()];
        for &switch in switches.iter().filter(|&&switch| is_edge(sweep, switch)) {
            enqueue(fabric, &mut lists[0], switch);
            tier[switch.ix()] = Some(0);
        }
        let mut parallel = vec![0; fabric.num_switches()];
        for t in 1..most {
            for &switch in &lists[t - 1].clone() {
                let graph = &balance.costs.graph;
                for link in graph.links(switch.ix()) {
                    let far = graph.peer[link] as usize;
                    if tier[far].is_none_or(|higher| higher >= t) {
                        balance.uplink[link] = true;
                        parallel[far] += 1;
                        trunk[switch.ix()] = trunk[switch.ix()].max(parallel[far]);
                    }
                    if tier[far].is_none() {
                        enqueue(fabric, &mut lists[t], NodeId(far as u32));
                        tier[far] = Some(t);
                    }
                }
                graph.links(switch.ix()).for_each(|link| parallel[graph.peer[link] as usize] = 0);
            }
            if switches.iter().all(|switch| tier[switch.ix()].is_some()) {
                break;
            }
        }
        let mut index = vec![None; fabric.num_switches()];
        for switches in &lists {
            for (i, switch) in switches.iter().enumerate() {
                index[switch.ix()] = Some(i as u32);
            }
        }
        Self { lists, index, trunk }
    }
}

/// Puts a switch into a tier by its description: by the text before its first digit, then by the number there.
fn enqueue(fabric: &Fabric, tier: &mut Vec<NodeId>, switch: NodeId) {
    let name = |s: NodeId| fabric.node(s).description.as_bytes();
    let own = name(switch);
    let prefix = own.iter().position(u8::is_ascii_digit).filter(|&at| at > 0);
    let at = match prefix {
        None => first_not(tier, |&other| name(other) < own),
        Some(length) => {
            let cut = |s: NodeId| &name(s)[..length.min(name(s).len())];
            let first = first_not(tier, |&other| cut(other) < cut(switch));
            let number = leading_number(&own[length..]).unwrap_or(0);
            first
                + first_not(&tier[first..], |&other| {
                    let others = (cut(other) == cut(switch)).then(|| leading_number(&name(other)[length..]));
                    others.flatten().is_some_and(|theirs| number >= theirs)
                })
        }
    };
    tier.insert(at, switch);
}

/// The index of the first that is not before: the manager walks its lists from the front.
fn first_not(tier: &[NodeId], is_before: impl Fn(&NodeId) -> bool) -> usize {
    tier.iter().position(|switch| !is_before(switch)).unwrap_or(tier.len())
}

/// The number that a text begins with, as C's `strtoul` reads it into an `int`.
fn leading_number(text: &[u8]) -> Option<i32> {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let length = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    if length == 0 {
        return None;
    }
    let step = |value: u64, &digit: &u8| value.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    let value = digits[..length].iter().fold(0, step);
    Some(if negative { value.wrapping_neg() as i32 } else { value as i32 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;

    #[test]
    fn tiers_go_by_prefix_then_number() {
        let names = ["edge10", "edge2", "edge1", "core", "edge2b", "aa", "edge"];
        let fabric = generate("fat-tree:4,3").unwrap();
        let ids: Vec<_> = fabric.switches().map(|s| fabric.node(s).id.clone()).collect();
        let named = |node: &crate::fabric::Node| {
            ids.iter().position(|id| *id == node.id).and_then(|i| names.get(i)).map(|&name| name.into())
        };
        let fabric = fabric.renamed(named);
        let mut tier = Vec::new();
        for switch in fabric.switches().take(names.len()) {
            enqueue(&fabric, &mut tier, switch);
        }
        let order: Vec<&str> = tier.iter().map(|&s| &*fabric.node(s).description).collect();
        // By hand: "edge" has no digit and goes before the first name that is not less, "edge1"; "edge2b" is a
        // 2 like "edge2" and follows it.
        assert_eq!(order, ["aa", "core", "edge", "edge1", "edge2", "edge2b", "edge10"]);
        assert_eq!(leading_number(b" +12x"), Some(12));
        assert_eq!(leading_number(b"x"), None);
    }
}
