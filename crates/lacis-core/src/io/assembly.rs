//! Nodes and cables as a file lists them, before they are a fabric: what readers of lists share.
//!
//! Such files name a node wherever one of its ports is mentioned, and a cable from one end, from both, or once for both.
//! Here each cable gets its two ends, and two cables in one port are refused with both lines.

use super::note::Notes;
use super::{NoteKind, ReadError};
use crate::fabric::{
    BuildError, CablePart, Counter, Coverage, Fabric, FabricBuilder, Guid, Node, NodeKind, Port, PortDetail,
    PortState,
};

/// The most ports that a node can have; 255 means "no port" in a table.
pub(super) const MOST_PORTS: u32 = 254;

/// The highest port number of adapters.
pub(super) const PORTS_OF_ADAPTERS: u32 = 2;

/// A line of the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// Its number, from 1.
    pub line: usize,
    /// Its text.
    pub text: &'a str,
}

impl Place<'_> {
    /// A refusal of this line.
    pub(super) fn refuse(self, reason: impl Into<String>) -> ReadError {
        ReadError::at(self.line, reason, self.text)
    }
}

/// Which ends of a cable the file vouches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listing {
    /// The first: the other end has a line of its own.
    Near,
    /// Both: the file names each cable once.
    Both,
}

/// A port, and the cable in it.
#[derive(Clone, Copy, Debug, Default)]
struct Slot<'a> {
    port: Port,
    detail: PortDetail,
    far: Option<(u32, u8)>,
    place: Option<Place<'a>>,
}

/// A node and its ports so far.
#[derive(Debug)]
struct Part<'a> {
    node: Node,
    place: Place<'a>,
    /// The number of ports that the file states; without one, the highest number seen counts.
    radix: Option<u8>,
    slots: Vec<Slot<'a>>,
}

/// Nodes and cables in the order in which a file names them.
#[derive(Debug, Default)]
pub(super) struct Assembly<'a> {
    parts: Vec<Part<'a>>,
    counts: Vec<(u32, u32, Counter, u64)>,
    parts_of_cables: Vec<(u32, u32, CablePart)>,
    /// What the source can show.
    pub coverage: Coverage,
    /// When its counters were read, in seconds since 1970.
    pub counted_at: Option<u64>,
}

/// A node of which a list knows this much.
pub(super) fn node(kind: NodeKind, guid: Guid, name: &str) -> Node {
    let letter = match kind {
        NodeKind::Switch => 'S',
        NodeKind::Router => 'R',
        NodeKind::Adapter | NodeKind::Aggregation => 'H',
    };
    Node {
        kind: if kind == NodeKind::Adapter { NodeKind::of_adapter(name) } else { kind },
        guid,
        system_guid: Guid::NONE,
        id: format!("{letter}-{:016x}", guid.0).into(),
        description: super::text::clean(name).into(),
        vendor: 0,
        device: 0,
        enhanced_port0: false,
        chassis: None,
        declared: None,
    }
}

impl<'a> Assembly<'a> {
    /// Adds a node; its number.
    ///
    /// # Errors
    /// When it is stated to have no port, or more than a node can have.
    pub(super) fn add(&mut self, node: Node, radix: Option<u32>, place: Place<'a>) -> Result<u32, ReadError> {
        let stated = radix.map(|radix| {
            let fits = u8::try_from(radix).ok().filter(|&n| (1..=MOST_PORTS).contains(&u32::from(n)));
            fits.ok_or_else(|| {
                place.refuse(format!("a node has 1 to {MOST_PORTS} ports, and this one {radix}"))
            })
        });
        self.parts.push(Part { node, place, radix: stated.transpose()?, slots: vec![Slot::default()] });
        Ok(self.parts.len() as u32 - 1)
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// What is known of a node.
    pub(super) fn node(&self, node: u32) -> &Node {
        &self.parts[node as usize].node
    }

    /// Where the file first names a node.
    pub(super) fn place(&self, node: u32) -> Place<'a> {
        self.parts[node as usize].place
    }

    /// The number of ports that the file states of a node.
    pub(super) fn stated_radix(&self, node: u32) -> Option<u8> {
        self.parts[node as usize].radix
    }

