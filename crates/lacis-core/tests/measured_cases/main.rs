//! Outputs of benchmarks as people have them, each with the values that are right, and variants of their kinds. The files of
//! `shared/data/cases/measurements` are read where they are; values are by hand from their text.

#![allow(clippy::unwrap_used)] // a test fails by panicking

mod fragments;
mod logs;
mod mixed;
mod nccl;
mod programs;
mod sockets;

use std::path::PathBuf;

use lacis_core::io::NoteKind;
use lacis_core::io::measured::{End, Measured, Wanted, read};

/// The content of a case; none where there is no shared data.
fn case(name: &str) -> Option<Vec<u8>> {
    let env = std::env::var_os("LACIS_SHARED").map(|d| PathBuf::from(d).join("data"));
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let above = root.ancestors().map(|folder| folder.join("shared/data")).find(|folder| folder.is_dir());
    std::fs::read(env.or(above)?.join("cases/measurements").join(name)).ok()
}

fn get(text: &str) -> Measured {
    read(text.as_bytes(), &Wanted::default()).unwrap()
}

fn end(m: &Measured, at: u32) -> String {
    match m.ends.get(at as usize) {
        None => "-".into(),
        Some(End { host, rank }) => {
            let rank = rank.map_or(String::new(), |rank| format!(":{rank}"));
            format!("{}{rank}", host.as_deref().unwrap_or(""))
        }
    }
}

/// `test | what | statistic | bytes | source destination | value unit` of every value.
fn rows(m: &Measured) -> Vec<String> {
    let row = |i: usize| {
        let s = &m.series[m.of[i] as usize];
        let bytes = s.bytes.map_or("-".into(), |bytes| bytes.to_string());
        let (source, destination) = (end(m, m.source[i]), end(m, m.destination[i]));
        let (value, unit) = (m.value[i], s.unit.name());
        format!(
            "{} | {} | {} | {bytes} | {source} {destination} | {value:.5e} {unit}",
            s.test, s.what, s.statistic
        )
    };
    (0..m.value.len()).map(row).collect()
}

/// The distinct names of tests, in their order.
fn tests(m: &Measured) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for &of in &m.of {
        let test = m.series[of as usize].test.as_str();
        if !found.contains(&test) {
            found.push(test);
        }
    }
    found
}

fn has(m: &Measured, row: &str) {
    assert!(rows(m).iter().any(|found| found == row), "no {row} in\n{}", rows(m).join("\n"));
}

fn kinds(m: &Measured) -> Vec<NoteKind> {
    m.notes.iter().map(|(_, note)| note.kind).collect()
}

/// The number of ranks of the first value.
fn ranks(m: &Measured) -> Option<u32> {
    m.series[m.of[0] as usize].ranks
}

/// Why an output is refused.
fn reason(text: &str) -> String {
    read(text.as_bytes(), &Wanted::default()).unwrap_err().to_string()
}
