//! How many of a block the manager has room for, ports and rings of a torus, and numbers of traps. `config_check` of opa-fm 10.10.3
//! was asked about each.

use rustc_hash::FxHashSet;

use super::finding::{SettingFact, SettingFinding, at};
use super::rules::{Block, blocks, is_replaced};
use crate::io::opafm::number::{Written, written};
use crate::io::opafm::{Opafm, XmlEntry, instance};

/// Blocks of an instance and of `Common` together: section, block, most, and whether only those that are on count.
const BLOCKS: [(&str, &str, usize, bool); 5] = [
    ("PmPortGroups", "PmPortGroup", 8, true),
    ("QOSGroups", "QOSGroup", 32, true),
    ("DeviceGroups", "DeviceGroup", 1024, false),
    ("Applications", "Application", 64, false),
    ("VirtualFabrics", "VirtualFabric", 1000, true),
];
/// Most virtual fabrics that are on and have a quality of service; one group is the manager's.
const QUALITIES: usize = 31;
/// Tags of a block: section, block, tag, most.
const TAGS: [(&str, &str, &str, usize); 6] = [
    ("PmPortGroups", "PmPortGroup", "Monitor", 5),
    ("VirtualFabrics", "VirtualFabric", "Member", 1024),
    ("VirtualFabrics", "VirtualFabric", "LimitedMember", 1024),
    ("VirtualFabrics", "VirtualFabric", "Application", 64),
    ("Applications", "Application", "IncludeApplication", 32),
    ("DeviceGroups", "DeviceGroup", "IncludeGroup", 32),
];
/// Instances, dimensions, those of them that are rings, and traps that are subscribed to.
const INSTANCES: usize = 8;
const DIMENSIONS: usize = 20;
const RINGS: usize = 6;
const SUBSCRIPTIONS: usize = 20;
/// The numbers of traps, each range with its ends.
const TRAPS: [(u64, u64); 4] = [(64, 69), (128, 131), (144, 145), (256, 259)];

/// Every limit that is exceeded.
pub(super) fn all(file: &Opafm, out: &mut Vec<SettingFinding>) {
    let tops = tops(file);
    for (section, name, most, only_on) in BLOCKS {
        let mut found = blocks(file, section, name);
        found.retain(|block| (!only_on || block.is_on()) && !is_replaced(file, block.entry));
        beyond(&found, &tops, name, most, out);
    }
    let mut qualities = blocks(file, "VirtualFabrics", "VirtualFabric");
    qualities.retain(|one| one.is_on() && one.number("QOS") == Some(1) && !is_replaced(file, one.entry));
    beyond(&qualities, &tops, "VirtualFabric", QUALITIES, out);
    for (section, name, tag, most) in TAGS {
        for block in blocks(file, section, name) {
            let entry = block.own.iter().filter(|entry| entry.place().1 == tag).nth(most);
            out.extend(entry.map(|entry| at(entry, SettingFact::TooMany { tag: tag.into(), most })));
        }
    }
    let instances = file.entries.iter().filter(|entry| entry.place() == ("Config".to_owned(), "Fm"));
    let ninth = instances.into_iter().nth(INSTANCES);
    out.extend(ninth.map(|entry| at(entry, SettingFact::TooMany { tag: "Fm".into(), most: INSTANCES })));
    traps(file, &tops, out);
    for top in &tops {
        torus(file, top, out);
    }
}

/// `Common` and the instances.
fn tops(file: &Opafm) -> Vec<String> {
    std::iter::once("Common".to_owned()).chain((0..file.instances()).map(instance)).collect()
}

