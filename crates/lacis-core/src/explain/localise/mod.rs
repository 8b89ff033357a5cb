//! From flows that fall short to the links, hosts and switches that make them slow.
//!
//! A flow gets what the slowest link of its path leaves it, so a slow link shows in *all* flows over it, and a flow that one
//! slow link explains says nothing about the others on its path. With y the losses (ln), s the slack of a link on a path, e the
//! loss that found suspects explain, and d a suspect's:
//!
//! | here        | meaning                                                                                   |
//! |-------------|-------------------------------------------------------------------------------------------|
//! | `explained` | e of a flow: the maximum of d − s over found suspects on its path                         |
//! | `gain`      | Σ ln p(y − max(e, d − s)) − ln p(y − e), with p normal or, seldom, anywhere: an outlier       |
//! | `differ`    | τ, how much healthy suspects of one kind differ: a random effect in the variance          |
//! | `error`     | √(τ² + σ²/n)                                                                              |
//!
//! Suspects are found greedily, the greatest gain first; gains only shrink while more is explained, so that most need not be
//! weighed again (M. Minoux, "Accelerated greedy algorithms for maximizing submodular set functions", 1978). Then each is
//! weighed again beside the others, and against those that share its flows; outliers are counted again among what is left, and
//! the search goes on. A suspect counts where its gain is more than chance gives one of so many, where d is at least
//! `Limits::sure` errors, and where most of its flows are slow. The search for a maximum of the likelihood over sets of
//! suspects is that of V. Harsh et al., "Flock: accurate network fault localization at scale", `CoNEXT` 2023; rates instead of
//! lost packets, the bottleneck, τ and the classes of what cannot be told apart are ours.
//!
//! | file      | what it holds                                                       |
//! |-----------|---------------------------------------------------------------------|
//! | `columns` | the suspects, and the flows over each                               |
//! | `weigh`   | how much one explains                                               |
//! | `search`  | the set that explains most                                          |
//! | `moved`   | entries that lead elsewhere, from flows that meet in rounds         |
//! | `rows`    | the links of flows as the tables lead them, and were one to lead elsewhere |
//! | `detours` | entries that lead elsewhere, from times                             |
//! | `flaps`   | links that come and go                                              |
//! | `limits`  | from what on something is found                                     |

mod columns;
mod detours;
mod flaps;
mod found;
mod limits;
mod moved;
mod rows;
mod search;
#[cfg(test)]
mod tests;
mod weigh;

use std::borrow::Cow;

use crate::model::fluid::Capacity;
use crate::model::load::Paths;

use super::observed::{Observed, Quantity};
use super::residuals::Residuals;
use columns::Columns;
pub use columns::Suspect;
use detours::Marks;
use flaps::Values;
pub use found::{ASKED, Found, Located, Part, Partly};
pub use limits::Limits;
use moved::{Moved, Rounds};
use rows::Rows;
use search::Search;

/// Entries that are tried beside what was found, at most, before the next are looked for.
const TRIES: usize = 8;
/// Passes over entries that were found.
const PASSES: usize = 3;

/// What is measured, and where.
#[derive(Clone, Copy)]
struct Measured<'a> {
    paths: &'a Paths<'a>,
    capacity: &'a Capacity,
    observed: &'a Observed,
    limits: Limits,
}

/// Finds what makes flows slow: `residuals` are those of `observed` under the tables of `paths`.
pub fn locate(paths: &Paths<'_>, capacity: &Capacity, observed: &Observed, residuals: &Residuals) -> Located {
    let is_time = observed.quantity == Quantity::Time;
    let measured = Measured { paths, capacity, observed, limits: Limits::usual(is_time) };
    let mut entries: Vec<Moved> = Vec::new();
    let mut revised = 0;
    loop {
        let current = measured.with(residuals, &entries);
        let columns = measured.columns(&current);
        let mut search = measured.search(&current, &columns);
        let more = measured.entries(residuals, &entries, &mut search);
        if more.is_empty() {
            revised += 1;
            if revised > PASSES || !measured.revise(residuals, &mut entries, &search) {
                return measured.report(&entries, &columns, &mut search);
            }
            continue;
        }
        entries.extend(more);
    }
}

