//! torus-2QoS: dimension after dimension on a torus or mesh of two or three dimensions, free of credit loops,
//! with two levels of service; around one failed switch and one gap in each ring.
//!
//! OpenSM 3.3.23's behaviour, from its manual pages `torus-2QoS(8)` and `torus-2QoS.conf(5)` and experiments with
//! it. The lanes are the datelines of W. J. Dally and C. L. Seitz, "Deadlock-Free Message Routing in
//! Multiprocessor Interconnection Networks", IEEE Trans. Computers C-36(5), 1987.
//!
//! | bit | of the service level | of the lane between switches | of the lane to an end node |
//! |-----|----------------------|------------------------------|----------------------------|
//! | 0   | the path passes x's end | it passes the end of the link's dimension | level of service |
//! | 1   | it passes y's end | it came from a later dimension, to go around a lost switch | |
//! | 2   | it passes z's end | level of service | |
//! | 3   | level of service | | |
//!
//! Losses change no service level. The levels here are those of quality 0; quality 1 adds 8.
//!
//! Tables are OpenSM's, entry by entry. Its choice among parallel cables follows the order in which it finds the
//! switches, which is reproduced for whole tori with seeds that grow, where no closed dimension is 4 long. OpenSM
//! leaves out what of a larger torus is beyond the configured sizes, and its hosts; here such a configuration
//! is refused. OpenSM also refuses without its option `-Q`; here that is understood.

mod locate;
mod proposal;
mod rings;

pub use proposal::proposal;

use rayon::prelude::*;

use crate::fabric::{Fabric, NodeId, PortId};
use crate::io::ReadError;
use crate::io::torus_conf::TorusConf;
use crate::routing::common::destinations::{edge_of_lid, ends_on};
use crate::routing::{Refused, Sweep, Tables};
use crate::sm::lanes::{PathLanes, ServiceLevels, VirtualLanes};
use crate::sm::{Lft, RefusalReason, TorusMisfit};
use locate::{NONE, Positions};
use rings::{Direction, Rings};

/// Lanes for two levels of service; half as many do for one.
const LANES: u8 = 8;
/// Ports that point in none of the six directions.
const NOWHERE: usize = 6;

/// Routes a torus.
///
/// # Errors
/// Without a configuration, with one that does not fit, with too few lanes, and where losses leave no detours that
/// are free of credit loops.
pub fn route(sweep: &Sweep<'_>) -> Result<Tables, Refused> {
    let Sweep { fabric, options, .. } = *sweep;
    let Some(conf) = &options.torus else {
        return Err(Refused::new(RefusalReason::TorusUnconfigured));
    };
    let torus = Torus::of(fabric, conf).map_err(Refused::new)?;
    let rings = torus.rings(fabric);
    if let Some(objection) = rings.objection() {
        return Err(Refused::new(objection));
    }
    let has_lost = torus.positions.switch_at.contains(&NONE);
    let least = if has_lost { LANES / 2 } else { LANES / 4 };
    if options.vls < least {
        return Err(Refused::new(RefusalReason::TorusLanesFew {
            needed: least,
            lanes: options.vls,
            is_around_lost: has_lost,
        }));
    }
    torus.check_bundles(fabric, conf).map_err(Refused::new)?;
    let lft = tables(sweep, conf, &torus, &rings);
    let lanes =
        PathLanes::new(service_levels(sweep, &torus, &rings), virtual_lanes(fabric, &torus, options.vls));
    Ok(Tables { lft, lanes: Some(lanes) })
}

/// Whether a configuration is one of this fabric, whatever has failed in it.
///
/// # Errors
/// When each seed lacks a switch, the fabric has more switches than the torus, cables join switches that are no
/// neighbours in it while others are missing, a port is named that a switch lacks, or a bundle of cables is
/// larger than it allows.
pub fn fit(fabric: &Fabric, conf: &TorusConf) -> Result<(), ReadError> {
    let fits = Torus::of(fabric, conf).and_then(|torus| torus.check_bundles(fabric, conf));
    fits.map_err(|misfit| ReadError::at(misfit.line(), misfit.reason(), &misfit.text()))
}

/// A fabric as a torus.
struct Torus {
    positions: Positions,
    /// By port, the number of the direction it points in, or [`NOWHERE`].
    direction: Vec<u8>,
}

