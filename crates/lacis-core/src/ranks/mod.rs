//! Ranks: which hosts take part, in which order, and which port sends to which.

mod flow;

pub use flow::Flow;
