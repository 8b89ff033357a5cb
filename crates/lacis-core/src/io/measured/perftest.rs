//! perftest: `ib_write_bw`, `ib_send_lat` and their like.
//!
//! ```text
//!                     RDMA_Write Bidirectional BW Test
//!  Dual-port       : OFF          Device         : mlx5_0
//!  local address: LID 0x01 QPN 0x0d02 PSN 0xc8533e RKey 0x080585 VAddr 0x007f41cb03a000
//!  remote address: LID 0x05 QPN 0x0d24 PSN 0x10b156 RKey 0x0805b9 VAddr 0x007f99dfba7000
//!  #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
//!  65536      5000             1103.39            1103.38            0.017654
//!  Local results:
//! ```
//!
//! From its sources and outputs in public threads. `MB/sec` is 2²⁰ bytes/s there, `Gb/sec` 10⁹ bits/s. The two adapters are the
//! ends, by LID, on Ethernet by GID. A bidirectional test is one of its own: its rate is the sum of both directions;
//! `--report-both` prints what each side sent, too.

use super::scale::{MEBI, Scale};
use super::table::{Block, Class, Fate, Line, NONE, Series, Sink, Unit, after, float, scaled};
use crate::io::text::number;

/// Columns by their names: what, statistic, unit and factor.
const COLUMNS: [(&str, &str, &str, Unit, f64); 15] = [
    ("BW peak[MB/sec]", "bandwidth", "max", Unit::BytesPerSecond, MEBI),
    ("BW average[MB/sec]", "bandwidth", "mean", Unit::BytesPerSecond, MEBI),
    ("BW peak[MiB/sec]", "bandwidth", "max", Unit::BytesPerSecond, MEBI),
    ("BW average[MiB/sec]", "bandwidth", "mean", Unit::BytesPerSecond, MEBI),
    ("BW peak[Gb/sec]", "bandwidth", "max", Unit::BytesPerSecond, 125e6),
    ("BW average[Gb/sec]", "bandwidth", "mean", Unit::BytesPerSecond, 125e6),
    ("MsgRate[Mpps]", "message rate", "mean", Unit::MessagesPerSecond, 1e6),
    ("t_min[usec]", "latency", "min", Unit::Seconds, 1e-6),
    ("t_max[usec]", "latency", "max", Unit::Seconds, 1e-6),
    ("t_typical[usec]", "latency", "median", Unit::Seconds, 1e-6),
    ("t_avg[usec]", "latency", "mean", Unit::Seconds, 1e-6),
    ("t_stdev[usec]", "latency", "standard deviation", Unit::Seconds, 1e-6),
    ("99% percentile[usec]", "latency", "p99", Unit::Seconds, 1e-6),
    ("99.9% percentile[usec]", "latency", "p99.9", Unit::Seconds, 1e-6),
    ("tps average", "message rate", "mean", Unit::MessagesPerSecond, 1.0),
];
const OTHERS: [&str; 6] = ["#bytes", "#iterations", "#sl", "CPU_Util[%]", "Qp[0] BW", "Qp"];
/// Settings above the columns that change what is measured.
const SETTINGS: [&str; 8] = [
    "Device",
    "Number of qps",
    "Connection type",
    "Mtu",
    "Dual-port",
    "Using SRQ",
    "Link type",
    "Max inline data",
];

/// Whose results rows are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Side {
    /// Of both directions together, where a test has two.
    #[default]
    Both,
    Local,
    Remote,
}

/// The output of one run.
#[derive(Debug)]
pub(super) struct PerfTest {
    test: String,
    /// By column: its row of [`COLUMNS`], or none.
    columns: Vec<Option<usize>>,
    side: Side,
    /// The local and the remote adapter.
    ends: [Option<String>; 2],
    /// Whose address the last line had.
    address: Option<usize>,
    scale: Scale,
}

impl PerfTest {
    fn new(test: String, columns: Vec<Option<usize>>) -> Self {
        let scale = Scale::new(&[MEBI, 1e6]);
        Self { test, columns, side: Side::Both, ends: [None, None], address: None, scale }
    }
}

