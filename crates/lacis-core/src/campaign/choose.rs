//! Choosing rounds greedily: each time the one that splits most classes, without contention where that is possible.
//!
//! One flow that two suspects do not share distinguishes them, but a single flow may be an outlier. Once rounds split all
//! classes, further rounds are chosen regardless of these, until all classes are split as many times as flows are to cross
//! every suspect.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::candidates::LeafPorts;
use super::columns::LinkColumns;
use super::gain::{Candidate, Counter, Gain, Maker, Numbers, SuspectClasses};
use super::{Campaign, Goal, Kind, Round, finest};
use crate::model::load::{LinkId, Paths, Steps};
use crate::ranks::Flow;
use crate::ranks::Participants;

/// Draws of new candidates at random that may pass without a gain.
const PATIENCE: u64 = 4;

/// A campaign for the hosts of one rail. `given` rounds are measured already or will be; others are added until all
/// suspects that can be distinguished are, several times over, and enough flows cross each. None where `stop` was set.
pub fn choose(
    stop: &AtomicBool,
    paths: &Paths<'_>,
    participants: &Participants,
    given: &[Vec<Flow>],
    goal: &Goal,
) -> Option<Campaign> {
    choose_about(stop, paths, participants, given, goal, None)
}

/// A campaign that is to distinguish some suspects alone.
pub fn choose_about(
    stop: &AtomicBool,
    paths: &Paths<'_>,
    participants: &Participants,
    given: &[Vec<Flow>],
    goal: &Goal,
    about: Option<&[LinkId]>,
) -> Option<Campaign> {
    let (finest, unrouted) = finest::of_all_pairs(paths);
    let mut suspects = finest.crossed();
    suspects.retain(|link| about.is_none_or(|about| about.contains(link)));
    let best = finest.classes(&suspects);
    let mut now = Selection::new(paths, &suspects, goal, best);
    for flows in given {
        now.take(Kind::Given, flows.clone());
    }
    let order = LeafPorts::of(participants);
    let regular =
        if now.wants_more(given.len()) { now.candidates(&order, order.regular()) } else { Vec::new() };
    let (mut draw, mut idle) = (0, 0);
    while now.wants_more(given.len()) && idle < PATIENCE {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        if let Some((kind, flows)) = now.next(&order, &regular, draw) {
            now.take(kind, flows);
            idle = 0;
        } else {
            idle += 1;
            // No remaining round splits all classes once more: flows over links still count.
            if idle == PATIENCE && now.splits < goal.crossings {
                (now.splits, idle) = (goal.crossings, 0);
            }
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
struct Selection<'a> {
    paths: &'a Paths<'a>,
    suspects: &'a [LinkId],
    numbers: Numbers,
    goal: &'a Goal,
    best: usize,
    /// Fingerprints and crossings of the suspects, of all rounds.
    columns: LinkColumns,
    /// The same columns, but the fingerprints are those of the rounds since all classes were split last.
    since: LinkColumns,
    /// How often disjoint sets of rounds split all classes.
    splits: u32,
    rounds: Vec<Round>,
}

/// What a candidate would bring; the greatest is best. The last element is its number.
type Rank = (bool, usize, u64, Reverse<u32>, Reverse<usize>);

impl<'a> Selection<'a> {
    fn new(paths: &'a Paths<'a>, suspects: &'a [LinkId], goal: &'a Goal, best: usize) -> Self {
        let columns = LinkColumns::new(paths.links().len());
        let since = columns.clone();
        let numbers = Numbers::of(paths.links().len(), suspects);
        Self { paths, suspects, numbers, goal, best, columns, since, splits: 0, rounds: Vec::new() }
    }

    fn classes(&self) -> usize {
        self.columns.classes(self.suspects)
    }

    fn wants_more(&self, given: usize) -> bool {
        self.rounds.len() < self.goal.rounds + given && !self.is_done()
    }

    fn is_done(&self) -> bool {
        let is_crossed = |&link: &LinkId| self.columns.crossings[link as usize] >= self.goal.crossings;
        self.splits >= self.goal.crossings && self.suspects.iter().all(is_crossed)
    }

    fn take(&mut self, kind: Kind, flows: Vec<Flow>) {
        let mut steps = Steps::default();
        self.paths.steps(&flows, &mut steps);
        let (contention, _) = self.columns.add(&flows, &steps);
        self.since.add(&flows, &steps);
        if self.since.progress(self.suspects) == self.suspects.len() + self.best {
            self.since.prints.fill(0);
            self.splits += 1;
        }
        let classes = self.classes();
        self.rounds.push(Round { kind, flows, contention, classes });
    }

    fn candidates(&self, order: &LeafPorts, kinds: Vec<Kind>) -> Vec<Candidate> {
        let make = |maker: &mut Maker, kind| maker.make(self.paths, &self.numbers, order, kind);
        kinds.into_par_iter().map_init(Maker::default, make).collect()
    }

    /// The best candidate that splits a class or, once all are split, crosses what lacks flows.
    fn next(&self, order: &LeafPorts, regular: &[Candidate], draw: u64) -> Option<(Kind, Vec<Flow>)> {
        let is_new = |kind: Kind| self.rounds.iter().all(|round| round.kind != kind); // other flows say more than the same
        let random = LeafPorts::random(self.goal.seed, draw).filter(|&kind| is_new(kind)).collect();
        let random = self.candidates(order, random);
        let all: Vec<&Candidate> = regular.iter().filter(|one| is_new(one.kind)).chain(&random).collect();
        let classes = SuspectClasses::of(&self.since, self.suspects, self.goal);
        let splits_wanted = self.splits < self.goal.crossings;
        let best = |with_contention: bool| {
            let rank = |counter: &mut Counter, (index, candidate): (usize, &&Candidate)| -> Rank {
                let Gain { splits, crosses } = classes.gain(candidate, order, counter);
                let brings = if splits_wanted { splits > 0 } else { crosses > 0 };
                let main = if splits_wanted { splits } else { usize::from(brings) };
                let is_free = brings && candidate.contention <= 1;
                (is_free, main, crosses, Reverse(candidate.contention), Reverse(index))
            };
            let asked = |one: &(usize, &&Candidate)| (one.1.contention > 1) == with_contention;
            all.par_iter().enumerate().filter(asked).map_init(Counter::default, rank).max()
        };
        // Rounds with contention are tried where no other brings anything: they take longer to count.
        let free = best(false);
        let found = if free.is_some_and(|rank| rank.0) { free } else { free.max(best(true)) };
        let (_, main, _, _, Reverse(index)) = found?;
        let kind = all[index].kind;
        (main > 0).then(|| (kind, order.flows(kind)))
    }
}
