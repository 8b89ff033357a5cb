//! Fat-tree routing written down step by step from a description of OpenSM 3.3.23's behaviour, with
//! no thought of speed: tables of all hops, recursion, stable sorts at every step.

use std::collections::{BTreeMap, VecDeque};

use lacis_core::fabric::{Fabric, Guid, NodeId, NodeKind};
use lacis_core::routing::Options;
use lacis_core::sm::lids::Lids;

const NONE: u8 = 255;
type Tuple = [u8; 8];

#[derive(Clone)]
struct Cable {
    remote: u8,
    cu: u32,
    cd: u32,
}

#[derive(Clone)]
enum To {
    Switch(usize),
    Adapter { lid: u32, compute: bool, port: u8 },
}

#[derive(Clone)]
struct Group {
    to: To,
    cables: Vec<Cable>,
    cu: u32,
    cd: u32,
}

impl Group {
    fn switch(&self) -> Option<usize> {
        if let To::Switch(v) = self.to { Some(v) } else { None }
    }
    fn least(&self, by: impl Fn(&Cable) -> u32) -> usize {
        let least = self.cables.iter().map(&by).min().unwrap();
        self.cables.iter().position(|c| by(c) == least).unwrap()
    }
}

/// All state; switches by node index. Groups are numbered, arrays hold their numbers.
struct Tree {
    rank: Vec<Option<u32>>,
    leaf_rank: u32,
    tuple: Vec<Tuple>,
    groups: Vec<Group>,
    up: Vec<Vec<usize>>,
    down: Vec<Vec<usize>>,
    sibling: Vec<Vec<usize>>,
    dirty: Vec<bool>,
    idx: Vec<usize>,
    leaf: Vec<bool>,
    lft: Vec<Vec<u8>>,
    hop: Vec<Vec<u32>>,
}

fn is_ca(f: &Fabric, n: NodeId) -> bool {
    matches!(f.node(n).kind, NodeKind::Adapter | NodeKind::Aggregation)
}

fn bfs(f: &Fabric, roots: &[usize]) -> Vec<Option<u32>> {
    let mut rank = vec![None; f.num_switches()];
    let mut queue: VecDeque<usize> = roots.iter().copied().collect();
    for &r in roots {
        rank[r] = Some(0);
    }
    while let Some(s) = queue.pop_front() {
        for p in f.ports_of(NodeId(s as u32)) {
            let Some(v) = f.peer(p).map(|q| f.node_of(q)).filter(|&v| f.is_switch(v)) else { continue };
            if rank[v.ix()].is_none() {
                rank[v.ix()] = Some(rank[s].unwrap() + 1);
                queue.push_back(v.ix());
            }
        }
    }
    rank
}

