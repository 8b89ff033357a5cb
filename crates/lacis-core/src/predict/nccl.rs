//! NCCL's collectives on rails: which steps stay on their rail, which cross the spines or the host, and which share a
//! link under given tables.
//!
//! GPU `k` of a host is taken to be near its adapter of number `k`. A channel's ring or tree enters and leaves hosts by
//! the adapters of one number. In an all-to-all GPU `i` of a host sends to GPU `j` of another: with PXN the data crosses its own host to
//! the adapter of number `j`, and stays on that rail; without, it leaves by number `i` and arrives by number `j`.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use crate::fabric::{Fabric, NodeId, PortId};
use crate::health::Hosts;
use crate::model::load::{Links, Paths, SINK, Steps};
use crate::ranks::Flow;
use crate::ranks::{Delivery, HostPorts, Participants, Ranks};
use crate::sm::Routes;
use crate::traffic::{Program, ProgramSpec, TrafficError};

/// Flows walked at a time.
const CHUNK: usize = 1 << 14;
/// The most flows of an all-to-all.
const MOST_FLOWS: usize = 1 << 25;

/// What NCCL does on a fabric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NcclReport {
    /// Hosts that take part.
    pub hosts: usize,
    /// GPUs of each.
    pub gpus: u32,
    /// Channels: adapters of each host.
    pub channels: usize,
    /// Whether data may cross its own host to the adapter of its receiver's rail.
    pub pxn: bool,
    /// Hosts without an adapter of some number, and the numbers that they lack.
    pub lacking: Vec<(String, Vec<usize>)>,
    /// Hosts with an adapter of a number on a leaf of another rail than that number has elsewhere, and the numbers.
    pub crossed: Vec<(String, Vec<usize>)>,
    /// Ring, tree and all-to-all.
    pub collectives: Vec<NcclCollective>,
}

/// A collective.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NcclCollective {
    /// `ring`, `tree`, `alltoall`.
    pub name: &'static str,
    /// By channel, or by the distance from sender's to receiver's number.
    pub steps: Vec<NcclStep>,
    /// Flows on links between switches, the most of any link.
    pub most_flows: u64,
    /// The mean over links between switches that it uses.
    pub mean_flows: f64,
    /// The links with the most, worst first.
    pub shared: Vec<NcclLink>,
}

/// One step: counts of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NcclStep {
    /// `rail 1` of a ring or tree; `same number`, `number + 1` … of an all-to-all.
    pub step: String,
    /// Messages between GPUs.
    pub messages: u64,
    /// Between GPUs of one host.
    pub inside: u64,
    /// That stay on one leaf.
    pub in_leaf: u64,
    /// That cross switches above a leaf and arrive on a leaf of the sender's rail.
    pub over_spines: u64,
    /// That arrive on a leaf of another rail than they left from.
    pub leave_rail: u64,
    /// That cross the sender's host to the adapter of their receiver's rail (PXN).
    pub cross_host: u64,
    /// Without a route.
    pub unrouted: u64,
}

/// A link between switches that flows share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NcclLink {
    /// The port that it leaves.
    pub egress: String,
    /// The port that it enters.
    pub ingress: String,
    /// Messages of the collective over it.
    pub flows: u64,
    /// The steps of these messages, with how many each has.
    pub steps: Vec<(String, u64)>,
    /// Sender and receiver of one of them.
    pub example: (String, String),
}

/// The hosts that NCCL runs on, each with its adapters by number. Those without a cabled adapter are left out, and so are
/// adapters whose host is unknown.
pub fn nccl_hosts(fabric: &Fabric, hosts: &Hosts) -> Vec<HostPorts> {
    let cabled = |n: NodeId| fabric.ports_of(n).filter(|&p| fabric.edge_switch(p).is_some());
    let per_adapter = hosts.ports_per_adapter();
    let count = hosts.num_rails() * per_adapter;
    let ports = |ends: &[NodeId]| {
        let mut ports: Vec<Option<PortId>> = vec![None; count];
        for &end in ends {
            for (index, port) in cabled(end).enumerate() {
                if let Some(slot) =
                    ports.get_mut(hosts.number(end) * per_adapter + hosts.first_port(end) + index)
                {
                    *slot = slot.or(Some(port));
                }
            }
        }
        ports
    };
    let all =
        hosts.hosts.iter().map(|host| HostPorts { name: host.name.to_string(), ports: ports(&host.ends) });
    all.filter(|host| host.ports.iter().any(Option::is_some)).collect()
}

/// A message over the fabric: the number of its step, and its flow.
type StepFlow = (u32, Flow);

