//! A set of switches and the cables that leave it, and what these cables must carry.

use super::{CutGraph, Ends};

/// What the cables around a set of switches of one component force one of them to carry.
pub(super) fn bound(net: &CutGraph, set: &[u32]) -> u64 {
    let cut = Cut::of(net, set);
    if cut.cables == 0 {
        return 0;
    }
    let Cut { cables, inside, outside, .. } = cut;
    let out = in_one_direction(inside.senders, outside.receivers, cables, cut.inner_border.len() == 1);
    let back = in_one_direction(outside.senders, inside.receivers, cables, cut.outer_border == 1);
    out.max(back)
}

/// Flows on the fullest of some links, all of one direction.
fn in_one_direction(senders: u64, receivers: u64, cables: u64, from_one_switch: bool) -> u64 {
    if from_one_switch {
        senders * receivers.div_ceil(cables)
    } else {
        (senders * receivers).div_ceil(cables)
    }
}

/// A set of switches of one component, and what is outside it.
pub(super) struct Cut {
    /// End ports on switches of the set.
    pub inside: Ends,
    /// End ports on the other switches of the component.
    pub outside: Ends,
    /// Cables between the two.
    pub cables: u64,
    /// The switches of the set with a cable out.
    pub inner_border: Vec<u32>,
    /// How many switches outside have a cable in.
    outer_border: usize,
}

impl Cut {
    pub fn of(net: &CutGraph, set: &[u32]) -> Self {
        let mut members: Vec<u32> = set.to_vec();
        members.sort_unstable();
        let is_in = |s: u32| members.binary_search(&s).is_ok();
        let (mut inside, mut cables) = (Ends::default(), 0);
        let (mut inner_border, mut outer) = (Vec::new(), Vec::new());
        for &s in &members {
            inside += net.ends(s);
            let before = cables;
            for (far, n) in net.bundles(s).filter(|&(far, _)| !is_in(far)) {
                cables += n;
                outer.push(far);
            }
            if cables > before {
                inner_border.push(s);
            }
        }
        outer.sort_unstable();
        outer.dedup();
        let outside = members.first().map_or(Ends::default(), |&s| net.whole_of(s)) - inside;
        Self { inside, outside, cables, inner_border, outer_border: outer.len() }
    }
}
