//! Plans in each of the formats, and what is refused.

use super::*;
use crate::fabric::{NodeKind, Rate};
use crate::generate::generate;
use crate::io::NoteKind;

const NDT: &str = "#StartDevice,StartPort,EndDevice,EndPort,LinkType\r\n\
    SAT11-0101-0927-20IB0,Port 21,SAT11-0101-0903-01IB1-A,Blade 16_Port 2/20,Data\r\n\
    SAT111092710053,SAT111092710053 ibp11s0f0,SAT11-0101-0927-20IB0,Port 1, Data\r\n\
    pdu-1,Outlet 4,SAT111092710053,PSU 1,Power\r\n";

const TABLE: &str = "Standard-Format Topology,,\nSource,,,,,,Destination\n\
    Rack Group,Rack,Name,Name-2,Port,Type,Rack Group,Rack,Name,Name-2,Port,Type,Label,Length,Details\n\
    row1,rack1,host01,gw,,FI,row1,rack1,sw11,,1,SW,host01 sw11P1,1m,Cable CU\n\
    ,,host02 hfi1_1,,2,,,,sw12,,2,,,,\n\
    ,rack1,sw11,,19,SW,,rack3,core1,L104A,9,CL,\"a, \"\"b\"\"\",1m,\n\
    ,,outside,,1,FI,,,,,,EN\n\
    ,,,,,\n\
    Core Name:core1,Core Group:row1,Core Rack:rack3,Core Size:288,Core Full:0\n\
    SM,host01\n";

const TOPOLOGY: &str = "<?xml version=\"1.0\" encoding=\"utf-8\" ?>\n<Report date=\"x\">\n <LinkSummary>\n\
    <Link id=\"1\">\n <Rate>100g</Rate><MTU>8192</MTU><Internal>0</Internal><LinkDetails>a &amp; b</LinkDetails>\n\
    <Cable><CableLength>11m</CableLength><CableLabel>S4567</CableLabel><CableDetails>x</CableDetails></Cable>\n\
    <Port id=\"2\"><NodeGUID>0x0011750101671ed9</NodeGUID><PortNum>1</PortNum><NodeType>FI</NodeType><NodeDesc>n1 hfi1_0</NodeDesc></Port>\n\
    <Port><PortGUID>0x00117501026a5683</PortGUID><PortNum>48</PortNum><NodeType_Int>2</NodeType_Int><Colour>red</Colour></Port>\n\
    </Link><Link><Rate_Int>15</Rate_Int><Port><NodeDesc>n2 hfi1_0</NodeDesc></Port></Link>\n\
    <LinkCount>2</LinkCount></LinkSummary>\n<Nodes><FIs><ConnectedFICount>1</ConnectedFICount>\n\
    <Node><NodeGUID>0x1</NodeGUID><NodeDesc>n1 hfi1_0</NodeDesc><NodeDetails>gw</NodeDetails><Port><PortNum>0</PortNum></Port></Node></FIs>\n\
    <Switches><Node><NodeDesc>s1</NodeDesc></Node><Node><NodeDesc>s1</NodeDesc></Node></Switches>\n\
    <SMs><SM><PortGUID>0x2</PortGUID><PortNum>0</PortNum><SMDetails>x</SMDetails><SMState>Master</SMState></SM></SMs></Nodes></Report>\n";

fn counts(plan: &Plan) -> Vec<(NoteKind, usize)> {
    plan.notes.iter().map(|n| (n.kind, n.count)).collect()
}

#[test]
fn an_ndt_names_directors_boards_and_adapters() {
    let plan = read(NDT.as_bytes()).unwrap();
    assert!(looks_like(NDT.as_bytes()) && plan.format == PlanFormat::Ndt);
    let labels: Vec<_> = plan.cables.iter().map(|c| c.ends.each_ref().map(End::label)).collect();
    assert_eq!(
        labels,
        [
            ["SAT11-0101-0927-20IB0[21]", "SAT11-0101-0903-01IB1-A/L16/U2[20]"],
            ["SAT111092710053 ibp11s0f0", "SAT11-0101-0927-20IB0[1]"],
        ]
    );
    assert_eq!(plan.cables[1].line, 3);
    assert_eq!(counts(&plan), [(NoteKind::OtherLink, 1)]);
}

