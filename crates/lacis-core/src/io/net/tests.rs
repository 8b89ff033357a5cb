//! Promises of the reader and writer, on texts written by hand.

use super::*;
use crate::fabric::{Guid, NodeId, NodeKind};
use crate::io::NoteKind;

/// Two switches with two cables, and a host.
const SMALL: &str = "\
Switch\t4 \"S-1\"\t\t# \"leaf\" enhanced port 0 lid 3 lmc 0
[1]\t\"H-1\"[1](a1) \t\t# \"node1 HCA-1\" lid 4 4xHDR
[3]\t\"S-2\"[1]\t\t# \"spine\" lid 5 4xNDR
[4]\t\"S-2\"[2]\t\t# \"spine\" lid 5 4xNDR

Switch\t4 \"S-2\"\t\t# \"spine\" base port 0 lid 5 lmc 0
[1]\t\"S-1\"[3]\t\t# \"leaf\" lid 3 4xNDR
[2]\t\"S-1\"[4]\t\t# \"leaf\" lid 3 2xNDR

caguid=0xa0
Ca\t1 \"H-1\"\t\t# \"node1 HCA-1\"
[1](a1) \t\"S-1\"[1]\t\t# lid 4 lmc 2 \"leaf\" lid 3 4xHDR
";

fn fabric(text: &str) -> crate::fabric::Fabric {
    read(text.as_bytes()).unwrap().fabric
}

#[test]
fn a_small_fabric_is_read_exactly() {
    let f = fabric(SMALL);
    assert_eq!((f.num_switches(), f.num_nodes(), f.cables().count()), (2, 3, 3));
    let host = f.port(NodeId(2), 1).unwrap();
    let info = f.port_info(host);
    assert_eq!((info.guid, info.lid, info.lmc), (Guid(0xa1), 4, 2));
    assert_eq!(info.rate.unwrap().to_string(), "4xHDR");
    assert_eq!(f.port_name(f.peer(host).unwrap()), "\"leaf\"[1]");
    assert_eq!(f.port_info(f.port0(NodeId(0))).lid, 3);
    assert!(f.node(NodeId(0)).enhanced_port0 && !f.node(NodeId(1)).enhanced_port0);
    // The two ends of the second cable disagree on the width; each keeps its own.
    let near = f.port(NodeId(0), 4).unwrap();
    assert_eq!(f.port_info(near).rate.unwrap().to_string(), "4xNDR");
    assert_eq!(f.port_info(f.peer(near).unwrap()).rate.unwrap().to_string(), "2xNDR");
}

#[test]
fn windows_line_ends_and_missing_comments_change_nothing() {
    assert_eq!(fabric(&SMALL.replace('\n', "\r\n")), fabric(SMALL));
    let bare = fabric("Switch 8 \"S1\"\n[1] \"H1\"[2]\n\nHca 2 \"H1\"\n[2]\t\"S1\"[1] w=4 s=2\n");
    assert_eq!((bare.num_nodes(), bare.cables().count()), (2, 1));
    assert_eq!(&*bare.node(NodeId(0)).description, "S1");
}

