//! What is wrong with a configuration: what `config_check` refuses, and what it passes silently.

use super::tags::{self, Rule};
use super::{Entry, Opafm, instance};
use crate::io::text::number;
use crate::nearest::nearest;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// `config_check` refuses the file, and the manager does not start.
    Error,
    /// `config_check` passes it silently, and it does not do what it says.
    Warning,
    /// It has no effect.
    Notice,
}

impl Severity {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The line, from 1; 0 where something is missing.
    pub line: usize,
    /// The element.
    pub path: String,
    /// What is wrong, in words.
    pub text: String,
}

/// Sections that `<Common>` has to have.
const MANDATORY: [&str; 4] = ["Shared", "Sm", "Fe", "Pm"];

/// Everything that is wrong, by line.
pub fn lint(file: &Opafm) -> Vec<Finding> {
    let mut out = Vec::new();
    let mut unknown: Option<&str> = None;
    let names: Vec<&str> = tags::names().collect();
    for entry in &file.entries {
        // What is inside of an unknown element is not looked at.
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
        out.extend(absent.map(|path| missing(&path, "a section that has to be there is missing")));
    } else {
        out.push(missing("Common", "no <Common>, which has to be there"));
    }
    adaptive(file, &mut out);
    routing(file, &mut out);
    out.sort_by_key(|finding| finding.line);
    out
}

fn at(severity: Severity, entry: &Entry, text: String) -> Finding {
    Finding { severity, line: entry.line, path: entry.path.clone(), text }
}

fn missing(path: &str, text: &str) -> Finding {
    Finding { severity: Severity::Error, line: 0, path: path.to_owned(), text: text.to_owned() }
}

fn value_of(entry: &Entry, rule: Rule, tag: &str, value: &str) -> Option<Finding> {
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
                Some(at(Severity::Error, entry, format!("{tag} is empty: a number is due")))
            }
            None => Some(at(Severity::Error, entry, format!("{tag} \"{value}\" is no number"))),
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

/// The blocks about adaptive routing: each takes over what the one of `<Common>` says.
fn adaptive(file: &Opafm, out: &mut Vec<Finding>) {
    let mut common: [Option<u64>; 3] = [None; 3];
    let sections = std::iter::once("Common".to_owned()).chain((0..file.instances()).map(instance));
    for (number_of, section) in sections.enumerate() {
        let path = format!("{section}/Sm/AdaptiveRouting");
        let Some(block) = file.entries.iter().find(|e| e.path == path) else { continue };
        let told = |tag: &str| {
            let (value, line) = file.value(&format!("{path}/{tag}"))?;
            Some((number(value.trim())?, line))
        };
        let tags = ["Enable", "Algorithm", "Threshold"].map(told);
        let [enable, algorithm, threshold] = [0, 1, 2].map(|i| tags[i].map(|t| t.0).or(common[i]));
        let line = |i: usize| tags[i].map_or(block.line, |t| t.1);
        let mut say = |severity, line, text: String| {
            out.push(Finding { severity, line, path: path.clone(), text });
        };
        let is_on = enable.is_some_and(|n| n > 0);
        match algorithm {
            None => say(
                Severity::Error,
                block.line,
                "no <Algorithm>: 0 Random, 1 Greedy or 2 GreedyRandom has to be said".to_owned(),
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
        let lost = told("LostRouteOnly").is_some_and(|t| t.0 > 0);
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
fn routing(file: &Opafm, out: &mut Vec<Finding>) {
    let sections = std::iter::once("Common".to_owned()).chain((0..file.instances()).map(instance));
    for section in sections {
        let Some((algorithm, line)) = file.value(&format!("{section}/Sm/RoutingAlgorithm")) else { continue };
        let is_there = |section: &str| {
            let path = format!("{section}/Sm/FatTreeTopology");
            file.entries.iter().any(|e| e.path == path)
        };
        if algorithm.eq_ignore_ascii_case("fattree") && !is_there(&section) && !is_there("Common") {
            out.push(Finding {
                severity: Severity::Notice,
                line,
                path: format!("{section}/Sm/RoutingAlgorithm"),
                text: "fattree without <FatTreeTopology>: three tiers, hosts on one, are taken for granted"
                    .to_owned(),
            });
        }
    }
}
