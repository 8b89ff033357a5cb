//! What findings state: one variant for each kind of fact, with nodes and ports by name, GUID and number, and with what is
//! expected beside what is there. [`super::wording`] makes sentences of them; nothing reads these back.

mod cables;
mod groups;
mod hosts;
mod nodes;
mod ports;

pub use cables::*;
pub use groups::*;
pub use hosts::*;
pub use nodes::*;
pub use ports::*;

use serde::Serialize;

use super::{Code, Location};

/// What is the case, of one finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fact {
    /// Nodes with the same node GUID.
    NodeGuidShared(SharedGuid),
    /// Ports of end nodes with the same port GUID.
    PortGuidShared(SharedGuid),
    /// Ports of one subnet with a LID in common.
    LidShared(SharedLid),
    /// Ports without a LID, where those of their kind have one.
    LidsMissing(MissingLids),
    /// Nodes apart from the rest of the fabric.
    Island(Island),
    /// End nodes without any cable.
    EndNodesUncabled(UncabledEndNodes),
    /// A switch that numbering implies.
    SwitchAbsent(AbsentSwitch),
    /// Links with another rate at each end.
    RatesDiffer(UnevenLinks),
    /// Links that one end reports and the other does not.
    LinksOneSided(OneSidedLinks),
    /// Links slower than those of their kind.
    LinksSlow(LinksBelow),
    /// Links with fewer lanes than those of their kind.
    LinksNarrow(LinksBelow),
    /// Links slower than others, all of their like.
    LinksSlowAlike(SlowAlike),
    /// Ports with a link that are not active, where others are.
    PortsInactive(InactivePorts),
    /// A subnet in which no port is active.
    SubnetInactive(InactiveSubnet),
    /// Cables between ports of one node.
    Loopbacks(LoopbackCables),
    /// Ports with more errors than a tool tolerates.
    PortErrors(ErrorCounts),
    /// Links of poor quality.
    LinkQualityLow(ErrorCounts),
    /// Cables hotter than is tolerated.
    CablesHot(HotCables),
    /// Links whose ports drop packets.
    PacketsDropped(DroppedPackets),
    /// Pairs of switches without a cable.
    UplinksMissing(UplinkGaps),
    /// Pairs of switches with fewer cables than their peers.
    UplinksFewer(UplinkGaps),
    /// Missing cables, each of which led to one of several switches.
    UplinksUnsure(UnsureUplinks),
    /// Cables of a switch at other ports than its peers'.
    CablesMisplaced(MisplacedCables),
    /// Cables that are plugged into the wrong one of two switches.
    CablesAstray(AstrayCables),
    /// A cable between switches that none of their peers' cables join.
    CableStray(StrayCable),
    /// Switches of groups without cables, or with fewer than their peers.
    GroupCablesMissing(GroupGaps),
    /// Two groups with fewer cables between them than others.
    GroupsThin(ThinGroupPair),
    /// Two cables whose ends are exchanged.
    CablesExchanged(ExchangedCables),
    /// A part of the fabric behind little bandwidth.
    SectionThin(ThinSection),
    /// Hosts behind cables that must carry far more than others.
    HostsCrowded(CrowdedHosts),
    /// Hosts without an adapter on a rail.
    RailMissing(MissingRail),
    /// Adapters of a host on the leaves of other rails.
    RailsCrossed(CrossedRails),
    /// Adapters of a host that share a leaf.
    LeafShared(SharedLeaf),
    /// Rails of hosts that share an adapter card.
    CardShared(SharedCard),
    /// Planes with the same subnet prefix.
    PrefixShared(SharedPrefix),
    /// Adapters with the same name.
    NameShared(SharedName),
    /// An adapter at another leaf port than its host's others.
    PortUnexpected(UnexpectedPort),
    /// Hosts that numbering implies.
    HostsAbsent(AbsentHosts),
    /// A host that has the name its installer gave it.
    HostNameGeneric(GenericHost),
    /// Adapters whose description names no host.
    AdaptersUnnamed(UnnamedAdapters),
    /// Switches with the same description.
    DescriptionShared(SharedDescription),
}

