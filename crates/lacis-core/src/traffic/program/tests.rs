//! Sizes and ranks.

use super::*;
use crate::model::load::testing::two_tier;
use crate::ranks::{Delivery, HostPorts, Location, Participants};

/// By phase: bytes that rank 0 sends.
fn sent(spec: &str, hosts: u32, bytes: u64) -> Result<Vec<u64>, TrafficError> {
    let net = two_tier(1, hosts, 1);
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    let program = Program::new(&spec.parse().unwrap(), Ranks::in_a_row(&participants, 1), bytes, "")?;
    let mut out = Vec::new();
    let of_phase = |p| {
        program.fill(p, &mut out);
        out.iter().filter(|m| m.from == 0).map(|m| m.bytes).sum()
    };
    Ok((0..program.phases()).map(of_phase).collect())
}

#[test]
fn each_phase_sends_what_the_literature_says() {
    // By rank 0 of 8, of 800 bytes (Thakur et al., section 4; Bruck: half of the 8 blocks a phase).
    for (spec, expected) in [
        ("allreduce:ring", &[100; 14][..]),
        ("allreduce:recursive-doubling", &[800; 3]),
        ("allreduce:rabenseifner", &[400, 200, 100, 100, 200, 400]),
        ("allgather:recursive-doubling", &[800, 1600, 3200]),
        ("allgather:bruck", &[800, 1600, 3200]),
        ("alltoall:bruck", &[3200; 3]),
        ("alltoall:pairwise", &[800; 7]),
        ("broadcast:binomial", &[800; 3]),
        ("broadcast:scatter-allgather", &[400, 200, 100, 100, 100, 100, 100, 100, 100, 100]),
    ] {
        assert_eq!(sent(spec, 8, 800).unwrap(), expected, "{spec}");
    }
    // Blocks of 3 bytes among 2 ranks: 1 and 2. Of 1 byte among 3: two are empty and not sent.
    assert_eq!(sent("allreduce:ring", 2, 3).unwrap(), [1, 2]);
    assert_eq!(sent("allreduce:ring", 3, 1).unwrap().iter().sum::<u64>(), 1);
}

#[test]
fn what_does_not_fit_the_ranks_is_refused() {
    for (spec, hosts, expected) in [
        ("stencil:3x3", 8, "needs 9 ranks, and there are 8"),
        ("incast:8", 8, "needs 9 ranks, and there are 8"),
        ("allgather:recursive-doubling", 6, "needs a power of two of ranks, and there are 6"),
        ("allreduce:ring", 1, "needs at least 2 ranks"),
    ] {
        let error = sent(spec, hosts, 8).unwrap_err().to_string();
        assert!(error.contains(expected), "{spec}: {error}");
    }
}

/// Hosts a, b and c with two rails each, but that c may lack rail 1. Ports: a0 = 0, a1 = 1, b0 = 2, b1 = 3, c0 = 4,
/// c1 = 5.
fn three_hosts(c_lacks: bool) -> Participants {
    let net = two_tier(2, 3, 1);
    let host = |i: usize| HostPorts {
        name: format!("host {i}"),
        ports: vec![Some(net.hosts[i]), Some(net.hosts[3 + i]).filter(|_| i < 2 || !c_lacks)],
    };
    Participants::new(&net.fabric, &[host(0), host(1), host(2)], None)
}

/// Ranks at these hosts and rails; the core of each is its number.
fn mapped<'a>(participants: &'a Participants, at: &[(u32, u32)]) -> Ranks<'a> {
    let at = (0..).zip(at).map(|(core, &(host, rail))| Location { host, rail, core });
    Ranks::mapped(participants, at.collect()).unwrap()
}

/// Of the messages of phase 0 over the fabric: sender's and receiver's port, and the size.
fn flows(program: &Program<'_>) -> Vec<(u32, u32, u64)> {
    let mut out = Vec::new();
    program.fill(0, &mut out);
    let over = |m: &Message| match m.delivery(program.ranks()) {
        Delivery::Fabric(flow) => Some((flow.from, flow.to, m.bytes)),
        Delivery::Inside(_) => None,
    };
    out.iter().filter_map(over).collect()
}

#[test]
fn messages_follow_a_map_that_goes_round_the_hosts() {
    // Rank r is on host r mod 3, the first three by rail 0, the others by rail 1. Each sends to the next.
    let participants = three_hosts(false);
    let round = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)];
    let ring = |ranks| Program::new(&"allreduce:ring".parse().unwrap(), ranks, 6, "").unwrap();
    let ports: Vec<_> = flows(&ring(mapped(&participants, &round))).iter().map(|f| (f.0, f.1)).collect();
    assert_eq!(ports, [(0, 2), (2, 4), (4, 0), (1, 3), (3, 5), (5, 1)]);
    // In a row, two a host, every other message stays inside; the rest leave by rail 1.
    let ports: Vec<_> = flows(&ring(Ranks::in_a_row(&participants, 2))).iter().map(|f| (f.0, f.1)).collect();
    assert_eq!(ports, [(1, 3), (3, 5), (5, 1)]);
}

#[test]
fn messages_keep_to_the_rails_of_a_map() {
    // Rank 0 on c by rail 0, ranks 1 and 2 on a and b by rail 1, on which they send to rank 0.
    let participants = three_hosts(false);
    let ranks = mapped(&participants, &[(2, 0), (0, 1), (1, 1)]);
    let incast = Program::new(&"incast:2".parse().unwrap(), ranks, 8, "").unwrap();
    assert_eq!(flows(&incast), [(1, 5, 8), (3, 5, 8)]);
}

#[test]
fn nccl_rings_pass_through_unequal_numbers_of_ranks() {
    // a has ranks 0, 2 and 3 by rails 0, 0 and 1; c has rank 1 by rail 1; b has none. Of 8 bytes each edge of a
    // channel carries 2 × 3 / 4 of 4. Ring of rail 0: 0, 2, 3, 1. Of rail 1, which rank 3 uses: 3, 0, 2, 1.
    let participants = three_hosts(false);
    let ranks = mapped(&participants, &[(0, 0), (2, 1), (0, 0), (0, 1)]);
    let program = Program::new(&ProgramSpec::NcclRing, ranks, 8, "").unwrap();
    let mut out = Vec::new();
    program.fill(0, &mut out);
    let hops: Vec<_> = out.iter().map(|m| (m.from, m.to)).collect();
    assert_eq!(hops, [(0, 2), (2, 3), (3, 1), (1, 0), (3, 0), (0, 2), (2, 1), (1, 3)]);
    assert_eq!(flows(&program), [(0, 4, 6), (4, 0, 6), (1, 5, 6), (5, 1, 6)]);
}

#[test]
fn stripes_go_by_the_rails_of_the_hosts_of_a_map() {
    // Rank 0 on a, rank 1 on c, which has rail 0 alone, rank 2 on b. PSM2 halves a message where two rails are common.
    let participants = three_hosts(true);
    let ranks = mapped(&participants, &[(0, 0), (2, 0), (1, 0)]);
    let incast = Program::new(&"incast:2".parse().unwrap(), ranks, 1 << 20, "").unwrap();
    assert_eq!(flows(&incast.striped(Striping::PSM2)), [(4, 0, 1 << 20), (2, 0, 1 << 19), (3, 1, 1 << 19)]);
}
