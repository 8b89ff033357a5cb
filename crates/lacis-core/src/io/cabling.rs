//! Lists of cables by the names of nodes: the CSV of UFM's ports, and a site's own, whose columns the user names.
//!
//! ```text
//! System,Port,Peer Node,Peer Port
//! leaf-01,1/1/2,spine-01,1/4/1
//! leaf-01,17/1,node001 mlx5_0,1
//! ```
//!
//! A port is a number; `CAGE/HALF` or `SLOT/CAGE/HALF` of cages that hold two ports, port `2 × (CAGE - 1) + HALF`; or
//! `SLOT/PORT` where the second number is ever beyond 2. On a host it may be the adapter's name, which joins that of the
//! host. Names are all that such a list has: nodes have no GUIDs of their own here (the first has 1), no LIDs and no rates.
//! A node is a switch where it stands in the first column, or its name says so, or it has many ports.
//!
//! The grammar was read from such lists of several sites.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::assembly::{self, Assembly, Listing, MOST_PORTS, Place};
use super::csv::{Column, CsvTable, header_name};
use super::note::Notes;
use super::text::{clean, decimal, decode, lines, plain, refuse_empty};
use super::{Loaded, NoteKind, ReadError};
use crate::fabric::{Coverage, FabricPart, Guid, NodeKind};

/// The names of the columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CablingColumns {
    /// A switch.
    pub switch: String,
    /// Its port.
    pub port: String,
    /// The node at the other end.
    pub peer: String,
    /// The port there.
    pub peer_port: String,
}

impl CablingColumns {
    /// Those of UFM's CSV of ports.
    pub fn ufm() -> Self {
        let [switch, port, peer, peer_port] = ["System", "Port", "Peer Node", "Peer Port"].map(String::from);
        Self { switch, port, peer, peer_port }
    }

    fn all(&self) -> [&str; 4] {
        [&self.switch, &self.port, &self.peer, &self.peer_port]
    }
}

/// Whether a line is the header of UFM's CSV of ports.
pub(super) fn is_line(s: &str) -> bool {
    s.contains(',') && {
        let names: Vec<String> = s.split(',').map(header_name).collect();
        CablingColumns::ufm().all().iter().all(|wanted| names.contains(&header_name(wanted)))
    }
}

/// Reads a list.
///
/// # Errors
/// When there is no header with these columns, a port cannot be read, or cables contradict each other.
pub fn read(bytes: &[u8], columns: &CablingColumns) -> Result<Loaded, ReadError> {
    let mut notes = Notes::default();
    refuse_empty(bytes)?;
    let bytes = plain(bytes, &mut notes);
    let text = decode(&bytes, &mut notes)?;
    let wanted = columns.all().map(header_name);
    let mut rows = lines(&text).map(|(line, text)| Place { line, text });
    let header = rows.find(|place| {
        let names = super::csv::cells(place.text, super::csv::separator(place.text)).unwrap_or_default();
        let names: Vec<String> = names.iter().map(|cell| header_name(cell)).collect();
        wanted.iter().filter(|name| names.contains(name)).count() >= 2
    });
    let header = header.ok_or_else(|| {
        ReadError::whole(format!("no header with the columns {}", columns.all().join(", ")))
    })?;
    let mut table = CsvTable::new("the list", header)?;
    let separators: &[char] = &[' ', '\t', ',', ';'];
    table.rows = rows
        .filter(|place| !place.text.trim_matches(separators).is_empty() && !place.text.starts_with('#'))
        .collect();
    let mut found = Vec::with_capacity(4);
    for (shown, name) in columns.all().into_iter().zip(&wanted) {
        found.push(table.needed(shown, &[name.as_str()])?);
    }
    let cables = ends(&table, &found, &mut notes)?;
    build(&cables, &mut notes)
}

/// A cable: name and port of the switch, name and port of the other end.
struct NamedCable<'a> {
    place: Place<'a>,
    ends: [(String, PortText); 2],
}

/// A port as a list writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PortText {
    /// A number.
    Number(u32),
    /// Two numbers: a slot and a port, or a cage and its half.
    Two(u32, u32),
    /// Three: slot, cage, half.
    Three(u32, u32),
    /// An adapter's name.
    Adapter(String),
}

