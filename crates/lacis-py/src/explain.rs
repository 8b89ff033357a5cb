//! What measurements show about a fabric.

use std::sync::Arc;

use lacis_core::campaign::{self, Goal};
use lacis_core::explain::{
    ALONE, ASKED, Doubt, FaultSite, Fitness, FoundSuspect, Observed, PartialFault, Quantity, Residuals,
    SlowShare, Suspect, SuspectGroup, Values, locate, slower,
};
use lacis_core::fabric::{Guid, PortId, Rate};
use lacis_core::model::fluid::{Capacity, Unknown};
use lacis_core::model::load::{LinkId, Links, Paths};
use lacis_core::ranks;
use lacis_core::ranks::Flow;
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::interrupt::interruptible;
use crate::named::{by_fields, document};
use crate::ranks::Participants;
use crate::routing::Routes;

/// Measured flows on the hosts of a fabric, and what is expected of them.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Explained {
    pub(crate) participants: Arc<ranks::Participants>,
    pub(crate) observed: Observed,
    routes: Routes,
    pub(crate) residuals: Residuals,
    assumed: Option<Unknown>,
}

#[pymethods]
impl Explained {
    /// Number of flows: repeats count once.
    fn __len__(&self) -> usize {
        self.observed.len()
    }

    /// Values used.
    #[getter]
    fn used(&self) -> usize {
        self.observed.used
    }

    /// Flows without a route under the tables.
    #[getter]
    fn unrouted(&self) -> usize {
        self.residuals.unrouted
    }

    /// Values that are not used: an end that is no host of the rail, from a host to itself, no number above 0.
    #[getter]
    fn left_out(&self) -> (usize, usize, usize) {
        let left_out = self.observed.left_out;
        (left_out.unknown_host, left_out.to_itself, left_out.no_number)
    }

    /// Classes of flows: links, contention, flows, level, spread.
    #[getter]
    fn flow_classes(&self) -> Vec<(u32, u32, usize, f64, f64)> {
        let row = |l: &lacis_core::explain::FlowClass| (l.links, l.contention, l.flows, l.level, l.spread);
        self.residuals.classes.iter().filter(|class| class.links > 0).map(row).collect()
    }

    /// Links whose rate no source has, and the rate assumed.
    #[getter]
    fn assumed(&self) -> Option<(usize, String)> {
        self.assumed.map(|u| (u.links, u.assumed.to_string()))
    }

    /// By flow: hosts `source` and `destination`, `round`, measured `value`, `expected` [bytes/s; 1 for times] and `loss`.
    fn flows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let hosts = self.participants.hosts_of_ports();
        let host = |of: fn(&Flow) -> u32| {
            self.observed.flows.iter().map(|flow| hosts[of(flow) as usize]).collect::<Vec<_>>()
        };
        let out = PyDict::new(py);
        out.set_item("source", host(|flow| flow.from).into_pyarray(py))?;
        out.set_item("destination", host(|flow| flow.to).into_pyarray(py))?;
        out.set_item("round", self.observed.round.clone().into_pyarray(py))?;
        out.set_item("value", self.observed.value.clone().into_pyarray(py))?;
        out.set_item("expected", self.residuals.expected.clone().into_pyarray(py))?;
        out.set_item("loss", self.residuals.loss.clone().into_pyarray(py))?;
        Ok(out)
    }

    /// What makes flows slow. `found`: suspects, most likely first, all of whose flows are slow; `partly`: those of which some
    /// are; `links` that flows cross, how many would have shown each loss in `asked`, and how many `times` as many flows would
    /// show it; `unexplained` flows; `differ`: how much healthy hosts that send, hosts that receive and links between switches
    /// differ, ln; `groups`: switches with suspects, their numbers in `found`, cables that flows cross, loss; `fitness`.
    fn locate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let fabric = &self.routes.fabric.inner;
        let links = Links::of(fabric);
        let located = py.detach(|| {
            let paths = Paths::new(fabric, &self.routes.inner, self.participants.ports(), 0);
            let capacity = Capacity::of(fabric, &links, 1.0);
            locate(&paths, &capacity, &self.observed, &self.residuals)
        });
        let found =
            located.found.iter().map(|one| self.found(py, &links, one)).collect::<PyResult<Vec<_>>>()?;
        let partly =
            located.partial.iter().map(|one| self.partly(py, &links, one)).collect::<PyResult<Vec<_>>>()?;
        let out = PyDict::new(py);
        out.set_item("found", found)?;
        out.set_item("partly", partly)?;
        out.set_item("links", located.links)?;
        out.set_item("asked", ASKED)?;
        out.set_item("visible", located.visible)?;
        out.set_item("times", located.times)?;
        let group = |group: &SuspectGroup| {
            (fabric.name(group.switch).to_string(), group.members.clone(), group.cables, group.loss)
        };
        out.set_item("groups", located.groups.iter().map(group).collect::<Vec<_>>())?;
        out.set_item("fitness", self.fitness(py, &links, &located.fitness)?)?;
        out.set_item("unexplained", located.unexplained.into_pyarray(py))?;
        out.set_item("differ", located.differ)?;
        by_fields(py, "Located", &out)
    }

    /// The fewest rounds, of `most`, that distinguish links which the flows so far do not: how many, whether they do, and their
    /// lines for `lacis-mpi rounds --schedule file:PATH`.
    fn rounds_for(&self, py: Python<'_>, links: Vec<u32>, most: usize) -> PyResult<(usize, bool, String)> {
        let (fabric, tables, participants) =
            (&self.routes.fabric.inner, &self.routes.inner, &self.participants);
        let given: Vec<Vec<Flow>> =
            self.observed.rounds().map(|(flows, _)| self.observed.flows[flows].to_vec()).collect();
        let goal = Goal { rounds: most, crossings: 2, seed: 1 };
        let found = interruptible(py, move |stop| {
            let paths = Paths::new(fabric, tables, participants.ports(), participants.ports().len() * 64);
            campaign::choose_about(stop, &paths, participants, &given, &goal, Some(&links))
        })?;
        let Some(found) = found else { return Err(PyKeyboardInterrupt::new_err("")) };
        let added = found.rounds.iter().filter(|round| round.kind != campaign::Kind::Given).count();
        Ok((added, found.classes == found.finest, found.text(&self.participants)))
    }

    fn __repr__(&self) -> String {
        format!(
            "<lacis.Explained: {} flows, {} without a route>",
            self.observed.len(),
            self.residuals.unrouted
        )
    }
}

