//! Programs over sockets and between two hosts, and those that are not read.
//!
//! Expected values are computed by hand from the numbers in the samples.

use super::{get, reason, rows};

#[test]
fn the_text_of_iperf3() {
    let head = "Connecting to host 10.0.0.2, port 5201\n[  5] local 10.0.0.1 port 34734 connected to 10.0.0.2 port 5201\n";
    let columns = "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n";
    let end = "- - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n\
        [  5]   0.00-2.00   sec  2.00 GBytes  8.00 Gbits/sec    0             sender\n\
        [  5]   0.00-2.04   sec  1.99 GBytes  7.20 Gbits/sec                  receiver\n\niperf Done.\n";
    let m = get(&format!(
        "{head}{columns}[  5]   0.00-1.00   sec   164 MBytes  1.60 Gbits/sec   65   1013 KBytes       (omitted)\n\
        [  5]   0.00-1.00   sec   1.00 GBytes  8.00 Gbits/sec   65   1013 KBytes\n\
        [  5]   1.00-2.00   sec   1.00 GBytes   800 Mbits/sec    0   1.10 MBytes\n{end}"
    ));
    assert_eq!(
        rows(&m),
        [
            "iperf3_tcp | bandwidth | sample | - | 10.0.0.1 10.0.0.2 | 1.00000e9 bytes/s",
            "iperf3_tcp | bandwidth | sample | - | 10.0.0.1 10.0.0.2 | 1.00000e8 bytes/s",
            "iperf3_tcp | bandwidth | mean | - | 10.0.0.1 10.0.0.2 | 9.00000e8 bytes/s",
        ]
    );
    assert!(m.notes.is_empty(), "{:?}", m.notes);
    // Of two streams the sums; in reverse the other way.
    let two = "Reverse mode, remote host 10.0.0.2 is sending\n[  7] local 10.0.0.1 port 34736 connected to 10.0.0.2 port 5201\n";
    let m = get(&format!(
        "{head}{two}{columns}[  5]   0.00-1.00   sec   1 MBytes  8.00 Mbits/sec    0\n[  7]   0.00-1.00   sec   1 MBytes  8.00 Mbits/sec    0\n\
        [SUM]   0.00-1.00   sec   2 MBytes  16.0 Mbits/sec    0\n[SUM]   0.00-1.00   sec   2 MBytes  16.0 Mbits/sec    0   receiver\n"
    ));
    assert_eq!(
        rows(&m),
        [
            "iperf3_tcp | bandwidth | sample | - | 10.0.0.2 10.0.0.1 | 2.00000e6 bytes/s",
            "iperf3_tcp | bandwidth | mean | - | 10.0.0.2 10.0.0.1 | 2.00000e6 bytes/s",
        ]
    );
    // Both ways at once, in mebibytes.
    let m = get(&format!(
        "{head}[ ID][Role] Interval           Transfer     Bitrate         Retr  Cwnd\n\
        [  5][TX-C]   0.00-1.00   sec   1 MBytes  1.00 MBytes/sec    0\n[  7][RX-C]   0.00-1.00   sec   1 MBytes  2.00 MBytes/sec\n"
    ));
    assert_eq!(
        rows(&m),
        [
            "iperf3_tcp bidirectional | bandwidth | sample | - | 10.0.0.1 10.0.0.2 | 1.04858e6 bytes/s",
            "iperf3_tcp bidirectional | bandwidth | sample | - | 10.0.0.2 10.0.0.1 | 2.09715e6 bytes/s",
        ]
    );
}

#[test]
fn sockperf_of_both_kinds() {
    let m = get(
        "$ sockperf ping-pong -i 10.9.9.1 --tcp -m 1000 -t 120\nsockperf: == version #3.10-no.git ==\n\
        sockperf[CLIENT] send on:sockperf: using recvfrom() to block on socket(s)\n[ 0] IP = 10.9.9.1        PORT = 11111 # TCP\n\
        sockperf: # dropped messages = 0; # duplicated messages = 0; # out-of-order messages = 0\n\
        sockperf: Summary: Latency is 24.571 usec\nsockperf: ---> <MAX> observation = 1000.000\n\
        sockperf: ---> percentile 99.990 =   37.000\nsockperf: ---> percentile 50.000 =   26.000\n",
    );
    assert_eq!(
        rows(&m),
        [
            "sockperf_tcp | latency | mean | 1000 | - - | 2.45710e-5 s",
            "sockperf_tcp | latency | max | 1000 | - - | 1.00000e-3 s",
            "sockperf_tcp | latency | p99.99 | 1000 | - - | 3.70000e-5 s",
            "sockperf_tcp | latency | median | 1000 | - - | 2.60000e-5 s",
        ]
    );
    let m = get("sockperf: Total of 100 messages sent in 30.000 sec\n\
        sockperf: NOTE: test was performed, using msg-size=1200. For getting\nsockperf: Summary: Message Rate is 1000000 [msg/sec]\n\
        sockperf: Summary: BandWidth is 1144.409 MBps (9155.273 Mbps)\n");
    assert_eq!(
        rows(&m),
        [
            "sockperf_udp | message rate | mean | 1200 | - - | 1.00000e6 messages/s",
            "sockperf_udp | bandwidth | mean | 1200 | - - | 1.20000e9 bytes/s", // 1144.409 × 2²⁰
        ]
    );
}

#[test]
fn qperf_of_several_tests() {
    let m = get(
        "$ qperf node1 -m 64K rc_bi_bw\nrc_bi_bw:\n    bw  =  5.09 GB/sec\ntcp_lat:\n    latency   =  12.3 us\n    \
        msg_rate  =  81.3 K/sec\n    msg_size  =     4 KiB\n    time      =     2 sec\n",
    );
    assert_eq!(
        rows(&m),
        [
            "qperf_rc_bi_bw | bandwidth | mean | 65536 | - - | 5.09000e9 bytes/s",
            "qperf_tcp_lat | latency | mean | 4096 | - - | 1.23000e-5 s",
            "qperf_tcp_lat | message rate | mean | 4096 | - - | 8.13000e4 messages/s",
        ]
    );
}

#[test]
fn what_is_not_read_is_named_with_what_is() {
    for (text, wanted) in [
        ("nvbandwidth Version: v0.10.0\n", "line 1: no result of a known format: nvbandwidth's copies"),
        (
            "x\n[ ID] Interval       Transfer     Bandwidth\n[  5]  0.0-120.0 sec  88.9 GBytes  6.37 Gbits/sec\n",
            "line 2: no result of a known format: iperf 2 is not read, iperf3 is",
        ),
        ("Minimum bandwidth: 40029 MB/sec a, b\n", "a summary of ClusterKit is not read"),
        ("hello\n", "no result of a known format (OSU, IMB, "),
    ] {
        let found = reason(text);
        assert!(found.contains(wanted) && found.contains("matrices as CSV"), "{found}");
    }
}
