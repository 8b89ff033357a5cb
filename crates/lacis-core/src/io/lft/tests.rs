//! Promises of the reader and writer of tables. The dumps are what OpenSM 3.3.23 (`-R minhop -l 1`)
//! and infiniband-diags 44 printed for this fabric on ibsim 0.10.

use super::*;
use crate::fabric::NodeId;
use crate::io::NoteKind;
use crate::sm::NO_ENTRY;

const NET: &str = r#"switchguid=0x8f10001(8f10001)
Switch	4 "S-1"		# "leaf 1" enhanced port 0 lid 0 lmc 0
[1]	"H-1"[1](a1) 		# "node1 HCA-1" lid 0 4xHDR
[3]	"S-2"[1]		# "leaf 2" lid 0 4xHDR
[4]	"S-2"[2]		# "leaf 2" lid 0 4xHDR

switchguid=0x8f10002(8f10002)
Switch	4 "S-2"		# "leaf 2" base port 0 lid 0 lmc 0
[1]	"S-1"[3]		# "leaf 1" lid 0 4xHDR
[2]	"S-1"[4]		# "leaf 1" lid 0 4xHDR
[3]	"H-2"[1](b1) 		# "it's" lid 0 4xHDR

caguid=0xa0
Ca	1 "H-1"		# "node1 HCA-1"
[1](a1) 	"S-1"[1]		# lid 0 lmc 0 "leaf 1" lid 0 4xHDR

caguid=0xb0
Ca	2 "H-2"		# "it's"
[1](b1) 	"S-2"[3]		# lid 0 lmc 0 "leaf 2" lid 0 4xHDR
"#;

const OPENSM: &str = "\
Unicast lids [0-7] of switch Lid 4 guid 0x0000000008f10001 ('leaf 1'):
0x0002 001 # Channel Adapter portguid 0x00000000000000a1: 'node1 HCA-1'
0x0003 001 # Channel Adapter portguid 0x00000000000000a1: 'node1 HCA-1'
0x0004 000 # Switch portguid 0x0000000008f10001: 'leaf 1'
0x0005 004 # Switch portguid 0x0000000008f10002: 'leaf 2'
0x0006 003 # Channel Adapter portguid 0x00000000000000b1: 'it's'
0x0007 004 # Channel Adapter portguid 0x00000000000000b1: 'it's'
7 lids dumped
Unicast lids [0-7] of switch Lid 5 guid 0x0000000008f10002 ('leaf 2'):
0x0002 001 # Channel Adapter portguid 0x00000000000000a1: 'node1 HCA-1'
0x0003 002 # Channel Adapter portguid 0x00000000000000a1: 'node1 HCA-1'
0x0004 002 # Switch portguid 0x0000000008f10001: 'leaf 1'
0x0005 000 # Switch portguid 0x0000000008f10002: 'leaf 2'
0x0006 003 # Channel Adapter portguid 0x00000000000000b1: 'it's'
0x0007 003 # Channel Adapter portguid 0x00000000000000b1: 'it's'
7 lids dumped
";

const DUMP_LFTS: &str = "\
Unicast lids [0x0-0x7] of switch DR path slid 0; dlid 0; 0,1,3 guid 0x0000000008f10002 (leaf 2):
  Lid  Out   Destination
       Port     Info 
