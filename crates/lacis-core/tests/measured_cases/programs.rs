//! Outputs of other programs: IMB, OSU, perftest, iperf3, `GPCNeT`, `NetPIPE`, UCX and `ClusterKit`.

use lacis_core::io::NoteKind;
use lacis_core::io::measured::{Measured, Reader, Wanted, read};

use crate::{case, end, get, has, kinds, ranks, rows, tests};

#[test]
fn bytes_by_time_settle_what_a_megabyte_is() {
    // 65,536 bytes in 18.11 µs are 3.6188e9 bytes/s, and 3450.26 × 2²⁰ are 3.6179e9.
    if let Some(text) = case("imb-2021.8.out") {
        let m = read(&text, &Wanted::default()).unwrap();
        has(&m, "imb_pingpong | bandwidth | mean | 65536 | :0 :1 | 3.61786e9 bytes/s");
        assert!(kinds(&m).contains(&NoteKind::UnitByRows));
        for i in 0..m.value.len() {
            let s = &m.series[m.of[i] as usize];
            let time = (0..m.value.len()).find(|&j| {
                m.series[m.of[j] as usize].what == "time" && m.series[m.of[j] as usize].bytes == s.bytes
            });
            if s.what == "bandwidth" && s.bytes > Some(1) {
                let expected = s.bytes.unwrap() as f64 / m.value[time.unwrap()];
                assert!((m.value[i] / expected - 1.0).abs() < 0.003, "{i}");
            }
        }
    }
    let imb = |title: &str, rate: &str| {
        format!(
            "#    {title}, MPI-1 part\n# Benchmarking PingPong\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec\n1048576 40 200.20 {rate}\n"
        )
    };
    let value = |text: &str| *get(text).value.last().unwrap();
    // The version alone says 10⁶ from 2018 on, with a dot or an update.
    for title in [
        "Intel(R) MPI Benchmarks 2021.8",
        "Intel(R) MPI Benchmarks 2019 Update 5",
        "Intel(R) MPI Benchmarks 2021.2",
    ] {
        assert!((value(&imb(title, "5237.64")) - 5.23764e9).abs() < 1.0, "{title}");
        // Rows that say otherwise decide: 5237.64e6 / 2²⁰ = 4995.00.
        assert!((value(&imb(title, "4995.00")) / 5.23764e9 - 1.0).abs() < 1e-4, "{title}");
    }
    for title in ["Intel(R) MPI Benchmarks 2017", "Intel (R) MPI Benchmark Suite V3.2"] {
        assert!((value(&imb(title, "5237.64")) - 5.23764e9).abs() < 1.0, "{title}");
    }
    // Without a time the rows of another benchmark of the run decide, and messages a second do.
    let both = imb("Intel(R) MPI Benchmarks 2021.8", "4995.00")
        + "# Benchmarking Biband\n# #processes = 4\n#bytes #repetitions Mbytes/sec Msg/sec\n1048576 10 9990.00 9990.00\n";
    has(&get(&both), "imb_biband | bandwidth | mean | 1048576 | - - | 1.04753e10 bytes/s");
    // The same of OSU and of ucx_perftest: bytes × messages.
    let m = get(
        "# OSU MPI Multiple Bandwidth / Message Rate Test v5.6.2\n# [ pairs: 8 ] [ window size: 64 ]\n# Size  MB/s  Messages/s\n1048576  10000.00  10000.00\n",
    );
    has(&m, "osu_mbw_mr | bandwidth | mean | 1048576 | - - | 1.04858e10 bytes/s");
    let m = get(
        "# OSU MPI Multiple Bandwidth / Message Rate Test v5.6.2\n# Size  MB/s  Messages/s\n1048576  10485.76  10000.00\n",
    );
    has(&m, "osu_mbw_mr | bandwidth | mean | 1048576 | - - | 1.04858e10 bytes/s");
}

#[test]
fn full_statistics_of_osu_are_read_however_the_columns_are_spaced() {
    for head in [
        "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations",
        "# Size Avg Latency(us) Min Latency(us) Max Latency(us) Iterations",
        "# Size\tAvg Latency (us)\tMin Latency (us)\tMax Latency (us)\tIterations",
    ] {
        let m = get(&format!(
            "# OSU MPI Allreduce Latency Test v7.3\n# Datatype: MPI_INT.\n{head}\n4  3.50  1.25  5.75  1000\n"
        ));
        assert_eq!(m.value, [3.5e-6, 1.25e-6, 5.75e-6], "{head}");
    }
    let m = get(
        "# OSU MPI Latency Test v7.3\n# Size  Avg Latency(us) P50 Tail Lat(us) P90 Tail Lat(us)  Validation\n4  3.50  1.25  5.75  Pass\n",
    );
    has(&m, "osu_latency | latency | p90 | 4 | :0 :1 | 5.75000e-6 s");
}

