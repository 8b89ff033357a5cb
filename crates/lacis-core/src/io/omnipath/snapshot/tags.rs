//! The tags of a snapshot by element: which opareport requires, and which are ignored here.

/// An element of a snapshot that is read into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Snapshot,
    Nodes,
    Node,
    PortInfo,
    PortStatus,
    SwitchInfo,
    SwitchData,
    LinearFdb,
    PortGroupElements,
    PortGroupFdb,
    Sms,
    Sm,
    Links,
    Link,
    From,
    To,
}

impl Element {
    /// Its tag.
    pub fn name(self) -> &'static str {
        match self {
            Self::Snapshot => "Snapshot",
            Self::Nodes => "Nodes",
            Self::Node => "Node",
            Self::PortInfo => "PortInfo",
            Self::PortStatus => "PortStatus",
            Self::SwitchInfo => "SwitchInfo",
            Self::SwitchData => "SwitchData",
            Self::LinearFdb => "LinearFDB",
            Self::PortGroupElements => "PortGroupElements",
            Self::PortGroupFdb => "PortGroupFDB",
            Self::Sms => "SMs",
            Self::Sm => "SM",
            Self::Links => "Links",
            Self::Link => "Link",
            Self::From => "From",
            Self::To => "To",
        }
    }

    /// The element that a tag opens here, if it is read into.
    pub fn inner(self, tag: &str) -> Option<Self> {
        let inner: &[Self] = match self {
            Self::Snapshot => &[Self::Nodes, Self::Sms, Self::Links],
            Self::Nodes => &[Self::Node],
            Self::Node => &[Self::PortInfo, Self::SwitchInfo, Self::SwitchData],
            Self::PortInfo => &[Self::PortStatus],
            Self::SwitchData => &[Self::LinearFdb, Self::PortGroupElements, Self::PortGroupFdb],
            Self::Sms => &[Self::Sm],
            Self::Links => &[Self::Link],
            Self::Link => &[Self::From, Self::To],
            _ => &[],
        };
        inner.iter().copied().find(|element| element.name() == tag)
    }

    /// The tags that opareport requires in this element, in its order.
    pub fn demanded(self) -> &'static [&'static str] {
        match self {
            Self::Snapshot => &["Nodes", "SMs", "Links"],
            Self::Node => NODE,
            Self::PortInfo => PORT,
            Self::PortStatus => &super::counters::COUNTERS,
            Self::SwitchInfo => SWITCH_INFO,
            Self::SwitchData => &["LinearFDBSize", "MulticastFDBSize", "PortGroupSize"],
            Self::Sm => &["LID", "PortGUID", "State_Int", "Priority", "SM_Key", "ActCount"],
            Self::Link => &["From", "To"],
            Self::From | Self::To => &["NodeGUID", "PortNum"],
            Self::Nodes => &["Node"],
            Self::Links | Self::Sms | Self::LinearFdb | Self::PortGroupElements | Self::PortGroupFdb => &[],
        }
    }

    /// Whether opareport knows a tag here beyond those that it demands.
    pub fn knows(self, tag: &str) -> bool {
        match self {
            Self::Snapshot => matches!(tag, "McMembers" | "VirtualFabrics"),
            Self::Node => matches!(tag, "NodeType" | "Iou" | "CongestionInfo"),
            Self::PortInfo => PORT_OTHER.contains(&tag),
            Self::SwitchInfo => SWITCH_INFO_OTHER.contains(&tag),
            Self::SwitchData => matches!(tag, "PortGroupFDBSize" | "MulticastFDB"),
            Self::Sm => tag == "State",
            Self::LinearFdb | Self::PortGroupElements | Self::PortGroupFdb => tag == "Value",
            _ => false,
        }
    }
}

const NODE: &[&str] = &[
    "NodeDesc",
    "NodeGUID",
    "NodeType_Int",
    "BaseVersion",
    "ClassVersion",
    "NumPorts",
    "SystemImageGUID",
    "PartitionCap",
    "DeviceID",
    "Revision",
    "VendorID",
];

