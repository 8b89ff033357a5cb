//! Planted faults in generated groups, with the finding and the work line that each must give, and nothing else.

use super::super::{Action, Checked, Code, Hosts, cable_work, examine, findings};
use crate::fabric::Fabric;
use crate::generate::{edit, generate};

fn edited(spec: &str, selectors: &[&str]) -> Fabric {
    let fabric = generate(spec).unwrap_or_else(|e| panic!("{e}"));
    edit(&fabric, selectors).unwrap_or_else(|e| panic!("{spec} {selectors:?}: {e}"))
}

/// The findings except those of few cables, each as its code, where it is and what it says.
fn found(spec: &str, selectors: &[&str]) -> Vec<String> {
    let fabric = edited(spec, selectors);
    let all = findings(&fabric, &Hosts::of(&fabric, None)).into_iter();
    let of_cables = all.filter(|f| f.code != Code::CablesFew);
    of_cables.map(|f| format!("{} {}: {}", f.code.name(), f.words().at, f.words().text)).collect()
}

/// The work list: what to do, here and there.
fn work(spec: &str, selectors: &[&str]) -> Vec<(Action, String, String)> {
    let fabric = edited(spec, selectors);
    let hosts = Hosts::of(&fabric, None);
    let end = |end: &super::super::CableEnd| match end.port {
        Some(port) => format!("{}[{port}]", end.node),
        None => end.node.clone(),
    };
    let all = cable_work(&fabric, &hosts, &findings(&fabric, &hosts)).into_iter();
    all.map(|line| (line.action, end(&line.here), line.there.as_ref().map_or_else(String::new, end)))
        .collect()
}

fn owned(lines: &[(Action, &str, &str)]) -> Vec<(Action, String, String)> {
    lines.iter().map(|&(action, here, there)| (action, here.into(), there.into())).collect()
}

// Leaves have ports 1 to 4 for hosts and two more to each of three spines; spines two to each of five leaves, from port 1, and from
// port 11 on one to each of the five other groups, in the order in which these follow.
const PLUS: &str = "dragonfly+:6,5,3,4:parallel=2,radix=24";
const PLAIN: &str = "dragonfly:2,4,2:radix=12";

#[test]
fn flawless_groups_have_no_finding_and_all_cables_are_compared() {
    for spec in [
        PLUS,
        PLAIN,
        "dragonfly:1,3,2",
        "dragonfly:4,8,4",
        "dragonfly+:3,3,2,4",
        "dragonfly+:4,3,2,6:least=1",
        "dragonfly+:8,6,4,10:parallel=3,global=14,least=2",
        "dragonfly+:5,4,4,3:global=3",
        "dragonfly+:9,8,8,6:least=0",
        "dragonfly+:21,4,5,4:global=4",
        "dragonfly+:2,6,4,6",
        "dragonfly+:17,2,4,3:radix=24",
    ] {
        let fabric = generate(spec).unwrap();
        let health = examine(&fabric, &Hosts::of(&fabric, None));
        let texts: Vec<_> = health.findings.iter().map(|f| (f.code.name(), f.words())).collect();
        assert_eq!(texts, [], "{spec}");
        let cabling = health.summary.cabling;
        assert_eq!((cabling.checked, cabling.compared), (Checked::All, cabling.cables), "{spec}");
        let groups = health.summary.switch_groups;
        let global: usize = groups.iter().map(|group| group.global_links).sum();
        let local: usize = groups.iter().map(|group| group.local_links).sum();
        assert_eq!(local + global / 2, cabling.cables, "{spec}");
    }
}

#[test]
fn a_cable_gone_from_a_group_is_to_be_plugged_in() {
    // Ports 5 and 6 of a leaf lead to spine 1, 7 and 8 to spine 2; ports 3 and 4 of a spine to leaf 2.
    let cut = ["leaf-02-02--spine-02-02:1"];
    assert_eq!(
        found(PLUS, &cut),
        [
            "UPLINK_FEWER leaf-02-02 – spine-02-02: a single cable where its peers have 2; empty ports [7] – [3]"
        ]
    );
    assert_eq!(work(PLUS, &cut), owned(&[(Action::PlugIn, "leaf-02-02[7]", "spine-02-02[3]")]));
    // Two switches of a group of a dragonfly: port 3 + s of switch r + 1 leads to switch s + 1.
    let cut = ["switch-03-01--switch-03-04"];
    assert_eq!(work(PLAIN, &cut), owned(&[(Action::PlugIn, "switch-03-01[5]", "switch-03-04[3]")]));
}

