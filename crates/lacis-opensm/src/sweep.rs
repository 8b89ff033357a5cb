//! One sweep: the fabric, the tables, their proof, and the answer.

use std::time::Instant;

use lacis_core::fabric::{Fabric, NodeId, Population};
use lacis_core::routing::{self, FirstHops, Options, Sweep, Tables};
use lacis_core::sm::hop_matrix::{HopMatrices, NO_HOPS};
use lacis_core::sm::lids::Lids;
use lacis_core::sm::{Engine, Lft, NO_ENTRY, Routes};
use lacis_core::verify::{Verdict, Verification, verify};
use rayon::prelude::*;

use crate::answer::{Answer, Arrays, Figures, Hint, NO_ROW};
use crate::question::{Fault, Proof, Question};
use crate::{options, subnet};

/// Answers a question.
///
/// # Errors
/// Why there are no tables, in a line: options that make no sense, the engine's refusal, a proof that failed.
pub(crate) fn answer(question: &Question<'_>, answer: &mut Answer<'_>) -> Result<(), String> {
    let mut clock = Instant::now();
    let mut lap = || std::mem::replace(&mut clock, Instant::now()).elapsed().as_secs_f64();
    break_on_purpose(question.fault);
    let engine: Engine = question.engine.parse().map_err(|unknown| format!("{unknown}"))?;
    let options = options::read(&question.options, engine, subnet::data_lanes(question))?;
    let leave_out = options::leaves_out_throttled(&question.options, engine);
    let (fabric, lids) = subnet::read(question, leave_out)?;
    let before = tables_before(question, &fabric, &lids);
    let counts: Vec<u32> = question.ports.iter().map(|port| port.paths).collect();
    let sweep = Sweep {
        fabric: &fabric,
        lids: &lids,
        options: &options,
        previous: question.keep_tables.then_some(&before),
        counts: &counts,
    };
    answer.figures.build_s = lap();

    let tables = routing::run(engine, &sweep).map_err(|refused| {
        answer.has_paths = refused.counts.len() == answer.arrays.paths.len();
        if answer.has_paths {
            answer.arrays.paths.copy_from_slice(&refused.counts);
        }
        format!("refuses: {refused}")
    })?;
    answer.figures.route_s = lap();

    let routes = routes(engine, lids.clone(), tables);
    prove(question, &fabric, &routes, answer.figures)?;
    answer.figures.prove_s = lap();

    compare(&before, &routes, answer.figures);
    write_tables(&routes, &mut answer.arrays);
    answer.has_levels = routes.lanes.is_some();
    answer.hint = hint(engine, &options);
    write_levels(&fabric, &routes, engine, &mut answer.arrays);
    answer.maps_lanes = write_lanes(&fabric, &routes, &mut answer.arrays);
    answer.hop_width = if question.dumps_hops { answer.arrays.ports as u32 } else { 1 };
    answer.num_hop_lids = if question.dumps_hops {
        write_matrices(&hop_matrices(&sweep, engine, &routes.lft), &mut answer.arrays)
    } else {
        let first = FirstHops::of(&sweep, engine, &routes.lft).map_err(|refused| refused.to_string())?;
        write_first(&first, &mut answer.arrays)
    };
    answer.figures.write_s = lap();
    Ok(())
}

/// Tests see that the manager survives what must not happen.
fn break_on_purpose(fault: Fault) {
    match fault {
        Fault::None => {}
        Fault::Panic => panic!("broken on purpose"),
        Fault::Hang => loop {
            std::thread::sleep(std::time::Duration::from_secs(1));
        },
        Fault::Memory => {
            let mut all: Vec<Vec<u8>> = Vec::new();
            loop {
                all.push(vec![1; 1 << 26]);
            }
        }
    }
}

/// What switches forward by now.
fn tables_before(question: &Question<'_>, fabric: &Fabric, lids: &Lids) -> Lft {
    let mut before = Lft::new(fabric.num_switches(), lids.max_lid());
    for (switch, node) in fabric.switches().zip(&question.nodes) {
        let (row, table) = (before.row_mut(switch), node.table);
        let known = row.len().min(table.len());
        row[..known].copy_from_slice(&table[..known]);
    }
    before
}

fn routes(engine: Engine, lids: Lids, Tables { lft, lanes }: Tables) -> Routes {
    let (engine_requested, engine_used) = (engine.into(), engine.into());
    Routes { lids, lft, lanes, engine_requested, engine_used, refusals: Vec::new() }
}

