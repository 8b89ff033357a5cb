//! A message program from a trace file: one JSON object on a line.
//!
//! ```text
//! {"phase": "halo", "source": 0, "destination": 1, "bytes": 65536}
//! {"phase": "halo", "source": 1, "destination": 0, "bytes": 65536}
//! {"phase": "sum", "source": 1, "destination": 0, "bytes": 8, "after": ["halo"]}
//! ```
//!
//! Phases are in the order in which they are first named. A phase begins when all phases that its `after` names
//! have ended; without `after`, when the phase before it has; with an empty `after`, at once. Any line of a phase
//! may have its `after`; where several have it they agree. `weight`, above 0 and 1 unless given, is a message's
//! rate relative to an even share. `sl` is the service level that it asks for.

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::message::Message;
use crate::traffic::TrafficError;

/// The phases of a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    phases: Vec<TracePhase>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct TracePhase {
    name: String,
    messages: Vec<Message>,
    after: Vec<u32>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Name {
    Number(u64),
    Text(String),
}

impl Name {
    fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TraceLine {
    phase: Name,
    source: i64,
    destination: i64,
    bytes: f64,
    #[serde(default)]
    after: Option<Vec<Name>>,
    #[serde(default)]
    weight: Option<f64>,
    #[serde(default)]
    sl: Option<i64>,
}

/// The greatest size of a message `[bytes]`: whole numbers up to it are exact.
const MOST_BYTES: f64 = 9_007_199_254_740_992.0;

fn cut(text: &str) -> String {
    text.trim().chars().take(120).flat_map(char::escape_debug).collect()
}

impl Trace {
    /// One phase of given messages.
    pub(super) fn of_messages(messages: Vec<Message>) -> Self {
        Self { phases: vec![TracePhase { name: "0".into(), messages, after: Vec::new() }] }
    }

