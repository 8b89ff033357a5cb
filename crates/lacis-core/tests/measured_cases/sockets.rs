//! Programs over sockets and between two hosts, and those that are not read.
//!
//! Expected values are computed by hand from the numbers in the samples.

use lacis_core::io::NoteKind;
use lacis_core::io::measured::{Wanted, read};

use super::{get, kinds, reason, rows};

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
        msg_rate  =  81.3 K/sec\n    msg_size  =     4 KiB (4,096)\n    time      =     2 sec\n",
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

/// Rates of 2.1.8 on one machine, as it printed them.
#[test]
fn iperf_2_as_text() {
    let head = "------------------------------------------------------------\nClient connecting to 127.0.0.3, TCP port 15301\n\
        TCP window size: 16.0 KByte (default)\n------------------------------------------------------------\n";
    let columns = "[ ID] Interval       Transfer     Bandwidth\n";
    let connected = "local 127.0.0.2 port 57151 connected with 127.0.0.3 port 15301";
    let m = get(&format!(
        "{head}[  1] {connected} (icwnd/mss/irtt=319/32741/37)\n{columns}\
        [  1] 0.0000-1.0000 sec  2.33 GBytes  20.0 Gbits/sec\n[  1] 1.0000-2.0000 sec  2.86 GBytes  24.8 Gbits/sec\n\
        [  1] 0.0000-2.0097 sec  5.19 GBytes  22.4 Gbits/sec\n"
    ));
    assert_eq!(
        rows(&m),
        [
            "iperf2_tcp | bandwidth | sample | - | 127.0.0.2 127.0.0.3 | 2.50000e9 bytes/s",
            "iperf2_tcp | bandwidth | sample | - | 127.0.0.2 127.0.0.3 | 3.10000e9 bytes/s",
            "iperf2_tcp | bandwidth | mean | - | 127.0.0.2 127.0.0.3 | 2.80000e9 bytes/s",
        ]
    );
    assert!(m.notes.is_empty(), "{:?}", m.notes);
    // The server of the same; old versions print a blank in the interval, `-f M` mebibytes, `-e` more columns.
    for row in [
        "[  1] 0.0000-2.0006 sec  5.19 GBytes  16.0 Gbits/sec",
        "[  1]  0.0- 2.0 sec  5.19 GBytes  16.0 Gbits/sec",
        "[  1] 0.0000-1.9987 sec  5.84 GBytes  16.0 Gbits/sec  48859=563:5:3:569:308:1:4:47406",
        "[  1] 0.0000-2.0014 sec  5.84 GBytes  16.0 Gbits/sec  47850/0          0     2302K/188(193) us  16668289",
    ] {
        let m = get(&format!(
            "Server listening on TCP port 15301\n[  1] local 127.0.0.3 port 15301 connected with 127.0.0.2 port 57151\n{columns}{row}\n"
        ));
        assert_eq!(
            rows(&m),
            ["iperf2_tcp | bandwidth | mean | - | 127.0.0.2 127.0.0.3 | 2.00000e9 bytes/s"],
            "{row}"
        );
    }
    let m =
        get(&format!("{head}[  1] {connected}\n{columns}[  1]  0.0- 2.0 sec  5 MBytes  2.00 MBytes/sec\n"));
    assert_eq!(rows(&m), ["iperf2_tcp | bandwidth | mean | - | 127.0.0.2 127.0.0.3 | 2.09715e6 bytes/s"]);
    // Reversed, the server sends, though the row has a star.
    let m = get(&format!(
        "{head}[  1] {connected} (reverse)\n{columns}[ *1] 0.0000-1.0136 sec  1.72 GBytes  16.0 Gbits/sec\n"
    ));
    assert_eq!(rows(&m), ["iperf2_tcp | bandwidth | mean | - | 127.0.0.3 127.0.0.2 | 2.00000e9 bytes/s"]);
    // Of two streams the sum.
    let m = get(&format!(
        "{head}[  1] {connected}\n[  2] local 127.0.0.2 port 49669 connected with 127.0.0.3 port 15301\n{columns}\
        [  1] 0.0000-1.0170 sec   787 MBytes  6.40 Gbits/sec\n[  2] 0.0000-1.0164 sec  1.54 GBytes  13.6 Gbits/sec\n\
        [SUM] 0.0000-1.0001 sec  2.30 GBytes  20.0 Gbits/sec\n"
    ));
    assert_eq!(rows(&m), ["iperf2_tcp | bandwidth | mean | - | 127.0.0.2 127.0.0.3 | 2.50000e9 bytes/s"]);
    // The sum that a log has lost.
    let m = get(&format!(
        "{head}[  1] {connected}\n[  2] local 127.0.0.2 port 49669 connected with 127.0.0.3 port 15301\n{columns}\
        [  1] 0.0000-1.0170 sec   787 MBytes  6.40 Gbits/sec\n[  2] 0.0000-1.0164 sec  1.54 GBytes  13.6 Gbits/sec\n"
    ));
    assert_eq!(rows(&m), ["iperf2_tcp | bandwidth | mean | - | 127.0.0.2 127.0.0.3 | 2.50000e9 bytes/s"]);
    // Of a server, one client after the other.
    let m = get(&format!(
        "Server listening on TCP port 15301\n[  1] local 127.0.0.3 port 15301 connected with 127.0.0.2 port 57151\n{columns}\
        [  1] 0.0000-1.0170 sec   787 MBytes  8.00 Gbits/sec\n[  2] local 127.0.0.3 port 15301 connected with 127.0.0.2 port 57152\n\
        [  2] 0.0000-1.0164 sec  1.54 GBytes  16.0 Gbits/sec\n"
    ));
    assert_eq!(m.value, [1e9, 2e9]);
    // Both ways at once over one connection: the sum is of neither.
    let m = get(&format!(
        "{head}[  1] {connected} (full-duplex)\n{columns}[ *1] 0.0000-1.0025 sec   619 MBytes  4.00 Gbits/sec\n\
        [  1] 0.0000-1.0000 sec   636 MBytes  8.00 Gbits/sec\n[SUM] 0.0000-1.0002 sec  1.22 GBytes  12.0 Gbits/sec\n"
    ));
    assert_eq!(
        rows(&m),
        [
            "iperf2_tcp bidirectional | bandwidth | mean | - | 127.0.0.3 127.0.0.2 | 5.00000e8 bytes/s",
            "iperf2_tcp bidirectional | bandwidth | mean | - | 127.0.0.2 127.0.0.3 | 1.00000e9 bytes/s",
        ]
    );
    // Of UDP what the receiver counted.
    let m = get(
        "Client connecting to 10.0.0.2, UDP port 5001\nSending 1470 byte datagrams, IPG target: 224.30 us (kalman adjust)\n\
        [  1] local 10.0.0.1 port 48302 connected with 10.0.0.2 port 5001\n[ ID] Interval       Transfer     Bandwidth\n\
        [  1] 0.0000-1.0003 sec  6.25 MBytes  80.0 Mbits/sec\n[  1] Sent 4462 datagrams\n[  1] Server Report:\n\
        [ ID] Interval       Transfer     Bandwidth        Jitter   Lost/Total Datagrams\n\
        [  1] 0.0000-1.0002 sec  6.25 MBytes  72.0 Mbits/sec   0.001 ms 0/4461 (0%)\n",
    );
    assert_eq!(rows(&m), ["iperf2_udp | bandwidth | mean | - | 10.0.0.1 10.0.0.2 | 9.00000e6 bytes/s"]);
    // A run that was cut short, and a row that was.
    let m = get(&format!(
        "{head}[  1] {connected}\n{columns}[  1] 0.0000-1.0000 sec  1 GBytes  8.00 Gbits/sec\n[  1] 1.0000-2.0000 sec  1 GBytes  8.00 Gbits/sec\n[  1] 2.0000-3.0000 sec  1 GB\n"
    ));
    assert_eq!(rows(&m).len(), 2);
    assert!(rows(&m).iter().all(|row| row.contains("| sample |")), "{:?}", rows(&m));
    assert_eq!(kinds(&m), [NoteKind::BrokenRow]);
}

