//! The grammar of a synthetic spec, and its errors.
//!
//! ```text
//! spec    = name [":" body] { ":" options }
//! body    = whatever the family takes, up to the first option: 36,3   4x4x2   3;4,4,4;1,4,4;1,1,1
//! options = key "=" value { "," key "=" value }      (may follow the body after a comma too)
//! ```

use std::cell::RefCell;
use std::fmt;
use std::ops::RangeInclusive;

use crate::nearest::nearest;

/// Port 255 means "none" in a forwarding table and 254 is the most a port count can be.
pub(super) const MAX_RADIX: u32 = 254;

/// Why a spec describes no fabric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// The spec as given.
    pub spec: Box<str>,
    /// Where in the spec, in characters from 1.
    pub column: usize,
    /// What would have been right there.
    pub expected: Box<str>,
    /// What is there, cut to 40 characters; empty at the end of the spec.
    pub found: Box<str>,
    /// Known names near the one found.
    pub nearest: Vec<Box<str>>,
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spec: String = self.spec.chars().take(80).flat_map(char::escape_default).collect();
        write!(f, "spec {spec}: character {}: expected {}", self.column, self.expected)?;
        if self.found.is_empty() {
            write!(f, ", found the end")?;
        } else {
            write!(f, ", found \"{}\"", self.found.escape_default())?;
        }
        if !self.nearest.is_empty() {
            write!(f, " (nearest: {})", self.nearest.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for SpecError {}

/// A substring of the spec and the byte at which it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub at: usize,
    pub text: &'a str,
}

impl<'a> Piece<'a> {
    /// The substrings between separators.
    pub fn split(self, separator: char) -> impl Iterator<Item = Piece<'a>> {
        let mut at = self.at;
        self.text.split(separator).map(move |text| {
            let piece = Piece { at, text };
            at += text.len() + separator.len_utf8();
            piece
        })
    }
}

/// A parsed spec.
#[derive(Debug)]
pub(super) struct Spec<'a> {
    text: &'a str,
    pub name: Piece<'a>,
    pub body: Piece<'a>,
    options: Vec<(Piece<'a>, Piece<'a>)>,
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Spec<'a> {
    pub fn parse(text: &'a str) -> Result<Self, SpecError> {
        let mut fields = Piece { at: 0, text }.split(':');
        let name = fields.next().unwrap_or(Piece { at: 0, text: "" });
        let mut body = Piece { at: name.text.len(), text: "" };
        let mut spec = Self { text, name, body, options: Vec::new(), asked: RefCell::default() };
        for (i, field) in fields.enumerate() {
            let mut options_from = field.at;
            if i == 0 {
                let is_option = |p: &Piece<'_>| p.text.contains('=');
                let end = field.split(',').find(is_option).map_or(field.at + field.text.len(), |p| p.at);
                body = Piece { at: field.at, text: text[field.at..end].trim_end_matches(',') };
                options_from = end;
            }
            let rest = Piece { at: options_from, text: &text[options_from..field.at + field.text.len()] };
            if rest.text.is_empty() && i == 0 {
                continue;
            }
            for item in rest.split(',') {
                let Some((key, value)) = item.text.split_once('=') else {
                    return Err(spec.error(item, "an option key=value"));
                };
                let value = Piece { at: item.at + key.len() + 1, text: value };
                let key = Piece { at: item.at, text: key };
                if spec.options.iter().any(|(k, _)| k.text == key.text) {
                    return Err(spec.error(key, "each option once"));
                }
                spec.options.push((key, value));
            }
        }
        spec.body = body;
        Ok(spec)
    }

    pub fn error(&self, piece: Piece<'_>, expected: impl Into<String>) -> SpecError {
        SpecError {
            spec: self.text.into(),
            column: self.text.get(..piece.at).map_or(0, |before| before.chars().count()) + 1,
            expected: expected.into().into(),
            found: piece.text.chars().take(40).collect::<String>().into(),
            nearest: Vec::new(),
        }
    }

    /// An error about an unknown name.
    pub fn unknown(&self, piece: Piece<'_>, expected: impl Into<String>, known: &[&str]) -> SpecError {
        let near = nearest(piece.text, known.iter().copied(), 3).into_iter().map(Box::from).collect();
        SpecError { nearest: near, ..self.error(piece, expected) }
    }

    /// The numbers of a list, as many as there are names for them.
    pub fn numbers(
        &self,
        list: Piece<'_>,
        separator: char,
        names: &[&str],
        range: RangeInclusive<u32>,
    ) -> Result<Vec<u32>, SpecError> {
        let pieces: Vec<_> = list.split(separator).collect();
        let numbers = names
            .iter()
            .enumerate()
            .map(|(i, name)| {
                let end = Piece { at: list.at + list.text.len(), text: "" };
                self.number(pieces.get(i).copied().unwrap_or(end), name, range.clone())
            })
            .collect::<Result<Vec<_>, _>>()?;
        match pieces.get(names.len()) {
            Some(&extra) => Err(self.error(extra, format!("no more than {}", names.join(" and ")))),
            None => Ok(numbers),
        }
    }

    pub fn number(&self, p: Piece<'_>, name: &str, range: RangeInclusive<u32>) -> Result<u32, SpecError> {
        let is_number = !p.text.is_empty() && p.text.bytes().all(|b| b.is_ascii_digit());
        p.text.parse().ok().filter(|n| is_number && range.contains(n)).ok_or_else(|| {
            self.error(p, format!("{name}, a number from {} to {}", range.start(), range.end()))
        })
    }

    /// Where the body ends.
    pub fn body_end(&self) -> Piece<'a> {
        Piece { at: self.body.at + self.body.text.len(), text: "" }
    }

    /// Refuses a body where the family takes none.
    pub fn without_arguments(&self) -> Result<(), SpecError> {
        if self.body.text.is_empty() { Ok(()) } else { Err(self.error(self.body, "nothing but options")) }
    }

    /// The value of an option, if given.
    pub fn option(&self, key: &'static str) -> Option<Piece<'a>> {
        self.asked.borrow_mut().push(key);
        self.options.iter().find(|(k, _)| k.text == key).map(|&(_, v)| v)
    }

    /// The value of an option that is a number.
    pub fn number_option(
        &self,
        key: &'static str,
        range: RangeInclusive<u32>,
    ) -> Result<Option<u32>, SpecError> {
        self.option(key).map(|value| self.number(value, key, range)).transpose()
    }

    /// The value of an option that is a seed.
    pub fn seed_option(&self, key: &'static str) -> Result<Option<u64>, SpecError> {
        let Some(value) = self.option(key) else { return Ok(None) };
        let seed = value.text.parse().ok().filter(|_| !value.text.starts_with('+'));
        seed.map(Some).ok_or_else(|| self.error(value, format!("{key}, a number from 0 to 2^64 - 1")))
    }

    /// Refuses options that were not read.
    pub fn finish(&self) -> Result<(), SpecError> {
        let known = self.asked.borrow();
        match self.options.iter().find(|(k, _)| !known.contains(&k.text)) {
            Some(&(key, _)) => Err(self.unknown(key, format!("one of {}", known.join(", ")), &known)),
            None => Ok(()),
        }
    }
}
