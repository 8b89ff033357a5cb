//! Every reason in words, written by hand; of OpenSM's engines as its log has them.

use super::*;
use crate::sm::Engine;

const A: Guid = Guid(0x1a);
const B: Guid = Guid(0x1b);
const AFRESH: &str = "(ports report LIDs that do not fit the LMC; assign LIDs afresh)";

#[test]
fn a_reason_has_words() {
    let leaf = || "leaf 1".to_owned();
    let none = "none of the given root GUIDs is the node GUID of a switch in the fabric";
    for (reason, words) in [
        (RefusalReason::LidDoubled { lid: 7 }, format!("LID 7 is given to two ports {AFRESH}")),
        (
            RefusalReason::LidCircle { lid: 7, switch: leaf() },
            format!(
                "LID 7 is given to two ports, and packets from switch \"leaf 1\" to it would run in a circle, which \
                 OpenSM's dfsssp follows for ever {AFRESH}"
            ),
        ),
        (
            RefusalReason::LmcSet { port: "h1[2]".to_owned(), lmc: 1 },
            "port h1[2] has LMC 1; ftree routes one LID a port only".to_owned(),
        ),
        (
            RefusalReason::SwitchLidsSeveral { switch: leaf() },
            "switch \"leaf 1\" has several LIDs: OpenSM's nue fails there".to_owned(),
        ),
        (RefusalReason::LidsMany, "distances do not fit into 31 bits: too many LIDs".to_owned()),
        (
            RefusalReason::DistanceFar { hops: 9, switch: leaf(), lids: 40_000 },
            "9 hops from the manager's switch \"leaf 1\" times the square of 40000 LIDs is more than a distance can be, \
             2^31 - 2"
                .to_owned(),
        ),
        (RefusalReason::RootsAbsent { given: 3 }, none.to_owned()),
        (
            RefusalReason::RootsUnknown,
            "no root switches given, and none found: no switch has more than nine tenths of the end nodes at one distance \
             and no more than a twentieth at any other"
                .to_owned(),
        ),
        (
            RefusalReason::RootFar { hops: 101, most: 100 },
            "a switch is 101 hops from the nearest root; 100 is the most".to_owned(),
        ),
        (
            RefusalReason::LevelsUnknown,
            "the switches have no levels, as those of a tree have; name the root switches, or use numbered"
                .to_owned(),
        ),
        (
            RefusalReason::LevelsFar { most: 254 },
            "some switches are more than 254 levels up and down from each other; name other root switches, or use numbered"
                .to_owned(),
        ),
        (RefusalReason::LeavesAbsent, "no switch has an end node, so none is a leaf".to_owned()),
        (RefusalReason::TiersAbsent, "no switch has a host, so there is no lowest tier".to_owned()),
        (
            RefusalReason::UnthrottledApart,
            "links that are not throttled do not connect all switches".to_owned(),
        ),
        (
            RefusalReason::TorusLanesFew { needed: 2, lanes: 1, is_around_lost: false },
            "it takes 2 lanes, and links have 1".to_owned(),
        ),
        (
            RefusalReason::TorusLanesFew { needed: 4, lanes: 2, is_around_lost: true },
            "it takes 4 lanes around a lost switch, and links have 2".to_owned(),
        ),
        (
            RefusalReason::LanesExhausted { lanes: 8 },
            "it needs more than the 8 virtual lanes there are to be free of credit loops".to_owned(),
        ),
        (
            RefusalReason::FirstLaneHigh { start: 8, lanes: 4 },
            "the first lane 8 is too high for 4 lanes".to_owned(),
        ),
        (
            RefusalReason::LanesFew { needed: 3, lanes: 2, start: 1 },
            "3 or more lanes are needed, 2 are there from lane 1 on".to_owned(),
        ),
        (
            RefusalReason::TorusUnconfigured,
            "there is no torus configuration with the sizes and a seed".to_owned(),
        ),
        (
            RefusalReason::RingBroken { axis: 'y', across: ['x', 'z'], at: [1, 2] },
            "failures have broken the y ring at x = 1, z = 2 into pieces".to_owned(),
        ),
        (
            RefusalReason::RingSwitchesLost { switches: 2 },
            "2 switches are missing, or were not found: that takes two dimensions longer than 1".to_owned(),
        ),
        (
            RefusalReason::TorusSwitchesLost { switches: 3, such_as: [[0, 1, 2], [3, 4, 5]] },
            "3 switches are missing, such as those at 0,1,2 and 3,4,5: detours are free of credit loops around one, or \
             several with the same x and y"
                .to_owned(),
        ),
        (
            RefusalReason::SwitchLidShared { lid: 7, switches: [leaf(), "leaf 2".to_owned()] },
            "LID 7 is given to two switches, \"leaf 1\" and \"leaf 2\", whose hops OpenSM keeps as one: where its tables \
             lead then is not known (assign LIDs afresh)"
                .to_owned(),
        ),
        (
            RefusalReason::MeshEndless,
            "its mesh analysis finds an axis that leads back along none, and OpenSM never ends there"
                .to_owned(),
        ),
        (
            RefusalReason::FilePortAbsent { lid: 0x2b, guid: A, switch: leaf(), port: 9, ports: 2 },
            "the file sends LID 0x002b of switch 0x000000000000001a \"leaf 1\" to port 9, and the switch has 2"
                .to_owned(),
        ),
    ] {
        assert_eq!(reason.to_string(), words);
    }
}

