//! `ibdiagnet2.net_dump`: a block for each switch, a row for each of its ports.
//!
//! ```text
//! "MF0;leaf-40:MQM8700/U1", Mellanox, 0x1070fd03001adeb4, LID 24328
//!   #   : IB# : Sta : PhysSta : MTU : LWA : LSA : FEC mode            : Retran : Neighbor Guid     : N# : NLID  : Neighbor Description
//!   1   : 1   : ACT : LINK UP : 5   : 4x  : 50  : MLNX_RS_271_257_PLR : NO-RTR : 0xc42a10300dbfb92 : 40 : 25697 : "MF0;spine-01:MQM8700/U1"
//! ```
//!
//! A neighbour has the GUID of its port, which is used as the node's where no block has it: two ports of an adapter are
//! two nodes. Neighbours without a block are end nodes, unless a port number of theirs is one that no adapter has: these are
//! switches of which the file has no block. A name may hold colons: it is the last column.
//!
//! The grammar was read from a published sample and from the parsers of several sites.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::fabric::{Coverage, FabricPart, Guid, NodeKind, PortState};
use crate::io::assembly::{self, Assembly, Listing, PORTS_OF_ADAPTERS, Place};
use crate::io::csv::header_name;
use crate::io::note::Notes;
use crate::io::text::{cut_short, decimal, decode, guid, lines, number, plain, refuse_empty};
use crate::io::{Loaded, NoteKind, ReadError, lane};
use crate::sm::lids::MAX_UNICAST_LID;

/// The line that opens a block.
struct Heading<'a> {
    name: &'a str,
    guid: Guid,
    lid: u32,
}

/// A port of a switch.
struct Row<'a> {
    place: Place<'a>,
    switch: u32,
    number: u32,
    /// Which of the headers its cells are below: blocks may have different columns.
    header: usize,
    cells: Vec<&'a str>,
}

/// Which column has what.
struct Columns {
    count: usize,
    number: usize,
    state: Option<usize>,
    physical: Option<usize>,
    width: Option<usize>,
    speed: Option<usize>,
    far_guid: usize,
    far_number: usize,
    far_lid: Option<usize>,
    far_name: Option<usize>,
}

impl Columns {
    /// The columns of a header; none where a line is none.
    fn of(s: &str) -> Option<Self> {
        let names: Vec<String> = s.split(':').map(header_name).collect();
        let find = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
        let far_guid = find(&["neighborguid", "neighbourguid"])?;
        // `N#` and `IB#` are `n` and `ib` without their signs.
        Some(Self {
            count: names.len(),
            number: find(&["ib"])?,
            state: find(&["sta", "state"]),
            physical: find(&["physsta", "physstate"]),
            width: find(&["lwa"]),
            speed: find(&["lsa"]),
            far_guid,
            far_number: find(&["n"])?,
            far_lid: find(&["nlid"]),
            far_name: find(&["neighbordescription", "neighbourdescription"]),
        })
    }
}

/// Whether a line is the header of a block.
pub(in crate::io) fn is_line(s: &str) -> bool {
    Columns::of(s).is_some()
}

