//! Tags that the manager does not know, and values that it cannot use.

use super::finding::{SettingFact, SettingFinding, at};
use super::rules::LAST_COUNTS;
use crate::io::opafm::number::{Written, time, written};
use crate::io::opafm::tags::{self, Holds};
use crate::io::opafm::words::takes;
use crate::io::opafm::{ALGORITHMS, Opafm};
use crate::nearest::nearest;

/// Tags of newer managers: section, name.
const NEWER: [(&str, &str); 1] = [("Sm/AdaptiveRouting", "FineGrained")];

/// Numbers that `config_check` refuses by a rule of their own: section, tag, least and most. Zero stands for all where a tag has a use for
/// it.
const REFUSED: [(&str, &str, u64, u64); 9] = [
    ("Sm", "LID", 0, 0xbffe),
    ("Sm", "VL15CreditRate", 0, 21),
    ("Sm", "LftMultiblock", 1, u32::MAX as u64),
    ("Sm", "MulticastMask", 1, 7),
    ("Pm", "SweepInterval", 1, 43_200),
    ("Shared", "ConfigConsistencyCheckLevel", 0, 2),
    ("Shared", "Hfi", 1, u32::MAX as u64),
    ("VirtualFabrics/VirtualFabric", "PktLifeTimeMult", 1, 128),
    ("QOSGroups/QOSGroup", "PktLifeTimeMult", 1, 128),
];

/// Numbers that the manager rounds up to a multiple and to its limits: tag, step, least, most, and whether 0 means 0.
const ROUNDED: [(&str, u64, u64, u64, bool); 3] = [
    ("SmallPacket", 32, 32, 8192, false),
    ("LargePacket", 512, 512, 8192, false),
    ("PreemptLimit", 256, 256, 65_024, true),
];

