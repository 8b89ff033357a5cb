//! Escape paths: turns along a spanning tree that connect every sender with every edge switch.

use super::cdg::ChannelDependencies;
use super::component::{Component, NONE};

/// Uses the turns on the tree paths from all switches with end nodes to some edge switches. The parent of a
/// switch is its earliest neighbour in an order of the switches (`index`); where the order of the
/// dependencies is that order's up*/down*, the paths climb in it, so no turn is refused.
pub(super) fn lay(
    dependencies: &mut ChannelDependencies<'_>,
    component: &Component,
    index: &[u32],
    edge_switches: &[u32],
) {
    let mut by_index = vec![0; component.len()];
    for (switch, &p) in (0..).zip(index) {
        by_index[p as usize] = switch;
    }
    // By switch: its channel to the parent.
    let mut up = vec![NONE; component.len()];
    for &switch in &by_index[1..] {
        let earliest =
            component.channels.out_of(switch).min_by_key(|&c| index[component.channels.head[c] as usize]);
        up[switch as usize] = earliest.map_or(NONE, |c| c as u32);
    }
    // Senders and edge switches at or below each switch.
    let mut senders: Vec<u32> = component.sources.iter().map(|&s| u32::from(s > 0)).collect();
    let mut wanted = vec![0; component.len()];
    for &edge_switch in edge_switches {
        wanted[edge_switch as usize] += 1;
    }
    for &switch in by_index[1..].iter().rev() {
        let parent = component.channels.head[up[switch as usize] as usize] as usize;
        senders[parent] += senders[switch as usize];
        wanted[parent] += wanted[switch as usize];
    }
    let all_senders = senders[by_index[0] as usize];
    let all_wanted = wanted[by_index[0] as usize];

    // Tree channels out of a switch, with the senders and edge switches beyond.
    let mut on_tree: Vec<(u32, u32, u32)> = Vec::new();
    for switch in 0..component.len() as u32 {
        on_tree.clear();
        for channel in component.channels.out_of(switch) {
            let (far, back) = (component.channels.head[channel] as usize, component.channels.back[channel]);
            if up[switch as usize] == channel as u32 {
                let here = switch as usize;
                on_tree.push((channel as u32, all_senders - senders[here], all_wanted - wanted[here]));
            } else if up[far] == back {
                on_tree.push((channel as u32, senders[far], wanted[far]));
            }
        }
        for &(from, senders, _) in on_tree.iter().filter(|t| t.1 > 0) {
            debug_assert!(senders > 0);
            for &(to, ..) in on_tree.iter().filter(|t| t.2 > 0 && t.0 != from) {
                let laid = dependencies.use_turn(component.channels.back[from as usize], to);
                debug_assert!(laid);
            }
        }
    }
}
