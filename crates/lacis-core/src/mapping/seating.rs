//! Ranks on their hosts, and what every link carries in a step; ranks are exchanged, and all is up to date.
//!
//! The k-th rank of a host, in the order of ranks, sends by the k-th of the host's rails, modulo these, as launchers number the ranks
//! of a host; what it sends arrives on the same rail where the receiver has it. So an exchange of two ranks may move the other
//! ranks of their hosts to other rails.

use super::{Demand, Request, Site};
use crate::model::fluid::Capacity;
use crate::model::load::{LinkId, Paths};
use crate::ranks::{Flow, Participants};

/// What decides between two mappings, least first.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Cost {
    /// Bytes that have no route: first of all everything has to arrive.
    pub unrouted: u64,
    /// How long the most loaded link needs for what it carries, links of hosts included `[s]`.
    pub busiest: f64,
    /// Bytes, each times the tiers that it climbs.
    pub climbed: u64,
    /// How long the most loaded link between switches needs `[s]`.
    pub between_switches: f64,
}

/// Two ranks, or all ranks of two hosts, that are exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exchange {
    Ranks(u32, u32),
    Hosts(u32, u32),
}

/// What never changes.
#[derive(Debug)]
pub(super) struct Setting<'a> {
    pub paths: &'a Paths<'a>,
    pub participants: &'a Participants,
    pub site: &'a Site,
    /// Seconds a byte, by link.
    seconds: Vec<f64>,
    demands: Vec<Demand>,
    /// By rank: the demands that it sends, as indices.
    sent: Vec<std::ops::Range<u32>>,
    /// By rank: the demands that it receives, as indices.
    received: Vec<Vec<u32>>,
    /// By host, its rails that have a port.
    rails: Vec<Vec<u32>>,
    is_pinned: Vec<bool>,
    is_apart: Vec<bool>,
}

impl<'a> Setting<'a> {
    pub fn new(
        paths: &'a Paths<'a>,
        participants: &'a Participants,
        site: &'a Site,
        request: &Request<'_>,
    ) -> Self {
        let ranks = request.given.len();
        let demands = merged(request.demands);
        let (mut sent, mut at) = (Vec::with_capacity(ranks), 0);
        for rank in 0..ranks as u32 {
            let begin = at;
            while demands.get(at).is_some_and(|d| d.from == rank) {
                at += 1;
            }
            sent.push(begin as u32..at as u32);
        }
        let mut received = vec![Vec::new(); ranks];
        for (i, demand) in (0..).zip(&demands) {
            received[demand.to as usize].push(i);
        }
        let rails = |host: u32| {
            let all = 0..participants.num_rails();
            all.filter(|&rail| participants.slot(host, rail).is_some()).map(|rail| rail as u32).collect()
        };
        let capacity = Capacity::of(paths.fabric(), paths.links(), 1.0);
        let mut is_pinned = vec![false; ranks];
        request.pinned.iter().for_each(|p| is_pinned[p.0 as usize] = true);
        let mut is_apart = vec![false; ranks];
        request.apart.iter().for_each(|&r| is_apart[r as usize] = true);
        Self {
            paths,
            participants,
            site,
            seconds: capacity.rates.iter().map(|rate| 1.0 / rate).collect(),
            demands,
            sent,
            received,
            rails: (0..participants.num_hosts() as u32).map(rails).collect(),
            is_pinned,
            is_apart,
        }
    }

    /// What each rank sends each other, by sender and receiver.
    pub fn demands(&self) -> &[Demand] {
        &self.demands
    }

    fn is_between_switches(&self, link: LinkId) -> bool {
        link as usize <= self.paths.links().between_switches()
    }
}

/// Demands by sender and receiver, those between the same two added, those of a rank to itself left out.
pub(super) fn merged(demands: &[Demand]) -> Vec<Demand> {
    let mut all: Vec<Demand> = demands.iter().copied().filter(|d| d.from != d.to && d.bytes > 0).collect();
    all.sort_unstable();
    all.dedup_by(|next, kept| {
        let same = (next.from, next.to) == (kept.from, kept.to);
        if same {
            kept.bytes += next.bytes;
        }
        same
    });
    all
}

