//! The hop matrices of `dnup` by OpenSM 3.3.23's rules, to the letter.

use std::collections::BTreeMap;

use lacis_core::fabric::{Fabric, Guid, NodeId};
use lacis_core::routing::{Options, route};
use lacis_core::sm::{Engine, NO_ENTRY, Routes};

use crate::fabrics::{FIRST_ADAPTER, cabled, lids};
use crate::literal::Matrices;
use crate::reference::{Reference, compare};

/// What a switch was entered by.
#[derive(Clone, Copy, PartialEq)]
enum Label {
    Up,
    Down,
    Equal,
}

impl Reference<'_> {
    /// `None` where no switch has an end node.
    pub fn dnup_matrices(&self) -> Option<Matrices> {
        let n = self.fabric.num_switches();
        let leaves: Vec<NodeId> = self.fabric.switches().filter(|&s| !self.end_ports(s).is_empty()).collect();
        if leaves.is_empty() {
            return None;
        }
        let rank = self.distances(&leaves);
        let mut hops = self.empty();
        let largest: Vec<u32> =
            self.fabric.switches().map(|target| self.dnup_walk(&rank, target, None, &mut hops)).collect();
        if !self.options.connect_roots {
            return Some(hops);
        }
        // One penalty for each component of the fabric: the largest value stored in its matrices, and one.
        let penalty: Vec<u32> = self
            .fabric
            .switches()
            .map(|s| {
                let reach = self.distances(&[s]);
                let part = (0..n).filter(|&other| reach[other] != u32::MAX);
                part.map(|other| largest[other]).max().unwrap_or(0) + 1
            })
            .collect();
        let mut hops = self.empty();
        for target in self.fabric.switches() {
            self.dnup_walk(&rank, target, Some(penalty[target.ix()]), &mut hops);
        }
        Some(hops)
    }

    fn distances(&self, from: &[NodeId]) -> Vec<u32> {
        let mut distance = vec![u32::MAX; self.fabric.num_switches()];
        let mut queue: Vec<NodeId> = from.to_vec();
        for s in &queue {
            distance[s.ix()] = 0;
        }
        while !queue.is_empty() {
            let s = queue.remove(0);
            for p in 1..=self.fabric.radix(s) {
                if let Some((r, _)) = self.far(s, p)
                    && distance[r.ix()] == u32::MAX
                {
                    distance[r.ix()] = distance[s.ix()] + 1;
                    queue.push(r);
                }
            }
        }
        distance
    }

    /// The largest value that it stored, even if a smaller one replaced it.
    fn dnup_walk(&self, rank: &[u32], target: NodeId, penalty: Option<u32>, hops: &mut Matrices) -> u32 {
        let mut largest = 0;
        let (n, t) = (self.fabric.num_switches(), target.ix());
        hops[t][t][0] = 0;
        let mut label = vec![Label::Down; n];
        let mut flagged = vec![false; n];
        let mut queue = vec![target];
        while !queue.is_empty() {
            let u = queue.remove(0);
            flagged[u.ix()] = false;
            let cur = label[u.ix()];
            for p in 1..=self.fabric.radix(u) {
                let Some((v, q)) = self.far(u, p) else { continue };
                let next = match rank[u.ix()].cmp(&rank[v.ix()]) {
                    std::cmp::Ordering::Less => Label::Down,
                    std::cmp::Ordering::Equal => Label::Equal,
                    std::cmp::Ordering::Greater => Label::Up,
                };
                let mut m = u32::from(hops[u.ix()][t][0]);
                let row = &mut hops[v.ix()][t];
                let before = u32::from(row[usize::from(q)]);
                if cur == Label::Up && next == Label::Down {
                    let Some(penalty) = penalty else { continue };
                    m = (m + penalty) % 256;
                    if m >= 64 {
                        row[usize::from(q)] = 255;
                    }
                }
                if m + 1 < before {
                    row[usize::from(q)] = (m + 1) as u8;
                    row[0] = row[0].min((m + 1) as u8);
                    largest = largest.max(m + 1);
                    if !flagged[v.ix()] {
                        label[v.ix()] = next;
                        flagged[v.ix()] = true;
                        queue.push(v);
                    }
                }
            }
        }
        largest
    }
}

/// Switches by GUID, cabled at each end's next free port; those in `leaves` have an adapter at the next one.
fn tree(cables: &[(u64, u64)], leaves: &[u64]) -> Fabric {
    let mut used: BTreeMap<u64, u32> = BTreeMap::new();
    let mut next = |guid| {
        let port = used.entry(guid).or_default();
        *port += 1;
        (guid, *port)
    };
    let hosts = leaves.iter().map(|leaf| (*leaf, FIRST_ADAPTER + leaf));
    let all: Vec<_> = cables.iter().copied().chain(hosts).map(|(a, b)| (next(a), next(b))).collect();
    cabled(&all)
}

fn routed(fabric: &Fabric, connect_roots: bool) -> Routes {
    let options = Options { connect_roots, ..Options::default() };
    compare(fabric, &options);
    let routes = route(fabric, lids(fabric), &[Engine::DnUp], &options).unwrap();
    assert_eq!(routes.engine_used, Engine::DnUp);
    routes
}