#[test]
fn what_is_no_tree_has_the_words_that_opensm_logs() {
    for (misfit, words) in [
        (TreeMisfit::SwitchesFew { switches: 1 }, "Fabric has 1 switches - topology is not fat-tree"),
        (
            TreeMisfit::NodesFew { nodes: 3, switches: 2 },
            "Fabric has 3 nodes (2 switches) - topology is not fat-tree",
        ),
        (TreeMisfit::AdaptersFew { adapters: 1 }, "Fabric has 1 CAs - topology is not fat-tree"),
        (
            TreeMisfit::AdaptersJoined { adapters: [A, B] },
            "CA connected directly to another CA: 0x000000000000001a <---> 0x000000000000001b",
        ),
        (TreeMisfit::ComputeNodesAbsent, "Fabric has no valid compute nodes"),
        (TreeMisfit::LeafRangeAbsent, "Failed to find leaf switches - topology is not fat-tree"),
        (TreeMisfit::RootsAlone, "Found more than one root on fabric with maximum rank 0"),
        (
            TreeMisfit::DepthUnfit { levels: 9, least: 2, most: 8 },
            "Fabric rank is 9 (should be between 2 and 8)",
        ),
        (
            TreeMisfit::ComputeNodeMisplaced { port: A, switch: B, rank: 0, leaf_rank: 1 },
            "CN port 0x000000000000001a is connected to switch 0x000000000000001b with rank 0, while FatTree leaf rank is 1",
        ),
        (
            TreeMisfit::SwitchesDiffer {
                count: SwitchCount::UpwardGroups,
                switches: [A, B],
                numbers: [4, 3],
            },
            "Different number of upward port groups on switches: GUID 0x000000000000001a - 4 groups, \
             GUID 0x000000000000001b - 3 groups",
        ),
        (
            TreeMisfit::SwitchesDiffer {
                count: SwitchCount::DownwardGroups,
                switches: [A, B],
                numbers: [4, 3],
            },
            "Different number of downward port groups on switches: GUID 0x000000000000001a - 4 port groups, \
             GUID 0x000000000000001b - 3 port groups",
        ),
        (
            TreeMisfit::SwitchesDiffer { count: SwitchCount::UpwardPorts, switches: [A, B], numbers: [2, 1] },
            "Different number of ports in an upward port group on switches: GUID 0x000000000000001a - 2 ports, \
             GUID 0x000000000000001b - 1 ports",
        ),
        (
            TreeMisfit::SwitchesDiffer {
                count: SwitchCount::DownwardPorts,
                switches: [A, B],
                numbers: [2, 1],
            },
            "Different number of ports in an downward port group on switches: GUID 0x000000000000001a - 2 ports, \
             GUID 0x000000000000001b - 1 ports",
        ),
        (
            TreeMisfit::GuidsAbsent { nodes: NodeList::ComputeNodes },
            "Compute node guids file has no valid guids",
        ),
        (TreeMisfit::GuidsAbsent { nodes: NodeList::IoNodes }, "I/O node guids file has no valid guids"),
    ] {
        assert_eq!(RefusalReason::from(misfit).to_string(), words);
    }
}

