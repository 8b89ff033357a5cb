//! Allreduce as NCCL does it: pipelined rings and double binary trees, one channel per rail.
//!
//! Chunks follow one another so closely that all edges are busy all the time: each algorithm is one
//! phase, in which every edge carries all that it will ever carry.
//!
//! * **ring**: every edge carries `2 (n − 1) / n` of the channel's share. The ring of channel `c`
//!   visits host after host; inside a host it begins at the rank of rail `c`, passes through all
//!   others in order, and leaves by rail `c`.
//! * **tree**: two binary trees over the hosts, each for half of the channel's share, up (reduce) and
//!   down (broadcast); a host that has children in one has none in the other, except the roots
//!   (P. Sanders, J. Speck, J. L. Träff, "Two-tree algorithms for full bandwidth broadcast, reduction
//!   and scan", Parallel Computing 35(12), 2009). Inside a host the ranks are a chain that ends at
//!   the rank of rail `c`.
//!
//! Shares are rounded up to whole bytes.

use super::message::Message;
use crate::ranks::Ranks;

/// The ranks of each host as a chain for each channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chains {
    /// By host that has a rank: its ranks, ascending.
    hosts: Vec<Vec<u32>>,
    /// By channel and host: the index at which the host's chain begins.
    starts: Vec<Vec<usize>>,
}

impl Chains {
    /// Chains of these ranks, one channel per rail. A chain begins at the first rank that uses the channel's rail;
    /// where none does, at the rank whose index on the host is the channel's number, modulo the ranks of the host.
    pub(super) fn of(ranks: &Ranks<'_>) -> Self {
        let hosts = ranks.by_host();
        let channels = ranks.participants().num_rails().max(1);
        let start = |channel: usize, own: &Vec<u32>| {
            let on_rail = own.iter().position(|&rank| ranks.location(rank).rail as usize == channel);
            on_rail.unwrap_or(channel % own.len())
        };
        let starts = |channel| hosts.iter().map(|own| start(channel, own)).collect();
        Self { starts: (0..channels).map(starts).collect(), hosts }
    }

    fn num_ranks(&self) -> u64 {
        self.hosts.iter().map(|own| own.len() as u64).sum()
    }

    fn num_channels(&self) -> u64 {
        self.starts.len() as u64
    }

    /// The rank at an index of a host's chain on a channel.
    fn rank(&self, host: usize, channel: usize, index: usize) -> u32 {
        let own = &self.hosts[host];
        own[(self.starts[channel][host] + index) % own.len()]
    }
}

/// `bytes × numerator / denominator`, rounded up.
fn share(bytes: u64, numerator: u64, denominator: u64) -> u64 {
    (u128::from(bytes) * u128::from(numerator)).div_ceil(u128::from(denominator)) as u64
}

/// The messages of a ring allreduce of `bytes`.
pub(super) fn ring(chains: &Chains, bytes: u64, out: &mut Vec<Message>) {
    let n = chains.num_ranks();
    let each = share(bytes, 2 * (n - 1), n * chains.num_channels());
    for channel in 0..chains.starts.len() {
        let mut send = |from, to| out.push(Message::on_rail(from, to, each, channel as u32));
        for (host, own) in chains.hosts.iter().enumerate() {
            for index in 1..own.len() {
                send(chains.rank(host, channel, index - 1), chains.rank(host, channel, index));
            }
            let next = (host + 1) % chains.hosts.len();
            send(chains.rank(host, channel, own.len() - 1), chains.rank(next, channel, 0));
        }
    }
}

/// The messages of a double-binary-tree allreduce of `bytes`.
pub(super) fn tree(chains: &Chains, bytes: u64, out: &mut Vec<Message>) {
    let half = share(bytes, 1, 2 * chains.num_channels());
    let hosts = chains.hosts.len() as u32;
    for channel in 0..chains.starts.len() {
        let mut both = |a, b, bytes| {
            out.push(Message::on_rail(a, b, bytes, channel as u32));
            out.push(Message::on_rail(b, a, bytes, channel as u32));
        };
        for (host, own) in chains.hosts.iter().enumerate() {
            for index in 1..own.len() {
                both(chains.rank(host, channel, index), chains.rank(host, channel, index - 1), 2 * half);
            }
            for second in [false, true] {
                if let Some(parent) = parent(host as u32, hosts, second) {
                    both(chains.rank(host, channel, 0), chains.rank(parent as usize, channel, 0), half);
                }
            }
        }
    }
}

