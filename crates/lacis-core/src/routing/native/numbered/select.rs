//! Which numbering serves best: several are made, tried out on some of the routes, and those that
//! do well on more, until one is left.

use rayon::prelude::*;

use super::balance::{ChannelLoads, Routed};
use super::component::{Component, EdgeTargets, NONE};
use super::from_trees::{self, Tie, TreeOrder};
use super::numbering::ChannelNumbering;
use super::orders::{self, Growth};

/// LIDs routed in the first trial of a numbering.
const FIRST_TRIAL: usize = 48;
/// How many times as many are in the next, and how many times fewer numberings.
const GROWTH: usize = 3;
/// Channels looked at in one trial, at most.
const LARGEST_TRIAL: usize = 1 << 20;
/// Choices in the last comparison on all lanes, at most: LIDs times channels times numberings.
const FINALS: usize = 1 << 22;
/// A hundredth longer paths are as bad as so many hundredths more load on the busiest channel.
pub(super) const PATHS: i32 = 6;
/// Orders begin at one switch for so many channels of all the component's, the reverse: few in
/// large components.
const STARTS: usize = 1 << 15;
/// Channels of the largest component that numberings are made from trees for: on larger ones that takes most of the time.
const FROM_TREES_UP_TO: usize = 1 << 13;

/// The best of many numberings for the routes to some edge switches; of fewer where there are several lanes to
/// number. And the routes in it, where these were worked out to choose it.
pub(super) fn best(
    component: &Component,
    edge_switches: &[&EdgeTargets],
    lanes: usize,
) -> (ChannelNumbering, Option<Routed>) {
    let growths = [Growth::DenseFirst, Growth::DenseLast, Growth::Walk, Growth::Breadth];
    let starts = starts(component, edge_switches, lanes);
    let orders: Vec<(Growth, u32)> =
        growths.iter().flat_map(|&growth| starts.iter().map(move |&start| (growth, start))).collect();
    let index = |(growth, start): (Growth, u32)| orders::order(component, start, growth);
    let simple =
        orders.par_iter().map(|&order| ChannelNumbering::up_down(component, &index(order))).collect();
    let mut found = tried(component, &sample(component, edge_switches, FIRST_TRIAL), simple);

    let mut tree_orders: Vec<(Growth, u32, bool, Tie)> = Vec::new();
    for growth in growths.into_iter().filter(|_| component.channels.len() <= FROM_TREES_UP_TO) {
        let of_growth = (0..orders.len()).filter(|&o| orders[o].0 == growth);
        if let Some(best) = of_growth.min_by(|&a, &b| found[a].0.total_cmp(&found[b].0)) {
            let mut begin = vec![orders[best].1, starts[0]];
            begin.dedup();
            for (start, escape) in begin.into_iter().flat_map(|s| [(s, true), (s, false)]) {
                tree_orders.extend([Tie::Port, Tie::Number].map(|tie| (growth, start, escape, tie)));
            }
        }
    }
    let numbered = |&(growth, start, escape, tie): &(Growth, u32, bool, Tie)| {
        let index = index((growth, start));
        let mut edge_switches: Vec<u32> =
            edge_switches.iter().map(|edge_switch| edge_switch.switch).collect();
        edge_switches.sort_by_key(|&s| std::cmp::Reverse((component.sources[s as usize], index[s as usize])));
        from_trees::number(component, TreeOrder { index: &index, edge_switches: &edge_switches, escape, tie })
    };
    let made = tree_orders.par_iter().filter_map(numbered).collect();
    found.extend(tried(component, &sample(component, edge_switches, FIRST_TRIAL), made));
    match last_of(component, edge_switches, lanes, found) {
        Some((numbering, routed)) => (numbering, Some(routed)),
        None => (ChannelNumbering::up_down(component, &index((Growth::Breadth, 0))), None),
    }
}

/// Numberings with their badness.
type Tried = Vec<(f64, ChannelNumbering)>;