0x0002 001 : (Channel Adapter portguid 0x00000000000000a1: 'node1 HCA-1')
0x0003 002 : (path #2 out of 2: portguid 0x00000000000000a1)
0x0004 002 : (Switch portguid 0x0000000008f10001: 'leaf 1')
0x0005 000 : (Switch portguid 0x0000000008f10002: 'leaf 2')
0x0006 003 : (Channel Adapter portguid 0x00000000000000b1: 'it's')
0x0007 003 : (path #2 out of 2: portguid 0x00000000000000b1)
6 valid lids dumped 
Unicast lids [0x0-0x7] of switch DR path slid 0; dlid 0; 0,1 guid 0x0000000008f10001 (leaf 1):
  Lid  Out   Destination
       Port     Info 
0x0002 001 : (Channel Adapter portguid 0x00000000000000a1: 'node1 HCA-1')
0x0003 001 : (path #2 out of 2: portguid 0x00000000000000a1)
0x0004 000 : (Switch portguid 0x0000000008f10001: 'leaf 1')
0x0005 004 : (Switch portguid 0x0000000008f10002: 'leaf 2')
0x0006 003 : (Channel Adapter portguid 0x00000000000000b1: 'it's')
0x0007 004 : (path #2 out of 2: portguid 0x00000000000000b1)
6 valid lids dumped 

*** WARNING ***: this command has been replaced by dump_fts


";

/// Ports by switch and LID 0 to 7, read off the dumps by eye.
const PORTS: [[u8; 8]; 2] = [[255, 255, 1, 1, 0, 4, 3, 4], [255, 255, 1, 2, 2, 0, 3, 3]];

fn fabric() -> Fabric {
    crate::io::read(NET.as_bytes()).unwrap().fabric
}

fn check(loaded: &LoadedTables) {
    let f = fabric();
    let Routes { lids, lft, .. } = &loaded.routes;
    for (switch, ports) in f.switches().zip(PORTS) {
        assert_eq!(lft.row(switch), ports);
    }
    assert_eq!((lids.of_switch(&f, NodeId(0)), lids.of_switch(&f, NodeId(1))), (4, 5));
    let host = |n| f.port(NodeId(n), 1).unwrap();
    assert_eq!((lids.base(host(2)), lids.lmc(host(2)), lids.owner(3)), (2, 1, Some(host(2))));
    assert_eq!((lids.base(host(3)), lids.lmc(host(3)), lids.owner(7)), (6, 1, Some(host(3))));
    assert_eq!(loaded.routes.engine_used, crate::sm::Engine::File);
}

#[test]
fn the_dump_of_opensm_is_read() {
    let loaded = read(OPENSM.as_bytes(), &fabric()).unwrap();
    check(&loaded);
    assert_eq!(loaded.notes, []);
}

#[test]
fn the_output_of_dump_lfts_is_read() {
    let loaded = read(DUMP_LFTS.as_bytes(), &fabric()).unwrap();
    check(&loaded);
    assert_eq!(loaded.notes, []);
}

#[test]
fn tables_without_destinations_use_the_lids_of_the_fabric() {
    let bare: Vec<&str> = DUMP_LFTS.lines().map(|l| l.split(" : ").next().unwrap()).collect();
    let bare = bare.join("\r\n");
    let all = bare.replace("0x0002 001", "0x0000 255 \r\n0x0001 255 : (illegal port)\r\n0x0002 001");
    let error = read(all.as_bytes(), &fabric()).unwrap_err();
    assert!(error.reason.contains("cannot decide which port"), "{error}");
    let net = NET
        .replace("\"leaf 1\" enhanced port 0 lid 0", "\"leaf 1\" enhanced port 0 lid 4")
        .replace("\"leaf 2\" base port 0 lid 0", "\"leaf 2\" base port 0 lid 5")
        .replace("# lid 0 lmc 0 \"leaf 1\"", "# lid 2 lmc 1 \"leaf 1\"")
        .replace("# lid 0 lmc 0 \"leaf 2\"", "# lid 6 lmc 1 \"leaf 2\"");
    check(&read(all.as_bytes(), &crate::io::read(net.as_bytes()).unwrap().fabric).unwrap());
}

#[test]
fn what_is_written_is_what_opensm_prints() {
    let f = fabric();
    let routes = read(OPENSM.as_bytes(), &f).unwrap().routes;
    let mut tables: Vec<&str> = OPENSM.split_inclusive("7 lids dumped\n").collect();
    let written = write(&f, &routes).unwrap();
    let mut ours: Vec<&str> = written.split_inclusive("7 lids dumped\n").collect();
    tables.sort_unstable();
    ours.sort_unstable();
    assert_eq!(ours, tables);
}

/// Found by fuzzing: the base LID of a range may have no entry in any table.
#[test]
fn a_range_that_the_file_reports_is_kept_where_its_first_lid_has_no_entry() {
    let net = NET.replace("# lid 0 lmc 0 \"leaf 2\"", "# lid 6 lmc 1 \"leaf 2\"");
    let f = crate::io::read(net.as_bytes()).unwrap().fabric;
    let dump: Vec<&str> = OPENSM.lines().filter(|l| !l.starts_with("0x0006")).collect();
    let routes = read(dump.join("\n").as_bytes(), &f).unwrap().routes;
    let host = f.port(NodeId(3), 1).unwrap();
    assert_eq!((routes.lids.base(host), routes.lids.lmc(host)), (6, 1));
    assert_eq!(read(write(&f, &routes).unwrap().as_bytes(), &f).unwrap().routes, routes);
}

/// Found by fuzzing: a second LID says nothing of the LMC of a port whose first has no entry in any table.
#[test]
fn lids_behind_one_that_is_not_routed_are_not_taken_for_its_ports() {
    let net = NET
        .replace("\"leaf 1\" enhanced port 0 lid 0", "\"leaf 1\" enhanced port 0 lid 4")
        .replace("\"leaf 2\" base port 0 lid 0", "\"leaf 2\" base port 0 lid 5")
        .replace("# lid 0 lmc 0 \"leaf 1\"", "# lid 2 lmc 0 \"leaf 1\"")
        .replace("# lid 0 lmc 0 \"leaf 2\"", "# lid 6 lmc 0 \"leaf 2\"");
    let f = crate::io::read(net.as_bytes()).unwrap().fabric;
    let bare = DUMP_LFTS.lines().map(|l| l.split(" : ").next().unwrap());
    let dump: Vec<&str> = bare.filter(|l| !l.starts_with("0x0002")).collect();
    let routes = read(dump.join("\n").as_bytes(), &f).unwrap().routes;
    let range = |node: u32| {
        let host = f.port(NodeId(node), 1).unwrap();
        (routes.lids.base(host), routes.lids.lmc(host))
    };
    // 2 is not routed, 3 is; 6 and 7 are.
    assert_eq!((range(2), range(3)), ((2, 0), (6, 1)));
    assert_eq!(read(write(&f, &routes).unwrap().as_bytes(), &f).unwrap().routes, routes);
}

#[test]
fn moved_lids_are_noted() {
    let net = NET.replace("# lid 0 lmc 0 \"leaf 1\"", "# lid 9 lmc 0 \"leaf 1\"");
    let loaded = read(OPENSM.as_bytes(), &crate::io::read(net.as_bytes()).unwrap().fabric).unwrap();
    check(&loaded);
    assert_eq!((loaded.notes[0].kind, loaded.notes[0].line), (NoteKind::Disagreement, 2));
}

#[test]
fn the_lid_that_dump_lfts_loses_is_noted() {
    // infiniband-diags 44 on a switch with LIDs 1 to 64 prints [0x0-0x40] and no entry 0x0040.
    let text = DUMP_LFTS.replace("[0x0-0x7]", "[0x0-0x40]");
    let notes = read(text.as_bytes(), &fabric()).unwrap().notes;
    assert_eq!((notes.len(), notes[0].kind, notes[0].count), (1, NoteKind::LostLid, 2));
}

#[test]
fn multicast_tables_and_entries_without_ports_are_ignored() {
    let text = format!(
        "{OPENSM}Multicast mlids [0xc000-0xc3ff] of switch Lid 4 guid 0x1 (x):\n MLid\n0xc000  x x\n3 valid mlids dumped \n"
    );
    let loaded = read(text.as_bytes(), &fabric()).unwrap();
    check(&loaded);
    assert_eq!((loaded.notes.len(), loaded.notes[0].kind), (1, NoteKind::Ignored));
    assert_eq!(loaded.routes.lft.get(NodeId(0), 1), NO_ENTRY);
}

#[test]
fn a_port_that_the_switch_lacks_is_an_entry_whose_packets_are_lost() {
    use crate::fabric::Population;
    use crate::verify::{Verdict, verify};
    // `leaf 1` has four ports, and sends LID 2, of the adapter on its port 1, to port 5. Two adapters with two LIDs each make
    // four pairs; that from the other adapter to LID 2 is lost there.
    let fabric = fabric();
    let text = OPENSM.replacen("0x0002 001", "0x0002 005", 1);
    let routes = read(text.as_bytes(), &fabric).unwrap().routes;
    let verdicts = verify(&fabric, &routes, Population::All, false).verdicts;
    assert_eq!((verdicts.get(Verdict::DeadPort), verdicts.get(Verdict::Delivered)), (1, 3));
    let written = write(&fabric, &routes).unwrap();
    assert_eq!(read(written.as_bytes(), &fabric).unwrap().routes.lft, routes.lft);
}

#[test]
fn bad_dumps_are_refused_with_their_line_and_reason() {
    let half = OPENSM.split_inclusive("dumped\n").next().unwrap();
    let cases: &[(String, Option<usize>, &str)] = &[
        (String::new(), None, "empty"),
        ("hello\n".into(), Some(1), "no forwarding table"),
        (OPENSM.replacen("guid 0x", "0x", 1), Some(1), "without the GUID"),
        (OPENSM.replacen("0000000008f10001 (", "0000000008f10009 (", 1), Some(1), "another fabric"),
        (OPENSM.replace("00000000000000b1", "00000000000000b9"), Some(6), "no port 0x00000000000000b9"),
        (half.into(), None, "no table for switch 0x0000000008f10002"),
        (OPENSM.replacen("0x0002 001", "0x0002 256", 1), Some(2), "bad port"),
        (OPENSM.replacen("0x0002 001", "0x0002", 1), Some(2), "bad port"),
        (OPENSM.replacen("0x0002 001", "0xzz 001", 1), Some(2), "bad LID"),
        (OPENSM.replacen("0x0002 001", "0xc000 001", 1), Some(2), "bad LID"),
        (OPENSM.replacen("0x0003 001", "0x0002 002", 1), Some(3), "sends this LID to port 1 already"),
        (
            OPENSM.replacen("portguid 0x00000000000000a1", "portguid 0x00000000000000b1", 1),
            Some(10),
            "line 2 gives this LID",
        ),
        (
            OPENSM.replace("portguid 0x00000000000000b1", "portguid 0x00000000000000a1"),
            Some(2),
            "not one range",
        ),
        (OPENSM[..OPENSM.len() - 40].into(), Some(9), "truncated"),
        ("0x0002 001\n".into(), Some(1), "outside any table"),
    ];
    for (text, line, reason) in cases {
        let error = read(text.as_bytes(), &fabric()).expect_err(reason);
        assert_eq!(error.line, *line, "{reason}: {error}");
        assert!(error.reason.contains(reason), "{reason}: {error}");
    }
}
