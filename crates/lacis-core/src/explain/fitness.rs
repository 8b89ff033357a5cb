//! Whether a measurement is fit to blame anyone: tables under which measured flows would exceed a link's rate did not run, and
//! where many flows are slow that nothing found explains, or many hosts at once, another job sent too.
//!
//! A flow is *slow* where it falls short of the fastest kind of flows, the first high peak of the distribution of ln(expected
//! ÷ measured), by more than noise: so other traffic shows even where most flows meet it, which no median does.

use rustc_hash::{FxHashMap, FxHashSet};

use super::observed::Observed;
use super::residuals::Residuals;
use super::robust::{MAD, median, unrounded};
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
/// More suspects or entries than this, or as many links beyond their rates as say something, may be other tables.
const MANY: (usize, usize) = (8, 3);
/// Flows that should be alike differ by more than healthy ones do, standard deviation, ln.
const WIDE: f64 = 0.15;
/// Entries of so many switches are no faults: a manager that fails to write tables fails at a switch, or a few.
const SWITCHES: usize = 8;
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
    /// All is explained, by more suspects or entries than faults usually are, or most flows that should be alike differ: other
    /// tables may explain it by themselves.
    Many,
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
    /// Flows of classes that differ among themselves by more than healthy ones do.
    pub wide: usize,
    /// Entries that were found to lead elsewhere.
    pub entries: usize,
    /// The switches whose entries they are.
    pub switches: usize,
    /// Whether these are more switches than a manager fails at.
    pub many_switches: bool,
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
        all.wide = routed().filter(|&f| residuals.spread(f) > WIDE).count();
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

    /// Counts suspects by their losses, ln, those of one switch given once, and entries by their switches; judges afresh.
    pub(super) fn accuse(&mut self, losses: &[f64], entries: &[NodeId]) {
        self.accused = losses.len();
        self.entries = entries.len();
        self.switches = entries.iter().collect::<FxHashSet<_>>().len();
        self.many_switches = self.switches > SWITCHES;
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
            let (accused, entries) = MANY;
            let are_alike = 2 * self.wide <= self.flows;
            let is_much =
                self.accused > accused || self.entries > entries || self.beyond >= least || !are_alike;
            is_much.then_some(Doubt::Many)
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
    let pooled = peak(routed.iter().map(|&f| (short(f), residuals.own_step(f, observed))));
    let mut slow = vec![false; observed.len()];
    for flows in members.iter().filter(|flows| !flows.is_empty()) {
        let own = flows.iter().map(|&f| (short(f), residuals.own_step(f, observed)));
        let (middle, spread) = if own.len() < CLASS { pooled } else { peak(own) };
        let (least, deviations) = SLOW;
        // A value that rounding moves by a step is no slow one.
        let most = middle + least.max(deviations * spread);
        for &f in flows {
            slow[f] = short(f) > most + residuals.step(f);
        }
    }
    slow
}

