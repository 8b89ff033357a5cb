//! What engines share.

pub(in crate::routing) mod channels;
pub(in crate::routing) mod dependency_graph;
pub(in crate::routing) mod destination_order;
pub(in crate::routing) mod destinations;
pub(crate) mod discovered;
pub(in crate::routing) mod follow;
pub(in crate::routing) mod glibc_random;
pub(in crate::routing) mod heap;
pub(in crate::routing) mod hop_weights;
pub(in crate::routing) mod hops_by_destination;
pub(in crate::routing) mod hops_from;
pub(in crate::routing) mod options;
pub(in crate::routing) mod port_choice;
pub(in crate::routing) mod shared_lid;
pub(in crate::routing) mod shortest_links;
pub(in crate::routing) mod sweep;
pub(in crate::routing) mod transpose;
pub(in crate::routing) mod updown_bfs;
