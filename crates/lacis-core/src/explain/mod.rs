//! Explanation: what was measured between hosts against what the tables predict, and what the difference shows.
//!
//! | file        | what it holds                                                                       |
//! |-------------|-------------------------------------------------------------------------------------|
//! | `by_link`   | what the flows that cross each link lack: a map                                      |
//! | `observed`  | measured flows on the fabric's hosts, repeats summed up                             |
//! | `robust`    | medians, deviations and quantiles of all of these                                    |
//! | `residuals` | the links of each flow, what it is expected to reach, and by how much it falls short |
//! | `sharing`   | the most that sharing gives a flow                                                   |
//! | `tables`    | which of several tables the measured rates are consistent with                      |
//! | `structure` | what a matrix shows without tables                                                  |
//! | `localise`  | the links, hosts and switches that make flows slow                                    |
//! | `fitness`   | whether tables and flows agree well enough to blame anyone                            |
//! | `speeds`    | rates that a slow link may have negotiated                                            |
//!
//! Results are flat arrays by flow. A flow's *loss* is ln(expected ÷ measured) for rates and ln(measured ÷ expected) for
//! times: 0 if it is as expected, 0.69 at half the rate.

mod by_link;
mod fitness;
#[cfg(test)]
mod fitness_tests;
mod localise;
mod observed;
#[cfg(test)]
mod residual_tests;
mod residuals;
mod robust;
mod sharing;
mod speeds;
pub mod structure;
mod tables;

pub use by_link::LinkLosses;
pub use fitness::{Beyond, Doubt, Fitness, SlowShare};
pub use localise::{
    ASKED, FaultSite, FoundSuspect, Limits, Located, PartialFault, Spell, Suspect, SuspectGroup, locate,
};
pub use observed::{ALONE, LeftOut, NO_HOST, Observed, Quantity, Values};
pub use residuals::{FlowClass, Residuals};
pub use speeds::slower;
pub use tables::{Candidate, CandidateFit, Ranking, rank};
