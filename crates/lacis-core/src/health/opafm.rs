//! What is wrong with an `opafm.xml`: an error is what the manager's own `config_check` refuses, a warning what it accepts
//! silently although it does not do what it says, a notice what has no effect.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::{Severity, wording};
use crate::io::opafm::tags::{self, Rule};
use crate::io::opafm::{Opafm, XmlEntry, instance};
use crate::io::text::number;
use crate::nearest::nearest;

/// A wrong setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingFinding {
    /// The line, from 1; none if something is missing.
    pub line: Option<usize>,
    /// The element.
    pub path: String,
    /// What is wrong.
    pub fact: SettingFact,
}

/// What is wrong with a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs)] // tag and value are those of the element, low and high the numbers that it may hold
pub enum SettingFact {
    /// A tag that the manager does not know; `near` are tags that may be meant.
    TagUnknown { tag: String, near: Vec<String> },
    /// A tag that stands there twice.
    TagRepeated { tag: String },
    /// None of the known words; `near` is the one that may be meant.
    WordUnknown { tag: String, value: String, known: Vec<&'static str>, near: Option<String> },
    /// Nothing where a number belongs.
    NumberEmpty { tag: String },
    /// Something else where a number belongs.
    NumberUnreadable { tag: String, value: String },
    /// A number that `config_check` refuses.
    NumberRefused { tag: String, value: u64, low: u64, high: u64 },
    /// A number that `config_check` accepts, though it is out of range.
    NumberOutOfRange { tag: String, value: u64, low: u64, high: u64 },
    /// No `<Common>`.
    CommonMissing,
    /// A required section of `<Common>` is not there.
    SectionMissing,
    /// Adaptive routing without an algorithm.
    AlgorithmMissing,
    /// An algorithm of adaptive routing that there is not.
    AlgorithmUnknown { value: u64 },
    /// A threshold that there is not; whether adaptive routing is on.
    ThresholdOutOfRange { value: u64, enabled: bool },
    /// A threshold that only lost routes would heed.
    ThresholdIdle,
    /// Routing for fat trees without a description of the tree.
    TopologyMissing,
}

impl SettingFinding {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        match &self.fact {
            SettingFact::NumberEmpty { .. }
            | SettingFact::NumberUnreadable { .. }
            | SettingFact::NumberRefused { .. }
            | SettingFact::CommonMissing
            | SettingFact::SectionMissing
            | SettingFact::AlgorithmMissing
            | SettingFact::AlgorithmUnknown { .. }
            | SettingFact::ThresholdOutOfRange { enabled: true, .. } => Severity::Error,
            SettingFact::TagUnknown { .. }
            | SettingFact::TagRepeated { .. }
            | SettingFact::WordUnknown { .. }
            | SettingFact::NumberOutOfRange { .. }
            | SettingFact::ThresholdOutOfRange { enabled: false, .. } => Severity::Warning,
            SettingFact::ThresholdIdle | SettingFact::TopologyMissing => Severity::Notice,
        }
    }

    /// What is wrong, in words.
    pub fn text(&self) -> String {
        wording::setting(&self.fact)
    }
}

impl Serialize for SettingFinding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("SettingFinding", 5)?;
        out.serialize_field("severity", &self.severity())?;
        out.serialize_field("line", &self.line)?;
        out.serialize_field("path", &self.path)?;
        out.serialize_field("text", &self.text())?;
        out.serialize_field("facts", &self.fact)?;
        out.end()
    }
}

/// Sections that `<Common>` must have.
const MANDATORY: [&str; 4] = ["Shared", "Sm", "Fe", "Pm"];

