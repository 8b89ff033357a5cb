//! All shifts at once are the shifts one by one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lacis_core::fabric::{Fabric, Population};
use lacis_core::failures::{Failing, Managed, shifts_of};
use lacis_core::generate::{generate, without};
use lacis_core::health::Hosts;
use lacis_core::model::load::{Counted, Paths, shifts};
use lacis_core::predict::{PredictRequest, predict};
use lacis_core::ranks::{Order, Participants, Rails, Selection, participants};
use lacis_core::routing::Options;
use lacis_core::routing::opensm::ftree;
use lacis_core::sm::lids::{LidOptions, Lids};
use lacis_core::sm::{Engine, NO_ENTRY, Routes};
use lacis_core::traffic::{Pattern, Phases, Traffic};

fn run() -> AtomicBool {
    AtomicBool::new(false)
}

/// All hosts by all their rails; their leaves as ftree balances them, where it accepts the fabric.
fn all_hosts(fabric: &Fabric, routes: &Routes, hosts: &Hosts, order: &Order) -> Participants {
    let leaves = ftree::leaf_order(fabric, &routes.lids);
    let selection =
        Selection { rails: &Rails::All, order, listed: &[], only: &[], leaves: leaves.as_deref() };
    participants(fabric, &routes.lids, hosts, &selection).unwrap()
}

fn routed(whole: Fabric, chain: &[Engine]) -> Managed {
    let lids = Lids::assign(&whole, Lids::default_sm(&whole).unwrap(), &LidOptions::fresh()).unwrap();
    Managed::new(Arc::new(whole), lids, chain, Options::default()).unwrap()
}

#[test]
fn every_distance_gets_what_the_prediction_of_its_pattern_says() {
    // Trees with one and two uplink tiers, rails, of which hosts lack some too, parallel cables, a torus with
    // paths of many lengths, a fabric of which updn leaves pairs without a route, and a long chain, for
    // which no table is kept.
    for (spec, lacking, engine) in [
        ("fat-tree:8,2", &[][..], Engine::MinHop),
        ("fat-tree:6,3", &[], Engine::FTree),
        ("fat-tree:8,2:rails=2", &[], Engine::MinHop),
        ("fat-tree:8,2:rails=2", &["node0003 HCA-1[1]", "node0007 HCA-2[1]"], Engine::MinHop),
        ("fat-tree:12,2:pods=4", &[], Engine::UpDn),
        ("torus:5x4:h=2", &[], Engine::MinHop),
        ("itasca:9", &[], Engine::UpDn),
        ("chain:70", &[], Engine::MinHop),
        ("random:16,4,2:shuffle=3", &[], Engine::MinHop),
    ] {
        let fabric = without(&generate(spec).unwrap(), lacking).unwrap();
        let hosts = Hosts::of(&fabric, None);
        let managed = routed(fabric, &[engine]);
        let (fabric, routes) = (managed.fabric(), managed.routes());
        for order in [Order::Topology, Order::Lid] {
            let participants = all_hosts(fabric, routes, &hosts, &order);
            let traffic =
                Traffic::Pattern(Phases::new(&Pattern::MpiGraph, &participants, 0, Vec::new()).unwrap());
            let prediction = predict(fabric, routes, &traffic, &PredictRequest::default()).unwrap();
            let all = shifts_of(&run(), &managed, &participants, 1).unwrap().unwrap();
            assert_eq!(all.each.len(), prediction.phases.len());
            for (shift, phase) in all.each.iter().zip(&prediction.phases) {
                assert_eq!(shift.distance as usize, phase.phase + 1);
                assert_eq!(
                    (shift.flows, u64::from(shift.max_contention), shift.relative_sum.to_bits()),
                    (phase.flows, phase.max_contention, phase.relative_sum.to_bits()),
                    "{spec}, distance {}",
                    shift.distance
                );
            }
            let unrouted: u64 = all.each.iter().map(|s| s.unrouted).sum();
            assert_eq!(
                (unrouted, u64::from(all.max_contention())),
                (prediction.unrouted, prediction.max_contention)
            );
            assert!((all.mean() - prediction.mean_relative).abs() < 1e-12);
        }
    }
}

