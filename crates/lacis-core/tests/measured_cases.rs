//! Outputs of benchmarks as people have them, each with the values that are right, and variants of their kinds. The files of
//! `shared/data/cases/measurements` are read where they are; values are by hand from their text.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::path::PathBuf;

use lacis_core::io::NoteKind;
use lacis_core::io::measured::{End, Measured, Reader, Wanted, read};

/// The content of a case; none where there is no shared data.
fn case(name: &str) -> Option<Vec<u8>> {
    let env = std::env::var_os("LACIS_SHARED").map(|d| PathBuf::from(d).join("data"));
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let above = root.ancestors().map(|folder| folder.join("shared/data")).find(|folder| folder.is_dir());
    std::fs::read(env.or(above)?.join("cases/measurements").join(name)).ok()
}

fn get(text: &str) -> Measured {
    read(text.as_bytes(), &Wanted::default()).unwrap()
}

fn end(m: &Measured, at: u32) -> String {
    match m.ends.get(at as usize) {
        None => "-".into(),
        Some(End { host, rank }) => {
            let rank = rank.map_or(String::new(), |rank| format!(":{rank}"));
            format!("{}{rank}", host.as_deref().unwrap_or(""))
        }
    }
}

/// `test | what | statistic | bytes | source destination | value unit` of every value.
fn rows(m: &Measured) -> Vec<String> {
    let row = |i: usize| {
        let s = &m.series[m.of[i] as usize];
        let bytes = s.bytes.map_or("-".into(), |bytes| bytes.to_string());
        let (source, destination) = (end(m, m.source[i]), end(m, m.destination[i]));
        let (value, unit) = (m.value[i], s.unit.name());
        format!(
            "{} | {} | {} | {bytes} | {source} {destination} | {value:.5e} {unit}",
            s.test, s.what, s.statistic
        )
    };
    (0..m.value.len()).map(row).collect()
}

/// The distinct names of tests, in their order.
fn tests(m: &Measured) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for &of in &m.of {
        let test = m.series[of as usize].test.as_str();
        if !found.contains(&test) {
            found.push(test);
        }
    }
    found
}

fn has(m: &Measured, row: &str) {
    assert!(rows(m).iter().any(|found| found == row), "no {row} in\n{}", rows(m).join("\n"));
}

fn kinds(m: &Measured) -> Vec<NoteKind> {
    m.notes.iter().map(|(_, note)| note.kind).collect()
}

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
fn every_layout_of_nccl_tests_is_read_whole() {
    for (name, test, time, values) in [
        ("nccl-C.out", "nccl_all_gather", "processor time", 12),
        ("nccl-S.out", "nccl_all_gather", "time", 12),
        ("nccl-I.out", "nccl_alltoall", "time", 24),
    ] {
        let Some(text) = case(name) else { continue };
        let m = read(&text, &Wanted::default()).unwrap();
        assert_eq!((m.value.len(), tests(&m), m.notes.len()), (values, vec![test], 0), "{name}");
        has(&m, &format!("{test} | {time} | mean | 67108864 | node01:0 node02:1 | 1.49428e-3 s"));
        has(
            &m,
            &format!(
                "{test} | bus bandwidth, in place | mean | 134217728 | node01:0 node02:1 | 2.35500e10 bytes/s"
            ),
        );
    }
    if let Some(text) = case("nccl-I.out") {
        let m = read(&text, &Wanted::default()).unwrap();
        has(&m, "nccl_alltoall | time | p99 | 67108864 | node01:0 node02:1 | 1.51010e-3 s");
        has(&m, "nccl_alltoall | time, in place | min | 134217728 | node01:0 node02:1 | 2.81000e-3 s");
    }
    // -I, -S and -C together.
    let m = get(
        "# Collective test starting: all_reduce_perf\n# size count type redop root cputime algbw busbw #wrong i_min i_max i_p99 i_cv% cputime algbw busbw #wrong i_min i_max i_p99 i_cv% timestamp\n\
        67108864 8388608 float sum -1 1494.28 44.91 22.45 0 1480.00 1510.10 1510.10 0.51 1459.56 45.98 22.99 2 1440.00 1490.10 1490.10 0.71 2026-07-09 16:03:21\n",
    );
    assert_eq!(m.value.len(), 12);
    assert_eq!(kinds(&m), [NoteKind::Wrong]);
}

