//! What shifts can have at most, whatever the tables: in shift `k` host `i` sends to host `i + k`, and a flow's bandwidth is one
//! over the most flows on a link of its path.
//!
//! | here       | meaning                                                                                   |
//! |------------|-------------------------------------------------------------------------------------------|
//! | `X`, `Y`   | sets of switches, one within the other (`nested`): edge switches, subtrees, what shares a part |
//! | `c(X, Y)`  | cables that leave `X` for other switches of `Y`                                           |
//! | `f(X, Y)`  | flows of a shift from `X` to hosts elsewhere in `Y`                                        |
//! | `r(X, Y)`  | what flows from the edge switches of `X` to others in `Y` have together at most           |
//!
//! * The flows on a link have one link's bandwidth together at most, so that flows have no more than there are links which
//!   each of them crosses one of. A flow out of an edge switch `X` crosses one of its cables: `r(X, Y) = min(c(X, Y), f(X, Y))`.
//! * Flows that leave `X` cross a cable out of it, and those which stay within it are as before: `r(X, Y)` is
//!   at most `c(X, Y) + Σ r(Z, X)` over the sets `Z` that `X` joins, and at most `Σ r(Z, Y)`.
//!
//! This is a solution of the dual of the linear program of the greatest throughput: links have the length 1 or 0, and every flow that
//! is not given up has a link of length 1 on each of its paths, those over other edge switches, too. So it holds for paths of
//! any length, and for flows that are split. What comes in is bounded alike; that is shift `-k` the other way round.

use std::collections::BTreeMap;

use crate::fabric::{Fabric, NodeId, PortId};

use super::nested::Nested;

/// What shifts can have at most.
#[derive(Clone, Debug, PartialEq)]
pub struct ShiftBound {
    /// Bandwidth of all shifts in the mean, as a share of the link rate.
    pub mean: f64,
    /// That of the shift that can have least.
    pub worst: f64,
    /// What of the mean is lost as edge switches have fewer cables than hosts.
    pub lost_at_edges: f64,
    /// What is lost besides as subtrees have fewer cables than hosts.
    pub lost_above: f64,
    /// What is lost besides as some switches reach only a part of what others of their level reach.
    pub lost_to_parts: f64,
    /// Edge switches with more hosts than cables.
    pub narrow: usize,
    /// The switches that reach a part, where that costs something.
    pub parts: Vec<NodeId>,
}

/// What all shifts of hosts can have at most, whatever the tables; by rail, then host: the port, if it has one. None where there is no
/// flow.
pub fn shifts(fabric: &Fabric, rails: &[Vec<Option<PortId>>]) -> Option<ShiftBound> {
    let hosts = rails.iter().map(Vec::len).max().unwrap_or(0);
    let mut senders = vec![0; fabric.num_switches()];
    let edges: Vec<Vec<Option<u32>>> = rails
        .iter()
        .map(|ports| ports.iter().map(|port| fabric.edge_switch((*port)?).map(|s| s.0)).collect())
        .collect();
    edges.iter().flatten().flatten().for_each(|&s| senders[s as usize] += 1);
    let is_edge: Vec<bool> = senders.iter().map(|&n| n > 0).collect();
    if !is_edge.contains(&true) {
        return None;
    }
    let with_parts = Nested::of(fabric, &is_edge, true);
    let all = Shifts::of(&with_parts, &edges, hosts);
    let flows = all.flows();
    let total = sum(&flows[1..]);
    if total == 0.0 {
        return None;
    }
    let (leaving, at_most) = all.flows_and_bound();
    let lost_of = |at_most: &[u32]| -> Vec<u32> {
        let both = (1..hosts).map(|k| at_most[k].min(at_most[hosts - k]));
        both.zip(&leaving[1..]).map(|(at_most, leaving)| leaving - at_most).collect()
    };
    let lost = lost_of(&at_most);
    let subtrees = Nested::of(fabric, &is_edge, false);
    let lost_in_subtrees = if with_parts.parts.is_empty() {
        lost.clone()
    } else {
        lost_of(&Shifts::of(&subtrees, &edges, hosts).flows_and_bound().1)
    };
    let out = |s: u32| subtrees.cables_out(0, s, subtrees.last());
    let lost_at_edges = lost_of(&all.at_edge_switches());
    let share = |lost: f64| lost / total;
    let of_shift = |(&flows, &lost): (&u32, &u32)| 1.0 - f64::from(lost) / f64::from(flows.max(1));
    let (at_edges, in_subtrees, in_all) = (sum(&lost_at_edges), sum(&lost_in_subtrees), sum(&lost));
    let costs = in_all > in_subtrees;
    Some(ShiftBound {
        mean: 1.0 - share(in_all),
        worst: flows[1..].iter().zip(&lost).map(of_shift).fold(1.0, f64::min),
        lost_at_edges: share(at_edges),
        lost_above: share(in_subtrees - at_edges),
        lost_to_parts: share(in_all - in_subtrees),
        narrow: (0..).zip(&senders).filter(|&(s, &senders)| senders > out(s)).count(),
        parts: if costs { with_parts.parts } else { Vec::new() },
    })
}

fn sum(of: &[u32]) -> f64 {
    of.iter().map(|&n| u64::from(n)).sum::<u64>() as f64
}

/// The shifts of hosts among nested sets.
struct Shifts<'a> {
    nested: &'a Nested,
    /// By tier, then set: the hosts on its edge switches.
    runs: Vec<BTreeMap<u32, Vec<Run>>>,
    hosts: usize,
}

