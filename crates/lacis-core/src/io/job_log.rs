//! Job logs: lines with known texts, and lines that look like errors and have none, in one pass over pieces of any size.
//!
//! A known text is a list of fragments that occur in one line in this order, with anything between them, letter case
//! ignored: `Unit/port: 1:1 is not active.` has `unit/port:` and `is not active`. Lines end at a line feed; longer ones
//! than [`LONGEST`] are scanned in pieces, and counted. A word that counts none (`0 errors`) is no trouble; another in its line is.

mod none;

use std::collections::BTreeMap;

use aho_corasick::AhoCorasick;

/// Longest line that is scanned as a whole `[bytes]`.
pub const LONGEST: usize = 1 << 18;
/// The most kinds of lines that look like errors and are kept; more are only counted.
pub const MOST_KINDS: usize = 256;
/// Longest text that is quoted [characters].
const QUOTED: usize = 300;

/// Lines with one known text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// How many there are.
    pub count: u64,
    /// The first of them: line from 1, and its text, cut and without control characters.
    pub first: Vec<(u64, String)>,
}

/// What a log has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Lines, a last one without an end included.
    pub lines: u64,
    /// Bytes.
    pub bytes: u64,
    /// By known text, in the order given; those of general texts follow.
    pub known: Vec<Hits>,
    /// Lines with a word of trouble and no known text, in the order of their first lines; those that differ only in
    /// numbers count together.
    pub unknown: Vec<Hits>,
    /// Such lines of further kinds, which are not kept.
    pub more_unknown: u64,
    /// Lines longer than [`LONGEST`].
    pub long_lines: u64,
}

/// Looks for texts in a log that is given piece by piece.
pub struct Scanner {
    automaton: AhoCorasick,
    /// By pattern: whether it is a word of trouble.
    is_trouble: Vec<bool>,
    /// By pattern: the texts that begin with it.
    begins: Vec<Vec<u32>>,
    /// By text: its fragments, as patterns.
    texts: Vec<Vec<u32>>,
    /// The first general text: of these a line counts for the first that it has, and only without another text.
    general: u32,
    quoted: usize,
    carried: Vec<u8>,
    in_long_line: bool,
    /// The texts of the current line, once each.
    seen: Vec<u32>,
    kinds: BTreeMap<String, usize>,
    found: Found,
}

