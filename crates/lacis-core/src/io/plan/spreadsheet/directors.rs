//! The lines after the list of cables: directors, the boards that they have or lack, and managers.
//!
//! ```text
//! Core Name:core1,Core Group:row1,Core Rack:rack3,Core Size:288,Core Full:0
//!
//! Present Leaves
//! Core Name:core1,L105,L106
//!
//! Omitted Spines
//! Core Name:core1,S203
//!
//! SM,host01:1,sw11
//! ```
//!
//! A full director has all of its inner cables. A director that is not full has those of leaf chips in the list of
//! cables, of present leaves, and of the leaf boards of both, and none of omitted spines. If the list has no leaf of any
//! director, one that is not full has all of them.

use rustc_hash::FxHashSet;

use super::super::cable::{Cable, End, Plan, PlannedNode};
use super::super::rate::PlannedRate;
use super::wiring::{DirectorSize, Inner};
use crate::fabric::NodeKind;
use crate::io::NoteKind;
use crate::io::note::Notes;
use crate::io::text::{clean, decimal};
use crate::nearest::nearest;

/// Directors that one plan may have: more would have more chips than there are LIDs.
const MOST: usize = 512;
/// The rate of inner cables.
const RATE: PlannedRate = PlannedRate::Tenths(1000);
const NAME: &str = "Core Name:";
/// The adapter of a host that names none.
pub(super) const FIRST_ADAPTER: &str = "hfi1_0";

/// A director of a plan.
struct Director {
    name: String,
    size: DirectorSize,
    is_full: bool,
    line: usize,
    /// As `Present Leaves` has them.
    present: Vec<String>,
    omitted: Vec<String>,
}

/// Which section a line is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Directors,
    PresentLeaves,
    OmittedSpines,
}

/// The contents of the lines after the list of cables.
pub(super) struct Rest {
    section: Section,
    directors: Vec<Director>,
    managers: Vec<(usize, String)>,
}

impl Default for Rest {
    fn default() -> Self {
        Self { section: Section::Directors, directors: Vec::new(), managers: Vec::new() }
    }
}

impl Rest {
    /// Takes a line.
    pub(super) fn line(
        &mut self,
        at: usize,
        cells: &[std::borrow::Cow<'_, str>],
        notes: &mut Notes,
        line: &str,
    ) -> Result<(), String> {
        let first = cells.first().map_or("", |cell| &**cell);
        let others =
            || cells.iter().skip(1).map(|cell| clean(cell).trim().to_owned()).filter(|cell| !cell.is_empty());
        if let Some(name) = first.strip_prefix(NAME) {
            let name = clean(name.trim()).to_string();
            return match self.section {
                Section::Directors => self.director(at, name, others()),
                section => self.boards(section, &name, others(), (at, line), notes),
            };
        }
        self.section = match first {
            "Present Leafs" | "Present Leaves" => Section::PresentLeaves,
            "Omitted Spines" => Section::OmittedSpines,
            _ => Section::Directors,
        };
        if first == "SM" {
            self.managers.extend(others().map(|text| (at, text)));
        } else if self.section == Section::Directors && cells.iter().any(|cell| !cell.is_empty()) {
            notes.add(NoteKind::Ignored, at, line);
        }
        Ok(())
    }

    /// `Core Name:X` with its size.
    fn director(
        &mut self,
        at: usize,
        name: String,
        cells: impl Iterator<Item = String>,
    ) -> Result<(), String> {
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(format!("a director's name is one word: \"{name}\""));
        }
        if self.directors.iter().any(|known| known.name == name) {
            return Err(format!("{NAME}{name} occurs twice"));
        }
        if self.directors.len() == MOST {
            return Err(format!("more than {MOST} directors"));
        }
        let (mut size, mut is_full) = (None, false);
        for cell in cells {
            if let Some(text) = cell.strip_prefix("Core Size:") {
                let text = text.trim();
                size = Some(
                    DirectorSize::of(text).ok_or_else(|| format!("bad Core Size \"{text}\": 288 or 1152"))?,
                );
            } else if let Some(text) = cell.strip_prefix("Core Full:") {
                is_full = match text.trim() {
                    "0" => false,
                    "1" => true,
                    text => return Err(format!("bad Core Full \"{text}\": 0 or 1")),
                };
            } else if !cell.starts_with("Core Group:") && !cell.starts_with("Core Rack:") {
                return Err(format!(
                    "\"{cell}\" of a director: Core Group, Core Rack, Core Size or Core Full"
                ));
            }
        }
        let size = size.ok_or("a director without Core Size: 288 or 1152")?;
        self.directors.push(Director {
            name,
            size,
            is_full,
            line: at,
            present: Vec::new(),
            omitted: Vec::new(),
        });
        Ok(())
    }

