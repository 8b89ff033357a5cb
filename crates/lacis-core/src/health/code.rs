//! The closed list of codes that findings have, and how bad each is. `docs/reference/findings.md` describes them for users.

use serde::Serialize;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nodes cannot reach each other, or identities clash so that a manager cannot distinguish them.
    Error,
    /// Bandwidth is lost, or the fabric departs from its own pattern in a way that costs.
    Warning,
    /// Nothing is lost, but a name or a position is not what it seems.
    Notice,
}

impl Severity {
    /// As printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

macro_rules! codes {
    ($($variant:ident $name:literal $severity:ident $what:literal;)*) => {
        /// What is found. The names are stable: sites filter by them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $what] $variant,)*
        }

        impl Code {
            /// Every code, worst first.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The stable name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// How bad it is.
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }

            /// What it means, in one sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $what,)* }
            }
        }
    };
}

codes! {
    GuidDuplicate "GUID_DUPLICATE" Error "Two nodes or ports carry the same GUID.";
    LidDuplicate "LID_DUPLICATE" Error "Two ports of one subnet answer to the same LID.";
    LidMissing "LID_MISSING" Error "A port without a LID where the ports of its kind have one: no packet can be addressed to it.";
    Island "ISLAND" Error "Nodes that no cable connects to the rest of the fabric.";
    SwitchAbsent "SWITCH_ABSENT" Error "A switch that numbering and cabling imply but that is absent.";
    SubnetInactive "SUBNET_INACTIVE" Error "No port is active: no subnet manager has configured the subnet.";
    PortInactive "PORT_INACTIVE" Error "A port with a link that is not active, so that nothing is sent there.";
    RateAsymmetric "RATE_ASYMMETRIC" Error "The two ends of a link report different rates.";
    LinkOneSided "LINK_ONE_SIDED" Error "A link that only one of its ends reports.";
    LinkSpeedLow "LINK_SPEED_LOW" Warning "A link slower than the links of its kind.";
    LinkWidthLow "LINK_WIDTH_LOW" Warning "A link with fewer lanes than the links of its kind.";
    PortErrors "PORT_ERRORS" Warning "A port that has counted more errors than its tool tolerates.";
    LinkQualityLow "LINK_QUALITY_LOW" Warning "A link whose quality the port grades as poor.";
    CableHot "CABLE_HOT" Warning "A cable hotter than its monitor tolerates.";
    PacketsDropped "PACKETS_DROPPED" Notice "A port that has dropped a larger part of what it received than its monitor tolerates.";
    Loopback "LOOPBACK" Warning "A cable between two ports of one node.";
    UplinkMissing "UPLINK_MISSING" Warning "A switch without a cable to one above, where its peers have one.";
    UplinkFewer "UPLINK_FEWER" Warning "A switch with fewer cables to one above than its peers have.";
    GroupCableMissing "GROUP_CABLE_MISSING" Warning "Switches of a group without a cable, or with fewer, to others where their peers have some.";
    CableUnexpected "CABLE_UNEXPECTED" Warning "A cable between switches that breaks the pattern of its peers.";
    JointThin "JOINT_THIN" Warning "Sections of the fabric joined by far less bandwidth than each has inside.";
    CablesFew "CABLES_FEW" Warning "Hosts behind so few cables that one of these carries far more than other links must.";
    RailMissing "RAIL_MISSING" Warning "Hosts without an adapter on a rail that hosts of their series have.";
    RailCrossed "RAIL_CROSSED" Warning "An adapter on the leaf of another rail than its label has elsewhere.";
    RailsOneLeaf "RAILS_ONE_LEAF" Warning "Two adapters of a host on one leaf, where hosts of its series have a leaf for each.";
    PrefixSame "PREFIX_SAME" Warning "Planes whose managers have the same subnet prefix.";
    NameDuplicate "NAME_DUPLICATE" Warning "Two adapters carry the same host name and label.";
    LinksSlowAlike "LINKS_SLOW_ALIKE" Notice "Links slower than others and all alike: how they were built.";
    RailsOneSlot "RAILS_ONE_SLOT" Notice "Rails of a host on one adapter card, which share its slot.";
    PortUnexpected "PORT_UNEXPECTED" Notice "An adapter on another leaf port than its host uses elsewhere.";
    HostAbsent "HOST_ABSENT" Notice "A host that numbering and leaf ports imply but that is absent.";
    HostNameGeneric "HOST_NAME_GENERIC" Notice "A host that still has the name its installer gave it.";
    NodeUnnamed "NODE_UNNAMED" Notice "A node whose description was never set.";
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
