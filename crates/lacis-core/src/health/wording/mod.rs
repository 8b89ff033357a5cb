//! Facts in words: the one place in which findings, work at cables, settings and odd levels become sentences. Nothing reads
//! these back: who needs a number takes the field.

mod cables;
mod cut;
mod hosts;
mod levels;
mod nodes;
mod opafm;
mod work;

pub(super) use cables::misplaced;
pub use cut::why;
pub(super) use levels::oddities;
pub(super) use opafm::setting;
pub(super) use work::{absent_host, crossed, work};

use std::borrow::Cow;

use super::{Fact, Location, names};

/// A finding in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// Where, in one line.
    pub at: String,
    /// What is the case.
    pub text: String,
    /// What to do about it.
    pub advice: Cow<'static, str>,
}

impl Words {
    /// What a fact says.
    pub(super) fn of(fact: &Fact) -> Self {
        match fact {
            Fact::NodeGuidShared(fact) => nodes::node_guid_shared(fact),
            Fact::PortGuidShared(fact) => nodes::port_guid_shared(fact),
            Fact::LidShared(fact) => nodes::lid_shared(fact),
            Fact::Island(fact) => nodes::island(fact),
            Fact::EndNodesUncabled(fact) => nodes::end_nodes_uncabled(fact),
            Fact::SwitchAbsent(fact) => nodes::switch_absent(fact),
            Fact::PrefixShared(fact) => nodes::prefix_shared(fact),
            Fact::NameShared(fact) => nodes::name_shared(fact),
            Fact::DescriptionShared(fact) => nodes::description_shared(fact),
            Fact::RatesDiffer(fact) => cables::rates_differ(fact),
            Fact::LinksOneSided(fact) => cables::links_one_sided(fact),
            Fact::LinksSlow(fact) | Fact::LinksNarrow(fact) => cables::links_below(fact),
            Fact::UplinksMissing(fact) | Fact::UplinksFewer(fact) => cables::uplink_gaps(fact),
            Fact::UplinksUnsure(fact) => cables::uplinks_unsure(fact),
            Fact::CablesMisplaced(fact) => cables::cables_misplaced(fact),
            Fact::CableStray(fact) => cables::cable_stray(fact),
            Fact::SectionThin(fact) => cut::section_thin(fact),
            Fact::HostsCrowded(fact) => cut::hosts_crowded(fact),
            Fact::RailMissing(fact) => hosts::rail_missing(fact),
            Fact::RailsCrossed(fact) => hosts::rails_crossed(fact),
            Fact::LeafShared(fact) => hosts::leaf_shared(fact),
            Fact::CardShared(fact) => hosts::card_shared(fact),
            Fact::PortUnexpected(fact) => hosts::port_unexpected(fact),
            Fact::HostsAbsent(fact) => hosts::hosts_absent(fact),
            Fact::HostNameGeneric(fact) => hosts::host_name_generic(fact),
            Fact::AdaptersUnnamed(fact) => hosts::adapters_unnamed(fact),
        }
    }

    fn new(at: impl Into<String>, text: impl Into<String>, advice: impl Into<Cow<'static, str>>) -> Self {
        Self { at: at.into(), text: text.into(), advice: advice.into() }
    }
}

/// A number with its noun.
fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// The first few of some locations.
fn some_of<'a>(locations: impl IntoIterator<Item = &'a Location>) -> String {
    let all: Vec<String> = locations.into_iter().map(Location::to_string).collect();
    names::some_of(&all, 4)
}
