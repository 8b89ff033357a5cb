//! What readers report: refusals and remarks, each with its line.

use std::fmt;

use crate::fabric::Fabric;

/// Why an input was refused: one line, one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The line, from 1; none for the whole input.
    pub line: Option<usize>,
    /// The reason, in words, control characters escaped: it may quote the input.
    pub reason: String,
    /// The offending text, cut to 80 characters, control characters escaped.
    pub text: String,
}

impl ReadError {
    /// A refusal of one line.
    pub(crate) fn at(line: usize, reason: impl Into<String>, text: &str) -> Self {
        Self { line: Some(line), reason: printable(&reason.into()), text: excerpt(text) }
    }

    /// A refusal of the input as a whole.
    pub(crate) fn whole(reason: impl Into<String>) -> Self {
        Self { line: None, reason: printable(&reason.into()), text: String::new() }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.reason)?;
        if self.text.is_empty() { Ok(()) } else { write!(f, ": {}", self.text) }
    }
}

impl std::error::Error for ReadError {}

/// What a remark is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NoteKind {
    /// Lines that no rule of the format covers; skipped.
    UnknownLine,
    /// Text after a line's known fields; skipped.
    UnknownText,
    /// Lines that the format knows and that say nothing about the fabric.
    Ignored,
    /// Bytes that are not UTF-8, replaced by U+FFFD, and control characters, by blanks.
    NotText,
    /// Nodes that appear twice with the same content, as in joined files.
    Repeated,
    /// Ends that disagree about a LID or a port GUID; the port's own line counts.
    Disagreement,
    /// Links whose rate the source could not name.
    UnknownRate,
    /// Tables whose last LID the dumping tool is known to omit.
    LostLid,
    /// Ports whose LMC the fabric's file does not say, and that have the LIDs behind their own.
    InferredLmc,
    /// Rows about a port of a node that the file does not describe.
    UnknownEnd,
    /// Bits of speeds whose meaning the file leaves open.
    SpeedBits,
    /// A file of tables that stops before the last one's end.
    Truncated,
    /// Cables that one end lists and the other does not.
    OneSided,
    /// A byte order mark, or text in UTF-16.
    Encoding,
    /// Carriage returns at the ends of lines, or instead of line ends.
    CarriageReturn,
    /// Node lines whose tabs are lost (`Switch41 "S-…"`).
    LostTabs,
    /// Further dumps in one file, read with the first as one fabric.
    Joined,
    /// GUID lines with the GUID of a whole chassis; the node's own identifier and port 0 count.
    SystemGuid,
    /// Port lines without a rate in a file whose others have one.
    NoRate,
    /// End nodes of which a list has only the port's GUID.
    PortGuid,
    /// Switches of which a file has no block.
    NoBlock,
    /// Ports that are cabled to themselves, as a loopback plug does.
    LoopbackPlug,
    /// Nodes of a list that names no cables.
    NoCables,
    /// Text between the elements of an XML file.
    StrayText,
    /// Elements that the format does not have.
    UnknownTag,
    /// Ports that run on fewer lanes than they were brought up with; their rate is that of the lanes they send on.
    Downgraded,
    /// Cables whose ends report different widths or speeds.
    UnevenRate,
    /// Lines of a plan about something else than cables of the fabric.
    OtherLink,
    /// Ports that a plan leaves without a cable.
    OpenPort,
    /// Ports that a plan gives as half of a split port.
    SplitPort,
    /// Rows of results that are cut short, or have another's beginning inside.
    BrokenRow,
    /// Results that are no number, or infinite.
    NotFinite,
    /// Results of 0 or less, which nothing measures.
    Zero,
    /// Results of a rank with itself.
    Diagonal,
    /// Pairs that are not measured although others are.
    MissingPairs,
    /// Ranks beyond the number that the file states.
    RankCount,
    /// Benchmarks without a row.
    NoRows,
    /// Rows whose head line is lost.
    NoHeader,
    /// Results that their own test found wrong.
    Wrong,
    /// Repeats that began late.
    Late,
    /// Runs that stopped before their end.
    Unfinished,
    /// Messages of the measuring program.
    ToolError,
    /// Records that the measuring program lost.
    Dropped,
    /// Units that are assumed, as the file has none.
    AssumedUnit,
    /// Rates without a unit, assumed to be in 2²⁰ bytes/s.
    AssumedMebi,
    /// Matrices of which a file does not say what they hold.
    AssumedTest,
    /// Rates in another unit than the program's version has, as bytes ÷ time shows.
    UnitByRows,
    /// Connections without times, taken for the streams of one run.
    AssumedStreams,
    /// Rows of several runs that nothing tells apart.
    MixedRuns,
    /// Rows of runs on different hosts that nothing tells apart.
    MixedHosts,
}

