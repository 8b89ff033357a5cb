//! Writes what `opareport -X FILE` reads: a fabric with its tables and port groups.
//!
//! What opareport requires and the fabric does not have is written as usual for Omni-Path: MTU 10240, one data lane, an
//! active link in every port with a cable. Links that are not Omni-Path's are written as 100g.

use std::fmt::Write as _;

use super::DEFAULT_PREFIX;
use super::counters::{COUNTERS, Counters};
use super::read::ACTIVE;
use crate::fabric::{Capability, Fabric, NodeId, NodeKind, PhysicalState, PortId, Rate, Speed, Width};
use crate::io::text::clean;
use crate::io::xml::escape;
use crate::sm::lids::{Lids, MAX_OMNI_PATH_LID};
use crate::sm::port_groups::{GROUP_LIDS, MOST_GROUPS, NO_GROUP};
use crate::sm::{NO_ENTRY, PortGroups, Routes};

/// Why a fabric does not fit a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSnapshot {
    /// A LID that Omni-Path does not have.
    #[error("LID {0} does not fit: Omni-Path's unicast LIDs end at {MAX_OMNI_PATH_LID}")]
    Lid(u32),
    /// A fabric without a cable: opareport refuses an empty list of links.
    #[error("no cable: opareport refuses a snapshot without links")]
    NoCables,
    /// Two nodes of one GUID.
    #[error("node GUID {0} occurs twice: opareport identifies nodes by it")]
    Twice(crate::fabric::Guid),
}

/// What is written besides the tables.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions<'a> {
    /// Seconds since 1970, as `unixtime`.
    pub unixtime: u64,
    /// Port groups, if any.
    pub groups: Option<&'a PortGroups>,
    /// Counters by port; ports beyond its end have none.
    pub counters: &'a [Counters],
}

/// MTU of Omni-Path's equipment `[bytes]`.
const MTU: u16 = 10240;
/// `PortState_Int` of a port that has a link and is not active.
const INIT: u8 = 2;
/// `AdaptiveRouting` of a switch with port groups: enabled, and else as the manager is shipped.
const ADAPTIVE: &str = "0x9030";

/// The snapshot in pieces, a node or so each.
///
/// # Errors
/// When a LID is beyond Omni-Path's range, or opareport would refuse the fabric.
pub fn write<'a>(
    fabric: &'a Fabric,
    routes: &'a Routes,
    options: &WriteOptions<'a>,
) -> Result<impl Iterator<Item = String> + 'a, NotSnapshot> {
    let top = routes.lids.max_lid().max(routes.lft.stride() as u32 - 1);
    if top > MAX_OMNI_PATH_LID {
        return Err(NotSnapshot::Lid(top));
    }
    if fabric.cables().next().is_none() {
        return Err(NotSnapshot::NoCables);
    }
    let mut order: Vec<NodeId> = fabric.nodes().map(|(node, _)| node).collect();
    order.sort_by_key(|&node| (fabric.node(node).guid, node));
    if let Some(pair) = order.windows(2).find(|p| fabric.node(p[0]).guid == fabric.node(p[1]).guid) {
        return Err(NotSnapshot::Twice(fabric.node(pair[0]).guid));
    }
    let manager = routes.lids.manager().or_else(|| Lids::default_sm(fabric));
    let has_lid = |port: &PortId| routes.lids.base(*port) != 0;
    // If the fabric reports managers, the master is one of them.
    let runs_manager = |port: &PortId| fabric.port_info(*port).manager && has_lid(port);
    let first = (0..fabric.num_ports() as u32).map(PortId).find(runs_manager);
    let manager =
        first.map_or(manager, |first| Some(manager.filter(runs_manager).unwrap_or(first))).filter(has_lid);
    let options = options.clone();
    let head = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\" ?>\n<Snapshot unixtime=\"{}\" stats=\"{}\" routes=\"1\" \
         qosdata=\"0\" bfrctrl=\"0\" downports=\"0\" options=\"lacis\">\n<Nodes>\n",
        options.unixtime,
        u8::from(!options.counters.is_empty())
    );
    let writer = Writer { fabric, routes, options, sm: manager.map_or(0, |port| routes.lids.base(port)) };
    let tail = writer.tail(manager);
    let nodes = order.into_iter().map(move |node| writer.node(node));
    Ok(std::iter::once(head).chain(nodes).chain(tail))
}