/// The tables by switch and LID, or a word for the refusal.
pub fn route(f: &Fabric, lids: &Lids, o: &Options) -> Result<Vec<Vec<u8>>, &'static str> {
    let n = f.num_switches();
    let mut sw: Vec<usize> = (0..n).collect();
    sw.sort_by_key(|&s| f.node(NodeId(s as u32)).guid.0.swap_bytes());
    let mut cas: Vec<NodeId> = f.end_nodes().filter(|&c| is_ca(f, c)).collect();
    cas.sort_by_key(|&c| f.node(c).guid.0.swap_bytes());
    let cabled = |c: NodeId| f.ports_of(c).any(|p| f.peer(p).is_some());
    if f.switches().filter(|&s| cabled(s)).count() < 2 {
        return Err("switches");
    }
    if cas.iter().filter(|&&c| cabled(c)).count() < 2 {
        let ends = f.end_nodes().filter(|&n| cabled(n)).count();
        return Err(if ends < 2 { "nodes" } else { "CAs" });
    }
    for &c in &cas {
        if f.ports_of(c).any(|p| f.peer(p).is_some_and(|q| is_ca(f, f.node_of(q)))) {
            return Err("CA connected directly");
        }
    }
    for list in [&o.cn, &o.io] {
        if list.as_ref().is_some_and(Vec::is_empty) {
            return Err("no valid guids");
        }
    }
    // Ranks.
    let switch_of_guid = |g: &Guid| sw.iter().copied().find(|&s| f.node(NodeId(s as u32)).guid == *g);
    let roots: Vec<usize> = o.roots.iter().flatten().filter_map(switch_of_guid).collect();
    let rank = if roots.is_empty() {
        let with_ca: Vec<usize> = sw
            .iter()
            .copied()
            .filter(|&s| {
                f.ports_of(NodeId(s as u32)).any(|p| f.peer(p).is_some_and(|q| is_ca(f, f.node_of(q))))
            })
            .collect();
        let level = bfs(f, &with_ca);
        let top = level.iter().flatten().max().copied();
        let roots: Vec<usize> = sw.iter().copied().filter(|&s| top.is_some() && level[s] == top).collect();
        bfs(f, &roots)
    } else {
        bfs(f, &roots)
    };
    let max = rank.iter().flatten().max().copied().unwrap_or(0);
    if max == 0 && rank.iter().flatten().count() > 1 {
        return Err("more than one root");
    }
    // Groups.
    let mut t = Tree {
        rank,
        leaf_rank: max,
        tuple: vec![[255; 8]; n],
        groups: Vec::new(),
        up: vec![Vec::new(); n],
        down: vec![Vec::new(); n],
        sibling: vec![Vec::new(); n],
        dirty: vec![false; n],
        idx: vec![0; n],
        leaf: vec![false; n],
        lft: vec![vec![NONE; lids.max_lid() as usize + 1]; n],
        hop: vec![vec![255; lids.max_lid() as usize + 1]; n],
    };
    let role = |g: Guid| {
        let in_cn = o.cn.as_ref().is_some_and(|l| l.contains(&g));
        let io = !in_cn && o.io.as_ref().is_some_and(|l| l.contains(&g));
        (in_cn || (o.cn.is_none() && !io), io)
    };
    for s in 0..n {
        let Some(rank) = t.rank[s] else { continue };
        let mut of: BTreeMap<usize, usize> = BTreeMap::new();
        for p in f.ports_of(NodeId(s as u32)) {
            let Some(q) = f.peer(p) else { continue };
            let v = f.node_of(q);
            let cable = Cable { remote: f.number_of(q), cu: 0, cd: 0 };
            if is_ca(f, v) {
                let (compute, _) = role(f.port_info(q).guid);
                t.leaf[s] |= compute;
                t.down[s].push(t.groups.len());
                let to = To::Adapter { lid: lids.base(q), compute, port: f.number_of(p) };
                t.groups.push(Group { to, cables: vec![cable], cu: 0, cd: 0 });
            } else if f.is_switch(v) && v.ix() != s {
                let other = t.rank[v.ix()].unwrap();
                let g = *of.entry(v.ix()).or_insert_with(|| {
                    let list = match other.cmp(&rank) {
                        std::cmp::Ordering::Less => &mut t.up[s],
                        std::cmp::Ordering::Equal => &mut t.sibling[s],
                        std::cmp::Ordering::Greater => &mut t.down[s],
                    };
                    list.push(t.groups.len());
                    t.groups.push(Group { to: To::Switch(v.ix()), cables: Vec::new(), cu: 0, cd: 0 });
                    t.groups.len() - 1
                });
                t.groups[g].cables.push(cable);
            }
        }
    }
    let mut computes = Vec::new();
    let mut others = Vec::new();
    for &c in &cas {
        for p in f.ports_of(c) {
            let Some(q) = f.peer(p) else { continue };
            let s = f.node_of(q);
            if !f.is_switch(s) || t.rank[s.ix()].is_none() {
                continue;
            }
            let (compute, io) = role(f.port_info(p).guid);
            if compute {
                computes.push(s.ix());
            } else {
                others.push((s.ix(), lids.base(p), f.number_of(q), io));
            }
        }
    }
    let Some(&first) = computes.first() else { return Err("no valid compute nodes") };
    if o.roots.is_some() {
        t.leaf_rank = t.rank[first].unwrap();
    }
    if !(2..=8).contains(&(t.leaf_rank + 1)) {
        return Err("Fabric rank");
    }
    if computes.iter().any(|&s| t.rank[s] != Some(t.leaf_rank)) {
        return Err("CN port");
    }
    t.index(&sw);
    // Leaf array.
    let mut array: Vec<usize> = sw.iter().copied().filter(|&s| t.rank[s] == Some(t.leaf_rank)).collect();
    array.sort_by_key(|&s| t.tuple[s]);
    let from = array.iter().position(|&s| t.leaf[s]).unwrap();
    let to = array.iter().rposition(|&s| t.leaf[s]).unwrap();
    if from >= to {
        return Err("find leaf switches");
    }
    let array = &array[from..=to];
    let num_cn = |t: &Tree, s: usize| {
        t.down[s].iter().filter(|&&g| matches!(t.groups[g].to, To::Adapter { compute: true, .. })).count()
    };
    let max_cn = array.iter().map(|&s| num_cn(&t, s)).max().unwrap();
    if o.roots.is_none() {
        t.regular(&sw)?;
    }
    // Targets.
    for &s in array {
        let mut routed = 0;
        for g in t.down[s].clone() {
            let To::Adapter { lid, compute: true, port } = t.groups[g].to else { continue };
            t.lft[s][lid as usize] = port;
            t.hop[s][lid as usize] = 1;
            t.upwalk(s, None, lid as usize, true, 0, 1);
            routed += 1;
        }
        for _ in routed..max_cn {
            t.hop[s][0] = 1;
            t.upwalk(s, None, 0, true, 0, 1);
            for v in 0..n {
                t.hop[v][0] = 255;
                t.lft[v][0] = NONE;
            }
        }
    }
    for (s, lid, port, io) in others {
        t.lft[s][lid as usize] = port;
        t.hop[s][lid as usize] = 1;
        t.upwalk(s, None, lid as usize, true, if io { o.reverse_hops } else { 0 }, 1);
    }
    for &s in sw.iter().filter(|&&s| t.rank[s].is_some()).collect::<Vec<_>>() {
        let lid = lids.of_switch(f, NodeId(s as u32)) as usize;
        t.lft[s][lid] = 0;
        t.hop[s][lid] = 0;
        t.upwalk(s, None, lid, false, 0, 0);
    }
    if o.connect_roots {
        let z = *array.last().unwrap();
        let lid_z = lids.of_switch(f, NodeId(z as u32)) as usize;
        for &s in &sw {
            if t.rank[s].is_none_or(|r| r >= t.leaf_rank) {
                continue;
            }
            for lid in 1..=lids.max_lid() {
                let is_switch = lids.owner(lid).is_some_and(|p| f.is_switch(f.node_of(p)));
                let lid = lid as usize;
                if is_switch && t.lft[s][lid] == NONE && t.hop[z][lid] != 255 {
                    t.lft[s][lid] = t.lft[s][lid_z];
                }
            }
        }
    }
    Ok(t.lft)
}

