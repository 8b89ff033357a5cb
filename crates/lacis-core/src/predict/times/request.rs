//! What to time.

use crate::model::load::Multipath;
use crate::qos::Lanes;

/// What is assumed, and how much is reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimesRequest {
    /// Seed of the random patterns.
    pub seed: u64,
    /// Share of a host link's rate that a host can use, 1 for all.
    pub host_efficiency: f64,
    /// Share of every link's rate that carries payload, 1 for all.
    pub link_efficiency: f64,
    /// Rate at which the ranks of a host exchange messages, all together [bytes/s].
    pub local_rate: f64,
    /// Lanes by which links are divided first; none: all messages of a link share it alike.
    pub lanes: Option<Lanes>,
    /// How many of the hottest links to report.
    pub hottest: usize,
    /// How a path is chosen where there are several.
    pub multipath: Multipath,
}
