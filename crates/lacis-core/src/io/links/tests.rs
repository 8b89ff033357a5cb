//! Lists of links and nodes. What the real tools print is compared in `tests/oracle/test_readers.py`.

use super::*;
use crate::fabric::{Fabric, FabricPart, NodeId, NodeKind, PhysicalState, PortState, Speed, Width};

const PAIRS: &str = "\
CA     6  1 0x000000000000a001 4x EDR - SW     4  1 0x0000000000000010 ( 'n1's HCA-1' - 'leaf' )
SW     4  1 0x0000000000000010 4x EDR - CA     6  1 0x000000000000a001 ( 'leaf' - 'n1's HCA-1' )
SW     4 36 0x0000000000000010 4x SDR                                    'leaf'
SW     4  3 0x0000000000000010 4x HDR - SW     5  2 0x0000000000000020 ( 'leaf' - 'spine' )
SW     5  2 0x0000000000000020 4x HDR - SW     4  3 0x0000000000000010 ( 'spine' - 'leaf' )
SW     5  3 0x0000000000000020 4x ???                                    spine
RT     9  1 0x000000000000b001 4x EDR - SW     5  1 0x0000000000000020 ( 'gate' - 'spine' )
SW     5  1 0x0000000000000020 4x EDR - RT     9  1 0x000000000000b001 ( 'spine' - 'gate' )
";

const LINES: &str = "\
0x000000000000a001 \"    n1's HCA-1\"   6    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>  0x0000000000000010      4    1[  ] \"leaf\" ( Could be 12X )
0x0000000000000010 \"          leaf\"   4    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>  0x000000000000a001      6    1[  ] \"n1's HCA-1\" ( )
0x0000000000000010 \"          leaf\"   4   36[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )
0x0000000000000010 \"          leaf\"   4    3[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>  0x0000000000000020      5    2[  ] \"spine\" ( )
0x0000000000000020 \"         spine\"   5    2[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>  0x0000000000000010      4    3[  ] \"leaf\" ( )
0x0000000000000020 \"         spine\"   5    3[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )
0x000000000000b001 \"          gate\"   9    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>  0x0000000000000020      5    1[  ] \"spine\" ( )
0x0000000000000020 \"         spine\"   5    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>  0x000000000000b001      9    1[  ] \"gate\" ( )
";

const PLAIN: &str = "\
CA: n1's HCA-1:
      0x000000000000a001      6    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       4    1[  ] \"leaf\" ( )
Switch: 0x0000000000000010 leaf:
           4    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       6    1[  ] \"n1's HCA-1\" ( )
           4    3[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       5    2[  ] \"spine\" ( )
           4   36[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )
Router: gate:
      0x000000000000b001      9    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       5    1[  ] \"spine\" ( )
Switch 0x0000000000000020 spine:
           5    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       9    1[  ] \"gate\" ( )
           5    2[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       4    3[  ] \"leaf\" ( )
           5    3[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )
";

fn fabric(text: &str) -> Fabric {
    assert!(looks_like(text.as_bytes()), "{text}");
    read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}")).fabric
}

/// Cables as `name[port]--name[port] rate`, the lesser end first.
fn cables(f: &Fabric) -> Vec<String> {
    let end = |p| format!("{}[{}]", f.node(f.node_of(p)).description, f.number_of(p));
    let mut all: Vec<String> = f
        .cables()
        .map(|(p, q)| {
            let rates = [p, q].map(|p| f.port_info(p).rate.unwrap().to_string());
            assert_eq!(rates[0], rates[1]);
            let mut ends = [end(p), end(q)];
            ends.sort();
            format!("{} {}", ends.join("--"), rates[0])
        })
        .collect();
    all.sort();
    all
}

#[test]
fn each_form_gives_the_same_fabric() {
    for text in [PAIRS, LINES, PLAIN] {
        let f = fabric(text);
        assert_eq!((f.num_switches(), f.num_nodes()), (2, 4));
        assert_eq!(
            cables(&f),
            ["gate[1]--spine[1] 4xEDR", "leaf[1]--n1's HCA-1[1] 4xEDR", "leaf[3]--spine[2] 4xHDR"]
        );
        let mut names: Vec<_> = f
            .nodes()
            .map(|(n, node)| {
                let end = if f.is_switch(n) { f.port0(n) } else { f.port(n, 1).unwrap() };
                (f.port_info(end).lid, node.guid.0, f.radix(n), f.port_info(end).guid.0)
            })
            .collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [(4, 0x10, 36, 0x10), (5, 0x20, 3, 0x20), (6, 0xa001, 1, 0xa001), (9, 0xb001, 1, 0xb001)]
        );
        // --line has no kinds.
        let router = f.nodes().find(|(_, n)| &*n.description == "gate").unwrap().1;
        assert_eq!(router.kind == NodeKind::Router, text != LINES);
        assert_eq!(&*f.node(NodeId(0)).id, "S-0000000000000010");
        let notes = read(text.as_bytes()).unwrap().notes;
        assert_eq!(notes.iter().map(|n| (n.kind, n.count)).collect::<Vec<_>>(), [(NoteKind::PortGuid, 2)]);
    }
}

#[test]
fn a_line_may_be_shuffled_and_one_end_missing() {
    let mut lines: Vec<&str> = LINES.lines().collect();
    lines.reverse();
    assert_eq!(cables(&fabric(&lines.join("\n"))), cables(&fabric(LINES)));
    // Without the router's own line, only the spine's has its cable.
    let one_sided = PAIRS.replace(PAIRS.lines().nth(6).unwrap(), "");
    let loaded = read(one_sided.as_bytes()).unwrap();
    assert_eq!(loaded.fabric.cables().count(), 3);
    assert!(loaded.notes.iter().any(|n| n.kind == NoteKind::OneSided && n.count == 1));
}

#[test]
fn rates_are_read_from_the_signalling_rate_of_a_lane_or_the_name() {
    for (text, speed) in
        [("2.5", Speed::Sdr), ("10.0", Speed::Qdr), ("14.0625", Speed::Fdr), ("106.25", Speed::Ndr)]
    {
        let f = fabric(&LINES.replace("53.125", text));
        assert!(f.cables().any(|(p, _)| f.port_info(p).rate.unwrap().speed == speed), "{text}");
    }
    // As iblinkinfo prints it, and alone.
    for text in ["10.0 Gbps (FDR10)", "FDR10"] {
        let f = fabric(&LINES.replace("53.125 Gbps", text));
        assert!(f.cables().any(|(p, _)| f.port_info(p).rate.unwrap().speed == Speed::Fdr10), "{text}");
    }
}

#[test]
fn states_and_what_a_link_could_be_are_kept() {
    let text = LINES.replacen("( Could be 12X )", "( Could be 12X Could be 53.125 Gbps)", 1).replacen(
        "25.78125 Gbps Active/  LinkUp)==>  0x000000000000b001",
        "25.78125 Gbps Initialize/  LinkUp)==>  0x000000000000b001",
        1,
    );
    let f = fabric(&text);
    let port = |name: &str, number| {
        let node = f.nodes().find(|(_, node)| &*node.description == name).unwrap().0;
        f.port(node, number).unwrap()
    };
    let at_host = f.port_detail(port("n1's HCA-1", 1));
    let could_be = (at_host.could_be_width.map(Width::lanes), at_host.could_be_speed);
    assert_eq!(could_be, (Some(12), Some(Speed::Hdr)));
    assert_eq!((at_host.state, at_host.physical), (Some(PortState::Active), Some(PhysicalState::LinkUp)));
    let at_spine = port("spine", 1);
    assert_eq!(f.port_detail(at_spine).state, Some(PortState::Initialize));
    assert!(f.port_info(at_spine).inactive && !f.port_info(port("gate", 1)).inactive);
    let free = f.port_detail(port("leaf", 36));
    assert_eq!((free.state, free.physical), (Some(PortState::Down), Some(PhysicalState::Polling)));
    // A link cannot be said to become what it is.
    let same = fabric(&LINES.replacen("Could be 12X", "Could be 4X", 1));
    assert!(
        same.nodes().all(|(n, _)| same.ports_of(n).all(|p| same.port_detail(p).could_be_width.is_none()))
    );
}

#[test]
fn a_list_says_what_it_can_show() {
    let whole = fabric(LINES).coverage();
    assert!(!whole.shows(FabricPart::EndNodeGuids) && whole.shows(FabricPart::BothEndsOfEndNodes));
    // `iblinkinfo --switches-only`: the hosts have no lines.
    let of = |guids: &[&str]| -> String {
        let own = LINES.split_inclusive('\n');
        own.filter(|line| guids.iter().any(|guid| line.starts_with(guid))).collect()
    };
    let switches = fabric(&of(&["0x0000000000000010", "0x0000000000000020"])).coverage();
    assert!(switches.shows(FabricPart::BothEndsOfTrunks) && switches.shows(FabricPart::Cables));
    assert!(!switches.shows(FabricPart::BothEndsOfEndNodes));
    // `iblinkinfo -S GUID`: one of two switches.
    let one = of(&["0x0000000000000010"]).replace("5    2[  ]", "5   12[  ]");
    let one = fabric(&one).coverage();
    let of_switches = [FabricPart::Switches, FabricPart::BothEndsOfTrunks, FabricPart::Cables];
    assert!(!of_switches.iter().any(|&part| one.shows(part)));
    let nodes = fabric("Switch\t : 0x10 ports 36 \"leaf\"\n").coverage();
    assert!(nodes.shows(FabricPart::Switches));
    assert!(!nodes.shows(FabricPart::EndNodes) && !nodes.shows(FabricPart::Cables));
}

#[test]
fn hosts_of_a_plain_list_of_switches_are_known_by_their_lids() {
    // `iblinkinfo --switches-only` prints the blocks of the switches alone, and no GUID of a far end.
    let blocks = PLAIN.split_inclusive('\n');
    let mut is_switch = false;
    let of_switches: String = blocks
        .filter(|line| {
            is_switch = if line.starts_with(' ') { is_switch } else { line.starts_with("Switch") };
            is_switch
        })
        .collect();
    let f = fabric(&of_switches);
    assert_eq!((f.num_switches(), f.num_nodes(), f.cables().count()), (2, 4, 3));
    let hosts: Vec<_> = f
        .nodes()
        .filter(|(_, node)| node.kind != NodeKind::Switch)
        .map(|(n, node)| (node.guid.is_some(), f.port_info(f.port(n, 1).unwrap()).lid))
        .collect();
    assert_eq!(hosts, [(false, 6), (false, 9)]);
    assert!(!f.coverage().shows(FabricPart::BothEndsOfEndNodes) && f.coverage().shows(FabricPart::Cables));
    // Of one switch alone (`-S GUID`), the other is known by its LID.
    let leaf = of_switches.lines().take(4).collect::<Vec<_>>().join("\n");
    assert_eq!(fabric(&leaf).cables().count(), 2);
}

#[test]
fn a_loopback_plug_is_remarked_on() {
    let own = PAIRS
        .lines()
        .nth(3)
        .unwrap()
        .replace("SW     5  2 0x0000000000000020", "SW     4  3 0x0000000000000010");
    let others = PAIRS.lines().filter(|line| !line.contains("HDR"));
    let text = others.chain([&*own]).collect::<Vec<_>>().join("\n");
    let loaded = read(text.as_bytes()).unwrap();
    assert_eq!(loaded.fabric.cables().count(), 2);
    assert!(loaded.notes.iter().any(|n| n.kind == NoteKind::LoopbackPlug && n.count == 1));
}

#[test]
fn a_list_of_nodes_names_no_cables() {
    let text = "Ca\t : 0x000000000000a000 ports 2 devid 0x1003 vendid 0x2c9 \"n1 HCA-1\"\n\
                Switch\t : 0x0000000000000010 ports 36 devid 0xcb20 vendid 0x2c9 \"leaf \"quoted\"\"\n\
                Switch\t: 0x0000000000000020 ports 36 \"spine\" enhanced port 0 lid 3 lmc 0\n\
                Router\t : 0x000000000000b000 ports 1 devid 0x1003 vendid 0x2c9 \"gate\"\n";
    let loaded = read(text.as_bytes()).unwrap();
    let f = &loaded.fabric;
    assert_eq!((f.num_switches(), f.num_nodes(), f.cables().count()), (2, 4, 0));
    let names: Vec<_> = f.nodes().map(|(_, n)| &*n.description).collect();
    assert_eq!(names, ["leaf \"quoted\"", "spine", "n1 HCA-1", "gate"]);
    assert_eq!(
        (f.node(NodeId(0)).device, f.radix(NodeId(2)), f.port_info(f.port0(NodeId(1))).lid),
        (0xcb20, 2, 3)
    );
    assert_eq!((loaded.notes[0].kind, loaded.notes[0].count), (NoteKind::NoCables, 4));
}

#[test]
fn bad_lists_are_refused_with_their_line_and_reason() {
    let pairs: Vec<&str> = PAIRS.lines().collect();
    let cases = [
        (pairs[0][..40].to_string(), 1, "not KIND LID PORT GUID at the far end"),
        (pairs[0][..30].to_string(), 1, "GUID"),
        (pairs[0].replace("'leaf' )", ""), 1, "looks cut"),
        (format!("{PAIRS}{}", pairs[0].replace("4  1 0x", "4  2 0x")), 9, "appears twice, first on line 1"),
        (
            PAIRS.replace(
                "CA     6  1 0x000000000000a001 4x EDR - SW     4  1",
                "CA     6  1 0x000000000000a001 4x EDR - SW     4  3",
            ),
            2,
            "already has a cable",
        ),
        (pairs[0].replace(" 4  1 0x", " 4  0 0x"), 1, "no port 0"),
        (pairs[0].replace("CA     6", "CA 65000"), 1, "no unicast LID"),
        (format!("{}\n{}", pairs[1], pairs[1].replace("SW     4  1", "CA     4  2")), 2, "another kind"),
        (PLAIN.lines().skip(1).collect::<Vec<_>>().join("\n"), 1, "below no heading"),
        (PLAIN.replace("Router: gate:\n", ""), 7, "another node than its heading's"),
        (
            PLAIN.lines().skip(2).collect::<Vec<_>>().join("\n").replace("6    1[", "0    1["),
            2,
            "neither a GUID nor a LID",
        ),
        (LINES[..125].to_string(), 1, "looks cut"),
        (LINES[..LINES.find("leaf\" ( ").unwrap()].to_string(), 1, "ends in the middle of this line"),
        (LINES[..LINES.find(" \"leaf\" ( ").unwrap()].to_string(), 1, "looks cut"),
        (pairs[2][..37].to_string(), 1, "no 'name' at the end"),
        (pairs[2][..pairs[2].len() - 3].to_string(), 1, "no 'name' at the end"),
        ("Switch\t : 0x10 ports 36 devid 0xcb20 vendid 0x2c9 \"leaf".to_string(), 1, "looks cut"),
        ("Switch\t : 0x10 ports 300 \"leaf\"".to_string(), 1, "1 to 254"),
    ];
    for (text, line, reason) in cases {
        let error = read(text.as_bytes()).unwrap_err();
        assert_eq!(error.line, Some(line), "{error}\n{text}");
        assert!(error.reason.contains(reason), "{error}\n{text}");
    }
}