/// Tries more and more on fewer and fewer; the last ones are balanced in full.
fn last_of(
    component: &Component,
    edge_switches: &[&EdgeTargets],
    lanes: usize,
    mut found: Tried,
) -> Option<(ChannelNumbering, Routed)> {
    let all: usize = edge_switches.iter().map(|edge_switch| edge_switch.targets.len()).sum();
    let finalists = (FINALS / (component.channels.len() * all * lanes).max(1)).clamp(2, 40);
    let most = (LARGEST_TRIAL / component.channels.len().max(1)).clamp(FIRST_TRIAL, all.max(FIRST_TRIAL));
    let mut trial = FIRST_TRIAL;
    found.retain(|(badness, _)| badness.is_finite());
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    while found.len() > finalists && trial < most {
        found.truncate((found.len() / GROWTH).max(finalists));
        trial = (trial * GROWTH).min(most);
        let numberings = found.into_iter().map(|(_, numbering)| numbering).collect();
        found = tried(component, &sample(component, edge_switches, trial), numberings);
        found.retain(|(badness, _)| badness.is_finite());
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    found.truncate(finalists);
    let finished = |(_, numbering): (f64, ChannelNumbering)| {
        let routed = {
            let mut balance = ChannelLoads::new(
                component,
                edge_switches.iter().map(|&edge_switch| (edge_switch, &numbering)).collect(),
            );
            balance.passes().then(|| balance.best(PATHS))
        };
        routed.map(|routed| (numbering, routed))
    };
    let finals: Vec<(ChannelNumbering, Routed)> = found.into_par_iter().filter_map(finished).collect();
    finals.into_iter().min_by(|a, b| a.1.badness.total_cmp(&b.1.badness))
}

/// Routes to some edge switches in each numbering, and says how bad that is; infinitely where some end
/// nodes do not reach them.
fn tried(component: &Component, sample: &[EdgeTargets], numberings: Vec<ChannelNumbering>) -> Tried {
    let badness = |numbering: &ChannelNumbering| {
        let mut balance =
            ChannelLoads::new(component, sample.iter().map(|edge_switch| (edge_switch, numbering)).collect());
        if balance.trial() { balance.expected_badness(PATHS) } else { f64::INFINITY }
    };
    numberings.into_par_iter().map(|numbering| (badness(&numbering), numbering)).collect()
}

/// About so many targets: some of each edge switch, or one of each of some edge switches, spread by a hash.
fn sample(component: &Component, edge_switches: &[&EdgeTargets], trial: usize) -> Vec<EdgeTargets> {
    let each = (trial / edge_switches.len().max(1)).max(1);
    let mut chosen: Vec<EdgeTargets> = edge_switches
        .iter()
        .map(|edge_switch| {
            let start = edge_switch.targets.start;
            EdgeTargets {
                switch: edge_switch.switch,
                targets: start..edge_switch.targets.end.min(start + each),
            }
        })
        .collect();
    if chosen.len() > trial {
        chosen
            .sort_by_key(|edge_switch| u64::from(edge_switch.switch + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        chosen.truncate(trial);
        chosen.sort_by_key(|edge_switch| edge_switch.targets.start);
    }
    debug_assert!(chosen.iter().all(|edge_switch| component.sources[edge_switch.switch as usize] > 0));
    chosen
}

/// The switch nearest to all edge switches, then each time the one farthest from those before.
fn starts(component: &Component, edge_switches: &[&EdgeTargets], lanes: usize) -> Vec<u32> {
    let mut sum = vec![0_u64; component.len()];
    for edge_switch in edge_switches {
        for (sum, d) in sum.iter_mut().zip(component.distances(edge_switch.switch)) {
            *sum += u64::from(d);
        }
    }
    let count =
        (STARTS / component.channels.len().max(1)).clamp(8, 32).div_ceil(lanes).max(2).min(component.len());
    let mut starts: Vec<u32> =
        (0..component.len() as u32).min_by_key(|&s| sum[s as usize]).into_iter().collect();
    let mut nearest = vec![NONE; component.len()];
    while let Some(&last) = starts.last().filter(|_| starts.len() < count) {
        for (near, d) in nearest.iter_mut().zip(component.distances(last)) {
            *near = (*near).min(d);
        }
        starts.extend((0..component.len() as u32).rev().max_by_key(|&s| nearest[s as usize]));
    }
    starts
}

/// A switch at the edge: farthest from the first.
pub(super) fn farthest(component: &Component) -> u32 {
    let distance = component.distances(0);
    (0..component.len() as u32).max_by_key(|&s| distance[s as usize]).unwrap_or(0)
}