impl<'a> Measured<'a> {
    /// Residuals, where entries lead elsewhere.
    fn with<'r>(&self, residuals: &'r Residuals, entries: &[Moved]) -> Cow<'r, Residuals> {
        let mut all = Cow::Borrowed(residuals);
        for moved in entries {
            let rows = Rows { paths: self.paths, residuals: &all };
            let rows = rows.moved(self.observed, moved.switch, moved.destination, moved.port);
            all = Cow::Owned(all.moved(self.capacity, self.observed, &rows));
        }
        all
    }

    fn columns(&self, residuals: &Residuals) -> Columns {
        let is_time = self.observed.quantity == Quantity::Time;
        Columns::of(self.paths.fabric(), self.paths.links(), residuals, is_time)
    }

    fn search<'r>(&self, residuals: &'r Residuals, columns: &'r Columns) -> Search<'r>
    where
        'a: 'r,
    {
        let limits = Limits { sure: self.limits.sure_of(columns.len()), ..self.limits };
        let mut search = Search::new(self.paths.fabric(), self.paths.links(), residuals, columns, limits);
        search.run();
        search
    }

    fn rounds<'r>(&self, residuals: &'r Residuals, columns: &'r Columns) -> Option<Rounds<'r>>
    where
        'a: 'r,
    {
        let is_rate = self.observed.quantity == Quantity::Rate;
        is_rate.then(|| Rounds::new(self.paths, self.capacity, self.observed, residuals, columns)).flatten()
    }

    /// Entries that explain more than what was found beside `entries`; no two that touch the same flows.
    fn entries(&self, base: &Residuals, entries: &[Moved], search: &mut Search<'_>) -> Vec<Moved> {
        let (residuals, columns) = (search.state.residuals, search.columns);
        let Some(rounds) = self.rounds(residuals, columns) else { return Vec::new() };
        let mut touched = vec![false; self.observed.len()];
        let mut found: Vec<Moved> = Vec::new();
        let mut tries = 0;
        for one in rounds.likely(&search.state, &self.limits) {
            let is_known = |known: &Moved| (known.switch, known.destination) == (one.switch, one.destination);
            if entries.iter().any(is_known) || one.touched.iter().any(|&f| touched[f as usize]) {
                continue;
            }
            let is_sure = one.gain > one.enough && one.gain > 0.9 * one.bare;
            if !is_sure {
                let rivals = search.gain_over(&one.touched);
                if tries == TRIES || (one.gain < one.enough && one.bare < 0.9 * rivals) {
                    continue;
                }
                tries += 1;
                let all: Vec<Moved> = entries.iter().chain(&found).chain([&one]).cloned().collect();
                let tried = self.with(base, &all);
                let columns = self.columns(&tried);
                let other = self.search(&tried, &columns);
                let outliers = search.state.outliers;
                let without = search.cost(outliers) - found.iter().map(|known| known.gain).sum::<f64>();
                if other.cost(outliers) + one.enough > without {
                    continue;
                }
            }
            for &f in &one.touched {
                touched[f as usize] = true;
            }
            found.push(one);
        }
        found
    }

    /// Weighs each entry beside all others against those that touch the same flows: it gives way to a likelier one, and goes where
    /// it is not needed any more. Whether any did.
    fn revise(&self, base: &Residuals, entries: &mut Vec<Moved>, search: &Search<'_>) -> bool {
        let before: Vec<Part> = entries.iter().map(Moved::part).collect();
        let mut at = 0;
        while at < entries.len() {
            let one = entries.remove(at);
            let current = self.with(base, entries);
            let columns = self.columns(&current);
            let rounds = self.rounds(&current, &columns);
            let best = rounds.and_then(|rounds| rounds.instead_of(&search.state, &self.limits, &one));
            if let Some(best) = best {
                entries.insert(at, best);
                at += 1;
            }
        }
        entries.iter().map(Moved::part).ne(before)
    }

    fn report(&self, entries: &[Moved], columns: &Columns, search: &mut Search<'_>) -> Located {
        if self.observed.repeats.len() > self.observed.len() {
            let mut flapping = Vec::new();
            for (place, suspect) in search.found_links() {
                let open = search.open_without(place);
                let values = Values::new(self.observed, columns, &search.state, &self.limits, open);
                if values.is_flap(suspect) {
                    flapping.push(place);
                }
            }
            search.take_back(&flapping);
        }
        let mut located = search.report();
        let mut open = search.open_without(usize::MAX);
        let state = &search.state;
        located.partly = entries.iter().map(Moved::partly).collect();
        if self.observed.quantity == Quantity::Time {
            let (fabric, links) = (self.paths.fabric(), self.paths.links());
            let (detours, taken) = Marks::new(fabric, links, self.observed, state, &self.limits).meet();
            for f in taken {
                open[f] = false;
            }
            located.partly.extend(detours);
        }
        located.partly.extend(Values::new(self.observed, columns, state, &self.limits, open).flaps());
        located
    }
}
