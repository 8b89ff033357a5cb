//! What is to be mapped, onto which seats, and what has to hold.

use crate::fabric::levels::Levels;
use crate::fabric::{Fabric, NodeId, pods};
use crate::ranks::Participants;

/// Bytes that one rank sends to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Demand {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// In a step.
    pub bytes: u64,
}

/// What is to be mapped, and what has to hold.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The host of each rank in the order given, by number among the participants.
    pub given: &'a [u32],
    /// What ranks send each other; several between the same two are added.
    pub demands: &'a [Demand],
    /// The grid whose points the ranks are, the last dimension fastest; empty where there is none.
    pub grid: &'a [u32],
    /// Ranks of which no two may share a host.
    pub apart: &'a [u32],
    /// Ranks and the hosts that they have to be on.
    pub pinned: &'a [(u32, u32)],
    /// How many demands the search on link loads may recount; 0 looks at bytes alone.
    pub effort: u64,
    /// Of the search: the same seed gives the same mapping.
    pub seed: u64,
}

/// Why ranks cannot be mapped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// Demands of ranks that do not exist.
    #[error("rank {rank} sends or receives, and there are ranks 0 to {}", .ranks.saturating_sub(1))]
    NoSuchRank {
        /// The rank.
        rank: u32,
        /// How many there are.
        ranks: usize,
    },
    /// No rank at all.
    #[error("there is no rank to map")]
    NoRank,
    /// A host that does not take part.
    #[error("host number {host} takes no part, of {hosts}")]
    NoSuchHost {
        /// The host.
        host: u32,
        /// How many there are.
        hosts: usize,
    },
    /// A grid of another size.
    #[error("a grid of {points} points, for {ranks} ranks")]
    Grid {
        /// Its points.
        points: u64,
        /// Ranks.
        ranks: usize,
    },
    /// More ranks that have to be on hosts of their own than there are hosts for them.
    #[error(
        "{apart} ranks are to be on hosts of their own, and {hosts} hosts of the list have a seat for one"
    )]
    Apart {
        /// Such ranks.
        apart: usize,
        /// Hosts with a seat that no other rank is bound to.
        hosts: usize,
    },
    /// More ranks bound to a host than it has seats.
    #[error("{ranks} ranks are pinned to a host that the list has {seats} times")]
    Pinned {
        /// Ranks bound to it.
        ranks: usize,
        /// Its seats.
        seats: usize,
    },
    /// A rank that is bound twice.
    #[error("rank {rank} is pinned twice")]
    PinnedTwice {
        /// The rank.
        rank: u32,
    },
    /// Two ranks that have to be apart, pinned to the same host.
    #[error("ranks {first} and {second} are to be on hosts of their own, and both are pinned to one")]
    PinnedTogether {
        /// The lower.
        first: u32,
        /// The higher.
        second: u32,
    },
    /// More bytes than can be added up.
    #[error("more than 2^60 bytes in all")]
    TooManyBytes,
    /// More messages than are added up.
    #[error("the pattern has more than {most} messages")]
    TooManyMessages {
        /// The most that are added up.
        most: usize,
    },
    /// The search was stopped.
    #[error("interrupted")]
    Interrupted,
}

/// Bytes of a step that can be added up, twice over.
const MOST_BYTES: u64 = 1 << 60;

