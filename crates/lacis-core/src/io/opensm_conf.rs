//! OpenSM's configuration, `opensm.conf`: a key and a value a line.
//!
//! ```text
//! routing_engine ftree,updn   # the first that accepts
//! root_guid_file /etc/opensm/roots
//! lmc_esp0 FALSE
//! ```
//!
//! Grammar and keys are those of OpenSM 3.3.23, by experiment (`opensm -F FILE -c OUT` writes what it
//! understood): `#` begins a comment, quotes around a value are dropped, `(null)` is no value, and a truth is
//! `TRUE`; **anything else is false**, `true` and `yes` too. Of a key twice the last counts, and a value out of
//! range becomes the default. No site means these, so they are refused. An engine may be one of Lacis' inside OpenSM,
//! such as `lacis-ftree`.
//!
//! NVIDIA's OpenSM (`MLNX_OFED`, UFM) has keys of its own. Its engines `ar_updn`, `ar_ftree` and `ar_torus` make tables
//! by `updn`, `ftree` and `torus-2QoS`, and let switches choose among equal ports; the keys that steer that choice are
//! known by name ([`Conf::adaptive`]). All its others are unknown here, and do no harm.

use rustc_hash::FxHashMap;

use super::ReadError;
use super::note::Notes;
use super::text::{decode, lines};
use crate::sm::{Engine, OPTIONS, OptionValue};

/// What the names of Lacis' engines begin with inside OpenSM.
const PREFIX: &str = "lacis-";

/// NVIDIA's engines that route adaptively, and those that make their tables.
const ADAPTIVE: [(&str, Engine); 3] =
    [("ar_updn", Engine::UpDn), ("ar_ftree", Engine::FTree), ("ar_torus", Engine::Torus2Qos)];

/// NVIDIA's keys about adaptive routing, in order.
const ADAPTIVE_KEYS: [&str; 14] = [
    "adv_routing_engine",
    "ar_mode",
    "ar_sl_mask",
    "ar_transport_mask",
    "ar_tree_asymmetric_flow",
    "ar_tree_asymmetric_flow_threshold",
    "ar_tree_asymmetric_flow_threshold_limit",
    "enable_ar_by_device_cap",
    "enable_ar_group_copy",
    "enable_empty_arlft_optimization",
    "pfrn_mask_clear_timeout",
    "pfrn_mask_force_clear_timeout",
    "pfrn_sl",
    "shield_mode",
];

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfLine {
    /// Its number, from 1.
    pub line: usize,
    /// The key.
    pub key: String,
    /// The value; empty for none.
    pub value: String,
}

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conf {
    /// Keys that concern routing, LIDs and lanes, each once.
    pub settings: Vec<ConfLine>,
    /// Keys that OpenSM knows and that concern nothing here.
    pub ignored: Vec<ConfLine>,
    /// Keys of NVIDIA's OpenSM about adaptive routing, each once.
    pub adaptive: Vec<ConfLine>,
    /// Keys that OpenSM does not know.
    pub unknown: Vec<ConfLine>,
}

enum ValueKind {
    Truth,
    Number { most: u32 },
    File,
    Engines,
}

/// The kind of a key's value, if the key concerns routing.
fn kind(key: &str) -> Option<ValueKind> {
    match key {
        "routing_engine" => return Some(ValueKind::Engines),
        // A code of the number of lanes.
        "max_op_vls" => return Some(ValueKind::Number { most: 5 }),
        _ => {}
    }
    let row = OPTIONS.iter().find(|row| row.key == Some(key))?;
    Some(match row.value {
        OptionValue::Flag | OptionValue::OnUnlessNot => ValueKind::Truth,
        OptionValue::Number { most, .. } => ValueKind::Number { most },
        OptionValue::File | OptionValue::Node => ValueKind::File,
    })
}

