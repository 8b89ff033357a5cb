//! The names of nodes in print.

use std::borrow::Cow;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::kind::NodeKind;
use super::node::Node;

/// The name in a switch's description that people use: `MF0;NAME:MODEL/U1` is `NAME`.
pub fn short(description: &str) -> &str {
    let whole = untagged(description);
    if whole.len() == description.trim().len() {
        return whole;
    }
    whole.rsplit_once(':').map_or(whole, |(name, _)| name)
}

/// A description without the tag that managed switches begin theirs with: `NAME:MODEL/U1`.
fn untagged(description: &str) -> &str {
    let description = description.trim();
    match description.split_once(';') {
        Some((tag, rest)) if tag.len() <= 4 && tag.starts_with("MF") => rest,
        _ => description,
    }
}

/// What a switch's name has to contain so that no other switch has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameForm {
    /// The [`short`] form of the description.
    Name,
    /// Board and chip of a director, too.
    Chip,
    /// The node GUID, too: switches share their description, or have none.
    Guid,
}

impl NameForm {
    /// The form of each switch's name.
    fn of(nodes: &[Node]) -> Vec<Self> {
        let switches = || nodes.iter().filter(|n| n.kind == NodeKind::Switch);
        let mut forms: Vec<Self> = switches().map(|_| Self::Name).collect();
        for more in [Self::Chip, Self::Guid] {
            let mut count: FxHashMap<&str, usize> = FxHashMap::default();
            for (node, form) in switches().zip(&forms) {
                *count.entry(form.text(&node.description)).or_default() += 1;
            }
            for (node, form) in switches().zip(&mut forms) {
                let name = form.text(&node.description);
                if name.is_empty() || count.get(name).is_some_and(|&count| count > 1) {
                    *form = more;
                }
            }
        }
        forms
    }

    fn text(self, description: &str) -> &str {
        if self == Self::Name { short(description) } else { untagged(description) }
    }
}

/// By switch: the form of its name. Computed from the nodes when first needed.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeNames(OnceLock<Vec<NameForm>>);

impl PartialEq for NodeNames {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl NodeNames {
    /// The name of a node of a fabric: [`super::Fabric::name`].
    pub fn of<'a>(&self, nodes: &'a [Node], node: usize) -> Cow<'a, str> {
        let Node { description, guid, .. } = &nodes[node];
        let forms = self.0.get_or_init(|| NameForm::of(nodes));
        match forms.get(node) {
            Some(NameForm::Guid) if untagged(description).is_empty() => Cow::Owned(guid.to_string()),
            Some(NameForm::Guid) => Cow::Owned(format!("{} {guid}", untagged(description))),
            Some(form) => Cow::Borrowed(form.text(description)),
            None => Cow::Borrowed(short(description)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::NodeId;
    use crate::generate::generate;

    #[test]
    fn managed_switches_lose_their_wrapping_and_nothing_else_does() {
        assert_eq!(short("MF0;A09-P1-IBLEAF-04-04:MQM9701/U1"), "A09-P1-IBLEAF-04-04");
        assert_eq!(short("MF0;core:CS7500/L12/U1"), "core");
        assert_eq!(short("MF0;bare"), "bare");
        assert_eq!(short("leaf 3; row 2: left"), "leaf 3; row 2: left");
    }

    #[test]
    fn board_chip_and_guid_stay_where_names_would_clash() {
        let fabric = generate("fat-tree:4,2").unwrap();
        let given = [
            ("MF0;core:CS7500/L12/U1", "core:CS7500/L12/U1"),
            ("MF0;core:CS7500/S01/U1", "core:CS7500/S01/U1"),
            ("MF0;edge:MQM9701/U1", "edge"),
            ("SwitchIB Mellanox Technologies", "SwitchIB Mellanox Technologies GUID"),
            ("SwitchIB Mellanox Technologies", "SwitchIB Mellanox Technologies GUID"),
            ("", "GUID"),
        ];
        assert_eq!(fabric.num_switches(), given.len());
        let ids: Vec<_> = fabric.switches().map(|s| fabric.node(s).id.clone()).collect();
        let fabric =
            fabric.renamed(|node| ids.iter().position(|id| *id == node.id).map(|i| given[i].0.into()));
        for (switch, (_, name)) in fabric.switches().zip(given) {
            let guid = fabric.node(switch).guid.to_string();
            assert_eq!(fabric.name(switch), name.replace("GUID", &guid));
        }
        let rest = fabric.filtered(|n| n != NodeId(0) && n != NodeId(3), |_, _| true);
        let names: Vec<_> = rest.switches().map(|s| rest.name(s)).collect();
        assert_eq!(names[..3], ["core", "edge", "SwitchIB Mellanox Technologies"]);
    }
}
