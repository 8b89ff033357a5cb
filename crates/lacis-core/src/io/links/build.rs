//! From lines to a [`Fabric`]: finds the nodes, pairs the two ends of each cable, and refuses
//! contradictions.

use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::FxHashMap;

use super::line::{LinkEnd, LinkLine};
use crate::fabric::{
    BuildError, Coverage, Fabric, FabricBuilder, FabricPart, Guid, Handle, Node, NodeKind, Port, PortState,
};
use crate::io::assembly::PORTS_OF_ADAPTERS;
use crate::io::note::Notes;
use crate::io::text::clean;
use crate::io::{NoteKind, ReadError};
use crate::sm::lids::MAX_UNICAST_LID;

/// What tells a node from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Identity {
    Guid(Guid),
    /// Of a far end in plain `iblinkinfo` whose node has no lines (`--switches-only`, `-S GUID`): its GUID is nowhere.
    Lid(u32),
}

impl Identity {
    fn guid(self) -> Guid {
        match self {
            Self::Guid(guid) => guid,
            Self::Lid(_) => Guid::NONE,
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Guid(guid) => guid.fmt(f),
            Self::Lid(lid) => write!(f, "LID {lid}"),
        }
    }
}

/// What is known of a node.
struct Known<'a> {
    kind: Option<NodeKind>,
    name: &'a str,
    lid: u32,
    /// Highest port number.
    radix: u32,
    /// Whether several of its ports are seen.
    several: bool,
    /// The lines of the node itself, by port.
    lines: BTreeMap<u32, usize>,
    handle: Option<Handle>,
}

impl<'a> Known<'a> {
    fn of(end: &LinkEnd<'a>) -> Self {
        Self {
            kind: end.kind,
            name: end.name,
            lid: end.lid,
            radix: 0,
            several: false,
            lines: BTreeMap::new(),
            handle: None,
        }
    }

    /// Whether it is a switch: as the list says, else if several ports have one GUID, or it has more than an adapter.
    fn is_switch(&self) -> bool {
        let has_several = self.lines.len() > 1 || self.several || self.radix > PORTS_OF_ADAPTERS;
        self.kind.map_or(has_several, |kind| kind == NodeKind::Switch)
    }
}

/// Nodes by what identifies them, in the order in which they come.
struct Nodes<'a> {
    known: Vec<(Identity, Known<'a>)>,
    index: FxHashMap<Identity, usize>,
    /// GUIDs by LID, of ends that have both.
    of_lid: FxHashMap<u32, Guid>,
}

/// The letter with which the identifier of a kind of node begins in a dump.
fn letter(kind: NodeKind) -> char {
    match kind {
        NodeKind::Switch => 'S',
        NodeKind::Router => 'R',
        _ => 'H',
    }
}

/// The identifier that a dump would use.
pub(super) fn ident(kind: NodeKind, guid: Guid) -> Box<str> {
    format!("{}-{:016x}", letter(kind), guid.0).into()
}

/// The kind of a node: its name may make an adapter an aggregation node.
pub(super) fn kind(stated: NodeKind, name: &str) -> NodeKind {
    if stated == NodeKind::Adapter { NodeKind::of_adapter(name) } else { stated }
}

