//! Switches that numbering and cabling imply but that are absent.
//!
//! Switches of one level whose names differ in numbers only form a *series*. Its key is the shortest run
//! of last numbers that distinguishes its members: `IBSPINE-07` has one, `IBLEAF-03-01` two. With
//! two or more, the key is a grid (rail × position) and a hole in a nearly full grid is an absent
//! switch, unless the grid just ends there. With one, a gap in the numbers counts only if the ports
//! agree: the switches above (or below) have empty ports where the absent one would be cabled.

use std::collections::{BTreeMap, BTreeSet};

use super::blocks::{Block, Tier};
use super::context::Context;
use super::facts::{AbsentSwitch, EmptyPorts, Fact, SeriesNumbers, Side};
use super::names::Fields;
use super::{Finding, Location};
use crate::fabric::levels::Role;
use crate::fabric::{NodeId, short};
use crate::natural::natural;

/// An absent switch.
pub(super) struct Absent {
    pub fact: AbsentSwitch,
    pub level: Option<u8>,
    /// Positions of the key's numbers in the name, with their values.
    pub key: Vec<(usize, u32)>,
}

type Member = (NodeId, Fields);

/// Switches of one level named alike.
struct SwitchSeries {
    level: Option<u8>,
    /// Positions of the key's numbers in the names.
    fields: Vec<usize>,
    members: BTreeMap<Vec<u32>, Member>,
}

pub(super) fn absent_switches(ctx: &Context, tiers: &[Tier]) -> Vec<Absent> {
    let all = series(ctx);
    let from_zero =
        all.iter().any(|s| s.fields.len() == 1 && s.members.keys().next().is_some_and(|k| k[0] == 0));
    all.iter()
        .flat_map(|s| if s.fields.len() == 1 { gaps(ctx, tiers, s, from_zero) } else { holes(ctx, tiers, s) })
        .collect()
}

/// Reports the absent switches, each with the hosts that lack a rail because of it, which are among the findings by then.
pub(super) fn report(absent: &[Absent], out: &mut Vec<Finding>) {
    let findings = absent.iter().map(|switch| {
        let mut fact = switch.fact.clone();
        for finding in &*out {
            if let Fact::RailMissing(missing) = &finding.fact
                && missing.absent_leaf.as_ref() == Some(&fact.switch.node)
            {
                fact.hosts.extend(missing.hosts.iter().cloned());
                fact.unnamed += missing.unnamed;
            }
        }
        Finding::from(Fact::SwitchAbsent(fact))
    });
    let findings: Vec<Finding> = findings.collect();
    out.extend(findings);
}

fn series(ctx: &Context) -> Vec<SwitchSeries> {
    let mut groups: BTreeMap<(Option<u8>, Box<str>, usize), Vec<Member>> = BTreeMap::new();
    for id in ctx.fabric.switches() {
        let fields = Fields::of(short(&ctx.fabric.node(id).description));
        let level = ctx.level_of(id);
        // The key includes the count of numbers: a name may hold a `#` of its own.
        groups.entry((level, fields.series.clone(), fields.numbers.len())).or_default().push((id, fields));
    }
    groups.into_iter().filter_map(|((level, ..), members)| keyed(level, &members)).collect()
}

/// Finds the key of a series: the last one, two or three varying numbers that distinguish its members.
fn keyed(level: Option<u8>, members: &[Member]) -> Option<SwitchSeries> {
    if members.len() < 3 {
        return None;
    }
    let numbers = members[0].1.numbers.len();
    let varying: Vec<usize> = (0..numbers)
        .filter(|&i| members.iter().any(|m| m.1.numbers[i].0 != members[0].1.numbers[i].0))
        .collect();
    (1..=varying.len().min(3)).find_map(|k| {
        let fields = &varying[varying.len() - k..];
        let key = |f: &Fields| -> Vec<u32> { fields.iter().map(|&i| f.numbers[i].0).collect() };
        let distinct: BTreeSet<Vec<u32>> = members.iter().map(|m| key(&m.1)).collect();
        (distinct.len() == members.len()).then(|| SwitchSeries {
            level,
            fields: fields.to_vec(),
            members: members.iter().map(|m| (key(&m.1), m.clone())).collect(),
        })
    })
}