impl Tree {
    fn tuple_of(&self, g: usize) -> Tuple {
        // Adapters after all switches.
        self.groups[g].switch().map_or([255; 8], |v| self.tuple[v])
    }

    fn new_tuple(&self, base: Tuple, rank: u8, at: usize) -> Option<Tuple> {
        (0..=254).find_map(|b| {
            let mut t = base;
            t[0] = rank;
            t[at] = b;
            (!self.tuple.contains(&t)).then_some(t)
        })
    }

    fn index(&mut self, sw: &[usize]) {
        let start = sw.iter().copied().find(|&s| self.leaf[s]).unwrap();
        let mut tuple = [255; 8];
        tuple[0] = self.leaf_rank as u8;
        tuple[1..=self.leaf_rank as usize].fill(0);
        self.tuple[start] = tuple;
        let mut queue = VecDeque::from([start]);
        while let Some(s) = queue.pop_front() {
            let rank = self.rank[s].unwrap();
            for (wanted, list, to, at) in [
                (rank < self.leaf_rank, self.down[s].clone(), rank + 1, rank + 1),
                (rank != 0, self.up[s].clone(), rank.wrapping_sub(1), rank),
            ] {
                if !wanted {
                    continue;
                }
                for v in list.iter().filter_map(|&g| self.groups[g].switch()) {
                    if self.tuple[v] != [255; 8] {
                        continue;
                    }
                    if let Some(t) = self.new_tuple(self.tuple[s], to as u8, at as usize) {
                        self.tuple[v] = t;
                        queue.push_back(v);
                    }
                }
                let mut list = list;
                list.sort_by_key(|&g| self.tuple_of(g));
                *(if at > rank { &mut self.down[s] } else { &mut self.up[s] }) = list;
            }
        }
    }

