//! Cables between switches against the pattern of their peers: missing, fewer, unexpected.
//!
//! The pattern is the majority's, if at least two thirds of the peers agree: the number of cables between
//! a lower and an upper switch of a block, and which upper switch is on which port. A pattern of ports
//! also shows to which two ports a missing cable belongs. Leaves may stripe their cables unevenly, each
//! fewer to other switches: so a cable is missing only where the switch has fewer in all than its peers, and
//! both ends have a free port. Fewer here and more there is a cable to be moved ([`astray`]).

use super::astray;
use super::blocks::{Block, Tier, sum};
use super::context::Context;
use super::facts::{
    Fact, Joins, MisplacedCable, MisplacedCables, Side, StrayCable, UnsureUplinks, UplinkGap, UplinkGaps,
};
use super::majority::{agree, majority};
use super::usual_ports::{empty_ports, usual_ports};
use super::{Cable, Finding, Location};
use crate::fabric::{NodeId, PortId};

pub(super) fn report_uplinks(ctx: &Context, tiers: &[Tier], out: &mut Vec<Finding>) {
    for tier in tiers {
        for block in tier.blocks.iter().filter(|b| is_regular(b)) {
            let mut block = block.clone();
            let misplaced = misplaced(ctx, &block, out);
            gaps(ctx, &mut block, &misplaced, out);
        }
    }
    strays(ctx, tiers, out);
}

/// Whether two thirds of the pairs of a block share any cable.
fn is_regular(block: &Block) -> bool {
    agree(block.count.iter().filter(|&&n| n > 0).count(), block.count.len())
}

/// Pairs with fewer cables than their peers have, cables astray and misplaced ones taken for where they belong.
fn gaps(ctx: &Context, block: &mut Block, misplaced: &[Misplaced], out: &mut Vec<Finding>) {
    let Some(mut expected) = block.expected() else { return };
    let (rows, columns) = (block.lowers.len(), block.uppers.len());
    for j in (0..columns).filter(|&j| is_appended(ctx, block, j)) {
        expected[j] = 0;
    }
    let peers: Vec<usize> = (0..rows).filter(|&i| is_peer(ctx, block, i, &expected)).collect();
    let in_all = block.in_all(&peers, &expected);
    for &Misplaced { port, upper, usual } in misplaced {
        let row = block.lowers.binary_search(&ctx.fabric.node_of(port));
        let [from, to] = [upper, usual].map(|upper| block.uppers.binary_search(&upper));
        if let (Ok(i), Ok(from), Ok(to)) = (row, from, to) {
            block.add((i, from), -1);
            block.add((i, to), 1);
        }
    }
    astray::report_astray(ctx, block, &peers, &expected, in_all, out);
    let block = &*block;
    let below = peers.iter().flat_map(|&i| (0..columns).map(move |j| (i, j)));
    let mut short: Vec<(usize, usize)> = below.filter(|&(i, j)| block.at(i, j) < expected[j]).collect();
    let gap = |&(i, j): &(usize, usize)| UplinkGap {
        lower: ctx.location(block.lowers[i]),
        upper: ctx.location(block.uppers[j]),
        have: block.at(i, j),
        expected: expected[j],
        ports: missing_ports(ctx, block, i, j, usize::from(expected[j] - block.at(i, j))),
    };

    // An upper switch that half of the block's lowers are short of is one finding, its own trouble.
    let short_of = |j: usize| short.iter().filter(|s| s.1 == j).count();
    let reported_above: Vec<bool> = (0..columns).map(|j| rows >= 4 && 2 * short_of(j) >= rows).collect();
    let (lower_free, upper_free) = (with_free_port(ctx, &block.lowers), with_free_port(ctx, &block.uppers));
    short.retain(|&(i, j)| lower_free[i] && upper_free[j] && block.of_lower(i) < in_all);
    for j in (0..columns).filter(|&j| reported_above[j]) {
        let mine = short.iter().filter(|s| s.1 == j).map(gap).collect();
        report(out, &ctx.location(block.uppers[j]), Side::Above, mine);
    }
    for row in short.chunk_by(|a, b| a.0 == b.0) {
        let mine: Vec<UplinkGap> = row.iter().filter(|s| !reported_above[s.1]).map(gap).collect();
        let cables =
            |gaps: &[UplinkGap]| gaps.iter().map(|g| usize::from(g.expected - g.have)).sum::<usize>();
        let missing = in_all.saturating_sub(block.of_lower(row[0].0));
        // Of more gaps than missing cables, ports alone show which are meant.
        let all_meant = cables(&mine) <= missing;
        let (mine, unsure): (Vec<UplinkGap>, Vec<UplinkGap>) =
            mine.into_iter().partition(|g| all_meant || !g.ports.is_empty());
        let lower = ctx.location(block.lowers[row[0].0]);
        let without_ports = missing.saturating_sub(cables(&mine));
        if without_ports > 0 && !unsure.is_empty() {
            let mut uppers: Vec<Location> = unsure.into_iter().map(|gap| gap.upper).collect();
            uppers.sort_unstable();
            let have = in_all - missing;
            let unsure = UnsureUplinks {
                lower: lower.clone(),
                uppers,
                missing: without_ports,
                have,
                expected: in_all,
            };
            out.push(Fact::UplinksUnsure(unsure).into());
        }
        report(out, &lower, Side::Below, mine);
    }
}

