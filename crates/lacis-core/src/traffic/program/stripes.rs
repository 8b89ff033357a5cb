//! Messages of a program spread over the rails that two hosts have in common.

use rustc_hash::FxHashMap;

use super::Message;
use crate::ranks::Ranks;
use crate::traffic::Striping;

/// How messages are spread over rails, and the rails of each host, one bit each.
#[derive(Clone, Debug)]
pub(super) struct ProgramStriping {
    how: Striping,
    rails: Vec<u64>,
}

impl ProgramStriping {
    /// For ranks on their hosts.
    pub(super) fn new(how: Striping, ranks: &Ranks<'_>) -> Self {
        let participants = ranks.participants();
        let has = |host, rail| participants.slot(host, rail).is_some();
        let of_host = |host| {
            (0..participants.num_rails().min(64)).filter(|&r| has(host, r)).fold(0_u64, |set, r| set | 1 << r)
        };
        Self { how, rails: (0..participants.num_hosts() as u32).map(of_host).collect() }
    }

    /// Replaces messages by their stripes. The messages of a phase between two ranks take turns, from the phase's
    /// number on.
    pub(super) fn spread(&self, phase: usize, ranks: &Ranks<'_>, messages: &mut Vec<Message>) {
        let whole = std::mem::take(messages);
        let mut sent: FxHashMap<(u32, u32), u64> = FxHashMap::default();
        for message in whole {
            let hosts = (ranks.host(message.from), ranks.host(message.to));
            let common = self.rails[hosts.0 as usize] & self.rails[hosts.1 as usize];
            if hosts.0 == hosts.1 || message.rail.is_some() || common == 0 {
                messages.push(message);
                continue;
            }
            let turn = sent.entry((message.from, message.to)).or_insert(phase as u64);
            self.how.spread(message.bytes, 1, common.count_ones(), *turn, |index, bytes, _| {
                let rail = (0..64_u32).filter(|r| common >> r & 1 == 1).nth(index as usize);
                messages.push(Message { bytes, rail, ..message });
            });
            *turn += 1;
        }
    }
}
