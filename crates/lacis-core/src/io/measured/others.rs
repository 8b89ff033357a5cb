//! Inputs in which nothing is read: the program that printed them, where it is known, and what is read.

use super::prefix::Prefixes;
use crate::io::ReadError;

/// The formats, in the words of their users.
const READ: &str = "OSU, IMB, GPCNeT, NetPIPE, ClusterKit, ucx_perftest, perftest, qperf, iperf3, sockperf, NCCL-tests, RCCL-tests, \
    NCCL Inspector, mpiGraph, mpi_nxnlatbw, mpi_multibw, deviation, mpi_latencystress, lacis-mpi, matrices as CSV";

/// Beginnings of lines of other programs, and what is said of them.
const OTHERS: [(&str, &str); 14] = [
    ("nvbandwidth Version", "nvbandwidth's copies between GPUs and their host are not read"),
    ("memcpy CE ", "nvbandwidth's copies between GPUs and their host are not read"),
    ("memcpy SM ", "nvbandwidth's copies between GPUs and their host are not read"),
    ("START mpiBench", "mpiBench is not read"),
    ("END mpiBench", "mpiBench is not read"),
    ("[ ID] Interval", "iperf 2 is not read, iperf3 is"),
    ("MIGRATED TCP", "netperf is not read"),
    ("MIGRATED UDP", "netperf is not read"),
    ("HPLinpack ", "HPL is not read"),
    ("STREAM version", "STREAM is not read"),
    ("Minimum bandwidth:", "a summary of ClusterKit is not read, its bandwidth.txt and latency.txt are"),
    ("Examined nodes:", "a summary of ClusterKit is not read, its bandwidth.txt and latency.txt are"),
    ("Collective:", "ucc_perftest is not read"),
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
