//! What is to happen to a fabric, as typed, and the event that it means.

use super::event::Event;
use super::link_state::Present;
use super::names::Names;
use crate::fabric::Fabric;
use crate::generate::{EditError, Elements, elements};

/// What to do with the cables or nodes that a selector names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Cut cables.
    Cut,
    /// Switch nodes off, or take them out.
    Drop,
    /// Plug in cables that were cut, or bring back nodes that were dropped.
    Restore,
}

/// A change as typed; the selectors are those of [`crate::generate::without`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What to do.
    pub kind: Kind,
    /// With what.
    pub selector: String,
}

/// Why a change cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// The selector names nothing, or cannot be read.
    #[error(transparent)]
    Selector(#[from] EditError),
    /// Nodes where cables are cut.
    #[error("cut {selector}: that is a node; drop it, or name its cables, as {selector}--*")]
    NotACable {
        /// The selector.
        selector: String,
    },
    /// Cables where nodes are dropped.
    #[error("drop {selector}: that is a cable; cut it, or name a node")]
    NotANode {
        /// The selector.
        selector: String,
    },
    /// Nodes that are gone already.
    #[error("drop {selector}: it is gone already")]
    Gone {
        /// The selector.
        selector: String,
    },
    /// Cables or nodes that are not missing.
    #[error("restore {selector}: nothing of that is missing{}", instead(.missing))]
    NotMissing {
        /// The selector.
        selector: String,
        /// What is missing.
        missing: Vec<String>,
    },
}

fn instead(missing: &[String]) -> String {
    if missing.is_empty() { String::new() } else { format!("; missing are {}", missing.join(", ")) }
}

impl Change {
    /// The event that the change means, given what is there.
    ///
    /// # Errors
    /// When its selector cannot be read, or names nothing that the change applies to.
    pub fn meant(&self, whole: &Fabric, present: &Present) -> Result<Event, ChangeError> {
        let selector = self.selector.clone();
        match self.kind {
            Kind::Cut => match elements(&present.fabric(whole), &self.selector)? {
                Elements::Cables(cables) => Ok(Event::Cut(cables)),
                Elements::Nodes(_) => Err(ChangeError::NotACable { selector }),
            },
            Kind::Drop => match elements(&present.fabric(whole), &self.selector)? {
                Elements::Cables(_) => Err(ChangeError::NotANode { selector }),
                Elements::Nodes(mut nodes) => {
                    nodes.retain(|&n| present.has(n));
                    if nodes.is_empty() {
                        Err(ChangeError::Gone { selector })
                    } else {
                        Ok(Event::Drop(nodes))
                    }
                }
            },
            Kind::Restore => self.restored(whole, present),
        }
    }

    fn restored(&self, whole: &Fabric, present: &Present) -> Result<Event, ChangeError> {
        let nothing =
            || ChangeError::NotMissing { selector: self.selector.clone(), missing: missing(whole, present) };
        match elements(&present.cut_cables(whole), &self.selector) {
            Ok(Elements::Cables(cables)) => Ok(Event::Plug(cables)),
            Ok(Elements::Nodes(mut nodes)) => {
                nodes.retain(|&n| !present.has(n));
                if nodes.is_empty() { Err(nothing()) } else { Ok(Event::Return(nodes)) }
            }
            Err(EditError::NoCable { .. }) => Err(nothing()),
            Err(other) => Err(other.into()),
        }
    }
}

/// The first of what is missing, by name.
fn missing(whole: &Fabric, present: &Present) -> Vec<String> {
    const SHOWN: usize = 3;
    let names = Names::of(whole);
    let nodes = whole.nodes().map(|(n, _)| n).filter(|&n| !present.has(n)).map(|n| names.node(n).to_owned());
    let cables = whole.cables().filter(|&(a, _)| present.is_cut(a)).map(|cable| names.cable(cable));
    nodes.chain(cables).take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;

    fn change(kind: Kind, selector: &str) -> Change {
        Change { kind, selector: selector.into() }
    }

    #[test]
    fn only_what_is_there_goes_and_only_what_is_missing_comes_back() {
        let whole = generate("fat-tree:4,2").unwrap();
        let mut now = Present::all(&whole);
        let mut happen = |kind, selector: &str| -> Result<Vec<String>, String> {
            let event = change(kind, selector).meant(&whole, &now).map_err(|e| e.to_string())?;
            now.apply(&whole, &event);
            Ok(event.names(&whole))
        };
        let uplink = Ok(vec!["leaf-01[3]--spine-01[1]".to_string()]);
        assert_eq!(happen(Kind::Cut, "leaf-01--spine-01"), uplink);
        assert_eq!(happen(Kind::Drop, "spine-02"), Ok(vec!["spine-02".into()]));
        for (kind, selector, message) in [
            (Kind::Cut, "leaf-01[3]", "no such cable is there (there are leaf-01[1]--node0001"),
            (Kind::Cut, "leaf-01--spine-02", "no such cable is there"),
            (Kind::Cut, "leaf-01", "cut leaf-01: that is a node; drop it, or name its cables, as leaf-01--*"),
            (Kind::Cut, "leaf-1[3]", "nearest: leaf-01"),
            (Kind::Drop, "leaf-02[3]", "drop leaf-02[3]: that is a cable"),
            (Kind::Drop, "spine-02", "drop spine-02: it is gone already"),
            (
                Kind::Restore,
                "leaf-02",
                "nothing of that is missing; missing are spine-02, leaf-01[3]--spine-01[1]",
            ),
            (Kind::Restore, "leaf-02[3]", "nothing of that is missing; missing are"),
            (Kind::Restore, "leaf-01--spine-02", "nothing of that is missing"),
        ] {
            let error = happen(kind, selector).expect_err(selector);
            assert!(error.contains(message), "{error}");
        }
        assert_eq!(happen(Kind::Restore, "leaf-01[3]"), uplink);
        assert_eq!(happen(Kind::Restore, "spine-0*"), Ok(vec!["spine-02".into()]));
        assert_eq!(now, Present::all(&whole));
    }

    #[test]
    fn a_dropped_node_comes_back_without_the_cables_that_were_cut_separately() {
        let whole = generate("fat-tree:4,2").unwrap();
        let mut now = Present::all(&whole);
        for (kind, selector) in
            [(Kind::Cut, "leaf-01--spine-01"), (Kind::Drop, "spine-01"), (Kind::Restore, "spine-01")]
        {
            let event = change(kind, selector).meant(&whole, &now).unwrap();
            now.apply(&whole, &event);
        }
        // 8 host cables and 8 uplinks, less one.
        assert_eq!(now.fabric(&whole).cables().count(), 15);
    }
}
