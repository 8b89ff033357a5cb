//! The results of a simulation.

use std::sync::Arc;

use lacis_core::fabric::PortId;
use lacis_core::model::packet::{Experiment, Got, Latencies};
use lacis_core::ranks;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict};

use crate::fabric::Fabric;
use crate::named::{by_fields, named, rows};

/// The senders of a workload, and how its phases are called.
pub(crate) struct Sent {
    pub participants: Arc<ranks::Participants>,
    /// By index among the network's ends: the index of the workload's port.
    pub slots: Vec<u32>,
    /// By rank of a program: its host.
    pub ranks: Option<Vec<u32>>,
    /// By phase of a program, by run of a pattern.
    pub phases: Vec<String>,
    /// The size and the factor of a collective's bandwidth.
    pub terms: Option<(f64, f64)>,
    /// Whether messages of a trace have weights, which packets do not know.
    pub weighted: bool,
}

impl Sent {
    /// The host of a message's sender or receiver, and its rank.
    fn end(&self, end: u32) -> (u32, Option<u32>) {
        match &self.ranks {
            Some(ranks) => (ranks[end as usize], Some(end)),
            None => (self.participants.hosts_of_ports()[self.slots[end as usize] as usize], None),
        }
    }
}

/// Seconds of a time in picoseconds.
fn seconds(time: u64) -> f64 {
    time as f64 / 1e12
}

/// What the messages of a pattern got, packet by packet.
#[pyclass(frozen, module = "lacis._core")]
pub(crate) struct Simulation {
    pub fabric: Fabric,
    pub rates: Vec<f64>,
    pub assumed: Option<(usize, String)>,
    /// Cables that failed: when (ps), and a port of each.
    pub cuts: Vec<(u64, PortId)>,
    pub works: Vec<Sent>,
    pub inner: Experiment,
}

/// Of messages, from posting to arrival [s].
fn latency<'py>(py: Python<'py>, all: &Latencies) -> PyResult<Bound<'py, PyDict>> {
    let (least, most) = all.range.unwrap_or_default();
    let quantile = |q| seconds(all.quantile(q).unwrap_or_default());
    [
        ("count", all.count as f64),
        ("mean", if all.count > 0 { all.mean() / 1e12 } else { 0.0 }),
        ("min", seconds(least)),
        ("p50", quantile(0.5)),
        ("p99", quantile(0.99)),
        ("p999", quantile(0.999)),
        ("max", seconds(most)),
    ]
    .into_py_dict(py)
}

/// A text as a field of a table of comma-separated values (RFC 4180).
fn field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

impl Simulation {
    fn sum(&self, of: fn(&Got) -> u64) -> u64 {
        self.inner.works.iter().map(of).sum()
    }

    /// The port at the other end of a cable, by name.
    fn far(&self, port: PortId) -> String {
        self.fabric.inner.peer(port).map_or_else(String::new, |p| self.fabric.port_name(p))
    }

    /// The name of a message's sender or receiver: that of its host; of its adapter where hosts have several.
    fn end_name(&self, work: &Sent, end: u32) -> String {
        let (host, rank) = work.end(end);
        let host = &work.participants.names()[host as usize];
        if rank.is_some() || work.participants.num_rails() < 2 {
            return host.clone();
        }
        let node = self.fabric.inner.node_of(work.participants.ports()[work.slots[end as usize] as usize]);
        let adapter = self.fabric.inner.name(node);
        if adapter.starts_with(&**host) { adapter.into_owned() } else { host.clone() }
    }

    /// The run of a message.
    fn run_of(&self, record: usize) -> usize {
        self.inner.record_ends.partition_point(|&end| end <= record)
    }
}

#[pymethods]
impl Simulation {
    /// Runs simulated to their end: the phases of a pattern, each by itself; a job is one.
    #[getter]
    fn phases(&self) -> usize {
        self.inner.phases
    }

    /// Whether it was stopped before all were.
    #[getter]
    fn partial(&self) -> bool {
        self.inner.partial
    }

    /// Flows of patterns and messages of jobs, of all workloads.
    #[getter]
    fn flows(&self) -> u64 {
        self.sum(|got| got.flows)
    }

