//! Message programs: ranks that exchange messages, phase after phase.
//!
//! | spec | what `bytes` is |
//! |---|---|
//! | `alltoall:ALGORITHM` | what each rank has for each other |
//! | `allreduce:ALGORITHM`, `broadcast:ALGORITHM` | the vector |
//! | `allgather:ALGORITHM` | what each rank gives |
//! | `barrier` | a message |
//! | `nccl-ring`, `nccl-tree` | the vector of an allreduce |
//! | `stencil:8x8x4`, `stencil:8x8x4,periodic` | a halo that a rank sends to a neighbour |
//! | `incast:8` | what each of ranks 1 to 8 sends to rank 0 |
//! | `trace:PATH` | each message names its own |
//!
//! A phase begins when all messages of the phases that it waits for have arrived: unless a trace says
//! otherwise, of the one before it. Blocks of a vector differ by at most one byte; an empty block is
//! not sent.

mod collective;
mod message;
mod nccl;
mod spec;
mod stencil;
mod stripes;
mod trace;

use super::{Striping, TrafficError};
use crate::ranks::Ranks;

pub use collective::Collective;
pub use message::Message;
pub use spec::{ProgramSpec, TrafficSpec};
pub use stencil::Grid;
pub use trace::Trace;

use collective::VectorSlice;
use nccl::Chains;
use stripes::ProgramStriping;

/// A program of given ranks: phases by number.
#[derive(Clone, Debug)]
pub struct Program<'a> {
    spec: ProgramSpec,
    ranks: Ranks<'a>,
    /// NCCL's chains; none of other programs.
    chains: Option<Chains>,
    bytes: u64,
    trace: Trace,
    striping: Option<ProgramStriping>,
}

impl<'a> Program<'a> {
    /// A program of given sizes on given ranks. `trace` is the text of the file of [`ProgramSpec::Trace`].
    ///
    /// # Errors
    /// Too few ranks, messages without a byte, a grid or an incast that needs more than there are, an algorithm that does not
    /// work with their number, or a line of the trace.
    pub fn new(spec: &ProgramSpec, ranks: Ranks<'a>, bytes: u64, trace: &str) -> Result<Self, TrafficError> {
        let n = ranks.len();
        let wrong = |reason: String| TrafficError::Argument { pattern: spec.to_string(), reason };
        if n < 2 {
            return Err(wrong(format!("needs at least 2 ranks, and there are {n}")));
        }
        if bytes == 0 && !matches!(spec, ProgramSpec::Trace(_)) {
            return Err(TrafficError::EmptyMessages);
        }
        let needed = match spec {
            ProgramSpec::Stencil(grid) => grid.ranks(),
            ProgramSpec::Incast(senders) => u64::from(*senders) + 1,
            _ => 0,
        };
        if needed > u64::from(n) {
            return Err(wrong(format!("needs {needed} ranks, and there are {n}")));
        }
        if *spec == ProgramSpec::Collective(Collective::AllgatherRecursiveDoubling) && !n.is_power_of_two() {
            return Err(wrong(format!(
                "needs a power of two of ranks, and there are {n}; bruck takes any number"
            )));
        }
        let trace = if let ProgramSpec::Trace(_) = spec { Trace::read(trace, n)? } else { Trace::default() };
        let is_nccl = matches!(spec, ProgramSpec::NcclRing | ProgramSpec::NcclTree);
        let chains = is_nccl.then(|| Chains::of(&ranks));
        Ok(Self { spec: spec.clone(), ranks, chains, bytes, trace, striping: None })
    }

