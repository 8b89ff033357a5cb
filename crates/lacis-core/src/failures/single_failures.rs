//! Every cable and every switch failing alone: what each costs.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::entries::{Entries, entries};
use super::event::Event;
use super::names::Names;
use super::pairs::{Losses, Survivors, touched};
use super::sweep::Managed;
use crate::fabric::{Fabric, NodeId, Population, PortId};
use crate::model::load::{Counted, Paths, Shifts, shifts};
use crate::ranks::Participants;
use crate::sm::{Engines, Refusal};
use crate::verify::verify;

/// A cable or switch that fails alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// A cable, by its lower end.
    Cable(PortId),
    /// A switch.
    Switch(NodeId),
}

impl Failing {
    /// All cables between two switches, then the others where asked for, then all switches.
    pub fn all(fabric: &Fabric, host_cables: bool) -> Vec<Self> {
        let is_switch = |p: PortId| fabric.is_switch(fabric.node_of(p));
        let (between, others): (Vec<_>, Vec<_>) =
            fabric.cables().partition(|&(a, b)| is_switch(a) && is_switch(b));
        let others = others.into_iter().filter(|_| host_cables);
        let cables = between.into_iter().chain(others).map(|(a, _)| Self::Cable(a));
        cables.chain(fabric.switches().map(Self::Switch)).collect()
    }

    /// What happens when it fails.
    pub fn failure(self) -> Event {
        match self {
            Self::Cable(port) => Event::Cut(vec![port]),
            Self::Switch(switch) => Event::Drop(vec![switch]),
        }
    }

    /// Its name, which is a selector too.
    pub fn name(self, fabric: &Fabric, names: &Names<'_>) -> String {
        match self {
            Self::Cable(a) => fabric.peer(a).map_or_else(String::new, |b| names.cable((a, b))),
            Self::Switch(switch) => names.node(switch).to_owned(),
        }
    }
}

/// What a failure costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Damage {
    /// What fails.
    pub failing: Failing,
    /// Pairs.
    pub losses: Losses,
    /// Table entries.
    pub entries: Entries,
    /// The engine that makes the tables then, several where managers differ.
    pub engine: Engines,
    /// The engines that refused, with their reasons.
    pub refusals: Vec<Refusal>,
    /// Whether a manager had to take an engine further back in its list.
    pub fell_back: bool,
    /// Whether all engines of a manager refuse and none may fall back, so that tables stay.
    pub no_engine: bool,
    /// Whether a manager sees nothing any more, so that no tables route around the failure.
    pub blinded: bool,
    /// The shifts of the hosts that are left; none where fewer than two are.
    pub shifts: Option<Shifts>,
}

/// Whether the tables after a failure still hold what was promised of those before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// What fails.
    pub failing: Failing,
    /// Pairs lost of end ports that are left.
    pub lost: u64,
    /// Credit loops of the pairs of the population.
    pub loops: usize,
    /// Whether a manager's ftree chooses at random, see [`Managed::is_undefined`].
    pub undefined: bool,
    /// Whether a manager had to take an engine further back in its list, or has none.
    pub fell_back: bool,
    /// The engine that makes the tables then.
    pub engine: Engines,
}

/// The state while nothing fails.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// Ordered pairs of end ports.
    pub pairs: u64,
    /// Ordered pairs of end ports that are delivered.
    pub delivered: u64,
    /// The shifts of the hosts.
    pub shifts: Option<Shifts>,
}

/// The caller asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Failures of a fabric, one by one.
#[derive(Clone, Debug)]
pub struct Survey {
    managed: Managed,
    population: Population,
    reached: Survivors,
    hosts: Participants,
    /// Every so many distances are shifted by, from 1.
    step: usize,
    /// The shifts while nothing fails; none inside where they are not worth keeping.
    counted: OnceLock<Option<Counted>>,
}

impl Survey {
    /// Prepares a survey: pairs are those of `population`; `hosts` shift in their order, by every `step`-th
    /// distance.
    pub fn new(managed: Managed, population: Population, hosts: Participants, step: usize) -> Self {
        let reached = Survivors::of(&managed, population);
        let hosts = hosts.remaining(managed.fabric()).unwrap_or(hosts);
        Self { managed, population, reached, hosts, step: step.max(1), counted: OnceLock::new() }
    }

    /// The fabric before anything fails.
    pub fn managed(&self) -> &Managed {
        &self.managed
    }

    /// The state while nothing fails.
    ///
    /// # Errors
    /// When it was stopped.
    pub fn baseline(&self, stop: &AtomicBool) -> Result<Baseline, Interrupted> {
        let shifts = match self.counted(stop)? {
            Some(counted) => Some(counted.shifts().clone()),
            None => shifts_of(stop, &self.managed, &self.hosts, self.step)?,
        };
        let (pairs, delivered) = self.reached.pairs(&self.managed);
        Ok(Baseline { pairs, delivered, shifts })
    }

