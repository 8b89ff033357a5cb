//! The corpus `tests/fabrics`: every form of one fabric reads as the same, and broken files are refused.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lacis_core::fabric::{Fabric, PortId};
use lacis_core::io;
use lacis_core::sm::lids::Lids;

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fabrics").join(name)
}

fn fabric(path: &Path) -> Fabric {
    io::read(&fs::read(path).unwrap()).unwrap_or_else(|e| panic!("{}: {e}", path.display())).fabric
}

/// What a fabric is, whatever its nodes are called and in which order they come. Vendor, device and
/// system image numbers are left out: ibsim drops some of them.
fn essence(f: &Fabric) -> BTreeSet<String> {
    let end = |p: PortId| {
        let (node, port) = (f.node(f.node_of(p)), f.port_info(p));
        format!("{}[{}] {} {:?}", node.guid, f.number_of(p), port.guid, port.rate)
    };
    let nodes = f.nodes().map(|(id, n)| {
        format!("{:?} {} \"{}\" {} {}", n.kind, n.guid, n.description, f.radix(id), n.enhanced_port0)
    });
    let cables = f.cables().map(|(a, b)| {
        let (a, b) = (end(a), end(b));
        if a < b { format!("{a} {b}") } else { format!("{b} {a}") }
    });
    nodes.chain(cables).collect()
}

#[test]
fn what_ibnetdiscover_prints_of_a_net_file_is_the_same_fabric() {
    for name in ["plain", "director-mellanox", "director-voltaire"] {
        let net = essence(&fabric(&corpus(name).join("fabric.net")));
        let mut seen = 0;
        for entry in fs::read_dir(corpus(name)).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap().to_str().unwrap().starts_with("ibnetdiscover") {
                assert_eq!(essence(&fabric(&path)), net, "{}", path.display());
                seen += 1;
            }
        }
        assert!(seen >= 2, "{name}");
    }
}

#[test]
fn nodes_are_numbered_as_ibsim_numbers_them() {
    let dir = corpus("ibsim-numbering");
    let ours = fs::read_to_string(dir.join("fabric.net")).unwrap();
    // An identifier that is a GUID is taken for one; ibsim numbers that switch too.
    let ours = io::read(ours.replace("S-0002c90000000077", "plain").as_bytes()).unwrap().fabric;
    let theirs = fs::read_to_string(dir.join("ibnetdiscover.txt")).unwrap();
    let theirs = io::read(theirs.replace("\"S-0002c90000000077\"", "\"plain\"").as_bytes()).unwrap().fabric;
    // The net file names no rates, and ibsim brings such links up at 4xSDR.
    let plain = |f: &Fabric| -> BTreeSet<String> {
        essence(f)
            .into_iter()
            .map(|s| s.replace(" Some(Rate { width: Width(4), speed: Sdr })", " None"))
            .collect()
    };
    assert_eq!(plain(&ours), plain(&theirs));
}

#[test]
fn chassis_are_read_from_grouped_output() {
    let positions = |path: &str| -> Vec<String> {
        let f = fabric(&corpus(path));
        let chassis = f.nodes().filter_map(|(_, n)| n.chassis.as_ref());
        chassis.map(|c| format!("{} {}", c.number, c.position)).collect()
    };
    let voltaire = [
        "1 ISR2004 Spine 1 Chip 1",
        "1 ISR2004 Spine 2 Chip 1",
        "1 ISR2004 Line 1 Chip 1",
        "1 ISR2004 Line 1 Chip 2",
    ];
    assert_eq!(positions("director-voltaire/ibnetdiscover-g.txt"), voltaire);
    assert_eq!(positions("director-voltaire/ibnetdiscover-f-g-m.txt"), voltaire);
    assert_eq!(positions("director-mellanox/ibnetdiscover-g.txt"), ["1 "; 4]);
}

#[test]
fn every_fabric_is_written_and_read_again_equal() {
    for name in ["plain", "director-mellanox", "director-voltaire", "ibsim-numbering", "mixed"] {
        for entry in fs::read_dir(corpus(name)).unwrap() {
            let path = entry.unwrap().path();
            let file = path.file_name().unwrap().to_str().unwrap();
            if file.starts_with("ibnetdiscover") || path.extension().is_some_and(|e| e == "net") {
                let f = fabric(&path);
                assert_eq!(io::read(io::net::write(&f).as_bytes()).unwrap().fabric, f, "{}", path.display());
                assert_eq!(io::read(io::json::write(&f).as_bytes()).unwrap().fabric, f, "{}", path.display());
            }
        }
    }
}

/// These files stay as the first version wrote them: a change of the format breaks this test.
#[test]
fn fabric_files_of_schema_1_stay_readable() {
    for name in ["plain", "mixed"] {
        let dir = corpus(name);
        assert_eq!(fabric(&dir.join("fabric.json")), fabric(&dir.join("ibnetdiscover.txt")), "{name}");
    }
}