struct Writer<'a> {
    fabric: &'a Fabric,
    routes: &'a Routes,
    options: WriteOptions<'a>,
    /// LID of the manager.
    sm: u32,
}

/// Writes `<TAG>VALUE</TAG>` for each, one a line.
macro_rules! tags {
    ($out:expr, $($tag:ident $value:expr),+ $(,)?) => {
        $(let _ = writeln!($out, concat!("<", stringify!($tag), ">{}</", stringify!($tag), ">"), $value);)+
    };
}

impl Writer<'_> {
    fn node(&self, id: NodeId) -> String {
        let node = self.fabric.node(id);
        let is_switch = node.kind == NodeKind::Switch;
        let system = if node.system_guid.is_some() { node.system_guid } else { node.guid };
        let mut out = String::with_capacity(1 << 16);
        let _ = writeln!(out, "<Node id=\"{}\">", node.guid);
        let description = clean(&node.description);
        tags!(out,
            NodeDesc escape(&description),
            NodeGUID node.guid,
            NodeType if is_switch { "SW" } else { "FI" },
            NodeType_Int if is_switch { 2 } else { 1 },
            BaseVersion 128,
            ClassVersion 128,
            NumPorts self.fabric.radix(id),
            SystemImageGUID system,
            PartitionCap 32,
            DeviceID format_args!("0x{:x}", node.device),
            Revision "0x0",
            VendorID format_args!("0x{:x}", node.vendor),
        );
        if is_switch {
            self.port(&mut out, self.fabric.port0(id));
        }
        for port in self.fabric.ports_of(id) {
            // opareport lists a port without a link only on request, and then as down.
            if self.fabric.peer(port).is_some() {
                self.port(&mut out, port);
            }
        }
        if is_switch {
            self.tables(&mut out, id);
        }
        out.push_str("</Node>\n");
        out
    }

    fn port(&self, out: &mut String, port: PortId) {
        let (fabric, lids) = (self.fabric, &self.routes.lids);
        let (node, number, info) = (fabric.node_of(port), fabric.number_of(port), fabric.port_info(port));
        let is_switch = fabric.is_switch(node);
        let has_lid = !is_switch || number == 0;
        let lid = if has_lid { lids.base(port) } else { 0 };
        let guid = if has_lid { fabric.end_port_guid(port).0 } else { 0 };
        let prefix = if info.subnet_prefix == 0 { DEFAULT_PREFIX } else { info.subnet_prefix };
        let (speed, sending) = codes(info.rate);
        let detail = fabric.port_detail(port);
        let lanes = detail.lanes.filter(|lanes| info.rate.is_some_and(|rate| rate.width == lanes.sending));
        let width = lanes.map_or(sending, |lanes| width_code(lanes.brought_up));
        let receiving = lanes.map_or(sending, |lanes| width_code(lanes.receiving));
        let can = |capability: Capability| {
            let widths = capability.widths().map(width_code).fold(0, |all, bit| all | bit);
            let speeds = capability.speeds().filter_map(speed_code).fold(0, |all, bit| all | bit);
            (if widths == 0 { width } else { widths }, if speeds == 0 { speed } else { speeds })
        };
        let (supported, enabled) = (can(detail.supported), can(detail.enabled));
        let state = match detail.state {
            Some(state) => state.code(),
            None if info.inactive => INIT,
            None => ACTIVE,
        };
        let _ = writeln!(out, "<PortInfo id=\"{}:{number}\">", fabric.node(node).guid);
        tags!(out,
            PortNum number,
            GUID format_args!("0x{guid:016x}"),
            EndPortLID format_args!("0x{:x}", if is_switch { lids.of_switch(fabric, node) } else { lid }),
            M_Key "0x0000000000000000",
            SubnetPrefix format_args!("0x{prefix:016x}"),
            LID format_args!("0x{lid:x}"),
            SMLID format_args!("0x{:x}", self.sm),
            CapabilityMask "0x0",
            CapabilityMask3 "0x0",
            DiagCode "0x0",
            Lease 0,
            PortState_Int state,
            InitReason_Int 0,
            PhysState_Int detail.physical.map_or(5, PhysicalState::code),
            PortType_Int if number == 0 { 2 } else { 4 },
            LMC if has_lid { lids.lmc(port) } else { 0 },
            Protect_Int 0,
            LinkWidthEnabled_Int enabled.0,
            LinkWidthSupported_Int supported.0,
            LinkWidthActive_Int width,
            LinkWidthDowngradeEnabled_Int enabled.0,
            LinkWidthDowngradeSupported_Int supported.0,
            LinkWidthDowngradeTxActive_Int sending,
            LinkWidthDowngradeRxActive_Int receiving,
            PortLinkMode_Int 0,
            LinkSpeedEnabled_Int enabled.1,
            LinkSpeedSupported_Int supported.1,
            LinkSpeedActive_Int speed,
        );
        out.push_str("<MTUs><MTUActive VL=\"00\">10240</MTUActive></MTUs>\n");
        tags!(out,
            MTUSupported if info.mtu == 0 { MTU } else { info.mtu },
            SMSL 0,
            VLsActive_Int 1,
            VLsSupported_Int 1,
            VLArbHighLimit 0,
            VLArbHighCap 0,
            VLArbLowCap 0,
        );
        out.push_str("<VLStalls><VLStall VL=\"00\">0</VLStall></VLStalls>\n");
        tags!(out, VLFlowControlDisabledMask "0x0");
        out.push_str("<HoQLifes><HoQLife_Int VL=\"00\">0</HoQLife_Int></HoQLifes>\n");
        if let Some(counters) = self.options.counters.get(port.ix()) {
            out.push_str("<PortStatus>\n");
            for (name, value) in COUNTERS.iter().zip(counters) {
                let _ = writeln!(out, "<{name}>{value}</{name}>");
            }
            out.push_str("</PortStatus>\n");
        }
        out.push_str("</PortInfo>\n");
    }

    fn tables(&self, out: &mut String, switch: NodeId) {
        let row = self.routes.lft.row(switch);
        let (masks, groups) = match self.options.groups {
            Some(groups) => (groups.masks(switch), groups.entries(switch)),
            None => (&[][..], &[][..]),
        };
        let node = self.fabric.node(switch);
        let u2 = if node.enhanced_port0 { "0x08" } else { "0x00" };
        let size = (row.len() as u32).next_multiple_of(64).max(GROUP_LIDS);
        out.push_str("<SwitchInfo>\n");
        tags!(out,
            LID format_args!("0x{:x}", self.routes.lids.of_switch(self.fabric, switch)),
            LinearFDBCap size,
            MulticastFDBCap 8192,
            LinearFDBTop row.len() - 1,
            MulticastFDBTop 0,
            LifeTimeValue_Int 0,
            PortStateChange 0,
            PartitionEnforcementCap 32,
            U2 u2,
            CapabilityMask "0x01",
            RoutingModeSupported "0x01",
            RoutingModeEnabled "0x01",
            PortGroupFDBCap GROUP_LIDS,
            PortGroupCap MOST_GROUPS,
            PortGroupTop masks.len(),
            AdaptiveRouting if masks.is_empty() { "0x0000" } else { ADAPTIVE },
        );
        out.push_str("</SwitchInfo>\n<SwitchData>\n");
        tags!(out, LinearFDBSize size, MulticastFDBSize 0, PortGroupFDBSize GROUP_LIDS, PortGroupSize MOST_GROUPS);
        out.push_str("<LinearFDB>\n");
        for (lid, port) in row.iter().enumerate().filter(|&(_, &port)| port != NO_ENTRY) {
            let _ = writeln!(out, "<Value LID=\"0x{lid:x}\">{port}</Value>");
        }
        out.push_str("</LinearFDB>\n<PortGroupElements>\n");
        for (group, mask) in masks.iter().enumerate() {
            let _ = writeln!(out, "<Value PortGroupNumber=\"{group}\">0x{mask:x}</Value>");
        }
        out.push_str("</PortGroupElements>\n<PortGroupFDB>\n");
        for (lid, group) in groups.iter().enumerate().filter(|&(_, &group)| group != NO_GROUP) {
            let _ = writeln!(out, "<Value LID=\"0x{lid:x}\">{group}</Value>");
        }
        out.push_str("</PortGroupFDB>\n</SwitchData>\n");
    }

    /// The manager and the cables, by the lower of their node GUIDs.
    fn tail(&self, manager: Option<PortId>) -> Vec<String> {
        let fabric = self.fabric;
        let mut out = String::from("</Nodes>\n<SMs>\n");
        // The master first, then the standbys.
        let lids = &self.routes.lids;
        let others = (0..fabric.num_ports() as u32)
            .map(PortId)
            .filter(|&port| fabric.port_info(port).manager && lids.base(port) != 0 && Some(port) != manager);
        for port in manager.into_iter().chain(others) {
            let (guid, number) = (fabric.node(fabric.node_of(port)).guid, fabric.number_of(port));
            let (state, code) = if Some(port) == manager { ("Master", 3) } else { ("Standby", 2) };
            let _ = writeln!(out, "<SM id=\"{guid}:{number}\">");
            tags!(out,
                LID format_args!("0x{:x}", lids.base(port)),
                PortGUID fabric.end_port_guid(port),
                State state,
                State_Int code,
                Priority 0,
                SM_Key "0x0000000000000000",
                ActCount "0x0",
            );
            out.push_str("</SM>\n");
        }
        out.push_str("</SMs>\n<Links>\n");
        let end = |port| (fabric.node(fabric.node_of(port)).guid, fabric.number_of(port));
        let mut cables: Vec<_> =
            fabric.cables().map(|(a, b)| (end(a).min(end(b)), end(a).max(end(b)))).collect();
        cables.sort_unstable();
        for ((from, port), (to, far)) in cables {
            let _ = write!(
                out,
                "<Link id=\"{from}:{port}\">\n<From>\n<NodeGUID>{from}</NodeGUID>\n<PortNum>{port}</PortNum>\n</From>\n\
                 <To>\n<NodeGUID>{to}</NodeGUID>\n<PortNum>{far}</PortNum>\n</To>\n</Link>\n"
            );
        }
        out.push_str("</Links>\n</Snapshot>\n");
        vec![out]
    }
}

/// `LinkSpeed…_Int` and `LinkWidth…_Int` of a rate; those of 100g where it is not Omni-Path's.
fn codes(rate: Option<Rate>) -> (u16, u16) {
    let own = rate.and_then(|rate| Some((speed_code(rate.speed)?, width_code(rate.width))));
    own.filter(|&(_, width)| width != 0).unwrap_or((2, 8))
}

fn speed_code(speed: Speed) -> Option<u16> {
    match speed {
        Speed::Opa100 => Some(2),
        Speed::Cn5000 => Some(8),
        _ => None,
    }
}

/// The bit of a width; 0 for widths that Omni-Path does not have.
fn width_code(width: Width) -> u16 {
    if width.lanes() <= 4 { 1 << (width.lanes() - 1) } else { 0 }
}
