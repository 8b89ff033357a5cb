//! What hosts are for: compute, management, storage or gateway.
//!
//! What the site declares wins. Otherwise a word of the host's name decides (`login-2`, `oss07`, `slurm-1`),
//! unless more than half of all hosts have that word: then it belongs to the site's name. The word may be glued to that
//! name (`foxlogin1` where hosts are called `fox001`, or `foxcn001`); a word that merely ends so is none. A host whose name
//! says nothing (`localhost`, an adapter that was never named) is of the group that most other adapters on its
//! leaf have by name. All others are compute. Of a host with an installer's name that is unlike the hosts of its leaf, and of
//! an adapter whose host is not known, this is assumed, and nothing shows it.

use rustc_hash::FxHashMap;

use super::host::{Host, leaf_of};
use crate::fabric::{Declared, Fabric, Group, NodeId};

const MANAGEMENT: [&str; 24] = [
    "admin",
    "adm",
    "bastion",
    "bcm",
    "bright",
    "controller",
    "ctrl",
    "cufm",
    "head",
    "headnode",
    "infra",
    "login",
    "manager",
    "management",
    "master",
    "mgmt",
    "mgnt",
    "mgt",
    "monitor",
    "opensm",
    "service",
    "slurm",
    "sm",
    "ufm",
];
const STORAGE: [&str; 30] = [
    "archive",
    "beegfs",
    "cache",
    "ceph",
    "daos",
    "datamover",
    "ddn",
    "dtn",
    "ess",
    "exa",
    "fs",
    "gpfs",
    "hsm",
    "io",
    "ionode",
    "isilon",
    "lustre",
    "mds",
    "mdt",
    "mgs",
    "nas",
    "nfs",
    "nsd",
    "oss",
    "ost",
    "scratch",
    "storage",
    "swift",
    "vast",
    "weka",
];
const GATEWAY: [&str; 9] = ["bridge", "gateway", "gw", "ipgw", "lnet", "lnetrtr", "router", "rtr", "skyway"];

/// The words of a host's name, without its domain: runs of letters, in lower case.
fn words(host: &str) -> impl Iterator<Item = String> {
    let name = host.split('.').next().unwrap_or(host);
    name.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty()).map(str::to_lowercase)
}

/// The group that a word stands for.
fn meaning(word: &str) -> Option<Group> {
    let is_in = |words: &[&str]| words.contains(&word);
    if is_in(&STORAGE) {
        Some(Group::Storage)
    } else if is_in(&GATEWAY) {
        Some(Group::Gateway)
    } else {
        is_in(&MANAGEMENT).then_some(Group::Management)
    }
}

/// What end nodes are for, in node order.
pub(super) struct HostGroups {
    /// The group of each.
    pub group: Vec<Group>,
    /// Whether nothing shows that group.
    pub is_assumed: Vec<bool>,
}

/// The group of every end node.
pub(super) fn host_groups(fabric: &Fabric, hosts: &[Host], unknown: &[NodeId]) -> HostGroups {
    let first = fabric.num_switches();
    let mut known: Vec<Option<Group>> = vec![None; fabric.num_nodes() - first];
    let by_name = by_name(hosts);
    for (host, &group) in hosts.iter().zip(&by_name) {
        let declared = host.ends.iter().find_map(|&end| declared(fabric, end));
        for end in &host.ends {
            known[end.ix() - first] = declared.or(group);
        }
    }
    for &end in unknown {
        known[end.ix() - first] = declared(fabric, end);
    }
    let leaves = LeafGroups::of(fabric, &known);
    let silent = hosts.iter().filter(|host| host.generic).flat_map(|host| &host.ends);
    let mut group: Vec<Group> = known.iter().map(|known| known.unwrap_or_default()).collect();
    for &end in silent.chain(unknown) {
        if known[end.ix() - first].is_none() {
            group[end.ix() - first] =
                leaf_of(fabric, end).and_then(|leaf| leaves.group(leaf)).unwrap_or_default();
        }
    }
    let mut is_assumed = vec![false; group.len()];
    let is_shown = |end: &NodeId| {
        known[end.ix() - first].is_some() || leaf_of(fabric, *end).is_some_and(|l| leaves.group(l).is_some())
    };
    for end in unknown {
        is_assumed[end.ix() - first] = !is_shown(end);
    }
    for host in hosts.iter().filter(|host| host.generic) {
        if !host.ends.iter().any(is_shown) && !is_like_its_leaf(fabric, hosts, host, &known) {
            for end in &host.ends {
                is_assumed[end.ix() - first] = true;
            }
        }
    }
    HostGroups { group, is_assumed }
}

