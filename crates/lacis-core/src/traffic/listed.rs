//! Pairs and hosts from a file's text.
//!
//! ```text
//! # a comment, and what follows a # on a line
//! node001 node018
//! "ubuntu mlx5_1" node002
//! ```

use rustc_hash::FxHashMap;

use crate::nearest::nearest;

use super::TrafficError;

/// The words of a line; a word with blanks is put in double quotes.
fn words(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() && !rest.starts_with('#') {
        let (word, tail) = match rest.strip_prefix('"').and_then(|r| r.split_once('"')) {
            Some(quoted) => quoted,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        out.push(word);
        rest = tail.trim_start();
    }
    out
}

fn cut(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}

struct HostNames<'a> {
    all: &'a [String],
    index: FxHashMap<&'a str, u32>,
    shared: Vec<&'a str>,
}

impl<'a> HostNames<'a> {
    fn of(names: &'a [String]) -> Self {
        let mut index = FxHashMap::default();
        let twice = names.iter().zip(0..).filter(|&(name, i)| index.insert(name.as_str(), i).is_some());
        let shared = twice.map(|(name, _)| name.as_str()).collect();
        Self { all: names, index, shared }
    }

    fn find(&self, line: usize, word: &str) -> Result<u32, TrafficError> {
        let wrong = |reason: &str| TrafficError::Line { line, reason: reason.into(), text: cut(word) };
        if self.shared.contains(&word) {
            return Err(wrong("several hosts have this name"));
        }
        self.index.get(word).copied().ok_or_else(|| {
            match nearest(word, self.all.iter().map(String::as_str), 3)[..] {
                [] => wrong("no such host"),
                ref near => wrong(&format!("no such host (did you mean {}?)", near.join(" or "))),
            }
        })
    }
}

/// Reads pairs of hosts, one `A B` on a line: A sends to B. The numbers are indices in `names`.
///
/// # Errors
/// A line without two names, an unknown name, a host paired with itself, or no pair.
pub fn listed_pairs(text: &str, names: &[String]) -> Result<Vec<(u32, u32)>, TrafficError> {
    let known = HostNames::of(names);
    let mut pairs = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let wrong =
            |reason: &str| TrafficError::Line { line, reason: reason.into(), text: cut(content.trim()) };
        match words(content)[..] {
            [] => {}
            [a, b] => {
                let pair = (known.find(line, a)?, known.find(line, b)?);
                if pair.0 == pair.1 {
                    return Err(wrong("a host cannot send to itself over the fabric"));
                }
                pairs.push(pair);
            }
            _ => return Err(wrong("expected two host names")),
        }
    }
    if pairs.is_empty() {
        return Err(TrafficError::Line { line: 0, reason: "no pair in the file".into(), text: cut(text) });
    }
    Ok(pairs)
}

/// Looks up an order of hosts, each with its line. The numbers are indices in `names`.
///
/// # Errors
/// An unknown name, a name listed twice, or no name.
pub fn listed_hosts(listed: &[(usize, String)], names: &[String]) -> Result<Vec<u32>, TrafficError> {
    let known = HostNames::of(names);
    let mut at = vec![0_usize; names.len()];
    let mut order = Vec::new();
    for (line, word) in listed {
        let host = known.find(*line, word)?;
        let before = std::mem::replace(&mut at[host as usize], *line);
        if before != 0 {
            let reason = format!("host already on line {before}");
            return Err(TrafficError::Line { line: *line, reason, text: cut(word) });
        }
        order.push(host);
    }
    if order.is_empty() {
        return Err(TrafficError::Line {
            line: 0,
            reason: "no host in the file".into(),
            text: String::new(),
        });
    }
    Ok(order)
}

/// The first word of each line that has one, with the line's number from 1.
pub fn listed_names(text: &str) -> Vec<(usize, String)> {
    let lines = (1..).zip(text.lines());
    lines.filter_map(|(line, content)| Some((line, (*words(content).first()?).to_owned()))).collect()
}

