//! Merging the tallies of threads, and patterns that share paths.

use std::sync::atomic::AtomicBool;

use super::setting::PhaseSetting;
use super::tally::PhaseTally;
use super::worker::PhaseWorker;
use super::{Cells, Model, PredictRequest, Prediction, predict, predict_each};
use crate::model::fluid::Capacity;
use crate::model::load::Paths;
use crate::model::load::testing::two_tier;
use crate::ranks::Participants;
use crate::traffic::{Phases, Traffic};

#[test]
fn the_sum_is_the_same_whichever_thread_runs_a_phase() {
    let net = two_tier(4, 3, 2);
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let phases = Phases::new(&"permutation".parse().unwrap(), &participants, 12, Vec::new()).unwrap();
    let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, 0);
    let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
    for model in [Model::Load, Model::Fluid] {
        let request = PredictRequest { model, cells: Some(Cells::Leaves), ..PredictRequest::default() };
        let nominal = Some(capacity.rates.clone());
        let setting = PhaseSetting {
            phases: &phases,
            paths: &paths,
            request: &request,
            capacity: Some(&capacity),
            by_lane: None,
            nominal,
        };
        let gather = |phases: &mut dyn Iterator<Item = usize>| {
            let mut worker = PhaseWorker::new(&setting);
            phases.for_each(|phase| worker.run(phase));
            worker.tally
        };
        let show = |tally: PhaseTally| {
            // Every link's peak is reached in the first phase that has it, whichever thread ran that phase.
            let peaks = format!("{:?} {:?}", tally.peak, tally.peak_phase);
            format!("{peaks} {:?}", tally.into_prediction(&setting))
        };
        let alone = show(gather(&mut (0..12)));
        let (even, odd) = (|| gather(&mut (0..12).step_by(2)), || gather(&mut (1..12).step_by(2)));
        assert!(show(even().merge(odd())) == alone);
        assert!(show(odd().merge(even())) == alone);
    }
}

#[test]
fn patterns_together_get_what_each_gets_alone() {
    let net = two_tier(4, 3, 2);
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let traffic = ["bisection", "shift", "alltoall"].map(|pattern| {
        Traffic::Pattern(Phases::new(&pattern.parse().unwrap(), &participants, 5, Vec::new()).unwrap())
    });
    let request = PredictRequest { seed: 7, ..PredictRequest::default() };
    let stop = AtomicBool::new(false);
    let together = predict_each(&stop, &net.fabric, &net.routes, &traffic, &request).unwrap();
    let alone = traffic.iter().map(|one| predict(&net.fabric, &net.routes, one, &request).unwrap());
    let alone = alone.map(|one| Prediction { loads: Vec::new(), ..one });
    assert_eq!(together, alone.collect::<Vec<_>>());
    assert!(together.iter().all(|prediction| prediction.flows > 0));
}