/// Whether most hosts with names of their own on the leaf of a host's first adapter are compute hosts with as many adapters.
fn is_like_its_leaf(fabric: &Fabric, hosts: &[Host], host: &Host, known: &[Option<Group>]) -> bool {
    let Some(leaf) = host.ends.first().and_then(|&end| leaf_of(fabric, end)) else { return false };
    let first = fabric.num_switches();
    let is_on_leaf =
        |other: &&Host| !other.generic && other.ends.iter().any(|&end| leaf_of(fabric, end) == Some(leaf));
    let (mut alike, mut all) = (0, 0);
    for peer in hosts.iter().filter(is_on_leaf) {
        let computes =
            peer.ends.iter().all(|end| known[end.ix() - first].unwrap_or_default() == Group::Compute);
        alike += usize::from(computes && peer.ends.len() == host.ends.len());
        all += 1;
    }
    2 * alike > all
}

fn declared(fabric: &Fabric, end: NodeId) -> Option<Group> {
    match fabric.node(end).declared {
        Some(Declared::Host(group)) => Some(group),
        _ => None,
    }
}

/// What hosts that compute are called after the cluster's name.
const COMPUTE: [&str; 12] =
    ["", "c", "cn", "comp", "compute", "cpu", "dgx", "gpu", "n", "node", "wn", "worker"];
/// The shortest name of a cluster to which a word may be glued.
const STEM: usize = 3;
/// At least one host in so many is called after a cluster for that to be its name.
const CALLED_SO: usize = 4;

/// The groups of hosts by their names, if these say one.
fn by_name(hosts: &[Host]) -> Vec<Option<Group>> {
    let mut with_word: FxHashMap<String, usize> = FxHashMap::default();
    for host in hosts {
        let mut own: Vec<String> = words(&host.name).collect();
        own.sort_unstable();
        own.dedup();
        for word in own {
            *with_word.entry(word).or_default() += 1;
        }
    }
    let stems = stems(&with_word, hosts.len());
    let glued: FxHashMap<&str, &str> = with_word
        .keys()
        .filter_map(|word| Some((&**word, stems.iter().find_map(|stem| apart(word, stem))?)))
        .collect();
    let meanings =
        with_word.iter().map(|(word, &count)| (glued.get(&**word).copied().unwrap_or(word), count));
    let with_meaning = sums(meanings);
    let few = hosts.len() < 4;
    let role = |word: &str| {
        let word = glued.get(word).copied().unwrap_or(word);
        let is_common = 2 * with_meaning.get(word).copied().unwrap_or(0) > hosts.len();
        if is_common && !few { None } else { meaning(word) }
    };
    hosts.iter().map(|host| words(&host.name).find_map(|word| role(&word))).collect()
}

/// By word, the sum of its counts; the order in which these come has no part in it.
fn sums<'a>(counts: impl Iterator<Item = (&'a str, usize)>) -> FxHashMap<&'a str, usize> {
    counts.fold(FxHashMap::default(), |mut sums, (word, count)| {
        *sums.entry(word).or_default() += count;
        sums
    })
}

/// The names of clusters, in order: words that begin what many hosts that compute are called.
fn stems(with_word: &FxHashMap<String, usize>, hosts: usize) -> Vec<String> {
    let called_so = sums(with_word.iter().flat_map(|(word, &count)| {
        let stems = COMPUTE.iter().filter_map(|suffix| word.strip_suffix(suffix));
        stems.map(move |stem| (stem, count))
    }));
    let is_stem = |&(stem, count): &(&str, usize)| {
        stem.chars().count() >= STEM && CALLED_SO * count >= hosts && meaning(stem).is_none()
    };
    let mut stems: Vec<String> =
        called_so.into_iter().filter(is_stem).map(|(stem, _)| stem.to_owned()).collect();
    stems.sort_unstable();
    stems
}

