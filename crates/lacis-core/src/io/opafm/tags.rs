//! The tags of `opafm.xml`, section by section, and what they may hold.
//!
//! `tags.txt` is what opa-fm 10.10.3 knows: its `config_check` was asked about each name in each section, and which numbers
//! it takes. Ranges are from the comments of the default file.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// What stands in an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Other elements.
    Tags,
    /// A number of so many bits.
    Number(u32),
    /// A number of 32 bits with a sign.
    Signed,
    /// A number and a unit of time.
    Time,
    /// Something else.
    Text,
}

/// A tag that the manager knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    /// What stands in it.
    pub(crate) holds: Holds,
    /// Whether each of several counts, rather than the last.
    pub(crate) is_listed: bool,
}

type Section = FxHashMap<&'static str, Tag>;

static SECTIONS: LazyLock<FxHashMap<&'static str, Section>> = LazyLock::new(|| {
    let mut sections: FxHashMap<&'static str, Section> = FxHashMap::default();
    let mut section = "";
    for line in include_str!("tags.txt").lines().filter(|line| !line.starts_with('#')) {
        let tags = match line.split_once(": ") {
            Some((name, tags)) if !line.starts_with(' ') => {
                section = name;
                tags
            }
            _ => line,
        };
        let known = sections.entry(section).or_default();
        known.extend(tags.split_ascii_whitespace().map(tag_of));
    }
    sections
});

fn tag_of(word: &'static str) -> (&'static str, Tag) {
    let (word, is_listed) = word.strip_suffix('*').map_or((word, false), |word| (word, true));
    let (name, holds) = match word.split_once(':') {
        Some((name, "t")) => (name, Holds::Time),
        Some((name, "i32")) => (name, Holds::Signed),
        Some((name, bits)) => (name, Holds::Number(bits.parse().unwrap_or(64))),
        None => word.strip_suffix('/').map_or((word, Holds::Text), |name| (name, Holds::Tags)),
    };
    (name, Tag { holds, is_listed })
}

/// The routing algorithms.
pub const ALGORITHMS: [&str; 5] = ["shortestpath", "fattree", "dgshortestpath", "hypercube", "dor"];

/// Tags of `Shared` that only an instance has.
const OF_INSTANCE: [&str; 5] = ["Hfi", "Name", "Port", "PortGUID", "SubnetPrefix"];

/// The section that elements lead to: below `Common` and `Fm` alike, without counters.
pub(crate) fn section(elements: &[&str]) -> String {
    match elements {
        [] => "Config".to_owned(),
        ["Common" | "Fm"] => "Fm".to_owned(),
        ["Common" | "Fm", rest @ ..] => rest.join("/"),
        other => other.join("/"),
    }
}

/// A tag of a section.
pub(crate) fn tag(section: &str, name: &str) -> Option<Tag> {
    SECTIONS.get(section)?.get(name).copied()
}

/// Whether a tag has no meaning in what is common to all instances.
pub(crate) fn is_of_instance(section: &str, name: &str) -> bool {
    section == "Shared" && OF_INSTANCE.contains(&name)
}

/// The names of all tags, once each, in order.
pub(crate) fn names() -> Vec<&'static str> {
    let mut all: Vec<_> = SECTIONS.values().flat_map(|tags| tags.keys().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The sections that have a tag, in order.
pub(crate) fn sections_with(name: &str) -> Vec<&'static str> {
    let mut found: Vec<_> =
        SECTIONS.iter().filter(|(_, tags)| tags.contains_key(name)).map(|(&section, _)| section).collect();
    found.sort_unstable();
    found
}

/// Numbers beyond what a tag is meant for: section, tag, least, most, and up to which `config_check` accepts them.
const RANGES: [(&str, &str, u64, u64, u64); 25] = [
    ("Sm/AdaptiveRouting", "Enable", 0, 1, BYTE),
    ("Sm/AdaptiveRouting", "LostRouteOnly", 0, 1, BYTE),
    ("Sm/AdaptiveRouting", "ARFrequency", 0, 7, BYTE),
    ("Sm", "Start", 0, 1, LONG),
    ("Sm", "SpineFirstRouting", 0, 1, LONG),
    ("Sm", "Lmc", 0, 7, LONG),
    ("Sm", "LmcE0", 0, 7, LONG),
    ("Sm", "ForceRebalance", 0, 1, LONG),
    ("Sm", "MinSharedVLMem", 0, 100, 100),
    ("Sm", "DedicatedVLMemMulti", 0, 255, 255),
    ("Sm", "Priority", 0, 15, 15),
    ("Sm", "ElevatedPriority", 0, 15, 15),
    ("Pm", "Priority", 0, 15, 15),
    ("Pm", "ElevatedPriority", 0, 15, 15),
    ("Sm/FatTreeTopology", "TierCount", 1, 8, BYTE),
    ("Sm/FatTreeTopology", "FIsOnSameTier", 0, 1, BYTE),
    ("Sm/FatTreeTopology", "PassThrough", 0, 1, BYTE),
    ("Sm/FatTreeTopology", "Converge", 0, 1, BYTE),
    ("Shared", "LogLevel", 0, 7, LONG),
    ("Shared", "LogMode", 0, 1, LONG),
    ("Shared", "SslSecurityEnable", 0, 1, LONG),
    ("Shared", "SslSecurityFmCaCRLEnable", 0, 1, LONG),
    ("Shared", "Start", 0, 1, LONG),
    ("Shared", "Priority", 0, 15, 15),
    ("Shared", "ElevatedPriority", 0, 15, 15),
];

const BYTE: u64 = u8::MAX as u64;
const LONG: u64 = u32::MAX as u64;

/// What a number of a tag may be: least, most, and up to which `config_check` accepts it.
pub(crate) fn range(section: &str, name: &str, bits: u32) -> (u64, u64, u64) {
    let accepted = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let meant = RANGES.iter().find(|(s, n, ..)| *s == section && *n == name);
    meant.map_or((0, accepted, accepted), |&(_, _, low, high, most)| (low, high, most))
}
