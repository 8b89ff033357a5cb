//! From flows that fall short to the links, hosts and switches that make them slow.
//!
//! A flow gets what the slowest link of its path leaves it, so a slow link shows in *all* flows over it, and a flow that one
//! slow link explains says nothing about the others on its path. With y the losses (ln), s the slack of a link on a path, e the
//! loss that found suspects explain, and d a suspect's:
//!
//! | here        | meaning                                                                                   |
//! |-------------|-------------------------------------------------------------------------------------------|
//! | `explained` | e of a flow: the maximum of d − s over found suspects on its path                         |
//! | `gain`      | Σ ρ((y − e) / σ) − ρ((y − max(e, d − s)) / σ), with ρ(z) = min(z², 5²) / 2                |
//! | `differ`    | τ, how much healthy suspects of one kind differ: a random effect in the variance          |
//! | `error`     | √(τ² + σ²/n)                                                                              |
//!
//! Suspects are found greedily, the greatest gain first; gains only shrink while more is explained, so that most need not be
//! weighed again (M. Minoux, "Accelerated greedy algorithms for maximizing submodular set functions", 1978). Then each is
//! weighed again beside the others, and against those that share its flows. A suspect counts where d is at least `Limits::sure`
//! errors, where its flows are slow together (the chance that as many outliers meet, by Chernoff's bound, times the number of
//! suspects is small), and where most of its flows are slow. The search for a maximum of the likelihood over sets of
//! suspects is that of V. Harsh et al., "Flock: accurate network fault localization at scale", `CoNEXT` 2023; rates instead of
//! lost packets, the bottleneck, τ and the classes of what cannot be told apart are ours. Clipping and the check by
//! medians keep outliers from accusing links: P. J. Huber, "Robust statistics", 1981.

mod columns;
mod found;
mod limits;
mod partly;
mod search;
#[cfg(test)]
mod tests;
mod weigh;

use crate::fabric::Fabric;
use crate::model::load::Links;

use super::observed::{Observed, Quantity};
use super::residuals::Residuals;
use columns::Columns;
pub use columns::Suspect;
pub use found::{ASKED, Found, Located, Part, Partly};
pub use limits::Limits;
use partly::Marks;
use search::Search;

/// Finds what makes flows slow.
pub fn locate(fabric: &Fabric, links: &Links, observed: &Observed, residuals: &Residuals) -> Located {
    let is_time = observed.quantity == Quantity::Time;
    let usual = Limits::usual(is_time);
    let columns = Columns::of(fabric, links, residuals, is_time);
    let limits = Limits { sure: usual.sure_of(columns.len()), ..usual };
    let mut search = Search::new(fabric, links, residuals, &columns, &limits);
    search.run();
    let mut located = search.report();
    located.partly = Marks::new(fabric, links, observed, &search.state, &limits).meet();
    located
}
