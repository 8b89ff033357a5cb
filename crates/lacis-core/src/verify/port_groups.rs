//! Whether the port groups of Omni-Path's switches lead where they should: every port among which a switch may move a
//! LID, and every port that the switches behind it may choose, must end at the LID's owner. `opareport -o validatepgs`
//! asks the same.

use rayon::prelude::*;

use crate::fabric::{Fabric, NodeId, PortId};
use crate::sm::lids::Lids;
use crate::sm::port_groups::NO_GROUP;
use crate::sm::{Lft, NO_ENTRY, PortGroups};

/// What is wrong with a port of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupFault {
    /// It ends at a device that does not own the LID.
    WrongDevice,
    /// It has no cable, or the switch does not have it.
    NoCable,
    /// Packets can come back to the switch.
    Loop,
    /// The LID's entry names a group that the switch does not have.
    NoGroup,
}

impl GroupFault {
    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::WrongDevice => "wrong_device",
            Self::NoCable => "no_cable",
            Self::Loop => "loop",
            Self::NoGroup => "no_group",
        }
    }
}

/// A port of a group that does not lead where it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupError {
    /// The switch that has the group.
    pub switch: NodeId,
    /// The LID.
    pub lid: u32,
    /// The port; none where the group itself is missing.
    pub port: Option<u8>,
    /// What is wrong.
    pub fault: GroupFault,
}

/// What port groups do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupVerdict {
    /// LIDs that have a group at some switch, each switch counted.
    pub entries: usize,
    /// Ports among which these may be moved.
    pub alternatives: usize,
    /// What is wrong, by LID, switch and port.
    pub errors: Vec<GroupError>,
}

/// Follows every port of every group.
pub fn verify_port_groups(fabric: &Fabric, lids: &Lids, lft: &Lft, groups: &PortGroups) -> GroupVerdict {
    let assigned: Vec<(u32, PortId)> = lids.assigned();
    let of_lids: Vec<GroupVerdict> = assigned
        .par_iter()
        .map(|&(lid, owner)| Walk { fabric, lft, groups, lid, owner, state: Vec::new() }.verdict())
        .collect();
    let mut out = GroupVerdict::default();
    for of_lid in of_lids {
        out.entries += of_lid.entries;
        out.alternatives += of_lid.alternatives;
        out.errors.extend(of_lid.errors);
    }
    out
}

/// How far a switch is walked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    OnPath,
    Done,
}

/// The walk towards one LID.
struct Walk<'a> {
    fabric: &'a Fabric,
    lft: &'a Lft,
    groups: &'a PortGroups,
    lid: u32,
    owner: PortId,
    state: Vec<State>,
}

impl Walk<'_> {
    fn verdict(mut self) -> GroupVerdict {
        let mut out = GroupVerdict::default();
        if self.fabric.switches().all(|switch| self.entry(switch) == NO_GROUP) {
            return out;
        }
        self.state = vec![State::New; self.fabric.num_switches()];
        for switch in self.fabric.switches() {
            if self.entry(switch) == NO_GROUP {
                continue;
            }
            out.entries += 1;
            if usize::from(self.entry(switch)) >= self.groups.masks(switch).len() {
                out.errors.push(self.error(switch, None, GroupFault::NoGroup));
            }
            out.alternatives += self.groups.mask(switch, self.lid).count_ones() as usize;
            self.from(switch, &mut out);
        }
        out.errors.sort_by_key(|error| (error.switch, error.port, error.fault));
        out
    }

    fn entry(&self, switch: NodeId) -> u8 {
        self.groups.entries(switch).get(self.lid as usize).copied().unwrap_or(NO_GROUP)
    }

    fn error(&self, switch: NodeId, port: Option<u8>, fault: GroupFault) -> GroupError {
        GroupError { switch, lid: self.lid, port, fault }
    }

    /// The ports by which a switch may send: those of the LID's group, else that of its table.
    fn ports(&self, switch: NodeId) -> (Vec<u8>, bool) {
        let mask = self.groups.mask(switch, self.lid);
        if mask != 0 {
            return ((0..64u8).filter(|bit| mask & (1 << bit) != 0).map(|bit| bit + 1).collect(), true);
        }
        let port = self.lft.row(switch).get(self.lid as usize).copied().unwrap_or(NO_ENTRY);
        (if port == NO_ENTRY { Vec::new() } else { vec![port] }, false)
    }

    /// Walks depth first from a switch; the ports of a group that end wrongly, or lead back, are errors. What tables
    /// alone do wrong is judged elsewhere.
    fn from(&mut self, start: NodeId, out: &mut GroupVerdict) {
        if self.state[start.ix()] != State::New {
            return;
        }
        let mut path: Vec<(NodeId, Vec<u8>, bool)> = Vec::new();
        self.enter(start, &mut path);
        while let Some((switch, ports, of_group)) = path.last_mut() {
            let (switch, of_group) = (*switch, *of_group);
            let Some(port) = ports.pop() else {
                self.state[switch.ix()] = State::Done;
                path.pop();
                continue;
            };
            let fault = match self.next(switch, port) {
                Next::Owner => None,
                Next::Nothing => Some(GroupFault::NoCable),
                Next::Other => Some(GroupFault::WrongDevice),
                Next::Switch(next) => match self.state[next.ix()] {
                    State::New => {
                        self.enter(next, &mut path);
                        None
                    }
                    State::OnPath => Some(GroupFault::Loop),
                    State::Done => None,
                },
            };
            if let Some(fault) = fault {
                // A loop that a table closes still goes through a group: that of the last switch on the path with one.
                let blamed = if of_group { Some((switch, port)) } else { self.last_group(&path, fault) };
                if let Some((switch, port)) = blamed {
                    out.errors.push(self.error(switch, Some(port), fault));
                }
            }
        }
    }

    fn enter(&mut self, switch: NodeId, path: &mut Vec<(NodeId, Vec<u8>, bool)>) {
        self.state[switch.ix()] = State::OnPath;
        let (mut ports, of_group) = self.ports(switch);
        ports.reverse();
        path.push((switch, ports, of_group));
    }

    /// The last switch on a path that has a group, and the port that the path takes there.
    fn last_group(&self, path: &[(NodeId, Vec<u8>, bool)], fault: GroupFault) -> Option<(NodeId, u8)> {
        if fault != GroupFault::Loop {
            return None;
        }
        let at = path.iter().rposition(|(.., of_group)| *of_group)?;
        let (switch, next) = (path[at].0, path.get(at + 1)?.0);
        let leads = |&port: &u8| matches!(self.next(switch, port), Next::Switch(far) if far == next);
        self.ports(switch).0.into_iter().find(leads).map(|port| (switch, port))
    }

    fn next(&self, switch: NodeId, port: u8) -> Next {
        let owner = self.fabric.node_of(self.owner);
        if port == 0 {
            return if owner == switch { Next::Owner } else { Next::Nothing };
        }
        let Some(far) = self.fabric.port(switch, port).and_then(|port| self.fabric.peer(port)) else {
            return Next::Nothing;
        };
        let node = self.fabric.node_of(far);
        if self.fabric.is_switch(node) {
            if node == owner { Next::Owner } else { Next::Switch(node) }
        } else if far == self.owner {
            Next::Owner
        } else {
            Next::Other
        }
    }
}

