use std::fmt::Write as _;

use super::*;
use crate::sm::Lft;
use crate::sm::lids::Lids;

/// Two switches with two cables between them: nodes with LIDs 1 and 2 on the first, 3 on the second. Both send
/// to 3 by the first cable; 3 answers each by another. A third cable joins ports 4 and 5 of the second switch.
fn pair() -> (Fabric, Routes) {
    let net = "switchguid=0x1(1)\nSwitch 5 \"S-1\" # \"one\" base port 0 lid 0 lmc 0\n\
               [1] \"H-1\"[1](11) # \"a\" lid 1\n[2] \"H-2\"[1](12) # \"b\" lid 2\n\
               [3] \"S-2\"[1] # \"two\" lid 0\n[4] \"S-2\"[2] # \"two\" lid 0\n\n\
               switchguid=0x2(2)\nSwitch 5 \"S-2\" # \"two\" base port 0 lid 0 lmc 0\n\
               [1] \"S-1\"[3] # \"one\" lid 0\n[2] \"S-1\"[4] # \"one\" lid 0\n[3] \"H-3\"[1](13) # \"c\" lid 3\n\
               [4] \"S-2\"[5] # \"two\" lid 0\n[5] \"S-2\"[4] # \"two\" lid 0\n\n\
               caguid=0x11\nCa 1 \"H-1\" # \"a\"\n[1](11) \"S-1\"[1] # lid 1 lmc 0 \"one\" lid 0\n\n\
               caguid=0x12\nCa 1 \"H-2\" # \"b\"\n[1](12) \"S-1\"[2] # lid 2 lmc 0 \"one\" lid 0\n\n\
               caguid=0x13\nCa 1 \"H-3\" # \"c\"\n[1](13) \"S-2\"[3] # lid 3 lmc 0 \"two\" lid 0\n";
    let fabric = crate::io::read(net.as_bytes()).unwrap().fabric;
    let [one, two] = [0, 1].map(crate::fabric::NodeId);
    let mut lft = Lft::new(2, 3);
    lft.row_mut(one)[1..=3].copy_from_slice(&[1, 2, 3]);
    lft.row_mut(two)[1..=3].copy_from_slice(&[1, 2, 3]);
    let file = || crate::sm::Engines::from(crate::sm::Engine::File);
    let (lids, refusals) = (Lids::reported(&fabric), Vec::new());
    (fabric, Routes { lids, lft, lanes: None, engine_requested: file(), engine_used: file(), refusals })
}

#[test]
fn flows_are_counted_between_different_switches_and_listed_the_busiest_first() {
    // From switch one: 2 flows on port 3, none on port 4. From switch two: one each on ports 1 and 2; its cable to
    // itself is between no two switches. So 4 links, 3 used, 4 flows.
    let (fabric, routes) = pair();
    let found = verify(&fabric, &routes, Population::All, false);
    let port = |switch: u32, number| fabric.port(crate::fabric::NodeId(switch), number).unwrap();
    let ports: Vec<PortId> = inter_switch_ports(&fabric).collect();
    assert_eq!(ports, [port(0, 3), port(0, 4), port(1, 1), port(1, 2)]);
    assert_eq!(found.balance, Balance { max: 2, mean: 1.0, links: 4, used: 3 });
    assert_eq!(found.busiest(9), [(port(0, 3), 2), (port(1, 1), 1), (port(1, 2), 1)]);
    assert_eq!(found.busiest(2), [(port(0, 3), 2), (port(1, 1), 1)]);
    assert!(found.is_good());
}

#[test]
fn what_is_not_delivered_is_not_good() {
    let (fabric, mut routes) = pair();
    routes.lft.row_mut(crate::fabric::NodeId(0))[3] = 5; // a port without a cable
    let found = verify(&fabric, &routes, Population::All, false);
    assert_eq!((found.verdicts.failed(), found.credit_loops.len()), (2, 0));
    assert!(!found.is_good());
}

#[test]
fn pairs_that_no_cables_join_are_counted_without_any_switch_too() {
    // Two cables between two hosts each: of the three others each host reaches one.
    use crate::fabric::{FabricBuilder, Guid, Node, NodeKind};
    let mut b = FabricBuilder::new();
    let hosts: Vec<_> = ["a", "b", "c", "d"]
        .map(|name| {
            let node = Node {
                kind: NodeKind::Adapter,
                guid: Guid::NONE,
                system_guid: Guid::NONE,
                id: name.into(),
                description: name.into(),
                vendor: 0,
                device: 0,
                enhanced_port0: false,
                chassis: None,
                declared: None,
            };
            b.add_node(node, 1).unwrap()
        })
        .to_vec();
    b.connect((hosts[0], 1), (hosts[2], 1)).unwrap();
    b.connect((hosts[1], 1), (hosts[3], 1)).unwrap();
    let fabric = b.finish();
    let mut lids = Lids::none(&fabric);
    for (lid, port) in (1..).zip(fabric.end_ports(Population::All)) {
        lids.set(port, lid, 0);
    }
    let routes = Routes { lids, lft: Lft::new(0, 4), ..pair().1 };
    let found = verify(&fabric, &routes, Population::All, false);
    assert_eq!((found.verdicts.total(), found.apart), (12, 8));
    assert_eq!((found.verdicts.get(Verdict::Delivered), found.verdicts.get(Verdict::WrongPort)), (4, 8));
}

