//! Nodes or cables by unambiguous name.
//!
//! Editing takes all that a selector matches. The answer to "what would this failure do" would be wrong
//! for a name that matches more than was meant. So here a name without `*` and `?` must mean one node,
//! or the adapters of one host; and a selector that names no cable is answered with those that exist.

use super::error::EditError;
use super::remove::{Cuts, Elements};
use super::select::{End, Selector};
use crate::fabric::{Fabric, NodeId, NodeKind};

/// The nodes or cables of a fabric that a selector of [`super::without`] names.
///
/// # Errors
/// When the selector is malformed or names nothing, or a name in it is ambiguous.
pub fn elements(fabric: &Fabric, selector: &str) -> Result<Elements, EditError> {
    let all = Cuts::none(fabric);
    let meant = all.parse(selector)?;
    let names: &[&str] = match &meant {
        Selector::Nodes(name) | Selector::End(name, _) => &[name],
        Selector::Between(a, b, _) => &[a.0, b.0],
        Selector::Random { .. } | Selector::HostAt(..) | Selector::SwitchAt(..) => &[],
    };
    for name in names {
        let nodes = all.nodes(selector, name)?;
        if !name.contains(['*', '?']) && !is_unambiguous(fabric, name, &nodes) {
            return Err(EditError::ambiguous(selector, name, fabric, &nodes));
        }
    }
    let found = all.named(&meant, selector);
    let near = match meant {
        Selector::Between(a, _, _) => neighbours(fabric, &all, selector, a),
        Selector::End(name, _) => neighbours(fabric, &all, selector, (name, None)),
        _ => Vec::new(),
    };
    found.map_err(|error| match error {
        EditError::TooFew { selector, there: 0, .. } => EditError::NoCable { selector, near },
        other => other,
    })
}

/// Whether nodes of one name are one node, or the differently labelled adapters of one host.
fn is_unambiguous(fabric: &Fabric, name: &str, nodes: &[NodeId]) -> bool {
    let described = nodes.iter().filter(|&&n| &*fabric.node(n).description == name).count();
    let adapters = nodes.iter().all(|&n| fabric.node(n).kind == NodeKind::Adapter);
    nodes.len() == 1 || adapters && described <= 1
}

/// The cables of one node, `leaf-03[19]--spine-02`, the first of them.
fn neighbours(fabric: &Fabric, all: &Cuts<'_>, selector: &str, end: End<'_>) -> Vec<Box<str>> {
    const SHOWN: usize = 3;
    let Ok(nodes) = all.nodes(selector, end.0) else { return Vec::new() };
    let [node] = *nodes else { return Vec::new() };
    let cables = fabric.ports_of(node).filter_map(|p| Some((p, fabric.peer(p)?)));
    // If a node has cables to switches, those to its hosts are not meant.
    let (up, down): (Vec<_>, Vec<_>) = cables.partition(|&(_, q)| fabric.is_switch(fabric.node_of(q)));
    up.into_iter()
        .chain(down)
        .take(SHOWN)
        .map(|(p, q)| {
            let far = &fabric.node(fabric.node_of(q)).description;
            format!("{}[{}]--{far}", end.0, fabric.number_of(p)).into()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Node;
    use crate::generate::generate;

    fn error(fabric: &Fabric, selector: &str) -> String {
        elements(fabric, selector).expect_err(selector).to_string()
    }

    #[test]
    fn a_host_is_its_adapters_and_a_pattern_is_all_that_fits() {
        let f = generate("fat-tree:4,2:rails=2").unwrap();
        let count = |selector| match elements(&f, selector).unwrap() {
            Elements::Nodes(nodes) => nodes.len(),
            Elements::Cables(cables) => cables.len(),
        };
        assert_eq!(count("node0001"), 2);
        assert_eq!(count("node000?"), 16);
        assert_eq!(count("rail1-leaf-01"), 1);
        assert_eq!(count("rail1-leaf-01--*"), 4);
        assert_eq!(count("random-cables=3"), 3);
    }

    #[test]
    fn an_ambiguous_name_is_refused_with_what_it_could_mean() {
        let same = |node: &Node| Some(if node.kind == NodeKind::Switch { "sw" } else { "ubuntu" }.into());
        let f = generate("fat-tree:4,2").unwrap().renamed(same);
        let ids: Vec<&str> = f.nodes().map(|(_, n)| &*n.id).collect();
        let (switches, hosts) = (ids[..3].join(", "), ids[6..9].join(", "));
        assert_eq!(
            error(&f, "sw"),
            format!("selector sw: 6 nodes are called sw, expected one ({switches}, …)")
        );
        assert!(error(&f, "sw--sw").contains(&switches));
        assert!(error(&f, "ubuntu[1]").contains(&hosts));
        assert!(elements(&f, "s*").is_ok());
        assert!(elements(&f, ids[0]).is_ok());
    }

    #[test]
    fn a_selector_of_no_cable_is_refused_with_those_that_exist() {
        let f = generate("fat-tree:4,2").unwrap();
        assert_eq!(
            error(&f, "leaf-01--leaf-02"),
            "selector leaf-01--leaf-02: no such cable is there (there are leaf-01[3]--spine-01, \
             leaf-01[4]--spine-02, leaf-01[1]--node0001 HCA-1)"
        );
        assert!(error(&f, "leaf-01[9]").contains("leaf-01[3]--spine-01"));
        assert!(error(&f, "leaf-1[3]").contains("nearest: leaf-01"));
        assert!(
            error(&f, "leaf-01--spine-01:2").contains("1 cables between leaf-01 and spine-01 there, not 2")
        );
    }
}
