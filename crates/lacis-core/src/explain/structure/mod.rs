//! What a matrix of measurements tells by itself, without tables: groups of hosts, kinds of pairs, hosts that stand out.
//!
//! [`Samples`] become a [`Table`], one value a pair. [`Fit`] takes it apart: what hosts add, what kinds of pairs have in
//! common, and noise. [`Grouping`]s are groups of hosts nearer to each other than to the rest; noise above the gap between
//! near and far hides them, and [`Structure::least_gap`] says where that begins. [`Peak`]s are the kinds of pairs by their values
//! alone. With the leaf of each host, [`Leaves`] says which hosts are measured among those of another leaf.
//!
//! All values are relative to the level, the median of the pairs, and more is worse: of latencies `value / level - 1`, of
//! rates `ln(level / value)`.

mod groups;
mod hosts;
mod leaves;
mod linkage;
mod peaks;
mod ranks;
mod stats;
mod table;
#[cfg(test)]
mod tests;

pub use groups::Grouping;
pub use hosts::{Fit, LEAST, Outstanding, Parts, Side};
pub use leaves::{Leaves, Misplaced};
pub use peaks::{Peak, peaks};
pub use table::{Jitter, Samples, Table, Unused};

use stats::{LnFactorials, ln_chance_of_ranks, ln_sizes};
use table::both_directions;

/// More hosts are not taken apart: tables of all pairs would not fit.
pub const MOST_HOSTS: usize = 4096;

/// Why nothing can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Untold {
    /// No host can be told from another.
    #[error("fewer than 3 hosts with a value between them")]
    TooFewHosts,
    /// Tables of all pairs would not fit.
    #[error("{0} hosts: at most {MOST_HOSTS} are taken apart")]
    TooManyHosts(usize),
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Structure {
    /// One value a pair.
    pub table: Table,
    /// Groups of hosts, finest first; empty where none is told from noise.
    pub groupings: Vec<Grouping>,
    /// Groups of four hosts would be told from a gap of this, relative to the level; infinite where even a clear gap would not do.
    pub least_gap: f64,
    /// What hosts and kinds of pairs add; a class for each grouping, and one for pairs in no common group.
    pub fit: Fit,
    /// Hosts that stand out, worst first.
    pub outstanding: Vec<Outstanding>,
    /// The same in both directions, and not.
    pub parts: Parts,
    /// Kinds of pairs by their values alone, in their unit.
    pub peaks: Vec<Peak>,
    /// How it agrees with the leaves, where they are known.
    pub leaves: Option<Leaves>,
}

impl Structure {
    /// Takes samples apart. `leaf`: of each host, where a fabric tells it.
    ///
    /// # Errors
    ///
    /// With fewer than 3 hosts that have a value, or more than [`MOST_HOSTS`].
    pub fn of(samples: &Samples<'_>, leaf: Option<&[u32]>) -> Result<Self, Untold> {
        let table = table_of(samples)?;
        let n = table.n;
        let (peaks, (groupings, leaves)) = rayon::join(
            || peaks(&table.values),
            || {
                rayon::join(
                    || find_groupings(n, &table.excess),
                    || leaf.map(|leaf| leaves::compare(n, &table.excess, leaf)),
                )
            },
        );
        let (fit, class) =
            Fit::of(n, &table.excess, groupings.len() + 1, |i, j| groups::class(&groupings, i, j));
        let fit = fit.keep_rest(n, &table.excess, &class);
        let parts = Parts::of(n, &table.excess, &fit);
        let least_gap = least_gap(n, &both_directions(n, &fit.rest));
        Ok(Self { outstanding: fit.outstanding(), least_gap, fit, parts, peaks, groupings, leaves, table })
    }
}

/// How samples agree with the leaf of each host: [`Structure::leaves`] alone.
///
/// # Errors
///
/// As [`Structure::of`].
pub fn compare_leaves(samples: &Samples<'_>, leaf: &[u32]) -> Result<Leaves, Untold> {
    let table = table_of(samples)?;
    Ok(leaves::compare(table.n, &table.excess, leaf))
}

/// The table of samples that can be taken apart.
fn table_of(samples: &Samples<'_>) -> Result<Table, Untold> {
    if samples.hosts > MOST_HOSTS {
        return Err(Untold::TooManyHosts(samples.hosts));
    }
    let table = Table::of(samples);
    let n = table.n;
    let is_there =
        |i: usize| (0..n).any(|j| !table.values[i * n + j].is_nan() || !table.values[j * n + i].is_nan());
    if (0..n).filter(|&i| is_there(i)).count() < 3 {
        return Err(Untold::TooFewHosts);
    }
    Ok(table)
}

/// Groupings proposed by the plain table and by that without what hosts add, then judged with hosts fitted beside the
/// groups: hosts alone are no groups, and groups bend no host.
fn find_groupings(n: usize, excess: &[f64]) -> Vec<Grouping> {
    let proposed =
        |values: &[f64]| groups::best(n, &both_directions(n, values), &vec![0; n]).filter(Grouping::is_told);
    let (plain, even) = rayon::join(
        || proposed(excess),
        || proposed(&Fit::of(n, excess, 1, |_, _| 0).0.without_hosts(n, excess)),
    );
    let judged = |proposed: Grouping| -> Option<(Grouping, Vec<f64>)> {
        let (fit, _) = Fit::of(n, excess, 2, |i, j| usize::from(proposed.group[i] != proposed.group[j]));
        let values = both_directions(n, &fit.without_hosts(n, excess));
        let found = groups::best(n, &values, &vec![0; n]).filter(Grouping::is_told)?;
        Some((found, values))
    };
    let is_same = plain.as_ref().map(|g| &g.group) == even.as_ref().map(|g| &g.group);
    let plain = plain.filter(|_| !is_same);
    let (plain, even) = rayon::join(|| plain.and_then(judged), || even.and_then(judged));
    let best = [plain, even].into_iter().flatten().min_by(|a, b| a.0.ln_chance.total_cmp(&b.0.ln_chance));
    best.map(|(first, values)| groups::with_others(n, &values, first)).unwrap_or_default()
}

/// The gap from which groups of four hosts would be told, with normal noise of what is left: the rank sum that the bound
/// asks for, as the chance that a near pair is nearer than a far one.
fn least_gap(n: usize, rest: &[f64]) -> f64 {
    let noise = stats::deviation(rest.iter().copied());
    let pairs =
        (0..n).flat_map(|i| (0..i).map(move |j| i * n + j)).filter(|&cell| !rest[cell].is_nan()).count();
    let groups = n / 4;
    let share = 6.0 * groups as f64 / (n * (n - 1) / 2).max(1) as f64;
    let inside = (share * pairs as f64) as usize;
    let facts = LnFactorials::up_to(n);
    let partitions = facts.of(n) - groups as f64 * facts.of(4) - facts.of(groups) - facts.of(n % 4);
    let wanted = groups::LN_ALPHA - partitions - ln_sizes(n);
    // Mean rank of near pairs, by the chance that a far one is nearer.
    let mean = |wrong: f64| share / 2.0 + (1.0 - share) * wrong;
    if ln_chance_of_ranks(inside, pairs, mean(0.0)) > wanted {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (0.0, 0.5);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if ln_chance_of_ranks(inside, pairs, mean(middle)) < wanted { low = middle } else { high = middle }
    }
    noise * (2.0_f64.sqrt() * stats::normal_quantile(1.0 - low)).max(groups::LEAST_GAP)
}