    /// The boards that a director has or lacks.
    fn boards(
        &mut self,
        section: Section,
        name: &str,
        boards: impl Iterator<Item = String>,
        (at, line): (usize, &str),
        notes: &mut Notes,
    ) -> Result<(), String> {
        let names = self.directors.iter().map(|director| director.name.as_str());
        let near =
            nearest(name, names, 1).first().map_or(String::new(), |near| format!("; is {near} meant?"));
        let known = self.directors.iter_mut().find(|director| director.name == name);
        let director = known.ok_or_else(|| format!("no {NAME}{name} with a Core Size before{near}"))?;
        if director.is_full {
            // As opaxlattopology, which says so too.
            notes.add(NoteKind::Ignored, at, line);
            return Ok(());
        }
        let Director { size, present, omitted, .. } = director;
        for board in boards {
            let is_leaf = section == Section::PresentLeaves;
            if is_leaf && size.has_leaf(&board) {
                present.push(board);
            } else if !is_leaf && size.has_spine(&board) {
                omitted.push(board);
            } else if is_leaf {
                return Err(format!("{name} has no leaf {board}: L101 to L{}", 100 + u16::from(size.leaves)));
            } else {
                return Err(format!(
                    "{name} has no spine {board}: S201 to S{}",
                    200 + u16::from(size.leaves) / 2
                ));
            }
        }
        Ok(())
    }

    /// Completes a plan whose cables are listed: `leaves` are their ends of type CL, `mtu` that of the last cable between
    /// switches.
    pub(super) fn complete(
        self,
        plan: &mut Plan,
        leaves: &FxHashSet<Box<str>>,
        mtu: Option<u32>,
    ) -> Result<(), String> {
        for director in &self.directors {
            plan.directors.push(director.name.as_str().into());
            director.cables(leaves, mtu, &mut plan.cables);
        }
        list_nodes(plan);
        let adapters: FxHashSet<Box<str>> =
            plan.nodes.adapters.iter().map(|node| node.end.name.clone()).collect();
        for (line, text) in self.managers {
            plan.nodes.managers.push(manager(line, &text, &adapters)?);
        }
        Ok(())
    }
}

impl Director {
    /// Its inner cables.
    fn cables(&self, leaves: &FxHashSet<Box<str>>, mtu: Option<u32>, into: &mut Vec<Cable>) {
        // With present leaves, leaf boards in the list of cables count as a whole.
        let own = leaves.iter().filter_map(|leaf| leaf.strip_prefix(&*self.name)?.strip_prefix(' '));
        let led_to = own.map(|chip| if self.present.is_empty() { chip } else { board(chip) });
        let there: FxHashSet<&str> = led_to.chain(self.present.iter().map(String::as_str)).collect();
        let omitted: FxHashSet<&str> = self.omitted.iter().map(String::as_str).collect();
        let is_all = self.is_full || leaves.is_empty();
        let is_in = |names: &FxHashSet<&str>, chip: &str| names.contains(chip) || names.contains(board(chip));
        let end = |chip: &str, port| End {
            name: format!("{} {chip}", self.name).into(),
            number: Some(port),
            kind: Some(NodeKind::Switch),
            ..End::default()
        };
        let cable = |inner: Inner| Cable {
            line: self.line,
            ends: [end(&inner.spine, inner.spine_port), end(&inner.leaf, inner.leaf_port)],
            rate: Some(RATE),
            mtu,
            internal: true,
            ..Cable::default()
        };
        let is_there = |c: &Inner| (is_all || is_in(&there, &c.leaf)) && !is_in(&omitted, &c.spine);
        into.extend(self.size.cables().filter(is_there).map(cable));
    }
}

/// The board of a chip.
fn board(chip: &str) -> &str {
    chip.strip_suffix(['A', 'B']).unwrap_or(chip)
}

/// Lists the nodes at the ends of the cables that are not listed yet, each once.
fn list_nodes(plan: &mut Plan) {
    let nodes = &mut plan.nodes;
    let known = nodes.adapters.iter().chain(&nodes.switches).map(|node| node.end.name.clone());
    let mut known: FxHashSet<Box<str>> = known.collect();
    for cable in &plan.cables {
        for end in &cable.ends {
            if known.insert(end.name.clone()) {
                let node = PlannedNode {
                    line: cable.line,
                    end: End { number: None, ..end.clone() },
                    ..PlannedNode::default()
                };
                let list = if end.kind == Some(NodeKind::Switch) {
                    &mut nodes.switches
                } else {
                    &mut nodes.adapters
                };
                list.push(node);
            }
        }
    }
}

/// `host01:1` or `sw11`: a host by its first adapter, and its first port; else port 0 of a switch.
fn manager(line: usize, text: &str, adapters: &FxHashSet<Box<str>>) -> Result<PlannedNode, String> {
    let (name, port) = text.split_once(':').map_or((text, ""), |(name, port)| (name, port.trim()));
    let with_adapter = format!("{name} {FIRST_ADAPTER}");
    let host = [name, &with_adapter].into_iter().find(|name| adapters.contains(*name));
    let number = match port {
        "" => u8::from(host.is_some()),
        text => decimal(text)
            .and_then(|n| u8::try_from(n).ok())
            .filter(|&n| n <= 254)
            .ok_or_else(|| format!("bad port \"{text}\" of the SM {name}: 0 to 254"))?,
    };
    let name = host.unwrap_or(name);
    if name.is_empty() {
        return Err("an SM without a name".to_owned());
    }
    let end = End { name: name.into(), number: Some(number), ..End::default() };
    Ok(PlannedNode { line, end, ..PlannedNode::default() })
}