impl PortText {
    fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits =
            text.trim_start_matches(|c: char| c.is_ascii_alphabetic() || matches!(c, ' ' | '_' | '-' | '.'));
        let has_letters = text.starts_with(|c: char| c.is_ascii_alphabetic());
        let numbers: Option<Vec<u32>> = digits.split('/').map(decimal).collect();
        match numbers.as_deref() {
            // `mlx5_0` and `HCA-1` name adapters, `Port 17`, `swp17` and `IB1/17/2` ports.
            Some([_]) if has_letters && !is_port_word(text) => Some(Self::Adapter(text.to_owned())),
            Some(&[port]) => Some(Self::Number(port)),
            Some(&[a, b]) if !has_letters || is_port_word(text) => Some(Self::Two(a, b)),
            Some(&[_, cage, half]) if half <= 2 => Some(Self::Three(cage, half)),
            _ if has_letters => Some(Self::Adapter(text.to_owned())),
            _ => None,
        }
    }

    /// The port's number. `slots` says that the first of two numbers is a slot.
    fn number(&self, slots: bool) -> u32 {
        match *self {
            Self::Number(port) => port,
            Self::Two(_, port) if slots => port,
            Self::Two(cage, half) | Self::Three(cage, half) => (2 * cage).saturating_sub(2) + half,
            Self::Adapter(_) => 1,
        }
    }
}

fn is_port_word(text: &str) -> bool {
    let word: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
    ["port", "swp", "ib", "p", "sw", "osfp", "qsfp", "eth", "cage"]
        .contains(&word.to_ascii_lowercase().as_str())
}

fn ends<'a>(
    table: &CsvTable<'a>,
    found: &[Column],
    notes: &mut Notes,
) -> Result<Vec<NamedCable<'a>>, ReadError> {
    let mut out = Vec::with_capacity(table.rows.len());
    table.each(|row| {
        let mut cells = [""; 4];
        for (cell, column) in cells.iter_mut().zip(found) {
            *cell = row.text(Some(column))?;
        }
        let [switch, port, peer, peer_port] = cells;
        if peer.is_empty() && peer_port.is_empty() {
            notes.add(NoteKind::OpenPort, row.place.line, row.place.text);
            return Ok(());
        }
        if switch.is_empty() || port.is_empty() || peer.is_empty() {
            return Err(row.place.refuse("a cable without the name or the port of an end"));
        }
        let port_of = |text: &str| {
            PortText::of(text).ok_or_else(|| {
                row.place
                    .refuse(format!("bad port \"{text}\": a number, CAGE/HALF, SLOT/CAGE/HALF or an adapter"))
            })
        };
        // Many lists leave out the port of a host with one adapter.
        let far = if peer_port.is_empty() { PortText::Number(1) } else { port_of(peer_port)? };
        let ends = [(clean(switch).into_owned(), port_of(port)?), (clean(peer).into_owned(), far)];
        out.push(NamedCable { place: row.place, ends });
        Ok(())
    })?;
    Ok(out)
}

