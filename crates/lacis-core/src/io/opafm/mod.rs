//! `opafm.xml`, the configuration of the Omni-Path fabric manager; `health::opafm` checks it.
//!
//! ```xml
//! <Config>
//!   <Common>
//!     <Shared>…</Shared>
//!     <Sm>
//!       <RoutingAlgorithm>shortestpath</RoutingAlgorithm>
//!       <AdaptiveRouting>
//!         <Enable>0</Enable> <LostRouteOnly>0</LostRouteOnly> <Algorithm>2</Algorithm>
//!         <ARFrequency>0</ARFrequency> <Threshold>3</Threshold>
//!       </AdaptiveRouting>
//!     </Sm> <Fe>…</Fe> <Pm>…</Pm>
//!   </Common>
//!   <Fm> <Shared>…</Shared> <Sm>…</Sm> … </Fm>
//! </Config>
//! ```
//!
//! An `<Fm>` overrides `<Common>`. [`read`] lists every value with its path and line, [`AdaptiveSettings`] are the
//! effective ones.

mod adaptive;
pub(crate) mod tags;
#[cfg(test)]
mod tests;

pub use adaptive::{AdaptiveSettings, block};
pub use tags::ALGORITHMS;

use super::note::{Note, Notes};
use super::text::clean;
use super::xml::{Step, Xml, decode, root};
use super::{NoteKind, ReadError};

/// A value, or an element without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlEntry {
    /// The elements that lead to it, as `Common/Sm/Lmc`; the second of several equal ones is `Fm[1]`.
    pub path: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its text; none if it holds elements.
    pub value: Option<Box<str>>,
}

impl XmlEntry {
    /// The name of the enclosing element and its own, without counters.
    pub fn names(&self) -> (&str, &str) {
        fn bare(element: &str) -> &str {
            element.split_once('[').map_or(element, |(name, _)| name)
        }
        let mut elements = self.path.rsplit('/');
        let tag = elements.next().map_or("", bare);
        (elements.next().map_or("", bare), tag)
    }
}

/// The configuration, as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opafm {
    /// Every element inside `<Config>`, in the order of the file.
    pub entries: Vec<XmlEntry>,
    /// What the reader noticed.
    pub notes: Vec<Note>,
}

impl Opafm {
    /// The last value at a path, with its line.
    pub fn value(&self, path: &str) -> Option<(&str, usize)> {
        let found = self.entries.iter().rev().find(|e| e.path == path)?;
        found.value.as_deref().map(|value| (value, found.line))
    }

    /// How many instances of the manager there are.
    pub fn instances(&self) -> usize {
        self.entries.iter().filter(|e| is_instance(&e.path)).count()
    }
}

fn is_instance(path: &str) -> bool {
    path == "Fm" || (path.starts_with("Fm[") && !path.contains('/'))
}

/// The path of an instance, from 0.
pub(crate) fn instance(number: usize) -> String {
    if number == 0 { "Fm".to_owned() } else { format!("Fm[{number}]") }
}

/// Whether bytes are such a file.
pub fn looks_like(bytes: &[u8]) -> bool {
    root(bytes).as_deref() == Some("Config")
}

/// Reads a configuration.
///
/// # Errors
/// When the XML is not well-formed, or does not begin with `<Config>`.
pub fn read(bytes: &[u8]) -> Result<Opafm, ReadError> {
    let mut notes = Notes::default();
    let text = decode(bytes, &mut notes)?;
    let mut xml = Xml::new(&text);
    let mut entries: Vec<XmlEntry> = Vec::new();
    // For every open element: its entry, and the names inside it with how often each occurred.
    let mut open: Vec<(Option<usize>, rustc_hash::FxHashMap<String, usize>)> = Vec::new();
    loop {
        match xml.next(&mut notes)? {
            Step::Open(tag) if open.is_empty() => {
                if tag.name != "Config" {
                    return Err(
                        xml.refuse(format!("<{}> is no opafm.xml: it begins with <Config>", tag.name))
                    );
                }
                open.push((None, rustc_hash::FxHashMap::default()));
            }
            Step::Open(tag) => {
                let line = xml.line();
                let Some((parent, names)) = open.last_mut() else { continue };
                let seen = names.entry(tag.name.to_owned()).or_insert(0);
                let name = if *seen == 0 { tag.name.to_owned() } else { format!("{}[{seen}]", tag.name) };
                *seen += 1;
                let path = match parent {
                    Some(at) => format!("{}/{name}", entries[*at].path),
                    None => name,
                };
                open.push((Some(entries.len()), rustc_hash::FxHashMap::default()));
                entries.push(XmlEntry { path, line, value: None });
            }
            Step::Close(_, text) => {
                if let Some((Some(at), inner)) = open.pop()
                    && inner.is_empty()
                {
                    entries[at].value = Some(clean(&text).into());
                }
            }
            Step::End => break,
        }
    }
    let notes = notes.finish().into_iter().filter(|note| note.kind != NoteKind::CarriageReturn).collect();
    Ok(Opafm { entries, notes })
}
