//! The permutation that given tables serve worst: as many flows as possible over one link, while no
//! host sends twice and none receives twice.
//!
//! Tables decide by receiver, so all senders on a switch (their *edge switch*) reach a receiver over the same
//! links. The paths that cross a link are therefore the edges of a bipartite graph of edge switches, each to be
//! used as often as it has senders, and receivers, each once. The most flows at a time are its maximum
//! matching, found by augmenting paths (H. W. Kuhn, "The Hungarian method", 1955; C. Berge, 1957).
//!
//! | here       | meaning                                                             |
//! |------------|---------------------------------------------------------------------|
//! | `crossing` | (edge switch, receiver) by link, row after row, receivers ascending |
//! | `matched`  | by edge switch: the receivers that its senders send to              |
//! | `from`     | by edge switch: the receiver from which the search came to it       |
//!
//! Flows inside a switch cross no link between switches and are left out.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::{LinkId, Paths, Steps};
use crate::ranks::Flow;

/// No receiver, or no edge switch.
const NONE: u32 = u32::MAX;

/// Which paths cross which links between switches.
#[derive(Debug)]
pub struct Crossings {
    /// By edge switch, the indices of its senders.
    senders: Vec<Vec<u32>>,
    /// By link: where its row begins.
    begins: Vec<usize>,
    crossing: Vec<(u32, u32)>,
    receivers: usize,
}

impl Crossings {
    /// Follows the path from every edge switch to every receiver.
    pub fn of(paths: &Paths<'_>) -> Self {
        let receivers = paths.ports().len();
        let mut senders = vec![Vec::new(); paths.edge_switches().len()];
        let edge_switch = |slot: u32| paths.edge_of(slot).map_or(NONE, |(edge_switch, _)| edge_switch as u32);
        let edge_switches: Vec<u32> = (0..receivers as u32).map(edge_switch).collect();
        for (slot, &edge_switch) in (0..).zip(&edge_switches).filter(|&(_, &edge_switch)| edge_switch != NONE)
        {
            senders[edge_switch as usize].push(slot);
        }
        let between = paths.links().between_switches() as LinkId;
        let mut steps = Steps::default();
        let mut each = |then: &mut dyn FnMut(LinkId, (u32, u32))| {
            for (edge_switch, from) in (0..).zip(senders.iter().map(|all| all[0])) {
                let far = (0..receivers as u32).filter(|&to| edge_switches[to as usize] != edge_switch);
                let flows: Vec<Flow> = far.map(|to| Flow { from, to }).collect();
                paths.steps(&flows, &mut steps);
                for step in steps.each() {
                    let crossed = step.iter().zip(&flows).filter(|&(&link, _)| (1..=between).contains(&link));
                    crossed.for_each(|(&link, flow)| then(link, (edge_switch, flow.to)));
                }
            }
        };
        let mut begins = vec![0; between as usize + 2];
        each(&mut |link, _| begins[link as usize + 1] += 1);
        (1..begins.len()).for_each(|link| begins[link] += begins[link - 1]);
        let mut next = begins.clone();
        let mut crossing = vec![(NONE, NONE); begins[begins.len() - 1]];
        each(&mut |link, path| {
            crossing[next[link as usize]] = path;
            next[link as usize] += 1;
        });
        (0..=between as usize)
            .for_each(|l| crossing[begins[l]..begins[l + 1]].sort_unstable_by_key(|w| (w.1, w.0)));
        Self { senders, begins, crossing, receivers }
    }

    fn row(&self, link: LinkId) -> &[(u32, u32)] {
        &self.crossing[self.begins[link as usize]..self.begins[link as usize + 1]]
    }

    /// No more flows than this can cross a link at a time.
    fn bound(&self, link: LinkId) -> usize {
        let row = self.row(link);
        let mut edge_switches: Vec<u32> = row.iter().map(|path| path.0).collect();
        edge_switches.sort_unstable();
        edge_switches.dedup();
        let senders: usize =
            edge_switches.iter().map(|&edge_switch| self.senders[edge_switch as usize].len()).sum();
        senders.min(row.chunk_by(|a, b| a.1 == b.1).count())
    }

