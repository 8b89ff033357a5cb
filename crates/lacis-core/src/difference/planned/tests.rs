//! Verdicts and work lists of planted troubles. `tests/oracle/test_planned.py` checks that `opareport` counts alike.

use super::*;
use crate::fabric::{Fabric, FabricBuilder, NodeId};
use crate::generate::generate;
use crate::io::plan;

/// A fabric with some of its cables exchanged: each `(a, b, c, d)` takes out a–b and c–d and plugs in a–d and c–b.
fn fabric() -> Fabric {
    generate("fat-tree:8,2").unwrap()
}

/// The fabric with other cables, given by node and port.
fn recabled(fabric: &Fabric, cables: &[Ends]) -> Fabric {
    let mut builder = FabricBuilder::new();
    for (n, node) in fabric.nodes() {
        builder.add_node(node.clone(), fabric.radix(n)).unwrap();
    }
    for &((a, p), (b, q)) in cables {
        let handle = |n: u32| builder.nth(n as usize).unwrap();
        let ends = ((handle(a), u32::from(p)), (handle(b), u32::from(q)));
        builder.connect(ends.0, ends.1).unwrap();
    }
    builder.finish()
}

type Ends = ((u32, u8), (u32, u8));

fn listed(fabric: &Fabric) -> Vec<Ends> {
    let end = |p| (fabric.node_of(p).0, fabric.number_of(p));
    fabric.cables().map(|(a, b)| (end(a), end(b))).collect()
}

fn compare(plan: &Fabric, found: &Fabric) -> Planned {
    planned(&[&Plan::of(plan, false)], found).unwrap()
}

fn counts(found: &Planned) -> Vec<(&'static str, usize)> {
    let all = Verdict::ALL.iter().zip(found.counts);
    all.filter(|c| c.1 > 0).map(|(v, n)| (v.name(), n)).collect()
}

fn works(found: &Planned) -> Vec<(PlannedWorkKind, usize)> {
    found.work.iter().map(|work| (work.kind, work.moves.len())).collect()
}

/// The cables after the work is done.
fn repaired(found: &Fabric, plan: &Fabric, result: &Planned) -> Vec<Ends> {
    let mut cables = listed(found);
    let cables_of_plan = listed(plan);
    let end = |site: Site| match site {
        Site::Port(p) => (found.node_of(p).0, found.number_of(p)),
        Site::Planned(cable, 0) => cables_of_plan[cable].0,
        Site::Planned(cable, _) => cables_of_plan[cable].1,
    };
    for work in &result.work {
        let plugs = |cables: &Vec<Ends>, a, b| {
            cables.iter().position(|c| *c == (a, b) || *c == (b, a)).expect("the cable is there")
        };
        let pulled: Vec<usize> =
            work.moves.iter().map(|m| plugs(&cables, end(m.stays), end(m.from))).collect();
        for (m, at) in work.moves.iter().zip(pulled) {
            cables[at] = (end(m.stays), end(m.to));
        }
        if let Some((a, b)) = work.take_out {
            let at = plugs(&cables, end(Site::Port(a)), end(Site::Port(b)));
            cables.remove(at);
        }
        cables.extend(work.connect.map(|(_, [a, b])| (end(a), end(b))));
    }
    let mut cables: Vec<Ends> = cables.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
    cables.sort_unstable();
    cables
}

#[test]
fn a_fabric_is_as_it_was_planned() {
    let fabric = fabric();
    let found = compare(&fabric, &fabric);
    assert!(found.is_good() && found.work.is_empty());
    assert_eq!(counts(&found), [("as_planned", fabric.cables().count())]);
}

