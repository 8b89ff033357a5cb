//! The words that tags of `opafm.xml` may hold, and the forms of addresses and shares.
//!
//! `config_check` of opa-fm 10.10.3 was asked which it takes; letter case matters only where it says so.

use super::number::{Written, written};

/// What `config_check` takes in a tag that holds no plain number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// One of these words, in any letter case.
    Words(&'static [&'static str]),
    /// One of these words as they are written here, or nothing.
    Exactly(&'static [&'static str]),
    /// An address of multicast, as two halves: `0xHIGH:0xLOW`.
    Mgid,
    /// Two addresses with `*` between them: value and mask.
    MgidMasked,
    /// Two addresses with `-` between them.
    MgidRange,
    /// Two numbers with `*` between them.
    NumberMasked,
    /// Two numbers with `-` between them.
    NumberRange,
    /// A share of 0 to 100 and `%`.
    Percent,
    /// The key of a partition, in hexadecimal digits even without `0x`, and the range in words.
    PKey { least: u32, most: u32, known: &'static str },
}

const MTUS: &[&str] = &["2048", "4096", "8192", "10240", "Unlimited"];
// The last two before "Unlimited" are of newer managers.
const RATES: &[&str] = &["12.5g", "25g", "37.5g", "50g", "75g", "100g", "200g", "400g", "Unlimited"];
const PKEY: Takes = Takes::PKey { least: 1, most: 0x7fff, known: "0x0001 to 0x7fff" };
const LEVELS: &[&str] = &["Disabled", "Warn", "Enabled"];
const FACILITIES: &[&str] = &[
    "auth", "authpriv", "cron", "daemon", "ftp", "kern", "local0", "local1", "local2", "local3", "local4",
    "local5", "local6", "local7", "lpr", "mail", "news", "syslog", "user", "uucp",
];

/// What a tag may hold; none where anything is taken, or a number, which `tags` knows.
pub(crate) fn takes(section: &str, name: &str) -> Option<Takes> {
    Some(match (section, name) {
        (_, "SyslogFacility") => Takes::Exactly(FACILITIES),
        ("Applications/Application", "Select") => {
            Takes::Words(&["UnmatchedServiceID", "UnmatchedMGID", "SA", "PM"])
        }
        ("Applications/Application" | "Sm/Multicast/MulticastGroup", "MGID")
        | ("Sm/Multicast/MLIDShare", "MGIDMask" | "MGIDValue") => Takes::Mgid,
        ("Applications/Application", "MGIDMasked") => Takes::MgidMasked,
        ("Applications/Application", "MGIDRange") => Takes::MgidRange,
        ("Applications/Application", "ServiceIDMasked") => Takes::NumberMasked,
        ("Applications/Application", "ServiceIDRange") => Takes::NumberRange,
        ("DeviceGroups/DeviceGroup", "Select") => {
            Takes::Words(&["All", "Self", "AllSMs", "AllMgmtAllowed", "HFIDirectConnect", "TFIs", "SWE0"])
        }
        ("DeviceGroups/DeviceGroup", "NodeType") => Takes::Words(&["FI", "SW"]),
        ("QOSGroups/QOSGroup" | "VirtualFabrics/VirtualFabric", "Bandwidth") => Takes::Percent,
        ("VirtualFabrics/VirtualFabric", "MaxMTU") | ("Sm/Multicast/MulticastGroup", "MTU") => {
            Takes::Words(MTUS)
        }
        ("VirtualFabrics/VirtualFabric", "MaxRate") | ("Sm/Multicast/MulticastGroup", "Rate") => {
            Takes::Words(RATES)
        }
        ("VirtualFabrics/VirtualFabric" | "Sm/Multicast/MulticastGroup", "PKey") => PKEY,
        ("Sm", "PKey_8B") => Takes::PKey { least: 0, most: 0x7ffe, known: "0x0000 to 0x7ffe" },
        ("Sm", "PKey_10B") => Takes::PKey { least: 0, most: 0x7fff, known: "0x0000 to 0x7fff" },
        ("Sm", "PathSelection") => Takes::Words(&["Minimal", "Pairwise", "OrderAll", "SrcDstAll"]),
        ("Sm", "CableInfoPolicy") => Takes::Words(&["ByPort", "ByLink", "None"]),
        ("Sm/PreDefinedTopology/FieldEnforcement", _) => Takes::Words(LEVELS),
        _ => return None,
    })
}