    /// Reads a trace of `ranks` ranks.
    ///
    /// # Errors
    /// The first line that is no such object, names an unknown rank or phase, sends to itself, has a size
    /// that is not a whole number above 0, or closes a circle of phases that wait for each other.
    pub fn read(text: &str, ranks: u32) -> Result<Self, TrafficError> {
        let mut phases: Vec<TracePhase> = Vec::new();
        let mut number: FxHashMap<String, usize> = FxHashMap::default();
        let mut waits: Vec<Option<(usize, Vec<String>)>> = Vec::new();
        for (line, content) in (1..).zip(text.lines()).filter(|(_, content)| !content.trim().is_empty()) {
            let wrong = |reason: String| TrafficError::Line { line, reason, text: cut(content) };
            let read: TraceLine = serde_json::from_str(content).map_err(|error| {
                let reason = error.to_string();
                let reason = reason.split(" at line ").next().unwrap_or_default();
                wrong(format!("not a message of a trace ({reason})"))
            })?;
            let rank = |given: i64| {
                u32::try_from(given).ok().filter(|&r| r < ranks).ok_or_else(|| {
                    wrong(format!(
                        "unknown rank {given}; the program has ranks 0 to {}",
                        ranks.saturating_sub(1)
                    ))
                })
            };
            let (from, to) = (rank(read.source)?, rank(read.destination)?);
            if from == to {
                return Err(wrong(format!("rank {from} sends to itself")));
            }
            if !(read.bytes > 0.0 && read.bytes <= MOST_BYTES && read.bytes.fract() == 0.0) {
                return Err(wrong(format!("{} bytes: a size is a whole number above 0", read.bytes)));
            }
            let weight = read.weight.unwrap_or(1.0);
            if !(1e-6..=1e6).contains(&weight) {
                return Err(wrong(format!("weight {weight}: a weight is between 0.000001 and 1000000")));
            }
            let level = |given| u8::try_from(given).ok().filter(|&sl| sl < 16);
            if let Some(given) = read.sl.filter(|&given| level(given).is_none()) {
                return Err(wrong(format!("sl {given}: there are service levels 0 to 15")));
            }
            let name = read.phase.text();
            let at = *number.entry(name.clone()).or_insert_with(|| {
                phases.push(TracePhase { name: name.clone(), ..TracePhase::default() });
                waits.push(None);
                phases.len() - 1
            });
            if let Some(after) = read.after {
                let after: Vec<String> = after.iter().map(Name::text).collect();
                match &waits[at] {
                    Some((first, said)) if *said != after => {
                        let other = format!("phase \"{}\" has another \"after\" on line {first}", cut(&name));
                        return Err(wrong(other));
                    }
                    Some(_) => {}
                    None => waits[at] = Some((line, after)),
                }
            }
            let sl = read.sl.and_then(level);
            phases[at].messages.push(Message { weight, sl, ..Message::new(from, to, read.bytes as u64) });
        }
        if phases.is_empty() {
            return Err(TrafficError::Line {
                line: 0,
                reason: "no message in the trace".into(),
                text: String::new(),
            });
        }
        let at_line = |line: usize, reason: String| {
            let content = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
            TrafficError::Line { line, reason, text: cut(content) }
        };
        for at in 0..phases.len() {
            phases[at].after = match &waits[at] {
                None => at.checked_sub(1).map(|before| before as u32).into_iter().collect(),
                Some((line, names)) => {
                    let found = names.iter().map(|name| match number.get(name) {
                        Some(&n) => Ok(n as u32),
                        None => Err(at_line(*line, format!("unknown phase \"{}\"", cut(name)))),
                    });
                    found.collect::<Result<Vec<u32>, TrafficError>>()?
                }
            };
        }
        if let Some(circle) = circle(&phases) {
            let said = circle.iter().find_map(|&p| waits[p].as_ref().map(|w| w.0)).unwrap_or(0);
            let names: Vec<String> =
                circle.iter().map(|&p| format!("\"{}\"", cut(&phases[p].name))).collect();
            return Err(at_line(
                said,
                format!("phases wait for each other in a circle: {}", names.join(" after ")),
            ));
        }
        Ok(Self { phases })
    }

    /// Number of phases.
    pub fn len(&self) -> usize {
        self.phases.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.phases.is_empty()
    }

    pub(super) fn messages(&self, phase: usize) -> &[Message] {
        &self.phases[phase].messages
    }

    pub(super) fn after(&self, phase: usize) -> &[u32] {
        &self.phases[phase].after
    }

