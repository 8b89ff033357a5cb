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
//! Sections of one name are one section, but for those of groups and of virtual fabrics, of which the last alone counts
//! (`health::opafm`). Of a repeated value the last counts, but for what is listed, such as the members of a virtual fabric. An `<Fm>` begins with what `<Common>` says before it. So `config_check` sums them up, and
//! tests ask it. [`read`] lists every value with its path and line, [`Opafm::settings`] has those that hold.

mod adaptive;
pub(crate) mod number;
pub(crate) mod tags;
#[cfg(test)]
mod tests;
pub(crate) mod words;

pub use adaptive::{AdaptiveSettings, block};
pub use tags::ALGORITHMS;

use rustc_hash::FxHashMap;

use super::note::{Note, Notes};
use super::text::clean;
use super::xml::{Step, Xml, decode, root};
use super::{NoteKind, ReadError};

/// A value, or an element without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlEntry {
    /// The elements that lead to it, as `Common/Sm/Lmc`; the second of several equal ones is `Fm[1]`.
    pub path: String,
    /// The same, with numbers only at what is listed: sections of one name are one.
    pub setting: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its text; none if it holds elements.
    pub value: Option<Box<str>>,
    /// The first text before one of the elements that it holds; none in a file that is right.
    pub stray: Option<Box<str>>,
}

impl XmlEntry {
    /// Whether it is a value, and no other of its name counts beside it.
    fn is_single(&self) -> bool {
        let elements: Vec<&str> = self.path.split('/').map(bare).collect();
        let known = |at: usize| tags::tag(&tags::section(&elements[..at]), elements[at]);
        let is_section = known(elements.len() - 1).is_some_and(|tag| tag.holds == tags::Holds::Tags);
        !is_section && !(1..elements.len()).any(|at| known(at).is_some_and(|tag| tag.is_listed))
    }

    /// Whether it has no meaning in `Common`.
    fn is_of_instance(&self) -> bool {
        let (section, name) = self.place();
        tags::is_of_instance(&section, name)
    }

    /// What the value means: of equal numbers the same.
    fn meaning(&self) -> Option<String> {
        let value = self.value.as_deref()?;
        let (section, name) = self.place();
        let is_number = tags::tag(&section, name)
            .is_some_and(|tag| matches!(tag.holds, tags::Holds::Number(_) | tags::Holds::Signed));
        Some(match number::written(value) {
            number::Written::Number(n) if is_number => n.to_string(),
            number::Written::Negative(n) if is_number => format!("-{n}"),
            _ => value.to_owned(),
        })
    }

    /// The section that it stands in, below `Common` or an instance, and its own name.
    pub(crate) fn place(&self) -> (String, &str) {
        let elements: Vec<&str> = self.path.split('/').map(bare).collect();
        let (name, before) = elements.split_last().unwrap_or((&"", &[]));
        (tags::section(before), name)
    }

    /// `Common`, `Fm` or `Fm[1]`, and the rest of the setting.
    pub(crate) fn below(&self) -> (&str, &str) {
        self.setting.split_once('/').unwrap_or((&self.setting, ""))
    }
}

/// A name without its number.
fn bare(element: &str) -> &str {
    element.split_once('[').map_or(element, |(name, _)| name)
}

