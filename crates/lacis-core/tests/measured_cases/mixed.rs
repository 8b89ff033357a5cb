//! Runs that write to one log without anything before their lines, their heads all before a row: values by hand from the rows.

use lacis_core::io::NoteKind;

use crate::{get, has, kinds, reason, rows, tests};

const LATENCY: [&str; 2] = ["# OSU MPI Latency Test v5.6.2", "# Size          Latency (us)"];
const BANDWIDTH: [&str; 2] = ["# OSU MPI Bandwidth Test v5.6.2", "# Size      Bandwidth (MB/s)"];
const RATES: [&str; 3] = [
    "# OSU MPI Multiple Bandwidth / Message Rate Test v5.6.2",
    "# [ pairs: 1 ] [ window size: 64 ]",
    "# Size                  MB/s        Messages/s",
];

/// Lines of several runs, one of each in turn, then the rows as they are.
fn mixed(heads: &[&[&str]], rows: &[&str]) -> String {
    let longest = heads.iter().map(|head| head.len()).max().unwrap_or(0);
    let turns = (0..longest).flat_map(|at| heads.iter().filter_map(move |head| head.get(at)));
    turns.chain(rows).map(|line| format!("{line}\n")).collect::<Vec<_>>().concat()
}

#[test]
fn rows_that_may_be_of_either_of_two_tests_are_left_out_with_a_reason() {
    let both = ["1   1.50", "1   8.70", "2   1.51", "2   17.40"];
    let text = mixed(&[&LATENCY, &BANDWIDTH], &both);
    let why = reason(&text);
    assert!(why.starts_with("no usable result (line 5: row of one of several different runs"), "{why}");
    assert!(why.ends_with(": 1   1.50 (and 3 more))"), "{why}");
    // Blocks of rows, and what else the log has is read.
    let blocks = ["1   1.50", "2   1.51", "1   8.70", "2   17.40"];
    let more = "# OSU MPI Multi Latency Test v5.6.2\n# Size          Latency (us)\n8    2.25\n";
    let m = get(&(mixed(&[&BANDWIDTH, &LATENCY], &blocks) + more));
    assert_eq!(rows(&m), ["osu_multi_lat | latency | mean | 8 | - - | 2.25000e-6 s"]);
    assert_eq!((kinds(&m), m.notes[0].1.count), (vec![NoteKind::MixedRuns], 4));
    // Empty messages have no bandwidth.
    let m = get(&mixed(&[&LATENCY, &BANDWIDTH], &["0   1.25", "1   1.50", "1   8.70"]));
    assert_eq!(rows(&m), ["osu_latency | latency | mean | 0 | :0 :1 | 1.25000e-6 s"]);
    assert_eq!((kinds(&m), m.notes[0].1.count), (vec![NoteKind::MixedRuns], 2));
}

#[test]
fn rows_that_only_one_run_can_have_are_that_runs() {
    let m = get(&mixed(
        &[&LATENCY, &RATES],
        &["1  1.50", "1  8.71  8710000.00", "2  17.00  8500000.00", "2  1.75"],
    ));
    assert_eq!(tests(&m), ["osu_latency", "osu_mbw_mr"]);
    assert_eq!((m.value.len(), m.notes.len()), (6, 0));
    has(&m, "osu_latency | latency | mean | 2 | :0 :1 | 1.75000e-6 s");
    has(&m, "osu_mbw_mr | bandwidth | mean | 2 | - - | 1.70000e7 bytes/s");
}

