//! An order of the hosts of a whole tree in which both shifts and exchanges suit eventree's tables: an exchange has each host send to
//! that whose number differs from its own in some bits, as recursive doubling does.
//!
//! Number hosts with a digit for each level, the lowest for the hosts of an edge switch, the next for the edge switches of a
//! subtree, and so on; each digit is split into one whose base is the power of two that divides its own, and one for the odd rest. Where
//! at most one rest is above 1, let the digits with powers of two be the lower ones:
//!
//! * An exchange changes each digit by itself, to different values from different ones, since the bases below the last are powers of two.
//! * A shift leads from hosts that differ in a digit to hosts that differ there: in the lowest digit in which two
//!   differ, both get the same carry.
//!
//! So hosts of a subtree that send out of it send to hosts with different digits for that subtree; these digits decide which of its
//! cables up a packet takes to its destination. Where a subtree has as many cables up as hosts, no two packets share one.

use rustc_hash::FxHashMap;

use super::{HostPorts, RanksError};
use crate::fabric::levels::Levels;
use crate::fabric::{Bundles, Fabric, NodeId, subtrees};

/// Puts hosts that are in eventree's order, subtree after subtree, into the order for exchanges.
///
/// # Errors
/// Where subtrees have different numbers of hosts, or not as many cables up as hosts, or two arities have odd divisors.
pub(super) fn reorder(fabric: &Fabric, hosts: &mut [HostPorts]) -> Result<(), RanksError> {
    let no_order = |reason: String| RanksError::NoExchangeOrder { reason };
    let of_host = |host: &HostPorts| {
        let port = host.ports.iter().flatten().next().copied();
        port.and_then(|port| fabric.edge_switch(port))
            .ok_or_else(|| no_order(format!("{} hangs on no switch", host.name)))
    };
    let edges: Vec<NodeId> = hosts.iter().map(of_host).collect::<Result<_, _>>()?;
    let arities = arities(fabric, &edges).map_err(no_order)?;
    let power = |n: usize| 1_usize << n.trailing_zeros();
    let rests = arities.iter().filter(|&&n| n > power(n)).count();
    if rests > 1 {
        let shown: Vec<String> = arities.iter().map(usize::to_string).collect();
        return Err(no_order(format!(
            "hosts on an edge switch, edge switches in a subtree and so on are {}, and more than one of these has an odd divisor",
            shown.join(", ")
        )));
    }
    // Stride of each digit in the order that is there, and its base: powers of two first, then what is left.
    let strides = arities.iter().scan(1, |stride, &n| Some(std::mem::replace(stride, *stride * n)));
    let digits: Vec<(usize, usize)> = strides.zip(arities.iter().copied()).collect();
    let powers = digits.iter().map(|&(stride, n)| (stride, power(n)));
    let left = digits.iter().map(|&(stride, n)| (stride * power(n), n / power(n)));
    let split: Vec<(usize, usize)> = powers.chain(left).collect();
    let at = |rank: usize| {
        let mut rest = rank;
        let value = |&(stride, base): &(usize, usize)| {
            let digit = rest % base;
            rest /= base;
            digit * stride
        };
        split.iter().map(value).sum::<usize>()
    };
    let ordered: Vec<HostPorts> = (0..hosts.len()).map(|rank| hosts[at(rank)].clone()).collect();
    hosts.clone_from_slice(&ordered);
    Ok(())
}

/// Hosts on an edge switch, edge switches in a subtree, and so on up to the whole; or why these differ.
fn arities(fabric: &Fabric, edges: &[NodeId]) -> Result<Vec<usize>, String> {
    let levels = Levels::of(fabric).ok_or("the switches have no levels")?;
    let bundles = Bundles::of(fabric);
    // A subtree is named by one of its leaves.
    let at = |height: usize| if height == 0 { "on" } else { "in the subtree of" };
    let mut arities = Vec::new();
    let mut below = 1;
    for height in 0..levels.count().max(1) {
        let is_top = height + 1 == levels.count().max(1);
        let set = subtrees(&bundles, &levels, height as u8, |_| true);
        let label = |s: &NodeId| if is_top { 0 } else { set[s.ix()] };
        let runs: Vec<&[NodeId]> = edges.chunk_by(|a, b| label(a) == label(b)).collect();
        let many = runs.first().map_or(1, |run| run.len());
        if let Some(other) = runs.iter().find(|run| run.len() != many) {
            return Err(format!(
                "{} of the hosts {} {}, and {many} {} {}",
                other.len(),
                at(height),
                fabric.name(other[0]),
                at(height),
                fabric.name(runs[0][0])
            ));
        }
        let mut up: FxHashMap<u32, usize> = FxHashMap::default();
        for (a, b, cables) in bundles.iter().filter(|&(a, b, _)| set[a as usize] != set[b as usize]) {
            *up.entry(set[a as usize]).or_default() += cables as usize;
            *up.entry(set[b as usize]).or_default() += cables as usize;
        }
        for run in runs.iter().filter(|_| !is_top) {
            let cables = up.get(&set[run[0].ix()]).copied().unwrap_or(0);
            if cables != many {
                return Err(format!(
                    "{cables} cables up for {many} of the hosts {} {}",
                    at(height),
                    fabric.name(run[0])
                ));
            }
        }
        if !many.is_multiple_of(below) {
            return Err(format!("{many} hosts in subtrees of {below}"));
        }
        arities.push(many / below);
        below = many;
    }
    Ok(arities)
}
