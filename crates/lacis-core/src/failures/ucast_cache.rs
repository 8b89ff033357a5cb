//! The unicast cache of OpenSM 3.3.23 (`use_ucast_cache`): sweeps that keep all tables because of what is missing.
//!
//! From a sweep that made tables on, OpenSM notes every lost link of a switch at its switch ends, and every switch that
//! is lost with its table. A later sweep runs no engine, and tables stay as they are, also the entries for what is gone,
//! while the notes explain all that changed:
//!
//! * links to end nodes may be missing, and links to missing *leaf* switches, but none between two switches that are
//!   there, and no switch that is no leaf. A leaf is a switch with notes that has, or had, an end node; two leaves must
//!   not have been joined;
//! * what comes up must have been noted: a link is then struck off, and a switch gets the table that it had.
//!
//! Else the notes are thrown away, an engine runs, and they begin again, empty. A cable that came down and up between two
//! sweeps changes nothing: OpenSM takes it for a port that was reset.
//!
//! A link to a switch that comes back is held against the notes twice where that switch still has its LID as OpenSM finds
//! the link: already struck off, it then looks like a new one. So whether a switch that was cut off, and not switched off,
//! may return depends on the order in which OpenSM finds links: breadth first, and it asks a switch for its LID before
//! its ports, but after it has found it from all switches that are nearer.

use std::collections::{BTreeMap, BTreeSet};

use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, NodeId, PortId};
use crate::routing::discovered::View;
use crate::sm::Lft;

/// What a manager has noted, while it may use that.
#[derive(Clone, Debug, Default)]
pub(super) struct UnicastCache {
    /// The switches with notes; none at all where the cache is not valid.
    noted: Option<BTreeMap<NodeId, Notes>>,
}

/// What is noted of a switch.
#[derive(Clone, Debug, Default)]
struct Notes {
    /// Whether it has, or had, an end node.
    is_leaf: bool,
    /// Its table, if it is missing.
    table: Option<Box<[u8]>>,
    /// Its ports whose links are missing.
    missing: BTreeSet<PortId>,
}

/// Two sweeps of a manager, one after the other.
#[derive(Clone, Copy)]
pub(super) struct Sweeps<'a> {
    /// The fabric as cabled when nothing is missing.
    pub whole: &'a Fabric,
    /// The fabric now.
    pub now: &'a Fabric,
    /// The port that the manager runs on.
    pub manager: PortId,
    /// What it saw in the sweep before.
    pub before: &'a View,
    /// What it sees now.
    pub view: &'a View,
    /// The tables that it made last, or took from the cache.
    pub tables: &'a Lft,
    /// By switch: whether it was switched off since the manager saw it, and so has no LID.
    pub forgot_lid: &'a [bool],
}

impl Sweeps<'_> {
    fn is_switch(&self, port: PortId) -> bool {
        self.whole.is_switch(self.whole.node_of(port))
    }

    fn is_new(&self, switch: NodeId) -> bool {
        !self.before.has_switch(switch)
    }

    /// The cables that only one of two views has, by their ends.
    fn cables_of(&self, with: &View, without: &View) -> Vec<(PortId, PortId)> {
        self.whole.cables().filter(|&(p, _)| with.has_cable(p) && !without.has_cable(p)).collect()
    }
}

impl UnicastCache {
    /// Begins afresh after an engine has made tables.
    pub(super) fn begin(&mut self) {
        self.noted = Some(BTreeMap::new());
    }

    /// Forgets everything until an engine makes tables.
    pub(super) fn invalidate(&mut self) {
        self.noted = None;
    }

    /// Notes what a sweep has lost and strikes off what has come back. Returns whether the manager takes its tables
    /// from the cache; these are then in `tables`, the whole fabric's.
    pub(super) fn serves(&mut self, sweeps: &Sweeps<'_>, tables: &mut Lft) -> bool {
        if self.noted.is_none() {
            return false;
        }
        let good = self.note_losses(sweeps)
            && sweeps.view.has_switches()
            && self.strike_off(sweeps, tables)
            && self.explains_losses(sweeps);
        if good {
            // Also to a switch that lost its table between the two sweeps.
            let stays = |&s: &NodeId| sweeps.before.has_switch(s) && sweeps.view.has_switch(s);
            for switch in sweeps.whole.switches().filter(stays) {
                tables.row_mut(switch).copy_from_slice(sweeps.tables.row(switch));
            }
        } else {
            self.invalidate();
        }
        good
    }

