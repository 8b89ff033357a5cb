//! Where ranks run, by hand.

use super::*;
use crate::model::load::testing::two_tier;
use crate::ranks::HostPorts;

/// Hosts a, b and c with two rails each, but that c lacks rail 1. Ports: a0 = 0, a1 = 1, b0 = 2, b1 = 3, c0 = 4.
fn three_hosts() -> Participants {
    let net = two_tier(2, 3, 1);
    let host = |name: &str, first: usize, second: Option<usize>| HostPorts {
        name: name.into(),
        ports: vec![Some(net.hosts[first]), second.map(|i| net.hosts[i])],
    };
    let hosts = [host("a", 0, Some(3)), host("b", 1, Some(4)), host("c", 2, None)];
    Participants::new(&net.fabric, &hosts, None)
}

fn at(host: u32, rail: u32, core: u32) -> Location {
    Location { host, rail, core }
}

fn over(from: u32, to: u32) -> Delivery {
    Delivery::Fabric(Flow { from, to })
}

#[test]
fn ranks_in_a_row_fill_host_after_host_and_keep_to_their_rail() {
    let participants = three_hosts();
    let ranks = Ranks::in_a_row(&participants, 3);
    assert_eq!(ranks.len(), 9);
    assert_eq!([2, 3, 8].map(|rank| ranks.location(rank)), [at(0, 0, 2), at(1, 0, 0), at(2, 0, 2)]);
    assert_eq!(ranks.delivery(0, 2, None), Delivery::Inside(0));
    assert_eq!(ranks.delivery(0, 6, None), over(0, 4));
    assert_eq!(ranks.delivery(1, 7, None), over(1, 4)); // c has no rail 1
    assert_eq!(ranks.delivery(6, 1, None), over(4, 0)); // on the sender's rail
    assert_eq!(ranks.delivery(0, 6, Some(1)), over(1, 4));
    assert_eq!(ranks.delivery(0, 3, Some(7)), over(0, 2));
    assert!(!ranks.are_hosts() && Ranks::in_a_row(&participants, 1).are_hosts());
}

#[test]
fn a_map_may_go_round_the_hosts() {
    // Ranks 0, 1, 2 on a, b, c by rail 0; then 3 and 4 on a and b by rail 1, and 5 on c by rail 0 again.
    let participants = three_hosts();
    let map = vec![at(0, 0, 0), at(1, 0, 0), at(2, 0, 0), at(0, 1, 1), at(1, 1, 1), at(2, 0, 1)];
    let ranks = Ranks::mapped(&participants, map).unwrap();
    assert_eq!(ranks.by_host(), [[0, 3], [1, 4], [2, 5]]);
    assert_eq!(ranks.delivery(0, 3, None), Delivery::Inside(0));
    assert_eq!(ranks.delivery(1, 3, None), over(2, 0));
    assert_eq!(ranks.delivery(3, 4, None), over(1, 3));
    assert_eq!(ranks.delivery(4, 5, None), over(3, 4));
}

#[test]
fn hosts_may_have_unequal_numbers_of_ranks_in_any_order() {
    let participants = three_hosts();
    let ranks =
        Ranks::mapped(&participants, vec![at(2, 0, 7), at(0, 0, 0), at(0, 1, 1), at(0, 1, 5)]).unwrap();
    assert_eq!(ranks.by_host(), [vec![0], vec![1, 2, 3]]);
    assert_eq!([0, 3].map(|rank| ranks.host(rank)), [2, 0]);
    assert_eq!(ranks.delivery(0, 3, None), over(4, 0));
    assert_eq!(ranks.delivery(3, 0, None), over(1, 4));
    assert!(!ranks.are_hosts());
    // One rank a host stands for its host only in the order of the hosts.
    let are_hosts = |map: Vec<Location>| Ranks::mapped(&participants, map).unwrap().are_hosts();
    assert!(are_hosts(vec![at(0, 1, 3), at(2, 0, 0)]));
    assert!(!are_hosts(vec![at(2, 0, 0), at(0, 1, 3)]));
}

#[test]
fn a_map_beyond_the_hosts_is_refused() {
    let participants = three_hosts();
    let refused = |map: Vec<Location>| Ranks::mapped(&participants, map).unwrap_err();
    assert_eq!(
        refused(vec![at(0, 0, 0), at(3, 0, 0)]),
        RanksError::NoSuchHost { rank: 1, host: 3, hosts: 3 }
    );
    for rail in [1, 2, u32::MAX] {
        let lacks = RanksError::LacksRail { rank: 0, host: "c".into(), rail };
        assert_eq!(refused(vec![at(2, rail, 0)]), lacks);
    }
    let shared = RanksError::SharedCore { first: 1, second: 2, host: "b".into(), core: 4 };
    assert_eq!(shared.to_string(), "ranks 1 and 2 are both on core 4 of b");
    assert_eq!(refused(vec![at(0, 0, 4), at(1, 0, 4), at(1, 1, 4)]), shared);
}
