//! Outputs as people hand them on: excerpts, quotes, sides without a head, and programs that are not read.
//!
//! Expected values are computed by hand from the numbers in the samples.

use lacis_core::io::NoteKind;
use lacis_core::io::measured::{Unit, Wanted, read};

use super::{get, kinds, ranks, reason, rows, tests};

/// A table of NCCL-tests from its head of columns on.
const TABLE: &str = "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n\
    #        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n    \
    1048576        262144     float     sum      -1    100.0   10.49   18.35    N/A    200.0    5.24    9.18    N/A\n";

#[test]
fn nccl_tests_without_their_first_lines() {
    // The head of columns alone, with and without a comment's sign; the list of ranks before it; the row alone.
    let bare = TABLE.replace('#', " ").replace(" wrong", "#wrong");
    for text in [TABLE, &bare] {
        let m = get(text);
        assert_eq!(tests(&m), ["nccl_all_reduce"], "{text}");
        assert_eq!(
            rows(&m)[1],
            "nccl_all_reduce | algorithm bandwidth | mean | 1048576 | - - | 1.04900e10 bytes/s"
        );
        assert_eq!((m.value.len(), ranks(&m)), (6, None));
    }
    let rank = "#  Rank  1 Group  0 Pid  14840 on node-b device  3 [0x01] NVIDIA GB200\n";
    assert_eq!(ranks(&get(&format!("{rank}{TABLE}"))), Some(2));
    let row = TABLE.lines().last().unwrap();
    let m = get(&format!("{row}\n# Out of bounds values : 0 OK\n"));
    assert_eq!((m.value.len(), tests(&m)), (6, vec!["nccl_all_reduce"]));
    assert_eq!(kinds(&m), [NoteKind::NoHeader]);
    // A row whose first digits are cut off is not one of 576 bytes.
    assert!(reason(row.trim_start().trim_start_matches("1048")).contains("no result of a known format"));
}

#[test]
fn a_run_of_one_rank_is_of_the_collective_that_is_called() {
    let head = "# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20\n\
        #  Rank  0 Group  0 Pid 7 on a device  0 [0x01] GPU\n";
    let m =
        get(&format!("u@a:~$ sudo ./build/alltoall_perf_mpi -g 1\n{head}{}", TABLE.replace("sum", "none")));
    assert_eq!((tests(&m), ranks(&m)), (vec!["nccl_alltoall"], Some(1)));
}

#[test]
fn the_first_nccl_tests_print_milliseconds_and_no_sign_before_their_settings() {
    let m = get(
        "nThread 1 nGpus 8 minBytes 9 maxBytes 33554432 step: 1048576(bytes) warmup iters: 5 iters: 20 validation: 1\n\
        # NCCL Tests compiled with NCCL 2.1\n# Using devices\n#   Rank  0 on   a device  0 [0x04] GPU\n#   Rank  1 on   a device  1 [0x06] GPU\n\
        #      bytes             N    type      op     time  algbw  busbw      res     time  algbw  busbw      res\n     \
        1048576        262144   float     sum    0.500   2.10   3.67    3e+00    0.250   4.19   7.34    4e+00\n \
        Out of bounds values : 248 FAILED\n Avg bus bandwidth    : 5.505\n",
    );
    assert_eq!(rows(&m)[0], "nccl_all_reduce | time | mean | 1048576 | - - | 5.00000e-4 s");
    assert_eq!(rows(&m)[3], "nccl_all_reduce | time, in place | mean | 1048576 | - - | 2.50000e-4 s");
    assert_eq!((m.value.len(), ranks(&m), kinds(&m)), (6, Some(2), vec![NoteKind::Wrong]));
}

#[test]
fn what_libraries_say_between_rows_is_no_row() {
    let info = "a:21:27 [0] NCCL INFO Connected all rings\nNCCL version 2.26.2+cuda12.8\nrccl-tests: Version develop:83d38d9\n";
    let m = get(&format!("# nThread 1 nGpus 1 minBytes 8\n{info}{TABLE}"));
    assert!(m.notes.is_empty(), "{:?}", m.notes);
    let facts: Vec<&str> = m.facts.iter().map(|(_, _, value)| value.as_str()).collect();
    assert_eq!(facts, ["2.26.2+cuda12.8", "develop:83d38d9"]);
    // All rows are comments.
    let cut = reason("# nThread 1 nGpus 1 minBytes 8\n# 1048576 262144 float sum -1 100.0 10.49 18.35 0\n");
    assert!(cut.contains("line 1: benchmark without a row"), "{cut}");
}

#[test]
fn quotes_of_mails_and_threads() {
    let m = get(
        "> [ib_send_bw]\n> -----\n>  #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n\
        >  65536      100000           0.00               203.13             0.003250\n> -----\n",
    );
    assert_eq!(
        rows(&m),
        [
            "ib_bw | bandwidth | mean | 65536 | - - | 2.12997e8 bytes/s",
            "ib_bw | message rate | mean | 65536 | - - | 3.25000e3 messages/s"
        ]
    );
}