#[test]
fn what_terminals_and_editors_do_to_a_dump_is_read_and_counted() {
    let whole = fabric(SMALL);
    let untabbed = SMALL.replace('\t', "");
    assert!(untabbed.starts_with("Switch4 \"S-1\"# \"leaf\""));
    let cases: &[(String, NoteKind, usize)] = &[
        (SMALL.replace('\n', "\r\n"), NoteKind::CarriageReturn, 12),
        // Two line ends are one run.
        (SMALL.replace('\n', "\r"), NoteKind::CarriageReturn, 10),
        (SMALL.replace('\n', "\r\r\n"), NoteKind::CarriageReturn, 12),
        (format!("\u{feff}{SMALL}"), NoteKind::Encoding, 1),
        (untabbed, NoteKind::LostTabs, 3),
        (format!("[root@sm01 ~]# ibnetdiscover\n{SMALL}[root@sm01 ~]# "), NoteKind::UnknownLine, 2),
        (format!("root@sm01:~# ibnetdiscover\n{SMALL}\nroot@sm01:~# exit\n"), NoteKind::UnknownLine, 2),
        (
            format!(
                "Script started on 2024-05-02 11:08:13+02:00 [TERM=\"xterm\" TTY=\"/dev/pts/1\" COLUMNS=\"80\"]\n{SMALL}\
                 \nScript done on 2024-05-02 11:08:40+02:00 [COMMAND_EXIT_CODE=\"0\"]\n"
            ),
            NoteKind::UnknownLine,
            2,
        ),
        (
            format!("=~=~=~=~= PuTTY log 2024.05.02 11:08:13 =~=~=~=~=\n{SMALL}\n\n  \n"),
            NoteKind::UnknownLine,
            1,
        ),
    ];
    for (text, kind, count) in cases {
        let loaded = read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert_eq!(loaded.fabric, whole, "{text}");
        let counted: Vec<_> = loaded.notes.iter().map(|n| (n.kind, n.count)).collect();
        assert_eq!(counted, [(*kind, *count)], "{text}");
    }
    // A terminal turns tabs into blanks; nothing is lost.
    let blanks = read(SMALL.replace('\t', "        ").as_bytes()).unwrap();
    assert_eq!((blanks.fabric, blanks.notes), (whole, vec![]));
}

#[test]
fn chips_that_report_their_chassis_guid_keep_their_own() {
    // A director's chips share the first GUID; name and parentheses have the chip's.
    let text = "sysimgguid=0x2c900a0\nswitchguid=0x2c900a0(2c90001)\n\
                Switch\t4 \"S-0000000002c90001\"\t\t# \"MF0;d1:CS7500/L01/U1\" enhanced port 0 lid 3 lmc 0\n\
                [1]\t\"S-0000000002c90002\"[1]\t\t# \"MF0;d1:CS7500/S01/U1\" lid 4 4xEDR\n\n\
                sysimgguid=0x2c900a0\nswitchguid=0x2c900a0(2c90002)\n\
                Switch\t4 \"S-0000000002c90002\"\t\t# \"MF0;d1:CS7500/S01/U1\" enhanced port 0 lid 4 lmc 0\n\
                [1]\t\"S-0000000002c90001\"[1]\t\t# \"MF0;d1:CS7500/L01/U1\" lid 3 4xEDR\n";
    let loaded = read(text.as_bytes()).unwrap();
    let f = &loaded.fabric;
    let guids: Vec<_> =
        f.nodes().map(|(id, n)| (n.guid.0, n.system_guid.0, f.port_info(f.port0(id)).guid.0)).collect();
    assert_eq!(guids, [(0x2c9_0001, 0x2c9_00a0, 0x2c9_0001), (0x2c9_0002, 0x2c9_00a0, 0x2c9_0002)]);
    let notes: Vec<_> = loaded.notes.iter().map(|n| (n.kind, n.line, n.count)).collect();
    assert_eq!(notes, [(NoteKind::SystemGuid, 3, 2)]);
    assert_eq!(&fabric(&write(f)), f);
    // A port GUID that the name does not repeat is only that of port 0.
    let other = fabric(&text.replace("S-0000000002c9000", "S-000000000000000"));
    assert!(other.nodes().all(|(_, n)| n.guid == Guid(0x2c9_00a0)));
}