/// Which of some peers have a free port. Sources that list cables alone do not show the last ports of a switch, if
/// these are free: one with fewer ports than its peers, and of unknown model, counts as having one.
fn with_free_port(ctx: &Context, peers: &[NodeId]) -> Vec<bool> {
    let fabric = ctx.fabric;
    let most = peers.iter().map(|&s| fabric.radix(s)).max();
    let is_free = |s: NodeId| {
        ctx.cages.free(s).next().is_some() || fabric.node(s).device == 0 && Some(fabric.radix(s)) < most
    };
    peers.iter().map(|&s| is_free(s)).collect()
}

/// Whether a lower switch is a peer of its block. One that lacks a third of the block's uppers is not if all
/// its cables up exist and lead elsewhere, or if the few that it has are more to one upper than its peers have, or if it
/// has less than half of the block's median number of cables down: a management leaf, say, or its spine.
fn is_peer(ctx: &Context, block: &Block, i: usize, expected: &[u16]) -> bool {
    if !lacks_uppers(block, i) {
        return true;
    }
    let (up, down) = cables(ctx, block.lowers[i]);
    let mut peers: Vec<usize> = block.lowers.iter().map(|&lower| cables(ctx, lower).1).collect();
    peers.sort_unstable();
    let all = sum(expected);
    let has_own_bundle = 3 * up <= all && expected.iter().enumerate().any(|(j, &n)| block.at(i, j) > n);
    up < all && !has_own_bundle && 2 * down >= peers[peers.len() / 2]
}

/// Whether a lower switch has no cable to a third of the block's uppers.
fn lacks_uppers(block: &Block, i: usize) -> bool {
    let uppers = (0..block.uppers.len()).filter(|&j| block.at(i, j) > 0).count();
    !agree(uppers, block.uppers.len())
}

/// Whether a lower switch is cabled to a plan of its own: it lacks a third of the block's uppers, and has all its
/// cables, equally many to each of several others.
fn has_own_plan(ctx: &Context, block: &Block, i: usize, expected: &[u16]) -> bool {
    let mut some = (0..block.uppers.len()).map(|j| block.at(i, j)).filter(|&n| n > 0);
    let first = some.next();
    let next = some.next();
    lacks_uppers(block, i)
        && cables(ctx, block.lowers[i]).0 >= sum(expected)
        && next.is_some()
        && next == first
        && some.all(|n| Some(n) == first)
}

/// How many cables a switch has to higher switches, and to lower ones and hosts.
fn cables(ctx: &Context, switch: NodeId) -> (usize, usize) {
    let own = ctx.level_of(switch);
    let far = ctx.fabric.ports_of(switch).filter_map(|p| ctx.fabric.peer(p)).map(|p| ctx.fabric.node_of(p));
    let far: Vec<NodeId> = far.collect();
    let up = far.iter().filter(|&&n| ctx.fabric.is_switch(n) && ctx.level_of(n) > own).count();
    let is_down = |&&n: &&NodeId| ctx.is_adapter(n) || ctx.fabric.is_switch(n) && ctx.level_of(n) < own;
    (up, far.iter().filter(is_down).count())
}

