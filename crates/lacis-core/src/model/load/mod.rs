//! Load: how many flows share each link, counted exactly; no rates.
//!
//! | here      | meaning                                                                       |
//! |-----------|-------------------------------------------------------------------------------|
//! | link      | a directed link, named by its egress port; host links count like any other    |
//! | `k`       | contention of a flow: the greatest number of flows on a link of its path      |
//! | `1 / k`   | its relative bandwidth in this model                                          |
//!
//! The model is the one behind the *effective bisection bandwidth* (T. Hoefler, T. Schneider,
//! A. Lumsdaine, "Multistage switches are not crossbars", IEEE Cluster 2008): a flow's relative
//! bandwidth is the inverse of the greatest congestion on its path, and the effective bisection
//! bandwidth the mean of it over random bisections. Flows without a route are counted apart and
//! load nothing.

mod all_pairs;
mod count;
mod ideal;
mod lanes;
mod links;
mod multipath;
mod pairs;
mod paths;
mod rail;
mod shifts;
#[cfg(test)]
pub(crate) mod testing;
mod worst;

pub use all_pairs::{AllPairs, all_pairs};
pub use count::Contention;
pub use ideal::{GAP, Ideal, Split};
pub use lanes::Ask;
pub use links::{LinkId, Links, SINK};
pub use multipath::{FAR, Multipath, Spray, hops_to};
pub use pairs::{PairCounter, PairPaths};
pub use paths::{Paths, Steps};
pub use shifts::{Counted, Shift, Shifts, shifts};
pub use worst::Crossings;
