//! LIDs counted by port and by switch, and the choice among ports of least cost that they decide.
//!
//! | here          | in opa-fm                                                       |
//! |---------------|-----------------------------------------------------------------|
//! | `by_port`     | `lidsRouted` of a port                                          |
//! | `by_switch`   | `numLidsRouted` of the switch that a port leads to              |
//! | `bases`       | the same for base LIDs, with an LMC                             |
//! | `is_spine`    | `_spine_first_test`: inside a chassis, or up the tree           |

use std::cmp::Ordering;

use super::costs::Costs;
use crate::fabric::{Fabric, Guid, NodeId};

/// The counters, and all that a choice depends on.
pub(super) struct Counters {
    pub costs: Costs,
    guid: Vec<Guid>,
    /// By switch: its chassis.
    pub system: Vec<Guid>,
    /// By switch: whether a cable leads to another chip of its chassis.
    has_internal: Vec<bool>,
    /// By link: whether it leads up a tree, where the engine knows of one.
    pub uplink: Vec<bool>,
    /// Whether spines come first on every switch, on those with cables inside the chassis, or nowhere.
    pub spine_first: SpineFirst,
    by_port: Vec<u32>,
    by_switch: Vec<u32>,
    base_by_port: Vec<u32>,
    base_by_switch: Vec<u32>,
}

/// Where ports inside a chassis, or up the tree, are preferred (`SpineFirstRouting`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SpineFirst {
    Everywhere,
    InsideChassis,
    Nowhere,
}

impl Counters {
    pub fn new(fabric: &Fabric, spine_first: SpineFirst) -> Self {
        let costs = Costs::of(fabric);
        // Where a source names no chassis, each switch is one.
        let system = |switch: NodeId| {
            let node = fabric.node(switch);
            if node.system_guid.is_some() { node.system_guid } else { node.guid }
        };
        let system: Vec<Guid> = fabric.switches().map(system).collect();
        let (switches, links) = (costs.graph.num_switches(), costs.graph.num_links());
        let has_internal = (0..switches).map(|s| {
            let far = costs.graph.links(s).map(|link| costs.graph.peer[link] as usize);
            far.into_iter().any(|far| far != s && system[far] == system[s])
        });
        let has_internal = has_internal.collect();
        Self {
            guid: fabric.switches().map(|s| fabric.node(s).guid).collect(),
            system,
            has_internal,
            uplink: vec![false; links],
            spine_first,
            by_port: vec![0; links],
            by_switch: vec![0; switches],
            base_by_port: vec![0; links],
            base_by_switch: vec![0; switches],
            costs,
        }
    }

    fn far(&self, link: usize) -> usize {
        self.costs.graph.peer[link] as usize
    }

    fn is_spine(&self, from: usize, link: usize) -> bool {
        self.uplink[link] || self.system[self.far(link)] == self.system[from]
    }

    /// The links of least cost from a switch to another, by port: the fastest of them; with spines first those
    /// to spines alone, where there are any.
    pub fn candidates(&self, from: usize, to: usize, out: &mut Vec<usize>) {
        out.clear();
        let spines = match self.spine_first {
            SpineFirst::Everywhere => true,
            SpineFirst::InsideChassis => self.has_internal[from],
            SpineFirst::Nowhere => false,
        };
        let (mut fastest, mut found_spine) = (0, false);
        for link in self.costs.first_links(from, to) {
            if spines {
                let is_spine = self.is_spine(from, link);
                if found_spine && !is_spine {
                    continue;
                }
                if is_spine && !found_spine {
                    found_spine = true;
                    out.clear();
                    fastest = 0;
                }
            }
            let speed = self.costs.speed[link];
            if speed > fastest {
                fastest = speed;
                out.clear();
            }
            if speed == fastest {
                out.push(link);
            }
        }
    }

    fn load(&self, link: usize) -> (u32, u32) {
        (self.by_port[link], self.by_switch[self.far(link)])
    }

    /// The candidate with the fewest LIDs, then to the switch with the fewest, then the first.
    pub fn best(&self, candidates: &[usize]) -> Option<usize> {
        candidates.iter().copied().min_by_key(|&link| self.load(link))
    }

    /// Counts a LID on a link and the switch that it leads to.
    pub fn count(&mut self, link: usize) {
        self.by_port[link] += 1;
        let far = self.far(link);
        self.by_switch[far] += 1;
    }

    /// Lays the LIDs of one port over the candidates, in the order in which `paths` comes back: the best 2^LMC of
    /// them, alternating between the switches that they lead to, from the one with the fewest base LIDs on.
    pub fn spread(&mut self, from: usize, paths: &mut Vec<usize>, lids: usize, counts: bool) {
        self.order(from, paths);
        paths.truncate(lids);
        let base = |&i: &usize| (self.base_by_port[paths[i]], self.base_by_switch[self.far(paths[i])]);
        let Some(offset) = (0..paths.len()).min_by_key(base) else { return };
        let first = paths[offset];
        paths.rotate_left(offset);
        for i in 0..lids {
            if counts {
                self.count(paths[i % paths.len()]);
            }
        }
        self.base_by_port[first] += 1;
        let far = self.far(first);
        self.base_by_switch[far] += 1;
    }

    /// The order in which several LIDs of a port take the candidates.
    fn order(&self, from: usize, links: &mut [usize]) {
        let by_load = |&a: &usize, &b: &usize| self.load(a).cmp(&self.load(b));
        if self.has_internal[from] {
            links.sort_by(by_load);
            return;
        }
        let guid = |link: usize| self.guid[self.far(link)];
        links.sort_by(|a, b| guid(*a).cmp(&guid(*b)).then(by_load(a, b)));
        cycle(links, guid);
        let rank =
            |a: &usize, b: &usize| -> Ordering { by_load(a, b).then(guid(*a).cmp(&guid(*b))).then(a.cmp(b)) };
        let mut start = 0;
        for i in 0..links.len() {
            if i + 1 == links.len() || guid(links[i]) > guid(links[i + 1]) {
                links[start..=i].sort_by(rank);
                start = i + 1;
            }
        }
    }
}

/// Deals links that are sorted by switch in turn: `1 1 2 2 2 3` becomes `1 2 3 1 2 2`.
fn cycle(links: &mut [usize], guid: impl Fn(usize) -> Guid) {
    if links.len() <= 2 {
        return;
    }
    let mut rest: Vec<&[usize]> = links.chunk_by(|&a, &b| guid(a) == guid(b)).collect();
    let mut dealt = Vec::with_capacity(links.len());
    while dealt.len() < links.len() {
        for group in &mut rest {
            if let Some((first, others)) = group.split_first() {
                dealt.push(*first);
                *group = others;
            }
        }
    }
    links.copy_from_slice(&dealt);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_dealt_switch_by_switch() {
        let of = [1, 1, 2, 2, 2, 3, 3, 3].map(Guid);
        let mut links: Vec<usize> = (0..8).collect();
        cycle(&mut links, |link| of[link]);
        assert_eq!(links, [0, 2, 5, 1, 3, 6, 4, 7]);
    }
}
