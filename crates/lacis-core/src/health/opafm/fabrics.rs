//! Rules among virtual fabrics: shares of bandwidth, service levels, and which of them has the manager's own services.
//!
//! `config_check -s` of opa-fm 10.10.3 was asked about each. An instance has the virtual fabrics of `Common` and its own; those
//! that are off count for nothing, and those on standby have no share.

use rustc_hash::{FxHashMap, FxHashSet};

use super::finding::{Service, SettingFact, SettingFinding, at, missing};
use super::rules::{Block, blocks, is_replaced};
use crate::io::opafm::number::{Written, written};
use crate::io::opafm::{Opafm, instance};

/// The key of management.
const MANAGEMENT: u32 = 0x7fff;
/// The service by which the performance manager is asked.
const PA: u64 = 0x1100_d03c_3484_5555;
/// What the manager keeps for virtual fabrics without quality of service [%].
const KEPT: u64 = 5;
/// Most levels of groups within groups.
const DEEPEST: usize = 40;

/// Every rule that is broken.
pub(super) fn all(file: &Opafm, out: &mut Vec<SettingFinding>) {
    let sections = ["Applications", "VirtualFabrics"];
    // A document without any is a fragment.
    if !file.entries.iter().any(|entry| sections.contains(&entry.place().1) && entry.place().0 == "Fm") {
        return;
    }
    let mut found = Vec::new();
    for number_of in 0..file.instances() {
        let one = Instance::of(file, &instance(number_of));
        one.shares(&mut found);
        one.levels(&mut found);
        one.services(&mut found);
    }
    let mut said: FxHashSet<(Option<usize>, String)> = FxHashSet::default();
    out.extend(
        found.into_iter().filter(|one| said.insert((one.line, format!("{}{:?}", one.path, one.fact)))),
    );
}

/// What an instance has: its own blocks and those of `Common`.
struct Instance<'a> {
    name: String,
    /// Those that are on.
    fabrics: Vec<Block<'a>>,
    /// Those that are on.
    groups: Vec<Block<'a>>,
    applications: FxHashMap<&'a str, Block<'a>>,
    devices: FxHashMap<&'a str, Block<'a>>,
}

/// Which of the manager's own services an application or a virtual fabric has.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Services {
    sa: bool,
    pm: bool,
    pa: bool,
}

impl Services {
    fn any(self) -> bool {
        self.sa || self.pm || self.pa
    }
}