impl Explained {
    fn found<'py>(&self, py: Python<'py>, links: &Links, one: &FoundSuspect) -> PyResult<Bound<'py, PyAny>> {
        let instead = one
            .instead
            .iter()
            .map(|(other, p)| Ok((self.suspect(py, links, *other)?, *p)))
            .collect::<PyResult<Vec<_>>>()?;
        let out = PyDict::new(py);
        out.set_item("instead", instead)?;
        out.set_item("loss", one.loss)?;
        out.set_item("error", one.error)?;
        out.set_item("flows", one.flows)?;
        out.set_item("slow", one.slow)?;
        out.set_item("median", one.median)?;
        out.set_item("beside", one.beside)?;
        out.set_item("beside_median", one.beside_median)?;
        out.set_item("gain", one.gain)?;
        let rate = match one.suspect {
            Suspect::Link(link) => self.rate(links.egress(link)),
            Suspect::Host(one) | Suspect::Cable(one) => self.rate(links.egress(one)),
            Suspect::Switch(_) => None,
        };
        let share = |loss: f64| (-loss).exp();
        let (low, high) = (share(one.loss + 2.0 * one.error), share(one.loss - 2.0 * one.error));
        let like = rate.map_or(Vec::new(), |rate| slower(rate, low, high));
        out.set_item("like", like.iter().map(Rate::to_string).collect::<Vec<_>>())?;
        by_fields(py, "LocatedSuspect", &out)
    }

    /// Whether it is fit to blame anyone, by the names of hosts and switches.
    fn fitness<'py>(&self, py: Python<'py>, links: &Links, one: &Fitness) -> PyResult<Bound<'py, PyAny>> {
        let fabric = &self.routes.fabric.inner;
        let out = PyDict::new(py);
        let doubt = one.doubt.map(|doubt| match doubt {
            Doubt::Tables => "tables",
            Doubt::Traffic => "traffic",
            Doubt::Either => "either",
            Doubt::Many => "many",
        });
        out.set_item("doubt", doubt)?;
        out.set_item("shared", one.shared)?;
        out.set_item("beyond", one.beyond)?;
        let most = one.most.map(|most| {
            let row = PyDict::new(py);
            let egress = links.egress(most.link);
            row.set_item("egress", self.routes.fabric.port_name(egress))?;
            row.set_item("ingress", fabric.peer(egress).map(|port| self.routes.fabric.port_name(port)))?;
            row.set_item("round", most.round)?;
            row.set_item("flows", most.flows)?;
            row.set_item("share", most.share)?;
            document(py, "explain", "OverfullLink", &row)
        });
        out.set_item("most", most.transpose()?)?;
        out.set_item("flows", one.flows)?;
        out.set_item("slow", one.slow)?;
        out.set_item("unexplained", one.unexplained)?;
        out.set_item("many_unexplained", one.many_unexplained)?;
        out.set_item("wide", one.wide)?;
        out.set_item("entries", one.entries)?;
        out.set_item("switches", one.switches)?;
        out.set_item("many_switches", one.many_switches)?;
        out.set_item("accused", one.accused)?;
        out.set_item("at_half", one.at_half)?;
        out.set_item("hosts", one.hosts)?;
        let round = |at: &SlowShare<u32>| {
            let row = PyDict::new(py);
            row.set_item("round", (at.at != ALONE).then_some(at.at))?;
            row.set_item("flows", at.flows)?;
            row.set_item("slow", at.slow)?;
            document(py, "explain", "SlowRound", &row)
        };
        out.set_item("rounds", one.rounds.iter().map(round).collect::<PyResult<Vec<_>>>()?)?;
        let place = |name: &str, flows: usize, slow: usize| {
            let row = PyDict::new(py);
            row.set_item("name", name)?;
            row.set_item("flows", flows)?;
            row.set_item("slow", slow)?;
            document(py, "explain", "SlowPlace", &row)
        };
        let leaves = one.leaves.iter().map(|leaf| place(&fabric.name(leaf.at), leaf.flows, leaf.slow));
        out.set_item("leaves", leaves.collect::<PyResult<Vec<_>>>()?)?;
        let hosts = self.participants.hosts_of_ports();
        let name = |slot: u32| self.participants.names()[hosts[slot as usize] as usize].as_str();
        let slots = one.slots.iter().map(|slot| place(name(slot.at), slot.flows, slot.slow));
        out.set_item("slow_hosts", slots.collect::<PyResult<Vec<_>>>()?)?;
        document(py, "explain", "Fitness", &out)
    }

    fn partly<'py>(&self, py: Python<'py>, links: &Links, one: &PartialFault) -> PyResult<Bound<'py, PyAny>> {
        let instead = std::iter::once(&one.site).chain(&one.instead);
        let instead = instead.map(|site| self.site(py, links, *site)).collect::<PyResult<Vec<_>>>()?;
        let out = PyDict::new(py);
        out.set_item("instead", instead)?;
        out.set_item("flows", one.flows)?;
        out.set_item("slow", one.slow)?;
        out.set_item("loss", one.loss)?;
        out.set_item("share", one.share)?;
        out.set_item("swings", one.swings)?;
        out.set_item("gain", one.gain)?;
        let rounds = self.observed.rounds().filter(|(_, shares)| *shares).count();
        let spell = one.spell.map(|spell| {
            let row = PyDict::new(py);
            row.set_item("first", spell.first)?;
            row.set_item("last", spell.last)?;
            row.set_item("before", spell.before)?;
            row.set_item("after", spell.after)?;
            row.set_item("rounds", rounds)?;
            row.set_item("others", spell.others)?;
            row.set_item("others_reached", (-spell.others_median).exp())?;
            document(py, "explain", "Spell", &row)
        });
        out.set_item("spell", spell.transpose()?)?;
        by_fields(py, "PartlyLocated", &out)
    }

    fn site<'py>(&self, py: Python<'py>, links: &Links, site: FaultSite) -> PyResult<Bound<'py, PyAny>> {
        let fabric = &self.routes.fabric.inner;
        match site {
            FaultSite::Suspect(suspect) => self.suspect(py, links, suspect),
            FaultSite::Entry { switch, destination, port } => {
                let out = self.suspect_fields(py, links, Suspect::Switch(switch))?;
                let host = self.participants.hosts_of_ports()[destination as usize];
                out.set_item("kind", "entry")?;
                out.set_item("egress", port.map(|port| self.routes.fabric.port_name(port)))?;
                let far = port.and_then(|port| fabric.peer(port));
                out.set_item("ingress", far.map(|port| self.routes.fabric.port_name(port)))?;
                out.set_item("destination", &self.participants.names()[host as usize])?;
                out.set_item("links", Vec::<LinkId>::new())?;
                document(py, "explain", "Suspect", &out)
            }
        }
    }

    /// What a link carries, as the ends of its cable report it.
    fn rate(&self, egress: PortId) -> Option<Rate> {
        self.routes.fabric.inner.link_rate(egress)
    }

    fn suspect<'py>(&self, py: Python<'py>, links: &Links, suspect: Suspect) -> PyResult<Bound<'py, PyAny>> {
        document(py, "explain", "Suspect", &self.suspect_fields(py, links, suspect)?)
    }

    /// A suspect by its names: what it is, from which port to which, its node, the rate reported, and its links.
    fn suspect_fields<'py>(
        &self,
        py: Python<'py>,
        links: &Links,
        suspect: Suspect,
    ) -> PyResult<Bound<'py, PyDict>> {
        let fabric = &self.routes.fabric.inner;
        let is_switch = |port: PortId| fabric.is_switch(fabric.node_of(port));
        let (kind, egress, node) = match suspect {
            Suspect::Link(link) => {
                let egress = links.egress(link);
                let far = fabric.peer(egress).unwrap_or(egress);
                let (own, other) = (fabric.node_of(egress), fabric.node_of(far));
                let chassis = |node| fabric.node(node).system_guid;
                let kind = match (is_switch(egress), is_switch(far)) {
                    (false, _) => "sending",
                    (true, false) => "receiving",
                    (true, true) if chassis(own) != Guid::NONE && chassis(own) == chassis(other) => "inner",
                    (true, true) => "link",
                };
                (kind, Some(egress), if is_switch(egress) && !is_switch(far) { other } else { own })
            }
            Suspect::Host(one) | Suspect::Cable(one) => {
                let kind = if matches!(suspect, Suspect::Host(_)) { "host" } else { "cable" };
                (kind, Some(links.egress(one)), fabric.node_of(links.egress(one)))
            }
            Suspect::Switch(node) => ("switch", None, node),
        };
        let own_links = match suspect {
            Suspect::Link(link) => vec![link],
            Suspect::Host(up) | Suspect::Cable(up) => {
                let down = fabric.peer(links.egress(up)).map(|port| links.leaving(port));
                [up].into_iter().chain(down).collect()
            }
            Suspect::Switch(_) => Vec::new(),
        };
        let out = PyDict::new(py);
        out.set_item("kind", kind)?;
        out.set_item("node", fabric.name(node))?;
        out.set_item("egress", egress.map(|port| self.routes.fabric.port_name(port)))?;
        let far = egress.and_then(|port| fabric.peer(port));
        out.set_item("ingress", far.map(|port| self.routes.fabric.port_name(port)))?;
        out.set_item("rate", egress.and_then(|port| self.rate(port)).map(|rate| rate.to_string()))?;
        out.set_item("destination", None::<String>)?;
        out.set_item("links", own_links)?;
        Ok(out)
    }
}

