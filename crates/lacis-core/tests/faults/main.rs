//! A campaign: clean machines ask for no work, and in each machine each of twelve planted faults is named, first among the
//! findings as severe.
//!
//! A slice of it is drawn each time; with `LACIS_SOAK=1` all two hundred machines, and
//! `LACIS_SOAK=1 cargo test -p lacis-core --test faults -- --nocapture` prints the counts.

#![allow(
    clippy::unwrap_used,
    clippy::unnecessary_wraps,
    reason = "a test; and faults that can be planted everywhere are of the type of those that cannot"
)]

mod machine;
mod plant;

use lacis_core::generate::SplitMix64;
use lacis_core::health::{Finding, Hosts, Severity, cable_work, findings};

use machine::Machine;
use plant::{FAULTS, Planted};

/// How many machines are drawn.
fn machines() -> u64 {
    if std::env::var_os("LACIS_SOAK").is_some() { 200 } else { 12 }
}

fn worded(found: &[Finding]) -> Vec<String> {
    found.iter().map(|f| format!("{} {}: {}", f.code.name(), f.words().at, f.words().text)).collect()
}

#[test]
fn clean_machines_ask_for_no_work() {
    let mut false_ones = Vec::new();
    for seed in 0..machines() {
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
        for seed in 0..machines() {
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