    /// A greatest set of flows that cross a link at the same time, in the order of edge switches.
    pub fn most(&self, link: LinkId) -> Vec<Flow> {
        let row = self.row(link);
        let mut matched: Vec<Vec<u32>> = vec![Vec::new(); self.senders.len()];
        let mut partner = vec![NONE; self.receivers];
        let mut from = vec![NONE; self.senders.len()];
        let switches_to = |to: u32| {
            let begin = row.partition_point(|path| path.1 < to);
            row[begin..].iter().take_while(move |path| path.1 == to).map(|path| path.0)
        };
        for root in row.chunk_by(|a, b| a.1 == b.1).map(|paths| paths[0].1) {
            from.fill(NONE);
            let mut queue = VecDeque::from([root]);
            let mut free = None;
            'search: while let Some(to) = queue.pop_front() {
                for edge_switch in switches_to(to) {
                    if from[edge_switch as usize] != NONE {
                        continue;
                    }
                    from[edge_switch as usize] = to;
                    if matched[edge_switch as usize].len() < self.senders[edge_switch as usize].len() {
                        free = Some(edge_switch);
                        break 'search;
                    }
                    queue.extend(&matched[edge_switch as usize]);
                }
            }
            // Every receiver along the augmenting path takes the next switch.
            while let Some(edge_switch) = free {
                let to = from[edge_switch as usize];
                free = Some(std::mem::replace(&mut partner[to as usize], edge_switch))
                    .filter(|&old| old != NONE);
                matched[edge_switch as usize].push(to);
                if let Some(old) = free {
                    matched[old as usize].retain(|&other| other != to);
                }
            }
        }
        let pairs = |(senders, matched): (&Vec<u32>, &Vec<u32>)| {
            senders.iter().zip(matched).map(|(&from, &to)| Flow { from, to }).collect::<Vec<_>>()
        };
        self.senders.iter().zip(&matched).flat_map(pairs).collect()
    }

    /// Pairs of ports whose path crosses a link.
    pub fn pairs(&self, link: LinkId) -> u64 {
        self.row(link).iter().map(|path| self.senders[path.0 as usize].len() as u64).sum()
    }

    /// The links between switches that some path crosses, ascending.
    pub fn used(&self) -> impl Iterator<Item = LinkId> + '_ {
        (1..self.begins.len() as LinkId - 1).filter(|&link| !self.row(link).is_empty())
    }

    /// The `count` links over which most flows can go at a time, worst first, with a greatest set of such flows;
    /// of equals that with more pairs, then the first.
    pub fn ranked(&self, count: usize) -> Vec<(LinkId, Vec<Flow>)> {
        let mut bounds: Vec<(usize, LinkId)> = self.used().map(|link| (self.bound(link), link)).collect();
        bounds.sort_by_key(|&(bound, link)| (Reverse(bound), link));
        let mut best: Vec<(LinkId, Vec<Flow>)> = Vec::new();
        for (bound, link) in bounds {
            if best.len() >= count && best.last().is_none_or(|last| bound < last.1.len()) {
                break;
            }
            best.push((link, self.most(link)));
            best.sort_by_key(|(link, flows)| (Reverse(flows.len()), Reverse(self.pairs(*link)), *link));
            best.truncate(count);
        }
        best
    }

    /// The worst of the links for which `counts` holds, the first of equals, and a greatest set of flows over it;
    /// none where no path crosses any of them.
    pub fn worst(&self, counts: impl Fn(LinkId) -> bool) -> Option<(LinkId, Vec<Flow>)> {
        let links = 1..self.begins.len() as LinkId - 1;
        let mut bounds: Vec<(usize, LinkId)> =
            links.filter(|&link| counts(link)).map(|link| (self.bound(link), link)).collect();
        bounds.sort_by_key(|&(bound, link)| (Reverse(bound), link));
        let mut worst: Option<(LinkId, Vec<Flow>)> = None;
        for (bound, link) in bounds {
            let most = worst.as_ref().map_or(0, |(_, flows)| flows.len());
            if bound < most || bound == 0 {
                break;
            }
            let flows = self.most(link);
            if flows.len() > most || worst.as_ref().is_some_and(|w| flows.len() == most && link < w.0) {
                worst = Some((link, flows));
            }
        }
        worst
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{two_tier, two_tier_with};
    use super::*;

    fn worst_of(net: &super::super::testing::Net) -> (Vec<Flow>, usize) {
        let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, 0);
        let crossings = Crossings::of(&paths);
        let (link, flows) = crossings.worst(|_| true).unwrap();
        let mut steps = Steps::default();
        paths.steps(&flows, &mut steps);
        let crossing = (0..flows.len()).filter(|&f| steps.of_flow(f).any(|l| l == link)).count();
        (flows, crossing)
    }

    #[test]
    fn links_are_ranked_by_the_flows_that_they_can_have_at_a_time() {
        // By hand: hosts 0 to 3 on leaf 0 and 4 to 7 on leaf 1, two spines, receiver d over spine d mod 2. Each of
        // the four directed links to and from a spine carries the 4 senders of one leaf to 2 receivers of the other.
        let net = two_tier(2, 4, 2);
        let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, 0);
        let crossings = Crossings::of(&paths);
        let ranked = crossings.ranked(100);
        assert_eq!(ranked.len(), 8); // up and down, two leaves, two spines
        assert!(ranked.iter().all(|(link, flows)| flows.len() == 2 && crossings.pairs(*link) == 8));
        assert_eq!(ranked.iter().map(|r| r.0).collect::<Vec<_>>(), crossings.used().collect::<Vec<_>>());
        assert_eq!(crossings.ranked(1)[0].1.len(), crossings.worst(|_| true).unwrap().1.len());
        assert!(crossings.ranked(0).is_empty());
    }

    fn is_permutation(flows: &[Flow]) -> bool {
        let once = |ends: &mut Vec<u32>| {
            ends.sort_unstable();
            ends.windows(2).all(|pair| pair[0] != pair[1])
        };
        once(&mut flows.iter().map(|f| f.from).collect()) && once(&mut flows.iter().map(|f| f.to).collect())
    }

    /// Five leaves of 4 hosts under 4 spines, receiver d over spine d mod 4: one receiver a leaf for each
    /// spine, so 4 receivers beyond a leaf's uplink to a spine, and its 4 hosts can all send to them. Down
    /// to a leaf each spine has one receiver only.
    #[test]
    fn all_hosts_of_a_leaf_can_go_through_one_uplink() {
        let (flows, crossing) = worst_of(&two_tier(5, 4, 4));
        assert_eq!((flows.len(), crossing), (4, 4));
        assert!(is_permutation(&flows));
    }

    /// Three leaves of 4 hosts whose receivers are all reached over spine 0: 4 at each of the leaf's uplinks,
    /// bound by its senders, and 4 at each downlink, bound by the receivers.
    #[test]
    fn receivers_and_senders_bound_what_crosses_a_link() {
        let (flows, crossing) = worst_of(&two_tier_with(3, 4, 2, |_| 0));
        assert_eq!((flows.len(), crossing), (4, 4));
        assert!(is_permutation(&flows));
    }

    /// Against every choice: 3 leaves of 2 hosts, receivers over spines in all 2^6 combinations. The most flows over
    /// an uplink of a leaf are the receivers elsewhere that its spine leads to, or its 2 hosts; over a link
    /// down the receivers there.
    #[test]
    fn as_many_as_counting_by_hand_allows() {
        for choice in 0..64_u32 {
            let spine = |d: u32| choice >> d & 1;
            let net = two_tier_with(3, 2, 2, spine);
            let over = |leaf: u32, s: u32| (0..6).filter(|&d| (d / 2 == leaf) && spine(d) == s).count();
            let up = |leaf, s| (0..3).filter(|&l| l != leaf).map(|l| over(l, s)).sum::<usize>().min(2);
            let all = (0..3).flat_map(|leaf| (0..2).map(move |s| up(leaf, s).max(over(leaf, s))));
            let (flows, crossing) = worst_of(&net);
            assert_eq!((Some(flows.len()), crossing), (all.max(), flows.len()), "{choice}");
            assert!(is_permutation(&flows));
        }
    }

    /// Three leaves of 2 hosts; one receiver goes over spine 1, all others over spine 0. Then over spine 1's cables
    /// only that receiver is reached: one flow up from each other leaf, and one down to its own.
    #[test]
    fn every_receiver_counts() {
        for only in 0..6 {
            let net = two_tier_with(3, 2, 2, |d| u32::from(d == only));
            let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, 0);
            let crossings = Crossings::of(&paths);
            let mut steps = Steps::default();
            let mut over = 0;
            for from in (0..6).filter(|from| from / 2 != only / 2) {
                paths.steps(&[Flow { from, to: only }], &mut steps);
                for link in steps.of_flow(0).filter(|&link| link as usize <= paths.links().between_switches())
                {
                    let flows = crossings.most(link);
                    assert_eq!(flows.iter().map(|flow| flow.to).collect::<Vec<_>>(), [only]);
                    over += 1;
                }
            }
            // Four senders, two cables each.
            assert_eq!(over, 8);
        }
    }
}
