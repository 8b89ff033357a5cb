//! Message programs by name, as they are typed after `--traffic`.

use std::fmt;
use std::str::FromStr;

use super::collective::{Collective, NAMES};
use super::stencil::Grid;
use crate::traffic::error::nearest_or_all;
use crate::traffic::{Pattern, TrafficError, pattern};

/// What a program does. See the module's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramSpec {
    /// A collective among all ranks.
    Collective(Collective),
    /// NCCL's rings.
    NcclRing,
    /// NCCL's double binary trees.
    NcclTree,
    /// A halo exchange.
    Stencil(Grid),
    /// Ranks 1 to this one send to rank 0.
    Incast(u32),
    /// A trace: the path after the colon.
    Trace(String),
}

/// What `--traffic` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrafficSpec {
    /// Hosts that send to hosts.
    Pattern(Pattern),
    /// Ranks that exchange messages.
    Program(ProgramSpec),
}

const PROGRAMS: [&str; 9] = [
    "alltoall",
    "allreduce",
    "allgather",
    "broadcast",
    "barrier",
    "nccl-ring",
    "nccl-tree",
    "stencil",
    "incast",
];

impl TrafficSpec {
    /// What can be asked for, as typed; what ends in `:` needs an argument after it.
    pub fn names() -> Vec<String> {
        let patterns = pattern::NAMES.iter().map(|name| name.trim_end_matches("PATH").to_owned());
        let collectives = NAMES.iter().map(|&(name, how, _)| match name {
            "barrier" => name.to_owned(),
            _ => format!("{name}:{how}"),
        });
        let others = ["nccl-ring", "nccl-tree", "stencil:", "incast:", "trace:"].map(str::to_owned);
        patterns.chain(collectives).chain(others).collect()
    }
}

impl FromStr for TrafficSpec {
    type Err = TrafficError;

    fn from_str(text: &str) -> Result<Self, TrafficError> {
        let name = text.split(':').next().unwrap_or_default();
        let is_program = (PROGRAMS.contains(&name) && text != "alltoall") || name == "trace";
        if is_program {
            return text.parse().map(Self::Program);
        }
        text.parse().map(Self::Pattern).map_err(|error| match error {
            TrafficError::UnknownPattern { text, .. } => {
                let all: Vec<&str> =
                    pattern::NAMES.iter().chain(&PROGRAMS[1..]).copied().chain(["trace:PATH"]).collect();
                TrafficError::UnknownPattern { nearest: nearest_or_all(name, &all), text }
            }
            other => other,
        })
    }
}

impl FromStr for ProgramSpec {
    type Err = TrafficError;

    fn from_str(text: &str) -> Result<Self, TrafficError> {
        let (name, args) = text.split_once(':').map_or((text, None), |(name, args)| (name, Some(args)));
        let wrong = |reason: String| TrafficError::Argument { pattern: text.into(), reason };
        match (name, args) {
            ("nccl-ring", None) => Ok(Self::NcclRing),
            ("nccl-tree", None) => Ok(Self::NcclTree),
            ("nccl-ring" | "nccl-tree", Some(_)) => Err(wrong(format!("{name} takes no argument"))),
            ("barrier", None) => Ok(Self::Collective(Collective::BarrierDissemination)),
            ("trace", Some(path)) if !path.is_empty() => Ok(Self::Trace(path.into())),
            ("trace", _) => Err(wrong("say which file: trace:PATH".into())),
            ("incast", Some(count)) => match count.parse() {
                Ok(count) if count > 0 => Ok(Self::Incast(count)),
                _ => Err(wrong(format!("\"{count}\" is not a number of senders"))),
            },
            ("incast", None) => Err(wrong("say how many send: incast:8".into())),
            ("stencil", args) => grid(args.unwrap_or_default()).map(Self::Stencil).map_err(wrong),
            (_, how) => {
                let all: Vec<&str> = NAMES.iter().filter(|n| n.0 == name).map(|n| n.1).collect();
                let found = NAMES.iter().find(|n| n.0 == name && Some(n.1) == how);
                found.map(|n| Self::Collective(n.2)).ok_or_else(|| match how {
                    Some(how) => wrong(format!("no algorithm \"{how}\" ({})", nearest_or_all(how, &all))),
                    None => wrong(format!("say which algorithm; {}", nearest_or_all("", &all))),
                })
            }
        }
    }
}

/// Reads `8x8x4` or `8x8x4,periodic`.
fn grid(args: &str) -> Result<Grid, String> {
    let (sizes, periodic) = match args.split_once(',') {
        None => (args, false),
        Some((sizes, "periodic")) => (sizes, true),
        Some((_, other)) => return Err(format!("no argument \"{other}\"; there is periodic")),
    };
    let read = sizes.split('x').map(str::parse).collect::<Result<Vec<u32>, _>>();
    match read {
        Ok(sizes) if sizes.len() <= 4 && !sizes.contains(&0) => Ok(Grid { sizes, periodic }),
        _ => Err(format!("\"{sizes}\" is not a grid of 1 to 4 dimensions, such as 8x8x4")),
    }
}

impl fmt::Display for ProgramSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Collective(it) => match NAMES.iter().find(|n| n.2 == *it) {
                Some((what, how, _)) => write!(f, "{what}:{how}"),
                None => Ok(()),
            },
            Self::NcclRing => f.write_str("nccl-ring"),
            Self::NcclTree => f.write_str("nccl-tree"),
            Self::Stencil(grid) => {
                let sizes: Vec<String> = grid.sizes.iter().map(ToString::to_string).collect();
                write!(f, "stencil:{}{}", sizes.join("x"), if grid.periodic { ",periodic" } else { "" })
            }
            Self::Incast(count) => write!(f, "incast:{count}"),
            Self::Trace(path) => write!(f, "trace:{path}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_reads_and_prints_the_same() {
        let collectives = NAMES.iter().map(|(what, how, _)| format!("{what}:{how}"));
        let others =
            ["nccl-ring", "nccl-tree", "stencil:8x8x4", "stencil:4,periodic", "incast:8", "trace:a:b"];
        for text in collectives.chain(others.map(String::from)) {
            let read = text.parse::<TrafficSpec>().unwrap();
            assert!(
                matches!(&read, TrafficSpec::Program(spec) if spec.to_string() == text),
                "{text}: {read:?}"
            );
        }
        for text in ["alltoall", "shift:1"] {
            assert!(matches!(text.parse(), Ok(TrafficSpec::Pattern(_))), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_reason() {
        for (text, expected) in [
            ("allreduse:ring", "(did you mean allreduce?)"),
            ("gossip", "stencil, incast, trace:PATH)"),
            ("allreduce", "say which algorithm; there are ring, recursive-doubling, rabenseifner, tree"),
            ("allreduce:rign", "no algorithm \"rign\" (did you mean ring?)"),
            ("stencil", "\"\" is not a grid"),
            ("stencil:8x0", "\"8x0\" is not a grid"),
            ("stencil:2x2x2x2x2", "1 to 4 dimensions"),
            ("stencil:4,closed", "no argument \"closed\""),
            ("incast:x", "\"x\" is not a number of senders"),
            ("nccl-ring:2", "takes no argument"),
            ("trace", "say which file"),
        ] {
            let message = text.parse::<TrafficSpec>().map_err(|e| e.to_string()).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
