//! Runs that write to one log at once without anything before their lines, and whose heads all come before a row: which row is
//! of which.
//!
//! Sizes of a run grow. Where a row may be of several runs that differ in nothing but their repeats, any of them has it. Rows of
//! runs on different hosts keep their values and lose their hosts. Rows that may be of different tests are left out, as
//! a latency would else be a bandwidth. Where the sizes are those of one run, the other runs died, and the last has them.

use super::table::{Block, Context, Line};

/// Rows that are kept until it is known of which run they are, by their stream.
#[derive(Debug, Default)]
pub(super) struct Mixed {
    rows: Vec<(u32, usize, String)>,
}

/// Of which run rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// This one.
    One(usize),
    /// Any: but for the hosts they are alike.
    Any,
    /// Nothing says it.
    Unknown,
}

impl Mixed {
    /// Keeps a row.
    pub(super) fn keep(&mut self, stream: u32, line: &Line<'_>) {
        self.rows.push((stream, line.number, line.text.to_owned()));
    }

    /// Whether rows of a stream are kept.
    pub(super) fn has(&self, stream: u32) -> bool {
        self.rows.iter().any(|row| row.0 == stream)
    }

    /// The streams of which rows are kept.
    pub(super) fn streams(&self) -> Vec<u32> {
        let mut streams: Vec<u32> = self.rows.iter().map(|row| row.0).collect();
        streams.sort_unstable();
        streams.dedup();
        streams
    }

    /// The rows of a stream, which are no longer kept: numbers and texts of lines.
    pub(super) fn take(&mut self, stream: u32) -> Vec<(usize, String)> {
        let (own, others) = std::mem::take(&mut self.rows).into_iter().partition(|row| row.0 == stream);
        self.rows = others;
        Vec::into_iter(own).map(|(_, number, text)| (number, text)).collect()
    }
}

/// Whether sizes grow from row to row, as those of one run do.
pub(super) fn is_of_one_run(rows: &[(usize, String)]) -> bool {
    let size = |row: &(usize, String)| row.1.split_whitespace().next()?.parse::<u64>().ok();
    rows.windows(2).all(|two| size(&two[0]) < size(&two[1]))
}

/// A run whose rows may be mixed with those of others.
#[derive(Debug)]
pub(super) struct MixedRun<'a> {
    likeness: Option<String>,
    hosts: &'a [String],
    own_hosts: &'a [String],
    ranks: Option<u32>,
    settings: Vec<&'a String>,
    is_doubtful: bool,
}

impl<'a> MixedRun<'a> {
    /// What distinguishes a run's values; not where lines launched runs differently, and nothing says which of them this is.
    pub(super) fn of(block: &'a dyn Block, context: &'a Context, is_doubtful: bool) -> Self {
        let mut settings: Vec<&String> = context.settings.iter().collect();
        settings.sort_unstable();
        Self {
            likeness: block.likeness(),
            hosts: &context.hosts,
            own_hosts: block.hosts(),
            ranks: context.ranks,
            settings,
            is_doubtful,
        }
    }

    /// Whether the values of a row of one would be those of a row of the other.
    pub(super) fn is_like(&self, other: &Self, with_hosts: bool) -> bool {
        let are_hosts_alike = (self.hosts, self.own_hosts) == (other.hosts, other.own_hosts);
        !self.is_doubtful
            && self.likeness.is_some()
            && self.likeness == other.likeness
            && self.ranks == other.ranks
            && self.settings == other.settings
            && (are_hosts_alike || !with_hosts)
    }
}