#[test]
fn iperf_2_as_csv() {
    let m = get("20261129073259,10.0.0.1,41513,10.0.0.2,5001,1,0.0-1.0,1492910140,8000000000\n\
        20261129073300,10.0.0.1,41513,10.0.0.2,5001,1,1.0-2.0,2098987008,16000000000\n\
        20261129073300,10.0.0.1,41513,10.0.0.2,5001,1,0.0-2.0,3592028220,12000000000\n");
    assert_eq!(
        rows(&m),
        [
            "iperf2_tcp | bandwidth | sample | - | 10.0.0.1 10.0.0.2 | 1.00000e9 bytes/s",
            "iperf2_tcp | bandwidth | sample | - | 10.0.0.1 10.0.0.2 | 2.00000e9 bytes/s",
            "iperf2_tcp | bandwidth | mean | - | 10.0.0.1 10.0.0.2 | 1.50000e9 bytes/s",
        ]
    );
    // The way back of `-r`, as old versions print it: by their own end first. UDP has further fields.
    let m = get("20140114124826,10.0.0.1,54402,10.0.0.2,5001,5,0.0-10.0,52551090176,8000000000\n\
        20140114124826,10.0.0.1,5001,10.0.0.2,54402,4,0.0-10.0,52551090200,4000000000\n");
    assert_eq!(
        rows(&m),
        [
            "iperf2_tcp | bandwidth | mean | - | 10.0.0.1 10.0.0.2 | 1.00000e9 bytes/s",
            "iperf2_tcp | bandwidth | mean | - | 10.0.0.2 10.0.0.1 | 5.00000e8 bytes/s",
        ]
    );
    let m =
        get("20261129073300,10.0.0.1,41721,10.0.0.2,5001,1,0.0-1.1,6360690,40000000,0.003,0,4327,0.000,0\n");
    assert_eq!(rows(&m), ["iperf2_udp | bandwidth | mean | - | 10.0.0.1 10.0.0.2 | 5.00000e6 bytes/s"]);
}

