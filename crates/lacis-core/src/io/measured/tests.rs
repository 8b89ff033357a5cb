//! Expected values are computed by hand from the numbers in the samples.

use super::*;

fn wanted() -> Wanted {
    Wanted { test: Some("own".into()), what: "latency".into(), unit: Unit::parse("us"), bytes: Some(8) }
}

fn get(text: &str) -> Measured {
    read(text.as_bytes(), &wanted()).unwrap()
}

/// `test, what, statistic, unit, bytes, source, destination, value` of every value.
fn rows(m: &Measured) -> Vec<String> {
    let end = |end: u32| match m.ends.get(end as usize) {
        None => "-".into(),
        Some(End { host, rank }) => format!(
            "{}{}",
            host.as_deref().unwrap_or(""),
            rank.map_or(String::new(), |rank| format!(":{rank}"))
        ),
    };
    (0..m.value.len())
        .map(|i| {
            let s = &m.series[m.of[i] as usize];
            let bytes = s.bytes.map_or("-".into(), |bytes| bytes.to_string());
            let (source, destination) = (end(m.source[i]), end(m.destination[i]));
            let unit = s.unit.name();
            format!(
                "{} {} {} {bytes} {source} {destination} {:.6e} {unit}",
                s.test, s.what, s.statistic, m.value[i]
            )
        })
        .collect()
}

fn kinds(m: &Measured) -> Vec<(NoteKind, usize, usize)> {
    m.notes.iter().map(|(_, note)| (note.kind, note.line, note.count)).collect()
}

#[test]
fn osu_of_both_generations_inside_a_job_log() {
    let m = get("srun: job 7 queued\n# OSU MPI Multiple Bandwidth / Message Rate Test v5.6.2\n\
        # [ pairs: 8 ] [ window size: 64 ]\n# Size                  MB/s        Messages/s\n\
        1                       8.71        8710288.67\n\n# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n\
        # Size       Avg Latency(us)   Min Latency(us)    P99 Tail Lat(us)   Iterations    Validation\n\
        0                       1.50              1.25                2.50         1000          Pass\n\
        8                       1.50              1.2\nsrun: done");
    assert_eq!(
        rows(&m),
        [
            "osu_mbw_mr bandwidth mean 1 - - 8.710000e6 bytes/s",
            "osu_mbw_mr message rate mean 1 - - 8.710289e6 messages/s",
            "osu_latency latency mean 0 :0 :1 1.500000e-6 s",
            "osu_latency latency min 0 :0 :1 1.250000e-6 s",
            "osu_latency latency p99 0 :0 :1 2.500000e-6 s",
        ]
    );
    assert_eq!(m.series[0].ranks, Some(16));
    assert_eq!(kinds(&m), [(NoteKind::UnknownLine, 1, 2), (NoteKind::BrokenRow, 11, 1)]);
}

#[test]
fn osu_rows_without_their_head_line_and_collectives() {
    let m = get("# OSU MPI Bi-Directional Bandwidth Test v5.6.2\n4194304             13428.01\n");
    assert_eq!(rows(&m), ["osu_bibw bandwidth mean 4194304 :0 :1 1.342801e10 bytes/s"]);
    assert_eq!(kinds(&m), [(NoteKind::NoHeader, 2, 1)]);
    let m = get("# OSU MPI Barrier Latency Test v7.1\n# Avg Latency(us)\n             4.91\n\
        # OSU MPI All-to-All Personalized Exchange Latency Test v5.6.2\n# Size       Avg Latency(us)\n1   43.84\n");
    assert_eq!(
        rows(&m),
        ["osu_barrier latency mean - - - 4.910000e-6 s", "osu_alltoall latency mean 1 - - 4.384000e-5 s"]
    );
}

#[test]
fn a_megabyte_of_imb_depends_on_its_year() {
    let of = |title: &str| {
        format!(
            "#    {title}, MPI-1 part\n# Benchmarking Exchange \n# #processes = 4 \n\
            # ( 12 additional processes waiting in MPI_Barrier)\n\
            #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n\
                  0         1000         1.00         3.00         2.00         0.00\n\
            4194304           10       100.00       300.00       200.00        10.00\n"
        )
    };
    let rate = |title: &str| get(&of(title)).value[6] as u64; // whole numbers
    assert_eq!(rate("Intel(R) MPI Benchmarks 2019 Update 5"), 10_000_000);
    assert_eq!(rate("Intel(R) MPI Benchmarks 2017"), 10_485_760);
    assert_eq!(rate("Intel (R) MPI Benchmark Suite V4.0.0"), 10_485_760);
    let m = get(&of("Intel(R) MPI Benchmarks 2019 Update 5"));
    assert_eq!(m.value.len(), 7); // no bandwidth where nothing is sent
    assert!(rows(&m)[0].starts_with("imb_exchange time min 0 - - 1.000000e-6"));
    assert_eq!(m.series[0].ranks, Some(4));
}

