//! Counters of ports, as far as a source has them: one value for each port and counter.

use super::PortId;

macro_rules! counters {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $sort:ident;)*) => {
        /// A counter of a port. InfiniBand's are those of `PortCounters` and its extended form, Omni-Path's those of
        /// `PortStatus`; a counter that both have is one here.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Counter {
            $($(#[doc = $doc])+ $variant,)*
        }

        impl Counter {
            /// Every counter.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The stable name, as Omni-Path's snapshots and `perfquery` spell it: `LinkDowned`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it counts.
            pub fn sort(self) -> CounterSort {
                match self { $(Self::$variant => CounterSort::$sort,)* }
            }
        }
    };
}

/// What a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CounterSort {
    /// Errors of the link or the port.
    Error,
    /// Traffic: data, packets.
    Traffic,
    /// Waiting and congestion: nothing is broken.
    Congestion,
    /// A grade rather than a count: more is better.
    Quality,
}

counters! {
    /// Symbols received with an error.
    SymbolErrors "SymbolErrors" Error;
    /// Successful recoveries of the link.
    LinkErrorRecovery "LinkErrorRecovery" Error;
    /// How often the link went down.
    LinkDowned "LinkDowned" Error;
    /// Packets received with an error.
    RcvErrors "RcvErrors" Error;
    /// Packets received that were marked bad on the way.
    RcvRemotePhysicalErrors "RcvRemotePhysicalErrors" Error;
    /// Packets received that no table could forward.
    RcvSwitchRelayErrors "RcvSwitchRelayErrors" Error;
    /// Packets that could not be sent.
    XmitDiscards "XmitDiscards" Error;
    /// Packets not sent for a partition key or a raw filter.
    XmitConstraintErrors "XmitConstraintErrors" Error;
    /// Packets dropped on receipt for a partition key or a raw filter.
    RcvConstraintErrors "RcvConstraintErrors" Error;
    /// How often local errors passed their threshold.
    LocalLinkIntegrityErrors "LocalLinkIntegrityErrors" Error;
    /// Overruns of the buffer beyond its threshold.
    ExcessiveBufferOverruns "ExcessiveBufferOverruns" Error;
    /// Management packets dropped for lack of a buffer.
    Vl15Dropped "VL15Dropped" Error;
    /// Errors of the manager's configuration of the link (Omni-Path).
    FmConfigErrors "FMConfigErrors" Error;
    /// Errors inside the port that could not be corrected (Omni-Path).
    UncorrectableErrors "UncorrectableErrors" Error;
    /// Blocks that forward error correction could not mend (InfiniBand).
    FecUncorrectable "FecUncorrectable" Error;
    /// Symbols that were still wrong after error correction (InfiniBand).
    EffectiveErrors "EffectiveErrors" Error;
    /// Data sent: words of 4 bytes on InfiniBand, flits of 8 bytes on Omni-Path.
    XmitData "XmitData" Traffic;
    /// Data received, in the same unit.
    RcvData "RcvData" Traffic;
    /// Packets sent.
    XmitPkts "XmitPkts" Traffic;
    /// Packets received.
    RcvPkts "RcvPkts" Traffic;
    /// Multicast packets sent.
    MulticastXmitPkts "MulticastXmitPkts" Traffic;
    /// Multicast packets received.
    MulticastRcvPkts "MulticastRcvPkts" Traffic;
    /// Unicast packets sent (InfiniBand).
    UnicastXmitPkts "UnicastXmitPkts" Traffic;
    /// Unicast packets received (InfiniBand).
    UnicastRcvPkts "UnicastRcvPkts" Traffic;
    /// Ticks in which a packet waited to be sent.
    XmitWait "XmitWait" Congestion;
    /// Packets discarded for congestion (Omni-Path).
    CongDiscards "CongDiscards" Congestion;
    /// Packets received with a mark of congestion ahead.
    RcvFecn "RcvFECN" Congestion;
    /// Packets received with a mark of congestion behind.
    RcvBecn "RcvBECN" Congestion;
    /// Time in congestion (Omni-Path).
    XmitTimeCong "XmitTimeCong" Congestion;
    /// Bandwidth wasted (Omni-Path).
    XmitWastedBw "XmitWastedBW" Congestion;
    /// Waiting within packets (Omni-Path).
    XmitWaitData "XmitWaitData" Congestion;
    /// Bubbles received (Omni-Path).
    RcvBubble "RcvBubble" Congestion;
    /// Packets marked with congestion (Omni-Path).
    MarkFecn "MarkFECN" Congestion;
    /// The quality of the link, 0 (worst) to 5 (best) (Omni-Path).
    LinkQuality "LinkQualityIndicator" Quality;
}