#[test]
fn two_dumps_in_one_file_are_counted_and_cut_ones_refused() {
    let dump =
        |text: &str| format!("#\n# Topology file: generated on Tue Feb 23 14:02:06 2021\n#\n\n{text}\n");
    let other = SMALL.replace("\"S-", "\"S-5").replace("\"H-1", "\"H-5").replace("a1", "a5");
    let loaded = read((dump(SMALL) + &dump(&other)).as_bytes()).unwrap();
    assert_eq!((loaded.fabric.num_nodes(), loaded.fabric.cables().count()), (6, 6));
    let notes: Vec<_> = loaded.notes.iter().map(|n| (n.kind, n.line, n.count)).collect();
    assert_eq!(notes, [(NoteKind::Joined, 4 + 12 + 1 + 2, 1)]);
    // Taken a second time, after a switch got another LID.
    let later = SMALL.replace("lid 5 lmc 0", "lid 6 lmc 0");
    let error = read((dump(SMALL) + &dump(&later)).as_bytes()).unwrap_err();
    assert!(error.to_string().contains("is described differently on line 10"), "{error}");
    let cut = SMALL.find("Ca\t1").unwrap();
    let error = read(&SMALL.as_bytes()[..cut]).unwrap_err();
    assert_eq!((error.line, error.text.as_str()), (Some(10), "caguid=0xa0"));
    let rateless = read(SMALL.replacen(" 4xHDR", "", 1).as_bytes()).unwrap();
    assert_eq!(
        (rateless.notes[0].kind, rateless.notes[0].line, rateless.notes.len()),
        (NoteKind::NoRate, 2, 1)
    );
}

#[test]
fn nodes_without_guid_lines_are_numbered_as_ibsim_does() {
    // Printed by ibnetdiscover on ibsim 0.10 for this very net file.
    let f = fabric(
        "Switch 8 \"Switch1\"\n[1] \"Hca1\"[1]\n[2] \"Hca2\"[2]\n[3] \"Switch2\"[3]\n[4] \"R1\"[1]\n\n\
         Switch 8 \"Switch2\"\n[3] \"Switch1\"[3]\n[4] \"Hca3\"[1]\n\n\
         Hca 2 \"Hca1\"\n[1] \"Switch1\"[1]\n\nHca 2 \"Hca2\"\n[2] \"Switch1\"[2]\n\n\
         Rt 1 \"R1\"\n[1] \"Switch1\"[4]\n\ncaguid=0x500\nCa 2 \"Hca3\"\n[1] \"Switch2\"[4]\n",
    );
    let guids: Vec<u64> = f.nodes().map(|(_, n)| n.guid.0).collect();
    assert_eq!(guids, [0x20_0000, 0x20_0001, 0x10_0000, 0x10_0003, 0, 0x500]);
    let port = |node, number| f.port_info(f.port(NodeId(node), number).unwrap()).guid.0;
    assert_eq!((port(2, 1), port(3, 2), port(4, 1), port(5, 1)), (0x10_0001, 0x10_0005, 1, 0x501));
    assert_eq!(fabric("Switch 2 \"S-0002c90000000077\"\n").node(NodeId(0)).guid, Guid(0x0002_c900_0000_0077));
}

#[test]
fn one_sided_cables_are_kept_and_marked() {
    let text = SMALL.replace("[1]\t\"S-1\"[3]\t\t# \"leaf\" lid 3 4xNDR\n", "");
    let loaded = read(text.as_bytes()).unwrap();
    let f = &loaded.fabric;
    let listed = f.port(NodeId(0), 3).unwrap();
    assert!(f.port_info(listed).listed && !f.port_info(f.peer(listed).unwrap()).listed);
    assert_eq!(loaded.notes.len(), 1);
    assert_eq!((loaded.notes[0].kind, loaded.notes[0].line), (NoteKind::OneSided, 3));
    assert_eq!(&fabric(&write(f)), f);
}

#[test]
fn a_host_known_from_its_switch_alone_keeps_guid_and_lid() {
    let (_, tail) = SMALL.split_once("[1](a1) \t\"S-1\"").unwrap();
    let f = fabric(&SMALL.replace(&format!("[1](a1) \t\"S-1\"{tail}"), ""));
    let info = f.port_info(f.port(NodeId(2), 1).unwrap());
    assert_eq!((info.guid, info.lid, info.listed, info.rate), (Guid(0xa1), 4, false, None));
}