/// The word of a group that is glued to the name of a cluster, before or after it.
fn apart<'a>(word: &'a str, stem: &str) -> Option<&'a str> {
    let role = word.strip_prefix(stem).or_else(|| word.strip_suffix(stem))?;
    meaning(role).map(|_| role)
}

/// The adapters on each leaf, and how many of them are known to be of each group.
struct LeafGroups {
    adapters: Vec<u32>,
    known: Vec<[u32; Group::ALL.len()]>,
}

impl LeafGroups {
    fn of(fabric: &Fabric, known: &[Option<Group>]) -> Self {
        let count = fabric.num_switches();
        let mut out = Self { adapters: vec![0; count], known: vec![[0; Group::ALL.len()]; count] };
        for (end, known) in fabric.end_nodes().zip(known) {
            let adapter = fabric.node(end).kind == crate::fabric::NodeKind::Adapter;
            let Some(leaf) = leaf_of(fabric, end).filter(|_| adapter) else { continue };
            out.adapters[leaf.ix()] += 1;
            if let Some(group) = known {
                out.known[leaf.ix()][*group as usize] += 1;
            }
        }
        out
    }

    /// The group that most adapters of a leaf are known to be of.
    fn group(&self, leaf: NodeId) -> Option<Group> {
        let known = &self.known[leaf.ix()];
        Group::ALL.into_iter().find(|&group| 2 * known[group as usize] > self.adapters[leaf.ix()])
    }
}

#[cfg(test)]
mod tests {
    use super::super::Hosts;
    use super::super::testing::Sketch;
    use super::*;

    /// The groups of adapters on one leaf, by their descriptions.
    fn on_one_leaf(descriptions: &[&str]) -> Vec<Group> {
        let mut s = Sketch::new();
        let leaf = s.switch("leaf-1", 64);
        for (i, text) in descriptions.iter().enumerate() {
            let end = s.adapter(text);
            s.cable((end, 1), (leaf, i as u32 + 1));
        }
        let fabric = s.finish();
        let hosts = Hosts::of(&fabric, None);
        fabric.end_nodes().map(|end| hosts.group(end)).collect()
    }

    #[test]
    fn a_word_of_the_name_decides() {
        use Group::{Compute, Gateway, Management, Storage};
        let all = [
            ("luna-0001 mlx5_0", Compute),
            ("luna-0002 mlx5_0", Compute),
            ("luna-0003 mlx5_0", Compute),
            ("selene-cache-1 mlx5_0", Storage),
            ("selene-slurm-1 mlx5_0", Management),
            ("selene-ufm-c-2 HCA-1", Management),
            ("B10-P1-CUFM-1 mlx5_0", Management),
            ("Login02.nfs.example.org HCA-1", Management), // not its domain
            ("oss07 HCA-1", Storage),
            ("lnetrtr3 HCA-1", Gateway),
            ("smithers HCA-1", Compute), // no word, only its beginning
            ("iota4 HCA-1", Compute),
        ];
        let found = on_one_leaf(&all.map(|(text, _)| text));
        assert_eq!(found, all.map(|(_, group)| group));
    }