#[test]
fn two_cables_that_changed_ports_are_a_swap_and_three_a_rotation() {
    let plan = fabric();
    for (n, kind) in
        [(2, PlannedWorkKind::Swap), (3, PlannedWorkKind::Rotation), (5, PlannedWorkKind::Rotation)]
    {
        let mut cables = listed(&plan);
        let seconds: Vec<_> = cables[..n].iter().map(|c| c.1).collect();
        for i in 0..n {
            cables[i].1 = seconds[(i + 1) % n];
        }
        let found = recabled(&plan, &cables);
        let result = compare(&plan, &found);
        // No found cable is planned, and each planned one has both ports cabled elsewhere.
        let same = plan.cables().count() - n;
        assert_eq!(counts(&result), [("as_planned", same), ("unexpected", n), ("duplicate", n)]);
        assert_eq!(works(&result), [(kind, n)]);
        // Of the first leaf's cables the plugs at the leaf are moved: one device, not several.
        let touched: std::collections::BTreeSet<_> = result.work[0]
            .moves
            .iter()
            .flat_map(|m| [m.from, m.to])
            .map(|site| match site {
                Site::Port(p) => found.node_of(p),
                Site::Planned(..) => panic!("{site:?}"),
            })
            .collect();
        assert_eq!(touched.len(), 1, "{touched:?}");
        assert_eq!(repaired(&found, &plan, &result), listed(&plan));
    }
}

#[test]
fn moved_lost_and_added_cables_have_their_verdicts_and_their_work() {
    let plan = fabric();
    let cables = listed(&plan);
    let without = |at: usize| {
        let mut rest = cables.clone();
        rest.remove(at);
        rest
    };
    // Lost: neither port has a cable.
    let found = recabled(&plan, &without(0));
    let result = compare(&plan, &found);
    assert_eq!(counts(&result)[1..], [("missing", 1)]);
    assert_eq!(works(&result), [(PlannedWorkKind::Connect, 0)]);
    assert_eq!(repaired(&found, &plan, &result), cables);

    // Added: the plan is one cable short.
    let result = compare(&recabled(&plan, &without(0)), &plan);
    assert_eq!(counts(&result)[1..], [("unexpected", 1)]);
    assert_eq!(works(&result), [(PlannedWorkKind::TakeOut, 0)]);

    // Moved: the second cable is lost, and the first one's plug is at its host. Of the first planned cable one end is
    // found, which leads to another host: misconnected. Of the second the host is found, and leads to the right leaf, but to
    // another port: different.
    let mut moved = without(1);
    moved[0].1 = cables[1].1;
    let found = recabled(&plan, &moved);
    let result = compare(&plan, &found);
    assert_eq!(counts(&result)[1..], [("misconnected", 1), ("different", 1)]);
    assert_eq!(works(&result), [(PlannedWorkKind::Shift, 1)]);
    assert_eq!(repaired(&found, &plan, &result), cables);
}

#[test]
fn a_plug_in_the_wrong_port_of_the_right_node_is_a_difference_and_one_move() {
    let plan = recabled(&fabric(), &[((0, 1), (9, 1)), ((1, 1), (9, 2))]);
    let found = recabled(&fabric(), &[((0, 1), (9, 1)), ((1, 1), (9, 5))]);
    let result = compare(&plan, &found);
    assert_eq!(counts(&result), [("as_planned", 1), ("different", 1)]);
    assert_eq!(result.deviations[0].why, [Why::Number(1)]);
    assert_eq!(works(&result), [(PlannedWorkKind::Move, 1)]);
    assert_eq!(repaired(&found, &plan, &result), listed(&plan));
}

#[test]
fn a_plan_that_has_a_cable_twice_says_which_line_repeats() {
    let fabric = fabric();
    let mut plan = Plan::of(&fabric, false);
    plan.cables.push(plan.cables[3].clone());
    let result = planned(&[&plan], &fabric).unwrap();
    assert_eq!(counts(&result)[1..], [("duplicate", 1)]);
    assert_eq!(result.deviations[0].why, [Why::Repeats(3)]);
    assert!(result.work.is_empty());
}

#[test]
fn rates_and_guids_that_differ_are_reported() {
    let fabric = fabric();
    let mut plan = Plan::of(&fabric, true);
    plan.cables[0].rate = plan::PlannedRate::parse("25g");
    plan.cables[1].ends[0].node_guid = crate::fabric::Guid(0xdead);
    let result = planned(&[&plan], &fabric).unwrap();
    assert_eq!(counts(&result)[1..], [("different", 2)]);
    assert_eq!(result.deviations[0].why, [Why::Rate]);
    assert_eq!(result.deviations[1].why, [Why::NodeGuid(0)]);
    assert!(result.work.is_empty());
}

