//! What no input may do to a reader: make it panic, or make it read back something else than was written.
//!
//! Texts of every format with pieces lost, doubled, exchanged and overwritten. The fuzz targets ask the same without
//! an end; `PROPTEST_CASES` says how often it is asked here.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::sync::{Arc, LazyLock};

use lacis_core::fabric::{Fabric, completed, source_difference};
use lacis_core::generate::generate;
use lacis_core::io::ibdiagnet::{db_csv, net_dump, net_dump_ext};
use lacis_core::io::omnipath::snapshot::{self, WriteOptions};
use lacis_core::io::{
    FileKind, cabling, guid_list, guid2lid, job_log, json, kind_of, lft, lid_matrix, links, net, opafm,
    opensm_conf, plan, port_list, query_errors, roles, slurm, subnet_list,
};
use lacis_core::ranks::{find_hosts, host_file, hosts_of_ranks, listed_hosts, listed_names};
use lacis_core::routing::opensm::file;
use lacis_core::routing::{Options, Sweep};
use lacis_core::sm::lids::{LidOptions, Lids};
use lacis_core::traffic::listed_pairs;
use proptest::collection::vec;
use proptest::prelude::*;

const SAMPLES: [&str; 24] = [
    "{ SW-SM Ports:04 SystemGUID:01 NodeGUID:01 PortGUID:01 VenID:0002C9 DevID:CB20 Rev:A1 {leaf {1}} LID:0001 PN:01 } { CA Ports:01 SystemGUID:02 NodeGUID:02 PortGUID:03 VenID:02C9 DevID:10030000 Rev:A1 {n1 HCA-1} LID:0010 PN:01 } PHY=4x LOG=ACT SPD=50\n\
     { CA Ports:01 SystemGUID:02 NodeGUID:02 PortGUID:03 VenID:02C9 DevID:1003 Rev:A1 {n1 HCA-1} LID:0010 PN:01 } { SW-SM Ports:04 SystemGUID:01 NodeGUID:01 PortGUID:01 VenID:0002C9 DevID:CB20 Rev:A1 {leaf {1}} LID:0001 PN:01 } PHY=4x LOG=ACT SPD=50\n",
    "# IBDIAG\nSTART_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID,PortGUID\n\"n1, \"\"x\"\" mlx5_0\",1,1,0xa1,0xa1\n\"leaf\",4,2,0xb1,0xb1\nEND_NODES\n\
     START_PORTS\nNodeGuid,PortGuid,PortNum,LID,LinkWidthActv,LinkSpeedActv,LMC,PortState,MTUCap\n0xa1,0xa1,1,11,2,128,0,4,5\n0xb1,0xb1,1,1,2,2048,0,2,N/A\nEND_PORTS\n\
     START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n0xb1,1,0xa1,1\nEND_LINKS\nSTART_PM_INFO\nNodeGUID,PortNumber,LinkDownedCounterExt\n0xb1,1,0x10\nEND_PM_INFO\n\
     START_CABLE_INFO\nNodeGuid,PortNum,PN,Temperature\n0xb1,1,MCP7,\"42C\"\nEND_CABLE_INFO\nSTART_RUN_INFO\nDate\n2023-11-14 23:13:20 CET +0100\nEND_RUN_INFO\n",
    "\"MF0;leaf:MQM8700/U1\", Mellanox, 0x1070fd03001adeb4, LID 24328\n # : IB# : Sta : PhysSta : MTU : LWA : LSA : FEC mode : Retran : Neighbor Guid : N# : NLID : Neighbor Description\n\
     1 : 1 : ACT : LINK UP : 5 : 4x : 50 : RS : NO-RTR : 0xb83fd20300aa0001 : 1 : 101 : \"node001 mlx5_0\"\n 2 : 2 : DOWN : POLL : N/A : N/A : N/A : N/A : N/A : : : :\n",
    "System,Port,Peer Node,Peer Port\nleaf-01,1/1/2,spine-01,1/4/1\nleaf-01,17/1,node001,mlx5_0\nleaf-01,3,\"node,2\",\n",
    "Errors for 0x1 \"leaf\"\n   GUID 0x1 port ALL: [SymbolErrorCounter == 77]\n   GUID 0x1 port 1: [SymbolErrorCounter == 77] [PortXmitData == 9 (9.000)]\n## Summary: 2 nodes checked\n",
    "dump_ucast_routes: Switch 0x0000000000000001\nLID    : Port : Hops : Optimal\n0x0001 : 000  : 00   : yes\n0x0002 : 004  : 03   : No  : 01 hops\n0x0007 : UNREACHABLE\n",
    "# a comment\nrouting_engine ftree,updn # c\r\ncn_guid_file \"/x y\"\nroot_guid_file (null)\nlmc 2\nlmcs 4\n\
     scatter_ports 0x10\nconnect_roots TRUE\nlfts_file /a\nmax_op_vls 5\nsm_priority 3\n",
    "# ids\n0x2c5eab0300c26280 17\n0x2c5eab0300c26380\t17 4\n0x1 3 1 2 # order\r\n\n0x2 254 255\n",
    "0x00000000000002c9 0x0001 0x0001\n\n0x00000000000002ca 0x0004 0x0007\n\n",
    "Switch: guid 0x0000000008f10001\n0x0004: 00 02 ff # portguid 0x0000000008f10001\n0x0007: 01 01 ff\n\
     Switch: guid 0x0000000008f10002\n0x0004: 01 01 # portguid 0x0000000008f10001\n",
    "Unicast lids [0-7] of switch Lid 4 guid 0x0000000000000001 ('leaf 1'):\n\
     0x0002 001 # Channel Adapter portguid 0x00000000000000a1: 'node1 HCA-1'\n0x0004 000\n7 lids dumped\n\
     Unicast lids guid 0x2\n0x0003 2 : (Switch portguid 0x2: 'x')\n7 lids dumped\n",
    "SwitchName=b Nodes=n[03-14,7] \\\n LinkSpeed=7\nswitchname=a NODES=n1,rack[1-2]n[1-2]\nSwitchName=s Switches=a,b\n",
    "n[001-003,010],login r[1-2]n[1-2]-ib # c\n",
    "node001 slots=8\n\"ubuntu mlx5_1\" # b\n",
    "# pairs\nnode001 \"ubuntu mlx5_1\" # c\n\n\"ubuntu mlx5_1\"\tnode001\r\n",
    "CA 6 1 0xa001 4x EDR - SW 4 1 0x10 ( 'n1's HCA-1' - 'leaf' )\nSW 4 1 0x10 4x EDR - CA 6 1 0xa001 ( 'leaf' - 'n1's HCA-1' )\n\
     SW 4 36 0x10 4x SDR    'leaf'\nSW 4 3 0x10 4x ??? - RT 5 1 0x20 ( 'leaf' - 'gate' )\n",
    "0xa001 \"  n1\" 6 1[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>  0x10 4 1[  ] \"leaf\" ( )\n\
     0x10 \" leaf\" 4 2[  ] ==(  Down/ Polling)==>  [  ] \"\" ( )\n",
    "CA: n1:\n  0xa001 6 1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==> 4 1[  ] \"leaf\" ( )\n\
     Switch: 0x10 leaf:\n  4 1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==> 6 1[  ] \"n1\" ( )\n",
    "Ca : 0xa000 ports 2 devid 0x1003 vendid 0x2c9 \"n1 HCA-1\"\nSwitch : 0x10 ports 36 \"leaf\" base port 0 lid 3 lmc 0\n",
    include_str!("snapshot.xml"),
    "<?xml version=\"1.0\"?>\n<Report><LinkSummary><Link><Rate>100g</Rate><MTU>8192</MTU><Cable><CableLabel>a &amp; b</CableLabel></Cable>\n\
     <Port><NodeGUID>0x1</NodeGUID><PortNum>1</PortNum><NodeType>FI</NodeType><NodeDesc>n1 hfi1_0</NodeDesc></Port>\n\
     <Port><PortGUID>0x2</PortGUID><Colour/></Port></Link></LinkSummary><Nodes/></Report>\n",
    "Rack Group,Rack,Name,Name-2,Port,Type,Rack Group,Rack,Name,Name-2,Port,Type,Label,Length,Details,Rate,MTU\n\
     r,1,n1,,,FI,r,2,sw1,,7,SW,\"a, b\",1m,x,100g,8192\n,,sw1,,19,SW,,,core,L101A,2,CL\n,,,\nCore Name:core\nSM,n1\n",
    "#StartDevice,StartPort,EndDevice,EndPort,LinkType,State,Speed\r\nsw1,Port 21,core,Blade 16_Port 2/20,Data,Active,EDR\r\n\
     n1,n1 ibp1s0,sw1,Port 1, Data\r\nsw1,Port 1/2,sw2,3,Data,,\nsw1,Port 9,,,,Disabled\n",
    "<?xml version=\"1.0\"?>\n<Config><Common><Shared/><Sm><Lmc>1</Lmc><Bogus/>\n<AdaptiveRouting><Enable>1</Enable>\n\
     <Algorithm>2</Algorithm><Threshold>9</Threshold></AdaptiveRouting></Sm><Fe/><Pm/></Common><Fm><Sm/></Fm></Config>\n",
];

