//! What only some files have: counters and when they were read, and parts of cables. A row that is cut short is noted.

use super::Found;
use super::columns::End;
use crate::fabric::{CablePart, Counter};
use crate::io::csv::{Column, CsvTable};
use crate::io::note::Notes;
use crate::io::text::{clean, date_time};
use crate::io::{NoteKind, ReadError, counter_names};

impl<'a> Found<'a> {
    /// Counters of ports, of `PM_INFO`.
    pub(super) fn counters(&mut self, table: &CsvTable<'a>, notes: &mut Notes) -> Result<(), ReadError> {
        let key = End::of(table, "", ["NodeGUID", "PortNumber"])?;
        let known: Vec<(Counter, Vec<Column>)> = counter_names::columns(|names| table.column(names));
        let mut broken = Vec::new();
        let counted = table.each_whole(
            |place| broken.push(place),
            |row| {
                let Some(end) = self.end(row, &key, notes)? else { return Ok(()) };
                for (counter, columns) in &known {
                    // The wider of the two forms that a counter has; what a port cannot count is -1 or N/A.
                    let mut value = None;
                    for column in columns {
                        let is_counted = !row.text(Some(column))?.starts_with('-');
                        value = value.max(if is_counted { row.number(Some(column))? } else { None });
                    }
                    if let Some(value) = value.filter(|&value| value != u64::MAX) {
                        self.assembly.count(end, *counter, value, row.place)?;
                    }
                }
                Ok(())
            },
        );
        for place in broken {
            notes.add(NoteKind::BrokenRow, place.line, place.text);
        }
        counted
    }

    /// Parts of cables, of `CABLE_INFO`.
    pub(super) fn cables(&mut self, table: &CsvTable<'a>, notes: &mut Notes) -> Result<(), ReadError> {
        let key = End::of(table, "", ["NodeGuid", "PortNum"])?;
        let column = |names: &[&str]| table.column(names);
        let (vendor, part, serial) = (column(&["vendor"]), column(&["pn"]), column(&["sn"]));
        let (revision, temperature) = (column(&["rev"]), column(&["temperature"]));
        // The length in words where there is one, else that of the medium that the cable has.
        let lengths = ["lengthdesc", "lengthcopperoractive", "lengthsmfiber"].map(|name| column(&[name]));
        let mut broken = Vec::new();
        let known = table.each_whole(
            |place| broken.push(place),
            |row| {
                let Some(end) = self.end(row, &key, notes)? else { return Ok(()) };
                let text = |column: &Option<Column>| -> Result<Box<str>, ReadError> {
                    Ok(clean(row.text(column.as_ref())?).trim().into())
                };
                let mut length: Box<str> = "".into();
                for column in lengths.iter().filter(|column| column.is_some()) {
                    let read = text(column)?;
                    if length.is_empty() && !matches!(&*read, "0" | "0 m") {
                        length = read;
                    }
                }
                let read = CablePart {
                    vendor: text(&vendor)?,
                    part: text(&part)?,
                    serial: text(&serial)?,
                    revision: text(&revision)?,
                    length,
                    temperature: degrees(row.text(temperature.as_ref())?),
                };
                if read.is_unknown() { Ok(()) } else { self.assembly.cable_part(end, read, row.place) }
            },
        );
        for place in broken {
            notes.add(NoteKind::BrokenRow, place.line, place.text);
        }
        known
    }

    /// When ibdiagnet ran: `RUN_INFO`'s date, else the head's `# Timestamp :`.
    pub(super) fn made_at(text: &str, run: Option<&CsvTable<'_>>) -> Result<Option<u64>, ReadError> {
        let mut found = None;
        if let Some(table) = run {
            let date = table.column(&["date"]);
            table.each_whole(
                |_| {},
                |row| {
                    found = found.or(date_time(row.text(date.as_ref())?));
                    Ok(())
                },
            )?;
        }
        let mut head = text.lines().take_while(|line| line.trim().is_empty() || line.starts_with('#'));
        let stamp = || head.find_map(|line| date_time(line.strip_prefix("# Timestamp")?.split_once(':')?.1));
        Ok(found.or_else(stamp))
    }
}

/// `42C` [°C].
fn degrees(text: &str) -> Option<i16> {
    text.trim_end_matches(['C', 'c', ' ', '°']).parse().ok()
}