    /// Lets cables and switches fail, each alone, in parallel; damages in their order.
    ///
    /// # Errors
    /// When it was stopped.
    pub fn run(&self, stop: &AtomicBool, all: &[Failing]) -> Result<Vec<Damage>, Interrupted> {
        let counted = self.counted(stop)?;
        all.par_iter().map(|&failing| self.damage(stop, counted, failing)).collect()
    }

    /// Lets cables and switches fail, each alone, in parallel, and proves the tables that follow; proofs in their order.
    ///
    /// # Errors
    /// When it was stopped.
    pub fn prove(&self, stop: &AtomicBool, all: &[Failing]) -> Result<Vec<Proof>, Interrupted> {
        all.par_iter().map(|&failing| self.proof(stop, failing)).collect()
    }

    fn proof(&self, stop: &AtomicBool, failing: Failing) -> Result<Proof, Interrupted> {
        stopped(stop)?;
        let before = &self.managed;
        let (after, sweeps) = before.after(&[failing.failure()]);
        stopped(stop)?;
        let losses = self.reached.losses_of(before, &after, 0, &touched(before, &after));
        let proof = verify(after.fabric(), after.routes(), self.population, false);
        Ok(Proof {
            failing,
            lost: losses.pairs(),
            loops: proof.credit_loops.len(),
            undefined: after.is_undefined(),
            fell_back: sweeps.iter().any(|sweep| sweep.fell_back || sweep.engine.is_none()),
            engine: after.routes().engine_used.clone(),
        })
    }

    /// The shifts while nothing fails, counted once; none where they are not worth keeping.
    fn counted(&self, stop: &AtomicBool) -> Result<Option<&Counted>, Interrupted> {
        if self.counted.get().is_none() {
            let paths = Paths::new(self.managed.fabric(), self.managed.routes(), self.hosts.ports(), 0);
            let distances = distances(&self.hosts, self.step);
            let any = !distances.is_empty();
            let counted = any.then(|| Counted::new(stop, &paths, &self.hosts, &distances)).flatten();
            stopped(stop)?;
            // Where another thread was quicker, it has the same.
            let _ = self.counted.set(counted);
        }
        Ok(self.counted.get().and_then(Option::as_ref))
    }

    fn damage(
        &self,
        stop: &AtomicBool,
        counted: Option<&Counted>,
        failing: Failing,
    ) -> Result<Damage, Interrupted> {
        stopped(stop)?;
        let before = &self.managed;
        let (after, sweeps) = before.after(&[failing.failure()]);
        stopped(stop)?;
        let touched = touched(before, &after);
        let losses = self.reached.losses_of(before, &after, 0, &touched);
        let shifts = match counted.and_then(|counted| self.shifts_after(counted, &after, &touched)) {
            Some(shifts) => Some(shifts),
            None => shifts_of(stop, &after, &self.hosts, self.step)?,
        };
        let routes = after.routes();
        Ok(Damage {
            failing,
            losses,
            entries: entries(before, &after),
            blinded: after.blind().len() > before.blind().len(),
            fell_back: sweeps.iter().any(|sweep| sweep.fell_back),
            no_engine: sweeps.iter().any(|sweep| sweep.engine.is_none()),
            engine: routes.engine_used.clone(),
            refusals: routes.refusals.clone(),
            shifts,
        })
    }

    /// The shifts after a failure, from those before; none where hosts are cut off, or all have to be
    /// counted from the beginning.
    fn shifts_after(&self, counted: &Counted, after: &Managed, touched: &[bool]) -> Option<Shifts> {
        let (fabric, routes) = (after.fabric(), after.routes());
        if self.hosts.ports().iter().any(|&port| fabric.edge_switch(port).is_none()) {
            return None;
        }
        let paths = Paths::new(fabric, routes, self.hosts.ports(), 0);
        counted.after(&paths, &self.hosts, |port| touched[routes.lids.base(port) as usize])
    }
}

/// Every `step`-th distance of hosts.
fn distances(hosts: &Participants, step: usize) -> Vec<u32> {
    (1..hosts.num_hosts() as u32).step_by(step.max(1)).collect()
}

fn stopped(stop: &AtomicBool) -> Result<(), Interrupted> {
    if stop.load(Ordering::Relaxed) { Err(Interrupted) } else { Ok(()) }
}

/// The shifts, by every `step`-th distance from 1, of the hosts that are left; none where fewer than
/// two are.
///
/// # Errors
/// When it was stopped.
pub fn shifts_of(
    stop: &AtomicBool,
    managed: &Managed,
    hosts: &Participants,
    step: usize,
) -> Result<Option<Shifts>, Interrupted> {
    let left = hosts.remaining(managed.fabric());
    let hosts = left.as_ref().unwrap_or(hosts);
    if hosts.num_hosts() < 2 {
        return Ok(None);
    }
    let paths = Paths::new(managed.fabric(), managed.routes(), hosts.ports(), 0);
    shifts(stop, &paths, hosts, &distances(hosts, step)).map(Some).ok_or(Interrupted)
}