/// A finding for the gaps of one switch where it has no cable, and one for those where it has too few.
fn report(out: &mut Vec<Finding>, switch: &Location, side: Side, mut gaps: Vec<UplinkGap>) {
    let other = |gap: &UplinkGap| match side {
        Side::Below => gap.upper.node.clone(),
        Side::Above => gap.lower.node.clone(),
    };
    gaps.sort_by_cached_key(other);
    let (missing, fewer): (Vec<UplinkGap>, Vec<UplinkGap>) = gaps.into_iter().partition(|gap| gap.have == 0);
    let gaps_of = |gaps| UplinkGaps { switch: switch.clone(), side, gaps };
    if !missing.is_empty() {
        out.push(Fact::UplinksMissing(gaps_of(missing)).into());
    }
    if !fewer.is_empty() {
        out.push(Fact::UplinksFewer(gaps_of(fewer)).into());
    }
}

/// The ports that the missing cables between a lower and an upper switch belong to: those that are
/// empty here and that lead to the same switch on the peers.
fn missing_ports(ctx: &Context, block: &Block, i: usize, j: usize, missing: usize) -> Vec<Cable> {
    let (lower, upper) = (block.lowers[i], block.uppers[j]);
    let down = empty_ports(ctx, lower, upper, block.lowers.iter().copied().filter(|&l| l != lower));
    let up = empty_ports(ctx, upper, lower, block.uppers.iter().copied().filter(|&u| u != upper));
    if down.len() < missing || up.len() < missing {
        return Vec::new();
    }
    down.into_iter().zip(up).take(missing).map(|cable| ctx.cable(cable)).collect()
}

/// Whether an upper switch was appended to less than half of the lower ones: these have its cables beside all that the
/// others have, and on the others its port is in use, or the first of the free ones after all cables.
fn is_appended(ctx: &Context, block: &Block, j: usize) -> bool {
    let (with, without): (Vec<usize>, Vec<usize>) =
        (0..block.lowers.len()).partition(|&i| block.at(i, j) > 0);
    if with.len() >= without.len() {
        return false;
    }
    let median = |rows: &[usize], own: bool| {
        let of = |&i: &usize| block.of_lower(i) - if own { usize::from(block.at(i, j)) } else { 0 };
        let mut totals: Vec<usize> = rows.iter().map(of).collect();
        totals.sort_unstable();
        totals.get(totals.len() / 2).copied()
    };
    if median(&without, false) != median(&with, true) {
        return false;
    }
    let usual = usual_ports(ctx, block.uppers[j], with.iter().map(|&i| block.lowers[i]));
    let lacks_it = |&&i: &&usize| {
        let last = ctx.fabric.ports_of(block.lowers[i]).rfind(|&p| ctx.fabric.peer(p).is_some());
        let mut free = ctx.cages.free(block.lowers[i]);
        free.any(|p| Some(p) < last && usual[usize::from(ctx.fabric.number_of(p))])
    };
    !agree(without.iter().filter(lacks_it).count(), without.len())
}

/// A cable on another port than the peers'.
struct Misplaced {
    /// Its port of the lower switch.
    port: PortId,
    /// Where it leads.
    upper: NodeId,
    /// Where its peers' lead.
    usual: NodeId,
}

