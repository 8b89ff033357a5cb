//! Cables that are plugged into the wrong one of two switches, as counts show.
//!
//! Where a switch has fewer cables to another than its peers have, and one of these peers has as many more, no cable is
//! missing: one is to be moved. This is so for the lower ends of cables to one upper switch, and for the upper ends of
//! cables of one lower switch. A switch that has more on purpose has more in all, so all that it has beyond its peers
//! must be explained by cables that are to be moved.

use super::Finding;
use super::blocks::Block;
use super::context::Context;
use super::facts::{AstrayCable, AstrayCables, Fact};
use super::usual_ports::{empty_ports, usual_ports};
use crate::fabric::{NodeId, PortId};

/// A pair of switches of a block: its row and its column.
type Cell = (usize, usize);

/// The cables of a block that are to be moved from one pair of switches to another. The block's counts become those
/// after the moves. `peers`: the lower switches that have a plan in common; `in_all`: how many cables each of these
/// should have.
pub(super) fn report_astray(
    ctx: &Context,
    block: &mut Block,
    peers: &[usize],
    expected: &[u16],
    in_all: usize,
    out: &mut Vec<Finding>,
) {
    let has = |ctx: &Context, n: NodeId| ctx.cages.free(n).next().is_some();
    let (lowers, uppers) = (&block.lowers, &block.uppers);
    let lower_free: Vec<bool> = lowers.iter().map(|&n| has(ctx, n)).collect();
    let upper_free: Vec<bool> = uppers.iter().map(|&n| has(ctx, n)).collect();
    let mut moves: Vec<(Cell, Cell)> = Vec::new();

    let signed = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let of_rows: Vec<i64> = (0..block.lowers.len()).map(|i| signed(block.of_lower(i))).collect();
    let excess = |i: usize| of_rows[i] - signed(in_all);
    moves.extend(balanced(block, peers, expected, Side::Lower, &|i| lower_free[i], &excess));
    apply(block, &moves);
    let column =
        |j: usize| -> i64 { peers.iter().map(|&i| i64::from(block.at(i, j)) - i64::from(expected[j])).sum() };
    let columns: Vec<i64> = (0..expected.len()).map(column).collect();
    let more = balanced(block, peers, expected, Side::Upper, &|j| upper_free[j], &|j| columns[j]);
    apply(block, &more);
    moves.extend(more);
    let exchanged = exchanged(block, peers, expected);
    apply(block, &exchanged);
    moves.extend(exchanged);

    moves.sort_unstable();
    for same in moves.chunk_by(|a, b| a == b) {
        let (from, to) = same[0];
        out.push(Fact::CablesAstray(astray(ctx, block, from, to, same.len(), expected)).into());
    }
}

/// Which ends of cables are in the wrong switch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Lower,
    Upper,
}

/// Moves of cables from a pair with more to a pair with fewer, with the switch on the other side in common. The switch
/// that loses them has no more than its peers then, and the one that gains them no more either; `excess`: how many more
/// it has now, by row or column.
fn balanced(
    block: &Block,
    peers: &[usize],
    expected: &[u16],
    side: Side,
    is_free: &dyn Fn(usize) -> bool,
    excess: &dyn Fn(usize) -> i64,
) -> Vec<(Cell, Cell)> {
    let columns: Vec<usize> = (0..expected.len()).collect();
    let (lines, ends) = if side == Side::Lower { (&columns[..], peers) } else { (peers, &columns[..]) };
    let cell = |line: usize, end: usize| if side == Side::Lower { (end, line) } else { (line, end) };
    let beyond = |(i, j): Cell| i64::from(block.at(i, j)) - i64::from(expected[j]);
    let most = ends.iter().max().map_or(0, |&end| end + 1);
    let mut left: Vec<i64> = (0..most).map(|end| if ends.contains(&end) { excess(end) } else { 0 }).collect();
    let mut moves: Vec<(Cell, Cell)> = Vec::new();
    for &line in lines {
        let with = |is_one: &dyn Fn(i64) -> bool| -> Vec<usize> {
            let each = ends.iter().filter(|&&end| is_one(beyond(cell(line, end))));
            each.flat_map(|&end| std::iter::repeat_n(end, beyond(cell(line, end)).unsigned_abs() as usize))
                .collect()
        };
        let mut gaps = with(&|n| n < 0).into_iter().filter(|&end| is_free(end));
        let mut gap = gaps.next();
        for from in with(&|n| n > 0) {
            while gap.is_some_and(|to| left[to] >= 0) {
                gap = gaps.next();
            }
            let Some(to) = gap.filter(|_| left[from] > 0) else { continue };
            (left[from], left[to]) = (left[from] - 1, left[to] + 1);
            moves.push((cell(line, from), cell(line, to)));
            gap = gaps.next();
        }
    }
    // What has more than the moves explain has more on purpose.
    let end_of = |(i, j): Cell| if side == Side::Lower { i } else { j };
    moves.retain(|&(from, _)| left[end_of(from)] == 0);
    moves
}

