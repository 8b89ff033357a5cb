//! What is written and read again is equal, over generated fabrics and a real one.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use lacis_core::fabric::{
    Capability, Chassis, Counter, Coverage, Declared, Fabric, FabricBuilder, FabricPart, Guid, Lanes, Node,
    NodeKind, PhysicalState, Population, PortDetail, PortId, PortState, Rate, Speed, Width,
};
use lacis_core::io;
use lacis_core::sm::lids::{Lids, MAX_UNICAST_LID};
use lacis_core::sm::{Engine, Engines, Lft, Routes};
use proptest::prelude::*;

/// A file of the shared data, where this machine has them.
fn shared(name: &str) -> Option<Vec<u8>> {
    let from_env = std::env::var_os("LACIS_SHARED").map(|d| PathBuf::from(d).join("data"));
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|d| d.join("shared/data"));
    from_env.into_iter().chain(above).find_map(|dir| std::fs::read(dir.join(name)).ok())
}

/// Counted with grep: 40 `^Switch`, 582 `^Ca`, of them 40 with "Aggregation Node", 2,228 `^\[`.
#[test]
fn a_real_cluster_is_read_and_written() {
    let Some(bytes) = shared("dgx-2025.ibnetdiscover") else { return };
    let start = std::time::Instant::now();
    let loaded = io::read(&bytes).unwrap();
    println!("read in {:?}", start.elapsed());
    let f = &loaded.fabric;
    assert_eq!((f.num_switches(), f.num_nodes(), f.cables().count()), (40, 622, 1114));
    assert_eq!(f.end_ports(Population::Hosts).len(), 542);
    assert_eq!(f.nodes().filter(|(_, n)| n.kind == NodeKind::Aggregation).count(), 40);
    let rated = f.cables().flat_map(|(a, b)| [a, b]).filter(|&p| f.port_info(p).rate.is_some()).count();
    assert_eq!(rated, 2228);
    assert_eq!(loaded.notes, []);
    assert_eq!(&io::read(io::net::write(f).as_bytes()).unwrap().fabric, f);
}

/// One node as drawn: kind, radix, description, GUID, flags.
type DrawnNode = (u8, u8, String, u64, u16);
/// One cable as drawn: two ports, two rates, which ends list it, LIDs and LMC.
type DrawnCable = (u32, u32, [(u8, u8); 2], u8, u16);

fn rate((width, speed): (u8, u8)) -> Option<Rate> {
    let width = [1, 2, 4, 8, 12, 0][usize::from(width) % 6];
    let (speed, _) = Speed::ALL[usize::from(speed) % Speed::ALL.len()];
    Some(Rate { width: Width::new(width)?, speed })
}

/// Any fabric that `ibnetdiscover` could print: ports without cable have no data, a port listed from
/// the other end alone has no LMC and no rate, ports of switches have no GUID.
fn fabric(nodes: &[DrawnNode], cables: &[DrawnCable]) -> Fabric {
    let mut builder = FabricBuilder::new();
    let mut ports = Vec::new();
    for (i, (kind, radix, description, guid, flags)) in nodes.iter().enumerate() {
        let kind =
            [NodeKind::Switch, NodeKind::Switch, NodeKind::Adapter, NodeKind::Router, NodeKind::Aggregation]
                [usize::from(*kind) % 5];
        let description = match kind {
            NodeKind::Aggregation => format!("{description} Aggregation Node"),
            _ => description.clone(),
        };
        let switch = kind == NodeKind::Switch;
        let chassis = (flags & 1 != 0).then(|| Chassis {
            number: u32::from(flags >> 8),
            position: if flags & 2 != 0 { "Spine 3 Chip 1".into() } else { "".into() },
        });
        let node = Node {
            kind,
            guid: Guid(*guid),
            system_guid: if flags & 4 != 0 { Guid(guid ^ 7) } else { Guid::NONE },
            id: format!("{}-{i}", if switch { 'S' } else { 'H' }).into(),
            description: description.into(),
            vendor: u32::from(flags & 0xff),
            device: u32::from(*flags),
            enhanced_port0: switch && flags & 8 != 0,
            chassis,
            declared: Declared::ALL
                .get(usize::from(flags >> 4) % 12)
                .copied()
                .filter(|declared| declared.suits(kind)),
        };
        let handle = builder.add_node(node, *radix).unwrap();
        if switch {
            let port0 = builder.port_mut(handle, 0).unwrap();
            port0.guid = Guid(*guid);
            port0.lid = u32::from(*flags) % (MAX_UNICAST_LID + 1);
            port0.lmc = (flags & 7) as u8;
        }
        ports.extend((1..=u32::from(*radix)).map(|p| (handle, p, switch)));
    }
    for (a, b, rates, listed, lid) in cables {
        let (a, b) = (ports[*a as usize % ports.len()], ports[*b as usize % ports.len()]);
        if builder.connect((a.0, a.1), (b.0, b.1)).is_err() {
            continue;
        }
        for (end, (number, switch), bit) in [(a.0, (a.1, a.2), 1u8), (b.0, (b.1, b.2), 2)] {
            let lists = matches!((listed & 3, bit), (0 | 3, _) | (1, 1) | (2, 2));
            let port = builder.port_mut(end, number).unwrap();
            port.listed = lists;
            if lists {
                port.rate = rate(rates[usize::from(bit) - 1]);
            }
            if !switch {
                port.guid = Guid(u64::from(*lid) << 8 | u64::from(bit));
                port.lid = u32::from(lid.wrapping_mul(u16::from(bit))) % (MAX_UNICAST_LID + 1);
                port.lmc = if lists { (lid & 7) as u8 } else { 0 };
            }
        }
    }
    builder.finish()
}

