//! Hosts behind few cables, in words.

use super::super::facts::{Beside, CrowdedHosts, Cut, ThinSection};
use super::words::{Words, counted, some_of};
use crate::cuts::Why;
use crate::fabric::Fabric;

/// Hosts and the cables that they are behind: `5 hosts behind 2 cables of MLG01-01`. `one` is what a host is called.
fn cut(cut: &Cut, one: &str) -> String {
    let who = counted(cut.hosts as usize, one, &format!("{one}s"));
    let on = if cut.switches > 1 { format!(" on {} switches", cut.switches) } else { String::new() };
    let cables = counted(cut.cables as usize, "cable", "cables");
    let mut of: Vec<&str> = cut.border.iter().take(3).map(|switch| &*switch.node).collect();
    if cut.border.len() > of.len() {
        of.push("…");
    }
    let of = match cut.border.len() {
        1 => of.concat(),
        n => format!("{n} switches ({})", of.join(", ")),
    };
    let alike = match cut.alike {
        0 => String::new(),
        1 => ", and another switch alike".into(),
        n => format!(", and {n} other switches alike"),
    };
    format!("{who}{on} behind {cables} of {of}{alike}")
}

/// What forces a link to carry so much, in words. `one` is what a host is called.
pub fn why(fabric: &Fabric, why: &Why, one: &str) -> String {
    match why {
        Why::Nothing => "no pair is on two switches".into(),
        Why::Lengths { hops, links } => {
            format!("shortest paths use {hops} links together, and there are {links}")
        }
        Why::Cut { .. } => Cut::of(fabric, why).map_or_else(String::new, |found| cut(&found, one)),
    }
}

pub(super) fn section_thin(fact: &ThinSection) -> Words {
    let compared = match fact.compared {
        Beside::Levels { share } => format!("the levels let {:.0} % through", 100.0 * share),
        Beside::Halves { share } => format!("between halves of these there is {:.0} %", 100.0 * share),
    };
    Words::new(
        some_of(&fact.cut.border),
        format!(
            "{}: {:.1} GB/s in each direction join them with the other {}, {:.1} % of what they can send; {compared}",
            cut(&fact.cut, "host adapter"),
            fact.bytes_per_second / 1e9,
            counted(fact.others, "host adapter", "host adapters"),
            100.0 * fact.share,
        ),
        "Add cables between these sections, or keep jobs within one of them.",
    )
}

pub(super) fn hosts_crowded(fact: &CrowdedHosts) -> Words {
    Words::new(
        some_of(&fact.cut.border),
        format!(
            "{}: when all hosts send to each other, one of these carries {:.1} times the mean of all links between switches, \
             whatever the tables; without these hosts {:.1} would do",
            cut(&fact.cut, "host adapter"),
            fact.over_mean,
            fact.over_mean_without
        ),
        "Add cables there, or expect these hosts to be slow when all send.",
    )
}
