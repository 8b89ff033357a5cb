use super::*;
use crate::fabric::{NodeKind, PortId};
use crate::generate::{edit, generate};
use crate::io::{self, NoteKind};
use crate::routing::omnipath::port_groups::port_groups;
use crate::routing::{self, Options, Sweep};
use crate::sm::lids::{LidOptions, Lids};
use crate::sm::{Engine, Routes};

/// A fabric's tables, and its snapshot.
fn written(fabric: &Fabric, engine: Engine, lmc: u8) -> (Routes, PortGroups, String) {
    let sm = Lids::default_sm(fabric).unwrap();
    let options = LidOptions { lmc, ..LidOptions::default() };
    let lids = Lids::assign_omni_path(fabric, sm, &options).unwrap();
    let options = Options::default();
    let routes = routing::route(fabric, lids, &[engine], &options).unwrap();
    let groups = port_groups(&Sweep::first(fabric, &routes.lids, &options), engine);
    let options = WriteOptions { unixtime: 1_700_000_000, groups: Some(&groups), ..WriteOptions::default() };
    let text = write(fabric, &routes, &options).unwrap().collect();
    (routes, groups, text)
}

#[test]
fn what_is_written_reads_as_it_was() {
    for (spec, lmc) in [("article", 0), ("fat-tree:8,2:rate=4xOPA100", 2), ("fat-tree:6,3", 1)] {
        let fabric = generate(spec).unwrap();
        for engine in [Engine::ShortestPath, Engine::FatTree, Engine::DgShortestPath] {
            let (routes, groups, text) = written(&fabric, engine, lmc);
            let loaded = io::read(text.as_bytes()).unwrap();
            assert_eq!(loaded.notes, [], "{spec}");
            let read = &loaded.fabric;
            assert_eq!((read.num_switches(), read.num_nodes()), (fabric.num_switches(), fabric.num_nodes()));
            assert_eq!(read.cables().count(), fabric.cables().count());
            assert!(read.is_omni_path(), "{spec}");
            let tables = io::read_tables(text.as_bytes(), read).unwrap().routes;
            // GUIDs of generated nodes count up, so that both have them in one order.
            assert_eq!(tables.lft, routes.lft, "{spec} {engine}");
            assert_eq!(tables.lids.assigned().len(), routes.lids.assigned().len());
            assert_eq!(
                tables.lids.manager().map(|p| read.port_info(p).lid),
                Some(routes.lids.base(routes.lids.manager().unwrap()))
            );
            let again = read_port_groups(text.as_bytes(), read).unwrap();
            for switch in read.switches() {
                assert_eq!(again.masks(switch), groups.masks(switch));
                let (a, b) = (again.entries(switch), groups.entries(switch));
                assert!(a.iter().zip(b).all(|(a, b)| a == b), "{spec} {engine}");
            }
            // Written a second time, nothing more is lost.
            let (_, _, second) = written(read, engine, lmc);
            assert_eq!(&io::read(second.as_bytes()).unwrap().fabric, read, "{spec}");
        }
    }
}

#[test]
fn prefixes_widths_and_lids_beyond_infiniband_are_kept() {
    let fabric = generate("article").unwrap();
    let (_, _, text) = written(&fabric, Engine::ShortestPath, 0);
    let last = "<LID>0x8</LID>";
    assert_eq!(text.matches(last).count(), 1);
    let text = text
        .replace(last, "<LID>0x10008</LID>")
        .replace("LID=\"0x8\"", "LID=\"0x10008\"")
        .replace("LinearFDBSize>8192", "LinearFDBSize>131072")
        .replacen("0xfe80000000000000", "0xfe80000000001001", 1)
        .replacen("<LinkWidthActive_Int>8", "<LinkWidthActive_Int>4", 2)
        .replacen("<LinkWidthDowngradeTxActive_Int>8", "<LinkWidthDowngradeTxActive_Int>1", 1);
    let loaded = io::read(text.as_bytes()).unwrap();
    let kinds: Vec<NoteKind> = loaded.notes.iter().map(|n| n.kind).collect();
    assert!(kinds.contains(&NoteKind::Downgraded) && kinds.contains(&NoteKind::UnevenRate), "{kinds:?}");
    let f = &loaded.fabric;
    let first = f.end_nodes().next().and_then(|n| f.port(n, 1)).unwrap();
    assert_eq!(f.port_info(first).subnet_prefix, 0xfe80_0000_0000_1001);
    // Brought up with three lanes, it sends on one.
    assert_eq!(f.port_info(first).rate.unwrap().to_string(), "1xOPA100");
    assert_eq!(f.brought_up_rate(first).unwrap().to_string(), "3xOPA100");
    let far = (0..f.num_ports() as u32).map(PortId).find(|&p| f.port_info(p).lid == 0x10008).unwrap();
    let routes = io::read_tables(text.as_bytes(), f).unwrap().routes;
    assert_eq!(routes.lids.owner(0x10008), Some(far));
    assert_eq!(
        routes.lft.get(f.edge_switch(far).unwrap(), 0x10008),
        f.peer(far).map_or(0, |p| f.number_of(p))
    );
    // InfiniBand's dump has no field for it, the fabric file has.
    assert!(io::lft::write(f, &routes).is_err());
    assert_eq!(&io::read(io::json::write(f).as_bytes()).unwrap().fabric, f);
    assert!(Lids::are_omni_path(f));
}

