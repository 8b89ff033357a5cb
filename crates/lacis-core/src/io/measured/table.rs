//! The table that every reader of measurements fills: numbers, and short lists that they point into.
//!
//! What many values have in common (test, size, unit …) is a [`Series`], a sender or receiver an [`End`]; a value is a row
//! of five small columns. 1.3 million pairs of two values take 80 MB.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::super::note::Notes;
use super::super::{Note, NoteKind};

/// No end: the value is of all ranks together.
pub const NONE: u32 = u32::MAX;
/// The highest rank that is plausible.
pub(super) const MOST_RANKS: u32 = 1 << 22;

/// The unit of a value; rates are decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Time.
    Seconds,
    /// Bandwidth.
    BytesPerSecond,
    /// Message rate.
    MessagesPerSecond,
    /// Amount of data.
    Bytes,
    /// One value over another, more being worse.
    Ratio,
}

impl Unit {
    /// As tables have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::BytesPerSecond => "bytes/s",
            Self::MessagesPerSecond => "messages/s",
            Self::Bytes => "bytes",
            Self::Ratio => "ratio",
        }
    }

    /// A unit as tools and users write it, with the factor that leads to ours. `MB/s` is 10⁶ bytes/s, `MiB/s` 2²⁰.
    pub fn parse(text: &str) -> Option<(Self, f64)> {
        const MEBI: f64 = 1_048_576.0;
        Some(match text.trim() {
            "s" | "sec" => (Self::Seconds, 1.0),
            "ms" | "msec" => (Self::Seconds, 1e-3),
            "us" | "usec" | "µs" => (Self::Seconds, 1e-6),
            "ns" | "nsec" => (Self::Seconds, 1e-9),
            "B/s" | "bytes/s" => (Self::BytesPerSecond, 1.0),
            "KB/s" | "kB/s" => (Self::BytesPerSecond, 1e3),
            "MB/s" | "MB/sec" => (Self::BytesPerSecond, 1e6),
            "GB/s" | "GB/sec" => (Self::BytesPerSecond, 1e9),
            "KiB/s" => (Self::BytesPerSecond, 1024.0),
            "MiB/s" => (Self::BytesPerSecond, MEBI),
            "GiB/s" => (Self::BytesPerSecond, 1024.0 * MEBI),
            "Mb/s" | "Mb/sec" | "Mbit/s" => (Self::BytesPerSecond, 125e3),
            "Gb/s" | "Gb/sec" | "Gbit/s" => (Self::BytesPerSecond, 125e6),
            "messages/s" | "msg/s" => (Self::MessagesPerSecond, 1.0),
            "Mpps" => (Self::MessagesPerSecond, 1e6),
            "bytes" | "B" => (Self::Bytes, 1.0),
            "ratio" => (Self::Ratio, 1.0),
            _ => return None,
        })
    }
}

/// How far apart two ends are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// On one host.
    SameNode,
    /// On one leaf switch.
    SameLeaf,
    /// On two leaf switches.
    DifferentLeaves,
    /// Unknown.
    Unknown,
}

/// Names of [`Class`], by number; the last is none.
pub const CLASSES: [&str; 3] = ["same node", "same leaf", "different leaves"];

/// What values have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Series {
    /// The test, by the name of its program: `osu_latency`, `imb_pingpong`, `mpi_nxnlatbw`.
    pub test: String,
    /// What is measured: `latency`, `bandwidth`, `message rate`, `time`, `bus bandwidth` …
    pub what: String,
    /// The statistic over the test's own repeats: `sample` (one of them), `mean`, `median`, `min`, `max`, `p99` …
    pub statistic: String,
    /// Its unit.
    pub unit: Unit,
    /// Number of ranks, if known.
    pub ranks: Option<u32>,
    /// Bytes of a message, if that has a meaning and is known.
    pub bytes: Option<u64>,
}

impl Series {
    /// A mean of the test's own repeats.
    pub(super) fn mean(test: &str, what: &str, unit: Unit, bytes: Option<u64>) -> Self {
        Self { test: test.into(), what: what.into(), statistic: "mean".into(), unit, ranks: None, bytes }
    }
}

/// A sender or receiver.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct End {
    /// The host, if known.
    pub host: Option<String>,
    /// The MPI rank, if known.
    pub rank: Option<u32>,
}

