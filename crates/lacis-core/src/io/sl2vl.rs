//! Tables from service levels to virtual lanes, as OpenSM writes them to `opensm-sl2vl.dump` where quality of
//! service is on (`-Q`):
//!
//! ```text
//! Switch 0x0000000008f10001, base LID 2, "leaf 1"
//! #in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
//! #--------------------------------------------------------
//! 0   1   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
//! #--------------------------------------------------------
//! ```
//!
//! Switches and the ports of end nodes, all by port GUID in OpenSM's order; a switch has a row for each
//! cabled output port and each input port, 0 included, an end node the one row `0   0`. Unless an engine
//! maps lanes itself, OpenSM's default applies: level 15 on lane 7, every other on the lane of its number,
//! modulo the lanes that the port has. Lines of numbers end in a blank.
//!
//! And the service levels that an engine gives to paths, in Lacis's own form, that of
//! `opensm-lfts.dump` with levels instead of ports:
//!
//! ```text
//! Service levels [0-24] from switch Lid 2 guid 0x0000000008f10001 ('leaf 1'):
//! 0x0001 003
//! ```
//!
//! The grammar was read from the output of OpenSM 3.3.23 on ibsim 0.10.

use std::fmt::Write as _;

use super::text::clean;
use crate::fabric::{Fabric, NodeId, NodeKind, PortId};
use crate::sm::Routes;
use crate::sm::lanes::PathLanes;
use crate::sm::lids::Lids;

const LEVELS: u8 = 16;
const HEAD: &str = "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n";
const RULE: &str = "#--------------------------------------------------------\n";

/// `opensm-sl2vl.dump`, one text a switch or port. `vls` are the data lanes of every port.
pub fn write<'a>(
    fabric: &'a Fabric,
    lids: &'a Lids,
    lanes: Option<&'a PathLanes>,
    vls: u8,
) -> impl Iterator<Item = String> + 'a {
    let ends = fabric.end_ports_in_opensm_order().into_iter();
    let ends = ends.filter(|&p| fabric.is_switch(fabric.node_of(p)) || lids.base(p) != 0);
    ends.map(move |port| {
        let mut out = heading(fabric, lids, port);
        if fabric.is_switch(fabric.node_of(port)) {
            rows_of_switch(&mut out, fabric, fabric.node_of(port), lanes, vls);
        } else {
            // An engine's map of the cable is that of its other end, for packets of the switch itself.
            let far = fabric.peer(port).filter(|&p| fabric.is_switch(fabric.node_of(p)));
            let mapped = lanes.filter(|l| l.maps()).zip(far);
            let by_engine = |sl| mapped.map(|(l, p)| l.vl(fabric.node_of(p), 0, fabric.number_of(p), sl));
            row(&mut out, 0, 0, |sl| by_engine(sl).unwrap_or_else(|| default(sl, vls)));
        }
        out + RULE + "\n"
    })
}

fn rows_of_switch(out: &mut String, fabric: &Fabric, switch: NodeId, lanes: Option<&PathLanes>, vls: u8) {
    let cabled = fabric.ports_of(switch).filter(|&p| fabric.peer(p).is_some());
    for to in cabled.map(|p| fabric.number_of(p)) {
        for from in 0..=fabric.radix(switch) {
            let by_engine = |sl| lanes.filter(|l| l.maps()).map(|l| l.vl(switch, from, to, sl));
            row(out, from, to, |sl| by_engine(sl).unwrap_or_else(|| default(sl, vls)));
        }
    }
}

fn heading(fabric: &Fabric, lids: &Lids, port: PortId) -> String {
    let (guid, lid) = (fabric.end_port_guid(port), lids.base(port));
    let node = fabric.node(fabric.node_of(port));
    let kind = match node.kind {
        NodeKind::Switch => "Switch",
        NodeKind::Router => "Router",
        _ => "Channel Adapter",
    };
    format!("{kind} {guid}, base LID {lid}, \"{}\"\n{HEAD}{RULE}", clean(&node.description))
}

fn row(out: &mut String, from: u8, to: u8, lane: impl Fn(u8) -> u8) {
    let _ = write!(out, "{from:<3} {to:<3} :");
    for sl in 0..LEVELS {
        let _ = write!(out, " {:<2}", lane(sl));
    }
    out.push('\n');
}

/// OpenSM's default `qos_sl2vl`.
fn default(sl: u8, vls: u8) -> u8 {
    let lane = if sl == 15 { 7 } else { sl };
    lane % vls.max(1)
}

/// The service levels of paths from end nodes on a switch, one text a switch in OpenSM's order.
pub fn levels<'a>(
    fabric: &'a Fabric,
    routes: &'a Routes,
    lanes: &'a PathLanes,
) -> impl Iterator<Item = String> + 'a {
    let assigned = routes.lids.assigned();
    fabric.switches_in_opensm_order().into_iter().map(move |switch| {
        let node = fabric.node(switch);
        let own = routes.lids.of_switch(fabric, switch);
        let mut out = format!(
            "Service levels [0-{}] from switch Lid {own} guid {} ('{}'):\n",
            routes.lids.max_lid(),
            node.guid,
            clean(&node.description)
        );
        for &(lid, _) in &assigned {
            let _ = writeln!(out, "0x{lid:04x} {:03}", lanes.sl(switch, lid));
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;
    use crate::routing::{Options, route};
    use crate::sm::Engine;
    use crate::sm::lids::LidOptions;

    #[test]
    fn default_lanes_are_the_levels_modulo_the_lanes() {
        // By experiment: with 8 lanes level 15 is on lane 7, with 15 it still is.
        let all = |vls| (0..LEVELS).map(|sl| default(sl, vls)).collect::<Vec<_>>();
        assert_eq!(all(8), [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(all(4), [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
        assert_eq!(all(15), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 7]);
    }

    #[test]
    fn levels_are_listed_by_switch_and_lid() {
        let fabric = generate("ring:6").unwrap();
        let sm = Lids::default_sm(&fabric).unwrap();
        let lids = Lids::assign(&fabric, sm, &LidOptions::fresh()).unwrap();
        let routes = route(&fabric, lids, &[Engine::Lash], &Options::default()).unwrap();
        let lanes = routes.lanes.as_ref().unwrap();
        let texts: Vec<String> = levels(&fabric, &routes, lanes).collect();
        assert_eq!(texts.len(), 6);
        for (text, switch) in texts.iter().zip(fabric.switches_in_opensm_order()) {
            // A ring of six switches with a node each: 12 LIDs.
            assert_eq!(text.lines().count(), 13);
            assert!(text.contains(&format!("guid {}", fabric.node(switch).guid)));
            for line in text.lines().skip(1) {
                let (lid, sl) = line.split_once(' ').unwrap();
                let lid = u32::from_str_radix(&lid[2..], 16).unwrap();
                assert_eq!(sl.parse(), Ok(lanes.sl(switch, lid)));
            }
        }
        let census = lanes.census(&routes.lids, (0..6).map(NodeId));
        assert_eq!(census.iter().sum::<u64>(), 6 * 12);
        // Freedom from credit loops takes more than one lane on a ring.
        assert!(census[1] > 0);
    }
}
