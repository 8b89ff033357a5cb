//! What the fullest link between switches carries at least when every chosen end port sends to every
//! other, whatever the tables, if they lose no pair.
//!
//! | here      | meaning                                                                        |
//! |-----------|--------------------------------------------------------------------------------|
//! | `S`       | a set of switches of one connected component                                        |
//! | `h`, `r`  | end ports inside that send, LIDs inside that are sent to; `H`, `R` outside     |
//! | `k`       | cables between inside and outside                                              |
//!
//! * `h R` flows leave over `k` links: one of them carries `⌈h R / k⌉`. The flows that enter give such a
//!   bound, too.
//! * Where all `k` cables hang off one switch of `S`, its table has one entry for each of the `R`
//!   destinations, so that what `S` sends to it leaves over one link: some link serves `⌈R / k⌉`
//!   destinations and carries `h ⌈R / k⌉`. Likewise for what enters from one switch.
//! * A path has at least as many links as its ends are hops apart, so that the mean over all links is
//!   at least the sum of these over the number of links (`lengths`).
//!
//! Every set of switches gives a bound. Single switches are tried, and sets grown from them step by step
//! (`grow`); tests against all sets of small fabrics and against linear programming show that hardly any
//! better set is missed. This is the largest bound found, not always the largest that there is.

use crate::fabric::{Fabric, NodeId, PortId};

use super::border::{Cut, bound};
use super::{CutGraph, grow, lengths, nodes};

/// What some link must carry, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forced {
    /// Flows on the fullest link at least; 0 where no two end ports are on different switches.
    pub flows: u64,
    /// What forces so many flows onto one link.
    pub why: Why,
}

/// What forces a link to carry so much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nothing: no flow crosses a link.
    Nothing,
    /// Few cables around some switches.
    Cut {
        /// The switches on the side with fewer end ports.
        inside: Vec<NodeId>,
        /// The switches inside with a cable out.
        border: Vec<NodeId>,
        /// End ports inside.
        hosts: u64,
        /// Cables out.
        cables: u64,
        /// Other single switches that force as much; 0 where the cut is no single switch.
        alike: usize,
    },
    /// The lengths of shortest paths alone.
    Lengths {
        /// Links that all flows use together at least.
        hops: u64,
        /// Links that there are, each direction counted.
        links: u64,
    },
}

/// What the fullest link between switches must carry under all-to-all traffic of the given end ports,
/// which are sent to on so many LIDs each.
pub fn forced(fabric: &Fabric, ports: &[PortId], lids: impl Fn(PortId) -> u64) -> Forced {
    let net = CutGraph::of(fabric, ports, lids);
    let cut = best_cut(&net);
    let lengths = lengths::longest(&net);
    let by_cut = cut.as_ref().map_or(0, |&(_, flows)| flows);
    if let Some((flows, hops, links)) = lengths.filter(|&(flows, ..)| flows > by_cut) {
        return Forced { flows, why: Why::Lengths { hops, links } };
    }
    match cut {
        Some((inside, flows)) => Forced { flows, why: explained(&net, inside, flows) },
        None => Forced { flows: 0, why: Why::Nothing },
    }
}

/// The same as far as the cables of single switches force it: at most what [`forced`] finds, in much less time.
pub fn forced_by_switches(fabric: &Fabric, ports: &[PortId], lids: impl Fn(PortId) -> u64) -> u64 {
    let net = CutGraph::of(fabric, ports, lids);
    (0..net.num_switches() as u32).map(|s| bound(&net, &[s])).max().unwrap_or(0)
}

/// The set of switches that forces most, and how much; of equals the smallest, then the first.
fn best_cut(net: &CutGraph) -> Option<(Vec<u32>, u64)> {
    let singles = (0..net.num_switches() as u32).map(|s| vec![s]);
    let sets = singles.chain(grow::sets(net)).filter_map(|set| {
        let flows = bound(net, &set);
        (flows > 0).then_some((set, flows))
    });
    sets.min_by(|(a, x), (b, y)| y.cmp(x).then(a.len().cmp(&b.len())).then_with(|| a.cmp(b)))
}

/// The cut, described from its side with fewer end ports.
fn explained(net: &CutGraph, set: Vec<u32>, flows: u64) -> Why {
    let alike = if set.len() == 1 {
        let others = (0..net.num_switches() as u32).filter(|&s| s != set[0]);
        others.filter(|&s| bound(net, &[s]) == flows).count()
    } else {
        0
    };
    let mut inside = set;
    let mut cut = Cut::of(net, &inside);
    if cut.outside.senders < cut.inside.senders {
        let component = net.component[inside[0] as usize];
        let all = 0..net.num_switches() as u32;
        inside = all.filter(|s| net.component[*s as usize] == component && !inside.contains(s)).collect();
        cut = Cut::of(net, &inside);
    }
    inside.sort_unstable();
    Why::Cut {
        border: nodes(&cut.inner_border),
        inside: nodes(&inside),
        hosts: cut.inside.senders,
        cables: cut.cables,
        alike,
    }
}