/// One number: gaps between its least and greatest value, or a missing first one, where ports agree.
fn gaps(ctx: &Context, tiers: &[Tier], series: &SwitchSeries, from_zero: bool) -> Vec<Absent> {
    let values: Vec<u32> = series.members.keys().map(|k| k[0]).collect();
    let (first, last) = (values[0], values[values.len() - 1]);
    let start = if first == u32::from(!from_zero) + 1 { first - 1 } else { first };
    let span = (last - start) as usize + 1;
    if 3 * values.len() < 2 * span {
        return Vec::new();
    }
    (start..last)
        .filter(|v| values.binary_search(v).is_err())
        .filter_map(|v| {
            let empty = evidence(ctx, tiers, series, &[v])?;
            absent(ctx, series, &[v], SeriesNumbers::Run { first: start, last }, Some(empty))
        })
        .collect()
}

/// A grid of two or three numbers: holes that are not at a ragged end.
fn holes(ctx: &Context, tiers: &[Tier], series: &SwitchSeries) -> Vec<Absent> {
    let width = series.fields.len();
    let axes: Vec<Vec<u32>> = (0..width)
        .map(|i| series.members.keys().map(|k| k[i]).collect::<BTreeSet<_>>().into_iter().collect())
        .collect();
    let size: usize = axes.iter().map(Vec::len).product();
    let missing = size - series.members.len();
    if missing == 0 || 8 * missing > size {
        return Vec::new();
    }
    let cell = |mut n: usize| -> Vec<u32> {
        let mut key = vec![0; width];
        for i in (0..width).rev() {
            key[i] = axes[i][n % axes[i].len()];
            n /= axes[i].len();
        }
        key
    };
    (0..size)
        .map(cell)
        .filter(|key| !series.members.contains_key(key))
        .filter_map(|key| {
            let inside = (0..width).any(|i| neighbours(series, &key, i).1.is_some());
            let empty = evidence(ctx, tiers, series, &key);
            if !inside && missing > 1 && empty.is_none() {
                return None;
            }
            absent(ctx, series, &key, SeriesNumbers::Grid { size }, empty)
        })
        .collect()
}

/// Names the absent switch after members that share one of its numbers, by what else they agree on.
fn absent(
    ctx: &Context,
    series: &SwitchSeries,
    key: &[u32],
    numbers: SeriesNumbers,
    empty: Option<EmptyPorts>,
) -> Option<Absent> {
    let changes: Vec<(usize, u32)> = series.fields.iter().copied().zip(key.iter().copied()).collect();
    let mut candidates: Vec<(bool, usize, String)> = Vec::new();
    for i in (0..key.len()).rev() {
        let mut like: Vec<String> = series
            .members
            .iter()
            .filter(|(k, _)| key.len() == 1 || k[i] == key[i])
            .map(|(_, (_, fields))| fields.with(&changes))
            .collect();
        like.sort_unstable();
        let most = like.chunk_by(|a, b| a == b).max_by_key(|run| run.len());
        if let Some(run) = most {
            candidates.push((run.len() == like.len(), run.len(), run[0].clone()));
        }
    }
    // With a single number, the nearest member best shows which rack it is in.
    let name = if key.len() == 1 {
        let near = series.members.iter().min_by_key(|(k, _)| k[0].abs_diff(key[0]))?;
        near.1.1.with(&changes)
    } else {
        candidates.into_iter().max_by_key(|c| (c.0, c.1))?.2
    };
    let known = series.members.values().any(|(_, f)| f.with(&[]) == name);
    let of_one = series.members.values().next().and_then(|&(id, _)| ctx.role_of(id));
    let fact = AbsentSwitch {
        switch: Location::absent(&name),
        present: series.members.len(),
        numbers,
        empty,
        role: of_one.map(Role::name),
        hosts: Vec::new(),
        unnamed: 0,
    };
    (!known).then_some(Absent { fact, level: series.level, key: changes })
}

/// The nearest members before and after a position along one number of the key.
fn neighbours(series: &SwitchSeries, key: &[u32], axis: usize) -> (Option<NodeId>, Option<NodeId>) {
    let on_line = |k: &Vec<u32>| (0..key.len()).all(|i| i == axis || k[i] == key[i]);
    let line = || series.members.iter().filter(|(k, _)| on_line(k));
    let before = line().filter(|(k, _)| k[axis] < key[axis]).max_by_key(|(k, _)| k[axis]);
    let after = line().filter(|(k, _)| k[axis] > key[axis]).min_by_key(|(k, _)| k[axis]);
    (before.map(|m| m.1.0), after.map(|m| m.1.0))
}

