//! The patterns by name, as they are typed after `--traffic`.
//!
//! | spec                                | which hosts send                                             |
//! |-------------------------------------|--------------------------------------------------------------|
//! | `pairs`                             | random pairs of hosts, in both directions                    |
//! | `permutation`                       | every host to one other, each receives once                  |
//! | `bisection`                         | each host of a random half to one of the other half          |
//! | `shift`, `shift:1,2,8-16`           | host i to host i + d (mod n), one phase for each distance d  |
//! | `mpigraph`                          | every shift from 1 to n - 1                                  |
//! | `leaf-offset:offset=8,nodes=8,leaves=0-7` | the N-th node of a leaf and the N-th of leaf XOR offset, in both directions |
//! | `alltoall`                          | every host to every other, all at once                       |
//! | `file:PATH`                         | the pairs of a file, one `A B` on a line                     |
//!
//! `leaf-offset` is the leaf-to-leaf test of the Minnesota report on the Itasca cluster (2009); an
//! argument left out means all of them: offsets 1 to 63 cover every pair of 64 leaves.

use std::fmt;
use std::str::FromStr;

use super::TrafficError;
use super::error::nearest_or_all;

/// A choice of numbers: `1,2,8-16`, or all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Every possible number.
    All,
    /// Inclusive ranges, as typed.
    Ranges(Vec<(u32, u32)>),
}

/// What to send. See the module's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Random pairs, in both directions.
    Pairs,
    /// A random derangement.
    Permutation,
    /// From one random half to the other.
    Bisection,
    /// Cyclic shifts by chosen distances.
    Shift(Numbers),
    /// All cyclic shifts, as the mpiGraph benchmark runs them.
    MpiGraph,
    /// Leaf against leaf.
    LeafOffset {
        /// The XOR distances between leaf numbers, one phase each.
        offsets: Numbers,
        /// How many nodes of each leaf take part; all where none.
        nodes: Option<u32>,
        /// The leaves that take part.
        leaves: Numbers,
    },
    /// Every ordered pair at once.
    AllToAll,
    /// Pairs from a file; what follows the colon.
    File(String),
}

/// The names, for messages.
pub(super) const NAMES: [&str; 8] =
    ["pairs", "permutation", "bisection", "shift", "mpigraph", "leaf-offset", "alltoall", "file:PATH"];

impl Pattern {
    /// The name without arguments.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Permutation => "permutation",
            Self::Bisection => "bisection",
            Self::Shift(_) => "shift",
            Self::MpiGraph => "mpigraph",
            Self::LeafOffset { .. } => "leaf-offset",
            Self::AllToAll => "alltoall",
            Self::File(_) => "file",
        }
    }

    /// Whether its phases come from a seed.
    pub fn is_random(&self) -> bool {
        matches!(self, Self::Pairs | Self::Permutation | Self::Bisection)
    }
}

impl FromStr for Pattern {
    type Err = TrafficError;

    fn from_str(text: &str) -> Result<Self, TrafficError> {
        let (name, args) = match text.split_once(':') {
            Some((name, args)) => (name, Some(args)),
            None => (text, None),
        };
        let wrong = |reason: String| TrafficError::Argument { pattern: text.into(), reason };
        let plain = |pattern: Self| match args {
            None => Ok(pattern),
            Some(_) => Err(wrong(format!("{name} takes no argument"))),
        };
        match name {
            "pairs" => plain(Self::Pairs),
            "permutation" => plain(Self::Permutation),
            "bisection" => plain(Self::Bisection),
            "mpigraph" => plain(Self::MpiGraph),
            "alltoall" => plain(Self::AllToAll),
            "shift" => Ok(Self::Shift(args.map_or(Ok(Numbers::All), str::parse).map_err(wrong)?)),
            "leaf-offset" => leaf_offset(args.unwrap_or("")).map_err(wrong),
            "file" => match args {
                Some(path) if !path.is_empty() => Ok(Self::File(path.into())),
                _ => Err(wrong("say which file: file:PATH".into())),
            },
            _ => {
                Err(TrafficError::UnknownPattern { text: text.into(), nearest: nearest_or_all(name, &NAMES) })
            }
        }
    }
}

