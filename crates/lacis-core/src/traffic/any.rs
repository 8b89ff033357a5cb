//! Traffic of any kind, in the one form that every model takes.

use super::{Pattern, Phases, Program, Striping, TrafficError, TrafficSpec, listed_pairs};
use crate::ranks::{Participants, Ranks};

/// A pattern or a message program, made ready for its hosts or ranks.
#[derive(Clone, Debug)]
pub enum Traffic<'a> {
    /// Hosts that send to hosts. Phases are independent of each other.
    Pattern(Phases<'a>),
    /// Ranks that exchange messages. Phases wait for each other.
    Program(Program<'a>),
}

/// What traffic needs beside its name and its ranks.
#[derive(Clone, Copy, Debug)]
pub struct TrafficOptions<'t> {
    /// How many phases a random pattern has.
    pub patterns: usize,
    /// Payload of a message, or of what a program exchanges `[bytes]`; 0 where nothing is asked that depends on it.
    pub bytes: u64,
    /// The text of the file that the traffic names, if any.
    pub listed: &'t str,
    /// How messages are spread over rails, if they are.
    pub striping: Option<Striping>,
}

impl<'a> Traffic<'a> {
    /// Makes traffic ready. A pattern is one of the hosts, and takes ranks that stand for them.
    ///
    /// # Errors
    /// When the traffic does not fit the hosts or ranks, when a line of its file is wrong, or when a pattern of hosts
    /// is asked of several ranks a host.
    pub fn new(
        spec: &TrafficSpec,
        ranks: Ranks<'a>,
        options: &TrafficOptions<'_>,
    ) -> Result<Self, TrafficError> {
        let TrafficOptions { patterns, bytes, listed, striping } = *options;
        match spec {
            TrafficSpec::Pattern(pattern) if !ranks.are_hosts() => {
                Err(TrafficError::PatternOfRanks { pattern: pattern.to_string() })
            }
            TrafficSpec::Pattern(pattern) => {
                let participants = ranks.participants();
                let pairs = match pattern {
                    Pattern::File(_) => listed_pairs(listed, participants.names())?,
                    _ => Vec::new(),
                };
                let phases = Phases::new(pattern, participants, patterns, pairs)?.with_bytes(bytes);
                Ok(Self::Pattern(match striping {
                    Some(how) => phases.striped(how)?,
                    None => phases,
                }))
            }
            TrafficSpec::Program(spec) => {
                let program = Program::new(spec, ranks, bytes, listed)?;
                Ok(Self::Program(match striping {
                    Some(how) => program.striped(how),
                    None => program,
                }))
            }
        }
    }

    /// The hosts that send and receive.
    pub fn participants(&self) -> &'a Participants {
        match self {
            Self::Pattern(phases) => phases.participants(),
            Self::Program(program) => program.ranks().participants(),
        }
    }

    /// Number of phases.
    pub fn num_phases(&self) -> usize {
        match self {
            Self::Pattern(phases) => phases.len(),
            Self::Program(program) => program.phases(),
        }
    }

    /// What a phase is called: the distance of a shift, the offset between leaves, a phase's name in a trace; otherwise
    /// its number.
    pub fn phase_name(&self, phase: usize) -> String {
        match self {
            Self::Pattern(phases) => phases.label(phase).to_string(),
            Self::Program(program) => program.name(phase),
        }
    }

    /// An upper bound of the messages of a phase, each stripe counted.
    pub fn max_messages(&self) -> usize {
        match self {
            Self::Pattern(phases) => phases.max_flows(),
            Self::Program(program) => program.max_messages(),
        }
    }

    /// Whether phases can run apart from each other: those of a pattern, and those of a program each of which waits for
    /// the one before it and for nothing else.
    pub fn runs_by_phase(&self) -> bool {
        match self {
            Self::Pattern(_) => true,
            Self::Program(program) => program.is_chain(),
        }
    }

    /// The service levels of messages, ascending; `usual` is that of messages that ask for none.
    pub fn service_levels(&self, usual: u8) -> Vec<u8> {
        match self {
            Self::Pattern(_) => vec![usual],
            Self::Program(program) => program.service_levels(usual),
        }
    }
}