impl Fact {
    /// The code of a finding that states it.
    pub fn code(&self) -> Code {
        match self {
            Self::NodeGuidShared(_) | Self::PortGuidShared(_) => Code::GuidDuplicate,
            Self::LidShared(_) => Code::LidDuplicate,
            Self::LidsMissing(_) => Code::LidMissing,
            Self::Island(_) | Self::EndNodesUncabled(_) => Code::Island,
            Self::SwitchAbsent(_) => Code::SwitchAbsent,
            Self::RatesDiffer(_) => Code::RateAsymmetric,
            Self::LinksOneSided(_) => Code::LinkOneSided,
            Self::LinksSlow(_) => Code::LinkSpeedLow,
            Self::LinksNarrow(_) => Code::LinkWidthLow,
            Self::LinksSlowAlike(_) => Code::LinksSlowAlike,
            Self::PortsInactive(_) => Code::PortInactive,
            Self::SubnetInactive(_) => Code::SubnetInactive,
            Self::Loopbacks(_) => Code::Loopback,
            Self::PortErrors(_) => Code::PortErrors,
            Self::LinkQualityLow(_) => Code::LinkQualityLow,
            Self::CablesHot(_) => Code::CableHot,
            Self::PacketsDropped(_) => Code::PacketsDropped,
            Self::UplinksMissing(_) => Code::UplinkMissing,
            Self::UplinksFewer(_) | Self::UplinksUnsure(_) => Code::UplinkFewer,
            Self::GroupCablesMissing(_) | Self::GroupsThin(_) => Code::GroupCableMissing,
            Self::CablesMisplaced(_)
            | Self::CablesAstray(_)
            | Self::CableStray(_)
            | Self::CablesExchanged(_) => Code::CableUnexpected,
            Self::SectionThin(_) => Code::JointThin,
            Self::HostsCrowded(_) => Code::CablesFew,
            Self::RailMissing(_) => Code::RailMissing,
            Self::RailsCrossed(_) => Code::RailCrossed,
            Self::LeafShared(_) => Code::RailsOneLeaf,
            Self::CardShared(_) => Code::RailsOneSlot,
            Self::PrefixShared(_) => Code::PrefixSame,
            Self::NameShared(_) => Code::NameDuplicate,
            Self::PortUnexpected(_) => Code::PortUnexpected,
            Self::HostsAbsent(_) => Code::HostAbsent,
            Self::HostNameGeneric(_) => Code::HostNameGeneric,
            Self::AdaptersUnnamed(_) | Self::DescriptionShared(_) => Code::NodeUnnamed,
        }
    }
    /// Every node and port concerned; for a cable its two ends, one after the other.
    pub fn ends(&self) -> Vec<Location> {
        match self {
            Self::NodeGuidShared(fact) | Self::PortGuidShared(fact) => fact.carriers.clone(),
            Self::LidShared(fact) => fact.ports.clone(),
            Self::LidsMissing(fact) => fact.ports.clone(),
            Self::Island(fact) => fact.nodes.clone(),
            Self::EndNodesUncabled(fact) => fact.nodes.clone(),
            Self::SwitchAbsent(fact) => vec![fact.switch.clone()],
            Self::RatesDiffer(fact) => fact.links.iter().flat_map(|link| link.cable.clone()).collect(),
            Self::LinksOneSided(fact) => fact.links.iter().flat_map(|link| link.cable.clone()).collect(),
            Self::LinksSlow(fact) | Self::LinksNarrow(fact) => {
                fact.links.iter().flat_map(|link| link.cable.clone()).collect()
            }
            Self::LinksSlowAlike(fact) => fact.groups.iter().flat_map(|group| group.nodes.clone()).collect(),
            Self::PortsInactive(fact) => fact.links.iter().flat_map(|link| link.cable.clone()).collect(),
            Self::SubnetInactive(_) | Self::PrefixShared(_) => Vec::new(),
            Self::Loopbacks(fact) => fact.cables.iter().flatten().cloned().collect(),
            Self::PortErrors(fact) | Self::LinkQualityLow(fact) => {
                fact.links.iter().flat_map(|link| link.cable.clone()).collect()
            }
            Self::CablesHot(fact) => fact.links.iter().flat_map(|link| link.cable.clone()).collect(),
            Self::PacketsDropped(fact) => fact.links.iter().flat_map(|link| link.cable.clone()).collect(),
            Self::UplinksMissing(fact) | Self::UplinksFewer(fact) => {
                fact.gaps.iter().flat_map(UplinkGap::cables).flatten().collect()
            }
            Self::UplinksUnsure(fact) => (0..fact.missing).flat_map(|_| fact.cable()).collect(),
            Self::CablesMisplaced(fact) => {
                fact.cables.iter().flat_map(|placed| placed.cable.clone()).collect()
            }
            Self::CablesAstray(fact) => {
                let ends = |cable: &AstrayCable| {
                    cable
                        .stays
                        .clone()
                        .into_iter()
                        .chain([cable.at.clone(), cable.to.clone()])
                        .collect::<Vec<_>>()
                };
                fact.cables.iter().flat_map(ends).collect()
            }
            Self::CableStray(fact) => fact.cable.to_vec(),
            Self::GroupCablesMissing(fact) => fact.gaps.iter().flat_map(GroupGap::cables).flatten().collect(),
            Self::GroupsThin(fact) => fact.switches.to_vec(),
            Self::CablesExchanged(fact) => fact.cables.iter().flatten().cloned().collect(),
            Self::SectionThin(fact) => fact.cut.border.clone(),
            Self::HostsCrowded(fact) => fact.cut.border.clone(),
            Self::RailMissing(fact) => fact.hosts.clone(),
            Self::RailsCrossed(fact) => fact.adapters.iter().flat_map(CrossedAdapter::ends).collect(),
            Self::LeafShared(fact) => fact.adapters.iter().chain([&fact.leaf]).cloned().collect(),
            Self::CardShared(fact) => fact.hosts.iter().map(|host| host.adapter.clone()).collect(),
            Self::NameShared(fact) => fact.at.clone(),
            Self::PortUnexpected(fact) => vec![fact.adapter.clone(), fact.leaf.clone()],
            Self::HostsAbsent(fact) => fact
                .hosts
                .iter()
                .flat_map(|absent| [&absent.host].into_iter().chain(&absent.ports))
                .cloned()
                .collect(),
            Self::HostNameGeneric(fact) => fact.adapters.iter().flat_map(PlacedAdapter::ends).collect(),
            Self::AdaptersUnnamed(fact) => fact.adapters.iter().flat_map(PlacedAdapter::ends).collect(),
            Self::DescriptionShared(fact) => fact.switches.clone(),
        }
    }
}
