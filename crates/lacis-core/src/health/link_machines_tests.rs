//! Two hundred drawn machines: clean ones ask for nothing, and a planted fault of a link is the one that is named.
//!
//! A machine is a tree of two levels with hosts of up to three kinds: compute hosts, in some machines a second partition of
//! an older generation on leaves of its own; leaves whose ports are split; a series of old storage hosts spread over the
//! leaves. All of that runs slower by design.

use super::super::testing::{End, Sketch};
use super::super::{Finding, Hosts, Severity, findings};
use crate::fabric::{Fabric, Lanes, PortState, Rate, Speed, Width};

/// Numbers in a fixed order for each seed (splitmix64).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn within(&mut self, least: u32, most: u32) -> u32 {
        least + (self.next() % u64::from(most - least + 1)) as u32
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.within(1, 100) <= percent
    }
}

type Ends = ((End, u32), (End, u32));

struct Machine {
    sketch: Sketch,
    /// Cables to hosts that run at their full rate.
    edges: Vec<Ends>,
    /// Cables between switches, spine by spine.
    trunks: Vec<Vec<Ends>>,
    leaves: Vec<End>,
    is_omni_path: bool,
}

fn x2(speed: Speed) -> Rate {
    Rate { width: Width::new(2).unwrap(), speed }
}

impl Machine {
    fn draw(seed: u64) -> Self {
        let mut draw = Draw(seed);
        let is_omni_path = draw.chance(20);
        let mut sketch = Sketch::new();
        let (num_leaves, num_spines) = (draw.within(4, 10), draw.within(2, 5));
        let (hosts, parallel) = (draw.within(6, 16), draw.within(1, 2));
        let full = if is_omni_path { Rate::x4(Speed::Opa100) } else { Rate::x4(Speed::Hdr) };
        let known = is_omni_path || draw.chance(60);
        let old_partition = !is_omni_path && draw.chance(50);
        let split = !is_omni_path && draw.chance(40);
        let storage = if is_omni_path { 0 } else { draw.within(0, 1) * draw.within(2, 6) };
        let same_series = draw.chance(50);
        let spines: Vec<End> =
            (1..=num_spines).map(|n| sketch.switch(&format!("spine-{n:02}"), 40)).collect();
        let leaves: Vec<End> = (1..=num_leaves)
            .map(|n| sketch.switch(&format!("leaf-{n:02}"), if split && n == 1 { 80 } else { 40 }))
            .collect();
        if known {
            for &switch in spines.iter().chain(&leaves) {
                sketch.builder().node_mut(switch).device = if is_omni_path { 0x24f1 } else { 0xd2f0 };
            }
        }
        let mut out = Self {
            sketch,
            edges: Vec::new(),
            trunks: vec![Vec::new(); spines.len()],
            leaves: leaves.clone(),
            is_omni_path,
        };
        let mut number = 0;
        for (l, &leaf) in leaves.iter().enumerate() {
            let is_old = old_partition && 2 * l >= leaves.len();
            let rate = match (is_old, split && l == 0) {
                (true, _) => Rate::x4(Speed::Edr),
                (_, true) => x2(Speed::Hdr),
                _ => full,
            };
            for port in 1..=hosts {
                number += 1;
                let name = if is_old && !same_series { "old" } else { "node" };
                let host = out.sketch.adapter(&format!("{name}{number:04} HCA-1"));
                out.cable(((leaf, port), (host, 1)), rate);
                if rate == full {
                    out.edges.push(((leaf, port), (host, 1)));
                }
            }
            for (s, &spine) in spines.iter().enumerate() {
                for k in 0..parallel {
                    let up = hosts + 6 + s as u32 * parallel + k + 1;
                    let down = l as u32 * parallel + k + 1;
                    let ends = ((leaf, up), (spine, down));
                    out.cable(ends, full);
                    out.trunks[s].push(ends);
                }
            }
        }
        for k in 0..storage {
            let host = out.sketch.adapter(&format!("oss{k:02} HCA-1"));
            let leaf = leaves[k as usize % leaves.len()];
            out.cable(((leaf, hosts + 1 + k / num_leaves), (host, 1)), Rate::x4(Speed::Qdr));
        }
        out
    }

    fn cable(&mut self, ends: Ends, rate: Rate) {
        self.sketch.cable(ends.0, ends.1);
        self.run_at(ends, rate);
    }

    fn run_at(&mut self, ends: Ends, rate: Rate) {
        for (node, number) in [ends.0, ends.1] {
            self.sketch.builder().port_mut(node, number).unwrap().rate = Some(rate);
        }
    }

    fn finish(self) -> Fabric {
        self.sketch.finish()
    }
}

/// Findings about links that ask for something.
fn about_links(fabric: &Fabric) -> Vec<Finding> {
    let codes = [
        "LINK_SPEED_LOW",
        "LINK_WIDTH_LOW",
        "RATE_ASYMMETRIC",
        "LINK_ONE_SIDED",
        "PORT_INACTIVE",
        "SUBNET_INACTIVE",
        "LOOPBACK",
        "PORT_ERRORS",
        "LINK_QUALITY_LOW",
    ];
    let found = findings(fabric, &Hosts::of(fabric, None));
    found.into_iter().filter(|it| codes.contains(&it.code.name())).collect()
}

const MACHINES: u64 = 200;

