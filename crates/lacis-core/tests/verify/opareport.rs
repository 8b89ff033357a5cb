//! Routes in opareport's layout against what the real one printed: opa-ff 10.10.3, `-X SNAPSHOT -o route -S A -D B`.
//!
//! The snapshot was of `chain:2:h=2` under shortestpath with LMC 1; the first switch lacks an entry, for the second
//! LID of node0004.

use lacis_core::fabric::NodeId;
use lacis_core::generate::generate;
use lacis_core::routing::{Options, route};
use lacis_core::sm::lids::{LidOptions, Lids};
use lacis_core::sm::{Engine, NO_ENTRY};
use lacis_core::verify::{PointError, routes_report};

/// Lines `> A > B`, each followed by what was printed of the routes from A to B.
const RECORDED: &str = include_str!("opareport.txt");
const LOST: u32 = 0xb;

fn report(from: &str, to: &str) -> Result<String, PointError> {
    let fabric = generate("chain:2:h=2").unwrap();
    let options = LidOptions { lmc: 1, ..LidOptions::fresh() };
    let lids = Lids::assign_omni_path(&fabric, Lids::default_sm(&fabric).unwrap(), &options).unwrap();
    let mut routes = route(&fabric, lids, &[Engine::ShortestPath], &Options::default()).unwrap();
    routes.lft.row_mut(NodeId(0))[LOST as usize] = NO_ENTRY;
    routes_report(&fabric, &routes, from, to)
}

#[test]
fn routes_are_printed_as_the_real_opareport_prints_them() {
    let mut asked = 0;
    for recorded in RECORDED.split("\n> ") {
        let (head, expected) = recorded.trim_start_matches("> ").split_once('\n').unwrap();
        let (from, to) = head.split_once(" > ").unwrap();
        assert_eq!(report(from, to).unwrap().trim_end(), expected.trim_end(), "{head}");
        asked += 1;
    }
    assert_eq!(asked, 9);
}

#[test]
fn points_are_refused_where_the_real_opareport_refuses_them() {
    // FNOT_FOUND there.
    for point in [
        "node:switch-0:port:4",
        "node:switch-0:port:9",
        "nodeguid:1",
        "lid:40",
        "portguid:7",
        "lid:2:port:0",
        "node:nope",
    ] {
        assert_eq!(report(point, "lid:2"), Err(PointError::NotFound(point.into())));
    }
    // FINVALID there.
    for point in
        ["lid:x", "node:switch-0:port:x", "portguid:0x0002c90300100005:port:1", "guid:4", "lid:2:port:1:node"]
    {
        assert_eq!(report("lid:2", point), Err(PointError::Malformed(point.into())));
    }
}