/// The parent of a host in the first or the second tree. The first has the hosts in order: odd hosts
/// are leaves, and every other host is in the middle of its subtree. The second is its mirror image
/// where the number of hosts is even, otherwise it is moved on by one; so its leaves are the even hosts.
fn parent(host: u32, hosts: u32, second: bool) -> Option<u32> {
    let to_first = |h: u32| match (second, hosts % 2) {
        (false, _) => h,
        (true, 0) => hosts - 1 - h,
        (true, _) => (h + 1) % hosts,
    };
    let from_first = |v: u32| match (second, hosts % 2) {
        (false, _) => v,
        (true, 0) => hosts - 1 - v,
        (true, _) => (v + hosts - 1) % hosts,
    };
    let v = to_first(host);
    let lowest = v & v.wrapping_neg();
    let above = (v ^ lowest) | (lowest << 1);
    (v > 0).then(|| from_first(if above < hosts { above } else { v ^ lowest }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::load::testing::two_tier;
    use crate::ranks::{HostPorts, Participants};

    #[test]
    fn both_trees_span_all_hosts_and_at_most_one_has_children_in_both() {
        for hosts in 2..=40_u32 {
            let mut inner = [vec![0; hosts as usize], vec![0; hosts as usize]];
            for (children, second) in inner.iter_mut().zip([false, true]) {
                let roots = (0..hosts).filter(|&h| parent(h, hosts, second).is_none()).count();
                assert_eq!(roots, 1, "{hosts}");
                for host in 0..hosts {
                    let (mut at, mut depth) = (host, 0);
                    while let Some(above) = parent(at, hosts, second) {
                        (at, depth) = (above, depth + 1);
                        assert!(depth <= hosts.ilog2() + 1, "{host} of {hosts} is too deep");
                    }
                    if let Some(above) = parent(host, hosts, second) {
                        children[above as usize] += 1;
                    }
                }
                assert!(children.iter().all(|&c| c <= 2), "{hosts}");
            }
            let both = inner[0].iter().zip(&inner[1]).filter(|&(&a, &b)| a > 0 && b > 0).count();
            assert!(both <= 1, "{hosts}: {both} hosts have children in both");
        }
    }

    #[test]
    fn every_rank_sends_and_receives_once_on_every_channels_ring() {
        // 3 hosts of 4 ranks, 2 rails: 2 × 11 / 12 of 6 MB in two halves is 5.5 MB an edge.
        let net = two_tier(2, 3, 1);
        let host = |i: usize| HostPorts {
            name: format!("host {i}"),
            ports: vec![Some(net.hosts[i]), Some(net.hosts[3 + i])],
        };
        let participants = Participants::new(&net.fabric, &[host(0), host(1), host(2)], None);
        let mut out = Vec::new();
        ring(&Chains::of(&Ranks::in_a_row(&participants, 4)), 6_000_000, &mut out);
        for channel in 0..2 {
            let on: Vec<_> = out.iter().filter(|m| m.rail == Some(channel)).collect();
            assert!(on.iter().all(|m| m.bytes == 5_500_000));
            let mut rank = 0;
            for _ in 0..12 {
                let next: Vec<_> = on.iter().filter(|m| m.from == rank).collect();
                assert_eq!(next.len(), 1);
                rank = next[0].to;
                // A host is left by the last of the chain that began at the channel's rank.
                if next[0].from / 4 != rank / 4 {
                    assert_eq!((next[0].from % 4, rank % 4), ((channel + 3) % 4, channel));
                }
            }
            assert_eq!((rank, on.len()), (0, 12)); // round once, through all
        }
    }
}
