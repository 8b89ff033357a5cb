//! The tables of a `db_csv`: `START_NAME`, a header, rows, `END_NAME`.

use crate::io::ReadError;
use crate::io::assembly::Place;
use crate::io::csv::CsvTable;
use crate::io::text::lines;

/// A table by its name.
pub(super) struct Sections<'a>(Vec<CsvTable<'a>>);

/// The name in a line that opens a table.
pub(super) fn opens(s: &str) -> Option<&str> {
    s.trim().strip_prefix("START_").filter(|name| !name.is_empty() && !name.contains(','))
}

impl<'a> Sections<'a> {
    /// Finds the tables. Those that `wanted` leaves out are passed over without a look at their rows.
    ///
    /// # Errors
    /// When a table has no end or comes twice, or lines stand outside any table.
    pub(super) fn of(
        text: &'a str,
        wanted: impl Fn(&str) -> bool,
        mut outside: impl FnMut(usize, &'a str),
    ) -> Result<Self, ReadError> {
        let mut tables: Vec<CsvTable<'a>> = Vec::new();
        // The table that is open: its name, its first line, and the table where it is wanted and has a header.
        let mut open: Option<(&'a str, Place<'a>, Option<CsvTable<'a>>)> = None;
        for (line, s) in lines(text) {
            let place = Place { line, text: s };
            let s = s.trim();
            match &mut open {
                Some((name, start, table)) => {
                    if s.strip_prefix("END_").is_some_and(|ended| ended == *name) {
                        tables.extend(table.take());
                        open = None;
                    } else if opens(s).is_some() {
                        return Err(start.refuse(format!(
                            "the table {name} has no end before the next one begins on line {line}"
                        )));
                    } else if s.is_empty() || !wanted(name) {
                    } else if let Some(table) = table {
                        table.rows.push(place);
                    } else {
                        *table = Some(CsvTable::new(name, place)?);
                    }
                }
                None => {
                    if let Some(name) = opens(s) {
                        if tables.iter().any(|table| table.name == name) {
                            return Err(place.refuse(format!("a second table {name}: two files in one?")));
                        }
                        open = Some((name, place, None));
                    } else if !s.is_empty() && !s.starts_with('#') {
                        outside(line, place.text);
                    }
                }
            }
        }
        if let Some((name, start, _)) = open {
            return Err(start.refuse(format!("the table {name} has no end: the file looks truncated")));
        }
        Ok(Self(tables))
    }

    /// The table of a name.
    pub(super) fn get(&self, name: &str) -> Option<&CsvTable<'a>> {
        self.0.iter().find(|table| table.name == name)
    }
}