#[test]
fn clean_machines_ask_for_nothing() {
    for seed in 0..MACHINES {
        let fabric = Machine::draw(seed).finish();
        let lines: Vec<String> = findings(&fabric, &Hosts::of(&fabric, None))
            .iter()
            .filter(|it| it.code.name().starts_with("LINK") && it.code.severity() != Severity::Notice)
            .map(|it| format!("{} {}: {}", it.code.name(), it.words().at, it.words().text))
            .collect();
        assert_eq!(lines, Vec::<String>::new(), "machine {seed}");
        assert_eq!(about_links(&fabric).len(), 0, "machine {seed}");
    }
}

/// Plants a fault in every machine; says in how many the one finding has the code and names the place.
fn named(code: &str, plant: impl Fn(&mut Machine, &mut Draw) -> Option<Vec<End>>) -> (usize, usize) {
    let (mut right, mut all) = (0, 0);
    for seed in 0..MACHINES {
        let mut machine = Machine::draw(seed);
        let Some(ends) = plant(&mut machine, &mut Draw(seed ^ 0xabcd)) else { continue };
        let guids: Vec<_> = ends.iter().map(|&end| machine.sketch.builder().node_mut(end).guid).collect();
        let found = about_links(&machine.finish());
        all += 1;
        let is_right = found.len() == 1
            && found[0].code.name() == code
            && guids.iter().all(|&guid| found[0].fact.ends().iter().any(|end| end.guid == Some(guid)));
        if is_right {
            right += 1;
        } else {
            let words: Vec<_> = found.iter().map(Finding::words).collect();
            println!("machine {seed}: {words:?}");
        }
    }
    (right, all)
}

fn assert_named((right, all): (usize, usize), fewest: usize) {
    assert!(all >= fewest, "{all} machines");
    assert!(100 * right >= 99 * all, "{right} of {all} named");
}

#[test]
fn one_slow_cable_is_named() {
    for is_trunk in [false, true] {
        let found = named("LINK_SPEED_LOW", |machine, draw| {
            if machine.is_omni_path {
                return None;
            }
            let links = if is_trunk { machine.trunks.concat() } else { machine.edges.clone() };
            let ends = links[draw.next() as usize % links.len()];
            machine.run_at(ends, Rate::x4(Speed::Edr));
            Some(vec![ends.0.0, ends.1.0])
        });
        assert_named(found, 140);
    }
}

#[test]
fn one_narrow_cable_is_named() {
    let found = named("LINK_WIDTH_LOW", |machine, draw| {
        let links = machine.trunks.concat();
        let ends = links[draw.next() as usize % links.len()];
        let speed = if machine.is_omni_path { Speed::Opa100 } else { Speed::Hdr };
        machine.run_at(ends, x2(speed));
        Some(vec![ends.0.0, ends.1.0])
    });
    assert_named(found, MACHINES as usize);
}

#[test]
fn a_spine_all_of_whose_cables_are_slow_is_named() {
    let found = named("LINK_SPEED_LOW", |machine, draw| {
        let spine = draw.next() as usize % machine.trunks.len();
        let cables = machine.trunks[spine].clone();
        let node = cables[0].1.0;
        // Where no models are known, it may be an older spine.
        if machine.is_omni_path || machine.sketch.builder().node_mut(node).device == 0 {
            return None;
        }
        for ends in cables {
            machine.run_at(ends, Rate::x4(Speed::Edr));
        }
        Some(vec![node])
    });
    assert_named(found, 80);
}

#[test]
fn a_port_that_stays_in_initialize_is_named() {
    let found = named("PORT_INACTIVE", |machine, draw| {
        let links: Vec<Ends> = machine.edges.iter().chain(machine.trunks.iter().flatten()).copied().collect();
        for &(a, b) in &links {
            for (node, number) in [a, b] {
                machine.sketch.builder().detail_mut(node, number).unwrap().state = Some(PortState::Active);
            }
        }
        let (a, b) = links[draw.next() as usize % links.len()];
        for (node, number) in [a, b] {
            machine.sketch.builder().detail_mut(node, number).unwrap().state = Some(PortState::Initialize);
        }
        Some(vec![a.0, b.0])
    });
    assert_named(found, MACHINES as usize);
}

#[test]
fn a_cable_back_to_its_own_switch_is_named() {
    let found = named("LOOPBACK", |machine, draw| {
        let leaf = machine.leaves[draw.next() as usize % machine.leaves.len()];
        machine.sketch.cable((leaf, 39), (leaf, 40));
        Some(vec![leaf])
    });
    assert_named(found, MACHINES as usize);
}

#[test]
fn lost_lanes_are_named_in_either_direction() {
    let found = named("LINK_WIDTH_LOW", |machine, draw| {
        if !machine.is_omni_path {
            return None;
        }
        let links: Vec<Ends> = machine.edges.iter().chain(machine.trunks.iter().flatten()).copied().collect();
        let (a, b) = links[draw.next() as usize % links.len()];
        let width = |lanes| Width::new(lanes).unwrap();
        let builder = machine.sketch.builder();
        builder.detail_mut(a.0, a.1).unwrap().lanes =
            Some(Lanes { brought_up: width(4), sending: width(2), receiving: width(4) });
        builder.detail_mut(b.0, b.1).unwrap().lanes =
            Some(Lanes { brought_up: width(4), sending: width(4), receiving: width(2) });
        builder.port_mut(a.0, a.1).unwrap().rate = Some(x2(Speed::Opa100));
        Some(vec![a.0, b.0])
    });
    assert_named(found, 20);
}
