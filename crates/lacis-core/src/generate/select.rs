//! The grammar of selectors: which nodes, cables and free ports one names.

use std::ops::RangeInclusive;

use super::error::EditError;
use crate::fabric::{Fabric, Guid, Node, NodeKind};
use crate::nearest::nearest;

/// A parsed selector.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Selector<'a> {
    Nodes(&'a str),
    /// The cable at one port of a node.
    End(&'a str, u8),
    /// Cables between two nodes: all, or a number.
    Between(End<'a>, End<'a>, Option<usize>),
    Random {
        what: What,
        amount: Amount,
        seed: u64,
    },
    /// A host at a port of a switch, or hosts at a number of free ports.
    HostAt(End<'a>, Option<usize>),
    /// A switch of this name with a number of cables to each of others.
    SwitchAt(&'a str, &'a str, usize),
}

/// A node and perhaps a port of it.
pub(super) type End<'a> = (&'a str, Option<u8>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Cables,
    Hosts,
    Switches,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Amount {
    Count(usize),
    Percent(f64),
}

impl Amount {
    /// How many of `all`, rounded half up.
    pub fn of(self, all: usize) -> usize {
        match self {
            Self::Count(n) => n,
            Self::Percent(p) => (all as f64 * p / 100.0 + 0.5).floor() as usize,
        }
    }
}

const RANDOM: [(&str, What); 3] =
    [("random-cables", What::Cables), ("random-hosts", What::Hosts), ("random-switches", What::Switches)];

impl<'a> Selector<'a> {
    /// Reads a selector, without the `+` of an addition.
    pub fn parse(text: &'a str) -> Result<Self, EditError> {
        let syntax = |expected: &str| EditError::syntax(text, expected);
        if let Some((kind, value)) = text.split_once('=')
            && kind.starts_with("random-")
        {
            let Some((_, what)) = RANDOM.into_iter().find(|(name, _)| *name == kind) else {
                let near = nearest(kind, RANDOM.map(|(name, _)| name), 3).join(", ");
                return Err(syntax(&format!(
                    "random-cables, random-hosts or random-switches (nearest: {near})"
                )));
            };
            let (amount, seed) = value.split_once(",seed=").unwrap_or((value, "0"));
            let number = "a number or percentage, as in random-cables=5%,seed=7";
            let amount = match amount.strip_suffix('%') {
                Some(percent) => {
                    let percent = percent.parse().ok().filter(|p| (0.0..=100.0).contains(p));
                    Amount::Percent(percent.ok_or_else(|| syntax(number))?)
                }
                None => Amount::Count(amount.parse().map_err(|_| syntax(number))?),
            };
            let seed = seed.parse().map_err(|_| syntax("a seed from 0 to 2^64 - 1"))?;
            return Ok(Self::Random { what, amount, seed });
        }
        if let Some(at) = text.strip_prefix("host@") {
            let (at, count) = counted(at).map_err(&syntax)?;
            return Ok(Self::HostAt(end(at).map_err(&syntax)?, count));
        }
        if let Some(switch) = text.strip_prefix("switch=") {
            let (switch, count) = counted(switch).map_err(&syntax)?;
            let (name, others) = switch
                .split_once('@')
                .filter(|(name, others)| !name.is_empty() && !others.is_empty())
                .ok_or_else(|| syntax("switch=NAME@SWITCHES, or switch=NAME@SWITCHES:CABLES"))?;
            return Ok(Self::SwitchAt(name, others, count.unwrap_or(1)));
        }
        if let Some((a, b)) = text.split_once("--") {
            let (b, count) = counted(b).map_err(&syntax)?;
            let (a, b) = (end(a).map_err(&syntax)?, end(b).map_err(&syntax)?);
            return Ok(Self::Between(a, b, count));
        }
        Ok(match end(text).map_err(&syntax)? {
            (node, Some(port)) => Self::End(node, port),
            (node, None) => Self::Nodes(node),
        })
    }
}

/// `text` or `text:COUNT`.
fn counted(text: &str) -> Result<(&str, Option<usize>), &'static str> {
    match text.rsplit_once(':') {
        Some((before, count)) if count.bytes().all(|b| b.is_ascii_digit()) => {
            let count = count.parse().ok().filter(|&n| n > 0);
            Ok((before, Some(count.ok_or("a count from 1 after the colon")?)))
        }
        _ => Ok((text, None)),
    }
}

/// `node` or `node[PORT]`.
fn end(text: &str) -> Result<End<'_>, &'static str> {
    const PORTS: RangeInclusive<u8> = 1..=254;
    let (node, port) = match text.strip_suffix(']').and_then(|t| t.rsplit_once('[')) {
        Some((node, port)) => {
            let number = port.parse().ok().filter(|n| PORTS.contains(n));
            (node, Some(number.ok_or("a port from 1 to 254 between the brackets")?))
        }
        None => (text, None),
    };
    if node.is_empty() { Err("the name of a node") } else { Ok((node, port)) }
}

/// The names by which a node can be called besides its id: its description; of a managed switch's
/// (`MF0;NAME:MODEL/U1`) the name; of a host adapter's (`node01 HCA-1`) all but the last word.
fn names(node: &Node) -> impl Iterator<Item = &str> {
    let description = &*node.description;
    let short = match node.kind {
        NodeKind::Switch => {
            description.split_once(';').and_then(|(_, rest)| rest.rsplit_once(':')).map(|(name, _)| name)
        }
        NodeKind::Adapter => description.rsplit_once(' ').map(|(host, _)| host.trim_end()),
        NodeKind::Router | NodeKind::Aggregation => None,
    };
    std::iter::once(description).chain(short.filter(|s| !s.is_empty()))
}

/// A predicate: whether a node is called this. `*` and `?` stand for any text and any character;
/// `0x…` is the GUID of the node or of one of its ports.
pub(super) fn called<'a>(
    fabric: &'a Fabric,
    pattern: &'a str,
) -> impl Fn(crate::fabric::NodeId) -> bool + 'a {
    let guid: Option<Guid> = pattern.strip_prefix("0x").and_then(|hex| hex.parse().ok());
    let glob: Option<Vec<char>> = pattern.contains(['*', '?']).then(|| pattern.chars().collect());
    move |id| {
        let node = fabric.node(id);
        let mut all = names(node).chain([&*node.id]);
        match (guid, &glob) {
            (Some(guid), _) => fabric.has_guid(id, guid),
            (None, Some(glob)) => all.any(|name| name == pattern || fits(glob, name)),
            (None, None) => all.any(|name| name == pattern),
        }
    }
}