impl NoteKind {
    /// Its name, which is stable: `unknown_line`.
    pub fn name(self) -> String {
        let mut name = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.push(letter.to_ascii_lowercase());
        }
        name
    }

    /// The remark in words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::UnknownLine => "unknown line, skipped",
            Self::UnknownText => "unknown text at the end of a line, skipped",
            Self::Ignored => "known line without meaning here, ignored",
            Self::NotText => "bytes that are not text, replaced",
            Self::Repeated => "node or cable that is repeated, same content",
            Self::Disagreement => "LID or port GUID that the other end reports differently",
            Self::UnknownRate => "link rate that the source could not name",
            Self::LostLid => {
                "table without its last LID, which dump_lfts and ibroute lose at multiples of 64"
            }
            Self::InferredLmc => {
                "port with the routed LIDs behind its own, as its LMC is not in the fabric's file"
            }
            Self::UnknownEnd => "row about a node that the file does not describe, left out",
            Self::SpeedBits => {
                "bits of speeds that ibdiagnet lays out in two ways: taken for the one of its source where both fit, for unknown where neither does"
            }
            Self::Truncated => "table without its end: the file looks truncated, and OpenSM would not notice",
            Self::OneSided => "cable listed from one end only",
            Self::Encoding => "byte order mark or UTF-16, read as plain text",
            Self::CarriageReturn => "carriage return, read as the end of a line",
            Self::LostTabs => "node line without its tabs, read as if they were there",
            Self::Joined => "another dump begins here, read with the first as one fabric",
            Self::SystemGuid => {
                "GUID line with the GUID of a whole chassis; the node's is that of its identifier and port 0"
            }
            Self::PortGuid => "end node by its port's GUID, as this list does not have the node's",
            Self::NoBlock => "switch without a block of its own: its other ports are not known",
            Self::LoopbackPlug => {
                "port that is cabled to itself, as by a loopback plug: taken for one without a cable"
            }
            Self::NoCables => "node of a list that names no cables",
            Self::UnknownTag => "unknown tag, skipped",
            Self::Downgraded => "port that lost lanes; its rate is that of the lanes that it sends on",
            Self::UnevenRate => "cable whose ends report different rates, each kept",
            Self::StrayText => "text between XML elements, skipped",
            Self::OtherLink => "planned link that is no cable of this fabric, skipped",
            Self::OpenPort => "port that is planned to stay without a cable",
            Self::SplitPort => "half of a split port, taken for port 2 × (cage - 1) + half",
            Self::BrokenRow => "row that is cut short or mixed with another, left out",
            Self::NotFinite => "result that is no finite number, left out",
            Self::Zero => "result of 0 or less, which nothing measures, left out",
            Self::Diagonal => "result of a rank with itself, left out",
            Self::MissingPairs => "pairs without a result, where others have one",
            Self::RankCount => "another number of ranks than the file states",
            Self::NoRows => "benchmark without a row",
            Self::NoHeader => "rows without their head line, read by the benchmark's usual columns",
            Self::Wrong => "result that its own test found wrong; its time is kept",
            Self::Late => "repeats that began late, left out",
            Self::Unfinished => "run without its end: it stopped early",
            Self::ToolError => "the measuring program says",
            Self::Dropped => "records that the measuring program lost",
            Self::AssumedUnit => "no version: MB is assumed to be 10^6 bytes",
            Self::AssumedMebi => {
                "no unit, and nothing that shows it: rates are assumed to be in 2^20 bytes/s"
            }
            Self::AssumedTest => "matrix that does not say what it holds, by its numbers taken for",
            Self::UnitByRows => {
                "unit of rates, as bytes ÷ time of rows shows, other than that of the version"
            }
            Self::AssumedStreams => {
                "connection without a time: all of different numbers are taken for streams of one run, and added"
            }
            Self::MixedRuns => {
                "row of one of several different runs whose heads all come before it, of which nothing says which; left out"
            }
            Self::MixedHosts => {
                "row of one of several runs on different hosts whose heads all come before it; kept without hosts"
            }
            Self::NoRate => "link without a rate, where others have one",
        }
    }
}

