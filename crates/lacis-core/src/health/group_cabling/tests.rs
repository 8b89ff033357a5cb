//! Planted faults in generated groups, with the finding and the work line that each must give, and nothing else.

use super::super::{Action, Checked, Code, Hosts, cable_work, examine, findings};
use crate::fabric::Fabric;
use crate::generate::{edit, generate};

fn edited(spec: &str, selectors: &[&str]) -> Fabric {
    let fabric = generate(spec).unwrap_or_else(|e| panic!("{e}"));
    edit(&fabric, selectors).unwrap_or_else(|e| panic!("{spec} {selectors:?}: {e}"))
}

/// The findings, each as its code, where it is and what it says.
fn found(spec: &str, selectors: &[&str]) -> Vec<String> {
    let fabric = edited(spec, selectors);
    let all = findings(&fabric, &Hosts::of(&fabric, None)).into_iter();
    all.map(|f| format!("{} {}: {}", f.code.name(), f.words().at, f.words().text)).collect()
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
    all.map(|line| (line.action, end(&line.here), line.there.as_ref().map_or_else(String::new, end))).collect()
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
        ["UPLINK_FEWER leaf-02-02 – spine-02-02: a single cable where its peers have 2; empty ports [7] – [3]"]
    );
    assert_eq!(work(PLUS, &cut), owned(&[(Action::PlugIn, "leaf-02-02[7]", "spine-02-02[3]")]));
    // Two switches of a group of a dragonfly: port 3 + s of switch r + 1 leads to switch s + 1.
    let cut = ["switch-03-01--switch-03-04"];
    assert_eq!(
        work(PLAIN, &cut),
        owned(&[(Action::PlugIn, "switch-03-01[5]", "switch-03-04[3]")])
    );
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
            "CABLE_UNEXPECTED spine-02-02[3] – leaf-02-01[20]: 3 cables from spine-02-02 to leaf-02-01 where there should be 2, \
             and 1 to leaf-02-02 where there should be 2: this one belongs on leaf-02-02[7]"
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
    let crossed =
        ["leaf-01-01[5]", "leaf-01-02[7]", "+leaf-01-01[5]--spine-01-02[3]", "+leaf-01-02[7]--spine-01-01[1]"];
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
