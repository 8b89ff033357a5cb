//! The map from ranks to hosts, rails and cores.

use rustc_hash::FxHashMap;

use super::{Flow, Participants, RanksError};

/// Where a rank runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The number of its host among the participants.
    pub host: u32,
    /// The rail that it sends by, from 0.
    pub rail: u32,
    /// Its core on the host, from 0.
    pub core: u32,
}

/// How a message goes from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Over the fabric, from port to port.
    Fabric(Flow),
    /// From rank to rank of this host.
    Inside(u32),
}

/// Ranks, and where each of them runs.
///
/// A message leaves and arrives on the rail that it names, otherwise on its sender's; where a host lacks that
/// rail, by the port of its own rank.
#[derive(Clone, Debug)]
pub struct Ranks<'a> {
    participants: &'a Participants,
    /// By rank.
    locations: Vec<Location>,
    /// By rank: its port, as an index among the participants' ports.
    ports: Vec<u32>,
}

impl<'a> Ranks<'a> {
    /// Ranks as a map says, one location a rank.
    ///
    /// # Errors
    /// The first rank on a host that does not take part, on a rail that its host lacks, or on the core of a rank
    /// before it.
    pub fn mapped(participants: &'a Participants, locations: Vec<Location>) -> Result<Self, RanksError> {
        let hosts = participants.num_hosts();
        let mut on_core: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut ports = Vec::with_capacity(locations.len());
        for (rank, &Location { host, rail, core }) in (0..).zip(&locations) {
            let Some(name) = participants.names().get(host as usize) else {
                return Err(RanksError::NoSuchHost { rank, host, hosts });
            };
            let rail_of_host = Some(rail as usize).filter(|&rail| rail < participants.num_rails());
            let port = rail_of_host.and_then(|rail| participants.slot(host, rail));
            ports.push(port.ok_or_else(|| RanksError::LacksRail { rank, host: name.clone(), rail })?);
            if let Some(first) = on_core.insert((host, core), rank) {
                return Err(RanksError::SharedCore { first, second: rank, host: name.clone(), core });
            }
        }
        Ok(Self { participants, locations, ports })
    }

    /// So many ranks on each host, at least one, host after host. Rank *i* of a host is on its core *i* and uses its
    /// rail *i*, modulo the rails that the host has. A host without a port has no rank.
    pub fn in_a_row(participants: &'a Participants, per_host: u32) -> Self {
        let per_host = per_host.max(1) as usize;
        let mut locations = Vec::with_capacity(participants.num_hosts() * per_host);
        let mut ports = Vec::with_capacity(locations.capacity());
        for host in 0..participants.num_hosts() as u32 {
            let rails =
                (0..participants.num_rails()).filter_map(|r| Some((r as u32, participants.slot(host, r)?)));
            let rails: Vec<(u32, u32)> = rails.collect();
            for (core, &(rail, port)) in (0..).zip(rails.iter().cycle().take(per_host)) {
                locations.push(Location { host, rail, core });
                ports.push(port);
            }
        }
        Self { participants, locations, ports }
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.locations.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.locations.is_empty()
    }

    /// The hosts and their ports.
    pub fn participants(&self) -> &'a Participants {
        self.participants
    }

    /// Where a rank runs.
    pub fn location(&self, rank: u32) -> Location {
        self.locations[rank as usize]
    }

    /// The host of a rank.
    pub fn host(&self, rank: u32) -> u32 {
        self.location(rank).host
    }

    /// The ranks of each host that has some, ascending; the host of rank 0 first, then that of the lowest rank
    /// elsewhere, and so on.
    pub fn by_host(&self) -> Vec<Vec<u32>> {
        let mut number: FxHashMap<u32, usize> = FxHashMap::default();
        let mut ranks: Vec<Vec<u32>> = Vec::new();
        for (rank, location) in (0..).zip(&self.locations) {
            let at = *number.entry(location.host).or_insert(ranks.len());
            if at == ranks.len() {
                ranks.push(Vec::new());
            }
            ranks[at].push(rank);
        }
        ranks
    }

    /// Whether no host has two ranks and they are in the order of their hosts, so that ranks stand for hosts.
    pub fn are_hosts(&self) -> bool {
        self.locations.is_sorted_by(|a, b| a.host < b.host)
    }

    /// How a message between two ranks is delivered that names this rail, or none.
    pub fn delivery(&self, from: u32, to: u32, rail: Option<u32>) -> Delivery {
        let (sender, receiver) = (self.location(from), self.location(to));
        if sender.host == receiver.host {
            return Delivery::Inside(sender.host);
        }
        let rail = rail.unwrap_or(sender.rail) as usize;
        let port = |rank: u32, host| {
            let on_rail = Some(rail).filter(|&rail| rail < self.participants.num_rails());
            on_rail.and_then(|rail| self.participants.slot(host, rail)).unwrap_or(self.ports[rank as usize])
        };
        Delivery::Fabric(Flow { from: port(from, sender.host), to: port(to, receiver.host) })
    }
}

#[cfg(test)]
mod tests;