#[test]
fn runs_of_one_test_are_repeats_of_it() {
    for rows_of_both in [
        ["1  1.50", "1  1.75", "2  2.50", "2  2.75"],
        ["1  1.50", "2  2.50", "1  1.75", "2  2.75"],
        ["1  1.50", "1  1.75", "2  2.75", "2  2.50"],
    ] {
        let m = get(&mixed(&[&LATENCY, &LATENCY], &rows_of_both));
        let mut found: Vec<String> =
            rows(&m).iter().zip(&m.repeat).map(|(row, repeat)| format!("{row} {repeat}")).collect();
        found.sort_unstable();
        assert_eq!((found.len(), m.notes.len()), (4, 0));
        assert!(found[0].starts_with("osu_latency | latency | mean | 1 | :0 :1 | 1.50000e-6"), "{found:?}");
        assert!(found[3].starts_with("osu_latency | latency | mean | 2 | :0 :1 | 2.75000e-6"), "{found:?}");
        assert_eq!(m.repeat.iter().filter(|&&repeat| repeat == 1).count(), 2);
    }
    // A row too much is of neither.
    let m = get(&mixed(&[&LATENCY, &LATENCY], &["1  1.50", "1  1.75", "1  1.80"]));
    assert_eq!((m.value.len(), kinds(&m)), (2, vec![NoteKind::BrokenRow]));
}

#[test]
fn rows_of_runs_on_different_hosts_lose_their_hosts() {
    let launch = |hosts: &str| format!("mpirun -np 2 -H {hosts} ./osu_latency");
    let (first, second) = (launch("a,b"), launch("c,d"));
    let heads: [&[&str]; 2] = [&[&first, LATENCY[0], LATENCY[1]], &[&second, LATENCY[0], LATENCY[1]]];
    let text = heads.concat().iter().map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    let m = get(&(text.clone() + "1  1.50\n1  1.75\n2  2.50\n2  2.75\n"));
    assert_eq!((m.value.len(), kinds(&m)), (4, vec![NoteKind::MixedHosts]));
    assert!(m.ends.iter().all(|end| end.host.is_none()), "{:?}", m.ends);
    // Where one of them died, the rows are the other's.
    let m = get(&(text + "1  1.50\n2  2.50\n"));
    has(&m, "osu_latency | latency | mean | 1 | c:0 d:1 | 1.50000e-6 s");
    assert_eq!(kinds(&m), [NoteKind::NoRows]);
}

#[test]
fn which_of_two_launches_a_run_is_of_nothing_says() {
    let launch = |rails: u32| format!("mpirun -np 2 -x UCX_MAX_RNDV_RAILS={rails} ./osu_bw &\n");
    let text = launch(1) + &launch(2) + &mixed(&[&BANDWIDTH, &BANDWIDTH], &["1  8.70", "1  9.70"]);
    assert!(reason(&text).contains("line 7: row of one of several different runs"), "{}", reason(&text));
    let alike = launch(1) + &launch(1) + &mixed(&[&BANDWIDTH, &BANDWIDTH], &["1  8.70", "1  9.70"]);
    assert_eq!((get(&alike).value.len(), get(&alike).notes.len()), (2, 0));
    // A launch that fails, and one that runs.
    let m = get(&(launch(1)
        + &launch(2)
        + &mixed(&[&BANDWIDTH], &["1  8.70"])
        + &launch(1)
        + &mixed(&[&BANDWIDTH], &["1  9.70"])));
    assert_eq!(tests(&m), ["osu_bw [UCX_MAX_RNDV_RAILS=2]", "osu_bw [UCX_MAX_RNDV_RAILS=1]"]);
}

const IMB: &str = "#    Intel(R) MPI Benchmarks 2021.2, MPI-1 part";
const TIMES: &str = "#bytes #repetitions  t[usec]   Mbytes/sec";