/// Judges the tables before anything is programmed. Without quality of service all packets use one lane.
fn prove(
    question: &Question<'_>,
    fabric: &Fabric,
    routes: &Routes,
    figures: &mut Figures,
) -> Result<(), String> {
    let proof = question.proof;
    if proof == Proof::Nothing {
        return Ok(());
    }
    let has_lanes = routes.lanes.is_some() && !question.options.values.qos;
    let on_one_lane = has_lanes.then(|| Routes { lanes: None, ..routes.clone() });
    let population = if proof == Proof::Hosts { Population::Hosts } else { Population::All };
    let found = verify(fabric, on_one_lane.as_ref().unwrap_or(routes), population, false);
    // A port without a LID is no destination of any table.
    let undelivered = found.verdicts.failed() - found.verdicts.get(Verdict::UnknownLid);
    figures.pairs = found.verdicts.total() - found.verdicts.get(Verdict::UnknownLid);
    figures.undelivered = undelivered;
    figures.credit_loops = found.credit_loops.len() as u64;
    figures.fullest = found.balance.max;
    figures.mean = found.balance.mean;
    figures.lanes_used = found.lanes;
    if undelivered > 0 {
        return Err(format!(
            "its tables lose {undelivered} of {} pairs{}",
            figures.pairs,
            example(fabric, &found)
        ));
    }
    if !found.credit_loops.is_empty() && proof != Proof::Delivery {
        let why = if on_one_lane.is_some() { " (without qos TRUE all packets use one lane)" } else { "" };
        return Err(format!("its tables leave {}{why}", loops(fabric, &found)));
    }
    Ok(())
}

/// A pair that is lost.
fn example(fabric: &Fabric, found: &Verification) -> String {
    let Some(lost) = found.failures.first() else { return String::new() };
    let name = |port| &fabric.node(fabric.node_of(port)).description;
    format!(
        ", for example from \"{}\" to \"{}\" (LID {}): {}",
        name(lost.from),
        name(lost.to),
        lost.to_lid,
        lost.verdict.name().replace('_', " ")
    )
}

/// The credit loops, the first with its links.
fn loops(fabric: &Fabric, found: &Verification) -> String {
    let number = found.credit_loops.len();
    let all = if number == 1 { "a credit loop".to_owned() } else { format!("{number} credit loops") };
    let Some(first) = found.credit_loops.first() else { return all };
    let link = |&port| {
        format!("\"{}\" port {}", fabric.node(fabric.node_of(port)).description, fabric.number_of(port))
    };
    let mut links: Vec<String> = first.cycle.iter().take(6).map(link).collect();
    if first.cycle.len() > links.len() {
        links.push("…".to_owned());
    }
    format!("{all}, for example over {}", links.join(", "))
}

/// Counts the entries that change.
fn compare(before: &Lft, routes: &Routes, figures: &mut Figures) {
    let assigned = routes.lids.assigned();
    let switches = routes.lft.num_switches();
    let changed = |s: usize| {
        let (old, new) = (before.row(NodeId(s as u32)), routes.lft.row(NodeId(s as u32)));
        assigned.iter().filter(|&&(lid, _)| old[lid as usize] != new[lid as usize]).count() as u64
    };
    figures.entries = (switches * assigned.len()) as u64;
    figures.changed = (0..switches).into_par_iter().map(changed).sum();
    let is_kept = |&&(lid, _): &&(u32, _)| {
        (0..switches as u32).all(|s| before.get(NodeId(s), lid) == routes.lft.get(NodeId(s), lid))
    };
    figures.kept = assigned.iter().filter(is_kept).count() as u64;
}

fn write_tables(routes: &Routes, arrays: &mut Arrays<'_>) {
    let stride = arrays.stride;
    arrays.tables.par_chunks_mut(stride).enumerate().for_each(|(s, to)| {
        let row = routes.lft.row(NodeId(s as u32));
        let known = row.len().min(stride);
        to[..known].copy_from_slice(&row[..known]);
        to[known..].fill(NO_ENTRY);
    });
}

/// What a client's service level counts beside the path's, as with OpenSM's engine of that name.
fn hint(engine: Engine, options: &Options) -> Hint {
    let lanes = if options.nue_vls == 0 { options.vls } else { options.nue_vls.min(options.vls) };
    match engine {
        Engine::Torus2Qos => Hint::Quality,
        Engine::Nue | Engine::Numbered if lanes == 1 => Hint::Always,
        Engine::DfSssp | Engine::Nue | Engine::Numbered => Hint::Unknown,
        _ => Hint::Ignored,
    }
}

