//! Which LIDs Omni-Path switches move, and where: by hand, on an edge with several cables to cores.

use lacis_core::fabric::PortId;
use lacis_core::model::packet::{Adaptive, Algorithm, OmniPath, Queueing, Reads, Settings, Streams};
use lacis_core::qos::Lanes;
use lacis_core::ranks::Flow;

use crate::adaptive::slow_down;
use crate::timed::{Timed, flow};
use crate::{Net, PACKET, net, run, run_with, uplinks};

/// Two edges with so many hosts each and three cores, and the first edge's cables. Its table sends all that leaves by
/// its first cable, but the LIDs of some hosts by others.
fn edge(hosts: usize, elsewhere: &[(usize, usize)]) -> (Net, Vec<PortId>) {
    let mut tree = net(&format!("pgft:2;{hosts},2;1,3;1,1"), "minhop");
    let cables = uplinks(&tree, 0);
    let switch = tree.fabric.edge_switch(tree.ends[0]).unwrap();
    for host in hosts..2 * hosts {
        let cable = elsewhere.iter().find(|&&(there, _)| there == host).map_or(0, |&(_, cable)| cable);
        let lid = tree.routes.lids.base(tree.ends[host]) as usize;
        tree.routes.lft.row_mut(switch)[lid] = tree.fabric.number_of(cables[cable]);
    }
    (tree, cables)
}

/// Adjustments every so many packets' time.
fn moving(algorithm: Algorithm, packets: u64) -> Settings {
    let how = OmniPath { algorithm, period: packets * PACKET, threshold: 7, ..OmniPath::default() };
    Settings {
        adaptive: Adaptive::OmniPath(how),
        queueing: Queueing::Virtual,
        reads: Reads::Many,
        ..Settings::default()
    }
}

/// Hosts 1 and 2 fill the first cable.
fn pair(to: [u32; 2]) -> Vec<Flow> {
    vec![flow(1, to[0]), flow(2, to[1])]
}

fn streams(flows: Vec<Flow>) -> Streams {
    Streams::new(flows, 4096, 64, u32::MAX, Some(0))
}

#[test]
fn a_lid_that_fills_its_port_alone_stays() {
    // It would take the whole load along. Of two LIDs one is moved.
    let (tree, _) = edge(4, &[]);
    for algorithm in [Algorithm::Greedy, Algorithm::GreedyRandom] {
        let set = Settings { horizon: 1000 * PACKET, ..moving(algorithm, 200) };
        assert_eq!(run(&tree, &set, streams(pair([6, 6]))).moved, (0, 0));
        assert_eq!(run(&tree, &set, streams(pair([6, 7]))).moved, (1, 200 * PACKET));
    }
}

#[test]
fn a_switch_looks_at_the_buffers_of_every_lane() {
    // Hosts 0 and 2 send on lane 1; the inputs before theirs are empty.
    let (tree, _) = edge(4, &[]);
    let lanes = Lanes { count: 2, ..Lanes::default() };
    let set = Settings { lanes, horizon: 1000 * PACKET, ..moving(Algorithm::Greedy, 200) };
    let flows = [(0, 6), (2, 7)].map(|(from, to)| (flow(from, to), 4096, 1, vec![0; 1000]));
    assert_eq!(run(&tree, &set, Timed::new(flows.to_vec())).moved, (1, 200 * PACKET));
}

#[test]
fn an_entry_outside_of_its_group_stays() {
    // Both faster cables are a LID's group, the first, slower one is not in it.
    let (mut tree, cables) = edge(4, &[]);
    let set = Settings { horizon: 1000 * PACKET, ..moving(Algorithm::Greedy, 200) };
    assert_eq!(run(&tree, &set, streams(pair([6, 7]))).moved, (1, 200 * PACKET));
    slow_down(&mut tree, cables[0]);
    assert_eq!(run(&tree, &set, streams(pair([6, 7]))).moved, (0, 0));
}

#[test]
fn a_load_is_of_the_time_since_the_last_adjustment() {
    // The second cable carries much in the first period and nothing in the next, in which the third carries less and
    // the first is full: a LID goes to the second.
    let (tree, cables) = edge(4, &[(4, 1), (5, 2)]);
    let message = |from, to, packets: u64, at: u64| (flow(from, to), packets * 4096, 0, vec![at * PACKET]);
    let flows = vec![
        message(0, 4, 600, 0),
        message(0, 5, 300, 1100),
        message(1, 6, 1000, 1100),
        message(2, 7, 1000, 1100),
    ];
    let out = run(
        &tree,
        &Settings { horizon: 2500 * PACKET, ..moving(Algorithm::Greedy, 1000) },
        Timed::new(flows),
    );
    assert_eq!(out.moved, (1, 2000 * PACKET));
    assert!(out.ports[cables[1].ix()].bytes > 600 * 4096);
    assert_eq!(out.ports[cables[2].ix()].bytes, 300 * 4096);
}

#[test]
fn a_load_is_near_the_least_within_a_hundredth_of_what_a_link_carries_in_a_period() {
    // Of a thousand packets ten are a hundredth. The second cable has carried so many packets, the third none.
    let (tree, cables) = edge(4, &[(4, 1)]);
    let is_second = |algorithm, packets: u64, seed| {
        let many = vec![0; 1000];
        let flows = vec![
            (flow(0, 4), packets * 4096, 0, vec![0]),
            (flow(1, 6), 4096, 0, many.clone()),
            (flow(2, 7), 4096, 0, many),
        ];
        let set = Settings { horizon: 1100 * PACKET, seed, ..moving(algorithm, 1000) };
        let out = run(&tree, &set, Timed::new(flows));
        assert_eq!(out.moved, (1, 1000 * PACKET));
        let third = out.ports[cables[2].ix()].bytes;
        assert_eq!(out.ports[cables[1].ix()].bytes > packets * 4096, third == 0);
        third == 0
    };
    for (packets, range) in [(9, 8..=32), (10, 8..=32), (11, 0..=0)] {
        let count = (0..40).filter(|&seed| is_second(Algorithm::GreedyRandom, packets, seed)).count();
        assert!(range.contains(&count), "{packets} packets: {count} of 40");
        assert!(!is_second(Algorithm::Greedy, packets, 0));
    }
}

#[test]
fn the_lids_of_a_lost_cable_take_equal_shares_of_its_load_along() {
    // Four flows share the first cable, which fails after a thousand packets: with what waits, each LID's share is some
    // 266 packets. The third cable has carried 400, so two LIDs go to the second, the next to the third, and the last to
    // the second again.
    let (tree, cables) = edge(5, &[(9, 2)]);
    let mut flows: Vec<_> = (0..4).map(|from| (flow(from, from + 5), 1000 * 4096, 0, vec![0])).collect();
    flows.push((flow(4, 9), 400 * 4096, 0, vec![0]));
    let at = 1000 * PACKET + PACKET / 2;
    let never = 1_000_000_000;
    let out = run_with(&tree, &moving(Algorithm::Greedy, never), Timed::new(flows), &[(at, cables[0])]);
    assert_eq!((out.discarded, out.moved), (0, (4, at)));
    let packets: Vec<u64> = cables.iter().map(|port| out.ports[port.ix()].bytes / 4096).collect();
    assert_eq!((packets[0], packets.iter().sum::<u64>()), (1001, 4400));
    assert!(packets[2].abs_diff(400 + 750) <= 2, "{packets:?}");
}
