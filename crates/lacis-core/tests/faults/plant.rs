//! The faults that are planted, each with the codes that name it and the nodes that must be named.

use lacis_core::fabric::{Counter, Guid};
use lacis_core::generate::SplitMix64;
use lacis_core::health::Code;

use super::machine::{Machine, half_width, old, series};

/// A planted fault.
pub struct Planted {
    /// The codes that name it: the first is that of some finding, any of them that of the first finding of its class.
    pub codes: &'static [Code],
    /// At least one of these nodes is named; what a fault does to both ends is named with both.
    pub at: Vec<Guid>,
    /// Whether all of them must be.
    pub all: bool,
    /// Instead, the name of an absent switch.
    pub name: Option<String>,
}

type Plant = fn(&mut Machine, &mut SplitMix64) -> Option<Planted>;

/// Each kind of fault.
pub const FAULTS: [(&str, Plant); 12] = [
    ("missing cable", missing_cable),
    ("moved cable", moved_cable),
    ("crossed cables", crossed_cables),
    ("slow cable between switches", slow_trunk),
    ("slow cable of a host", slow_edge),
    ("lost lanes", lost_lanes),
    ("absent switch", absent_switch),
    ("error counters", errors),
    ("port in Initialize", initialize),
    ("loopback", loopback),
    ("rates that differ", uneven),
    ("one GUID twice", same_guid),
];

fn at(codes: &'static [Code], all: bool, at: Vec<Guid>) -> Option<Planted> {
    Some(Planted { codes, at, all, name: None })
}

fn drawn<T: Copy>(of: &[T], rng: &mut SplitMix64) -> Option<T> {
    (!of.is_empty()).then(|| of[rng.below(of.len())])
}

fn trunk(machine: &Machine, rng: &mut SplitMix64) -> Option<usize> {
    drawn(&machine.present(true), rng)
}

fn guids(machine: &Machine, link: usize) -> Vec<Guid> {
    machine.links[link].ends.iter().map(|end| machine.guid(end.0)).collect()
}

/// A cable of a host that runs at its full rate.
fn full_edge(machine: &Machine, rng: &mut SplitMix64) -> Option<usize> {
    let mut all = machine.present(false);
    all.retain(|&link| machine.links[link].rates[0] == super::machine::full());
    drawn(&all, rng)
}

fn missing_cable(machine: &mut Machine, rng: &mut SplitMix64) -> Option<Planted> {
    let link = trunk(machine, rng)?;
    let ends = guids(machine, link);
    machine.links.remove(link);
    at(&[Code::UplinkMissing, Code::UplinkFewer, Code::GroupCableMissing], true, ends)
}

/// One end goes to a free port of another switch of its series.
fn moved_cable(machine: &mut Machine, rng: &mut SplitMix64) -> Option<Planted> {
    let link = trunk(machine, rng)?;
    let end = rng.below(2);
    let (from, _) = machine.links[link].ends[end];
    let (stays, _) = machine.links[link].ends[1 - end];
    let mut others = series(machine, from);
    others.retain(|&s| s != from && s != stays && machine.has(s) && machine.free_port(s).is_some());
    let to = drawn(&others, rng)?;
    machine.links[link].ends[end] = (to, machine.free_port(to)?);
    let codes = &[Code::CableUnexpected, Code::UplinkFewer, Code::UplinkMissing, Code::GroupCableMissing];
    at(codes, false, vec![machine.guid(to), machine.guid(from)])
}

/// The ends of two cables of one series of switches are exchanged, where other switches are then cabled to each other than before.
fn crossed_cables(machine: &mut Machine, rng: &mut SplitMix64) -> Option<Planted> {
    let one = trunk(machine, rng)?;
    let [a, b] = machine.links[one].ends;
    let (near, far) = (series(machine, a.0), series(machine, b.0));
    let joined = |machine: &Machine, s: usize, t: usize| {
        let is = |end: &(usize, u32), of: usize| end.0 == of;
        let of = |link: &&super::machine::Link| {
            let [a, b] = &link.ends;
            is(a, s) && is(b, t) || is(a, t) && is(b, s)
        };
        machine.links.iter().filter(of).count()
    };
    let mut others = machine.present(true);
    others.retain(|&other| {
        let [c, d] = machine.links[other].ends;
        near.contains(&c.0) && far.contains(&d.0) && c.0 != a.0 && d.0 != b.0
            // Crossing cables of which each pair has one more anyway must change the counts.
            && joined(machine, a.0, b.0) > 0 && joined(machine, c.0, d.0) > 0
            && a.0 != d.0 && b.0 != c.0
    });
    let other = drawn(&others, rng)?;
    let [c, d] = machine.links[other].ends;
    let ends = [a, b, c, d].map(|end| machine.guid(end.0)).to_vec();
    machine.links[one].ends = [a, d];
    machine.links[other].ends = [c, b];
    at(&[Code::CableUnexpected], false, ends)
}