impl Request<'_> {
    /// Refuses what cannot be met.
    pub(super) fn check(&self, hosts: usize) -> Result<(), MappingError> {
        let ranks = self.given.len();
        if ranks == 0 {
            return Err(MappingError::NoRank);
        }
        if let Some(&host) = self.given.iter().find(|&&h| h as usize >= hosts) {
            return Err(MappingError::NoSuchHost { host, hosts });
        }
        let named = self.demands.iter().flat_map(|d| [d.from, d.to]);
        let bound = self.apart.iter().copied().chain(self.pinned.iter().map(|p| p.0));
        if let Some(rank) = named.chain(bound).find(|&r| r as usize >= ranks) {
            return Err(MappingError::NoSuchRank { rank, ranks });
        }
        let total = self.demands.iter().try_fold(0_u64, |sum, d| sum.checked_add(d.bytes));
        if total.is_none_or(|sum| sum > MOST_BYTES) {
            return Err(MappingError::TooManyBytes);
        }
        let points: u64 = self.grid.iter().fold(1, |all, &n| all.saturating_mul(u64::from(n)));
        if !self.grid.is_empty() && points != ranks as u64 {
            return Err(MappingError::Grid { points, ranks });
        }
        self.check_bonds(hosts)
    }

    fn check_bonds(&self, hosts: usize) -> Result<(), MappingError> {
        let mut seats = vec![0; hosts];
        self.given.iter().for_each(|&h| seats[h as usize] += 1);
        let mut apart = self.apart.to_vec();
        apart.sort_unstable();
        apart.dedup();
        let mut pinned = self.pinned.to_vec();
        pinned.sort_unstable();
        if let Some(twice) = pinned.windows(2).find(|w| w[0].0 == w[1].0) {
            return Err(MappingError::PinnedTwice { rank: twice[0].0 });
        }
        let mut taken = vec![0; hosts];
        let mut lone: Vec<Option<u32>> = vec![None; hosts];
        let mut free = seats.clone();
        for &(rank, host) in &pinned {
            let Some(count) = taken.get_mut(host as usize) else {
                return Err(MappingError::NoSuchHost { host, hosts });
            };
            *count += 1;
            if *count > seats[host as usize] {
                return Err(MappingError::Pinned { ranks: *count, seats: seats[host as usize] });
            }
            if apart.binary_search(&rank).is_err() {
                free[host as usize] -= 1;
            } else if let Some(first) = lone[host as usize].replace(rank) {
                return Err(MappingError::PinnedTogether { first, second: rank });
            }
        }
        let able = free.iter().filter(|&&n| n > 0).count();
        if apart.len() > able {
            return Err(MappingError::Apart { apart: apart.len(), hosts: able });
        }
        Ok(())
    }
}

/// Where hosts are: which of them share a leaf, and which a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// By host, the number of its leaf: hosts with one number hang off the same leaf on the rail that most of them have.
    pub leaf: Vec<u32>,
    /// By host, the number of its pod; all 0 where the fabric has none.
    pub pod: Vec<u32>,
}

impl Site {
    /// Where the hosts that take part are. A fabric without levels has leaves, but no pods.
    pub fn of(fabric: &Fabric, participants: &Participants) -> Self {
        let hosts = 0..participants.num_hosts() as u32;
        let rails = 0..participants.num_rails();
        let on = |rail: usize| hosts.clone().filter(|&h| participants.slot(h, rail).is_some()).count();
        // Of rails that equally many hosts have, the first.
        let usual = rails.clone().max_by_key(|&rail| (on(rail), std::cmp::Reverse(rail))).unwrap_or(0);
        let leaf_of = |host: u32| {
            let slots =
                std::iter::once(usual).chain(rails.clone()).filter_map(|r| participants.slot(host, r));
            slots.into_iter().find_map(|slot| participants.leaf_of(slot))
        };
        let pods = Levels::of(fabric).filter(|levels| levels.count() > 2).map(|levels| {
            let pods = pods(fabric, &levels);
            let mid = |leaf: NodeId| {
                let ports = fabric.ports_of(leaf).filter_map(|p| fabric.peer(p)).map(|p| fabric.node_of(p));
                let above = ports.filter(|&n| fabric.is_switch(n) && levels.level(n) == Some(1));
                above.map(|n| pods[n.ix()]).min().unwrap_or(pods[leaf.ix()])
            };
            participants.leaves().iter().map(|&leaf| mid(leaf)).collect::<Vec<u32>>()
        });
        let alone = participants.leaves().len() as u32;
        let leaf: Vec<u32> = hosts.map(|h| leaf_of(h).unwrap_or(alone + h)).collect();
        let pod = leaf.iter().map(|&l| pods.as_ref().and_then(|p| p.get(l as usize).copied()).unwrap_or(0));
        Self { pod: pod.collect(), leaf }
    }

    /// How far bytes between two hosts climb: 0 inside a host, 1 inside a leaf, 2 inside a pod, 3 above; without pods 2 above.
    pub fn tier(&self, a: u32, b: u32) -> usize {
        let (a, b) = (a as usize, b as usize);
        if a == b {
            0
        } else if self.leaf[a] == self.leaf[b] {
            1
        } else {
            2 + usize::from(self.pod[a] != self.pod[b])
        }
    }

    /// Whether there are pods.
    pub fn has_pods(&self) -> bool {
        self.pod.iter().any(|&p| p != self.pod[0])
    }
}