    /// What is known of a port, to complete it; number 0 is the management port.
    ///
    /// # Errors
    /// When the node has no such port.
    pub(super) fn port_mut(
        &mut self,
        node: u32,
        number: u32,
        place: Place<'a>,
    ) -> Result<&mut Port, ReadError> {
        Ok(&mut self.slot(node, number, place)?.port)
    }

    /// What only some sources say of a port, to complete it.
    ///
    /// # Errors
    /// When the node has no such port.
    pub(super) fn detail_mut(
        &mut self,
        node: u32,
        number: u32,
        place: Place<'a>,
    ) -> Result<&mut PortDetail, ReadError> {
        Ok(&mut self.slot(node, number, place)?.detail)
    }

    /// States a counter of a port.
    ///
    /// # Errors
    /// When the node has no such port.
    pub(super) fn count(
        &mut self,
        (node, number): (u32, u32),
        counter: Counter,
        value: u64,
        place: Place<'a>,
    ) -> Result<(), ReadError> {
        self.slot(node, number, place)?;
        self.counts.push((node, number, counter, value));
        Ok(())
    }

    /// States what is known of the cable in a port.
    ///
    /// # Errors
    /// When the node has no such port.
    pub(super) fn cable_part(
        &mut self,
        (node, number): (u32, u32),
        part: CablePart,
        place: Place<'a>,
    ) -> Result<(), ReadError> {
        self.slot(node, number, place)?;
        self.parts_of_cables.push((node, number, part));
        Ok(())
    }

    fn slot(&mut self, node: u32, number: u32, place: Place<'a>) -> Result<&mut Slot<'a>, ReadError> {
        let part = &mut self.parts[node as usize];
        let most = part.radix.map_or(MOST_PORTS, u32::from);
        if number > most {
            let reason = match part.radix {
                Some(radix) => {
                    format!("\"{}\" has {radix} ports, so no port {number}", part.node.description)
                }
                None => format!("a node has ports 1 to {MOST_PORTS}, so no port {number}"),
            };
            return Err(place.refuse(reason));
        }
        let number = number as usize;
        if part.slots.len() <= number {
            part.slots.resize(number + 1, Slot::default());
        }
        Ok(&mut part.slots[number])
    }

    /// Plugs in a cable.
    ///
    /// # Errors
    /// When a port does not exist, or another line plugs another cable into it.
    pub(super) fn cable(
        &mut self,
        near: (u32, u32),
        far: (u32, u32),
        listing: Listing,
        place: Place<'a>,
        notes: &mut Notes,
    ) -> Result<(), ReadError> {
        if near == far {
            self.slot(near.0, near.1, place)?;
            notes.add(NoteKind::LoopbackPlug, place.line, place.text);
            return Ok(());
        }
        for ((node, number), other) in [(near, far), (far, near)] {
            if number == 0 {
                return Err(place.refuse("port 0 is the management port and takes no cable"));
            }
            let other = (other.0, other.1.min(u32::from(u8::MAX)) as u8);
            let slot = self.slot(node, number, place)?;
            if let (Some(there), Some(before)) = (slot.far, slot.place)
                && there != other
            {
                let name = &self.parts[node as usize].node.description;
                let reason = format!("port {number} of \"{name}\" has another cable on line {}", before.line);
                return Err(place.refuse(reason));
            }
            slot.far = Some(other);
            slot.place = slot.place.or(Some(place));
        }
        let near = self.slot(near.0, near.1, place)?;
        if near.port.listed {
            notes.add(NoteKind::Repeated, place.line, place.text);
        }
        near.port.listed = true;
        if listing == Listing::Both {
            self.slot(far.0, far.1, place)?.port.listed = true;
        }
        Ok(())
    }

    /// The fabric. Cables that one end alone lists are noted.
    ///
    /// # Errors
    /// When two nodes have one identifier.
    pub(super) fn finish(self, notes: &mut Notes) -> Result<Fabric, ReadError> {
        let mut builder = FabricBuilder::new();
        *builder.coverage_mut() = self.coverage;
        if let Some(at) = self.counted_at {
            builder.counted_at(at);
        }
        let mut handles = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let radix = part.radix.unwrap_or((part.slots.len() - 1).max(1) as u8);
            let refuse = |e: BuildError| part.place.refuse(e.to_string());
            let handle = builder.add_node(part.node.clone(), radix).map_err(refuse)?;
            for (number, slot) in (0..).zip(&part.slots) {
                let is_up = slot.detail.state.is_none_or(|state| state == PortState::Active);
                let inactive = slot.port.inactive || (slot.far.is_some() && !is_up);
                *builder.port_mut(handle, number).map_err(refuse)? = Port { inactive, ..slot.port };
                if !slot.detail.is_unknown() {
                    *builder.detail_mut(handle, number).map_err(refuse)? = slot.detail;
                }
            }
            handles.push(handle);
        }
        for (node, part) in (0..).zip(&self.parts) {
            for (number, slot) in (0..).zip(&part.slots) {
                let (Some((far, far_number)), Some(place)) = (slot.far, slot.place) else { continue };
                if !slot.port.listed {
                    notes.add(NoteKind::OneSided, place.line, place.text);
                }
                if (node, number) < (far, u32::from(far_number)) {
                    let ends =
                        ((handles[node as usize], number), (handles[far as usize], u32::from(far_number)));
                    builder.connect(ends.0, ends.1).map_err(|e| place.refuse(e.to_string()))?;
                }
            }
        }
        for (node, number, part) in self.parts_of_cables {
            let place = self.parts[node as usize].place;
            let known = builder.part(handles[node as usize], number, part);
            known.map_err(|e| place.refuse(e.to_string()))?;
        }
        for (node, number, counter, value) in self.counts {
            let place = self.parts[node as usize].place;
            let counted = builder.count(handles[node as usize], number, counter, value);
            counted.map_err(|e| place.refuse(e.to_string()))?;
        }
        Ok(builder.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: usize) -> Place<'static> {
        Place { line, text: "row" }
    }

