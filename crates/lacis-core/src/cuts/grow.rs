//! Sets of switches that few cables leave: grown from every switch, always by the neighbour that makes
//! the bound highest, and of each growth the best set.
//!
//! Growth goes a few steps from every switch, which finds what is behind a few switches, and on to half
//! of the fabric from the switches with the highest bounds, which finds pods and halves. The best sets are
//! then improved: as long as the bound rises, the switch that raises it most moves across the border.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::border::bound;
use super::{CutGraph, Ends};

/// Steps from every switch.
const NEAR: usize = 24;
/// Switches from which growth goes on to half of the fabric, beside those spread evenly.
const FAR: usize = 6;
/// Sets that are grown on to half of the senders.
const HALVES: usize = 6;
/// Sets that are improved.
const IMPROVED: usize = 48;

/// The candidate sets.
pub(super) fn sets(net: &CutGraph) -> Vec<Vec<u32>> {
    // Twins with equally many end ports and cables grow alike.
    let mut starts: Vec<u32> = Vec::new();
    for mut twins in net.twins() {
        twins.sort_by_key(|&s| (net.degree[s as usize], net.ends(s).senders, s));
        twins.dedup_by_key(|s| (net.degree[*s as usize], net.ends(*s)));
        starts.extend(twins.iter().filter(|&&s| net.degree[s as usize] > 0));
    }
    starts.sort_unstable();
    let grown = |start: u32, steps: usize| {
        let mut side = Side::new(net, start);
        side.grow(steps)
    };
    let mut near: Vec<(f64, Vec<u32>)> = starts.par_iter().map(|&s| grown(s, NEAR)).collect();
    by_bound(&mut near);
    let stride = starts.len().div_ceil(FAR).max(1);
    let mut far: Vec<u32> = near.iter().take(FAR).map(|(_, set)| set[0]).collect();
    far.extend(starts.iter().step_by(stride));
    far.sort_unstable();
    far.dedup();
    let mut found: Vec<(f64, Vec<u32>)> = far.into_par_iter().map(|s| grown(s, net.num_switches())).collect();
    found.append(&mut near);
    by_bound(&mut found);
    found.dedup_by(|a, b| a.1 == b.1);
    found.truncate(IMPROVED);
    let improved: Vec<Vec<u32>> = found.par_iter().map(|(_, set)| Side::of(net, set).improved()).collect();
    found.into_iter().map(|(_, set)| set).chain(improved).collect()
}

/// Sets with about half of the senders, grown on from the best, and these themselves.
pub(super) fn halves(net: &CutGraph) -> Vec<Vec<u32>> {
    let mut found = sets(net);
    found.sort_unstable();
    found.dedup();
    found.sort_by_key(|set| Reverse(bound(net, set)));
    found.truncate(HALVES);
    let on = |set: &Vec<u32>| {
        let mut side = Side::of(net, set);
        side.grow(net.num_switches());
        side.members
    };
    let grown: Vec<Vec<u32>> = found.par_iter().map(on).collect();
    found.into_iter().chain(grown).collect()
}

/// The highest first; of equals the smallest set, then the first.
fn by_bound(sets: &mut [(f64, Vec<u32>)]) {
    sets.sort_by(|(x, a), (y, b)| y.total_cmp(x).then(a.len().cmp(&b.len())).then_with(|| a.cmp(b)));
}

/// One side of a cut.
struct Side<'a> {
    net: &'a CutGraph,
    is_in: Vec<bool>,
    /// By switch: its cables to the side.
    into: Vec<u64>,
    /// The switches of the side, in the order in which they were added.
    members: Vec<u32>,
    ends: Ends,
    cables: u64,
    whole: Ends,
}

impl<'a> Side<'a> {
    fn new(net: &'a CutGraph, start: u32) -> Self {
        let count = net.num_switches();
        let mut side = Self {
            net,
            is_in: vec![false; count],
            into: vec![0; count],
            members: Vec::new(),
            ends: Ends::default(),
            cables: 0,
            whole: net.whole_of(start),
        };
        side.add(start);
        side
    }

