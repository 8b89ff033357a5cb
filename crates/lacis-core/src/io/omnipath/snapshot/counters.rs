//! The counters of a port.

use super::dump::{Snapshot, SnapshotPort};
use crate::fabric::Counter;

/// Names of the counters of a port, in the order of [`Counters`]; `XmitData` and `RcvData` count flits of 8 bytes.
pub const COUNTERS: [&str; 28] = [
    "XmitData",
    "RcvData",
    "XmitPkts",
    "RcvPkts",
    "MulticastXmitPkts",
    "MulticastRcvPkts",
    "XmitWait",
    "CongDiscards",
    "RcvFECN",
    "RcvBECN",
    "XmitTimeCong",
    "XmitWastedBW",
    "XmitWaitData",
    "RcvBubble",
    "MarkFECN",
    "RcvConstraintErrors",
    "RcvSwitchRelayErrors",
    "XmitDiscards",
    "XmitConstraintErrors",
    "RcvRemotePhysicalErrors",
    "LocalLinkIntegrityErrors",
    "RcvErrors",
    "ExcessiveBufferOverruns",
    "FMConfigErrors",
    "LinkErrorRecovery",
    "LinkDowned",
    "UncorrectableErrors",
    "LinkQualityIndicator",
];

/// The values of [`COUNTERS`].
pub type Counters = [u64; COUNTERS.len()];

impl Snapshot {
    /// The counters of a port, if the snapshot has them.
    pub(super) fn counts(&self, port: &SnapshotPort) -> impl Iterator<Item = (Counter, u64)> {
        let values = port.counters.and_then(|at| self.counters.get(at as usize));
        let named = values.into_iter().flat_map(|values| COUNTERS.iter().zip(values));
        named.filter_map(|(&name, &value)| {
            let counter = Counter::ALL.iter().find(|counter| counter.name() == name)?;
            Some((*counter, value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counter_of_a_snapshot_is_known() {
        for name in COUNTERS {
            assert!(Counter::ALL.iter().any(|counter| counter.name() == name), "{name}");
        }
    }
}
