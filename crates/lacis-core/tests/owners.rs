//! Whose adapters are: names of some adapters of regular machines are erased, and no host is lost, split or made up.
//! And hosts that numbering implies: leaves that are not full lack none, a hole between hosts is one.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use lacis_core::fabric::{Fabric, NodeId};
use lacis_core::health::{Code, Fact, Hosts, Owner, examine};
use proptest::collection::vec;
use proptest::prelude::*;

/// How the adapters of hosts are cabled.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// Each adapter on a leaf of its own, on the same port of each.
    RailOptimised,
    /// All adapters of a host beside each other on one leaf.
    Beside,
    /// Adapter k of all hosts before adapter k + 1 of any, on one leaf.
    Blocks,
}

/// A machine of groups of leaves, each alike.
#[derive(Clone, Debug)]
struct Machine {
    layout: Layout,
    groups: usize,
    hosts: usize,
    adapters: usize,
    numbered: bool,
}

/// What is known of an adapter beside its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Whole,
    Erased,
    Installers,
}

impl Machine {
    fn host_name(&self, host: usize) -> String {
        if self.numbered {
            return format!("node{:03}", host + 1);
        }
        // Words without a number.
        let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
        format!("x{}{}{}", letter(host * 7 + 3), letter(host), letter(host / 26))
    }

    /// Leaf and port of an adapter; leaves are numbered from 0.
    fn place(&self, host: usize, adapter: usize) -> (usize, usize) {
        let (group, within) = (host / self.hosts, host % self.hosts);
        match self.layout {
            Layout::RailOptimised => (group * self.adapters + adapter, within + 1),
            Layout::Beside => (group, within * self.adapters + adapter + 1),
            Layout::Blocks => (group, adapter * self.hosts + within + 1),
        }
    }

    /// The fabric, in the order of hosts and their adapters, with one spine above all leaves.
    fn fabric(&self, name: impl Fn(usize, usize) -> Name) -> Fabric {
        let mut ports: BTreeMap<usize, Vec<(usize, String)>> = BTreeMap::new();
        let mut ends = String::new();
        for host in 0..self.groups * self.hosts {
            for adapter in 0..self.adapters {
                let (leaf, port) = self.place(host, adapter);
                let id = format!("H-{:x}", 0x1000 + host * 16 + adapter);
                let text = match name(host, adapter) {
                    Name::Whole => format!("{} HCA-{}", self.host_name(host), adapter + 1),
                    Name::Erased => "MT4129 ConnectX7   Mellanox Technologies".to_owned(),
                    Name::Installers => format!("localhost HCA-{}", adapter + 1),
                };
                let guid = &id[2..];
                write!(
                    ends,
                    "caguid=0x{guid}\nCa 1 \"{id}\" # \"{text}\"\n[1] \"S-{}\"[{port}] # lid 1 lmc 0 4xNDR\n\n",
                    leaf + 1
                )
                .unwrap();
                ports.entry(leaf).or_default().push((port, format!("[{port}] \"{id}\"[1] # 4xNDR\n")));
            }
        }
        let mut text = String::new();
        let spine = ports.len() + 1;
        let up = self.hosts * self.adapters + 1;
        for (leaf, ports) in &ports {
            let number = leaf + 1;
            writeln!(text, "switchguid=0x{number}\nSwitch 128 \"S-{number}\" # \"leaf-{number}\" base port 0 lid {number} lmc 0").unwrap();
            text.extend(ports.iter().map(|port| &*port.1));
            writeln!(text, "[{up}] \"S-{spine}\"[{number}] # 4xNDR\n").unwrap();
        }
        writeln!(
            text,
            "switchguid=0x{spine}\nSwitch 128 \"S-{spine}\" # \"spine-1\" base port 0 lid {spine} lmc 0"
        )
        .unwrap();
        for leaf in ports.keys() {
            writeln!(text, "[{}] \"S-{}\"[{up}] # 4xNDR", leaf + 1, leaf + 1).unwrap();
        }
        lacis_core::io::read(format!("{text}\n{ends}").as_bytes()).unwrap().fabric
    }
}

