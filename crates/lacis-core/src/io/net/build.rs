//! From the dump to a [`Fabric`]: joins blocks of one node, pairs the two ends of each cable, and
//! refuses contradictions.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::fabric::{Chassis, Fabric, FabricBuilder, Guid, Node, NodeKind, Port};
use crate::io::note::Notes;
use crate::io::text::clean;
use crate::io::{NoteKind, ReadError};

use super::block::{Kind, NodeBlock, PortLine};
use super::dump::NetDump;

/// No port line.
const NONE: u32 = u32::MAX;

/// Builds the fabric.
pub(super) fn build(dump: &NetDump, notes: &mut Notes) -> Result<Fabric, ReadError> {
    let mut joined = Joined::new(dump, notes)?;
    joined.place_lines(notes)?;
    joined.find_peers(notes)?;
    joined.pair_ends(notes)?;
    joined.finish(notes)
}

/// Blocks joined to nodes, and port lines by slot. A *slot* is a port of a node, port 0 included,
/// numbered over all nodes.
struct Joined<'d, 'a> {
    dump: &'d NetDump<'a>,
    /// Node of each identifier.
    index: FxHashMap<&'a str, u32>,
    /// First block of each node.
    nodes: Vec<&'d NodeBlock<'a>>,
    /// Node of each block.
    node_of: Vec<u32>,
    /// First slot of each node.
    first_slot: Vec<u32>,
    /// Port line of each slot.
    line_at: Vec<u32>,
    /// Slot of each port line; [`NONE`] for one that repeats another.
    slot_of: Vec<u32>,
    /// Slot at the other end of each port line.
    peer_slot: Vec<u32>,
    /// For slots without their own line: the line that claims them.
    claimed: FxHashMap<u32, u32>,
}

impl<'d, 'a> Joined<'d, 'a> {
    fn new(dump: &'d NetDump<'a>, notes: &mut Notes) -> Result<Self, ReadError> {
        let mut index = FxHashMap::with_capacity_and_hasher(dump.blocks.len(), rustc_hash::FxBuildHasher);
        let mut nodes: Vec<&NodeBlock> = Vec::with_capacity(dump.blocks.len());
        let mut node_of = Vec::with_capacity(dump.blocks.len());
        let mut first_slot = Vec::with_capacity(dump.blocks.len());
        let mut slots = 0;
        for block in &dump.blocks {
            let node = *index.entry(block.id).or_insert_with(|| {
                nodes.push(block);
                first_slot.push(slots);
                slots += 1 + u32::from(block.radix);
                nodes.len() as u32 - 1
            });
            let first = nodes[node as usize];
            if !std::ptr::eq(first, block) {
                if !same_node(first, block) {
                    let reason =
                        format!("node \"{}\" is described differently on line {}", block.id, first.line);
                    return Err(ReadError::at(block.line, reason, block.text));
                }
                notes.add(NoteKind::Repeated, block.line, block.text);
            }
            node_of.push(node);
        }
        let lines = dump.ports.len();
        Ok(Self {
            dump,
            index,
            nodes,
            node_of,
            first_slot,
            line_at: vec![NONE; slots as usize],
            slot_of: vec![NONE; lines],
            peer_slot: vec![NONE; lines],
            claimed: FxHashMap::default(),
        })
    }

    fn slot(&self, node: u32, number: u32, line: &PortLine) -> Result<u32, ReadError> {
        let block = self.nodes[node as usize];
        if number == 0 {
            return Err(ReadError::at(
                line.line,
                "port 0 is the management port and takes no cable",
                line.text,
            ));
        }
        if number > u32::from(block.radix) {
            let reason = format!("\"{}\" has {} ports, so no port {number}", block.id, block.radix);
            return Err(ReadError::at(line.line, reason, line.text));
        }
        Ok(self.first_slot[node as usize] + number)
    }

    /// The node of a slot and its port number.
    fn node_and_port(&self, slot: u32) -> (u32, u32) {
        let node = self.first_slot.partition_point(|&first| first <= slot) - 1;
        (node as u32, slot - self.first_slot[node])
    }

    /// Gives each port line its slot; a port that appears twice is an error, unless another block of
    /// the same node says the same.
    fn place_lines(&mut self, notes: &mut Notes) -> Result<(), ReadError> {
        let dump = self.dump;
        for (b, block) in dump.blocks.iter().enumerate() {
            for i in block.ports.clone() {
                let line = &dump.ports[i];
                let slot = self.slot(self.node_of[b], line.number, line)?;
                let there = self.line_at[slot as usize];
                if there == NONE {
                    self.line_at[slot as usize] = i as u32;
                    self.slot_of[i] = slot;
                    continue;
                }
                let before = &dump.ports[there as usize];
                if block.ports.contains(&(there as usize)) || !same_cable(before, line) {
                    let reason = format!(
                        "port {} of \"{}\" appears twice, first on line {}",
                        line.number, block.id, before.line
                    );
                    return Err(ReadError::at(line.line, reason, line.text));
                }
                notes.add(NoteKind::Repeated, line.line, line.text);
            }
        }
        Ok(())
    }

