//! Every option of the choice among equal ports against its literal rendering, for `minhop`,
//! `updn` and `dor`.

use lacis_core::fabric::{Fabric, Guid, PortId};
use lacis_core::routing::{Options, reroute, route};
use lacis_core::sm::lids::Lids;
use lacis_core::sm::{Engine, Lft};
use proptest::prelude::*;

use crate::fabrics::{largest_island, lids};
use crate::reference::{Recipe, Reference, build, recipes, scattered};

/// Options of a manager, in numbers that mean something on any fabric.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "switches of OpenSM's, as in Options")]
struct Drawn {
    seed: u64,
    lmc: u8,
    listed: bool,
    roots: u64,
    order_no_scatter: bool,
    port_shifting: bool,
    scatter: u32,
    count_switches: bool,
    ignore: bool,
    search_order: bool,
    previous: bool,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let flags = prop::array::uniform7(any::<bool>());
    let scatter = prop_oneof![2 => Just(0), 1 => 1..9_u32];
    (any::<u32>(), 0..5_u8, 1..255_u64, flags, scatter).prop_map(|(seed, lmc, roots, flags, scatter)| {
        let [listed, order_no_scatter, port_shifting, count_switches, ignore, search_order, previous] = flags;
        let seed = u64::from(seed);
        Drawn {
            seed,
            lmc,
            listed,
            roots,
            order_no_scatter,
            port_shifting,
            scatter,
            count_switches,
            ignore,
            search_order,
            previous,
        }
    })
}

impl Drawn {
    /// A number below `below`, another one for every `what`.
    fn random(&self, what: u64, below: u64) -> u64 {
        (scattered(self.seed ^ scattered(what)) >> 20) % below
    }

    fn options(&self, fabric: &Fabric) -> Options {
        let mut o = Options {
            order_no_scatter: self.order_no_scatter,
            port_shifting: self.port_shifting,
            scatter: self.scatter,
            count_switches: self.count_switches,
            ..Options::default()
        };
        let mut roots = Vec::new();
        for s in fabric.switches() {
            let (guid, radix) = (fabric.node(s).guid, fabric.radix(s));
            if self.roots >> (s.0 % 8) & 1 == 1 {
                roots.push(guid);
            }
            if self.ignore {
                let skip = |p: &u8| self.random(guid.0 ^ u64::from(*p), 5) == 0;
                o.ignore.extend((0..=radix).filter(skip).map(|p| (guid, p)));
            }
            for line in 0..self.random(guid.0, 3) * u64::from(self.search_order) {
                // Repeated ports and those beyond the last void the line.
                let port = |i: u64| self.random(guid.0 ^ line ^ i << 8, u64::from(radix) + 2) as u8;
                let ports: Vec<u8> = (0..=self.random(line, 3)).map(|i| port(i).max(1)).collect();
                o.search_order.push((guid, ports));
            }
        }
        o.roots = Some(roots);
        if self.listed {
            let ports = (0..fabric.num_ports() as u32).map(|p| fabric.port_info(PortId(p)).guid);
            o.order = ports.filter(|g| g.is_some() && self.random(g.0, 3) == 0).collect();
            o.order.sort_by_key(|g| scattered(g.0));
            o.order.push(Guid(0xDEAD));
        }
        o
    }

    /// LIDs as OpenSM lays them out: end nodes have 2^LMC of them, aligned, switches one.
    fn lids(&self, fabric: &Fabric) -> Lids {
        let given = lids(fabric);
        let mut several = Lids::none(fabric);
        let mut next = 1;
        for (_, port) in given.assigned() {
            let lmc = if fabric.is_switch(fabric.node_of(port)) { 0 } else { self.lmc };
            let base = (next + (1 << lmc) - 1) >> lmc << lmc;
            several.set(port, base, lmc);
            next = base + (1 << lmc);
        }
        several
    }

    /// Tables of anything, some of it right.
    fn previous(&self, fabric: &Fabric, lids: &Lids) -> Option<Lft> {
        let mut lft = Lft::new(fabric.num_switches(), lids.max_lid());
        for s in fabric.switches() {
            let ports = u64::from(fabric.radix(s)) + 2;
            for (lid, entry) in (0..).zip(lft.row_mut(s)) {
                *entry = self.random(u64::from(s.0) << 32 | lid, ports) as u8;
            }
        }
        self.previous.then_some(lft)
    }
}

/// One engine with one and two threads.
fn compare(recipe: &Recipe, drawn: &Drawn, engine: Engine) {
    let fabric = if engine == Engine::UpDn { largest_island(&build(recipe)) } else { build(recipe) };
    let (lids, options) = (drawn.lids(&fabric), drawn.options(&fabric));
    let previous = drawn.previous(&fabric, &lids);
    let reference = Reference::new(&fabric, &lids, &options);
    let hops = if engine == Engine::UpDn { reference.updn_matrices() } else { None };
    let hops = hops.unwrap_or_else(|| reference.minhop_matrices());
    let targets = reference.targets();
    let mut choice = reference.choice(&hops, &targets);
    choice.dor = engine == Engine::Dor;
    choice.previous = previous.as_ref();
    let expected = choice.tables();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let got = pool.install(|| match &previous {
            Some(previous) => reroute(&fabric, lids.clone(), &[engine], &options, previous).unwrap(),
            None => route(&fabric, lids.clone(), &[engine], &options).unwrap(),
        });
        assert!(got.lft == expected, "{threads} threads");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn minhop_chooses_as_the_literal_rules_say(recipe in recipes(), drawn in drawn()) {
        compare(&recipe, &drawn, Engine::MinHop);
    }

    #[test]
    fn updn_chooses_as_the_literal_rules_say(recipe in recipes(), drawn in drawn()) {
        compare(&recipe, &drawn, Engine::UpDn);
    }

    #[test]
    fn dor_chooses_as_the_literal_rules_say(recipe in recipes(), drawn in drawn()) {
        compare(&recipe, &drawn, Engine::Dor);
    }

    #[test]
    fn dor_without_options_chooses_as_the_literal_rules_say(recipe in recipes()) {
        let fabric = build(&recipe);
        let (lids, options) = (lids(&fabric), Options::default());
        let reference = Reference::new(&fabric, &lids, &options);
        let (hops, targets) = (reference.minhop_matrices(), reference.targets());
        let mut choice = reference.choice(&hops, &targets);
        choice.dor = true;
        let got = route(&fabric, lids.clone(), &[Engine::Dor], &options).unwrap();
        prop_assert!(got.lft == choice.tables());
    }
}
