//! Names of what is defined nowhere, or only further below, where the manager reads from top to bottom.

use rustc_hash::FxHashSet;

use super::finding::{NamedThing, SettingFact, SettingFinding, at};
use super::rules::is_replaced;
use crate::io::opafm::number::{Written, written};
use crate::io::opafm::{Opafm, XmlEntry, instance};
use crate::nearest::nearest;

/// Tags with the name of something, what it is of, and whether it must be defined above.
const USES: [(&str, &str, NamedThing, bool); 13] = [
    ("DeviceGroups/DeviceGroup", "IncludeGroup", NamedThing::DeviceGroup, true),
    ("PmPortGroups/PmPortGroup", "Monitor", NamedThing::DeviceGroup, true),
    ("VirtualFabrics/VirtualFabric", "Member", NamedThing::DeviceGroup, true),
    ("VirtualFabrics/VirtualFabric", "LimitedMember", NamedThing::DeviceGroup, true),
    ("Sm/FatTreeTopology", "CoreSwitches", NamedThing::DeviceGroup, true),
    ("Sm/FatTreeTopology", "RouteLast", NamedThing::DeviceGroup, true),
    ("Sm/HypercubeTopology", "RouteLast", NamedThing::DeviceGroup, true),
    ("Sm/HypercubeTopology/EnhancedRoutingCtrl", "Switches", NamedThing::DeviceGroup, true),
    ("Sm/MeshTorusTopology", "RouteLast", NamedThing::DeviceGroup, true),
    ("Sm/DGShortestPathTopology/RoutingOrder", "DeviceGroup", NamedThing::DeviceGroup, true),
    ("Applications/Application", "IncludeApplication", NamedThing::Application, true),
    ("VirtualFabrics/VirtualFabric", "QOSGroup", NamedThing::QosGroup, true),
    ("VirtualFabrics/VirtualFabric", "Application", NamedThing::Application, false),
];

/// The sections whose `<Name>` defines something.
const DEFINITIONS: [(&str, NamedThing); 4] = [
    ("DeviceGroups/DeviceGroup", NamedThing::DeviceGroup),
    ("Applications/Application", NamedThing::Application),
    ("QOSGroups/QOSGroup", NamedThing::QosGroup),
    ("VirtualFabrics/VirtualFabric", NamedThing::VirtualFabric),
];

fn key(of: NamedThing) -> u8 {
    match of {
        NamedThing::IdleApplication => NamedThing::Application as u8,
        other => other as u8,
    }
}

/// What `Common`, then each instance beside it, names and does not define.
pub(super) fn undefined(file: &Opafm, out: &mut Vec<SettingFinding>) {
    let common: Vec<&XmlEntry> = file.entries.iter().filter(|e| e.below().0 == "Common").collect();
    check(file, &[], &common, out);
    for number_of in 0..file.instances() {
        let top = instance(number_of);
        let own: Vec<&XmlEntry> = file.entries.iter().filter(|e| e.below().0 == top).collect();
        check(file, &common, &own, out);
    }
}

fn check(file: &Opafm, common: &[&XmlEntry], own: &[&XmlEntry], out: &mut Vec<SettingFinding>) {
    let both: Vec<&XmlEntry> = common.iter().chain(own).copied().collect();
    let all: FxHashSet<(u8, &str)> = both.iter().filter_map(|e| defines(file, e, &both)).collect();
    let counting = common.iter().filter(|e| !is_replaced(file, e));
    let inherited: FxHashSet<(u8, &str)> = counting.filter_map(|e| defines(file, e, &both)).collect();
    let mut above = inherited.clone();
    for entry in own {
        // Where a section begins once more, groups of the one before are no longer known.
        if let Some(of) = groups_in(entry) {
            above.retain(|known| known.0 != key(of) || inherited.contains(known));
        }
        above.extend(defines(file, entry, &both));
        let (section, tag) = entry.place();
        let Some(name) = entry.value.as_deref() else { continue };
        let (of, is_above) = if (&*section, tag) == ("Sm/Multicast/MulticastGroup", "VirtualFabric") {
            if !is_on(entry, "Create", own, true) {
                continue;
            }
            (NamedThing::VirtualFabric, false)
        } else {
            match USES.iter().find(|(s, t, ..)| (*s, *t) == (&*section, tag)) {
                Some(&(.., NamedThing::Application, false)) if !is_on(entry, "Enable", own, false) => {
                    (NamedThing::IdleApplication, false)
                }
                Some(&(.., of, is_above)) => (of, is_above),
                None => continue,
            }
        };
        let defined = if is_above { &above } else { &all };
        if !defined.contains(&(key(of), name)) {
            let is_later = all.contains(&(key(of), name));
            let known = all.iter().filter(|(k, _)| *k == key(of)).map(|(_, name)| *name);
            let mut known: Vec<&str> = known.collect();
            known.sort_unstable();
            let near =
                nearest(name, known, 2).into_iter().filter(|&near| near != name).map(Into::into).collect();
            let (tag, name) = (tag.to_owned(), name.to_owned());
            out.push(at(entry, SettingFact::NameUndefined { tag, name, of, is_later, near }));
        }
    }
}

/// Of what kind the groups of a section are, if the entry is one.
fn groups_in(entry: &XmlEntry) -> Option<NamedThing> {
    match entry.below().1 {
        "DeviceGroups" => Some(NamedThing::DeviceGroup),
        "QOSGroups" => Some(NamedThing::QosGroup),
        _ => None,
    }
}

/// What an entry defines, and its name.
fn defines<'a>(file: &Opafm, entry: &'a XmlEntry, all: &[&XmlEntry]) -> Option<(u8, &'a str)> {
    let (section, tag) = entry.place();
    let of = DEFINITIONS.iter().find(|(s, _)| tag == "Name" && *s == section)?.1;
    // A group of qualities that is off is as none. So is a fabric where a later section counts.
    let is_idle = of == NamedThing::QosGroup && !is_on(entry, "Enable", all, false);
    if is_idle || of == NamedThing::VirtualFabric && is_replaced(file, entry) {
        return None;
    }
    Some((key(of), entry.value.as_deref()?))
}

/// Whether the block that an entry stands in has no 0 at a tag; `otherwise` where it has no such tag.
fn is_on(entry: &XmlEntry, tag: &str, all: &[&XmlEntry], otherwise: bool) -> bool {
    let Some((block, _)) = entry.setting.rsplit_once('/') else { return otherwise };
    let setting = format!("{block}/{tag}");
    let last = all.iter().rev().find(|e| e.setting == setting).and_then(|e| e.value.as_deref());
    last.map_or(otherwise, |value| written(value) != Written::Number(0))
}