/// Reads a configuration.
///
/// # Errors
/// When a key that concerns routing has a value that OpenSM would not take as it is meant, or two.
pub fn read(bytes: &[u8]) -> Result<Conf, ReadError> {
    let text = decode(bytes, &mut Notes::default())?;
    let mut conf = Conf::default();
    let mut seen: FxHashMap<String, (usize, String)> = FxHashMap::default();
    for (line, raw) in lines(&text) {
        let s = raw.split('#').next().unwrap_or_default().trim();
        if s.is_empty() {
            continue;
        }
        let bad = |reason: String| ReadError::at(line, reason, raw);
        let (key, value) = s.split_once([' ', '\t']).unwrap_or((s, ""));
        let setting = ConfLine { line, key: key.to_owned(), value: unquoted(value.trim()).to_owned() };
        let kind = kind(key);
        let is_adaptive = ADAPTIVE_KEYS.binary_search(&key).is_ok();
        match &kind {
            Some(kind) => check(kind, key, &setting.value).map_err(bad)?,
            None if is_adaptive => {}
            None => {
                let known = KNOWN.binary_search(&key).is_ok();
                if known { &mut conf.ignored } else { &mut conf.unknown }.push(setting);
                continue;
            }
        }
        if let Some((before, value)) = seen.insert(setting.key.clone(), (line, setting.value.clone())) {
            if value == setting.value {
                continue;
            }
            return Err(bad(format!("{key} has another value on line {before}: OpenSM would take the last")));
        }
        if kind.is_some() { &mut conf.settings } else { &mut conf.adaptive }.push(setting);
    }
    agree(&conf)?;
    Ok(conf)
}

/// Refuses adaptive routing that is both requested and turned off.
fn agree(conf: &Conf) -> Result<(), ReadError> {
    let Some(mode) = conf.adaptive.iter().find(|s| s.key == "ar_mode") else { return Ok(()) };
    let Some(list) = conf.settings.iter().find(|s| s.key == "routing_engine") else { return Ok(()) };
    let mut names = list.value.split(',').map(str::trim).filter(|n| !n.is_empty()).peekable();
    if names.peek().is_none() {
        return Ok(());
    }
    let named = names.find(|name| adaptive(name).is_some());
    let reason = match (super::text::number(&mode.value), named) {
        (None, _) => "ar_mode is a number: 0 turns adaptive routing off".into(),
        (Some(0), Some(name)) => {
            format!("ar_mode 0 turns off the adaptive routing that {name} asks for (line {})", list.line)
        }
        (Some(1..), None) => {
            let names = ADAPTIVE.map(|(name, _)| name).join(", ");
            format!(
                "ar_mode asks for adaptive routing, and routing_engine {} (line {}) names none of {names}",
                list.value, list.line
            )
        }
        _ => return Ok(()),
    };
    Err(ReadError::at(mode.line, reason, &format!("{} {}", mode.key, mode.value)))
}

/// The engine that makes the tables of one of NVIDIA's that route adaptively.
fn adaptive(name: &str) -> Option<Engine> {
    ADAPTIVE.into_iter().find(|(adaptive, _)| adaptive.eq_ignore_ascii_case(name)).map(|(_, base)| base)
}

fn unquoted(value: &str) -> &str {
    let inner = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap_or(value);
    if inner == "(null)" { "" } else { inner }
}

/// Whether OpenSM would read a value as meant.
fn check(kind: &ValueKind, key: &str, value: &str) -> Result<(), String> {
    match kind {
        ValueKind::Truth if value == "TRUE" || value == "FALSE" => Ok(()),
        ValueKind::Truth => {
            Err(format!("{key} is TRUE or FALSE, in capitals: OpenSM takes all else for FALSE"))
        }
        ValueKind::Number { most } => match super::text::number(value).filter(|&n| n <= u64::from(*most)) {
            Some(_) => Ok(()),
            None => Err(format!("{key} is a number from 0 to {most}")),
        },
        ValueKind::File => Ok(()),
        ValueKind::Engines => {
            let names: Vec<&str> = value.split(',').map(str::trim).filter(|n| !n.is_empty()).collect();
            let engines = names.iter().filter(|&&name| name != "no_fallback");
            let count = engines.clone().count();
            engines
                .map(|name| match adaptive(name) {
                    Some(base) => Ok(base),
                    None => name.strip_prefix(PREFIX).unwrap_or(name).parse(),
                })
                .collect::<Result<Vec<_>, _>>()
                .map_err(|e| e.to_string())?;
            if count == 0 && names.contains(&"no_fallback") {
                return Err("no_fallback without an engine".into());
            }
            Ok(())
        }
    }
}

