//! Which switch is at which coordinates of the torus, found from the seed by cables alone.
//!
//! The cells of the torus are its cubes of eight positions, squares in a plane. Cells are gone through in rounds,
//! x fastest, until a round finds nothing; in each cell those switches are located that the ones already
//! located leave no doubt about:
//!
//! 1. where one side of a cell is known and the other is not, the only ring of switches that fits beside it;
//! 2. the switch that two neighbours of a corner share;
//! 3. the switch that goes on straight: it shares no neighbour with the one behind, and one with each at
//!    the side.
//!
//! A switch is given no position where one of its cables would join positions that are no neighbours: around
//! lost cables a ring on the other side of a cell would pass for the one that is looked for. What lost cables still
//! hide then has one position left beside all of its located neighbours. Only where that leaves switches
//! without a position are cables to other positions allowed.
//!
//! On a ring of four the switch ahead and the one behind share a neighbour. So rule 3 does not find it, and the
//! seed has to name both. The order in which switches are found decides which of parallel cables a path
//! takes; on whole tori it is OpenSM 3.3.23's, where its seed has links that grow and no closed ring of four.

use rustc_hash::FxHashMap;

use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, Guid, NodeId};
use crate::io::torus_conf::{Seed, TorusConf};
use crate::sm::TorusMisfit;

/// Coordinates, or steps between them.
type Vector = [i64; 3];

/// In [`Positions::switch_at`] and [`Positions::position_of`]: none.
pub(super) const NONE: u32 = u32::MAX;

/// Where in the torus each switch is. The position of x, y, z is numbered `(z · Y + y) · X + x`.
pub(super) struct Positions {
    /// Lengths of the dimensions.
    pub size: [u32; 3],
    /// Whether they are closed.
    pub closed: [bool; 3],
    /// Switch by position, [`NONE`] where none was found.
    pub switch_at: Vec<u32>,
    /// Position by switch, [`NONE`] where it was not found.
    pub position_of: Vec<u32>,
    /// The switches in the order in which they were found.
    pub found: Vec<NodeId>,
    /// Number of switches that cables connect with the seed's.
    pub reachable: usize,
}

impl Positions {
    /// Locates the switches of a fabric.
    ///
    /// # Errors
    /// When the fabric lacks a switch of each seed.
    pub fn of(fabric: &Fabric, conf: &TorusConf) -> Result<Self, TorusMisfit> {
        let by_guid: FxHashMap<Guid, NodeId> = fabric.switches().map(|s| (fabric.node(s).guid, s)).collect();
        let seed = whole_seed(conf, &by_guid)?;
        let size = conf.dimensions.map(|d| d.radix);
        let graph = SwitchGraph::of(fabric);
        let neighbours = neighbours(&graph);
        let located = |strict: bool| {
            let positions = Self {
                size,
                closed: conf.dimensions.map(|d| d.closed),
                switch_at: vec![NONE; size.iter().product::<u32>() as usize],
                position_of: vec![NONE; fabric.num_switches()],
                found: Vec::new(),
                reachable: 0,
            };
            let mut locator = Locator { neighbours: &neighbours, strict, positions };
            locator.locate_seed(seed, &by_guid);
            locator.locate_rest();
            locator.positions
        };
        let mut positions = located(true);
        let component = graph.components();
        let own = positions.found.first().map(|s| component[s.ix()]);
        let reachable = component.iter().filter(|&&c| Some(c) == own).count();
        if positions.found.len() < reachable {
            let other = located(false);
            if other.found.len() > positions.found.len() {
                positions = other;
            }
        }
        positions.reachable = reachable;
        Ok(positions)
    }

    /// The coordinates of a position.
    pub fn coordinates(&self, position: usize) -> [u32; 3] {
        let ([x, y, _], position) = (self.size, position as u32);
        [position % x, position / x % y, position / (x * y)]
    }

    /// The position at coordinates, which count around.
    fn around(&self, at: Vector) -> usize {
        let [x, y, z] = [0, 1, 2].map(|d| at[d].rem_euclid(self.size[d].into()) as u32);
        ((z * self.size[1] + y) * self.size[0] + x) as usize
    }

