//! A matrix as CSV: a number for each pair, row by source, with or without names.
//!
//! ```text
//! ,node001,node002,node003
//! node001,0,1.71,1.72
//! node002,1.70,0,1.69
//! node003,1.72,1.70,0
//! ```
//!
//! Fields are separated by commas, semicolons, tabs or blanks; between semicolons and tabs a decimal comma is one. The caller says
//! what the numbers are.

use super::nxnlatbw;
use super::table::{Class, Line, Series, Sink, Wanted, float, scaled};
use crate::io::{NoteKind, ReadError};

/// The rows of a text that may be a matrix, by line: at most one more than its first row has fields.
fn rows(text: &str) -> Option<Vec<(Line<'_>, Vec<&str>)>> {
    let mut rows: Vec<(Line<'_>, Vec<&str>)> = Vec::new();
    let mut separator: Option<char> = None;
    for (number, text) in crate::io::text::lines(text) {
        let trimmed = text.trim_matches([' ', '\r']);
        if trimmed.trim().is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let by = *separator.get_or_insert_with(|| separator_of(trimmed));
        let fields: Vec<&str> = if by == ' ' {
            trimmed.split_whitespace().collect()
        } else {
            trimmed.split(by).map(|field| field.trim().trim_matches('"')).collect()
        };
        let is_first = rows.is_empty();
        let too_many = rows.first().is_some_and(|(_, first)| rows.len() > first.len() + 1);
        // The first line may be names, and so may the first field of each.
        if too_many
            || is_first && is_head_of_a_listing(&fields)
            || !is_first && !fields.iter().skip(1).all(|f| is_number(f))
        {
            return None;
        }
        rows.push((Line { number, text: trimmed }, fields));
    }
    // A separator at the end of every row makes an empty field; at the end of one row a value is missing.
    if rows.iter().all(|(_, fields)| fields.len() > 1 && fields.last() == Some(&"")) {
        for (_, fields) in &mut rows {
            fields.truncate(fields.len() - 1);
        }
    }
    Some(rows)
}

/// What separates the fields of a line. Tabs beside the commas of a list only align it.
fn separator_of(line: &str) -> char {
    let is_aligned = line.contains(",\t") || line.contains("\t,");
    let separates = |&by: &char| line.contains(by) && !(by == '\t' && is_aligned);
    [';', '\t', ',', ' '].into_iter().find(separates).unwrap_or(',')
}

/// Whether columns are `src,dst,lat(us),bandwidth`, and not the hosts of a matrix whose corner says `src`.
fn is_head_of_a_listing(fields: &[&str]) -> bool {
    let is_of_pairs = |field: &&str| *field == "dst" || field.to_ascii_lowercase().starts_with("lat");
    fields[0] == "src" && (fields.len() == 1 || fields.iter().any(is_of_pairs))
}

fn is_number(field: &str) -> bool {
    field.is_empty() || field == "-" || number(field).is_some()
}

/// A number, with a point or a comma before its fraction.
fn number(field: &str) -> Option<f64> {
    match field.split_once(',') {
        Some((whole, fraction)) if !whole.contains('.') => float(&format!("{whole}.{fraction}")),
        _ => float(field),
    }
}

/// The first row with a number such as `1,500`, which may be 1.5 or 1500, if no other number of a text says which.
fn doubtful<'a>(rows: &[(Line<'a>, Vec<&'a str>)]) -> Option<Line<'a>> {
    let has_three = |field: &&&str| field.split_once(',').is_some_and(|(_, fraction)| fraction.len() == 3);
    let with_comma = || rows.iter().flat_map(|(_, fields)| fields).filter(|field| field.contains(','));
    let is_doubtful = with_comma().next().is_some() && with_comma().all(|field| has_three(&field));
    rows.iter()
        .find(|(line, _)| is_doubtful && !line.text.contains(';') && line.text.contains(','))
        .map(|(line, _)| *line)
}

/// A matrix as it is written.
struct CsvMatrix<'a> {
    /// Names of columns, or none.
    head: Vec<&'a str>,
    /// Names of rows, or none.
    names: Vec<&'a str>,
    rows: Vec<(Line<'a>, Vec<&'a str>)>,
}