/// The program that has a title: `RDMA_Write Bidirectional BW Test`, `RDMA_Write_BW_Test`.
pub(super) fn program(title: &str) -> Option<String> {
    let title = title.strip_suffix("Test").or_else(|| title.split_once(" Test").map(|(title, _)| title))?;
    let words: Vec<&str> = title.split([' ', '_']).filter(|word| !word.is_empty()).collect();
    let has = |word: &str| words.contains(&word);
    let kind = if has("BW") {
        "bw"
    } else if has("Latency") {
        "lat"
    } else {
        return None;
    };
    let verb = match *words.first()? {
        "RDMA" if has("Write") => "write",
        "RDMA" if has("Read") => "read",
        "Send" => "send",
        "Atomic" => "atomic",
        "Raw" | "RawEth" => "raw_ethernet",
        _ => return None,
    };
    let mut name =
        if verb == "raw_ethernet" { format!("{verb}_{kind}") } else { format!("ib_{verb}_{kind}") };
    if words.windows(2).any(|pair| pair == ["With", "Imm"] || pair == ["with", "imm"]) || has("WriteImm") {
        name.push_str(" with immediate data");
    }
    if has("Bidirectional") {
        name.push_str(" bidirectional");
    }
    Some(name)
}

/// Begins at the title, or at the head of the columns.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<PerfTest> {
    let text = line.text;
    if text.starts_with("#bytes") && text.contains("#iterations") {
        sink.format("perftest");
        let test = if text.contains("BW average") { "ib_bw" } else { "ib_lat" };
        return Some(PerfTest::new(test.into(), columns(text)));
    }
    if !text.ends_with(" Test") {
        return None;
    }
    let test = program(text)?;
    sink.format("perftest");
    Some(PerfTest::new(test, Vec::new()))
}

/// The adapter that a GID names: an address of IPv4 where it holds one.
fn gid(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.trim().split(':').collect();
    if parts.len() != 16 {
        return Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    }
    // Octets are decimal in most versions.
    let radix =
        if parts.iter().any(|part| part.bytes().any(|byte| byte.is_ascii_alphabetic())) { 16 } else { 10 };
    let octets: Vec<u8> =
        parts.iter().map(|part| u8::from_str_radix(part, radix).ok()).collect::<Option<_>>()?;
    if octets[..10].iter().all(|&octet| octet == 0) && octets[10..12] == [255, 255] {
        return Some(octets[12..].iter().map(u8::to_string).collect::<Vec<_>>().join("."));
    }
    let groups: Vec<String> =
        octets.chunks(2).map(|pair| format!("{:x}", u16::from(pair[0]) << 8 | u16::from(pair[1]))).collect();
    Some(format!("GID {}", groups.join(":")))
}

/// Columns in the order of their names in the head, separated by blanks.
fn columns(head: &str) -> Vec<Option<usize>> {
    let mut rest = head.trim_start();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let known = COLUMNS.iter().position(|(name, ..)| rest.starts_with(name));
        let length = match known {
            Some(at) => COLUMNS[at].0.len(),
            None => OTHERS
                .iter()
                .find(|name| rest.starts_with(**name))
                .map_or_else(|| rest.find(char::is_whitespace).unwrap_or(rest.len()), |name| name.len()),
        };
        found.push(known);
        rest = rest[length..].trim_start();
    }
    found
}

impl PerfTest {
    /// A line above the columns; false if it is of another program.
    fn setting(&mut self, text: &str, sink: &mut Sink) -> bool {
        for (at, start) in ["local address:", "remote address:"].iter().enumerate() {
            if let Some(rest) = text.strip_prefix(start) {
                let lid = after(rest, "LID").and_then(number).filter(|&lid| lid > 0);
                if let Some(lid) = lid {
                    self.ends[at] = Some(format!("LID {lid}"));
                }
                self.address = Some(at);
                return true;
            }
        }
        if let Some(rest) = text.strip_prefix("GID:") {
            // A LID says it already.
            if let Some(at) = self.address.filter(|&at| self.ends[at].is_none()) {
                self.ends[at] = gid(rest);
            }
            return true;
        }
        match text.trim_end_matches([':', ' ']) {
            "Local results" => self.side = Side::Local,
            "Remote results" => self.side = Side::Remote,
            _ if text.contains(" : ") => {
                for (name, value) in settings(text) {
                    if SETTINGS.contains(&name) {
                        sink.setting(format!("{}={value}", name.to_ascii_lowercase().replace(' ', "_")));
                    }
                }
            }
            _ => {
                let known = [
                    "---",
                    "Conflicting CPU",
                    "PCIe",
                    "ibv_wr",
                    "WARNING: BW peak",
                    "* Waiting",
                    "Waiting for",
                ];
                return known.iter().any(|word| text.starts_with(word));
            }
        }
        true
    }