/// The nodes of a list and the cables between them.
fn build(cables: &[NamedCable<'_>], notes: &mut Notes) -> Result<Loaded, ReadError> {
    let slots = cables
        .iter()
        .flat_map(|cable| &cable.ends)
        .any(|(_, port)| matches!(port, PortText::Two(_, b) if *b > 2));
    let switches = switches(cables, slots);
    let mut assembly = Assembly::default();
    let mut nodes: FxHashMap<String, u32> = FxHashMap::default();
    // A cable that both of its ends list is one; a list that names each once vouches for both ends.
    let mut seen: FxHashSet<[(u32, u32); 2]> = FxHashSet::default();
    for cable in cables {
        let mut ends = [(0, 0); 2];
        for (end, (name, port)) in ends.iter_mut().zip(&cable.ends) {
            let is_switch = switches.contains(name.as_str());
            let name = match port {
                PortText::Adapter(adapter) if !is_switch => format!("{name} {adapter}"),
                _ => name.clone(),
            };
            let node = if let Some(&node) = nodes.get(&name) {
                node
            } else {
                let kind = if is_switch { NodeKind::Switch } else { NodeKind::Adapter };
                let guid = Guid(nodes.len() as u64 + 1);
                let node = assembly.add(assembly::node(kind, guid, &name), None, cable.place)?;
                let number = u32::from(!is_switch);
                assembly.port_mut(node, number, cable.place)?.guid = guid;
                nodes.insert(name, node);
                node
            };
            let number = port.number(slots);
            if !(1..=MOST_PORTS).contains(&number) {
                return Err(cable
                    .place
                    .refuse(format!("a node has ports 1 to {MOST_PORTS}, so no port {number}")));
            }
            *end = (node, number);
        }
        let mut key = ends;
        key.sort_unstable();
        if seen.insert(key) {
            assembly.cable(ends[0], ends[1], Listing::Both, cable.place, notes)?;
        }
    }
    if assembly.len() == 0 {
        return Err(ReadError::whole("a list without a cable"));
    }
    assembly.coverage = Coverage::WHOLE.without(&[
        FabricPart::BothEndsOfTrunks,
        FabricPart::BothEndsOfEndNodes,
        FabricPart::EndNodeGuids,
        FabricPart::Radix,
    ]);
    Ok(Loaded { fabric: assembly.finish(notes)?, notes: std::mem::take(notes).finish() })
}

/// The names of switches: of the first column; and others whose names say so, or that have more ports than hosts do.
fn switches<'c>(cables: &'c [NamedCable<'_>], slots: bool) -> FxHashSet<&'c str> {
    const MOST_OF_A_HOST: usize = 16;
    let mut out: FxHashSet<&str> = cables.iter().map(|cable| &*cable.ends[0].0).collect();
    let mut ports: BTreeMap<&str, FxHashSet<u32>> = BTreeMap::new();
    for NamedCable { ends: [_, (peer, port)], .. } in cables {
        if !matches!(port, PortText::Adapter(_)) {
            ports.entry(peer).or_default().insert(port.number(slots));
        }
    }
    let says_so = |name: &str| {
        let lower = name.to_ascii_lowercase();
        let mut words = lower.split(|c: char| !c.is_ascii_alphabetic());
        words.any(|word| ["spine", "leaf", "core", "switch", "sw", "director", "ibsw", "tor"].contains(&word))
    };
    out.extend(
        ports
            .iter()
            .filter(|(name, ports)| ports.len() > MOST_OF_A_HOST || says_so(name))
            .map(|(name, _)| *name),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Fabric;

    fn cables(f: &Fabric) -> Vec<String> {
        let end = |p| format!("{}[{}]", f.node(f.node_of(p)).description, f.number_of(p));
        let mut all: Vec<String> = f.cables().map(|(p, q)| format!("{}--{}", end(p), end(q))).collect();
        all.sort();
        all
    }

    #[test]
    fn the_ports_of_ufm_are_read() {
        // Cage 1 half 2 is port 2, cage 4 half 1 port 7, cage 17 half 1 port 33.
        let text = "\
System,Port,Peer Node,Peer Port
leaf-01,1/1/2,spine-01,1/4/1
spine-01,1/4/1,leaf-01,1/1/2
leaf-01,17/1,node001,mlx5_0
leaf-01,18/1,\"node001\",mlx5_1
leaf-01,19/1,N/A,
";
        assert!(is_line(text.lines().next().unwrap()));
        let loaded = read(text.as_bytes(), &CablingColumns::ufm()).unwrap();
        let f = &loaded.fabric;
        assert_eq!((f.num_switches(), f.num_nodes()), (2, 4));
        assert_eq!(
            cables(f),
            ["leaf-01[2]--spine-01[7]", "leaf-01[33]--node001 mlx5_0[1]", "leaf-01[35]--node001 mlx5_1[1]"]
        );
        assert_eq!(loaded.notes.iter().map(|n| n.kind).collect::<Vec<_>>(), [NoteKind::OpenPort]);
    }

    #[test]
    fn a_site_names_its_own_columns() {
        let columns = CablingColumns {
            switch: "Switch_Name".into(),
            port: "pPort".into(),
            peer: "Target".into(),
            peer_port: "T-Port".into(),
        };
        // A port beyond 2 after the slash: the first number is a slot.
        let text = "# list of May\nRack;Target;T-Port;switch name;pPort\nA1;sw-core;Port 3;L1;1/17\nA1;n1;1;L1;1/2\n";
        let f = read(text.as_bytes(), &columns).unwrap().fabric;
        assert_eq!(cables(&f), ["L1[17]--sw-core[3]", "L1[2]--n1[1]"]);
        assert_eq!(f.num_switches(), 2);
    }

    #[test]
    fn bad_lists_are_refused_with_their_line() {
        for (text, line, reason) in [
            ("a,b\n1,2\n", 0, "no header with the columns System, Port, Peer Node, Peer Port"),
            ("System,Port,Peer Node,Peer\na,1,b,1\n", 1, "the list has no column Peer Port"),
            ("System,Port,Peer Node,Peer Port\na,?,b,1\n", 2, "bad port \"?\""),
            ("System,Port,Peer Node,Peer Port\na,1,b,1\na,1,c,1\n", 3, "another cable on line 2"),
            ("System,Port,Peer Node,Peer Port\na,300,b,1\n", 2, "so no port 300"),
            ("System,Port,Peer Node,Peer Port\n,1,b,1\n", 2, "without the name or the port"),
            ("System,Port,Peer Node,Peer Port\n", 0, "without a cable"),
        ] {
            let error = read(text.as_bytes(), &CablingColumns::ufm()).unwrap_err();
            assert!(error.reason.contains(reason), "{error}");
            assert_eq!(error.line.unwrap_or(0), line, "{error}");
        }
    }
}
