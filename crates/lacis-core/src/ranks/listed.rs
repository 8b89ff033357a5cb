//! Hosts from a file's text, and hosts by their names.
//!
//! ```text
//! # a comment, and what follows a # on a line
//! node001
//! "ubuntu mlx5_1"
//! ```

use rustc_hash::FxHashMap;

use crate::nearest::nearest;

use super::error::RanksError;

/// The words of a line; a word with blanks is put in double quotes. Quotes around nothing are a word like any other, which names no host.
pub(crate) fn words(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() && !rest.starts_with('#') {
        let quoted = rest.strip_prefix('"').and_then(|r| r.split_once('"'));
        let (word, tail) = match quoted.filter(|(word, _)| !word.is_empty()) {
            Some(quoted) => quoted,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        out.push(word);
        rest = tail.trim_start();
    }
    out
}

/// Some of a text, for an error.
pub(crate) fn cut(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}

/// Names of hosts, to be found by name.
pub(crate) struct HostNames<'a> {
    all: &'a [String],
    index: FxHashMap<&'a str, u32>,
    shared: Vec<&'a str>,
}

impl<'a> HostNames<'a> {
    /// Hosts by these names.
    pub(crate) fn of(names: &'a [String]) -> Self {
        let mut index = FxHashMap::default();
        let twice = names.iter().zip(0..).filter(|&(name, i)| index.insert(name.as_str(), i).is_some());
        let shared = twice.map(|(name, _)| name.as_str()).collect();
        Self { all: names, index, shared }
    }

    /// The index of the host that a word on a line names.
    pub(crate) fn find(&self, line: usize, word: &str) -> Result<u32, RanksError> {
        let wrong = |reason: &str| RanksError::Line { line, reason: reason.into(), text: cut(word) };
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

/// Looks up an order of hosts, each with its line. The numbers are indices in `names`.
///
/// # Errors
/// An unknown name, a name listed twice, or no name.
pub fn listed_hosts(listed: &[(usize, String)], names: &[String]) -> Result<Vec<u32>, RanksError> {
    let known = HostNames::of(names);
    let mut at = vec![0_usize; names.len()];
    let mut order = Vec::new();
    for (line, word) in listed {
        let host = known.find(*line, word)?;
        let before = std::mem::replace(&mut at[host as usize], *line);
        if before != 0 {
            let reason = format!("host already on line {before}");
            return Err(RanksError::Line { line: *line, reason, text: cut(word) });
        }
        order.push(host);
    }
    if order.is_empty() {
        return Err(RanksError::Line { line: 0, reason: "no host in the file".into(), text: String::new() });
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

    /// Found by fuzzing: a host without a name could be listed.
    #[test]
    fn quotes_around_nothing_are_named_as_they_stand() {
        let listed = listed_names("\"\"\n\"ubuntu mlx5_1\"\n");
        assert_eq!(listed, [(1, "\"\"".into()), (2, "ubuntu mlx5_1".into())]);
        let reason = r#"not in the fabric: \"\" (line 1)"#;
        assert_eq!(find_hosts(&listed, &names()).unwrap_err(), reason);
    }

    #[test]
    fn an_order_lists_a_host_once() {
        let look_up = |text: &str| listed_hosts(&listed_names(text), &names()).map_err(|e| e.to_string());
        assert_eq!(look_up("node2 slots=8\nnode1\n"), Ok(vec![1, 0]));
        let twice = look_up("node2\nnode1\nnode2\n");
        assert_eq!(twice, Err("line 3: host already on line 1: node2".into()));
    }
}