/// Moves of two cables whose lower ends are exchanged: all switches have as many in all as they should have.
fn exchanged(block: &Block, peers: &[usize], expected: &[u16]) -> Vec<(Cell, Cell)> {
    let beyond = |i: usize, j: usize| i64::from(block.at(i, j)) - i64::from(expected[j]);
    let mut moves = Vec::new();
    let mut done: Vec<Cell> = Vec::new();
    for &i in peers {
        for (gap, more) in (0..expected.len()).flat_map(|j| (0..expected.len()).map(move |k| (j, k))) {
            if beyond(i, gap) >= 0 || beyond(i, more) <= 0 {
                continue;
            }
            let crossed = |&&k: &&usize| k > i && beyond(k, gap) > 0 && beyond(k, more) < 0;
            let Some(&other) = peers.iter().find(crossed) else { continue };
            let cells = [(i, gap), (i, more), (other, gap), (other, more)];
            if cells.iter().any(|cell| done.contains(cell)) {
                continue;
            }
            done.extend(cells);
            moves.push(((other, gap), (i, gap)));
            moves.push(((i, more), (other, more)));
        }
    }
    moves
}

fn apply(block: &mut Block, moves: &[(Cell, Cell)]) {
    for &(from, to) in moves {
        block.add(from, -1);
        block.add(to, 1);
    }
}

