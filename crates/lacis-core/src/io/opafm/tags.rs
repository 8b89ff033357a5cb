//! The tags of `opafm.xml`, and what some of them may hold.
//!
//! Names are those in the default file of opa-fm 10.10.3, in use or commented out. Ranges are from its comments; what
//! `config_check` refuses besides was found by running it.

/// The names, with blanks between them.
const NAMES: &str = "APP_LogMask ARFrequency AdaptiveRouting Algorithm Appliance01 Appliance02 Appliance03 Appliance04 \
     Appliance05 Application Applications Bandwidth BaseSL Bubble CAL_LogMask CS_LogMask CableInfoPolicy \
     CheckMftResponses Clear32bit Clear64bit Clear8bit ClearDataXfer Common CompressionDivisions Config \
     ConfigConsistencyCheckLevel CongDiscards Congestion CongestionControl CongestionWeights Converge CoreDumpDir \
     CoreDumpLimit CoreSwitches Cost Create CumulativeTimeoutLimit DGShortestPathTopology DVR_LogMask \
     DbSyncInterval Debug DedicatedVLMemMulti DefaultPortErrorAction DesiredMaxDelay DeviceGroup DeviceGroups \
     Dimension DisableStrictCheck DsapInUse DynamicPacketLifetime DynamicPortAlloc ElevatedPriority Enable \
     EnablePruning EnforceVFPathRecord EnhancedRoutingCtrl ErrorClear ExcessiveBufferOverruns FE_LogMask \
     FIsOnSameTier FMConfigErrors FatTreeTopology Fe Fi FieldEnforcement Flapping FlowControlDisable Fm \
     ForceAttributeRewrite ForceRebalance FreezeFrameImages FreezeFrameLease HFILinkPolicy Hfi HighPriority \
     HighThreshold Hops01 Hops02 Hops03 Hops04 Hops05 Hops06 Hops07 Hops08 Hops09 HoqLife HypercubeTopology \
     IF3_LogMask ISLLinkPolicy IgnoreTraps ImageUpdateInterval ImagesPerComposite IncludeApplication IncludeGroup \
     Increase Integrity IntegrityWeights LID LIDSpacing LargePacket Length LftMultiblock LidStrategy Limit \
     LimitedMember LinkDowned LinkErrorRecovery LinkQualityIndicator LinkWidthDowngrade Lmc LmcE0 \
     LocalLinkIntegrity LocalLinkIntegrityErrors LogFile LogLevel LogMessageThreshold LogMode \
     LongTermPortQuarantine LoopTestFastMode LoopTestOn LoopTestPackets LoopbackMode LostRouteOnly LowThreshold \
     MAI_LogMask MGID MGIDMask MGIDMasked MGIDRange MGIDValue MLIDShare MLIDTableCap MTU ManagerCheckRate \
     MarkFECNPct MarkingRate MasterPingInterval MasterPingMaxFail MaxAttempts MaxClients MaxDiskSpace \
     MaxDroppedLanes MaxMLIDs MaxMLIDsPerPKey MaxMTU MaxParallelNodes MaxParallelReqs MaxRate McDosAction \
     McDosInterval McDosThreshold Member MeshTorusTopology Min MinCostImprovement MinRespTimeout MinSharedVLMem \
     Monitor MonitorStandby Multicast MulticastGroup MulticastMask MulticastSL Name NeighborNormalRetries \
     NoReplyIfBusy NodeAppearanceMsgThreshold NodeDesc NodeGUID NodeType NonRespMaxCount NonRespTimeout \
     PA_LogMask PKey PM_LogMask PacketLifetime PacketSize PassThrough PathSelection PktLifeTimeMult Pm \
     PmPortGroup PmPortGroups PmaBatchSize Policy Port PortBounceLogLimit PortData PortGUID PortPair \
     PreDefinedTopology PreemptLimit PreemptRank Preemption Priority ProcessErrorInfo ProcessHFICounters \
     ProcessVLCounters QKey QOS QOSGroup QOSGroups QueryValidation Rate RcvBECNPct RcvErrors RcvFECNPct \
     ReplayDepthOverride Resolution RespTimeout RmppDebug RootSelectionAlgorithm RouteLast Routing \
     RoutingAlgorithm RoutingOrder SA_LogMask SL SM_LogMask SaPerfDebug SaRespTime SaRmppChecksum Security Select \
     ServiceID ServiceIDMasked ServiceIDRange ServiceLease Shared ShortTermHistory SkipAttributeWrite Sm \
     SmAppliances SmPerfDebug SmaBatchSize SmaCongestion SmaSpoofingCheck SmallPacket SpineFirstRouting \
     SslSecurityDir SslSecurityEnable SslSecurityFmCaCRL SslSecurityFmCaCRLEnable SslSecurityFmCaCertificate \
     SslSecurityFmCertChainDepth SslSecurityFmCertificate SslSecurityFmDHParameters SslSecurityFmPrivateKey \
     Standby Start StartupRetries StartupStableWait StorageLocation SubnetPrefix SubnetSize SweepAbandonThreshold \
     SweepErrorInfoLogThresholds SweepErrorsLogThreshold SweepErrorsThreshold SweepInterval Switch \
     SwitchCascadeActivateEnable SwitchLifetime Switches SyslogFacility SystemImageGUID TClass TcpPort Threshold \
     Thresholds ThresholdsExceededMsgLimit TierCount Timer TimerScalingEnable TopologyFilename Toroidal \
     TotalHistory TotalImages TrapHoldDown TrapLogSuppressTriggerInterval TrapNumber TrapSubscriptions \
     TrapThreshold TrapThresholdMinCount UncorrectableErrors UndefinedLink UseAggregateMADs UseCachedNodeData \
     VL15CreditRate VL15FlowControlDisable VLStallCount VictimMarkingEnable VirtualFabric VirtualFabrics \
     WarnThreshold WidthPolicy WindowSize WireDepthOverride XmitTimeCongPct XmitWaitPct";