/// Ranks on their hosts.
#[derive(Clone, Debug)]
pub(super) struct Seating<'s, 'a> {
    setting: &'s Setting<'a>,
    host: Vec<u32>,
    /// Ranks of each host, ascending.
    ranks: Vec<Vec<u32>>,
    /// Each rank's number among those of its host.
    local: Vec<u32>,
    /// Bytes by link.
    load: Vec<u64>,
    unrouted: u64,
    climbed: u64,
    /// Links whose load a trial may have changed, with the load before it; and whether one is listed.
    touched: Vec<(LinkId, u64)>,
    is_touched: Vec<bool>,
}

impl<'s, 'a> Seating<'s, 'a> {
    /// Ranks on given hosts.
    pub fn new(setting: &'s Setting<'a>, host: &[u32]) -> Self {
        let links = setting.paths.links().len();
        let mut ranks = vec![Vec::new(); setting.rails.len()];
        let mut local = Vec::with_capacity(host.len());
        for (rank, &h) in (0..).zip(host) {
            local.push(ranks[h as usize].len() as u32);
            ranks[h as usize].push(rank);
        }
        let mut new = Self {
            setting,
            host: host.to_vec(),
            ranks,
            local,
            load: vec![0; links],
            unrouted: 0,
            climbed: 0,
            touched: Vec::new(),
            is_touched: vec![false; links],
        };
        for i in 0..setting.demands.len() as u32 {
            new.count::<true>(i);
        }
        new.settle();
        new
    }

    pub fn hosts(&self) -> &[u32] {
        &self.host
    }

    /// Whether two hosts hang off the same leaf.
    pub fn is_near(&self, a: u32, b: u32) -> bool {
        self.setting.site.tier(a, b) < 2
    }

    /// The same ranks on other hosts.
    pub fn become_like(&mut self, host: &[u32]) {
        *self = Self::new(self.setting, host);
    }

    pub fn ranks_of(&self, host: u32) -> &[u32] {
        &self.ranks[host as usize]
    }

    /// The port by which a rank's messages leave or arrive that use a rail.
    fn port(&self, rank: u32, rail: u32) -> Option<u32> {
        let host = self.host[rank as usize];
        let on_rail = self.setting.participants.slot(host, rail as usize);
        on_rail.or_else(|| self.setting.participants.slot(host, self.rail(rank)? as usize))
    }

    /// The rail that a rank sends by.
    fn rail(&self, rank: u32) -> Option<u32> {
        let rails = &self.setting.rails[self.host[rank as usize] as usize];
        rails.get(self.local[rank as usize] as usize % rails.len().max(1)).copied()
    }

    /// The flow of a demand; none inside a host or where a host has no port.
    fn flow(&self, demand: &Demand) -> Option<Flow> {
        let rail = self.rail(demand.from)?;
        Some(Flow { from: self.port(demand.from, rail)?, to: self.port(demand.to, rail)? })
    }

    /// Adds a demand to the links that it crosses, or takes it off.
    fn count<const ADD: bool>(&mut self, demand: u32) {
        let it = self.setting.demands[demand as usize];
        let (a, b) = (self.host[it.from as usize], self.host[it.to as usize]);
        if a == b {
            return;
        }
        let tiers = self.setting.site.tier(a, b) as u64 * it.bytes;
        let (setting, flow) = (self.setting, self.flow(&it));
        let (load, touched, is_touched) = (&mut self.load, &mut self.touched, &mut self.is_touched);
        let see = |link: LinkId| {
            let l = link as usize;
            if !is_touched[l] {
                is_touched[l] = true;
                touched.push((link, load[l]));
            }
            if ADD {
                load[l] += it.bytes;
            } else {
                load[l] -= it.bytes;
            }
        };
        let arrives = flow.is_some_and(|flow| setting.paths.visit(flow, see));
        let lost = if arrives { 0 } else { it.bytes };
        if ADD {
            self.climbed += tiers;
            self.unrouted += lost;
        } else {
            self.climbed -= tiers;
            self.unrouted -= lost;
        }
    }

