//! Sweep after sweep: which tables a manager keeps, and when it starts afresh.
//!
//! OpenSM 3.3.23's behaviour. A switch port that comes up (a cable plugged in, a node back, also a
//! link that was down for a moment only) makes the next sweep *recompute* all tables as if there
//! were none. After losses alone it *keeps* what it can: engines that choose ports by hop counts
//! leave every entry that still leads along a shortest path, even one that another engine made. The
//! engines of the list are tried from the first in every sweep. LIDs stay. With [`Options::ucast_cache`] a sweep runs no
//! engine where the cache explains what changed (`ucast_cache.rs`).
//!
//! Every subnet of the fabric has a manager: the one on the port that [`Lids::manager`] names, and
//! elsewhere one on the first end node. What a manager does not see it does not program: switches
//! that are cut off from it go on with the tables they have.

use std::sync::Arc;

use super::event::Event;
use super::link_state::Present;
use super::ucast_cache::{Sweeps, UnicastCache};
use crate::fabric::{Fabric, NodeId, PortId};
use crate::routing::discovered::View;
use crate::routing::opensm::ftree;
use crate::routing::{Options, RouteError, islands, reroute, route};
use crate::sm::lanes::PathLanes;
use crate::sm::lids::Lids;
use crate::sm::{Engine, Engines, Lft, NO_ENTRY, Refusal, Routes};

/// A fabric with its managers, after a sweep.
#[derive(Clone, Debug)]
pub struct Managed {
    whole: Arc<Fabric>,
    chain: Arc<[Engine]>,
    options: Arc<Options>,
    present: Present,
    now: Arc<Fabric>,
    routes: Routes,
    /// By switch: whether it was switched off since a manager saw it, and so has no LID.
    forgot_lid: Vec<bool>,
    subnets: Vec<ManagedSubnet>,
}

/// A manager, and what it knows and did.
#[derive(Clone, Debug)]
struct ManagedSubnet {
    manager: PortId,
    view: View,
    /// Whether it has to recompute and could not yet.
    stale: bool,
    engine: Engines,
    refusals: Vec<Refusal>,
    /// The lanes of its engine, with what it saw then.
    lanes: Option<(View, PathLanes)>,
    /// None unless [`Options::ucast_cache`] asks for one.
    cache: Option<UnicastCache>,
}

/// What a sweep does with the tables of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Keeps the entries that are still good, where the engine looks at them.
    Kept,
    /// Forgets them.
    Recomputed,
    /// Leaves them, and gives switches that came back theirs, from the unicast cache; no engine runs.
    Cached,
}

/// A sweep after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resweep {
    /// The port of the manager that swept.
    pub manager: PortId,
    /// What it did with its old tables.
    pub mode: Mode,
    /// The engine that made the new ones; none where all refused, so that the old ones stay.
    pub engine: Option<Engines>,
    /// The engine of its sweep before.
    pub engine_before: Engines,
    /// Whether more engines refused than before, so that it took one further back in the list.
    pub fell_back: bool,
    /// The engines that refused, in order.
    pub refusals: Vec<Refusal>,
}

impl Managed {
    /// The fabric after the first sweep of its managers. An empty chain means `minhop`.
    ///
    /// # Errors
    /// When the engines refuse it and may not fall back.
    pub fn new(
        whole: Arc<Fabric>,
        lids: Lids,
        chain: &[Engine],
        options: Options,
    ) -> Result<Self, RouteError> {
        let chain = if chain.is_empty() { &[Engine::MinHop] } else { chain };
        let lft = Lft::new(whole.num_switches(), lids.max_lid());
        let mut managed = Self {
            chain: chain.into(),
            options: options.into(),
            present: Present::all(&whole),
            now: whole.clone(),
            routes: Routes {
                lids,
                lft,
                lanes: None,
                engine_requested: chain.into(),
                engine_used: Engines::default(),
                refusals: Vec::new(),
            },
            forgot_lid: vec![false; whole.num_switches()],
            subnets: Vec::new(),
            whole,
        };
        let has_cache = managed.options.ucast_cache && !managed.chain.iter().any(|e| e.is_omni_path());
        for manager in islands::managers(&managed.whole, managed.routes.lids.manager()) {
            let view = View::from(&managed.whole, true, manager);
            let lids = view.lids(&managed.whole, &managed.routes.lids);
            let fabric = view.fabric(&managed.whole);
            let made = route(fabric, lids, &managed.chain, &managed.options)?;
            view.tables_out(&managed.whole, &made.lft, &mut managed.routes.lft);
            let Routes { engine_used: engine, refusals, lanes, .. } = made;
            let lanes = lanes.map(|lanes| (view.clone(), lanes));
            let mut cache = has_cache.then(UnicastCache::default);
            cache.iter_mut().filter(|_| view.has_switches()).for_each(UnicastCache::begin);
            managed.subnets.push(ManagedSubnet {
                manager,
                view,
                stale: false,
                engine,
                refusals,
                lanes,
                cache,
            });
        }
        managed.sum_up();
        Ok(managed)
    }