#[test]
fn collectives_of_one_log_are_tests_of_their_own() {
    if let Some(text) = case("nccl-two-collectives.out") {
        let m = read(&text, &Wanted::default()).unwrap();
        assert_eq!(tests(&m), ["nccl_all_reduce", "nccl_alltoall"]);
        has(&m, "nccl_all_reduce | bus bandwidth | mean | 268435456 | nodea:0 nodeb:1 | 2.38100e10 bytes/s");
        has(&m, "nccl_alltoall | bus bandwidth | mean | 268435456 | nodea:0 nodeb:1 | 1.03200e10 bytes/s");
    }
    if let Some(text) = case("nccl-old-two-tests.log") {
        let m = read(&text, &Wanted::default()).unwrap();
        assert_eq!(tests(&m), ["nccl_all_reduce", "nccl_alltoall"]);
        // A rounding error under "Out of bounds values : 0 OK" is no failure.
        assert_eq!((m.value.len(), m.notes.len()), (24, 0));
    }
    // By operation, root and elements; 1 MiB of floats are 262,144 elements, 131,072 on each of two ranks.
    let of = |row: &str| {
        let text = format!(
            "# nThread 1 nGpus 1\n#  Rank  0 Group  0 Pid 1 on a device  0 [0x07] X\n#  Rank  1 Group  0 Pid 2 on b device  0 [0x07] X\n\
            # size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n1048576 {row}\n# Out of bounds values : 0 OK\n"
        );
        tests(&get(&text))[0].to_owned()
    };
    let values = "11.0 95.0 95.0 0 11.0 95.0 95.0 0";
    assert_eq!(of(&format!("262144 float sum -1 {values}")), "nccl_all_reduce");
    assert_eq!(of(&format!("131072 half max 0 {values}")), "nccl_reduce_scatter");
    assert_eq!(of(&format!("262144 float sum 0 {values}")), "nccl_reduce");
    assert_eq!(of(&format!("131072 float sum -1 {values}")), "nccl_reduce_scatter");
    assert_eq!(of(&format!("131072 float none -1 {values}")), "nccl_all_gather");
    assert_eq!(of("131072 float none -1 11.0 95.0 95.0 0 11.0 95.0 95.0 N/A"), "nccl_alltoall");
    assert_eq!(of(&format!("262144 float none 0 {values}")), "nccl_broadcast");
    assert_eq!(of(&format!("262144 float none -1 {values}")), "nccl_sendrecv");
    // What the log calls counts if its rows agree; a call above another test does not.
    let block = |operation: &str, count: u64| {
        format!(
            "# nThread 1 nGpus 1\n# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n1048576 {count} float {operation} -1 {values}\n"
        )
    };
    let text =
        format!("+ ./build/all_gather_perf -b 1M\n{}{}", block("none", 131_072), block("sum", 262_144));
    assert_eq!(tests(&get(&text)), ["nccl_all_gather", "nccl_all_reduce"]);
    // Types and operations of one table are no repeats of each other.
    let text = block("sum", 262_144) + &format!("1048576 524288 half max -1 {values}\n");
    let m = get(&text);
    assert_eq!(tests(&m), ["nccl_all_reduce [float sum]", "nccl_all_reduce [half max]"]);
    assert!(m.repeat.iter().all(|&repeat| repeat == 0));
}

#[test]
fn a_failed_run_is_reported() {
    let text = "# nThread 1\n# size count type redop time algbw busbw error time algbw busbw error\n\
        1048576 262144 float sum 11.0 95.0 95.0 1e+02 11.0 95.0 95.0 1e+02\n# Out of bounds values : 4 FAILED\n";
    assert_eq!(kinds(&get(text)), [NoteKind::Wrong]);
}