#[test]
fn columns_of_an_ndt_are_found_by_name_in_any_order_and_among_others() {
    let full = "rack #,U height,#Fields:StartDevice,StartPort,StartDeviceLocation,EndDevice,EndPort,Speed,State,Domain\n\
        ,,\"SwitchX -  Mellanox Technologies\",Port 26,,r-ufm64 mlx5_0,port 1,EDR,Active,In-Scope\n\
        ,,SwitchX,Port 27,,,,,Disabled,Disconnected\n,,SwitchX,Port 28,,\n# a comment\n,,sw,2/1,,x,3,fast,,\n";
    let plan = read(full.as_bytes()).unwrap();
    assert_eq!(plan.cables[0].ends[0].name.as_ref(), "SwitchX -  Mellanox Technologies");
    assert_eq!(plan.cables[0].rate, Some(PlannedRate::Speed("4xEDR".parse::<Rate>().unwrap().speed)));
    // Cage 2, first half: port 2 × (2 - 1) + 1.
    assert_eq!(plan.cables[1].ends[0].number, Some(3));
    assert_eq!(
        counts(&plan),
        [
            (NoteKind::OpenPort, 2),
            (NoteKind::Ignored, 1),
            (NoteKind::UnknownRate, 1),
            (NoteKind::SplitPort, 1)
        ]
    );
    let disabled =
        "StartDevice,StartPort,EndDevice,EndPort,State\nsw1,1,sw2,1,Disabled\nsw1,2,sw2,2,Active\n";
    let plan = read(disabled.as_bytes()).unwrap();
    assert_eq!(plan.cables.iter().map(|c| c.line).collect::<Vec<_>>(), [3]);
    assert_eq!(counts(&plan), [(NoteKind::OpenPort, 1)]);
    let other = "EndPort;EndDevice;StartPort;StartDevice\n1;a;Port 2;b\n";
    let cable = &read(other.as_bytes()).unwrap().cables[0];
    assert_eq!(cable.ends.each_ref().map(End::label), ["b[2]", "a[1]"]);
}

#[test]
fn a_spreadsheet_names_nodes_as_opaxlattopology_does() {
    let plan = read(TABLE.as_bytes()).unwrap();
    assert_eq!(plan.format, PlanFormat::Spreadsheet);
    let cables: Vec<_> = plan
        .cables
        .iter()
        .filter(|c| !c.internal)
        .map(|c| (c.line, c.ends.each_ref().map(End::label), c.rate.unwrap().to_string(), c.mtu))
        .collect();
    let labels = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
    assert_eq!(
        cables,
        [
            (4, labels("host01 hfi1_0[1]", "sw11[1]"), "100g".to_owned(), Some(10240)),
            (5, labels("host02 hfi1_1[2]", "sw12[2]"), "100g".to_owned(), Some(10240)),
            (6, labels("sw11[19]", "core1 L104A[9]"), "100g".to_owned(), Some(10240)),
        ]
    );
    assert_eq!(plan.cables[2].label.as_ref(), "a, \"b\"");
    assert_eq!(plan.directors, ["core1".into()]);
    assert_eq!(counts(&plan), [(NoteKind::OtherLink, 1)]);
    // The list has one leaf chip: its 24 inner ports lead to six spine chips.
    let inner = &plan.cables[3..];
    assert_eq!(inner.len(), 24);
    assert!(inner.iter().all(|c| c.internal && c.line == 9 && c.ends[1].name.as_ref() == "core1 L104A"));
    let names =
        |nodes: &[PlannedNode]| nodes.iter().map(|node| node.end.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&plan.nodes.adapters), ["host01 hfi1_0", "host02 hfi1_1", "outside hfi1_0"]);
    assert_eq!(plan.nodes.adapters[0].details.as_ref(), "gw");
    assert_eq!(plan.nodes.switches.len(), 2 + 1 + 6);
    let [sm] = &plan.nodes.managers[..] else { panic!("{plan:?}") };
    assert_eq!((sm.line, sm.end.label()), (10, "host01 hfi1_0[1]".to_owned()));
}

