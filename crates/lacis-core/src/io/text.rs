//! From bytes to lines of text, and a cursor over one line. What every line-based reader shares:
//! binary input and endless lines are refused before anything is copied.

use std::borrow::Cow;

use super::note::Notes;
use super::{NoteKind, ReadError};
use crate::fabric::Guid;

/// Longest identifier accepted [bytes]. ibsim keeps 64.
pub(crate) const MAX_ID: usize = 1024;
/// Longest description accepted [bytes]. InfiniBand has 64; names from a map may be longer.
pub(crate) const MAX_DESCRIPTION: usize = 4096;
/// Longest line accepted [bytes]. Node descriptions have 64; the rest of a line is short.
pub(crate) const MAX_LINE: usize = 64 * 1024;

/// Bytes as a tool wrote them, before an editor, a terminal or another system's redirection changed
/// them: no byte order mark, UTF-8 instead of UTF-16, a line feed at the end of each line. Descriptions
/// hold no carriage return, for which `ibnetdiscover` prints a blank.
pub(crate) fn plain<'a>(bytes: &'a [u8], notes: &mut Notes) -> Cow<'a, [u8]> {
    let bytes = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => {
            notes.add(NoteKind::Encoding, 1, "");
            Cow::Borrowed(rest)
        }
        _ => match utf16_form(bytes) {
            Some(Utf16::LittleEndian) => utf16(bytes, u16::from_le_bytes, notes),
            Some(Utf16::BigEndian) => utf16(bytes, u16::from_be_bytes, notes),
            None => Cow::Borrowed(bytes),
        },
    };
    if !bytes.contains(&b'\r') {
        return bytes;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let (mut at, mut line) = (0, 1);
    while let Some(&byte) = bytes.get(at) {
        if byte != b'\r' {
            line += usize::from(byte == b'\n');
            out.push(byte);
            at += 1;
            continue;
        }
        let run = bytes[at..].iter().take_while(|&&b| b == b'\r').count();
        notes.add(NoteKind::CarriageReturn, line, "");
        at += run;
        // Before a line feed they belong to it.
        let ends = if bytes.get(at) == Some(&b'\n') { 0 } else { run };
        out.resize(out.len() + ends, b'\n');
        line += ends;
    }
    Cow::Owned(out)
}

/// A form of UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Utf16 {
    /// The lower byte first.
    LittleEndian,
    /// The higher byte first.
    BigEndian,
}

/// The form of UTF-16 that a text begins in, with a byte order mark or without; None where it is none. Without a mark every other
/// byte is 0 where letters are of ASCII.
pub fn utf16_form(start: &[u8]) -> Option<Utf16> {
    match start {
        [0xff, 0xfe, ..] => return Some(Utf16::LittleEndian),
        [0xfe, 0xff, ..] => return Some(Utf16::BigEndian),
        _ => {}
    }
    let start = &start[..start.len().min(256)];
    let has_zeros_at = |zero: usize| {
        start.len() >= 8
            && start.chunks_exact(2).all(|pair| {
                pair[zero] == 0 && (pair[1 - zero].is_ascii_graphic() || pair[1 - zero].is_ascii_whitespace())
            })
    };
    [(1, Utf16::LittleEndian), (0, Utf16::BigEndian)]
        .into_iter()
        .find_map(|(zero, form)| has_zeros_at(zero).then_some(form))
}

/// UTF-16 as UTF-8.
fn utf16<'a>(bytes: &[u8], unit: fn([u8; 2]) -> u16, notes: &mut Notes) -> Cow<'a, [u8]> {
    notes.add(NoteKind::Encoding, 1, "");
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    Cow::Owned(without_mark(&String::from_utf16_lossy(&units)).to_string().into_bytes())
}

