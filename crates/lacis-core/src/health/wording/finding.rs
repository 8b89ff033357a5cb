//! The words of every kind of fact.

use super::super::Fact;
use super::words::Words;
use super::{cables, cut, groups, hosts, links, monitored, nodes};

/// What a fact says: where, what is the case, and what to do about it.
pub(in super::super) fn finding(fact: &Fact) -> Words {
    match fact {
        Fact::NodeGuidShared(fact) => nodes::node_guid_shared(fact),
        Fact::PortGuidShared(fact) => nodes::port_guid_shared(fact),
        Fact::LidShared(fact) => nodes::lid_shared(fact),
        Fact::LidsMissing(fact) => nodes::lids_missing(fact),
        Fact::Island(fact) => nodes::island(fact),
        Fact::EndNodesUncabled(fact) => nodes::end_nodes_uncabled(fact),
        Fact::SwitchAbsent(fact) => nodes::switch_absent(fact),
        Fact::PrefixShared(fact) => nodes::prefix_shared(fact),
        Fact::NameShared(fact) => nodes::name_shared(fact),
        Fact::DescriptionShared(fact) => nodes::description_shared(fact),
        Fact::RatesDiffer(fact) => cables::rates_differ(fact),
        Fact::LinksOneSided(fact) => cables::links_one_sided(fact),
        Fact::LinksSlow(fact) | Fact::LinksNarrow(fact) => links::links_below(fact),
        Fact::LinksSlowAlike(fact) => links::slow_alike(fact),
        Fact::PortsInactive(fact) => links::ports_inactive(fact),
        Fact::SubnetInactive(fact) => links::subnet_inactive(fact),
        Fact::Loopbacks(fact) => links::loopbacks(fact),
        Fact::PortErrors(fact) => links::port_errors(fact),
        Fact::LinkQualityLow(fact) => links::link_quality_low(fact),
        Fact::CablesHot(fact) => monitored::cables_hot(fact),
        Fact::PacketsDropped(fact) => monitored::packets_dropped(fact),
        Fact::UplinksMissing(fact) | Fact::UplinksFewer(fact) => cables::uplink_gaps(fact),
        Fact::UplinksUnsure(fact) => cables::uplinks_unsure(fact),
        Fact::CablesMisplaced(fact) => cables::cables_misplaced(fact),
        Fact::CablesAstray(fact) => cables::cables_astray(fact),
        Fact::CableStray(fact) => cables::cable_stray(fact),
        Fact::GroupCablesMissing(fact) => groups::cables_missing(fact),
        Fact::GroupsThin(fact) => groups::groups_thin(fact),
        Fact::CablesExchanged(fact) => groups::cables_exchanged(fact),
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