#[test]
fn topology_xml_is_read_and_written() {
    let plan = read(TOPOLOGY.as_bytes()).unwrap();
    let [one, other] = &plan.cables[..] else { panic!("{plan:?}") };
    assert_eq!((one.line, one.rate, one.mtu), (4, Some(PlannedRate::Tenths(1000)), Some(8192)));
    assert_eq!(
        (one.link_details.as_ref(), one.length.as_ref(), one.label.as_ref()),
        ("a & b", "11m", "S4567")
    );
    assert_eq!(one.ends[0].label(), "n1 hfi1_0[1]");
    assert_eq!((one.ends[1].kind, one.ends[1].number), (Some(NodeKind::Switch), Some(48)));
    assert_eq!((other.rate, other.ends[1].is_open()), (Some(PlannedRate::Tenths(250)), true));
    assert_eq!(counts(&plan), [(NoteKind::UnknownTag, 1)]);
    let PlannedNodes { adapters, switches, managers } = &plan.nodes;
    assert_eq!((adapters.len(), switches.len(), managers.len()), (1, 2, 1));
    assert_eq!((adapters[0].line, adapters[0].details.as_ref(), adapters[0].end.number), (12, "gw", None));
    assert_eq!((managers[0].end.number, managers[0].details.as_ref()), (Some(0), "x"));

    let again = read(topology::write(&[&plan]).as_bytes()).unwrap();
    let bare =
        |plan: &Plan| -> Vec<Cable> { plan.cables.iter().map(|c| Cable { line: 0, ..c.clone() }).collect() };
    assert_eq!(bare(&again), bare(&plan));
    let lineless = |plan: &Plan| -> Vec<PlannedNode> {
        let PlannedNodes { adapters, switches, managers } = plan.nodes.clone();
        let all = adapters.into_iter().chain(switches).chain(managers);
        all.map(|node| PlannedNode { line: 0, ..node }).collect()
    };
    assert_eq!(lineless(&again), lineless(&plan));
    let bare =
        read(b"<Report><Nodes><FIs><Node><NodeDesc>a</NodeDesc></Node></FIs></Nodes></Report>").unwrap();
    assert_eq!((bare.cables.len(), bare.nodes.adapters.len()), (0, 1));
}

#[test]
fn a_fabric_is_a_plan_and_survives_being_written() {
    let plan = Plan::of(&generate("fat-tree:4,2").unwrap(), true);
    let again = read(topology::write(&[&plan]).as_bytes()).unwrap();
    assert_eq!(again.cables.len(), plan.cables.len());
    for (a, b) in plan.cables.iter().zip(&again.cables) {
        assert_eq!((&a.ends, a.internal), (&b.ends, b.internal));
    }
}

#[test]
fn rates_are_read_as_plans_write_them() {
    for (text, shown) in
        [("100g", "100g"), ("12.5g", "12.5g"), ("100 Gb/s", "100g"), ("HDR", "HDR"), ("4xNDR", "4xNDR")]
    {
        assert_eq!(PlannedRate::parse(text).unwrap().to_string(), shown);
    }
    for text in ["", "g", "fast", "100x", "1.25g", "100gg", "-1g", "."] {
        assert_eq!(PlannedRate::parse(text), None, "{text}");
    }
    // Nominal rates: 4x QDR is 40, 4x FDR 56, 4x EDR and Omni-Path 100, 4x HDR 200 Gb/s.
    for (rate, called) in
        [("4xQDR", "40g"), ("4xFDR", "56g"), ("4xEDR", "100g"), ("4xOPA100", "100g"), ("4xHDR", "200g")]
    {
        let rate: Rate = rate.parse().unwrap();
        assert!(PlannedRate::parse(called).unwrap().allows(rate), "{called}");
        assert!(!PlannedRate::parse("25g").unwrap().allows(rate), "{called}");
    }
}

