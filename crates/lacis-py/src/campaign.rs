//! Which rounds to measure.

use std::sync::Arc;

use lacis_core::campaign::{self, Goal};
use lacis_core::model::fluid::Capacity;
use lacis_core::model::load::{LinkId, Paths};
use lacis_core::ranks;
use lacis_core::ranks::Flow;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::interrupt::interruptible;
use crate::named::by_fields;
use crate::ranks::Participants;
use crate::routing::Routes;

/// Rounds for the hosts of one rail: at most `rounds` beside those `given` (flows as numbers of hosts), until no two
/// distinguishable links look alike and `crossings` flows cross each.
///
/// `text`: lines of the rounds that were not given; `rounds`: how each is made, its flows by name, the most flows on a link, classes afterwards; `suspects`,
/// `finest`, `classes`, `uncrossed`, `least_crossings`, `unrouted`; `inseparable`: the ends of links and whether other
/// pairs would split them; `slowest`: of the suspects [bytes/s]; `assumed`: links whose rate no source has, and the rate
/// taken.
#[pyfunction]
#[pyo3(signature = (routes, hosts, *, rounds, crossings, seed, given=Vec::new()))]
fn choose_rounds<'py>(
    py: Python<'py>,
    routes: &Routes,
    hosts: &Participants,
    rounds: usize,
    crossings: u32,
    seed: u64,
    given: Vec<Vec<(u32, u32)>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (fabric, tables, participants) =
        (routes.fabric.inner.clone(), Arc::clone(&routes.inner), Arc::clone(&hosts.participants));
    let given: Vec<Vec<Flow>> = given.into_iter().map(|flows| by_slots(&participants, flows)).collect();
    let goal = Goal { rounds, crossings, seed };
    let found = interruptible(py, move |stop| {
        let paths = Paths::new(&fabric, &tables, participants.ports(), participants.ports().len() * 64);
        let capacity = Capacity::of(&fabric, paths.links(), 1.0);
        let campaign = campaign::choose(stop, &paths, &participants, &given, &goal)?;
        let slowest = capacity.rates.iter().copied().fold(f64::INFINITY, f64::min);
        Some((campaign, paths.links().clone(), slowest, capacity.unknown))
    })?;
    let Some((found, links, slowest, assumed)) = found else {
        return Err(PyKeyboardInterrupt::new_err(""));
    };
    let fabric = &routes.fabric;
    let ends = |link: &LinkId| {
        let egress = links.egress(*link);
        (fabric.port_name(egress), fabric.inner.peer(egress).map(|far| fabric.port_name(far)))
    };
    let rows: Vec<_> = found
        .rounds
        .iter()
        .map(|round| {
            let flows: Vec<_> = round.names(&hosts.participants).collect();
            (round.kind.to_string(), flows, round.contention, round.classes)
        })
        .collect();
    let classes: Vec<_> = found
        .inseparable
        .iter()
        .map(|class| (class.links.iter().map(ends).collect::<Vec<_>>(), class.can_be_split))
        .collect();
    let out = PyDict::new(py);
    out.set_item("rounds", rows)?;
    out.set_item("text", found.text(&hosts.participants))?;
    out.set_item("inseparable", classes)?;
    out.set_item("suspects", found.suspects)?;
    out.set_item("finest", found.finest)?;
    out.set_item("classes", found.classes)?;
    out.set_item("uncrossed", found.uncrossed)?;
    out.set_item("least_crossings", found.least_crossings)?;
    out.set_item("unrouted", found.unrouted)?;
    out.set_item("slowest", slowest)?;
    out.set_item("assumed", assumed.map(|u| (u.links, u.assumed.to_string())))?;
    by_fields(py, "ChosenRounds", &out)
}

/// Flows by ports; those of hosts that are on no rail are left out.
fn by_slots(participants: &ranks::Participants, flows: Vec<(u32, u32)>) -> Vec<Flow> {
    let hosts = participants.num_hosts() as u32;
    let slot = |host: u32| (0..participants.num_rails()).find_map(|rail| participants.slot(host, rail));
    let known = flows.into_iter().filter(|&(from, to)| from < hosts && to < hosts);
    known.filter_map(|(from, to)| Some(Flow { from: slot(from)?, to: slot(to)? })).collect()
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(choose_rounds, m)?)
}
