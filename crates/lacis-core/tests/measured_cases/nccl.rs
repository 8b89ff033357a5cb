//! Outputs of nccl-tests and rccl-tests, as text and as JSON.

use lacis_core::io::NoteKind;
use lacis_core::io::measured::{Wanted, read};

use crate::{case, get, has, kinds, tests};

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