#[test]
fn hosts_of_two_host_runs_are_kept() {
    for (name, pair) in
        [("nccl-pair-1.out", "node0001:0 node0002:1"), ("nccl-pair-3.out", "node0001:0 node0013:1")]
    {
        let Some(text) = case(name) else { continue };
        let m = read(&text, &Wanted::default()).unwrap();
        assert!(rows(&m).iter().all(|row| row.contains(&format!(" | {pair} | "))), "{name}");
    }
    // Many files read together, each with its own hosts by rank.
    let files: Option<Vec<Vec<u8>>> = (1..4).map(|n| case(&format!("nccl-pair-{n}.out"))).collect();
    if let Some(files) = files {
        let mut reader = Reader::new(Wanted::default());
        for file in &files {
            reader.feed(file).unwrap();
        }
        let m = reader.finish();
        assert_eq!((m.value.len(), tests(&m)), (18, vec!["nccl_sendrecv"]));
        assert_eq!((m.input[0], m.input[17]), (0, 2));
        let of_rank_0: Vec<&str> =
            m.facts.iter().filter(|(_, key, _)| key == "rank 0").map(|(_, _, host)| host.as_str()).collect();
        assert_eq!(of_rank_0, ["node0001", "node0003", "node0001"]);
    }
    if let Some(text) = case("perftest-pair.out") {
        has(
            &read(&text, &Wanted::default()).unwrap(),
            "ib_write_bw | bandwidth | mean | 65536 | LID 1 LID 5 | 1.21212e10 bytes/s",
        );
    }
    // On Ethernet the GID names the adapter, an address of IPv4 where it has one; what is read comes from the other side.
    let m = get(
        "                    RDMA_Read BW Test\n local address: LID 0000 QPN 0x0d02\n GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:01\n\
        remote address: LID 0000 QPN 0x0d24\n GID: 254:128:00:00:00:00:00:00:12:155:161:255:254:01:02:03\n\
        #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n65536 5000 8.0 4.0 0.5\n",
    );
    has(
        &m,
        "ib_read_bw | bandwidth | mean | 65536 | GID fe80:0:0:0:c9b:a1ff:fe01:203 10.0.0.1 | 5.00000e8 bytes/s",
    );
    // From the launch line, and as MPI libraries report ranks.
    let bw = "# OSU MPI Bandwidth Test v5.6.2\n# Size  Bandwidth (MB/s)\n4194304   12000.5\n";
    for above in [
        "mpirun -np 2 -H n1,n2 ./osu_bw\n",
        "mpirun -n 2 ./osu_bw\n[0] MPI startup(): Rank    Pid      Node name  Pin cpu\n[0] MPI startup(): 0       12475    n1    {0,1}\n[0] MPI startup(): 1       12458    n2    {0,1}\n",
        "[n1:12345] MCW rank 0 bound to socket 0[core 0[hwt 0]]: [B/.]\n[n2:12345] MCW rank 1 bound to socket 0[core 0[hwt 0]]: [B/.]\n",
    ] {
        has(
            &get(&format!("{above}{bw}")),
            "osu_bw | bandwidth | mean | 4194304 | n1:0 n2:1 | 1.20005e10 bytes/s",
        );
    }
}

#[test]
fn both_directions_of_perftest_are_neither_repeats_nor_the_test_of_one() {
    if let Some(text) = case("perftest-report-both.out") {
        let m = read(&text, &Wanted::default()).unwrap();
        assert_eq!(tests(&m), ["ib_write_bw bidirectional"]);
        has(&m, "ib_write_bw bidirectional | bandwidth | mean | 65536 | LID 47 LID 49 | 9.80150e10 bytes/s");
        has(
            &m,
            "ib_write_bw bidirectional | bandwidth each way | mean | 65536 | LID 47 LID 49 | 4.90062e10 bytes/s",
        );
        has(
            &m,
            "ib_write_bw bidirectional | bandwidth each way | mean | 65536 | LID 49 LID 47 | 4.90088e10 bytes/s",
        );
        assert!(m.repeat.iter().all(|&repeat| repeat == 0));
    }
    let rows = "#bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n65536 5000 8.0 4.0 0.5\n";
    let m = get(&format!("RDMA_Write BW Test\n{rows}RDMA_Write Bidirectional BW Test\n{rows}"));
    assert_eq!(tests(&m), ["ib_write_bw", "ib_write_bw bidirectional"]);
    // One adapter after the other is a rail each.
    let device =
        |name: &str| format!("RDMA_Write BW Test\n Dual-port       : OFF\t\tDevice         : {name}\n{rows}");
    let m = get(&(device("mlx5_0") + &device("mlx5_1")));
    assert_eq!(tests(&m), ["ib_write_bw [device=mlx5_0]", "ib_write_bw [device=mlx5_1]"]);
}

