//! From the lines of a text to the blocks that read them: one after the other, and of several runs that write to one log.

use rustc_hash::FxHashMap;

use super::json_objects::Objects;
use super::launch::{Call, Launch};
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
    /// By stream: lines of an object that was read already.
    read_ahead: FxHashMap<u32, usize>,
}

impl Streams {
    pub(super) fn new(text: &str, formats: Formats) -> Self {
        Self {
            formats,
            prefixes: Prefixes::of(text),
            launch: Launch::default(),
            open: Vec::new(),
            read_ahead: FxHashMap::default(),
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
        if is_title && !goes_on {
            let mut context = self.launch.context().clone();
            std::mem::swap(&mut sink.context, &mut context);
            let next = (self.formats.begin)(line, self.launch.call.as_ref(), sink);
            std::mem::swap(&mut sink.context, &mut context);
            if let Some(block) = next {
                self.begin(Open { stream, block, context }, sink);
                return;
            }
        }
        // Of runs that are mixed, a row is of the one that expects it.
        let expecting = if candidates.len() > 1 { candidates.clone() } else { Vec::new() };
        let best = expecting.into_iter().find(|&at| self.open[at].block.expects(line));
        let chosen = best.or_else(|| candidates.first().copied());
        let fate =
            chosen.map_or(Fate::Foreign, |at| self.open[at].with(sink, |block, sink| block.line(line, sink)));
        match fate {
            Fate::Taken => {}
            Fate::Broken => sink.notes.add(NoteKind::BrokenRow, line.number, line.text),
            Fate::Foreign => {
                let mut context = self.launch.context().clone();
                std::mem::swap(&mut sink.context, &mut context);
                let next = (self.formats.begin_row)(line, sink);
                std::mem::swap(&mut sink.context, &mut context);
                if let Some(block) = next {
                    self.begin(Open { stream, block, context }, sink);
                } else if !self.launch.take(line.text) {
                    sink.notes.add(NoteKind::UnknownLine, line.number, line.text);
                }
            }
        }
    }

    /// A block begins: those of its stream that have rows have ended.
    fn begin(&mut self, next: Open, sink: &mut Sink) {
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

/// Whether a line is an object from its first brace to its last.
fn is_whole(text: &str) -> bool {
    text.ends_with('}') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}
