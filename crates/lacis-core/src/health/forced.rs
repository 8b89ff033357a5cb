//! Hosts behind so few cables that one of them must carry far more than any other link, whatever the
//! tables ([`crate::cuts`]).
//!
//! Reported only if it concerns few hosts: without them the fullest link must carry much less. If
//! all leaves or pods have as few cables for their hosts, it is the fabric's taper.

use super::Finding;
use super::context::Context;
use super::facts::{CrowdedHosts, Cut, Fact};
use crate::cuts::{Forced, Why, forced, mean_hops};
use crate::fabric::{Fabric, NodeId, PortId};

/// Least that some link must carry, as a multiple of the mean over all links with shortest paths.
const FAR_ABOVE_MEAN: f64 = 2.0;
/// By how much that falls at least without the hosts.
const FALLS: f64 = 1.5;
/// Most hosts that count as few: one in so many.
const FEW: usize = 10;
/// Most cuts that are reported.
const MOST: usize = 4;

/// `first` is what all `ports` of hosts force.
pub(super) fn report_crowded_hosts(
    ctx: &Context,
    mut ports: Vec<PortId>,
    first: &Forced,
    out: &mut Vec<Finding>,
) {
    let all = ports.len();
    let mean = mean_hops(ctx.fabric, &ports);
    if (first.flows as f64) < FAR_ABOVE_MEAN * mean || mean == 0.0 {
        return;
    }
    let mut cuts: Vec<Forced> = Vec::new();
    let mut next = first.clone();
    while next.flows as f64 >= FAR_ABOVE_MEAN * mean && cuts.len() < MOST {
        let Why::Cut { inside, hosts, .. } = &next.why else { break };
        if FEW * (all - ports.len() + *hosts as usize) > all {
            break;
        }
        ports.retain(|&p| !hangs_off(ctx.fabric, inside, p));
        cuts.push(next);
        next = forced(ctx.fabric, &ports, |_| 1);
    }
    if next.flows as f64 * FALLS > first.flows as f64 {
        return;
    }
    for cut in cuts {
        let crowded = Cut::of(ctx.fabric, &cut.why).map(|hosts| CrowdedHosts {
            cut: hosts,
            over_mean: cut.flows as f64 / mean,
            over_mean_without: next.flows as f64 / mean,
        });
        out.extend(crowded.map(|crowded| Finding::from(Fact::HostsCrowded(crowded))));
    }
}

fn hangs_off(fabric: &Fabric, switches: &[NodeId], port: PortId) -> bool {
    fabric.edge_switch(port).is_some_and(|edge_switch| switches.binary_search(&edge_switch).is_ok())
}