#[test]
fn of_equally_short_cycles_the_one_by_the_lower_port_is_reported() {
    // Switch 0 sends to 1, which sends LIDs 1 and 3 by 2 and LIDs 4 and 5 by 3, and these send to 0. LIDs 1 and 5 are on
    // switch 0, 2 to 4 on 1 to 3. So packets wait round 0, 1, 2 and round 0, 1, 3: five channels.
    let ends = [(0, 1), (1, 1), (2, 1), (3, 1), (0, 4)];
    let cables = [((0, 2), (1, 4)), ((1, 2), (2, 3)), ((1, 3), (3, 3)), ((2, 2), (0, 3)), ((3, 2), (0, 5))];
    let mut net = String::new();
    for switch in 0..4 {
        write!(
            net,
            "switchguid=0x{0}({0})\nSwitch 5 \"S-{0}\" # \"s{switch}\" base port 0 lid 0 lmc 0\n",
            switch + 1
        )
        .unwrap();
        for (lid, (_, port)) in (1..).zip(ends).filter(|(_, end)| end.0 == switch) {
            writeln!(net, "[{port}] \"H-{lid}\"[1](1{lid}) # \"h{lid}\" lid {lid}").unwrap();
        }
        for (a, b) in cables.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]).filter(|(a, _)| a.0 == switch) {
            writeln!(net, "[{}] \"S-{}\"[{}] # \"s{}\" lid 0", a.1, b.0 + 1, b.1, b.0).unwrap();
        }
        net += "\n";
    }
    for (lid, (switch, port)) in (1..).zip(ends) {
        write!(
            net,
            "caguid=0x1{lid}\nCa 1 \"H-{lid}\" # \"h{lid}\"\n\
             [1](1{lid}) \"S-{}\"[{port}] # lid {lid} lmc 0 \"s{switch}\" lid 0\n\n",
            switch + 1
        )
        .unwrap();
    }
    let fabric = crate::io::read(net.as_bytes()).unwrap().fabric;
    let mut lft = Lft::new(4, 5);
    for (switch, entries) in
        [[1, 2, 2, 2, 4], [2, 1, 2, 3, 3], [2, 2, 1, 2, 2], [2, 2, 2, 1, 2]].iter().enumerate()
    {
        lft.row_mut(crate::fabric::NodeId(switch as u32))[1..=5].copy_from_slice(entries);
    }
    let routes = Routes { lids: Lids::reported(&fabric), lft, ..pair().1 };
    let found = verify(&fabric, &routes, Population::All, false);
    assert_eq!(
        (found.verdicts.failed(), found.credit_loops.len(), found.credit_loops[0].channels),
        (0, 1, 5)
    );
    let cycle: Vec<String> = found.credit_loops[0].cycle.iter().map(|&p| fabric.port_name(p)).collect();
    assert_eq!(cycle, ["\"s0\"[2]", "\"s1\"[2]", "\"s2\"[2]"]);
}

#[test]
fn a_trace_counts_its_switches_and_cables() {
    let (fabric, routes) = pair();
    let ports = fabric.end_ports(Population::All);
    let lengths = |from: usize, lid| {
        let found = trace(&fabric, &routes, ports[from], lid);
        (found.switches(&fabric), found.links(), found.verdict)
    };
    // From a to c by way of both switches, from a to b by one, and from a to itself by none.
    assert_eq!(lengths(0, 3), (2, 3, Verdict::Delivered));
    assert_eq!(lengths(0, 2), (1, 2, Verdict::Delivered));
    assert_eq!(lengths(0, 1), (0, 0, Verdict::Delivered));
    assert_eq!(lengths(0, 9), (0, 0, Verdict::UnknownLid));
}

#[test]
fn verdicts_are_called_what_the_reference_calls_them() {
    let names = ["delivered", "no_entry", "dead_port", "loop", "wrong_port", "unknown_lid"];
    assert_eq!(Verdict::ALL.map(Verdict::name), names);
}

#[test]
fn switches_that_reach_a_lid_are_those_whose_own_packets_arrive() {
    // More than 64 switches, and four LIDs for each host, so that LIDs fill several blocks of 64 and several shares.
    use crate::routing::{Options, route};
    use crate::sm::NO_ENTRY;
    use crate::sm::lids::LidOptions;
    use crate::traffic::Rng;
    let fabric = crate::generate::generate("torus:9x8").unwrap();
    let options = LidOptions { lmc: 2, ..LidOptions::fresh() };
    let lids = Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &options).unwrap();
    let mut routes = route(&fabric, lids, &[crate::sm::Engine::MinHop], &Options::default()).unwrap();
    let mut rng = Rng::of_pattern(1, 1);
    for _ in 0..600 {
        let cell = rng.below(routes.lft.as_slice().len() as u32) as usize;
        routes.lft.as_mut_slice()[cell] = [NO_ENTRY, 0, 1, 2, 3, 4, 5, 200][rng.below(8) as usize];
    }
    let mut asked: Vec<(u32, PortId)> = Vec::new();
    for port in fabric.end_ports(Population::All) {
        asked.extend(routes.lids.range(port).map(|lid| (lid, port)));
    }
    asked.sort_unstable();
    assert_eq!((words(&fabric), asked.len()), (2, 4 * 72));
    let found = reach(&fabric, &routes, &asked);
    assert_eq!(found.len(), 2 * asked.len());
    let mut lost = 0;
    for (row, &(lid, _)) in found.chunks_exact(2).zip(&asked) {
        for switch in fabric.switches() {
            let arrives = trace(&fabric, &routes, fabric.port0(switch), lid).verdict == Verdict::Delivered;
            assert_eq!(row[switch.ix() / 64] >> (switch.ix() % 64) & 1 == 1, arrives, "{switch:?} to {lid}");
            lost += usize::from(!arrives);
        }
    }
    assert!(lost > 500, "{lost}");
}
