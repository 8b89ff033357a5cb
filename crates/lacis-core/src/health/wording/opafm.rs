//! Wrong settings of an `opafm.xml`, in words.

use super::super::opafm::SettingFact;

/// What is wrong with a setting.
pub(in super::super) fn setting(fact: &SettingFact) -> String {
    match fact {
        SettingFact::TagUnknown { tag, near } => {
            let hint =
                if near.is_empty() { String::new() } else { format!(": is {} meant?", near.join(" or ")) };
            format!("unknown tag <{tag}>, which the manager ignores{hint}")
        }
        SettingFact::TagRepeated { tag } => format!("a second <{tag}>: the last one counts"),
        SettingFact::WordUnknown { tag, value, known, near } => {
            let hint = near.as_ref().map_or(String::new(), |near| format!("; is {near} meant?"));
            format!("{tag} \"{value}\" is none of {}{hint}", known.join(", "))
        }
        SettingFact::NumberEmpty { tag } => format!("{tag} is empty: it needs a number"),
        SettingFact::NumberUnreadable { tag, value } => format!("{tag} \"{value}\" is not a number"),
        SettingFact::NumberRefused { tag, value, low, high } => {
            format!("{tag} {value} is out of range: {low} to {high}")
        }
        SettingFact::NumberOutOfRange { tag, value, low, high } => {
            format!("{tag} {value} is out of range, {low} to {high}, and config_check does not say so")
        }
        SettingFact::CommonMissing => "no <Common>, which is required".into(),
        SettingFact::SectionMissing => "a required section is missing".into(),
        SettingFact::AlgorithmMissing => {
            "no <Algorithm>: 0 Random, 1 Greedy or 2 GreedyRandom is required".into()
        }
        SettingFact::AlgorithmUnknown { value } => {
            format!("Algorithm {value} is none of 0 Random, 1 Greedy, 2 GreedyRandom")
        }
        SettingFact::ThresholdOutOfRange { value, enabled } => {
            let more = if *enabled { "" } else { ", and config_check is silent while Enable is 0" };
            format!("Threshold {value} is out of range: 0 to 7{more}")
        }
        SettingFact::ThresholdIdle => {
            "Threshold has no effect while LostRouteOnly is 1: congestion moves no route".into()
        }
        SettingFact::TopologyMissing => {
            "fattree without <FatTreeTopology>: three tiers, with hosts on one, are assumed".into()
        }
    }
}