#[test]
fn nxnlatbw_rows_come_in_any_order_and_interleaved() {
    // Two rows in a line, one row inside another (ranks 1 and 0), the diagonal, a rank with nan, no last line end.
    let m = get(
        "src,dst,lat(us),bandwidth((Mbytes/sec)\n1,0,1.76,3752.894884 \n0,1,1.70,3000.000000 2,0,1.50,2000.0\n\
        2,1,1.91,0,2,1.2,4000.0\n1,1,0.10,9.0\n1,2,nan,4000.0",
    );
    assert_eq!(
        rows(&m),
        [
            "mpi_nxnlatbw latency mean 0 :1 :0 1.760000e-6 s",
            "mpi_nxnlatbw bandwidth mean 4194304 :1 :0 3.752895e9 bytes/s",
            "mpi_nxnlatbw latency mean 0 :0 :1 1.700000e-6 s",
            "mpi_nxnlatbw bandwidth mean 4194304 :0 :1 3.000000e9 bytes/s",
            "mpi_nxnlatbw latency mean 0 :2 :0 1.500000e-6 s",
            "mpi_nxnlatbw bandwidth mean 4194304 :2 :0 2.000000e9 bytes/s",
            "mpi_nxnlatbw bandwidth mean 4194304 :1 :2 4.000000e9 bytes/s",
        ]
    );
    assert_eq!(
        kinds(&m),
        [
            (NoteKind::MissingPairs, 1, 1),
            (NoteKind::BrokenRow, 4, 1),
            (NoteKind::Diagonal, 5, 2),
            (NoteKind::NotFinite, 6, 1)
        ]
    );
    // 0→2 and 2→1 are missing.
    assert_eq!(m.notes[0].1.text, "2 of 6 pairs of 3 ranks");
}

#[test]
fn a_second_run_in_one_log_is_the_second_repeat() {
    let m = get("0,1,1.70,3000.0\n1,0,1.70,3000.0\n0,1,1.80,3100.0\n1,0,1.70,3000.0\n");
    assert_eq!(m.repeat, [0, 0, 0, 0, 1, 1, 1, 1]);
}

#[test]
fn fastfabrics_programs() {
    let m = get("Sequential MPI Performance Test Results\n  Latency Summary:\n\
        \x20   Min: 1.29 usec, Max: 1.41 usec, Avg: 1.35 usec\n    Range: +9.2% of Min, Worst: +4.8% of Avg\n\
        \x20        Message Size: 0, Loops: 4000\n\n  Bandwidth Summary:\n\
        \x20   Min: 2835.8 MB/s, Max: 2839.9 MB/s, Avg: 2838.1 MB/s\n\
        \x20        Message Size: 2097152, Loops: 30 BiDir: no\n\n  Latency Details:\n\
        \x20   Result      Lat     Dev    Host (rank) <-> Host (rank) \n\
        \x20   PASSED     1.33   -1.5%  node001 (0) <-> node002 (1)\n    FAILED     1.4\n\n  Bandwidth Details:\n\
        \x20   PASSED   2838.0   -0.0%  node001 (0) --> node002 (1)\nLatency: PASSED\n");
    let all = rows(&m);
    assert_eq!(all[0], "deviation latency of all pairs min 0 - - 1.290000e-6 s");
    assert_eq!(all[6], "deviation latency mean 0 node001:0 node002:1 1.330000e-6 s");
    assert_eq!(all[7], "deviation bandwidth mean 2097152 node001:0 node002:1 2.838000e9 bytes/s");
    assert_eq!(kinds(&m), [(NoteKind::BrokenRow, 14, 1)]);

    let m = get("# PathScale Modified OSU MPI Bandwidth Test\n(OSU Version 2.2, PathScale $Revision$)\n\
        # Running on 8 procs per node (uni-directional traffic for each process pair)\n\
        # Size\t\tAggregate Bandwidth (MB/s)\tMessages/s \n2\t\t10.500000\t\t\t5250000.000000\n\
        Searching for N/2 bandwidth.  Maximum Bandwidth of 10.5 MB/s...\n");
    assert_eq!(rows(&m)[0], "mpi_multibw bandwidth mean 2 - - 1.050000e7 bytes/s");
    assert_eq!((m.value.len(), m.series[0].ranks, m.notes.len()), (2, Some(16), 0));

    let m = get("node001, 0, node002, 1, 1.23\nnode003, 2, node004, 3, 1.5\nnode003, 2, node0");
    assert_eq!(rows(&m)[1], "mpi_latencystress latency mean - node003:2 node004:3 1.500000e-6 s");
}

