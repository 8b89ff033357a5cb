//! Rules between tags: within a block, among blocks of one kind, and between sections. `config_check` of opa-fm 10.10.3 was asked
//! about each of them; blocks that are off are not held to most.

use rustc_hash::FxHashSet;

use super::finding::{SettingFact, SettingFinding, at};
use crate::io::opafm::number::{Written, written};
use crate::io::opafm::{Opafm, Setting, XmlEntry};

/// An element that holds others, and these.
pub(super) struct Block<'a> {
    pub(super) entry: &'a XmlEntry,
    pub(super) own: Vec<&'a XmlEntry>,
}

impl<'a> Block<'a> {
    /// The last of its tags with a name.
    pub(super) fn last(&self, tag: &str) -> Option<&'a XmlEntry> {
        self.own.iter().rev().copied().find(|entry| entry.place().1 == tag)
    }

    pub(super) fn value(&self, tag: &str) -> Option<&'a str> {
        self.last(tag)?.value.as_deref()
    }

    pub(super) fn number(&self, tag: &str) -> Option<u64> {
        match written(self.value(tag)?) {
            Written::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Whether it is on; without a word it is not.
    pub(super) fn is_on(&self) -> bool {
        ["Enable", "Enabled"].iter().any(|tag| self.number(tag).is_some_and(|number| number != 0))
    }

    /// `Common`, `Fm` or `Fm[1]`.
    pub(super) fn top(&self) -> &'a str {
        self.entry.below().0
    }
}

/// Sections of which, where there are several of a name, the last alone counts.
pub(super) const LAST_COUNTS: [&str; 4] = ["DeviceGroups", "PmPortGroups", "QOSGroups", "VirtualFabrics"];

/// Whether an element stands in a section instead of which a later one counts.
pub(super) fn is_replaced(file: &Opafm, entry: &XmlEntry) -> bool {
    let mut elements = entry.path.splitn(3, '/');
    let (Some(top), Some(section)) = (elements.next(), elements.next()) else { return false };
    let name = section.split('[').next().unwrap_or(section);
    let setting = format!("{top}/{name}");
    let last = file.entries.iter().rev().find(|e| e.setting == setting);
    LAST_COUNTS.contains(&name) && last.is_some_and(|last| last.path != format!("{top}/{section}"))
}

/// The blocks of a name in a section, in the order of the file.
pub(super) fn blocks<'a>(file: &'a Opafm, section: &str, name: &str) -> Vec<Block<'a>> {
    let mut found = Vec::new();
    for (number, entry) in file.entries.iter().enumerate() {
        let (own_section, own_name) = entry.place();
        if own_section != section || own_name != name {
            continue;
        }
        let inside = format!("{}/", entry.path);
        let within = file.entries[number + 1..].iter().take_while(|e| e.path.starts_with(&inside));
        let own = within.filter(|e| !e.path[inside.len()..].contains('/')).collect();
        found.push(Block { entry, own });
    }
    found
}

/// Every rule that is broken.
pub(super) fn all(file: &Opafm, out: &mut Vec<SettingFinding>) {
    names(file, out);
    virtual_fabrics(file, out);
    multicast(file, out);
    dimensions(file, out);
    lids(file, out);
}

/// Blocks that have a name: section, block, and whether only those that are on are held to it.
const NAMED: [(&str, &str, bool); 5] = [
    ("Applications", "Application", false),
    ("DeviceGroups", "DeviceGroup", false),
    ("QOSGroups", "QOSGroup", true),
    ("VirtualFabrics", "VirtualFabric", true),
    ("PmPortGroups", "PmPortGroup", true),
];
/// The manager's own groups of ports.
const OWN_GROUPS: [&str; 3] = ["All", "HFIs", "SWs"];

/// Each has a name, and one of its own, also among those of `Common`.
fn names(file: &Opafm, out: &mut Vec<SettingFinding>) {
    for (section, name, only_on) in NAMED {
        let mut common: FxHashSet<&str> = FxHashSet::default();
        let mut own: FxHashSet<(&str, &str)> = FxHashSet::default();
        for block in blocks(file, section, name) {
            // Names of these may occur again in a section that counts instead.
            if matches!(name, "DeviceGroup" | "PmPortGroup") && is_replaced(file, block.entry) {
                continue;
            }
            let counts = !only_on || block.is_on();
            let Some(said) = block.value("Name").filter(|said| !said.is_empty()) else {
                if counts || name == "PmPortGroup" {
                    out.push(at(block.entry, SettingFact::NameMissing { tag: name.into() }));
                }
                continue;
            };
            if !counts {
                continue;
            }
            let top = block.top();
            let is_new = if top == "Common" {
                common.insert(said)
            } else {
                !common.contains(said) && own.insert((top, said))
            };
            if !is_new {
                out.push(at(block.entry, SettingFact::NameRepeated { tag: name.into(), name: said.into() }));
            }
            if name == "PmPortGroup" && OWN_GROUPS.contains(&said) {
                out.push(at(block.entry, SettingFact::NameReserved { tag: name.into(), name: said.into() }));
            }
        }
    }
}

