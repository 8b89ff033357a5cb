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

/// The hosts of the adapters that no description names, in order; nothing where none is known. Each is on a leaf and a port of it, with a description and without
/// the number of a card.
fn hosts_of_open(adapters: &[(usize, u32, &str)]) -> Vec<String> {
    let mut s = Sketch::new();
    let leaves = [1, 2, 3, 4, 5].map(|n| s.switch(&format!("leaf-{n}"), 40));
    for &(leaf, port, description) in adapters {
        let end = s.adapter(description);
        s.cable((end, 1), (leaves[leaf], port));
        s.builder().node_mut(end).system_guid = Guid::NONE;
    }
    let fabric = s.finish();
    let hosts = Hosts::of(&fabric, None);
    let open = fabric.end_nodes().filter(|&end| hosts.owner(end) != Owner::Named);
    open.map(|end| hosts.host_of(end).map_or_else(String::new, |host| hosts.hosts[host].name.to_string()))
        .collect()
}

/// Three hosts with an adapter on each of two leaves, that on the second two ports further on, and others.
fn on_two_leaves<'a>(others: &[(usize, u32, &'a str)]) -> Vec<(usize, u32, &'a str)> {
    let named = [
        (0, 1, "xa HCA-1"),
        (1, 3, "xa HCA-2"),
        (0, 2, "xb HCA-1"),
        (1, 4, "xb HCA-2"),
        (0, 5, "xc HCA-1"),
        (1, 7, "xc HCA-2"),
    ];
    [&named[..], others].concat()
}

#[test]
fn an_adapter_that_has_a_label_of_its_own_is_no_companion_of_another() {
    // On two leaves: the second adapter of `xz` would be on port 11.
    let labelled = |label| hosts_of_open(&on_two_leaves(&[(0, 9, "xz HCA-1"), (1, 11, label)]));
    assert_eq!(labelled("localhost HCA-2"), ["xz"]);
    assert_eq!(labelled("localhost HCA-7"), [""]);
    // On one leaf: second adapters are ten ports further on. What says that it is a first one is none.
    let beside = |label| {
        let first = [(0, 1, "xa HCA-1"), (0, 2, "xb HCA-1"), (0, 3, "xc HCA-1"), (0, 4, "xz HCA-1")];
        let second = [(0, 11, "xa HCA-2"), (0, 12, "xb HCA-2"), (0, 13, "xc HCA-2"), (0, 14, label)];
        hosts_of_open(&[first, second].concat())
    };
    assert_eq!(beside("localhost HCA-2"), ["xz"]);
    assert_eq!(beside("localhost HCA-1"), [""]);
}

#[test]
fn adapters_of_a_name_or_with_labels_of_their_leaves_are_one_host_where_companions_are() {
    let both = |first, second| hosts_of_open(&on_two_leaves(&[(0, 9, first), (1, 11, second)]));
    assert_eq!(both(UNNAMED, UNNAMED), ["host at leaf-1[9]", "host at leaf-1[9]"]);
    assert_eq!(both("localhost HCA-1", "ubuntu HCA-2"), ["localhost", "localhost"]);
    // No adapter of the second leaf is a seventh one.
    assert_eq!(both("localhost HCA-1", "localhost HCA-7"), ["localhost", "localhost"]);
    assert_eq!(both("localhost HCA-1", "ubuntu HCA-7"), ["", ""]);
}