/// What the caller says about files that do not say it themselves.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Name of the test.
    pub test: Option<String>,
    /// What is measured: `latency`.
    pub what: String,
    /// Unit of the numbers, and the factor that leads to it.
    pub unit: Option<(Unit, f64)>,
    /// Bytes of a message.
    pub bytes: Option<u64>,
}

/// All values that were read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// What values have in common.
    pub series: Vec<Series>,
    /// What sends and receives.
    pub ends: Vec<End>,
    /// By value: its series.
    pub of: Vec<u32>,
    /// By value: the end that sends, or [`NONE`].
    pub source: Vec<u32>,
    /// By value: the end that receives, or [`NONE`].
    pub destination: Vec<u32>,
    /// By value: how many values of the same series and ends precede it.
    pub repeat: Vec<u32>,
    /// By value: the number of its input.
    pub input: Vec<u32>,
    /// By value: its round, from 0; values of a series with one round were measured at the same time. [`NONE`] if unknown.
    pub round: Vec<u32>,
    /// By value: [`Class`] as a number.
    pub class: Vec<u8>,
    /// By value: in the unit of its series; finite and more than 0.
    pub value: Vec<f64>,
    /// Names of formats that were found.
    pub formats: Vec<&'static str>,
    /// What each input says about the run, the first of each: `(0, "ranks", "16")`.
    pub facts: Vec<(usize, String, String)>,
    /// Remarks, each with the number of its input.
    pub notes: Vec<(usize, Note)>,
}

/// What is known about a run beside its rows: from the line that launched it, from lines of its launcher, and from its head.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    /// Number of ranks.
    pub(super) ranks: Option<u32>,
    /// Hosts by rank.
    pub(super) hosts: Vec<String>,
    /// Settings that tell it from other runs of the same test: `device=mlx5_0`.
    pub(super) settings: Vec<String>,
    /// The number of `settings` in the table under construction, once it is known.
    pub(super) id: Option<u32>,
}

/// A table under construction.
#[derive(Debug)]
pub(super) struct Sink {
    pub(super) table: Measured,
    /// Of the run whose rows are read.
    pub(super) context: Context,
    /// Number of the input that is read.
    pub(super) input: usize,
    /// Round of the values that follow; [`NONE`] if unknown.
    pub(super) round: u32,
    pub(super) notes: Notes,
    by_series: FxHashMap<(Series, u32), u32>,
    settings: Vec<Vec<String>>,
    /// By series: its settings.
    settings_of: Vec<u32>,
    by_rank: Vec<u32>,
    by_host: FxHashMap<(String, Option<u32>), u32>,
}

impl Default for Sink {
    fn default() -> Self {
        Self {
            table: Measured::default(),
            context: Context::default(),
            input: 0,
            round: NONE,
            notes: Notes::default(),
            by_series: FxHashMap::default(),
            settings: Vec::new(),
            settings_of: Vec::new(),
            by_rank: Vec::new(),
            by_host: FxHashMap::default(),
        }
    }
}

impl Sink {
    /// The number of a series, of the run whose rows are read.
    pub(super) fn series(&mut self, mut series: Series) -> u32 {
        series.ranks = series.ranks.or(self.context.ranks);
        let settings = self.settings_id();
        let next = self.table.series.len() as u32;
        *self.by_series.entry((series, settings)).or_insert_with_key(|(series, settings)| {
            self.table.series.push(series.clone());
            self.settings_of.push(*settings);
            next
        })
    }

    /// Notes a setting of the run whose rows are read.
    pub(super) fn setting(&mut self, text: String) {
        if !self.context.settings.contains(&text) {
            self.context.settings.push(text);
            self.context.id = None;
        }
    }

    /// Forgets the settings that begin like this.
    pub(super) fn forget_setting(&mut self, start: &str) {
        let before = self.context.settings.len();
        self.context.settings.retain(|text| !text.starts_with(start));
        if self.context.settings.len() < before {
            self.context.id = None;
        }
    }

    fn settings_id(&mut self) -> u32 {
        if let Some(id) = self.context.id {
            return id;
        }
        let mut sorted = self.context.settings.clone();
        sorted.sort_unstable();
        let known = self.settings.iter().position(|settings| *settings == sorted);
        let id = known.unwrap_or_else(|| {
            self.settings.push(sorted);
            self.settings.len() - 1
        }) as u32;
        self.context.id = Some(id);
        id
    }