    #[getter]
    fn unrouted(&self) -> u64 {
        self.sum(|got| got.unrouted)
    }

    /// How many workloads there are.
    #[getter]
    fn num_workloads(&self) -> usize {
        self.works.len()
    }

    /// What a workload got.
    fn workload<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyAny>> {
        let (Some(got), Some(sent)) = (self.inner.works.get(number), self.works.get(number)) else {
            return Err(PyIndexError::new_err("no such workload"));
        };
        let dict = PyDict::new(py);
        dict.set_item("flows", got.flows)?;
        dict.set_item("unrouted", got.unrouted)?;
        dict.set_item("inside_hosts", got.inside)?;
        dict.set_item("through", got.through)?;
        dict.set_item("payload", got.payload)?;
        dict.set_item("latency", latency(py, &got.latencies)?)?;
        let times: Vec<f64> = got.times.iter().map(|&time| seconds(time)).collect();
        let longest = times.iter().copied().fold(0.0, f64::max);
        dict.set_item("times", times.into_pyarray(py))?;
        dict.set_item("bandwidths", got.bandwidths.clone().into_pyarray(py))?;
        let Some(ranks) = &sent.ranks else { return by_fields(py, "WorkloadResult", &dict) };
        dict.set_item("ranks", ranks.len())?;
        dict.set_item("weighted", sent.weighted)?;
        let times = |of: fn(&(u64, u64)) -> u64| {
            let time = |phase: &Option<(u64, u64)>| phase.as_ref().map_or(f64::NAN, |p| seconds(of(p)));
            got.phases.iter().map(time).collect::<Vec<_>>().into_pyarray(py)
        };
        let phases = (sent.phases.clone(), times(|p| p.0), times(|p| p.1));
        dict.set_item("phases", named(py, "JobPhases", phases)?)?;
        let whole = got.through > 0 && got.through == got.times.len() && longest > 0.0;
        let bandwidth =
            sent.terms.filter(|_| whole).map(|(size, factor)| (size / longest, size / longest * factor));
        dict.set_item("bandwidth", bandwidth.map(|row| named(py, "Collective", row)).transpose()?)?;
        by_fields(py, "WorkloadResult", &dict)
    }

