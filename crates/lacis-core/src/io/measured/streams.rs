//! From the lines of a text to the blocks that read them: one after the other, and of several runs that write to one log.

use rustc_hash::FxHashMap;

use super::json_objects::Objects;
use super::launch::{Call, Launch};
use super::mixed::{self, Mixed, MixedRun, Owner};
use super::perftest_json;
use super::prefix::Prefixes;
use super::table::{Block, Context, Fate, Line, Sink};
use crate::io::{NoteKind, ReadError};

/// Longest line [bytes]: a row of a matrix of 100,000 hosts.
const MAX_LINE: usize = 4 << 20;
/// Most runs whose rows may be mixed.
const MOST_OPEN: usize = 8;

/// A block, and what is known of its run.
#[derive(Debug)]
struct Open {
    stream: u32,
    block: Box<dyn Block>,
    context: Context,
    /// Lines above launched several runs differently, and which of them this is, nothing says.
    has_doubtful_launch: bool,
}

impl Open {
    /// Does something with the block, the run's context in the sink.
    fn with<T>(&mut self, sink: &mut Sink, what: impl FnOnce(&mut dyn Block, &mut Sink) -> T) -> T {
        std::mem::swap(&mut sink.context, &mut self.context);
        let out = what(self.block.as_mut(), sink);
        std::mem::swap(&mut sink.context, &mut self.context);
        out
    }
}

/// A block that begins, whatever its format.
type Begun = Option<Box<dyn Block>>;

