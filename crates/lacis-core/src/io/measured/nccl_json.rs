//! The JSON of NCCL-tests (`-J FILE`) and of RCCL-tests (`-Z json`).
//!
//! ```text
//! {"version":3,"args":["./all_reduce_perf","-J","out.json"],"config":{"nthreads":1,"devices":[{"rank":0,"hostname":"g1"}]},
//!  "results":[{"size":8,"count":2,"type":"float","redop":"sum","root":"-1","out_of_place":{"time":5.6,"alg_bw":0.1,
//!  "bus_bw":0.1,"nwrong":0},"in_place":{…}}],"out_of_bounds":{"count":0,"okay":"true"}}
//! {"numCycle":0,"name":"AllReduce","nodes":1,"ranks":8,"size":8,"type":"float","redop":"sum","inPlace":1,"time":5.6,
//!  "algBw":0.1,"busBw":0.1,"wrong":0}
//! ```
//!
//! From the sources of NCCL-tests 2.17 to 2.19 (schemas 1 to 3) and from a reader of RCCL-tests' JSON; no file of our own was at
//! hand. Times are µs, GB is 10⁹ bytes.

use serde_json::Value;

use super::nccl_tests::{ends, name};
use super::table::{Class, Line, MOST_RANKS, NONE, Series, Sink, Unit, scaled};
use crate::io::NoteKind;

