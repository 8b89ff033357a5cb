//! Which pairs a change costs.
//!
//! Counted are ordered pairs of end ports of a population, per destination LID, both of which hang
//! off a switch before and after. A pair that was delivered and is not any more is *apart* where no
//! cables join the two switches, and *unrouted* where cables do and tables do not.

use super::sweep::Managed;
use crate::fabric::{Fabric, NodeId, NodeKind, Population, PortId};
use crate::verify::{reach, words};

/// From where the end ports of a population are reached.
#[derive(Clone, Debug)]
pub struct Survivors {
    /// The end ports of the population, of the whole fabric.
    ports: Vec<PortId>,
    /// Their LIDs, ascending.
    lids: Vec<(u32, PortId)>,
    words: usize,
    /// By LID, the switches from which packets arrive.
    arrives: Vec<u64>,
}

/// Why a pair is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairFate {
    /// No cables join the two.
    Apart,
    /// Cables do, tables do not.
    Unrouted,
}

/// A destination that some senders do not reach any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The destination.
    pub port: PortId,
    /// Its LID.
    pub lid: u32,
    /// Why.
    pub fate: PairFate,
    /// How many senders.
    pub sources: u64,
    /// The switches that they hang off.
    pub from: Vec<NodeId>,
}

/// What a change costs in pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Pairs lost because no cables join them.
    pub apart: u64,
    /// Pairs lost although cables join them.
    pub unrouted: u64,
    /// Pairs that were not delivered before and are now.
    pub regained: u64,
    /// End ports that hang off no switch any more, though their nodes are there.
    pub cut_off: Vec<PortId>,
    /// End ports of nodes that are gone, and of aggregation nodes whose own switch is.
    pub gone: Vec<PortId>,
    /// End ports that are back on a switch.
    pub back: Vec<PortId>,
    /// LIDs with lost pairs, once for each fate.
    pub destinations: usize,
    /// The first of these, by LID.
    pub lost: Vec<Lost>,
}

impl Losses {
    /// Pairs lost, of end ports that are left.
    pub fn pairs(&self) -> u64 {
        self.apart + self.unrouted
    }
}

impl Survivors {
    /// Follows the tables from all switches to the population's end ports.
    pub fn of(managed: &Managed, population: Population) -> Self {
        let (whole, routes) = (managed.whole(), managed.routes());
        let ports = whole.end_ports(population);
        let of_port = |&port: &PortId| {
            let (base, lmc) = (routes.lids.base(port), routes.lids.lmc(port));
            let count = if base == 0 { 0 } else { 1 << lmc };
            (base..base + count).map(move |lid| (lid, port))
        };
        let mut lids: Vec<(u32, PortId)> = ports.iter().flat_map(of_port).collect();
        lids.sort_unstable();
        let arrives = reach(managed.fabric(), routes, &lids);
        Self { ports, lids, words: words(whole), arrives }
    }

    /// The population's end ports, those that are missing included.
    pub fn ports(&self) -> &[PortId] {
        &self.ports
    }

    /// The ordered pairs between ports that hang off a switch, per LID, and how many of them are
    /// delivered; `managed` is what `self` was made of.
    pub fn pairs(&self, managed: &Managed) -> (u64, u64) {
        let fabric = managed.fabric();
        let mut weight = vec![0_u32; fabric.num_switches()];
        for edge_switch in self.ports.iter().filter_map(|&p| fabric.edge_switch(p)) {
            weight[edge_switch.ix()] += 1;
        }
        let all: u64 = weight.iter().map(|&w| u64::from(w)).sum();
        let (mut pairs, mut delivered) = (0, 0);
        let none = vec![0; self.words];
        for (&(_, port), arrives) in self.lids.iter().zip(self.arrives.chunks_exact(self.words.max(1))) {
            let Some(edge_switch) = fabric.edge_switch(port) else { continue };
            pairs += all - 1;
            let sources = |s: NodeId| u64::from(weight[s.ix()]) - u64::from(s == edge_switch);
            delivered += ones(&none, arrives).map(sources).sum::<u64>();
        }
        (pairs, delivered)
    }

    /// What has been lost and won since `self` was made of `before`. At most `listed` destinations
    /// are listed.
    pub fn losses(&self, before: &Managed, after: &Managed, listed: usize) -> Losses {
        self.losses_of(before, after, listed, &touched(before, after))
    }