/// Cables of a block on another port than the peers'. Reported only if the ports follow a pattern: nine
/// in ten cables keep to it. One on a port that no peer has a cable on does not.
fn misplaced(ctx: &Context, block: &Block, out: &mut Vec<Finding>) -> Vec<Misplaced> {
    let fabric = ctx.fabric;
    if block.lowers.len() < 3 || block.uppers.len() < 2 {
        return Vec::new();
    }
    let expected = block.expected();
    let is_apart = |i: usize| expected.as_ref().is_some_and(|expected| has_own_plan(ctx, block, i, expected));
    let mut at_port: Vec<Vec<(NodeId, PortId)>> = Vec::new();
    for (_, &lower) in block.lowers.iter().enumerate().filter(|&(i, _)| !is_apart(i)) {
        for port in fabric.ports_of(lower) {
            let Some(upper) = fabric.peer(port).map(|p| fabric.node_of(p)) else { continue };
            if block.uppers.binary_search(&upper).is_ok() {
                let number = usize::from(fabric.number_of(port));
                at_port.resize_with(at_port.len().max(number + 1), Vec::new);
                at_port[number].push((upper, port));
            }
        }
    }
    // By the lower switch: cables on ports that lead to one switch on most peers, and those on ports that no peer has a cable
    // on. Of the former those that lead elsewhere.
    let (mut judged, mut alone) = (vec![0; block.lowers.len()], vec![0; block.lowers.len()]);
    let mut odd = Vec::new();
    let row = |port: PortId| block.lowers.binary_search(&fabric.node_of(port)).unwrap_or(0);
    for ends in &mut at_port {
        ends.sort_unstable();
        let uppers: Vec<NodeId> = ends.iter().map(|e| e.0).collect();
        match majority(&uppers, 2) {
            // Two against one may be chance.
            Some(_) if ends.len() == 3 && uppers[0] != uppers[2] => return Vec::new(),
            Some(usual) => {
                for end in ends.iter() {
                    judged[row(end.1)] += 1;
                }
                odd.extend(ends.iter().filter(|e| e.0 != usual).map(|e| (e.1, e.0, usual)));
            }
            None if ends.len() > 1 => return Vec::new(),
            None => ends.iter().for_each(|end| alone[row(end.1)] += 1),
        }
    }
    odd.sort_unstable();
    // A switch that has half of its cables on ports where no peer has any was appended, at ports of its own.
    let is_appended: Vec<bool> = (0..judged.len()).map(|i| 2 * judged[i] <= block.of_lower(i)).collect();
    odd.retain(|of| !is_appended[row(of.0)]);
    let own = |of: &[usize]| of.iter().zip(&is_appended).filter(|it| !it.1).map(|it| it.0).sum::<usize>();
    let (judged, alone) = (own(&judged), own(&alone));
    if odd.is_empty() || 10 * (odd.len() + alone) > judged + alone {
        return Vec::new();
    }
    for mine in odd.chunk_by(|a, b| fabric.node_of(a.0) == fabric.node_of(b.0)) {
        let cables = mine.iter().filter_map(|&(port, _, usual)| {
            let cable = ctx.cable((port, fabric.peer(port)?));
            Some(MisplacedCable { cable, expected: ctx.location(usual) })
        });
        let switch = ctx.location(fabric.node_of(mine[0].0));
        let misplaced = MisplacedCables { switch, cables: cables.collect() };
        out.push(Fact::CablesMisplaced(misplaced).into());
    }
    odd.into_iter().map(|(port, upper, usual)| Misplaced { port, upper, usual }).collect()
}

