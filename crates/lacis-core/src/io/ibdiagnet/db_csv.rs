//! `ibdiagnet2.db_csv`: tables of what ibdiagnet found, one after the other.
//!
//! ```text
//! START_NODES
//! NodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,PortGUID,DeviceID,…
//! "MF0;leaf-1:MQM9700/U1",65,2,1,1,0x1070fd03001adeb4,0x1070fd03001adeb4,0x1070fd03001adeb4,54002,…
//! END_NODES
//!
//! START_LINKS
//! NodeGuid1,PortNum1,NodeGuid2,PortNum2
//! 0x1070fd03001adeb4,1,0xb83fd20300aa0001,1
//! END_LINKS
//! ```
//!
//! Read are NODES, PORTS, LINKS, `SM_INFO`, `PM_INFO` (counters), `CABLE_INFO` (parts) and `RUN_INFO` (when); other tables are passed over. Columns
//! are found by their names, which versions spell, order and add to as they like. NODES and LINKS are needed.
//!
//! The grammar was read in the published source of ibdiagnet and in the parsers that sites have for such files.

mod columns;
mod counted;

use rustc_hash::FxHashMap;

use super::sections::Sections;
use super::speeds::Layout;
use crate::fabric::{Guid, Node, NodeKind, PhysicalState, PortState};
use crate::io::assembly::{self, Assembly, Listing};
use crate::io::csv::{Column, CsvTable, Row};
use crate::io::note::Notes;
use crate::io::text::{decode, plain, refuse_empty};
use crate::io::{Loaded, NoteKind, ReadError};
use crate::sm::lids::MAX_UNICAST_LID;
use columns::{End, PortColumns, some_guid};

/// The tables that are read.
const READ: [&str; 7] = ["NODES", "PORTS", "LINKS", "SM_INFO", "PM_INFO", "CABLE_INFO", "RUN_INFO"];

/// Whether a line opens a table.
pub(in crate::io) fn is_line(s: &str) -> bool {
    super::sections::opens(s).is_some_and(|name| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'))
}

/// Reads a fabric.
///
/// # Errors
/// When a table or a column that is needed is missing, a row cannot be read, or cables contradict each other.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let mut notes = Notes::default();
    refuse_empty(bytes)?;
    let bytes = plain(bytes, &mut notes);
    let text = decode(&bytes, &mut notes)?;
    let sections = Sections::of(
        &text,
        |name| READ.contains(&name),
        |line, s| notes.add(NoteKind::UnknownLine, line, s),
    )?;
    let needed = |name: &str| {
        sections.get(name).ok_or_else(|| {
            let reason = format!(
                "a db_csv of ibdiagnet without a table {name}: it has no cabling; `ibdiagnet -o DIR` writes one with NODES, PORTS and LINKS"
            );
            ReadError::whole(reason)
        })
    };
    let mut found = Found::default();
    found.nodes(needed("NODES")?)?;
    if let Some(table) = sections.get("PORTS") {
        found.ports(table, &mut notes)?;
    }
    found.links(needed("LINKS")?, &mut notes)?;
    if let Some(table) = sections.get("SM_INFO") {
        found.managers(table)?;
    }
    if let Some(table) = sections.get("PM_INFO") {
        found.counters(table, &mut notes)?;
        found.assembly.counted_at = Found::made_at(&text, sections.get("RUN_INFO"))?;
    }
    if let Some(table) = sections.get("CABLE_INFO") {
        found.cables(table, &mut notes)?;
    }
    Ok(Loaded { fabric: found.assembly.finish(&mut notes)?, notes: notes.finish() })
}

/// The nodes so far, by GUID.
#[derive(Default)]
struct Found<'a> {
    assembly: Assembly<'a>,
    by_guid: FxHashMap<Guid, u32>,
}