/// Rows as 2.1.8 printed them on one machine, with rounder rates.
#[test]
fn streams_of_iperf_2_as_csv_are_summed_over_intervals() {
    let row = |second: u32, port: u32, id: u32, interval: &str, bits: u64| {
        format!("202611291036{second},10.0.0.1,{port},10.0.0.2,5001,{id},{interval},1000,{bits}\n")
    };
    // `-P 3 -i 1 -t 2`, in whichever order.
    let text = row(32, 39381, 2, "0.0-1.0", 8_000_000_000)
        + &row(32, 51595, 1, "0.0-1.0", 16_000_000_000)
        + &row(33, 45325, 3, "0.0-1.0", 8_000_000_000)
        + &row(33, 39381, 2, "1.0-2.0", 8_000_000_000)
        + &row(33, 39381, 2, "0.0-2.0", 8_000_000_000)
        + &row(33, 51595, 1, "1.0-2.0", 24_000_000_000)
        + &row(33, 45325, 3, "1.0-2.0", 8_000_000_000)
        + &row(33, 45325, 3, "0.0-2.0", 8_000_000_000)
        + &row(33, 51595, 1, "0.0-2.0", 20_000_000_000);
    let m = get(&text);
    assert_eq!(
        rows(&m),
        [
            "iperf2_tcp | bandwidth | sample | - | 10.0.0.1 10.0.0.2 | 4.00000e9 bytes/s",
            "iperf2_tcp | bandwidth | sample | - | 10.0.0.1 10.0.0.2 | 5.00000e9 bytes/s",
            "iperf2_tcp | bandwidth | mean | - | 10.0.0.1 10.0.0.2 | 4.50000e9 bytes/s",
        ]
    );
    assert!(m.notes.is_empty(), "{:?}", m.notes);
    // Cut short, the last sums are of a part.
    let cut: String = text.lines().take(7).map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    let m = get(&cut);
    assert_eq!(rows(&m).len(), 2);
    assert_eq!(kinds(&m), [NoteKind::BrokenRow]);
    // One run after the other: no sum, and another number of streams.
    let m = get(&(row(32, 39381, 1, "0.0-2.0", 8_000_000_000)
        + &row(34, 39382, 1, "0.0-2.0", 16_000_000_000)
        + &row(36, 39383, 1, "0.0-2.0", 8_000_000_000)
        + &row(36, 39384, 2, "0.0-2.0", 8_000_000_000)));
    assert_eq!(
        rows(&m),
        [
            "iperf2_tcp | bandwidth | mean | - | 10.0.0.1 10.0.0.2 | 1.00000e9 bytes/s",
            "iperf2_tcp | bandwidth | mean | - | 10.0.0.1 10.0.0.2 | 2.00000e9 bytes/s",
            "iperf2_tcp [num_streams=2] | bandwidth | mean | - | 10.0.0.1 10.0.0.2 | 2.00000e9 bytes/s",
        ]
    );
    // A server of clients one after the other counts on.
    let m =
        get(&(row(32, 39381, 1, "0.0-10.0", 8_000_000_000) + &row(42, 39382, 2, "0.0-10.0", 16_000_000_000)));
    assert_eq!(m.value, [1e9, 2e9]);
    // The program without a clock, as 2.1.8 is without `-i`.
    let m = get("19700101000000,10.0.0.1,33141,10.0.0.2,5001,2,0.0-2.0,5165154364,8000000000\n\
        19700101000000,10.0.0.1,45493,10.0.0.2,5001,1,0.0-2.0,5514985532,16000000000\n");
    assert_eq!(rows(&m), ["iperf2_tcp | bandwidth | mean | - | 10.0.0.1 10.0.0.2 | 3.00000e9 bytes/s"]);
    assert_eq!(kinds(&m), [NoteKind::AssumedStreams]);
    // Old versions print the sum.
    let m = get("20140114124826,10.0.0.1,54402,10.0.0.2,5001,4,0.0-10.0,1,8000000000\n\
        20140114124826,10.0.0.1,54403,10.0.0.2,5001,3,0.0-10.0,1,8000000000\n\
        20140114124826,10.0.0.1,0,10.0.0.2,5001,-1,0.0-10.0,1,15992000000\n");
    assert_eq!(rows(&m), ["iperf2_tcp | bandwidth | mean | - | 10.0.0.1 10.0.0.2 | 1.99900e9 bytes/s"]);
}