/// Every tag and value that is wrong by itself, or stands there again.
pub(super) fn all(file: &Opafm, out: &mut Vec<SettingFinding>) {
    let mut unknown: Option<&str> = None;
    let mut seen = rustc_hash::FxHashSet::default();
    let names = tags::names();
    for entry in &file.entries {
        // The contents of an unknown element are not checked.
        if unknown.is_some_and(|path| entry.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
        {
            continue;
        }
        unknown = None;
        let (section, name) = entry.place();
        if NEWER.contains(&(&section, name)) {
            out.push(at(entry, SettingFact::TagNewer { tag: name.into() }));
            continue;
        }
        let is_common = entry.below().0 == "Common";
        let known =
            tags::tag(&section, name).filter(|_| !(is_common && tags::is_of_instance(&section, name)));
        let Some(tag) = known else {
            unknown = Some(&entry.path);
            out.push(at(entry, misplaced(name, &names)));
            continue;
        };
        if let Some(text) = entry.stray.as_deref() {
            out.push(at(entry, SettingFact::TextInSection { tag: name.into(), value: text.into() }));
        }
        if section == "Fm" && LAST_COUNTS.contains(&name) && !seen.insert(&entry.setting) {
            out.push(at(entry, SettingFact::TagRepeated { tag: name.into() }));
        }
        let Some(value) = entry.value.as_deref() else { continue };
        if is_common && (&*section, name) == ("Shared", "Start") {
            continue; // the manager does not read it there
        }
        out.extend(fact(&section, name, tag.holds, value).map(|fact| at(entry, fact)));
        if tag.holds != Holds::Tags && !tag.is_listed && !seen.insert(&entry.setting) {
            out.push(at(entry, SettingFact::TagRepeated { tag: name.into() }));
        }
    }
}

/// Why a tag is not known where it stands.
fn misplaced(name: &str, names: &[&str]) -> SettingFact {
    let tag = name.to_owned();
    if names.binary_search(&name).is_ok() {
        let sections = tags::sections_with(name).into_iter().map(Into::into).collect();
        return SettingFact::TagMisplaced { tag, sections };
    }
    let near = nearest(name, names.iter().copied(), 2).into_iter().map(Into::into).collect();
    SettingFact::TagUnknown { tag, near }
}

/// What is wrong with a value.
fn fact(section: &str, name: &str, holds: Holds, value: &str) -> Option<SettingFact> {
    let tag = name.to_owned();
    match holds {
        Holds::Text if (section, name) == ("Sm", "RoutingAlgorithm") => algorithm(value),
        Holds::Tags => None,
        Holds::Text => word(section, name, value).or_else(|| rounded(section, name, value)),
        Holds::Signed => match written(value) {
            Written::Empty => Some(SettingFact::NumberEmpty { tag }),
            Written::Number(_) | Written::Negative(_) => None,
            _ => Some(SettingFact::NumberUnreadable { tag, value: value.into() }),
        },
        Holds::Time => match time(value) {
            _ if value.is_empty() => Some(SettingFact::NumberEmpty { tag }),
            Some((Written::Number(_), _)) => None,
            Some((Written::Negative(_), _)) => Some(SettingFact::Negative { tag, value: value.into() }),
            _ if is_unbounded(name, value) => None,
            _ => Some(SettingFact::TimeUnreadable { tag, value: value.into() }),
        },
        Holds::Number(_) if is_unlimited(section, value) => None,
        Holds::Number(bits) => number(section, name, bits, value),
    }
}

/// Whether a time is a word that the manager takes for the longest one.
fn is_unbounded(name: &str, value: &str) -> bool {
    matches!(name, "HoqLife" | "SwitchLifetime") && value.eq_ignore_ascii_case("infinite")
}

/// Whether a number is the word for no limit, which the manager takes in one section.
fn is_unlimited(section: &str, value: &str) -> bool {
    section == "Pm/SweepErrorInfoLogThresholds" && value.eq_ignore_ascii_case("unlimited")
}

fn algorithm(value: &str) -> Option<SettingFact> {
    if value.is_empty() || ALGORITHMS.iter().any(|known| known.eq_ignore_ascii_case(value)) {
        return None;
    }
    let near = nearest(value, ALGORITHMS.iter().copied(), 1).first().map(|&near| near.into());
    let (tag, known) = ("RoutingAlgorithm".into(), ALGORITHMS.to_vec());
    Some(SettingFact::WordUnknown { tag, value: value.into(), known, near })
}

/// A number of `<Preemption>` that the manager takes for another; it reads 32 bits, without a sign.
fn rounded(section: &str, name: &str, value: &str) -> Option<SettingFact> {
    let &(_, step, least, most, has_zero) =
        ROUNDED.iter().find(|(tag, ..)| section == "Sm/Preemption" && *tag == name)?;
    let bits = u64::from(u32::MAX);
    let number = match written(value) {
        Written::Number(number) => number & bits,
        Written::Negative(distance) => distance.wrapping_neg() & bits,
        _ => return None,
    };
    let taken = if has_zero && number == 0 { 0 } else { number.clamp(least, most).div_ceil(step) * step };
    (written(value) != Written::Number(taken)).then(|| SettingFact::NumberRounded {
        tag: name.into(),
        value: value.into(),
        taken,
    })
}

/// A word or a form that `config_check` refuses.
fn word(section: &str, name: &str, value: &str) -> Option<SettingFact> {
    let takes = takes(section, name)?;
    if takes.fits(value) {
        return None;
    }
    let known = takes.known();
    let near = nearest(value, known.iter().copied(), 1).first().map(|&near| near.into());
    let near = near.filter(|_| takes.is_words());
    Some(SettingFact::WordRefused { tag: name.into(), value: value.into(), known, near })
}

fn number(section: &str, name: &str, bits: u32, value: &str) -> Option<SettingFact> {
    let tag = name.to_owned();
    let (low, high, most) = tags::range(section, name, bits);
    // All bits set mark a value that is not given.
    let unset = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let refused = REFUSED.iter().find(|(s, t, ..)| (*s, *t) == (section, name));
    if let (Written::Number(value), Some(&(.., low, high))) = (written(value), refused)
        && value != unset
    {
        let is_refused = value < low || value > high;
        return is_refused.then_some(SettingFact::NumberRefused { tag, value, low, high });
    }
    match written(value) {
        Written::Empty => Some(SettingFact::NumberEmpty { tag }),
        Written::Other => Some(SettingFact::NumberUnreadable { tag, value: value.into() }),
        Written::Negative(_) => Some(SettingFact::Negative { tag, value: value.into() }),
        Written::TooLarge => Some(SettingFact::NumberRefused { tag, value: u64::MAX, low, high }),
        Written::Number(value) if value > most => Some(SettingFact::NumberRefused { tag, value, low, high }),
        Written::Number(value) if value == unset => None,
        Written::Number(value) if (section, name) == ("Sm", "SweepInterval") && value != 0 => {
            let (low, high) = (3, 86_400);
            let is_refused = value < low || value > high;
            is_refused.then_some(SettingFact::NumberRefused { tag, value, low, high })
        }
        Written::Number(value) if value < low || value > high => {
            Some(SettingFact::NumberOutOfRange { tag, value, low, high })
        }
        Written::Number(_) => None,
    }
}