    fn of(net: &'a CutGraph, set: &[u32]) -> Self {
        let mut side = Self::new(net, set[0]);
        set[1..].iter().for_each(|&s| side.add(s));
        side
    }

    fn add(&mut self, s: u32) {
        self.is_in[s as usize] = true;
        self.members.push(s);
        self.ends += self.net.ends(s);
        self.cables = self.cables + self.net.degree[s as usize] - 2 * self.into[s as usize];
        for (far, cables) in self.net.bundles(s) {
            self.into[far as usize] += cables;
        }
    }

    fn remove(&mut self, s: u32) {
        self.is_in[s as usize] = false;
        self.members.retain(|&m| m != s);
        self.ends = self.ends - self.net.ends(s);
        self.cables = self.cables + 2 * self.into[s as usize] - self.net.degree[s as usize];
        for (far, cables) in self.net.bundles(s) {
            self.into[far as usize] -= cables;
        }
    }

    /// Flows per cable, the busier direction.
    fn bound(&self, ends: Ends, cables: u64) -> f64 {
        let outside = self.whole - ends;
        let flows = (ends.senders * outside.receivers).max(outside.senders * ends.receivers);
        if cables == 0 { 0.0 } else { flows as f64 / cables as f64 }
    }

    /// The bound with one switch on the other side.
    fn moved(&self, s: u32) -> f64 {
        let (own, degree, into) = (self.net.ends(s), self.net.degree[s as usize], self.into[s as usize]);
        if self.is_in[s as usize] {
            self.bound(self.ends - own, self.cables + 2 * into - degree)
        } else {
            let mut ends = self.ends;
            ends += own;
            self.bound(ends, self.cables + degree - 2 * into)
        }
    }

    /// Grows by some switches, as long as it has at most half of all senders; the best set that it passes.
    fn grow(&mut self, steps: usize) -> (f64, Vec<u32>) {
        let net = self.net;
        let mut best = (self.bound(self.ends, self.cables), self.members.len());
        let mut border: Vec<u32> = (0..net.num_switches() as u32)
            .filter(|&s| !self.is_in[s as usize] && self.into[s as usize] > 0)
            .collect();
        for _ in 0..steps {
            // Of equals the one with the most of its cables in the set already, then the first.
            let key =
                |&s: &u32| (self.moved(s), self.into[s as usize] as f64 / net.degree[s as usize] as f64);
            let ranked = border.iter().map(|s| (key(s), *s));
            let next = ranked.max_by(|((a, x), s), ((b, y), t)| {
                a.total_cmp(b).then(x.total_cmp(y)).then(Reverse(s).cmp(&Reverse(t)))
            });
            let Some((_, next)) = next else { break };
            self.add(next);
            border.retain(|&s| s != next);
            // Those whose first cables to the set are the newcomer's.
            let new = net
                .bundles(next)
                .filter(|&(far, n)| !self.is_in[far as usize] && self.into[far as usize] == n);
            border.extend(new.map(|b| b.0));
            let bound = self.bound(self.ends, self.cables);
            if bound > best.0 {
                best = (bound, self.members.len());
            }
            if 2 * self.ends.senders > self.whole.senders {
                break;
            }
        }
        (best.0, self.members[..best.1].to_vec())
    }

    /// The set after all moves of single switches that raise the bound.
    fn improved(mut self) -> Vec<u32> {
        let net = self.net;
        let component = net.component[self.members[0] as usize];
        let all: Vec<u32> =
            (0..net.num_switches() as u32).filter(|&s| net.component[s as usize] == component).collect();
        for _ in 0..net.num_switches() {
            let now = self.bound(self.ends, self.cables);
            let at_border = |&&s: &&u32| {
                let into = self.into[s as usize];
                if self.is_in[s as usize] { into < net.degree[s as usize] } else { into > 0 }
            };
            let moves = all.iter().filter(at_border).map(|&s| (self.moved(s), s));
            let best = moves.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            match best.filter(|&(bound, _)| bound > now) {
                Some((_, s)) if self.is_in[s as usize] => self.remove(s),
                Some((_, s)) => self.add(s),
                None => break,
            }
        }
        self.members
    }
}
