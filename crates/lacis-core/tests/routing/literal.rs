//! A slow, literal rendering of how OpenSM 3.3.23 chooses ports: one candidate after the other,
//! records in lists, no bit tricks.

use std::collections::BTreeMap;

use lacis_core::fabric::{Fabric, Guid, NodeId, PortId};
use lacis_core::routing::Options;
use lacis_core::sm::lids::Lids;
use lacis_core::sm::{Lft, NO_ENTRY};

/// `hops[switch][target switch][port]`; port 0 holds the least.
pub type Matrices = Vec<Vec<Vec<u8>>>;

/// All that the choice depends on.
pub struct Literal<'a> {
    pub fabric: &'a Fabric,
    pub lids: &'a Lids,
    pub options: &'a Options,
    pub hops: &'a Matrices,
    /// Switches by byte-reversed GUID.
    pub order: &'a [NodeId],
    pub targets: &'a [PortId],
    /// Only the neighbour of the first candidate, as `dor` does.
    pub dor: bool,
    pub previous: Option<&'a Lft>,
}

/// Where LIDs of a target went: a switch, with `dor` a port of it.
struct Record {
    node: NodeId,
    port: u8,
    system: Guid,
    forwarded: u32,
}

/// What the manager keeps while it makes the table of one switch.
struct State {
    switch: NodeId,
    count: [u32; 256],
    records: BTreeMap<PortId, Vec<Record>>,
    /// Ports by position.
    search: Vec<u8>,
}

/// `random()` of the GNU C Library, by its textbook form.
pub struct Random {
    words: Vec<u32>,
}

impl Random {
    pub fn new(seed: u32) -> Self {
        let mut words = vec![seed];
        for i in 1..31_usize {
            let last = i64::from(words[i - 1].cast_signed());
            words.push((16807 * last).rem_euclid(2_147_483_647) as u32);
        }
        words.extend_from_within(0..3);
        let mut random = Self { words };
        (34..344).for_each(|_| {
            random.step();
        });
        random
    }

    fn step(&mut self) -> u32 {
        let n = self.words.len();
        self.words.push(self.words[n - 3].wrapping_add(self.words[n - 31]));
        self.words[n]
    }

    fn draw(&mut self) -> usize {
        (self.step() >> 1) as usize
    }
}

/// The best so far of each kind.
#[derive(Default)]
struct Best {
    new_system: Option<(u32, u8)>,
    new_node: Option<(u32, u8)>,
    any: Option<(u32, u8)>,
    forwarded: Option<u32>,
}

impl Best {
    fn port(&self) -> u8 {
        self.new_system.or(self.new_node).or(self.any).map_or(NO_ENTRY, |(_, port)| port)
    }

    fn is_less(best: Option<(u32, u8)>, count: u32) -> bool {
        best.is_none_or(|(least, _)| count < least)
    }
}