#[test]
fn both_dialects_of_perftests_json() {
    if let Some(text) = case("perftest-quoted.json") {
        let m = read(&text, &Wanted::default()).unwrap();
        // 65,536 bytes × 0.747640e6 a second are 391.98 Gb/s.
        has(&m, "ib_write_bw | bandwidth | mean | 65536 | - - | 4.89975e10 bytes/s");
        has(&m, "ib_write_bw | message rate | mean | 65536 | - - | 7.47640e5 messages/s");
        assert_eq!(m.notes.len(), 0);
    }
    if let Some(text) = case("perftest-unquoted.json") {
        let m = read(&text, &Wanted::default()).unwrap();
        assert_eq!((m.value.len(), m.notes.len()), (7, 0));
        has(&m, "ib_write_lat | latency | p99.9 | 128 | - - | 4.03000e-6 s");
    }
    // In MiB/s; cut short.
    let m = get(
        "{\ntest_info: {\ntest: RDMA_Read_Bidirectional_BW_Test,\n},\nresults: {\nMsgSize: 65536,\nBW_peak: 0.00,\nBW_average: 11559.67,\nMsgRate: 0.184955,\n",
    );
    assert_eq!(rows(&m)[0], "ib_read_bw bidirectional | bandwidth | mean | 65536 | - - | 1.21212e10 bytes/s");
}

#[test]
fn events_of_iperf3_of_two_runs_at_once() {
    let start = |socket: u32, from: &str, to: &str| {
        format!(
            r#"{{"event":"start","data":{{"connected":[{{"socket":{socket},"local_host":"{from}","remote_host":"{to}"}}],"version":"iperf 3.17","test_start":{{"protocol":"TCP","num_streams":1,"reverse":0}}}}}}"#
        )
    };
    let interval = |socket: u32, begin: u32, bits: &str| {
        format!(
            r#"{{"event":"interval","data":{{"streams":[{{"socket":{socket}}}],"sum":{{"start":{begin},"end":{},"bits_per_second":{bits},"omitted":false}}}}}}"#,
            begin + 1
        )
    };
    let end = |socket: u32, bits: &str| {
        format!(
            r#"{{"event":"end","data":{{"streams":[{{"sender":{{"socket":{socket}}}}}],"sum_received":{{"bits_per_second":{bits}}}}}}}"#
        )
    };
    let lines = [
        start(5, "a", "b"),
        start(6, "c", "d"),
        interval(5, 0, "8e9"),
        interval(6, 0, "16e9"),
        interval(6, 1, "16e9"),
        interval(5, 1, "8e9"),
        end(6, "16e9"),
        end(5, "8e9"),
    ];
    let m = get(&lines.join("\n"));
    assert_eq!((m.value.len(), m.notes.len()), (6, 0));
    for i in 0..6 {
        let from = end_of(&m, i);
        assert!((m.value[i] - if from == "a" { 1e9 } else { 2e9 }).abs() < 1.0);
    }
    // Cut short.
    assert_eq!(kinds(&get(&lines[..4].join("\n"))), [NoteKind::Unfinished]);
}

fn end_of(m: &Measured, at: usize) -> String {
    end(m, m.source[at])
}