/// Tags of a virtual fabric that say what its group of qualities of service would.
const QUALITIES: [&str; 10] = [
    "QOS",
    "Bandwidth",
    "BaseSL",
    "MulticastSL",
    "HighPriority",
    "FlowControlDisable",
    "HoqLife",
    "HoqLife_Int",
    "PktLifeTimeMult",
    "PreemptRank",
];
/// The most that numbers may be where they count.
const LEVELS: [(&str, u64); 5] = [
    ("BaseSL", 15),
    ("MulticastSL", 15),
    ("HighPriority", 1),
    ("FlowControlDisable", 1),
    ("PreemptRank", 127),
];

/// A block must have one of some tags.
fn need(block: &Block<'_>, tag: &str, needs: &[&'static str], out: &mut Vec<SettingFinding>) {
    if needs.iter().all(|needed| block.last(needed).is_none()) {
        out.push(at(block.entry, SettingFact::TagNeeded { tag: tag.into(), needs: needs.to_vec() }));
    }
}

/// A number of a block lies in a range; all bits set, 255, mark one that is not given.
fn range(block: &Block<'_>, tag: &str, low: u64, high: u64, out: &mut Vec<SettingFinding>) {
    let Some((entry, value)) = block.last(tag).zip(block.number(tag)) else { return };
    if value != u64::from(u8::MAX) && !(low..=high).contains(&value) {
        out.push(at(entry, SettingFact::NumberRefused { tag: tag.into(), value, low, high }));
    }
}

/// Levels and shares that count.
fn qualities(block: &Block<'_>, out: &mut Vec<SettingFinding>) {
    for (tag, most) in LEVELS {
        range(block, tag, 0, most, out);
    }
    if let Some(entry) = block.last("Bandwidth")
        && block.value("Bandwidth").and_then(|share| share.strip_suffix('%')).map(written)
            == Some(Written::Number(0))
    {
        let (tag, value, low, high) = ("Bandwidth".into(), 0, 1, 100);
        out.push(at(entry, SettingFact::NumberRefused { tag, value, low, high }));
    }
}

/// Virtual fabrics and groups of qualities of service that are on.
fn virtual_fabrics(file: &Opafm, out: &mut Vec<SettingFinding>) {
    let mut groups = blocks(file, "QOSGroups", "QOSGroup");
    groups.retain(|group| group.is_on() && !is_replaced(file, group.entry));
    for group in &groups {
        qualities(group, out);
    }
    for block in blocks(file, "VirtualFabrics", "VirtualFabric") {
        if !block.is_on() {
            continue;
        }
        need(&block, "VirtualFabric", &["Member", "LimitedMember"], out);
        need(&block, "VirtualFabric", &["Application"], out);
        range(&block, "QOS", 0, 1, out);
        range(&block, "Standby", 0, 1, out);
        let is_beside = |group: &Block<'_>| {
            group.top() == "Common" || block.top() == "Common" || group.top() == block.top()
        };
        if groups.iter().any(is_beside) {
            need(&block, "VirtualFabric", &["QOSGroup"], out);
        }
        if block.last("QOSGroup").is_some() {
            need(&block, "QOSGroup", &["PKey"], out);
            if let Some(entry) = QUALITIES.iter().find_map(|tag| block.last(tag)) {
                let (tag, other) = (entry.place().1.to_owned(), "QOSGroup".to_owned());
                out.push(at(entry, SettingFact::TagsExclude { tag, other }));
            }
        } else if block.number("QOS") == Some(1) {
            qualities(&block, out);
        }
    }
}

