//! Ranks on the ports of hosts.

use super::message::Message;
use crate::ranks::Flow;
use crate::traffic::Participants;

/// Where a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Over the fabric, from port to port.
    Fabric(Flow),
    /// From rank to rank of this host.
    Inside(u32),
}

/// The ranks of a job, host after host, the same number on each.
///
/// Rank *i* of a host uses its rail *i*, modulo the rails of the host. A message leaves and arrives on the
/// rail that it names, otherwise on its sender's; where the receiver lacks that rail, by the receiver's
/// own port.
#[derive(Clone, Debug)]
pub struct Ranks<'a> {
    participants: &'a Participants,
    per_host: u32,
    /// By rank: its port, as an index among the participants' ports, and the rail that this is on.
    own: Vec<(u32, u32)>,
}

impl<'a> Ranks<'a> {
    /// `per_host` ranks, at least one, on each host.
    pub fn new(participants: &'a Participants, per_host: u32) -> Self {
        let per_host = per_host.max(1);
        let mut own = Vec::with_capacity(participants.num_hosts() * per_host as usize);
        for host in 0..participants.num_hosts() as u32 {
            let rails =
                (0..participants.num_rails()).filter_map(|r| Some((participants.slot(host, r)?, r as u32)));
            let rails: Vec<(u32, u32)> = rails.collect();
            let ports = rails.iter().cycle().take(if rails.is_empty() { 0 } else { per_host as usize });
            own.extend(ports);
        }
        Self { participants, per_host, own }
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.own.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Ranks on each host.
    pub fn per_host(&self) -> u32 {
        self.per_host
    }

    /// The hosts and their ports.
    pub fn participants(&self) -> &'a Participants {
        self.participants
    }

    /// The host of a rank.
    pub fn host(&self, rank: u32) -> u32 {
        self.participants.hosts_of_ports()[self.own[rank as usize].0 as usize]
    }

    /// How a message between two ranks of the job is delivered.
    pub fn delivery(&self, message: &Message) -> Delivery {
        let (from, to) = (self.host(message.from), self.host(message.to));
        if from == to {
            return Delivery::Inside(from);
        }
        let (sender, receiver) = (self.own[message.from as usize], self.own[message.to as usize]);
        let rail = message.rail.unwrap_or(sender.1) as usize;
        let port = |host, own: (u32, u32)| {
            if rail < self.participants.num_rails() {
                self.participants.slot(host, rail).unwrap_or(own.0)
            } else {
                own.0
            }
        };
        Delivery::Fabric(Flow { from: port(from, sender), to: port(to, receiver) })
    }
}
