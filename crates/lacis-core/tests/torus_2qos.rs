//! What torus-2QoS promises: on whole tori shortest paths, around what it says it survives all pairs, never a
//! credit loop on either level of service, and service levels that losses do not change.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::fmt::Write as _;

use lacis_core::fabric::{Fabric, NodeId, Population, PortId};
use lacis_core::generate::{generate, without};
use lacis_core::io::torus_conf::{self, axis};
use lacis_core::routing::opensm::torus_2qos::fit;
use lacis_core::routing::{Options, route};
use lacis_core::sm::lanes::{PathLanes, ServiceLevels};
use lacis_core::sm::lids::{LidOptions, Lids};
use lacis_core::sm::{Engine, Routes};
use lacis_core::verify::verify;
use proptest::prelude::*;
use proptest::sample::Index;

/// A torus or mesh of three dimensions (1 for none), as `generate` draws it: z runs fastest.
#[derive(Clone, Copy, Debug)]
struct Shape {
    sizes: [usize; 3],
    closed: bool,
}

impl Shape {
    fn spec(&self, hosts: usize) -> String {
        let word = if self.closed { "torus" } else { "mesh" };
        let [x, y, z] = self.sizes;
        format!("{word}:{x}x{y}x{z}:h={hosts}")
    }

    fn switches(&self) -> usize {
        self.sizes.iter().product()
    }

    fn switch(&self, at: [usize; 3]) -> usize {
        let [_, y, z] = self.sizes;
        (at[0] * y + at[1]) * z + at[2]
    }

    fn coordinates(&self, switch: usize) -> [usize; 3] {
        let [_, y, z] = self.sizes;
        [switch / (y * z), switch / z % y, switch % z]
    }

    fn beside(&self, switch: usize, d: usize, steps: usize) -> usize {
        let mut at = self.coordinates(switch);
        at[d] = (at[d] + steps) % self.sizes[d];
        self.switch(at)
    }

    fn distance(&self, a: usize, b: usize) -> usize {
        let (a, b) = (self.coordinates(a), self.coordinates(b));
        let along = |d: usize| {
            let apart = a[d].abs_diff(b[d]);
            if self.closed { apart.min(self.sizes[d] - apart) } else { apart }
        };
        (0..3).map(along).sum()
    }

    /// A configuration with one seed, at the origin.
    fn conf(&self, whole: &Fabric) -> String {
        let [x, y, z] = self.sizes;
        let mut conf = format!("{} {x} {y} {z}\n", if self.closed { "torus" } else { "mesh" });
        let guid = |switch: usize| whole.node(NodeId(switch as u32)).guid;
        for d in (0..3).filter(|&d| self.sizes[d] > 1) {
            let (up, down) = (self.beside(0, d, 1), self.beside(0, d, self.sizes[d] - 1));
            writeln!(conf, "{}p_link {} {}", axis(d), guid(0), guid(up)).unwrap();
            if self.closed && self.sizes[d] > 2 {
                writeln!(conf, "{}m_link {} {}", axis(d), guid(0), guid(down)).unwrap();
            }
        }
        conf
    }
}

fn shapes(sizes: impl Strategy<Value = usize> + Clone) -> impl Strategy<Value = Shape> {
    let flat = prop_oneof![Just(None), (0_usize..3).prop_map(Some)];
    (sizes.clone(), sizes.clone(), sizes, flat, any::<bool>()).prop_map(|(x, y, z, flat, closed)| {
        let mut sizes = [x, y, z];
        if let Some(d) = flat {
            sizes[d] = 1;
        }
        Shape { sizes, closed }
    })
}

fn routed(fabric: &Fabric, conf: &str, vls: u8) -> Result<Routes, String> {
    let lids = Lids::assign(fabric, Lids::default_sm(fabric).unwrap(), &LidOptions::fresh()).unwrap();
    let torus = Some(torus_conf::read(conf.as_bytes()).unwrap());
    let options = Options { torus, vls, fallback: false, ..Options::default() };
    route(fabric, lids, &[Engine::Torus2Qos], &options).map_err(|error| error.to_string())
}

/// The same routes on the second level of service.
fn second_level(routes: &Routes) -> Routes {
    let lanes = routes.lanes.as_ref().unwrap();
    let mut levels = lanes.service_levels().clone();
    match &mut levels {
        ServiceLevels::BySwitches { levels, .. } => levels.iter_mut().for_each(|sl| *sl |= 8),
        other => panic!("{other:?}"),
    }
    Routes { lanes: Some(PathLanes::new(levels, lanes.virtual_lanes().clone())), ..routes.clone() }
}

/// Checks that all pairs are served without a credit loop on either level; the lanes of the first.
fn check(fabric: &Fabric, routes: &Routes) -> Result<u32, TestCaseError> {
    let first = verify(fabric, routes, Population::Hosts, false);
    prop_assert_eq!(first.verdicts.failed(), 0);
    prop_assert!(first.credit_loops.is_empty(), "{:?}", first.credit_loops);
    let second = verify(fabric, &second_level(routes), Population::Hosts, false);
    prop_assert!(second.credit_loops.is_empty(), "{:?}", second.credit_loops);
    Ok(first.lanes)
}

