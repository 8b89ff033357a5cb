//! From flows that fall short to the links, hosts and switches that make them slow.
//!
//! A flow gets what the slowest link of its path leaves it. So a slow link shows in *all* flows over it, and a flow that one
//! slow link explains says nothing about the other links of its path. With the loss y of a flow (ln), the slack s of a link on
//! its path, the loss e that found suspects explain, and the loss d of a suspect:
//!
//! | here        | meaning                                                                                   |
//! |-------------|-------------------------------------------------------------------------------------------|
//! | `explained` | e of a flow: the maximum of d − s over found suspects on its path                         |
//! | `gain`      | Σ ln p(y − max(e, d − s)) − ln p(y − e); p is normal with a few uniform outliers              |
//! | `differ`    | τ, the standard deviation among healthy suspects of one kind                              |
//! | `error`     | √(τ² + σ²/n)                                                                              |
//!
//! Suspects are found greedily, the greatest gain first. Gains only shrink as more is explained, so most need not be recomputed
//! (M. Minoux, "Accelerated greedy algorithms for maximizing submodular set functions", 1978). Then each suspect is weighed
//! beside the others and against those that share its flows, outliers are recounted among what is left, and the search goes
//! on. A suspect is reported if its gain exceeds what chance gives one of so many, if d is at least `Limits::sure` errors beyond what
//! rounding may feign, and if most of its flows are slow. Maximising the likelihood over sets of suspects follows V. Harsh et al., "Flock: accurate
//! network fault localization at scale", `CoNEXT` 2023; rates instead of lost packets, the bottleneck, τ and the sets of
//! indistinguishable suspects are ours.
//!
//! | file      | what it holds                                                       |
//! |-----------|---------------------------------------------------------------------|
//! | `suspects`| the suspects, and the flows over each                               |
//! | `weigh`   | how much one explains                                               |
//! | `differ`  | how much healthy suspects differ                                    |
//! | `search`  | the set that explains most                                          |
//! | `sight`   | which losses would have shown, and in how many flows                 |
//! | `moved`   | entries that lead elsewhere, from rounds                            |
//! | `rows`    | the links of flows, with and without a moved entry                  |
//! | `detours` | entries that lead elsewhere, from times                             |
//! | `flaps`   | links that flap                                                     |
//! | `spells`  | links that were slow for a time                                     |
//! | `usual`   | what the hosts of flows usually lose                                |
//! | `groups`  | suspects of one switch                                              |
//! | `limits`  | thresholds                                                          |

mod detours;
mod differ;
#[cfg(test)]
mod entry_tests;
#[cfg(test)]
mod evidence_tests;
mod flaps;
mod found;
mod groups;
mod limits;
mod moved;
#[cfg(test)]
mod rounding_tests;
mod rows;
mod search;
#[cfg(test)]
mod sharing_tests;
mod sight;
#[cfg(test)]
mod spell_tests;
mod spells;
mod suspects;
#[cfg(test)]
mod tests;
mod usual;
mod weigh;

use std::borrow::Cow;

use crate::fabric::NodeId;
use crate::model::fluid::Capacity;
use crate::model::load::Paths;

use super::fitness::Fitness;
use super::observed::{Observed, Quantity};
use super::residuals::Residuals;
use detours::Marks;
use flaps::FlapSearch;
pub use found::{ASKED, FaultSite, FoundSuspect, Located, PartialFault, Spell, SuspectGroup};
pub use limits::Limits;
use moved::{Moved, Rounds};
use rows::FlowRows;
use search::Search;
use spells::SpellSearch;
pub use suspects::Suspect;
use suspects::SuspectFlows;
use weigh::LossState;

/// The most entries that are tried in one pass.
const TRIES: usize = 8;
/// Passes over the entries that were found.
const PASSES: usize = 3;

/// A measurement, the paths and rates that it is compared with, and the thresholds.
#[derive(Clone, Copy)]
struct Localiser<'a> {
    paths: &'a Paths<'a>,
    capacity: &'a Capacity,
    observed: &'a Observed,
    limits: Limits,
}

/// Finds what makes flows slow: `residuals` are those of `observed` under the tables of `paths`.
pub fn locate(paths: &Paths<'_>, capacity: &Capacity, observed: &Observed, residuals: &Residuals) -> Located {
    let is_time = observed.quantity == Quantity::Time;
    let localiser = Localiser { paths, capacity, observed, limits: Limits::usual(is_time) };
    let eased = localiser.eased(residuals);
    let residuals = eased.as_ref();
    let mut entries: Vec<Moved> = Vec::new();
    let mut revised = 0;
    loop {
        let current = localiser.with(residuals, &entries);
        let columns = localiser.columns(&current);
        let mut search = localiser.search(&current, &columns);
        let more = localiser.entries(residuals, &entries, &mut search);
        if more.is_empty() {
            revised += 1;
            if revised > PASSES || !localiser.revise(residuals, &mut entries, &search) {
                return localiser.report(residuals, &entries, &columns, &mut search);
            }
            continue;
        }
        entries.extend(more);
    }
}