#[test]
fn what_links_can_and_may_do_is_written_as_it_was_read() {
    let fabric = generate("article").unwrap();
    let (_, _, text) = written(&fabric, Engine::ShortestPath, 0);
    let text = text
        .replacen("<LinkWidthSupported_Int>8", "<LinkWidthSupported_Int>15", 1)
        .replacen("<LinkWidthEnabled_Int>8", "<LinkWidthEnabled_Int>12", 1)
        .replacen("<LinkSpeedSupported_Int>2", "<LinkSpeedSupported_Int>10", 1);
    let read = io::read(text.as_bytes()).unwrap().fabric;
    let routes = io::read_tables(text.as_bytes(), &read).unwrap().routes;
    let again: String = write(&read, &routes, &WriteOptions::default()).unwrap().collect();
    for tag in ["<LinkWidthSupported_Int>15<", "<LinkWidthEnabled_Int>12<", "<LinkSpeedSupported_Int>10<"] {
        assert_eq!((text.matches(tag).count(), again.matches(tag).count()), (1, 1), "{tag}");
    }
}

#[test]
fn names_are_read_in_the_declared_encoding_and_written_in_another() {
    let fabric = generate("article").unwrap();
    let (_, _, text) = written(&fabric, Engine::ShortestPath, 0);
    let name = text.split_once("<NodeDesc>").unwrap().1.split_once("</NodeDesc>").unwrap().0.to_owned();
    let latin = text.replace("encoding=\"utf-8\"", "encoding=\"ISO-8859-1\"").replace(&name, "Z\u{fc}rich 1");
    let bytes: Vec<u8> = latin.chars().map(|c| c as u8).collect();
    let loaded = io::read(&bytes).unwrap();
    assert_eq!(loaded.notes, []);
    let read = loaded.fabric;
    assert!(read.nodes().any(|(_, node)| &*node.description == "Z\u{fc}rich 1"));
    let routes = io::read_tables(&bytes, &read).unwrap().routes;
    let again: String = write(&read, &routes, &WriteOptions::default()).unwrap().collect();
    assert!(again.contains("encoding=\"utf-8\"") && again.contains("<NodeDesc>Z\u{fc}rich 1</NodeDesc>"));
    assert_eq!(io::read(again.as_bytes()).unwrap().fabric, read);
}

#[test]
fn counters_are_written_and_read() {
    let fabric = generate("article").unwrap();
    let (routes, ..) = written(&fabric, Engine::FatTree, 0);
    let counters: Vec<Counters> =
        (0..fabric.num_ports() as u64).map(|port| std::array::from_fn(|i| 1000 * port + i as u64)).collect();
    let options = WriteOptions { counters: &counters, ..WriteOptions::default() };
    let text: String = write(&fabric, &routes, &options).unwrap().collect();
    assert!(text.contains("stats=\"1\"") && io::read(text.as_bytes()).is_ok());
    let snapshot = Snapshot::parse(&text, &mut Notes::default()).unwrap();
    let node = snapshot.nodes.iter().find(|node| node.is_switch).unwrap();
    let first = snapshot.ports[node.ports.clone()].iter().find(|port| port.number == 1).unwrap();
    let switch = fabric.switches().find(|&s| fabric.node(s).guid == node.guid).unwrap();
    let port = fabric.port(switch, 1).unwrap();
    assert_eq!(snapshot.counters[first.counters.unwrap() as usize], counters[port.ix()]);
}

