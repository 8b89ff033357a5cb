//! Whose an adapter is whose description names no host, on a leaf where no numbers show it.

use super::testing::Sketch;
use super::{Hosts, Owner};
use crate::fabric::Guid;

/// What an adapter is called that was never named.
const UNNAMED: &str = "MT4129 ConnectX7   Mellanox Technologies";

/// How it is known whose adapters on one leaf are. Each is on a port with a description and the number of its card, 0 for none.
fn owners(adapters: &[(u32, &str, u64)]) -> Vec<Owner> {
    let mut s = Sketch::new();
    let leaf = s.switch("leaf", 40);
    for &(port, description, card) in adapters {
        let end = s.adapter(description);
        s.cable((end, 1), (leaf, port));
        s.builder().node_mut(end).system_guid = if card == 0 { Guid::NONE } else { Guid(0xc0 + card) };
    }
    let fabric = s.finish();
    let hosts = Hosts::of(&fabric, None);
    fabric.end_nodes().map(|end| hosts.owner(end)).collect()
}

#[test]
fn a_card_shows_the_host_where_hosts_have_cards_of_several_adapters_and_no_card_is_of_two_hosts() {
    // Three hosts with two adapters each, whose ports follow no rule, and an unnamed one on the first host's card.
    let owner = |cards: [u64; 8]| {
        let names =
            ["xa HCA-1", "xa HCA-2", "xb HCA-1", "xb HCA-2", "xc HCA-1", "xc HCA-2", "xd HCA-1", UNNAMED];
        let ports = [1, 4, 2, 9, 3, 16, 25, 30];
        let all: Vec<_> = ports.into_iter().zip(names).zip(cards).map(|((p, n), c)| (p, n, c)).collect();
        owners(&all)[7]
    };
    assert_eq!(owner([1, 1, 2, 2, 3, 3, 4, 1]), Owner::Inferred);
    // No host has two adapters on a card; or one card is of two hosts.
    assert_eq!(owner([1, 2, 3, 4, 5, 6, 7, 1]), Owner::Unknown);
    assert_eq!(owner([1, 1, 2, 2, 3, 3, 2, 1]), Owner::Unknown);
    // Adapters without the number of a card are of none in common.
    assert_eq!(owner([1, 1, 2, 2, 3, 0, 0, 1]), Owner::Inferred);
}

#[test]
fn an_adapter_beside_three_hosts_of_one_adapter_is_a_host_if_few_are_unnamed() {
    let unnamed = |named: &[&str], unnamed: usize| {
        let all: Vec<&str> = named.iter().copied().chain(std::iter::repeat_n(UNNAMED, unnamed)).collect();
        let all: Vec<_> = (1..).zip(&all).map(|(at, &name)| (at * at % 37, name, u64::from(at))).collect();
        owners(&all)[named.len()..].to_vec()
    };
    assert_eq!(unnamed(&["xa HCA-1", "xb HCA-1", "xc HCA-1"], 1), [Owner::Inferred]);
    assert_eq!(unnamed(&["xa HCA-1", "xb HCA-1"], 1), [Owner::Unknown]);
    // Half as many as named ones are few.
    let four = ["xa HCA-1", "xb HCA-1", "xc HCA-1", "xd HCA-1"];
    assert_eq!(unnamed(&four, 2), [Owner::Inferred; 2]);
    assert_eq!(unnamed(&four[..3], 2), [Owner::Unknown; 2]);
    // Two of four adapters are the only one of their host.
    assert_eq!(unnamed(&["xa HCA-1", "xa HCA-2", "xb HCA-1", "xc HCA-1"], 1), [Owner::Unknown]);
}

#[test]
fn three_hosts_whose_adapters_are_as_far_apart_show_the_host_of_an_adapter_that_is_so_too() {
    // Ports of the two adapters of hosts on two leaves; beside them `xz` with its first on port 9, and an unnamed one on 11.
    let host = |ports: &[[u32; 2]]| {
        let mut s = Sketch::new();
        let leaves = [1, 2].map(|n| s.switch(&format!("leaf-{n}"), 40));
        let mut plug = |leaf: usize, port: u32, description: &str| {
            let end = s.adapter(description);
            s.cable((end, 1), (leaves[leaf], port));
        };
        for (name, [first, second]) in ('a'..).zip(ports) {
            plug(0, *first, &format!("x{name} HCA-1"));
            plug(1, *second, &format!("x{name} HCA-2"));
        }
        plug(0, 9, "xz HCA-1");
        plug(1, 11, UNNAMED);
        let fabric = s.finish();
        let hosts = Hosts::of(&fabric, None);
        let last = fabric.end_nodes().last().unwrap();
        hosts.host_of(last).map(|host| hosts.hosts[host].name.to_string())
    };
    assert_eq!(host(&[[1, 3], [2, 4], [5, 7]]).as_deref(), Some("xz"));
    assert_eq!(host(&[[1, 3], [2, 4]]), None);
    // Three of five are not two thirds.
    assert_eq!(host(&[[1, 3], [2, 4], [5, 7], [6, 20], [7, 30]]), None);
}