impl<'a> Instance<'a> {
    fn of(file: &'a Opafm, name: &str) -> Self {
        // A virtual fabric keeps the groups of devices above it, though a later section of them replaces theirs.
        let own = |section: &str, block: &str| -> Vec<Block<'a>> {
            let mut found = blocks(file, section, block);
            found.retain(|one| {
                let is_counted = section == "DeviceGroups" || !is_replaced(file, one.entry);
                (one.top() == "Common" || one.top() == name) && is_counted
            });
            found
        };
        let named = |blocks: Vec<Block<'a>>| {
            blocks.into_iter().filter_map(|one| Some((one.value("Name")?, one))).collect()
        };
        let mut fabrics = own("VirtualFabrics", "VirtualFabric");
        fabrics.retain(Block::is_on);
        let mut groups = own("QOSGroups", "QOSGroup");
        groups.retain(Block::is_on);
        Self {
            name: name.to_owned(),
            fabrics,
            groups,
            applications: named(own("Applications", "Application")),
            devices: named(own("DeviceGroups", "DeviceGroup")),
        }
    }

    /// Shares of bandwidth: at most all, and something for what has none.
    fn shares(&self, out: &mut Vec<SettingFinding>) {
        let has_quality = |fabric: &&Block<'a>| fabric.number("QOS") == Some(1);
        let counted: Vec<&Block<'a>> = if self.groups.is_empty() {
            self.fabrics.iter().filter(has_quality).filter(|one| !is_standby(one)).collect()
        } else {
            let used: FxHashSet<&str> = self
                .fabrics
                .iter()
                .filter(|one| !is_standby(one))
                .filter_map(|one| one.value("QOSGroup"))
                .collect();
            self.groups
                .iter()
                .filter(|one| one.value("Name").is_some_and(|name| used.contains(name)))
                .collect()
        };
        let (mut total, mut without, mut last) = (0, 0, None);
        // Of what has a high priority, the share does not count.
        for block in counted.into_iter().filter(|one| one.number("HighPriority") != Some(1)) {
            match share(block) {
                Some(share) => {
                    total += share;
                    last = block.last("Bandwidth");
                }
                None => without += 1,
            }
        }
        let Some(last) = last else { return };
        let keeps = self.groups.is_empty() && !self.fabrics.iter().all(|one| has_quality(&one));
        let needed = without + if keeps { KEPT } else { 0 };
        let fact = if total > 100 {
            SettingFact::SharesExceeded { total }
        } else if 100 - total < needed {
            SettingFact::SharesLeaveTooLittle { left: 100 - total, needed }
        } else if needed == 0 && self.groups.is_empty() {
            SettingFact::SharesLeaveNone
        } else {
            return;
        };
        out.push(at(last, fact));
    }

    /// Service levels: of groups each its own; of virtual fabrics those of multicast none of others.
    fn levels(&self, out: &mut Vec<SettingFinding>) {
        let is_of_groups = !self.groups.is_empty();
        let blocks: Vec<&Block<'a>> = if is_of_groups {
            self.groups.iter().collect()
        } else {
            self.fabrics.iter().filter(|fabric| fabric.number("QOS") == Some(1)).collect()
        };
        let (mut base, mut multicast): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        for block in blocks {
            let level = |tag: &str| block.number(tag).filter(|&level| level != u64::from(u8::MAX));
            let (own, cast) = (level("BaseSL"), level("MulticastSL"));
            let mut taken = |tag: &str, level: u64, of: &str| {
                if let Some(entry) = block.last(tag) {
                    let (tag, of) = (tag.to_owned(), of.to_owned());
                    out.push(at(entry, SettingFact::LevelTaken { tag, level, of }));
                }
            };
            if let Some(level) = own {
                if is_of_groups && base.contains(&level) {
                    taken("BaseSL", level, "BaseSL");
                } else if multicast.contains(&level) {
                    taken("BaseSL", level, "MulticastSL");
                }
            }
            if let Some(level) = cast {
                if is_of_groups && multicast.contains(&level) {
                    taken("MulticastSL", level, "MulticastSL");
                } else if base.contains(&level) {
                    taken("MulticastSL", level, "BaseSL");
                }
                if own.is_none()
                    && let Some(entry) = block.last("MulticastSL")
                {
                    let needs = vec!["BaseSL"];
                    out.push(at(entry, SettingFact::TagNeeded { tag: "MulticastSL".into(), needs }));
                }
            }
            base.extend(own);
            multicast.extend(cast.filter(|cast| own != Some(*cast)));
        }
    }

    /// SA, PM and PA: each there, with the key of management, which no other has, and with members that can ask.
    fn services(&self, out: &mut Vec<SettingFinding>) {
        let mut seen = Services::default();
        for fabric in &self.fabrics {
            let has = self.services_of(fabric);
            let has_key = key(fabric) == Some(MANAGEMENT);
            let name = fabric.value("Name").unwrap_or_default().to_owned();
            if has.any() != has_key {
                let fact = if has_key {
                    SettingFact::ManagementKeyTaken { name: name.clone() }
                } else {
                    SettingFact::ManagementKeyMissing { name: name.clone() }
                };
                out.push(at(fabric.last("PKey").unwrap_or(fabric.entry), fact));
                continue;
            }
            if !has_key {
                continue;
            }
            let selects = |tags: &[&str], words: &[&str]| {
                let members = fabric.own.iter().filter(|entry| tags.contains(&entry.place().1));
                members.filter_map(|entry| entry.value.as_deref()).any(|name| self.selects(name, words, 0))
            };
            if !selects(&["Member"], &["All", "AllMgmtAllowed", "AllSMs"]) {
                let (needs, also_limited) = (vec!["All", "AllMgmtAllowed"], false);
                out.push(at(
                    fabric.entry,
                    SettingFact::MembersMissing { name: name.clone(), needs, also_limited },
                ));
            } else if (has.sa || has.pm) && !selects(&["Member", "LimitedMember"], &["All"]) {
                let (needs, also_limited) = (vec!["All"], true);
                out.push(at(
                    fabric.entry,
                    SettingFact::MembersMissing { name: name.clone(), needs, also_limited },
                ));
            }
            if is_standby(fabric) {
                continue;
            }
            for (service, is_again) in [(Service::Sa, seen.sa && has.sa), (Service::Pm, seen.pm && has.pm)] {
                if is_again {
                    out.push(at(fabric.entry, SettingFact::ServiceRepeated { service, name: name.clone() }));
                }
            }
            seen = Services { sa: seen.sa || has.sa, pm: seen.pm || has.pm, pa: seen.pa || has.pa };
        }
        let lacking = [(Service::Sa, seen.sa), (Service::Pm, seen.pm), (Service::Pa, seen.pa)];
        if let Some((service, _)) = lacking.into_iter().find(|(_, is_there)| !is_there) {
            out.push(missing(
                format!("{}/VirtualFabrics", self.name),
                SettingFact::ServiceMissing { service },
            ));
        }
    }

    fn services_of(&self, fabric: &Block<'a>) -> Services {
        let mut has = Services::default();
        for entry in fabric.own.iter().filter(|entry| entry.place().1 == "Application") {
            if let Some(name) = entry.value.as_deref() {
                self.add_services(name, &mut has, 0);
            }
        }
        has
    }

    /// Adds the services of an application and of those that it includes.
    fn add_services(&self, name: &str, has: &mut Services, depth: usize) {
        let Some(application) = self.applications.get(name).filter(|_| depth < DEEPEST) else { return };
        for entry in &application.own {
            let Some(value) = entry.value.as_deref() else { continue };
            match entry.place().1 {
                "Select" => {
                    has.sa |= value.eq_ignore_ascii_case("SA");
                    has.pm |= value.eq_ignore_ascii_case("PM");
                }
                "ServiceID" => has.pa |= number(value) == Some(PA),
                "ServiceIDRange" => {
                    let range = value.split_once('-').and_then(|(a, b)| Some(number(a)?..=number(b)?));
                    has.pa |= range.is_some_and(|range| range.contains(&PA));
                }
                "ServiceIDMasked" => {
                    let masked = value.split_once('*').and_then(|(a, b)| Some((number(a)?, number(b)?)));
                    has.pa |= masked.is_some_and(|(value, mask)| value & mask == PA & mask);
                }
                "IncludeApplication" => self.add_services(value, has, depth + 1),
                _ => {}
            }
        }
    }

    /// Whether a group of devices selects by one of these words, or includes one that does.
    fn selects(&self, name: &str, words: &[&str], depth: usize) -> bool {
        let Some(group) = self.devices.get(name).filter(|_| depth < DEEPEST) else { return false };
        group.own.iter().any(|entry| {
            let Some(value) = entry.value.as_deref() else { return false };
            match entry.place().1 {
                "Select" => words.iter().any(|word| word.eq_ignore_ascii_case(value)),
                "IncludeGroup" => self.selects(value, words, depth + 1),
                _ => false,
            }
        })
    }
}

fn number(text: &str) -> Option<u64> {
    match written(text) {
        Written::Number(number) => Some(number),
        _ => None,
    }
}

fn is_standby(fabric: &Block<'_>) -> bool {
    fabric.number("Standby") == Some(1)
}

/// The share of a block [%].
fn share(block: &Block<'_>) -> Option<u64> {
    number(block.value("Bandwidth")?.trim().strip_suffix('%')?)
}

/// The key of a virtual fabric: hexadecimal digits, with `0x` or without.
fn key(fabric: &Block<'_>) -> Option<u32> {
    let text = fabric.value("PKey")?.trim();
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    u32::from_str_radix(digits, 16).ok()
}
