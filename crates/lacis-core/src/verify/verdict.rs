//! The closed list of verdicts on a packet.

/// How a packet's path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// At the port that owns the destination LID.
    Delivered,
    /// At a switch whose table has no entry for the LID.
    NoEntry,
    /// At a port without a cable, or that the switch does not have.
    DeadPort,
    /// Never: switches forward it in a loop.
    Loop,
    /// At an end port that does not own the LID.
    WrongPort,
    /// Nowhere: the destination has no LID.
    UnknownLid,
}

impl Verdict {
    /// The closed list.
    pub const ALL: [Self; 6] =
        [Self::Delivered, Self::NoEntry, Self::DeadPort, Self::Loop, Self::WrongPort, Self::UnknownLid];

    /// Its name in results: `no_entry`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::NoEntry => "no_entry",
            Self::DeadPort => "dead_port",
            Self::Loop => "loop",
            Self::WrongPort => "wrong_port",
            Self::UnknownLid => "unknown_lid",
        }
    }
}

/// Pairs per verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerdictCounts([u64; Verdict::ALL.len()]);

impl VerdictCounts {
    /// Pairs with this verdict.
    pub fn get(&self, verdict: Verdict) -> u64 {
        self.0[verdict as usize]
    }

    /// All pairs.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Pairs that are not delivered.
    pub fn failed(&self) -> u64 {
        self.total() - self.get(Verdict::Delivered)
    }

    pub(super) fn add(&mut self, verdict: Verdict, pairs: u64) {
        self.0[verdict as usize] += pairs;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a += b;
        }
    }
}