impl Literal<'_> {
    pub fn tables(&self) -> Lft {
        let mut lft = Lft::new(self.fabric.num_switches(), self.lids.max_lid());
        // A subnet is known by its lowest switch.
        let mut subnet: Vec<NodeId> = self.fabric.switches().collect();
        for _ in 0..subnet.len() {
            for s in self.fabric.switches() {
                for (far, _) in (1..=self.fabric.radix(s)).filter_map(|p| self.far(s, p)) {
                    if self.fabric.is_switch(far) {
                        subnet[s.ix()] = subnet[s.ix()].min(subnet[far.ix()]);
                    }
                }
            }
        }
        let mut random = BTreeMap::new();
        for &switch in self.order {
            let random =
                random.entry(subnet[switch.ix()]).or_insert_with(|| Random::new(self.options.scatter));
            let search = self.search(switch);
            let mut state = State { switch, count: [0; 256], records: BTreeMap::new(), search };
            for k in 0..128 {
                for &target in self.targets.iter().filter(|&&t| k < 1 << self.lids.lmc(t)) {
                    let lid = self.lids.base(target) + k;
                    let before = (k > 0).then(|| lft.get(switch, lid - 1));
                    let port = self.route(&state, target, lid, before, random);
                    lft.row_mut(switch)[lid as usize] = port;
                    self.count(&mut state, target, port);
                }
            }
        }
        lft
    }

    /// The node and port behind a port.
    fn far(&self, node: NodeId, port: u8) -> Option<(NodeId, u8)> {
        let far = self.fabric.peer(self.fabric.port(node, port)?)?;
        Some((self.fabric.node_of(far), self.fabric.number_of(far)))
    }

    fn search(&self, switch: NodeId) -> Vec<u8> {
        let radix = self.fabric.radix(switch);
        for (guid, ports) in &self.options.search_order {
            let mut seen = vec![0];
            for &port in ports {
                if port <= radix && !seen.contains(&port) {
                    seen.push(port);
                }
            }
            if *guid == self.fabric.node(switch).guid && seen.len() == ports.len() + 1 {
                (1..=radix).for_each(|p| {
                    if !seen.contains(&p) {
                        seen.push(p);
                    }
                });
                return seen;
            }
        }
        (0..=radix).collect()
    }

    /// The port for a LID of a target; `before` is that for the LID before, if it is not the first.
    fn route(&self, state: &State, target: PortId, lid: u32, before: Option<u8>, random: &mut Random) -> u8 {
        let (s, node) = (state.switch, self.fabric.node_of(target));
        let (edge_switch, at_edge) = if self.fabric.is_switch(node) {
            (node, 0)
        } else {
            let far = self.far(node, self.fabric.number_of(target));
            match far.filter(|&(edge_switch, _)| self.fabric.is_switch(edge_switch)) {
                Some(far) => far,
                None => return NO_ENTRY,
            }
        };
        if edge_switch == s {
            return at_edge;
        }
        let hops = &self.hops[s.ix()][edge_switch.ix()];
        if hops[0] == 255 {
            return NO_ENTRY;
        }
        if let Some(previous) = self.previous {
            let old = previous.get(s, lid);
            if old >= 1 && self.far(s, old).is_some() && hops[usize::from(old)] == hops[0] {
                return old;
            }
        }
        let positions = usize::from(self.fabric.radix(s)) + 1;
        let start = before.filter(|_| !self.dor).map_or(1, |port| usize::from(port) + 1);
        let in_order = (start..start + positions).map(|i| state.search[i % positions]);
        let mut candidates: Vec<u8> = in_order
            .filter(|&p| p > 0 && hops[usize::from(p)] == hops[0] && self.far(s, p).is_some())
            .collect();
        if self.dor {
            let first = self.far(s, candidates[0]).unwrap().0;
            candidates.retain(|&p| self.far(s, p).unwrap().0 == first);
        }
        let listed = self.options.order.contains(&self.fabric.port_info(target).guid);
        let exempt = listed && self.options.order_no_scatter;
        if self.options.scatter != 0 && before.is_none() && !exempt {
            let least = candidates.iter().map(|&p| state.count[usize::from(p)]).min().unwrap();
            candidates.retain(|&p| state.count[usize::from(p)] == least);
            return candidates[random.draw() % candidates.len()];
        }
        if self.options.port_shifting {
            let sum: u32 = candidates.iter().map(|&p| state.count[usize::from(p)]).sum();
            let shift = sum as usize / candidates.len() % candidates.len();
            candidates.rotate_left(shift);
        }
        self.pick(state, target, &candidates)
    }

    /// The rules for ports of several LIDs; for the first LID they reduce to the least count.
    fn pick(&self, state: &State, target: PortId, candidates: &[u8]) -> u8 {
        let none = Vec::new();
        let records = state.records.get(&target).unwrap_or(&none);
        let mut best = Best::default();
        for &port in candidates {
            let count = state.count[usize::from(port)];
            let (node, far_port) = self.far(state.switch, port).unwrap();
            let system = self.fabric.node(node).system_guid;
            let mut matched = None;
            if self.dor {
                let same = records.iter().find(|r| r.node == node && r.port == far_port);
                matched = Some(same.map_or(0, |r| r.forwarded)).filter(|_| !self.options.port_shifting);
            } else if !records.iter().any(|r| r.system == system) {
                if Best::is_less(best.new_system, count) {
                    best.new_system = Some((count, port));
                    best.forwarded = Some(0);
                }
            } else {
                matched = records.iter().find(|r| r.node == node).map(|r| r.forwarded);
                if matched.is_none() && Best::is_less(best.new_node, count) {
                    best.new_node = Some((count, port));
                    best.forwarded = Some(0);
                }
            }
            let fewer = matched.filter(|&f| best.forwarded.is_none_or(|least| f < least));
            if Best::is_less(best.any, count) {
                best.any = Some((count, port));
                best.forwarded = fewer.or(best.forwarded);
            } else if best.any.is_some_and(|(least, _)| count == least) && fewer.is_some() {
                best.any = Some((count, port));
                best.forwarded = fewer;
            }
        }
        best.port()
    }

    fn count(&self, state: &mut State, target: PortId, port: u8) {
        let ignored = (self.fabric.node(state.switch).guid, port);
        let to_switch = self.fabric.is_switch(self.fabric.node_of(target));
        if port == NO_ENTRY
            || self.options.ignore.contains(&ignored)
            || to_switch && !self.options.count_switches
        {
            return;
        }
        state.count[usize::from(port)] += 1;
        let Some((node, far_port)) = self.far(state.switch, port) else { return };
        let records = state.records.entry(target).or_default();
        match records.iter_mut().find(|r| r.node == node && (!self.dor || r.port == far_port)) {
            Some(record) => record.forwarded += 1,
            None => records.push(Record {
                node,
                port: far_port,
                system: self.fabric.node(node).system_guid,
                forwarded: 1,
            }),
        }
    }
}