#[test]
fn a_misfit_of_a_torus_has_its_line_and_the_text_there() {
    let (switch, sizes) = ("s 1".to_owned(), [4, 3, 1]);
    for (misfit, words) in [
        (
            TorusMisfit::SeedAbsent { line: 2, guid: A, seeds: 1 },
            "line 2: the seed's switch is not in the fabric: 0x000000000000001a",
        ),
        (
            TorusMisfit::SeedAbsent { line: 2, guid: A, seeds: 2 },
            "line 2: no seed has all its switches in the fabric; of the first, this one is not there: \
             0x000000000000001a",
        ),
        (
            TorusMisfit::TorusSmall { line: 1, sizes, switches: 13, positions: 12 },
            "line 1: the fabric has 13 switches, a torus of these sizes 12: 4 x 3 x 1",
        ),
        (
            TorusMisfit::StrayCable {
                line: 1,
                sizes,
                located: 11,
                switches: 12,
                ports: ["a[1]".to_owned(), "b[2]".to_owned()],
            },
            "line 1: 11 of 12 switches find a position, and the cable a[1] -- b[2] joins two that would be no neighbours: \
             4 x 3 x 1",
        ),
        (
            TorusMisfit::CablesMany { line: 5, switch: switch.clone(), cables: 3, most: 2 },
            "line 5: switch \"s 1\" has 3 parallel cables and portgroup_max_ports allows 2",
        ),
        (
            TorusMisfit::HostsMany { line: 5, switch: switch.clone(), hosts: 3, most: 2 },
            "line 5: switch \"s 1\" has 3 hosts, counted with its port 0, and portgroup_max_ports allows 2",
        ),
        (
            TorusMisfit::PortAbsent { line: 6, switch, ports: 8, port: 9 },
            "line 6: switch \"s 1\" has 8 ports only: 9",
        ),
    ] {
        assert_eq!(RefusalReason::from(misfit).to_string(), format!("its configuration: {words}"));
    }
}

#[test]
fn a_refusal_names_its_engine_and_one_of_several_subnets() {
    let refusal = |subnet| Refusal {
        engine: Engine::DfSssp,
        reason: RefusalReason::LanesExhausted { lanes: 1 },
        subnet,
    };
    let lanes = "dfsssp refuses: it needs more than the 1 virtual lanes there are to be free of credit loops";
    assert_eq!(refusal(None).to_string(), lanes);
    assert_eq!(
        refusal(Some("l 1".to_owned())).to_string(),
        format!("{lanes} (in the subnet of switch \"l 1\")")
    );
}

#[test]
fn no_engine_comes_after_one_that_never_ends_or_whose_tables_are_not_known() {
    assert!(RefusalReason::LidCircle { lid: 1, switch: String::new() }.is_last());
    assert!(RefusalReason::MeshEndless.is_last());
    let switches = [String::new(), String::new()];
    assert!(RefusalReason::SwitchLidShared { lid: 1, switches }.is_last());
    assert!(!RefusalReason::LidDoubled { lid: 1 }.is_last());
}