    /// What has been lost and won, among pairs that what is [`touched`] concerns.
    pub(super) fn losses_of(
        &self,
        before: &Managed,
        after: &Managed,
        listed: usize,
        touched: &[bool],
    ) -> Losses {
        let (old, new) = (before.fabric(), after.fabric());
        let mut losses = Losses::default();
        let mut weight = vec![0_u32; old.num_switches()];
        for &port in &self.ports {
            match (old.edge_switch(port), new.edge_switch(port)) {
                (Some(_), Some(edge_switch)) => weight[edge_switch.ix()] += 1,
                (Some(edge_switch), None) if !goes_with(after, port, edge_switch) => {
                    losses.cut_off.push(port);
                }
                (Some(_), None) => losses.gone.push(port),
                (None, Some(_)) => losses.back.push(port),
                (None, None) => {}
            }
        }
        let is_left = |p: PortId| old.edge_switch(p).is_some() && new.edge_switch(p).is_some();
        let is_touched = |&i: &usize| touched[self.lids[i].0 as usize] && is_left(self.lids[i].1);
        let indices: Vec<usize> = (0..self.lids.len()).filter(is_touched).collect();
        let lids: Vec<(u32, PortId)> = indices.iter().map(|&i| self.lids[i]).collect();
        let arrives = reach(new, after.routes(), &lids);
        let mut component = None;
        for (&index, now) in indices.iter().zip(arrives.chunks_exact(self.words.max(1))) {
            let then = &self.arrives[index * self.words..][..self.words];
            if then == now {
                continue;
            }
            let (lid, port) = self.lids[index];
            let edge_switch = new.edge_switch(port);
            let sources = |s: NodeId| u64::from(weight[s.ix()]) - u64::from(edge_switch == Some(s));
            for s in ones(then, now) {
                losses.regained += sources(s);
            }
            let component = component.get_or_insert_with(|| components(new));
            for fate in [PairFate::Apart, PairFate::Unrouted] {
                let joined = |s: NodeId| edge_switch.is_some_and(|h| component[h.ix()] == component[s.ix()]);
                let lost =
                    ones(now, then).filter(|&s| sources(s) > 0 && joined(s) == (fate == PairFate::Unrouted));
                let from: Vec<NodeId> = lost.collect();
                let sources = from.iter().map(|&s| sources(s)).sum();
                if sources == 0 {
                    continue;
                }
                match fate {
                    PairFate::Apart => losses.apart += sources,
                    PairFate::Unrouted => losses.unrouted += sources,
                }
                losses.destinations += 1;
                if losses.lost.len() < listed {
                    losses.lost.push(Lost { port, lid, fate, sources, from });
                }
            }
        }
        losses
    }
}

/// Whether an end port is gone: its node is, or it is an aggregation node inside a switch that is.
fn goes_with(after: &Managed, port: PortId, edge_switch: NodeId) -> bool {
    let (fabric, present) = (after.whole(), after.present());
    let node = fabric.node_of(port);
    let is_inside = fabric.node(node).kind == NodeKind::Aggregation;
    !present.has(node) || (is_inside && !present.has(edge_switch))
}

/// The switches whose bit is not in `a` and is in `b`.
fn ones<'a>(a: &'a [u64], b: &'a [u64]) -> impl Iterator<Item = NodeId> + 'a {
    let words = a.iter().zip(b).zip(0..);
    words.flat_map(|((&a, &b), word): ((&u64, &u64), u32)| {
        let mut rest = b & !a;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(NodeId(word * 64 + bit))
        })
    })
}

/// By LID: whether any packet for it may take another path than before, because an entry or the cable to
/// which it leads has changed.
pub(super) fn touched(before: &Managed, after: &Managed) -> Vec<bool> {
    let (old, new) = (before.fabric(), after.fabric());
    let (then, now) = (&before.routes().lft, &after.routes().lft);
    let mut touched = vec![false; now.stride()];
    for s in new.switches() {
        let (then, now) = (then.row(s), now.row(s));
        if then != now {
            for (touched, (a, b)) in touched.iter_mut().zip(then.iter().zip(now)) {
                *touched |= a != b;
            }
        }
        for port in new.ports_of(s).filter(|&p| new.peer(p) != old.peer(p)) {
            let number = new.number_of(port);
            for (touched, &entry) in touched.iter_mut().zip(now) {
                *touched |= entry == number;
            }
        }
    }
    touched
}

/// By switch: the first switch of its connected component.
fn components(fabric: &Fabric) -> Vec<u32> {
    let mut component = vec![u32::MAX; fabric.num_switches()];
    for start in fabric.switches() {
        let mut queue = vec![start];
        while let Some(s) = queue.pop() {
            if component[s.ix()] == u32::MAX {
                component[s.ix()] = start.0;
                let far = fabric.ports_of(s).filter_map(|p| fabric.peer(p)).map(|p| fabric.node_of(p));
                queue.extend(far.filter(|&n| fabric.is_switch(n)));
            }
        }
    }
    component
}