/// Ring, tree and all-to-all of `gpus` GPUs per host, with `shown` links of each.
///
/// # Errors
/// When there are fewer than two hosts, or too many messages.
pub fn nccl(
    fabric: &Fabric,
    routes: &Routes,
    hosts: &Hosts,
    chosen: &[HostPorts],
    (gpus, pxn, shown): (u32, bool, usize),
) -> Result<NcclReport, TrafficError> {
    let participants = Participants::new(fabric, chosen, None);
    let channels = participants.num_rails();
    let ranks = Ranks::in_a_row(&participants, gpus);
    let n = participants.num_hosts();
    let pairs =
        n.saturating_mul(n).saturating_mul(gpus as usize).saturating_mul(if pxn { 1 } else { gpus as usize });
    if pairs > MOST_FLOWS {
        let reason = format!("has {pairs} messages, more than {MOST_FLOWS}: name fewer hosts");
        return Err(TrafficError::Argument { pattern: "alltoall".into(), reason });
    }
    let walker = FlowWalker {
        hosts,
        participants: &participants,
        paths: Paths::new(fabric, routes, participants.ports(), pairs),
        shown,
    };
    let mut collectives = Vec::new();
    for (name, spec) in [("ring", ProgramSpec::NcclRing), ("tree", ProgramSpec::NcclTree)] {
        let program = Program::new(&spec, ranks.clone(), 1 << 30, "")?;
        let mut messages = Vec::new();
        program.fill(0, &mut messages);
        let mut steps: Vec<NcclStep> =
            (1..=channels).map(|c| NcclStep { step: format!("rail {c}"), ..NcclStep::default() }).collect();
        let mut sent: Vec<StepFlow> = Vec::new();
        for message in &messages {
            let step = message.rail.unwrap_or(0);
            let row = &mut steps[step as usize];
            row.messages += 1;
            match message.delivery(&ranks) {
                Delivery::Inside(_) => row.inside += 1,
                Delivery::Fabric(flow) => sent.push((step, flow)),
            }
        }
        collectives.push(walker.collective(name, steps, &sent, 1));
    }
    collectives.push(all_to_all(&walker, gpus, pxn));
    let lacking = |host: &HostPorts| {
        let numbers: Vec<usize> = (1..=channels).filter(|&c| host.ports[c - 1].is_none()).collect();
        (!numbers.is_empty()).then(|| (host.name.clone(), numbers))
    };
    Ok(NcclReport {
        hosts: n,
        gpus,
        channels,
        pxn,
        lacking: chosen.iter().filter_map(lacking).collect(),
        crossed: walker.crossed(chosen),
        collectives,
    })
}

/// Every GPU to every other.
fn all_to_all(walker: &FlowWalker<'_>, gpus: u32, pxn: bool) -> NcclCollective {
    let participants = walker.participants;
    let (n, g) = (participants.num_hosts() as u32, gpus);
    let step = |d: u32| if d == 0 { "same number".to_owned() } else { format!("number + {d}") };
    let mut steps: Vec<NcclStep> =
        (0..g).map(|d| NcclStep { step: step(d), ..NcclStep::default() }).collect();
    let slot = |host: u32, gpu: u32| {
        let rails = participants.num_rails() as u32;
        let own = (gpu % rails) as usize;
        participants
            .slot(host, own)
            .or_else(|| (0..participants.num_rails()).find_map(|r| participants.slot(host, r)))
    };
    let mut sent: Vec<StepFlow> = Vec::new();
    for d in 0..g {
        let row = &mut steps[d as usize];
        row.inside = u64::from(n) * u64::from(if d == 0 { 0 } else { g });
        row.messages = row.inside + u64::from(n) * u64::from(n.saturating_sub(1)) * u64::from(g);
        row.cross_host = if pxn && d > 0 { row.messages - row.inside } else { 0 };
        for a in 0..n {
            for b in (0..n).filter(|&b| b != a) {
                for i in 0..g {
                    let j = (i + d) % g;
                    let ends = slot(a, if pxn { j } else { i }).zip(slot(b, j));
                    match ends {
                        // With PXN all senders of a host use the flow of their receiver: it is walked once.
                        Some((from, to)) if !pxn || d == 0 => sent.push((d, Flow { from, to })),
                        Some(_) => {}
                        None => row.unrouted += 1,
                    }
                }
            }
        }
    }
    let mut made = walker.collective("alltoall", steps, &sent, if pxn { u64::from(g) } else { 1 });
    if pxn {
        let first = made.steps[0].clone();
        for row in &mut made.steps[1..] {
            (row.in_leaf, row.over_spines, row.leave_rail) =
                (first.in_leaf, first.over_spines, first.leave_rail);
            row.unrouted += first.unrouted;
        }
        for link in &mut made.shared {
            link.steps = vec![("every step".to_owned(), link.flows)];
        }
    }
    made
}