/// The first high peak of values, each with the step to which it was rounded: the median of those within a window about its top, and the
/// standard deviation by those before it; 0 and 0 of none.
fn peak(values: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    let values = unrounded(values);
    if values.is_empty() {
        return (0.0, 0.0);
    }
    // Both ends of the window move up with the value.
    let (mut low, mut high) = (0, 0);
    let near: Vec<std::ops::Range<usize>> = values
        .iter()
        .map(|value| {
            while values[low] < value - WINDOW {
                low += 1;
            }
            while high < values.len() && values[high] <= value + WINDOW {
                high += 1;
            }
            low..high
        })
        .collect();
    let highest = near.iter().map(std::iter::ExactSizeIterator::len).max().unwrap_or(0);
    let begin = near.iter().position(|near| near.len() as f64 >= HIGH * highest as f64).unwrap_or(0);
    let end = values.partition_point(|&value| value < values[begin] + 2.0 * WINDOW);
    let top = (begin..end).max_by_key(|&at| (near[at].len(), std::cmp::Reverse(at))).unwrap_or(begin);
    let at = usize::midpoint(near[top].start, near[top].end);
    let middle = values[at];
    let mut before: Vec<f32> = values[..at].iter().map(|value| (middle - value) as f32).collect();
    (middle, MAD * f64::from(median(&mut before)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_suspects_than_faults_usually_are_ask_for_other_tables() {
        let of = |suspects: usize, entries: &[u32]| {
            let mut all = Fitness { flows: 1000, hosts: 100, shared: 200, ..Fitness::default() };
            let entries: Vec<NodeId> = entries.iter().map(|&switch| NodeId(switch)).collect();
            all.accuse(&vec![0.2; suspects], &entries);
            (all.doubt, all.many_switches)
        };
        assert_eq!(of(8, &[1, 2, 3]), (None, false));
        assert_eq!(of(9, &[]), (Some(Doubt::Many), false));
        // A block of a switch's table that was not written is one fault; nine switches are not.
        assert_eq!(of(0, &[7; 24]), (Some(Doubt::Many), false));
        assert_eq!(of(0, &[1, 2, 3, 4, 5, 6, 7, 8, 9]), (Some(Doubt::Many), true));
        // Sums beyond the rates of three links in a hundred thousand say too little to doubt the tables by themselves.
        let mut all = Fitness { flows: 1000, shared: 100_000, beyond: 3, ..Fitness::default() };
        all.judge();
        assert_eq!(all.doubt, Some(Doubt::Many));
        let mut all = Fitness { flows: 1000, wide: 501, ..Fitness::default() };
        all.judge();
        assert_eq!(all.doubt, Some(Doubt::Many));
    }

    #[test]
    fn sums_beyond_three_links_and_a_two_hundredth_of_the_shared_ones_doubt_the_tables() {
        let of = |beyond: usize, shared: usize| {
            let mut all = Fitness { flows: 1000, beyond, shared, ..Fitness::default() };
            all.judge();
            all.doubt
        };
        assert_eq!(of(3, 600), Some(Doubt::Tables));
        assert_eq!(of(3, 601), Some(Doubt::Many));
        assert_eq!(of(2, 10), None);
    }

    #[test]
    fn one_slow_flow_in_twenty_may_be_unexplained_and_more_are_the_traffic_of_others() {
        let of = |unexplained: usize, flows: usize, shared: usize| {
            let mut all = Fitness { shared, flows, unexplained, ..Fitness::default() };
            all.judge();
            all.doubt
        };
        assert_eq!(of(2, 40, 50), None);
        assert_eq!(of(3, 40, 50), Some(Doubt::Traffic));
        // Too few links are shared to say that the tables are right.
        assert_eq!(of(3, 40, 49), Some(Doubt::Either));
        // So few flows say nothing.
        assert_eq!((of(31, 31, 50), of(32, 32, 50)), (None, Some(Doubt::Traffic)));
    }

    #[test]
    fn suspects_of_many_hosts_at_half_of_their_rate_are_the_flows_of_another_job() {
        let of = |losses: &[f64], hosts: usize| {
            let mut all = Fitness { flows: 1000, hosts, shared: 200, ..Fitness::default() };
            all.accuse(losses, &[]);
            (all.at_half, all.doubt)
        };
        // ln 2 is 0.69: a half of the rate. Of 100 hosts 16 may be so, of 500 one in 25.
        assert_eq!(of(&[0.69; 16], 100), (16, Some(Doubt::Many)));
        assert_eq!(of(&[0.69; 17], 100), (17, Some(Doubt::Traffic)));
        assert_eq!(of(&[0.69; 20], 500), (20, Some(Doubt::Many)));
        assert_eq!(of(&[0.69; 21], 500), (21, Some(Doubt::Traffic)));
        // Losses of 0.5 to 0.87 leave 61 to 42 %, about half.
        assert_eq!(of(&[0.49, 0.5, 0.86, 0.92], 100).0, 2);
        // At any rate 40 suspects may be, or a tenth of the hosts.
        assert_eq!(of(&[0.2; 40], 100), (0, Some(Doubt::Many)));
        assert_eq!(of(&[0.2; 41], 100), (0, Some(Doubt::Traffic)));
        assert_eq!(of(&[0.2; 50], 500), (0, Some(Doubt::Many)));
        assert_eq!(of(&[0.2; 51], 500), (0, Some(Doubt::Traffic)));
    }

    #[test]
    fn a_peak_is_the_median_about_the_top_whatever_values_are_equal() {
        let of = |groups: &[(f64, usize)], step: f64| {
            peak(groups.iter().flat_map(|&(at, number)| vec![(at, step); number]))
        };
        let is = |found: (f64, f64), middle: f64, spread: f64| {
            (found.0 - middle).abs() < 1e-3 && (found.1 - spread).abs() < 2e-3
        };
        assert_eq!(of(&[], 0.0), (0.0, 0.0));
        assert_eq!(of(&[(0.3, 50)], 0.0), (0.3, 0.0));
        // Equal values, and one in ten that is a step faster: these are not all that is before the middle.
        assert_eq!(of(&[(0.0, 100), (0.04, 900)], 0.0), (0.04, 0.0));
        // 1,000 values spread evenly from 0 to 0.04: half of those before the middle are within 0.01 of it.
        let even = peak((0_u32..1000).map(|at| (0.04 * f64::from(at) / 1000.0, 0.0)));
        assert!(is(even, 0.02, 0.01 * MAD), "{even:?}");
        // The same rounded to steps of 0.01, and to 0.02.
        assert!(is(
            of(&[(0.0, 125), (0.01, 250), (0.02, 250), (0.03, 250), (0.04, 125)], 0.01),
            0.02,
            0.01 * MAD
        ));
        let rounded = of(&[(0.0, 250), (0.02, 500), (0.04, 250)], 0.02);
        assert!(is(rounded, 0.02, 0.01 * MAD), "{rounded:?}");
    }
}
