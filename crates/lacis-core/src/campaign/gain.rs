//! What a candidate would bring, from the classes as they are: no column is copied, no fingerprint sorted where flows share
//! no link.
//!
//! A flow that shares no link divides every class into the suspects that it crosses and those that it does not. So the
//! classes after a round are the classes of each flow's suspects, flow by flow, and the rests of the classes that are not
//! crossed entirely.

use super::candidates::LeafPorts;
use super::columns::{LinkColumns, number};
use super::{Goal, Kind};
use crate::model::load::{LinkId, Paths, SINK, Steps};

/// No suspect.
const NONE: u32 = u32::MAX;
/// The class of suspects that no round has crossed since all were split last.
const UNCROSSED: u32 = 0;

/// A round that may be measured.
pub struct Candidate {
    pub kind: Kind,
    /// The suspects that flows cross, flow after flow, by their number.
    suspects: Vec<u32>,
    /// By flow: where its suspects end.
    ends: Vec<u32>,
    /// The most flows on one link.
    pub contention: u32,
}

/// Suspects by link.
pub struct Numbers(Vec<u32>);

impl Numbers {
    pub fn of(links: usize, suspects: &[LinkId]) -> Self {
        let mut numbers = vec![NONE; links];
        for (number, &link) in (0..).zip(suspects) {
            numbers[link as usize] = number;
        }
        Self(numbers)
    }
}

/// A thread's tools for making candidates.
#[derive(Default)]
pub struct Maker {
    steps: Steps,
    on_link: Vec<u32>,
}

impl Maker {
    pub fn make(&mut self, paths: &Paths<'_>, numbers: &Numbers, order: &LeafPorts, kind: Kind) -> Candidate {
        let flows = order.flows(kind);
        paths.steps(&flows, &mut self.steps);
        self.on_link.clear();
        self.on_link.resize(paths.links().len(), 0);
        for &link in self.steps.all().iter().filter(|&&link| link != SINK) {
            self.on_link[link as usize] += 1;
        }
        let contention = self.on_link.iter().copied().max().unwrap_or(0);
        let mut suspects = Vec::with_capacity(self.steps.all().len());
        let mut ends = Vec::with_capacity(flows.len());
        for f in 0..flows.len() {
            let of_flow = self.steps.of_flow(f).map(|link| numbers.0[link as usize]);
            suspects.extend(of_flow.filter(|&suspect| suspect != NONE));
            ends.push(suspects.len() as u32);
        }
        suspects.shrink_to_fit();
        Candidate { kind, suspects, ends, contention }
    }
}

impl Candidate {
    /// The suspects of each flow.
    fn flows(&self) -> impl Iterator<Item = &[u32]> {
        let firsts = std::iter::once(0).chain(self.ends.iter().copied());
        firsts.zip(&self.ends).map(|(first, &end)| &self.suspects[first as usize..end as usize])
    }
}

/// Suspects by class, since rounds split all of them last.
#[derive(Debug, Default)]
pub struct SuspectClasses {
    of: Vec<u32>,
    /// By class: its suspects.
    size: Vec<u32>,
    crossings: Vec<u32>,
    wanted: u32,
}

/// What a candidate brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gain {
    /// Further classes, and suspects crossed for the first time.
    pub splits: usize,
    /// Crossings that suspects lacked.
    pub crosses: u64,
}

/// A thread's tools for counting.
#[derive(Default)]
pub struct Counter {
    /// By class: its suspects that are crossed.
    crossed: Vec<u32>,
    classes: Vec<u32>,
    /// By suspect: the sum of the numbers of its flows, and how many there are.
    sums: Vec<(u128, u32)>,
    subclasses: Vec<(u32, u128)>,
}

impl SuspectClasses {
    /// The classes of columns.
    pub fn of(columns: &LinkColumns, suspects: &[LinkId], goal: &Goal) -> Self {
        let mut keyed: Vec<(u128, u32)> =
            (0..).zip(suspects).map(|(at, &link)| (columns.prints[link as usize], at)).collect();
        keyed.sort_unstable();
        let mut all = Self {
            of: vec![UNCROSSED; suspects.len()],
            size: vec![0],
            crossings: suspects.iter().map(|&link| columns.crossings[link as usize]).collect(),
            wanted: goal.crossings,
        };
        for class in keyed.chunk_by(|a, b| a.0 == b.0) {
            if class[0].0 == 0 {
                all.size[UNCROSSED as usize] = class.len() as u32;
                continue;
            }
            for &(_, at) in class {
                all.of[at as usize] = all.size.len() as u32;
            }
            all.size.push(class.len() as u32);
        }
        all
    }

    /// What a candidate brings. `order` made it.
    pub fn gain(&self, candidate: &Candidate, order: &LeafPorts, counter: &mut Counter) -> Gain {
        counter.crossed.clear();
        counter.crossed.resize(self.size.len(), 0);
        let (subclasses, crosses) = if candidate.contention <= 1 {
            self.of_disjoint(candidate, counter)
        } else {
            self.of_shared(candidate, order, counter)
        };
        // A class that is crossed entirely leaves no rest.
        let classes = self.size.iter().zip(&counter.crossed).skip(1);
        let gone = classes.filter(|&(size, crossed)| size == crossed).count();
        let new = counter.crossed[UNCROSSED as usize] as usize;
        Gain { splits: new + subclasses - gone, crosses }
    }

    /// The subclasses that flows without a shared link make, and the crossings that were lacking.
    fn of_disjoint(&self, candidate: &Candidate, counter: &mut Counter) -> (usize, u64) {
        let (mut subclasses, mut crosses) = (0, 0);
        for suspects in candidate.flows() {
            counter.classes.clear();
            for &suspect in suspects {
                let class = self.of[suspect as usize];
                counter.crossed[class as usize] += 1;
                crosses += u64::from(self.crossings[suspect as usize] < self.wanted);
                if !counter.classes.contains(&class) {
                    counter.classes.push(class);
                }
            }
            subclasses += counter.classes.len();
        }
        (subclasses, crosses)
    }

    /// The subclasses that flows with shared links make, and the crossings that were lacking.
    fn of_shared(&self, candidate: &Candidate, order: &LeafPorts, counter: &mut Counter) -> (usize, u64) {
        counter.sums.clear();
        counter.sums.resize(self.of.len(), (0, 0));
        for (flow, suspects) in order.flows(candidate.kind).into_iter().zip(candidate.flows()) {
            let number = number(flow);
            for &suspect in suspects {
                let (sum, flows) = &mut counter.sums[suspect as usize];
                (*sum, *flows) = (sum.wrapping_add(number), *flows + 1);
            }
        }
        let mut crosses = 0;
        counter.subclasses.clear();
        for (suspect, &(sum, flows)) in counter.sums.iter().enumerate().filter(|(_, sum)| sum.1 > 0) {
            let class = self.of[suspect];
            counter.crossed[class as usize] += 1;
            crosses += u64::from(self.wanted.saturating_sub(self.crossings[suspect]).min(flows));
            counter.subclasses.push((class, sum));
        }
        counter.subclasses.sort_unstable();
        counter.subclasses.dedup();
        (counter.subclasses.len(), crosses)
    }
}