/// Follows messages through the tables.
struct FlowWalker<'a> {
    hosts: &'a Hosts,
    participants: &'a Participants,
    paths: Paths<'a>,
    shown: usize,
}

/// Counts of messages that were walked.
#[derive(Default)]
struct Walked {
    steps: Vec<NcclStep>,
    on_link: Vec<u64>,
}

impl FlowWalker<'_> {
    /// The rail that a port is cabled to.
    fn rail(&self, slot: u32) -> Option<usize> {
        self.hosts.rail(self.paths.fabric().node_of(self.participants.ports()[slot as usize]))
    }

    fn is_same_leaf(&self, flow: Flow) -> bool {
        self.participants.leaf_of(flow.from) == self.participants.leaf_of(flow.to)
    }

    /// Classifies messages and counts them on links; each stands for `weight` messages there.
    fn collective(
        &self,
        name: &'static str,
        steps: Vec<NcclStep>,
        sent: &[StepFlow],
        weight: u64,
    ) -> NcclCollective {
        let links = self.paths.links();
        let empty =
            || Walked { steps: vec![NcclStep::default(); steps.len()], on_link: vec![0; links.len()] };
        let walked = sent
            .par_chunks(CHUNK)
            .fold(empty, |sum, chunk| self.walk(sum, chunk))
            .reduce(empty, Walked::merge);
        let mut made = steps;
        for (row, found) in made.iter_mut().zip(walked.steps) {
            row.in_leaf += found.in_leaf;
            row.over_spines += found.over_spines;
            row.leave_rail += found.leave_rail;
            row.unrouted += found.unrouted;
        }
        let trunks = 1..=links.between_switches() as u32;
        let mut used: Vec<u32> = trunks.filter(|&l| walked.on_link[l as usize] > 0).collect();
        let total: u64 = used.iter().map(|&l| walked.on_link[l as usize]).sum();
        let mean_flows = if used.is_empty() { 0.0 } else { (total * weight) as f64 / used.len() as f64 };
        used.sort_by_key(|&l| (std::cmp::Reverse(walked.on_link[l as usize]), l));
        let most_flows = used.first().map_or(0, |&l| walked.on_link[l as usize]) * weight;
        used.retain(|&l| walked.on_link[l as usize] * weight > 1);
        used.truncate(self.shown);
        let shared = self.name_links(&used, &made, sent, weight, links);
        NcclCollective { name, steps: made, most_flows, mean_flows, shared }
    }

    fn walk(&self, mut sum: Walked, chunk: &[StepFlow]) -> Walked {
        let flows: Vec<Flow> = chunk.iter().map(|s| s.1).collect();
        let mut steps = Steps::default();
        self.paths.steps(&flows, &mut steps);
        let mut is_routed = vec![false; flows.len()];
        for step in steps.each() {
            for (routed, &link) in is_routed.iter_mut().zip(step) {
                sum.on_link[link as usize] += 1;
                *routed |= link != SINK;
            }
        }
        for (&(step, flow), routed) in chunk.iter().zip(is_routed) {
            let row = &mut sum.steps[step as usize];
            let count = match routed {
                false => &mut row.unrouted,
                true if self.is_same_leaf(flow) => &mut row.in_leaf,
                true if self.rail(flow.from) == self.rail(flow.to) => &mut row.over_spines,
                true => &mut row.leave_rail,
            };
            *count += 1;
        }
        sum
    }

    /// By wanted link: how many messages of each step cross it, and one of them.
    fn name_links(
        &self,
        wanted: &[u32],
        steps: &[NcclStep],
        sent: &[StepFlow],
        weight: u64,
        links: &Links,
    ) -> Vec<NcclLink> {
        let index: BTreeMap<u32, usize> = wanted.iter().copied().zip(0..).collect();
        let mut counts = vec![vec![0_u64; steps.len()]; wanted.len()];
        let mut example: Vec<Option<Flow>> = vec![None; wanted.len()];
        let mut walked = Steps::default();
        for chunk in sent.chunks(CHUNK).filter(|_| !wanted.is_empty()) {
            let flows: Vec<Flow> = chunk.iter().map(|s| s.1).collect();
            self.paths.steps(&flows, &mut walked);
            for step in walked.each() {
                for (&(number, flow), link) in chunk.iter().zip(step) {
                    if let Some(&at) = index.get(link) {
                        counts[at][number as usize] += weight;
                        example[at].get_or_insert(flow);
                    }
                }
            }
        }
        let fabric = self.paths.fabric();
        let port = |p: PortId| format!("{}[{}]", fabric.name(fabric.node_of(p)), fabric.number_of(p));
        let end =
            |slot: u32| self.hosts.name(fabric, fabric.node_of(self.participants.ports()[slot as usize]));
        let row = |(&link, (counts, example)): (&u32, (Vec<u64>, Option<Flow>))| {
            let egress = links.egress(link);
            NcclLink {
                egress: port(egress),
                ingress: fabric.peer(egress).map_or_else(String::new, port),
                flows: counts.iter().sum(),
                steps: steps
                    .iter()
                    .zip(&counts)
                    .filter(|c| *c.1 > 0)
                    .map(|(s, &c)| (s.step.clone(), c))
                    .collect(),
                example: example.map_or_else(Default::default, |f| (end(f.from), end(f.to))),
            }
        };
        wanted.iter().zip(counts.into_iter().zip(example)).map(row).collect()
    }

    /// Hosts with an adapter on another rail than most hosts have the adapter of that number on.
    fn crossed(&self, chosen: &[HostPorts]) -> Vec<(String, Vec<usize>)> {
        let rail = |port: PortId| self.hosts.rail(self.paths.fabric().node_of(port));
        let usual: Vec<Option<usize>> = (0..self.participants.num_rails())
            .map(|number| {
                let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
                for on in chosen.iter().filter_map(|h| h.ports[number]).filter_map(rail) {
                    *votes.entry(on).or_default() += 1;
                }
                votes.into_iter().max_by_key(|&(on, count)| (count, std::cmp::Reverse(on))).map(|v| v.0)
            })
            .collect();
        let odd = |host: &HostPorts| {
            let is_odd = |number: &usize| {
                let on = host.ports[number - 1].and_then(rail);
                on.is_some() && on != usual[number - 1]
            };
            let numbers: Vec<usize> = (1..=host.ports.len()).filter(is_odd).collect();
            (!numbers.is_empty()).then(|| (host.name.clone(), numbers))
        };
        chosen.iter().filter_map(odd).collect()
    }
}