/// The port by which one switch sends to another.
fn port(fabric: &Fabric, routes: &Routes, from: u64, to: u64) -> u8 {
    let [from, to] = [from, to].map(|guid| fabric.nodes().find(|(_, n)| n.guid == Guid(guid)).unwrap().0);
    routes.lft.get(from, routes.lids.of_switch(fabric, to))
}

#[test]
fn dnup_does_not_climb_from_a_leaf_unless_roots_are_connected() {
    // Leaves 1, 2 and 3; spine 4 over 1 and 2, spine 5 over 2 and 3. From 1 to 3 every path comes down
    // to 2 and then climbs.
    let f = tree(&[(1, 4), (2, 4), (2, 5), (3, 5)], &[1, 2, 3]);
    let to_3 = |connect| {
        let routes = routed(&f, connect);
        [1, 4, 2, 5].map(|from| port(&f, &routes, from, 3))
    };
    // To 3: 5 sends by its second port, 2 by its second, 4 by its second.
    assert_eq!(to_3(false), [NO_ENTRY, NO_ENTRY, 2, 2]);
    assert_eq!(to_3(true), [1, 2, 2, 2]);
}

#[test]
fn dnup_forgets_a_descent_after_a_step_on_one_level() {
    // Leaves 1 and 2; 3 over 1 and 4 over 2 are cabled to each other; 5 over 3, target 255 over both.
    //   255 - 3, 255 - 4    in one hop, down: no climbing on from there;
    //   3 - 4               level, in both directions: now they climb, though no other switch did in that wave,
    //   3 - 5               and 5 has a path of two hops.
    let mut cables = vec![(1, 3), (2, 4), (3, 4), (3, 5), (3, 255), (4, 255)];
    // 59 more hang off 5, all before 255 in OpenSM's order: it is alone in its batch of 64 targets.
    cables.extend((1..=59).map(|k| (if k == 1 { 5 } else { (k - 1) << 8 | 7 }, k << 8 | 7)));
    let f = tree(&cables, &[1, 2]);
    assert_eq!(port(&f, &routed(&f, false), 5, 255), 1);
}

#[test]
fn dnup_loses_paths_where_a_turn_costs_64_hops() {
    // Switches 1 to 44 in a chain, with adapters on 1, 31 and 44; the target is 1. OpenSM 3.3.23's lid
    // matrix: the longest path of the first walk has 30 hops, so turning at 31 (30 hops) costs 31 more
    // and gives 32 its 62 hops. Coming back from 33, descending, 32 turns again: 62 + 31 is too
    // much, and 33 loses its 63 hops. So does each switch up to the middle, 37.
    let cables: Vec<(u64, u64)> = (1..44).map(|k| (k, k + 1)).collect();
    let f = tree(&cables, &[1, 31, 44]);
    let routes = routed(&f, true);
    let ports: Vec<u8> = (30..=44).map(|from| port(&f, &routes, from, 1)).collect();
    let lost: Vec<u64> = (30..=44).filter(|&from| ports[from as usize - 30] == NO_ENTRY).collect();
    assert_eq!(lost, [33, 34, 35, 36, 37]);
}

#[test]
fn a_turn_costs_more_than_the_longest_path_ever_set_even_if_a_shorter_one_replaced_it() {
    // Found at random; OpenSM 3.3.23's tables are those expected here. Its first walk sets paths that it replaces by
    // shorter ones later, and among these the longest of all.
    let cables = [
        ((1, 1), (18, 2)),
        ((1, 2), (27, 2)),
        ((1, 3), (8, 1)),
        ((1, 4), (35, 3)),
        ((2, 1), (15, 1)),
        ((2, 2), (10, 1)),
        ((2, 3), (7, 1)),
        ((3, 1), (13, 1)),
        ((4, 1), (37, 2)),
        ((4, 3), (18, 1)),
        ((5, 2), (17, 2)),
        ((5, 3), (26, 1)),
        ((5, 4), (35, 1)),
        ((6, 1), (14, 3)),
        ((6, 2), (21, 4)),
        ((9, 2), (15, 4)),
        ((10, 2), (29, 1)),
        ((10, 3), (23, 4)),
        ((11, 1), (34, 1)),
        ((11, 2), (22, 3)),
        ((11, 3), (25, 1)),
        ((12, 1), (34, 2)),
        ((13, 4), (35, 2)),
        ((14, 1), (21, 2)),
        ((14, 2), (16, 2)),
        ((15, 2), (31, 1)),
        ((15, 3), (24, 2)),
        ((16, 1), (30, 3)),
        ((16, 3), (17, 3)),
        ((17, 1), (28, 2)),
        ((19, 1), (32, 4)),
        ((20, 2), (25, 3)),
        ((21, 1), (32, 1)),
        ((22, 2), (23, 1)),
        ((23, 3), (27, 1)),
        ((24, 1), (33, 2)),
        ((25, 2), (36, 1)),
        ((27, 3), (29, 2)),
    ];
    let hosts = [(3, 2), (6, 3), (9, 3), (21, 3), (29, 4)];
    let hosts = hosts.map(|(leaf, port)| ((leaf, port), (FIRST_ADAPTER + leaf, 1)));
    let f = cabled(&[&cables[..], &hosts[..]].concat());
    let routes = routed(&f, true);
    assert_eq!([5, 14, 28, 37].map(|to| port(&f, &routes, 33, to)), [NO_ENTRY; 4]);
}
