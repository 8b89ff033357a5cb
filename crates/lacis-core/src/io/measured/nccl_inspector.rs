//! NCCL Inspector, the profiler plugin of NCCL: one JSON object an operation and rank.
//!
//! ```text
//! {"header": {"id": "0x7f8c", "rank": 2, "n_ranks": 8, "nnodes": 1}, "metadata": {"hostname": "node001", "pid": 7},
//!  "p2p_perf": {"p2p": "Send", "p2p_peer": 3, "p2p_msg_size_bytes": 1048576, "p2p_exec_time_us": 61}}
//! ```
//!
//! From its sources and manual (format v4.0); no file of our own was at hand. Every process writes its own file: read
//! together they give the host of a peer. The bytes that ranks sent each other are a communication matrix. GB is 10⁹.

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::table::{Class, Line, MOST_RANKS, NONE, Series, Sink, Unit, scaled};
use crate::io::NoteKind;

/// An operation between two ranks, until all hosts are known.
#[derive(Debug)]
struct Between {
    line: usize,
    communicator: u32,
    own: u32,
    peer: u32,
    is_send: bool,
    series: [u32; 3],
    values: [f64; 3],
}

/// What is kept until all files are read.
#[derive(Debug, Default)]
pub(super) struct Inspector {
    communicators: FxHashMap<String, u32>,
    hosts: FxHashMap<(u32, u32), String>,
    between: Vec<Between>,
}

/// Whether a line begins like a record.
pub(super) fn looks_like(text: &str) -> bool {
    text.starts_with('{') && text.get(..40.min(text.len())).is_some_and(|head| head.contains("\"header\""))
}

/// Counts of records that the plugin lost, wherever it reports them.
fn dropped(line: &Line<'_>, value: &Value, sink: &mut Sink) {
    let objects = ["header", "metadata", "coll_perf", "p2p_perf"].map(|key| &value[key]);
    let fields = objects.into_iter().filter_map(Value::as_object).flatten();
    if fields
        .chain(value.as_object().into_iter().flatten())
        .any(|(key, value)| key.contains("dropped") && value.as_u64().is_some_and(|count| count > 0))
    {
        sink.notes.add(NoteKind::Dropped, line.number, line.text);
    }
}

impl Inspector {
    /// Reads an object; false if it is not the plugin's.
    pub(super) fn record(&mut self, line: &Line<'_>, value: &Value, sink: &mut Sink) -> bool {
        let (header, metadata) = (&value["header"], &value["metadata"]);
        let is_collective = value["coll_perf"].is_object();
        let perf = if is_collective { &value["coll_perf"] } else { &value["p2p_perf"] };
        if !header.is_object() || !metadata.is_object() {
            return false;
        }
        sink.format("NCCL Inspector");
        dropped(line, value, sink);
        if !perf.is_object() {
            return true; // an operation of another kind
        }
        if let Some(version) = metadata["inspector_output_format_version"].as_str() {
            sink.fact("NCCL Inspector format", &version);
        }
        let number =
            |value: &Value| value.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|&n| n < MOST_RANKS);
        let (Some(own), Some(ranks)) = (number(&header["rank"]), number(&header["n_ranks"])) else {
            sink.notes.add(NoteKind::BrokenRow, line.number, line.text);
            return true;
        };
        let next = self.communicators.len() as u32;
        let id = header["id"].as_str().unwrap_or("").to_owned();
        let communicator = *self.communicators.entry(id).or_insert(next);
        if let Some(host) = metadata["hostname"].as_str() {
            self.hosts.insert((communicator, own), host.to_owned());
        }
        let kind = if is_collective { "coll" } else { "p2p" };
        let field = |name: &str| &perf[format!("{kind}{name}")];
        let test = format!("nccl_inspector {}", perf[kind].as_str().unwrap_or("?"));
        let bytes = field("_msg_size_bytes").as_u64();
        let mut series = |what: &str, unit| {
            let series = Series::mean(&test, what, unit, bytes);
            sink.series(Series { statistic: "sample".into(), ranks: Some(ranks), ..series })
        };
        let series = [
            series("time", Unit::Seconds),
            series("algorithm bandwidth", Unit::BytesPerSecond),
            series("bus bandwidth", Unit::BytesPerSecond),
        ];
        let values = [("_exec_time_us", 1e-6), ("_algobw_gbs", 1e9), ("_busbw_gbs", 1e9)]
            .map(|(name, factor)| field(name).as_f64().map_or(f64::NAN, |value| scaled(value, factor)));
        if is_collective {
            for (series, value) in series.into_iter().zip(values) {
                sink.pair(series, (NONE, NONE), Class::Unknown, value, line);
            }
            return true;
        }
        let Some(peer) = number(field("_peer")).filter(|&peer| peer < ranks) else {
            sink.notes.add(NoteKind::RankCount, line.number, line.text);
            return true;
        };
        let is_send = perf[kind].as_str() != Some("Recv");
        self.between.push(Between { line: line.number, communicator, own, peer, is_send, series, values });
        true
    }

    /// Operations between ranks so far.
    pub(super) fn waiting(&self) -> usize {
        self.between.len()
    }

    /// The operations between ranks, now that hosts are known.
    pub(super) fn finish(self, sink: &mut Sink) {
        for one in self.between {
            let end = |rank: u32, sink: &mut Sink| match self.hosts.get(&(one.communicator, rank)) {
                Some(host) => Some(sink.host(host, Some(rank))),
                None => sink.rank(rank),
            };
            let (Some(own), Some(peer)) = (end(one.own, sink), end(one.peer, sink)) else { continue };
            let ends = if one.is_send { (own, peer) } else { (peer, own) };
            let line = Line { number: one.line, text: "" };
            for (series, value) in one.series.into_iter().zip(one.values) {
                sink.pair(series, ends, Class::Unknown, value, &line);
            }
        }
    }
}