/// Service levels, by row and LID.
fn write_levels(fabric: &Fabric, routes: &Routes, engine: Engine, arrays: &mut Arrays<'_>) {
    let Some(lanes) = &routes.lanes else { return };
    let stride = arrays.stride;
    arrays.levels.par_chunks_mut(stride).enumerate().for_each(|(s, to)| {
        for (level, lid) in to.iter_mut().zip(0..) {
            *level = lanes.sl(NodeId(s as u32), lid);
        }
    });
    arrays.rows.fill(NO_ROW);
    for (lid, port) in routes.lids.assigned() {
        // dfsssp has no levels for paths from switches and to them.
        let is_switch = fabric.is_switch(fabric.node_of(port));
        let edge_switch = if is_switch { Some(fabric.node_of(port)) } else { fabric.edge_switch(port) };
        if let Some(edge_switch) = edge_switch.filter(|_| !(is_switch && engine == Engine::DfSssp)) {
            arrays.rows[lid as usize] = edge_switch.0;
        }
    }
}

/// The mapping of service levels to lanes, where the engine has one; whether it has.
fn write_lanes(fabric: &Fabric, routes: &Routes, arrays: &mut Arrays<'_>) -> bool {
    let Some(lanes) = routes.lanes.as_ref().filter(|lanes| lanes.maps() && !arrays.lanes.is_empty()) else {
        return false;
    };
    let ports = arrays.ports;
    arrays.lanes.par_chunks_mut(ports * ports * 16).enumerate().for_each(|(s, to)| {
        let switch = NodeId(s as u32);
        let radix = usize::from(fabric.radix(switch));
        for (from, by) in (0..=radix).flat_map(|from| (0..=radix).map(move |by| (from, by))) {
            for (lane, sl) in to[(from * ports + by) * 16..][..16].iter_mut().zip(0..) {
                *lane = lanes.vl(switch, from as u8, by as u8, sl);
            }
        }
    });
    true
}

/// The hop matrices that OpenSM would have after this engine; where that is not known, those of shortest paths, which
/// serve its multicast trees. Those of sssp and dfsssp do not: OpenSM's make their trees themselves.
fn hop_matrices(sweep: &Sweep<'_>, engine: Engine, lft: &Lft) -> HopMatrices {
    let shortest = || routing::matrices(sweep, Engine::MinHop, lft).ok().flatten();
    let serve = !matches!(engine, Engine::Sssp | Engine::DfSssp);
    let own = serve.then(|| routing::matrices(sweep, engine, lft).ok().flatten()).flatten();
    own.or_else(shortest).unwrap_or_else(|| HopMatrices::new(sweep.fabric, Vec::new()))
}

/// Writes the hops by each port; the number of LIDs.
fn write_matrices(matrices: &HopMatrices, arrays: &mut Arrays<'_>) -> u32 {
    let (ports, lids) = (arrays.ports, matrices.lids());
    write_lids(lids, arrays);
    arrays.hops.par_chunks_mut((ports * lids.len()).max(1)).take(arrays.switches).enumerate().for_each(
        |(s, to)| {
            for (index, to) in to.chunks_exact_mut(ports).enumerate() {
                let row = matrices.row(NodeId(s as u32), index);
                to[..row.len()].copy_from_slice(row);
                to[row.len()..].fill(NO_HOPS);
            }
        },
    );
    lids.len() as u32
}

/// Writes the least hops and the first ports by which they lead; the number of LIDs.
fn write_first(first: &FirstHops, arrays: &mut Arrays<'_>) -> u32 {
    let lids = first.lids();
    write_lids(lids, arrays);
    let length = lids.len().max(1);
    let rows = arrays.hops.chunks_mut(length).zip(arrays.first_ports.chunks_mut(length));
    for ((hops, ports), s) in rows.take(arrays.switches).zip(0..) {
        hops.copy_from_slice(first.hops(NodeId(s)));
        ports.copy_from_slice(first.ports(NodeId(s)));
    }
    lids.len() as u32
}

fn write_lids(lids: &[u32], arrays: &mut Arrays<'_>) {
    for (to, &lid) in arrays.hop_lids.iter_mut().zip(lids) {
        *to = lid as u16;
    }
}