/// `-R`, `--full-duplex` and UDP of 2.1.8, which names the sender first.
#[test]
fn ways_of_iperf_2_as_csv() {
    let m = get("20261129103643,10.0.0.2,5001,10.0.0.1,43899,2,0.0-2.0,1,8000000000\n\
        20261129103643,10.0.0.2,5001,10.0.0.1,37171,1,0.0-2.0,1,8000000000\n");
    assert_eq!(rows(&m), ["iperf2_tcp | bandwidth | mean | - | 10.0.0.2 10.0.0.1 | 2.00000e9 bytes/s"]);
    let m = get("20261129103641,10.0.0.1,33365,10.0.0.2,5001,1,0.0-1.0,1,8000000000\n\
        20261129103641,10.0.0.2,5001,::,0,2,0.0-1.0,1,1600000000\n\
        20261129103641,10.0.0.2,5001,::,0,1,0.0-1.0,1,800000000\n\
        20261129103641,10.0.0.1,33767,10.0.0.2,5001,2,0.0-1.0,1,16000000000\n");
    assert_eq!(
        rows(&m),
        [
            "iperf2_tcp bidirectional | bandwidth | mean | - | 10.0.0.1 10.0.0.2 | 3.00000e9 bytes/s",
            "iperf2_tcp bidirectional | bandwidth | mean | - | 10.0.0.2 10.0.0.1 | 3.00000e8 bytes/s",
        ]
    );
    // What the receiver of 2.0 reports of a stream is no second stream.
    let m = get("20140114124826,10.0.0.1,54402,10.0.0.2,5001,3,0.0-10.0,1312710,1048576\n\
        20140114124826,10.0.0.2,5001,10.0.0.1,54402,3,0.0-10.0,1312710,800000,0.001,0,893,0.000,0\n");
    assert_eq!(rows(&m), ["iperf2_udp | bandwidth | mean | - | 10.0.0.1 10.0.0.2 | 1.00000e5 bytes/s"]);
}

