//! Moving pairs of switches from full lanes to empty ones, as OpenSM 3.3.23 does.
//!
//! OpenSM counts in every lane how many paths need each turn, and takes out of a lane what a pair that
//! leaves it was the last to need. Where an attempt failed it forgets to undo some of that counting, so
//! that turns stay that no pair needs. Here a pair leaves all its turns behind, and that makes no
//! difference: pairs leave the fullest lane and are tried in the emptiest, and balancing ends where
//! these two are less than three pairs apart, so no pair is ever tried in a lane that another one has
//! left. There is one exception: the first move is out of lane 0, be it the fullest or not. See
//! [`first_leaves`].

use super::layers::{self, LaneAssignment};
use crate::routing::common::dependency_graph::Turn;
use crate::routing::common::glibc_random::GlibcRandom;

/// Balancing ends where the fullest lane has fewer ordered pairs than this above the emptiest.
const CLOSE: usize = 6;

/// What balancing remembers from one draw to the next.
struct Balancing {
    full: usize,
    empty: usize,
    /// Ordered pairs of the full lane that the empty one may still be asked for.
    trials: usize,
    /// By lane.
    movable: Vec<MovablePairs>,
}

/// The ordered pairs of a lane that may be tried elsewhere.
struct MovablePairs {
    switches: usize,
    /// Words of a row.
    words: usize,
    /// By source, a bit for each target.
    rows: Vec<u64>,
    /// Pairs that were tried in vain, one direction each.
    tried: Vec<(usize, usize)>,
}

/// Moves pairs from the fullest lane to the emptiest until these are close.
pub(super) fn balance(layers: &mut LaneAssignment<'_>, random: &mut GlibcRandom) {
    let (n, lanes) = (layers.paths.num_switches(), layers.counts.len());
    if lanes < 2 {
        return;
    }
    let order = layers.graphs[0].positions().to_vec();
    for graph in &mut layers.graphs[1..] {
        // Most that comes will come from lane 0.
        graph.sort_like(&layers.paths.channels, &order);
    }
    let mut movable: Vec<MovablePairs> = (0..lanes).map(|_| MovablePairs::none(n)).collect();
    for (a, b) in (0..n).flat_map(|a| (0..a).map(move |b| (a, b))) {
        movable[usize::from(layers.lane(a, b))].flip(a, b);
    }
    let mut state = Balancing { full: 0, empty: lanes - 1, trials: layers.counts[0], movable };
    let mut turns = Vec::new();
    let mut is_first = layers.counts.iter().any(|&count| count > layers.counts[0]);
    let mut draw = || random.draw() as usize % n;
    loop {
        let (source, target) = (draw(), draw());
        // Where no pair is left to try, OpenSM would look for ever.
        let Some((a, b)) = state.movable[state.full].first_from(source, target) else { return };
        layers.turns(a, b, &mut turns);
        if layers::add(&mut layers.graphs[state.empty], &layers.paths.channels, &turns) {
            if std::mem::take(&mut is_first) {
                first_leaves(layers, (a, b), &turns);
            }
            state.movable[state.full].flip(a, b);
            state.movable[state.empty].flip(a, b);
            layers.set_lane(a, b, state.empty);
        } else {
            state.movable[state.full].set_aside(a, b);
            state.trials -= 2;
        }
        if state.trials == 0 || layers.counts[state.full] < layers.counts[state.empty] + CLOSE {
            return;
        }
        state.find_extremes(&layers.counts);
    }
}

/// Takes out of lane 0 what OpenSM takes out when the first pair leaves it. A turn stays where
/// another pair of the lane needs it. It stays, too, where OpenSM has miscounted: where it failed to
/// add another pair with this turn after it was there; unless the turn's first channel goes.
fn first_leaves(layers: &mut LaneAssignment<'_>, leaving: (usize, usize), turns: &[Turn]) {
    let n = layers.paths.num_switches();
    let mut counted = vec![0_u32; turns.len()];
    let mut last_to_use = vec![true; turns.len()];
    let mut others = Vec::new();
    for (a, b) in (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))) {
        layers.turns(a, b, &mut others);
        let is_in = layers.lane(a, b) == 0;
        let is_other = (a, b) != leaving && (b, a) != leaving;
        let first = [layers.paths.start(a, b), layers.paths.start(b, a)];
        for (turn, (count, last)) in turns.iter().zip(counted.iter_mut().zip(&mut last_to_use)) {
            if others.contains(turn) && (is_in || *count > 0) {
                *count += 1;
            }
            let uses = |&(_, next): &Turn| next == turn.0;
            let starts = first.iter().flatten().any(|&c| c as u32 == turn.0);
            *last &= !(is_in && is_other && (starts || others.iter().any(uses)));
        }
    }
    let gone = turns.iter().zip(counted.iter().zip(&last_to_use));
    let gone: Vec<Turn> = gone.filter(|&(_, (&count, &last))| count == 1 || last).map(|(&t, _)| t).collect();
    layers::remove(&mut layers.graphs[0], &layers.paths.channels, &gone);
}

impl Balancing {
    /// Looks which lanes are the fullest and the emptiest now.
    fn find_extremes(&mut self, counts: &[usize]) {
        let lanes = 0..counts.len();
        let empty = lanes.clone().min_by_key(|&lane| counts[lane]).unwrap_or(0);
        let full = lanes.rev().max_by_key(|&lane| counts[lane]).unwrap_or(0);
        if empty != self.empty {
            self.empty = empty;
            self.trials = counts[full];
            self.movable[full].retry_all();
        }
        if full != self.full {
            self.trials = counts[full];
            self.movable[self.full].retry_all();
            self.full = full;
        }
    }
}

impl MovablePairs {
    fn none(switches: usize) -> Self {
        let words = switches.div_ceil(64);
        Self { switches, words, rows: vec![0; switches * words], tried: Vec::new() }
    }

    /// Adds or removes a pair, both directions.
    fn flip(&mut self, a: usize, b: usize) {
        self.rows[a * self.words + b / 64] ^= 1 << (b % 64);
        self.rows[b * self.words + a / 64] ^= 1 << (a % 64);
    }

    fn set_aside(&mut self, a: usize, b: usize) {
        self.flip(a, b);
        self.tried.push((a, b));
    }

    fn retry_all(&mut self) {
        while let Some((a, b)) = self.tried.pop() {
            self.flip(a, b);
        }
    }

    /// The first movable pair from a given one on: all targets of a source, from the given target on and
    /// around, then those of the next source, and so on around.
    fn first_from(&self, source: usize, target: usize) -> Option<(usize, usize)> {
        let (word, from) = (target / 64, u64::MAX << (target % 64));
        let in_row = |source: usize| {
            let row = &self.rows[source * self.words..][..self.words];
            let found = |(word, bits): (usize, u64)| word * 64 + bits.trailing_zeros() as usize;
            let late =
                std::iter::once((word, row[word] & from)).chain((word + 1..self.words).map(|w| (w, row[w])));
            let early = (0..word).map(|w| (w, row[w])).chain([(word, row[word] & !from)]);
            late.chain(early).find(|&(_, bits)| bits != 0).map(found)
        };
        let mut sources = (source..self.switches).chain(0..source);
        sources.find_map(|source| Some((source, in_row(source)?)))
    }
}
