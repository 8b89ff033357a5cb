//! Making trouble on purpose: a fabric without some of its parts, or with more.
//!
//! | selector                                   | what                                                 |
//! |--------------------------------------------|------------------------------------------------------|
//! | `leaf-03`, `S-0002c9…`, `0x0002c9…`, `leaf-*` | nodes by description, host, id or GUID; `*`, `?`  |
//! | `leaf-03[19]`                              | the cable at that port                               |
//! | `leaf-03--spine-02`, `leaf-*--spine-02`    | all cables between                                   |
//! | `leaf-03--spine-02:1`                      | one of them (of each two nodes, where there are more)|
//! | `leaf-03[19]--spine-02`                    | the same, at that port                               |
//! | `random-cables=5%`, `random-cables=3,seed=7` | cables between switches                            |
//! | `random-hosts=…`, `random-switches=…`      | host adapters, switches                              |
//! | `+leaf-01[36]--leaf-02[36]`, `+leaf-01--leaf-02:2` | new cables; without port at the first free   |
//! | `+host@spine-01`, `+host@spine-01[5]`, `+host@spine-01:3` | new hosts                            |
//!
//! Selectors apply in order, each to what the earlier ones have left. With the same seed a smaller
//! random amount is part of a larger one. Nodes go with their cables; ports and the other nodes stay
//! as they are. A selector that names nothing is an error.

use super::add::with;
use super::random::SplitMix64;
use super::select::{Amount, End, Selector, What, called, near_names};
use crate::fabric::{BuildError, Fabric, NodeId, NodeKind, PortId};

/// Why a fabric cannot be changed as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The selector is not one.
    #[error("selector {selector}: expected {expected}")]
    Syntax {
        /// The selector.
        selector: Box<str>,
        /// What would have been right.
        expected: Box<str>,
    },
    /// No node is called so.
    #[error("selector {selector}: no node is called {name}{}", near(nearest))]
    NoNode {
        /// The selector.
        selector: Box<str>,
        /// The name in it that names nothing.
        name: Box<str>,
        /// Names near it.
        nearest: Vec<Box<str>>,
    },
    /// Where one node is needed, several are called so.
    #[error("selector {selector}: {count} nodes are called {name}, expected one ({})", such(*.count, .ids))]
    Ambiguous {
        /// The selector.
        selector: Box<str>,
        /// The name in it.
        name: Box<str>,
        /// How many nodes it names.
        count: usize,
        /// Identifiers of the first of them.
        ids: Vec<Box<str>>,
    },
    /// Fewer parts than asked for, none perhaps.
    #[error("selector {selector}: {there} {what} there, not {wanted}")]
    TooFew {
        /// The selector.
        selector: Box<str>,
        /// Which parts.
        what: Box<str>,
        /// How many there are.
        there: usize,
        /// How many were asked for.
        wanted: usize,
    },
    /// A cable that is not there.
    #[error("selector {selector}: no such cable is there{}", instead(near))]
    NoCable {
        /// The selector.
        selector: Box<str>,
        /// Cables that are.
        near: Vec<Box<str>>,
    },
    /// An addition that the fabric has no room for.
    #[error("selector {selector}: {source}")]
    NoRoom {
        /// The selector.
        selector: Box<str>,
        /// Why.
        source: BuildError,
    },
}

fn such(count: usize, ids: &[Box<str>]) -> String {
    let more = if count > ids.len() { ", …" } else { "" };
    format!("{}{more}", ids.join(", "))
}

fn instead(near: &[Box<str>]) -> String {
    if near.is_empty() { String::new() } else { format!(" (there are {})", near.join(", ")) }
}

fn near(nearest: &[Box<str>]) -> String {
    if nearest.is_empty() { String::new() } else { format!(" (nearest: {})", nearest.join(", ")) }
}

impl EditError {
    pub(super) fn syntax(selector: &str, expected: &str) -> Self {
        Self::Syntax { selector: selector.into(), expected: expected.into() }
    }

    /// Several nodes where one is needed.
    pub(super) fn ambiguous(selector: &str, name: &str, fabric: &Fabric, nodes: &[NodeId]) -> Self {
        let ids = nodes.iter().take(3).map(|&n| fabric.node(n).id.clone()).collect();
        Self::Ambiguous { selector: selector.into(), name: name.into(), count: nodes.len(), ids }
    }

