//! Inputs in which nothing is read: the program that printed them, where it is known, and what is read.

use super::prefix::Prefixes;
use crate::io::ReadError;

/// The formats, in the words of their users.
const READ: &str = "OSU, IMB, GPCNeT, NetPIPE, ClusterKit, mpiBench, ucx_perftest, ucc_perftest, perftest, qperf, iperf, iperf3, netperf, \
    sockperf, NCCL-tests, RCCL-tests, NCCL Inspector, mpiGraph, mpi_nxnlatbw, mpi_multibw, deviation, mpi_latencystress, lacis-mpi, \
    matrices as CSV";

/// Copies that no fabric carries.
const NVBANDWIDTH: &str = "nvbandwidth's copies stay within a host or its NVLink, and are not read";

/// Beginnings of lines of other programs, and what is said of them.
const OTHERS: [(&str, &str); 10] = [
    ("nvbandwidth Version", NVBANDWIDTH),
    ("memcpy CE ", NVBANDWIDTH),
    ("memcpy SM ", NVBANDWIDTH),
    ("\"nvbandwidth\"", NVBANDWIDTH),
    ("{\"nvbandwidth\"", NVBANDWIDTH),
    ("HPLinpack ", "HPL is not read"),
    ("STREAM version", "STREAM is not read"),
    ("Minimum bandwidth:", "a summary of ClusterKit is not read, its bandwidth.txt and latency.txt are"),
    ("Examined nodes:", "a summary of ClusterKit is not read, its bandwidth.txt and latency.txt are"),
    ("\"cell_type\":", "a notebook is not read, its output as text is"),
];

/// The refusal of a text without a result of a known format.
pub(super) fn refuse(text: &str) -> ReadError {
    let mut prefixes = Prefixes::of(text);
    for (at, raw) in text.lines().enumerate() {
        let bare = prefixes.strip(raw);
        let line = bare.text.trim();
        if let Some((_, reason)) = OTHERS.iter().find(|(start, _)| line.starts_with(start)) {
            return ReadError::at(at + 1, format!("no result of a known format: {reason} ({READ})"), line);
        }
    }
    ReadError::whole(format!("no result of a known format ({READ})"))
}