/// The routing algorithms.
pub const ALGORITHMS: [&str; 5] = ["shortestpath", "fattree", "dgshortestpath", "hypercube", "dor"];

/// What a tag may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// A number in a range; up to the last one `config_check` accepts silently.
    Number(u64, u64, u64),
    /// One of some words; `config_check` accepts any.
    Word(&'static [&'static str]),
}

const BYTE: u64 = 255;
const LONG: u64 = u32::MAX as u64;

/// Section, tag, what it may hold.
const RULES: [(&str, &str, Rule); 32] = [
    ("AdaptiveRouting", "Enable", Rule::Number(0, 1, BYTE)),
    ("AdaptiveRouting", "LostRouteOnly", Rule::Number(0, 1, BYTE)),
    // What they hold is asked of all blocks together.
    ("AdaptiveRouting", "Algorithm", Rule::Number(0, BYTE, BYTE)),
    ("AdaptiveRouting", "Threshold", Rule::Number(0, BYTE, BYTE)),
    ("AdaptiveRouting", "ARFrequency", Rule::Number(0, 7, BYTE)),
    ("Sm", "Start", Rule::Number(0, 1, LONG)),
    ("Sm", "RoutingAlgorithm", Rule::Word(&ALGORITHMS)),
    ("Sm", "SpineFirstRouting", Rule::Number(0, 1, LONG)),
    ("Sm", "Lmc", Rule::Number(0, 7, LONG)),
    ("Sm", "LmcE0", Rule::Number(0, 7, LONG)),
    ("Sm", "ForceRebalance", Rule::Number(0, 1, LONG)),
    ("Sm", "MasterPingInterval", Rule::Number(0, LONG, LONG)),
    ("Sm", "MasterPingMaxFail", Rule::Number(0, LONG, LONG)),
    ("Sm", "DbSyncInterval", Rule::Number(0, LONG, LONG)),
    ("FatTreeTopology", "TierCount", Rule::Number(1, 8, BYTE)),
    ("FatTreeTopology", "FIsOnSameTier", Rule::Number(0, 1, BYTE)),
    ("FatTreeTopology", "PassThrough", Rule::Number(0, 1, BYTE)),
    ("FatTreeTopology", "Converge", Rule::Number(0, 1, BYTE)),
    ("Shared", "StartupRetries", Rule::Number(0, LONG, LONG)),
    ("Shared", "StartupStableWait", Rule::Number(0, LONG, LONG)),
    ("Shared", "SubnetSize", Rule::Number(0, LONG, LONG)),
    ("Shared", "LogLevel", Rule::Number(0, 7, LONG)),
    ("Shared", "LogMode", Rule::Number(0, 1, LONG)),
    ("Shared", "SslSecurityEnable", Rule::Number(0, 1, LONG)),
    ("Shared", "SslSecurityFmCertChainDepth", Rule::Number(0, LONG, LONG)),
    ("Shared", "SslSecurityFmCaCRLEnable", Rule::Number(0, 1, LONG)),
    ("Shared", "Debug", Rule::Number(0, LONG, LONG)),
    ("Shared", "RmppDebug", Rule::Number(0, LONG, LONG)),
    ("Shared", "Start", Rule::Number(0, 1, LONG)),
    ("Shared", "Hfi", Rule::Number(0, LONG, LONG)),
    ("Shared", "Priority", Rule::Number(0, 15, 15)),
    ("Shared", "ElevatedPriority", Rule::Number(0, 15, 15)),
];

/// All names.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.split_ascii_whitespace()
}

/// What a tag of a section may hold.
pub(crate) fn rule(section: &str, tag: &str) -> Option<Rule> {
    RULES.iter().find(|(s, t, _)| *s == section && *t == tag).map(|r| r.2)
}