/// The value of one counter of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortCount {
    /// The port.
    pub port: PortId,
    /// The counter.
    pub counter: Counter,
    /// Its value.
    pub value: u64,
}

/// The counters of a fabric's ports: those that its source has, by port and counter. A counter that is 0 is kept, since a
/// port without any is not known to be clean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortCounters {
    /// By port, then by counter; at most one value each.
    pub(super) counts: Vec<PortCount>,
    /// Seconds since 1970 at which they were read, as far as the source says.
    pub read_at: Option<u64>,
}

impl PortCounters {
    /// Whether the source has none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// All values, by port and counter.
    pub fn each(&self) -> &[PortCount] {
        &self.counts
    }

    /// The values of one port; none where the source does not have the port.
    pub fn of(&self, port: PortId) -> &[PortCount] {
        let first = self.counts.partition_point(|count| count.port < port);
        let end = first + self.counts[first..].partition_point(|count| count.port == port);
        &self.counts[first..end]
    }

    /// One value.
    pub fn value(&self, port: PortId, counter: Counter) -> Option<u64> {
        self.of(port).iter().find(|count| count.counter == counter).map(|count| count.value)
    }

    /// The counters after `ports` says where each port is now; those of ports that are gone are left out.
    pub(super) fn moved(&self, new_port: impl Fn(PortId) -> Option<PortId>) -> Self {
        let counts =
            self.counts.iter().filter_map(|&count| Some(PortCount { port: new_port(count.port)?, ..count }));
        Self::of_counts(counts.collect(), self.read_at)
    }

    /// Sorts the values; the last value of a port and counter counts.
    pub(super) fn of_counts(mut counts: Vec<PortCount>, read_at: Option<u64>) -> Self {
        counts.sort_by_key(|count| (count.port, count.counter));
        counts.dedup_by(|later, earlier| {
            let same = (later.port, later.counter) == (earlier.port, earlier.counter);
            if same {
                earlier.value = later.value;
            }
            same
        });
        Self { counts, read_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_port_and_counter_counts() {
        let count = |port, counter, value| PortCount { port: PortId(port), counter, value };
        let counts = vec![
            count(7, Counter::LinkDowned, 1),
            count(3, Counter::XmitWait, 9),
            count(7, Counter::LinkDowned, 2),
            count(7, Counter::SymbolErrors, 0),
        ];
        let all = PortCounters::of_counts(counts, Some(5));
        assert_eq!(all.of(PortId(7)), [count(7, Counter::SymbolErrors, 0), count(7, Counter::LinkDowned, 2)]);
        assert_eq!(
            (all.value(PortId(3), Counter::XmitWait), all.value(PortId(4), Counter::XmitWait)),
            (Some(9), None)
        );
        let moved = all.moved(|port| (port != PortId(3)).then_some(PortId(1)));
        assert_eq!((moved.each().len(), moved.value(PortId(1), Counter::LinkDowned)), (2, Some(2)));
    }

    #[test]
    fn every_name_is_of_one_counter() {
        let mut names: Vec<_> = Counter::ALL.iter().map(|counter| counter.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Counter::ALL.len());
    }
}