#[test]
fn the_worst_shift_is_the_one_with_the_least_mean() {
    // One spine over two leaves of two hosts, a cable each: distance 1 sends 1 → 2 and 3 → 0 across, alone on
    // their links; distance 2 sends two flows over each leaf's cable in both directions, so that all four
    // get a half; distance 3 is distance 1 backwards.
    let whole = generate("fat-tree:4,2:pods=2").unwrap();
    let cut = without(&whole, &["leaf-01[4]", "leaf-02[4]"]).unwrap();
    let ports = cut.end_ports(Population::Hosts);
    let participants = Participants::each_port(&cut, &ports);
    let shifts = shifts_of(&run(), &routed(cut, &[]), &participants, 1).unwrap().unwrap();
    let each: Vec<(u32, f64, u32)> =
        shifts.each.iter().map(|s| (s.distance, s.relative(), s.max_contention)).collect();
    assert_eq!(each, [(1, 1.0, 1), (2, 0.5, 2), (3, 1.0, 1)]);
    assert_eq!(shifts.worst().unwrap().distance, 2);
    assert!((shifts.mean() - 10.0 / 12.0).abs() < 1e-12);
}

#[test]
fn a_flow_without_a_route_has_no_bandwidth_so_that_losing_it_is_no_gain() {
    // The fabric of the test above, hosts 0 and 1 on one leaf, 2 and 3 on the other, whose first leaf has no entry for
    // host 2. Distance 1 loses 1 → 2, and its other three flows are alone: 3 of 4. Distance 2 loses 0 → 2, so that 1 → 3
    // has its leaf's cable for itself, and 2 → 0 and 3 → 1 share the other's: (1 + 1/2 + 1/2) / 4. Distance 3 loses
    // nothing. Of the delivered flows alone distance 1 would be whole, and distance 2 better than without the loss.
    let whole = generate("fat-tree:4,2:pods=2").unwrap();
    let cut = without(&whole, &["leaf-01[4]", "leaf-02[4]"]).unwrap();
    let ports = cut.end_ports(Population::Hosts);
    let participants = Participants::each_port(&cut, &ports);
    let managed = routed(cut, &[]);
    let (fabric, mut routes) = (managed.fabric(), managed.routes().clone());
    let lid = routes.lids.base(ports[2]) as usize;
    routes.lft.row_mut(fabric.edge_switch(ports[0]).unwrap())[lid] = NO_ENTRY;

    let paths = Paths::new(fabric, &routes, participants.ports(), 0);
    let all = shifts(&run(), &paths, &participants, &[1, 2, 3]).unwrap();
    let each: Vec<(u64, u64, f64)> = all.each.iter().map(|s| (s.flows, s.unrouted, s.relative())).collect();
    assert_eq!(each, [(3, 1, 0.75), (3, 1, 0.5), (4, 0, 1.0)]);
    assert!((all.mean() - 0.75).abs() < 1e-12);

    let traffic = Traffic::Pattern(Phases::new(&Pattern::MpiGraph, &participants, 0, Vec::new()).unwrap());
    let prediction = predict(fabric, &routes, &traffic, &PredictRequest::default()).unwrap();
    let phases: Vec<(f64, f64)> = prediction.phases.iter().map(|p| (p.relative(), p.relative_min)).collect();
    assert_eq!(phases, [(0.75, 0.0), (0.5, 0.0), (1.0, 1.0)]);
    assert!((prediction.mean_relative - 0.75).abs() < 1e-12);
    assert_eq!(prediction.relative.values(), [(0.0, 2), (0.5, 2), (1.0, 8)]);

    // All to all at once: 12 flows, of which 1 → 2 and 0 → 2 are lost. Host 2 gets one flow; 3 → 2 shares its host's cable
    // with two others. Shares of the delivered ten are at most 1/2, and the two count as nothing.
    let traffic =
        Traffic::Pattern(Phases::new(&"alltoall".parse().unwrap(), &participants, 0, Vec::new()).unwrap());
    let prediction = predict(fabric, &routes, &traffic, &PredictRequest::default()).unwrap();
    let delivered: f64 = prediction.relative.values()[1..].iter().map(|&(v, n)| v * n as f64).sum();
    assert_eq!((prediction.flows, prediction.unrouted, prediction.relative.values()[0]), (10, 2, (0.0, 2)));
    assert!((prediction.mean_relative - delivered / 12.0).abs() < 1e-12);
}

