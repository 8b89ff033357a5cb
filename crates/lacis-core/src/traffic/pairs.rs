//! Pairs of hosts from a file's text.
//!
//! ```text
//! # a comment, and what follows a # on a line
//! node001 node018
//! "ubuntu mlx5_1" node002
//! --- the next phase
//! node018 node001
//! ```

use super::TrafficError;
use crate::ranks::{HostNames, cut, words};

/// What begins the line between two phases.
const NEXT_PHASE: &str = "---";

/// Reads pairs of hosts, one `A B` on a line: A sends to B. The numbers are indices in `names`; by phase.
///
/// # Errors
/// A line without two names, an unknown name, a host paired with itself, or a phase without a pair.
pub fn listed_pairs(text: &str, names: &[String]) -> Result<Vec<Vec<(u32, u32)>>, TrafficError> {
    let known = HostNames::of(names);
    let mut phases = vec![Vec::new()];
    for (line, content) in (1..).zip(text.lines()) {
        let wrong =
            |reason: &str| TrafficError::Line { line, reason: reason.into(), text: cut(content.trim()) };
        match words(content)[..] {
            [] => {}
            [NEXT_PHASE, ..] => {
                if phases.last().is_some_and(Vec::is_empty) {
                    return Err(wrong("no pair in the phase before"));
                }
                phases.push(Vec::new());
            }
            [a, b] => {
                let pair = (known.find(line, a)?, known.find(line, b)?);
                if pair.0 == pair.1 {
                    return Err(wrong("a host cannot send to itself over the fabric"));
                }
                if let Some(phase) = phases.last_mut() {
                    phase.push(pair);
                }
            }
            _ => return Err(wrong("expected two host names")),
        }
    }
    if phases.len() > 1 && phases.last().is_some_and(Vec::is_empty) {
        phases.pop();
    }
    if phases[0].is_empty() {
        return Err(TrafficError::Line { line: 0, reason: "no pair in the file".into(), text: cut(text) });
    }
    Ok(phases)
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
        assert_eq!(listed_pairs(text, &names()), Ok(vec![vec![(0, 1), (2, 0)]]));
    }

    #[test]
    fn lines_of_dashes_part_phases() {
        let text = "node1 node2\n--- second\nnode2 node1\nnode1 node2\n---\n";
        assert_eq!(listed_pairs(text, &names()), Ok(vec![vec![(0, 1)], vec![(1, 0), (0, 1)]]));
    }

    #[test]
    fn each_bad_line_is_named() {
        for (text, message) in [
            ("node1 node2\nnode1\n", "line 2: expected two host names: node1"),
            ("node1 node9\n", "line 1: no such host (did you mean node1 or node2?): node9"),
            ("node1 tiger\n", "line 1: no such host: tiger"),
            ("node1 node1\n", "line 1: a host cannot send to itself over the fabric: node1 node1"),
            ("node1 node2\n---\n---\n", "line 3: no pair in the phase before: ---"),
            ("---\nnode1 node2\n", "line 1: no pair in the phase before: ---"),
            ("# nothing\n", "line 0: no pair in the file: # nothing\\n"),
        ] {
            assert_eq!(listed_pairs(text, &names()).map_err(|e| e.to_string()), Err(message.into()));
        }
    }
}