#[test]
fn chassis_positions_and_external_ports_are_understood() {
    let loaded = read(
        b"\nChassis 2 (guid 0x8f100)\n\n# Spine Nodes\nvendid=0x8f1\ndevid=0x5a40\nsysimgguid=0x8f100\t\t# Chassis 2\n\
          switchguid=0x8f101(8f101)\t# ISR9288 Spine 3 Chip 1\nSwitch\t24 \"S-8f101\"\t\t# \"s\" base port 0 lid 6 lmc 0\n\
          [13][ext 5]\t\"S-8f102\"[7][ext 8]\t\t# \"l\" lid 7 4xDDR s=2 w=2 v=4\n\n# Line Nodes\n\
          switchguid=0x8f102(8f102)\t# ISR9288 Line 1 Chip 2\nSwitch\t24 \"S-8f102\"\t\t# \"l\" base port 0 lid 7 lmc 0\n\
          [7][ext 8]\t\"S-8f101\"[13][ext 5]\t\t# \"s\" lid 6 4xDDR s=2 w=2 v=4\n\nNon-Chassis Nodes\n\n\
          switchguid=0x8f103(8f103)\t# \nSwitch\t24 \"S-8f103\"\t\t# \"x\" base port 0 lid 9 lmc 0\n",
    )
    .unwrap();
    let chassis =
        |n| loaded.fabric.node(NodeId(n)).chassis.clone().map(|c| (c.number, c.position.to_string()));
    assert_eq!(chassis(0), Some((2, "ISR9288 Spine 3 Chip 1".into())));
    assert_eq!(chassis(1), Some((2, "ISR9288 Line 1 Chip 2".into())));
    assert_eq!(chassis(2), None);
    assert_eq!(loaded.notes, []);
    assert_eq!(fabric(&write(&loaded.fabric)), loaded.fabric);
}

#[test]
fn descriptions_may_hold_quotes_and_foreign_bytes() {
    let text = SMALL.replace("\"leaf\"", "\"a \"b\" # lid 9\"");
    assert_eq!(&*fabric(&text).node(NodeId(0)).description, "a \"b\" # lid 9");
    let mut bytes = SMALL.as_bytes().to_vec();
    let at = SMALL.find("leaf").unwrap();
    bytes[at] = 0xe9;
    let loaded = read(&bytes).unwrap();
    assert_eq!(&*loaded.fabric.node(NodeId(0)).description, "\u{fffd}eaf");
    assert_eq!(loaded.notes[0].kind, NoteKind::NotText);
}

#[test]
fn aggregation_nodes_are_a_separate_kind() {
    for text in ["Mellanox Technologies Aggregation Node", "Quantum aggregation node"] {
        let f = fabric(&SMALL.replace("node1 HCA-1", text));
        assert_eq!(f.node(NodeId(2)).kind, NodeKind::Aggregation, "{text}");
    }
}

#[test]
fn joined_files_are_read_once_and_contradictions_refused() {
    let twice = format!("{SMALL}\n{SMALL}");
    let loaded = read(twice.as_bytes()).unwrap();
    assert_eq!(loaded.fabric, fabric(SMALL));
    assert_eq!((loaded.notes[0].kind, loaded.notes[0].count), (NoteKind::Repeated, 3 + 6));
    let moved = format!(
        "{SMALL}\n{}",
        SMALL.replace("\"S-1\"[4]\t\t# \"leaf\" lid 3 2x", "\"S-1\"[4]\t\t# \"leaf\" lid 3 1x")
    );
    let error = read(moved.as_bytes()).unwrap_err();
    assert_eq!(error.line, Some(8 + 13), "{error}");
    assert!(error.reason.contains("appears twice, first on line 8"), "{error}");
}

#[test]
fn unknown_lines_are_counted() {
    let loaded = read(format!("hello\n{SMALL}\nworld\n").as_bytes()).unwrap();
    assert_eq!((loaded.notes[0].line, loaded.notes[0].count, loaded.notes[0].text.as_str()), (1, 2, "hello"));
    assert_eq!(loaded.notes[0].to_string(), "line 1: unknown line, skipped: hello (and 1 more)");
}