/// A value that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting<'a> {
    /// Where, below `Common` or the instance.
    pub path: &'a str,
    /// The value.
    pub value: &'a str,
    /// Its line, from 1.
    pub line: usize,
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
    /// The last value of a setting, with its line.
    pub fn value(&self, setting: &str) -> Option<(&str, usize)> {
        let of_setting = |e: &&XmlEntry| e.setting == setting && e.value.is_some();
        let found = self.entries.iter().rev().find(of_setting)?;
        found.value.as_deref().map(|value| (value, found.line))
    }

    /// The values that hold for an instance, from 0, in the order in which they were set last; without an instance, those
    /// of `Common`. What is listed is not among them.
    pub fn settings(&self, number_of: usize) -> Vec<Setting<'_>> {
        let own = instance(number_of);
        let mut held: FxHashMap<&str, usize> = FxHashMap::default();
        let mut has_begun = false;
        for (at, entry) in self.entries.iter().enumerate() {
            let (top, path) = entry.below();
            has_begun |= top == own;
            let counts = (top == "Common" && !has_begun && !entry.is_of_instance()) || top == own;
            if counts && entry.value.is_some() && entry.is_single() {
                held.insert(path, at);
            }
        }
        let mut order: Vec<usize> = held.into_values().collect();
        order.sort_unstable();
        let all = order.into_iter().map(|at| &self.entries[at]);
        all.filter_map(|e| Some(Setting { path: e.below().1, value: e.value.as_deref()?, line: e.line }))
            .collect()
    }

    /// What holds for an instance, from 0, by setting.
    pub fn setting(&self, number_of: usize, path: &str) -> Option<Setting<'_>> {
        self.settings(number_of).into_iter().find(|setting| setting.path == path)
    }

    /// The last value of each setting with a text, in the order of the file, and what it means: numbers without base and
    /// leading zeros.
    pub fn values(&self) -> Vec<(&str, &str, String)> {
        let mut held: FxHashMap<&str, usize> = FxHashMap::default();
        let with_value = self.entries.iter().enumerate().filter(|(_, entry)| entry.value.is_some());
        held.extend(with_value.map(|(at, entry)| (entry.setting.as_str(), at)));
        let mut order: Vec<usize> = held.into_values().collect();
        order.sort_unstable();
        let all = order.into_iter().map(|at| &self.entries[at]);
        all.filter_map(|e| Some((e.setting.as_str(), e.value.as_deref()?, e.meaning()?))).collect()
    }

    /// How many instances of the manager there are.
    pub fn instances(&self) -> usize {
        self.entries.iter().filter(|e| is_instance(&e.path)).count()
    }
}

fn is_instance(path: &str) -> bool {
    !path.contains('/') && bare(path) == "Fm"
}

/// The path of an instance, from 0.
pub(crate) fn instance(number: usize) -> String {
    if number == 0 { "Fm".to_owned() } else { format!("Fm[{number}]") }
}

/// Whether each of several such elements counts, after the path to them.
fn is_listed(before: &str, name: &str) -> bool {
    let elements: Vec<&str> = before.split('/').filter(|e| !e.is_empty()).map(bare).collect();
    tags::tag(&tags::section(&elements), name).is_some_and(|tag| tag.is_listed)
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
    // How often each listed element occurred, by its setting without its own number.
    let mut listed: FxHashMap<String, usize> = FxHashMap::default();
    // For every open element: its entry, and the names inside it with how often each occurred.
    let mut open: Vec<(Option<usize>, FxHashMap<String, usize>)> = Vec::new();
    loop {
        let step = xml.next(&mut notes)?;
        let holder = open.last().and_then(|(at, _)| *at);
        // The manager passes over text behind the last element.
        let beside = xml.beside().filter(|_| matches!(step, Step::Open(_)));
        if let Some((at, text)) = holder.zip(beside) {
            entries[at].stray.get_or_insert_with(|| text.into());
        }
        match step {
            Step::Open(tag) if open.is_empty() => {
                if tag.name != "Config" {
                    return Err(
                        xml.refuse(format!("<{}> is no opafm.xml: it begins with <Config>", tag.name))
                    );
                }
                open.push((None, FxHashMap::default()));
            }
            Step::Open(tag) => {
                let line = xml.line();
                let Some((parent, names)) = open.last_mut() else { continue };
                let seen = names.entry(tag.name.to_owned()).or_insert(0);
                let name = if *seen == 0 { tag.name.to_owned() } else { format!("{}[{seen}]", tag.name) };
                *seen += 1;
                let within = |before: &str, own: &str| {
                    if before.is_empty() { own.to_owned() } else { format!("{before}/{own}") }
                };
                let (before, of) = parent.map_or(("", ""), |at| (&*entries[at].path, &*entries[at].setting));
                let (path, mut setting) = (within(before, &name), within(of, tag.name));
                if is_listed(before, tag.name) {
                    let count = listed.entry(setting.clone()).or_insert(0);
                    if *count > 0 {
                        setting = format!("{setting}[{count}]");
                    }
                    *count += 1;
                }
                open.push((Some(entries.len()), FxHashMap::default()));
                entries.push(XmlEntry { path, setting, line, value: None, stray: None });
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
