//! Hosts behind so few cables that one of them must carry far more than any other link, whatever the
//! tables ([`crate::cuts`]).
//!
//! Reported only if it concerns few hosts: without them the fullest link must carry much less. If
//! all leaves or pods have as few cables for their hosts, it is the fabric's taper.

use super::context::Context;
use super::islands::counted;
use super::{Code, Finding};
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
pub(super) fn find(ctx: &Context, mut ports: Vec<PortId>, first: &Forced, out: &mut Vec<Finding>) {
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
        let Why::Cut { border, .. } = &cut.why else { continue };
        let who = why(ctx.fabric, &cut.why, "host adapter");
        let text = format!(
            "{who}: when all hosts send to each other, one of these carries {:.1} times the mean of all links \
             between switches, whatever the tables; without these hosts {:.1} would do",
            cut.flows as f64 / mean,
            next.flows as f64 / mean
        );
        let advice = "Add cables there, or expect these hosts to be slow when all send.";
        let locations = border.iter().map(|&s| ctx.location(s)).collect();
        out.push(Finding::new(Code::CablesFew, locations, text, advice));
    }
}

fn hangs_off(fabric: &Fabric, switches: &[NodeId], port: PortId) -> bool {
    fabric.edge_switch(port).is_some_and(|edge_switch| switches.binary_search(&edge_switch).is_ok())
}

/// What forces a link to carry so much, in words: `5 hosts behind 2 cables of MLG01-01`.
pub fn why(fabric: &Fabric, why: &Why, one: &str) -> String {
    match why {
        Why::Nothing => "no pair is on two switches".into(),
        Why::Lengths { hops, links } => {
            format!("shortest paths use {hops} links together, and there are {links}")
        }
        Why::Cut { inside, border, hosts, cables, alike } => {
            let who = counted(*hosts as usize, one, &format!("{one}s"));
            let on = if inside.len() > 1 { format!(" on {} switches", inside.len()) } else { String::new() };
            let cables = counted(*cables as usize, "cable", "cables");
            let mut of: Vec<_> = border.iter().take(3).map(|&s| fabric.name(s)).collect();
            if border.len() > of.len() {
                of.push("…".into());
            }
            let of = match border.len() {
                1 => of.concat(),
                n => format!("{n} switches ({})", of.join(", ")),
            };
            let alike = match alike {
                0 => String::new(),
                1 => ", and another switch alike".into(),
                n => format!(", and {n} other switches alike"),
            };
            format!("{who}{on} behind {cables} of {of}{alike}")
        }
    }
}