    fn regular(&self, sw: &[usize]) -> Result<(), &'static str> {
        let mut models: BTreeMap<u32, usize> = BTreeMap::new();
        for &s in sw {
            let Some(rank) = self.rank[s] else { continue };
            let model = *models.entry(rank).or_insert(s);
            let size = |g: Option<&usize>| g.map(|&g| self.groups[g].cables.len());
            if self.up[s].len() != self.up[model].len() {
                return Err("upward port groups");
            }
            if rank != self.leaf_rank && self.down[s].len() != self.down[model].len() {
                return Err("downward port groups");
            }
            if s != model && self.up[s].iter().any(|g| size(Some(g)) != size(self.up[model].first())) {
                return Err("ports in an upward port group");
            }
            if rank != self.leaf_rank && size(self.down[s].first()) != size(self.down[model].first()) {
                return Err("ports in an downward port group");
            }
        }
        Ok(())
    }

    fn by_cu(&self, mut list: Vec<usize>) -> Vec<usize> {
        list.sort_by_key(|&g| (self.groups[g].cu, self.tuple_of(g)));
        list
    }

    fn by_cd(&self, mut list: Vec<usize>) -> Vec<usize> {
        list.sort_by_key(|&g| (self.groups[g].cd, self.tuple_of(g)));
        list
    }

    fn downwalk(&mut self, s: usize, prev: Option<usize>, lid: usize, cur: u32) -> bool {
        if self.down[s].is_empty() {
            return false;
        }
        if self.dirty[s] {
            self.down[s] = self.by_cu(self.down[s].clone());
            self.dirty[s] = false;
        }
        self.sibling[s] = self.by_cu(self.sibling[s].clone());
        let siblings = if lid == 0 { 0 } else { self.sibling[s].len() };
        let mut result = false;
        for i in 0..self.down[s].len() + siblings {
            let downs = self.down[s].len();
            let g = if i < downs { self.down[s][i] } else { self.sibling[s][i - downs] };
            let Some(v) = self.groups[g].switch() else {
                result = true;
                continue;
            };
            if Some(v) == prev {
                continue;
            }
            let x = self.groups[g].least(|c| c.cu);
            if self.hop[v][lid] != 255 && cur + 1 >= self.hop[v][lid] {
                continue;
            }
            self.lft[v][lid] = self.groups[g].cables[x].remote;
            self.hop[v][lid] = cur + 1;
            if self.downwalk(v, None, lid, cur + 1) {
                self.groups[g].cables[x].cu += 1;
                self.groups[g].cu += 1;
                self.dirty[s] = true;
                result = true;
            }
        }
        if result {
            self.idx[s] = (self.idx[s] + 1) % self.down[s].len();
        }
        result
    }

    fn upwalk(
        &mut self,
        s: usize,
        prev: Option<usize>,
        lid: usize,
        main: bool,
        credit: u8,
        cur: u32,
    ) -> bool {
        let mut res = self.downwalk(s, prev, lid, cur);
        if self.rank[s] == Some(0) {
            if credit > 0 && !self.down[s].is_empty() {
                let count = self.down[s].len();
                self.idx[s] = (self.idx[s] + 1) % count;
                let idx = self.idx[s];
                for i in 0..count {
                    let g = self.down[s][(idx + i) % count];
                    if let Some(v) = self.groups[g].switch() {
                        res |= self.upwalk(v, Some(s), lid, main, credit - 1, cur + 1);
                    }
                }
            }
            return res;
        }
        self.up[s] = self.by_cd(self.up[s].clone());
        let g0 = self.up[s][0];
        let x = self.groups[g0].least(|c| c.cd);
        let v = self.groups[g0].switch().unwrap();
        if main {
            self.groups[g0].cd += 1;
            self.groups[g0].cables[x].cd += 1;
            if self.lft[v][lid] == NONE || cur + 1 < self.hop[v][lid] {
                self.lft[v][lid] = self.groups[g0].cables[x].remote;
                self.hop[v][lid] = cur + 1;
            }
            res |= self.upwalk(v, Some(s), lid, main, credit, cur + 1);
        }
        for i in usize::from(main)..self.up[s].len() {
            let g = self.up[s][i];
            res |= self.aside(g, s, lid, credit, cur).unwrap_or(false);
        }
        self.sibling[s] = self.by_cd(self.sibling[s].clone());
        for i in 0..self.sibling[s].len() {
            let g = self.sibling[s][i];
            let x = self.groups[g].least(|c| c.cd);
            if self.aside(g, s, lid, credit, cur) == Some(true) {
                res = true;
                self.groups[g0].cd += 1;
                self.groups[g].cables[x].cd += 1;
            }
        }
        if credit == 0 || self.leaf[s] {
            return res;
        }
        for i in 0..self.down[s].len() {
            if let Some(v) = self.groups[self.down[s][i]].switch() {
                res |= self.upwalk(v, Some(s), lid, true, credit - 1, cur + 1);
            }
        }
        res
    }

    /// A step that is not the main one, if it shortens anything.
    fn aside(&mut self, g: usize, s: usize, lid: usize, credit: u8, cur: u32) -> Option<bool> {
        let v = self.groups[g].switch().unwrap();
        let x = self.groups[g].least(|c| c.cd);
        if self.lft[v][lid] != NONE && cur + 1 >= self.hop[v][lid] {
            return None;
        }
        self.lft[v][lid] = self.groups[g].cables[x].remote;
        self.hop[v][lid] = cur + 1;
        Some(self.upwalk(v, Some(s), lid, false, credit, cur + 1))
    }
}
