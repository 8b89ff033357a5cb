//! Why traffic is refused.

use crate::nearest::nearest;
use crate::ranks::RanksError;

/// A pattern, a program or a list of pairs that is invalid, in itself or on this fabric.
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
    /// A line of a file of pairs or of a trace.
    #[error("line {line}: {reason}: {text}")]
    Line {
        /// 1-based; 0 where the file as a whole is meant.
        line: usize,
        /// What is wrong.
        reason: String,
        /// The offending text.
        text: String,
    },
    /// A program of messages without a byte.
    #[error("messages of a program are of 1 byte or more")]
    EmptyMessages,
    /// A pattern, which is one of hosts, for several ranks a host.
    #[error("ranks are of message programs, and traffic \"{pattern}\" is a pattern")]
    PatternOfRanks {
        /// As typed.
        pattern: String,
    },
    /// Hosts or ranks that cannot be chosen.
    #[error(transparent)]
    Ranks(#[from] RanksError),
}

/// The names that may have been meant, in words; all of them where none is near.
pub(super) fn nearest_or_all(name: &str, all: &[&str]) -> String {
    match nearest(name, all.iter().copied(), 3)[..] {
        [] => format!("there are {}", all.join(", ")),
        ref near => format!("did you mean {}?", near.join(" or ")),
    }
}