/// The formats: the one that begins with a title, given what a line above called, and the one without titles whose
/// row a line is.
#[derive(Clone, Copy)]
pub(super) struct Formats {
    pub(super) begin: fn(&Line<'_>, Option<&Call>, &mut Sink) -> Begun,
    pub(super) begin_row: fn(&Line<'_>, &mut Sink) -> Begun,
}

/// The runs whose output is read.
pub(super) struct Streams {
    formats: Formats,
    prefixes: Prefixes,
    launch: Launch,
    /// Blocks that have not ended, the most recent last.
    open: Vec<Open>,
    /// Rows that may be of any of the open runs.
    mixed: Mixed,
    /// By stream: lines of an object that was read already.
    read_ahead: FxHashMap<u32, usize>,
    /// The last row that was taken.
    row: String,
    /// The text has no line end at its end, and this is its last line.
    is_open: bool,
}

impl Streams {
    pub(super) fn new(text: &str, formats: Formats) -> Self {
        Self {
            formats,
            prefixes: Prefixes::of(text),
            launch: Launch::default(),
            open: Vec::new(),
            mixed: Mixed::default(),
            read_ahead: FxHashMap::default(),
            row: String::new(),
            is_open: false,
        }
    }

    /// Reads all lines.
    ///
    /// # Errors
    /// When a line is endless.
    pub(super) fn read(
        mut self,
        text: &str,
        objects: &mut Objects,
        sink: &mut Sink,
    ) -> Result<(), ReadError> {
        let (mut at, mut number) = (0, 0);
        while at < text.len() {
            let rest = &text[at..];
            let end = rest.find('\n').unwrap_or(rest.len());
            number += 1;
            if end > MAX_LINE {
                return Err(ReadError::at(number, format!("the line has {end} bytes"), ""));
            }
            let raw = rest[..end].trim();
            self.is_open = end == rest.len();
            at += end + 1;
            let bare = self.prefixes.strip(raw);
            let (line, stream) = (Line { number, text: bare.text.trim() }, bare.stream);
            if self.read_ahead.get(&stream).is_some_and(|&lines| lines > 0) {
                *self.read_ahead.entry(stream).or_default() -= 1;
                continue;
            }
            // Empty, or a rule.
            if line.text.bytes().all(|byte| matches!(byte, b'#' | b'-' | b'=' | b'*' | b'+')) {
                continue;
            }
            if matches!(line.text, "[" | "]" | "]," | "},") {
                continue;
            }
            let object = line.text.strip_prefix("[{").map_or(line.text, |_| &line.text[1..]);
            if object.starts_with('{') {
                let line = Line { number, text: object.trim_end_matches([',', ']']) };
                if line.text.len() == raw.len() {
                    let more = self.object(&line, rest.trim_start(), stream, objects, sink);
                    self.read_ahead.insert(stream, more);
                } else if is_whole(line.text) {
                    self.object(&line, line.text, stream, objects, sink);
                } else {
                    let rest = self.rest_of(&text[(at - end - 1)..], stream);
                    let more = self.object(&line, rest.trim_start_matches('['), stream, objects, sink);
                    self.read_ahead.insert(stream, more);
                }
                continue;
            }
            self.line(&line, stream, sink);
        }
        for stream in self.mixed.streams() {
            self.decide(stream, sink);
        }
        for mut open in self.open {
            open.with(sink, |block, sink| block.end(sink));
        }
        Ok(())
    }

    /// Reads an object that begins a text; how many further lines it has.
    fn object(
        &mut self,
        line: &Line<'_>,
        rest: &str,
        stream: u32,
        objects: &mut Objects,
        sink: &mut Sink,
    ) -> usize {
        std::mem::swap(&mut sink.context, self.launch.context());
        let lines = perftest_json::read_relaxed(line, rest, sink)
            .unwrap_or_else(|| objects.read(line, rest, stream, sink));
        std::mem::swap(&mut sink.context, self.launch.context());
        lines - 1
    }

    /// The lines of a stream without what stands before them.
    fn rest_of(&mut self, text: &str, stream: u32) -> String {
        let (mut out, mut opened, mut closed) = (String::new(), 0, 0);
        for raw in text.lines() {
            let bare = self.prefixes.strip(raw);
            if bare.stream == stream {
                let count = |brace: u8| bare.text.bytes().filter(|&byte| byte == brace).count();
                opened += count(b'{');
                closed += count(b'}');
                out.push_str(&bare.text);
                out.push('\n');
                if opened <= closed {
                    break;
                }
            }
        }
        out
    }

    /// The blocks that may take a line of a stream, the most likely first: its own, else the most recent of all.
    fn candidates(&self, stream: u32) -> Vec<usize> {
        let own: Vec<usize> =
            (0..self.open.len()).rev().filter(|&at| self.open[at].stream == stream).collect();
        if own.is_empty() { (0..self.open.len()).rev().take(1).collect() } else { own }
    }

    fn line(&mut self, line: &Line<'_>, stream: u32, sink: &mut Sink) {
        let candidates = self.candidates(stream);
        // Rows begin with digits, titles do not.
        let is_title = !line.text.starts_with(|c: char| c.is_ascii_digit());
        let goes_on = candidates.iter().any(|&at| self.open[at].block.goes_on(line));
        if goes_on && self.mixed.has(stream) {
            self.decide(stream, sink);
            return self.line(line, stream, sink);
        }
        if is_title && !goes_on {
            let mut context = self.launch.context().clone();
            std::mem::swap(&mut sink.context, &mut context);
            let next = (self.formats.begin)(line, self.launch.call.as_ref(), sink);
            std::mem::swap(&mut sink.context, &mut context);
            if let Some(block) = next {
                self.begin(Open { stream, block, context, has_doubtful_launch: false }, sink);
                return;
            }
        }
        // Of runs that are mixed, a row is of the one that expects it.
        let is_mixed = candidates.len() > 1;
        let is_row = is_mixed && candidates.iter().any(|&at| self.open[at].block.is_row(line));
        let expects = |&at: &usize| is_mixed && self.open[at].block.expects(line);
        let expecting: Vec<usize> = candidates.iter().copied().filter(expects).collect();
        if is_row && expecting.is_empty() {
            sink.notes.add(NoteKind::BrokenRow, line.number, line.text);
            return;
        }
        if is_row && expecting.len() > 1 && !self.are_alike(&expecting, true) {
            self.mixed.keep(stream, line);
            return;
        }
        let chosen = expecting.first().or_else(|| candidates.first()).copied();
        self.give(line, stream, chosen, sink);
    }

    /// Gives a line to a block, or to whatever takes lines of none.
    fn give(&mut self, line: &Line<'_>, stream: u32, chosen: Option<usize>, sink: &mut Sink) {
        let decimals = chosen.and_then(|at| self.open[at].block.decimals(line));
        if self.is_open && chosen.is_some() && is_cut(line.text, &self.row, decimals) {
            sink.notes.add(NoteKind::BrokenRow, line.number, line.text);
            return;
        }
        let fate =
            chosen.map_or(Fate::Foreign, |at| self.open[at].with(sink, |block, sink| block.line(line, sink)));
        match fate {
            Fate::Taken if line.text.starts_with(|c: char| c.is_ascii_digit()) => {
                line.text.clone_into(&mut self.row);
            }
            Fate::Taken => {}
            Fate::Broken => sink.notes.add(NoteKind::BrokenRow, line.number, line.text),
            Fate::Foreign => {
                let mut context = self.launch.context().clone();
                std::mem::swap(&mut sink.context, &mut context);
                let next = (self.formats.begin_row)(line, sink);
                std::mem::swap(&mut sink.context, &mut context);
                if let Some(block) = next {
                    self.begin(Open { stream, block, context, has_doubtful_launch: false }, sink);
                } else if !self.launch.take(line.text) {
                    sink.notes.add(NoteKind::UnknownLine, line.number, line.text);
                }
            }
        }
    }

    /// Whether the values of a row would be the same in each of these blocks; their hosts need not be, unless they are asked for.
    fn are_alike(&self, blocks: &[usize], with_hosts: bool) -> bool {
        let run = |at: usize| {
            let Open { block, context, has_doubtful_launch, .. } = &self.open[at];
            MixedRun::of(block.as_ref(), context, *has_doubtful_launch)
        };
        let first = run(blocks[0]);
        blocks.iter().all(|&at| first.is_like(&run(at), with_hosts))
    }

    /// Decides of which runs the rows of a stream are that may be of several.
    fn decide(&mut self, stream: u32, sink: &mut Sink) {
        let rows = self.mixed.take(stream);
        let candidates = self.candidates(stream);
        let Some(first) = rows.first().map(|(number, text)| Line { number: *number, text }) else { return };
        let takers: Vec<usize> =
            candidates.iter().copied().filter(|&at| self.open[at].block.expects(&first)).collect();
        if takers.is_empty() {
            return;
        }
        let awaits = |&at: &usize| self.open[at].block.awaits_rows();
        let begun: Vec<usize> = takers.iter().copied().filter(|at| !awaits(at)).collect();
        let owner = match begun[..] {
            _ if !mixed::is_of_one_run(&rows) || begun.len() > 1 => Owner::Unknown,
            [one] => Owner::One(one),
            // The others died before their first row.
            _ => Owner::One(takers[0]),
        };
        let owner = match owner {
            Owner::Unknown if self.are_alike(&takers, false) => Owner::Any,
            other => other,
        };
        if owner == Owner::Any {
            sink.notes.add(NoteKind::MixedHosts, first.number, first.text);
            for &at in &takers {
                self.open[at].context.hosts.clear();
                self.open[at].with(sink, |block, sink| block.forget_hosts(sink));
            }
        }
        for (number, text) in &rows {
            let line = Line { number: *number, text };
            let at = match owner {
                Owner::One(at) => Some(at),
                Owner::Any => takers.iter().copied().find(|&at| self.open[at].block.expects(&line)),
                Owner::Unknown => {
                    sink.notes.add(NoteKind::MixedRuns, *number, text);
                    continue;
                }
            };
            match at {
                Some(at) => self.give(&line, stream, Some(at), sink),
                None => sink.notes.add(NoteKind::BrokenRow, *number, text),
            }
        }
        if owner == Owner::Unknown {
            // That they have no row is no news of them.
            let mut at = 0;
            self.open.retain(|open| {
                at += 1;
                !(takers.contains(&(at - 1)) && open.block.awaits_rows())
            });
        }
    }

    /// A block begins: those of its stream that have rows have ended.
    fn begin(&mut self, mut next: Open, sink: &mut Sink) {
        self.decide(next.stream, sink);
        if self.launch.is_doubtful() {
            // Of several launches the last one counts, unless several runs begin after them.
            for open in self.open.iter_mut().filter(|open| open.stream == next.stream) {
                open.has_doubtful_launch |= open.block.awaits_rows();
                next.has_doubtful_launch |= open.block.awaits_rows();
            }
        }
        let mut at = 0;
        while at < self.open.len() {
            let open = &self.open[at];
            if open.stream == next.stream && (!open.block.awaits_rows() || self.open.len() >= MOST_OPEN) {
                let mut ended = self.open.remove(at);
                ended.with(sink, |block, sink| block.end(sink));
            } else {
                at += 1;
            }
        }
        self.launch.has_begun();
        self.open.push(next);
    }
}

/// Whether a last number has fewer decimals than its format prints, or than that of the row before: a digit may be missing, or
/// many.
fn is_cut(text: &str, row: &str, printed: Option<usize>) -> bool {
    let decimals = |text: &str| {
        let last = text.split_whitespace().next_back()?;
        let is_number = last.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        is_number.then(|| last.split_once('.').map_or(0, |(_, decimals)| decimals.len()))
    };
    let is_row = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let fields = |text: &str| text.split_whitespace().count();
    let before = (is_row(text) && fields(text) == fields(row)).then(|| decimals(row)).flatten();
    decimals(text).zip(printed.or(before)).is_some_and(|(own, before)| own < before)
}

/// Whether a line is an object from its first brace to its last.
fn is_whole(text: &str) -> bool {
    text.ends_with('}') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}