impl Scanner {
    /// Looks for texts, each a list of fragments, and for words of trouble; keeps `quoted` lines of each. A line counts for
    /// all texts that it has, and if it has none, for the first `general` one. Empty fragments and words are ignored.
    ///
    /// # Errors
    /// When there are more fragments than an automaton can hold.
    pub fn new(
        texts: &[Vec<String>],
        general: &[Vec<String>],
        trouble: &[String],
        quoted: usize,
    ) -> Result<Self, String> {
        let mut number: BTreeMap<String, u32> = BTreeMap::new();
        let mut patterns: Vec<String> = Vec::new();
        let mut pattern = |text: &str| {
            *number.entry(text.to_ascii_lowercase()).or_insert_with(|| {
                patterns.push(text.to_ascii_lowercase());
                patterns.len() as u32 - 1
            })
        };
        let first_general = texts.len() as u32;
        let texts: Vec<Vec<u32>> = texts
            .iter()
            .chain(general)
            .map(|fragments| fragments.iter().filter(|p| !p.is_empty()).map(|p| pattern(p)).collect())
            .collect();
        let words: Vec<u32> = trouble.iter().filter(|w| !w.is_empty()).map(|w| pattern(w)).collect();
        let mut is_trouble = vec![false; patterns.len()];
        for &word in &words {
            is_trouble[word as usize] = true;
        }
        let mut begins = vec![Vec::new(); patterns.len()];
        for (text, fragments) in (0..).zip(&texts) {
            if let Some(&first) = fragments.first() {
                begins[first as usize].push(text);
            }
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(&patterns)
            .map_err(|error| error.to_string())?;
        let found = Found { known: vec![Hits::default(); texts.len()], ..Found::default() };
        let (carried, kinds) = (Vec::new(), BTreeMap::new());
        let (in_long_line, seen) = (false, Vec::new());
        let general = first_general;
        Ok(Self {
            automaton,
            is_trouble,
            begins,
            texts,
            general,
            quoted,
            carried,
            in_long_line,
            seen,
            kinds,
            found,
        })
    }

    /// Reads the next piece.
    pub fn feed(&mut self, piece: &[u8]) {
        self.found.bytes += piece.len() as u64;
        let mut rest = piece;
        if !self.carried.is_empty() {
            let end = piece.iter().position(|&b| b == b'\n').map_or(piece.len(), |at| at + 1);
            self.carried.extend_from_slice(&piece[..end]);
            rest = &piece[end..];
            if self.carried.ends_with(b"\n") || self.carried.len() > LONGEST {
                let line = std::mem::take(&mut self.carried);
                self.look(&line);
            }
        }
        let whole = rest.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        self.look(&rest[..whole]);
        let tail = &rest[whole..];
        if tail.len() > LONGEST {
            self.look(tail);
        } else {
            self.carried.extend_from_slice(tail);
        }
    }

    /// What was found, after the last piece.
    pub fn finish(mut self) -> Found {
        let line = std::mem::take(&mut self.carried);
        self.look(&line);
        self.found.lines += u64::from(self.in_long_line || (!line.is_empty() && !line.ends_with(b"\n")));
        self.found
    }

    /// Scans lines: whole ones, except perhaps the last.
    fn look(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        let automaton = self.automaton.clone();
        let (mut start, mut end) = (0, 0); // of the current line
        let (mut before, mut counted) = (self.found.lines, 0); // line ends up to `counted`
        let mut matches: Vec<(u32, usize, usize)> = Vec::new();
        if !self.texts.is_empty() || !self.is_trouble.is_empty() {
            for found in automaton.find_overlapping_iter(text) {
                if found.start() >= end {
                    self.judge(&text[start..end], before + 1, &mut matches);
                    start = text[..found.start()].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
                    end = text[found.start()..]
                        .iter()
                        .position(|&b| b == b'\n')
                        .map_or(text.len(), |at| at + found.start());
                    before += line_ends(&text[counted..start]);
                    counted = start;
                }
                if found.end() <= end {
                    let at = (found.start() - start, found.end() - start);
                    matches.push((found.pattern().as_u32(), at.0, at.1));
                }
            }
            self.judge(&text[start..end], before + 1, &mut matches);
        }
        self.found.lines = before + line_ends(&text[counted..]);
        let is_open = !text.ends_with(b"\n") && text.len() > LONGEST;
        self.found.long_lines += u64::from(is_open && !self.in_long_line);
        self.in_long_line = is_open;
    }

    /// One line with some matches: pattern, start and end of each.
    fn judge(&mut self, line: &[u8], number: u64, matches: &mut Vec<(u32, usize, usize)>) {
        let mut seen = std::mem::take(&mut self.seen);
        let mut general: Option<(u32, usize)> = None;
        for &(pattern, at, _) in matches.iter() {
            for &text in &self.begins[pattern as usize] {
                if text >= self.general {
                    if general.is_none_or(|(first, _)| text < first) && self.fits(text, matches) {
                        general = Some((text, at));
                    }
                } else if !seen.contains(&text) && self.fits(text, matches) {
                    note(&mut self.found.known[text as usize], number, line, at, self.quoted);
                    seen.push(text);
                }
            }
        }
        if let Some((text, at)) = general.filter(|_| seen.is_empty()) {
            note(&mut self.found.known[text as usize], number, line, at, self.quoted);
            seen.push(text);
        }
        let is_known = !seen.is_empty();
        seen.clear();
        self.seen = seen;
        let is_trouble = |m: &&(u32, usize, usize)| {
            !is_known && self.is_trouble[m.0 as usize] && !none::counts_none(line, m.1, m.2)
        };
        let trouble = matches.iter().find(is_trouble).copied();
        matches.clear();
        if let Some(trouble) = trouble {
            let shown = quote(line, trouble.1);
            let kind = without_numbers(&shown);
            let count = self.kinds.len();
            if let Some(&known) = self.kinds.get(&kind) {
                note(&mut self.found.unknown[known], number, line, trouble.1, self.quoted);
            } else if count < MOST_KINDS {
                self.kinds.insert(kind, count);
                self.found.unknown.push(Hits { count: 1, first: vec![(number, shown)] });
            } else {
                self.found.more_unknown += 1;
            }
        }
    }

    /// Whether a line has all fragments of a text, one after the other.
    fn fits(&self, text: u32, matches: &[(u32, usize, usize)]) -> bool {
        let mut from = 0;
        self.texts[text as usize].iter().all(|&fragment| {
            let next = matches.iter().filter(|m| m.0 == fragment && m.1 >= from).min_by_key(|m| m.1);
            from = next.map_or(from, |m| m.2);
            next.is_some()
        })
    }
}

fn line_ends(text: &[u8]) -> u64 {
    text.iter().map(|&b| u64::from(b == b'\n')).sum()
}

fn note(hits: &mut Hits, number: u64, line: &[u8], at: usize, most: usize) {
    hits.count += 1;
    if hits.first.len() < most {
        hits.first.push((number, quote(line, at)));
    }
}

/// The line around what was found in it, without control characters.
fn quote(line: &[u8], at: usize) -> String {
    let from = if line.len() <= QUOTED { 0 } else { at.saturating_sub(QUOTED / 3) };
    let around = &line[from..line.len().min(from + 4 * QUOTED)];
    let text = String::from_utf8_lossy(around);
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(QUOTED);
    plain.collect::<String>().trim().to_owned()
}

/// A text with each run of digits, also of hexadecimal ones that begin with a digit, as `#`.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_number = false;
    for c in text.chars() {
        is_number = c.is_ascii_digit() || (is_number && (c.is_ascii_hexdigit() || c == 'x'));
        if !is_number {
            out.push(c);
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanner() -> Scanner {
        let text = |fragments: &[&str]| fragments.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>();
        let texts =
            [text(&["unit/port:", "is not active"]), text(&["timed out"]), text(&["retry", "exceeded"])];
        Scanner::new(&texts, &[], &text(&["error", "failed"]), 2).unwrap()
    }

    #[test]
    fn a_general_text_counts_where_no_other_does_and_the_first_of_several() {
        let text = |fragments: &[&str]| fragments.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>();
        let general = [text(&["(err=9)"]), text(&["(err="])];
        let mut scanner =
            Scanner::new(&[text(&["shm_open"])], &general, &text(&["error", "errors: 0"]), 9).unwrap();
        scanner.feed(b"shm_open failed (err=9)\nno segment (err=9)\nother (err=23)\nerror of its own\n");
        let found = scanner.finish();
        let lines = |hits: &Hits| hits.first.iter().map(|(line, _)| *line).collect::<Vec<_>>();
        assert_eq!(found.known.iter().map(lines).collect::<Vec<_>>(), [vec![1], vec![2], vec![3]]);
        assert_eq!(found.unknown.iter().map(lines).collect::<Vec<_>>(), [vec![4]]);
    }

    const LOG: &[u8] = b"all is well\nnode1: Unit/port: 1:1 is not active.\n\nsend FAILED for 0x1f\nsend failed for 0x2a\n\
        is not active, says Unit/port: x\ntransport retry count exceeded: error\nOperation timed out\nlast error";

    #[test]
    fn texts_are_found_line_by_line_and_trouble_without_a_text_is_kept_separately() {
        let mut scanner = scanner();
        scanner.feed(LOG);
        let found = scanner.finish();
        assert_eq!((found.lines, found.bytes), (9, LOG.len() as u64));
        let first = |hits: &Hits| hits.first.clone();
        assert_eq!(first(&found.known[0]), [(2, "node1: Unit/port: 1:1 is not active.".to_owned())]);
        assert_eq!(first(&found.known[1]), [(8, "Operation timed out".to_owned())]);
        assert_eq!(first(&found.known[2]), [(7, "transport retry count exceeded: error".to_owned())]);
        // Two lines that differ in a number, once in letter case; and the last, which has no line end.
        let unknown: Vec<_> = found.unknown.iter().map(|h| (h.count, h.first[0].0)).collect();
        assert_eq!(unknown, [(1, 4), (1, 5), (1, 9)]);
    }

    #[test]
    fn pieces_of_any_size_find_the_same() {
        let mut whole = scanner();
        whole.feed(LOG);
        let whole = whole.finish();
        for size in 1..40 {
            let mut scanner = scanner();
            LOG.chunks(size).for_each(|piece| scanner.feed(piece));
            assert_eq!(scanner.finish(), whole, "{size}");
        }
    }

    #[test]
    fn a_line_without_an_end_takes_no_memory_and_is_counted() {
        let mut scanner = scanner();
        for _ in 0..20 {
            scanner.feed(&vec![b'x'; LONGEST / 4]);
            assert!(scanner.carried.len() <= LONGEST + LONGEST / 4);
        }
        scanner.feed(b"\nOperation timed out");
        let found = scanner.finish();
        assert_eq!((found.lines, found.known[1].first[0].0), (2, 2));
        assert_eq!(found.long_lines, 1);
    }

    #[test]
    fn kinds_of_trouble_are_bounded() {
        let mut scanner = scanner();
        for i in 0..MOST_KINDS + 10 {
            scanner.feed(format!("error {}\n", "x".repeat(i)).as_bytes());
        }
        let found = scanner.finish();
        assert_eq!((found.unknown.len(), found.more_unknown), (MOST_KINDS, 10));
    }
}