impl<'a> Shifts<'a> {
    /// Of hosts whose edge switches are given by rail.
    fn of(nested: &'a Nested, edges: &[Vec<Option<u32>>], hosts: usize) -> Self {
        Self { nested, runs: runs(nested, edges), hosts }
    }

    /// By shift: all flows.
    fn flows(&self) -> Vec<u32> {
        let all = &self.runs[self.nested.last()][&0];
        let mut pairs = Pairs::new(self.hosts);
        pairs.change(all, all, 1);
        pairs.counts()
    }

    /// By shift: flows between edge switches, and what they can have together at most by all sets.
    fn flows_and_bound(&self) -> (Vec<u32>, Vec<u32>) {
        let last = self.nested.last();
        let mut flows = vec![0; self.hosts];
        let mut at_most = self.bounds(last, 0, &mut flows);
        (flows, at_most.remove(0))
    }

    /// By shift: the same by the edge switches alone.
    fn at_edge_switches(&self) -> Vec<u32> {
        let last = self.nested.last();
        let mut at_most = vec![0; self.hosts];
        for &s in self.nested.joined[0].keys() {
            let cables = self.nested.cables_out(0, s, last);
            add(&mut at_most, &self.leaving(s, last), |flows| flows.min(cables));
        }
        at_most
    }

    /// For each tier from that of a set on, by shift: what its flows can have that stay within the set of that tier.
    /// `flows` grows by those of all its edge switches.
    fn bounds(&self, tier: usize, set: u32, flows: &mut [u32]) -> Vec<Vec<u32>> {
        let last = self.nested.last();
        if tier == 0 {
            let found: Vec<Vec<u32>> = (0..=last).map(|within| self.leaving(set, within)).collect();
            add(flows, &found[last], |n| n);
            let bounded = found.into_iter().enumerate().map(|(within, leaving)| {
                let cables = self.nested.cables_out(0, set, within);
                leaving.into_iter().map(|flows| flows.min(cables)).collect()
            });
            return bounded.collect();
        }
        let mut at_most = vec![vec![0; self.hosts]; last + 1 - tier];
        for &below in &self.nested.joined[tier][&set] {
            // The first is what stays within that set itself.
            let found = self.bounds(tier - 1, below, flows).into_iter().skip(1);
            at_most.iter_mut().zip(found).for_each(|(sum, of_set)| add(sum, &of_set, |n| n));
        }
        let inside = at_most[0].clone();
        for (within, at_most) in (tier..=last).zip(&mut at_most).skip(1) {
            let cables = self.nested.cables_out(tier, set, within);
            at_most.iter_mut().zip(&inside).for_each(|(n, inside)| *n = (*n).min(cables + inside));
        }
        at_most
    }

    /// By shift: flows from an edge switch to others within its set of a tier.
    fn leaving(&self, edge_switch: u32, within: usize) -> Vec<u32> {
        let own = &self.runs[0][&edge_switch];
        let set = self.nested.set_of[within][edge_switch as usize];
        let mut pairs = Pairs::new(self.hosts);
        pairs.change(own, &self.runs[within][&set], 1);
        pairs.change(own, own, -1);
        pairs.counts()
    }
}

/// Hosts one after the other: rail, first and how many.
type Run = (usize, usize, usize);

/// By tier, then set: the hosts on its edge switches.
fn runs(nested: &Nested, edges: &[Vec<Option<u32>>]) -> Vec<BTreeMap<u32, Vec<Run>>> {
    let of_tier = |set_of: &Vec<u32>| {
        let mut runs: BTreeMap<u32, Vec<Run>> = BTreeMap::new();
        for (rail, edges) in edges.iter().enumerate() {
            for (at, edge_switch) in edges.iter().enumerate() {
                let Some(edge_switch) = *edge_switch else { continue };
                let own = runs.entry(set_of[edge_switch as usize]).or_default();
                match own.last_mut() {
                    Some((of, first, many)) if *of == rail && *first + *many == at => *many += 1,
                    _ => own.push((rail, at, 1)),
                }
            }
        }
        runs
    };
    nested.set_of.iter().map(of_tier).collect()
}

/// Pairs of senders and receivers by shift, as second differences: a run of senders and one of receivers have as many pairs in a shift
/// as two intervals have in common, which rises from nothing by one a shift, stays, and falls.
struct Pairs {
    hosts: usize,
    /// By distance from receiver to sender, those below 0 first.
    second: Vec<i32>,
}

impl Pairs {
    fn new(hosts: usize) -> Self {
        Self { hosts, second: vec![0; 2 * hosts + 2] }
    }

    /// Counts the pairs on each rail so many times.
    fn change(&mut self, senders: &[Run], receivers: &[Run], by: i32) {
        for &(rail, a, many) in senders {
            for &(_, b, more) in receivers.iter().filter(|run| run.0 == rail) {
                let least = self.hosts + b - a + 1;
                self.second[least - many] += by;
                self.second[least] -= by;
                self.second[least + more - many] -= by;
                self.second[least + more] += by;
            }
        }
    }

    /// By shift: the pairs.
    fn counts(self) -> Vec<u32> {
        let mut counts = vec![0; self.hosts];
        let (mut step, mut at) = (0, 0);
        for half in self.second[..2 * self.hosts].chunks_exact(self.hosts) {
            for (count, change) in counts.iter_mut().zip(half) {
                step += change;
                at += step;
                *count += at.cast_unsigned();
            }
        }
        counts
    }
}

/// Adds to each what the other becomes.
fn add(sum: &mut [u32], more: &[u32], becomes: impl Fn(u32) -> u32) {
    sum.iter_mut().zip(more).for_each(|(sum, &more)| *sum += becomes(more));
}