const STREAM: &str = "Recv   Send    Send                          \nSocket Socket  Message  Elapsed              \n\
    Size   Size    Size     Time     Throughput  \nbytes  bytes   bytes    secs.    10^6bits/sec  \n\n";
const REQUESTS: &str = "Local /Remote\nSocket Size   Request  Resp.   Elapsed  Trans.\nSend   Recv   Size     Size    Time     Rate         \n\
    bytes  Bytes  bytes    bytes   secs.    per sec   \n\n";

#[test]
fn netperf_of_streams_and_requests() {
    let ends = "from 10.10.1.1 () port 0 AF_INET to 10.10.1.2 () port 0 AF_INET : demo";
    let m = get(&format!(
        "MIGRATED TCP STREAM TEST {ends}\n{STREAM}131072  16384   1500    10.00    8000.00   \n\
        MIGRATED TCP MAERTS TEST {ends}\n{STREAM}131072  16384   1500    10.00    4000.00   \n\
        MIGRATED TCP REQUEST/RESPONSE TEST {ends} : first burst 0\n{REQUESTS}16384  131072 32       1024    10.00    6537.30\n16384  131072\n"
    ));
    assert_eq!(
        rows(&m),
        [
            "netperf_tcp_stream | bandwidth | mean | 1500 | 10.10.1.1 10.10.1.2 | 1.00000e9 bytes/s",
            "netperf_tcp_maerts | bandwidth | mean | 1500 | 10.10.1.2 10.10.1.1 | 5.00000e8 bytes/s",
            "netperf_tcp_rr | transaction rate | mean | 32 | 10.10.1.1 10.10.1.2 | 6.53730e3 messages/s",
        ]
    );
    assert!(m.notes.is_empty(), "{:?}", m.notes);
    // Mebibytes, the processors' columns, and what arrived of UDP.
    let mebi = STREAM.replace("10^6bits/sec", "MBytes/sec");
    let m = get(&format!(
        "MIGRATED TCP STREAM TEST {ends}\n{mebi}131072  16384   1500    10.00    2.00   1.20 2.30 0.1 0.2\n"
    ));
    assert_eq!(
        rows(&m),
        ["netperf_tcp_stream | bandwidth | mean | 1500 | 10.10.1.1 10.10.1.2 | 2.09715e6 bytes/s"]
    );
    let m = get(&format!(
        "MIGRATED UDP STREAM TEST {ends}\nSocket  Message  Elapsed      Messages                \nSize    Size     Time         Okay Errors   Throughput\n\
        bytes   bytes    secs            #      #   10^6bits/sec\n\n262144   65507   10.00       42962      0    2251.09\n262144           10.00       17866            800.00\n"
    ));
    assert_eq!(
        rows(&m),
        ["netperf_udp_stream | bandwidth | mean | 65507 | 10.10.1.1 10.10.1.2 | 1.00000e8 bytes/s"]
    );
}

