//! Groups of hosts that take part.

use std::str::FromStr;

use super::RanksError;
use crate::fabric::Group;
use crate::health::Hosts;

/// The groups whose hosts take part: `all`, or names separated by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups(Vec<Group>);

impl FromStr for Groups {
    type Err = RanksError;

    fn from_str(text: &str) -> Result<Self, RanksError> {
        if text == "all" {
            return Ok(Self(Group::ALL.to_vec()));
        }
        let group = |word: &str| {
            let known = Group::ALL.into_iter().find(|group| group.name() == word.trim());
            known.ok_or_else(|| RanksError::UnknownGroup { text: word.trim().into() })
        };
        text.split(',').map(group).collect::<Result<_, _>>().map(Self)
    }
}

impl Groups {
    /// The hosts of these groups.
    ///
    /// # Errors
    /// When no host is in these groups.
    pub fn of(&self, hosts: &Hosts) -> Result<Hosts, RanksError> {
        if self.0.len() == Group::ALL.len() {
            return Ok(hosts.clone());
        }
        let chosen = hosts.only(&self.0);
        if chosen.hosts.is_empty() && chosen.unknown.is_empty() {
            let there = Group::ALL.into_iter().filter(|&group| {
                let some = hosts.only(&[group]);
                !some.hosts.is_empty() || !some.unknown.is_empty()
            });
            return Err(RanksError::NoGroup {
                text: self.0.iter().map(|g| g.name()).collect::<Vec<_>>().join(","),
                there: there.map(Group::name).collect::<Vec<_>>().join(", "),
            });
        }
        Ok(chosen)
    }
}
