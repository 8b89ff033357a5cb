//! Comma-separated tables: the cells of a line, and columns by the names in a header.
//!
//! Writers add columns, leave some out and change their order, so a column is found by its name, compared by its letters
//! and digits: `NodeGuid` is `NodeGUID`.

use std::borrow::Cow;

use super::ReadError;
use super::assembly::Place;
use super::text::number;
use crate::fabric::Guid;
use crate::nearest::nearest;

/// A name of a column as it is compared: letters and digits, in lower case.
pub(super) fn header_name(cell: &str) -> String {
    let cell = cell.trim().trim_start_matches('#');
    let cell = cell.strip_prefix("Fields:").unwrap_or(cell);
    cell.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// What separates the cells of a header; a comma by default.
pub(super) fn separator(header: &str) -> char {
    let count = |c: char| header.matches(c).count();
    [',', ';', '\t'].into_iter().max_by_key(|&c| (count(c), c == ',')).unwrap_or(',')
}

/// The cells of a line without the blanks around them; a quoted cell may hold separators.
///
/// # Errors
/// When a quote is not closed.
pub(super) fn cells(line: &str, separator: char) -> Result<Vec<Cow<'_, str>>, &'static str> {
    let mut out = Vec::new();
    split(line, separator, &mut out)?;
    Ok(out)
}

/// As [`cells`], into a list that is emptied first.
///
/// # Errors
/// When a quote is not closed.
fn split<'a>(line: &'a str, separator: char, out: &mut Vec<Cow<'a, str>>) -> Result<(), &'static str> {
    out.clear();
    let mut rest = line;
    loop {
        let begin = rest.trim_start_matches([' ', '\t'].as_slice());
        let begin = if separator == '\t' { rest } else { begin };
        let Some(inner) = begin.strip_prefix('"') else {
            let (cell, more) = rest.split_once(separator).map_or((rest, None), |(c, more)| (c, Some(more)));
            out.push(Cow::Borrowed(cell.trim()));
            match more {
                Some(more) => rest = more,
                None => return Ok(()),
            }
            continue;
        };
        let (cell, after) = quoted(inner)?;
        out.push(cell);
        match after.split_once(separator) {
            Some((between, more)) if between.trim().is_empty() => rest = more,
            None if after.trim().is_empty() => return Ok(()),
            _ => return Err("text after a quoted cell"),
        }
    }
}

/// A cell after its opening quote, and what follows the closing one; two quotes stand for one.
fn quoted(inner: &str) -> Result<(Cow<'_, str>, &str), &'static str> {
    const OPEN: &str = "a quote that is not closed";
    let (text, mut rest) = inner.split_once('"').ok_or(OPEN)?;
    if !rest.starts_with('"') {
        return Ok((Cow::Borrowed(text.trim()), rest));
    }
    let mut cell = text.to_owned();
    while let Some(more) = rest.strip_prefix('"') {
        cell.push('"');
        let (text, after) = more.split_once('"').ok_or(OPEN)?;
        cell.push_str(text);
        rest = after;
    }
    Ok((Cow::Owned(cell.trim().to_owned()), rest))
}

/// As [`split`] where quotes inside quoted cells are not doubled: such a cell ends at a quote before a separator.
fn split_leniently<'a>(line: &'a str, separator: char, out: &mut Vec<Cow<'a, str>>) {
    out.clear();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let trimmed = text.trim_start();
        let inner = trimmed.strip_prefix('"');
        let closing = inner.and_then(|inner| {
            inner.match_indices('"').find_map(|(at, _)| {
                let after = inner[at + 1..].trim_start();
                let ends = after.is_empty() || after.starts_with(separator);
                ends.then(|| (&inner[..at], after.strip_prefix(separator)))
            })
        });
        let (cell, more) = closing.unwrap_or_else(|| {
            text.split_once(separator).map_or((text, None), |(cell, more)| (cell, Some(more)))
        });
        out.push(Cow::Borrowed(cell.trim()));
        rest = more;
    }
}

/// A table with a header, whose rows are split when they are read.
#[derive(Clone, Debug)]
pub(super) struct CsvTable<'a> {
    /// What the table is called: the section of a file of several, or the kind of the file.
    pub name: &'a str,
    /// The header.
    pub header: Place<'a>,
    names: Vec<String>,
    separator: char,
    /// Its rows.
    pub rows: Vec<Place<'a>>,
}

/// Where a value stands: one position, or several that have to agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    first: usize,
    again: Vec<usize>,
}

/// The cells of one row.
pub(super) struct Row<'r, 'a> {
    /// Where it stands.
    pub place: Place<'a>,
    cells: &'r [Cow<'a, str>],
}

impl<'a> CsvTable<'a> {
    /// A table without rows yet.
    ///
    /// # Errors
    /// When a quote of the header is not closed.
    pub(super) fn new(name: &'a str, header: Place<'a>) -> Result<Self, ReadError> {
        let separator = separator(header.text);
        let cells = cells(header.text, separator).map_err(|reason| header.refuse(reason))?;
        let names = cells.iter().map(|cell| header_name(cell)).collect();
        Ok(Self { name, header, names, separator, rows: Vec::new() })
    }

    /// The column of a name, or of the first of its other names that there is.
    pub(super) fn column(&self, names: &[&str]) -> Option<Column> {
        names.iter().find_map(|wanted| {
            let mut all = (0..self.names.len()).filter(|&at| self.names[at] == *wanted);
            let first = all.next()?;
            Some(Column { first, again: all.collect() })
        })
    }