/// Multicast groups that are made, and shares of multicast LIDs.
fn multicast(file: &Opafm, out: &mut Vec<SettingFinding>) {
    for block in blocks(file, "Sm/Multicast", "MulticastGroup") {
        if block.number("Create") != Some(0) {
            range(&block, "SL", 0, 15, out);
        }
    }
    for block in blocks(file, "Sm/Multicast", "MLIDShare") {
        need(&block, "MLIDShare", &["MGIDMask"], out);
        need(&block, "MLIDShare", &["MGIDValue"], out);
        let (tag, other) = ("MaxMLIDsPerPKey", "MaxMLIDs");
        if let (Some(value), Some(most), Some(entry)) =
            (block.number(tag), block.number(other), block.last(tag))
            && block.is_on()
            && value > most
        {
            let (tag, other) = (tag.into(), other.into());
            out.push(at(entry, SettingFact::NumberAbove { tag, value, other, most }));
        }
    }
}

/// Dimensions of a mesh or torus: a length, and a pair of ports; two hosts of one port each have no ring, and no more between them.
fn dimensions(file: &Opafm, out: &mut Vec<SettingFinding>) {
    for block in blocks(file, "Sm/MeshTorusTopology", "Dimension") {
        need(&block, "Dimension", &["PortPair"], out);
        need(&block, "Dimension", &["Length"], out);
        let is_same = |pair: &str| pair.split_once(',').is_some_and(|(a, b)| a.trim() == b.trim());
        let most = if block.value("PortPair").is_some_and(is_same) { 2 } else { u64::from(u8::MAX) };
        range(&block, "Length", 1, most, out);
        if most == 2 {
            range(&block, "Toroidal", 0, 0, out);
        }
    }
}

/// The entry that a setting of an instance is of.
fn entry_of<'a>(file: &'a Opafm, setting: &Setting<'_>) -> Option<&'a XmlEntry> {
    file.entries.iter().find(|e| e.line == setting.line && e.below().1 == setting.path)
}

/// What an instance says of its LIDs, and of ports that flap.
fn lids(file: &Opafm, out: &mut Vec<SettingFinding>) {
    let mut said: FxHashSet<(usize, &str)> = FxHashSet::default();
    for number_of in 0..file.instances().max(1) {
        let held = file.settings(number_of);
        let find = |path: &str| held.iter().find(|setting| setting.path == path);
        let number = |path: &str| match find(path).map(|setting| written(setting.value)) {
            Some(Written::Number(number)) => Some(number),
            _ => None,
        };
        let is_on = |path: &str| number(path).is_some_and(|number| number != 0);
        let mut found = |path: &str, fact: SettingFact| {
            let Some(entry) = find(path).and_then(|setting| entry_of(file, setting)) else { return };
            if said.insert((entry.line, entry.path.as_str())) {
                out.push(at(entry, fact));
            }
        };
        let (high, low) = (
            "Sm/LongTermPortQuarantine/Flapping/HighThreshold",
            "Sm/LongTermPortQuarantine/Flapping/LowThreshold",
        );
        if let (Some(most), Some(value)) = (number(high), number(low))
            && is_on("Sm/LongTermPortQuarantine/Enable")
            && value > most
        {
            let (tag, other) = ("LowThreshold".into(), "HighThreshold".into());
            found(low, SettingFact::NumberAbove { tag, value, other, most });
        }
        let lmc = number("Sm/Lmc").filter(|&lmc| lmc <= 7).unwrap_or(0);
        if let Some(own) = number("Sm/LmcE0").filter(|&own| own > lmc && own <= 7) {
            let (tag, value) = ("LmcE0".into(), own.to_string());
            found("Sm/LmcE0", SettingFact::NumberRounded { tag, value, taken: lmc });
        }
        if number("Shared/Start") == Some(0) || number("Sm/Start") == Some(0) {
            continue;
        }
        let by_topology =
            find("Sm/LidStrategy").is_some_and(|setting| setting.value.eq_ignore_ascii_case("topology"));
        if by_topology {
            let mut needs = Vec::new();
            if !is_on("Sm/PreDefinedTopology/Enable") && !is_on("Sm/PreDefinedTopology/Enabled") {
                needs.push("PreDefinedTopology/Enable 1");
            } else if find("Sm/PreDefinedTopology/TopologyFilename").is_none_or(|file| file.value.is_empty())
            {
                needs.push("PreDefinedTopology/TopologyFilename");
            }
            if !needs.is_empty() {
                found("Sm/LidStrategy", SettingFact::TagNeeded { tag: "LidStrategy Topology".into(), needs });
            }
        } else if is_on("Sm/DsapInUse") {
            let needs = vec!["LidStrategy Topology"];
            found("Sm/DsapInUse", SettingFact::TagNeeded { tag: "DsapInUse".into(), needs });
        }
    }
}
