//! The links that the most flows share, and those flows.

use super::outcome::HotLink;
use super::request::PredictRequest;
use super::setting::PhaseSetting;
use super::tally::PhaseTally;
use super::worker::PhaseWorker;
use crate::model::load::{LinkId, Paths, SINK, Steps};
use crate::ranks::Flow;
use crate::ranks::Participants;

/// The greatest by contention, then by total, then links between switches first.
fn ranked(links: usize, asked: usize, key: impl Fn(LinkId) -> (u64, u64)) -> Vec<LinkId> {
    let mut order: Vec<LinkId> = (SINK + 1..links as LinkId).filter(|&l| key(l).0 > 0).collect();
    let rank = |&l: &LinkId| (std::cmp::Reverse(key(l)), l);
    if order.len() > asked && asked > 0 {
        order.select_nth_unstable_by_key(asked - 1, rank);
    }
    order.truncate(asked);
    order.sort_unstable_by_key(rank);
    order
}

/// The hottest links of a tally. Their phases are run once more to find the flows.
pub(super) fn of_phases(setting: &PhaseSetting<'_>, tally: &PhaseTally) -> Vec<HotLink> {
    let at = |l: LinkId| (u64::from(tally.peak[l as usize]), tally.total[l as usize]);
    let links = ranked(tally.total.len(), setting.request.hottest, at);
    let mut worker = PhaseWorker::new(setting);
    let mut prepared = None;
    let mut found = Vec::with_capacity(links.len());
    for link in links {
        let phase = tally.peak_phase[link as usize] as usize;
        if prepared != Some(phase) {
            worker.prepare(phase);
            prepared = Some(phase);
        }
        let crossing = worker.crossing(link);
        let listed = crossing.iter().take(setting.request.flows_listed);
        found.push(HotLink {
            egress: setting.paths.links().egress(link),
            contention: crossing.len() as u64,
            phase,
            total: at(link).1,
            utilisation: worker.fluid.as_ref().map(|f| f.utilisation(link)),
            flows: listed.map(|&f| worker.phase.flows[f]).collect(),
        });
    }
    found
}

/// The hottest links of all-to-all, with the first flows on each, by receiver.
pub(super) fn of_all_pairs(
    paths: &Paths<'_>,
    participants: &Participants,
    on_link: &[u64],
    request: &PredictRequest,
) -> Vec<HotLink> {
    let links = ranked(on_link.len(), request.hottest, |l| (on_link[l as usize], 0));
    let mut steps = Steps::default();
    let mut flows = Vec::new();
    let mut found: Vec<HotLink> = links
        .iter()
        .map(|&l| {
            let flows = on_link[l as usize];
            let egress = paths.links().egress(l);
            HotLink {
                egress,
                contention: flows,
                phase: 0,
                total: flows,
                utilisation: None,
                flows: Vec::new(),
            }
        })
        .collect();
    for rail in 0..participants.num_rails() {
        let slots: Vec<u32> =
            (0..participants.num_hosts() as u32).filter_map(|h| participants.slot(h, rail)).collect();
        for &to in &slots {
            if found.iter().all(|hot| hot.flows.len() >= request.flows_listed.min(hot.total as usize)) {
                return found;
            }
            if !found
                .iter()
                .any(|hot| hot.flows.len() < request.flows_listed && paths.leads_to(hot.egress, to))
            {
                continue;
            }
            flows.clear();
            flows.extend(slots.iter().filter(|&&from| from != to).map(|&from| Flow { from, to }));
            paths.steps(&flows, &mut steps);
            for (hot, &link) in found.iter_mut().zip(&links) {
                let on = steps.each().flat_map(|s| flows.iter().zip(s).filter(|&(_, &l)| l == link));
                let room = request.flows_listed - hot.flows.len();
                hot.flows.extend(on.map(|(&flow, _)| flow).take(room));
            }
        }
    }
    found
}
