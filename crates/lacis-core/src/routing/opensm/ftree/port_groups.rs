//! Port groups: the cables from a switch to one neighbour, and how many destinations were routed over them.

/// Stands for an adapter where a group's neighbour is named. Each adapter port is one group.
pub(super) const CA: u32 = u32::MAX;

/// Counter of destinations that a walk down reached over a group: packets to them go up its cables.
pub(super) const UP: usize = 0;
/// Counter of destinations that a walk up reached over a group: packets to them go down its cables.
pub(super) const DOWN: usize = 1;

/// The cables from one switch to one neighbour.
#[derive(Clone, Copy, Debug)]
pub(super) struct PortGroup {
    /// The switch at the other end, or [`CA`].
    pub neighbour: u32,
    /// Destinations routed over the group, by direction: [`UP`], [`DOWN`].
    pub count: [u32; 2],
    /// Its first cable in [`DirectionGroups::cables`].
    first: u32,
    /// How many cables it has.
    pub size: u8,
}

/// One cable of a group.
#[derive(Clone, Copy, Debug)]
struct GroupCable {
    /// The port number at the neighbour.
    port: u8,
    /// Destinations routed over the cable, by direction.
    count: [u32; 2],
}

/// The indices of one switch's groups among all.
pub(super) type Range = std::ops::Range<usize>;

/// The groups of all switches in one direction. Those of a switch are consecutive, and kept in OpenSM's present
/// order: at first that of their lowest ports, then as last sorted, equals in their previous order.
#[derive(Clone, Debug, Default)]
pub(super) struct DirectionGroups {
    end: Vec<u32>,
    groups: Vec<PortGroup>,
    cables: Vec<GroupCable>,
    /// By the first cable of a group, then by direction: the group's least used cable, of equals the first.
    least: Vec<[u32; 2]>,
}

impl DirectionGroups {
    /// Adds the next switch with its cables as `(neighbour, port at the neighbour)`, by own port.
    pub fn push(&mut self, cables: &[(u32, u8)]) {
        let start = self.groups.len();
        for (i, &(neighbour, _)) in cables.iter().enumerate() {
            if neighbour != CA && self.groups[start..].iter().any(|g| g.neighbour == neighbour) {
                continue;
            }
            let own =
                cables[i..].iter().filter(|c| c.0 == neighbour).take(if neighbour == CA { 1 } else { 255 });
            let first = self.cables.len();
            self.cables.extend(own.map(|&(_, port)| GroupCable { port, count: [0; 2] }));
            self.least.resize(self.cables.len(), [first as u32; 2]);
            let size = (self.cables.len() - first) as u8;
            self.groups.push(PortGroup { neighbour, count: [0; 2], first: first as u32, size });
        }
        self.end.push(self.groups.len() as u32);
    }

    /// The indices of a switch's groups.
    #[inline]
    pub fn range(&self, switch: u32) -> Range {
        let start = (switch as usize).checked_sub(1).map_or(0, |before| self.end[before]);
        start as usize..self.end[switch as usize] as usize
    }

    /// A switch's groups in their present order.
    pub fn of(&self, switch: u32) -> &[PortGroup] {
        &self.groups[self.range(switch)]
    }

    /// The switches at the other ends of a switch's groups.
    pub fn switches(&self, switch: u32) -> impl Iterator<Item = u32> {
        self.of(switch).iter().map(|g| g.neighbour).filter(|&v| v != CA)
    }

    /// The group at an index.
    #[inline]
    pub fn at(&self, ix: usize) -> PortGroup {
        self.groups[ix]
    }

    /// Sorts a switch's groups by the neighbours' tuples, adapters last.
    pub fn sort_by_tuple(&mut self, switch: u32, tuple: &[u64]) {
        let range = self.range(switch);
        self.groups[range].sort_by_key(|g| tuple_of(tuple, g.neighbour));
    }

    /// Sorts groups by a counter, then by the neighbours' tuples. Few have moved since the last time, which
    /// suits an insertion sort.
    pub fn sort_by_count(&mut self, range: Range, direction: usize, tuple: &[u64]) {
        let groups = &mut self.groups[range];
        let key = |g: &PortGroup| (g.count[direction], tuple_of(tuple, g.neighbour));
        for i in 1..groups.len() {
            let moved = groups[i];
            let mut hole = i;
            while hole > 0 && key(&groups[hole - 1]) > key(&moved) {
                groups[hole] = groups[hole - 1];
                hole -= 1;
            }
            groups[hole] = moved;
        }
    }

    /// The least used cable of a group, the first of equals, and its port number at the neighbour.
    #[inline]
    pub fn least_used(&self, group: PortGroup, direction: usize) -> (usize, u8) {
        let least = self.least[group.first as usize][direction] as usize;
        (least, self.cables[least].port)
    }

    /// Counts a destination over a group.
    #[inline]
    pub fn count_group(&mut self, ix: usize, direction: usize) {
        self.groups[ix].count[direction] += 1;
    }

    /// Counts a destination over a cable of a group.
    #[inline]
    pub fn count_cable(&mut self, group: PortGroup, cable: usize, direction: usize) {
        self.cables[cable].count[direction] += 1;
        let all = group.first..group.first + u32::from(group.size);
        if let Some(least) = all.min_by_key(|&other| self.cables[other as usize].count[direction]) {
            self.least[group.first as usize][direction] = least;
        }
    }

    /// The present index of a switch's group towards a neighbour.
    pub fn position(&self, switch: u32, neighbour: u32) -> Option<usize> {
        self.range(switch).find(|&ix| self.groups[ix].neighbour == neighbour)
    }
}

/// The tuple of a neighbour; adapters compare higher than switches.
fn tuple_of(tuple: &[u64], neighbour: u32) -> u64 {
    tuple.get(neighbour as usize).copied().unwrap_or(u64::MAX)
}