#[test]
fn a_run_of_an_adapter_with_itself_is_kept_without_ends() {
    let m = get(
        "                    RDMA_Read Latency Test\n local address: LID 0x18 QPN 0x1 PSN 0x2\n remote address: LID 0x18 QPN 0x3 PSN 0x4\n\
        #bytes #iterations t_avg[usec] tps average\n 2 1000 2.00 500000.00\n",
    );
    assert_eq!(rows(&m)[0], "ib_read_lat | latency | mean | 2 | - - | 2.00000e-6 s");
    assert!(m.notes.is_empty());
}

#[test]
fn ucx_on_the_side_that_prints_no_box_and_in_batches() {
    let table = "|              |              |       overhead (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |\n\
        |    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |\n\
        [thread 0]   10  0.5  0.5  0.5  1.0  1.0  1 1\n\
        Final:     1000      0.240     1.000     2.000      95.00      95.37      99000      100000\n";
    let m = get(&format!("$ ./ucx_perftest 172.23.155.50 -t ucp_am_lat -s 1000\n{table}"));
    assert_eq!(rows(&m)[2], "ucx am latency | bandwidth | mean | 1000 | :0 :1 | 1.00003e8 bytes/s"); // 95.37 × 2²⁰
    let rule = "=".repeat(40);
    let m = get(&format!("{rule} tag_bw {rule}\n{table}\n{rule} tag_sync_bw {rule}\n{table}"));
    assert_eq!(tests(&m), ["ucx tag match bandwidth", "ucx tag sync match bandwidth"]);
    assert!(m.notes.is_empty(), "{:?}", m.notes);
}

#[test]
fn groups_of_imb_are_pairs_of_ranks() {
    let m = get("#    PALLAS MPI Benchmark Suite V2.2, MPI-1 part\n# Benchmarking Multi-PingPong\n\
        # ( 2 groups of 2 processes each running simultaneous )\n# Group    0                     : 0 1\n\
        # Group    1                     : 2 3\n        Group       #bytes #repetitions      t[usec]   Mbytes/sec\n\n            \
        0      4194304           10      8000.00       500.00\n            1      4194304           10      4000.00      1000.00\n");
    assert_eq!(
        rows(&m),
        [
            "imb_multi-pingpong | time | mean | 4194304 | :0 :1 | 8.00000e-3 s",
            "imb_multi-pingpong | bandwidth | mean | 4194304 | :0 :1 | 5.24288e8 bytes/s",
            "imb_multi-pingpong | time | mean | 4194304 | :2 :3 | 4.00000e-3 s",
            "imb_multi-pingpong | bandwidth | mean | 4194304 | :2 :3 | 1.04858e9 bytes/s",
        ]
    );
    assert_eq!(ranks(&m), Some(4));
    assert!(m.facts.contains(&(0, "IMB version".into(), "V2.2".into())));
}

#[test]
fn key_results_of_gpcnet_have_a_head_of_two_rows() {
    let m = get("NetworkLoad Tests v1.3\n  Test with 64 MPI ranks (8 nodes)\n\
        |          Network Tests running with Congestion Tests - Key Results           |\n\
        |                            Name |                   Congestion Impact Factor |\n\
        |                                 |                  Avg |                 99% |\n\
        |          RR Two-sided Lat (8 B) |                 1.5X |               12.0X |\n");
    assert_eq!(
        rows(&m),
        [
            "gpcnet RR Two-sided Lat | impact of congestion | mean | 8 | - - | 1.50000e0 ratio",
            "gpcnet RR Two-sided Lat | impact of congestion | p99 | 8 | - - | 1.20000e1 ratio",
        ]
    );
    assert!(m.notes.is_empty(), "{:?}", m.notes);
}

#[test]
fn mpigraph_in_words() {
    let m = get(
        "START mpiGraph v1.4\nMsg Size: 4096 Bytes\nIterations: 9\nWindow Size: 64\nProcs: 2\n1 of 2 (50.0%)\n\n\
        Send\tn1:0\tn2:1\nn1:0 to\t0.000\t2000.0\nn2:1 to\t1000.0\t0.000\nEND mpiGraph\n",
    );
    assert_eq!(rows(&m)[0], "mpiGraph | send bandwidth | mean | 4096 | n1:0 n2:1 | 2.09715e9 bytes/s");
    assert_eq!((ranks(&m), m.notes.len()), (Some(2), 0));
    assert!(m.facts.contains(&(0, "window".into(), "64".into())));
}