#[test]
fn a_global_cable_that_is_gone_is_to_be_plugged_in() {
    // Group 5 is the third after group 2, and group 2 the third after group 5: port 13 at both ends.
    let cut = ["spine-02-03--spine-05-03"];
    assert_eq!(
        found(PLUS, &cut),
        [
            "GROUP_CABLE_MISSING spine-02-03 – spine-05-03: no global cable where there should be 1, as on 44 of 45 such \
             pairs; empty ports [13] – [13]"
        ]
    );
    assert_eq!(work(PLUS, &cut), owned(&[(Action::PlugIn, "spine-02-03[13]", "spine-05-03[13]")]));
    // Groups that share one cable each, wherever it is: both switches lack one.
    let fabric = generate(PLAIN).unwrap();
    let number = |p| fabric.node(fabric.node_of(p)).description.split('-').nth(1).map(str::to_owned);
    let global = fabric.cables().filter(|&(a, b)| {
        let is_switch = |p| fabric.is_switch(fabric.node_of(p));
        is_switch(a) && is_switch(b) && number(a) != number(b)
    });
    for (a, b) in global {
        let named = |p| format!("{}", fabric.node(fabric.node_of(p)).description);
        let lines = work(PLAIN, &[&format!("{}--{}", named(a), named(b))]);
        let [(Action::PlugIn, here, there)] = &lines[..] else { panic!("{lines:?}") };
        assert!(here.starts_with(&named(a)) && there.starts_with(&named(b)), "{lines:?}");
    }
}

#[test]
fn a_cable_on_the_wrong_switch_is_to_be_moved() {
    // Within a group: from leaf 2 to leaf 1.
    let moved = ["leaf-02-02[7]", "+leaf-02-01[20]--spine-02-02[3]"];
    assert_eq!(
        found(PLUS, &moved),
        [
            "CABLE_UNEXPECTED leaf-02-01 – spine-02-02: 3 cables where its peers have 2, and leaf-02-02 has 1; move \
             leaf-02-01[20] to leaf-02-02[7]"
        ]
    );
    assert_eq!(work(PLUS, &moved), owned(&[(Action::Move, "leaf-02-01[20]", "spine-02-02[3]")]));
    // To a leaf of another group, and to a spine of the same group.
    for (port, other) in [(3, "leaf-04-01"), (3, "spine-02-01")] {
        let plug = format!("+{other}[22]--spine-02-02[{port}]");
        let lines = work(PLUS, &["leaf-02-02[7]", &plug]);
        assert_eq!(lines, owned(&[(Action::Move, &format!("{other}[22]"), "spine-02-02[3]")]), "{other}");
    }
    // A global cable from spine 3 of group 5 to spine 2 of it, and to spine 3 of group 4.
    for other in ["spine-05-02", "spine-04-03", "leaf-05-01"] {
        let plug = format!("+{other}[22]--spine-02-03[13]");
        let lines = work(PLUS, &["spine-02-03[13]", &plug]);
        assert_eq!(lines, owned(&[(Action::Move, &format!("{other}[22]"), "spine-02-03[13]")]), "{other}");
    }
}

#[test]
fn cables_whose_ends_are_exchanged_are_to_be_swapped() {
    // Global cables of two groups, exchanged at group 5 of which port 13 leads to group 2.
    let crossed = [
        "spine-02-01[13]",
        "spine-02-02[13]",
        "+spine-02-01[13]--spine-05-02[13]",
        "+spine-02-02[13]--spine-05-01[13]",
    ];
    assert_eq!(
        found(PLUS, &crossed),
        [
            "CABLE_UNEXPECTED spine-02-01[13] – spine-05-02[13], spine-02-02[13] – spine-05-01[13]: crossed: spine-02-01 \
             belongs to spine-05-01, and spine-02-02 to spine-05-02, as on 43 of 45 such pairs"
        ]
    );
    assert_eq!(
        work(PLUS, &crossed),
        owned(&[
            (Action::Swap, "spine-05-01[13]", "spine-02-02[13]"),
            (Action::Swap, "spine-05-02[13]", "spine-02-01[13]"),
        ])
    );
    // Cables of two leaves to two spines of their group.
    let crossed = [
        "leaf-01-01[5]",
        "leaf-01-02[7]",
        "+leaf-01-01[5]--spine-01-02[3]",
        "+leaf-01-02[7]--spine-01-01[1]",
    ];
    let actions: Vec<_> = work(PLUS, &crossed).into_iter().map(|line| line.0).collect();
    assert_eq!(actions, [Action::Swap, Action::Swap]);
}

