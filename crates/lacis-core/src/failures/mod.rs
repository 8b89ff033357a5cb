//! Change: what a subnet manager does when cables and nodes fail and come back.
//!
//! A [`Managed`] fabric has been swept once. [`Managed::after`] applies events to it and lets its managers
//! sweep once more, as OpenSM 3.3.23 does (`sweep.rs`); [`entries`] counts the table entries that this
//! changes and [`Survivors`] the pairs that it costs. [`Survey`] lets every cable and every switch fail
//! alone. [`cut_off`] finds those that no tables survive.
//!
//! Nodes and ports always keep their numbers of the *whole* fabric: what is gone is still there, without a
//! cable. So tables, LIDs and ports of before and after can be compared directly.

mod change;
mod cut_off;
mod entries;
mod event;
mod link_state;
mod names;
mod pairs;
mod single_failures;
mod sweep;
mod ucast_cache;

pub use change::{Change, ChangeError, Kind};
pub use cut_off::{CutOff, cut_off};
pub use entries::{Entries, entries};
pub use event::Event;
pub use link_state::Present;
pub use names::Names;
pub use pairs::{Losses, Lost, PairFate, Survivors};
pub use single_failures::{Baseline, Damage, Failing, Interrupted, Proof, Survey, shifts_of};
pub use sweep::{Managed, Mode, Resweep};