#[test]
fn unknown_names_have_near_ones_and_a_plan_of_another_fabric_is_refused() {
    let fabric = fabric();
    let name = fabric.node(NodeId(0)).description.to_string();
    let mut plan = Plan::of(&fabric, false);
    let other = format!("{name}x");
    let at = plan.cables.iter().position(|c| *c.ends[0].name == name).unwrap();
    plan.cables[at].ends[0].name = other.as_str().into();
    let result = planned(&[&plan], &fabric).unwrap();
    assert_eq!(result.unknown.len(), 1);
    assert_eq!((&result.unknown[0].name, result.unknown[0].cables), (&other, 1));
    assert_eq!(result.unknown[0].near.first(), Some(&name));
    for end in plan.cables.iter_mut().flat_map(|c| &mut c.ends) {
        end.name = "elsewhere".into();
    }
    let error = planned(&[&plan], &fabric).unwrap_err();
    assert!(matches!(error, NotCompared::Foreign(Foreign { names: 1, .. })), "{error}");
}

#[test]
fn no_plug_is_moved_to_a_name_that_is_likely_misspelt() {
    let fabric = fabric();
    let name = |n: u32| fabric.node(NodeId(n)).description.to_string();
    let (leaf, host) = (0, fabric.end_nodes().next().unwrap().0);
    let ends = |plan: &Plan, n: u32| -> Vec<(usize, usize)> {
        let all = plan.cables.iter().enumerate().flat_map(|(i, c)| [(i, 0, &c.ends[0]), (i, 1, &c.ends[1])]);
        all.filter(|(_, _, end)| *end.name == *name(n)).map(|(i, side, _)| (i, side)).collect()
    };
    // All cables of a leaf, one of them, and a host: no other node can be meant, or none by that name has the port.
    for (node, cables) in [(leaf, 8), (leaf, 1), (host, 1)] {
        let mut plan = Plan::of(&fabric, false);
        for (cable, side) in ends(&plan, node).into_iter().take(cables) {
            plan.cables[cable].ends[side].name = format!("{}x", name(node)).into();
        }
        let result = planned(&[&plan], &fabric).unwrap();
        assert!(!result.is_good() && result.work.is_empty(), "{node} {:?}", result.work);
        assert_eq!(
            result.unknown.iter().map(|one| (one.cables, one.misnamed)).collect::<Vec<_>>(),
            [(cables, cables)]
        );
    }
    // Both ends of a cable between two switches that have other names throughout.
    let mut plan = Plan::of(&fabric, false);
    let spine = fabric.switches().last().unwrap().0;
    for node in [leaf, spine] {
        for (cable, side) in ends(&plan, node) {
            plan.cables[cable].ends[side].name = format!("{}x", name(node)).into();
        }
    }
    let result = planned(&[&plan], &fabric).unwrap();
    assert!(result.work.is_empty(), "{:?}", result.work);
    assert_eq!(result.unknown.iter().map(|one| one.misnamed).sum::<usize>(), 8 + 8);
}

#[test]
fn a_plug_of_a_missing_host_in_a_port_of_another_is_moved() {
    // The first host is gone; its cable is in the second port of the next one, whose first port has its own.
    let plan = fabric();
    let (gone, other) = (plan.end_nodes().next().unwrap(), plan.end_nodes().nth(1).unwrap());
    let mut builder = FabricBuilder::new();
    let mut handles = Vec::new();
    for (n, node) in plan.nodes() {
        let ports = if n == other { 2 } else { plan.radix(n) };
        handles.push((n != gone).then(|| builder.add_node(node.clone(), ports).unwrap()));
    }
    for ((a, p), (b, q)) in listed(&plan) {
        let end = |n: u32, port: u8| {
            handles[n as usize].map_or((handles[other.ix()].unwrap(), 2), |n| (n, u32::from(port)))
        };
        builder.connect(end(a, p), end(b, q)).unwrap();
    }
    let result = compare(&plan, &builder.finish());
    assert_eq!(works(&result), [(PlannedWorkKind::Move, 1)]);
    assert_eq!((result.unknown.len(), result.unknown[0].misnamed), (1, 0));
}