/// Where a port leads.
enum Next {
    Owner,
    Switch(NodeId),
    Other,
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;
    use crate::routing::{Options, route};
    use crate::sm::Engine;
    use crate::sm::lids::LidOptions;

    /// Two leaves and two spines with a cable between each, four hosts a leaf, and shortest-path tables.
    fn tree() -> (Fabric, Lids, Lft) {
        let fabric = generate("fat-tree:4,2:pods=2").unwrap();
        let sm = Lids::default_sm(&fabric).unwrap();
        let lids = Lids::assign(&fabric, sm, &LidOptions::fresh()).unwrap();
        let routes = route(&fabric, lids.clone(), &[Engine::MinHop], &Options::default()).unwrap();
        (fabric, lids, routes.lft)
    }

    /// The verdict where leaf 0 may move one LID of leaf 1 among the ports of a mask.
    fn with_group(mask: u64) -> (GroupVerdict, u32) {
        let (fabric, lids, lft) = tree();
        let host = fabric.end_nodes().last().unwrap();
        let lid = lids.base(fabric.port(host, 1).unwrap());
        let max = lids.max_lid();
        let mut tables = vec![(Vec::new(), Vec::new()); fabric.num_switches()];
        let mut entries = vec![NO_GROUP; max as usize + 1];
        entries[lid as usize] = 0;
        tables[0] = (vec![mask], entries);
        (verify_port_groups(&fabric, &lids, &lft, &PortGroups::from_tables(tables, max)), lid)
    }

    #[test]
    fn a_port_to_a_host_ends_at_the_wrong_device() {
        // Ports 1 and 2 of a leaf are hosts', 3 and 4 uplinks.
        let (good, _) = with_group(0b1100);
        assert_eq!((good.entries, good.alternatives, good.errors), (1, 2, Vec::new()));
        let (bad, lid) = with_group(0b1101);
        let error = GroupError { switch: NodeId(0), lid, port: Some(1), fault: GroupFault::WrongDevice };
        assert_eq!((bad.alternatives, bad.errors), (3, vec![error]));
    }

    #[test]
    fn a_port_that_is_not_there_and_a_group_that_is_not_there_are_errors() {
        let (bad, lid) = with_group(1 << 40 | 0b1000);
        let error = GroupError { switch: NodeId(0), lid, port: Some(41), fault: GroupFault::NoCable };
        assert_eq!(bad.errors, [error]);
        let (fabric, lids, lft) = tree();
        let mut entries = vec![NO_GROUP; lids.max_lid() as usize + 1];
        entries[lid as usize] = 7;
        let mut tables = vec![(Vec::new(), Vec::new()); fabric.num_switches()];
        tables[0] = (vec![0b1100], entries);
        let groups = PortGroups::from_tables(tables, lids.max_lid());
        let errors = verify_port_groups(&fabric, &lids, &lft, &groups).errors;
        assert_eq!(errors, [GroupError { switch: NodeId(0), lid, port: None, fault: GroupFault::NoGroup }]);
    }
}