    /// Notes what is missing; returns whether the cache can do without.
    pub(super) fn note_losses(&mut self, sweeps: &Sweeps<'_>) -> bool {
        let Some(noted) = &mut self.noted else { return false };
        for (a, b) in sweeps.cables_of(sweeps.before, sweeps.view) {
            if !sweeps.is_switch(a) && !sweeps.is_switch(b) {
                return false;
            }
            for (near, far) in [(a, b), (b, a)] {
                if sweeps.is_switch(near) {
                    let notes = noted.entry(sweeps.whole.node_of(near)).or_default();
                    notes.missing.insert(near);
                    notes.is_leaf |= !sweeps.is_switch(far);
                }
            }
        }
        let lost = |&s: &NodeId| sweeps.before.has_switch(s) && !sweeps.view.has_switch(s);
        for switch in sweeps.whole.switches().filter(lost) {
            match noted.get_mut(&switch) {
                Some(notes) if notes.is_leaf => notes.table = Some(sweeps.tables.row(switch).into()),
                _ => return false,
            }
        }
        true
    }

    /// Strikes off what has come back; returns whether all of it was noted.
    fn strike_off(&mut self, sweeps: &Sweeps<'_>, tables: &mut Lft) -> bool {
        let Some(noted) = &mut self.noted else { return false };
        let came_up = sweeps.cables_of(sweeps.view, sweeps.before);
        let is_back = |s: &NodeId| sweeps.view.has_switch(*s) && sweeps.is_new(*s);
        let returns = sweeps.whole.switches().any(|s| is_back(&s));
        let hops = if returns { hops_from_manager(sweeps) } else { Vec::new() };
        for (a, b) in came_up {
            if !sweeps.is_switch(a) && !sweeps.is_switch(b) {
                return false;
            }
            for port in [a, b].into_iter().filter(|&p| sweeps.is_switch(p)) {
                let notes = noted.get_mut(&sweeps.whole.node_of(port));
                if !notes.is_some_and(|notes| notes.missing.remove(&port)) {
                    return false;
                }
            }
            if sweeps.is_switch(a) && sweeps.is_switch(b) {
                let ends = [a, b].map(|p| sweeps.whole.node_of(p));
                if ends.iter().any(is_back) && are_found_with_lids(sweeps, &hops, ends) {
                    return false;
                }
            }
        }
        for (&switch, notes) in noted.iter_mut().filter(|(s, _)| sweeps.view.has_switch(**s)) {
            if let Some(table) = notes.table.take() {
                tables.row_mut(switch).copy_from_slice(&table);
            }
            let is_end = |p: PortId| {
                sweeps.view.has_cable(p) && sweeps.whole.peer(p).is_some_and(|far| !sweeps.is_switch(far))
            };
            notes.is_leaf = notes.is_leaf || sweeps.whole.ports_of(switch).any(is_end);
        }
        noted.retain(|_, notes| !notes.missing.is_empty());
        true
    }

    /// Whether all that is still missing is a leaf, or a link to an end node or a missing leaf.
    fn explains_losses(&self, sweeps: &Sweeps<'_>) -> bool {
        let Some(noted) = &self.noted else { return false };
        let explained = |near: &Notes, port: PortId| {
            let Some(far) = sweeps.whole.peer(port) else { return false };
            if !sweeps.is_switch(far) {
                return true;
            }
            let far = noted.get(&sweeps.whole.node_of(far));
            far.is_some_and(|far| far.table.is_some() && far.is_leaf && !near.is_leaf)
        };
        noted.values().all(|notes| {
            if notes.table.is_some() {
                notes.is_leaf
            } else {
                notes.missing.iter().all(|&p| explained(notes, p))
            }
        })
    }
}

/// The hops of every switch from the manager.
fn hops_from_manager(sweeps: &Sweeps<'_>) -> Vec<u32> {
    let first = sweeps.now.edge_switch(sweeps.manager);
    let chosen: Vec<bool> = sweeps.now.switches().map(|s| Some(s) == first).collect();
    SwitchGraph::of(sweeps.now).hops_from(&chosen)
}

/// Whether OpenSM knows the LIDs of both ends of a link that leads to a switch that came back when it finds that link.
fn are_found_with_lids(sweeps: &Sweeps<'_>, hops: &[u32], ends: [NodeId; 2]) -> bool {
    let [near, far] = if hops[ends[0].ix()] <= hops[ends[1].ix()] { ends } else { [ends[1], ends[0]] };
    let is_before_its_lid = hops[near.ix()] < hops[far.ix()] && sweeps.is_new(far);
    !is_before_its_lid && !ends.iter().any(|&s| sweeps.is_new(s) && sweeps.forgot_lid[s.ix()])
}