#[test]
fn where_adapters_have_no_labels_a_host_has_one_on_each_leaf() {
    let named_ones = [(0, 1, "xa"), (1, 3, "xa"), (0, 2, "xb"), (1, 4, "xb"), (0, 5, "xc"), (1, 7, "xc")];
    let with = |others: &[(usize, u32, &'static str)]| hosts_of_open(&[&named_ones[..], others].concat());
    assert_eq!(with(&[(0, 9, "xz"), (1, 11, UNNAMED)]), ["xz"]);
    // `xz` has one there already.
    assert_eq!(with(&[(0, 9, "xz"), (1, 20, "xz"), (1, 11, UNNAMED)]), [""]);
    assert_eq!(with(&[(0, 9, UNNAMED), (1, 11, UNNAMED)]), ["host at leaf-1[9]", "host at leaf-1[9]"]);
}

#[test]
fn an_installers_name_that_several_hosts_have_is_followed_by_the_port() {
    let with = |others: &[(usize, u32, &'static str)]| {
        let lone = [(0, 1, "xa HCA-1"), (0, 4, "xb HCA-1"), (0, 5, "xc HCA-1"), (0, 9, "xd HCA-1")];
        hosts_of_open(&[&lone[..], others].concat())
    };
    assert_eq!(with(&[(0, 20, "localhost HCA-1")]), ["localhost"]);
    let two = ["localhost at leaf-1[20]", "localhost at leaf-1[31]"];
    assert_eq!(with(&[(0, 20, "localhost HCA-1"), (0, 31, "localhost HCA-1")]), two);
}

#[test]
fn two_adapters_of_one_label_on_one_card_are_one_hosts() {
    let labelled = "localhost HCA-2";
    let names = ["xa HCA-1", "xa HCA-2", "xb HCA-1", "xb HCA-2", "xc HCA-1", labelled, labelled];
    let all: Vec<_> = [1, 4, 2, 9, 3, 16, 25].into_iter().zip(names).zip([1, 1, 2, 2, 3, 3, 3]).collect();
    let all: Vec<_> = all.into_iter().map(|((port, name), card)| (port, name, card)).collect();
    assert_eq!(owners(&all)[5..], [Owner::Inferred; 2]);
}

#[test]
fn two_adapters_may_be_those_that_a_named_host_lacks_if_it_has_room_for_both() {
    let pair = [(0, 9, UNNAMED), (1, 11, UNNAMED)];
    let own = ["host at leaf-1[9]", "host at leaf-1[9]"];
    // Hosts have two adapters: `xz`, which has one elsewhere, would have three.
    assert_eq!(hosts_of_open(&on_two_leaves(&[(3, 1, "xz HCA-1"), pair[0], pair[1]])), own);
    // Where hosts have three it may have two more, unless it has one on one of the leaves.
    let third = [(2, 1, "xa HCA-3"), (2, 2, "xb HCA-3"), (2, 5, "xc HCA-3")];
    let beside = |other| hosts_of_open(&on_two_leaves(&[&third[..], &[other, pair[0], pair[1]]].concat()));
    assert_eq!(beside((3, 1, "xz HCA-1")), ["", ""]);
    assert_eq!(beside((0, 30, "xz HCA-1")), own);
    // Of hosts with three adapters elsewhere one may have a second group of leaves, where hosts here show no third.
    let elsewhere = [(2, 1, "xd HCA-1"), (3, 1, "xd HCA-2"), (4, 1, "xd HCA-3"), (2, 2, "xz HCA-1")];
    assert_eq!(hosts_of_open(&on_two_leaves(&[&elsewhere[..], &pair[..]].concat())), ["", ""]);
}

#[test]
fn two_adapters_of_one_label_are_not_one_hosts() {
    // The second adapter of `xz` would be on port 11, two further on than its first, or on port 22, two further on than its third.
    let third =
        [(2, 1, "xa HCA-3"), (2, 2, "xb HCA-3"), (2, 5, "xc HCA-3"), (0, 9, "xz HCA-1"), (2, 20, "xz HCA-3")];
    let with =
        |others: &[(usize, u32, &'static str)]| hosts_of_open(&on_two_leaves(&[&third[..], others].concat()));
    assert_eq!(with(&[(1, 11, UNNAMED)]), ["xz"]);
    assert_eq!(with(&[(1, 22, UNNAMED)]), ["xz"]);
    assert_eq!(with(&[(1, 11, UNNAMED), (1, 22, UNNAMED)]), ["", ""]);
}

#[test]
fn a_host_whose_second_adapter_has_no_name_is_none_of_one_adapter() {
    // Three hosts show that second adapters are two ports further on. Six have theirs there without a name. One more adapter of the
    // first leaf may be of a host with two.
    let hosts: Vec<(u32, String)> =
        (1..).step_by(3).zip('a'..='i').map(|(port, name)| (port, format!("x{name}"))).collect();
    let first: Vec<(u32, String)> =
        hosts.iter().map(|(port, name)| (*port, format!("{name} HCA-1"))).collect();
    let second: Vec<(u32, String)> =
        hosts[..3].iter().map(|(port, name)| (port + 2, format!("{name} HCA-2"))).collect();
    let mut all: Vec<(usize, u32, &str)> = first.iter().map(|(port, name)| (0, *port, &**name)).collect();
    all.extend(second.iter().map(|(port, name)| (1, *port, &**name)));
    all.extend(hosts[3..].iter().map(|(port, _)| (1, port + 2, UNNAMED)));
    all.push((0, 35, UNNAMED));
    let mut expected: Vec<&str> = hosts[3..].iter().map(|(_, name)| &**name).collect();
    expected.push("");
    assert_eq!(hosts_of_open(&all), expected);
}

#[test]
fn the_ports_of_one_adapter_are_one_hosts_where_a_list_of_links_has_them_as_two() {
    // Each host has an adapter with a port on either leaf: end nodes with neighbouring GUIDs, without the number of a card.
    let mut s = Sketch::new();
    let leaves = [1, 2].map(|n| s.switch(&format!("leaf-{n}"), 40));
    for (at, name) in [(1, "xa HCA-1"), (2, "xb HCA-1"), (5, "xc HCA-1"), (9, "localhost HCA-1")] {
        for (leaf, port) in leaves.into_iter().zip(1..) {
            let end = s.adapter_of(name, 2);
            s.builder().node_mut(end).system_guid = Guid::NONE;
            s.cable((end, port), (leaf, at));
        }
    }
    let fabric = s.finish();
    let hosts = Hosts::of(&fabric, None);
    let of: Vec<_> = fabric.end_nodes().map(|end| hosts.owner(end)).collect();
    assert_eq!((&of[..6], &of[6..]), (&[Owner::Named; 6][..], &[Owner::Inferred; 2][..]));
}
