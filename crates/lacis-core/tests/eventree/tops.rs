//! Hosts on the tops of whole trees: they cost the others nothing.

use lacis_core::fabric::{Fabric, Population, PortId};
use lacis_core::generate::{edit, generate};
use lacis_core::predict::{PredictRequest, predict};
use lacis_core::ranks::Participants;
use lacis_core::sm::{Engine, Routes};
use lacis_core::traffic::{Phases, Traffic};
use lacis_core::verify::verify;

use super::routed;
use super::whole::{Paths, in_order};

fn with_hosts(spec: &str, tops: &[&str]) -> Fabric {
    let hosts: Vec<String> = tops.iter().map(|top| format!("+host@{top}")).collect();
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    edit(&generate(spec).unwrap(), &hosts).unwrap()
}

/// Flows on the fullest link where all hosts send to all.
fn fullest(fabric: &Fabric, routes: &Routes) -> u64 {
    let found = verify(fabric, routes, Population::Hosts, false);
    assert_eq!(found.verdicts.failed(), 0);
    assert!(found.credit_loops.is_empty(), "{:?}", found.credit_loops);
    found.balance.max
}

/// The mean bandwidth of all shifts in eventree's order of hosts.
pub fn mean_of_shifts(fabric: &Fabric, routes: &Routes) -> f64 {
    let hosts = Participants::each_port(fabric, &in_order(fabric));
    let shifts = Phases::new(&"shift".parse().unwrap(), &hosts, 1, Vec::new()).unwrap();
    predict(fabric, routes, &Traffic::Pattern(shifts), &PredictRequest::default()).unwrap().mean_relative
}

/// Hosts on two tops that meet below a leaf only: a host's own link carries 129 flows, and no link need carry more.
#[test]
fn a_host_on_each_of_two_cores_makes_no_link_fuller_than_its_own() {
    let fabric = with_hosts("fat-tree:8,3:radix=16", &["core-01-01", "core-02-02"]);
    assert_eq!(fullest(&fabric, &routed(&fabric, Engine::EvenTree).unwrap()), 129);
}

/// `numbered` has no order of switches to bend.
#[test]
fn with_two_hosts_on_a_core_links_are_as_even_and_shifts_as_good_as_those_of_numbered() {
    let fabric = with_hosts("pgft:3;4,3,4;1,4,4;1,1,1:radix=40", &["core-01-01", "core-01-01"]);
    let [ours, theirs] = [Engine::EvenTree, Engine::Numbered].map(|engine| routed(&fabric, engine).unwrap());
    assert!(fullest(&fabric, &ours) <= fullest(&fabric, &theirs));
    let [ours, theirs] = [ours, theirs].map(|routes| mean_of_shifts(&fabric, &routes));
    assert!(ours >= theirs, "{ours} {theirs}");
}

/// Among themselves they have the closed form's paths, also where numbers are left out between leaves.
#[test]
fn shifts_of_the_hosts_on_leaves_stay_free_of_contention() {
    for (spec, tops) in [
        ("fat-tree:8,3:radix=16", &["core-01-01", "core-02-02"][..]),
        ("pgft:3;3,2,6;1,4,2;1,1,1:radix=40", &["core-01-01"]),
        ("pgft:3;6,2,7;1,8,5;1,1,1:radix=40", &["core-03-02"]),
        ("pgft:2;5,7;1,8;1,1:radix=40", &["spine-03"]),
    ] {
        let fabric = with_hosts(spec, tops);
        let routes = routed(&fabric, Engine::EvenTree).unwrap();
        let own: Vec<PortId> = in_order(&fabric)
            .into_iter()
            .filter(|&port| fabric.node(fabric.edge_switch(port).unwrap()).description.starts_with("leaf"))
            .collect();
        assert_eq!(Paths::of(&fabric, &routes, &own).fullest_in_shifts(), 1, "{spec} {tops:?}");
    }
}