impl<'a> CsvMatrix<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut rows = rows(text)?;
        let (_, first) = rows.first()?;
        let has_head = first.len() > 1 && !first.iter().skip(1).all(|field| is_number(field));
        let mut head = if has_head { rows.remove(0).1 } else { Vec::new() };
        let n = rows.len();
        let width = rows.iter().map(|(_, fields)| fields.len()).max().filter(|_| n >= 2)?;
        let has_names = rows.iter().all(|(_, fields)| !fields[0].is_empty() && float(fields[0]).is_none())
            || has_head && width == n + 1;
        let mut names = Vec::new();
        if has_names {
            names = rows.iter_mut().map(|(_, fields)| fields.remove(0)).collect();
        }
        let columns = width - usize::from(has_names);
        if head.len() == columns + 1 {
            head.remove(0);
        }
        let is_even = rows.iter().all(|(_, fields)| fields.len() == columns);
        // The rows of a file that was cut carry the first names of its head.
        let is_cut = has_names && head.len() == columns && n <= columns && head.starts_with(&names);
        // Four rows of mpi_nxnlatbw have four fields, too.
        let is_listing = head.is_empty() && rows.iter().all(|(line, _)| nxnlatbw::is_row(line.text));
        let is_square = !is_listing && is_even && columns == n && (head.is_empty() || head.len() == n);
        (is_square || is_cut).then_some(Self { head, names, rows })
    }
}

/// Reads a matrix; false if the text is none.
///
/// # Errors
/// When it is a matrix, and nothing says what its numbers are.
pub(super) fn read(text: &str, wanted: &Wanted, sink: &mut Sink) -> Result<bool, ReadError> {
    let Some(CsvMatrix { head, names, rows }) = CsvMatrix::parse(text) else { return Ok(false) };
    let columns = if head.is_empty() { rows.len() } else { head.len() };
    let (Some(test), Some((unit, factor))) = (&wanted.test, wanted.unit) else {
        let reason = format!(
            "a matrix of {columns} columns, which says neither its test nor its unit; `test` and `unit` say it"
        );
        return Err(ReadError::whole(reason));
    };
    if let Some(line) = doubtful(&rows) {
        let reason = "numbers with a comma before three digits, which may be thousands or fractions: write them with a point, or without the comma";
        return Err(ReadError::at(line.number, reason, line.text));
    }
    sink.format("matrix");
    let mut ends = Vec::with_capacity(columns);
    for at in 0..columns {
        let name = head.get(at).or_else(|| names.get(at)).filter(|name| !name.is_empty());
        ends.push(match name {
            Some(name) => Some(sink.host(name, None)),
            None => sink.rank(at as u32),
        });
    }
    let series = sink.series(Series::mean(test, &wanted.what, unit, wanted.bytes));
    for (at, (line, fields)) in rows.iter().enumerate() {
        let own = names.get(at).map(|name| sink.host(name, None)).or(ends[at]);
        if fields.len() < columns {
            sink.notes.add(NoteKind::BrokenRow, line.number, line.text);
        }
        for (&other, field) in ends.iter().zip(fields) {
            let (Some(own), Some(other)) = (own, other) else { continue };
            match number(field) {
                // The diagonal of a matrix has no meaning.
                _ if own == other => {}
                Some(value) => sink.pair(series, (own, other), Class::Unknown, scaled(value, factor), line),
                None => sink.notes.add(NoteKind::NotFinite, line.number, line.text),
            }
        }
    }
    if rows.len() < columns {
        let text = format!("{} rows of {columns}", rows.len());
        sink.notes.add(NoteKind::MissingPairs, rows.last().map_or(1, |(line, _)| line.number), &text);
    }
    Ok(true)
}