impl Takes {
    /// Whether a text is taken.
    pub(crate) fn fits(self, text: &str) -> bool {
        let text = text.trim();
        match self {
            Self::Words(words) => words.iter().any(|word| word.eq_ignore_ascii_case(text)),
            Self::Exactly(words) => text.is_empty() || words.contains(&text),
            Self::Mgid => is_mgid(text),
            Self::MgidMasked => pair(text, '*', is_mgid),
            Self::MgidRange => pair(text, '-', is_mgid),
            Self::NumberMasked => pair(text, '*', is_number),
            Self::NumberRange => pair(text, '-', is_number),
            Self::Percent => {
                text.strip_suffix('%').is_some_and(|share| matches!(written(share), Written::Number(0..=100)))
            }
            Self::PKey { least, most, .. } => {
                let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
                u32::from_str_radix(digits, 16).is_ok_and(|key| (least..=most).contains(&key))
            }
        }
    }

    /// The words, or how the form is written.
    pub(crate) fn known(self) -> Vec<&'static str> {
        match self {
            Self::Words(words) | Self::Exactly(words) => words.to_vec(),
            Self::Mgid => vec!["0xHIGH:0xLOW"],
            Self::MgidMasked => vec!["0xHIGH:0xLOW*0xHIGH:0xLOW"],
            Self::MgidRange => vec!["0xHIGH:0xLOW-0xHIGH:0xLOW"],
            Self::NumberMasked => vec!["0xVALUE*0xMASK"],
            Self::NumberRange => vec!["0xFIRST-0xLAST"],
            Self::Percent => vec!["0% to 100%"],
            Self::PKey { known, .. } => vec![known],
        }
    }

    /// Whether its words are all that there are, so that one of them may be meant.
    pub(crate) fn is_words(self) -> bool {
        matches!(self, Self::Words(_) | Self::Exactly(_))
    }
}

fn is_number(text: &str) -> bool {
    matches!(written(text), Written::Number(_))
}

fn is_mgid(text: &str) -> bool {
    pair(text, ':', is_number)
}

fn pair(text: &str, between: char, is_half: fn(&str) -> bool) -> bool {
    text.split_once(between).is_some_and(|(a, b)| is_half(a) && is_half(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_those_of_the_shipped_file() {
        let cases = [
            (Takes::Mgid, "0xff12401b80020000:0x0000000000000001", true),
            (Takes::Mgid, "0", false),
            (Takes::Mgid, "1:2:3", false),
            (Takes::MgidMasked, "0xff00601b80020000:0*0xff00ffffffff0000:0", true),
            (Takes::MgidMasked, "0xa:0", false),
            (Takes::MgidRange, "0xa:0-0xb:0", true),
            (Takes::NumberRange, "0-0xffffffffffffffff", true),
            (Takes::NumberRange, "7", false),
            (Takes::NumberMasked, "0x10*0xff", true),
            (Takes::NumberMasked, "0x10-0xff", false),
            (Takes::Percent, "5%", true),
            (Takes::Percent, "0%", true),
            (PKEY, "0x7fff", true),
            (PKEY, "7fff", true),
            (PKEY, "32766", false),
            (PKEY, "0", false),
            (PKEY, "0x8001", false),
            (Takes::Percent, "101%", false),
            (Takes::Percent, "5", false),
            (Takes::Words(RATES), "25G", true),
            (Takes::Words(MTUS), "", false),
            (Takes::Exactly(FACILITIES), "Local6", false),
            (Takes::Exactly(FACILITIES), "", true),
        ];
        for (takes, text, fits) in cases {
            assert_eq!(takes.fits(text), fits, "{takes:?} {text}");
        }
    }
}
