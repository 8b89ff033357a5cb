//! Flows to which others leave more than their part of a link lose nothing by it.

use super::super::{Observed, Quantity, Residuals, Values};
use super::*;
use crate::model::load::testing::two_tier;
use crate::ranks::Participants;

#[test]
fn flows_to_which_others_leave_more_are_no_evidence_for_a_healthy_link() {
    // Two hosts of leaf 0 send to even hosts, over port 5 of their leaf to spine 0, which is at 90 %. The two others send to odd
    // hosts over spine 1, half of 12.5 GB/s each. In 8 rounds the former get 45 % each. In 10 others the second one gets a
    // third: to its host's leaf two hosts of other leaves send, too. It leaves the first one 57 %, more than its half.
    let net = two_tier(4, 4, 2);
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let paths = Paths::new(&net.fabric, &net.routes, participants.ports(), 0);
    let capacity = Capacity::of(&net.fabric, paths.links(), 1.0);
    let (mut source, mut destination, mut round, mut value) = (vec![], vec![], vec![], vec![]);
    let senders = [[0, 1, 2, 3], [2, 3, 0, 1], [0, 2, 1, 3], [1, 3, 0, 2], [0, 3, 1, 2], [1, 2, 0, 3]];
    for at in 0..18_u32 {
        let [a, b, c, d] = senders[at as usize % 6];
        let mut flows = vec![(c, 5, 0.5), (d, 13, 0.5)];
        if at < 8 {
            flows.extend([(a, 4, 0.45), (b, 12, 0.45)]);
        } else {
            let third = 1.0 / 3.0;
            flows.extend([(a, 4, 0.9 - third), (b, 8, third), (7, 10, third), (15, 10, third)]);
        }
        for (from, to, share) in flows {
            source.push(from);
            destination.push(to);
            round.push(at);
            value.push(12.5e9 * share * (1.0 + f64::from((from * 7 + to * 3 + at * 5) % 9) / 400.0));
        }
    }
    let values = Values { source: &source, destination: &destination, round: &round, value: &value };
    let observed = Observed::of(&participants, 0, Quantity::Rate, &values);
    let residuals = Residuals::of(&paths, &capacity, &observed);
    let located = locate(&paths, &capacity, &observed, &residuals);
    let names = located.found.iter().map(|found| match found.suspect {
        Suspect::Link(link) => net.fabric.port_name(paths.links().egress(link)),
        other => format!("{other:?}"),
    });
    assert_eq!(names.collect::<Vec<_>>(), ["\"leaf0\"[5]"], "{located:?}");
    // 16 flows that lose a tenth, beside 10 that lose nothing: 62 %.
    assert_eq!((located.found[0].flows, located.found[0].slow), (16, 16));
    assert!((located.found[0].loss + 0.9_f64.ln()).abs() < 0.01, "{located:?}");
}