fn any_fabric() -> impl Strategy<Value = Fabric> {
    let description = "[ -~é]{0,40}";
    let node = (any::<u8>(), 1u8..=254, description, any::<u64>(), any::<u16>());
    let cable = (any::<u32>(), any::<u32>(), any::<[(u8, u8); 2]>(), any::<u8>(), any::<u16>());
    (proptest::collection::vec(node, 1..12), proptest::collection::vec(cable, 0..60))
        .prop_map(|(nodes, cables)| fabric(&nodes, &cables))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn net_files_are_read_as_they_were_written(f in any_fabric()) {
        let loaded = io::read(io::net::write(&f).as_bytes()).unwrap();
        // The format has no room for what a site declares.
        prop_assert_eq!(loaded.fabric, f.declared(|_| None));
    }

    #[test]
    fn fabric_files_are_read_as_they_were_written(f in any_fabric()) {
        prop_assert_eq!(&io::read(io::json::write(&f).as_bytes()).unwrap().fabric, &f);
    }

    /// States, capabilities, lanes and counters of ports, and what a source cannot show.
    #[test]
    fn what_few_sources_say_is_read_as_it_was_written(
        f in any_fabric(),
        of_ports in proptest::collection::vec((any::<u32>(), any::<[u8; 8]>(), any::<u64>()), 0..40),
        cables in any::<bool>(),
    ) {
        let mut builder = FabricBuilder::from(&f);
        let ports = f.num_ports() as u32;
        for (port, [state, physical, can, enabled, width, lanes, speed, counter], value) in of_ports {
            let port = PortId(port % ports);
            let (node, number) = (f.node_of(port), u32::from(f.number_of(port)));
            let node = builder.nth(node.0 as usize).unwrap();
            let widths = [1, 2, 4, 8, 12].map(|lanes| Width::new(lanes).unwrap());
            let of = |byte: u8| widths[usize::from(byte) % widths.len()];
            let speed = Speed::ALL[usize::from(speed) % Speed::ALL.len()].0;
            *builder.detail_mut(node, number).unwrap() = PortDetail {
                state: PortState::of_code(u64::from(state % 6)),
                physical: PhysicalState::of_code(u64::from(physical % 12)),
                supported: Capability::default().with_width(of(can)).with_speed(speed),
                enabled: Capability::default().with_width(of(enabled)),
                could_be_width: (width & 1 == 0).then(|| of(width)),
                could_be_speed: (width & 2 == 0).then_some(speed),
                lanes: (lanes & 1 == 0).then(|| Lanes { brought_up: of(lanes), sending: of(can), receiving: of(width) }),
            };
            let counter = Counter::ALL[usize::from(counter) % Counter::ALL.len()];
            builder.count(node, number, counter, value).unwrap();
        }
        *builder.coverage_mut() = Coverage::WHOLE.with(FabricPart::Cables, cables);
        let f = builder.finish();
        prop_assert_eq!(&io::read(io::json::write(&f).as_bytes()).unwrap().fabric, &f);
    }

    /// Random tables over every second LID.
    #[test]
    fn tables_are_read_as_they_were_written(f in any_fabric(), seed in any::<u64>()) {
        let f = with_distinct_guids(&f);
        let lids = numbered(&f, 0);
        prop_assume!(f.num_switches() > 0);
        let mut lft = Lft::new(f.num_switches(), lids.max_lid());
        let mut state = seed | 1;
        for switch in f.switches() {
            let radix = u64::from(f.radix(switch));
            for entry in &mut lft.row_mut(switch)[1..] {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *entry = ((state >> 33) % (radix + 1)) as u8;
            }
        }
        let file = || Engines::from(Engine::File);
        let routes = Routes { lids, lft, lanes: None, engine_requested: file(), engine_used: file(), refusals: Vec::new() };
        let text = io::lft::write(&f, &routes).unwrap();
        prop_assert_eq!(io::lft::GivenTables::of(&f, &routes).unwrap(), io::lft::read_given(text.as_bytes()).unwrap());
        prop_assert_eq!(io::lft::read(text.as_bytes(), &f).unwrap().routes, routes);
    }

    #[test]
    fn caches_are_read_as_they_were_written(f in any_fabric(), lmc in 0u8..=7) {
        let f = with_distinct_guids(&f);
        let lids = numbered(&f, lmc);
        let entries = io::guid2lid::entries(&f, &lids).unwrap();
        prop_assume!(!entries.is_empty());
        prop_assert_eq!(io::guid2lid::read(io::guid2lid::write(&entries).as_bytes()).unwrap(), entries);
    }

    /// What ibsim makes of our file: it numbers the ports of end nodes by the node's GUID.
    #[test]
    fn files_for_ibsim_say_what_ibsim_will_do(f in any_fabric()) {
        let text = io::net::write_with(&f, io::net::WriteOptions { for_ibsim: true });
        prop_assert!(text.lines().all(|l| l.len() < 256));
        let again = io::read(text.as_bytes()).unwrap().fabric;
        prop_assert_eq!(again.raw_peers(), f.raw_peers());
        for port in again.end_ports(Population::All) {
            let node = again.node(again.node_of(port));
            let numbered = node.guid.0.wrapping_add(again.number_of(port).into());
            prop_assert_eq!(again.port_info(port).guid.0, numbered);
            prop_assert!(again.port_info(port).listed);
        }
        for node in again.end_nodes() {
            // The first cabled port keeps its GUID.
            if let Some(port) = again.ports_of(node).find(|&p| f.port_info(p).guid.is_some()) {
                prop_assert_eq!(again.port_info(port).guid, f.port_info(port).guid);
            }
        }
    }
}