    /// Looks up the other end of each line.
    fn find_peers(&mut self, notes: &mut Notes) -> Result<(), ReadError> {
        let dump = self.dump;
        let mut missing: FxHashSet<&str> = FxHashSet::default();
        let mut first_missing: Option<&PortLine> = None;
        let mut plugged: Vec<usize> = Vec::new();
        for (i, line) in dump.ports.iter().enumerate().filter(|&(i, _)| self.slot_of[i] != NONE) {
            let Some(&node) = self.index.get(line.peer) else {
                missing.insert(line.peer);
                first_missing = first_missing.or(Some(line));
                continue;
            };
            let slot = self.slot(node, line.peer_number, line)?;
            if slot == self.slot_of[i] {
                notes.add(NoteKind::LoopbackPlug, line.line, line.text);
                plugged.push(i);
            }
            self.peer_slot[i] = slot;
        }
        for i in plugged {
            self.line_at[self.slot_of[i] as usize] = NONE;
            self.slot_of[i] = NONE;
        }
        let Some(line) = first_missing else { return Ok(()) };
        let tally = match (missing.len(), self.nodes.len()) {
            (1, _) => String::new(),
            (gone, 1) => format!(" ({gone} peers are not, 1 node is)"),
            (gone, nodes) => format!(" ({gone} peers are not, {nodes} nodes are)"),
        };
        let cut = if dump.is_cut {
            format!(", as it ends in the middle of line {}", dump.last_line)
        } else {
            String::new()
        };
        let reason =
            format!("the peer \"{}\" is never defined{tally}: the file looks truncated{cut}", line.peer);
        Err(ReadError::at(line.line, reason, line.text))
    }

    /// Checks that both ends of each cable agree; ends without a line are claimed.
    fn pair_ends(&mut self, notes: &mut Notes) -> Result<(), ReadError> {
        let dump = self.dump;
        for (i, line) in dump.ports.iter().enumerate().filter(|&(i, _)| self.slot_of[i] != NONE) {
            let other_slot = self.peer_slot[i];
            let there = self.line_at[other_slot as usize];
            let rival = if there == NONE {
                notes.add(NoteKind::OneSided, line.line, line.text);
                self.claimed.insert(other_slot, i as u32)
            } else {
                (self.peer_slot[there as usize] != self.slot_of[i]).then_some(there)
            };
            if let Some(rival) = rival {
                let rival = &dump.ports[rival as usize];
                let (later, earlier) = if rival.line > line.line { (rival, line) } else { (line, rival) };
                let reason = format!(
                    "port {} of \"{}\" has another cable on line {}",
                    line.peer_number, line.peer, earlier.line
                );
                return Err(ReadError::at(later.line, reason, later.text));
            }
        }
        Ok(())
    }

    fn finish(self, notes: &mut Notes) -> Result<Fabric, ReadError> {
        let dump = self.dump;
        let mut builder = FabricBuilder::new();
        let mut handles = Vec::with_capacity(self.nodes.len());
        for block in &self.nodes {
            let handle = builder.add_node(node(block, notes), block.radix);
            handles.push(handle.map_err(|e| ReadError::at(block.line, e.to_string(), block.text))?);
        }
        for (i, line) in dump.ports.iter().enumerate().filter(|&(i, _)| self.slot_of[i] != NONE) {
            let refuse = |e: crate::fabric::BuildError| ReadError::at(line.line, e.to_string(), line.text);
            let (a, p) = self.node_and_port(self.slot_of[i]);
            let (b, q) = self.node_and_port(self.peer_slot[i]);
            let other = self.line_at[self.peer_slot[i] as usize];
            if other == NONE || other > i as u32 {
                builder.connect((handles[a as usize], p), (handles[b as usize], q)).map_err(refuse)?;
            }
            *builder.port_mut(handles[a as usize], p).map_err(refuse)? =
                port(self.nodes[a as usize], line, dump.ports.get(other as usize), notes);
            if other == NONE {
                *builder.port_mut(handles[b as usize], q).map_err(refuse)? =
                    unlisted(self.nodes[b as usize], line);
            }
        }
        for (n, block) in self.nodes.iter().enumerate().filter(|(_, b)| b.kind == Kind::Switch) {
            let refuse = |e: crate::fabric::BuildError| ReadError::at(block.line, e.to_string(), block.text);
            let guid = block.port_guid.unwrap_or(block.guid);
            let lid = self.switch_lid(n, notes);
            *builder.port_mut(handles[n], 0).map_err(refuse)? =
                Port { guid, lid, lmc: block.lmc, ..Port::default() };
        }
        Ok(builder.finish())
    }