/// Whether a name fits a pattern with `*` and `?`: greedy, going back to the last star.
fn fits(pattern: &[char], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, matched)) => {
                    star = Some((at, matched + 1));
                    (p, n) = (at + 1, matched + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// The names of nodes nearest to an unknown name.
pub(super) fn near_names(fabric: &Fabric, name: &str) -> Vec<Box<str>> {
    let all = fabric.nodes().flat_map(|(_, node)| names(node).chain([&*node.id]));
    nearest(name, all, 3).into_iter().map(Box::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_in_a_shell() {
        for (pattern, name, fit) in [
            ("leaf-*", "leaf-03", true),
            ("*-03", "leaf-03", true),
            ("l*f*3", "leaf-03", true),
            ("leaf-0?", "leaf-03", true),
            ("leaf-0?", "leaf-013", false),
            ("*", "", true),
            ("?", "", false),
            ("a*b", "acbc", false),
            ("a*b*c", "abbbc", true),
        ] {
            assert_eq!(fits(&pattern.chars().collect::<Vec<_>>(), name), fit, "{pattern} {name}");
        }
    }

    #[test]
    fn selectors_read_as_documented() {
        let read = |text| Selector::parse(text).unwrap();
        assert_eq!(read("leaf-03"), Selector::Nodes("leaf-03"));
        assert_eq!(read("leaf-03[19]"), Selector::End("leaf-03", 19));
        assert_eq!(read("a--b"), Selector::Between(("a", None), ("b", None), None));
        assert_eq!(read("a[3]--b[4]"), Selector::Between(("a", Some(3)), ("b", Some(4)), None));
        assert_eq!(read("a--b:2"), Selector::Between(("a", None), ("b", None), Some(2)));
        assert_eq!(read("MF0;x:M/U1"), Selector::Nodes("MF0;x:M/U1"));
        assert_eq!(
            read("random-cables=5%,seed=7"),
            Selector::Random { what: What::Cables, amount: Amount::Percent(5.0), seed: 7 }
        );
        assert_eq!(
            read("random-hosts=3"),
            Selector::Random { what: What::Hosts, amount: Amount::Count(3), seed: 0 }
        );
        assert_eq!(read("switch=mgmt@core-*:2"), Selector::SwitchAt("mgmt", "core-*", 2));
        assert_eq!(read("host@spine-01"), Selector::HostAt(("spine-01", None), None));
        for wrong in [
            "",
            "switch=@a",
            "switch=a",
            "a[0]",
            "a[255]",
            "[3]",
            "a--",
            "--b",
            "a--b:0",
            "random-cables=x",
            "random-hosts=101%",
        ] {
            assert!(Selector::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn percentages_round_half_up() {
        assert_eq!(Amount::Percent(5.0).of(10), 1); // 0.5
        assert_eq!(Amount::Percent(5.0).of(9), 0); // 0.45
        assert_eq!(Amount::Percent(100.0).of(7), 7);
    }
}
