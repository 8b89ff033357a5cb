//! What cables alone decide, whatever the tables: how much some link must carry ([`forced`]), what
//! two halves of the hosts can send each other ([`bisection`]), what shifts can have at most ([`shifts()`]), and how full a cable may
//! be beside the hosts' own links ([`as_full_as_own_links`]).
//!
//! A *cut* is a set of switches of one connected component, and the cables that leave it. Traffic between
//! its inside and its outside crosses these cables, however it is routed.

mod bisection;
mod border;
mod forced;
mod grow;
mod lengths;
mod nested;
mod own_links;
mod rates;
mod shifts;
mod spread;

use crate::fabric::{Bundles, Fabric, NodeId, PortId};

pub use bisection::{Bisection, bisection, bisection_in_links};
pub use forced::{Forced, Why, forced, forced_by_switches};
pub use lengths::mean_hops;
pub use own_links::as_full_as_own_links;
pub use shifts::{ShiftBound, shifts};

/// The switches of a fabric, the bundles between them, and how many end ports send and receive.
pub(crate) struct CutGraph {
    bundles: Bundles,
    /// By switch: cables to other switches.
    degree: Vec<u64>,
    /// By switch: its end ports.
    ends: Vec<Ends>,
    /// By switch: its connected component.
    component: Vec<u32>,
    /// By component: all that its switches send and receive.
    whole: Vec<Ends>,
}

/// Numbers of end ports that send, and of LIDs that are sent to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ends {
    senders: u64,
    receivers: u64,
}

impl std::ops::AddAssign for Ends {
    fn add_assign(&mut self, other: Self) {
        self.senders += other.senders;
        self.receivers += other.receivers;
    }
}

impl std::ops::Sub for Ends {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { senders: self.senders - other.senders, receivers: self.receivers - other.receivers }
    }
}

impl CutGraph {
    /// The graph with chosen end ports, which are sent to on so many LIDs.
    pub fn of(fabric: &Fabric, ports: &[PortId], lids: impl Fn(PortId) -> u64) -> Self {
        let bundles = Bundles::of(fabric);
        let count = fabric.num_switches();
        let mut ends = vec![Ends::default(); count];
        for (port, edge_switch) in ports.iter().filter_map(|&p| Some((p, fabric.edge_switch(p)?))) {
            ends[edge_switch.ix()] += Ends { senders: 1, receivers: lids(port) };
        }
        let others = |s: u32| bundles.of_switch(s).iter().filter(move |b| b.0 != s);
        let degree = (0..count as u32).map(|s| others(s).map(|b| u64::from(b.1)).sum()).collect();
        let (component, components) = components(&bundles, count);
        let mut net = Self { bundles, degree, ends, component, whole: vec![Ends::default(); components] };
        for s in 0..count {
            net.whole[net.component[s] as usize] += net.ends[s];
        }
        net
    }

    fn num_switches(&self) -> usize {
        self.degree.len()
    }

    /// The bundles of a switch to others: far switch, cables.
    fn bundles(&self, switch: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        let all = self.bundles.of_switch(switch).iter();
        all.filter(move |b| b.0 != switch).map(|&(far, cables)| (far, u64::from(cables)))
    }

    /// The end ports on a switch.
    fn ends(&self, switch: u32) -> Ends {
        self.ends[switch as usize]
    }

    /// All that a switch's component sends and receives.
    fn whole_of(&self, switch: u32) -> Ends {
        self.whole[self.component[switch as usize] as usize]
    }

    /// The switches in groups of *twins*: those of a group have bundles to the same switches.
    fn twins(&self) -> Vec<Vec<u32>> {
        let far = |s: &u32| self.bundles(*s).map(|b| b.0).collect::<Vec<u32>>();
        let mut all: Vec<(Vec<u32>, u32)> = (0..self.num_switches() as u32).map(|s| (far(&s), s)).collect();
        all.sort_unstable();
        all.chunk_by(|a, b| a.0 == b.0).map(|same| same.iter().map(|&(_, switch)| switch).collect()).collect()
    }
}

/// The connected component of each switch, and how many components there are.
fn components(bundles: &Bundles, count: usize) -> (Vec<u32>, usize) {
    let mut component = vec![u32::MAX; count];
    let mut components = 0;
    for start in 0..count as u32 {
        if component[start as usize] != u32::MAX {
            continue;
        }
        component[start as usize] = components;
        let mut stack = vec![start];
        while let Some(s) = stack.pop() {
            for &(far, _) in bundles.of_switch(s) {
                if component[far as usize] == u32::MAX {
                    component[far as usize] = components;
                    stack.push(far);
                }
            }
        }
        components += 1;
    }
    (component, components as usize)
}

/// The ids of switches.
fn nodes(switches: &[u32]) -> Vec<NodeId> {
    switches.iter().map(|&s| NodeId(s)).collect()
}
