//! One port sending to another.

/// A sender and a receiver, as indices among the ports that take part ([`super::Participants::ports`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flow {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
}
