//! Free of credit loops on any connected fabric, on a single lane.
//!
//! J. Domke, T. Hoefler, S. Matsuoka, "Routing on the Dependency Graph: A New Approach to
//! Deadlock-Free High-Performance Routing", HPDC 2016, searches paths in the graph of channel
//! dependencies and refuses those that would close a cycle. Here the order is turned round: the
//! channels are numbered first (`numbering`), so that every switch reaches every home along
//! ascending numbers, and only ascending dependencies are taken. No cycle can arise, and no pair is
//! left without a way: where no numbering serves all shortest ways (`minimal`), up*/down* over a
//! spanning tree always does (`escape`, `select`). Then targets are routed one by one over the
//! least loaded of their ways, in several passes (`balance`).
//!
//! Departures: one lane is enough for any fabric, so no further ones are used, whatever OpenSM's
//! `nue_max_num_vls` allows; the tables are not OpenSM's.

mod balance;
mod cdg;
mod escape;
mod minimal;
mod numbering;
mod orders;
mod part;
mod select;
mod ways;
mod weave;

use super::{Lft, Sweep};
use balance::{Balance, HERE, SQUARINGS};
use numbering::Numbering;
use part::{Home, Part};

/// Routes any fabric; connected parts each by themselves.
pub fn route(sweep: &Sweep<'_>) -> Lft {
    let Sweep { fabric, lids, .. } = *sweep;
    let parts = Part::all(fabric, lids);
    let mut lft = Lft::new(fabric.num_switches(), lids.max_lid());
    for part in &parts {
        let numbering = minimal::number(part).unwrap_or_else(|| {
            let all: Vec<&Home> = part.homes.iter().collect();
            select::best(part, &all).unwrap_or_else(|| Numbering::up_down(part, &[]))
        });
        let homes: Vec<(&Home, &Numbering)> = part.homes.iter().map(|h| (h, &numbering)).collect();
        let mut balance = Balance::new(part, homes);
        for (i, squarings) in SQUARINGS.into_iter().enumerate() {
            if i > 0 && part.num_channels() * part.targets.len() > 1 << 27 {
                break;
            }
            balance.pass(squarings, i > 0);
            if balance.max() <= part.least_max() {
                break;
            }
        }
        let taken = balance.into_taken();
        for (s, &switch) in part.switches.iter().enumerate() {
            let row = lft.row_mut(switch);
            for (t, target) in part.targets.iter().enumerate() {
                let place = taken[t * part.len() + s];
                row[target.lid as usize] = if place == HERE {
                    target.at_home
                } else {
                    part.port[part.channel(s as u32, usize::from(place))]
                };
            }
        }
    }
    lft
}
