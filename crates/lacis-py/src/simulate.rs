//! Simulation: patterns and jobs, packet by packet.

use std::collections::HashMap;
use std::sync::Arc;

use lacis_core::fabric::{Fabric, PortId};
use lacis_core::failures::Names;
use lacis_core::generate::{Elements, elements};
use lacis_core::model::load::Multipath;
use lacis_core::model::packet::{
    self, Adaptive, DEVICES, Device, Network, OmniPath, Queueing, Reads, SimulationRequest, Test, Workload,
};
use lacis_core::ranks;
use lacis_core::traffic::Traffic;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::{Failure, to_py};
use crate::hardware::{self, Lanes, Moving, Slowing};
use crate::interrupt::interruptible_with_result;
use crate::ranks::Participants;
use crate::routing::Routes;
use crate::simulation::{Sent, Simulation};
use crate::traffic::{AskedTraffic, phase_names};

/// The devices by name, and what each is.
#[pyfunction]
fn devices() -> Vec<(&'static str, &'static str)> {
    DEVICES.into_iter().filter_map(Device::named).map(|device| (device.name, device.about)).collect()
}

/// The constants of a device: name, value, source.
#[pyfunction]
fn device(name: &str) -> PyResult<Vec<packet::Constant>> {
    known(name).map(|device| device.sources.to_vec())
}

fn known(name: &str) -> PyResult<Device> {
    Device::named(name).ok_or_else(|| {
        to_py(Failure::plain(&format!("no device \"{name}\" (there are {})", DEVICES.join(", "))))
    })
}

/// What is sent: the attributes of `lacis.Workload`, all of them given.
#[derive(FromPyObject)]
struct Asked<'py> {
    hosts: PyRef<'py, Participants>,
    traffic: String,
    test: String,
    size: u64,
    count: u32,
    window: u32,
    load: f64,
    duration: f64,
    sl: u8,
    ranks_per_host: u32,
    local_rate: f64,
    striping: Option<String>,
}

fn picoseconds(seconds: f64) -> u64 {
    (seconds * 1e12).round() as u64
}

impl Asked<'_> {
    /// Checks what the core does not check.
    fn check(&self) -> PyResult<()> {
        if self.count == 0 || self.window == 0 || self.ranks_per_host == 0 || self.sl > 15 {
            let text = "count, window and ranks_per_host are 1 or more; a service level is 0 to 15";
            return Err(PyValueError::new_err(text));
        }
        let above = |value: f64| value > 0.0 && value.is_finite();
        if !(above(self.load) && above(self.local_rate)) {
            return Err(PyValueError::new_err("load and local_rate are above 0"));
        }
        if !(1e-12..1e6).contains(&self.duration) {
            return Err(to_py(Failure::plain(&"`duration`: expected 1 ps to 1,000,000 s")));
        }
        Ok(())
    }

    /// Its traffic made ready. `listed` is the text of the file that the traffic names.
    fn ready<'a>(
        &self,
        participants: &'a ranks::Participants,
        patterns: usize,
        listed: &str,
    ) -> PyResult<Traffic<'a>> {
        let asked = AskedTraffic {
            spec: &self.traffic,
            listed,
            patterns,
            bytes: self.size,
            ranks_per_host: self.ranks_per_host,
            striping: self.striping.as_deref(),
        };
        asked.ready(participants)
    }

    /// What the flows of a pattern do, and how else its traffic is sent.
    fn workload<'a>(&self, traffic: &'a Traffic<'a>) -> PyResult<Workload<'a>> {
        let test = match &*self.test {
            "windows" => Test::Windows { window: self.window, windows: self.count },
            "burst" => Test::Burst(self.count),
            "ping-pong" => Test::PingPong(self.count),
            "load" => Test::Load { load: self.load, duration: picoseconds(self.duration) },
            _ => return Err(PyValueError::new_err("a test is windows, burst, ping-pong or load")),
        };
        // A burst of one is every message once, which a program may be asked for, too.
        let test = Some(test).filter(|&test| test != Test::Burst(1));
        let workload = Workload { traffic, test, sl: self.sl, local_rate: self.local_rate };
        workload.check().map_err(|e| to_py(Failure::plain(&e)))?;
        Ok(workload)
    }
}

/// Raises what is wrong with a workload, whose traffic names a file with this text: so that an error about
/// a line of it can say which file it is.
#[pyfunction]
#[pyo3(signature = (workload, listed, *, patterns=1))]
fn check_workload(workload: Asked<'_>, listed: &str, patterns: usize) -> PyResult<()> {
    workload.check()?;
    let participants = Arc::clone(&workload.hosts.participants);
    let traffic = workload.ready(&participants, patterns, listed)?;
    workload.workload(&traffic).map(drop)
}