    pub(super) fn too_few(selector: &str, what: impl Into<Box<str>>, there: usize, wanted: usize) -> Self {
        Self::TooFew { selector: selector.into(), what: what.into(), there, wanted }
    }
}

/// The fabric less the parts that selectors name.
///
/// # Errors
/// When a selector is none, names nothing or adds.
pub fn without(fabric: &Fabric, selectors: &[&str]) -> Result<Fabric, EditError> {
    let mut cuts = Cuts::none(fabric);
    for selector in selectors {
        if selector.starts_with('+') {
            return Err(EditError::syntax(selector, "parts to remove"));
        }
        cuts.add(selector)?;
    }
    Ok(cuts.apply())
}

/// The fabric with parts removed and, where a selector begins with `+`, added.
///
/// # Errors
/// When a selector is none, names nothing, or adds what there is no room for.
pub fn edit(fabric: &Fabric, selectors: &[&str]) -> Result<Fabric, EditError> {
    let mut current = fabric.clone();
    for run in selectors.chunk_by(|a, b| !a.starts_with('+') && !b.starts_with('+')) {
        current = match run[0].strip_prefix('+') {
            Some(addition) => with(&current, run[0], addition)?,
            None => without(&current, run)?,
        };
    }
    Ok(current)
}

/// Parts of a fabric that a selector names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parts {
    /// Nodes.
    Nodes(Vec<NodeId>),
    /// Cables, each by one of its ends.
    Cables(Vec<PortId>),
}

/// What is taken away so far.
pub(super) struct Cuts<'a> {
    fabric: &'a Fabric,
    gone: Vec<bool>,
    /// By port, both ends of a cable.
    cut: Vec<bool>,
}

impl<'a> Cuts<'a> {
    pub(super) fn none(fabric: &'a Fabric) -> Self {
        Self { fabric, gone: vec![false; fabric.num_nodes()], cut: vec![false; fabric.num_ports()] }
    }

    fn apply(self) -> Fabric {
        self.fabric.filtered(|n| !self.gone[n.ix()], |a, _| !self.cut[a.ix()])
    }

    /// The nodes left that are called this.
    fn find(&self, name: &str) -> Vec<NodeId> {
        let called = called(self.fabric, name);
        let left = self.fabric.nodes().map(|(id, _)| id).filter(|id| !self.gone[id.ix()]);
        left.filter(|&id| called(id)).collect()
    }

    /// The same, at least one.
    pub(super) fn nodes(&self, selector: &str, name: &str) -> Result<Vec<NodeId>, EditError> {
        let found = self.find(name);
        if found.is_empty() {
            return Err(EditError::NoNode {
                selector: selector.into(),
                name: name.into(),
                nearest: near_names(self.fabric, name),
            });
        }
        Ok(found)
    }

    /// The other end of the cable at a port, where it is left.
    fn peer(&self, port: PortId) -> Option<PortId> {
        let peer = self.fabric.peer(port).filter(|_| !self.cut[port.ix()])?;
        let stays = |p: PortId| !self.gone[self.fabric.node_of(p).ix()];
        (stays(port) && stays(peer)).then_some(peer)
    }

    fn cut(&mut self, port: PortId) {
        for end in [Some(port), self.fabric.peer(port)].into_iter().flatten() {
            self.cut[end.ix()] = true;
        }
    }

    fn add(&mut self, text: &str) -> Result<(), EditError> {
        match self.named(&self.parse(text)?, text)? {
            Parts::Nodes(nodes) => nodes.into_iter().for_each(|n| self.gone[n.ix()] = true),
            Parts::Cables(cables) => cables.into_iter().for_each(|p| self.cut(p)),
        }
        Ok(())
    }

