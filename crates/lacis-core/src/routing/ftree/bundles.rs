//! The cables from a switch to its neighbours, bundled by neighbour, with what was routed over them.

/// The cables from one switch to one neighbour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bundle {
    /// Targets routed over the bundle.
    pub(super) count: u32,
    /// Place of the neighbour's index among all indices; equal for all neighbours without one.
    pub(super) place: u32,
    /// The switch at the other end.
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
    bundles: Vec<Bundle>,
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
        let start = self.bundles.len();
        for &(neighbour, _) in cables {
            if self.bundles[start..].iter().any(|b| b.neighbour == neighbour) {
                continue;
            }
            let first = self.ports.len();
            self.ports.extend(cables.iter().filter(|c| c.0 == neighbour).map(|c| c.1));
            self.bundles.push(Bundle {
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
        self.first.push(self.bundles.len() as u32);
    }

    /// Where a switch's bundles lie.
    pub(super) fn range(&self, switch: u32) -> (u32, u32) {
        (self.first[switch as usize], self.first[switch as usize + 1])
    }

    /// A switch's bundles in their present order.
    pub(super) fn of(&self, switch: u32) -> &[Bundle] {
        let (start, end) = self.range(switch);
        &self.bundles[start as usize..end as usize]
    }

    /// One bundle.
    #[inline]
    pub(super) fn at(&self, ix: u32) -> Bundle {
        self.bundles[ix as usize]
    }

    /// Tells every bundle the place of its neighbour's index.
    pub(super) fn set_places(&mut self, place: &[u32]) {
        for bundle in &mut self.bundles {
            bundle.place = place[bundle.neighbour as usize];
        }
    }

    /// Sorts a switch's bundles by the neighbours' tuples.
    pub(super) fn sort_by_tuple(&mut self, switch: u32, tuple: &[u64]) {
        let (start, end) = self.range(switch);
        self.bundles[start as usize..end as usize].sort_by_key(|b| tuple[b.neighbour as usize]);
    }

    /// Sorts a switch's bundles by use, then by index. Few have moved since the last time, so an
    /// insertion sort it is.
    pub(super) fn sort(&mut self, start: u32, end: u32) {
        let bundles = &mut self.bundles[start as usize..end as usize];
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
            let wanted = other.bundles[ix].neighbour;
            if let Some(at) = self.bundles[ix..end].iter().position(|b| b.neighbour == wanted) {
                self.bundles.swap(ix, ix + at);
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
        self.bundles[ix as usize].count += 1;
    }

    /// Counts a target over one cable of a bundle alone.
    #[inline]
    pub(super) fn count_cable(&mut self, ix: u32, cable: u8) {
        let bundle = &mut self.bundles[ix as usize];
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