#[test]
fn netperf_from_any_address_is_distinguished_by_where_to() {
    let run = |to: &str, rate: &str| {
        format!(
            "MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to {to} (10.244.) port 0 AF_INET\n{STREAM}131072  16384   1500    10.00    {rate}\n"
        )
    };
    let m = get(&(run("n1", "8.00") + &run("n2", "16.00")));
    assert_eq!(
        rows(&m),
        [
            "netperf_tcp_stream [to=n1] | bandwidth | mean | 1500 | - - | 1.00000e6 bytes/s",
            "netperf_tcp_stream [to=n2] | bandwidth | mean | 1500 | - - | 2.00000e6 bytes/s",
        ]
    );
}

#[test]
fn results_of_netperf_that_were_selected() {
    let ends = "from 10.0.0.1 () port 0 AF_INET to 10.0.0.2 () port 0 AF_INET : nodelay";
    let bandwidth = "netperf_omni_send | bandwidth | mean | - | 10.0.0.1 10.0.0.2 | 1.00000e9 bytes/s";
    // By name, as CSV, and in columns.
    for text in [
        "THROUGHPUT=8000.00\nTHROUGHPUT_UNITS=10^6bits/s\nPROTOCOL=TCP\n",
        "Throughput,Throughput Units,Elapsed Time (sec)\n8000.00,10^6bits/s,10.00\n",
        "Throughput Throughput  Stddev       Local  \n           Units       Latency      CPU    \n                       Microseconds Util   \n\
            \x20                                   %      \n8000.00   10^6bits/s  23.82        30.31  \n",
    ] {
        assert_eq!(rows(&get(&format!("OMNI Send TEST {ends}\n{text}"))), [bandwidth], "{text}");
    }
    let m = get(&format!(
        "MIGRATED TCP REQUEST/RESPONSE TEST {ends} : first burst 2\n\
        Minimum Latency Microseconds,Mean Latency Microseconds,99th Percentile Latency Microseconds,Transaction Rate Tran/s\n38,56.5,69,52866.251\n"
    ));
    assert_eq!(
        rows(&m),
        [
            "netperf_tcp_rr | transaction rate | mean | - | 10.0.0.1 10.0.0.2 | 5.28663e4 messages/s",
            "netperf_tcp_rr | round trip | min | - | 10.0.0.1 10.0.0.2 | 3.80000e-5 s",
            "netperf_tcp_rr | round trip | mean | - | 10.0.0.1 10.0.0.2 | 5.65000e-5 s",
            "netperf_tcp_rr | round trip | p99 | - | 10.0.0.1 10.0.0.2 | 6.90000e-5 s",
        ]
    );
    // Columns without a unit are no row of requests.
    let m = read(
        format!(
            "MIGRATED TCP REQUEST/RESPONSE TEST {ends}\nMinimum      Mean         Maximum      99th         Stddev       Transaction\n38           56.69        383          69           3.89         52866.251\n"
        )
        .as_bytes(),
        &Wanted::default(),
    );
    assert!(m.unwrap_err().to_string().contains("no usable result"));
}

#[test]
fn what_is_not_read_is_named_with_what_is() {
    for (text, wanted) in [
        ("nvbandwidth Version: v0.10.0\n", "line 1: no result of a known format: nvbandwidth's copies"),
        (
            "{\n\t\"nvbandwidth\" : \n\t{\n\t\t\"CUDA Runtime Version\" : 12040\n\t}\n}\n",
            "line 2: no result of a known format: nvbandwidth's copies stay within a host",
        ),
        ("Minimum bandwidth: 40029 MB/sec a, b\n", "a summary of ClusterKit is not read"),
        ("hello\n", "no result of a known format (OSU, IMB, "),
    ] {
        let found = reason(text);
        assert!(found.contains(wanted) && found.contains("matrices as CSV"), "{found}");
    }
}