    /// The end that is a rank; none if the number is implausible.
    pub(super) fn rank(&mut self, rank: u32) -> Option<u32> {
        if rank >= MOST_RANKS {
            return None;
        }
        let at = rank as usize;
        if let Some(host) = self.context.hosts.get(at).filter(|host| !host.is_empty()).cloned() {
            return Some(self.host(&host, Some(rank)));
        }
        if at >= self.by_rank.len() {
            self.by_rank.resize(at + 1, NONE);
        }
        if self.by_rank[at] == NONE {
            self.by_rank[at] = self.table.ends.len() as u32;
            self.table.ends.push(End { host: None, rank: Some(rank) });
        }
        Some(self.by_rank[at])
    }

    /// The end that is a host, or a rank on it.
    pub(super) fn host(&mut self, host: &str, rank: Option<u32>) -> u32 {
        let next = self.table.ends.len() as u32;
        *self.by_host.entry((host.to_owned(), rank)).or_insert_with_key(|(host, rank)| {
            self.table.ends.push(End { host: Some(host.clone()), rank: *rank });
            next
        })
    }

    /// Records which format this is.
    pub(super) fn format(&mut self, name: &'static str) {
        if !self.table.formats.contains(&name) {
            self.table.formats.push(name);
        }
    }

    /// Keeps a fact about the run, unless it is known already.
    pub(super) fn fact(&mut self, key: &str, value: &(impl ToString + ?Sized)) {
        if self.table.facts.iter().all(|(input, known, _)| *input != self.input || known != key) {
            self.table.facts.push((self.input, key.to_owned(), value.to_string()));
        }
    }

    /// Forgets the facts about this input's run whose names begin like this.
    pub(super) fn forget_facts(&mut self, start: &str) {
        let input = self.input;
        self.table.facts.retain(|(of, key, _)| *of != input || !key.starts_with(start));
    }

    /// Adds a value between two ends. What is no measurement is counted as a remark instead.
    pub(super) fn pair(&mut self, series: u32, ends: (u32, u32), class: Class, value: f64, line: &Line<'_>) {
        let (source, destination) = ends;
        let kind = if source == destination && source != NONE {
            NoteKind::Diagonal
        } else if !value.is_finite() {
            NoteKind::NotFinite
        } else if value <= 0.0 {
            NoteKind::Zero
        } else {
            self.table.of.push(series);
            self.table.source.push(source);
            self.table.destination.push(destination);
            self.table.input.push(self.input as u32);
            self.table.round.push(self.round);
            self.table.class.push(class as u8);
            self.table.value.push(value);
            return;
        };
        self.notes.add(kind, line.number, line.text);
    }

    /// Adds a value of all ranks together.
    pub(super) fn value(&mut self, series: Series, value: f64, line: &Line<'_>) {
        let series = self.series(series);
        self.pair(series, (NONE, NONE), Class::Unknown, value, line);
    }

    /// Ends an input: its remarks are kept with its number.
    pub(super) fn end_input(&mut self, input: usize) {
        let notes = std::mem::take(&mut self.notes).finish();
        self.table.notes.extend(notes.into_iter().map(|note| (input, note)));
    }

    /// The table, with repeats counted.
    pub(super) fn finish(self) -> Measured {
        let mut table = self.table;
        table.repeat = repeats(&table);
        tell_apart(&mut table.series, &self.settings_of, &self.settings);
        table
    }
}

