//! A configuration for a fabric that is a whole torus or mesh: sizes, and two seeds.
//!
//! Sizes whose product is the number of switches, and whose links are as many as there are, are tried with every way to
//! give the neighbours of one switch a dimension each, or two of them one that is closed. That switch has as few neighbours as
//! any, so it is at an end of every open dimension. The first that gives every switch a position, and every cable between
//! switches a direction, is it.

use super::locate::{NONE, Positions};
use super::{NOWHERE, Torus, hosts};
use crate::fabric::switch_graph::SwitchGraph;
use crate::fabric::{Fabric, NodeId, PortId};
use crate::io::torus_conf::{Dimension, Seed, SeedLink, TorusConf};

/// OpenSM's default limit of parallel cables, and of hosts of a switch with its port 0.
const MAX_PORTS: u32 = 16;
const MAX_CHANGES: u32 = 32;
/// The shortest dimension with an inner switch, which has two neighbours in it.
const SHORTEST: u32 = 3;

/// The configuration by which torus-2QoS routes a fabric; none where its cables are no torus or mesh of two or three dimensions,
/// each at least 3 long.
pub fn proposal(fabric: &Fabric) -> Option<TorusConf> {
    let graph = SwitchGraph::of(fabric);
    let neighbours = |s: NodeId| {
        let mut far: Vec<u32> =
            graph.links(s.ix()).map(|l| graph.peer[l]).filter(|&far| far as usize != s.ix()).collect();
        far.sort_unstable();
        far.dedup();
        far
    };
    let all: Vec<Vec<u32>> = fabric.switches().map(neighbours).collect();
    let fewest = all.iter().map(Vec::len).min()?;
    let long = all.iter().map(Vec::len).max()?.div_ceil(2);
    let open = (2 * long).checked_sub(fewest).filter(|&open| open <= long)?;
    if !matches!(long, 2 | 3) || graph.components().iter().any(|&component| component > 0) {
        return None;
    }
    let links: usize = all.iter().map(Vec::len).sum::<usize>() / 2;
    let from = fabric.switches_in_opensm_order().into_iter().find(|s| all[s.ix()].len() == fewest)?;
    for dimensions in shapes(fabric.num_switches() as u32, long, open, links) {
        for neighbours in ways(&dimensions[..long], &all[from.ix()]) {
            let conf = begun(fabric, from, dimensions, &neighbours);
            if let Some(torus) = Torus::of(fabric, &conf).ok().filter(|torus| is_whole(fabric, torus)) {
                return Some(finished(fabric, &torus, conf));
            }
        }
    }
    None
}

/// The dimensions that so many switches and links between neighbours may have, the longest first, so many of them open.
fn shapes(switches: u32, long: usize, open: usize, links: usize) -> Vec<[Dimension; 3]> {
    let mut all = Vec::new();
    for x in (SHORTEST..=switches).filter(|&x| switches.is_multiple_of(x)) {
        for y in (SHORTEST..=x).filter(|&y| (switches / x).is_multiple_of(y)) {
            let z = switches / x / y;
            if (long == 2 && z == 1) || (long == 3 && (SHORTEST..=y).contains(&z)) {
                let flags = (0..1_u32 << long).filter(|flags| flags.count_ones() as usize == open);
                let dimension =
                    |d: usize, flags: u32| Dimension { radix: [x, y, z][d], closed: flags >> d & 1 == 0 };
                all.extend(flags.map(|flags| [0, 1, 2].map(|d| dimension(d, flags))));
            }
        }
    }
    let links_of = |d: &Dimension| match (d.radix, d.closed) {
        (1, _) => 0,
        (_, true) => switches as usize,
        (radix, false) => (switches - switches / radix) as usize,
    };
    all.retain(|dimensions| dimensions.iter().map(links_of).sum::<usize>() == links);
    all
}

/// Every way to give the neighbours of a switch to dimensions: two to a closed one, one to an open one.
fn ways(dimensions: &[Dimension], neighbours: &[u32]) -> Vec<Vec<[Option<u32>; 2]>> {
    let Some((first, rest)) = dimensions.split_first() else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for (i, &one) in neighbours.iter().enumerate() {
        let others: Vec<Option<u32>> =
            if first.closed { neighbours[i + 1..].iter().copied().map(Some).collect() } else { vec![None] };
        for other in others {
            let left: Vec<u32> =
                neighbours.iter().copied().filter(|&n| n != one && Some(n) != other).collect();
            for mut way in ways(rest, &left) {
                way.insert(0, [Some(one), other]);
                all.push(way);
            }
        }
    }
    all
}

/// A configuration that begins at a switch, at the coordinates 0.
fn begun(
    fabric: &Fabric,
    from: NodeId,
    dimensions: [Dimension; 3],
    neighbours: &[[Option<u32>; 2]],
) -> TorusConf {
    let mut seed = Seed::default();
    for (d, &[plus, minus]) in neighbours.iter().enumerate() {
        let link = |to: Option<u32>| to.map(|to| link(fabric, from, NodeId(to)));
        seed.links[d] = [link(plus), link(minus).filter(|_| needs_both(dimensions[d]))];
    }
    TorusConf {
        line: 1,
        dimensions,
        seeds: vec![seed],
        max_ports: MAX_PORTS,
        max_ports_line: None,
        max_changes: MAX_CHANGES,
        port_order: Vec::new(),
        port_order_line: 0,
    }
}

