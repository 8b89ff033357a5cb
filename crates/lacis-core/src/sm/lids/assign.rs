//! What OpenSM 3.3.23's LID manager does on its first sweep.
//!
//! 1. The entries of the cache are read in the order of its hash table; those that contradict
//!    each other or the LMC are dropped, the others hold their LIDs.
//! 2. A present port whose entry is too narrow or misaligned for its LMC loses it.
//! 3. The free LIDs are found before the first is assigned: all LIDs that no entry holds and
//!    that no port without an entry reports, as intervals.
//! 4. The manager's own port comes first, then all others by byte-reversed port GUID. A port takes
//!    the LIDs of its entry; else keeps those that it reports where they are aligned and free;
//!    else takes the first that fit in the intervals, from which what alignment skips is lost.
//!
//! OpenSM documents none of this; it was found by experiment.

use rustc_hash::FxHashMap;

use super::{CacheEntry, LidError, Lids, MAX_LMC, MAX_UNICAST_LID, cache};
use crate::fabric::{Fabric, Guid, PortId};

/// The options of the LID manager; the defaults are OpenSM's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LidOptions {
    /// LID mask control of end nodes' ports, 0 to 7: each has 2^lmc LIDs (`-l`).
    pub lmc: u8,
    /// Whether enhanced switch ports 0 have as many (`lmc_esp0`); a base port 0 has one LID.
    pub lmc_esp0: bool,
    /// Whether the LIDs that ports report and those of the cache are forgotten (`-r`).
    pub fresh: bool,
    /// The LID cache `guid2lid`, in the order of its file.
    pub cache: Vec<CacheEntry>,
}

impl LidOptions {
    /// LMC 0, with all LIDs assigned afresh.
    pub fn fresh() -> Self {
        Self { fresh: true, ..Self::default() }
    }
}

impl Lids {
    /// The LIDs that a fresh OpenSM on port `sm` assigns (see [`LidOptions`]).
    ///
    /// Ports that `sm` cannot reach, which OpenSM would not see, come after all others by the same
    /// rules: LIDs are unique over all subnets of a fabric.
    ///
    /// # Errors
    /// When the end ports want more LIDs than there are, or the LMC is above 7.
    pub fn assign(fabric: &Fabric, sm: PortId, options: &LidOptions) -> Result<Self, LidError> {
        if options.lmc > MAX_LMC {
            return Err(LidError::Lmc(options.lmc));
        }
        let seen = reached(fabric, sm);
        let (mut here, elsewhere): (Vec<PortId>, Vec<PortId>) =
            fabric.end_ports_in_opensm_order().into_iter().partition(|p| seen[p.ix()]);
        here.retain(|&p| p != sm);
        here.insert(0, sm);

        let waves = [here, elsewhere];
        let Manager { missing, without, lids, known, .. } = Manager::run(fabric, sm, &waves, options);
        if missing > 0 {
            let lmc = options.lmc;
            let fits = (0..lmc).rev().find(|&lower| {
                let options = LidOptions { lmc: lower, ..options.clone() };
                Manager::run(fabric, sm, &waves, &options).missing == 0
            });
            return Err(LidError::Exhausted { missing, without, lmc, fits });
        }
        let entry = |(guid, (first, last))| CacheEntry { guid, first, last };
        let mut absent: Vec<CacheEntry> = known.into_iter().map(entry).collect();
        absent.sort_by_key(|e| (e.first, e.guid));
        Ok(Self { absent, ..lids })
    }
}

/// Free ranges of LIDs, ascending.
type Free = Vec<(u32, u32)>;

struct Manager<'a> {
    fabric: &'a Fabric,
    options: &'a LidOptions,
    /// By LID, whether an entry holds it or a port has it.
    used: Vec<bool>,
    /// First and last LID by port GUID, of ports that were not given LIDs yet.
    known: FxHashMap<Guid, (u32, u32)>,
    lids: Lids,
    /// LIDs that could not be assigned.
    missing: usize,
    /// Ports that have none for that reason.
    without: usize,
}

impl<'a> Manager<'a> {
    /// Gives LIDs to the ports of each wave in turn.
    fn run(fabric: &'a Fabric, sm: PortId, waves: &[Vec<PortId>], options: &'a LidOptions) -> Self {
        let mut used = vec![false; MAX_UNICAST_LID as usize + 1];
        used[0] = true;
        let lids = Lids { manager: Some(sm), ..Lids::none(fabric) };
        let mut manager =
            Self { fabric, options, used, known: FxHashMap::default(), lids, missing: 0, without: 0 };
        if !options.fresh {
            manager.remember();
        }
        for ports in waves {
            manager.sweep(ports);
        }
        manager
    }

    /// Takes over the valid entries of the cache.
    fn remember(&mut self) {
        let count = 1 << self.options.lmc;
        for &CacheEntry { guid, first, last } in cache::in_opensm_order(&self.options.cache).iter().rev() {
            let legal = guid.is_some() && 0 < first && first <= last && last <= MAX_UNICAST_LID;
            let aligned = first == last || first % count == 0;
            if legal && aligned && !self.any_used(first, last) {
                self.mark(first, last.min(first + count - 1), true);
                self.known.insert(guid, (first, last));
            }
        }
    }

