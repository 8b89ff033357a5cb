//! What max-min sharing gives the flows of each round.

use rayon::prelude::*;

use super::observed::Observed;
use crate::model::fluid::Fluid;
use crate::model::load::{LinkId, SINK};

/// The max-min fair rate of each flow [bytes/s] among those of its round on links of these rates; flows that ran alone get what
/// their slowest link carries. `links` has `width` a flow. Not a number without a route.
pub(super) fn fair_rates(rates: &[f64], observed: &Observed, width: usize, links: &[LinkId]) -> Vec<f64> {
    let rounds: Vec<_> = observed.rounds().collect();
    let alone = |row: &[LinkId]| {
        let there = row.iter().filter(|&&link| link != SINK);
        there.map(|&link| rates[link as usize]).fold(f64::INFINITY, f64::min)
    };
    let fill = |fluid: &mut Fluid, (flows, shares): &(std::ops::Range<usize>, bool)| -> Vec<f64> {
        let rows = links[flows.start * width..flows.end * width].chunks_exact(width);
        let known = |rate: f64| if rate.is_finite() && rate > 0.0 { rate } else { f64::NAN };
        if !shares {
            return rows.map(|row| known(alone(row))).collect();
        }
        fluid.fill_rows(rows.map(|row| row.iter().copied().filter(|&link| link != SINK)));
        fluid.rates().iter().copied().map(known).collect()
    };
    let each: Vec<Vec<f64>> = rounds.par_iter().map_init(|| Fluid::new(rates.to_vec()), fill).collect();
    each.concat()
}