#[test]
fn hosts_that_are_cut_off_leave_the_list_and_the_others_close_up() {
    let managed = super::managed("fat-tree:4,2", &[]);
    let ports = managed.fabric().end_ports(Population::Hosts);
    let participants = Participants::each_port(managed.fabric(), &ports);
    let later = super::after(&managed, &["drop leaf-02"]);
    // Hosts 3 and 4 are gone; 0, 1, 4, 5, 6, 7 are left: five distances of six flows.
    let shifts = shifts_of(&run(), &later, &participants, 1).unwrap().unwrap();
    assert_eq!(shifts.each.iter().map(|s| s.flows).collect::<Vec<_>>(), [6; 5]);
    assert!(participants.remaining(managed.fabric()).is_none());
    assert_eq!(participants.remaining(later.fabric()).unwrap().names().len(), 6);
}

#[test]
fn recounting_after_failures_is_counting_from_the_beginning() {
    // Shifts from the counts that are kept, against all of them counted after each failure: with
    // rails of which hosts lack some, parallel cables, unrouted pairs before and after, every step.
    for (spec, engine) in [
        ("fat-tree:8,2", Engine::MinHop),
        ("fat-tree:6,3", Engine::FTree),
        ("fat-tree:8,2:rails=2", Engine::MinHop),
        ("itasca:9", Engine::UpDn),
        ("torus:4x4:h=2", Engine::Dor),
        ("random:16,4,2:shuffle=3", Engine::MinHop),
        ("fat-tree:6,3", Engine::EvenTree),
        ("fat-tree:6,2", Engine::Sssp),
    ] {
        let managed = routed(generate(spec).unwrap(), &[engine]);
        let (fabric, routes) = (managed.fabric(), managed.routes());
        let hosts = Hosts::of(fabric, None);
        let mut participants = all_hosts(fabric, routes, &hosts, &Order::Topology);
        if participants.num_rails() > 1 {
            // Hosts 3 and 7 lose a rail each.
            let lacking = ["node0003 HCA-1[1]", "node0007 HCA-2[1]"].map(|s| format!("cut {s}"));
            let lacking: Vec<&str> = lacking.iter().map(String::as_str).collect();
            participants = participants.remaining(super::after(&managed, &lacking).fabric()).unwrap();
        }
        let mut again = 0;
        for step in [1, 7] {
            let distances: Vec<u32> = (1..participants.num_hosts() as u32).step_by(step).collect();
            let paths = Paths::new(fabric, routes, participants.ports(), 0);
            let counted = Counted::new(&run(), &paths, &participants, &distances).unwrap();
            assert_eq!(counted.shifts(), &shifts_of(&run(), &managed, &participants, step).unwrap().unwrap());
            for failing in Failing::all(fabric, false) {
                let (after, _) = managed.after(&[failing.failure()]);
                if participants.remaining(after.fabric()).is_some() {
                    continue;
                }
                let paths = Paths::new(after.fabric(), after.routes(), participants.ports(), 0);
                let Some(shifts) = counted.after(&paths, &participants, |_| true) else { continue };
                assert_eq!(
                    Some(shifts),
                    shifts_of(&run(), &after, &participants, step).unwrap(),
                    "{spec} {failing:?}"
                );
                again += 1;
            }
        }
        // sssp recomputes every path, and updn may find other roots: then so much moves that all is counted.
        assert!(again > 0 || [Engine::Sssp, Engine::UpDn].contains(&engine), "{spec}");
    }
}