    #[test]
    fn a_word_glued_to_the_clusters_name_decides() {
        use Group::{Compute, Gateway, Management, Storage};
        let all = [
            ("fox001 HCA-1", Compute),
            ("fox002 HCA-1", Compute),
            ("foxcn003 HCA-1", Compute),
            ("foxgpu4 HCA-1", Compute),
            ("foxmds1 HCA-1", Storage),
            ("foxlogin2 HCA-1", Management),
            ("fox-foxgw1 HCA-1", Gateway),
            ("admfox1 HCA-1", Management),
            ("foxmdsx1 HCA-1", Compute),  // not the word, only its beginning
            ("nomads1 HCA-1", Compute),   // `mds` is not glued to any cluster's name
            ("edgw1 HCA-1", Compute),     // nor `gw`
            ("cadmium1 HCA-1", Compute),  // nor `adm`
            ("bloginfo1 HCA-1", Compute), // nor `login`
        ];
        let found = on_one_leaf(&all.map(|(text, _)| text));
        assert_eq!(found, all.map(|(_, group)| group));
        // The same hosts with the role apart from the name and glued to it.
        for (before, after) in [("fox-", ""), ("fox", "")] {
            let mut names: Vec<String> = (0..22).map(|n| format!("fox{n:03} HCA-1")).collect();
            for (role, count) in [("oss", 4), ("mds", 2), ("login", 2)] {
                names.extend((0..count).map(|n| format!("{before}{role}{after}{n} HCA-1")));
            }
            let texts: Vec<&str> = names.iter().map(|name| &**name).collect();
            let found = on_one_leaf(&texts);
            let count = |group| found.iter().filter(|&&g| g == group).count();
            assert_eq!([Compute, Management, Storage].map(count), [22, 2, 6], "{before}");
        }
    }

    #[test]
    fn a_cluster_whose_own_name_ends_like_a_word_has_no_roles() {
        // The cluster is called `palmds`, and `xmds`, `tadm` and `sgw` are the names of others.
        for cluster in ["palmds", "xmds", "tadm", "sgw"] {
            let names: Vec<String> = (1..=8).map(|n| format!("{cluster}{n} HCA-1")).collect();
            let texts: Vec<&str> = names.iter().map(|name| &**name).collect();
            assert_eq!(on_one_leaf(&texts), [Group::Compute; 8], "{cluster}");
        }
    }

    #[test]
    fn a_word_of_most_hosts_says_nothing() {
        let found = on_one_leaf(&["weka-c1 HCA-1", "weka-c2 HCA-1", "weka-c3 HCA-1", "weka-login1 HCA-1"]);
        assert_eq!(found, [Group::Compute, Group::Compute, Group::Compute, Group::Management]);
        let found = on_one_leaf(&["weka-1 HCA-1", "weka-2 HCA-1", "n1 HCA-1", "n2 HCA-1"]);
        assert_eq!(found, [Group::Storage, Group::Storage, Group::Compute, Group::Compute]);
    }

    #[test]
    fn a_host_without_a_name_is_of_the_group_of_most_on_its_leaf() {
        let unnamed = "MT4129 ConnectX7   Mellanox Technologies";
        let found =
            on_one_leaf(&["oss1 HCA-1", "oss2 HCA-1", "mds1 HCA-1", unnamed, "localhost HCA-1", "n1 HCA-1"]);
        // Three of six are not most.
        assert_eq!(found[3..], [Group::Compute; 3]);
        let found = on_one_leaf(&["oss1 HCA-1", "mds1 HCA-1", "mds2 HCA-1", unnamed, "n1 HCA-1"]);
        assert_eq!(found[3..], [Group::Storage, Group::Compute]);
    }

    #[test]
    fn a_hosts_group_is_assumed_where_its_leaf_has_no_hosts_like_it() {
        // Three hosts with two adapters each, and one with an installer's name that has as many adapters as is said here.
        let assumed = |peers: &str, adapters: usize| {
            let mut texts: Vec<String> =
                (1..=3).flat_map(|n| [1, 2].map(|card| format!("{peers}{n} HCA-{card}"))).collect();
            texts.extend((1..=adapters).map(|card| format!("ubuntu HCA-{card}")));
            let mut s = Sketch::new();
            let leaf = s.switch("leaf-1", 64);
            for (text, port) in texts.iter().zip(1..) {
                let end = s.adapter(text);
                s.cable((end, 1), (leaf, port));
            }
            let fabric = s.finish();
            let hosts = Hosts::of(&fabric, None);
            let host = fabric.end_nodes().last().unwrap();
            (hosts.group(host), hosts.is_group_assumed(host))
        };
        assert_eq!(assumed("n", 2), (Group::Compute, false));
        assert_eq!(assumed("n", 1), (Group::Compute, true));
        assert_eq!(assumed("n", 3), (Group::Compute, true));
        // Six of seven adapters are those of storage hosts, by name.
        assert_eq!(assumed("oss", 1), (Group::Storage, false));
    }
}
