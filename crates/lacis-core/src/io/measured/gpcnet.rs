//! `GPCNeT`: tests of a network alone, and beside others that congest it.
//!
//! ```text
//! NetworkLoad Tests v1.3
//!   Test with 2048 MPI ranks (64 nodes)
//! |                            Isolated Network Tests                            |
//! |                            Name |          Avg |          99% |        Units |
//! |          RR Two-sided Lat (8 B) |          2.9 |          4.3 |         usec |
//! |                 Network Tests running with Congestion Tests                  |
//! |          RR Two-sided Lat (8 B) |          2.9 |          4.3 |         usec |
//! ```
//!
//! From its sources (1.1 to 1.3) and outputs in public repositories. `MiB/s/rank` is 2²⁰. The impact is what a test loses by
//! congestion: loaded ÷ isolated for times, isolated ÷ loaded for rates; as printed where "Key Results" has it, else computed.

use super::table::{Block, Fate, Line, Series, Sink, Unit, float, scaled};

const TEST: &str = "gpcnet";

/// What a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Isolated,
    IsolatedCongestion,
    Loaded,
    Impact,
}

/// A value that the impact follows from.
#[derive(Debug)]
struct Cell {
    name: String,
    bytes: Option<u64>,
    statistic: String,
    is_time: bool,
    value: f64,
    line: usize,
}

/// The output of one run.
#[derive(Debug)]
pub(super) struct GpcNet {
    part: Part,
    ranks: Option<u32>,
    /// Statistics by column between the name and the unit.
    columns: Vec<String>,
    isolated: Vec<Cell>,
    loaded: Vec<Cell>,
    has_impact: bool,
}

/// Begins at the title, or at a table where it is lost.
pub(super) fn begin(line: &Line<'_>, sink: &mut Sink) -> Option<GpcNet> {
    let text = line.text;
    let is_title = ["NetworkLoad Tests v", "Network Tests v"].iter().any(|title| text.starts_with(title));
    let part = title(text);
    if !is_title && part.is_none() {
        return None;
    }
    sink.format("GPCNeT");
    if let Some((_, version)) = text.split_once(" Tests v") {
        sink.fact("GPCNeT version", version.split_whitespace().next().unwrap_or(version));
    }
    Some(GpcNet {
        part: part.unwrap_or(Part::Isolated),
        ranks: None,
        columns: Vec::new(),
        isolated: Vec::new(),
        loaded: Vec::new(),
        has_impact: false,
    })
}

/// The part that a table's title begins.
fn title(text: &str) -> Option<Part> {
    let inside = text.strip_prefix('|')?.strip_suffix('|')?.trim();
    if inside.contains('|') || !inside.contains("Tests") {
        return None;
    }
    Some(if inside.contains("Key Results") {
        Part::Impact
    } else if inside.contains("with Congestion") {
        Part::Loaded
    } else if inside.contains("Isolated Congestion") {
        Part::IsolatedCongestion
    } else {
        Part::Isolated
    })
}

/// `RR Two-sided Lat (8 B)`: the name, and bytes of a message.
fn name(text: &str) -> (String, Option<u64>) {
    let parted = text.rsplit_once(" (").and_then(|(name, size)| Some((name, size.strip_suffix(" B)")?)));
    match parted.and_then(|(name, size)| Some((name, size.trim().parse().ok()?))) {
        Some((name, size)) => (name.trim().to_owned(), Some(size)),
        None => (text.trim().to_owned(), None),
    }
}

impl GpcNet {
    fn series(&self, name: &str, what: &str, statistic: &str, unit: Unit, bytes: Option<u64>) -> Series {
        let mean = Series::mean(&format!("{TEST} {name}"), what, unit, bytes);
        Series { statistic: statistic.into(), ranks: self.ranks, ..mean }
    }

    fn head(&mut self, cells: &[&str]) {
        self.columns = cells[1..]
            .iter()
            .filter(|cell| **cell != "Units")
            .map(|cell| match *cell {
                "Avg" => "mean".to_owned(),
                "Min" => "min".to_owned(),
                "Max" => "max".to_owned(),
                cell => match cell.strip_suffix('%') {
                    Some(share) => format!("p{share}"),
                    None => cell.to_lowercase(),
                },
            })
            .collect();
    }

