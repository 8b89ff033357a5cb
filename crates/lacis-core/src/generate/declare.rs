//! A fabric with what its site declares about its nodes.

use super::select::{called, near_names};
use crate::fabric::{Fabric, NodeId, NodeKind};
use crate::io::ReadError;
use crate::io::roles::Rule;

/// The fabric with the rules of a roles file.
///
/// # Errors
/// When a pattern names no node that the word is for, or two rules contradict each other.
pub fn declare(fabric: &Fabric, rules: &[Rule]) -> Result<Fabric, ReadError> {
    let mut rule_of: Vec<Option<&Rule>> = vec![None; fabric.num_nodes()];
    for rule in rules {
        let refuse = |reason: String| Err(ReadError::at(rule.line, reason, &rule.pattern));
        let word = rule.declared.name();
        let is_called = called(fabric, &rule.pattern);
        let named: Vec<NodeId> = fabric.nodes().map(|(id, _)| id).filter(|&id| is_called(id)).collect();
        let mut meant = named.iter().filter(|&&id| rule.declared.suits(fabric.node(id).kind)).peekable();
        if named.is_empty() {
            let near = near_names(fabric, &rule.pattern).join(", ");
            let nearest = if near.is_empty() { near } else { format!(" (nearest: {near})") };
            return refuse(format!("no node is called so{nearest}"));
        }
        if meant.peek().is_none() {
            let kinds = if rule.declared.suits(NodeKind::Switch) { "switches" } else { "host adapters" };
            return refuse(format!("{word} is for {kinds}, and none is called so"));
        }
        for &id in meant {
            match rule_of[id.ix()] {
                Some(other) if other.declared != rule.declared => {
                    let node = fabric.node(id);
                    return refuse(format!(
                        "{} ({}) is {word} here, and {} on line {}",
                        node.description,
                        node.guid,
                        other.declared.name(),
                        other.line
                    ));
                }
                _ => rule_of[id.ix()] = Some(rule),
            }
        }
    }
    let declared: Vec<_> = rule_of.into_iter().map(|rule| rule.map(|rule| rule.declared)).collect();
    Ok(fabric.clone().declared(|id| declared[id.ix()]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{Declared, Group};
    use crate::generate::{edit, generate};
    use crate::io::roles;

    fn declared(spec: &str, text: &str) -> Result<Fabric, ReadError> {
        declare(&generate(spec).unwrap(), &roles::read(text.as_bytes()).unwrap())
    }

    #[test]
    fn rules_reach_switches_by_pattern_and_adapters_by_host() {
        let fabric =
            declared("fat-tree:4,2", "leaf leaf-0?\nroot spine-01\nstorage node000[12]").unwrap_err();
        assert_eq!(fabric.line, Some(3), "brackets are no pattern");
        let fabric =
            declared("fat-tree:4,2", "leaf leaf-0?\nroot spine-01\nstorage node0002\nstorage *2").unwrap();
        let of =
            |name: &str| fabric.nodes().find(|(_, n)| n.description.starts_with(name)).unwrap().1.declared;
        assert_eq!(of("leaf-02"), Some(Declared::Leaf));
        assert_eq!(of("spine-01"), Some(Declared::Root));
        assert_eq!(of("spine-02"), None);
        assert_eq!(of("node0002"), Some(Declared::Host(Group::Storage)));
        assert_eq!(of("node0003"), None);
        // Changes of the fabric keep it.
        let fabric = edit(&fabric, &["leaf-01--spine-01"]).unwrap();
        assert_eq!(fabric.node(fabric.find_node("leaf-02").unwrap()).declared, Some(Declared::Leaf));
    }

    #[test]
    fn what_means_nothing_or_contradicts_is_refused() {
        for (text, line, reason) in [
            ("leaf leaf-01\nspine leaf-0*\n", 2, "leaf on line 1"),
            ("leaf node0001\n", 1, "leaf is for switches"),
            ("storage leaf-01\n", 1, "storage is for host adapters"),
            ("\nleaf lead-01\n", 2, "nearest: leaf-01"),
        ] {
            let error = declared("fat-tree:4,2", text).unwrap_err();
            assert_eq!(error.line, Some(line), "{text}");
            assert!(error.reason.contains(reason), "{text}: {error}");
        }
    }
}
