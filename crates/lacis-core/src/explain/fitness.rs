//! Whether a measurement is fit to blame anyone: tables under which measured flows would exceed a link's rate did not run, and
//! where many flows are slow that nothing found explains, or many hosts at once, another job sent too.
//!
//! A flow is *slow* where it falls short of the fastest kind of flows, the first high peak of the distribution of ln(expected
//! ÷ measured), by more than noise: so other traffic shows even where most flows meet it, which no median does.

use rustc_hash::FxHashMap;

use super::observed::Observed;
use super::residuals::Residuals;
use crate::fabric::NodeId;
use crate::model::fluid::Capacity;
use crate::model::load::{LinkId, Paths, SINK};

/// Measured flows sum up to more than a link carries beyond this share of its rate: hosts never reach all of it, and noise of
/// several flows is less.
const BEYOND: f64 = 1.15;
/// The fewest links in rounds that are beyond, and the least share of those that several flows share.
const LEAST_BEYOND: (usize, f64) = (3, 0.005);
/// With fewer links that several flows share, sums over links say nothing about tables.
const ENOUGH_SHARED: usize = 50;
/// Rates are other than reported where so many flows that have a link to themselves are beyond it.
const OTHER_RATES: f64 = 0.05;
/// The window in which values count as alike, to either side, ln.
const WINDOW: f64 = 0.05;
/// A peak of at least this share of the highest one counts.
const HIGH: f64 = 0.5;
/// A flow is slow from so much on, ln, and from so many deviations of the fast side of the peak on.
const SLOW: (f64, f64) = (0.14, 4.0);
/// More slow flows that nothing explains are no outliers.
const UNEXPLAINED: f64 = 0.05;
/// The fewest flows that say so.
const LEAST_FLOWS: usize = 32;
/// A flow of another job leaves half of an adapter: more suspects than this, and than this share of the hosts, at half of their
/// rate are no faults.
const AT_HALF: (usize, f64) = (16, 0.04);
/// The same of suspects at any rate.
const ACCUSED: (usize, f64) = (40, 0.1);
/// What half of a rate is, ln: from 42 to 61 %.
const HALF: std::ops::Range<f64> = 0.5..0.87;
/// A flow class of its own has so many flows.
const CLASS: usize = 64;
/// Hosts, leaves and rounds that are listed.
const LISTED: usize = 8;

/// Why no suspect is to be blamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Measured flows exceed what links carry under these tables.
    Tables,
    /// Flows are slow that nothing found explains, and the sums over links agree with the tables.
    Traffic,
    /// Flows are slow that nothing found explains, and no links are shared by which tables could be judged.
    Either,
}

/// The most measured flows on a link in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beyond {
    /// The link.
    pub link: LinkId,
    /// The round.
    pub round: u32,
    /// How many flows.
    pub flows: usize,
    /// Their sum over the rate of the link.
    pub share: f64,
}

/// How many flows are slow in a round, or of a leaf or host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowShare<P> {
    /// Where or when.
    pub at: P,
    /// Flows there.
    pub flows: usize,
    /// Of these, slow ones.
    pub slow: usize,
}

/// What a measurement says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fitness {
    /// Links, each in a round, that several flows share.
    pub shared: usize,
    /// Those of them on which measured flows sum up to clearly more than the rate.
    pub beyond: usize,
    /// The one with the greatest sum beyond its rate.
    pub most: Option<Beyond>,
    /// Flows with a route.
    pub flows: usize,
    /// Those that are slow.
    pub slow: usize,
    /// Slow ones that nothing found explains.
    pub unexplained: usize,
    /// Suspects that were found, each group of one switch counted once.
    pub accused: usize,
    /// Those of them at about half of their rate.
    pub at_half: usize,
    /// Whether the slow flows that nothing explains are more than outliers would be.
    pub many_unexplained: bool,
    /// Hosts that were measured.
    pub hosts: usize,
    /// Rounds with the greatest shares of slow flows.
    pub rounds: Vec<SlowShare<u32>>,
    /// Leaves with the greatest shares, of flows from and to their hosts.
    pub leaves: Vec<SlowShare<NodeId>>,
    /// Hosts with the greatest shares, as indices of the participants' ports.
    pub slots: Vec<SlowShare<u32>>,
    /// Why no suspect is to be blamed.
    pub doubt: Option<Doubt>,
}

