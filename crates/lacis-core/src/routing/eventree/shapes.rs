//! Homes whose hosts have the same goals on a level, as the leaves of a whole tree have that stand at one
//! place in their pods. What a switch has to find out about those goals it finds out once for all.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::targets::{NONE, Targets};
use super::ways::{NOWHERE, SEVERAL};

/// Of all homes.
pub(super) struct Shapes {
    homes: usize,
    /// By level, then home.
    of_home: Vec<u32>,
    /// By shape: the level, and the hosts of some home.
    models: Vec<(usize, Range<usize>)>,
    /// By shape: where its hosts are, of those of all shapes.
    first: Vec<usize>,
}

impl Shapes {
    /// Compares all homes.
    pub fn of(targets: &Targets) -> Self {
        let homes = targets.homes.len();
        let mut shapes = Self { homes, of_home: Vec::new(), models: Vec::new(), first: vec![0] };
        let mut size = 0;
        for (level, goals) in targets.goal.iter().enumerate() {
            let mut known: FxHashMap<&[u32], u32> = FxHashMap::default();
            for home in &targets.homes {
                let shape = *known.entry(&goals[home.host_targets()]).or_insert_with(|| {
                    shapes.models.push((level, home.host_targets()));
                    size += home.host_targets().len();
                    shapes.first.push(size);
                    shapes.models.len() as u32 - 1
                });
                shapes.of_home.push(shape);
            }
        }
        shapes
    }

    /// That of a home, by its place among the homes, on a level.
    #[inline]
    pub fn of_home(&self, level: usize, home: usize) -> usize {
        self.of_home[level * self.homes + home] as usize
    }
}

/// How one switch at a time sees the goals of a shape.
pub(super) struct Views<'a> {
    shapes: &'a Shapes,
    targets: &'a Targets,
    /// By shape.
    seen: Vec<View>,
    /// By shape.
    nearest: Vec<Nearest>,
    /// By shape: the places of the hosts whose goals are the nearest.
    places: Vec<u32>,
    /// By shape, then host: the port to its goal, as [`Ways::only`](super::ways::Ways::only) has it …
    ports: Vec<u8>,
    /// … or that of the other hosts, where they all have the same and nothing leads to the goal.
    joint: Vec<u8>,
    /// By shape: the ports of hosts that have one.
    direct: Vec<u8>,
}

/// A shape as a switch sees it.
#[derive(Clone, Copy, Default)]
pub(super) struct View {
    /// The switch.
    of: u32,
    /// Hosts to whose goals one port leads …
    number: u32,
    /// … and the others.
    pub rest: usize,
    /// Whether there are goals that more than one port leads to, or a gap.
    pub several: bool,
    /// Whether all hosts that have a port have the same.
    pub is_joint: bool,
}

/// The nearest goals of a shape.
#[derive(Clone, Copy, Default)]
struct Nearest {
    /// The switch that they are near to.
    of: u32,
    /// How many hosts have them.
    number: u32,
    /// What the way to one costs.
    least: u8,
    /// What the way to the nearest other goal costs.
    next: u8,
}

impl<'a> Views<'a> {
    /// Room for all shapes.
    pub fn new(shapes: &'a Shapes, targets: &'a Targets) -> Self {
        let (count, size) = (shapes.models.len(), shapes.first[shapes.models.len()]);
        let (ports, joint, direct) = (vec![0; size], vec![0; size], vec![0; size]);
        Self {
            shapes,
            targets,
            seen: vec![View { of: NONE, ..View::default() }; count],
            nearest: vec![Nearest { of: NONE, ..Nearest::default() }; count],
            places: vec![0; size],
            ports,
            joint,
            direct,
        }
    }

    /// How a switch sees a shape.
    #[inline]
    pub fn see(&mut self, s: usize, shape: usize, only: &[u8]) -> View {
        if self.seen[shape].of != s as u32 {
            self.look(s, shape, only);
        }
        self.seen[shape]
    }

    fn look(&mut self, s: usize, shape: usize, only: &[u8]) {
        let mut view = View { of: s as u32, ..View::default() };
        let (level, ref targets) = self.shapes.models[shape];
        let own = self.shapes.first[shape]..self.shapes.first[shape + 1];
        let (ports, direct) = (&mut self.ports[own.clone()], &mut self.direct[own.clone()]);
        for (&goal, entry) in self.targets.goal[level][targets.clone()].iter().zip(&mut *ports) {
            *entry = only.get(goal as usize).copied().unwrap_or(NOWHERE);
            if matches!(*entry, NOWHERE | SEVERAL) {
                view.rest += 1;
                view.several |= *entry == SEVERAL;
            } else {
                direct[view.number as usize] = *entry;
                view.number += 1;
            }
        }
        view.is_joint = view.number == 1;
        if view.is_joint {
            let joint = self.joint[own].iter_mut().zip(&*ports);
            joint.for_each(|(joint, &port)| *joint = if port == NOWHERE { direct[0] } else { port });
        }
        self.seen[shape] = view;
    }

    /// The ports to the goals of a shape, where there is only one.
    #[inline]
    pub fn ports(&self, shape: usize) -> &[u8] {
        &self.ports[self.shapes.first[shape]..self.shapes.first[shape + 1]]
    }

    /// The same, and the port of the other hosts where there is none.
    #[inline]
    pub fn joint(&self, shape: usize) -> &[u8] {
        &self.joint[self.shapes.first[shape]..self.shapes.first[shape + 1]]
    }

    /// The ports of hosts that have one.
    #[inline]
    pub fn direct(&self, shape: usize) -> &[u8] {
        &self.direct[self.shapes.first[shape]..][..self.seen[shape].number as usize]
    }

    /// Whether none of those hosts that no port leads to has, on another level, a goal within some cost
    /// of the switch. A shape on that level is given, too.
    #[inline]
    pub fn none_within(&mut self, shape: usize, below: usize, cost: usize, costs: &[u8]) -> bool {
        let s = self.seen[shape].of;
        if self.nearest[below].of != s {
            self.find_nearest(s, below, costs);
        }
        let Nearest { number, least, next, .. } = self.nearest[below];
        if usize::from(least) > cost {
            return true;
        }
        let (ports, places) = (self.ports(shape), &self.places[self.shapes.first[below]..]);
        usize::from(next) > cost && places[..number as usize].iter().all(|&n| ports[n as usize] != NOWHERE)
    }

    fn find_nearest(&mut self, s: u32, shape: usize, costs: &[u8]) {
        let (level, ref targets) = self.shapes.models[shape];
        let places = &mut self.places[self.shapes.first[shape]..self.shapes.first[shape + 1]];
        let (mut number, mut least, mut next) = (0, u8::MAX, u8::MAX);
        for (&goal, place) in self.targets.goal[level][targets.clone()].iter().zip(0..) {
            let Some(&cost) = costs.get(goal as usize) else { continue };
            if cost < least {
                (number, least, next) = (0, cost, least);
            }
            if cost == least {
                places[number as usize] = place;
                number += 1;
            } else {
                next = next.min(cost);
            }
        }
        self.nearest[shape] = Nearest { of: s, number, least, next };
    }
}
