//! How many table entries a change costs.

use rayon::prelude::*;

use super::sweep::Managed;
use crate::fabric::NodeId;
use crate::sm::NO_ENTRY;

/// Table entries that differ, over the switches that are there before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// (switch, assigned LID) entries that are compared.
    pub compared: u64,
    /// Another port than before.
    pub rerouted: u64,
    /// A port before, none now.
    pub lost: u64,
    /// No port before, one now.
    pub gained: u64,
    /// Switches with any such entry.
    pub switches: u64,
}

impl Entries {
    /// All that differ.
    pub fn changed(&self) -> u64 {
        self.rerouted + self.lost + self.gained
    }

    fn add(self, other: Self) -> Self {
        Self {
            compared: self.compared + other.compared,
            rerouted: self.rerouted + other.rerouted,
            lost: self.lost + other.lost,
            gained: self.gained + other.gained,
            switches: self.switches + other.switches,
        }
    }
}

/// The entries that differ. A switch that was gone begins with none.
pub fn entries(before: &Managed, after: &Managed) -> Entries {
    let lids = after.routes().lids.assigned().len() as u64;
    let of_switch = |s: NodeId| {
        let mut entries = Entries { compared: lids, ..Entries::default() };
        let (old, new) = (before.routes().lft.row(s), after.routes().lft.row(s));
        if old != new {
            for (&old, &new) in old.iter().zip(new).filter(|(old, new)| old != new) {
                let class = match (old, new) {
                    (_, NO_ENTRY) => &mut entries.lost,
                    (NO_ENTRY, _) => &mut entries.gained,
                    _ => &mut entries.rerouted,
                };
                *class += 1;
            }
            entries.switches = 1;
        }
        entries
    };
    let there = |s: &NodeId| after.present().has(*s);
    let switches: Vec<NodeId> = after.fabric().switches().filter(there).collect();
    switches.into_par_iter().map(of_switch).reduce(Entries::default, Entries::add)
}