    /// A program of one phase, in which all of these messages are sent at once.
    ///
    /// # Errors
    /// When there is no message, one is without a byte, or names a rank that does not exist or sends to itself.
    pub fn of_messages(ranks: Ranks<'a>, messages: Vec<Message>) -> Result<Self, TrafficError> {
        let n = ranks.len();
        let wrong = |reason: String| TrafficError::Argument { pattern: "trace".into(), reason };
        if messages.is_empty() {
            return Err(wrong("there is no message".into()));
        }
        if messages.iter().any(|m| m.bytes == 0) {
            return Err(TrafficError::EmptyMessages);
        }
        if let Some(m) = messages.iter().find(|m| m.from >= n || m.to >= n || m.from == m.to) {
            return Err(wrong(format!("rank {} cannot send to rank {}, of {n} ranks", m.from, m.to)));
        }
        let trace = Trace::of_messages(messages);
        let spec = ProgramSpec::Trace("messages".into());
        Ok(Self { spec, ranks, chains: None, bytes: 0, trace, striping: None })
    }

    /// The same with messages spread over the rails that sender and receiver have in common, as a library does it.
    /// Messages that name a rail, as NCCL's do, stay on it. At most 64 rails are used.
    #[must_use]
    pub fn striped(self, how: Striping) -> Self {
        Self { striping: Some(ProgramStriping::new(how, &self.ranks)), ..self }
    }

    /// What it does.
    pub fn spec(&self) -> &ProgramSpec {
        &self.spec
    }

    /// Whether any message has a weight other than 1.
    pub fn is_weighted(&self) -> bool {
        (0..self.trace.len())
            .any(|p| self.trace.messages(p).iter().any(|m| m.weight.to_bits() != 1_f64.to_bits()))
    }

    /// The service levels of messages, ascending; `usual` is that of messages that ask for none.
    pub fn service_levels(&self, usual: u8) -> Vec<u8> {
        let ProgramSpec::Trace(_) = self.spec else { return vec![usual] };
        let of = |phase| self.trace.messages(phase).iter().map(|m| m.sl.unwrap_or(usual));
        let asked = (0..self.trace.len()).flat_map(of).fold(0_u16, |set, sl| set | 1 << (sl & 15));
        (0..16).filter(|sl| asked >> sl & 1 == 1).collect()
    }