    fn two() -> Assembly<'static> {
        let mut all = Assembly::default();
        all.add(node(NodeKind::Switch, Guid(1), "leaf"), Some(4), place(1)).unwrap();
        all.add(node(NodeKind::Adapter, Guid(2), "host"), None, place(2)).unwrap();
        all
    }

    #[test]
    fn a_cable_of_two_lines_is_one() {
        let (mut all, mut notes) = (two(), Notes::default());
        all.cable((0, 3), (1, 1), Listing::Near, place(3), &mut notes).unwrap();
        all.cable((1, 1), (0, 3), Listing::Near, place(4), &mut notes).unwrap();
        let fabric = all.finish(&mut notes).unwrap();
        assert_eq!((fabric.cables().count(), notes.finish()), (1, vec![]));
    }

    #[test]
    fn a_cable_of_one_line_is_one_sided_unless_the_file_names_each_once() {
        for (listing, expected) in [(Listing::Near, 1), (Listing::Both, 0)] {
            let (mut all, mut notes) = (two(), Notes::default());
            all.cable((0, 3), (1, 1), listing, place(3), &mut notes).unwrap();
            all.finish(&mut notes).unwrap();
            assert_eq!(notes.finish().len(), expected);
        }
    }

    #[test]
    fn impossible_cables_are_refused_with_their_line() {
        let mut notes = Notes::default();
        for (near, far, reason) in [
            ((0, 5), (1, 1), "\"leaf\" has 4 ports, so no port 5"),
            ((0, 1), (1, 255), "so no port 255"),
            ((0, 0), (1, 1), "port 0 is the management port"),
        ] {
            let error = two().cable(near, far, Listing::Near, place(7), &mut notes).unwrap_err();
            assert!(error.reason.contains(reason) && error.line == Some(7), "{error}");
        }
        let mut all = two();
        all.cable((0, 1), (1, 1), Listing::Near, place(7), &mut notes).unwrap();
        let error = all.cable((1, 1), (0, 2), Listing::Near, place(8), &mut notes).unwrap_err();
        assert!(error.reason.contains("port 1 of \"host\" has another cable on line 7"), "{error}");
        let error = all.add(node(NodeKind::Switch, Guid(9), "x"), Some(300), place(9)).unwrap_err();
        assert!(error.reason.contains("and this one 300"), "{error}");
    }
}