#[test]
fn mpigraph_counts_in_powers_of_two_and_receives_from_columns() {
    let m = get(
        "START mpiGraph v1.5\nMsgSize\t16384\nTimes\t100\nWindow\t50\nProcs\t2\n\nGathering results\n\n\
        Send max\t4.0\nSend avg\t3.0\n\nSend\tn1:0\tn2:1\t\nn1:0 to\t0.000\t2.000\t\nn2:1 to\t4.000\t0.000\t\n\n\
        Recv max\t4.0\nRecv avg\t3.0\n\nRecv\tn1:0\tn2:1\t\nn1:0 from\t0.000\t1.000\t\nn2:1 from\t3.0",
    );
    assert_eq!(
        rows(&m),
        [
            "mpiGraph send bandwidth mean 16384 n1:0 n2:1 2.097152e6 bytes/s",
            "mpiGraph send bandwidth mean 16384 n2:1 n1:0 4.194304e6 bytes/s",
            "mpiGraph receive bandwidth mean 16384 n2:1 n1:0 1.048576e6 bytes/s",
        ]
    );
    assert_eq!(m.round, [1, 1, 1]); // the distance
    assert_eq!(kinds(&m), [(NoteKind::MissingPairs, 19, 1), (NoteKind::BrokenRow, 21, 1)]);
}

#[test]
fn nccl_tests_old_and_new() {
    let m = get("$ ./build/all_reduce_perf -b 8\n# nThread 1 nGpus 1 minBytes 8\n#\n# Using devices\n\
        #  Rank  0 Group  0 Pid   5092 on   gpu1 device  0 [0x21] NVIDIA\n\
        #  Rank  1 Group  0 Pid   5093 on   gpu2 device  0 [0x21] NVIDIA\n\
        #       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n\
        #        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n\
              8             2     float     sum      -1     5.63    0.00    0.00      0     0.20    0.04    0.00      1\n\
        gpu1:1:2 [0] NCCL INFO comm destroyed\n# Avg bus bandwidth    : 0.1\n");
    assert_eq!(
        rows(&m),
        [
            "nccl_all_reduce time mean 8 gpu1:0 gpu2:1 5.630000e-6 s",
            "nccl_all_reduce time, in place mean 8 gpu1:0 gpu2:1 2.000000e-7 s",
            "nccl_all_reduce algorithm bandwidth, in place mean 8 gpu1:0 gpu2:1 4.000000e7 bytes/s",
        ]
    );
    assert_eq!(m.series[0].ranks, Some(2));
    assert!(kinds(&m).contains(&(NoteKind::Zero, 9, 3)) && kinds(&m).contains(&(NoteKind::Wrong, 9, 1)));
    assert!(m.facts.contains(&(0, "rank 1".into(), "gpu2".into())));
}

#[test]
fn nccl_inspector_finds_the_hosts_of_peers_in_other_files() {
    let record = |rank: u32, host: &str, perf: &str| {
        format!(
            "{{\"header\": {{\"id\": \"0x7f\", \"rank\": {rank}, \"n_ranks\": 2, \"nnodes\": 2}}, \
            \"metadata\": {{\"inspector_output_format_version\": \"v4.0\", \"hostname\": \"{host}\"}}, {perf}}}\n"
        )
    };
    let send = r#""p2p_perf": {"p2p": "Send", "p2p_peer": 1, "p2p_msg_size_bytes": 64, "p2p_exec_time_us": 61, "p2p_busbw_gbs": 2.5}"#;
    let all = r#""coll_perf": {"coll": "AllReduce", "coll_msg_size_bytes": 8, "coll_exec_time_us": 5, "coll_algobw_gbs": 1, "coll_busbw_gbs": 2}"#;
    let mut reader = Reader::new(Wanted::default());
    reader.feed(record(0, "gpu1", send).as_bytes()).unwrap();
    reader.feed(record(1, "gpu2", all).as_bytes()).unwrap();
    let m = reader.finish();
    let all = rows(&m);
    assert_eq!(all[0], "nccl_inspector AllReduce time sample 8 - - 5.000000e-6 s");
    assert_eq!(all[3], "nccl_inspector Send time sample 64 gpu1:0 gpu2:1 6.100000e-5 s");
    assert_eq!(all[4], "nccl_inspector Send bus bandwidth sample 64 gpu1:0 gpu2:1 2.500000e9 bytes/s");
}