    /// Its ranks, and where each of them runs.
    pub fn ranks(&self) -> &Ranks<'a> {
        &self.ranks
    }

    /// Number of phases.
    pub fn phases(&self) -> usize {
        match &self.spec {
            ProgramSpec::Collective(it) => it.phases(self.ranks.len()),
            ProgramSpec::Trace(_) => self.trace.len(),
            _ => 1,
        }
    }

    /// Whether every phase waits for the one before it and for nothing else.
    pub fn is_chain(&self) -> bool {
        (0..self.phases()).all(|p| self.after(p).iter().copied().eq(p.checked_sub(1).map(|b| b as u32)))
    }

    /// The phases that a phase waits for, by number.
    pub fn after(&self, phase: usize) -> Vec<u32> {
        match &self.spec {
            ProgramSpec::Trace(_) => self.trace.after(phase).to_vec(),
            _ => phase.checked_sub(1).map(|before| before as u32).into_iter().collect(),
        }
    }

    /// A phase's name in the trace; otherwise its number, from 0.
    pub fn name(&self, phase: usize) -> String {
        match &self.spec {
            ProgramSpec::Trace(_) => self.trace.name(phase).to_owned(),
            _ => phase.to_string(),
        }
    }

    /// Overwrites `out` with the messages of a phase.
    pub fn fill(&self, phase: usize, out: &mut Vec<Message>) {
        out.clear();
        match &self.spec {
            ProgramSpec::Collective(it) => it.transfers(self.ranks.len(), phase as u32, |t| {
                let bytes = self.size(*it, t.slice);
                if bytes > 0 {
                    out.push(Message::new(t.from, t.to, bytes));
                }
            }),
            ProgramSpec::NcclRing => self.chains.iter().for_each(|it| nccl::ring(it, self.bytes, out)),
            ProgramSpec::NcclTree => self.chains.iter().for_each(|it| nccl::tree(it, self.bytes, out)),
            ProgramSpec::Stencil(grid) => grid.messages(self.bytes, out),
            ProgramSpec::Incast(senders) => {
                out.extend((1..=*senders).map(|r| Message::new(r, 0, self.bytes)));
            }
            ProgramSpec::Trace(_) => out.extend_from_slice(self.trace.messages(phase)),
        }
        if let Some(striping) = &self.striping {
            striping.spread(phase, &self.ranks, out);
        }
    }

    /// An upper bound of the messages of a phase, each stripe counted.
    pub fn max_messages(&self) -> usize {
        let rails = self.striping.as_ref().map_or(1, |_| self.ranks.participants().num_rails().max(1));
        self.max_whole().saturating_mul(rails)
    }

    fn max_whole(&self) -> usize {
        let n = self.ranks.len() as usize;
        let channels = self.ranks.participants().num_rails().max(1);
        match &self.spec {
            ProgramSpec::Collective(Collective::AlltoallLinear) => n.saturating_mul(n - 1),
            ProgramSpec::Collective(_) | ProgramSpec::Incast(_) => n,
            ProgramSpec::NcclRing => n.saturating_mul(channels),
            ProgramSpec::NcclTree => n.saturating_mul(4 * channels),
            ProgramSpec::Stencil(grid) => n.saturating_mul(2 * grid.sizes.len()),
            ProgramSpec::Trace(_) => {
                (0..self.trace.len()).map(|p| self.trace.messages(p).len()).max().unwrap_or(0)
            }
        }
    }

    /// The size of a slice of a vector `[bytes]`.
    fn size(&self, it: Collective, slice: VectorSlice) -> u64 {
        use Collective as C;
        let cut = matches!(
            it,
            C::AllreduceRing | C::AllreduceRabenseifner | C::BroadcastScatterAllgather | C::BroadcastBinomial
        );
        match slice {
            VectorSlice::Whole => self.bytes,
            VectorSlice::Blocks { first, count } if cut => {
                let blocks = u128::from(it.blocks(self.ranks.len()));
                let before = |block: u128| u128::from(self.bytes) * block / blocks;
                let (first, count) = (u128::from(first), u128::from(count));
                let end = first + count;
                let wrapped = end.saturating_sub(blocks);
                (before(end - wrapped) - before(first) + before(wrapped)) as u64
            }
            VectorSlice::Blocks { count, .. } => self.bytes.saturating_mul(u64::from(count)),
            VectorSlice::Slots { bit } => {
                let slots = (0..self.ranks.len()).filter(|slot| slot >> bit & 1 == 1).count();
                self.bytes.saturating_mul(slots as u64)
            }
        }
    }

    /// The size that a benchmark divides by the time `[bytes]`, and the factor by which the quotient compares
    /// with a link's rate, both as `nccl-tests` define them (*algorithm* and *bus bandwidth*). None where
    /// there is no such convention.
    pub fn bandwidth_terms(&self) -> Option<(f64, f64)> {
        use Collective as C;
        let (n, bytes) = (f64::from(self.ranks.len()), self.bytes as f64);
        match &self.spec {
            ProgramSpec::Collective(
                C::AlltoallLinear
                | C::AlltoallPairwise
                | C::AlltoallBruck
                | C::AllgatherRing
                | C::AllgatherRecursiveDoubling
                | C::AllgatherBruck,
            ) => Some((n * bytes, (n - 1.0) / n)),
            ProgramSpec::Collective(
                C::AllreduceRing
                | C::AllreduceRecursiveDoubling
                | C::AllreduceRabenseifner
                | C::AllreduceTree,
            )
            | ProgramSpec::NcclRing
            | ProgramSpec::NcclTree => Some((bytes, 2.0 * (n - 1.0) / n)),
            ProgramSpec::Collective(C::BroadcastBinomial | C::BroadcastScatterAllgather) => {
                Some((bytes, 1.0))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
