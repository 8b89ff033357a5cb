//! Cabling work: what findings ask of the machine room, cable by cable. Which cable, which port at both ends, what to do.

mod line;
mod steps;

pub use line::{Action, CableEnd, CableWork, Reason};

use std::cmp::Ordering;

use rustc_hash::{FxHashMap, FxHashSet};

use super::racks::Racks;
use super::{Finding, Hosts};
use crate::fabric::{CablePart, Fabric, Guid};
use crate::natural::natural;
use steps::{Step, steps};

/// What findings ask for, the worst first, then by rack, switch and port. Those that no cable mends are left out.
pub fn cable_work(fabric: &Fabric, hosts: &Hosts, findings: &[Finding]) -> Vec<CableWork> {
    let racks = Racks::of(fabric, hosts);
    let mut free = FreePorts::default();
    let parts = Parts::of(fabric);
    let mut out = Vec::new();
    for finding in findings {
        for step in steps(&finding.fact) {
            let Step { action, here, there, reason, why } = step;
            let mut here = CableEnd::from(here);
            let mut there = there.map(CableEnd::from);
            if action == Action::PlugIn {
                free.take(&mut here);
                if let Some(end) = &mut there {
                    free.take(end);
                }
            }
            let ends = std::iter::once(&here).chain(&there);
            let rack = racks.of_names(ends.map(|end| &*end.node)).join(" – ");
            let part = if action == Action::PlugIn { None } else { parts.of_ends(&here, there.as_ref()) };
            let (code, severity) = (finding.code, finding.severity());
            out.push(CableWork { action, here, there, rack, code, severity, reason, why, part });
        }
    }
    out.sort_by(in_order);
    out
}

/// What is broken first, then by the rack, switch and port to go to first.
fn in_order(a: &CableWork, b: &CableWork) -> Ordering {
    let rack = |work: &CableWork| work.rack.split(' ').next().unwrap_or("").to_owned();
    a.severity
        .cmp(&b.severity)
        .then_with(|| natural(&rack(a), &rack(b)))
        .then_with(|| natural(&a.here.node, &b.here.node))
        .then_with(|| (a.here.guid, a.here.port).cmp(&(b.here.guid, b.here.port)))
        .then_with(|| a.code.name().cmp(b.code.name()))
}

/// Cables by the ends at which they were read.
struct Parts<'f>(FxHashMap<(Guid, u8), &'f CablePart>);

impl<'f> Parts<'f> {
    fn of(fabric: &'f Fabric) -> Self {
        let by_end = fabric.cable_parts().iter().map(|(port, part)| {
            let guid = fabric.node(fabric.node_of(*port)).guid;
            ((guid, fabric.number_of(*port)), part)
        });
        Self(by_end.collect())
    }

    /// The cable at either end; none where one is to be plugged in.
    fn of_ends(&self, here: &CableEnd, there: Option<&CableEnd>) -> Option<CablePart> {
        let mut ends = std::iter::once(here).chain(there);
        ends.find_map(|end| self.0.get(&(end.guid?, end.port?))).map(|&part| part.clone())
    }
}

/// The ports that cables to be plugged in have taken so far.
#[derive(Default)]
struct FreePorts(FxHashSet<(Option<Guid>, u8)>);