/// The same fabric with GUIDs by index, of nodes and of end ports, and no LIDs reported.
fn with_distinct_guids(f: &Fabric) -> Fabric {
    let mut builder = FabricBuilder::new();
    let mut handles = Vec::new();
    for (id, node) in f.nodes() {
        let guid = Guid(0x1_0000 * u64::from(id.0 + 1));
        let handle = builder.add_node(Node { guid, ..node.clone() }, f.radix(id)).unwrap();
        for number in 0..=f.radix(id) {
            let port: PortId = f.port(id, number).unwrap();
            let mut info = *f.port_info(port);
            let end = if f.is_switch(id) { number == 0 } else { f.peer(port).is_some() };
            info.guid = if end { Guid(guid.0 + u64::from(number)) } else { Guid::NONE };
            info.lid = 0;
            info.lmc = 0;
            *builder.port_mut(handle, number.into()).unwrap() = info;
        }
        handles.push(handle);
    }
    for (a, b) in f.cables() {
        let end = |p: PortId| (handles[f.node_of(p).ix()], u32::from(f.number_of(p)));
        builder.connect(end(a), end(b)).unwrap();
    }
    builder.finish()
}

/// LIDs for all end ports, with gaps.
fn numbered(f: &Fabric, lmc: u8) -> Lids {
    let mut lids = Lids::none(f);
    let ends = f.switches().map(|s| f.port0(s)).chain(f.end_ports(Population::All));
    for (i, port) in ends.enumerate() {
        lids.set(port, (1 + 2 * i as u32) << lmc, lmc);
    }
    lids
}
