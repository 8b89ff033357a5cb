//! One switch, or none: what theory gives to the last digit.

use lacis_core::model::packet::{
    Destinations, Ending, PingPong, Poisson, Queueing, Reads, Settings, Streams,
};
use lacis_core::ranks::Flow;

use crate::{BYTE, net, run};

#[test]
fn without_load_a_message_takes_the_sum_of_its_terms_to_the_picosecond() {
    let set = Settings {
        header: 30,
        switch_latency: 110_000,
        cable_delay: 10_001,
        send_overhead: 400_003,
        receive_overhead: 400_007,
        ..Settings::default()
    };
    // Hosts 0 and 15 of a tree of three levels are five switches apart, 0 and 1 one.
    let tree = net("fat-tree:4,3", "ftree");
    for (to, switches) in [(15, 5), (2, 3), (1, 1)] {
        for (bytes, packets) in [(0, 1), (8, 1), (4096, 1), (4097, 2), (3 * 4096, 3)] {
            let out = run(&tree, &set, PingPong::new(vec![Flow { from: 0, to }], bytes, 1));
            let wire = (bytes + 30 * packets) * BYTE;
            let one_way = 400_003 + (switches + 1) * 10_001 + switches * 110_000 + wire + 400_007;
            assert_eq!(out.ending, Ending::Done);
            assert_eq!((out.time, out.packets), (2 * one_way, 2 * packets), "{bytes} bytes to {to}");
            assert_eq!(out.latencies.range, Some((one_way, one_way)));
        }
    }
}

#[test]
fn a_single_server_queue_waits_as_pollaczek_and_khinchine_say() {
    // Messages of one packet at random times into one link: M/D/1, whose mean wait is
    // load / (2 (1 - load)) services.
    let pair = net("fat-tree:4,1", "minhop");
    let service = (4096 * BYTE) as f64;
    for load in [0.3, 0.6, 0.8] {
        let until = (service / load * 300_000.0) as u64;
        let to = Destinations::Fixed(vec![1, 1]);
        let out = run(&pair, &Settings::default(), Poisson::new(2, to, 4096, service / load, until, 5));
        let wait = out.latencies.mean() - service;
        let expected = load / (2.0 * (1.0 - load)) * service;
        assert!((wait / expected - 1.0).abs() < 0.02, "load {load}: {} of theory", wait / expected);
    }
}

#[test]
fn input_queues_saturate_at_two_less_the_root_of_two_and_virtual_output_queues_do_not() {
    // M. Karol, M. Hluchyj, S. Morgan, "Input versus output queueing on a space-division packet
    // switch", IEEE Transactions on Communications 35(12), 1987: 0.586 for many ports.
    let crossbar = net("fat-tree:128,1", "minhop");
    let packet = 4096 * BYTE;
    let horizon = 1500 * packet;
    let load = |queueing, reads| {
        let set = Settings { queueing, reads, buffer: Some(1 << 20), horizon, ..Settings::default() };
        let gap = packet as f64 / 1.5;
        let out = run(&crossbar, &set, Poisson::new(128, Destinations::Any, 4096, gap, horizon, 1));
        assert_eq!(out.ending, Ending::Horizon);
        out.payload as f64 * BYTE as f64 / (horizon as f64 * 128.0)
    };
    let fifo = load(Queueing::Fifo, Reads::One);
    assert!((fifo - (2.0 - 2.0_f64.sqrt())).abs() < 0.015, "{fifo}");
    let virtual_queues = load(Queueing::Virtual, Reads::Many);
    assert!(virtual_queues > 0.95, "{virtual_queues}");
}

#[test]
fn a_window_costs_a_round_trip_and_a_host_its_efficiency() {
    // Two windows of three messages of 8 packets, each answered by an empty message.
    let pair = net("fat-tree:4,1", "minhop");
    let set =
        Settings { switch_latency: 100_000, cable_delay: 5_000, host_efficiency: 0.8, ..Settings::default() };
    let out = run(&pair, &set, Streams::new(vec![Flow { from: 0, to: 1 }], 8 * 4096, 3, 2, Some(0)));
    // A packet takes the host a quarter longer than the link; the receiver has it as long in memory.
    let packet = 4096 * BYTE;
    let slow = packet * 5 / 4;
    let way = 2 * 5_000 + 100_000;
    assert_eq!(out.time, 2 * (23 * slow + way + slow + way));
    assert_eq!((out.posted, out.packets, out.payload), (8, 50, 6 * 8 * 4096));
    // With two receivers, which keep up, the sender's own pace shows.
    let flows = vec![Flow { from: 0, to: 1 }, Flow { from: 0, to: 2 }];
    let out = run(&pair, &set, Streams::new(flows, 8 * 4096, 1, 1, None));
    assert_eq!(out.time, 15 * slow + way + slow);
}

#[test]
fn the_gap_between_messages_counts_from_the_last_packet_of_each() {
    // Messages of two packets, a gap of one and a half: their first packets leave at 0, 2.5 and 5.
    let pair = net("fat-tree:4,1", "minhop");
    let packet = 4096 * BYTE;
    let set = Settings { message_gap: 3 * packet / 2, ..Settings::default() };
    let out = run(&pair, &set, Streams::new(vec![Flow { from: 0, to: 1 }], 2 * 4096, 3, 1, None));
    assert_eq!(out.time, 7 * packet);
}

#[test]
fn a_packet_crosses_as_many_switches_as_the_limit_says() {
    // Hosts 0 and 15 are five switches apart.
    let tree = net("fat-tree:4,3", "ftree");
    for (hop_limit, delivered) in [(5, 1), (4, 0)] {
        let set = Settings { hop_limit, ..Settings::default() };
        let out = run(&tree, &set, Streams::new(vec![Flow { from: 0, to: 15 }], 4096, 1, 1, None));
        assert_eq!((out.delivered, out.discarded), (delivered, 1 - delivered), "limit {hop_limit}");
    }
}

#[test]
fn a_packet_that_no_port_takes_is_discarded() {
    // By the switch itself, by a port without a cable, and by a host that is not simulated.
    let mut star = net("fat-tree:4,1", "minhop");
    let switch = star.fabric.edge_switch(star.ends[0]).unwrap();
    let lid = star.routes.lids.base(star.ends[1]) as usize;
    let port = |end: usize| star.fabric.number_of(star.fabric.peer(star.ends[end]).unwrap());
    let ports = [0, port(2), port(3)];
    let (without, gone) = (star.ends[2], star.ends[3]);
    star.fabric = star.fabric.filtered(|_| true, |a, b| a != without && b != without);
    star.ends.retain(|&end| end != gone);
    for number in ports {
        star.routes.lft.row_mut(switch)[lid] = number;
        let out = run(
            &star,
            &Settings::default(),
            Streams::new(vec![Flow { from: 0, to: 1 }], 3 * 4096, 1, 1, None),
        );
        assert_eq!((out.packets, out.delivered, out.discarded), (3, 0, 3), "port {number}");
    }
}
