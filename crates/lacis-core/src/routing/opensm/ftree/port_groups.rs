//! The cables from a switch to its neighbours, bundled by neighbour, with what was routed over them.

/// Stands for an adapter in the place of a switch at the other end.
pub(super) const ADAPTER: u32 = u32::MAX;

/// The cables from one switch to one neighbour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bundle {
    /// Targets routed over the bundle.
    pub(super) count: u32,
    /// Place of the neighbour's index among all indices; [`u32::MAX`] for neighbours without one.
    pub(super) place: u32,
    /// The switch at the other end, or [`ADAPTER`]: each of those is a bundle of its own.
    pub(super) neighbour: u32,
    /// Where the bundle's cables begin in [`Bundles::used`].
    first: u32,
    /// Number of cables.
    pub(super) size: u8,
    /// The least used cable: the first of equals.
    pub(super) least: u8,
    /// The neighbour's port number of that cable.
    pub(super) port: u8,
}

impl Bundle {
    /// Least used first, then by the neighbour's index.
    fn key(&self) -> u64 {
        u64::from(self.count) << 32 | u64::from(self.place)
    }
}

/// The bundles of all switches in one direction.
///
/// A switch's bundles are contiguous, and kept in OpenSM's current order: at first that of their
/// lowest ports; then as last sorted, equals keeping their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Bundles {
    first: Vec<u32>,
    all: Vec<Bundle>,
    /// Per cable: targets routed over it.
    used: Vec<u32>,
    /// Per cable: the port number at the neighbour, ascending by the own port.
    ports: Vec<u8>,
}

impl Bundles {
    /// Adds the next switch with its cables as `(neighbour, port at the neighbour)` by own port.
    pub(super) fn push(&mut self, cables: &[(u32, u8)]) {
        if self.first.is_empty() {
            self.first.push(0);
        }
        let start = self.all.len();
        for &(neighbour, _) in cables {
            let first = self.ports.len();
            if neighbour == ADAPTER {
                self.ports.push(0);
            } else if self.all[start..].iter().any(|b| b.neighbour == neighbour) {
                continue;
            } else {
                self.ports.extend(cables.iter().filter(|c| c.0 == neighbour).map(|c| c.1));
            }
            self.all.push(Bundle {
                count: 0,
                place: 0,
                neighbour,
                first: first as u32,
                size: (self.ports.len() - first) as u8,
                least: 0,
                port: self.ports[first],
            });
        }
        self.used.resize(self.ports.len(), 0);
        self.first.push(self.all.len() as u32);
    }

    /// Where a switch's bundles lie.
    pub(super) fn range(&self, switch: u32) -> (u32, u32) {
        (self.first[switch as usize], self.first[switch as usize + 1])
    }

    /// A switch's bundles in their present order.
    pub(super) fn of(&self, switch: u32) -> &[Bundle] {
        let (start, end) = self.range(switch);
        &self.all[start as usize..end as usize]
    }

    /// One bundle.
    #[inline]
    pub(super) fn at(&self, ix: u32) -> Bundle {
        self.all[ix as usize]
    }

    /// The same bundles but for those to adapters, in the same order.
    pub(super) fn without_adapters(&self) -> Self {
        let mut out = Self { first: vec![0], all: Vec::new(), ..self.clone() };
        for switch in 0..self.first.len() as u32 - 1 {
            out.all.extend(self.of(switch).iter().filter(|b| b.neighbour != ADAPTER));
            out.first.push(out.all.len() as u32);
        }
        out
    }

    /// Tells every bundle the place of its neighbour's index, by switch.
    pub(super) fn set_places(&mut self, place: &[u32]) {
        for bundle in &mut self.all {
            bundle.place = place.get(bundle.neighbour as usize).copied().unwrap_or(u32::MAX);
        }
    }

    /// Sorts a switch's bundles by the neighbours' tuples, adapters last.
    pub(super) fn sort_by_tuple(&mut self, switch: u32, tuple: &[u64]) {
        let (start, end) = self.range(switch);
        let of = |neighbour| tuple.get(neighbour as usize).copied().unwrap_or(u64::MAX);
        self.all[start as usize..end as usize].sort_by_key(|b| of(b.neighbour));
    }

    /// Sorts a switch's bundles by use, then by index. Few have moved since the last time, so an
    /// insertion sort it is.
    pub(super) fn sort(&mut self, start: u32, end: u32) {
        let bundles = &mut self.all[start as usize..end as usize];
        for i in 1..bundles.len() {
            let bundle = bundles[i];
            let mut hole = i;
            while hole > 0 && bundles[hole - 1].key() > bundle.key() {
                bundles[hole] = bundles[hole - 1];
                hole -= 1;
            }
            bundles[hole] = bundle;
        }
    }

    /// Puts a switch's bundles into the order that they have in another table of the same cables.
    pub(super) fn align(&mut self, other: &Self, start: u32, end: u32) {
        let (start, end) = (start as usize, end as usize);
        for ix in start..end {
            let wanted = other.all[ix].neighbour;
            if let Some(at) = self.all[ix..end].iter().position(|b| b.neighbour == wanted) {
                self.all.swap(ix, ix + at);
            }
        }
    }

    /// Where the bundle to a neighbour is at present.
    pub(super) fn position(&self, switch: u32, neighbour: u32) -> Option<u32> {
        let at = self.of(switch).iter().position(|b| b.neighbour == neighbour)?;
        Some(self.range(switch).0 + at as u32)
    }

    /// Counts a target over a bundle alone.
    #[inline]
    pub(super) fn count_bundle(&mut self, ix: u32) {
        self.all[ix as usize].count += 1;
    }

    /// Counts a target over one cable of a bundle alone.
    #[inline]
    pub(super) fn count_cable(&mut self, ix: u32, cable: u8) {
        let bundle = &mut self.all[ix as usize];
        if bundle.size == 1 {
            return;
        }
        let cables = bundle.first as usize..bundle.first as usize + usize::from(bundle.size);
        self.used[cables.start + usize::from(cable)] += 1;
        let mut least = cables.start;
        for c in cables.clone() {
            if self.used[c] < self.used[least] {
                least = c;
            }
        }
        bundle.least = (least - cables.start) as u8;
        bundle.port = self.ports[least];
    }
}
