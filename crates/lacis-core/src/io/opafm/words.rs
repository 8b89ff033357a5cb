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
    /// One of these words, in any letter case, or a decimal number.
    Decimal(&'static [&'static str]),
    /// Two ports with a comma between them.
    PortPair,
    /// An amount of memory: a number with `K`, `M` or `G`, `unlimited`, or nothing.
    Amount,
    /// A share of 0 to 100 and `%`.
    Percent,
    /// The key of a partition, in hexadecimal digits even without `0x`, and the range in words.
    PKey { least: u32, most: u32, known: &'static str },
}

const MTUS: &[&str] = &["2048", "4096", "8192", "10240", "Unlimited"];
// The last two before "Unlimited" are of newer managers.
const RATES: &[&str] = &["12.5g", "25g", "37.5g", "50g", "75g", "100g", "200g", "400g", "Unlimited"];
const PKEY: Takes = Takes::PKey { least: 1, most: 0x7fff, known: "0x0001 to 0x7fff" };
/// What stands for a number among words.
const DECIMAL: &str = "a decimal number";
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
        ("Sm", "LidStrategy") => Takes::Words(&["Serial", "Topology"]),
        ("Sm/HFILinkPolicy/WidthPolicy" | "Sm/ISLLinkPolicy/WidthPolicy", "Policy") => {
            Takes::Words(&["Supported", "2x", "3x", "4x"])
        }
        ("Sm/HFILinkPolicy/SpeedPolicy" | "Sm/ISLLinkPolicy/SpeedPolicy", "Policy") => {
            Takes::Words(&["Supported"])
        }
        ("Sm/CongestionControl/Fi", "Basis") => Takes::Words(&["qp", "sl"]),
        ("Sm/Preemption", "SmallPacket" | "LargePacket") => Takes::Decimal(&["MIN", "MAX", DECIMAL]),
        ("Sm/Preemption", "PreemptLimit") => Takes::Decimal(&["MIN", "MAX", "INF", DECIMAL]),
        ("Sm/MeshTorusTopology/Dimension", "PortPair") => Takes::PortPair,
        ("Shared" | "Fe", "CoreDumpLimit") => Takes::Amount,
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
            Self::Decimal(words) => {
                let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
                let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
                is_number || words.iter().any(|word| *word != DECIMAL && word.eq_ignore_ascii_case(text))
            }
            Self::PortPair => is_port_pair(text),
            Self::Amount => {
                let amount = text.strip_suffix(['K', 'M', 'G']).unwrap_or(text);
                let is_number = matches!(written(amount), Written::Number(_) | Written::Negative(_));
                text.is_empty() || text.eq_ignore_ascii_case("unlimited") || is_number
            }
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
            Self::Words(words) | Self::Exactly(words) | Self::Decimal(words) => words.to_vec(),
            Self::PortPair => vec!["PORT,PORT"],
            Self::Amount => vec!["unlimited", "0 to 9 with K, M or G"],
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

/// What stands behind a port, of at most 255, that a text begins with.
fn after_port(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse::<u32>().ok().filter(|&port| port <= 255)?;
    Some(&text[digits..])
}

/// Two ports; text behind them is passed over.
fn is_port_pair(text: &str) -> bool {
    let second = after_port(text).and_then(|rest| rest.trim_start().strip_prefix(','));
    second.and_then(after_port).is_some()
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
            (Takes::Decimal(&["MIN", DECIMAL]), "min", true),
            (Takes::Decimal(&["MIN", DECIMAL]), "+0256", true),
            (Takes::Decimal(&["MIN", DECIMAL]), "0x100", false),
            (Takes::Decimal(&["MIN", DECIMAL]), "INF", false),
            (Takes::Decimal(&["MIN", DECIMAL]), "a decimal number", false),
            (Takes::PortPair, "1, 2", true),
            (Takes::PortPair, "1,2x", true),
            (Takes::PortPair, "1", false),
            (Takes::PortPair, "256,1", false),
            (Takes::PortPair, "0x1,2", false),
            (Takes::Amount, "1 M", true),
            (Takes::Amount, "-1", true),
            (Takes::Amount, "10m", false),
            (Takes::Amount, "Unlimited", true),
        ];
        for (takes, text, fits) in cases {
            assert_eq!(takes.fits(text), fits, "{takes:?} {text}");
        }
    }
}