    /// All demands of the ranks of two hosts, each once.
    fn count_hosts<const ADD: bool>(&mut self, a: u32, b: u32) {
        let setting = self.setting;
        for host in [a, b] {
            for i in 0..self.ranks[host as usize].len() {
                let rank = self.ranks[host as usize][i] as usize;
                for demand in setting.sent[rank].clone() {
                    self.count::<ADD>(demand);
                }
                for &demand in &setting.received[rank] {
                    let sender = self.host[setting.demands[demand as usize].from as usize];
                    if sender != a && sender != b {
                        self.count::<ADD>(demand);
                    }
                }
            }
        }
    }

    /// Whether an exchange keeps every bond, and the number of ranks of each host.
    pub fn may(&self, exchange: Exchange) -> bool {
        let setting = self.setting;
        match exchange {
            Exchange::Hosts(a, b) => {
                let (of_a, of_b) = (self.ranks_of(a), self.ranks_of(b));
                let free = |ranks: &[u32]| ranks.iter().all(|&r| !setting.is_pinned[r as usize]);
                a != b && of_a.len() == of_b.len() && free(of_a) && free(of_b)
            }
            Exchange::Ranks(u, v) => {
                let (a, b) = (self.host[u as usize], self.host[v as usize]);
                let lone = |host: u32, leaving: u32, coming: u32| {
                    let others = self.ranks_of(host).iter().filter(|&&r| r != leaving);
                    !setting.is_apart[coming as usize]
                        || others.into_iter().all(|&r| !setting.is_apart[r as usize])
                };
                a != b
                    && !setting.is_pinned[u as usize]
                    && !setting.is_pinned[v as usize]
                    && lone(a, u, v)
                    && lone(b, v, u)
            }
        }
    }

    /// How many demands an exchange recounts.
    pub fn recounted(&self, exchange: Exchange) -> u64 {
        let (a, b) = self.between(exchange);
        let of = |&rank: &u32| {
            let (sent, received) = (&self.setting.sent[rank as usize], &self.setting.received[rank as usize]);
            (sent.len() + received.len()) as u64
        };
        self.ranks_of(a).iter().chain(self.ranks_of(b)).map(of).sum()
    }

    /// Makes an exchange; [`Seating::undo`] takes it back, [`Seating::settle`] keeps it.
    pub fn make(&mut self, exchange: Exchange) {
        let (a, b) = self.between(exchange);
        self.count_hosts::<false>(a, b);
        self.swap(exchange);
        self.count_hosts::<true>(a, b);
    }

    /// The hosts of an exchange.
    fn between(&self, exchange: Exchange) -> (u32, u32) {
        match exchange {
            Exchange::Hosts(a, b) => (a, b),
            Exchange::Ranks(u, v) => (self.host[u as usize], self.host[v as usize]),
        }
    }

    fn swap(&mut self, exchange: Exchange) {
        let (a, b) = self.between(exchange);
        match exchange {
            Exchange::Hosts(a, b) => self.ranks.swap(a as usize, b as usize),
            Exchange::Ranks(u, v) => {
                for (host, leaving, coming) in [(a, u, v), (b, v, u)] {
                    let ranks = &mut self.ranks[host as usize];
                    if let Ok(at) = ranks.binary_search(&leaving) {
                        ranks.remove(at);
                    }
                    let at = ranks.partition_point(|&r| r < coming);
                    ranks.insert(at, coming);
                }
            }
        }
        for host in [a, b] {
            for (local, &rank) in (0..).zip(&self.ranks[host as usize]) {
                self.host[rank as usize] = host;
                self.local[rank as usize] = local;
            }
        }
    }