#[test]
fn json_of_nccl_tests_and_of_rccl_tests() {
    let text = r#"{"version":3,"start_time":"2026-07-09 16:03:21","args":["./build/sendrecv_perf","-J","o.json"],"env":["A=1"],"nccl_version":22907,
"config":{"nthreads":1,"ngpus":1,"devices":[{"rank":0,"group":0,"pid":1,"hostname":"g1","device":0},{"rank":1,"hostname":"g2"}]},
"results":[{"size":8,"count":2,"type":"float","redop":"none","root":"    -1","out_of_place":{"time":5.5,"alg_bw":0.25,"bus_bw":0.5,"nwrong":0.0},
"in_place":{"time":6.5,"alg_bw":0.125,"bus_bw":0.25,"nwrong":null},"out_of_place_per_iter":{"min_us":5.0,"p99_us":7.0,"times_us":[5.0,6.0]},"actual_iterations":2}],
"out_of_bounds":{"count":0,"okay":"true"},"average_bus_bandwidth":{"bandwidth":0.5,"okay":"unchecked"},"errors":[],"end_time":"2026-07-09 16:03:30"}"#;
    let m = get(text);
    has(&m, "nccl_sendrecv | time | mean | 8 | g1:0 g2:1 | 5.50000e-6 s");
    has(&m, "nccl_sendrecv | bus bandwidth, in place | mean | 8 | g1:0 g2:1 | 2.50000e8 bytes/s");
    has(&m, "nccl_sendrecv | time | p99 | 8 | g1:0 g2:1 | 7.00000e-6 s");
    has(&m, "nccl_sendrecv | time | sample | 8 | g1:0 g2:1 | 6.00000e-6 s");
    assert_eq!((m.value.len(), m.notes.len()), (10, 0));
    let row = |in_place: u32, wrong: u32| {
        format!(
            r#"{{"numCycle":0,"name":"AllReduce","nodes":2,"ranks":16,"ranksPerNode":8,"gpusPerRank":1,"size":8,"type":"float","redop":"sum","inPlace":{in_place},"time":5.5,"algBw":0.25,"busBw":0.5,"wrong":{wrong}}}"#
        )
    };
    for text in [
        format!("{}\n{}\n", row(0, 0), row(1, 2)),
        format!("[\n{},\n{}\n]\n", row(0, 0), row(1, 2)),
        format!("[{},\n{}]\n", row(0, 0), row(1, 2)),
    ] {
        let m = get(&text);
        assert_eq!((m.value.len(), kinds(&m)), (6, vec![NoteKind::Wrong]), "{text}");
        has(&m, "nccl_all_reduce | time | mean | 8 | - - | 5.50000e-6 s");
        has(&m, "nccl_all_reduce | bus bandwidth, in place | mean | 8 | - - | 5.00000e8 bytes/s");
        assert_eq!(m.series[0].ranks, Some(16));
    }
}

#[test]
fn what_launchers_put_before_lines_is_no_part_of_them() {
    if let Some(text) = case("nccl-tagged.log") {
        let m = read(&text, &Wanted::default()).unwrap();
        assert_eq!((tests(&m), m.series[0].ranks), (vec!["nccl_all_reduce"], Some(2)));
        has(
            &m,
            "nccl_all_reduce | bus bandwidth | mean | 1073741824 | worker-0:0 worker-1:1 | 3.11000e9 bytes/s",
        );
        assert!(!kinds(&m).contains(&NoteKind::BrokenRow));
    }
    if let Some(text) = case("osu-srun-label.out") {
        let m = read(&text, &Wanted::default()).unwrap();
        assert_eq!((m.value.len(), m.notes.len()), (12, 0));
        has(&m, "osu_scatterv | latency | max | 2048 | - - | 1.13520e-4 s");
    }
    // Any program behind any prefix is read as it is without one.
    let outputs = [
        "# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n0                       1.50\n8    1.75\n",
        "#    Intel(R) MPI Benchmarks 2021.2, MPI-1 part\n# Benchmarking Exchange \n# #processes = 4 \n#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n4096  1000  1.0 3.0 2.0 10.0\n",
        "src,dst,lat(us),bandwidth((Mbytes/sec)\n1,0,1.76,3752.894884 \n0,1,1.70,3000.000000\n",
        "                    RDMA_Write BW Test\n local address: LID 0x01 QPN 0x0d02\n remote address: LID 0x05 QPN 0x0d24\n #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n 65536      5000   11560.86  11559.67  0.184955\n",
        "# nThread 1 nGpus 1\n#  Rank  0 Group  0 Pid 5 on g1 device  0 [0x21] X\n# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n8 2 float sum -1 5.63 0.01 0.02 0 0.20 0.04 0.01 N/A\n",
        "{\n\"start\": {\"connected\": [{\"local_host\": \"a\", \"remote_host\": \"b\"}], \"version\": \"iperf 3.12\"},\n\"intervals\": [{\"sum\": {\"bits_per_second\": 8e9}}], \"end\": {\"sum_received\": {\"bits_per_second\": 4e9}}\n}\n",
        "{\"record\": \"rank\", \"rank\": 0, \"host\": \"n1\"}\n{\"record\": \"sample\", \"test\": \"nxn\", \"what\": \"latency\", \"from\": 0, \"to\": 1, \"bytes\": 0, \"unit\": \"s\", \"late\": [1], \"values\": [1e-06, null]}\n{\"record\": \"end\", \"complete\": true}\n",
        "{\ntest_info: {\ntest: Send_BW_Test,\n},\nresults: {\nMsgSize: 65536,\nBW_average: 391.98,\nMsgRate: 0.747640,\n},\n}\n",
        "START mpiGraph v1.5\nMsgSize\t16384\nProcs\t2\nSend\tn1:0\tn2:1\t\nn1:0 to\t0.000\t2.000\t\nn2:1 to\t4.000\t0.000\t\n",
        "  0:       1 bytes  23983 times -->      4.35 Mbps in       1.75 usec\n",
    ];
    for output in outputs {
        let plain = get(output);
        for prefix in [
            "[1,0]<stdout>:",
            "[0] ",
            "0: ",
            "  3: ",
            "[pod/bench-0/main] ",
            "2026-07-09T16:03:21.123456789Z ",
            "Thu Jul  9 16:03:21 2026[1,0]<stdout>: ",
            "2026-07-09T16:03:21.5Z stdout F ",
            "[2026-07-09 16:03:21] ",
            "Jul 09 16:03:21 node1 osu[77]: ",
        ] {
            let text = output
                .lines()
                .map(|line| {
                    format!(
                        "{prefix}{line}
"
                    )
                })
                .collect::<Vec<_>>()
                .concat();
            let m =
                read(text.as_bytes(), &Wanted::default()).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(rows(&m), rows(&plain), "{prefix}{output}");
            assert_eq!(kinds(&m), kinds(&plain), "{prefix}{output}");
        }
    }
}