    /// The whole fabric, with what is missing now.
    pub fn whole(&self) -> &Arc<Fabric> {
        &self.whole
    }

    /// What is left of it; nodes and ports have the numbers of the whole.
    pub fn fabric(&self) -> &Arc<Fabric> {
        &self.now
    }

    /// What is there.
    pub fn present(&self) -> &Present {
        &self.present
    }

    /// The tables of all switches. Those that their manager does not see keep what they had; those
    /// that are gone have none.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Whether a switch's manager sees it.
    pub fn sees(&self, switch: NodeId) -> bool {
        self.subnets.iter().any(|s| s.view.has_switch(switch))
    }

    /// The ports of managers that see nothing but their own node, so that tables stay as they are.
    pub fn blind(&self) -> Vec<PortId> {
        self.subnets.iter().filter(|s| s.view.is_blind()).map(|s| s.manager).collect()
    }

    /// Whether a manager's tables are ftree's where OpenSM's ftree chooses by memory that it does not own.
    pub fn is_undefined(&self) -> bool {
        let by_ftree = |subnet: &&ManagedSubnet| subnet.engine == Engine::FTree && !subnet.view.is_blind();
        self.subnets.iter().filter(by_ftree).any(|subnet| {
            let lids = subnet.view.lids(&self.now, &self.routes.lids);
            ftree::is_undefined(subnet.view.fabric(&self.now), &lids, &self.options)
        })
    }

    /// The fabric after all of the events and the next sweep of every manager that notices any,
    /// and these sweeps.
    pub fn after(&self, events: &[Event]) -> (Self, Vec<Resweep>) {
        let mut next = self.clone();
        for event in events {
            next.present.apply(&self.whole, event);
            if let Event::Drop(nodes) = event {
                // A switch that is off loses its table.
                let switches = nodes.iter().filter(|&&n| self.whole.is_switch(n));
                switches.for_each(|&s| next.routes.lft.row_mut(s).fill(NO_ENTRY));
            }
        }
        next.now = Arc::new(next.present.fabric(&self.whole));
        let came_up = self.came_up(events);
        let mut sweeps = Vec::new();
        for (subnet, before) in next.subnets.iter_mut().zip(&self.subnets) {
            let runs = next.present.has(next.now.node_of(subnet.manager));
            subnet.view = View::from(&next.now, runs, subnet.manager);
            let (new, lost) = subnet.view.compare(&before.view);
            let up = new || came_up.iter().any(|&p| subnet.view.has_cable(p));
            let cached = subnet.is_served_by_cache(self, before, runs, &next.now, &mut next.routes.lft);
            if subnet.view.is_blind() || !(up || lost || subnet.stale) {
                continue;
            }
            sweeps.push(if cached {
                subnet.cached()
            } else {
                let mode = if up || subnet.stale { Mode::Recomputed } else { Mode::Kept };
                subnet.sweep(mode, &next.now, &self.chain, &self.options, &mut next.routes)
            });
        }
        for switch in self.whole.switches() {
            let is_seen = next.subnets.iter().any(|s| s.view.has_switch(switch));
            let forgot = &mut next.forgot_lid[switch.ix()];
            *forgot = !next.present.has(switch) || *forgot && !is_seen;
        }
        next.sum_up();
        (next, sweeps)
    }