/// Looks up listed hosts, each with its line. The numbers are indices in `names`.
///
/// # Errors
/// Names every host that is unknown, ambiguous or listed twice, with its lines.
pub fn find_hosts(listed: &[(usize, String)], names: &[String]) -> Result<Vec<u32>, String> {
    if listed.is_empty() {
        return Err("no host in the list".into());
    }
    let known = HostNames::of(names);
    let mut first = vec![0_usize; names.len()];
    let (mut unknown, mut shared, mut twice) = (Vec::new(), Vec::new(), Vec::new());
    let mut order = Vec::new();
    for (line, name) in listed {
        if known.shared.contains(&name.as_str()) {
            shared.push(format!("{} (line {line})", cut(name)));
        } else if let Some(&host) = known.index.get(name.as_str()) {
            let before = std::mem::replace(&mut first[host as usize], *line);
            if before == 0 {
                order.push(host);
            } else {
                twice.push(format!("{} (lines {before} and {line})", cut(name)));
            }
        } else {
            let near = nearest(name, names.iter().map(String::as_str), 1);
            let near = near.first().map_or(String::new(), |near| format!("; did you mean {near}?"));
            unknown.push(format!("{} (line {line}{near})", cut(name)));
        }
    }
    let problems = [
        (unknown, "not in the fabric"),
        (shared, "a name that several adapters have"),
        (twice, "listed twice"),
    ];
    let said: Vec<String> = problems
        .iter()
        .filter(|(hosts, _)| !hosts.is_empty())
        .map(|(hosts, what)| format!("{what}: {}", hosts.join(", ")))
        .collect();
    if said.is_empty() { Ok(order) } else { Err(said.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["node1", "node2", "ubuntu mlx5_1"].map(String::from).to_vec()
    }

    #[test]
    fn pairs_are_read_with_comments_and_quoted_names() {
        let text = "# header\n\nnode1 node2 # first\n\"ubuntu mlx5_1\"\tnode1\r\n";
        assert_eq!(listed_pairs(text, &names()), Ok(vec![(0, 1), (2, 0)]));
    }

    #[test]
    fn each_bad_line_is_named() {
        for (text, message) in [
            ("node1 node2\nnode1\n", "line 2: expected two host names: node1"),
            ("node1 node9\n", "line 1: no such host (did you mean node1 or node2?): node9"),
            ("node1 tiger\n", "line 1: no such host: tiger"),
            ("node1 node1\n", "line 1: a host cannot send to itself over the fabric: node1 node1"),
            ("# nothing\n", "line 0: no pair in the file: # nothing\\n"),
        ] {
            assert_eq!(listed_pairs(text, &names()).map_err(|e| e.to_string()), Err(message.into()));
        }
    }

    #[test]
    fn every_host_that_cannot_be_found_is_named() {
        let listed = listed_names("node2 slots=8\n# c\nnode1\n");
        assert_eq!(listed, [(1, "node2".into()), (3, "node1".into())]);
        assert_eq!(find_hosts(&listed, &names()), Ok(vec![1, 0]));
        let mut all = names();
        all.extend(["same".into(), "same".into()]);
        let listed = listed_names("tiger\nnode2\nnode3\nnode2\nsame\n");
        assert_eq!(
            find_hosts(&listed, &all).unwrap_err(),
            "not in the fabric: tiger (line 1), node3 (line 3; did you mean node1?); a name that several adapters \
             have: same (line 5); listed twice: node2 (lines 2 and 4)"
        );
    }

    #[test]
    fn an_order_lists_a_host_once() {
        let look_up = |text: &str| listed_hosts(&listed_names(text), &names()).map_err(|e| e.to_string());
        assert_eq!(look_up("node2 slots=8\nnode1\n"), Ok(vec![1, 0]));
        let twice = look_up("node2\nnode1\nnode2\n");
        assert_eq!(twice, Err("line 3: host already on line 1: node2".into()));
    }
}