/// Switches on the path from a switch to a LID, both ends counted.
fn path(fabric: &Fabric, routes: &Routes, from: NodeId, lid: u32) -> Vec<NodeId> {
    let mut path = vec![from];
    while let Some(next) = next(fabric, routes, path[path.len() - 1], lid) {
        path.push(next);
        assert!(path.len() <= fabric.num_switches(), "a loop to LID {lid}");
    }
    path
}

fn next(fabric: &Fabric, routes: &Routes, at: NodeId, lid: u32) -> Option<NodeId> {
    let port = routes.lft.get(at, lid);
    let far = fabric.port(at, port).filter(|_| port > 0).and_then(|p: PortId| fabric.peer(p));
    far.map(|p| fabric.node_of(p)).filter(|&n| fabric.is_switch(n))
}

/// Whether the cables that a switch has left would suit the lost one's position as well as its own: then nothing shows
/// which of the two is lost.
fn has_a_double(whole: &Fabric, fabric: &Fabric, lost: usize) -> bool {
    let far = |fabric: &Fabric, s: NodeId| -> Vec<String> {
        let far = fabric.ports_of(s).filter_map(|p| fabric.peer(p)).map(|p| fabric.node_of(p));
        far.filter(|&n| fabric.is_switch(n)).map(|n| fabric.node(n).description.to_string()).collect()
    };
    let around = far(whole, NodeId(lost as u32));
    let mut others = fabric.switches().map(|s| far(fabric, s));
    others.any(|far| far.iter().all(|name| around.contains(name)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whole_tori_and_meshes_have_shortest_paths_on_two_lanes(shape in shapes(2_usize..6), hosts in 1_usize..3) {
        let fabric = generate(&shape.spec(hosts)).unwrap();
        let routes = routed(&fabric, &shape.conf(&fabric), 8);
        // One line of switches has no cells to find the positions by.
        if shape.sizes.iter().filter(|&&n| n > 1).count() < 2 {
            return Ok(());
        }
        let routes = routes.map_err(TestCaseError::fail)?;
        prop_assert!(check(&fabric, &routes)? <= 2);
        for from in fabric.switches() {
            for to in fabric.switches() {
                let hops = path(&fabric, &routes, from, routes.lids.of_switch(&fabric, to)).len() - 1;
                prop_assert_eq!(hops, shape.distance(from.ix(), to.ix()));
            }
        }
    }

    #[test]
    fn a_lost_switch_and_a_lost_cable_in_other_rings_leave_all_pairs_and_all_service_levels(
        shape in shapes(prop_oneof![Just(3_usize), Just(5), Just(6)]),
        lost in prop::option::of(any::<Index>()),
        cuts in prop::collection::vec((any::<Index>(), 0_usize..3), 0..4),
    ) {
        let shape = Shape { closed: true, ..shape };
        if shape.sizes.iter().filter(|&&n| n > 1).count() < 2 {
            return Ok(());
        }
        let whole = generate(&shape.spec(1)).unwrap();
        let conf = shape.conf(&whole);
        let name = |s: usize| whole.node(NodeId(s as u32)).description.to_string();
        // The seed stays: the origin and its neighbours.
        let seed = |s: usize| shape.distance(s, 0) <= 1;
        let lost = lost.map(|i| i.index(shape.switches())).filter(|&s| !seed(s));
        let mut broken: Vec<(usize, [usize; 3])> = Vec::new();
        let ring = |s: usize, d: usize| {
            let mut line = shape.coordinates(s);
            line[d] = 0;
            (d, line)
        };
        if let Some(s) = lost {
            broken.extend((0..3).map(|d| ring(s, d)));
        }
        let mut gone: Vec<String> = lost.map(name).into_iter().collect();
        for (i, d) in cuts {
            let s = i.index(shape.switches());
            let far = shape.beside(s, d, 1);
            if shape.sizes[d] < 3 || broken.contains(&ring(s, d)) || (seed(s) && seed(far)) {
                continue;
            }
            broken.push(ring(s, d));
            gone.push(format!("{}--{}", name(s), name(far)));
        }
        let fabric = without(&whole, &gone.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
        if lost.is_some_and(|lost| has_a_double(&whole, &fabric, lost)) {
            return Ok(());
        }
        let before = routed(&whole, &conf, 8).map_err(TestCaseError::fail)?;
        let after = routed(&fabric, &conf, 8).map_err(TestCaseError::fail)?;
        let lanes = check(&fabric, &after)?;
        prop_assert!(lanes <= if lost.is_some() { 4 } else { 2 }, "{} lanes", lanes);
        let twin = |s: NodeId| NodeId((0..shape.switches()).find(|&w| name(w) == *fabric.node(s).description).unwrap() as u32);
        for from in fabric.switches() {
            for to in fabric.switches() {
                let sl = |routes: &Routes, f: &Fabric, from: NodeId, to: NodeId| {
                    routes.lanes.as_ref().unwrap().sl(from, routes.lids.of_switch(f, to))
                };
                prop_assert_eq!(sl(&after, &fabric, from, to), sl(&before, &whole, twin(from), twin(to)));
            }
        }
    }
}

/// The example of the manual: a torus of 6 x 5 whose switch T at 3,1 has failed; S is at 1,1 and D at 3,3, and the
/// path turns early at n, 2,1: S n I r D.
#[test]
fn the_manuals_detour_around_a_lost_switch_is_taken() {
    let shape = Shape { sizes: [6, 5, 1], closed: true };
    let whole = generate(&shape.spec(1)).unwrap();
    let at = |fabric: &Fabric, x: usize, y: usize| fabric.find_node(&format!("switch-{x}-{y}-0")).unwrap();
    let walk = |fabric: &Fabric| -> Vec<String> {
        let routes = routed(fabric, &shape.conf(&whole), 8).unwrap();
        let lid = routes.lids.of_switch(fabric, at(fabric, 3, 3));
        let path = path(fabric, &routes, at(fabric, 1, 1), lid);
        path.into_iter().map(|n| fabric.node(n).description["switch-".len()..][..3].to_string()).collect()
    };
    assert_eq!(walk(&whole), ["1-1", "2-1", "3-1", "3-2", "3-3"]);
    assert_eq!(walk(&without(&whole, &["switch-3-1-0"]).unwrap()), ["1-1", "2-1", "2-2", "3-2", "3-3"]);
    // With the cable S n gone, the long direction around the ring: S m p o T r D.
    let cut = without(&whole, &["switch-1-1-0--switch-2-1-0"]).unwrap();
    assert_eq!(walk(&cut), ["1-1", "0-1", "5-1", "4-1", "3-1", "3-2", "3-3"]);
}

#[test]
fn what_cannot_be_survived_is_refused_with_its_reason() {
    let shape = Shape { sizes: [6, 5, 1], closed: true };
    let whole = generate(&shape.spec(1)).unwrap();
    let conf = shape.conf(&whole);
    for (gone, vls, reason) in [
        (
            vec!["switch-2-1-0--switch-3-1-0", "switch-4-1-0--switch-5-1-0"],
            8,
            "x ring at y = 1, z = 0 into pieces",
        ),
        (vec!["switch-2-2-0", "switch-4-4-0"], 8, "2 switches are missing, such as those at 2,2,0 and 4,4,0"),
        (vec!["switch-3-3-0"], 3, "4 lanes around a lost switch"),
        (vec![], 1, "2 lanes"),
        (vec!["switch-1-0-0"], 8, "the seed's switch is not in the fabric"),
    ] {
        let fabric = without(&whole, &gone).unwrap();
        let refused = routed(&fabric, &conf, vls).unwrap_err();
        assert!(refused.contains(reason), "{gone:?}: {refused}");
    }
    let ring = Shape { sizes: [4, 1, 1], closed: true };
    let fabric = generate(&ring.spec(1)).unwrap();
    assert!(routed(&fabric, &ring.conf(&fabric), 8).unwrap_err().contains("two dimensions longer than 1"));
    // One level of service takes half the lanes.
    let lost = without(&whole, &["switch-3-3-0"]).unwrap();
    assert!(check(&lost, &routed(&lost, &conf, 4).unwrap()).unwrap() <= 4);
}

#[test]
fn a_configuration_that_does_not_fit_is_refused_with_its_line() {
    let shape = Shape { sizes: [6, 5, 1], closed: true };
    let fabric = generate(&shape.spec(2)).unwrap();
    let conf = shape.conf(&fabric);
    assert_eq!(fit(&fabric, &torus_conf::read(conf.as_bytes()).unwrap()), Ok(()));
    let origin = fabric.node(NodeId(0)).guid.to_string();
    // A mesh is what a torus has besides.
    assert_eq!(fit(&fabric, &torus_conf::read(conf.replace("6 5 1", "6M 5M 1").as_bytes()).unwrap()), Ok(()));
    for (other, line, reason, text) in [
        (conf.replace("6 5 1", "5 5 1"), 1, "has 30 switches, a torus of these sizes 25", "5 x 5 x 1"),
        (conf.replace("6 5 1", "6 6 1"), 1, "find a position, and the cable", "6 x 6 x 1"),
        (conf.replace("6 5 1", "5 6 1"), 1, "find a position, and the cable", "5 x 6 x 1"),
        (conf.clone() + "port_order 1 9\n", 6, "has 8 ports only", "9"),
        (conf.clone() + "portgroup_max_ports 2\n", 6, "3 hosts, counted with its port 0, and", ""),
        (conf.replace(&origin, "0xf000000000000001"), 2, "the seed's switch is not in the fabric", "0xf"),
    ] {
        let error = fit(&fabric, &torus_conf::read(other.as_bytes()).unwrap()).expect_err(&other);
        assert_eq!(error.line, Some(line), "{error}");
        assert!(error.reason.contains(reason) && error.text.starts_with(text), "{error}");
    }
}
