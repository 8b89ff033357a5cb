//! What is wrong with an `opafm.xml`: an error is what the manager's own `config_check` refuses, a warning what it accepts
//! silently although it does not do what it says, a notice what has no effect.

use super::finding::Severity;
use crate::io::opafm::tags::{self, Rule};
use crate::io::opafm::{Opafm, XmlEntry, instance};
use crate::io::text::number;
use crate::nearest::nearest;

/// A wrong setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingFinding {
    /// How bad it is.
    pub severity: Severity,
    /// The line, from 1; 0 if something is missing.
    pub line: usize,
    /// The element.
    pub path: String,
    /// What is wrong, in words.
    pub text: String,
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
            let near = nearest(tag, names.iter().copied(), 2);
            let hint =
                if near.is_empty() { String::new() } else { format!(": is {} meant?", near.join(" or ")) };
            let text = format!("unknown tag <{tag}>, which the manager ignores{hint}");
            out.push(at(Severity::Warning, entry, text));
            continue;
        }
        if let (Some(rule), Some(value)) = (tags::rule(section, tag), entry.value.as_deref()) {
            out.extend(value_of(entry, rule, tag, value));
        }
        let is_again = entry.path.ends_with(']') && tags::rule(section, tag).is_some();
        if is_again {
            out.push(at(Severity::Warning, entry, format!("a second <{tag}>: the last one counts")));
        }
    }
    let is_there = |path: &str| file.entries.iter().any(|e| e.path == path);
    if is_there("Common") {
        let absent =
            MANDATORY.iter().map(|section| format!("Common/{section}")).filter(|path| !is_there(path));
        out.extend(absent.map(|path| missing(&path, "a required section is missing")));
    } else {
        out.push(missing("Common", "no <Common>, which is required"));
    }
    adaptive(file, &mut out);
    routing(file, &mut out);
    out.sort_by_key(|finding| finding.line);
    out
}

fn at(severity: Severity, entry: &XmlEntry, text: String) -> SettingFinding {
    SettingFinding { severity, line: entry.line, path: entry.path.clone(), text }
}

fn missing(path: &str, text: &str) -> SettingFinding {
    SettingFinding { severity: Severity::Error, line: 0, path: path.to_owned(), text: text.to_owned() }
}

fn value_of(entry: &XmlEntry, rule: Rule, tag: &str, value: &str) -> Option<SettingFinding> {
    match rule {
        Rule::Word(words) => {
            let known = words.iter().any(|word| word.eq_ignore_ascii_case(value));
            let text = || {
                let near = nearest(value, words.iter().copied(), 1);
                let hint = near.first().map_or(String::new(), |near| format!("; is {near} meant?"));
                format!("{tag} \"{value}\" is none of {}{hint}", words.join(", "))
            };
            (!known).then(|| at(Severity::Warning, entry, text()))
        }
        Rule::Number(low, high, most) => match number(value) {
            _ if value.is_empty() => {
                Some(at(Severity::Error, entry, format!("{tag} is empty: it needs a number")))
            }
            None => Some(at(Severity::Error, entry, format!("{tag} \"{value}\" is not a number"))),
            Some(n) if n > most => {
                Some(at(Severity::Error, entry, format!("{tag} {n} is out of range: {low} to {high}")))
            }
            Some(n) if n < low || n > high => Some(at(
                Severity::Warning,
                entry,
                format!("{tag} {n} is out of range, {low} to {high}, and config_check does not say so"),
            )),
            Some(_) => None,
        },
    }
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
        let mut say = |severity, line, text: String| {
            out.push(SettingFinding { severity, line, path: path.clone(), text });
        };
        let is_on = enable.is_some_and(|n| n > 0);
        match algorithm {
            None => say(
                Severity::Error,
                block.line,
                "no <Algorithm>: 0 Random, 1 Greedy or 2 GreedyRandom is required".to_owned(),
            ),
            Some(n @ 3..) => say(
                Severity::Error,
                line(1),
                format!("Algorithm {n} is none of 0 Random, 1 Greedy, 2 GreedyRandom"),
            ),
            Some(_) => {}
        }
        if let Some(n @ 8..) = threshold {
            let (severity, more) = if is_on {
                (Severity::Error, "")
            } else {
                (Severity::Warning, ", and config_check is silent while Enable is 0")
            };
            say(severity, line(2), format!("Threshold {n} is out of range: 0 to 7{more}"));
        }
        let lost = given("LostRouteOnly").is_some_and(|t| t.0 > 0);
        if is_on && lost && tags[2].is_some_and(|t| t.0 != 3) {
            say(
                Severity::Notice,
                line(2),
                "Threshold has no effect while LostRouteOnly is 1: congestion moves no route".to_owned(),
            );
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
            out.push(SettingFinding {
                severity: Severity::Notice,
                line,
                path: format!("{section}/Sm/RoutingAlgorithm"),
                text: "fattree without <FatTreeTopology>: three tiers, with hosts on one, are assumed"
                    .to_owned(),
            });
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

    fn said(text: &str) -> Vec<(Severity, usize, String)> {
        let all = lint(&read(text.as_bytes()).unwrap());
        all.into_iter().map(|f| (f.severity, f.line, f.text)).collect()
    }

    #[test]
    fn a_correct_file_has_no_findings() {
        assert_eq!(said(&file("<Enable>1</Enable><Algorithm> 0x1 </Algorithm>", "<Lmc>1</Lmc>")), []);
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
            let found = said(&file(&adaptive, sm));
            let is_it = |f: &(Severity, usize, String)| f.0 == severity && f.1 == line && f.2.contains(text);
            assert!(found.iter().any(is_it), "{text}: {found:?}");
        }
        let bare = said("<Config><Common><Sm/></Common></Config>");
        assert_eq!(bare.iter().filter(|f| f.0 == Error).count(), 3, "{bare:?}");
    }
}