/// The cables that selectors name, each with the time at which it fails (ps).
fn cables(fabric: &Fabric, cuts: &[(String, f64)]) -> PyResult<Vec<(u64, PortId)>> {
    let refused = |text: String| to_py(Failure::plain(&text));
    let mut all = Vec::new();
    for (selector, at) in cuts {
        if !(0.0..1e6).contains(at) {
            return Err(refused(format!("`cuts` {selector}: expected a time of 0 to 1,000,000 s")));
        }
        let ports = match elements(fabric, selector).map_err(|e| to_py(Failure::plain(&e)))? {
            Elements::Cables(ports) => ports,
            Elements::Nodes(_) => {
                let text = format!("`cuts` {selector}: that is a node; name its cables, as {selector}--*");
                return Err(refused(text));
            }
        };
        for port in ports {
            let far = fabric.peer(port).unwrap_or(port);
            if let Some(host) = [port, far].into_iter().find(|&p| !fabric.is_switch(fabric.node_of(p))) {
                let names = Names::of(fabric);
                let (cable, host) = (names.cable((port, far)), names.node(fabric.node_of(host)));
                return Err(refused(format!(
                    "`cuts` {selector}: {cable} leads to an end node, and only cables between switches fail in a \
                     simulation; to leave the node out, say --without '{host}'"
                )));
            }
            all.push((picoseconds(*at), port));
        }
    }
    Ok(all)
}

/// Simulates workloads side by side, packet by packet. Each comes with the text of the file that its traffic
/// names. What is not given of a device is the device's own.
#[pyfunction]
#[pyo3(signature = (routes, workloads, *, patterns=1, seed=1, device="ideal", mtu=None, buffer=None, queues=None,
       adaptive="off", moving=None, cuts=Vec::new(), lanes=None, slowing=None, multipath="none", switch_latency=None, cable_length=None, host_efficiency=None, hop_limit=64,
       circles=false, record=false, interval=None, memory=None))]