fn slow_trunk(machine: &mut Machine, rng: &mut SplitMix64) -> Option<Planted> {
    let link = trunk(machine, rng)?;
    machine.links[link].rates = [old(); 2];
    at(&[Code::LinkSpeedLow], true, guids(machine, link))
}

fn slow_edge(machine: &mut Machine, rng: &mut SplitMix64) -> Option<Planted> {
    let link = full_edge(machine, rng)?;
    machine.links[link].rates = [old(); 2];
    at(&[Code::LinkSpeedLow], true, guids(machine, link))
}

fn lost_lanes(machine: &mut Machine, rng: &mut SplitMix64) -> Option<Planted> {
    let link = trunk(machine, rng)?;
    machine.links[link].rates = [half_width(); 2];
    at(&[Code::LinkWidthLow], true, guids(machine, link))
}

/// A switch within its series: what is before the first or after the last is a smaller whole machine.
fn absent_switch(machine: &mut Machine, rng: &mut SplitMix64) -> Option<Planted> {
    let within: Vec<usize> = (0..machine.nodes.len())
        .filter(|&n| machine.is_switch(n))
        .filter(|&n| {
            let series = series(machine, n);
            series.first() != Some(&n) && series.last() != Some(&n)
        })
        .collect();
    let switch = drawn(&within, rng)?;
    let hosts: Vec<usize> = machine
        .present(false)
        .into_iter()
        .map(|link| machine.links[link].ends.map(|end| end.0))
        .filter(|ends| ends.contains(&switch))
        .map(|ends| if ends[0] == switch { ends[1] } else { ends[0] })
        .collect();
    machine.absent.push(switch);
    machine.absent.extend(hosts);
    let name = Some(machine.name(switch).to_string());
    Some(Planted { codes: &[Code::SwitchAbsent], at: Vec::new(), all: false, name })
}

fn errors(machine: &mut Machine, rng: &mut SplitMix64) -> Option<Planted> {
    let is_trunk = rng.below(2) == 0;
    let link = drawn(&machine.present(is_trunk), rng)?;
    let counters = [Counter::SymbolErrors, Counter::LinkDowned, Counter::RcvErrors];
    let end = machine.links[link].ends[rng.below(2)];
    machine.errors.push((end, counters[rng.below(3)], 1000));
    at(&[Code::PortErrors], true, guids(machine, link))
}

fn initialize(machine: &mut Machine, rng: &mut SplitMix64) -> Option<Planted> {
    let is_trunk = rng.below(2) == 0;
    let link = drawn(&machine.present(is_trunk), rng)?;
    machine.links[link].is_active = false;
    at(&[Code::PortInactive], true, guids(machine, link))
}

fn loopback(machine: &mut Machine, rng: &mut SplitMix64) -> Option<Planted> {
    let switches: Vec<usize> = machine.switches();
    let switch = drawn(&switches, rng)?;
    let one = machine.free_port(switch)?;
    let rates = [super::machine::full(); 2];
    let mut link = super::machine::Link { ends: [(switch, one); 2], rates, is_active: true };
    machine.links.push(link);
    let other = machine.free_port(switch);
    machine.links.pop();
    link.ends[1] = (switch, other?);
    machine.links.push(link);
    at(&[Code::Loopback], true, vec![machine.guid(switch)])
}

fn uneven(machine: &mut Machine, rng: &mut SplitMix64) -> Option<Planted> {
    let link = trunk(machine, rng)?;
    machine.links[link].rates[rng.below(2)] = old();
    at(&[Code::RateAsymmetric], true, guids(machine, link))
}

fn same_guid(machine: &mut Machine, rng: &mut SplitMix64) -> Option<Planted> {
    let switches: Vec<usize> = machine.switches();
    let (one, other) = (drawn(&switches, rng)?, drawn(&switches, rng)?);
    machine.nodes[other].0.guid = machine.nodes[one].0.guid;
    (one != other).then_some(())?;
    at(&[Code::GuidDuplicate], true, vec![machine.guid(one)])
}