/// Names tests of one name that ran with different settings by those that not all of them had: `osu_bw [rails=2]`.
fn tell_apart(series: &mut [Series], settings_of: &[u32], settings: &[Vec<String>]) {
    let mut by_test: FxHashMap<String, Vec<u32>> = FxHashMap::default();
    for (one, &id) in series.iter().zip(settings_of) {
        let ids = by_test.entry(one.test.clone()).or_default();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    for (one, &id) in series.iter_mut().zip(settings_of) {
        let Some(ids) = by_test.get(&one.test).filter(|ids| ids.len() > 1) else { continue };
        let is_common = |word: &String| ids.iter().all(|&other| settings[other as usize].contains(word));
        let own: Vec<&str> =
            settings[id as usize].iter().filter(|&word| !is_common(word)).map(String::as_str).collect();
        if !own.is_empty() {
            one.test = format!("{} [{}]", one.test, own.join(" "));
        }
    }
}

/// By value: how many of the same series and ends precede it.
fn repeats(table: &Measured) -> Vec<u32> {
    let n = table.value.len();
    let ends = table.ends.len() + 1;
    let cells = table.series.len().saturating_mul(ends).saturating_mul(ends);
    // If most pairs are measured, a counter for each is quickest.
    if cells <= 8 * n + (1 << 20) {
        let mut counters = vec![0_u32; cells];
        let at = |end: u32| (end as usize).min(ends - 1);
        return (0..n)
            .map(|i| {
                let cell =
                    (table.of[i] as usize * ends + at(table.source[i])) * ends + at(table.destination[i]);
                counters[cell] += 1;
                counters[cell] - 1
            })
            .collect();
    }
    let key = |i: usize| [table.of[i], table.source[i], table.destination[i], i as u32];
    let mut keys: Vec<[u32; 4]> = (0..n).into_par_iter().map(key).collect();
    keys.par_sort_unstable();
    let mut repeat = vec![0; n];
    for pair in keys.windows(2) {
        if pair[0][..3] == pair[1][..3] {
            repeat[pair[1][3] as usize] = repeat[pair[0][3] as usize] + 1;
        }
    }
    repeat
}

/// A line of an input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// From 1.
    pub(super) number: usize,
    /// Without its end, and without blanks around it.
    pub(super) text: &'a str,
}

/// How a format takes a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Read, or known and without a value.
    Taken,
    /// A row of this format that is cut short or mixed with another; counted.
    Broken,
    /// No line of this format.
    Foreign,
}

/// A block of one format inside a text, begun by a line that the format knows.
pub(super) trait Block: std::fmt::Debug {
    /// Reads a line after the first.
    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate;
    /// Whether a line that could begin an output of this format continues this one.
    fn goes_on(&self, _line: &Line<'_>) -> bool {
        false
    }
    /// Whether its head was read, and no row yet: another run's head may follow before its rows do.
    fn awaits_rows(&self) -> bool {
        false
    }
    /// Whether this is a line that it still lacks: the head of its columns, or the row of a size beyond its last.
    fn expects(&self, _line: &Line<'_>) -> bool {
        false
    }
    /// Whether this is a row of its columns, of whatever size.
    fn is_row(&self, _line: &Line<'_>) -> bool {
        false
    }
    /// What makes its values those of another series than another run's; none where that is not known.
    fn likeness(&self) -> Option<String> {
        None
    }
    /// Hosts by rank, as its head names them.
    fn hosts(&self) -> &[String] {
        &[]
    }
    /// Forgets the hosts: its rows may be those of others.
    fn forget_hosts(&mut self, _sink: &mut Sink) {}
    /// How many decimals the last number of this row is printed with, where that never differs.
    fn decimals(&self, _line: &Line<'_>) -> Option<usize> {
        None
    }
    /// Ends the block.
    fn end(&mut self, _sink: &mut Sink) {}
}

/// A list of hosts as a head or a launcher names them, by rank: whether it is of two hosts, and which.
pub(super) fn two_hosts(hosts: &[String]) -> Option<(usize, usize)> {
    let first = hosts.first().filter(|host| !host.is_empty())?;
    let other = hosts.iter().position(|host| host != first)?;
    let is_two = hosts.iter().all(|host| host == first || *host == hosts[other]);
    is_two.then_some((0, other))
}

/// A number as tools print it, `nan` and `inf` too, in letters of either case.
pub(super) fn float(text: &str) -> Option<f64> {
    // Rust reads "infinity" and a sign alone is refused; "1e5" is a number for both.
    text.parse().ok()
}

/// A value in another unit: a power of ten below 1 divides, so that `0.88` µs are 8.8e-7 s.
pub(super) fn scaled(value: f64, factor: f64) -> f64 {
    if factor < 1.0 { value / (1.0 / factor).round() } else { value * factor }
}

/// The text after `key`, up to a blank, bracket or comma: `after("[ pairs: 8 ]", "pairs:")`.
pub(super) fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let at = text.find(key)? + key.len();
    let rest = text.get(at..)?.trim_start();
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ']' | ',' | ')')).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}