    /// The selector that a text is; a description may look like a selector of another kind.
    pub(super) fn parse<'t>(&self, text: &'t str) -> Result<Selector<'t>, EditError> {
        if self.find(text).is_empty() { Selector::parse(text) } else { Ok(Selector::Nodes(text)) }
    }

    /// The parts, of those left, that a selector names.
    pub(super) fn named(&self, selector: &Selector<'_>, text: &str) -> Result<Parts, EditError> {
        match *selector {
            Selector::Nodes(name) => self.nodes(text, name).map(Parts::Nodes),
            Selector::End(name, number) => {
                let nodes = self.nodes(text, name)?;
                let ports = nodes.iter().filter_map(|&n| self.fabric.port(n, number));
                let cabled: Vec<PortId> = ports.filter(|&p| self.peer(p).is_some()).collect();
                if cabled.is_empty() {
                    return Err(EditError::too_few(text, "cables", 0, 1));
                }
                Ok(Parts::Cables(cabled))
            }
            Selector::Between(a, b, count) => self.between(text, a, b, count).map(Parts::Cables),
            Selector::Random { what, amount, seed } => self.random(text, what, amount, seed),
            Selector::HostAt(..) | Selector::SwitchAt(..) => Err(EditError::syntax(text, "parts to remove")),
        }
    }

    fn between(
        &self,
        text: &str,
        a: End<'_>,
        b: End<'_>,
        count: Option<usize>,
    ) -> Result<Vec<PortId>, EditError> {
        let fabric = self.fabric;
        let mut is_b = vec![false; fabric.num_nodes()];
        for node in self.nodes(text, b.0)? {
            is_b[node.ix()] = true;
        }
        let at = |port: PortId, number: Option<u8>| number.is_none_or(|n| n == fabric.number_of(port));
        let mut pairs: Vec<(NodeId, NodeId, PortId)> = Vec::new();
        for node in self.nodes(text, a.0)? {
            for port in fabric.ports_of(node).filter(|&p| at(p, a.1)) {
                if let Some(peer) = self.peer(port).filter(|&q| at(q, b.1)) {
                    let other = fabric.node_of(peer);
                    if is_b[other.ix()] {
                        // Where both patterns name both nodes, the cable comes up twice.
                        let (low, high) = (node.min(other), node.max(other));
                        pairs.push((low, high, port.min(peer)));
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        if pairs.is_empty() {
            return Err(EditError::too_few(text, "cables", 0, count.unwrap_or(1)));
        }
        let mut named = Vec::new();
        for cables in pairs.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let wanted = count.unwrap_or(cables.len());
            if cables.len() < wanted {
                let [a, b] = [cables[0].0, cables[0].1].map(|n| &fabric.node(n).description);
                let what = format!("cables between {a} and {b}");
                return Err(EditError::too_few(text, what, cables.len(), wanted));
            }
            named.extend(cables[..wanted].iter().map(|&(_, _, port)| port));
        }
        Ok(named)
    }

    fn random(&self, text: &str, what: What, amount: Amount, seed: u64) -> Result<Parts, EditError> {
        let fabric = self.fabric;
        let mut rng = SplitMix64::new(seed);
        let left = |n: &NodeId| !self.gone[n.ix()];
        // The end of a shuffled list is drawn first, so more is the same and more.
        let mut pick = |mut all: Vec<u32>, name: &str| {
            rng.shuffle(&mut all);
            let (there, wanted) = (all.len(), amount.of(all.len()));
            let from = there.checked_sub(wanted);
            let from = from.ok_or_else(|| EditError::too_few(text, name, there, wanted))?;
            Ok(all.split_off(from))
        };
        Ok(match what {
            What::Cables => {
                let between = |&(a, b): &(PortId, PortId)| {
                    let switches = [a, b].into_iter().all(|p| fabric.is_switch(fabric.node_of(p)));
                    switches && self.peer(a).is_some()
                };
                let all = fabric.cables().filter(between).map(|(a, _)| a.0).collect();
                Parts::Cables(pick(all, "cables between switches")?.into_iter().map(PortId).collect())
            }
            What::Hosts => {
                let hosts = fabric.end_nodes().filter(|&n| fabric.node(n).kind == NodeKind::Adapter);
                let all = hosts.filter(left).map(|n| n.0).collect();
                Parts::Nodes(pick(all, "host adapters")?.into_iter().map(NodeId).collect())
            }
            What::Switches => {
                let all = fabric.switches().filter(left).map(|n| n.0).collect();
                Parts::Nodes(pick(all, "switches")?.into_iter().map(NodeId).collect())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{generate, shuffle_guids, with_cable};

    fn make(spec: &str) -> Fabric {
        generate(spec).unwrap()
    }

    /// Switches, end nodes, all cables.
    fn counts(f: &Fabric) -> (usize, usize, usize) {
        (f.num_switches(), f.end_nodes().len(), f.cables().count())
    }

    fn find(f: &Fabric, name: &str) -> NodeId {
        let called = called(f, name);
        f.nodes().map(|(id, _)| id).find(|&id| called(id)).expect(name)
    }

    /// Every cable by the names of its ends.
    fn cables(f: &Fabric) -> Vec<String> {
        f.cables().map(|(a, b)| format!("{} {}", f.port_name(a), f.port_name(b))).collect()
    }

    // fat-tree:36,2:pods=12 has 12 leaves (ports 1–18 hosts, 19–36 up), 6 spines, 3 cables between
    // each: (18, 216, 216 + 216).
    const TREE: &str = "fat-tree:36,2:pods=12";

    #[test]
    fn each_selector_removes_what_it_names() {
        let f = make(TREE);
        let leaf_guid = f.node(find(&f, "leaf-03")).guid.to_string();
        let leaf_id = f.node(find(&f, "leaf-03")).id.to_string();
        let host_port = f.port_info(f.port(find(&f, "node0001"), 1).unwrap()).guid.to_string();
        for (selectors, expected) in [
            // A leaf takes 18 uplinks and 18 host cables with it; its hosts stay, without cable.
            (&["leaf-03"][..], (17, 216, 432 - 36)),
            (&[&leaf_guid], (17, 216, 396)),
            (&[&leaf_id], (17, 216, 396)),
            (&["spine-0?"], (12, 216, 216)),
            (&["leaf-1*"], (15, 216, 432 - 3 * 36)),
            (&["node0001 HCA-1"], (18, 215, 431)),
            (&["node0001"], (18, 215, 431)),
            (&[&host_port], (18, 215, 431)),
            (&["leaf-03[19]"], (18, 216, 431)),
            (&["leaf-03[1]"], (18, 216, 431)),
            // Port 36 of 18 switches, where leaf-12's is cabled to spine-06's.
            (&["*[36]"], (18, 216, 432 - 17)),
            (&["leaf-03--spine-02"], (18, 216, 429)),
            (&["spine-02--leaf-03"], (18, 216, 429)),
            (&["leaf-03--spine-02:1"], (18, 216, 431)),
            (&["leaf-03[22]--spine-02"], (18, 216, 431)),
            (&["leaf-03--spine-02:2", "leaf-03--spine-02:1"], (18, 216, 429)),
            (&["leaf-*--spine-02:1"], (18, 216, 420)),
            (&["*--*:1"], (18, 216, 432 - 216 - 72)),
            // 5 % of 216 is 10.8.
            (&["random-cables=5%"], (18, 216, 421)),
            (&["random-cables=3,seed=7"], (18, 216, 429)),
            (&["random-hosts=50%"], (18, 108, 324)),
            (&["random-switches=18"], (0, 216, 0)),
            (&["leaf-03", "random-switches=0"], (17, 216, 396)),
            (&[], (18, 216, 432)),
        ] {
            let less = without(&f, selectors).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(counts(&less), expected, "{selectors:?}");
            let all = cables(&f);
            assert!(cables(&less).iter().all(|c| all.contains(c)), "{selectors:?}");
            assert_eq!(edit(&f, selectors), Ok(less));
        }
    }

    #[test]
    fn one_cable_of_several_is_the_first_and_its_ports_are_empty() {
        let f = without(&make(TREE), &["leaf-03--spine-02:1"]).unwrap();
        let port = f.port(find(&f, "leaf-03"), 22).unwrap();
        assert_eq!((f.peer(port), f.port_info(port).rate, f.port_info(port).listed), (None, None, false));
        assert_eq!(f, without(&make(TREE), &["leaf-03[22]"]).unwrap());
    }

    #[test]
    fn random_cables_are_between_switches_nested_and_follow_their_seed() {
        let f = make(TREE);
        let less = |selector: &str| cables(&without(&f, &[selector]).unwrap());
        let (few, more) = (less("random-cables=3,seed=7"), less("random-cables=30,seed=7"));
        assert_eq!(few, less("random-cables=3,seed=7"));
        assert_ne!(few, less("random-cables=3,seed=8"));
        assert!(more.iter().all(|c| few.contains(c)));
        assert_eq!(few.iter().filter(|c| c.contains("node")).count(), 216);
        let renamed = shuffle_guids(&f, 1);
        assert_eq!(few, cables(&without(&renamed, &["random-cables=3,seed=7"]).unwrap()));
    }

    #[test]
    fn a_selector_that_names_nothing_is_an_error_with_near_names() {
        let f = make(TREE);
        for (selector, part) in [
            ("leaf-3", "no node is called leaf-3 (nearest: leaf-03"),
            ("leaf-99[3]", "no node is called leaf-99"),
            ("leaf-03[37]", "0 cables there, not 1"),
            ("leaf-03--leaf-04", "0 cables there"),
            ("leaf-03--spine-02:4", "3 cables between leaf-03 and spine-02 there, not 4"),
            ("0x1", "no node"),
            ("random-cables=217", "216 cables between switches there, not 217"),
            ("random-cabels=3", "nearest: random-cables"),
            ("xyz*", "no node"),
            ("+leaf-01[36]--leaf-02[36]", "parts to remove"),
            ("host@leaf-01", "parts to remove"),
            ("", "expected the name"),
        ] {
            let error = without(&f, &[selector]).expect_err(selector).to_string();
            assert!(error.contains(part), "{error}");
        }
        assert!(without(&f, &["leaf-03", "leaf-03[19]"]).is_err());
    }

    #[test]
    fn additions_take_free_ports() {
        let f = make("fat-tree:8,2:radix=10");
        let more = edit(&f, &["+leaf-01--leaf-02:2", "+leaf-03[10]--spine-01[9]", "+host@spine-0[4]"]);
        assert!(more.is_err(), "spine-0 is no node");
        let more =
            edit(&f, &["+leaf-01--leaf-02:2", "+leaf-03[10]--spine-01[9]", "+host@spine-0?", "leaf-04"])
                .unwrap();
        // 64 cables; 2 + 1 + 4 new ones; leaf-04 takes 8 along.
        assert_eq!(counts(&more), (11, 36, 64 + 7 - 8));
        let cables = cables(&more);
        for cable in [
            r#""leaf-01"[9] "leaf-02"[9]"#,
            r#""leaf-01"[10] "leaf-02"[10]"#,
            r#""leaf-03"[10] "spine-01"[9]"#,
            r#""spine-01"[10] "extra0001 HCA-1"[1]"#,
            r#""spine-04"[9] "extra0004 HCA-1"[1]"#,
        ] {
            assert!(cables.iter().any(|c| c == cable), "{cable}");
        }
        let host = more.node(find(&more, "extra0004"));
        assert_eq!(more.nodes().filter(|(_, n)| n.guid == host.guid).count(), 1);
        let leaf = find(&f, "leaf-01");
        let by_hand = with_cable(&f, (leaf, 9), (find(&f, "leaf-02"), 9)).unwrap();
        assert_eq!(Ok(by_hand), edit(&f, &["+leaf-01--leaf-02"]));
        assert!(with_cable(&f, (leaf, 9), (leaf, 9)).is_err());
        assert!(with_cable(&f, (leaf, 9), (NodeId(9999), 9)).is_err());
    }

    #[test]
    fn additions_without_room_are_refused() {
        let f = make("fat-tree:8,2");
        for (selector, part) in [
            ("+leaf-01--leaf-02", "0 free ports on leaf-01 there, not 1"),
            ("+host@leaf-01", "0 free ports on leaf-01"),
            ("+host@leaf-01[1]", "port 1 of S-"),
            ("+leaf-01[9]--leaf-02[9]", "has 8 ports, so no port 9"),
            ("+leaf-0?[1]--leaf-02[1]", "8 nodes are called leaf-0?"),
            ("+leaf-01", "expected +A--B"),
        ] {
            let error = edit(&f, &[selector]).expect_err(selector).to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
