//! Fluid against exact arithmetic, and its invariants.

use super::*;
use crate::model::load::testing::{Net, two_tier, two_tier_with};
use crate::model::load::{Links, Paths};
use crate::ranks::Flow;
use crate::ranks::Participants;
use crate::traffic::{Phase, Phases, Rng};

/// An exact non-negative rational; the tests' numbers stay far below overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ratio(i128, i128);

impl Ratio {
    fn new(n: i128, d: i128) -> Self {
        let (mut a, mut b) = (n.abs(), d);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Self(n / a.max(1), d / a.max(1))
    }

    fn less_times(self, rate: Self, times: i128) -> Self {
        Self::new(self.0 * rate.1 - rate.0 * times * self.1, self.1 * rate.1)
    }

    fn over(self, n: i128) -> Self {
        Self::new(self.0, self.1 * n)
    }

    fn is_below(self, other: Self) -> bool {
        self.0 * other.1 < other.0 * self.1
    }
}

/// Textbook water filling: one link after the other, the tightest first, in exact fractions.
fn exact(paths: &[Vec<LinkId>], capacity: &[i128]) -> Vec<Ratio> {
    let mut left: Vec<Ratio> = capacity.iter().map(|&c| Ratio::new(c, 1)).collect();
    let mut rate = vec![None; paths.len()];
    loop {
        let on = |link: LinkId, rate: &[Option<Ratio>]| {
            (0..paths.len()).filter(|&f| rate[f].is_none() && paths[f].contains(&link)).collect::<Vec<_>>()
        };
        let mut tightest: Option<(Ratio, LinkId)> = None;
        for link in 1..capacity.len() as LinkId {
            let flows = on(link, &rate).len();
            if flows > 0 {
                let share = left[link as usize].over(flows as i128);
                if tightest.is_none_or(|(least, _)| share.is_below(least)) {
                    tightest = Some((share, link));
                }
            }
        }
        let Some((share, link)) = tightest else { break };
        for f in on(link, &rate) {
            rate[f] = Some(share);
            for &l in &paths[f] {
                left[l as usize] = left[l as usize].less_times(share, 1);
            }
        }
    }
    rate.into_iter().map(|r| r.unwrap_or(Ratio(0, 1))).collect()
}

fn steps_of(net: &Net, flows: &[Flow]) -> (Steps, Links) {
    let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, 0);
    let mut steps = Steps::default();
    paths.steps(flows, &mut steps);
    (steps, paths.links().clone())
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs()
}

#[test]
fn rates_are_those_of_exact_arithmetic() {
    let mut rng = Rng::of_pattern(42, 0);
    for case in 0..60 {
        // A table at random, links of mixed rates, flows at random, some sharing host links.
        let choice: Vec<u32> = (0..12).map(|_| rng.below(3)).collect();
        let net = two_tier_with(4, 3, 3, |d| choice[d as usize]);
        let draw = |rng: &mut Rng| loop {
            let (from, to) = (rng.below(12), rng.below(12));
            if from != to {
                return Flow { from, to };
            }
        };
        let flows: Vec<Flow> = (0..6 + rng.below(12)).map(|_| draw(&mut rng)).collect();
        let (steps, links) = steps_of(&net, &flows);
        let capacity: Vec<i128> = (0..links.len()).map(|_| 1 + i128::from(rng.below(4))).collect();
        let paths: Vec<Vec<LinkId>> = (0..flows.len()).map(|f| steps.of_flow(f).collect()).collect();
        let expected = exact(&paths, &capacity);
        let mut fluid = Fluid::new(capacity.iter().map(|&c| c as f64).collect());
        for _ in 0..2 {
            fluid.fill(&steps); // the second time with what the first left behind
            for (f, (&rate, &Ratio(n, d))) in fluid.rates().iter().zip(&expected).enumerate() {
                assert!(close(rate, n as f64 / d as f64), "case {case}, flow {f}: {rate} is not {n}/{d}");
            }
        }
    }
}

