//! What to simulate, besides the traffic.

use super::settings::Settings;

/// The hardware and how runs are made.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulationRequest {
    /// The hardware.
    pub settings: Settings,
    /// Seed of random patterns.
    pub seed: u64,
    /// Whether flows that the tables lead in circles are simulated, too.
    pub circles: bool,
    /// Whether a record of every message is kept.
    pub record: bool,
}