    /// One end of every cable that events brought up, even after a moment.
    fn came_up(&self, events: &[Event]) -> Vec<PortId> {
        let mut ports = Vec::new();
        for event in events {
            match event {
                Event::Plug(cables) => ports.extend(cables),
                Event::Return(nodes) => ports.extend(nodes.iter().flat_map(|&n| self.whole.ports_of(n))),
                Event::Cut(_) | Event::Drop(_) => {}
            }
        }
        ports
    }

    /// Brings the routes' summary up to date with the subnets.
    fn sum_up(&mut self) {
        self.routes.engine_used = Engines::default();
        self.subnets.iter().for_each(|s| self.routes.engine_used.merge(&s.engine));
        let mut refusals: Vec<Refusal> = Vec::new();
        for refusal in self.subnets.iter().flat_map(|s| &s.refusals) {
            if !refusals.contains(refusal) {
                refusals.push(refusal.clone());
            }
        }
        self.routes.refusals = refusals;
        let of_subnets: Vec<_> = self.subnets.iter().map(ManagedSubnet::lanes_with_view).collect();
        self.routes.lanes = islands::combined(&of_subnets, &self.now, self.routes.lft.stride());
    }
}

impl ManagedSubnet {
    /// The lanes that its engine made, and what it saw then.
    fn lanes_with_view(&self) -> (&View, Option<&PathLanes>) {
        self.lanes.as_ref().map_or((&self.view, None), |(made_for, lanes)| (made_for, Some(lanes)))
    }

    /// Whether the unicast cache has the tables for what is in view; they are then in `tables`.
    fn is_served_by_cache(
        &mut self,
        managed: &Managed,
        before: &Self,
        runs: bool,
        now: &Fabric,
        tables: &mut Lft,
    ) -> bool {
        let Some(cache) = &mut self.cache else { return false };
        let sweeps = Sweeps {
            whole: &managed.whole,
            now,
            manager: self.manager,
            before: &before.view,
            view: &self.view,
            tables: &managed.routes.lft,
            forgot_lid: &managed.forgot_lid,
        };
        if !runs {
            // Another process, which has noted nothing, will take over.
            cache.invalidate();
            false
        } else if self.view.is_blind() {
            // OpenSM notes its losses, and does not come as far as tables.
            if !cache.note_losses(&sweeps) {
                cache.invalidate();
            }
            false
        } else {
            cache.serves(&sweeps, tables)
        }
    }

    /// A sweep that runs no engine.
    fn cached(&mut self) -> Resweep {
        self.stale = false;
        Resweep {
            manager: self.manager,
            mode: Mode::Cached,
            engine: Some(self.engine.clone()),
            engine_before: self.engine.clone(),
            fell_back: false,
            refusals: self.refusals.clone(),
        }
    }

    /// Routes what is in view.
    fn sweep(
        &mut self,
        mode: Mode,
        now: &Fabric,
        chain: &[Engine],
        options: &Options,
        routes: &mut Routes,
    ) -> Resweep {
        let fabric = self.view.fabric(now);
        let lids = self.view.lids(now, &routes.lids);
        let made = match mode {
            Mode::Recomputed | Mode::Cached => route(fabric, lids, chain, options),
            Mode::Kept if self.view.is_whole() => reroute(fabric, lids, chain, options, &routes.lft),
            Mode::Kept => reroute(fabric, lids, chain, options, &self.view.tables_in(now, &routes.lft)),
        };
        let engine_before = self.engine.clone();
        let refused_before = self.refusals.len();
        let engine = match made {
            Ok(made) => {
                self.view.tables_out(now, &made.lft, &mut routes.lft);
                (self.engine, self.refusals) = (made.engine_used, made.refusals);
                self.lanes = made.lanes.map(|lanes| (self.view.clone(), lanes));
                self.stale = false;
                self.cache.iter_mut().filter(|_| self.view.has_switches()).for_each(UnicastCache::begin);
                Some(self.engine.clone())
            }
            Err(error) => {
                self.refusals = match error {
                    RouteError::AllRefused(refusals) => refusals,
                    RouteError::Endless(refusal) => vec![refusal],
                };
                self.stale = mode == Mode::Recomputed;
                None
            }
        };
        let fell_back = engine.is_some() && self.refusals.len() > refused_before;
        let refusals = self.refusals.clone();
        Resweep { manager: self.manager, mode, engine, engine_before, fell_back, refusals }
    }
}