    /// The ends of a row: from the local adapter to the remote one; a read fetches from there. A run of an adapter with itself
    /// has none.
    fn row_ends(&self, sink: &mut Sink) -> (u32, u32) {
        let [local, remote] = &self.ends;
        let (local, remote) = match (local, remote) {
            (Some(local), Some(remote)) if local == remote => return (NONE, NONE),
            (Some(local), Some(remote)) => (sink.host(local, None), sink.host(remote, None)),
            // Two values of one run are distinguished by their ranks, if by nothing else.
            _ if self.side == Side::Both => match (sink.context.hosts.len(), sink.rank(0), sink.rank(1)) {
                (2, Some(local), Some(remote)) => (local, remote),
                _ => return (NONE, NONE),
            },
            _ => match (sink.rank(0), sink.rank(1)) {
                (Some(local), Some(remote)) => (local, remote),
                _ => return (NONE, NONE),
            },
        };
        let is_turned = (self.side == Side::Remote) != self.test.starts_with("ib_read_bw");
        if is_turned { (remote, local) } else { (local, remote) }
    }
}

/// `Dual-port       : OFF\t\tDevice         : mlx5_0`: names and values.
fn settings(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, tail)) = rest.split_once(" : ") {
        let end = tail.find(['\t']).or_else(|| tail.find("  ")).unwrap_or(tail.len());
        found.push((name.trim(), tail[..end].trim()));
        rest = tail[end..].trim_start();
    }
    found
}

impl Block for PerfTest {
    fn goes_on(&self, line: &Line<'_>) -> bool {
        line.text.starts_with("#bytes") && line.text.contains("#iterations")
    }

    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        if line.text.starts_with("#bytes") {
            self.columns = columns(line.text);
            return Fate::Taken;
        }
        let fields: Vec<&str> = line.text.split_whitespace().collect();
        let Some(Ok(bytes)) = fields.first().map(|field| field.parse::<u64>()) else {
            return if self.setting(line.text, sink) { Fate::Taken } else { Fate::Foreign };
        };
        if self.columns.is_empty() {
            return Fate::Foreign;
        }
        if fields.len() != self.columns.len() || fields.iter().any(|field| float(field).is_none()) {
            return Fate::Broken;
        }
        let ends = self.row_ends(sink);
        let rate = self.columns.iter().position(|&at| at.is_some_and(|at| COLUMNS[at].0 == "MsgRate[Mpps]"));
        for (column, field) in self.columns.iter().zip(&fields) {
            let (Some(at), Some(value)) = (*column, float(field)) else { continue };
            let (name, what, statistic, unit, factor) = COLUMNS[at];
            // `--run_infinitely` and short tests print a peak of 0: it was not measured.
            if matches!(statistic, "max" | "standard deviation") && value == 0.0 {
                continue;
            }
            let what = if self.side == Side::Both { what.to_owned() } else { format!("{what} each way") };
            let mean = Series::mean(&self.test, &what, unit, Some(bytes));
            let series = sink.series(Series { statistic: statistic.into(), ranks: Some(2), ..mean });
            if factor.to_bits() == MEBI.to_bits() {
                self.scale.pair(series, ends, value, line, sink);
                if let Some(rate) = rate.filter(|_| statistic == "mean") {
                    self.scale.evidence(field, fields[rate], |rate| rate * 1e6 * bytes as f64);
                }
            } else {
                let value = if name == "MsgRate[Mpps]" || unit == Unit::Seconds {
                    scaled(value, factor)
                } else {
                    value * factor
                };
                sink.pair(series, ends, Class::Unknown, value, line);
            }
        }
        Fate::Taken
    }

    fn end(&mut self, sink: &mut Sink) {
        self.scale.settle(sink);
    }
}