impl<'a> Localiser<'a> {
    /// The residuals where slow links leave to others what they keep from their flows.
    fn eased<'r>(&self, residuals: &'r Residuals) -> Cow<'r, Residuals> {
        if self.observed.quantity == Quantity::Time {
            return Cow::Borrowed(residuals);
        }
        let columns = self.columns(residuals);
        let slower = self.search(residuals, &columns).found_losses();
        if slower.is_empty() {
            return Cow::Borrowed(residuals);
        }
        Cow::Owned(residuals.eased(self.capacity, self.observed, slower))
    }

    /// The residuals under tables in which these entries are moved.
    fn with<'r>(&self, residuals: &'r Residuals, entries: &[Moved]) -> Cow<'r, Residuals> {
        let mut all = Cow::Borrowed(residuals);
        for moved in entries {
            let rows = FlowRows { paths: self.paths, residuals: &all };
            let rows = rows.moved(self.observed, moved.switch, moved.destination, moved.port);
            all = Cow::Owned(all.moved(self.capacity, self.observed, &rows));
        }
        all
    }

    fn columns(&self, residuals: &Residuals) -> SuspectFlows {
        let is_time = self.observed.quantity == Quantity::Time;
        SuspectFlows::of(self.paths.fabric(), self.paths.links(), residuals, is_time)
    }

    fn search<'r>(&self, residuals: &'r Residuals, columns: &'r SuspectFlows) -> Search<'r>
    where
        'a: 'r,
    {
        let limits = Limits { sure: self.limits.sure_of(columns.len()), ..self.limits };
        let mut search = Search::new(self.paths.fabric(), self.paths.links(), residuals, columns, limits);
        search.run();
        search
    }

    fn rounds<'r>(&self, residuals: &'r Residuals, columns: &'r SuspectFlows) -> Option<Rounds<'r>>
    where
        'a: 'r,
    {
        let is_rate = self.observed.quantity == Quantity::Rate;
        is_rate.then(|| Rounds::new(self.paths, self.capacity, self.observed, residuals, columns)).flatten()
    }

    /// Moved entries that explain more than the search found beside `entries`; no two touch the same flow.
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

    /// Weighs each entry beside all others against those that touch the same flows. A likelier entry replaces it; it is removed
    /// when the others explain its flows. Returns whether anything changed.
    fn revise(&self, base: &Residuals, entries: &mut Vec<Moved>, search: &Search<'_>) -> bool {
        let before: Vec<FaultSite> = entries.iter().map(Moved::site).collect();
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
        entries.iter().map(Moved::site).ne(before)
    }

    fn spells<'r>(&'r self, state: &'r LossState<'r>, open: Vec<bool>) -> SpellSearch<'r> {
        SpellSearch::new(self.paths.fabric(), self.paths.links(), self.observed, state, &self.limits, open)
    }

    /// `base`: the residuals under the tables that were given, by which the measurement is judged.
    fn report(
        &self,
        base: &Residuals,
        entries: &[Moved],
        columns: &SuspectFlows,
        search: &mut Search<'_>,
    ) -> Located {
        if self.observed.repeats.len() > self.observed.len() {
            let mut flapping = Vec::new();
            for (index, suspect) in search.found_links() {
                let open = search.open_without(index);
                let values = FlapSearch::new(self.observed, columns, &search.state, &self.limits, open);
                if values.is_flap(suspect) {
                    flapping.push(index);
                }
            }
            search.take_back(&flapping);
        }
        if self.observed.quantity == Quantity::Rate {
            let mut for_a_time = Vec::new();
            for (index, suspect) in search.found_parts() {
                let open = search.open_without(index);
                if self.spells(&search.state, open).is_spell(suspect) {
                    for_a_time.push(index);
                }
            }
            search.take_back(&for_a_time);
        }
        let mut located = search.report();
        let mut open = search.open_without(usize::MAX);
        let state = &search.state;
        located.partial = entries.iter().map(Moved::as_fault).collect();
        if self.observed.quantity == Quantity::Time {
            let (fabric, links) = (self.paths.fabric(), self.paths.links());
            let (detours, explained) =
                Marks::new(fabric, links, self.observed, state, &self.limits).coincide();
            for f in explained {
                open[f] = false;
            }
            located.partial.extend(detours);
        }
        let mut in_spells = Vec::new();
        if self.observed.quantity == Quantity::Rate {
            let spells;
            (spells, in_spells) = self.spells(state, open.clone()).spells();
            for &f in &in_spells {
                open[f as usize] = false;
            }
            located.partial.extend(spells);
        }
        located.partial.extend(FlapSearch::new(self.observed, columns, state, &self.limits, open).flaps());
        located.groups = groups::of(self.paths.fabric(), self.paths.links(), columns, &located.found);
        if self.observed.quantity == Quantity::Rate {
            let mut explained = explained(entries, columns, &search.state.explained, &located.partial);
            for &flow in &in_spells {
                explained[flow as usize] = true;
            }
            located.fitness = Fitness::of(self.paths, self.capacity, self.observed, base, &explained);
            let losses = located.losses();
            let switches: Vec<NodeId> = entries.iter().map(|entry| entry.switch).collect();
            located.fitness.accuse(&losses, &switches);
        }
        located
    }
}

/// By flow: whether something that was found explains it.
fn explained(
    entries: &[Moved],
    columns: &SuspectFlows,
    by_found: &[f32],
    partial: &[PartialFault],
) -> Vec<bool> {
    let mut explained: Vec<bool> = by_found.iter().map(|&loss| loss > 0.0).collect();
    for &flow in entries.iter().flat_map(|entry| &entry.touched) {
        explained[flow as usize] = true;
    }
    let flapping = partial.iter().filter(|fault| fault.spell.is_none());
    let at_times = flapping.filter_map(|fault| match fault.site {
        FaultSite::Suspect(Suspect::Link(link)) => columns.of_link(link),
        _ => None,
    });
    for (flow, _) in at_times.flat_map(|at| columns.flows(at)) {
        explained[flow] = true;
    }
    explained
}