/// Checks bytes and makes text of them: no endless line, no NUL. Bytes that are
/// not UTF-8 are replaced and noted.
pub(crate) fn decode<'a>(bytes: &'a [u8], notes: &mut Notes) -> Result<Cow<'a, str>, ReadError> {
    if let Some(kind) = packed(bytes) {
        return Err(ReadError::whole(format!("{kind} data, not text: unpack it first")));
    }
    for (i, line) in bytes.split(|&b| b == b'\n').enumerate() {
        if line.len() > MAX_LINE {
            let start = String::from_utf8_lossy(&line[..100]);
            let reason = format!("the line has {} bytes; no line of this format is so long", line.len());
            return Err(ReadError::at(i + 1, reason, &start));
        }
        if line.contains(&0) {
            let text = String::from_utf8_lossy(&line[..line.len().min(100)]);
            return Err(ReadError::at(i + 1, "a NUL byte: this is binary data, not text", &text));
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(Cow::Borrowed(without_mark(text)));
    }
    for (i, line) in bytes.split(|&b| b == b'\n').enumerate() {
        if std::str::from_utf8(line).is_err() {
            notes.add(NoteKind::NotText, i + 1, &String::from_utf8_lossy(line));
        }
    }
    Ok(Cow::Owned(without_mark(&String::from_utf8_lossy(bytes)).to_string()))
}

/// A text without the byte order mark that some editors put before it.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// A refusal of a text's last line, which says so if that line has no end and was cut.
pub(crate) fn cut_short(text: &str, error: ReadError) -> ReadError {
    let last = 1 + text.bytes().filter(|&b| b == b'\n').count();
    if text.ends_with('\n') || error.line != Some(last) {
        return error;
    }
    let reason = format!("the file ends in the middle of this line and looks truncated: {}", error.reason);
    ReadError { reason, ..error }
}

/// Refuses input without any text.
pub(crate) fn refuse_empty(bytes: &[u8]) -> Result<(), ReadError> {
    let empty = bytes.iter().all(u8::is_ascii_whitespace);
    if empty { Err(ReadError::whole("the input is empty")) } else { Ok(()) }
}

/// A text without control characters, for which `ibnetdiscover` prints blanks too.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_control) {
        Cow::Owned(text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Name of the archive format that the bytes begin like.
pub(crate) fn packed(bytes: &[u8]) -> Option<&'static str> {
    let magics: [(&[u8], &str); 5] = [
        (b"\x1f\x8b", "gzip"),
        (b"BZh", "bzip2"),
        (b"\xfd7zXZ", "xz"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"PK\x03\x04", "zip"),
    ];
    magics.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|&(_, name)| name)
}

/// The lines of a text with their numbers from 1, without line ends (CR LF too).
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split('\n').enumerate().map(|(i, l)| (i + 1, l.strip_suffix('\r').unwrap_or(l)))
}

/// What is left of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    /// The text not read yet.
    pub(crate) rest: &'a str,
}

impl<'a> Cursor<'a> {
    /// At the start of a text.
    pub(crate) fn new(rest: &'a str) -> Self {
        Self { rest }
    }

    /// Skips blanks and tabs.
    pub(crate) fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    /// Takes a literal if it comes next.
    pub(crate) fn eat(&mut self, literal: &str) -> bool {
        match self.rest.strip_prefix(literal) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Takes the text between two delimiters; `None` if the first does not come next or the second is
    /// missing.
    pub(crate) fn between(&mut self, open: char, close: char) -> Option<&'a str> {
        let inner = self.rest.strip_prefix(open)?;
        let (inside, rest) = inner.split_once(close)?;
        self.rest = rest;
        Some(inside)
    }

    /// Takes the text up to the next blank.
    pub(crate) fn word(&mut self) -> &'a str {
        self.blanks();
        let end = self.rest.find([' ', '\t']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }
}

/// A decimal number without sign.
pub(crate) fn decimal(text: &str) -> Option<u32> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) { None } else { text.parse().ok() }
}

/// A number as C's `strtoul` with base 0 takes it, except octal: `0x` hexadecimal, else decimal.
pub(crate) fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(_) => guid(text).map(|g| g.0),
        None if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) => None,
        None => text.parse().ok(),
    }
}

/// A hexadecimal GUID with or without `0x`.
pub(crate) fn guid(text: &str) -> Option<Guid> {
    text.parse().ok()
}

/// A GUID in a file of OpenSM's, which reads it as C's `strtoull` with base 0 does. Refuses, in words,
/// what that would not read as hexadecimal.
pub(crate) fn c_guid(word: &str) -> Result<Guid, String> {
    if let Some(digits) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        let plain = digits.len() <= 16 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        return guid(digits)
            .filter(|_| plain)
            .ok_or_else(|| "bad GUID: not 0x and 1 to 16 hexadecimal digits".into());
    }
    if word.is_empty() || word.len() > 16 || !word.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err("bad GUID: not 0x and 1 to 16 hexadecimal digits".into());
    }
    let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let reads = match number.chars().next() {
        Some(_) if number.len() == word.len() => "take it for a word, not a GUID".to_string(),
        Some(letter) => format!("stop at \"{letter}\""),
        None if word.starts_with('0') && word.len() > 1 => "read it as octal".to_string(),
        None => "read it as decimal".to_string(),
    };
    Err(format!("a GUID without 0x: OpenSM would {reads}: write 0x{word}"))
}

