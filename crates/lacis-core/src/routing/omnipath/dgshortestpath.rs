//! `shortestpath`, one device group after the other: the LIDs of the first group are spread as evenly as they can
//! be, and those of later groups around them.
//!
//! Within a group ports come by GUID, and every switch in the order of discovery. The ports of
//! [`Options::order`](crate::routing::Options::order) are the first group; all others, which a site need not name,
//! are the manager's group of all.

use rustc_hash::FxHashSet;

use super::balance::Counters;
use super::shortestpath::{set_up, spine_first};
use super::{destinations, switches_discovered};
use crate::fabric::Guid;
use crate::routing::Sweep;
use crate::sm::Lft;

/// Routes a fabric.
pub fn route(sweep: &Sweep<'_>) -> Lft {
    let first: FxHashSet<Guid> = sweep.options.order.iter().copied().collect();
    let mut ports = destinations(sweep);
    ports.sort_by_key(|to| {
        let guid = sweep.fabric.end_port_guid(to.end);
        (!first.contains(&guid), guid, to.end)
    });
    let switches = switches_discovered(sweep);
    let mut balance = Counters::new(sweep.fabric, spine_first(sweep));
    let mut lft = Lft::new(sweep.fabric.num_switches(), sweep.lids.max_lid());
    for to in &ports {
        for &from in &switches {
            set_up(sweep, &mut balance, from, to, &mut lft);
        }
    }
    lft
}