#[test]
fn what_is_added_on_purpose_is_no_fault() {
    for selectors in [
        // A management leaf on one spine of four, hosts on spines, a switch on a leaf.
        &["+switch=mgmt@spine-01-01", "+host@mgmt:3"][..],
        &["+host@spine-01-01:3", "+host@spine-04-02"],
        &["+switch=more@leaf-01-01:2", "+host@more:2"],
    ] {
        assert_eq!(found(PLUS, selectors), Vec::<String>::new(), "{selectors:?}");
    }
}

#[test]
fn strays_are_slips_up_to_one_in_twenty_pairs_and_a_design_beyond() {
    // 90 pairs of a leaf and a spine, and 45 of spines: six cables between leaves of two groups are 6 of 141, eight 8 of 143.
    let strays = |number: usize| {
        let cable = |at: usize| {
            let (group, leaf) = (1 + at / 4, 1 + at % 4);
            format!("+leaf-{group:02}-{leaf:02}[20]--leaf-{:02}-{leaf:02}[21]", group + 3)
        };
        let cables: Vec<String> = (0..number).map(cable).collect();
        found(PLUS, &cables.iter().map(String::as_str).collect::<Vec<_>>()).len()
    };
    assert_eq!((strays(6), strays(8)), (6, 0));
}

#[test]
fn a_switch_without_a_free_port_lacks_no_cable() {
    // A leaf has ten of 24 ports in use, one of which is free now.
    let cut = "leaf-02-02--spine-02-02:1";
    assert_eq!(found(PLUS, &[cut, "+host@leaf-02-02:14"]).len(), 1);
    assert_eq!(found(PLUS, &[cut, "+host@leaf-02-02:15"]), Vec::<String>::new());
    assert_eq!(found(PLUS, &[cut, "+host@spine-02-02:10"]), Vec::<String>::new());
}

#[test]
fn empty_ports_are_named_where_both_ends_have_as_many_as_cables_are_missing() {
    // Ports 7 and 8 of leaf 2 lead to ports 3 and 4 of spine 2.
    let both = "leaf-02-02--spine-02-02";
    let text = |ports: &str| {
        vec![format!("UPLINK_MISSING leaf-02-02 – spine-02-02: no cable where its peers have 2{ports}")]
    };
    assert_eq!(found(PLUS, &[both]), text("; empty ports [7 8] – [3 4]"));
    assert_eq!(found(PLUS, &[both, "+host@spine-02-02[3]"]), text(""));
    assert_eq!(found(PLUS, &[both, "+host@leaf-02-02[7]"]), text(""));
    // The port of a host is none that leads to a spine.
    let one = found(PLUS, &["leaf-02-02--spine-02-02:1", "leaf-02-02[1]"]);
    assert!(
        one.iter().any(|line| line.ends_with("a single cable where its peers have 2; empty ports [7] – [3]")),
        "{one:?}"
    );
}

#[test]
fn the_ports_of_a_cable_to_move_are_named_where_one_cable_alone_can_be_meant() {
    // Port 3 of a spine leads to leaf 2. On port 20 it is one of three cables to leaf 1.
    let moved = |port: u8| found(PLUS, &["leaf-02-02[7]", &format!("+leaf-02-01[20]--spine-02-02[{port}]")]);
    let text = |from: &str| {
        vec![format!(
            "CABLE_UNEXPECTED leaf-02-01 – spine-02-02: 3 cables where its peers have 2, and leaf-02-02 has 1; move \
             {from} to leaf-02-02[7]"
        )]
    };
    assert_eq!((moved(3), moved(20)), (text("leaf-02-01[20]"), text("leaf-02-01")));
}