fn machines() -> impl Strategy<Value = Machine> {
    let layout = prop_oneof![Just(Layout::RailOptimised), Just(Layout::Beside), Just(Layout::Blocks)];
    (layout, 1_usize..4, 6_usize..13, 1_usize..5, any::<bool>()).prop_map(
        |(layout, groups, hosts, adapters, numbered)| Machine { layout, groups, hosts, adapters, numbered },
    )
}

/// A machine, and by host and adapter what is left of the name: of a few hosts nothing, of others some.
fn erased() -> impl Strategy<Value = (Machine, Vec<Name>)> {
    machines().prop_flat_map(|machine| {
        let count = machine.groups * machine.hosts;
        let name = prop_oneof![6 => Just(Name::Whole), 2 => Just(Name::Erased), 1 => Just(Name::Installers)];
        let names = vec(name, count * machine.adapters);
        let nameless = vec(prop_oneof![9 => Just(false), 1 => Just(true)], count);
        (Just(machine), names, nameless).prop_map(|(machine, mut names, nameless)| {
            for (host, _) in nameless.iter().enumerate().filter(|it| *it.1) {
                names[host * machine.adapters..][..machine.adapters].fill(Name::Erased);
            }
            (machine, names)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hosts_stay_what_they_are_when_names_are_erased((machine, names) in erased()) {
        let fabric = machine.fabric(|host, adapter| names[host * machine.adapters + adapter]);
        let found = Hosts::of(&fabric, None);
        let first = fabric.num_switches();
        // End nodes are in the order of hosts and adapters, whatever their names.
        let at: BTreeMap<u64, (usize, usize)> = (0..machine.groups * machine.hosts)
            .flat_map(|host| (0..machine.adapters).map(move |adapter| (host, adapter)))
            .map(|(host, adapter)| ((0x1000 + host * 16 + adapter) as u64, (host, adapter)))
            .collect();
        let truth = |end: NodeId| at[&fabric.node(end).guid.0];
        prop_assert!(fabric.num_nodes() - first == at.len());

        let mut host_of_true: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (index, host) in found.hosts.iter().enumerate() {
            let members: BTreeSet<usize> = host.ends.iter().map(|&end| truth(end).0).collect();
            prop_assert_eq!(members.len(), 1, "{} is made of several hosts", host.name);
            let own = *members.iter().next().unwrap();
            if !host.generic {
                prop_assert_eq!(&*host.name, machine.host_name(own));
            }
            host_of_true.entry(own).or_default().insert(index);
        }
        for (own, parts) in &host_of_true {
            prop_assert_eq!(parts.len(), 1, "{} is split", machine.host_name(*own));
        }
        // What has a name keeps it; what has none is inferred, or said to be unknown, and then no host.
        for (&guid, &(host, adapter)) in &at {
            let end = fabric.end_nodes().find(|&end| fabric.node(end).guid.0 == guid).unwrap();
            let name = names[host * machine.adapters + adapter];
            prop_assert_eq!(name == Name::Whole, found.owner(end) == Owner::Named);
            prop_assert_eq!(found.owner(end) == Owner::Unknown, found.host_of(end).is_none());
            prop_assert_eq!(found.owner(end) == Owner::Unknown, found.unknown.contains(&end));
            // Where it is inferred, so is the label, and it is the right one.
            if found.owner(end) == Owner::Inferred && !found.label(end).is_empty() {
                prop_assert_eq!(found.label(end), format!("HCA-{}", adapter + 1));
            }
        }
        let summary = examine(&fabric, &found).summary;
        prop_assert_eq!(summary.hosts, host_of_true.len());
        prop_assert_eq!(summary.unknown, found.unknown.len());

        // Where each label keeps three names on its leaf, and the first and the last host of each group keep theirs, numbers
        // show the host of every adapter.
        let last = machine.groups * machine.hosts - 1;
        let outermost = || (0..=last).filter(|host| [0, machine.hosts - 1].contains(&(host % machine.hosts)));
        let is_whole = |host: usize| {
            names[host * machine.adapters..][..machine.adapters].iter().all(|&name| name == Name::Whole)
        };
        let mut whole: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for host in 0..=last {
            for adapter in 0..machine.adapters {
                let (leaf, _) = machine.place(host, adapter);
                *whole.entry((leaf, adapter)).or_default() +=
                    usize::from(names[host * machine.adapters + adapter] == Name::Whole);
            }
        }
        if machine.numbered && outermost().all(is_whole) && whole.values().all(|&n| n >= 3) {
            prop_assert!(found.unknown.is_empty(), "{:?}", found.unknown);
            prop_assert_eq!(summary.hosts, last + 1);
        }
    }
}

/// Leaves with room for `room` hosts each, of which each has so many, filled from its first port on or from its last; hosts
/// are numbered along all ports, or one after the other.
#[derive(Clone, Debug)]
struct Filled {
    room: usize,
    hosts: Vec<usize>,
    from_last: bool,
    by_place: bool,
}

impl Filled {
    /// Number and port of the hosts of each leaf.
    fn ports(&self) -> Vec<Vec<(usize, usize)>> {
        let mut next = 0;
        let leaf = |(leaf, &count): (usize, &usize)| {
            let hosts = (0..count).map(|k| {
                let port = if self.from_last { self.room - count + k } else { k };
                next += 1;
                (if self.by_place { leaf * self.room + port } else { next - 1 }, port + 1)
            });
            hosts.collect()
        };
        self.hosts.iter().enumerate().map(leaf).collect()
    }

    /// The hosts that numbering implies and that are not there, where one host is left out.
    fn absent(&self, without: Option<usize>) -> Vec<String> {
        let (mut text, mut ends) = (String::new(), String::new());
        let spine = self.hosts.len() + 1;
        for (leaf, hosts) in self.ports().iter().enumerate() {
            let leaf = leaf + 1;
            writeln!(
                text,
                "switchguid=0x{leaf}\nSwitch 64 \"S-{leaf}\" # \"leaf-{leaf}\" base port 0 lid {leaf} lmc 0"
            )
            .unwrap();
            for &(number, port) in hosts.iter().filter(|it| Some(it.0) != without) {
                let guid = 0x1000 + number;
                writeln!(text, "[{port}] \"H-{guid:x}\"[1] # 4xNDR").unwrap();
                write!(
                    ends,
                    "caguid=0x{guid:x}\nCa 1 \"H-{guid:x}\" # \"n{number:03} HCA-1\"\n[1] \"S-{leaf}\"[{port}] # lid 1 lmc 0 4xNDR\n\n"
                )
                .unwrap();
            }
            writeln!(text, "[64] \"S-{spine}\"[{leaf}] # 4xNDR\n").unwrap();
        }
        writeln!(
            text,
            "switchguid=0x{spine}\nSwitch 64 \"S-{spine}\" # \"spine-1\" base port 0 lid {spine} lmc 0"
        )
        .unwrap();
        for leaf in 1..spine {
            writeln!(text, "[{leaf}] \"S-{leaf}\"[64] # 4xNDR").unwrap();
        }
        let fabric = lacis_core::io::read(format!("{text}\n{ends}").as_bytes()).unwrap().fabric;
        let findings = examine(&fabric, &Hosts::of(&fabric, None)).findings;
        let absent = findings.into_iter().filter(|finding| finding.code == Code::HostAbsent);
        let names = absent.flat_map(|finding| match finding.fact {
            Fact::HostsAbsent(fact) => fact.hosts.into_iter().map(|host| host.host.node).collect(),
            _ => Vec::new(),
        });
        names.collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn leaves_that_are_not_full_lack_no_host_and_a_hole_is_one(
        (room, hosts) in (8_usize..20).prop_flat_map(|room| (Just(room), vec(0..=room, 6..12))),
        from_last in any::<bool>(),
        by_place in any::<bool>(),
        at in any::<prop::sample::Index>(),
    ) {
        let filled = Filled { room, hosts, from_last, by_place };
        prop_assert_eq!(filled.absent(None), Vec::<String>::new());
        // On full leaves but for one, a host between two others is missed.
        let mut full = Filled { hosts: vec![room; filled.hosts.len()], ..filled.clone() };
        full.hosts[0] = filled.hosts[0];
        let leaf = 1 + at.index(full.hosts.len() - 1);
        let (number, _) = full.ports()[leaf][1 + at.index(room - 2)];
        prop_assert_eq!(full.absent(Some(number)), vec![format!("n{number:03}")]);
    }
}
