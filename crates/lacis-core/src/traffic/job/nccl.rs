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

/// The numbers of hosts, of ranks on each, and of channels: one per rail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RankLayout {
    pub hosts: u32,
    pub per_host: u32,
    pub channels: u32,
}

impl RankLayout {
    /// The rank at an index of a host's chain on a channel.
    fn rank(self, host: u32, channel: u32, position: u32) -> u32 {
        host * self.per_host + (channel + position) % self.per_host
    }
}

/// `bytes × numerator / denominator`, rounded up.
fn share(bytes: u64, numerator: u64, denominator: u64) -> u64 {
    (u128::from(bytes) * u128::from(numerator)).div_ceil(u128::from(denominator)) as u64
}

/// The messages of a ring allreduce of `bytes`.
pub(super) fn ring(at: RankLayout, bytes: u64, out: &mut Vec<Message>) {
    let n = at.hosts * at.per_host;
    let each = share(bytes, 2 * u64::from(n - 1), u64::from(n) * u64::from(at.channels));
    for channel in 0..at.channels {
        for host in 0..at.hosts {
            for position in 1..at.per_host {
                let (from, to) = (at.rank(host, channel, position - 1), at.rank(host, channel, position));
                out.push(Message::on_rail(from, to, each, channel));
            }
            let from = at.rank(host, channel, at.per_host - 1);
            out.push(Message::on_rail(from, at.rank((host + 1) % at.hosts, channel, 0), each, channel));
        }
    }
}

/// The messages of a double-binary-tree allreduce of `bytes`.
pub(super) fn tree(at: RankLayout, bytes: u64, out: &mut Vec<Message>) {
    let half = share(bytes, 1, 2 * u64::from(at.channels));
    for channel in 0..at.channels {
        let mut both = |a, b, bytes| {
            out.push(Message::on_rail(a, b, bytes, channel));
            out.push(Message::on_rail(b, a, bytes, channel));
        };
        for host in 0..at.hosts {
            for position in 1..at.per_host {
                both(at.rank(host, channel, position), at.rank(host, channel, position - 1), 2 * half);
            }
            for second in [false, true] {
                if let Some(parent) = parent(host, at.hosts, second) {
                    both(at.rank(host, channel, 0), at.rank(parent, channel, 0), half);
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
        let at = RankLayout { hosts: 3, per_host: 4, channels: 2 };
        let mut out = Vec::new();
        ring(at, 6_000_000, &mut out);
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