#[test]
fn buffers_of_osu_are_those_of_the_last_line_about_them() {
    let run = |side: &str, letter: &str| {
        format!(
            "# Send Buffer on {side} ({letter}) and Receive Buffer on {side} ({letter})\n# Size      Bandwidth (MB/s)\n1  2.00\n"
        )
    };
    let m = get(&format!("# OSU MPI-CUDA Bandwidth Test v5.4.1\n{}{}", run("HOST", "H"), run("DEVICE", "D")));
    assert_eq!(tests(&m), ["osu_bw [buffers=HH]", "osu_bw [buffers=DD]"]);
    let m = get(
        "# OSU One Sided MPI_Put Bi-directional Bandwidth Test v3.1.1\n<br>\n# Size     Bi-Bandwidth (MB/s)\n<br>\n1  2.00\n<br>\n",
    );
    assert_eq!(rows(&m), ["osu_put_bibw | bandwidth | mean | 1 | :0 :1 | 2.00000e6 bytes/s"]);
    assert!(m.notes.is_empty(), "{:?}", m.notes);
    let text = "srun: note\n\n# OSU MPI Latency Test v7.5\n# Size  Latency (us)\nsegmentation fault\n";
    assert!(reason(text).contains("line 3: benchmark without a row: osu_latency"));
}

#[test]
fn a_last_number_that_is_cut_is_no_value() {
    let bw = "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n1                       4.56\n4194304             12034.55";
    assert_eq!(get(bw).value, [4.56e6, 12_034.55e6]);
    for cut in 1..=5 {
        let m = get(&bw[..bw.len() - cut]);
        assert_eq!((m.value.clone(), kinds(&m)), (vec![4.56e6], vec![NoteKind::BrokenRow]), "{cut}");
    }
    // A line that has its end is whole.
    assert_eq!(get(&format!("{}\n", &bw[..bw.len() - 1])).value, [4.56e6, 12_034.5e6]);
    let imb = "#    Intel(R) MPI Benchmarks 2021.2, MPI-1 part\n# Benchmarking PingPong\n# #processes = 2\n\
        #bytes #repetitions      t[usec]   Mbytes/sec\n1  1000  1.52  0.66\n4194304  10  350.10  11980.3";
    assert_eq!(get(imb).value.len(), 2);
    let netperf = "MIGRATED TCP STREAM TEST from a () port 0 AF_INET to b () port 0 AF_INET\n\
        Recv   Send    Send\nSocket Socket  Message  Elapsed\nSize   Size    Size     Time     Throughput\n\
        bytes  bytes   bytes    secs.    10^6bits/sec\n\n131072  16384  16384    10.00    9416.80";
    assert_eq!(get(netperf).value.len(), 1);
    assert!(reason(&netperf[..netperf.len() - 5]).contains("cut short"));
    let stress = "n1, 0, n2, 1, 1.52\nn1, 0, n3, 2, 1.6";
    assert_eq!(get(stress).value.len(), 1);
    // Columns of counts say nothing.
    let counts = "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)   Iterations\n1   1.62   1000\n2   1.63   1000";
    assert_eq!(get(counts).value.len(), 2);
}

#[test]
fn matrices_with_decimal_commas_and_text_in_utf_16() {
    let wanted =
        Wanted { test: Some("own".into()), what: "latency".into(), unit: Unit::parse("us"), bytes: Some(8) };
    let of = |text: &str| read(text.as_bytes(), &wanted);
    for text in [
        "host;n1;n2;n3\nn1;0;1,5;1,625\nn2;1,75;0;2\nn3;1,875;2,5;0\n",
        "host\tn1\tn2\tn3\nn1\t0\t1,5\t1,625\nn2\t1,75\t0\t2\nn3\t1,875\t2,5\t0\n",
        "host;n1;n2;n3\nn1;0;1.5;1.625\nn2;1.75;0;2\nn3;1.875;2.5;0\n",
    ] {
        assert_eq!(of(text).unwrap().value, [1.5e-6, 1.625e-6, 1.75e-6, 2e-6, 1.875e-6, 2.5e-6], "{text}");
    }
    // 1,500 may be 1.5 or 1500; with another number that is a fraction it is one, and between semicolons.
    let thousands = "host\tn1\tn2\nn1\t0\t1,500\nn2\t1,750\t0\n";
    let why = of(thousands).unwrap_err().to_string();
    assert!(why.starts_with("line 2: numbers with a comma before three digits"), "{why}");
    assert_eq!(of(&thousands.replace('\t', ";")).unwrap().value, [1.5e-6, 1.75e-6]);
    assert!(of("host;n1;n2\nn1;0;1.234,5\nn2;1,5;0\n").is_err());
    let osu = "# OSU MPI Latency Test v7.2\n# Size  Avg Latency(us)\n1  1.62\n";
    for (mark, is_little) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut units: Vec<u16> = if mark { vec![0xfeff] } else { Vec::new() };
        units.extend(osu.encode_utf16());
        let bytes: Vec<u8> = units
            .iter()
            .flat_map(|unit| if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() })
            .collect();
        let m = read(&bytes, &wanted).unwrap();
        assert_eq!(rows(&m), ["osu_latency | latency | mean | 1 | :0 :1 | 1.62000e-6 s"]);
        assert_eq!(kinds(&m), [NoteKind::Encoding]);
    }
}