const PIECES: [&str; 28] = [
    "0x",
    "0",
    "1",
    "ff",
    "255",
    "256",
    "65536",
    "18446744073709551616",
    "-",
    "-1",
    "[",
    "]",
    ",",
    "\"",
    "#",
    "\r",
    "\n",
    " ",
    "\t",
    ":",
    "\\\n",
    "=",
    "é",
    "guid 0x",
    "<",
    "</",
    "/>",
    "&",
];

static FABRIC: LazyLock<(Fabric, Lids)> = LazyLock::new(|| {
    let fabric = generate("fat-tree:4,2").unwrap();
    let lids = Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &LidOptions::fresh()).unwrap();
    (fabric, lids)
});

/// A text of one of the formats, changed here and there.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    let edit =
        (any::<prop::sample::Index>(), 0_usize..6, any::<prop::sample::Index>(), 0_usize..28, any::<u8>());
    (0..SAMPLES.len(), vec(edit, 0..12)).prop_map(|(sample, edits)| {
        let mut text = SAMPLES[sample].as_bytes().to_vec();
        for (at, kind, other, piece, byte) in edits {
            let at = at.index(text.len() + 1);
            let (low, high) = (at.min(other.index(text.len() + 1)), at.max(other.index(text.len() + 1)));
            match kind {
                0 => drop(text.drain(low..high.min(low + 20))),
                1 => drop(text.splice(at..at, PIECES[piece].bytes())),
                2 => {
                    let copy = text[low..high].to_vec();
                    drop(text.splice(at..at, copy));
                }
                3 => text.truncate(high),
                4 => text.insert(at, byte),
                _ => drop(text.splice(low..high.min(low + 4), PIECES[piece].bytes())),
            }
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_reader_panics_and_what_is_written_reads_as_it_was(text in texts()) {
        let _ = opensm_conf::read(&text);
        let _ = (port_list::ids(&text, port_list::Mistakes::Refused), port_list::ignored(&text));
        let _ = (port_list::weights(&text, port_list::Mistakes::Refused), port_list::search_order(&text, port_list::Mistakes::Refused));
        let _ = (guid_list::plain(&text), slurm::topology(&text), roles::read(&text));
        if let Ok(entries) = guid_list::read(&text) {
            let again = guid_list::read(guid_list::write(&entries).as_bytes()).unwrap();
            let said = |all: &[guid_list::GuidLine]| -> Vec<_> { all.iter().map(|e| (e.guid, e.argument.clone())).collect() };
            prop_assert_eq!(said(&again), said(&entries));
        }
        if let Ok(entries) = guid2lid::read(&text) {
            prop_assert_eq!(guid2lid::read(guid2lid::write(&entries).as_bytes()), Ok(entries));
        }
        if let Ok(dump) = lid_matrix::read(&text) {
            let written = lid_matrix::to_dump(&dump);
            prop_assert_eq!(lid_matrix::to_dump(&lid_matrix::read(written.as_bytes()).unwrap()), written);
            let options = Options { lid_matrix_file: Some(Arc::new(dump)), ..Options::default() };
            prop_assert!(file::route(&Sweep::first(&FABRIC.0, &FABRIC.1, &options)).is_ok());
        }
        if let Ok(given) = lft::read_given(&text) {
            file::fit(&FABRIC.0, &FABRIC.1, &given);
            let options = Options { lfts_file: Some(Arc::new(given)), ..Options::default() };
            let _ = file::route(&Sweep::first(&FABRIC.0, &FABRIC.1, &options));
        }
        if let Ok(loaded) = links::read(&text) {
            prop_assert_eq!(json::read(json::write(&loaded.fabric).as_bytes()).unwrap().fabric, loaded.fabric.clone());
            prop_assert!(loaded.fabric.num_nodes() == 0 || net::read(net::write(&loaded.fabric).as_bytes()).is_ok());
        }
        let kind = kind_of(&text);
        prop_assert!(kind.is_none_or(|kind| FileKind::ALL.contains(&kind)));
        let ufm = |text: &[u8]| cabling::read(text, &cabling::CablingColumns::ufm());
        for read in [&subnet_list::read as &dyn Fn(&[u8]) -> _, &db_csv::read, &net_dump::read, &ufm] {
            let Ok(loaded) = read(&text) else { continue };
            prop_assert_eq!(&json::read(json::write(&loaded.fabric).as_bytes()).unwrap().fabric, &loaded.fabric);
            prop_assert!(net::read(net::write(&loaded.fabric).as_bytes()).is_ok());
            let completed = completed(&loaded.fabric, &loaded.fabric);
            prop_assert_eq!(completed.raw_peers(), loaded.fabric.raw_peers());
            prop_assert!(source_difference(&completed, &loaded.fabric).only_first.is_empty());
        }
        for read in [query_errors::read, net_dump_ext::read, lacis_core::io::read_counters] {
            if let Ok(loaded) = read(&text, &FABRIC.0, Some(1)) {
                prop_assert_eq!(loaded.fabric.raw_peers(), FABRIC.0.raw_peers());
            }
        }
        if let Ok(loaded) = snapshot::read(&text) {
            let fabric = loaded.fabric;
            prop_assert_eq!(&json::read(json::write(&fabric).as_bytes()).unwrap().fabric, &fabric);
            let _ = snapshot::read_port_groups(&text, &fabric);
            if let Ok(tables) = snapshot::read_tables(&text, &fabric)
                && let Ok(written) = snapshot::write(&fabric, &tables.routes, &WriteOptions::default())
            {
                let written: String = written.collect();
                let again = snapshot::read(written.as_bytes()).unwrap().fabric;
                prop_assert_eq!(again.cables().count(), fabric.cables().count());
                let same = snapshot::read_tables(written.as_bytes(), &again).unwrap().routes;
                prop_assert_eq!(same.lids.assigned().len(), tables.routes.lids.assigned().len());
            }
        }
        if let Ok(named) = slurm::node_list(&text) {
            prop_assert!(named.iter().all(|(line, name)| *line > 0 && !name.is_empty()));
        }
        if let Ok(file) = opafm::read(&text) {
            prop_assert!(lacis_core::health::opafm::lint(&file).iter().all(|found| found.line.is_none_or(|line| line <= text.len() + 1)));
        }
        for read in [plan::topology::read, plan::spreadsheet::read, plan::ndt::read] {
            if let Ok(plan) = read(&text) {
                let again = plan::topology::read(plan::topology::write(&[&plan]).as_bytes()).unwrap();
                let said = |plan: &plan::Plan| -> Vec<_> { plan.cables.iter().map(|c| (c.ends.each_ref().map(|e| e.name.clone()), c.mtu)).collect() };
                prop_assert_eq!(said(&again), said(&plan));
            }
        }
        let known = [vec!["0x".to_owned(), "1".to_owned()], vec!["node".to_owned()]];
        let general = [vec!["GUID".to_owned()], vec!["1".to_owned()]];
        let scan = |size: usize| {
            let mut scanner = job_log::Scanner::new(&known, &general, &["sw".to_owned()], 2).unwrap();
            text.chunks(size).for_each(|piece| scanner.feed(piece));
            scanner.finish()
        };
        prop_assert_eq!(scan(7), scan(1 << 20));
        let text = String::from_utf8_lossy(&text);
        let names = ["node001", "ubuntu mlx5_1", "same", "same"].map(String::from);
        if let Ok(pairs) = listed_pairs(&text, &names) {
            prop_assert!(pairs.iter().flatten().all(|&(from, to)| from != to && from < 2 && to < 2));
        }
        // Each host of the ranks is one of the hosts.
        if let (Ok(ranks), Ok(hosts)) = (hosts_of_ranks(&text), host_file(&text)) {
            prop_assert!(ranks.iter().all(|(_, name)| hosts.iter().any(|(_, host)| host == name)));
        }
        let listed = listed_names(&text);
        prop_assert_eq!(listed_hosts(&listed, &names).ok(), find_hosts(&listed, &names).ok());
        for (_, name) in listed.iter().filter(|(_, name)| !name.contains('"')) {
            prop_assert_eq!(listed_names(&format!("\"{name}\"")), [(1, name.clone())]);
        }
    }
}
