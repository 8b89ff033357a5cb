//! What a matrix of measurements shows without tables: groups of hosts, kinds of pairs, hosts that stand out.
//!
//! [`Samples`] become a [`PairTable`], one value a pair. [`PairFit`] splits it into what hosts add, what kinds of pairs
//! have in common, and noise. [`Grouping`]s are groups of hosts nearer to each other than to the rest; noise hides them if the
//! gap between near and far is below [`Structure::least_gap`]. [`Peak`]s are the kinds of pairs by their values
//! alone. With the leaf of each host, [`LeafAgreement`] says which hosts are measured among those of another leaf.
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
pub use hosts::{LEAST, Outstanding, PairFit, Side, Symmetry};
pub use leaves::{LeafAgreement, Misplaced};
pub use peaks::{Peak, peaks};
pub use table::{Jitter, PairTable, Samples, Unused};

use stats::{LnFactorials, ln_chance_of_ranks, ln_sizes};
use table::both_directions;

/// The most hosts: tables of all pairs of more would not fit into memory.
pub const MOST_HOSTS: usize = 4096;
/// A gap of fewer steps of the clock is none: values that differ by one step may differ by nothing.
const LEAST_STEPS: f64 = 1.5;

/// Why samples cannot be analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoStructure {
    /// Fewer hosts have no structure.
    #[error("fewer than 3 hosts with a value between them")]
    TooFewHosts,
    /// Tables of all pairs would not fit into memory.
    #[error("{0} hosts: at most {MOST_HOSTS} are taken apart")]
    TooManyHosts(usize),
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Structure {
    /// One value a pair.
    pub table: PairTable,
    /// Groups of hosts, finest first; empty if none stands out from noise.
    pub groupings: Vec<Grouping>,
    /// The least gap, relative to the level, at which groups of four hosts would be found; infinite if no gap suffices.
    pub least_gap: f64,
    /// What hosts and kinds of pairs add; a class for each grouping, and one for pairs in no common group.
    pub fit: PairFit,
    /// Hosts that stand out, worst first.
    pub outstanding: Vec<Outstanding>,
    /// The symmetric and the antisymmetric component.
    pub symmetry: Symmetry,
    /// Kinds of pairs by their values alone, in their unit.
    pub peaks: Vec<Peak>,
    /// How it agrees with the leaves, if they are known.
    pub leaves: Option<LeafAgreement>,
}

impl Structure {
    /// Analyses samples. `leaf`: the leaf of each host, if a fabric is given.
    ///
    /// # Errors
    ///
    /// With fewer than 3 hosts that have a value, or more than [`MOST_HOSTS`].
    pub fn of(samples: &Samples<'_>, leaf: Option<&[u32]>) -> Result<Self, NoStructure> {
        let table = table_of(samples)?;
        let n = table.n;
        let least = LEAST_STEPS * table.step;
        let (peaks, (groupings, leaves)) = rayon::join(
            || peaks(&table.values),
            || {
                rayon::join(
                    || find_groupings(n, &table.excess, least),
                    || leaf.map(|leaf| leaves::compare(n, &table.excess, leaf, least)),
                )
            },
        );
        let (fit, class) =
            PairFit::of(n, &table.excess, groupings.len() + 1, |i, j| groups::class(&groupings, i, j));
        let mut fit = fit.keep_rest(n, &table.excess, &class);
        // Rounding alone deviates by step ÷ √12.
        fit.noise = fit.noise.max(table.step / 12.0_f64.sqrt());
        let symmetry = Symmetry::of(n, &table.excess, &fit);
        let least_gap = least_gap(n, &both_directions(n, &fit.rest)).max(least);
        Ok(Self { outstanding: fit.outstanding(), least_gap, fit, symmetry, peaks, groupings, leaves, table })
    }
}

/// How samples agree with the leaf of each host: only [`Structure::leaves`].
///
/// # Errors
///
/// As [`Structure::of`].
pub fn compare_leaves(samples: &Samples<'_>, leaf: &[u32]) -> Result<LeafAgreement, NoStructure> {
    let table = table_of(samples)?;
    Ok(leaves::compare(table.n, &table.excess, leaf, LEAST_STEPS * table.step))
}

/// The table of samples, if it can be analysed.
fn table_of(samples: &Samples<'_>) -> Result<PairTable, NoStructure> {
    if samples.hosts > MOST_HOSTS {
        return Err(NoStructure::TooManyHosts(samples.hosts));
    }
    let table = PairTable::of(samples);
    let n = table.n;
    let is_there =
        |i: usize| (0..n).any(|j| !table.values[i * n + j].is_nan() || !table.values[j * n + i].is_nan());
    if (0..n).filter(|&i| is_there(i)).count() < 3 {
        return Err(NoStructure::TooFewHosts);
    }
    Ok(table)
}

/// Groupings proposed by the plain table and by the table less what hosts add, then judged with hosts and groups fitted
/// together: so slow hosts make no groups, and groups do not distort hosts. Gaps below `least` are none.
fn find_groupings(n: usize, excess: &[f64], least: f64) -> Vec<Grouping> {
    let proposed =
        |values: &[f64]| groups::best(n, &both_directions(n, values), &vec![0; n]).filter(Grouping::is_clear);
    let (plain, even) = rayon::join(
        || proposed(excess),
        || proposed(&PairFit::of(n, excess, 1, |_, _| 0).0.without_hosts(n, excess)),
    );
    let judged = |proposed: Grouping| -> Option<(Grouping, Vec<f64>)> {
        let (fit, _) = PairFit::of(n, excess, 2, |i, j| usize::from(proposed.group[i] != proposed.group[j]));
        let values = both_directions(n, &fit.without_hosts(n, excess));
        let found = groups::best(n, &values, &vec![0; n]).filter(Grouping::is_clear)?;
        Some((found, values))
    };
    let is_same = plain.as_ref().map(|g| &g.group) == even.as_ref().map(|g| &g.group);
    let plain = plain.filter(|_| !is_same);
    let (plain, even) = rayon::join(|| plain.and_then(judged), || even.and_then(judged));
    let best = [plain, even].into_iter().flatten().min_by(|a, b| a.0.ln_chance.total_cmp(&b.0.ln_chance));
    let all = best.map(|(first, values)| {
        let mut all = groups::with_others(n, &values, first);
        let before = all.len();
        all.retain(|grouping| grouping.gap() > least);
        if all.len() < before {
            groups::describe_classes(n, &values, &mut all);
        }
        all
    });
    all.unwrap_or_default()
}

/// The least gap at which groups of four hosts would be found, if the residual noise is normal: from the rank sum that the
/// bound requires follows the probability that a near pair is nearer than a far one, and from that the gap.
fn least_gap(n: usize, rest: &[f64]) -> f64 {
    let noise = stats::deviation(rest.iter().copied());
    let pairs =
        (0..n).flat_map(|i| (0..i).map(move |j| i * n + j)).filter(|&cell| !rest[cell].is_nan()).count();
    let groups = n / 4;
    if groups == 0 {
        return f64::INFINITY;
    }
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