#[test]
fn unknown_tags_are_counted_and_known_ones_are_not() {
    let fabric = generate("article").unwrap();
    let (_, _, text) = written(&fabric, Engine::ShortestPath, 0);
    let text = text
        .replace("<NodeDesc>", "<CN5000Thing a=\"1\"><x>1</x></CN5000Thing><NodeDesc>")
        .replace("<SMs>", "<SMs><New/>")
        .replacen("<Lease>", "<CableInfo><Value Seg=\"0x0\">0x0</Value></CableInfo><Lease>", 1);
    let loaded = io::read(text.as_bytes()).unwrap();
    let [note] = loaded.notes.as_slice() else { panic!("{:?}", loaded.notes) };
    assert_eq!((note.kind, note.count), (NoteKind::UnknownTag, fabric.num_nodes() + 1));
    assert_eq!(note.text, "<CN5000Thing> in <Node>");
    assert_eq!(loaded.fabric.num_nodes(), fabric.num_nodes());
}

#[test]
fn what_opareport_refuses_is_refused_in_its_words_with_the_line() {
    let fabric = generate("article").unwrap();
    let (_, _, text) = written(&fabric, Engine::ShortestPath, 0);
    let line_of = |text: &str, what: &str| 1 + text[..text.find(what).unwrap()].matches('\n').count();
    let guid = fabric.nodes().map(|(_, n)| n.guid).min().unwrap();
    let cases: &[(&str, String, &str)] = &[
        ("<?xml", text.replacen("unixtime=\"1700000000\"", "", 1), "Missing unixtime attribute"),
        (
            "</PortInfo>",
            text.replacen("<LMC>0</LMC>\n", "", 1),
            "Mandatory Tag Not Found: LMC (in <PortInfo>)",
        ),
        ("", text.replacen("<NumPorts>1<", "<NumPorts>0<", 1), "1 to 254 ports"),
        ("", text.replacen("<NumPorts>1<", "<NumPorts>4000<", 1), "out of range"),
        ("", text.replacen("<PortNum>1</PortNum>", "<PortNum>x</PortNum>", 1), "no number"),
        ("", text.replacen("LinearFDBSize>8192", "LinearFDBSize>2", 1), "Invalid LID attribute"),
        ("", text.replacen("PortGroupSize>255", "PortGroupSize>0", 1), "Invalid PortGroupNumber"),
        (
            "",
            text.replacen("PortGroupNumber=\"0\">0x", "PortGroupNumber=\"0\">0x1ffffffffffffffff", 1),
            "ports beyond 64",
        ),
        ("", text.replacen("</Snapshot>", "", 1), "truncated"),
        ("", text[..text.len() / 2].to_owned(), "truncated"),
        ("", text.replacen("<NodeDesc>", "<NodeDesc>&lol;", 1), "none of XML's own five"),
        ("", text.replacen("<Snapshot", "<!DOCTYPE a [<!ENTITY b \"c\">]>\n<Snapshot", 1), "DOCTYPE"),
    ];
    for (what, broken, reason) in cases {
        let error = io::read(broken.as_bytes()).expect_err(reason);
        assert!(error.reason.contains(reason), "{error}");
        if !what.is_empty() && *what != "<?xml" {
            assert_eq!(error.line, Some(line_of(broken, what)), "{error}");
        }
    }
    let end = text.find("</Node>").unwrap() + 8;
    let first = &text[text.find("<Node id").unwrap()..end];
    let twice = text[..end].to_owned() + first + &text[end..];
    assert!(io::read(twice.as_bytes()).unwrap_err().reason.contains("Duplicate NodeGuid"));
    let unknown = text.replace(&format!("<From>\n<NodeGUID>{guid}"), "<From>\n<NodeGUID>0x99");
    assert!(
        io::read(unknown.as_bytes()).unwrap_err().reason.contains("Port not found: 0x0000000000000099:1")
    );
    // A table for another fabric, and none at all.
    let other = generate("fat-tree:4,2:rate=4xOPA100").unwrap();
    assert!(read_tables(text.as_bytes(), &other).unwrap_err().reason.contains("another fabric"));
    let start = text.find("<LinearFDB>").unwrap();
    let without = text[..start].to_owned() + &text[text.rfind("</SwitchData>").unwrap()..];
    assert!(read_tables(without.as_bytes(), &fabric).is_err());
}

#[test]
fn damaged_fabrics_and_ends_beside_adapters_are_written() {
    let fabric = generate("fat-tree:8,2:rate=4xOPA100").unwrap();
    let fabric = edit(&fabric, &["random-cables=6"]).unwrap();
    let (routes, _, text) = written(&fabric, Engine::FatTree, 0);
    let read = io::read(text.as_bytes()).unwrap().fabric;
    assert_eq!(read.cables().count(), fabric.cables().count());
    assert_eq!(io::read_tables(text.as_bytes(), &read).unwrap().routes.lft, routes.lft);
    assert!(read.nodes().all(|(_, n)| n.kind != NodeKind::Router));
}