/// Whether a seed has to name both neighbours, as they share more than itself.
fn needs_both(dimension: Dimension) -> bool {
    dimension.closed && dimension.radix == 4
}

fn link(fabric: &Fabric, from: NodeId, to: NodeId) -> SeedLink {
    SeedLink { line: 0, from: fabric.node(from).guid, to: fabric.node(to).guid }
}

/// Whether every switch has a position, and every cable between switches a direction.
fn is_whole(fabric: &Fabric, torus: &Torus) -> bool {
    let between = |p: PortId| fabric.peer(p).is_some_and(|far| fabric.is_switch(fabric.node_of(far)));
    torus.positions.found.len() == fabric.num_switches()
        && !torus.positions.switch_at.contains(&NONE)
        && fabric
            .switches()
            .flat_map(|s| fabric.ports_of(s))
            .all(|p| !between(p) || usize::from(torus.direction[p.ix()]) != NOWHERE)
}

/// The configuration with a second seed, half a torus away, and with the limits that the fabric needs.
fn finished(fabric: &Fabric, torus: &Torus, mut conf: TorusConf) -> TorusConf {
    let Positions { switch_at, size, .. } = &torus.positions;
    let half = (size[2] / 2 * size[1] + size[1] / 2) * size[0] + size[0] / 2;
    let from = NodeId(switch_at[half as usize]);
    let mut seed = Seed::default();
    for d in (0..3).filter(|&d| size[d] > 1) {
        let beside = |steps: i64| {
            let to = NodeId(switch_at[torus.positions.beside(half as usize, d, steps)]);
            Some(link(fabric, from, to))
        };
        let both = needs_both(conf.dimensions[d]);
        seed.links[d] = [beside(1), beside(-1).filter(|_| both)];
        seed.datelines[d] = -(size[d] / 2).cast_signed();
    }
    conf.seeds.push(seed);
    let most = fabric.switches().map(|s| {
        let cables = (0..NOWHERE).map(|direction| {
            fabric.ports_of(s).filter(|p| usize::from(torus.direction[p.ix()]) == direction).count()
        });
        cables.max().unwrap_or(0).max(hosts(fabric, s).count() + 1) as u32
    });
    conf.max_ports = conf.max_ports.max(most.max().unwrap_or(0));
    conf
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{generate, without};
    use crate::io::torus_conf::{read, write};
    use crate::routing::Options;
    use crate::routing::opensm::torus_2qos::fit;
    use crate::routing::{Sweep, opensm::torus_2qos};
    use crate::sm::lids::{LidOptions, Lids};

    #[test]
    fn whole_tori_and_meshes_are_recognised_whatever_the_order_of_their_switches() {
        for (spec, sizes) in [
            ("torus:4x4x4", [4, 4, 4]),
            ("torus:5x4:shuffle=3", [5, 4, 1]),
            ("torus:3x6x5:shuffle=1", [6, 5, 3]),
            ("torus:4x3x8,h=2:shuffle=7", [8, 4, 3]),
            ("mesh:4x5:shuffle=2", [5, 4, 1]),
            ("mesh:3x4x5:shuffle=4", [5, 4, 3]),
        ] {
            let fabric = generate(spec).unwrap();
            let conf = proposal(&fabric).expect(spec);
            assert_eq!(conf.dimensions.map(|d| d.radix), sizes, "{spec}");
            assert!(conf.dimensions.iter().all(|d| d.radix == 1 || d.closed == spec.starts_with("torus")));
            // As a file it fits the fabric, and so it does without the switch of its first seed.
            let read = read(write(&conf).as_bytes()).unwrap();
            fit(&fabric, &read).unwrap();
            let lids =
                Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &LidOptions::fresh()).unwrap();
            let options = Options { torus: Some(read.clone()), ..Options::default() };
            torus_2qos::route(&Sweep::first(&fabric, &lids, &options)).unwrap();
            let gone =
                fabric.switches().find(|&s| fabric.node(s).guid == read.seeds[0].links[0][0].unwrap().from);
            let name = fabric.node(gone.unwrap()).guid.to_string();
            fit(&without(&fabric, &[&name]).unwrap(), &read).unwrap();
        }
    }

    #[test]
    fn other_fabrics_have_none() {
        for spec in ["fat-tree:8,2", "ring:6", "hypercube:4", "random:16,4,2", "dragonfly:2,4,2"] {
            // The hypercube of four dimensions is the torus of 4 x 4.
            let conf = proposal(&generate(spec).unwrap());
            let sizes = conf.map(|conf| conf.dimensions.map(|d| d.radix));
            assert_eq!(sizes, (spec == "hypercube:4").then_some([4, 4, 1]), "{spec}");
        }
    }
}