#[test]
fn perftest_columns_by_name() {
    let m = get("---------\n                    RDMA_Write BW Test\n Dual-port       : OFF\n---------\n\
        \x20#bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n\
        Conflicting CPU frequency values detected\n 65536      5000             2.00            1.00            0.5\n\
        \x20                   Send Latency Test\n\
        \x20#bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n\
        \x202       1000          1.00           4.00         1.50               1.60         0.00            2.00                    3.00\n");
    assert_eq!(
        rows(&m),
        [
            "ib_write_bw bandwidth max 65536 - - 2.097152e6 bytes/s",
            "ib_write_bw bandwidth mean 65536 - - 1.048576e6 bytes/s",
            "ib_write_bw message rate mean 65536 - - 5.000000e5 messages/s",
            "ib_send_lat latency min 2 - - 1.000000e-6 s",
            "ib_send_lat latency max 2 - - 4.000000e-6 s",
            "ib_send_lat latency median 2 - - 1.500000e-6 s",
            "ib_send_lat latency mean 2 - - 1.600000e-6 s",
            "ib_send_lat latency p99 2 - - 2.000000e-6 s",
            "ib_send_lat latency p99.9 2 - - 3.000000e-6 s",
        ]
    );
    let m = get(
        "#bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n65536 5000 8.0 4.0 0.5\n",
    );
    assert_eq!((m.value[0], m.value[1]), (1e9, 5e8));
}

#[test]
fn iperf3_over_many_lines_inside_a_log() {
    let m = get(
        "starting\n{\n\t\"start\":\t{\n\"connected\": [{\"local_host\": \"10.0.0.1\", \"remote_host\": \"10.0.0.2\"}],\n\
        \"version\": \"iperf 3.12\", \"test_start\": {\"protocol\": \"TCP\", \"num_streams\": 4, \"reverse\": 1}},\n\
        \"intervals\": [{\"sum\": {\"bits_per_second\": 8e9, \"omitted\": false}}, {\"sum\": {\"bits_per_second\": 1e9, \"omitted\": true}}],\n\
        \"end\": {\"sum_received\": {\"bits_per_second\": 4e9}}\n}\ndone\n0,1,1.0,2.0\n",
    );
    assert_eq!(
        rows(&m)[..2],
        [
            "iperf3_tcp bandwidth sample - 10.0.0.2 10.0.0.1 1.000000e9 bytes/s",
            "iperf3_tcp bandwidth mean - 10.0.0.2 10.0.0.1 5.000000e8 bytes/s",
        ]
    );
    // Lines below an object are numbered on.
    assert!(kinds(&m).contains(&(NoteKind::MissingPairs, 10, 1)), "{:?}", m.notes);
    let cut = read(b"{\n \"start\": {\n \"version\": \"iperf 3.12\",\n", &wanted()).unwrap_err();
    assert!(cut.reason.contains("no result of a known format"), "{cut}");
}

#[test]
fn lacis_mpi_as_far_as_a_run_came() {
    let m = get("{\"record\": \"run\", \"schema\": \"lacis.mpi/1\", \"ranks\": 2, \"version\": \"0.1.0\"}\n\
        {\"record\": \"rank\", \"rank\": 0, \"host\": \"n1\", \"leaf\": null}\n{\"record\": \"rank\", \"rank\": 1, \"host\": \"n2\"}\n\
        {\"record\": \"counters\", \"test\": \"nxn\", \"values\": {\"port_xmit_data\": 7}}\n\
        {\"record\": \"sample\", \"test\": \"nxn\", \"what\": \"latency\", \"from\": 0, \"to\": 1, \"class\": \"same leaf\", \
        \"bytes\": 0, \"unit\": \"s\", \"late\": [1], \"values\": [1.5e-06, 9e-03, null, 1.75e-06]}\n\
        {\"record\": \"sample\", \"test\": \"nxn\", \"what\": \"lat");
    assert_eq!(
        rows(&m),
        ["nxn latency sample 0 n1:0 n2:1 1.500000e-6 s", "nxn latency sample 0 n1:0 n2:1 1.750000e-6 s"]
    );
    assert_eq!((m.class.as_slice(), m.repeat.as_slice()), (&[1, 1][..], &[0, 1][..]));
    let found: Vec<_> = kinds(&m).into_iter().map(|(kind, line, _)| (kind, line)).collect();
    assert_eq!(
        found,
        [(NoteKind::Unfinished, 1), (NoteKind::NotFinite, 5), (NoteKind::Late, 5), (NoteKind::BrokenRow, 6)]
    );
}