/// Some cables from one pair of switches to another, with their ports where the peers' cabling shows them. The block's
/// counts are those after the move.
fn astray(
    ctx: &Context,
    block: &Block,
    from: Cell,
    to: Cell,
    count: usize,
    expected: &[u16],
) -> AstrayCables {
    let (lowers, uppers) = (&block.lowers, &block.uppers);
    let is_lower = from.1 == to.1;
    // The switch that keeps its end, the one that loses the cable, and the one that gains it.
    let (stays, loses, gains) = if is_lower {
        (uppers[from.1], lowers[from.0], lowers[to.0])
    } else {
        (lowers[from.0], uppers[from.1], uppers[to.1])
    };
    let (ends, others) = if is_lower { (lowers, uppers) } else { (uppers, lowers) };
    let peers = |of: NodeId| ends.iter().copied().filter(move |&n| n != of);
    let at_end = usual_ports(ctx, stays, peers(loses));
    let at_other = usual_ports(ctx, loses, others.iter().copied().filter(|&n| n != stays));
    let is_usual = |usual: &[bool], port: PortId| usual[usize::from(ctx.fabric.number_of(port))];
    let cables = ctx.fabric.ports_of(loses).filter_map(|p| Some((p, ctx.fabric.peer(p)?)));
    let mut cables: Vec<(usize, PortId, PortId)> = cables
        .filter(|&(_, far)| ctx.fabric.node_of(far) == stays)
        .map(|(p, far)| (usize::from(is_usual(&at_end, p)) + usize::from(is_usual(&at_other, far)), p, far))
        .collect();
    cables.sort_unstable();
    // The ports show which cables they are where those that go are less usual than those that stay.
    let are_shown = cables.len() <= count || cables[count - 1].0 < cables[count].0;
    let empty = empty_ports(ctx, gains, stays, peers(gains));
    let mut empty = empty.into_iter();
    let one = |k: usize, empty: Option<PortId>| {
        let (near, far) =
            cables.get(k).filter(|_| are_shown).map_or((None, None), |c| (Some(c.1), Some(c.2)));
        let at =
            |port: Option<PortId>, node| port.map_or_else(|| ctx.location(node), |p| ctx.port_location(p));
        AstrayCable { stays: Some(at(far, stays)), at: at(near, loses), to: at(empty, gains) }
    };
    let cables: Vec<AstrayCable> = (0..count).map(|k| one(k, empty.next())).collect();
    let moved = count as u16;
    AstrayCables {
        stays: Some(ctx.location(stays)),
        at: ctx.location(loses),
        to: ctx.location(gains),
        have: [block.at(from.0, from.1) + moved, block.at(to.0, to.1) - moved],
        expected: [expected[from.1], expected[to.1]],
        cables,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Action, Code, Hosts, cable_work, findings};
    use crate::generate::{edit, generate};

    /// Findings about cables between switches, and the work that these ask for.
    fn found(spec: &str, selectors: &[&str]) -> (Vec<String>, Vec<String>) {
        let fabric = edit(&generate(spec).unwrap(), selectors).unwrap();
        let hosts = Hosts::of(&fabric, None);
        let found = findings(&fabric, &hosts);
        let codes = [Code::UplinkMissing, Code::UplinkFewer, Code::CableUnexpected];
        let of_cables = found.iter().filter(|f| codes.contains(&f.code));
        let worded =
            of_cables.map(|f| format!("{} {}: {}", f.code.name(), f.words().at, f.words().text)).collect();
        let end = |end: &super::super::CableEnd| {
            let port = end.port.map_or_else(String::new, |port| format!("[{port}]"));
            format!("{}{port}", end.node)
        };
        let work = cable_work(&fabric, &hosts, &found).into_iter().filter(|line| codes.contains(&line.code));
        let line = |line: super::super::CableWork| {
            assert!(line.action == Action::Move || line.code != Code::CableUnexpected);
            let there = line.there.as_ref().map_or_else(String::new, end);
            format!("{} – {there}: {}", end(&line.here), line.why)
        };
        (worded, work.map(line).collect())
    }

    #[test]
    fn a_cable_in_the_wrong_leaf_is_moved_to_the_right_one() {
        // Three cables from each of 6 leaves to each of 4 spines: hosts on ports 1 to 12, spine 3 on 19 to 21. That of
        // leaf 2's port 19 is in port 25 of leaf 1, at port 4 of spine 3, where spines have leaf 2.
        let spec = "pgft:2;12,6;1,4;1,3:radix=40";
        let cut = ["leaf-02[19]", "+leaf-01[25]--spine-03[4]"];
        let (worded, work) = found(spec, &cut);
        assert_eq!(
            worded,
            [
                "CABLE_UNEXPECTED leaf-01 – spine-03: 4 cables where its peers have 3, and leaf-02 has 2; move leaf-01[25] to leaf-02[19]"
            ]
        );
        assert_eq!(
            work,
            [
                "leaf-01[25] – spine-03[4]: belongs in leaf-02[19]: 4 cables where its peers have 3, and leaf-02 has 2 to spine-03"
            ]
        );
    }

    #[test]
    fn several_cables_are_moved_and_missing_ones_are_not() {
        let spec = "pgft:2;12,6;1,4;1,3:radix=40";
        // Two of leaf 2's are in leaf 1; one of leaf 5's is lost.
        let cut = [
            "leaf-02[19]",
            "leaf-02[20]",
            "+leaf-01[25]--spine-03[4]",
            "+leaf-01[26]--spine-03[5]",
            "leaf-05[13]",
        ];
        let (worded, work) = found(spec, &cut);
        assert_eq!(worded.len(), 2, "{worded:?}");
        assert!(worded[0].starts_with("UPLINK_FEWER leaf-05 – spine-01"), "{worded:?}");
        assert!(
            worded[1].ends_with("move leaf-01[25] to leaf-02[19], leaf-01[26] to leaf-02[20]"),
            "{worded:?}"
        );
        assert_eq!(work.len(), 3);
    }

    #[test]
    fn more_cables_on_purpose_are_none_to_be_moved() {
        let spec = "pgft:2;12,6;1,4;1,3:radix=40";
        // Leaf 1 has one more to each spine; leaf 2 has lost one.
        let more = [1, 2, 3, 4].map(|k| format!("+leaf-01--spine-0{k}"));
        let mut selectors: Vec<&str> = more.iter().map(String::as_str).collect();
        selectors.push("leaf-02[19]");
        let (worded, _) = found(spec, &selectors);
        assert_eq!(worded.len(), 1, "{worded:?}");
        assert!(worded[0].starts_with("UPLINK_FEWER leaf-02 – spine-03"), "{worded:?}");
    }
}