impl Walked {
    fn merge(mut self, other: Self) -> Self {
        self.on_link.iter_mut().zip(other.on_link).for_each(|(a, b)| *a += b);
        for (a, b) in self.steps.iter_mut().zip(other.steps) {
            a.in_leaf += b.in_leaf;
            a.over_spines += b.over_spines;
            a.leave_rail += b.leave_rail;
            a.unrouted += b.unrouted;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;
    use crate::routing::{Options, route};
    use crate::sm::Engine;
    use crate::sm::lids::{LidOptions, Lids};

    /// What NCCL does on a generated fabric with two GPUs a host, under minhop's tables.
    fn report(spec: &str, pxn: bool) -> NcclReport {
        let fabric = generate(spec).unwrap();
        let sm = Lids::default_sm(&fabric).unwrap();
        let lids = Lids::assign(&fabric, sm, &LidOptions::fresh()).unwrap();
        let routes = route(&fabric, lids, &[Engine::MinHop], &Options::default()).unwrap();
        let hosts = Hosts::of(&fabric, None);
        let chosen = nccl_hosts(&fabric, &hosts);
        nccl(&fabric, &routes, &hosts, &chosen, (2, pxn, 5)).unwrap()
    }

    #[test]
    fn rings_stay_on_their_rail_and_cross_the_spines_from_leaf_to_leaf() {
        // Four leaves with two hosts each on either rail, ring by name: every second edge goes to the next leaf.
        let report = report("fat-tree:4,2:rails=2", true);
        let ring = &report.collectives[0];
        for step in &ring.steps {
            // Two GPUs a host: half of the 16 edges stay inside.
            let of =
                (step.messages, step.inside, step.in_leaf, step.over_spines, step.leave_rail, step.unrouted);
            assert_eq!(of, (16, 8, 4, 4, 0, 0), "{}", step.step);
        }
        assert!(report.lacking.is_empty() && report.crossed.is_empty());
    }

    #[test]
    fn an_all_to_all_leaves_the_rails_except_with_pxn() {
        // 8 hosts, 2 GPUs: 8 × 7 × 2 messages of each step go to another host, 2 × 8 of them to the same leaf.
        for pxn in [true, false] {
            let report = report("fat-tree:4,2:rails=2", pxn);
            let [same, other] = &report.collectives[2].steps[..] else { panic!() };
            let of =
                |s: &NcclStep| (s.messages, s.inside, s.in_leaf, s.over_spines, s.cross_host, s.unrouted);
            assert_eq!(of(same), (112, 0, 16, 96, 0, 0));
            // Planes that no cable joins: without PXN no message to the other number arrives.
            let expected = if pxn { (128, 16, 16, 96, 112, 0) } else { (128, 16, 0, 0, 0, 112) };
            assert_eq!(of(other), expected);
        }
    }
}