    /// A row of a table; none if it is cut short.
    fn row(&mut self, cells: &[&str], line: &Line<'_>, sink: &mut Sink) -> Option<()> {
        let (name, bytes) = name(cells[0]);
        if self.part == Part::Impact {
            let values: Vec<f64> = cells[1..]
                .iter()
                .map(|cell| float(cell.trim_end_matches(['X', 'x'])))
                .collect::<Option<_>>()?;
            for (statistic, value) in self.columns.iter().zip(values) {
                let series = self.series(&name, "impact of congestion", statistic, Unit::Ratio, bytes);
                sink.value(series, value, line);
            }
            self.has_impact = true;
            return Some(());
        }
        let (unit, values) = cells[1..].split_last()?;
        let values: Vec<f64> = values.iter().map(|cell| float(cell)).collect::<Option<_>>()?;
        let (unit, factor) = Unit::parse(unit.trim_end_matches("/rank"))?;
        if values.len() != self.columns.len() {
            return None;
        }
        let what = if unit == Unit::Seconds { "latency" } else { "bandwidth" };
        let beside = match self.part {
            Part::Isolated => ", isolated",
            Part::IsolatedCongestion => ", isolated congestor",
            Part::Loaded | Part::Impact => ", loaded",
        };
        for (statistic, value) in self.columns.clone().into_iter().zip(values) {
            let value = scaled(value, factor);
            let series = self.series(&name, &format!("{what}{beside}"), &statistic, unit, bytes);
            sink.value(series, value, line);
            let cell = Cell {
                name: name.clone(),
                bytes,
                statistic,
                is_time: unit == Unit::Seconds,
                value,
                line: line.number,
            };
            match self.part {
                Part::Isolated => self.isolated.push(cell),
                Part::Loaded => self.loaded.push(cell),
                _ => {}
            }
        }
        Some(())
    }
}

impl Block for GpcNet {
    fn goes_on(&self, line: &Line<'_>) -> bool {
        line.text.starts_with('|')
    }

    fn line(&mut self, line: &Line<'_>, sink: &mut Sink) -> Fate {
        let text = line.text;
        if let Some(part) = title(text) {
            self.part = part;
            self.columns.clear();
            return Fate::Taken;
        }
        if let Some(inside) = text.strip_prefix('|') {
            let inside = inside.strip_suffix('|').unwrap_or(inside);
            let cells: Vec<&str> = inside.split('|').map(str::trim).collect();
            if cells[0] == "Name" {
                self.head(&cells);
                return Fate::Taken;
            }
            // The key results have a head of two rows, the second of which names the columns.
            if cells[0].is_empty() && cells.iter().any(|cell| matches!(*cell, "Avg" | "99%")) {
                self.head(&cells);
                return Fate::Taken;
            }
            if self.columns.is_empty() || cells.iter().all(|cell| cell.is_empty()) {
                return Fate::Taken;
            }
            return if self.row(&cells, line, sink).is_some() { Fate::Taken } else { Fate::Broken };
        }
        if let Some((_, rest)) = text.split_once("Test with ") {
            self.ranks = rest.split_whitespace().next().and_then(|ranks| ranks.parse().ok());
            if let Some(ranks) = self.ranks {
                sink.fact("ranks", &ranks);
            }
            return Fate::Taken;
        }
        let known = ["Legend", "RR =", "Lat =", "BW =", "BW+Sync =", "Nat ="];
        let is_known = known.iter().any(|word| text.starts_with(word)) || text.contains("nodes running");
        if is_known { Fate::Taken } else { Fate::Foreign }
    }

    /// What tests lose by congestion, where no table says it.
    fn end(&mut self, sink: &mut Sink) {
        if self.has_impact {
            return;
        }
        for loaded in std::mem::take(&mut self.loaded) {
            let alone = self.isolated.iter().find(|isolated| {
                (&isolated.name, isolated.bytes, &isolated.statistic)
                    == (&loaded.name, loaded.bytes, &loaded.statistic)
            });
            let Some(alone) = alone.filter(|alone| alone.value > 0.0 && loaded.value > 0.0) else { continue };
            let impact = if loaded.is_time { loaded.value / alone.value } else { alone.value / loaded.value };
            let series = self.series(
                &loaded.name,
                "impact of congestion",
                &loaded.statistic,
                Unit::Ratio,
                loaded.bytes,
            );
            sink.value(series, impact, &Line { number: loaded.line, text: "" });
        }
    }
}