/// Cables between switches that no block holds: to another block, within a level, past a level.
fn strays(ctx: &Context, tiers: &[Tier], out: &mut Vec<Finding>) {
    let fabric = ctx.fabric;
    let mut stray_pairs: Vec<(NodeId, NodeId)> =
        tiers.iter().flat_map(|t| t.strays.iter().map(|s| (s.0, s.1))).collect();
    stray_pairs.sort_unstable();
    let (mut trunks, mut strays) = (0, Vec::new());
    // By switch: cables to other switches that fit, and those that do not.
    let mut cables = vec![[0_u32; 2]; fabric.num_switches()];
    for (a, b) in ctx.trunks() {
        let (x, y) = (fabric.node_of(a), fabric.node_of(b));
        let (Some(lx), Some(ly)) = (ctx.level_of(x), ctx.level_of(y)) else { continue };
        trunks += 1;
        let ((lower, upper), (p, q)) = if lx <= ly { ((x, y), (a, b)) } else { ((y, x), (b, a)) };
        let joins = match lx.abs_diff(ly) {
            0 => Some(Joins::SameLevel),
            1 => stray_pairs.binary_search(&(lower, upper)).is_ok().then_some(Joins::DifferentGroups),
            _ => Some(Joins::LevelsApart),
        };
        for switch in [x, y] {
            cables[switch.ix()][usize::from(joins.is_some())] += 1;
        }
        strays.extend(joins.map(|joins| (p, q, joins)));
    }
    // More than one in twenty is a design, not a slip.
    if strays.len() * 20 > trunks {
        return;
    }
    // Where several do not fit, and as many as do, a switch is appended on purpose: a management leaf on cores.
    let is_appended = |port: PortId| {
        let [fit, stray] = cables[fabric.node_of(port).ix()];
        fit == 0 || stray >= fit.max(2)
    };
    for (a, b, joins) in strays.into_iter().filter(|&(a, b, _)| !is_appended(a) && !is_appended(b)) {
        out.push(Fact::CableStray(StrayCable { cable: ctx.cable((a, b)), joins }).into());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{End, Sketch};
    use super::super::{Code, Hosts, findings};
    use crate::generate::{edit, generate};

    /// Leaves with so many ports, the first of which have hosts; `up[i]` are the spines of leaf `i + 1`, port by port
    /// after its hosts'. Spines fill their ports in order. `cut` are cables that are not there: leaf and uplink.
    fn striped(
        hosts: &[u32],
        up: &[&[usize]],
        ports: u8,
        spine_ports: &[u8],
        cut: &[(usize, usize)],
    ) -> Vec<String> {
        let mut s = Sketch::new();
        let add = |s: &mut Sketch, name: String, ports: u8| {
            let switch = s.switch(&name, ports);
            s.builder().node_mut(switch).device = 0xd2f0;
            switch
        };
        let named = spine_ports.iter().zip(1..);
        let spines: Vec<End> = named.map(|(&ports, k)| add(&mut s, format!("spine-{k}"), ports)).collect();
        let mut next = vec![1; spines.len()];
        for (i, up) in up.iter().enumerate() {
            let leaf = add(&mut s, format!("leaf-{}", i + 1), ports);
            for h in 1..=hosts[i] {
                let host = s.adapter(&format!("n{}x{h} HCA-1", i + 1));
                s.cable((host, 1), (leaf, h));
            }
            for (k, &spine) in up.iter().enumerate() {
                if !cut.contains(&(i + 1, k + 1)) {
                    s.cable((leaf, hosts[i] + 1 + k as u32), (spines[spine - 1], next[spine - 1]));
                }
                next[spine - 1] += 1;
            }
        }
        let f = s.finish();
        let found = findings(&f, &Hosts::of(&f, None)).into_iter();
        let of_cables =
            found.filter(|f| f.code.name().starts_with("UPLINK") || f.code.name().starts_with("CABLE_U"));
        of_cables.map(|f| format!("{} {}: {}", f.code.name(), f.words().at, f.words().text)).collect()
    }

    #[test]
    fn uneven_stripes_lack_nothing_and_a_cut_cable_of_them_is_missing() {
        // Seven uplinks over four spines: two to each but one, in turn. Whether the leaves are full or not.
        let four: [&[usize]; 4] =
            [&[1, 2, 2, 3, 3, 4, 4], &[1, 1, 2, 3, 3, 4, 4], &[1, 1, 2, 2, 3, 4, 4], &[1, 1, 2, 2, 3, 3, 4]];
        let up = [four, four].concat();
        for ports in [14, 16] {
            assert_eq!(striped(&[7; 8], &up, ports, &[16; 4], &[]), Vec::<String>::new());
        }
        // The third uplink of leaf 1 leads to spine 2, as that of all leaves, whose port 2 is leaf 1's on spines 3 and 4.
        assert_eq!(
            striped(&[7; 8], &up, 14, &[16; 4], &[(1, 3)]),
            ["UPLINK_FEWER leaf-1 – spine-2: a single cable where its peers have 2; empty ports [10] – [2]"]
        );
        // The fourth uplink of leaf 3 leads to spine 2, but to spine 3 on half of its peers.
        assert_eq!(
            striped(&[7; 8], &up, 14, &[16; 4], &[(3, 4)]),
            [
                "UPLINK_FEWER leaf-3 – spine-2, spine-3: 6 cables up where its peers have 7: one to one of these is missing"
            ]
        );
    }

    #[test]
    fn a_cable_is_missing_where_both_ends_have_a_free_port() {
        let up: [&[usize]; 5] = [&[1, 2], &[1, 2], &[1, 2], &[1, 2], &[1]];
        let missing =
            ["UPLINK_MISSING leaf-5 – spine-2: no cable where its peers have 1; empty ports [5] – [5]"];
        assert_eq!(striped(&[3; 5], &up, 5, &[5, 5], &[]), missing);
        // Four leaves fill spine 2; hosts fill leaf 5.
        assert_eq!(striped(&[3; 5], &up, 5, &[5, 4], &[]), Vec::<String>::new());
        assert_eq!(striped(&[3, 3, 3, 3, 4], &up, 5, &[5, 5], &[]), Vec::<String>::new());
    }

    #[test]
    fn a_switch_with_a_plan_of_its_own_has_no_cables_at_wrong_ports() {
        // Leaf 7 has two cables to each of two spines; as many uplinks as its peers.
        let mut up: Vec<&[usize]> = vec![&[1, 2, 3, 4]; 6];
        up.push(&[1, 2, 1, 2]);
        assert_eq!(striped(&[4; 7], &up, 8, &[12; 4], &[]), Vec::<String>::new());
        // With half of its cables exchanged it has none.
        up[6] = &[1, 1, 3, 4];
        let found = striped(&[4; 7], &up, 8, &[12; 4], &[]);
        assert_eq!(
            found,
            ["CABLE_UNEXPECTED leaf-7: port 6 leads to spine-1 where its peers' leads to spine-2"]
        );
    }

    #[test]
    fn ports_that_some_leaves_have_in_common_by_chance_are_no_pattern() {
        // Four leaves with a cable to each of four spines. Three have that to spine 1 on their first port, and the third leaf that
        // to spine 3; on ports 2 to 4 all agree. But three of 16 cables are on ports of their own. 0 is no cable.
        let rows: [&[usize]; 4] =
            [&[1, 2, 3, 0, 0, 4], &[1, 2, 0, 4, 3], &[3, 2, 0, 4, 0, 0, 1], &[1, 2, 3, 4]];
        let gaps = (1..).zip(&rows).flat_map(|(leaf, row)| {
            let empty = (1..).zip(*row).filter(|at| *at.1 == 0);
            empty.map(move |(uplink, _)| (leaf, uplink))
        });
        let cut: Vec<(usize, usize)> = gaps.collect();
        let rows: Vec<Vec<usize>> =
            rows.iter().map(|row| row.iter().map(|&spine| spine.max(1)).collect()).collect();
        let up: Vec<&[usize]> = rows.iter().map(Vec::as_slice).collect();
        assert_eq!(striped(&[3; 4], &up, 20, &[60; 4], &cut), Vec::<String>::new());
    }

    #[test]
    fn a_switch_that_is_appended_to_cores_is_cabled_there_on_purpose() {
        let unexpected = |selectors: &[&str]| -> Vec<String> {
            let fabric = edit(&generate("fat-tree:8,3:radix=10").unwrap(), selectors).unwrap();
            let found = findings(&fabric, &Hosts::of(&fabric, None)).into_iter();
            found.filter(|f| f.code == Code::CableUnexpected).map(|f| f.words().at).collect()
        };
        let management = [
            "+switch=mgmt@core-01-01",
            "+mgmt--core-01-02",
            "+mgmt--core-02-01",
            "+mgmt--core-02-02",
            "+host@mgmt:3",
        ];
        assert_eq!(unexpected(&management), Vec::<String>::new());
        // A leaf's only cable to a core is none of its plan.
        assert_eq!(unexpected(&["+leaf-01-01--core-01-01"]).len(), 1);
    }
}