#[test]
fn runs_that_write_to_one_log_at_once_are_runs_of_their_own() {
    // Each of two tasks runs alone, as a launcher without a process manager starts them.
    let m = get(
        "0: # OSU MPI Latency Test v7.4\n1: # OSU MPI Bandwidth Test v7.4\n0: # Size  Latency (us)\n1: # Size  Bandwidth (MB/s)\n\
        0: 1  1.50\n1: 1  2.00\n1: 2  4.00\n0: 2  1.75\n",
    );
    assert_eq!(tests(&m), ["osu_latency", "osu_bw"]);
    assert_eq!((m.value.len(), m.notes.len()), (4, 0));
    // Rows of all ranks of one run have many prefixes.
    let m = get(
        "[1,0]<stdout>:src,dst,lat(us),bandwidth((Mbytes/sec)\n[1,1]<stdout>:1,0,1.76,3752.8\n[1,0]<stdout>:0,1,1.70,3000.0\n",
    );
    assert_eq!((m.value.len(), m.notes.len()), (4, 0));
    // Two runs of NCCL-tests whose heads and rows are mixed: two pairs of hosts.
    let head = |host: [&str; 2]| {
        vec![
            "# nThread 1 nGpus 1".to_owned(),
            format!("#  Rank  0 Group  0 Pid 1 on {} device  0 [0x07] X", host[0]),
            format!("#  Rank  1 Group  0 Pid 2 on {} device  0 [0x07] X", host[1]),
            "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong".to_owned(),
            "1048576 262144 float sum -1 11.0 95.0 95.0 0 11.0 95.0 95.0 0".to_owned(),
            "2097152 524288 float sum -1 22.0 95.0 95.0 0 22.0 95.0 95.0 0".to_owned(),
        ]
    };
    let mixed = head(["a", "b"])
        .iter()
        .zip(&head(["c", "d"]))
        .map(|(one, other)| format!("{one}\n{other}\n"))
        .collect::<Vec<_>>()
        .concat();
    let m = get(&mixed);
    assert_eq!((m.value.len(), m.series[0].ranks), (24, Some(2)));
    assert!(m.repeat.iter().all(|&repeat| repeat == 0), "two runs, no repeats");
    // Two runs of lacis-mpi, by their streams.
    let record = |stream: u32, host: &str| {
        [
            format!("{stream}: {{\"record\": \"run\", \"ranks\": 2}}"),
            format!("{stream}: {{\"record\": \"rank\", \"rank\": 0, \"host\": \"{host}0\"}}"),
            format!("{stream}: {{\"record\": \"rank\", \"rank\": 1, \"host\": \"{host}1\"}}"),
            format!(
                "{stream}: {{\"record\": \"sample\", \"test\": \"nxn\", \"what\": \"latency\", \"from\": 0, \"to\": 1, \"bytes\": 0, \"unit\": \"s\", \"values\": [1e-06]}}"
            ),
            format!("{stream}: {{\"record\": \"end\", \"complete\": true}}"),
        ]
    };
    let mixed = record(0, "a")
        .iter()
        .zip(&record(1, "b"))
        .map(|(one, other)| format!("{one}\n{other}\n"))
        .collect::<Vec<_>>()
        .concat();
    let m = get(&mixed);
    assert_eq!(
        rows(&m),
        [
            "nxn | latency | sample | 0 | a0:0 a1:1 | 1.00000e-6 s",
            "nxn | latency | sample | 0 | b0:0 b1:1 | 1.00000e-6 s"
        ]
    );
    assert!(m.notes.is_empty());
}