#[expect(clippy::too_many_arguments, reason = "keyword-only, as the command line has them")]
fn simulate(
    py: Python<'_>,
    routes: &Routes,
    workloads: Vec<(Asked<'_>, String)>,
    patterns: usize,
    seed: u64,
    device: &str,
    mtu: Option<u32>,
    buffer: Option<u32>,
    queues: Option<&str>,
    adaptive: &str,
    moving: Option<Moving>,
    cuts: Vec<(String, f64)>,
    lanes: Option<Lanes>,
    slowing: Option<Slowing>,
    multipath: &str,
    switch_latency: Option<f64>,
    cable_length: Option<f64>,
    host_efficiency: Option<f64>,
    hop_limit: u8,
    circles: bool,
    record: bool,
    interval: Option<f64>,
    memory: Option<u64>,
) -> PyResult<Simulation> {
    let share = |share: f64| share > 0.0 && share <= 1.0;
    if workloads.is_empty() || hop_limit == 0 || !host_efficiency.is_none_or(share) {
        return Err(PyValueError::new_err(
            "there is a workload; hop_limit is 1 or more; host_efficiency is above 0 and at most 1",
        ));
    }
    workloads.iter().try_for_each(|(asked, _)| asked.check())?;
    let mut settings = known(device)?.settings;
    settings.mtu = mtu.unwrap_or(settings.mtu);
    // 0 stands for as much as is needed.
    settings.buffer = buffer.map_or(settings.buffer, |bytes| Some(bytes).filter(|&bytes| bytes > 0));
    (settings.queueing, settings.reads) = match queues {
        None => (settings.queueing, settings.reads),
        Some("fifo") => (Queueing::Fifo, Reads::One),
        Some("virtual") => (Queueing::Virtual, Reads::Many),
        Some(_) => return Err(PyValueError::new_err("queues are \"fifo\" or \"virtual\"")),
    };
    settings.adaptive = hardware::adaptive(adaptive, moving.as_ref())?;
    settings.throttle = slowing.as_ref().map(Slowing::read).transpose()?;
    settings.lanes = lanes.as_ref().map(Lanes::read).transpose()?.unwrap_or_default();
    settings.multipath = match multipath.parse() {
        Ok(Multipath::Spray | Multipath::Ideal) | Err(()) => {
            return Err(PyValueError::new_err("multipath is none, by-message, by-peer or by-hash"));
        }
        Ok(multipath) => multipath,
    };
    settings.interval = match interval.map(|interval| interval * 1e12) {
        None => 0,
        Some(interval) if (1.0..1e19).contains(&interval) => interval.round() as u64,
        Some(_) => return Err(PyValueError::new_err("an interval is 1 ps or more")),
    };
    if let Some(latency) = switch_latency {
        (settings.switch_latency, settings.block) = (picoseconds(latency), 0);
    }
    settings.cable_delay = cable_length.map_or(settings.cable_delay, |m| picoseconds(m * 5e-9));
    settings.host_efficiency = host_efficiency.unwrap_or(settings.host_efficiency);
    (settings.hop_limit, settings.seed) = (hop_limit, seed);
    let wire = settings.mtu + settings.header;
    if settings.mtu == 0 || wire > u32::from(u16::MAX) {
        return Err(to_py(Failure::plain(&format!(
            "an MTU of {} bytes: expected 1 to 65,000",
            settings.mtu
        ))));
    }
    if settings.buffer.is_none() && matches!(settings.adaptive, Adaptive::OmniPath(_)) {
        let text = "`adaptive` omni-path goes by how full buffers are, and these are unlimited";
        return Err(to_py(Failure::plain(&text)));
    }
    if settings.buffer.is_none() && settings.throttle.is_some() {
        let text = "--congestion-control goes by how full buffers are, and these are unlimited";
        return Err(to_py(Failure::plain(&text)));
    }
    if let Some(room) = settings.buffer.filter(|&room| room < wire) {
        let text = format!("a buffer of {room} bytes holds no packet of {wire} bytes, headers included");
        return Err(to_py(Failure::plain(&text)));
    }
    // The same hosts in the same order are one.
    let whos: Vec<Arc<ranks::Participants>> =
        workloads.iter().map(|(asked, _)| Arc::clone(&asked.hosts.participants)).collect();
    let mut ends: Vec<PortId> = Vec::new();
    let mut index: HashMap<PortId, usize> = HashMap::new();
    for &port in whos.iter().flat_map(|participants| participants.ports()) {
        index.entry(port).or_insert_with(|| {
            ends.push(port);
            ends.len() - 1
        });
    }
    let ready = workloads
        .iter()
        .zip(&whos)
        .map(|((asked, listed), participants)| asked.ready(participants, patterns, listed));
    let traffic: Vec<Traffic<'_>> = ready.collect::<PyResult<_>>()?;
    let works = traffic.iter().zip(&workloads).map(|(traffic, (asked, _))| asked.workload(traffic));
    let works: Vec<Workload<'_>> = works.collect::<PyResult<_>>()?;
    let request = SimulationRequest { settings, seed, circles, record };
    let fabric = &routes.fabric.inner;
    let cuts = cables(fabric, &cuts)?;
    if settings.lanes.preempt && !cuts.is_empty() {
        let text = "`preempt` and `cuts` are not simulated together: what an interrupted packet of a cut cable does is not known";
        return Err(to_py(Failure::plain(&text)));
    }
    let net = py.detach(|| Network::new(fabric, &routes.inner, &ends).with_cuts(&cuts));
    let levels: Vec<u8> = works.iter().flat_map(|work| work.traffic.service_levels(work.sl)).collect();
    settings.check_lanes(&net, &levels).map_err(|e| to_py(Failure::plain(&e)))?;
    let needed = packet::memory(&net, &works, &request);
    if let Some(memory) = memory.filter(|&memory| needed > memory) {
        let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
        let text = format!(
            "this simulation may need {:.1} GiB of memory, and {:.1} GiB are free",
            gib(needed),
            gib(memory)
        );
        return Err(to_py(Failure::plain(&text)));
    }
    let run = |stop: &_| packet::experiment(stop, &net, &works, &request);
    let inner = interruptible_with_result(py, run)?.map_err(|e| to_py(Failure::plain(&e)))?;
    let rates = net.rates_of_ends();
    let assumed = net.unknown.map(|u| (u.links, u.assumed.to_string()));
    let works =
        traffic.iter().zip(&whos).map(|(traffic, participants)| sent(traffic, participants, &ends)).collect();
    let cuts = net.cuts().collect();
    Ok(Simulation { fabric: routes.fabric.clone(), rates, assumed, cuts, works, inner })
}

/// What must be known of a workload when its messages are reported.
fn sent(traffic: &Traffic<'_>, participants: &Arc<ranks::Participants>, ends: &[PortId]) -> Sent {
    let slot: HashMap<PortId, u32> = participants.ports().iter().copied().zip(0..).collect();
    let slots = ends.iter().map(|port| slot.get(port).copied().unwrap_or(u32::MAX)).collect();
    let (ranks, terms, weighted) = match traffic {
        Traffic::Pattern(_) => (None, None, false),
        Traffic::Program(program) => {
            let ranks = program.ranks();
            let hosts = (0..ranks.len()).map(|rank| ranks.host(rank)).collect();
            (Some(hosts), program.bandwidth_terms(), program.is_weighted())
        }
    };
    Sent {
        participants: Arc::clone(participants),
        slots,
        ranks,
        phases: phase_names(traffic),
        terms,
        weighted,
    }
}

/// What settings of Omni-Path's adaptive routing mean: how full a buffer is at a threshold of 0 to 7 when its port
/// counts as congested [%], and how often at most LIDs move at a frequency of 0 to 7 [s].
#[pyfunction]
fn adaptive_settings(threshold: u8, frequency: u8) -> PyResult<(u64, f64)> {
    if threshold > 7 || frequency > 7 {
        return Err(PyValueError::new_err("a threshold and a frequency are 0 to 7"));
    }
    let set = OmniPath { threshold, ..OmniPath::default() };
    Ok((set.percent(), OmniPath::period_of(frequency) as f64 / 1e12))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Simulation>()?;
    m.add_function(wrap_pyfunction!(devices, m)?)?;
    m.add_function(wrap_pyfunction!(device, m)?)?;
    m.add_function(wrap_pyfunction!(hardware::congestion_control, m)?)?;
    m.add_function(wrap_pyfunction!(check_workload, m)?)?;
    m.add_function(wrap_pyfunction!(adaptive_settings, m)?)?;
    m.add_function(wrap_pyfunction!(simulate, m)?)
}