#[test]
fn a_cable_to_the_wrong_group_is_counted_by_groups_where_single_pairs_are_not_known() {
    // Each spine has a cable to each other group, wherever it is. That of spine 2 of group 4 to group 3 is on spine 3 of group 2.
    let spec = "dragonfly+:4,3,3,4:global=3,radix=40";
    assert_eq!(
        found(spec, &["spine-04-02[6]", "+spine-04-02[6]--spine-02-03[39]"]),
        [
            "CABLE_UNEXPECTED spine-02-03 – spine-04-02: 2 cables where its peers have 1, and spine-03-02 has none; move \
             spine-02-03 to spine-03-02[4]"
        ]
    );
    // On spine 3 of group 3 it belongs on spine 2, unless that has no free port: of 40 it has 35 for hosts.
    let beside = ["spine-04-02[6]", "+spine-04-02[6]--spine-03-03[39]"];
    assert_eq!(found(spec, &beside).len(), 1);
    assert_eq!(found(spec, &[&beside[..], &["+host@spine-03-02:35"]].concat()), Vec::<String>::new());
}

#[test]
fn where_no_pattern_is_known_nothing_counts_as_compared() {
    let checked = |spec: &str| {
        let fabric = generate(spec).unwrap();
        let cabling = examine(&fabric, &Hosts::of(&fabric, None)).summary.cabling;
        (cabling.pattern, cabling.checked)
    };
    assert_eq!(checked("random:30,4,2"), (None, Checked::None));
    assert_eq!(checked("fat-tree:8,1"), (None, Checked::NoCables));
    assert_eq!(checked("fat-tree:8,3"), (Some("tree"), Checked::All));
    assert_eq!(checked("fat-tree:8,2:rails=2"), (Some("tree"), Checked::All));
    assert_eq!(checked("dragonfly+:3,4,2,4:rails=2"), (Some("dragonfly+"), Checked::All));
    assert_eq!(Code::GroupCableMissing.name(), "GROUP_CABLE_MISSING");
}

/// Fabrics in which single pairs are known: each with free ports, several cables or single ones.
const KNOWN: [&str; 6] = [
    "dragonfly+:6,5,3,4:parallel=2,radix=24",
    "dragonfly+:5,4,4,3:radix=20",
    "dragonfly+:8,6,4,10:parallel=3,global=14,radix=40",
    "dragonfly+:9,8,8,6:least=2,radix=40",
    "dragonfly+:12,3,3,4:radix=20",
    "dragonfly+:7,10,4,6:least=0,radix=24",
];

#[test]
fn which_of_several_cables_was_moved_is_not_guessed() {
    for (spec, edits, wrong, right, words) in [
        // Each spine has one cable to each other group. Spine 3 of group 3 has two to group 4 now, of which either may be
        // the one that belongs on spine 2.
        (
            "dragonfly+:4,3,3,4:global=3,radix=40",
            ["spine-04-02[6]", "+spine-04-02[6]--spine-03-03[39]"],
            "spine-03-03",
            "spine-03-02",
            "4 cables to other groups where its peers have 3, and spine-03-02 has 2; one of its global cables belongs in \
             spine-03-02: which one, their ports do not show",
        ),
        // Two cables a spine, and to which groups is not alike: spine 2 of group 4 has three, spine 3 one.
        (
            "dragonfly+:5,4,4,3:global=2,radix=40",
            ["spine-05-04[6]", "+spine-05-04[6]--spine-04-02[39]"],
            "spine-04-02",
            "spine-04-03",
            "3 cables to other groups where its peers have 2, and spine-04-03 has 1; one of its global cables belongs in \
             spine-04-03: which one, their ports do not show",
        ),
    ] {
        let fabric = edited(spec, &edits);
        let health = examine(&fabric, &Hosts::of(&fabric, None));
        assert_eq!(health.findings.len(), 1, "{spec} {:?}", health.findings);
        assert_eq!(health.findings[0].words().text, words);
        let [line] = &health.cable_work[..] else { panic!("{:?}", health.cable_work) };
        assert_eq!((line.action, &*line.here.node, &line.there), (Action::Move, wrong, &None));
        assert!(matches!(&line.reason, super::super::Reason::Astray { to, .. } if to.node == right));
    }
}

/// One planted fault.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Missing,
    Moved,
    Crossed,
}

mod drawn {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::fabric::{NodeId, PortId};
    use crate::generate::SplitMix64;

