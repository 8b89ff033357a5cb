//! Service levels and virtual lanes: which of a link's separate buffers a packet uses.
//!
//! A packet carries the service level (SL) that the manager gave its sender for this destination;
//! at every hop a switch looks up the virtual lane (VL) of the next link by SL, input port and
//! output port. (InfiniBand Architecture Specification, volume 1, 7.6.6.)

use super::lids::Lids;
use crate::fabric::NodeId;

/// The lane of any path that an engine gives no lane.
pub const DEFAULT_LANE: u8 = 0;

/// Service levels of all paths, and the lanes that they mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathLanes {
    sl: ServiceLevels,
    vl: VirtualLanes,
}

/// The service level of a path from an end port on a switch to a LID.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceLevels {
    /// By destination LID alone.
    ByLid(Vec<u8>),
    /// By the source's switch and the destination LID, shape `(switches, stride)`.
    BySwitchAndLid {
        /// Length of a row: highest LID + 1.
        stride: usize,
        /// Row after row.
        levels: Vec<u8>,
    },
    /// By the switches that the source and the destination hang off.
    BySwitches {
        /// By LID, the switch that its owner hangs off, or [`ServiceLevels::NO_SWITCH`].
        edge_of_lid: Vec<u32>,
        /// Length of a row: the number of switches.
        switches: usize,
        /// Row after row, by source.
        levels: Vec<u8>,
    },
}

impl ServiceLevels {
    /// For a LID that no port answers to.
    pub const NO_SWITCH: u32 = u32::MAX;
}

/// The lane of a service level on a hop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VirtualLanes {
    /// The lane is the service level, on every link.
    Same,
    /// By switch, input port (0: from the switch itself), output port and service level; shape
    /// `(switches, ports, ports, 16)`, where `ports` is one more than the highest port number.
    Mapped {
        /// Ports of the switch with most, port 0 included.
        ports: usize,
        /// The lanes.
        lanes: Vec<u8>,
    },
    /// As before, but a port counts only by its class, such as its direction.
    Classed {
        /// Ports of the switch with most, port 0 included.
        ports: usize,
        /// By switch and port, shape `(switches, ports)`, classes from 0 without gaps.
        classes: Vec<u8>,
        /// By class of the input port, class of the output port and service level; shape
        /// `(classes, classes, 16)`.
        lanes: Vec<u8>,
    },
}

impl PathLanes {
    /// Lanes of a fabric's paths.
    pub fn new(sl: ServiceLevels, vl: VirtualLanes) -> Self {
        Self { sl, vl }
    }

    /// The service level of packets from an end port on `source` to `lid`.
    pub fn sl(&self, source: NodeId, lid: u32) -> u8 {
        let level = match &self.sl {
            ServiceLevels::ByLid(levels) => levels.get(lid as usize),
            ServiceLevels::BySwitchAndLid { stride, levels } => {
                levels[source.ix() * stride..][..*stride].get(lid as usize)
            }
            ServiceLevels::BySwitches { edge_of_lid, switches, levels } => {
                let edge_switch = edge_of_lid
                    .get(lid as usize)
                    .filter(|&&edge_switch| edge_switch != ServiceLevels::NO_SWITCH);
                edge_switch.map(|&edge_switch| &levels[source.ix() * switches + edge_switch as usize])
            }
        };
        level.copied().unwrap_or(DEFAULT_LANE)
    }

    /// The lane on which a packet leaves a switch by a port, having come in by another (0: from the
    /// switch itself).
    pub fn vl(&self, switch: NodeId, from: u8, to: u8, sl: u8) -> u8 {
        match &self.vl {
            VirtualLanes::Same => sl,
            VirtualLanes::Mapped { ports, lanes } => {
                let hop = (switch.ix() * ports + usize::from(from)) * ports + usize::from(to);
                lanes[hop * 16 + usize::from(sl)]
            }
            VirtualLanes::Classed { ports, classes, lanes } => {
                let class = |port: u8| usize::from(classes[switch.ix() * ports + usize::from(port)]);
                let num_classes = (lanes.len() / 16).isqrt();
                lanes[(class(from) * num_classes + class(to)) * 16 + usize::from(sl)]
            }
        }
    }

    /// How many lanes a port must have: the highest lane of any path, plus one.
    pub fn num_lanes(&self) -> usize {
        let highest = match &self.vl {
            VirtualLanes::Mapped { lanes, .. } | VirtualLanes::Classed { lanes, .. } => lanes.iter().max(),
            VirtualLanes::Same => match &self.sl {
                ServiceLevels::ByLid(levels)
                | ServiceLevels::BySwitchAndLid { levels, .. }
                | ServiceLevels::BySwitches { levels, .. } => levels.iter().max(),
            },
        };
        usize::from(highest.copied().unwrap_or(DEFAULT_LANE)) + 1
    }

    /// Whether the engine maps service levels to lanes itself.
    pub fn maps(&self) -> bool {
        matches!(self.vl, VirtualLanes::Mapped { .. } | VirtualLanes::Classed { .. })
    }

    /// How many (source switch, assigned LID) entries have each service level.
    pub fn census(&self, lids: &Lids, switches: impl Iterator<Item = NodeId>) -> [u64; 16] {
        let assigned = lids.assigned();
        let mut entries = [0; 16];
        for switch in switches {
            for &(lid, _) in &assigned {
                entries[usize::from(self.sl(switch, lid) & 15)] += 1;
            }
        }
        entries
    }

    /// The service levels as a table.
    pub fn service_levels(&self) -> &ServiceLevels {
        &self.sl
    }

    /// The mapping of service levels to lanes.
    pub fn virtual_lanes(&self) -> &VirtualLanes {
        &self.vl
    }
}
