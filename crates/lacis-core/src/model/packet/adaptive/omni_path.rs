//! The settings of Omni-Path's adaptive routing.

/// How a switch chooses the port that a LID is moved to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// 0: any port.
    Random,
    /// 1: the port of least load.
    Greedy,
    /// 2: at random among the ports of least load.
    GreedyRandom,
}

/// The settings of Omni-Path's adaptive routing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmniPath {
    /// How ports are chosen.
    pub algorithm: Algorithm,
    /// 0 to 7: the greater, the sooner a port counts as congested.
    pub threshold: u8,
    /// Least time between two adjustments (ps).
    pub period: u64,
    /// Whether LIDs are moved for lost links alone.
    pub lost_route_only: bool,
}

impl OmniPath {
    /// The least time between adjustments for a frequency of 0 to 7: 64 ms, doubled by each step (ps).
    pub fn period_of(frequency: u8) -> u64 {
        64_000_000_000 << frequency.min(7)
    }

    /// How full a buffer is when a port counts as congested [%].
    pub fn percent(self) -> u64 {
        [80, 100, 90, 80, 70, 65, 60, 55][usize::from(self.threshold & 7)]
    }
}

impl Default for OmniPath {
    /// The values in the manager's file as shipped.
    fn default() -> Self {
        Self {
            algorithm: Algorithm::GreedyRandom,
            threshold: 3,
            period: Self::period_of(0),
            lost_route_only: false,
        }
    }
}