#[test]
fn a_run_that_dies_leaves_its_rows_to_none() {
    let m = get(
        "# OSU MPI Latency Test v7.4\n# Size  Latency (us)\nslurmstepd: error\n# OSU MPI Bandwidth Test v7.4\n# Size  Bandwidth (MB/s)\n1  2.00\n2  4.00\n",
    );
    assert_eq!(tests(&m), ["osu_bw"]);
    assert!(kinds(&m).contains(&NoteKind::NoRows));
}

#[test]
fn runs_of_one_test_are_distinguished_by_ranks_and_by_what_launched_them() {
    let alltoall = "# OSU MPI All-to-All Personalized Exchange Latency Test v5.6.2\n# Size       Avg Latency(us)\n1   43.84\n";
    let m =
        get(&format!("+ mpirun -np 16 ./osu_alltoall\n{alltoall}+ mpirun -np 24 ./osu_alltoall\n{alltoall}"));
    let ranks: Vec<_> = m.of.iter().map(|&of| m.series[of as usize].ranks).collect();
    assert_eq!(
        (ranks, m.repeat.clone(), tests(&m)),
        (vec![Some(16), Some(24)], vec![0, 0], vec!["osu_alltoall"])
    );
    let bw = "# OSU MPI Bandwidth Test v5.6.2\n# Size  Bandwidth (MB/s)\n4194304   12000.5\n";
    let m = get(&format!(
        "srun -n 2 --export=ALL,UCX_MAX_RNDV_RAILS=1 osu_bw\n{bw}srun -n 2 --export=ALL,UCX_MAX_RNDV_RAILS=2 osu_bw\n{bw}"
    ));
    assert_eq!(tests(&m), ["osu_bw [UCX_MAX_RNDV_RAILS=1]", "osu_bw [UCX_MAX_RNDV_RAILS=2]"]);
    // The same launch twice is a repeat, and one launch alone needs no other name.
    let m = get(&format!(
        "srun -n 2 --export=ALL,UCX_MAX_RNDV_RAILS=1 osu_bw\n{bw}srun -n 2 --export=ALL,UCX_MAX_RNDV_RAILS=1 osu_bw\n{bw}"
    ));
    assert_eq!((tests(&m), m.repeat.clone()), (vec!["osu_bw"], vec![0, 1]));
    // Windows and synchronisation of one-sided tests, memory of others.
    if let Some(text) = case("osu_put_bw.out") {
        let m = read(&text, &Wanted::default()).unwrap();
        assert_eq!(tests(&m), ["osu_put_bw", "osu_get_acc_latency"]);
        has(&m, "osu_put_bw | bandwidth | mean | 4194304 | :0 :1 | 8.40146e9 bytes/s");
    }
    let put = |window: &str| {
        format!(
            "# OSU MPI_Put Latency Test v5.8\n# Window creation: {window}\n# Synchronization: MPI_Win_flush\n# Size          Latency (us)\n1                       7.41\n"
        )
    };
    let m = get(&(put("MPI_Win_create") + &put("MPI_Win_allocate")));
    assert_eq!(
        tests(&m),
        ["osu_put_latency [window=MPI_Win_create]", "osu_put_latency [window=MPI_Win_allocate]"]
    );
    for (title, test) in [
        ("MPI_Get Bandwidth", "osu_get_bw"),
        ("MPI_Put Bi-directional Bandwidth", "osu_put_bibw"),
        ("MPI_Accumulate latency", "osu_acc_latency"),
        ("MPI_Fetch_and_op latency", "osu_fop_latency"),
        ("MPI_Compare_and_swap latency", "osu_cas_latency"),
        ("MPI Non-blocking Allreduce Latency", "osu_iallreduce"),
        ("MPI-CUDA Latency", "osu_latency"),
        ("MPI Allgather Latency", "osu_allgather"),
        ("OpenSHMEM Put", "osu_oshm_put"),
        ("MPI Bandwidth Persistent", "osu_bw_persistent"),
    ] {
        assert_eq!(
            tests(&get(&format!("# OSU {title} Test v7.3\n# Size  Latency (us)\n1 7.5\n"))),
            [test],
            "{title}"
        );
    }
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
