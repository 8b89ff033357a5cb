//! A finding in words, and what all words have in common.

use std::borrow::Cow;

use super::super::{Location, names};

/// A finding in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// Where, in one line.
    pub at: String,
    /// What is the case.
    pub text: String,
    /// What to do about it.
    pub advice: Cow<'static, str>,
}

impl Words {
    pub(super) fn new(
        at: impl Into<String>,
        text: impl Into<String>,
        advice: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { at: at.into(), text: text.into(), advice: advice.into() }
    }
}

/// A number with its noun.
pub(super) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A name and where it is, `gate on leaf[3], leaf[4]`; the name alone where no location is known.
pub(super) fn on<'a>(name: &str, locations: impl IntoIterator<Item = &'a Location>) -> String {
    let at = some_of(locations);
    if at.is_empty() { name.to_owned() } else { format!("{name} on {at}") }
}

/// The first few of some locations.
pub(super) fn some_of<'a>(locations: impl IntoIterator<Item = &'a Location>) -> String {
    let all: Vec<String> = locations.into_iter().map(Location::to_string).collect();
    names::some_of(&all, 4)
}