    /// A switch's LID: from its node line, else from a line that leads to it.
    fn switch_lid(&self, node: usize, notes: &mut Notes) -> u32 {
        let block = self.nodes[node];
        let first = self.first_slot[node] as usize;
        let mut lid = block.lid;
        for slot in first + 1..=first + usize::from(block.radix) {
            let there = match self.line_at[slot] {
                NONE => self.claimed.get(&(slot as u32)).copied(),
                own => Some(self.line_at[self.peer_slot[own as usize] as usize]).filter(|&l| l != NONE),
            };
            let Some(line) = there.map(|l| &self.dump.ports[l as usize]) else { continue };
            match line.peer_lid {
                Some(far_lid) if far_lid != 0 && lid == 0 => lid = far_lid,
                Some(far_lid) if far_lid != 0 && far_lid != lid => {
                    notes.add(NoteKind::Disagreement, line.line, line.text);
                }
                _ => {}
            }
        }
        lid
    }
}

/// Whether two blocks of one identifier say the same about the node.
fn same_node(a: &NodeBlock, b: &NodeBlock) -> bool {
    let guid = !a.guid_given || !b.guid_given || (a.guid, a.system_guid) == (b.guid, b.system_guid);
    guid && (a.kind, a.radix, a.enhanced, a.lid, a.lmc, a.description)
        == (b.kind, b.radix, b.enhanced, b.lid, b.lmc, b.description)
}

/// Whether two lines of one port say the same.
fn same_cable(a: &PortLine, b: &PortLine) -> bool {
    (a.peer, a.peer_number, a.guid, a.lid, a.peer_guid, a.peer_lid, a.rate)
        == (b.peer, b.peer_number, b.guid, b.lid, b.peer_guid, b.peer_lid, b.rate)
}

fn node(block: &NodeBlock, notes: &mut Notes) -> Node {
    let description = clean(block.description.unwrap_or(block.id));
    if matches!(description, Cow::Owned(_)) {
        notes.add(NoteKind::NotText, block.line, block.text);
    }
    let kind = match block.kind {
        Kind::Switch => NodeKind::Switch,
        Kind::Router => NodeKind::Router,
        Kind::Ca => NodeKind::of_adapter(&description),
    };
    Node {
        kind,
        guid: block.guid,
        system_guid: block.system_guid,
        id: block.id.into(),
        description: description.into(),
        vendor: block.vendor,
        device: block.device,
        enhanced_port0: block.enhanced && kind == NodeKind::Switch,
        chassis: block
            .chassis
            .map(|number| Chassis { number, position: clean(block.position).trim().into() }),
        declared: None,
    }
}

/// A port with its own line; `other` is the line of the other end.
fn port(block: &NodeBlock, line: &PortLine, other: Option<&PortLine>, notes: &mut Notes) -> Port {
    let mut port = Port { rate: line.rate, listed: true, ..Port::default() };
    if block.kind == Kind::Switch {
        return port;
    }
    let (far_guid, far_lid) = other.map_or((None, None), |o| (o.peer_guid, o.peer_lid));
    port.guid = line.guid.or(far_guid).unwrap_or_else(|| numbered_guid(block, line.number));
    (port.lid, port.lmc) = line.lid.unwrap_or_default();
    if port.lid == 0 {
        port.lid = far_lid.unwrap_or(0);
    }
    let differs =
        far_guid.is_some_and(|g| g != port.guid) || far_lid.is_some_and(|l| l != 0 && l != port.lid);
    if differs && let Some(other) = other {
        notes.add(NoteKind::Disagreement, other.line, other.text);
    }
    port
}

/// A port known only from the other end's line.
fn unlisted(block: &NodeBlock, line: &PortLine) -> Port {
    if block.kind == Kind::Switch {
        return Port::default();
    }
    let guid = line.peer_guid.unwrap_or_else(|| numbered_guid(block, line.peer_number));
    Port { guid, lid: line.peer_lid.unwrap_or(0), ..Port::default() }
}

/// The port GUID if no line gives one: the node's plus the port's number, as in ibsim.
fn numbered_guid(block: &NodeBlock, number: u32) -> Guid {
    Guid(block.guid.0.wrapping_add(u64::from(number)))
}
