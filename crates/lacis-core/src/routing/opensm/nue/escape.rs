//! Escape paths: a spanning tree, whose turns are used edges of D from the start.

use super::cdg::Cdg;
use super::network::{INFINITY, NONE, SwitchNetwork};
use crate::routing::common::heap::Heap;

/// The tree of least distances from a root: by switch, the channel that leads to it.
pub(super) fn spanning_tree(network: &SwitchNetwork, root: u32) -> Vec<u32> {
    let mut distance = vec![INFINITY; network.len()];
    let mut tree = vec![NONE; network.len()];
    let mut heap = Heap::new(network.len());
    for switch in 0..network.len() as u32 {
        heap.insert(INFINITY, switch);
    }
    distance[root as usize] = 0;
    heap.lower(0, root);
    while let Some((_, switch)) = heap.pop() {
        for channel in network.channels(switch) {
            let far = network.to[channel as usize];
            let new = distance[switch as usize] + network.weight[channel as usize];
            if new < distance[far as usize] {
                distance[far as usize] = new;
                tree[far as usize] = channel;
                heap.lower(new, far);
            }
        }
    }
    tree
}

/// The same tree with another switch as its root.
pub(super) fn rerooted(network: &SwitchNetwork, tree: &[u32], root: u32) -> Vec<u32> {
    let mut turned = tree.to_vec();
    let mut channel = std::mem::replace(&mut turned[root as usize], NONE);
    while channel != NONE {
        let at = network.from[channel as usize];
        let back = network.back[channel as usize];
        channel = std::mem::replace(&mut turned[at as usize], back);
    }
    turned
}

/// Marks the escape paths in D: down the tree to all switches, and up it from those with destinations.
pub(super) fn mark(network: &SwitchNetwork, cdg: &mut Cdg, tree: &[u32], centre: u32, has_targets: &[bool]) {
    let back = |channel: u32| network.back[channel as usize];
    for switch in 0..network.len() {
        let mut channel = tree[switch];
        while channel != NONE {
            cdg.mark_node(channel);
            let upper = network.from[channel as usize];
            let before = tree[upper as usize];
            if before == NONE {
                break;
            }
            cdg.mark_node(before);
            cdg.mark_edge(network, before, channel);
            if has_targets[switch] {
                cdg.mark_node(back(channel));
                cdg.mark_node(back(before));
                cdg.mark_edge(network, back(channel), back(before));
                for &far in network.neighbours(upper) {
                    let other = tree[far as usize];
                    if other != NONE
                        && network.from[other as usize] == upper
                        && network.to[other as usize] != network.to[channel as usize]
                    {
                        cdg.mark_edge(network, back(channel), other);
                    }
                }
            }
            channel = before;
        }
    }
    let from_centre: Vec<u32> =
        tree.iter().copied().filter(|&c| c != NONE && network.from[c as usize] == centre).collect();
    for &channel in &from_centre {
        for &other in from_centre.iter().filter(|&&other| other != channel) {
            cdg.mark_node(channel);
            cdg.mark_node(back(other));
            cdg.mark_edge(network, back(other), channel);
        }
    }
}