    pub(super) fn name(&self, phase: usize) -> &str {
        &self.phases[phase].name
    }
}

/// Phases each of which waits for the next, and the last for the first.
fn circle(phases: &[TracePhase]) -> Option<Vec<usize>> {
    let mut waits: Vec<usize> = phases.iter().map(|p| p.after.len()).collect();
    let mut followers = vec![Vec::new(); phases.len()];
    for (at, phase) in phases.iter().enumerate() {
        phase.after.iter().for_each(|&a| followers[a as usize].push(at));
    }
    let mut ready: Vec<usize> = (0..phases.len()).filter(|&p| waits[p] == 0).collect();
    while let Some(p) = ready.pop() {
        for &follower in &followers[p] {
            waits[follower] -= 1;
            if waits[follower] == 0 {
                ready.push(follower);
            }
        }
    }
    // Each phase that still waits waits for another: following them leads into a circle.
    let mut walk = vec![(0..phases.len()).find(|&p| waits[p] > 0)?];
    loop {
        let last = walk[walk.len() - 1];
        let next = phases[last].after.iter().map(|&a| a as usize).find(|&a| waits[a] > 0)?;
        if let Some(begin) = walk.iter().position(|&p| p == next) {
            return Some(walk.split_off(begin));
        }
        walk.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_waits_for_the_one_before_it_unless_it_says_otherwise() {
        let text = r#"
            {"phase": "a", "source": 0, "destination": 1, "bytes": 10}
            {"phase": 2, "source": 1, "destination": 0, "bytes": 20}
            {"phase": "a", "source": 1, "destination": 2, "bytes": 1e3, "weight": 2, "sl": 15}
            {"phase": "c", "source": 1, "destination": 0, "bytes": 30, "after": ["a", 2]}
            {"phase": "d", "source": 1, "destination": 0, "bytes": 30, "after": []}
        "#;
        let trace = Trace::read(text, 3).unwrap();
        let after: Vec<_> = (0..4).map(|p| trace.after(p)).collect();
        assert_eq!(after, [&[][..], &[0], &[0, 1], &[]]);
        let expected = Message { weight: 2.0, sl: Some(15), ..Message::new(1, 2, 1000) };
        assert_eq!(trace.messages(0)[1], expected);
    }

    #[test]
    fn every_bad_line_is_one_clear_error() {
        let good = r#"{"phase": 1, "source": 0, "destination": 1, "bytes": 10}"#;
        for (line, reason) in [
            ("nonsense", "line 2: not a message of a trace (expected ident): nonsense"),
            (r#"{"phase": 1, "source": 0, "destination": 1}"#, "(missing field `bytes`)"),
            (r#"{"phase": 1, "source": 0, "destination": 1, "bytes": 1, "tag": 3}"#, "unknown field `tag`"),
            (
                r#"{"phase": 1, "source": 4, "destination": 1, "bytes": 1}"#,
                "unknown rank 4; the program has ranks 0 to 3",
            ),
            (r#"{"phase": 1, "source": 0, "destination": -1, "bytes": 1}"#, "unknown rank -1"),
            (r#"{"phase": 1, "source": 3, "destination": 3, "bytes": 1}"#, "rank 3 sends to itself"),
            (
                r#"{"phase": 1, "source": 0, "destination": 1, "bytes": 0}"#,
                "0 bytes: a size is a whole number above 0",
            ),
            (r#"{"phase": 1, "source": 0, "destination": 1, "bytes": -5}"#, "-5 bytes"),
            (r#"{"phase": 1, "source": 0, "destination": 1, "bytes": 1.5}"#, "1.5 bytes"),
            (r#"{"phase": 1, "source": 0, "destination": 1, "bytes": 1, "weight": 0}"#, "weight 0"),
            (
                r#"{"phase": 1, "source": 0, "destination": 1, "bytes": 1, "sl": 16}"#,
                "sl 16: there are service levels 0 to 15",
            ),
            (
                r#"{"phase": 2, "source": 0, "destination": 1, "bytes": 1, "after": [9]}"#,
                "unknown phase \"9\"",
            ),
            (
                r#"{"phase": 2, "source": 0, "destination": 1, "bytes": 1, "after": [2]}"#,
                "phases wait for each other in a circle: \"2\"",
            ),
        ] {
            let error = Trace::read(&format!("{good}\n{line}\n"), 4).unwrap_err().to_string();
            assert!(error.starts_with("line 2: ") && error.contains(reason), "{error}");
        }
        assert!(Trace::read("\n", 4).unwrap_err().to_string().contains("no message in the trace"));
    }

    #[test]
    fn a_circle_is_shown_and_nothing_else() {
        let line = |phase: &str, after: &str| {
            format!(
                r#"{{"phase": "{phase}", "source": 0, "destination": 1, "bytes": 1, "after": [{after}]}}"#
            )
        };
        let text = [
            line("e", r#""d""#), // waits for the circle, and is not in it
            line("a", ""),
            line("b", r#""a", "d""#),
            line("c", r#""b""#),
            line("d", r#""c""#),
        ];
        let error = Trace::read(&text.join("\n"), 2).unwrap_err().to_string();
        assert!(error.contains("in a circle: \"d\" after \"c\" after \"b\":"), "{error}");
    }
}