#[test]
fn an_ndt_names_hosts_with_their_domain_and_ports_of_switches_by_number() {
    let fabric = fabric();
    let ndt = |port: &str, host: &str| {
        let line = format!("leaf-01,{port},{host},HCA-1,Data");
        plan::read(format!("StartDevice,StartPort,EndDevice,EndPort,LinkType\n{line}\n").as_bytes()).unwrap()
    };
    let as_planned =
        |port: &str, host: &str| planned(&[&ndt(port, host)], &fabric).map(|found| found.counts[0]);
    for port in ["Port 1", "1", "IB1/1", "ib1/1/1", "P1", "#1", "[1]"] {
        assert_eq!(as_planned(port, "node0001"), Ok(1), "{port}");
    }
    assert_eq!(as_planned("IB1/2", "node0002.cluster.org"), Ok(1));
    let error = planned(&[&ndt("eth1", "node0001")], &fabric).unwrap_err().to_string();
    assert!(
        error.starts_with("line 2: leaf-01 is a switch of the fabric, and \"eth1\" is no port"),
        "{error}"
    );
}

#[test]
fn an_ndt_finds_directors_by_board_and_chip_and_names_without_regard_to_case() {
    let names = ["MF0;CORE-1:MCS8500/L16/U2", "MF0;CORE-1:MCS8500/S01/U1", "MF0;LEAF-3:MQM8700/U1"];
    let bare = generate("fat-tree:8,2").unwrap();
    let switches: Vec<_> = bare.switches().take(3).map(|s| bare.node(s).id.clone()).collect();
    let hosts: Vec<_> = bare.end_nodes().take(2).map(|n| bare.node(n).id.clone()).collect();
    let first = bare.end_nodes().next().unwrap().0;
    let fabric = recabled(
        &bare.renamed(|node| {
            let named = switches.iter().position(|id| *id == node.id).map(|i| names[i].to_string());
            let host = hosts.iter().position(|id| *id == node.id);
            named.or_else(|| host.map(|i| ["N1 ibp11s0f0", "n2 mlx5_0"][i].to_string())).map(Into::into)
        }),
        &[((0, 3), (1, 1)), ((0, 1), (2, 2)), ((2, 5), (first, 1)), ((2, 6), (first + 1, 1))],
    );
    let text = "startdevice,startport,enddevice,endport\nleaf-3,port 2,core-1,blade 16_port 2/1\n\
                n1,N1 IBP11s0f0,LEAF-3,Port 5\nLEAF-3,Port 6,n2,n2\n";
    let result = planned(&[&plan::read(text.as_bytes()).unwrap()], &fabric).unwrap();
    assert_eq!(counts(&result), [("as_planned", 3)], "{result:?}");
    assert_eq!(result.beyond, Beyond { inside: 1, ..Beyond::default() });
    let wrong = text.replace("2/1", "2/4");
    let result = planned(&[&plan::read(wrong.as_bytes()).unwrap()], &fabric).unwrap();
    assert_eq!(counts(&result), [("as_planned", 2), ("different", 1)]);
    assert_eq!(works(&result), [(PlannedWorkKind::Move, 1)]);
}

/// The fewest moves by trying all: each found cable that is not planned becomes a planned one next to it, or is taken
/// out. Here by the sizes of components: a component needs as many moves as the smaller of its two counts.
#[test]
fn any_exchange_of_plugs_is_repaired_by_as_many_moves_as_cables_are_wrong() {
    let plan = fabric();
    let cables = listed(&plan);
    let mut state = 7_u64;
    for round in 0..60 {
        let mut next = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let mut wrong = cables.clone();
        for _ in 0..next(8) {
            let (i, j) = (next(wrong.len()), next(wrong.len()));
            if i != j {
                let kept = wrong[i].1;
                wrong[i].1 = wrong[j].1;
                wrong[j].1 = kept;
            }
        }
        for _ in 0..next(4) {
            let at = next(wrong.len());
            wrong.remove(at);
        }
        if wrong.iter().any(|(a, b)| a == b) {
            continue;
        }
        let found = recabled(&plan, &wrong);
        let result = compare(&plan, &found);
        assert_eq!(repaired(&found, &plan, &result), cables, "round {round}");
        let known: std::collections::BTreeSet<_> = cables.iter().copied().collect();
        let ordered = |(a, b): &Ends| (*a.min(b), *a.max(b));
        let misplaced = wrong.iter().filter(|c| !known.contains(&ordered(c))).count();
        let taken: usize = result.work.iter().map(|work| usize::from(work.take_out.is_some())).sum();
        let moves: usize = result.work.iter().map(|work| work.moves.len()).sum();
        assert_eq!((moves, taken), (misplaced, 0), "round {round}");
    }
}
