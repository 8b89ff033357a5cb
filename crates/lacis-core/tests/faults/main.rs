//! A campaign: clean machines ask for no work, and in each machine each of twelve planted faults is named, first among the
//! findings as severe.
//!
//! A slice of it is drawn each time; with `LACIS_SOAK=1` all two hundred machines, and
//! `LACIS_SOAK=1 cargo test -p lacis-core --test faults -- --nocapture` prints the counts. `LACIS_FAULTS=1000..1060` draws
//! the machines of those seeds instead: machines that no rule was made with.

#![allow(
    clippy::unwrap_used,
    clippy::unnecessary_wraps,
    reason = "a test; and faults that can be planted everywhere are of the type of those that cannot"
)]

mod machine;
mod plant;

use std::ops::Range;

use lacis_core::generate::SplitMix64;
use lacis_core::health::{Finding, Hosts, Severity, cable_work, findings};

use machine::Machine;
use plant::{FAULTS, Planted};

/// The seeds of the machines that are drawn.
fn seeds() -> Range<u64> {
    match std::env::var("LACIS_FAULTS") {
        Ok(given) => {
            let (first, end) = given.split_once("..").expect("LACIS_FAULTS is FIRST..END");
            first.parse().expect("a first seed")..end.parse().expect("an end of seeds")
        }
        Err(_) if std::env::var_os("LACIS_SOAK").is_some() => 0..200,
        Err(_) => 0..12,
    }
}

fn machines() -> u64 {
    seeds().end - seeds().start
}

fn worded(found: &[Finding]) -> Vec<String> {
    found.iter().map(|f| format!("{} {}: {}", f.code.name(), f.words().at, f.words().text)).collect()
}

#[test]
fn clean_machines_ask_for_no_work() {
    let mut false_ones = Vec::new();
    for seed in seeds() {
        let machine = Machine::draw(seed);
        let fabric = machine.finish();
        let hosts = Hosts::of(&fabric, None);
        let mut found = findings(&fabric, &hosts);
        let work = cable_work(&fabric, &hosts, &found);
        found.retain(|f| f.severity() != Severity::Notice);
        if !found.is_empty() || !work.is_empty() {
            println!("machine {seed} {}: {:?}, {} lines of work", machine.spec, worded(&found), work.len());
            false_ones.push(seed);
        }
    }
    println!("{} of {} clean machines with a false finding", false_ones.len(), machines());
    assert_eq!(false_ones, Vec::<u64>::new());
}

/// Whether a finding is about a planted fault.
fn names(finding: &Finding, planted: &Planted) -> bool {
    let ends = finding.fact.ends();
    let has = |guid: &_| ends.iter().any(|end| end.guid.as_ref() == Some(guid));
    let is_at = match &planted.name {
        Some(name) => ends.iter().any(|end| end.node == *name),
        None if planted.all => planted.at.iter().all(has),
        None => planted.at.iter().any(has),
    };
    is_at && planted.codes.contains(&finding.code)
}

/// Whether a fault is named, by its own code where another effect of it comes first.
fn is_named(found: &[Finding], planted: &Planted) -> bool {
    let severity = planted.codes[0].severity();
    let first = found.iter().find(|f| f.severity() == severity);
    let is_reported = |f: &Finding| names(f, planted) && (planted.codes[0] == f.code || planted.all);
    first.is_some_and(|f| names(f, planted)) && found.iter().any(is_reported)
}

#[test]
fn planted_faults_are_named_first_in_their_class() {
    let (mut right, mut all) = (0, 0);
    for (at, (kind, plant)) in (0..).zip(FAULTS) {
        let (mut of_kind, mut drawn) = (0, 0);
        for seed in seeds() {
            let mut machine = Machine::draw(seed);
            let Some(planted) = plant(&mut machine, &mut SplitMix64::new(seed << 8 | at)) else { continue };
            let fabric = machine.finish();
            let found = findings(&fabric, &Hosts::of(&fabric, None));
            let is_first = is_named(&found, &planted);
            drawn += 1;
            of_kind += usize::from(is_first);
            if !is_first {
                let reported =
                    found.iter().filter(|f| f.severity() != Severity::Notice).cloned().collect::<Vec<_>>();
                let name = |guid| {
                    machine
                        .nodes
                        .iter()
                        .find(|(node, _)| node.guid == guid)
                        .map(|(node, _)| &node.description)
                };
                let at: Vec<_> = planted.at.iter().filter_map(|&guid| name(guid)).collect();
                println!(
                    "machine {seed} {}: {kind} {:?}{at:?}: {:?}",
                    machine.spec,
                    planted.name,
                    worded(&reported)
                );
            }
        }
        println!("{kind}: {of_kind} of {drawn}");
        (right, all) = (right + of_kind, all + drawn);
    }
    println!("{right} of {all} planted faults named first");
    assert!(all as u64 >= 10 * machines(), "{all} faults");
    assert!(100 * right >= 99 * all, "{right} of {all} named first");
}

/// Plants every fault in one machine, each at nodes of its own.
fn plant_all(seed: u64) -> (Machine, Vec<(&'static str, Planted)>) {
    let mut machine = Machine::draw(seed);
    let mut planted: Vec<(&str, Planted)> = Vec::new();
    // What is absent comes first and a GUID that changes last: what is planted between is then there, and keeps its GUIDs.
    let is_absent = |(kind, _): &&(&str, _)| *kind == "absent switch";
    let absent = FAULTS.iter().enumerate().filter(|(_, it)| is_absent(it));
    let others = FAULTS.iter().enumerate().filter(|(_, it)| !is_absent(it));
    for (at, (kind, plant)) in absent.chain(others) {
        for attempt in 0..20 {
            let mut with = machine.clone();
            let mut rng = SplitMix64::new(seed << 16 | (at as u64) << 8 | attempt);
            let Some(fault) = plant(&mut with, &mut rng) else { continue };
            let is_apart = planted.iter().all(|(_, other)| !other.at.iter().any(|it| fault.at.contains(it)));
            let remain = planted
                .iter()
                .flat_map(|(_, it)| &it.at)
                .all(|guid| with.nodes.iter().any(|(node, _)| node.guid == *guid));
            if is_apart && remain {
                machine = with;
                planted.push((*kind, fault));
                break;
            }
        }
    }
    (machine, planted)
}

#[test]
fn faults_that_are_planted_together_are_each_named() {
    let (mut right, mut all) = (0, 0);
    for seed in seeds() {
        let (machine, planted) = plant_all(seed);
        let fabric = machine.finish();
        let found = findings(&fabric, &Hosts::of(&fabric, None));
        let is_any = |fault: &Planted| found.iter().any(|finding| names(finding, fault));
        let missed: Vec<&str> =
            planted.iter().filter(|(_, fault)| !is_any(fault)).map(|(kind, _)| *kind).collect();
        if !missed.is_empty() {
            println!("machine {seed} {}: {} faults, missed {missed:?}", machine.spec, planted.len());
        }
        (right, all) = (right + planted.len() - missed.len(), all + planted.len());
    }
    println!("{right} of {all} faults named that were planted together");
    assert!(all as u64 >= 9 * machines(), "{all} faults");
    assert!(100 * right >= 97 * all, "{right} of {all} named");
}