#[test]
fn gpcnet_alone_loaded_and_what_is_lost() {
    if let Some(text) = case("gpcnet.out") {
        let m = read(&text, &Wanted::default()).unwrap();
        assert_eq!((m.value.len(), m.series[0].ranks), (18, Some(2048)));
        has(&m, "gpcnet RR Two-sided Lat | latency, isolated | mean | 8 | - - | 2.90000e-6 s");
        // 2820.6 × 2²⁰.
        has(&m, "gpcnet RR Two-sided BW+Sync | bandwidth, loaded | p99 | 131072 | - - | 2.95761e9 bytes/s");
        // 20.3 ÷ 20.2, and 4061.4 ÷ 4057.7.
        has(&m, "gpcnet Multiple Allreduce | impact of congestion | mean | 8 | - - | 1.00495e0 ratio");
        has(&m, "gpcnet RR Two-sided BW+Sync | impact of congestion | mean | 131072 | - - | 1.00091e0 ratio");
    }
    // As printed, where the program prints it.
    let m = get(
        "NetworkLoad Tests v1.3\n|            Isolated Network Tests            |\n|  Name |  Avg |  99% |  Units |\n|  RR Two-sided Lat (8 B) |  2.0 |  4.0 |  usec |\n\
        |  Network Tests running with Congestion Tests - Key Results |\n|  Name |  Congestion Impact Factor |\n|  Name |  Avg |  99% |\n|  RR Two-sided Lat (8 B) |  1.5X |  2.5X |\n",
    );
    has(&m, "gpcnet RR Two-sided Lat | impact of congestion | p99 | 8 | - - | 2.50000e0 ratio");
}

#[test]
fn netpipe_ucx_perftest_and_clusterkit() {
    // 8 × 1,048,576 bits in 1000 µs: 8388.6e6 bits/s, 8000 of 2²⁰.
    let m = get(
        "  0:       1 bytes  23983 times -->      4.35 Mbps in       1.75 usec\n  1: 1048576 bytes     50 times -->   8000.00 Mbps in    1000.00 usec\n",
    );
    has(&m, "netpipe | bandwidth | mean | 1048576 | :0 :1 | 1.04858e9 bytes/s");
    has(&m, "netpipe | latency | mean | 1 | :0 :1 | 1.75000e-6 s");
    let m = get("  1: 1048576  B      50 times -->     8.389  Gbps  in  1000.00 usecs\n");
    has(&m, "netpipe | bandwidth | mean | 1048576 | :0 :1 | 1.04862e9 bytes/s");
    // 8 bytes × 5,478,763 a second are 41.80 MiB/s.
    let box_of = |size: u32, last: &str| {
        format!(
            "+-----+\n| API:          protocol layer     |\n| Test:         tag match bandwidth     |\n| Send memory:  host  |\n| Message size: {size}   |\n+---+\n\
            |              |              |       overhead (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |\n\
            |    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |\n[thread 0]  500000 0.1 0.1 0.1 40.0 40.0 5000000 5000000\n{last}\n"
        )
    };
    let m = get(&box_of(
        8,
        "Final:               1000000      0.183     0.182     0.181       41.80      41.80     5478763     5478763",
    ));
    has(&m, "ucx tag match bandwidth | bandwidth | mean | 8 | :0 :1 | 4.38305e7 bytes/s");
    has(&m, "ucx tag match bandwidth | overhead | mean | 8 | :0 :1 | 1.81000e-7 s");
    has(&m, "ucx tag match bandwidth | message rate | mean | 8 | :0 :1 | 5.47876e6 messages/s");
    let m = get(
        "Cluster Kit 1.15, bandwidth test, message size 1048576\n    Rank:                0        1        2\n       0 (n1):       0.00  46190.2  46012.9\n       1 (n2):   46190.2      0.00  46055.4\n       2 (n3):   46012.9  46055.4      0.00\nAverage bandwidth: 46086.2 MB/s\n",
    );
    assert_eq!((m.value.len(), m.notes.len()), (6, 0));
    has(
        &m,
        "clusterkit bandwidth bidirectional | bandwidth | mean | 1048576 | n1:0 n3:2 | 4.60129e10 bytes/s",
    );
    let m = get(
        "    Rank:                0        1\n       0 (n1):       0.00  1.79\n       1 (n2):   1.80      0.00\n",
    );
    has(&m, "clusterkit latency | latency | mean | 0 | n2:1 n1:0 | 1.80000e-6 s");
    assert_eq!(kinds(&m), [NoteKind::AssumedTest]);
}

#[test]
fn a_row_of_netpipe_has_a_unit_of_its_own() {
    // 8 / 2.304 bits/µs; 8 · 8388608 / 699.05 = 96,000 bits/µs.
    let m = get(
        "  1:       1  B     24999 times -->    3.472 Mbps  in  2.304 usecs\n 99: 8388608  B         7 times -->   96.000  Gbps  in  699.05 usecs\n",
    );
    has(&m, "netpipe | bandwidth | mean | 1 | :0 :1 | 4.34000e5 bytes/s");
    has(&m, "netpipe | bandwidth | mean | 8388608 | :0 :1 | 1.20000e10 bytes/s");
}