    /// Gives LIDs to ports, in this order; the others do not exist for the manager.
    fn sweep(&mut self, ports: &[PortId]) {
        for &port in ports {
            let count = self.count(port);
            let guid = self.fabric.end_port_guid(port);
            // A misaligned entry that was taken over has one LID.
            if let Some(&(first, last)) = self.known.get(&guid)
                && last + 1 - first < count
            {
                self.known.remove(&guid);
                self.mark(first, last, false);
            }
        }
        let mut free = self.free(ports);
        for &port in ports {
            let count = self.count(port);
            let guid = self.fabric.end_port_guid(port);
            let own = self.own(port);
            // Taken out: a second port with this GUID, which OpenSM would reject, has no entry.
            let entry = self.known.remove(&guid).map(|(first, _)| first);
            let kept = || {
                let whole = own != 0 && own.is_multiple_of(count);
                (whole && !self.any_used(own, own + count - 1)).then_some(own)
            };
            let Some(first) = entry.or_else(kept).or_else(|| first_fit(&mut free, count)) else {
                self.missing += count as usize;
                self.without += 1;
                continue;
            };
            self.mark(first, first + count - 1, true);
            self.lids.set(port, first, count.ilog2() as u8);
        }
    }

    /// Intervals of LIDs that can be given to any of the ports.
    fn free(&self, ports: &[PortId]) -> Free {
        let mut owner: Vec<Option<PortId>> = vec![None; self.used.len()];
        let mut in_order = ports.to_vec();
        in_order.sort_by_key(|&p| (self.fabric.end_port_guid(p).opensm_key(), p));
        for port in in_order {
            let own = self.own(port);
            let end = (own + self.own_count(port)).min(MAX_UNICAST_LID + 1);
            owner[own as usize..end as usize].fill(Some(port));
        }
        let mut free = Free::new();
        let mut lid = 1;
        while lid <= MAX_UNICAST_LID {
            let reserved = || owner[lid as usize].map_or(0, |port| self.reserved(port, lid));
            let unavailable = if self.used[lid as usize] { 1 } else { reserved() };
            if unavailable == 0 {
                match free.last_mut().filter(|(_, last)| last + 1 == lid) {
                    Some((_, last)) => *last = lid,
                    None => free.push((lid, lid)),
                }
            }
            lid += unavailable.max(1);
        }
        free
    }

    /// How many LIDs from `lid` on are kept for the port that reports it: none where the port has an
    /// entry, or cannot keep what it reports.
    fn reserved(&self, port: PortId, lid: u32) -> u32 {
        let own = self.own(port);
        if self.known.contains_key(&self.fabric.end_port_guid(port)) || lid >= own + (1 << self.options.lmc) {
            return 0;
        }
        // A switch that is to have one LID keeps the whole range that it reports from others.
        let many = self.has_many(port);
        let count = if many { self.count(port) } else { self.own_count(port) };
        let aligned = !many || own.is_multiple_of(count);
        if aligned && !self.any_used(own + 1, own + count - 1) { own + count - lid } else { 0 }
    }

    /// Whether a port is to have as many LIDs as the LMC says.
    fn has_many(&self, port: PortId) -> bool {
        let node = self.fabric.node_of(port);
        !self.fabric.is_switch(node) || self.options.lmc_esp0 && self.fabric.node(node).enhanced_port0
    }

    /// How many LIDs a port is to have.
    fn count(&self, port: PortId) -> u32 {
        if self.has_many(port) { 1 << self.options.lmc } else { 1 }
    }

    /// The first LID that a port reports; 0 for none.
    fn own(&self, port: PortId) -> u32 {
        match self.fabric.port_info(port).lid {
            lid @ 1..=MAX_UNICAST_LID if !self.options.fresh => lid,
            _ => 0,
        }
    }

    /// How many LIDs a port reports.
    fn own_count(&self, port: PortId) -> u32 {
        if self.options.fresh { 1 } else { 1 << self.fabric.port_info(port).lmc.min(MAX_LMC) }
    }

    fn any_used(&self, first: u32, last: u32) -> bool {
        self.used[first as usize..=last.min(MAX_UNICAST_LID) as usize].contains(&true)
    }

    fn mark(&mut self, first: u32, last: u32, used: bool) {
        self.used[first as usize..=last.min(MAX_UNICAST_LID) as usize].fill(used);
    }
}

/// Takes `count` LIDs, aligned, from the first interval in which they fit; what the alignment skips is
/// lost.
fn first_fit(free: &mut Free, count: u32) -> Option<u32> {
    let aligned = |first: u32| first.next_multiple_of(count);
    let (first, _) = free.iter_mut().find(|(first, last)| aligned(*first) + count - 1 <= *last)?;
    let base = aligned(*first);
    *first = base + count;
    Some(base)
}

/// Which ports a manager on `sm` discovers: switches answer for all their ports, end nodes do not
/// forward, and of an end node only ports with a discovered cable are seen.
fn reached(fabric: &Fabric, sm: PortId) -> Vec<bool> {
    let mut seen = vec![false; fabric.num_ports()];
    let mut queue = vec![sm];
    seen[sm.ix()] = true;
    if !fabric.is_switch(fabric.node_of(sm)) {
        queue.extend(fabric.peer(sm));
    }
    while let Some(port) = queue.pop() {
        let node = fabric.node_of(port);
        if !fabric.is_switch(node) {
            seen[port.ix()] = true;
        } else if !std::mem::replace(&mut seen[fabric.port0(node).ix()], true) || port == sm {
            queue.extend(fabric.ports_of(node).filter_map(|p| fabric.peer(p)));
        }
    }
    seen
}