    /// Payload over time of each flow of a pattern that is no open load [bytes/s], by workload, run and flow.
    /// `float64`.
    fn bandwidths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let all = self.inner.works.iter().flat_map(|got| got.bandwidths.iter().copied());
        all.collect::<Vec<_>>().into_pyarray(py)
    }

    /// By run: when the last message arrived [s]. `float64`.
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.times.iter().map(|&time| seconds(time)).collect::<Vec<_>>().into_pyarray(py)
    }

    /// How long was simulated, all phases together [s].
    #[getter]
    fn simulated(&self) -> f64 {
        seconds(self.inner.simulated)
    }

    /// Of all messages, from posting to arrival [s]: count, mean, min, p50, p99, p999, max.
    #[getter]
    fn latency<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut all = Latencies::default();
        self.inner.works.iter().for_each(|got| all.merge(&got.latencies));
        latency(py, &all)
    }

    /// Messages that arrived, where a note of each was kept: `run`; `workload`; `phase` of a job; `source` and
    /// `destination`, ranks of a job, otherwise numbers of hosts; `bytes`; `posted` and `arrived` [s]. In the order of
    /// arrival, run by run.
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = &self.inner.records;
        let end = |work: u32, end: u32| {
            let (host, rank) = self.works[work as usize].end(end);
            rank.unwrap_or(host)
        };
        let dict = PyDict::new(py);
        let runs: Vec<u32> = (0..all.len()).map(|number| self.run_of(number) as u32).collect();
        dict.set_item("run", runs.into_pyarray(py))?;
        dict.set_item("workload", all.iter().map(|r| r.work).collect::<Vec<_>>().into_pyarray(py))?;
        dict.set_item("phase", all.iter().map(|r| r.phase).collect::<Vec<_>>().into_pyarray(py))?;
        dict.set_item(
            "source",
            all.iter().map(|r| end(r.work, r.from)).collect::<Vec<_>>().into_pyarray(py),
        )?;
        let to: Vec<u32> = all.iter().map(|r| end(r.work, r.to)).collect();
        dict.set_item("destination", to.into_pyarray(py))?;
        dict.set_item("bytes", all.iter().map(|r| r.bytes).collect::<Vec<_>>().into_pyarray(py))?;
        dict.set_item("posted", all.iter().map(|r| seconds(r.posted)).collect::<Vec<_>>().into_pyarray(py))?;
        dict.set_item(
            "arrived",
            all.iter().map(|r| seconds(r.arrived)).collect::<Vec<_>>().into_pyarray(py),
        )?;
        Ok(dict)
    }

    /// The hosts by the numbers that a workload's `messages` have: of a job, the host of each rank.
    fn ends(&self, number: usize) -> PyResult<Vec<String>> {
        let Some(work) = self.works.get(number) else {
            return Err(PyIndexError::new_err("no such workload"));
        };
        let names = work.participants.names();
        Ok(match &work.ranks {
            Some(ranks) => ranks.iter().map(|&host| names[host as usize].clone()).collect(),
            None => names.to_vec(),
        })
    }

    /// How many messages were noted.
    #[getter]
    fn num_messages(&self) -> usize {
        self.inner.records.len()
    }

    /// Some of the messages, from `first` on, as lines of comma-separated values: run, workload, phase, source,
    /// destination, their ranks (empty for patterns), bytes, posted and arrived [ps].
    fn messages_csv<'py>(&self, py: Python<'py>, first: usize, count: usize) -> Bound<'py, PyBytes> {
        let last = first.saturating_add(count).min(self.inner.records.len());
        let mut out = Vec::new();
        for number in first..last {
            let record = &self.inner.records[number];
            let (run, work) = (self.run_of(number), &self.works[record.work as usize]);
            let phase =
                if work.ranks.is_some() { record.phase as usize } else { run % work.phases.len().max(1) };
            let phase = work.phases.get(phase).map_or("", |name| name);
            let [from, to] = [record.from, record.to].map(|end| field(&self.end_name(work, end)));
            let rank = |end: u32| if work.ranks.is_some() { end.to_string() } else { String::new() };
            let (sender, receiver) = (rank(record.from), rank(record.to));
            let (bytes, posted, arrived) = (record.bytes, record.posted, record.arrived);
            let (workload, phase) = (record.work, field(phase));
            let line = format!(
                "{run},{workload},{phase},{from},{to},{sender},{receiver},{bytes},{posted},{arrived}\n"
            );
            out.extend_from_slice(line.as_bytes());
        }
        PyBytes::new(py, &out)
    }

    /// Where it was asked for, the length of an interval [s]; by run, one more than the number of its last
    /// interval; whether later intervals had no room; the links that carried anything, egress and ingress; and the
    /// share of each interval in which each was busy, `float32`, shape `(intervals, links)`.
    #[expect(clippy::type_complexity, reason = "what belongs together")]
    fn utilisation<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<(f64, Vec<usize>, bool, Vec<(String, String)>, Bound<'py, PyArray2<f32>>)>> {
        let Some(slots) = &self.inner.slots else { return Ok(None) };
        let used: Vec<usize> = (0..slots.ports.len())
            .filter(|&column| self.inner.ports[slots.ports[column] as usize].bytes > 0)
            .collect();
        let names = used.iter().map(|&column| {
            let port = PortId(slots.ports[column]);
            (self.fabric.port_name(port), self.far(port))
        });
        let names = names.collect();
        let rows = slots.busy.chunks_exact(slots.ports.len().max(1));
        let share = |busy: u64| (busy as f64 / slots.interval as f64) as f32;
        let shares: Vec<f32> =
            rows.flat_map(|row| used.iter().map(move |&column| share(row[column]))).collect();
        let busy = shares.into_pyarray(py).reshape([slots.len(), used.len()])?;
        Ok(Some((seconds(slots.interval), self.inner.slot_ends.clone(), slots.is_cut, names, busy)))
    }

    /// The links of `utilisation` by their egress ports: the sending node (`uint32`) and the port's number (`uint8`).
    #[expect(clippy::type_complexity, reason = "what belongs together")]
    fn utilised<'py>(
        &self,
        py: Python<'py>,
    ) -> Option<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u8>>)> {
        let slots = self.inner.slots.as_ref()?;
        let used =
            || slots.ports.iter().map(|&port| PortId(port)).filter(|p| self.inner.ports[p.ix()].bytes > 0);
        let fabric = &self.fabric.inner;
        let nodes: Vec<u32> = used().map(|port| fabric.node_of(port).0).collect();
        let numbers: Vec<u8> = used().map(|port| fabric.number_of(port)).collect();
        Some((nodes.into_pyarray(py), numbers.into_pyarray(py)))
    }

    /// How long packets waited in switches, summed over packets [s]: behind others in their queue, for
    /// credits, for a busy output or input.
    #[getter]
    fn waited<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let waited = &self.inner.waited;
        [
            ("behind_others", seconds(waited.behind_others)),
            ("for_credits", seconds(waited.for_credits)),
            ("for_turn", seconds(waited.for_turn)),
        ]
        .into_py_dict(py)
    }

    /// Payload that arrived [bytes].
    #[getter]
    fn payload(&self) -> u64 {
        self.inner.payload
    }

    /// Packets: sent by hosts, arrived, thrown away.
    #[getter]
    fn packets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        named(py, "Packets", (self.inner.packets, self.inner.delivered, self.inner.discarded))
    }

    /// Events of the simulation, and links crossed by packets.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        named(py, "Events", (self.inner.events, self.inner.hops))
    }

    /// How often switches moved a LID to another port, and when in its phase the last was moved [s].
    #[getter]
    fn moved<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        named(py, "Moved", (self.inner.moved.0, seconds(self.inner.moved.1)))
    }

    /// Packets marked by congestion control.
    #[getter]
    fn marked(&self) -> u64 {
        self.inner.marked
    }

    /// The first phase that ended in a deadlock, and its cycle: egress, ingress, lane.
    #[getter]
    fn deadlock<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some((phase, cycle)) = &self.inner.deadlock else { return Ok(None) };
        let link =
            |&(port, lane): &(u32, u8)| (self.fabric.port_name(PortId(port)), self.far(PortId(port)), lane);
        let cycle = rows(py, "Waiting", cycle.iter().map(link))?;
        named(py, "Deadlock", (*phase, cycle)).map(Some)
    }

    /// The links that were busiest, at most `count`: egress, ingress, share of the time busy, share of the
    /// time with packets but without credits, bytes.
    fn busiest<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let time = self.inner.simulated;
        let mut ports: Vec<usize> =
            (0..self.inner.ports.len()).filter(|&port| self.inner.ports[port].bytes > 0).collect();
        ports.sort_by_key(|&port| (std::cmp::Reverse(self.inner.ports[port].busy), port));
        let row = |port: usize| {
            let usage = &self.inner.ports[port];
            let port = PortId(port as u32);
            let share = |of: u64| of as f64 / time.max(1) as f64;
            (
                self.fabric.port_name(port),
                self.far(port),
                share(usage.busy),
                share(usage.starved),
                usage.bytes,
            )
        };
        rows(py, "SimulatedLink", ports.into_iter().take(count).map(row))
    }

    /// The greatest rate of a sender's link [bytes/s].
    #[getter]
    fn link_rate(&self) -> f64 {
        self.rates.iter().copied().fold(0.0, f64::max)
    }

    /// Cables that failed, as they were asked for: when [s], and both ports.
    #[getter]
    fn cuts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let row = |&(at, port): &(u64, PortId)| (seconds(at), self.fabric.port_name(port), self.far(port));
        rows(py, "Cut", self.cuts.iter().map(row))
    }

    /// Directed links whose rate had to be assumed, and the rate taken.
    #[getter]
    fn assumed_rates<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.assumed.clone().map(|row| named(py, "AssumedRates", row)).transpose()
    }

    fn __repr__(&self) -> String {
        let (phases, flows, time) = (self.inner.phases, self.flows(), seconds(self.inner.simulated));
        let state = match (self.inner.partial, &self.inner.deadlock) {
            (_, Some(_)) => ", a deadlock",
            (true, None) => ", partial",
            (false, None) => "",
        };
        format!("<lacis.Simulation: phases: {phases}, flows: {flows}, {time} s simulated{state}>")
    }
}
