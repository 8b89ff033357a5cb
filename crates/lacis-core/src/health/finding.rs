//! What a finding is: a fact with its code, and the nodes and ports that it concerns.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::wording::{self, Words};
use super::{Code, Fact, Location, Severity};

/// What is wrong or odd in one respect. Its sentences are made of its fact, by [`Finding::words`].
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Its code.
    pub code: Code,
    /// What is the case.
    pub fact: Fact,
    /// Every node and port concerned; for a cable its two ends.
    pub ends: Vec<Location>,
}

impl From<Fact> for Finding {
    fn from(fact: Fact) -> Self {
        Self { code: fact.code(), ends: fact.ends(), fact }
    }
}

impl Finding {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Where it is, what is the case and what to do about it, in words.
    pub fn words(&self) -> Words {
        wording::finding(&self.fact)
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let words = self.words();
        let mut out = serializer.serialize_struct("Finding", 7)?;
        out.serialize_field("code", &self.code)?;
        out.serialize_field("severity", &self.severity())?;
        out.serialize_field("where", &words.at)?;
        out.serialize_field("text", &words.text)?;
        out.serialize_field("advice", &words.advice)?;
        out.serialize_field("ends", &self.ends)?;
        out.serialize_field("facts", &self.fact)?;
        out.end()
    }
}
