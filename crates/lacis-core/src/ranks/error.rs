//! Why a choice of hosts or a map of ranks is refused.

/// An order, a group, a rail, a list of hosts or a map of ranks that is invalid, in itself or on this fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RanksError {
    /// An order that does not exist.
    #[error(
        "unknown order \"{text}\"; there are name, lid, topology, eventree, eventree-exchanges and file:PATH"
    )]
    UnknownOrder {
        /// As typed.
        text: String,
    },
    /// A tree that has no order of hosts in which shifts and exchanges are both free of contention by any rule that is known.
    #[error("no order for exchanges: {reason}")]
    NoExchangeOrder {
        /// What stands against it.
        reason: String,
    },
    /// A rail that no adapter is on.
    #[error("no adapter on rail {text}{}", match rails { 0 => String::new(), 1 => "; there is rail 1 alone".into(), n => format!("; rails are numbered 1 to {n}") })]
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
    /// A line of a file of hosts.
    #[error("line {line}: {reason}: {text}")]
    Line {
        /// 1-based; 0 where the file as a whole is meant.
        line: usize,
        /// What is wrong.
        reason: String,
        /// The offending text.
        text: String,
    },
    /// A map of ranks that names a host which does not take part.
    #[error("rank {rank} is on host number {host}, and {hosts} hosts take part, numbered from 0")]
    NoSuchHost {
        /// The rank.
        rank: u32,
        /// The number of the host that it is said to run on.
        host: u32,
        /// How many hosts take part.
        hosts: usize,
    },
    /// A map of ranks that names a rail which its host lacks.
    #[error("rank {rank} uses rail {rail}, which {host} lacks")]
    LacksRail {
        /// The rank.
        rank: u32,
        /// The host's name.
        host: String,
        /// The rail, from 0.
        rail: u32,
    },
    /// A map with two ranks on one core.
    #[error("ranks {first} and {second} are both on core {core} of {host}")]
    SharedCore {
        /// The lower rank.
        first: u32,
        /// The higher rank.
        second: u32,
        /// The host's name.
        host: String,
        /// The core, from 0.
        core: u32,
    },
}