/// Empty ports beside a neighbour's, on nearly all switches of the neighbour's block across.
fn evidence(ctx: &Context, tiers: &[Tier], series: &SwitchSeries, key: &[u32]) -> Option<EmptyPorts> {
    for axis in (0..key.len()).rev() {
        let (before, after) = neighbours(series, key, axis);
        for (near, ahead) in [(before, true), (after, false)] {
            let Some(near) = near else { continue };
            for tier in tiers {
                for block in &tier.blocks {
                    let (across, side) = if block.lowers.contains(&near) {
                        (&block.uppers, Side::Above)
                    } else if block.uppers.contains(&near) {
                        (&block.lowers, Side::Below)
                    } else {
                        continue;
                    };
                    // At either end of the numbers the gap must be bounded, else free ports would do.
                    let bounded = before.is_none() || after.is_none();
                    if let Some((ports, ends)) = empty_beside(ctx, block, across, near, ahead, bounded) {
                        return Some(EmptyPorts { ports, switches: across.len(), side, ends });
                    }
                }
            }
        }
    }
    None
}

/// The most cables that run between two switches, but for what less than a tenth of the cabled pairs have: a cable moved to
/// a wrong switch makes no pattern.
fn usual_most(counts: &[u16]) -> Option<u16> {
    let mut cabled: Vec<u16> = counts.iter().copied().filter(|&count| count > 0).collect();
    cabled.sort_unstable();
    cabled.get((9 * cabled.len()).div_ceil(10).saturating_sub(1)).copied()
}

/// The ports right above (or below) those that lead to `near`, where nine in ten of `across` have them
/// empty: as many as cables of the block usually run between two switches. The usual numbers, and every such port.
fn empty_beside(
    ctx: &Context,
    block: &Block,
    across: &[NodeId],
    near: NodeId,
    ahead: bool,
    bounded: bool,
) -> Option<(Vec<u8>, Vec<Location>)> {
    let fabric = ctx.fabric;
    let width = i32::from(usual_most(&block.count)?);
    let mut seen: Vec<Vec<u8>> = Vec::new();
    let mut ends: Vec<Location> = Vec::new();
    for &other in across {
        let to_near: Vec<i32> = fabric
            .ports_of(other)
            .filter(|&p| fabric.peer(p).is_some_and(|q| fabric.node_of(q) == near))
            .map(|p| i32::from(fabric.number_of(p)))
            .collect();
        let (Some(&least), Some(&most)) = (to_near.first(), to_near.last()) else { continue };
        let range = if ahead { most + 1..=most + width } else { least - width..=least - 1 };
        let beyond = if ahead { most + width + 1 } else { least - width - 1 };
        let port = |n: i32| u8::try_from(n).ok().filter(|&n| n > 0).and_then(|n| fabric.port(other, n));
        let empty = |n: i32| port(n).is_some_and(|p| fabric.peer(p).is_none() && ctx.cages.fits(p));
        if range.clone().all(empty) && !(bounded && empty(beyond)) {
            ends.extend(range.clone().filter_map(port).map(|p| ctx.port_location(p)));
            seen.push(range.filter_map(|n| u8::try_from(n).ok()).collect());
        }
    }
    let agreed = 10 * seen.len() >= 9 * across.len();
    seen.sort_unstable();
    let usual = seen.chunk_by(|a, b| a == b).max_by_key(|run| run.len())?;
    ends.sort_by(|a, b| natural(&a.node, &b.node).then_with(|| a.port.cmp(&b.port)));
    agreed.then(|| (usual[0].clone(), ends))
}

#[cfg(test)]
mod tests {
    use super::super::{Code, Hosts, findings};
    use crate::generate::{edit, generate};

    #[test]
    fn a_cable_that_is_moved_hides_no_absent_switch() {
        // Port 8 + k of each leaf leads to spine k. Spine 5 is gone; a cable of leaf 3 to spine 1 is in spine 2 now, to
        // which it has two.
        let selectors = ["spine-05", "leaf-03[9]", "+leaf-03[9]--spine-02[20]"];
        let fabric = edit(&generate("fat-tree:16,2:radix=24").unwrap(), &selectors).unwrap();
        let found = findings(&fabric, &Hosts::of(&fabric, None));
        let absent: Vec<String> =
            found.iter().filter(|f| f.code == Code::SwitchAbsent).map(|f| f.words().at).collect();
        assert_eq!(absent, ["spine-05"]);
    }
}