#[test]
fn bad_input_is_refused_with_its_line_and_reason() {
    let sw = "Switch 4 \"S-1\"\n";
    let two = "Switch 4 \"S-1\"\n[1] \"S-2\"[1]\n\nSwitch 4 \"S-2\"\n";
    let cases: &[(&str, Option<usize>, &str)] = &[
        ("", None, "empty"),
        ("\n \n", None, "empty"),
        ("hello\n", Some(1), "no node found"),
        ("a\0b\n", Some(1), "binary"),
        ("<?xml version=\"1.0\"?>\n", Some(1), "XML"),
        ("Unicast lids [0-5] of switch\n", Some(1), "forwarding tables"),
        ("[1] \"S-1\"[1]\n", Some(1), "outside any node"),
        ("Switch x \"S-1\"\n", Some(1), "number of ports"),
        ("Switch 0 \"S-1\"\n", Some(1), "1 to 254"),
        ("Switch 255 \"S-1\"\n", Some(1), "1 to 254"),
        ("Switch 4 S-1\n", Some(1), "quoted identifier"),
        ("Switch 4 \"\"\n", Some(1), "an identifier is 1 to"),
        ("Switch 4 \"S-1\" # \"cut\n", Some(1), "closing quote"),
        ("Switch 4 \"S-1\" # \"a\" base port 0 lid x\n", Some(1), "bad LID"),
        ("Switch 4 \"S-1\" # \"a\" base port 0 lid 49152\n", Some(1), "bad LID"),
        ("Switch 4 \"S-1\" # \"a\" base port 0 lid 5 lmc 8\n", Some(1), "bad LMC"),
        ("switchguid=0xzz\nSwitch 4 \"S-1\"\n", Some(1), "bad node GUID"),
        ("switchguid=0x1(g)\nSwitch 4 \"S-1\"\n", Some(1), "bad port GUID"),
        ("vendid=0x1ffffffff\nSwitch 4 \"S-1\"\n", Some(1), "bad vendor id"),
        ("include \"other.net\"\n", Some(1), "join the files"),
        (&format!("{sw}[5] \"S-2\"[1]\n"), Some(2), "\"S-1\" has 4 ports, so no port 5"),
        (&format!("{sw}[0] \"S-2\"[1]\n"), Some(2), "port 0"),
        (&format!("{sw}[1 \"S-2\"\n"), Some(2), "bad port number"),
        (&format!("{sw}[1] \"S-2\n"), Some(2), "quoted peer"),
        (&format!("{sw}[1](xyz) \"S-2\"[1]\n"), Some(2), "bad port GUID"),
        (&format!("{sw}[1] \"S-9\"[1]\n"), Some(2), "\"S-9\" is never defined"),
        (&format!("{sw}[1] \"S-8\"[1]\n[2] \"S-9\"[1]\n"), Some(2), "2 peers are not, 1 node is"),
        (&format!("{sw}[1] \"S-2\"[1]\n[1] \"S-2\"[1]\n"), Some(3), "appears twice, first on line 2"),
        (&format!("{sw}\nSwitch 8 \"S-1\"\n"), Some(3), "described differently on line 1"),
        (&two.replace("[1]\n\n", "[9]\n\n"), Some(2), "\"S-2\" has 4 ports, so no port 9"),
        (&format!("{two}[1] \"S-1\"[2]\n"), Some(5), "port 1 of \"S-2\" has another cable on line 2"),
        (&two.replace("[1]\n\n", "[1] # \"a\" lid 1 4xFOO\n\n"), Some(2), "unknown link width or speed"),
        (&two.replace("[1]\n\n", "[1] # \"a\" lid 1 3xHDR\n\n"), Some(2), "unknown link width or speed"),
        (&two.replace("[1]\n\n", "[1] # lid 1 lmc 8 \"a\" lid 1 4xHDR\n\n"), Some(2), "bad LMC"),
    ];
    for (text, line, reason) in cases {
        let error = read(text.as_bytes()).expect_err(text);
        assert_eq!(error.line, *line, "{text:?}: {error}");
        assert!(error.reason.contains(reason), "{text:?}: {error}");
    }
}