/// Reads a fabric.
///
/// # Errors
/// When a line breaks the grammar, or cables contradict each other.
pub fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    let mut notes = Notes::default();
    refuse_empty(bytes)?;
    let bytes = plain(bytes, &mut notes);
    let text = decode(&bytes, &mut notes)?;
    let mut assembly = Assembly::default();
    let mut by_guid: FxHashMap<Guid, u32> = FxHashMap::default();
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut headers: Vec<Columns> = Vec::new();
    let mut switch = None;
    for (line, s) in lines(&text).filter(|(_, s)| !s.trim().is_empty()) {
        let place = Place { line, text: s };
        let s = s.trim();
        if let Some(found) = Columns::of(s) {
            headers.push(found);
        } else if s.starts_with('"') {
            let heading = heading(s)
                .ok_or_else(|| cut_short(&text, place.refuse("not `\"NAME\", VENDOR, 0xGUID, LID N`")))?;
            if by_guid.contains_key(&heading.guid) {
                return Err(
                    place.refuse(format!("a second block of switch {}: two files in one?", heading.guid))
                );
            }
            let node = assembly::node(NodeKind::Switch, heading.guid, heading.name);
            let node = assembly.add(node, None, place)?;
            let port = assembly.port_mut(node, 0, place)?;
            (port.guid, port.lid) = (heading.guid, heading.lid);
            by_guid.insert(heading.guid, node);
            switch = Some(node);
        } else if s.starts_with('#') {
            // Comments at the head: versions, and when it was made.
        } else if s.matches(':').count() >= 6 {
            let (Some(columns), Some(switch)) = (headers.last(), switch) else {
                return Err(place.refuse("a port outside any switch"));
            };
            let cells: Vec<&str> = s.splitn(columns.count, ':').map(str::trim).collect();
            if cells.len() < columns.count {
                let reason = format!("{} cells where the header has {}", cells.len(), columns.count);
                return Err(cut_short(&text, place.refuse(reason)));
            }
            let number = decimal(cells[columns.number]).filter(|n| (1..=assembly::MOST_PORTS).contains(n));
            let number = number.ok_or_else(|| place.refuse("IB# is a port number, 1 to 254"))?;
            assembly.port_mut(switch, number, place)?;
            rows.push(Row { place, switch, number, header: headers.len() - 1, cells });
        } else {
            notes.add(NoteKind::UnknownLine, line, s);
        }
    }
    if headers.is_empty() || assembly.len() == 0 {
        return Err(ReadError::whole("no block of a switch as ibdiagnet's net_dump has them"));
    }
    let has_block = by_guid.values().copied().collect();
    let mut plugs = Plugs { assembly, by_guid, has_block, switch_guids: FxHashSet::default(), headers };
    for row in &rows {
        plugs.note_switch(row);
    }
    for row in &rows {
        plugs.take(row, &mut notes)?;
    }
    let mut assembly = plugs.assembly;
    assembly.coverage = Coverage::WHOLE.without(&[FabricPart::BothEndsOfEndNodes, FabricPart::EndNodeGuids]);
    Ok(Loaded { fabric: assembly.finish(&mut notes)?, notes: notes.finish() })
}

/// `"NAME", VENDOR, 0xGUID, LID N`: the name may hold quotes and commas.
fn heading(s: &str) -> Option<Heading<'_>> {
    let (name, rest) = s.strip_prefix('"')?.rsplit_once('"')?;
    let mut words = rest.split(',').map(str::trim);
    let node_guid = words.clone().find_map(|word| word.starts_with("0x").then(|| guid(word)).flatten())?;
    let lid = words.find_map(|word| number(word.strip_prefix("LID")?.trim()))?;
    let lid = u32::try_from(lid).ok().filter(|&lid| lid <= MAX_UNICAST_LID)?;
    node_guid.is_some().then_some(Heading { name, guid: node_guid, lid })
}

/// The cables, while rows are read.
struct Plugs<'a> {
    assembly: Assembly<'a>,
    by_guid: FxHashMap<Guid, u32>,
    /// Switches whose block the file has.
    has_block: FxHashSet<u32>,
    /// Neighbours that have more ports than adapters do.
    switch_guids: FxHashSet<Guid>,
    headers: Vec<Columns>,
}

impl<'a> Plugs<'a> {
    /// Notes a neighbour whose port number only a switch has.
    fn note_switch(&mut self, row: &Row<'a>) {
        let columns = &self.headers[row.header];
        let far_number = decimal(row.cells[columns.far_number]);
        if far_number.is_some_and(|number| number > PORTS_OF_ADAPTERS) {
            self.switch_guids.extend(guid(row.cells[columns.far_guid]));
        }
    }

