//! `qperf`: one test after the other between two hosts.
//!
//! ```text
//! rc_bi_bw:
//!     bw  =  5.09 GB/sec
//! tcp_lat:
//!     latency   =  12.3 us
//!     msg_rate  =  81.3 K/sec
//!     msg_size  =     1 bytes
//! ```
//!
//! From its sources and outputs in public threads (0.4). Rates are decimal, sizes multiples of 2¹⁰; a size is printed with `-v` alone,
//! after what was measured with it.

use super::launch::Call;
use super::table::{Block, Fate, Line, Series, Sink, Unit, float, scaled};

/// A result, until the size of messages is known.
#[derive(Debug)]
struct Found {
    line: usize,
    text: String,
    what: &'static str,
    unit: Unit,
    value: f64,
}

/// The results of one test.
#[derive(Debug)]
pub(super) struct Qperf {
    test: String,
    bytes: Option<u64>,
    values: Vec<Found>,
}

/// Begins at the name of a test.
pub(super) fn begin(line: &Line<'_>, called: Option<&Call>, sink: &mut Sink) -> Option<Qperf> {
    const TRANSPORTS: [&str; 9] = ["rc_", "uc_", "ud_", "xrc_", "tcp_", "udp_", "sctp_", "sdp_", "rds_"];
    let name = line.text.strip_suffix(':')?;
    let is_test = TRANSPORTS.iter().any(|start| name.starts_with(start))
        && ["_bw", "_lat", "_mr"].iter().any(|end| name.ends_with(end))
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    is_test.then(|| {
        sink.format("qperf");
        let call = called.filter(|call| call.program == "qperf");
        let size = call.and_then(|call| call.value("--msg_size").or_else(|| call.value("-m")));
        Qperf { test: format!("qperf_{name}"), bytes: size.and_then(bytes), values: Vec::new() }
    })
}

/// Bytes of a size: `64 KiB`, `64K`, `1 bytes`, `64 KiB (65,536)`.
fn bytes(text: &str) -> Option<u64> {
    let text = text.split('(').next().unwrap_or(text).trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let unit = match text[digits..].trim() {
        "" | "bytes" | "byte" | "B" => 1,
        "K" | "KiB" => 1 << 10,
        "M" | "MiB" => 1 << 20,
        "G" | "GiB" => 1 << 30,
        _ => return None,
    };
    text[..digits].parse::<u64>().ok()?.checked_mul(unit)
}

/// A value in its unit: `5.09 GB/sec`, `81.3 K/sec`.
fn parsed(value: &str, unit: &str) -> Option<(Unit, f64)> {
    let value = float(&value.replace(',', ""))?;
    let (unit, factor) = match unit {
        "/sec" => (Unit::MessagesPerSecond, 1.0),
        "K/sec" => (Unit::MessagesPerSecond, 1e3),
        "M/sec" => (Unit::MessagesPerSecond, 1e6),
        "Kb/sec" => (Unit::BytesPerSecond, 125.0),
        "bytes/sec" => (Unit::BytesPerSecond, 1.0),
        "KB/sec" => (Unit::BytesPerSecond, 1e3),
        other => Unit::parse(other)?,
    };
    Some((unit, scaled(value, factor)))
}

impl Block for Qperf {
    fn line(&mut self, line: &Line<'_>, _sink: &mut Sink) -> Fate {
        let Some((name, rest)) = line.text.split_once(" = ").map(|(name, rest)| (name.trim(), rest.trim()))
        else {
            return Fate::Foreign;
        };
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        if !is_name {
            return Fate::Foreign;
        }
        let what = match name {
            "bw" => "bandwidth",
            "send_bw" => "send bandwidth",
            "recv_bw" => "receive bandwidth",
            "latency" => "latency",
            "msg_rate" => "message rate",
            "msg_size" => {
                self.bytes = bytes(rest).or(self.bytes);
                return Fate::Taken;
            }
            _ => return Fate::Taken,
        };
        let found = rest.split_once(' ').and_then(|(value, unit)| parsed(value, unit.trim()));
        let Some((unit, value)) = found else { return Fate::Broken };
        self.values.push(Found { line: line.number, text: line.text.to_owned(), what, unit, value });
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        for value in std::mem::take(&mut self.values) {
            let series =
                Series { ranks: Some(2), ..Series::mean(&self.test, value.what, value.unit, self.bytes) };
            sink.value(series, value.value, &Line { number: value.line, text: &value.text });
        }
    }
}