impl<'a> Found<'a> {
    fn nodes(&mut self, table: &CsvTable<'a>) -> Result<(), ReadError> {
        let guid = table.needed("NodeGUID", &["nodeguid"])?;
        let kind = table.needed("NodeType", &["nodetype"])?;
        let radix = table.needed("NumPorts", &["numports"])?;
        let [name, system, port, vendor, device] =
            ["nodedesc", "systemimageguid", "portguid", "vendorid", "deviceid"].map(|n| table.column(&[n]));
        table.each(|row| {
            let node_guid = some_guid(row, &guid)?;
            let kind = match row.small(&kind, "NodeType", 255)? {
                1 => NodeKind::Adapter,
                2 => NodeKind::Switch,
                3 => NodeKind::Router,
                other => return Err(row.place.refuse(format!("NodeType is 1, 2 or 3, not {other}"))),
            };
            let small = |column: Option<&Column>| -> Result<u32, ReadError> {
                Ok(row.number(column)?.and_then(|n| u32::try_from(n).ok()).unwrap_or(0))
            };
            let described = Node {
                system_guid: row.guid(system.as_ref())?,
                vendor: small(vendor.as_ref())?,
                device: small(device.as_ref())?,
                ..assembly::node(kind, node_guid, row.text(name.as_ref())?)
            };
            let radix = row.small(&radix, "NumPorts", 255)?;
            // ibdiagnet has a row for each port by which it reached an adapter: all say the same of the node.
            if let Some(&known) = self.by_guid.get(&node_guid) {
                let before = self.assembly.node(known);
                let same = (before.kind, &before.description) == (described.kind, &described.description);
                if !same || self.assembly.stated_radix(known).map(u32::from) != Some(radix) {
                    let line = self.assembly.place(known).line;
                    let reason = format!("node {node_guid} is described differently on line {line}");
                    return Err(row.place.refuse(reason));
                }
                return Ok(());
            }
            let node = self.assembly.add(described, Some(radix), row.place)?;
            self.by_guid.insert(node_guid, node);
            if kind == NodeKind::Switch {
                let port0 = row.guid(port.as_ref())?;
                self.assembly.port_mut(node, 0, row.place)?.guid =
                    if port0.is_some() { port0 } else { node_guid };
            }
            Ok(())
        })
    }

    fn ports(&mut self, table: &CsvTable<'a>, notes: &mut Notes) -> Result<(), ReadError> {
        let key = End::of(table, "", ["NodeGuid", "PortNum"])?;
        let columns = PortColumns::of(table);
        let mut bits = 0;
        table.each(|row| {
            for column in [&columns.speed, &columns.speed_supported, &columns.speed_enabled] {
                bits |= row.number(column.as_ref())?.unwrap_or(0);
            }
            Ok(())
        })?;
        let layout = Layout::of(bits);
        if matches!(layout, Layout::Guessed | Layout::Neither) {
            notes.add(NoteKind::SpeedBits, table.header.line, &format!("{bits:#x}"));
        }
        table.each(|row| {
            let Some((node, number)) = self.end(row, &key, notes)? else { return Ok(()) };
            let is_switch = self.assembly.node(node).kind == NodeKind::Switch;
            let guid = row.guid(columns.guid.as_ref())?;
            let lid = row.number(columns.lid.as_ref())?.unwrap_or(0);
            let lid = u32::try_from(lid).ok().filter(|&lid| lid <= MAX_UNICAST_LID);
            let lid = lid.ok_or_else(|| row.place.refuse("no unicast LID"))?;
            let lmc = row.number(columns.lmc.as_ref())?.filter(|&n| n <= 7).unwrap_or(0) as u8;
            let prefix = row.number(columns.prefix.as_ref())?.unwrap_or(0);
            let mtu = row.number(columns.mtu.as_ref())?.filter(|n| (1..=5).contains(n));
            // All ports of a switch have the LID of its port 0.
            let of_node = if is_switch { 0 } else { number };
            let port = self.assembly.port_mut(node, of_node, row.place)?;
            if number == of_node {
                (port.lid, port.lmc, port.subnet_prefix) = (lid, lmc, prefix);
                port.guid = if guid.is_some() { guid } else { port.guid };
            } else if port.lid == 0 {
                (port.lid, port.lmc) = (lid, lmc);
            }
            let rate = columns.rate(row, layout)?;
            let port = self.assembly.port_mut(node, number, row.place)?;
            port.mtu = mtu.map_or(0, |code| 128 << code);
            port.rate = rate;
            let detail = self.assembly.detail_mut(node, number, row.place)?;
            // Port 0 has no link; what its row says of one means nothing.
            if number > 0 {
                detail.state = row.number(columns.state.as_ref())?.and_then(PortState::of_code);
                detail.physical = row.number(columns.physical.as_ref())?.and_then(PhysicalState::of_code);
                detail.supported = columns.capability(row, layout, false)?;
                detail.enabled = columns.capability(row, layout, true)?;
            }
            Ok(())
        })
    }

    fn links(&mut self, table: &CsvTable<'a>, notes: &mut Notes) -> Result<(), ReadError> {
        let near = End::of(table, "1", ["NodeGuid1", "PortNum1"])?;
        let far = End::of(table, "2", ["NodeGuid2", "PortNum2"])?;
        table.each(|row| {
            let Some(near) = self.end(row, &near, notes)? else { return Ok(()) };
            let Some(far) = self.end(row, &far, notes)? else { return Ok(()) };
            self.assembly.cable(near, far, Listing::Both, row.place, notes)
        })
    }