    /// Takes the last exchange back. `before` is what bytes were unrouted and climbed before it.
    pub fn undo(&mut self, exchange: Exchange, before: (u64, u64)) {
        // Exchanged twice, two ranks are where they were.
        self.swap(exchange);
        for &(link, load) in &self.touched {
            self.load[link as usize] = load;
            self.is_touched[link as usize] = false;
        }
        self.touched.clear();
        (self.unrouted, self.climbed) = before;
    }

    /// Keeps what was done.
    pub fn settle(&mut self) {
        for &(link, _) in &self.touched {
            self.is_touched[link as usize] = false;
        }
        self.touched.clear();
    }

    /// Bytes without a route, and bytes times the tiers that they climb.
    pub fn bytes(&self) -> (u64, u64) {
        (self.unrouted, self.climbed)
    }

    /// How long a link needs for what it carries `[s]`.
    pub fn time(&self, link: LinkId) -> f64 {
        self.load[link as usize] as f64 * self.setting.seconds[link as usize]
    }

    /// The longest that a link needs which the last exchange touched, and which is more loaded than before: of all, and of those
    /// between switches.
    pub fn longest_touched(&self) -> (f64, f64) {
        let (mut all, mut inner) = (0.0_f64, 0.0_f64);
        for &(link, before) in &self.touched {
            if self.load[link as usize] > before {
                let time = self.time(link);
                all = all.max(time);
                if self.setting.is_between_switches(link) {
                    inner = inner.max(time);
                }
            }
        }
        (all, inner)
    }

    /// The link that needs longest, of all or of those between switches; of equal ones the first.
    pub fn busiest(&self, inner_only: bool) -> Option<(LinkId, f64)> {
        let links = self.setting.paths.links();
        let last = if inner_only { links.between_switches() + 1 } else { links.len() };
        let mut best: Option<(LinkId, f64)> = None;
        for link in 1..last as LinkId {
            if self.load[link as usize] > 0 {
                let time = self.time(link);
                if best.is_none_or(|(_, most)| time > most) {
                    best = Some((link, time));
                }
            }
        }
        best
    }

    /// What the mapping costs.
    pub fn cost(&self) -> Cost {
        let time = |inner_only| self.busiest(inner_only).map_or(0.0, |(_, time)| time);
        Cost {
            unrouted: self.unrouted,
            busiest: time(false),
            climbed: self.climbed,
            between_switches: time(true),
        }
    }

    /// The ranks with which a rank exchanges most, most first.
    pub fn partners(&self, rank: u32, most: usize) -> Vec<u32> {
        let setting = self.setting;
        let sent = setting.sent[rank as usize].clone().map(|i| &setting.demands[i as usize]);
        let received = setting.received[rank as usize].iter().map(|&i| &setting.demands[i as usize]);
        let mut all: Vec<&Demand> = sent.chain(received).collect();
        all.sort_by_key(|d| (std::cmp::Reverse(d.bytes), d.from, d.to));
        all.truncate(most);
        all.iter().map(|d| if d.from == rank { d.to } else { d.from }).collect()
    }

    /// Bytes by tier: inside hosts, inside leaves, inside pods, above.
    pub fn tiers(&self) -> [u64; 4] {
        let mut bytes = [0; 4];
        for demand in &self.setting.demands {
            let (a, b) = (self.host[demand.from as usize], self.host[demand.to as usize]);
            bytes[self.setting.site.tier(a, b)] += demand.bytes;
        }
        bytes
    }

    /// The demands that cross a link, most bytes first.
    pub fn crossing(&self, link: LinkId) -> Vec<Demand> {
        let crosses = |demand: &&Demand| {
            let (a, b) = (self.host[demand.from as usize], self.host[demand.to as usize]);
            let mut found = false;
            a != b
                && self.flow(demand).is_some_and(|flow| {
                    self.setting.paths.visit(flow, |l| found |= l == link);
                    found
                })
        };
        let mut found: Vec<Demand> = self.setting.demands.iter().filter(crosses).copied().collect();
        found.sort_by_key(|d| (std::cmp::Reverse(d.bytes), d.from, d.to));
        found
    }
}
