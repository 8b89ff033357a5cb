//! A job's hosts on their fabric: where they are, which of their links they share, and with which hosts.

use lacis_core::fabric::PortId;
use lacis_core::model::load::{Crossings, Paths};
use lacis_core::predict;
use lacis_core::ranks::Flow;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::named::by_fields;
use crate::ranks::Participants;
use crate::routing::Routes;

/// Where hosts of one rail are, and the links between switches that most of their flows can share: `leaves`,
/// each with its hosts; `spines`, the other switches on their paths; number of `pairs` with a path between
/// switches and of `links` in use; `shared`, the `count` worst links, each with the flows that it can have at a
/// time.
#[pyfunction]
fn job_rail<'py>(
    py: Python<'py>,
    routes: &Routes,
    hosts: &Participants,
    count: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let (fabric, participants) = (&*routes.fabric.inner, &*hosts.participants);
    let (spines, links, ranked) = py.detach(|| {
        let paths = Paths::new(fabric, &routes.inner, participants.ports(), 0);
        let crossings = Crossings::of(&paths);
        let egress = |link| paths.links().egress(link);
        let ends = |port: PortId| [Some(port), fabric.peer(port)].into_iter().flatten();
        let mut spines: Vec<_> =
            crossings.used().flat_map(|link| ends(egress(link))).map(|port| fabric.node_of(port)).collect();
        spines.sort_unstable();
        spines.dedup();
        spines.retain(|node| !participants.leaves().contains(node));
        let ranked: Vec<(PortId, u64, Vec<Flow>)> = crossings
            .ranked(count)
            .into_iter()
            .map(|(link, flows)| (egress(link), crossings.pairs(link), flows))
            .collect();
        (spines, crossings.used().count(), ranked)
    });
    let name =
        |slot: u32| participants.names()[participants.hosts_of_ports()[slot as usize] as usize].clone();
    let mut leaves: Vec<(String, Vec<String>)> =
        participants.leaves().iter().map(|&leaf| (fabric.name(leaf).into_owned(), Vec::new())).collect();
    for slot in 0..participants.ports().len() as u32 {
        if let Some(leaf) = participants.leaf_of(slot) {
            leaves[leaf as usize].1.push(name(slot));
        }
    }
    let row = |(egress, pairs, flows): (PortId, u64, Vec<Flow>)| {
        let row = PyDict::new(py);
        row.set_item("egress", routes.fabric.port_name(egress))?;
        row.set_item("ingress", fabric.peer(egress).map(|far| routes.fabric.port_name(far)))?;
        row.set_item("pairs", pairs)?;
        row.set_item("flows", flows.iter().map(|f| (name(f.from), name(f.to))).collect::<Vec<_>>())?;
        by_fields(py, "SharedByFlows", &row)
    };
    let out = PyDict::new(py);
    out.set_item("leaves", leaves)?;
    out.set_item("spines", spines.iter().map(|&s| fabric.name(s).into_owned()).collect::<Vec<_>>())?;
    out.set_item("links", links)?;
    out.set_item("shared", ranked.into_iter().map(row).collect::<PyResult<Vec<_>>>()?)?;
    by_fields(py, "HostsOnRail", &out)
}

/// The links between switches that the pairs of two sets of hosts of one rail both cross: the link's ends, pairs
/// of the first and of the other set; most of the lesser first.
#[pyfunction]
fn job_links_shared(
    py: Python<'_>,
    routes: &Routes,
    own: &Participants,
    other: &Participants,
) -> Vec<(String, Option<String>, u64, u64)> {
    let fabric = &*routes.fabric.inner;
    let mut found = py.detach(|| {
        predict::shared(fabric, &routes.inner, own.participants.ports(), other.participants.ports())
    });
    found.sort_by_key(|s| (std::cmp::Reverse(s.own.min(s.other)), s.egress));
    let name = |port| routes.fabric.port_name(port);
    found.iter().map(|s| (name(s.egress), fabric.peer(s.egress).map(name), s.own, s.other)).collect()
}

/// What shifts of the first job get alone and beside shifts of the others, mean rates of a flow [bytes/s]:
/// `samples`, `alone`, `together`, `worst_alone` and `worst_together` of the sample that loses most, `flows`, and
/// of them those that are `slower`.
#[pyfunction]
#[pyo3(signature = (routes, jobs, *, samples=64, seed=1))]
fn jobs_beside<'py>(
    py: Python<'py>,
    routes: &Routes,
    jobs: Vec<PyRef<'py, Participants>>,
    samples: usize,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let shared: Vec<_> = jobs.iter().map(|job| job.participants.clone()).collect();
    let found = py.detach(|| {
        let participants: Vec<_> = shared.iter().map(|participants| &**participants).collect();
        predict::beside(&routes.fabric.inner, &routes.inner, &participants, samples, seed)
    });
    let out = PyDict::new(py);
    out.set_item("samples", found.samples)?;
    out.set_item("alone", found.mean.0)?;
    out.set_item("together", found.mean.1)?;
    out.set_item("worst_alone", found.worst.0)?;
    out.set_item("worst_together", found.worst.1)?;
    out.set_item("flows", found.flows.0)?;
    out.set_item("slower", found.flows.1)?;
    by_fields(py, "JobsBeside", &out)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(job_rail, m)?)?;
    m.add_function(wrap_pyfunction!(job_links_shared, m)?)?;
    m.add_function(wrap_pyfunction!(jobs_beside, m)?)
}
