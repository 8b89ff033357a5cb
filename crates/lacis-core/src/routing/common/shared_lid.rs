//! Two switches with one LID, which OpenSM gives where ports report LIDs that its cache has otherwise.
//!
//! OpenSM keeps the hops to a switch by its LID: what it writes for one of the two overwrites or meets what it wrote for
//! the other, so that its tables depend on the order of its loops, and lead nowhere for much of what is on the two.

use rustc_hash::FxHashMap;

use crate::fabric::NodeId;
use crate::routing::{Refused, Sweep};
use crate::sm::{Engine, RefusalReason};

/// Why the tables that OpenSM's engine makes are not known; none where they are, as no two switches have one LID or the engine
/// keeps no hops.
pub(in crate::routing) fn objection(engine: Engine, sweep: &Sweep<'_>) -> Option<Refused> {
    let keeps_hops = match engine {
        Engine::MinHop | Engine::UpDn | Engine::DnUp | Engine::Dor | Engine::FTree | Engine::Nue => true,
        Engine::File => sweep.options.lfts_file.is_none(),
        _ => false,
    };
    let (lid, [a, b]) = keeps_hops.then(|| shared(sweep)).flatten()?;
    let switches = [a, b].map(|switch| sweep.fabric.node(switch).description.to_string());
    Some(Refused::new(RefusalReason::SwitchLidShared { lid, switches }))
}

/// The first LID of two switches, and these.
fn shared(sweep: &Sweep<'_>) -> Option<(u32, [NodeId; 2])> {
    let mut owners: FxHashMap<u32, NodeId> = FxHashMap::default();
    let lids = sweep.fabric.switches().map(|s| (sweep.lids.of_switch(sweep.fabric, s), s));
    lids.filter(|&(lid, _)| lid != 0)
        .find_map(|(lid, switch)| owners.insert(lid, switch).map(|before| (lid, [before, switch])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;
    use crate::routing::{Options, RouteError, route, run};
    use crate::sm::lids::{LidOptions, Lids};

    #[test]
    fn engines_that_keep_hops_are_refused_where_two_switches_have_one_lid() {
        let fabric = generate("fat-tree:4,2").unwrap();
        let mut lids =
            Lids::assign(&fabric, Lids::default_sm(&fabric).unwrap(), &LidOptions::fresh()).unwrap();
        let own = lids.of_switch(&fabric, NodeId(1));
        lids.set(fabric.port0(NodeId(3)), own, 0);
        let options = Options::default();
        for engine in [Engine::MinHop, Engine::UpDn, Engine::DnUp, Engine::Dor, Engine::FTree, Engine::Nue] {
            let refused = run(engine, &Sweep::first(&fabric, &lids, &options)).unwrap_err();
            let switches = ["leaf-02", "leaf-04"].map(str::to_owned);
            assert_eq!(refused.reason, RefusalReason::SwitchLidShared { lid: own, switches }, "{engine}");
        }
        // What the fall-back makes is not known either.
        let error = route(&fabric, lids.clone(), &[Engine::FTree, Engine::Sssp], &options).unwrap_err();
        assert!(matches!(error, RouteError::Endless(refusal) if refusal.engine == Engine::FTree));
        assert!(run(Engine::Sssp, &Sweep::first(&fabric, &lids, &options)).is_ok());
    }
}
