//! Why a switch has its level, in words.

use super::super::Oddity;
use crate::fabric::levels::LeftOut;

/// Which switches with enough adapters were not taken for leaves.
pub(in super::super) fn left_out(which: LeftOut) -> &'static str {
    match which {
        LeftOut::LikeOthersWithoutAdapters => "those whose like have none",
        LeftOut::JoiningDifferent => "those whose neighbours lead to different ones",
        LeftOut::Alone => "those whose neighbours lead to hardly any other",
        LeftOut::CabledToEachOther => "those cabled to each other",
        LeftOut::WithoutAdapters => {
            "those without an adapter of their own, which are cabled like others with some"
        }
    }
}

/// What is odd about the level of a switch, in one line.
pub(in super::super) fn oddities(reasons: &[Oddity]) -> String {
    let said = reasons.iter().map(|reason| match reason {
        Oddity::Declared { role } => format!("declared {role}"),
        Oddity::LeafWithoutAdapters => "no adapters; its cables are those of a leaf".to_owned(),
        Oddity::AdaptersAboveLeaves => "adapters, but its cables are not those of a leaf".to_owned(),
        Oddity::OddCables { odd, cables } => {
            format!("{odd} of {cables} cables to switches do not join adjacent levels")
        }
    });
    said.collect::<Vec<_>>().join("; ")
}