impl FreePorts {
    /// Takes the port of an end; where another cable has it already, any free one must do.
    fn take(&mut self, end: &mut CableEnd) {
        end.port = end.port.filter(|&port| self.0.insert((end.guid, port)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::Joins;
    use super::super::{Code, Location, findings};
    use super::*;
    use crate::generate::{edit, generate};

    fn work(spec: &str, selectors: &[&str]) -> Vec<CableWork> {
        let fabric = edit(&generate(spec).unwrap(), selectors).unwrap();
        let hosts = Hosts::of(&fabric, None);
        cable_work(&fabric, &hosts, &findings(&fabric, &hosts))
    }

    fn ends(work: &CableWork) -> Vec<(&str, Option<u8>)> {
        std::iter::once(&work.here).chain(&work.there).map(|end| (&*end.node, end.port)).collect()
    }

    #[test]
    fn each_of_six_rotated_uplinks_has_its_own_spine_and_its_peers() {
        // fat-tree:16,2: port 8 + k of a leaf leads to spine k. Here ports 9 to 13 lead one spine further, and 14 to the first.
        let cut: Vec<String> = (9..=14).map(|port| format!("leaf-03[{port}]")).collect();
        let spines = [2, 3, 4, 5, 6, 1];
        let cables = (9..).zip(spines).map(|(port, spine)| format!("+leaf-03[{port}]--spine-0{spine}[3]"));
        let selectors: Vec<String> = cut.into_iter().chain(cables).collect();
        let selectors: Vec<&str> = selectors.iter().map(String::as_str).collect();
        let found = work("fat-tree:16,2", &selectors);
        assert_eq!(found.len(), 6);
        for (index, (line, spine)) in found.iter().zip(spines).enumerate() {
            let (port, there, own) = (9 + index, format!("spine-0{spine}"), format!("spine-0{}", index + 1));
            assert_eq!((line.action, line.code), (Action::Move, Code::CableUnexpected));
            assert_eq!(ends(line), [("leaf-03", Some(port as u8)), (&*there, Some(3))]);
            assert!(matches!(&line.reason, Reason::Misplaced { expected } if expected.node == own));
            assert_eq!(line.why, format!("port {port} leads to {there} where its peers' leads to {own}"));
        }
    }

    #[test]
    fn a_cable_that_joins_the_wrong_switches_is_to_be_checked() {
        let found = work("fat-tree:8,2:radix=10", &["+leaf-01[9]--leaf-02[9]"]);
        let [line] = &found[..] else { panic!("one line: {found:?}") };
        assert_eq!((line.action, line.code), (Action::Check, Code::CableUnexpected));
        assert_eq!(line.reason, Reason::Stray { joins: Joins::SameLevel });
        assert_eq!(ends(line), [("leaf-01", Some(9)), ("leaf-02", Some(9))]);
    }

    #[test]
    fn hosts_without_a_rail_are_to_be_checked_unless_their_leaf_is_absent() {
        // Hosts 5 to 8 are on leaf 2 of each rail. Their leaf of rail 3 is gone, with their adapters there; and host 13
        // has lost its adapter on rail 1, whose leaf is there.
        let gone = [
            "rail3-leaf-02",
            "node0005 HCA-3",
            "node0006 HCA-3",
            "node0007 HCA-3",
            "node0008 HCA-3",
            "node0013 HCA-1",
        ];
        let found = work("fat-tree:8,2:rails=4", &gone);
        let lines: Vec<_> = found.iter().map(|line| (line.code, ends(line))).collect();
        // An error comes before a warning. The leaf of four hosts had a cable to port 2 of each of four spines.
        assert_eq!(
            lines,
            [
                (Code::SwitchAbsent, vec![("rail3-leaf-02", None), ("rail3-spine-01", Some(2))]),
                (Code::RailMissing, vec![("node0013", None)]),
            ]
        );
        assert_eq!(found[1].reason, Reason::RailLacking { rail: 1 });
        let Reason::SwitchAbsent(absent) = &found[0].reason else { panic!("an absent switch") };
        let names = |all: &[Location]| all.iter().map(Location::to_string).collect::<Vec<_>>();
        assert_eq!(names(&absent.hosts), ["node0005", "node0006", "node0007", "node0008"]);
        let ends = &absent.empty.as_ref().unwrap().ends;
        assert_eq!(
            names(ends),
            ["rail3-spine-01[2]", "rail3-spine-02[2]", "rail3-spine-03[2]", "rail3-spine-04[2]"]
        );
        assert_eq!((absent.role, absent.unnamed), (Some("leaf"), 0));
    }

    #[test]
    fn a_port_that_two_missing_cables_would_need_is_given_once() {
        let end = |port| CableEnd { node: "leaf".into(), guid: Some(Guid(1)), port };
        let mut ends = [end(Some(5)), end(Some(5)), end(None), end(Some(6))];
        let mut free = FreePorts::default();
        for end in &mut ends {
            free.take(end);
        }
        assert_eq!(ends.map(|end| end.port), [Some(5), None, None, Some(6)]);
    }
}
