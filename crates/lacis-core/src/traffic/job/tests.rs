//! Sizes and ranks.

use super::*;
use crate::model::load::testing::two_tier;
use crate::ranks::Flow;
use crate::traffic::{HostPorts, Participants};

fn job(spec: &str, hosts: u32, bytes: u64) -> Result<Job, TrafficError> {
    let net = two_tier(1, hosts, 1);
    let participants = Participants::each_port(&net.fabric, &net.hosts);
    Job::new(&spec.parse().unwrap(), &Ranks::new(&participants, 1), bytes, "")
}

fn sent(job: &Job) -> Vec<u64> {
    let mut out = Vec::new();
    (0..job.phases())
        .map(|p| {
            job.fill(p, &mut out);
            out.iter().filter(|m| m.from == 0).map(|m| m.bytes).sum()
        })
        .collect()
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
        assert_eq!(sent(&job(spec, 8, 800).unwrap()), expected, "{spec}");
    }
    // Blocks of 3 bytes among 2 ranks: 1 and 2. Of 1 byte among 3: two are empty and not sent.
    assert_eq!(sent(&job("allreduce:ring", 2, 3).unwrap()), [1, 2]);
    assert_eq!(sent(&job("allreduce:ring", 3, 1).unwrap()).iter().sum::<u64>(), 1);
}

#[test]
fn what_does_not_fit_the_ranks_is_refused() {
    for (spec, hosts, expected) in [
        ("stencil:3x3", 8, "needs 9 ranks, and there are 8"),
        ("incast:8", 8, "needs 9 ranks, and there are 8"),
        ("allgather:recursive-doubling", 6, "needs a power of two of ranks, and there are 6"),
        ("allreduce:ring", 1, "needs at least 2 ranks"),
    ] {
        let error = job(spec, hosts, 8).unwrap_err().to_string();
        assert!(error.contains(expected), "{spec}: {error}");
    }
}

#[test]
fn ranks_fill_host_after_host_and_keep_to_their_rail() {
    // Host a has rails 0 and 1, host b rail 0 alone. Ports: a0 = 0, a1 = 1, b0 = 2.
    let net = two_tier(2, 2, 1);
    let host = |name: &str, a: usize, b: Option<usize>| HostPorts {
        name: name.into(),
        ports: vec![Some(net.hosts[a]), b.map(|b| net.hosts[b])],
    };
    let participants = Participants::new(&net.fabric, &[host("a", 0, Some(2)), host("b", 1, None)], None);
    let ranks = Ranks::new(&participants, 3);
    assert_eq!((ranks.len(), ranks.host(2), ranks.host(3)), (6, 0, 1));
    let delivery = |from, to, rail| ranks.delivery(&Message { rail, ..Message::new(from, to, 1) });
    let over = |from, to| Delivery::Fabric(Flow { from, to });
    assert_eq!(delivery(0, 2, None), Delivery::Inside(0));
    assert_eq!(delivery(0, 3, None), over(0, 2));
    assert_eq!(delivery(1, 4, None), over(1, 2)); // b has no rail 1
    assert_eq!(delivery(3, 1, None), over(2, 0)); // on the sender's rail
    assert_eq!(delivery(0, 3, Some(1)), over(1, 2));
    assert_eq!(delivery(0, 3, Some(7)), over(0, 2));
}