#[test]
fn lists_and_maps_of_guids_are_read() {
    let dir = corpus("plain");
    let f = fabric(&dir.join("ibnetdiscover.txt"));
    let list = io::guid_list::read(&fs::read(dir.join("guids.list")).unwrap()).unwrap();
    let switches: BTreeSet<_> = f.switches().map(|s| f.node(s).guid).collect();
    assert_eq!(list.iter().map(|e| e.guid).collect::<BTreeSet<_>>(), switches);
    let (map, notes) = io::name_map::read(&fs::read(dir.join("node-name-map")).unwrap()).unwrap();
    let names: BTreeSet<_> = f.end_nodes().filter_map(|n| map.get(f.node(n).guid)).collect();
    assert_eq!((names, notes), (["login1 HCA-1", "storage 2"].into(), vec![]));
}

#[test]
fn all_dumps_of_the_same_tables_read_as_the_same() {
    let dir = corpus("plain");
    let f = fabric(&dir.join("ibnetdiscover.txt"));
    let read = |name: &str| io::lft::read(&fs::read(dir.join(name)).unwrap(), &f).unwrap();
    let opensm = read("opensm-lfts.dump");
    assert_eq!(opensm.notes, []);
    assert_eq!(opensm.routes.lids, Lids::reported(&f));
    for name in ["dump_lfts.txt", "dump_lfts-n.txt", "dump_lfts-a.txt", "ibroute.txt", "ibroute-a-M.txt"] {
        assert_eq!(read(name).routes, opensm.routes, "{name}");
    }
    let written = io::lft::write(&f, &opensm.routes).unwrap();
    assert_eq!(io::lft::read(written.as_bytes(), &f).unwrap(), opensm);
    let mut cache = io::guid2lid::read(&fs::read(dir.join("guid2lid")).unwrap()).unwrap();
    cache.sort_by_key(|e| e.first);
    assert_eq!(io::guid2lid::entries(&f, &opensm.routes.lids).unwrap(), cache);
}

/// The same without what such lists do not have: the kind of port 0, and for `net_dump` the node's GUID and the ports of
/// adapters.
fn cabling(f: &Fabric) -> BTreeSet<String> {
    let end = |p: PortId| {
        let (node, port) = (f.node(f.node_of(p)), f.port_info(p));
        let guid = if f.is_switch(f.node_of(p)) { node.guid } else { port.guid };
        format!(
            "{guid} \"{}\"[{}] {:?}",
            node.description,
            f.number_of(p),
            port.rate.filter(|_| f.is_switch(f.node_of(p)))
        )
    };
    let lids = f.nodes().flat_map(|(n, _)| std::iter::once(f.port0(n)).chain(f.ports_of(n)));
    let lids = lids.map(|p| f.port_info(p)).filter(|port| port.lid > 0);
    let lids: BTreeSet<String> = lids.map(|port| format!("{} {}", port.guid, port.lid)).collect();
    let switches = f.switches().map(|s| format!("{} {}", f.node(s).guid, f.radix(s)));
    let cables = f.cables().map(|(a, b)| {
        let (a, b) = (end(a), end(b));
        if a < b { format!("{a} {b}") } else { format!("{b} {a}") }
    });
    switches.chain(cables).chain(lids).collect()
}

#[test]
fn what_opensm_and_ibdiagnet_leave_is_the_fabric_that_ibnetdiscover_prints() {
    let whole = fabric(&corpus("manager/ibnetdiscover.txt"));
    for name in ["manager/opensm-subnet.lst", "ibdiagnet/ibdiagnet2.db_csv", "ibdiagnet/ibdiagnet2.net_dump"]
    {
        let read = fabric(&corpus(name));
        assert_eq!(cabling(&read), cabling(&whole), "{name}");
        assert!(lacis_core::fabric::source_difference(&read, &whole).is_none(), "{name}");
    }
    let read = fabric(&corpus("ibdiagnet/ibdiagnet2.db_csv"));
    // 2026-11-26 12:00:00 UTC.
    assert_eq!((read.cable_parts().len(), read.counters().read_at), (2, Some(1_795_694_400)));
}

#[test]
fn lists_of_routes_are_the_tables_of_the_dump() {
    for (folder, list) in [("manager", "opensm.fdbs"), ("ibdiagnet", "ibdiagnet2.fdbs")] {
        let f = fabric(&corpus("manager/ibnetdiscover.txt"));
        let read = |path: PathBuf| io::read_tables(&fs::read(path).unwrap(), &f).unwrap();
        let dump = read(corpus("manager/opensm-lfts.dump"));
        assert_eq!(read(corpus(folder).join(list)).routes, dump.routes, "{list}");
    }
}

#[test]
fn broken_files_are_refused_with_line_and_reason() {
    let expectations = fs::read_to_string(corpus("broken/EXPECT")).unwrap();
    for expectation in expectations.lines() {
        let fields: Vec<&str> = expectation.split('\t').collect();
        let [file, line, reason] = fields[..] else { panic!("{expectation}") };
        let error = io::read(&fs::read(corpus("broken").join(file)).unwrap()).expect_err(file);
        assert_eq!(error.line, line.parse().ok(), "{file}: {error}");
        assert!(error.reason.contains(reason), "{file}: {error}");
    }
}
