//! Wrong settings of an `opafm.xml`, in words.

use super::super::opafm::{NamedThing, Service, SettingFact};

/// What is wrong with a setting.
pub(in super::super) fn setting(fact: &SettingFact) -> String {
    match fact {
        SettingFact::TagUnknown { tag, near } => {
            let hint =
                if near.is_empty() { String::new() } else { format!(": is {} meant?", near.join(" or ")) };
            format!("unknown tag <{tag}>, which the manager ignores{hint}")
        }
        SettingFact::TagMisplaced { tag, sections } => {
            format!("<{tag}> has no meaning here, and the manager ignores it: it belongs to {}", sections.join(" or "))
        }
        SettingFact::TagNewer { tag } => format!(
            "<{tag}> is of newer managers, whose switches choose a port for each packet; that of OPA100 ignores it"
        ),
        SettingFact::TagRepeated { tag } => format!("a second <{tag}>: the last one counts"),
        SettingFact::TextInSection { tag, value } => {
            format!("<{tag}> holds tags, and has the text \"{value}\" beside them")
        }
        SettingFact::WordRefused { tag, value, known, near }
        | SettingFact::WordUnknown { tag, value, known, near } => {
            let hint = near.as_ref().map_or(String::new(), |near| format!("; is {near} meant?"));
            format!("{tag} \"{value}\" is none of {}{hint}", known.join(", "))
        }
        SettingFact::NumberEmpty { tag } => format!("{tag} is empty: it needs a number"),
        SettingFact::NumberUnreadable { tag, value } => format!("{tag} \"{value}\" is not a number"),
        SettingFact::TimeUnreadable { tag, value } => {
            format!("{tag} \"{value}\" is no time: a whole number and ns, us, ms, s, m or h")
        }
        SettingFact::Negative { tag, value } => {
            format!("{tag} {value} is less than 0: the manager refuses it, or takes it for a very large number")
        }
        SettingFact::NameUndefined { tag, name, of, is_later, near } => {
            let what = match of {
                NamedThing::DeviceGroup => "device group",
                NamedThing::Application | NamedThing::IdleApplication => "application",
                NamedThing::QosGroup => "QOS group",
                NamedThing::VirtualFabric => "virtual fabric",
            };
            match (name.is_empty(), is_later) {
                (true, _) => format!("{tag} is empty: it needs the name of a {what}"),
                (_, true) => format!("{tag} \"{name}\": this {what} is defined only further below"),
                _ => {
                    let hint = near.first().map_or(String::new(), |near| format!("; is {near} meant?"));
                    format!("{tag} \"{name}\": no {what} of this name is defined{hint}")
                }
            }
        }
        SettingFact::NumberRefused { tag, value, low, high } => {
            format!("{tag} {value} is out of range: {low} to {high}")
        }
        SettingFact::NumberOutOfRange { tag, value, low, high } => {
            format!("{tag} {value} is out of range, {low} to {high}, and config_check does not say so")
        }
        SettingFact::NumberRounded { tag, value, taken } => {
            format!("{tag} {value}: the manager takes {taken}")
        }
        SettingFact::NumberAbove { tag, value, other, most } => {
            format!("{tag} {value} is above {other}, which is {most}")
        }
        SettingFact::NameMissing { tag } => format!("<{tag}> needs a <Name>"),
        SettingFact::NameRepeated { tag, name } => {
            format!("a second <{tag}> of the name \"{name}\"")
        }
        SettingFact::NameReserved { tag, name } => {
            format!("<{tag}> of the name \"{name}\", which the manager has for a group of its own")
        }
        SettingFact::TagNeeded { tag, needs } => format!("{tag} needs {}", needs.join(" or ")),
        SettingFact::TagsExclude { tag, other } => format!("{tag} and {other} exclude each other"),
        SettingFact::TooMany { tag, most } => format!("more than {most} <{tag}>: the manager has no room for them"),
        SettingFact::IgnoredBeyond { tag, most } => {
            format!("more than {most} <{tag}>: the manager ignores those after the first {most}")
        }
        SettingFact::TrapUnknown { value } => {
            format!("TrapNumber {value} is none of 64 to 69, 128 to 131, 144, 145 and 256 to 259")
        }
        SettingFact::PortRepeated { port } => format!("port {port} is in several pairs of dimensions"),
        SettingFact::LevelTaken { tag, level, of } => format!("{tag} {level} is the {of} of another"),
        SettingFact::SharesExceeded { total } => {
            format!("the bandwidth of what is on adds up to {total} %: 100 % is all")
        }
        SettingFact::SharesLeaveTooLittle { left, needed } => format!(
            "the bandwidth of what is on leaves {left} %, and what has no share needs {needed} %: 5 % for virtual fabrics without QOS, 1 % for each other"
        ),
        SettingFact::SharesLeaveNone => {
            "every virtual fabric that is on has a share of the bandwidth: the manager refuses to be left without one; leave one without QOS or without Bandwidth".into()
        }
        SettingFact::ServiceMissing { service } => {
            format!("no virtual fabric that is on has {}: without it the manager does not start", service_name(*service))
        }
        SettingFact::ServiceRepeated { service, name } => {
            format!("VirtualFabric \"{name}\" has {} as another one does: one alone may", service_name(*service))
        }
        SettingFact::ManagementKeyMissing { name } => format!(
            "VirtualFabric \"{name}\" has SA, PM or PA, and not the key of management: it needs PKey 0x7fff"
        ),
        SettingFact::ManagementKeyTaken { name } => format!(
            "VirtualFabric \"{name}\" has the key of management, 0x7fff, which is for SA, PM and PA alone"
        ),
        SettingFact::MembersMissing { name, needs, also_limited } => {
            let as_what = if *also_limited { "Member or LimitedMember" } else { "Member" };
            format!("VirtualFabric \"{name}\" with SA, PM or PA needs a {as_what} that selects {}", needs.join(" or "))
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
        SettingFact::CoreSwitchesMissing => {
            "fattree needs FIsOnSameTier 1 or CoreSwitches: without either the manager stops, and config_check does not say so".into()
        }
    }
}

/// One of the manager's own services, as a document asks for it.
fn service_name(service: Service) -> &'static str {
    match service {
        Service::Sa => "an application with <Select>SA</Select>",
        Service::Pm => "an application with <Select>PM</Select>",
        Service::Pa => "PKey 0x7fff and an application with the ServiceID of PA, 0x1100d03c34845555",
    }
}
