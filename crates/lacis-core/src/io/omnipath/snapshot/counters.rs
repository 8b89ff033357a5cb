//! The counters of a port.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Counter;

    #[test]
    fn every_counter_of_a_snapshot_is_known() {
        for name in COUNTERS {
            assert!(Counter::ALL.iter().any(|counter| counter.name() == name), "{name}");
        }
    }
}