#[test]
fn values_measured_at_the_same_time_have_one_round() {
    // Two pairs: there, reported by receivers 2 and 3, and back, reported by 0 and 1, in the run's round 1; then one flow in
    // round 2.
    let sample = |round: u32, what: &str, from: u32, to: u32| {
        format!(
            "{{\"record\": \"sample\", \"test\": \"rounds\", \"what\": \"{what}\", \"round\": {round}, \"from\": {from}, \
             \"to\": {to}, \"bytes\": 8, \"unit\": \"bytes/s\", \"late\": [], \"values\": [1.0]}}\n"
        )
    };
    let pairs = [(1, 0, 2), (1, 1, 3), (1, 2, 0), (1, 3, 1), (2, 0, 3)];
    let m = get(&pairs.map(|(round, from, to)| sample(round, "bandwidth", from, to)).concat());
    assert_eq!(m.round, [0, 0, 1, 1, 2]);
    // A second file is another run.
    let mut reader = Reader::new(wanted());
    for _ in 0..2 {
        reader.feed(sample(1, "bandwidth", 0, 2).as_bytes()).unwrap();
    }
    assert_eq!(reader.finish().round, [0, 1]);
    // A shift: every rank reports what it sent, then what it received.
    let rounds = [("send", 0, 1), ("receive", 1, 0), ("send", 1, 0), ("receive", 0, 1)];
    let m = get(&rounds.map(|(what, from, to)| sample(1, what, from, to)).concat());
    assert_eq!(m.round, [0, 0, 0, 0]);
    let m = get(
        "{\"record\": \"sample\", \"test\": \"a\", \"what\": \"time\", \"unit\": \"s\", \"values\": [1.0]}\n",
    );
    assert_eq!(m.round, [NONE]);
}

#[test]
fn repeats_that_began_late_count_where_they_are_most() {
    let of = |late: &str| {
        let record = format!(
            "{{\"record\": \"sample\", \"test\": \"alltoall\", \"what\": \"time\", \"bytes\": 1, \"unit\": \"s\", \
             \"late\": [{late}], \"values\": [1.0, 2.0, 3.0, 4.0]}}\n"
        );
        get(&record).value.len()
    };
    assert_eq!((of(""), of("0, 3"), of("0, 1, 3")), (4, 2, 4));
}

#[test]
fn matrices_with_and_without_names() {
    let m = get(",n1,n2\nn1,0,1.5\nn2,2.5,\n");
    assert_eq!(
        rows(&m),
        ["own latency mean 8 n1 n2 1.500000e-6 s", "own latency mean 8 n2 n1 2.500000e-6 s"]
    );
    let m = get("0;1.5;nan\n2.5;0;3\n0;4;7");
    assert_eq!((m.value.len(), rows(&m)[1].as_str()), (4, "own latency mean 8 :1 :0 2.500000e-6 s"));
    let cut = get("x\tn1\tn2\tn3\nn1\t0\t1\t2\nn2\t3\t0\n");
    assert_eq!(cut.value.len(), 3);
    assert_eq!(kinds(&cut), [(NoteKind::BrokenRow, 3, 1), (NoteKind::MissingPairs, 3, 1)]);
    let unstated = read(b"0 1\n1 0\n", &Wanted::default()).unwrap_err();
    assert!(unstated.reason.contains("neither its test nor its unit"), "{unstated}");
}

#[test]
fn what_is_no_result_is_refused_with_the_reason() {
    for (text, reason) in [
        ("", "empty"),
        ("hello\nworld\n", "no result of a known format"),
        ("# OSU MPI Latency Test v7.4\n", "no usable result (line 1: benchmark without a row"),
        ("0,0,1.0,2.0\n", "no usable result"),
        ("0,1,1.0,2\0.0\n", "NUL"),
        ("\x1f\u{8b}", "no result"),
        ("1 2\n3 4\n\t\n5 6\n", "no result"),
        ("é_perf and éall_reduce_perf\n", "no result"),
    ] {
        let error = read(text.as_bytes(), &wanted()).unwrap_err();
        assert!(error.reason.contains(reason), "{text:?}: {error}");
    }
}