impl Fitness {
    /// Judges rates. `explained`: by flow whether something that was found explains it.
    pub fn of(
        paths: &Paths<'_>,
        capacity: &Capacity,
        observed: &Observed,
        residuals: &Residuals,
        explained: &[bool],
    ) -> Self {
        let mut all = Self::default();
        if capacity.unknown.is_none() {
            all.sum_up(capacity, observed, residuals);
        }
        let slow = slow_flows(observed, residuals);
        let routed = || (0..observed.len()).filter(|&f| !residuals.loss[f].is_nan());
        all.flows = routed().count();
        all.slow = routed().filter(|&f| slow[f]).count();
        all.unexplained = routed().filter(|&f| slow[f] && !explained[f]).count();
        let fabric = paths.fabric();
        let leaf = |slot: u32| fabric.edge_switch(paths.ports()[slot as usize]);
        let ends = |f: usize| [observed.flows[f].from, observed.flows[f].to];
        all.rounds = greatest(routed().map(|f| (observed.round[f], slow[f])), usize::MAX);
        all.slots = greatest(routed().flat_map(|f| ends(f).map(|slot| (slot, slow[f]))), usize::MAX);
        all.hosts = all.slots.len();
        all.rounds.truncate(LISTED);
        all.slots.truncate(LISTED);
        let by_leaf = routed().flat_map(|f| ends(f).into_iter().filter_map(leaf).map(move |at| (at, f)));
        all.leaves = greatest(by_leaf.map(|(at, f)| (at, slow[f])), LISTED);
        all.judge();
        all
    }

    /// Counts suspects by their losses, ln, those of one switch given once, and judges afresh.
    pub(super) fn accuse(&mut self, losses: &[f64]) {
        self.accused = losses.len();
        self.at_half = losses.iter().filter(|&loss| HALF.contains(loss)).count();
        self.judge();
    }

    fn judge(&mut self) {
        let most = |(number, share): (usize, f64)| number.max((share * self.hosts as f64) as usize);
        self.many_unexplained =
            self.flows >= LEAST_FLOWS && self.unexplained as f64 > UNEXPLAINED * self.flows as f64;
        let are_many = self.at_half > most(AT_HALF) || self.accused > most(ACCUSED);
        let (least, share) = LEAST_BEYOND;
        self.doubt = if self.beyond >= least && self.beyond as f64 >= share * self.shared as f64 {
            Some(Doubt::Tables)
        } else if !self.many_unexplained && !are_many {
            None
        } else if self.shared >= ENOUGH_SHARED {
            Some(Doubt::Traffic)
        } else {
            Some(Doubt::Either)
        };
    }

    /// Sums up the measured flows on each link of each round.
    fn sum_up(&mut self, capacity: &Capacity, observed: &Observed, residuals: &Residuals) {
        let width = residuals.width;
        let mut sums = vec![(0_usize, 0.0_f64); capacity.rates.len()];
        let (mut alone, mut alone_beyond) = (0, 0);
        for (flows, shares) in observed.rounds().filter(|(_, shares)| *shares) {
            debug_assert!(shares);
            let links = &residuals.links[flows.start * width..flows.end * width];
            let routed = || (flows.clone()).zip(links.chunks_exact(width));
            for (f, row) in routed() {
                for &link in row.iter().filter(|&&link| link != SINK) {
                    sums[link as usize].0 += 1;
                    sums[link as usize].1 += observed.value[f];
                }
            }
            for &link in links.iter().filter(|&&link| link != SINK) {
                let (number, sum) = std::mem::take(&mut sums[link as usize]);
                let share = sum / capacity.rates[link as usize];
                if number == 1 {
                    alone += 1;
                    alone_beyond += usize::from(share > BEYOND);
                } else if number > 1 {
                    self.shared += 1;
                    self.beyond += usize::from(share > BEYOND);
                    if share > self.most.map_or(BEYOND, |most| most.share) {
                        let round = observed.round[flows.start];
                        self.most = Some(Beyond { link, round, flows: number, share });
                    }
                }
            }
        }
        // Flows alone on their links exceed the rates too: the rates are to blame, or values of both directions.
        if f64::from(alone_beyond as u32) > OTHER_RATES * f64::from(alone.max(1)) {
            (self.beyond, self.most) = (0, None);
        }
    }
}