/// A remark: how often, where first, and the text there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it is about.
    pub kind: NoteKind,
    /// First line it concerns, from 1.
    pub line: usize,
    /// How many lines it concerns.
    pub count: usize,
    /// The text of the first, cut to 80 characters.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind.describe())?;
        if !self.text.is_empty() {
            write!(f, ": {}", self.text)?;
        }
        if self.count > 1 { write!(f, " (and {} more)", self.count - 1) } else { Ok(()) }
    }
}

/// Collects remarks, one per kind, with the lowest line first.
#[derive(Debug, Default)]
pub(crate) struct Notes(Vec<Note>);

impl Notes {
    /// Counts a line under a kind of remark.
    pub(crate) fn add(&mut self, kind: NoteKind, line: usize, text: &str) {
        match self.0.iter_mut().find(|n| n.kind == kind) {
            Some(note) if note.line <= line => note.count += 1,
            Some(note) => {
                let count = note.count + 1;
                *note = Note { kind, line, count, text: excerpt(text) };
            }
            None => self.0.push(Note { kind, line, count: 1, text: excerpt(text) }),
        }
    }

    /// The remarks by line.
    pub(crate) fn finish(mut self) -> Vec<Note> {
        self.0.sort_by_key(|n| (n.line, n.kind));
        self.0
    }
}

/// The first 80 characters of a text, control characters escaped.
pub(crate) fn excerpt(text: &str) -> String {
    let text = text.trim_end();
    match text.char_indices().nth(80) {
        Some((end, _)) => printable(&text[..end]) + "…",
        None => printable(text),
    }
}

/// A text of one line: control characters escaped, blanks for tabs.
fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push(' '),
            c if c.is_control() => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

/// A fabric and its reader's remarks on the input.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The fabric.
    pub fabric: Fabric,
    /// Remarks, by line.
    pub notes: Vec<Note>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_short_and_printable() {
        assert_eq!(excerpt("a\tb\u{1b}[31m"), "a b\\u{1b}[31m");
        assert_eq!(excerpt(&"x".repeat(200)).chars().count(), 81);
    }

    #[test]
    fn a_refusal_that_quotes_the_input_is_printable() {
        let error = ReadError::at(3, "not a number: \u{1}\t7", "0x1 \u{1}\t7");
        assert_eq!(error.to_string(), "line 3: not a number: \\u{1} 7: 0x1 \\u{1} 7");
        assert_eq!(ReadError::whole("no \r\n").to_string(), "no \\r\\n");
    }

    #[test]
    fn remarks_count_and_keep_the_first_line() {
        let mut notes = Notes::default();
        for line in [7, 3, 9] {
            notes.add(NoteKind::UnknownLine, line, &line.to_string());
        }
        let all = notes.finish();
        assert_eq!((all.len(), all[0].line, all[0].count, all[0].text.as_str()), (1, 3, 3, "3"));
    }
}