/// Everything that is wrong, by line.
pub fn lint(file: &Opafm) -> Vec<SettingFinding> {
    let mut out = Vec::new();
    let mut unknown: Option<&str> = None;
    let names: Vec<&str> = tags::names().collect();
    for entry in &file.entries {
        // The contents of an unknown element are not checked.
        if unknown.is_some_and(|path| entry.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
        {
            continue;
        }
        unknown = None;
        let (section, tag) = entry.names();
        if names.binary_search(&tag).is_err() {
            unknown = Some(&entry.path);
            let near = nearest(tag, names.iter().copied(), 2).into_iter().map(Into::into).collect();
            out.push(at(entry, SettingFact::TagUnknown { tag: tag.into(), near }));
            continue;
        }
        if let (Some(rule), Some(value)) = (tags::rule(section, tag), entry.value.as_deref()) {
            out.extend(value_of(entry, rule, tag, value));
        }
        let is_again = entry.path.ends_with(']') && tags::rule(section, tag).is_some();
        if is_again {
            out.push(at(entry, SettingFact::TagRepeated { tag: tag.into() }));
        }
    }
    let is_there = |path: &str| file.entries.iter().any(|e| e.path == path);
    if is_there("Common") {
        let absent =
            MANDATORY.iter().map(|section| format!("Common/{section}")).filter(|path| !is_there(path));
        out.extend(absent.map(|path| missing(path, SettingFact::SectionMissing)));
    } else {
        out.push(missing("Common".to_owned(), SettingFact::CommonMissing));
    }
    adaptive(file, &mut out);
    routing(file, &mut out);
    out.sort_by_key(|finding| finding.line);
    out
}

fn at(entry: &XmlEntry, fact: SettingFact) -> SettingFinding {
    SettingFinding { line: Some(entry.line), path: entry.path.clone(), fact }
}

fn missing(path: String, fact: SettingFact) -> SettingFinding {
    SettingFinding { line: None, path, fact }
}

fn value_of(entry: &XmlEntry, rule: Rule, tag: &str, value: &str) -> Option<SettingFinding> {
    let tag = tag.to_owned();
    let fact = match rule {
        Rule::Word(words) if words.iter().any(|word| word.eq_ignore_ascii_case(value)) => return None,
        Rule::Word(words) => {
            let near = nearest(value, words.iter().copied(), 1).first().map(|&near| near.into());
            SettingFact::WordUnknown { tag, value: value.into(), known: words.to_vec(), near }
        }
        Rule::Number(..) if value.is_empty() => SettingFact::NumberEmpty { tag },
        Rule::Number(low, high, most) => match number(value) {
            None => SettingFact::NumberUnreadable { tag, value: value.into() },
            Some(value) if value > most => SettingFact::NumberRefused { tag, value, low, high },
            Some(value) if value < low || value > high => {
                SettingFact::NumberOutOfRange { tag, value, low, high }
            }
            Some(_) => return None,
        },
    };
    Some(at(entry, fact))
}

/// The sections about adaptive routing: each inherits what that of `<Common>` says.
fn adaptive(file: &Opafm, out: &mut Vec<SettingFinding>) {
    let mut common: [Option<u64>; 3] = [None; 3];
    let sections = std::iter::once("Common".to_owned()).chain((0..file.instances()).map(instance));
    for (number_of, section) in sections.enumerate() {
        let path = format!("{section}/Sm/AdaptiveRouting");
        let Some(block) = file.entries.iter().find(|e| e.path == path) else { continue };
        let given = |tag: &str| {
            let (value, line) = file.value(&format!("{path}/{tag}"))?;
            Some((number(value.trim())?, line))
        };
        let tags = ["Enable", "Algorithm", "Threshold"].map(given);
        let [enable, algorithm, threshold] = [0, 1, 2].map(|i| tags[i].map(|t| t.0).or(common[i]));
        let line = |i: usize| tags[i].map_or(block.line, |t| t.1);
        let mut found = |line, fact| out.push(SettingFinding { line: Some(line), path: path.clone(), fact });
        let is_on = enable.is_some_and(|n| n > 0);
        match algorithm {
            None => found(block.line, SettingFact::AlgorithmMissing),
            Some(value @ 3..) => found(line(1), SettingFact::AlgorithmUnknown { value }),
            Some(_) => {}
        }
        if let Some(value @ 8..) = threshold {
            found(line(2), SettingFact::ThresholdOutOfRange { value, enabled: is_on });
        }
        let lost = given("LostRouteOnly").is_some_and(|t| t.0 > 0);
        if is_on && lost && tags[2].is_some_and(|t| t.0 != 3) {
            found(line(2), SettingFact::ThresholdIdle);
        }
        if number_of == 0 {
            common = [enable, algorithm, threshold];
        }
    }
}

/// The routing algorithm and what it needs.
fn routing(file: &Opafm, out: &mut Vec<SettingFinding>) {
    let sections = std::iter::once("Common".to_owned()).chain((0..file.instances()).map(instance));
    for section in sections {
        let Some((algorithm, line)) = file.value(&format!("{section}/Sm/RoutingAlgorithm")) else { continue };
        let is_there = |section: &str| {
            let path = format!("{section}/Sm/FatTreeTopology");
            file.entries.iter().any(|e| e.path == path)
        };
        if algorithm.eq_ignore_ascii_case("fattree") && !is_there(&section) && !is_there("Common") {
            let path = format!("{section}/Sm/RoutingAlgorithm");
            out.push(SettingFinding { line: Some(line), path, fact: SettingFact::TopologyMissing });
        }
    }
}

#[cfg(test)]
mod tests {
    //! That `config_check` agrees is asked in `tests/oracle/test_opafm.py`.

    use super::*;
    use crate::io::opafm::read;

    fn file(adaptive: &str, sm: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?>\n<Config>\n<Common><Shared/><Sm>\n{sm}\n<AdaptiveRouting>\n{adaptive}\n\
             </AdaptiveRouting></Sm><Fe/><Pm/></Common>\n<Fm><Sm><!-- nothing --></Sm></Fm>\n<Fm><Sm><AdaptiveRouting>\
             <Threshold>7</Threshold></AdaptiveRouting></Sm></Fm>\n</Config>\n"
        )
    }

    fn remarks_on(text: &str) -> Vec<(Severity, usize, String)> {
        let all = lint(&read(text.as_bytes()).unwrap());
        all.into_iter().map(|f| (f.severity(), f.line.unwrap_or(0), f.text())).collect()
    }

    #[test]
    fn a_correct_file_has_no_findings() {
        assert_eq!(remarks_on(&file("<Enable>1</Enable><Algorithm> 0x1 </Algorithm>", "<Lmc>1</Lmc>")), []);
    }

    #[test]
    fn each_planted_mistake_is_found_with_its_line() {
        use Severity::{Error, Notice, Warning};
        let on = "<Enable>1</Enable><Algorithm>2</Algorithm>";
        let cases = [
            (format!("{on}\n<ARFrequency>12</ARFrequency>"), "", Warning, 7, "ARFrequency 12"),
            (format!("{on}<Threshold>9</Threshold>"), "", Error, 6, "Threshold 9"),
            (
                "<Enable>0</Enable><Algorithm>2</Algorithm><Threshold>9</Threshold>".into(),
                "",
                Warning,
                6,
                "silent",
            ),
            ("<Enable>1</Enable>".into(), "", Error, 5, "no <Algorithm>"),
            ("<Enable>1</Enable><Algorithm>5</Algorithm>".into(), "", Error, 6, "Algorithm 5"),
            ("<Enable>yes</Enable><Algorithm>2</Algorithm>".into(), "", Error, 6, "not a number"),
            ("<Enable/><Algorithm>2</Algorithm>".into(), "", Error, 6, "is empty"),
            ("<Enable>2</Enable><Algorithm>2</Algorithm>".into(), "", Warning, 6, "Enable 2"),
            (format!("{on}<Algorithm>1</Algorithm>"), "", Warning, 6, "a second <Algorithm>"),
            (format!("{on}<Treshold>3</Treshold>"), "", Warning, 6, "is Threshold"),
            (on.into(), "<RoutingAlgorithm>bogus</RoutingAlgorithm>", Warning, 4, "none of shortestpath"),
            (
                on.into(),
                "<FatTreeTopology><TierCount>9</TierCount></FatTreeTopology>",
                Warning,
                4,
                "TierCount 9",
            ),
            (on.into(), "<Lmc>8</Lmc>", Warning, 4, "Lmc 8"),
            (on.into(), "<Lmc>4294967296</Lmc>", Error, 4, "Lmc 4294967296"),
            (
                on.into(),
                "<RoutingAlgorithm>fattree</RoutingAlgorithm>",
                Notice,
                4,
                "without <FatTreeTopology>",
            ),
            (
                format!("{on}<LostRouteOnly>1</LostRouteOnly><Threshold>7</Threshold>"),
                "",
                Notice,
                6,
                "no effect",
            ),
        ];
        for (adaptive, sm, severity, line, text) in cases {
            let found = remarks_on(&file(&adaptive, sm));
            let is_it = |f: &(Severity, usize, String)| f.0 == severity && f.1 == line && f.2.contains(text);
            assert!(found.iter().any(is_it), "{text}: {found:?}");
        }
        let bare = remarks_on("<Config><Common><Sm/></Common></Config>");
        assert_eq!(bare.iter().filter(|f| f.0 == Error).count(), 3, "{bare:?}");
    }
}
