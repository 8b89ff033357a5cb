//! The cables of planes with groups, against the pattern of their peers: those within groups, and those between.
//!
//! What pairs of switches should have ([`expected`]) is what most like pairs have. A pair with a cable too many beside one with
//! a cable too few is a cable that is plugged into the wrong switch; two of each in a ring are two cables whose ends are
//! exchanged; what is left is missing, if both switches have a free port for it. Where pairs show no pattern, what each switch has
//! to each group may, or what each two groups have ([`between`]).

mod between;
mod differences;
mod expected;
#[cfg(test)]
mod pattern_tests;
mod plane;
mod report;
#[cfg(test)]
mod tests;

use super::Finding;
use super::context::Context;
use crate::fabric::Groups;
use differences::differences;
use expected::Expected;
use plane::{Pair, Plane};
use report::Report;

/// Compares the cables of planes with groups with their pattern.
pub(super) fn report_group_cables(ctx: &Context, out: &mut Vec<Finding>) {
    ctx.groups.iter().for_each(|groups| find_in(ctx, groups, out));
}

/// How many cables of planes with groups can be compared with those of like switches.
pub(super) fn compared(ctx: &Context) -> usize {
    let of_plane = |groups: &Groups| {
        let plane = Plane::of(ctx, groups);
        let expected = Expected::of(&plane);
        let is_between = expected.between || between::between(&plane).is_some();
        let is_compared = |&pair: &Pair| {
            let is_known = expected.of.contains_key(&pair) && plane.is_judged(pair);
            is_known || !plane.is_within(pair) && is_between
        };
        let pairs = plane.count.iter().filter(|(pair, _)| is_compared(pair));
        pairs.map(|(_, &n)| usize::from(n)).sum::<usize>()
    };
    ctx.groups.iter().map(of_plane).sum()
}

fn find_in(ctx: &Context, groups: &Groups, out: &mut Vec<Finding>) {
    let plane = Plane::of(ctx, groups);
    let expected = Expected::of(&plane);
    let report = Report { ctx, plane: &plane };
    let mut found = differences(&plane, &expected);
    let mut peers = expected.peers;
    if !expected.between
        && let Some(between) = between::between(&plane)
    {
        peers[1] = between.peers;
        found.extend(between.differences);
        out.extend(between.thin.iter().map(|&(groups, have, of)| report.thin(groups, have, of, peers[1])));
    }
    report.findings(&found, &expected, peers, out);
}