#[test]
fn bad_plans_are_refused_with_their_line_and_reason() {
    let ndt = |line: &str| format!("StartDevice,StartPort,EndDevice,EndPort\n{line}\n");
    let table =
        |line: &str| format!("{}{line}\n", TABLE.split_inclusive('\n').skip(2).take(2).collect::<String>());
    let tail = |lines: &str| table(&format!(",,,,,\n,\n{lines}"));
    let xml = |text: &str| format!("<Report>\n<LinkSummary>\n{text}\n</LinkSummary></Report>");
    let cases = [
        (ndt("a,Port 0,b,Port 1"), 2, "bad port \"0\""),
        (ndt("a,Port 300,b,Port 1"), 2, "bad port \"300\""),
        (ndt("a,Blade x_Port 1/2,b,Port 1"), 2, "a director's is"),
        (ndt("a,Port 1/3,b,Port 1"), 2, "split port"),
        (ndt("a,Port 1"), 2, "2 cells"),
        (ndt("a,Port 1,,Port 2"), 2, "without StartDevice or EndDevice"),
        (ndt("a,\"Port 1,b,Port 2"), 2, "not closed"),
        (ndt("a,,b,Port 2"), 2, "without StartPort"),
        (
            "StartDevice,StartPort,EndDevise,EndPort\n".into(),
            1,
            "no column enddevice: an NDT has StartDevice, StartPort, EndDevice and EndPort; is \"enddevise\" meant?",
        ),
        ("StartDevice,StartPort,EndDevice,EndPort,EndPort\n".into(), 1, "two columns endport"),
        (table(",,host03,,x,,,,sw13,,3"), 3, "bad Port \"x\""),
        (table(",,host03,,,,,,sw13,,"), 3, "bad Port \"\""),
        (table(",,host03,,,XX,,,sw13,,1"), 3, "unknown Type \"XX\""),
        (table(",,sw,,1,SW,,,host,,1,FI"), 3, "as the destination"),
        ("Rack Group,Rack,Name,Port,Type\n".into(), 1, "column 4 is \"Port\", not name2"),
        (xml("<Link/>"), 3, "no end is named"),
        (xml("<Link><Port><PortNum>1</PortNum></Port></Link>"), 3, "no end is named"),
        (xml("<Link><Port/><Port/><Port/></Link>"), 3, "a third <Port>"),
        (xml("<Link><Port><NodeGUID>12</NodeGUID></Port></Link>"), 3, "bad NodeGUID"),
        (xml("<Link><Port><PortNum>255</PortNum></Port></Link>"), 3, "bad PortNum"),
        (xml("<Link><MTU>big</MTU></Link>"), 3, "bad MTU"),
        ("<Report>\n<LinkSummary>\n<Link>\n".into(), 3, "ends inside <Link>"),
        ("<Report>\n<LinkSummary/>\n<LinkSummary/></Report>".into(), 3, "a second list"),
        ("<Report>\n<Nodes/>\n<Nodes/></Report>".into(), 3, "a second <Nodes>"),
        ("<Report>\n<Nodes><FIs>\n<Node>".into(), 3, "ends inside <Node>"),
        (
            "<Report><Nodes>\n<FIs><Node><PortGUID>0x1</PortGUID></Node></FIs></Nodes></Report>".into(),
            2,
            "a <Node> that is not named",
        ),
        (
            "<Report><Nodes><SMs>\n<SM><PortNum>x</PortNum></SM></SMs></Nodes></Report>".into(),
            2,
            "bad PortNum",
        ),
        (tail("Core Name:c"), 5, "without Core Size"),
        (tail("Core Name:c d,Core Size:288"), 5, "is one word"),
        (tail("Core Name:c,Core Size:300"), 5, "bad Core Size \"300\": 288 or 1152"),
        (tail("Core Name:c,Core Size:288,Core Full:2"), 5, "bad Core Full"),
        (tail("Core Name:c,Core Size:288,Core Rak:x"), 5, "\"Core Rak:x\" of a director"),
        (tail("Core Name:c,Core Size:288\nCore Name:c,Core Size:288"), 6, "occurs twice"),
        (tail("Present Leaves\nCore Name:c,L101"), 6, "no Core Name:c"),
        (tail("Core Name:core1,Core Size:288\n\nPresent Leaves\nCore Name:core2,L101"), 8, "is core1 meant?"),
        (
            tail("Core Name:c,Core Size:288\n\nPresent Leafs\nCore Name:c,L107"),
            8,
            "c has no leaf L107: L101 to L106",
        ),
        (
            tail("Core Name:c,Core Size:288\n\nOmitted Spines\nCore Name:c,S204"),
            8,
            "c has no spine S204: S201 to S203",
        ),
        ("<!DOCTYPE x [<!ENTITY a \"b\">]><Report/>".into(), 1, "DOCTYPE"),
    ];
    for (text, line, reason) in cases {
        let error = read(text.as_bytes()).unwrap_err();
        assert_eq!(error.line, Some(line), "{error}\n{text}");
        assert!(error.reason.contains(reason), "{error}\n{text}");
    }
    assert!(read(b"a,b,c\n1,2,3\n").unwrap_err().reason.contains("StartDevice"));
    assert!(read(b"<Report><Nodes/></Report>").unwrap_err().reason.contains("neither cables nor nodes"));
    assert!(!looks_like(b"vendid=0x2c9\n") && !looks_like(b"<Snapshot/>"));
}