#[test]
fn what_is_wrong_far_along_a_line_is_quoted_itself() {
    let name = "x".repeat(90);
    let port = |comment: &str| format!("Switch 4 \"S-1\"\n[1] \"S-2\"[1] # {comment}\n\nSwitch 4 \"S-2\"\n");
    for (text, quoted) in [
        (format!("Switch 4 \"S-1\" # \"{name}\" enhanced port 0 lid 49152 lmc 0\n"), "49152"),
        (format!("Switch 4 \"S-1\" # \"{name}\" enhanced port 0 lid 5 lmc 8\n"), "8"),
        (port(&format!("\"{name}\" lid 70000 4xHDR")), "70000"),
        (port(&format!("\"{name}\" lid 1 4xFOO")), "4xFOO"),
        (port("lid x lmc 0"), "x"),
        (port("lid 1 lmc 9"), "9"),
    ] {
        assert_eq!(read(text.as_bytes()).unwrap_err().text, quoted, "{text}");
    }
}

#[test]
fn a_file_cut_anywhere_is_refused_or_complete() {
    let whole = fabric(SMALL);
    // From the second line on: a switch alone is a fabric.
    for end in SMALL.find("[1]").unwrap() + 1..SMALL.len() {
        match read(&SMALL.as_bytes()[..end]) {
            Ok(loaded) if end == SMALL.len() - 1 => assert_eq!(loaded.fabric, whole),
            // The last block's whole port line is missing: the switch's line still has it.
            Ok(loaded) => assert_eq!(
                loaded.notes.first().map(|n| n.kind),
                Some(NoteKind::OneSided),
                "{}",
                &SMALL[..end]
            ),
            Err(error) => assert!(!error.reason.is_empty()),
        }
    }
}

#[test]
fn a_long_line_is_refused_at_once() {
    let mut text = SMALL.as_bytes().to_vec();
    text.resize(100_000_000, b'x');
    let error = read(&text).unwrap_err();
    assert_eq!(error.line, Some(13));
    assert!(error.text.len() < 200);
}

#[test]
fn writing_and_reading_again_gives_the_same_fabric() {
    let f = fabric(SMALL);
    assert_eq!(fabric(&write(&f)), f);
}

#[test]
fn for_ibsim_speeds_are_capped_and_both_ends_written() {
    let text = SMALL.replace("[1]\t\"S-1\"[3]\t\t# \"leaf\" lid 3 4xNDR\n", "");
    let out = write_with(&fabric(&text), WriteOptions { for_ibsim: true });
    assert!(!out.contains("NDR"));
    let f = fabric(&out);
    assert!(f.cables().all(|(a, b)| f.port_info(a).listed && f.port_info(b).listed));
}

#[test]
fn only_a_switch_has_an_enhanced_port_0() {
    // Found by fuzzing: a description that goes on after a quote, on a host.
    let text =
        "Ca\t2 \"H-1\"\t\t# \"a\" enhanced port 0\n[1]\t\"S-2\"[1]\n\nSwitch\t2 \"S-2\"\n[1]\t\"H-1\"[1]\n";
    let f = fabric(text);
    assert!(f.nodes().all(|(_, n)| !n.enhanced_port0));
    assert_eq!(fabric(&write(&f)), f);
}

#[test]
fn a_description_has_one_limit_however_it_is_written() {
    // Found by fuzzing: a bare description could be longer than a quoted one.
    for (length, fits) in [(4096, true), (4097, false)] {
        for quote in ["", "\""] {
            let text = format!(
                "Switch\t2 \"S-2\"\t\t# {quote}{}{quote} base port 0 lid 1 lmc 0\n",
                "a".repeat(length)
            );
            assert_eq!(read(text.as_bytes()).is_ok(), fits, "{length} {quote}");
        }
    }
}

