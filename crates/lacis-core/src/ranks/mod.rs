//! Ranks: which hosts take part, in which order, and where each rank runs.
//!
//! [`select`] finds the hosts that have an adapter on the chosen [`Rails`], an [`Order`] sorts them, and
//! [`participants`] does both: the [`Participants`] are the hosts and their ports, numbered. [`Ranks`] is an explicit
//! map from each rank to its host, its rail and its core; it says by which ports two ranks exchange a message,
//! a [`Flow`].
//!
//! No engine is asked here: an order of leaves that suits some tables is an argument.

mod error;
mod exchanges;
mod flow;
mod groups;
mod host_file;
mod listed;
mod order;
mod participants;
mod rank_map;
mod select;

pub use error::RanksError;
pub use flow::Flow;
pub use groups::Groups;
pub use host_file::{host_file, hosts_of_ranks};
pub(crate) use listed::{HostNames, cut, words};
pub use listed::{find_hosts, listed_hosts, listed_names};
pub use order::Order;
pub use participants::{HostPorts, Participants};
pub use rank_map::{Delivery, Location, Ranks};
pub use select::{Rails, Selection, by_name, participants, select};