/// `2023-11-14 23:13:20 CET +0100` in seconds since 1970; without an offset in UTC.
pub(crate) fn date_time(text: &str) -> Option<u64> {
    let mut words = text.split_whitespace();
    let (date, time) = (words.next()?, words.next()?);
    let numbers = |text: &str, separator| -> Option<[u32; 3]> {
        let found: Option<Vec<u32>> = text.split(separator).map(decimal).collect();
        found?.try_into().ok()
    };
    let ([year, month, day], [hour, minute, second]) = (numbers(date, '-')?, numbers(time, ':')?);
    let fits = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !fits || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Days since 1970 in the Gregorian calendar, with years that begin in March.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = i64::from(365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day) - 719_469;
    let offset = words.find_map(|word| {
        let (sign, digits) =
            word.strip_prefix('+').map(|d| (1, d)).or(word.strip_prefix('-').map(|d| (-1, d)))?;
        let digits = decimal(digits).filter(|_| digits.len() == 4)?;
        Some(sign * i64::from(digits / 100 * 60 + digits % 100) * 60)
    });
    let local = days * 86_400 + i64::from(hour * 3600 + minute * 60 + second);
    u64::try_from(local - offset.unwrap_or(0)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_lines_and_binary_data_are_refused_with_their_line() {
        let mut notes = Notes::default();
        let mut long = b"ok\n".to_vec();
        long.resize(MAX_LINE + 10, b'x');
        assert_eq!(decode(&long, &mut notes).unwrap_err().line, Some(2));
        assert_eq!(decode(b"a\nb\0c", &mut notes).unwrap_err().line, Some(2));
        assert!(refuse_empty(b" \n").unwrap_err().reason.contains("empty"));
        assert!(decode(b"\x1f\x8b\x08", &mut notes).unwrap_err().reason.contains("gzip"));
    }

    #[test]
    fn carriage_returns_and_marks_are_taken_for_what_they_mean() {
        for (bytes, text, count) in [
            (&b"a\r\nb\r\n"[..], "a\nb\n", 2),
            (b"a\rb\r", "a\nb\n", 2),
            (b"a\r\r\nb\r\rc\n", "a\nb\n\nc\n", 2),
            (b"\xff\xfea\0\r\0\n\0", "a\n", 1),
            (b"\xfe\xff\0a\0\r\0\n", "a\n", 1),
        ] {
            let mut notes = Notes::default();
            assert_eq!(&*plain(bytes, &mut notes), text.as_bytes());
            let found = notes.finish();
            let returns = found.iter().find(|n| n.kind == NoteKind::CarriageReturn).unwrap();
            assert_eq!((returns.line, returns.count), (1, count), "{bytes:?}");
            assert_eq!(found.iter().any(|n| n.kind == NoteKind::Encoding), bytes[0] > 0x7f);
        }
        let mut notes = Notes::default();
        assert_eq!(&*plain(b"\xef\xbb\xbfa", &mut notes), b"a");
        assert_eq!(notes.finish()[0].kind, NoteKind::Encoding);
    }

    #[test]
    fn dates_are_seconds_since_1970() {
        for (text, seconds) in [
            ("1970-01-01 00:00:00", Some(0)),
            ("2000-02-29 00:00:00 UTC", Some(951_782_400)),
            ("2023-11-14 22:13:20 UTC +0000", Some(1_700_000_000)),
            ("2023-11-14 17:13:20 EST -0500", Some(1_700_000_000)),
            ("2023-13-14 22:13:20", None),
            ("Tue Nov 14 2023", None),
        ] {
            assert_eq!(date_time(text), seconds, "{text}");
        }
    }

    #[test]
    fn foreign_bytes_are_replaced_and_noted() {
        let mut notes = Notes::default();
        let text = decode(b"one\nn\xe9e\n", &mut notes).unwrap();
        assert_eq!(text, "one\nn\u{fffd}e\n");
        assert_eq!(notes.finish()[0].line, 2);
    }
}
