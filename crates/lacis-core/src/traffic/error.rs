//! Why traffic is refused.

use crate::nearest::nearest;

/// A pattern, an order or a list of pairs that is invalid, in itself or on this fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrafficError {
    /// A pattern that does not exist.
    #[error("unknown traffic pattern \"{text}\" ({nearest})")]
    UnknownPattern {
        /// As typed.
        text: String,
        /// The names that may have been meant, in words.
        nearest: String,
    },
    /// A pattern's argument that cannot be read.
    #[error("traffic pattern \"{pattern}\": {reason}")]
    Argument {
        /// As typed.
        pattern: String,
        /// What is wrong.
        reason: String,
    },
    /// An order that does not exist.
    #[error("unknown order \"{text}\"; there are name, lid, topology and file:PATH")]
    UnknownOrder {
        /// As typed.
        text: String,
    },
    /// A rail that no adapter is on.
    #[error("no adapter on rail {text}{}", match rails { 0 | 1 => String::new(), n => format!("; rails are numbered 0 to {}", n - 1) })]
    NoRail {
        /// As typed.
        text: String,
        /// Number of rails that the hosts have.
        rails: usize,
    },
    /// A group that does not exist.
    #[error("unknown group of hosts \"{text}\"; there are compute, management, storage, gateway and all")]
    UnknownGroup {
        /// As typed.
        text: String,
    },
    /// Groups without hosts.
    #[error("no host is in group {text} (there are {there})")]
    NoGroup {
        /// As typed.
        text: String,
        /// The groups that have hosts, in words.
        there: String,
    },
    /// A pattern that needs more participants.
    #[error("{pattern} needs at least {needed} hosts, and {found} take part")]
    TooFew {
        /// Its name.
        pattern: &'static str,
        /// The fewest it works with.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// A line of a file of pairs or of hosts.
    #[error("line {line}: {reason}: {text}")]
    Line {
        /// 1-based; 0 where the file as a whole is meant.
        line: usize,
        /// What is wrong.
        reason: String,
        /// The offending text.
        text: String,
    },
}

/// The names that may have been meant, in words; all of them where none is near.
pub(super) fn nearest_or_all(name: &str, all: &[&str]) -> String {
    match nearest(name, all.iter().copied(), 3)[..] {
        [] => format!("there are {}", all.join(", ")),
        ref near => format!("did you mean {}?", near.join(" or ")),
    }
}