    fn managers(&mut self, table: &CsvTable<'a>) -> Result<(), ReadError> {
        let key = End::of(table, "", ["NodeGUID", "PortNumber"])?;
        let state = table.column(&["smstate", "state"]);
        table.each(|row| {
            let guid = some_guid(row, &key.guid)?;
            let number = row.small(&key.number, "port number", assembly::MOST_PORTS)?;
            let Some(&node) = self.by_guid.get(&guid) else { return Ok(()) };
            let runs = row.number(state.as_ref())?.is_none_or(|state| state > 0);
            let number = if self.assembly.node(node).kind == NodeKind::Switch { 0 } else { number };
            self.assembly.port_mut(node, number, row.place)?.manager |= runs;
            Ok(())
        })
    }

    /// The node and the port number of an end; none, and a note, where NODES has no such node.
    fn end(&self, row: &Row<'_, 'a>, end: &End, notes: &mut Notes) -> Result<Option<(u32, u32)>, ReadError> {
        let guid = some_guid(row, &end.guid)?;
        let number = row.small(&end.number, "port number", assembly::MOST_PORTS)?;
        let node = self.by_guid.get(&guid).map(|&node| (node, number));
        if node.is_none() {
            notes.add(NoteKind::UnknownEnd, row.place.line, row.place.text);
        }
        Ok(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{Counter, NodeId, Population, Speed};

    const NODES: &str = "\
START_NODES
NodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID,PortGUID,DeviceID,VendorID
\"node-1, rack 2 mlx5_0\",1,1,0xa1,0xa1,0xa1,4129,0x02c9
\"node-2 mlx5_0\",1,1,0xa2,0xa2,0xa2,4129,0x02c9
\"MF0;leaf-1:MQM9700/U1\",65,2,0xb1,0xb1,0xb1,54002,0x02c9
END_NODES
";
    const PORTS: &str = "\
START_PORTS
NodeGuid,PortGuid,PortNum,LID,LinkWidthActv,LinkSpeedActv,LMC,PortPhyState,PortState,MTUCap,LinkSpeedSup,LinkWidthSup
0xa1,0xa1,1,11,2,128,0,5,4,5,199,3
0xa2,0xa2,1,12,2,128,0,5,2,5,199,3
0xb1,0xb1,0,1,0,0,0,0,4,5,N/A,N/A
0xb1,0xb1,1,1,2,128,0,5,4,5,199,3
0xb1,0xb1,2,1,2,64,0,5,4,5,199,3
0xb1,0xb1,3,1,0,0,0,2,1,5,199,3
END_PORTS
";
    const LINKS: &str = "\
START_LINKS
NodeGuid1,PortNum1,NodeGuid2,PortNum2
0xb1,1,0xa1,1
0xb1,2,0xa2,1
END_LINKS
";
    const COUNTERS: &str = "\
START_PM_INFO
NodeGUID,PortGUID,PortNumber,LinkDownedCounter,LinkDownedCounterExt,SymbolErrorCounterExt,PortXmitWaitExt
0xb1,0xb1,1,255,300,0x10,-1
0xa1,0xa1,1,0
END_PM_INFO
";

    fn get(text: &str) -> Loaded {
        read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"))
    }

    #[test]
    fn tables_become_a_fabric() {
        let Loaded { fabric: f, notes } = get(&format!("# comment\n{NODES}\n{PORTS}\n{LINKS}\n{COUNTERS}"));
        assert_eq!((f.num_switches(), f.num_nodes(), f.cables().count()), (1, 3, 2));
        let leaf = f.node(NodeId(0));
        assert_eq!(
            (&*leaf.description, leaf.device, f.radix(NodeId(0))),
            ("MF0;leaf-1:MQM9700/U1", 54002, 65)
        );
        assert_eq!(&*f.node(NodeId(1)).description, "node-1, rack 2 mlx5_0");
        let hosts = f.end_ports(Population::Hosts);
        assert_eq!((f.port_info(hosts[0]).lid, f.port_info(hosts[0]).mtu), (11, 4096));
        assert_eq!(f.port_info(f.port0(NodeId(0))).lid, 1);
        let port = |number| f.port(NodeId(0), number).unwrap();
        let speed = |number| f.port_info(port(number)).rate.map(|rate| rate.speed);
        assert_eq!([speed(1), speed(2), speed(3)], [Some(Speed::Ndr), Some(Speed::Hdr), None]);
        // 199 is 128 + 64 + 7: NDR, HDR and the three old ones; widths 3 are 1x and 4x.
        let supported = f.port_detail(port(2)).supported;
        assert_eq!((supported.fastest(), supported.speeds().count()), (Some(Speed::Ndr), 5));
        assert_eq!(supported.widest().map(crate::fabric::Width::lanes), Some(4));
        assert!(f.port_info(hosts[1]).inactive && !f.port_info(hosts[0]).inactive);
        assert_eq!(f.port_detail(port(3)).state, Some(PortState::Down));
        let counted = |counter| f.counters().value(port(1), counter);
        assert_eq!(counted(Counter::LinkDowned), Some(300));
        assert_eq!((counted(Counter::SymbolErrors), counted(Counter::XmitWait)), (Some(16), None));
        assert_eq!(notes.iter().map(|n| (n.kind, n.count)).collect::<Vec<_>>(), [(NoteKind::BrokenRow, 1)]);
        assert_eq!(f.counters().read_at, None);
    }

    #[test]
    fn parts_of_cables_and_the_time_are_read() {
        let cables = "START_CABLE_INFO\nNodeGuid,PortNum,Vendor,PN,SN,LengthDesc,Temperature\n\
                      0xb1,1,NVIDIA,\"MCP7Y00-N001\",MT2301,\"1 m\",\"42C\"\n0xb1,2,N/A,N/A,N/A,N/A,N/A\nEND_CABLE_INFO\n";
        // 1700000000 is 2023-11-14 22:13:20 UTC.
        let run = "START_RUN_INFO\nDate,Args\n\"2023-11-14 23:13:20 CET +0100\",x\nEND_RUN_INFO\n";
        let f = get(&format!("{run}{NODES}{PORTS}{LINKS}{COUNTERS}{cables}")).fabric;
        let [(port, part)] = f.cable_parts() else { panic!("{:?}", f.cable_parts()) };
        assert_eq!(
            (f.number_of(*port), &*part.part, &*part.serial, &*part.length),
            (1, "MCP7Y00-N001", "MT2301", "1 m")
        );
        assert_eq!(part.temperature, Some(42));
        assert_eq!(f.counters().read_at, Some(1_700_000_000));
        let stamped = format!("# Timestamp : 2023-11-14 22:13:20 UTC +0000\n{NODES}{PORTS}{LINKS}{COUNTERS}");
        assert_eq!(get(&stamped).fabric.counters().read_at, Some(1_700_000_000));
    }

    #[test]
    fn columns_may_come_in_any_order_and_under_either_name() {
        let turned = "START_LINKS\nPortNumber2,NodeGUID2,x,PortNum1,NodeGUID1\n1,0xa1,,1,0xb1\n1,0xa2,,2,0xb1\nEND_LINKS\n";
        let f = get(&format!("{turned}{NODES}")).fabric;
        assert_eq!(f, get(&format!("{NODES}{LINKS}")).fabric);
    }

    #[test]
    fn an_end_without_a_node_is_counted() {
        let text = format!("{NODES}{}", LINKS.replace("0xa2", "0xa9"));
        let loaded = get(&text);
        assert_eq!(loaded.fabric.cables().count(), 1);
        assert_eq!(
            loaded.notes.iter().map(|n| (n.kind, n.line)).collect::<Vec<_>>(),
            [(NoteKind::UnknownEnd, 10)]
        );
    }

    #[test]
    fn bad_tables_are_refused_with_their_line() {
        let whole = format!("{NODES}{PORTS}{LINKS}");
        for (from, to, line, reason) in [
            (
                "NodeDesc,NumPorts,NodeType,",
                "NodeDesc,NumPorts,Kind,",
                Some(2),
                "NODES has no column NodeType",
            ),
            ("END_LINKS\n", "", Some(16), "the table LINKS has no end: the file looks truncated"),
            ("END_NODES\n", "", Some(1), "NODES has no end before the next one begins on line 6"),
            (",65,2,", ",65,7,", Some(5), "NodeType is 1, 2 or 3, not 7"),
            (",65,2,", ",1,2,", Some(13), "has 1 ports, so no port 2"),
            ("0xb1,2,0xa2,1\n", "0xb1,2,0xa2\n", Some(19), "3 cells where the header has 4"),
            ("0xb1,2,0xa2,1\n", "0xb1,1,0xa2,1\n", Some(19), "has another cable on line 18"),
            ("0xb1,2,0xa2,1\n", "0xb1,x,0xa2,1\n", Some(19), "not a number: \"x\""),
            (",12,2,128,", ",65000,2,128,", Some(10), "no unicast LID"),
            ("START_LINKS", "START_CABLES", None, "without a table LINKS"),
        ] {
            let text = whole
                .replacen(from, to, 1)
                .replace("END_LINKS", if to == "START_CABLES" { "END_CABLES" } else { "END_LINKS" });
            let error = read(text.as_bytes()).unwrap_err();
            assert!(error.reason.contains(reason), "{from} {to}: {error}");
            assert_eq!(error.line, line, "{error}");
        }
        let error = read(format!("{NODES}{NODES}{LINKS}").as_bytes()).unwrap_err();
        assert!(error.reason.contains("a second table NODES"), "{error}");
    }
}