/// The first block that is too many, in `Common` or in an instance with those of `Common`.
fn beyond(found: &[Block<'_>], tops: &[String], tag: &str, most: usize, out: &mut Vec<SettingFinding>) {
    for top in tops {
        let own = found.iter().filter(|block| block.top() == "Common" || block.top() == top);
        if let Some(block) = own.into_iter().nth(most) {
            out.push(at(block.entry, SettingFact::TooMany { tag: tag.into(), most }));
            return;
        }
    }
}

/// Traps to which is subscribed.
fn traps(file: &Opafm, tops: &[String], out: &mut Vec<SettingFinding>) {
    let is_trap = |entry: &&XmlEntry| entry.place() == ("Fe/TrapSubscriptions".to_owned(), "TrapNumber");
    let all: Vec<&XmlEntry> = file.entries.iter().filter(is_trap).collect();
    for entry in &all {
        let Some(Written::Number(value)) = entry.value.as_deref().map(written) else { continue };
        let is_known = TRAPS.iter().any(|&(low, high)| (low..=high).contains(&value));
        // All bits set mark a number that is not given; greater ones are refused as numbers.
        if !is_known && value < u64::from(u16::MAX) {
            out.push(at(entry, SettingFact::TrapUnknown { value }));
        }
    }
    for top in tops {
        let own = all.iter().filter(|entry| entry.below().0 == top);
        if let Some(entry) = own.into_iter().nth(SUBSCRIPTIONS) {
            let (tag, most) = ("TrapNumber".into(), SUBSCRIPTIONS);
            out.push(at(entry, SettingFact::IgnoredBeyond { tag, most }));
        }
    }
}

/// Dimensions of a torus or a mesh: how many, how many rings, and each port once.
fn torus(file: &Opafm, top: &str, out: &mut Vec<SettingFinding>) {
    let mut dimensions = blocks(file, "Sm/MeshTorusTopology", "Dimension");
    dimensions.retain(|block| block.top() == top);
    if let Some(block) = dimensions.get(DIMENSIONS) {
        out.push(at(block.entry, SettingFact::TooMany { tag: "Dimension".into(), most: DIMENSIONS }));
    }
    let mut rings =
        dimensions.iter().filter(|one| one.number("Toroidal").is_some_and(|is_ring| is_ring != 0));
    if let Some(block) = rings.nth(RINGS) {
        let fact = SettingFact::TooMany { tag: "Toroidal".into(), most: RINGS };
        out.push(at(block.last("Toroidal").unwrap_or(block.entry), fact));
    }
    let mut used: FxHashSet<u64> = FxHashSet::default();
    for entry in dimensions.iter().flat_map(|block| &block.own).filter(|entry| entry.place().1 == "PortPair")
    {
        let Some((one, other)) = entry.value.as_deref().and_then(|pair| pair.split_once(',')) else {
            continue;
        };
        let port = |text: &str| text.trim().parse::<u64>().ok();
        let mut pair: Vec<u64> = [port(one), port(other)].into_iter().flatten().collect();
        pair.dedup();
        if let Some(&port) = pair.iter().find(|port| !used.insert(**port)) {
            out.push(at(entry, SettingFact::PortRepeated { port }));
        }
        used.extend(pair);
    }
    dimension_order(file, top, dimensions.is_empty(), out);
}

/// Routing by dimensions needs some, where a section is there for them behind it.
fn dimension_order(file: &Opafm, top: &str, has_none: bool, out: &mut Vec<SettingFinding>) {
    let of = |path: &'static str| file.entries.iter().filter(move |entry| entry.below() == (top, path));
    let Some(section) = of("Sm/MeshTorusTopology").next_back().filter(|_| has_none) else { return };
    let algorithm = of("Sm/RoutingAlgorithm").rfind(|entry| entry.line <= section.line);
    let is_by_dimensions =
        |entry: &&XmlEntry| entry.value.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("dor"));
    if let Some(entry) = algorithm.filter(is_by_dimensions) {
        let (tag, needs) = ("RoutingAlgorithm dor".into(), vec!["MeshTorusTopology/Dimension"]);
        out.push(at(entry, SettingFact::TagNeeded { tag, needs }));
    }
}