    fn take(&mut self, row: &Row<'a>, notes: &mut Notes) -> Result<(), ReadError> {
        let columns = &self.headers[row.header];
        let cell = |column: usize| row.cells[column];
        let optional = |column: Option<usize>| column.map_or("", cell);
        let detail = self.assembly.detail_mut(row.switch, row.number, row.place)?;
        detail.state = lane::state(optional(columns.state));
        detail.physical = lane::physical(optional(columns.physical));
        let is_down = detail.state == Some(PortState::Down);
        let far_guid = match cell(columns.far_guid) {
            "" | "N/A" | "-" => return Ok(()),
            text => guid(text).ok_or_else(|| row.place.refuse("Neighbor Guid is no GUID"))?,
        };
        if !far_guid.is_some() || (is_down && cell(columns.far_number).is_empty()) {
            return Ok(());
        }
        let far_number = decimal(cell(columns.far_number));
        let far_number = far_number.ok_or_else(|| row.place.refuse("N# is no port number"))?;
        let far_lid = columns.far_lid.map(cell).and_then(number).and_then(|lid| u32::try_from(lid).ok());
        let far_lid = far_lid.filter(|&lid| lid <= MAX_UNICAST_LID).unwrap_or(0);
        let far = if let Some(&node) = self.by_guid.get(&far_guid) {
            node
        } else {
            let name = optional(columns.far_name);
            let name = name.strip_prefix('"').and_then(|n| n.strip_suffix('"')).unwrap_or(name);
            let is_switch = self.switch_guids.contains(&far_guid);
            let kind = if is_switch { NodeKind::Switch } else { NodeKind::Adapter };
            let node = self.assembly.add(assembly::node(kind, far_guid, name), None, row.place)?;
            self.by_guid.insert(far_guid, node);
            let remark = if is_switch { NoteKind::NoBlock } else { NoteKind::PortGuid };
            notes.add(remark, row.place.line, row.place.text);
            node
        };
        // A row of a block has its own end alone; what has no block is listed by its neighbours' rows.
        let is_switch = self.assembly.node(far).kind == NodeKind::Switch;
        let listing = if self.has_block.contains(&far) { Listing::Near } else { Listing::Both };
        let (near, far) = ((row.switch, row.number), (far, far_number));
        self.assembly.cable(near, far, listing, row.place, notes)?;
        if !is_switch {
            let port = self.assembly.port_mut(far.0, far.1, row.place)?;
            (port.guid, port.lid) = (far_guid, far_lid);
        }
        let rate = lane::rate(optional(columns.width), optional(columns.speed));
        if rate.is_none() {
            notes.add(NoteKind::UnknownRate, row.place.line, row.place.text);
        }
        self.assembly.port_mut(row.switch, row.number, row.place)?.rate = rate;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{NodeId, Population};

    const DUMP: &str = "\
# This database file was automatically generated by IBDIAG

\"MF0;leaf-40:MQM8700/U1\", Mellanox, 0x1070fd03001adeb4, LID 24328
  #   : IB# : Sta  : PhysSta    : MTU : LWA : LSA  : FEC mode : Retran : Neighbor Guid      : N# : NLID  : Neighbor Description
  1   : 1   : ACT  : LINK UP    : 5   : 4x  : 50   : RS       : NO-RTR : 0xc42a10300dbfb92  : 40 : 25697 : \"MF0;spine-01:MQM8700/U1\"
  21  : 21  : INI  : LINK_UP    : 5   : 2x  : EDR  : RS       : NO-RTR : 0xb83fd20300aa0001 : 2  : 101   : \"node001 mlx5_0\"
  22  : 22  : DOWN : POLL       : N/A : N/A : N/A  : N/A      : N/A    :                    :    :       :

\"MF0;spine-01:MQM8700/U1\", Mellanox, 0x0c42a10300dbfb92, LID 25697
  #   : IB# : Sta  : PhysSta    : MTU : LWA : LSA  : FEC mode : Retran : Neighbor Guid      : N# : NLID  : Neighbor Description
  40  : 40  : ACT  : LINK UP    : 5   : 4x  : 50   : RS       : NO-RTR : 0x1070fd03001adeb4 : 1  : 24328 : \"MF0;leaf-40:MQM8700/U1\"
";

    #[test]
    fn a_neighbour_with_a_port_that_no_adapter_has_is_a_switch() {
        // Without the second block: spine-01 is named as the neighbour at its port 40.
        let first = DUMP.split("\n\n\"MF0;spine").next().unwrap();
        let Loaded { fabric: f, notes } = read(first.as_bytes()).unwrap();
        assert_eq!((f.num_switches(), f.num_nodes(), f.cables().count()), (2, 3, 2));
        // One remark on each of the two neighbours; that the spine's own row is missing is no other.
        let kinds: Vec<_> = notes.iter().map(|note| (note.kind, note.count)).collect();
        assert_eq!(kinds, [(NoteKind::NoBlock, 1), (NoteKind::PortGuid, 1)]);
    }

    #[test]
    fn switches_neighbours_rates_and_states_are_read() {
        let Loaded { fabric: f, notes } = read(DUMP.as_bytes()).unwrap();
        assert_eq!((f.num_switches(), f.num_nodes(), f.cables().count()), (2, 3, 2));
        let leaf = |number| f.port(NodeId(0), number).unwrap();
        let [up, host, down] = [1, 21, 22].map(|n| (f.port_info(leaf(n)), f.port_detail(leaf(n))));
        assert_eq!((up.0.rate.unwrap().to_string(), up.1.state), ("4xHDR".into(), Some(PortState::Active)));
        assert_eq!((host.0.rate.unwrap().to_string(), host.0.inactive), ("2xEDR".into(), true));
        assert_eq!(
            (down.1.state, down.1.physical.map(crate::fabric::PhysicalState::name)),
            (Some(PortState::Down), Some("Polling"))
        );
        let end = f.end_ports(Population::Hosts)[0];
        assert_eq!((f.port_info(end).lid, f.number_of(end)), (101, 2));
        assert_eq!(&*f.node(f.node_of(end)).description, "node001 mlx5_0");
        assert_eq!(f.port_info(f.port0(NodeId(1))).lid, 25697);
        assert_eq!(notes.iter().map(|n| n.kind).collect::<Vec<_>>(), [NoteKind::PortGuid]);
    }

    #[test]
    fn each_block_has_columns_of_its_own() {
        // The second block lacks the columns FEC mode and Retran.
        let (first, second) = DUMP.split_at(DUMP.find("\"MF0;spine-01:MQM8700/U1\", ").unwrap());
        let second = second.replace(": FEC mode : Retran ", "").replace(": RS       : NO-RTR ", "");
        for text in [format!("{first}{second}"), format!("{second}{first}")] {
            let Loaded { fabric: f, .. } = read(text.as_bytes()).unwrap();
            assert_eq!((f.num_switches(), f.num_nodes(), f.cables().count()), (2, 3, 2));
        }
    }

    #[test]
    fn bad_rows_are_refused_with_their_line() {
        for (from, to, line, reason) in [
            (" 1   : 1   : ACT ", " 1   : x   : ACT ", 5, "IB# is a port number"),
            ("0xc42a10300dbfb92 ", "0xspine           ", 5, "Neighbor Guid is no GUID"),
            (", LID 24328", "", 3, "not `\"NAME\""),
            (": 40 : 25697", ": 41 : 25697", 11, "has another cable on line 5"),
            (": \"MF0;leaf-40:MQM8700/U1\"\n", "", 11, "12 cells where the header has 13"),
        ] {
            let at = DUMP.rfind(from).filter(|_| line == 11 && to.is_empty());
            let text = match at {
                Some(at) => DUMP[..at].to_owned(),
                None => DUMP.replacen(from, to, 1),
            };
            let error = read(text.as_bytes()).unwrap_err();
            assert!(error.reason.contains(reason) && error.line == Some(line), "{from}: {error}");
        }
    }
}