#[test]
fn parts_of_a_collective_of_osu_that_does_not_block_are_no_latencies_of_it() {
    let m = get("# OSU MPI Non-blocking Allreduce Latency Test v7.3\n# Datatype: MPI_INT.\n\
        # Size           Overall(us)       Compute(us)    Coll. Init(us)      MPI_Test(us)      MPI_Wait(us)    Pure Comm.(us)    Min Comm.(us)    Max Comm.(us)        Overlap(%)\n\
        4                     20.00             10.00              1.00              0.00              2.00             10.50            10.00            11.00             50.00\n");
    assert_eq!(
        rows(&m),
        [
            "osu_iallreduce | overlapped | mean | 4 | - - | 2.00000e-5 s",
            "osu_iallreduce | communication alone | mean | 4 | - - | 1.05000e-5 s",
            "osu_iallreduce | communication alone | min | 4 | - - | 1.00000e-5 s",
            "osu_iallreduce | communication alone | max | 4 | - - | 1.10000e-5 s",
        ]
    );
}

#[test]
fn collectives_of_mpibench_and_of_ucc() {
    let m = get("START mpiBench v1.5\n0 : n1\n1 : n2\n\
        Barrier                 Bytes:         0        Iters:     1000 Avg:      1.2340        Min:      1.2300        Max:      1.2400        Comm: MPI_COMM_WORLD    Ranks: 2\n\
        Alltoall                Bytes:        32        Iters:     1000 Avg:      1.9990        Min:      1.9983        Max:      2.0004        Comm: MPI_COMM_WORLD    Ranks: 2\n\
        Bcast                   Bytes:        64        Iters:     1000 Avg:      3.\nMessage buffers (KB):   3\nEND mpiBench\n");
    assert_eq!(
        rows(&m),
        [
            "mpibench_barrier | time | mean | 0 | n1:0 n2:1 | 1.23400e-6 s",
            "mpibench_barrier | time | min | 0 | n1:0 n2:1 | 1.23000e-6 s",
            "mpibench_barrier | time | max | 0 | n1:0 n2:1 | 1.24000e-6 s",
            "mpibench_alltoall | time | mean | 32 | n1:0 n2:1 | 1.99900e-6 s",
            "mpibench_alltoall | time | min | 32 | n1:0 n2:1 | 1.99830e-6 s",
            "mpibench_alltoall | time | max | 32 | n1:0 n2:1 | 2.00040e-6 s",
        ]
    );
    assert_eq!((ranks(&m), kinds(&m)), (Some(2), vec![NoteKind::BrokenRow]));
    // The line of rank 0 is lost.
    let m = get("START mpiBench v1.5\n1 : n2\n\
        Barrier                 Bytes:         0        Iters:     1000 Avg:      1.2340        Min:      1.2300        Max:      1.2400        Comm: MPI_COMM_WORLD    Ranks: 2\n\
        END mpiBench\n");
    assert_eq!(rows(&m)[0], "mpibench_barrier | time | mean | 0 | - - | 1.23400e-6 s");
    let head = |name: &str| {
        format!(
            "Collective:             {name}\nMemory type:            cuda\nDatatype:               float32\nReduction:              N/A\nInplace:                0\n\
            Warmup:\n  small                 10\n  large                 10\nIterations:\n  small                 1\n  large                 1\n\n"
        )
    };
    let m = get(&format!(
        "{}       Count        Size                Time, us                           Bandwidth, GB/s\n\
        \x20                                avg         min         max         avg         min         max\n\
        \x20      65536      262144       76.46       72.62       82.30       24.00       25.27       22.30\n",
        head("Alltoall")
    ));
    assert_eq!(
        rows(&m),
        [
            "ucc_alltoall | time | mean | 262144 | - - | 7.64600e-5 s",
            "ucc_alltoall | time | min | 262144 | - - | 7.26200e-5 s",
            "ucc_alltoall | time | max | 262144 | - - | 8.23000e-5 s",
            "ucc_alltoall | bus bandwidth | mean | 262144 | - - | 2.40000e10 bytes/s",
            "ucc_alltoall | bus bandwidth | min | 262144 | - - | 2.23000e10 bytes/s",
            "ucc_alltoall | bus bandwidth | max | 262144 | - - | 2.52700e10 bytes/s",
        ]
    );
    let m = get(&format!(
        "{}       Count        Size                Time, us\n                                 avg         min         max\n         N/A         N/A        5.20        4.90        5.60\n",
        head("Barrier")
    ));
    assert_eq!(rows(&m)[0], "ucc_barrier | time | mean | - | - - | 5.20000e-6 s");
}