#[test]
fn benchmarks_of_imb_that_run_at_once() {
    let head = |name: &'static str, columns: &'static str| [IMB, name, "# #processes = 2", columns];
    let pong = head("# Benchmarking PingPong", TIMES);
    let ping = head("# Benchmarking PingPing", TIMES);
    let reduce =
        head("# Benchmarking Allreduce", "#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]");
    let times = ["0  1000  1.25  0.00", "0  1000  1.75  0.00", "8  1000  2.00  4.00", "8  1000  4.00  2.00"];
    // Alike: repeats.
    let m = get(&mixed(&[&pong, &pong], &times));
    assert_eq!((m.value.len(), m.notes.len()), (6, 0));
    assert_eq!(m.repeat.iter().filter(|&&repeat| repeat == 1).count(), 3);
    // Different, with rows of one form.
    assert!(reason(&mixed(&[&pong, &ping], &times)).contains("line 9: row of one of several different runs"));
    // Different, with rows of two.
    let two = [
        "0  1000  1.25  0.00",
        "0  1000  1.00  3.00  2.00",
        "8  1000  2.00  4.00",
        "8  1000  2.00  4.00  3.00",
    ];
    let m = get(&mixed(&[&pong, &reduce], &two));
    assert_eq!((tests(&m), m.value.len(), m.notes.len()), (vec!["imb_pingpong", "imb_allreduce"], 9, 0));
    has(&m, "imb_allreduce | time | max | 8 | - - | 4.00000e-6 s");
    has(&m, "imb_pingpong | bandwidth | mean | 8 | :0 :1 | 4.00000e6 bytes/s");
    // Several benchmarks of one run are not runs at once.
    let one = [IMB, pong[1], pong[2], TIMES, times[0], times[2], ping[1], ping[2], TIMES, times[0], times[2]];
    let m = get(&one.map(|line| format!("{line}\n")).concat());
    assert_eq!((tests(&m), m.value.len(), m.notes.len()), (vec!["imb_pingpong", "imb_pingping"], 6, 0));
}

#[test]
fn collectives_of_nccl_tests_that_run_at_once() {
    const COLUMNS: &str = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong";
    let head = |program: &str, hosts: [&str; 2]| {
        [
            format!("# Collective test starting: {program}"),
            "# nThread 1 nGpus 1".to_owned(),
            format!("#  Rank  0 Group  0 Pid 1 on {} device  0 [0x07] X", hosts[0]),
            format!("#  Rank  1 Group  0 Pid 2 on {} device  0 [0x07] X", hosts[1]),
            COLUMNS.to_owned(),
        ]
    };
    let row = |bytes: u64, time: f64| {
        let rate = bytes as f64 / time / 1e3;
        format!(
            "{bytes} {} float sum -1 {time:.2} {rate:.2} {rate:.2} 0 {time:.2} {rate:.2} {rate:.2} 0",
            bytes / 4
        )
    };
    let log = |heads: [[String; 5]; 2], rows: &[String]| {
        let [one, other] = &heads;
        let lines = one.iter().zip(other).flat_map(|(one, other)| [one, other]).chain(rows);
        lines.map(|line| format!("{line}\n")).collect::<Vec<_>>().concat()
    };
    let both = [row(1 << 20, 11.0), row(1 << 20, 12.0), row(1 << 21, 23.0), row(1 << 21, 22.0)];
    // The same on the same hosts, on others, and another collective.
    let m = get(&log([head("all_reduce_perf", ["a", "b"]), head("all_reduce_perf", ["a", "b"])], &both));
    assert_eq!((m.value.len(), m.notes.len()), (24, 0));
    has(&m, "nccl_all_reduce | time | mean | 2097152 | a:0 b:1 | 2.20000e-5 s");
    let m = get(&log([head("all_reduce_perf", ["a", "b"]), head("all_reduce_perf", ["c", "d"])], &both));
    assert_eq!((m.value.len(), kinds(&m), m.series[0].ranks), (24, vec![NoteKind::MixedHosts], Some(2)));
    assert!(m.source.iter().all(|&end| end == u32::MAX));
    assert!(m.facts.iter().all(|(_, key, _)| !key.starts_with("rank ")), "{:?}", m.facts);
    let text = log([head("all_reduce_perf", ["a", "b"]), head("reduce_scatter_perf", ["a", "b"])], &both);
    assert!(reason(&text).contains("line 11: row of one of several different runs"), "{}", reason(&text));
}
