//! What the hosts of flows usually lose, which links between switches are not to blame for.

use rustc_hash::FxHashMap;

use super::limits::Limits;
use super::suspects::{Kind, SuspectFlows};
use super::weigh::LossState;

/// No host.
const NONE: u32 = u32::MAX;

/// What the links of the hosts of each flow usually lose.
pub struct HostLosses<'a> {
    columns: &'a SuspectFlows,
    state: &'a LossState<'a>,
    /// By flow: what the links of its hosts usually lose, ln: the sender's, the receiver's.
    hosts: Vec<[f32; 2]>,
    /// By flow: the links of its hosts that usually lose more than healthy ones do, or [`NONE`].
    odd: Vec<[u32; 2]>,
}

impl<'a> HostLosses<'a> {
    pub fn new(state: &'a LossState<'a>, limits: &Limits) -> Self {
        let columns = state.columns;
        let flows = state.residuals.len();
        let mut all = Self { columns, state, hosts: vec![[0.0; 2]; flows], odd: vec![[NONE; 2]; flows] };
        let count = |kind| columns.kinds.iter().filter(|&&of| of == kind).count();
        let numbers = [count(Kind::Sending), count(Kind::Receiving)];
        for at in 0..columns.len() {
            let side = match columns.kinds[at] {
                Kind::Sending => 0,
                Kind::Receiving => 1,
                _ => continue,
            };
            // A host that loses more than the oddest of so many healthy ones may lose it to what is looked for.
            let oddest = (2.0 * (numbers[side].max(1) as f64).ln()).sqrt() + 1.0;
            let most = oddest * state.differ[columns.kinds[at] as usize].deviation.max(limits.differ);
            if f64::from(state.usual[at].abs()) < most {
                columns.flows(at).for_each(|(f, _)| all.hosts[f][side] += state.usual[at]);
            } else {
                columns.flows(at).for_each(|(f, _)| all.odd[f][side] = at as u32);
            }
        }
        all
    }

    /// What the hosts of a flow usually lose; of a link from or to a host, the host at the other end.
    pub fn of(&self, flow: usize, kind: Kind) -> f32 {
        let [sending, receiving] = self.hosts[flow];
        f32::from(kind != Kind::Sending) * sending + f32::from(kind != Kind::Receiving) * receiving
    }

    /// For each flow over a link between switches: what its odd hosts lose on other links too, which is not this link's doing.
    /// Such a host sends or receives most of its flows over other links.
    pub fn of_odd(&self, flows: &[usize], kind: Kind) -> Vec<f64> {
        let mut out = vec![0.0; flows.len()];
        if matches!(kind, Kind::Sending | Kind::Receiving) {
            return out;
        }
        for side in 0..2 {
            let mut here: FxHashMap<u32, usize> = FxHashMap::default();
            for at in flows.iter().map(|&f| self.odd[f][side]).filter(|&at| at != NONE) {
                *here.entry(at).or_default() += 1;
            }
            here.retain(|&at, number| 2 * *number < self.columns.flows(at as usize).count());
            for (out, &f) in out.iter_mut().zip(flows) {
                if here.contains_key(&self.odd[f][side]) {
                    *out += f64::from(self.state.usual[self.odd[f][side] as usize]);
                }
            }
        }
        out
    }
}