/// Puts values onto the hosts of a rail and compares them with what the tables make expected. Hosts are numbers, the greatest
/// one none; rounds too: flows of one share the network. `quantity` is `rate` [bytes/s] or `time` [s], half a round trip.
#[pyfunction]
#[pyo3(signature = (routes, hosts, *, quantity, source, destination, rounds, values, rail=0))]
#[expect(clippy::too_many_arguments, reason = "keyword-only: columns of a table")]
fn observe(
    py: Python<'_>,
    routes: &Routes,
    hosts: &Participants,
    quantity: &str,
    source: PyReadonlyArray1<'_, u32>,
    destination: PyReadonlyArray1<'_, u32>,
    rounds: PyReadonlyArray1<'_, u32>,
    values: PyReadonlyArray1<'_, f64>,
    rail: usize,
) -> PyResult<Explained> {
    let quantity = match quantity {
        "rate" => Quantity::Rate,
        "time" => Quantity::Time,
        _ => return Err(PyValueError::new_err("a quantity is \"rate\" or \"time\"")),
    };
    let values = Values {
        source: source.as_slice()?,
        destination: destination.as_slice()?,
        round: rounds.as_slice()?,
        value: values.as_slice()?,
    };
    let lengths = [values.source.len(), values.destination.len(), values.round.len()];
    if lengths.iter().any(|&length| length != values.value.len()) {
        return Err(PyValueError::new_err("columns of different lengths"));
    }
    let (fabric, tables, participants) =
        (&routes.fabric.inner, &routes.inner, Arc::clone(&hosts.participants));
    let (observed, residuals, assumed) = py.detach(|| {
        let observed = Observed::of(&participants, rail, quantity, &values);
        let paths = Paths::new(fabric, tables, participants.ports(), observed.len());
        let capacity = Capacity::of(fabric, paths.links(), 1.0);
        let residuals = Residuals::of(&paths, &capacity, &observed);
        (observed, residuals, capacity.unknown)
    });
    Ok(Explained { routes: routes.clone(), participants, observed, residuals, assumed })
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Explained>()?;
    m.add_function(wrap_pyfunction!(observe, m)?)
}