    /// The position beside another, `steps` on; around the end of open dimensions too.
    pub fn beside(&self, position: usize, d: usize, steps: i64) -> usize {
        let mut at = self.coordinates(position).map(i64::from);
        at[d] += steps;
        self.around(at)
    }
}

/// The first seed whose switches are all there.
fn whole_seed<'a>(conf: &'a TorusConf, by_guid: &FxHashMap<Guid, NodeId>) -> Result<&'a Seed, TorusMisfit> {
    let active = |d: usize| conf.dimensions[d].radix > 1;
    let mut first = None;
    for seed in &conf.seeds {
        let ends =
            seed.given().filter(|(d, ..)| active(*d)).flat_map(|(.., l)| [(l.line, l.from), (l.line, l.to)]);
        match ends.into_iter().find(|(_, guid)| !by_guid.contains_key(guid)) {
            None => return Ok(seed),
            absent => first = first.or(absent),
        }
    }
    let (line, guid) = first.unwrap_or((conf.line, Guid::NONE));
    Err(TorusMisfit::SeedAbsent { line, guid, seeds: conf.seeds.len() })
}

/// The switches that cables lead to, ascending, each once.
fn neighbours(graph: &SwitchGraph) -> Vec<Vec<u32>> {
    let of = |s: usize| {
        let mut far: Vec<u32> = graph.links(s).map(|l| graph.peer[l]).filter(|&n| n as usize != s).collect();
        far.sort_unstable();
        far.dedup();
        far
    };
    (0..graph.num_switches()).map(of).collect()
}

/// Switches found so far, and what finding more needs.
struct Locator<'a> {
    neighbours: &'a [Vec<u32>],
    /// Whether no cable may lead to a position that is no neighbour.
    strict: bool,
    positions: Positions,
}