impl Torus {
    fn of(fabric: &Fabric, conf: &TorusConf) -> Result<Self, TorusMisfit> {
        check_port_order(fabric, conf)?;
        let positions = Positions::of(fabric, conf)?;
        let (line, sizes) = (conf.line, positions.size);
        let (switches, num_positions) = (positions.reachable, positions.switch_at.len());
        if switches > num_positions {
            return Err(TorusMisfit::TorusSmall { line, sizes, switches, positions: num_positions });
        }
        let mut torus = Self { direction: vec![NOWHERE as u8; fabric.num_ports()], positions };
        let mut stray = None;
        for (port, far) in fabric.cables().flat_map(|(a, b)| [(a, b), (b, a)]) {
            let position = |p: PortId| {
                torus.positions.position_of.get(fabric.node_of(p).ix()).copied().filter(|&p| p != NONE)
            };
            let Some((from, to)) = position(port).zip(position(far)) else { continue };
            match torus.points(from as usize, to as usize) {
                Some(direction) => torus.direction[port.ix()] = direction.ix() as u8,
                None if torus.closes_a_mesh(from as usize, to as usize) => {}
                None => stray = stray.or(Some((port, far))),
            }
        }
        let located = torus.positions.found.len();
        if let Some((port, far)) = stray.filter(|_| located < switches.max(num_positions)) {
            let ports = [port, far].map(|end| fabric.port_name(end));
            return Err(TorusMisfit::StrayCable { line, sizes, located, switches, ports });
        }
        Ok(torus)
    }

    /// The direction from a position to its neighbour; none where it is no neighbour.
    fn points(&self, from: usize, to: usize) -> Option<Direction> {
        let Positions { size, closed, .. } = self.positions;
        let (a, b) = (self.positions.coordinates(from), self.positions.coordinates(to));
        let mut differ = (0..3).filter(|&d| a[d] != b[d]);
        let d = differ.next().filter(|_| differ.next().is_none())?;
        let end = |low: u32, high: u32| closed[d] && size[d] > 2 && low == 0 && high + 1 == size[d];
        if a[d] + 1 == b[d] || end(b[d], a[d]) {
            Some(Direction { d, grows: true })
        } else if b[d] + 1 == a[d] || end(a[d], b[d]) {
            Some(Direction { d, grows: false })
        } else {
            None
        }
    }

    /// Whether a cable joins the ends of a dimension that is configured as open.
    fn closes_a_mesh(&self, from: usize, to: usize) -> bool {
        (0..3).any(|d| [-1, 1].map(|step| self.positions.beside(from, d, step)).contains(&to))
    }

    fn rings(&self, fabric: &Fabric) -> Rings<'_> {
        let cabled = |a: u32, b: u32| {
            let mut far = fabric.ports_of(NodeId(a)).filter_map(|p| fabric.peer(p));
            far.any(|p| fabric.node_of(p) == NodeId(b))
        };
        Rings::of(&self.positions, cabled)
    }

    /// The ports of a switch by direction, in OpenSM's order: by the port number at the end from where the
    /// coordinate grows.
    fn bundles(&self, fabric: &Fabric, switch: NodeId) -> [Vec<u8>; 6] {
        let mut bundles: [Vec<(u8, u8)>; 6] = Default::default();
        for port in fabric.ports_of(switch) {
            let direction = usize::from(self.direction[port.ix()]);
            if let Some((far, bundle)) = fabric.peer(port).zip(bundles.get_mut(direction)) {
                let (near, far) = (fabric.number_of(port), fabric.number_of(far));
                bundle.push((if direction % 2 == 0 { near } else { far }, near));
            }
        }
        bundles.map(|mut bundle| {
            bundle.sort_unstable();
            bundle.into_iter().map(|(_, port)| port).collect()
        })
    }

    /// Checks that no more cables run in parallel, and no more hosts are on a switch, than configured.
    fn check_bundles(&self, fabric: &Fabric, conf: &TorusConf) -> Result<(), TorusMisfit> {
        let (line, most) = (conf.max_ports_line.unwrap_or(conf.line), conf.max_ports);
        for &switch in &self.positions.found {
            let cables = self.bundles(fabric, switch).iter().map(Vec::len).max().unwrap_or(0);
            let hosts = hosts(fabric, switch).count() + 1;
            let name = || fabric.node(switch).description.to_string();
            if cables > most as usize {
                return Err(TorusMisfit::CablesMany { line, switch: name(), cables, most });
            }
            if hosts > most as usize {
                return Err(TorusMisfit::HostsMany { line, switch: name(), hosts, most });
            }
        }
        Ok(())
    }
}

fn check_port_order(fabric: &Fabric, conf: &TorusConf) -> Result<(), TorusMisfit> {
    let Some(&port) = conf.port_order.iter().max() else { return Ok(()) };
    match fabric.switches().find(|&s| fabric.radix(s) < port) {
        None => Ok(()),
        Some(switch) => Err(TorusMisfit::PortAbsent {
            line: conf.port_order_line,
            switch: fabric.node(switch).description.to_string(),
            ports: fabric.radix(switch),
            port,
        }),
    }
}