    /// The cables between switches, a leaf's end or the lower switch's first.
    fn trunks(fabric: &Fabric) -> Vec<(PortId, PortId)> {
        let is_switch = |p| fabric.is_switch(fabric.node_of(p));
        fabric.cables().filter(|&(a, b)| is_switch(a) && is_switch(b)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn each_planted_fault_is_one_finding_with_the_right_ends(
            spec in select(&KNOWN[..]),
            fault in select(&[Fault::Missing, Fault::Moved, Fault::Crossed][..]),
            hosts in 0..=80_u32,
            seed in any::<u16>(),
        ) {
            let whole = edited(spec, &[&format!("random-hosts={hosts}%,seed={seed}")]);
            let mut rng = SplitMix64::new(u64::from(seed));
            let mut cables = trunks(&whole);
            rng.shuffle(&mut cables);
            let name = |s: NodeId| whole.node(s).description.to_string();
            let at = |p: PortId| format!("{}[{}]", name(whole.node_of(p)), whole.number_of(p));
            let kind = |p: PortId| name(whole.node_of(p)).split('-').next().unwrap().to_owned();
            let (a, b) = cables[0];
            let node = |p: PortId| whole.node_of(p);
            let free = |s: NodeId| whole.ports_of(s).find(|&p| whole.peer(p).is_none());
            let (edits, expected): (Vec<String>, Vec<(Action, [String; 2])>) = match fault {
                Fault::Missing => (vec![at(a)], vec![(Action::PlugIn, [name(node(a)), name(node(b))])]),
                Fault::Moved => {
                    // To any other switch of the same kind that has a free port.
                    let mut others: Vec<NodeId> = whole.switches().filter(|&s| {
                        s != node(a) && s != node(b) && name(s).starts_with(&kind(b)) && free(s).is_some()
                    }).collect();
                    rng.shuffle(&mut others);
                    let Some(&wrong) = others.first() else { return Ok(()) };
                    let plug = format!("+{}--{}", at(a), at(free(wrong).unwrap()));
                    (vec![at(a), plug], vec![(Action::Move, [name(wrong), name(node(b))])])
                }
                Fault::Crossed => {
                    // Another cable of the same kinds with four different ends.
                    let is_other = |&&(c, d): &&(PortId, PortId)| {
                        let ends = [node(a), node(b), node(c), node(d)];
                        let distinct = (0..4).all(|i| (0..i).all(|j| ends[i] != ends[j]));
                        distinct && kind(c) == kind(a) && kind(d) == kind(b)
                    };
                    let Some(&(c, d)) = cables.iter().find(is_other) else { return Ok(()) };
                    let edits = vec![
                        at(a), at(c), format!("+{}--{}", at(a), at(d)), format!("+{}--{}", at(c), at(b)),
                    ];
                    (edits, vec![(Action::Swap, [String::new(), String::new()]); 2])
                }
            };
            let edits: Vec<&str> = edits.iter().map(String::as_str).collect();
            let fabric = edit(&whole, &edits).unwrap();
            let hosts_of = Hosts::of(&fabric, None);
            let health = examine(&fabric, &hosts_of);
            let cabling: Vec<_> = health.findings.iter().filter(|f| f.code != Code::CablesFew && f.code != Code::HostAbsent).collect();
            prop_assert_eq!(cabling.len(), 1, "{} {:?} {:?}", spec, edits, health.findings);
            let lines: Vec<_> = health.cable_work.iter().filter(|line| line.code == cabling[0].code).collect();
            prop_assert_eq!(lines.len(), expected.len(), "{} {:?} {:?}", spec, edits, lines);
            for (line, (action, ends)) in lines.iter().zip(&expected) {
                prop_assert_eq!(line.action, *action, "{} {:?} {:?}", spec, edits, lines);
                let there = line.there.as_ref().map_or("", |end| &*end.node);
                match action {
                    Action::PlugIn => {
                        let mut found = [line.here.node.clone(), there.to_owned()];
                        let mut ends = ends.clone();
                        found.sort();
                        ends.sort();
                        prop_assert_eq!(found, ends, "{} {:?}", spec, edits);
                    }
                    Action::Move => {
                        let super::super::super::Reason::Astray { to, .. } = &line.reason else {
                            return Err(TestCaseError::fail(format!("{line:?}")));
                        };
                        prop_assert_eq!(&line.here.node, &ends[0], "{} {:?}", spec, edits);
                        prop_assert_eq!(&to.node, &ends[1], "{} {:?}", spec, edits);
                        prop_assert_eq!(there, name(node(a)), "{} {:?}", spec, edits);
                    }
                    _ => {}
                }
            }
        }
    }
}