    /// The same of a column that the table must have; `shown` is how its writer spells it.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn needed(&self, shown: &str, names: &[&str]) -> Result<Column, ReadError> {
        self.column(names).ok_or_else(|| {
            let known = self.names.iter().map(String::as_str).filter(|name| !name.is_empty());
            let near = names.first().map(|name| nearest(name, known, 1)).unwrap_or_default();
            let hint = near.first().map_or(String::new(), |near| format!("; is \"{near}\" meant?"));
            self.header.refuse(format!("{} has no column {shown}{hint}", self.name))
        })
    }

    /// Calls back with each row.
    ///
    /// # Errors
    /// When a row has fewer cells than the header, or what the callback refuses.
    pub(super) fn each(
        &self,
        mut take: impl FnMut(&Row<'_, 'a>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let mut cells = Vec::with_capacity(self.names.len());
        for &place in &self.rows {
            self.cells_of(place, &mut cells);
            if cells.len() < self.names.len() {
                let reason = format!("{} cells where the header has {}", cells.len(), self.names.len());
                return Err(place.refuse(reason));
            }
            take(&Row { place, cells: &cells })?;
        }
        Ok(())
    }

    /// As [`Self::each`], for rows that may be left out: those with fewer cells than the header go to `broken`.
    ///
    /// # Errors
    /// What the callback refuses.
    pub(super) fn each_whole(
        &self,
        mut broken: impl FnMut(Place<'a>),
        mut take: impl FnMut(&Row<'_, 'a>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let mut cells = Vec::with_capacity(self.names.len());
        for &place in &self.rows {
            self.cells_of(place, &mut cells);
            if cells.len() < self.names.len() {
                broken(place);
            } else {
                take(&Row { place, cells: &cells })?;
            }
        }
        Ok(())
    }

    fn cells_of(&self, place: Place<'a>, cells: &mut Vec<Cow<'a, str>>) {
        if split(place.text, self.separator, cells).is_err() {
            split_leniently(place.text, self.separator, cells);
        }
    }
}

impl Row<'_, '_> {
    /// The text of a cell; empty for `N/A`, and without a column.
    ///
    /// # Errors
    /// When the column is there twice and the two differ.
    pub(super) fn text(&self, column: Option<&Column>) -> Result<&str, ReadError> {
        let Some(column) = column else { return Ok("") };
        let cell = &*self.cells[column.first];
        if column.again.iter().any(|&at| self.cells[at] != self.cells[column.first]) {
            return Err(self.place.refuse("a column that is there twice says two things in this row"));
        }
        Ok(if matches!(cell, "N/A" | "n/a" | "NA" | "-") { "" } else { cell })
    }

    /// The number in a cell, decimal or `0x…`; none where the cell has none.
    ///
    /// # Errors
    /// When the cell holds something else.
    pub(super) fn number(&self, column: Option<&Column>) -> Result<Option<u64>, ReadError> {
        let text = self.text(column)?;
        if text.is_empty() {
            return Ok(None);
        }
        number(text).map(Some).ok_or_else(|| self.place.refuse(format!("not a number: \"{text}\"")))
    }

    /// The number in a cell that must have one of at most this size.
    ///
    /// # Errors
    /// When it has none.
    pub(super) fn small(&self, column: &Column, what: &str, most: u32) -> Result<u32, ReadError> {
        let number = self.number(Some(column))?.and_then(|n| u32::try_from(n).ok()).filter(|&n| n <= most);
        number.ok_or_else(|| {
            let text = self.cells[column.first].clone();
            self.place.refuse(format!("bad {what}: \"{text}\""))
        })
    }

    /// The GUID in a cell, hexadecimal with or without `0x`; none where it has none.
    ///
    /// # Errors
    /// When the cell holds something else.
    pub(super) fn guid(&self, column: Option<&Column>) -> Result<Guid, ReadError> {
        let text = self.text(column)?;
        if text.is_empty() {
            return Ok(Guid::NONE);
        }
        super::text::guid(text).ok_or_else(|| self.place.refuse(format!("not a GUID: \"{text}\"")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table<'a>(header: &'a str, row: &'a str) -> CsvTable<'a> {
        let mut table = CsvTable::new("NODES", Place { line: 1, text: header }).unwrap();
        table.rows.push(Place { line: 2, text: row });
        table
    }

    fn first(table: &CsvTable<'_>, name: &str) -> Result<String, ReadError> {
        let (mut found, column) = (String::new(), table.needed(name, &[&header_name(name)])?);
        table.each(|row| {
            row.text(Some(&column))?.clone_into(&mut found);
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn cells_are_found_by_the_name_of_their_column() {
        let quoted = table("NodeDesc,NodeGUID,NumPorts", "\"a, \"\"b\"\"\", 0x1 ,N/A");
        assert_eq!(first(&quoted, "NodeDesc").unwrap(), "a, \"b\"");
        assert_eq!(first(&quoted, "NodeGuid").unwrap(), "0x1");
        assert_eq!(first(&quoted, "NumPorts").unwrap(), "");
        // Quotes that their writer did not double.
        assert_eq!(first(&table("A,B", "\"say \"hello\" twice\",2"), "A").unwrap(), "say \"hello\" twice");
    }

    #[test]
    fn a_column_may_be_there_twice_if_it_says_one_thing() {
        assert_eq!(first(&table("A,B,A", "1,2,1"), "A").unwrap(), "1");
        assert!(first(&table("A,B,A", "1,2,3"), "A").unwrap_err().reason.contains("says two things"));
    }

    #[test]
    fn a_missing_column_and_a_short_row_are_refused() {
        let error = first(&table("NodeGUIDs,B", "1,2"), "NodeGUID").unwrap_err();
        assert!(error.reason.contains("NODES has no column NodeGUID; is \"nodeguids\" meant?"), "{error}");
        let error = first(&table("A,B", "1"), "A").unwrap_err();
        assert_eq!((error.line, &*error.reason), (Some(2), "1 cells where the header has 2"));
    }
}