/// The ports of end nodes on a switch, with the switch's port numbers.
fn hosts(fabric: &Fabric, switch: NodeId) -> impl Iterator<Item = (u8, PortId)> + '_ {
    ends_on(fabric, switch).map(|(port, end)| (fabric.number_of(port), end))
}

/// The tables. Paths over parallel cables alternate between them, over the destinations in the order in which
/// their switches were found, hosts first; then over the switches themselves.
fn tables(sweep: &Sweep<'_>, conf: &TorusConf, torus: &Torus, rings: &Rings<'_>) -> Lft {
    let Sweep { fabric, lids, .. } = *sweep;
    let position_of = &torus.positions.position_of;
    let rank = |port: u8| conf.port_order.iter().position(|&p| p == port).unwrap_or(usize::MAX);
    let by_edge: Vec<(NodeId, Vec<(u8, PortId)>)> = torus
        .positions
        .found
        .iter()
        .map(|&edge_switch| {
            let mut hosts: Vec<_> = hosts(fabric, edge_switch).collect();
            hosts.sort_by_key(|&(port, _)| (rank(port), port));
            (edge_switch, hosts)
        })
        .collect();
    let mut lft = Lft::new(fabric.num_switches(), lids.max_lid());
    let stride = lft.stride();
    lft.as_mut_slice().par_chunks_mut(stride).enumerate().for_each(|(s, row)| {
        if position_of[s] == NONE {
            return;
        }
        let switch = NodeId(s as u32);
        let bundles = torus.bundles(fabric, switch);
        let mut fill = |target: PortId, port: u8| {
            for lid in lids.range(target) {
                row[lid as usize] = port;
            }
        };
        let mut used = [[0_usize; 2]; 6];
        for (edge_switch, hosts) in &by_edge {
            if *edge_switch == switch {
                fill(fabric.port0(switch), 0);
                for &(port, target) in hosts {
                    fill(target, port);
                }
                continue;
            }
            let Some(direction) = rings.hop(position_of[s] as usize, position_of[edge_switch.ix()] as usize)
            else {
                continue;
            };
            let bundle = &bundles[direction.ix()];
            let [to_hosts, to_switches] = &mut used[direction.ix()];
            let mut next = |count: &mut usize, target: PortId| {
                if let Some(&port) = bundle.get(*count % bundle.len().max(1)) {
                    fill(target, port);
                    *count += 1;
                }
            };
            for &(_, target) in hosts {
                next(to_hosts, target);
            }
            next(to_switches, fabric.port0(*edge_switch));
        }
    });
    lft
}

/// The service level of each path, by the switches at its ends.
fn service_levels(sweep: &Sweep<'_>, torus: &Torus, rings: &Rings<'_>) -> ServiceLevels {
    let switches = sweep.fabric.num_switches();
    let position_of = &torus.positions.position_of;
    let level = |from: u32, to: u32| {
        if from == NONE || to == NONE { 0 } else { rings.datelines(from as usize, to as usize) }
    };
    let rows =
        position_of.par_iter().flat_map_iter(|&from| position_of.iter().map(move |&to| level(from, to)));
    ServiceLevels::BySwitches { edge_of_lid: edge_of_lid(sweep), switches, levels: rows.collect() }
}

/// The lane of each service level, by the dimensions of the links that a packet comes and goes by.
fn virtual_lanes(fabric: &Fabric, torus: &Torus, vls: u8) -> VirtualLanes {
    let ports = fabric.switches().map(|s| usize::from(fabric.radix(s)) + 1).max().unwrap_or(1);
    let mut classes = vec![0; fabric.num_switches() * ports];
    for switch in fabric.switches() {
        for port in fabric.ports_of(switch) {
            let direction = torus.direction[port.ix()];
            if usize::from(direction) < NOWHERE {
                classes[switch.ix() * ports + usize::from(fabric.number_of(port))] = 1 + direction / 2;
            }
        }
    }
    let lane = |from: u8, to: u8, sl: u8| {
        let quality = if vls < LANES { 0 } else { sl >> 3 };
        match to {
            0 => quality,
            _ => sl >> (to - 1) & 1 | u8::from(from > to) << 1 | quality << 2,
        }
    };
    let lanes = (0..4).flat_map(|from| (0..4).flat_map(move |to| (0..16).map(move |sl| lane(from, to, sl))));
    VirtualLanes::Classed { ports, classes, lanes: lanes.collect() }
}