/// Reads an object; false if it is of neither program.
pub(super) fn read(line: &Line<'_>, value: &Value, sink: &mut Sink) -> bool {
    let context = sink.context.clone();
    let is_known = whole(line, value, sink) || row_of_rccl(line, value, sink);
    sink.context = context;
    is_known
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

/// A number, also one in quotes.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// The output of a run of NCCL-tests.
fn whole(line: &Line<'_>, value: &Value, sink: &mut Sink) -> bool {
    let (Some(results), Some(args)) = (value["results"].as_array(), value["args"].as_array()) else {
        return false;
    };
    sink.format("NCCL-tests");
    let program = args.first().map_or("", text);
    let test = if program.is_empty() { "nccl".into() } else { name(program) };
    if let Some(version) = value["version"].as_u64() {
        sink.fact("nccl-tests JSON version", &version);
    }
    if let Some(start) = value["start_time"].as_str() {
        sink.fact("started", start);
    }
    let config = &value["config"];
    for key in ["nthreads", "ngpus", "graph", "aggregated_iterations", "blocking_collectives"] {
        if !config[key].is_null() {
            sink.setting(format!("{key}={}", config[key].to_string().trim_matches('"')));
        }
    }
    let mut hosts = Vec::new();
    let devices = if config["devices"].is_array() { &config["devices"] } else { &value["devices"] };
    for device in devices.as_array().into_iter().flatten() {
        let rank = device["rank"].as_u64().filter(|&rank| rank < u64::from(MOST_RANKS));
        let (Some(rank), Some(host)) = (rank, device["hostname"].as_str()) else { continue };
        if rank as usize >= hosts.len() {
            hosts.resize(rank as usize + 1, String::new());
        }
        host.clone_into(&mut hosts[rank as usize]);
        sink.fact(&format!("rank {rank}"), host);
    }
    let ranks = (!hosts.is_empty()).then_some(hosts.len() as u32);
    let ends = ends(&hosts, sink);
    let before = sink.table.value.len();
    let common = sink.context.clone();
    for row in results {
        sink.context = common.clone();
        settings(row, sink);
        let of = |what: &str, unit| Series { ranks, ..Series::mean(&test, what, unit, row["size"].as_u64()) };
        for (key, note) in [("out_of_place", ""), ("in_place", ", in place")] {
            let values = &row[key];
            for (key, what, unit, factor) in [
                ("time", "time", Unit::Seconds, 1e-6),
                ("cpu_time", "processor time", Unit::Seconds, 1e-6),
                ("alg_bw", "algorithm bandwidth", Unit::BytesPerSecond, 1e9),
                ("bus_bw", "bus bandwidth", Unit::BytesPerSecond, 1e9),
            ] {
                if let Some(value) = number(&values[key]) {
                    let series = sink.series(of(&format!("{what}{note}"), unit));
                    sink.pair(series, ends, Class::Unknown, scaled(value, factor), line);
                }
            }
            if number(&values["nwrong"]).is_some_and(|wrong| wrong > 0.0) {
                sink.notes.add(NoteKind::Wrong, line.number, line.text);
            }
            let iterations = &row[format!("{key}_per_iter")];
            let what = format!("time{note}");
            for (key, statistic) in [
                ("min_us", "min"),
                ("max_us", "max"),
                ("p50_us", "median"),
                ("p95_us", "p95"),
                ("p99_us", "p99"),
            ] {
                if let Some(value) = number(&iterations[key]) {
                    let series = Series { statistic: statistic.into(), ..of(&what, Unit::Seconds) };
                    let series = sink.series(series);
                    sink.pair(series, ends, Class::Unknown, scaled(value, 1e-6), line);
                }
            }
            for time in iterations["times_us"].as_array().into_iter().flatten().filter_map(number) {
                let series = sink.series(Series { statistic: "sample".into(), ..of(&what, Unit::Seconds) });
                sink.pair(series, ends, Class::Unknown, scaled(time, 1e-6), line);
            }
        }
    }
    if text(&value["out_of_bounds"]["okay"]) == "false"
        || value["out_of_bounds"]["okay"] == Value::Bool(false)
    {
        sink.notes.add(NoteKind::Wrong, line.number, "out_of_bounds");
    }
    if value["end_time"].is_null() && before < sink.table.value.len() {
        sink.notes.add(NoteKind::Unfinished, line.number, "");
    }
    true
}

/// Type, operation and root of a row.
fn settings(row: &Value, sink: &mut Sink) {
    for key in ["type", "redop"] {
        let word = text(&row[key]);
        if !matches!(word, "" | "none") {
            sink.setting(word.to_owned());
        }
    }
    if let Some(root) = number(&row["root"]).filter(|&root| root >= 0.0) {
        sink.setting(format!("root={root}"));
    }
}

/// A row of RCCL-tests.
fn row_of_rccl(line: &Line<'_>, value: &Value, sink: &mut Sink) -> bool {
    let collective = value["name"].as_str().or_else(|| value["collective"].as_str());
    let field = |names: [&str; 2]| names.iter().find_map(|name| number(&value[*name]));
    let (Some(collective), Some(size), Some(time)) =
        (collective, value["size"].as_u64(), number(&value["time"]))
    else {
        return false;
    };
    if value["busBw"].is_null() && value["busbw"].is_null() {
        return false;
    }
    sink.format("RCCL-tests");
    settings(value, sink);
    for key in ["gpusPerRank", "ranksPerNode"] {
        if let Some(count) = value[key].as_u64() {
            sink.setting(format!("{key}={count}"));
        }
    }
    let in_place = field(["inPlace", "inplace"]).map_or_else(
        || value["inPlace"].as_bool().or_else(|| value["inplace"].as_bool()).unwrap_or(false),
        |number| number > 0.0,
    );
    let note = if in_place { ", in place" } else { "" };
    let test = format!("nccl_{}", snake(collective));
    let ranks = value["ranks"].as_u64().and_then(|ranks| u32::try_from(ranks).ok());
    for (what, unit, number) in [
        ("time", Unit::Seconds, Some(scaled(time, 1e-6))),
        ("algorithm bandwidth", Unit::BytesPerSecond, field(["algBw", "algbw"]).map(|rate| rate * 1e9)),
        ("bus bandwidth", Unit::BytesPerSecond, field(["busBw", "busbw"]).map(|rate| rate * 1e9)),
    ] {
        let Some(number) = number else { continue };
        let series = Series { ranks, ..Series::mean(&test, &format!("{what}{note}"), unit, Some(size)) };
        let series = sink.series(series);
        sink.pair(series, (NONE, NONE), Class::Unknown, number, line);
    }
    if field(["wrong", "wrong"]).is_some_and(|wrong| wrong > 0.0) {
        sink.notes.add(NoteKind::Wrong, line.number, line.text);
    }
    true
}

/// `AllReduce` as programs are called: `all_reduce`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    match out.as_str() {
        "all_to_all" => "alltoall".into(),
        "all_to_allv" | "all_to_all_v" => "alltoallv".into(),
        "send_recv" => "sendrecv".into(),
        _ => out,
    }
}
