//! Roles files, in which a site declares what switches and hosts are when Lacis would infer otherwise:
//!
//! ```text
//! # what     which nodes
//! leaf       MLG-*
//! core       0x1070fd03008a6c2e
//! storage    cache-*         # on the last two leaves
//! management ufm-1 mlx5_0
//! ```
//!
//! A line is a word and a pattern. The words are those of [`Declared`]. The pattern is that of `--without`:
//! a description, a host's name, an id or a GUID, with `*` and `?` for any text and any character; it goes
//! on to the end of the line, or to `#` after a blank. [`declare`](crate::generate::declare) says which nodes
//! it means.

use super::ReadError;
use super::note::Notes;
use super::text::{decode, lines};
use crate::fabric::Declared;

/// One line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its number, from 1.
    pub line: usize,
    /// The role of the nodes.
    pub declared: Declared,
    /// The pattern of the nodes.
    pub pattern: Box<str>,
}

/// Reads a file.
///
/// # Errors
/// When a line is not a word and a pattern.
pub fn read(bytes: &[u8]) -> Result<Vec<Rule>, ReadError> {
    let text = decode(bytes, &mut Notes::default())?;
    let mut rules = Vec::new();
    for (line, raw) in lines(&text) {
        let rule = if raw.trim_start().starts_with('#') { "" } else { raw.split(" #").next().unwrap_or(raw) };
        let rule = rule.trim();
        if rule.is_empty() {
            continue;
        }
        let (word, pattern) = rule.split_once([' ', '\t']).unwrap_or((rule, ""));
        let declared = word.parse().map_err(|e| ReadError::at(line, format!("{e}"), raw))?;
        if pattern.trim().is_empty() {
            return Err(ReadError::at(line, "a node or a pattern of nodes follows the word", raw));
        }
        rules.push(Rule { line, declared, pattern: pattern.trim().into() });
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Group;

    #[test]
    fn words_patterns_and_comments() {
        let rules =
            read(b"\xef\xbb\xbf# all\r\n\n leaf\tMLG-*\r\nstorage  disk server 4 # old\nroot S-1#2\n")
                .unwrap();
        let seen: Vec<_> = rules.iter().map(|r| (r.line, r.declared, &*r.pattern)).collect();
        assert_eq!(
            seen,
            [
                (3, Declared::Leaf, "MLG-*"),
                (4, Declared::Host(Group::Storage), "disk server 4"),
                (5, Declared::Root, "S-1#2"),
            ]
        );
    }

    #[test]
    fn other_lines_are_refused_with_their_number() {
        for (text, line) in [("leaf a\nleafs b\n", 2), ("leaf\n", 1), ("leaf # b\n", 1), ("0x12\n", 1)] {
            assert_eq!(read(text.as_bytes()).unwrap_err().line, Some(line), "{text:?}");
        }
    }
}