/// Builds the fabric.
pub(super) fn build(lines: &[LinkLine<'_>], notes: &mut Notes) -> Result<Fabric, ReadError> {
    let mut nodes = Nodes::of(lines, notes)?;
    let mut builder = FabricBuilder::new();
    for (identity, node) in &mut nodes.known {
        let unknown = if node.is_switch() { NodeKind::Switch } else { NodeKind::Adapter };
        let stated = node.kind.unwrap_or(unknown);
        let guid = identity.guid();
        let described = Node {
            kind: kind(stated, node.name),
            guid,
            system_guid: Guid::NONE,
            id: match identity {
                Identity::Guid(guid) => ident(stated, *guid),
                Identity::Lid(lid) => format!("{}-lid-{lid}", letter(stated)).into(),
            },
            description: clean(node.name).into(),
            vendor: 0,
            device: 0,
            enhanced_port0: false,
            chassis: None,
            declared: None,
        };
        let first = node.lines.values().next().map_or(&lines[0], |&line| &lines[line]);
        let handle = builder.add_node(described, node.radix as u8).map_err(|e| refuse(first, &e))?;
        node.handle = Some(handle);
        if stated == NodeKind::Switch {
            *builder.port_mut(handle, 0).map_err(|e| refuse(first, &e))? =
                Port { guid, lid: node.lid, ..Port::default() };
        } else {
            notes.add(NoteKind::PortGuid, first.at, first.text);
        }
    }
    for line in lines {
        nodes.cable(line, lines, &mut builder, notes)?;
        nodes.detail(line, lines, &mut builder)?;
    }
    *builder.coverage_mut() = nodes.coverage();
    Ok(builder.finish())
}

fn refuse(line: &LinkLine<'_>, error: &BuildError) -> ReadError {
    ReadError::at(line.at, error.to_string(), line.text)
}

impl<'a> Nodes<'a> {
    fn of(lines: &[LinkLine<'a>], notes: &mut Notes) -> Result<Self, ReadError> {
        let mut nodes = Self { known: Vec::new(), index: FxHashMap::default(), of_lid: FxHashMap::default() };
        for (number, line) in lines.iter().enumerate() {
            nodes.add(line, &line.near, Some(number), lines, notes)?;
        }
        for line in lines {
            if let Some(far) = line.far {
                nodes.add(line, &far, None, lines, notes)?;
            }
        }
        Ok(nodes)
    }

    /// What identifies an end: its GUID, else that of the end that has its LID, else the LID.
    fn identity(&self, line: &LinkLine<'_>, end: &LinkEnd<'_>) -> Result<Identity, ReadError> {
        let guid = end.guid.or_else(|| self.of_lid.get(&end.lid).copied());
        match guid {
            Some(guid) if guid.is_some() => Ok(Identity::Guid(guid)),
            None if end.lid > 0 => Ok(Identity::Lid(end.lid)),
            _ => Err(ReadError::at(line.at, "an end with neither a GUID nor a LID", line.text)),
        }
    }

    /// Adds what an end says about its node; `own` is the number of its line, for a near end.
    fn add(
        &mut self,
        line: &LinkLine<'a>,
        end: &LinkEnd<'a>,
        own: Option<usize>,
        lines: &[LinkLine<'a>],
        notes: &mut Notes,
    ) -> Result<(), ReadError> {
        let bad = |reason: String| ReadError::at(line.at, reason, line.text);
        let identity = self.identity(line, end)?;
        if !(1..=254).contains(&end.number) {
            return Err(bad(format!("a node has ports 1 to 254, so no port {}", end.number)));
        }
        if end.lid > MAX_UNICAST_LID {
            return Err(bad(format!("{} is no unicast LID", end.lid)));
        }
        let at = *self.index.entry(identity).or_insert_with(|| {
            self.known.push((identity, Known::of(end)));
            self.known.len() - 1
        });
        let node = &mut self.known[at].1;
        node.several |= node.radix != 0 && node.radix != end.number;
        node.radix = node.radix.max(end.number);
        if node.kind.is_some() && end.kind.is_some() && node.kind != end.kind {
            return Err(bad(format!("the node {identity} is of another kind on another line")));
        }
        if node.name != end.name || node.lid != end.lid {
            notes.add(NoteKind::Disagreement, line.at, line.text);
        }
        if let Identity::Guid(guid) = identity
            && end.lid > 0
            && *self.of_lid.entry(end.lid).or_insert(guid) != guid
        {
            notes.add(NoteKind::Disagreement, line.at, line.text);
        }
        let Some(own) = own else { return Ok(()) };
        if let Some(&before) = node.lines.get(&end.number) {
            let (one, other) = (&lines[before], line);
            let far = |line: &LinkLine<'a>| line.far.map(|far| (far.guid, far.lid, far.number));
            if far(one) != far(other) || one.rate != other.rate {
                return Err(bad(format!(
                    "port {} of {identity} appears twice, first on line {}",
                    end.number, one.at
                )));
            }
            notes.add(NoteKind::Repeated, line.at, line.text);
            return Ok(());
        }
        node.lines.insert(end.number, own);
        Ok(())
    }

    /// What the list can show: where most switches, or most end nodes, have no line of their own, it was not asked for
    /// them (`iblinkinfo --switches-only`, `-S GUID`), and is silent about them as about ends of cables.
    fn coverage(&self) -> Coverage {
        let most_listed = |of_switches: bool| {
            let of_sort = self.known.iter().filter(|(_, node)| node.is_switch() == of_switches);
            let (listed, all) = of_sort.fold((0, 0), |(listed, all), (_, node)| {
                (listed + usize::from(!node.lines.is_empty()), all + 1)
            });
            3 * listed >= 2 * all
        };
        let (switches, end_nodes) = (most_listed(true), most_listed(false));
        Coverage::WHOLE
            .with(FabricPart::Switches, switches)
            // Without the lines of switches, an end node is seen only if it has lines of its own.
            .with(FabricPart::EndNodes, switches || end_nodes)
            .with(FabricPart::Cables, switches)
            .with(FabricPart::BothEndsOfTrunks, switches)
            .with(FabricPart::BothEndsOfEndNodes, switches && end_nodes)
            .with(FabricPart::EndNodeGuids, false)
            .with(FabricPart::Radix, switches)
    }

    /// Keeps what a line says of its port beyond its rate, the first of repeated ones.
    fn detail(
        &self,
        line: &LinkLine<'a>,
        lines: &[LinkLine<'a>],
        builder: &mut FabricBuilder,
    ) -> Result<(), ReadError> {
        if line.detail.is_unknown() {
            return Ok(());
        }
        let known = self.node(self.identity(line, &line.near)?);
        let Some((node, handle)) = known.and_then(|node| Some((node, node.handle?))) else { return Ok(()) };
        let number = line.near.number;
        if node.lines.get(&number).is_none_or(|&own| lines[own].at != line.at) {
            return Ok(());
        }
        *builder.detail_mut(handle, number).map_err(|e| refuse(line, &e))? = line.detail;
        let is_down = line.detail.state.is_some_and(|state| state != PortState::Active);
        builder.port_mut(handle, number).map_err(|e| refuse(line, &e))?.inactive =
            is_down && line.far.is_some();
        Ok(())
    }

    fn node(&self, identity: Identity) -> Option<&Known<'a>> {
        Some(&self.known[*self.index.get(&identity)?].1)
    }

    /// Plugs in the cable of a line, if it has one, and sets the rate of the near port.
    fn cable(
        &self,
        line: &LinkLine<'a>,
        lines: &[LinkLine<'a>],
        builder: &mut FabricBuilder,
        notes: &mut Notes,
    ) -> Result<(), ReadError> {
        let Some(far) = line.far else { return Ok(()) };
        let (here, there) = (self.identity(line, &line.near)?, self.identity(line, &far)?);
        let known = |identity| self.node(identity).and_then(|node| Some((node, node.handle?)));
        let (Some((near, a)), Some((other, b))) = (known(here), known(there)) else { return Ok(()) };
        let (p, q) = (line.near.number, far.number);
        let is_first = near.lines.get(&p).is_some_and(|&own| lines[own].at == line.at);
        if !is_first {
            return Ok(());
        }
        if (a, p) == (b, q) {
            notes.add(NoteKind::LoopbackPlug, line.at, line.text);
            return Ok(());
        }
        match builder.peer(a, p).map_err(|e| refuse(line, &e))? {
            Some((node, number)) if (node, u32::from(number)) == (b, q) => {}
            Some(_) => {
                let reason = format!("port {p} of {here} has another cable on another line");
                return Err(ReadError::at(line.at, reason, line.text));
            }
            None => builder.connect((a, p), (b, q)).map_err(|e| refuse(line, &e))?,
        }
        if line.rate.is_none() {
            notes.add(NoteKind::UnknownRate, line.at, line.text);
        }
        for (node, handle, number, identity, lid) in
            [(near, a, p, here, line.near.lid), (other, b, q, there, far.lid)]
        {
            if !node.is_switch() {
                let port = builder.port_mut(handle, number).map_err(|e| refuse(line, &e))?;
                (port.guid, port.lid) = (identity.guid(), lid);
            }
        }
        let port = builder.port_mut(a, p).map_err(|e| refuse(line, &e))?;
        (port.rate, port.listed) = (line.rate, true);
        if !other.lines.contains_key(&q) {
            notes.add(NoteKind::OneSided, line.at, line.text);
        }
        Ok(())
    }
}