#[test]
fn every_flow_has_a_full_link_on_which_no_flow_gets_more() {
    let net = two_tier(12, 6, 4);
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let paths = Paths::new(&net.fabric, &net.routes, &net.hosts, 0);
    let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
    let phases = Phases::new(&"permutation".parse().unwrap(), &participants, 20, Vec::new()).unwrap();
    let rates = capacity.rates;
    let mut fluid = Fluid::new(rates.clone());
    let (mut phase, mut steps) = (Phase::default(), Steps::default());
    for i in 0..20 {
        phases.fill(i, 5, &mut phase);
        paths.steps(&phase.flows, &mut steps);
        fluid.fill(&steps);
        let mut sum = vec![0.0; paths.links().len()];
        let mut greatest = vec![0.0_f64; paths.links().len()];
        for (f, &rate) in fluid.rates().iter().enumerate() {
            for link in steps.of_flow(f) {
                sum[link as usize] += rate;
                greatest[link as usize] = greatest[link as usize].max(rate);
            }
        }
        for (f, &rate) in fluid.rates().iter().enumerate() {
            let is_bottleneck = |l: LinkId| {
                let l = l as usize;
                close(sum[l], rates[l]) && rate >= greatest[l] * (1.0 - 1e-9)
            };
            assert!(steps.of_flow(f).any(is_bottleneck), "pattern {i}, flow {f} at {rate}");
        }
        for link in 1..paths.links().len() {
            assert!(sum[link] <= rates[link] * (1.0 + 1e-9));
            let utilisation = sum[link] / rates[link];
            assert!((fluid.utilisation(link as LinkId) - utilisation).abs() < 1e-9);
        }
    }
}

#[test]
fn two_pairs_on_one_core_share_its_link_and_leave_the_other_core_idle() {
    // Two edges of two hosts, two cores, everything by core 1 (number 1 of 0 and 1): the
    // inter-switch link full, the host links half used, core 0 idle; 12.5 GB/s in all. One host can
    // send 12.38 GB/s, 99.04 % of its link, which does not bind here: 6.25 < 12.38.
    let net = two_tier_with(2, 2, 2, |_| 1);
    let flows = [(0, 2), (1, 3)].map(|(from, to)| Flow { from, to });
    let (steps, links) = steps_of(&net, &flows);
    for efficiency in [1.0, 0.9904] {
        let capacity = Capacity::of(&net.fabric, &links, efficiency);
        let mut fluid = Fluid::new(capacity.rates);
        fluid.fill(&steps);
        assert!(close(fluid.rates().iter().sum::<f64>(), 12.5e9));
        let on = |name: &str| {
            let link = (1..links.len() as LinkId).find(|&l| net.fabric.port_name(links.egress(l)) == name);
            fluid.utilisation(link.unwrap())
        };
        assert!(close(on("\"leaf0\"[4]"), 1.0) && close(on("\"spine1\"[2]"), 1.0));
        assert!(close(on("\"h0\"[1]"), 0.5 / efficiency) && close(on("\"leaf1\"[1]"), 0.5 / efficiency));
        assert!(on("\"leaf0\"[3]") == 0.0 && on("\"spine0\"[2]") == 0.0);
        // One pair alone is bound by its host.
        let (alone, _) = steps_of(&net, &flows[..1]);
        fluid.fill(&alone);
        assert!(close(fluid.rates()[0], 12.5e9 * efficiency));
    }
}

#[test]
fn equal_shares_are_one_event() {
    // Every host of leaf i to that of leaf i + 1 in the same position, all by spine 0: each leaf's uplink carries 3
    // flows, everything freezes in one round.
    let net = two_tier_with(7, 3, 2, |_| 0);
    let flows: Vec<Flow> = (0..21).map(|i| Flow { from: i, to: (i + 3) % 21 }).collect();
    let (steps, links) = steps_of(&net, &flows);
    let mut fluid = Fluid::new(vec![1.0; links.len()]);
    fluid.fill(&steps);
    assert_eq!(fluid.rounds(), 1);
    assert!(fluid.rates().iter().all(|&r| close(r, 1.0 / 3.0)));
}

#[test]
fn a_flow_without_a_route_gets_nothing_and_takes_nothing() {
    let mut net = two_tier(2, 2, 1);
    let lid = net.routes.lids.base(net.hosts[3]);
    net.routes.lft.row_mut(crate::fabric::NodeId(0))[lid as usize] = crate::sm::NO_ENTRY;
    let flows = [(0, 3), (1, 2)].map(|(from, to)| Flow { from, to });
    let (steps, links) = steps_of(&net, &flows);
    let mut fluid = Fluid::new(vec![1.0; links.len()]);
    fluid.fill(&steps);
    assert_eq!(fluid.rates(), [0.0, 1.0]);
}
