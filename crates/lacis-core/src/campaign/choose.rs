//! Choosing rounds greedily: each time the one that splits most classes, without contention where that is possible.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::candidates::Order;
use super::columns::Columns;
use super::{Campaign, Goal, Kind, Round};
use crate::model::load::{LinkId, Paths, Steps};
use crate::traffic::{Flow, Participants};

/// Draws of new candidates at random that may pass without a gain.
const PATIENCE: u64 = 4;

/// A campaign for the hosts of one rail. `given` rounds are measured already or will be; others are added until no two
/// suspects that can be told apart are alike, and enough flows cross each. Nothing where `stop` was set.
pub fn choose(
    stop: &AtomicBool,
    paths: &Paths<'_>,
    who: &Participants,
    given: &[Vec<Flow>],
    goal: &Goal,
) -> Option<Campaign> {
    let (finest, unrouted) = Columns::of_all_pairs(paths);
    let suspects = finest.crossed();
    let best = finest.classes(&suspects);
    let mut now = State::new(paths, &suspects, goal.crossings);
    for flows in given {
        now.take(Kind::Given, flows.clone());
    }
    let order = Order::of(who);
    let (mut draw, mut idle) = (0, 0);
    while now.rounds.len() < goal.rounds + given.len() && idle < PATIENCE && !now.is_done(best) {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        match now.next(&order, goal.seed, draw, best) {
            Some((kind, flows)) => {
                now.take(kind, flows);
                idle = 0;
            }
            None => idle += 1,
        }
        draw += 1;
    }
    Some(Campaign {
        suspects: suspects.len(),
        finest: best,
        classes: now.classes(),
        inseparable: now.columns.inseparable(&suspects, &finest),
        uncrossed: suspects.iter().filter(|&&link| now.columns.crossings[link as usize] == 0).count(),
        least_crossings: suspects.iter().map(|&link| now.columns.crossings[link as usize]).min().unwrap_or(0),
        rounds: now.rounds,
        unrouted,
    })
}

/// The rounds so far.
struct State<'a> {
    paths: &'a Paths<'a>,
    suspects: &'a [LinkId],
    wanted: u32,
    columns: Columns,
    rounds: Vec<Round>,
}

/// What a candidate would bring; the greatest is best.
type Gain = (bool, usize, u64, Reverse<u32>, Reverse<usize>);

impl<'a> State<'a> {
    fn new(paths: &'a Paths<'a>, suspects: &'a [LinkId], wanted: u32) -> Self {
        let columns = Columns::new(paths.links().len());
        Self { paths, suspects, wanted, columns, rounds: Vec::new() }
    }

    fn classes(&self) -> usize {
        self.columns.classes(self.suspects)
    }

    /// Crossings that suspects still lack.
    fn lacking(&self, columns: &Columns) -> u64 {
        let lacks = |&link: &LinkId| u64::from(self.wanted.saturating_sub(columns.crossings[link as usize]));
        self.suspects.iter().map(lacks).sum()
    }

    fn is_done(&self, best: usize) -> bool {
        self.classes() == best && self.lacking(&self.columns) == 0
    }

    fn add(&self, flows: &[Flow]) -> (Columns, u32) {
        let mut steps = Steps::default();
        let mut columns = self.columns.clone();
        self.paths.steps(flows, &mut steps);
        let (contention, _) = columns.add(flows, &steps);
        (columns, contention)
    }

    fn take(&mut self, kind: Kind, flows: Vec<Flow>) {
        let (columns, contention) = self.add(&flows);
        self.columns = columns;
        let classes = self.classes();
        self.rounds.push(Round { kind, flows, contention, classes });
    }

    /// The best candidate that splits a class or, once all are split, crosses what lacks flows.
    fn next(&self, order: &Order, seed: u64, draw: u64, best: usize) -> Option<(Kind, Vec<Flow>)> {
        let (classes, lacking) = (self.classes(), self.lacking(&self.columns));
        let splits_wanted = classes < best;
        let gain = |(index, &kind): (usize, &Kind)| -> (Gain, Kind, Vec<Flow>) {
            let flows = order.flows(kind);
            let (columns, contention) = self.add(&flows);
            let splits = columns.classes(self.suspects).saturating_sub(classes);
            let crosses = lacking - self.lacking(&columns);
            let brings = if splits_wanted { splits > 0 } else { crosses > 0 };
            let main = if splits_wanted { splits } else { usize::from(brings) };
            ((brings && contention <= 1, main, crosses, Reverse(contention), Reverse(index)), kind, flows)
        };
        let mut kinds = order.kinds(seed, draw);
        kinds.retain(|kind| self.rounds.iter().all(|round| round.kind != *kind)); // other flows say more than the same
        let all: Vec<_> = kinds.par_iter().enumerate().map(gain).collect();
        let (gain, kind, flows) = all.into_iter().max_by(|a, b| a.0.cmp(&b.0))?;
        (gain.1 > 0).then_some((kind, flows))
    }
}