/// Keys of OpenSM 3.3.23 (`opensm -c`) that do not concern routing, in order.
const KNOWN: [&str; 131] = [
    "accum_log_file",
    "allow_both_pkeys",
    "babbling_port_policy",
    "cc_ca_cong_setting_ccti_increase",
    "cc_ca_cong_setting_ccti_min",
    "cc_ca_cong_setting_ccti_timer",
    "cc_ca_cong_setting_control_map",
    "cc_ca_cong_setting_port_control",
    "cc_ca_cong_setting_trigger_threshold",
    "cc_cct",
    "cc_key",
    "cc_max_outstanding_mads",
    "cc_sw_cong_setting_control_map",
    "cc_sw_cong_setting_credit_mask",
    "cc_sw_cong_setting_credit_starvation_return_delay",
    "cc_sw_cong_setting_credit_starvation_threshold",
    "cc_sw_cong_setting_marking_rate",
    "cc_sw_cong_setting_packet_size",
    "cc_sw_cong_setting_threshold",
    "cc_sw_cong_setting_victim_mask",
    "congestion_control",
    "console",
    "console_port",
    "consolidate_ipv6_snm_req",
    "daemon",
    "disable_multicast",
    "drop_event_subscriptions",
    "dump_files_dir",
    "enable_quirks",
    "event_db_dump_file",
    "event_plugin_name",
    "event_plugin_options",
    "exit_on_fatal",
    "fdr10",
    "force_heavy_sweep",
    "force_link_speed",
    "force_link_speed_ext",
    "force_link_width",
    "force_log_flush",
    "fsync_high_avail_files",
    "guid",
    "head_of_queue_lifetime",
    "honor_guid2lid_file",
    "ignore_other_sm",
    "ipoib_mcgroup_creation_validation",
    "keep_pkey_indexes",
    "leaf_head_of_queue_lifetime",
    "leaf_vl_stall_count",
    "local_phy_errors_threshold",
    "log_file",
    "log_flags",
    "log_max_size",
    "log_prefix",
    "long_transaction_timeout",
    "m_key",
    "m_key_lease_period",
    "m_key_lookup",
    "m_key_protection_level",
    "max_msg_fifo_timeout",
    "max_smps_timeout",
    "max_wire_smps",
    "max_wire_smps2",
    "mcgroup_join_validation",
    "no_clients_rereg",
    "no_partition_enforcement",
    "node_name_map_name",
    "overrun_errors_threshold",
    "packet_life_time",
    "part_enforce",
    "partition_config_file",
    "per_module_logging_file",
    "perfmgr",
    "perfmgr_ignore_cas",
    "perfmgr_log_errors",
    "perfmgr_max_outstanding_queries",
    "perfmgr_query_cpi",
    "perfmgr_redir",
    "perfmgr_rm_nodes",
    "perfmgr_sweep_time_s",
    "perfmgr_xmit_wait_log",
    "perfmgr_xmit_wait_threshold",
    "polling_retry_number",
    "prefix_routes_file",
    "qos",
    "qos_ca_high_limit",
    "qos_ca_max_vls",
    "qos_ca_sl2vl",
    "qos_ca_vlarb_high",
    "qos_ca_vlarb_low",
    "qos_high_limit",
    "qos_max_vls",
    "qos_policy_file",
    "qos_rtr_high_limit",
    "qos_rtr_max_vls",
    "qos_rtr_sl2vl",
    "qos_rtr_vlarb_high",
    "qos_rtr_vlarb_low",
    "qos_sl2vl",
    "qos_sw0_high_limit",
    "qos_sw0_max_vls",
    "qos_sw0_sl2vl",
    "qos_sw0_vlarb_high",
    "qos_sw0_vlarb_low",
    "qos_swe_high_limit",
    "qos_swe_max_vls",
    "qos_swe_sl2vl",
    "qos_swe_vlarb_high",
    "qos_swe_vlarb_low",
    "qos_vlarb_high",
    "qos_vlarb_low",
    "sa_db_dump",
    "sa_db_file",
    "sa_key",
    "single_thread",
    "sm_assigned_guid",
    "sm_inactive",
    "sm_key",
    "sm_priority",
    "sm_sl",
    "sminfo_polling_timeout",
    "subnet_prefix",
    "subnet_timeout",
    "suppress_sl2vl_mad_status_errors",
    "sweep_interval",
    "sweep_on_trap",
    "transaction_retries",
    "transaction_timeout",
    "use_mfttop",
    "use_optimized_slvl",
    "use_original_extended_sa_rates_only",
    "vl_stall_count",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_opensm_reads_them() {
        let text = "# a comment\nrouting_engine ftree,updn # c\r\ncn_guid_file \"/x y\"\nroot_guid_file (null)\n  lmc 2\nlmc 2\n\
                    sm_priority 3\nlmcs 4\nscatter_ports 0x10\nmax_reverse_hops=3\n";
        let conf = read(text.as_bytes()).unwrap();
        let all: Vec<_> = conf.settings.iter().map(|s| (s.line, s.key.as_str(), s.value.as_str())).collect();
        assert_eq!(
            all,
            [
                (2, "routing_engine", "ftree,updn"),
                (3, "cn_guid_file", "/x y"),
                (4, "root_guid_file", ""),
                (5, "lmc", "2"),
                (9, "scatter_ports", "0x10")
            ]
        );
        assert_eq!(conf.ignored[0].key, "sm_priority");
        let unknown: Vec<_> = conf.unknown.iter().map(|s| (s.line, s.key.as_str())).collect();
        assert_eq!(unknown, [(8, "lmcs"), (10, "max_reverse_hops=3")]);
    }

    #[test]
    fn what_opensm_would_take_otherwise_is_refused() {
        for (text, line, reason) in [
            ("lmc 9\n", 1, "lmc is a number from 0 to 7"),
            ("lmc two\n", 1, "lmc is a number"),
            ("max_reverse_hops 1 2\n", 1, "max_reverse_hops is a number"),
            ("lmc_esp0 true\n", 1, "in capitals"),
            ("connect_roots yes\n", 1, "in capitals"),
            ("lmc 1\n\nlmc 2\n", 3, "another value on line 1"),
            ("routing_engine ftre\n", 1, "did you mean ftree"),
            ("routing_engine no_fallback\n", 1, "without an engine"),
        ] {
            let error = read(text.as_bytes()).expect_err(text);
            assert_eq!(error.line, Some(line), "{text}");
            assert!(error.reason.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn engines_of_lacis_inside_opensm_are_engines() {
        let conf = read(b"routing_engine lacis-eventree,updn\n").unwrap();
        assert_eq!(conf.settings[0].value, "lacis-eventree,updn");
        let error = read(b"routing_engine lacis-even\n").unwrap_err();
        assert!(error.reason.contains("unknown routing engine \"even\""), "{error}");
    }

    #[test]
    fn nvidias_engines_and_their_keys_are_known_and_its_other_keys_are_reported() {
        let text = "routing_engine ar_updn,ar_ftree,updn\nar_mode 1\nar_sl_mask 0xFFFF\nar_sl_mask 0xFFFF\n\
                    shield_mode 1\naguid_inout_notice FALSE\n";
        let conf = read(text.as_bytes()).unwrap();
        assert_eq!(conf.settings[0].value, "ar_updn,ar_ftree,updn");
        let keys = |some: &[ConfLine]| some.iter().map(|s| s.key.clone()).collect::<Vec<_>>();
        assert_eq!(keys(&conf.adaptive), ["ar_mode", "ar_sl_mask", "shield_mode"]);
        assert_eq!(keys(&conf.unknown), ["aguid_inout_notice"]);
        // Where nothing names an engine, NVIDIA's default is an adaptive one.
        assert!(read(b"ar_mode 1\n").is_ok() && read(b"ar_mode 1\nrouting_engine (null)\n").is_ok());
        assert!(read(b"ar_mode 0\nrouting_engine ftree\n").is_ok());
    }

    #[test]
    fn adaptive_routing_that_is_ruled_out_is_refused() {
        for (text, line, reason) in [
            ("routing_engine ftree,minhop\nar_mode 1\n", 2, "names none of ar_updn, ar_ftree, ar_torus"),
            (
                "ar_mode 0\n\nrouting_engine ar_ftree\n",
                1,
                "turns off the adaptive routing that ar_ftree asks for (line 3)",
            ),
            ("ar_mode on\nrouting_engine ar_ftree\n", 1, "ar_mode is a number"),
            ("ar_sl_mask 1\nar_sl_mask 2\n", 2, "another value on line 1"),
            ("routing_engine ar_minhop\n", 1, "unknown routing engine"),
        ] {
            let error = read(text.as_bytes()).expect_err(text);
            assert_eq!(error.line, Some(line), "{text}");
            assert!(error.reason.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn the_lists_of_known_keys_are_in_order() {
        assert!(KNOWN.is_sorted() && ADAPTIVE_KEYS.is_sorted());
    }
}