/// By flow: whether it is slow beside the fastest kind of flows of its class.
fn slow_flows(observed: &Observed, residuals: &Residuals) -> Vec<bool> {
    let short = |f: usize| (residuals.expected[f] / observed.value[f]).ln();
    let routed: Vec<usize> = (0..observed.len()).filter(|&f| !residuals.loss[f].is_nan()).collect();
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); residuals.classes.len()];
    for &f in &routed {
        members[residuals.class[f] as usize].push(f);
    }
    let pooled = peak(routed.iter().map(|&f| short(f)).collect());
    let mut slow = vec![false; observed.len()];
    for flows in members.iter().filter(|flows| !flows.is_empty()) {
        let own = if flows.len() < CLASS { pooled } else { peak(flows.iter().map(|&f| short(f)).collect()) };
        let (middle, spread) = own;
        let (least, deviations) = SLOW;
        for &f in flows {
            slow[f] = short(f) > middle + least.max(deviations * spread);
        }
    }
    slow
}

/// The first high peak of values, and the standard deviation by the values before it; 0 and 0 of none.
fn peak(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_unstable_by(f64::total_cmp);
    let Some(&first) = values.first() else { return (0.0, 0.0) };
    // Both ends of the window move up with the value.
    let (mut low, mut high) = (0, 0);
    let near: Vec<usize> = values
        .iter()
        .map(|value| {
            while values[low] < value - WINDOW {
                low += 1;
            }
            while high < values.len() && values[high] <= value + WINDOW {
                high += 1;
            }
            high - low
        })
        .collect();
    let highest = near.iter().copied().max().unwrap_or(0);
    let begin = near.iter().position(|&near| near as f64 >= HIGH * highest as f64).unwrap_or(0);
    let end = values.partition_point(|&value| value < values[begin] + 2.0 * WINDOW);
    let top = (begin..end).max_by_key(|&at| (near[at], std::cmp::Reverse(at))).unwrap_or(begin);
    let middle = values.get(top).copied().unwrap_or(first);
    let mut before: Vec<f32> = values[..top].iter().map(|value| (middle - value) as f32).collect();
    (middle, super::robust::MAD * f64::from(super::robust::median(&mut before)))
}

/// The hosts, leaves or rounds with the greatest shares of slow flows, at most so many; the first of equal ones first.
fn greatest<P: Copy + Eq + Ord + std::hash::Hash>(
    flows: impl Iterator<Item = (P, bool)>,
    most: usize,
) -> Vec<SlowShare<P>> {
    let mut counts: FxHashMap<P, (usize, usize)> = FxHashMap::default();
    for (at, is_slow) in flows {
        let count = counts.entry(at).or_default();
        *count = (count.0 + 1, count.1 + usize::from(is_slow));
    }
    let mut all: Vec<_> =
        counts.into_iter().map(|(at, (flows, slow))| SlowShare { at, flows, slow }).collect();
    all.sort_by(|a, b| (b.slow * a.flows).cmp(&(a.slow * b.flows)).then(a.at.cmp(&b.at)));
    all.truncate(most);
    all
}