/// Reads `offset=8,nodes=8,leaves=0-7`. A word without `=` continues the list before it.
fn leaf_offset(args: &str) -> Result<Pattern, String> {
    let mut keyed: Vec<(&str, String)> = Vec::new();
    for word in args.split(',').filter(|p| !p.is_empty()) {
        match (word.split_once('='), keyed.last_mut()) {
            (Some((key, value)), _) => keyed.push((key.trim(), value.trim().into())),
            (None, Some((_, list))) => *list = format!("{list},{}", word.trim()),
            (None, None) => return Err(format!("\"{word}\" is not KEY=VALUE")),
        }
    }
    let (mut offsets, mut nodes, mut leaves) = (Numbers::All, None, Numbers::All);
    for (key, value) in keyed {
        match key {
            "offset" | "offsets" => offsets = value.parse()?,
            "leaves" => leaves = value.parse()?,
            "nodes" => match value.parse() {
                Ok(n) if n > 0 => nodes = Some(n),
                _ => return Err(format!("nodes={value} is not a positive number")),
            },
            _ => return Err(format!("no argument \"{key}\"; there are offset, nodes and leaves")),
        }
    }
    Ok(Pattern::LeafOffset { offsets, nodes, leaves })
}

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        let number = |s: &str| s.trim().parse::<u32>().map_err(|_| format!("\"{s}\" is not a number"));
        let mut ranges = Vec::new();
        for range in text.split(',') {
            let (low, high) = range.split_once('-').unwrap_or((range, range));
            let (low, high) = (number(low)?, number(high)?);
            if low > high {
                return Err(format!("the range {low}-{high} runs backwards"));
            }
            ranges.push((low, high));
        }
        Ok(Self::Ranges(ranges))
    }
}

impl Numbers {
    /// The numbers chosen out of `low..=high`, in the order typed, each once.
    ///
    /// # Errors
    /// The first number outside, and the range allowed, in words.
    pub fn within(&self, low: u32, high: u32) -> Result<Vec<u32>, String> {
        match self {
            Self::All => Ok((low..=high).collect()),
            Self::Ranges(ranges) => {
                let mut out = Vec::new();
                let mut seen = fixedbitset::FixedBitSet::with_capacity(high as usize + 1);
                for &(a, b) in ranges {
                    if let Some(stray) = [a, b].into_iter().find(|n| !(low..=high).contains(n)) {
                        return Err(format!("{stray} is not between {low} and {high}"));
                    }
                    out.extend((a..=b).filter(|&n| !seen.put(n as usize)));
                }
                Ok(out)
            }
        }
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Ranges(ranges) => {
                for (i, (a, b)) in ranges.iter().enumerate() {
                    f.write_str(if i > 0 { "," } else { "" })?;
                    if a == b { write!(f, "{a}")? } else { write!(f, "{a}-{b}")? }
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::Shift(distances @ Numbers::Ranges(_)) => write!(f, ":{distances}"),
            Self::LeafOffset { offsets, nodes, leaves } => {
                let mut args = Vec::new();
                if *offsets != Numbers::All {
                    args.push(format!("offset={offsets}"));
                }
                args.extend(nodes.map(|n| format!("nodes={n}")));
                if *leaves != Numbers::All {
                    args.push(format!("leaves={leaves}"));
                }
                if args.is_empty() { Ok(()) } else { write!(f, ":{}", args.join(",")) }
            }
            Self::File(path) => write!(f, ":{path}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_reads_and_prints_the_same() {
        for text in [
            "pairs",
            "permutation",
            "bisection",
            "shift",
            "shift:1,2,8-16",
            "mpigraph",
            "leaf-offset",
            "leaf-offset:offset=8,nodes=8,leaves=0-7",
            "leaf-offset:offset=1,2,4,leaves=0-7,9",
            "alltoall",
            "file:a:b.txt",
        ] {
            assert_eq!(text.parse::<Pattern>().map(|p| p.to_string()), Ok(text.into()));
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_reason() {
        for (text, expected) in [
            ("bisektion", "unknown traffic pattern \"bisektion\" (did you mean bisection?)"),
            ("gossip", "(there are pairs, permutation, bisection, shift,"),
            ("pairs:3", "takes no argument"),
            ("shift:x", "\"x\" is not a number"),
            ("shift:4-2", "backwards"),
            ("shift:-1", "is not a number"),
            ("leaf-offset:8", "KEY=VALUE"),
            ("leaf-offset:nodes=0", "positive"),
            ("leaf-offset:distance=1", "no argument \"distance\""),
            ("file:", "say which file"),
        ] {
            let message = text.parse::<Pattern>().map_err(|e| e.to_string()).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn numbers_outside_the_range_are_named() {
        let numbers: Numbers = "2,1-3,9".parse().unwrap();
        assert_eq!(numbers.within(1, 9), Ok(vec![2, 1, 3, 9]));
        assert_eq!(numbers.within(1, 8), Err("9 is not between 1 and 8".into()));
        assert_eq!(Numbers::All.within(1, 3), Ok(vec![1, 2, 3]));
    }
}
