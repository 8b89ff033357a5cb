//! Logs that hold more than one run: what launchers add, runs at once, and runs that die.

use lacis_core::io::NoteKind;
use lacis_core::io::measured::{Wanted, read};

use crate::{case, get, has, kinds, rows, tests};

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
