//! Escape paths: turns along a spanning tree that connect every sender with every home.

use super::cdg::Dependencies;
use super::part::{NONE, Part};

/// Uses the turns on the tree paths from all switches with end nodes to some homes. The parent of a
/// switch is its earliest neighbour in an order of the switches (`place`); where the order of the
/// dependencies is that order's up*/down*, the paths climb in it, so no turn is refused.
pub(super) fn lay(dependencies: &mut Dependencies<'_>, part: &Part, place: &[u32], homes: &[u32]) {
    let mut by_place = vec![0; part.len()];
    for (switch, &p) in (0..).zip(place) {
        by_place[p as usize] = switch;
    }
    // By switch: its channel to the parent.
    let mut up = vec![NONE; part.len()];
    for &switch in &by_place[1..] {
        let earliest = part.out(switch).min_by_key(|&c| place[part.head[c] as usize]);
        up[switch as usize] = earliest.map_or(NONE, |c| c as u32);
    }
    // Senders and homes at or below each switch.
    let mut senders: Vec<u32> = part.sources.iter().map(|&s| u32::from(s > 0)).collect();
    let mut wanted = vec![0; part.len()];
    for &home in homes {
        wanted[home as usize] += 1;
    }
    for &switch in by_place[1..].iter().rev() {
        let parent = part.head[up[switch as usize] as usize] as usize;
        senders[parent] += senders[switch as usize];
        wanted[parent] += wanted[switch as usize];
    }
    let all_senders = senders[by_place[0] as usize];
    let all_wanted = wanted[by_place[0] as usize];

    // Tree channels out of a switch, with what lies on their far side.
    let mut on_tree: Vec<(u32, u32, u32)> = Vec::new();
    for switch in 0..part.len() as u32 {
        on_tree.clear();
        for channel in part.out(switch) {
            let (far, back) = (part.head[channel] as usize, part.back[channel]);
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
                let laid = dependencies.use_turn(part.back[from as usize], to);
                debug_assert!(laid);
            }
        }
    }
}