#[test]
fn a_dump_of_ibnetdiscover_says_when_it_was_made() {
    let header = "#\n# Topology file: generated on Tue Feb 23 14:02:06 2021\n#\n\nSwitch 2 \"S-1\"\n";
    assert_eq!(time_of(header.as_bytes()).as_deref(), Some("Tue Feb 23 14:02:06 2021"));
    assert_eq!(time_of(header.replace('\n', "\r\n").as_bytes()).as_deref(), Some("Tue Feb 23 14:02:06 2021"));
    for other in
        ["", "#\n# Topology file: written by Lacis\n", "Switch 2 \"S-1\"\n# Topology file: generated on x"]
    {
        assert_eq!(time_of(other.as_bytes()), None);
    }
}

#[test]
fn a_dump_cut_in_the_middle_of_a_line_is_refused_and_says_so() {
    let whole = "Switch\t2 \"S-1\"\t\t# \"leaf\" base port 0 lid 3 lmc 0\n[1]\t\"H-2\"[1](2)\t\t# \"n1\" lid 4 4xNDR\n\n\
                 vendid=0x2c9\nCa\t1 \"H-2\"\t\t# \"n1\"\n[1](2)\t\"S-1\"[1]\t\t# lid 4 lmc 0 \"leaf\" lid 3 4xNDR\n";
    assert!(read(whole.as_bytes()).is_ok());
    let cut = "the file ends in the middle of this line and looks truncated: ";
    // Behind which text it ends, the line at fault, and what is said of it.
    for (end, line, reason) in [
        ("[1](2)\t\"S-", 6, "a port line without a quoted peer"),
        ("[1](2)\t\"S-1\"[1]", 6, "a port line without the rate that others have"),
        ("lmc 0 \"leaf\" lid 3 4xND", 6, "unknown link width or speed"),
        ("\nCa\t1 \"H-2\"\t\t# \"n", 5, "a description without its closing quote"),
        ("\nCa\t1 \"H-2\"", 5, "a node line without its ports"),
        ("\nvendid=0x2", 4, "no node line follows these lines"),
    ] {
        let text = &whole[..whole.find(end).unwrap() + end.len()];
        let error = read(text.as_bytes()).unwrap_err();
        assert_eq!(error.line, Some(line), "{error}");
        assert!(error.reason.starts_with(&format!("{cut}{reason}")), "{error}");
        // With its end the same line is bad, but the file is not cut there.
        if let Err(error) = read(format!("{text}\n").as_bytes()) {
            assert!(!error.reason.contains(cut), "{error}");
        }
    }
    let error = read(&whole.as_bytes()[..whole.find("did=").unwrap()]).unwrap_err();
    assert_eq!(error.line, Some(2), "the peer is never defined");
    assert!(error.reason.ends_with("looks truncated, as it ends in the middle of line 4"), "{error}");
}

#[test]
fn a_port_with_a_loopback_plug_is_remarked_on_and_has_no_cable() {
    let text = "Switch 4 \"S-1\"\n[1] \"S-2\"[1]\n[3] \"S-1\"[3]\n\nSwitch 4 \"S-2\"\n[1] \"S-1\"[1]\n";
    let loaded = read(text.as_bytes()).unwrap();
    assert_eq!(loaded.fabric.cables().count(), 1);
    let notes: Vec<_> = loaded.notes.iter().map(|n| (n.kind, n.line, n.count)).collect();
    assert_eq!(notes, [(NoteKind::LoopbackPlug, 3, 1)]);
    // Another cable to that port contradicts nothing that the plug says, but is one that the port's own line lacks.
    let both = format!("{text}[2] \"S-1\"[3]\n");
    assert_eq!(read(both.as_bytes()).unwrap().fabric.cables().count(), 2);
}