impl Locator<'_> {
    fn set(&mut self, at: Vector, switch: u32) {
        let position = self.positions.around(at);
        if self.positions.switch_at[position] == NONE && self.positions.position_of[switch as usize] == NONE {
            self.positions.switch_at[position] = switch;
            self.positions.position_of[switch as usize] = position as u32;
            self.positions.found.push(NodeId(switch));
        }
    }

    fn get(&self, at: Vector) -> Option<u32> {
        Some(self.positions.switch_at[self.positions.around(at)]).filter(|&s| s != NONE)
    }

    fn is_long(&self, d: usize) -> bool {
        self.positions.size[d] > 1
    }

    fn is_free(&self, switch: u32) -> bool {
        self.positions.position_of[switch as usize] == NONE
    }

    /// Whether a switch is free, and may be at that position.
    fn fits(&self, at: Vector, switch: u32) -> bool {
        let position = self.positions.around(at);
        self.is_free(switch)
            && (!self.strict
                || self.positions_of_neighbours(switch).all(|far| self.are_beside(position, far)))
    }

    fn positions_of_neighbours(&self, switch: u32) -> impl Iterator<Item = usize> + '_ {
        let of_neighbours =
            self.neighbours[switch as usize].iter().map(|&n| self.positions.position_of[n as usize]);
        of_neighbours.filter(|&p| p != NONE).map(|p| p as usize)
    }

    fn are_beside(&self, a: usize, b: usize) -> bool {
        self.beside(a).any(|position| position == b)
    }

    /// The positions beside one, around the ends of open dimensions too.
    fn beside(&self, position: usize) -> impl Iterator<Item = usize> + '_ {
        let long = (0..3).filter(|&d| self.is_long(d));
        long.flat_map(move |d| [1, -1].map(|step| self.positions.beside(position, d, step)))
    }

    fn are_neighbours(&self, a: u32, b: u32) -> bool {
        self.neighbours[a as usize].binary_search(&b).is_ok()
    }

    fn common(&self, a: u32, b: u32) -> impl Iterator<Item = u32> + '_ {
        self.neighbours[a as usize].iter().copied().filter(move |&n| self.are_neighbours(b, n))
    }

    /// Locates the switches of the seed.
    fn locate_seed(&mut self, seed: &Seed, by_guid: &FxHashMap<Guid, NodeId>) {
        let origin = seed.datelines.map(|dateline| -i64::from(dateline));
        for (d, grows, link) in seed.given().filter(|(d, ..)| self.positions.size[*d] > 1).collect::<Vec<_>>()
        {
            let mut at = origin;
            at[d] += if grows { 1 } else { -1 };
            for (at, guid) in [(origin, link.from), (at, link.to)] {
                if let Some(switch) = by_guid.get(&guid) {
                    self.set(at, switch.0);
                }
            }
        }
    }

    /// Locates all others that can be.
    fn locate_rest(&mut self) {
        let [x, y, z] = self.positions.size.map(i64::from);
        let mut found = true;
        while std::mem::take(&mut found) {
            for k in 0..z {
                for j in 0..y {
                    for i in 0..x {
                        found |= self.fill([i, j, k]);
                    }
                }
            }
            found |= !found && self.strict && self.locate_in_a_gap();
        }
    }

    /// Locates the first switch that has one free position beside all of its located neighbours; whether there is one.
    /// Not on a single ring, which has no cells, and which OpenSM does not route.
    fn locate_in_a_gap(&mut self) -> bool {
        if (0..3).filter(|&d| self.is_long(d)).count() < 2 {
            return false;
        }
        let only_position = |switch: u32| {
            let first = self.positions_of_neighbours(switch).next()?;
            let mut free: Vec<usize> =
                self.beside(first).filter(|&position| self.positions.switch_at[position] == NONE).collect();
            free.sort_unstable();
            free.dedup();
            let at = |position: usize| self.positions.coordinates(position).map(i64::from);
            only(free.into_iter().map(at).filter(|&at| self.fits(at, switch))).map(|at| (at, switch))
        };
        let switches = 0..self.neighbours.len() as u32;
        let found = switches.filter(|&s| self.is_free(s)).find_map(only_position);
        if let Some((at, switch)) = found {
            self.set(at, switch);
        }
        found.is_some()
    }

    /// Locates what is missing in the cell whose lowest corner is `base`; whether there was something.
    fn fill(&mut self, base: Vector) -> bool {
        let Positions { size, closed, .. } = self.positions;
        if (0..3).any(|d| self.is_long(d) && !closed[d] && base[d] + 1 == i64::from(size[d])) {
            return false;
        }
        let corners = (0..8_u8).filter(|c| (0..3).all(|d| c >> d & 1 == 0 || self.is_long(d)));
        let (known, missing): (Vec<u8>, Vec<u8>) =
            corners.partition(|&c| self.get(corner(base, c)).is_some());
        if missing.is_empty() || known.len() < 2 {
            return false;
        }
        let side = (0..3).find(|&d| {
            let of_missing = missing[0] >> d & 1;
            self.is_long(d)
                && missing.len() == known.len()
                && missing.iter().all(|c| c >> d & 1 == of_missing)
        });
        let mut missing = missing;
        if let Some(d) = side.filter(|&d| !self.is_beside_an_unknown_ring_of_four(base, d, missing[0])) {
            missing = around_a_side(d, &missing);
            let beside: Vec<(u32, Vector)> = missing
                .iter()
                .filter_map(|&c| Some((self.get(corner(base, c ^ 1 << d))?, corner(base, c))))
                .collect();
            if let Some(ring) = self.ring_beside(&beside) {
                for (&c, switch) in missing.iter().zip(ring) {
                    self.set(corner(base, c), switch);
                }
                return true;
            }
        }
        let mut found = false;
        for c in missing {
            if let Some(switch) = self.shared(base, c).or_else(|| self.ahead(base, c)) {
                self.set(corner(base, c), switch);
                found = true;
            }
        }
        found
    }

    /// Whether the located side across d of a cell is half of closed rings of four whose other half is not located:
    /// that half would pass for the missing side.
    fn is_beside_an_unknown_ring_of_four(&self, base: Vector, d: usize, missing: u8) -> bool {
        let located = |c: &u8| (c ^ missing) >> d & 1 == 1;
        let unknown = |e: usize| (0..8).filter(located).all(|c| self.get(beyond(base, c, e)).is_none());
        (0..3).any(|e| e != d && self.is_ring_of_four(e) && unknown(e))
    }

    fn is_ring_of_four(&self, d: usize) -> bool {
        self.positions.closed[d] && self.positions.size[d] == 4
    }

    /// Free switches beside the given ones, for the given positions, in a ring (a pair, where there are two); none
    /// where there are several.
    fn ring_beside(&self, beside: &[(u32, Vector)]) -> Option<Vec<u32>> {
        let mut rings = Vec::new();
        self.extend_ring(beside, &mut Vec::new(), &mut rings);
        (rings.len() == 1).then(|| rings.swap_remove(0))
    }

    fn extend_ring(&self, beside: &[(u32, Vector)], ring: &mut Vec<u32>, rings: &mut Vec<Vec<u32>>) {
        if rings.len() > 1 {
            return;
        }
        let Some(&(next, at)) = beside.get(ring.len()) else {
            if ring.len() == 2 || self.are_neighbours(ring[0], ring[ring.len() - 1]) {
                rings.push(ring.clone());
            }
            return;
        };
        for &switch in &self.neighbours[next as usize] {
            let follows = ring.last().is_none_or(|&last| self.are_neighbours(last, switch));
            if follows && self.fits(at, switch) && !ring.contains(&switch) {
                ring.push(switch);
                self.extend_ring(beside, ring, rings);
                ring.pop();
            }
        }
    }

    /// The only free switch that two neighbours of a corner in its cell share; the other that they share is
    /// located.
    fn shared(&self, base: Vector, c: u8) -> Option<u32> {
        let located = |d: usize| self.get(corner(base, c ^ 1 << d)).filter(|_| self.is_long(d));
        let pairs = [(0, 1), (0, 2), (1, 2)].into_iter();
        let mut pairs = pairs.filter_map(|(d, e)| {
            self.get(corner(base, c ^ 1 << d ^ 1 << e))?;
            Some((located(d)?, located(e)?))
        });
        pairs.find_map(|(a, b)| only(self.common(a, b).filter(|&n| self.fits(corner(base, c), n))))
    }

    /// The one free switch at a corner that goes on straight from a neighbour in its cell.
    fn ahead(&self, base: Vector, c: u8) -> Option<u32> {
        let straight = |d: usize| {
            let near = self.get(corner(base, c ^ 1 << d))?;
            let sides: Option<Vec<u32>> = (0..3)
                .filter(|&e| e != d && self.is_long(e))
                .map(|e| self.get(corner(base, c ^ 1 << d ^ 1 << e)))
                .collect();
            let behind = self.get(beyond(base, c ^ 1 << d, d))?;
            let sides = sides?;
            let meets = |a: u32, b: u32| self.common(a, b).any(|n| n != near);
            let fits = |n: u32| {
                self.fits(corner(base, c), n) && !meets(n, behind) && sides.iter().all(|&side| meets(n, side))
            };
            only(self.neighbours[near as usize].iter().copied().filter(|&n| fits(n)))
        };
        (0..3).filter(|&d| self.is_long(d)).find_map(straight)
    }
}

/// A corner of a cell: bit d says whether it is above `base` in dimension d.
fn corner(base: Vector, c: u8) -> Vector {
    [0, 1, 2].map(|d| base[d] + i64::from(c >> d & 1))
}

/// The position outside the cell, next to a corner in dimension d.
fn beyond(base: Vector, c: u8, d: usize) -> Vector {
    let mut at = corner(base, c);
    at[d] += if c >> d & 1 == 1 { 1 } else { -1 };
    at
}

/// The corners of a cell's side that is across dimension d, around the side; two stay as they are.
fn around_a_side(d: usize, corners: &[u8]) -> Vec<u8> {
    if corners.len() < 4 {
        return corners.to_vec();
    }
    let [e, f] = [[1, 2], [0, 2], [0, 1]][d];
    let side = corners[0] & 1 << d;
    [(1, 1), (1, 0), (0, 0), (0, 1)].map(|(a, b)| side | a << e | b << f).to_vec()
}

/// The only item of an iterator; none where it has more.
fn only<T>(mut of: impl Iterator<Item = T>) -> Option<T> {
    let first = of.next()?;
    of.next().is_none().then_some(first)
}