#[rustfmt::skip]
const PORT: &[&str] = &[
    "PortNum", "GUID", "EndPortLID", "M_Key", "SubnetPrefix", "LID", "SMLID", "CapabilityMask", "CapabilityMask3",
    "DiagCode", "Lease", "PortState_Int", "InitReason_Int", "PhysState_Int", "PortType_Int", "LMC", "Protect_Int",
    "LinkWidthEnabled_Int", "LinkWidthSupported_Int", "LinkWidthActive_Int", "LinkWidthDowngradeEnabled_Int",
    "LinkWidthDowngradeSupported_Int", "LinkWidthDowngradeTxActive_Int", "LinkWidthDowngradeRxActive_Int",
    "PortLinkMode_Int", "LinkSpeedEnabled_Int", "LinkSpeedSupported_Int", "LinkSpeedActive_Int", "MTUs",
    "MTUSupported", "SMSL", "VLsActive_Int", "VLsSupported_Int", "VLArbHighLimit", "VLArbHighCap", "VLArbLowCap",
    "VLStalls", "VLFlowControlDisabledMask", "HoQLifes",
];

#[rustfmt::skip]
const PORT_OTHER: &[&str] = &[
    "IPAddrIPV6", "IPAddrIPV4", "PortState", "InitReason", "PhysState", "PortType", "Protect", "LinkWidthEnabled",
    "LinkWidthSupported", "LinkWidthActive", "LinkWidthDowngradeEnabled", "LinkWidthDowngradeSupported",
    "LinkWidthDowngradeTxActive", "LinkWidthDowngradeRxActive", "PortPacketFormatsSupported",
    "PortPacketFormatsEnabled", "LinkSpeedEnabled", "LinkSpeedSupported", "LinkSpeedActive", "VLsActive",
    "VLsSupported", "VLPreemptingLimit", "VLPreemptCap", "MulticastMask", "CollectiveMask",
    "P_KeyEnforcementInbound", "P_KeyEnforcementInbound_Int", "P_KeyEnforcementOutbound",
    "P_KeyEnforcementOutbound_Int", "ViolationsM_Key", "ViolationsP_Key", "ViolationsQ_Key", "BufferUnits",
    "OverallBufferSpace", "ReplayDepthBufferH", "ReplayDepthWireH", "ReplayDepthBuffer", "ReplayDepthWire",
    "SubnetTimeout", "SubnetTimeout_Int", "RespTimeout", "RespTimeout_Int", "SLtoSCMap", "SCtoSLMap", "SCtoSCMap",
    "SCtoVLrMap", "SCtoVLtMap", "SCtoVLntMap", "BufferControlTable", "VLArbitrationLow", "VLArbitrationHigh",
    "VLArbitrationPreemptElements", "VLArbitrationPreemptMatrix", "PKeyTable", "CableInfo", "LocalPortNum",
    "PortStates", "SMTrapQP", "SAQP", "PortNeighborMode", "PortMode", "PortErrorAction", "FlitControl",
    "NeighborNodeGUID", "NeighborMTU", "PKey_8B", "PKey_10B", "PortLTPCRCMode_Int", "VLArbCap_Int",
    "NeighborPortNum", "LinkDownReason_Int", "NeighborLinkDownReason_Int", "PassThroughControlEgressPort",
    "SubnetClientReregister_Int", "SubnetMulticastPKeyTrapSuppressionEnabled_Int",
    "PassThroughControlDRControl_Int", "HFICongestionControlTableIndexLimit", "HFICongestionControlTable",
    "BundleNextPort", "BundleLane", "LinkDownReasonLog",
];

#[rustfmt::skip]
const SWITCH_INFO: &[&str] = &[
    "LID", "LinearFDBCap", "MulticastFDBCap", "LinearFDBTop", "MulticastFDBTop", "LifeTimeValue_Int",
    "PortStateChange", "PartitionEnforcementCap", "U2", "CapabilityMask", "RoutingModeSupported",
    "RoutingModeEnabled", "PortGroupCap", "PortGroupTop",
];

#[rustfmt::skip]
const SWITCH_INFO_OTHER: &[&str] = &[
    "IPAddrIPV6", "IPAddrIPV4", "LifeTimeValue", "MulticastMask", "CollectiveMask", "PortGroupFDBCap",
    "AdaptiveRouting",
];
