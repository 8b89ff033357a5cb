//! What no output of a benchmark may do to its reader, and what a matrix promises.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use lacis_core::io::measured::{NONE, Reader, Unit, Wanted, read};
use proptest::collection::vec;
use proptest::prelude::*;

const SAMPLES: [&str; 24] = [
    "# OSU MPI Multiple Bandwidth / Message Rate Test v5.6.2\n# [ pairs: 8 ] [ window size: 64 ]\n\
     # Size                  MB/s        Messages/s\n1                       8.71        8710288.67\n",
    "# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)   P99 Tail Lat(us)    Validation\n\
     0                       1.50            2.5          Pass\n",
    "#    Intel(R) MPI Benchmarks 2019 Update 5, MPI-1 part\n# Benchmarking Exchange \n# #processes = 4 \n\
     #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n4194304 10 100.0 300.0 200.0 10.0\n",
    "src,dst,lat(us),bandwidth((Mbytes/sec)\n1,0,1.76,3752.894884 \n0,1,1.70,3000.000000 2,0,1.50,2000.0\n",
    "Sequential MPI Performance Test Results\n  Latency Summary:\n Min: 1.29 usec, Max: 1.41 usec, Avg: 1.35 usec\n\
     Message Size: 0, Loops: 4000\n PASSED     1.33   -1.5%  node001 (0) <-> node002 (1)\n",
    "# PathScale Modified OSU MPI Bandwidth Test\n# Running on 8 procs per node (uni-directional)\n2\t10.5\t5250000.0\n",
    "node001, 0, node002, 1, 1.23\nnode003, 2, node004, 3, 1.5\n",
    "START mpiGraph v1.5\nMsgSize\t16384\nProcs\t2\nSend\tn1:0\tn2:1\t\nn1:0 to\t0.000\t2.000\t\nn2:1 to\t4.000\t0.000\t\n",
    "# nThread 1 nGpus 1\n#  Rank  0 Group  0 Pid 5 on g1 device  0 [0x21] X\n\
     # size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n8 2 float sum -1 5.63 0.01 0.02 0 0.20 0.04 0.01 N/A\n",
    "{\"header\": {\"id\": \"0x7f\", \"rank\": 0, \"n_ranks\": 2}, \"metadata\": {\"hostname\": \"g1\"}, \"p2p_perf\": \
     {\"p2p\": \"Send\", \"p2p_peer\": 1, \"p2p_msg_size_bytes\": 64, \"p2p_exec_time_us\": 61}}\n",
    "                    RDMA_Write BW Test\n #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n\
     65536 5000 2.00 1.00 0.5\n",
    "{\n\"start\": {\"connected\": [{\"local_host\": \"a\", \"remote_host\": \"b\"}], \"version\": \"iperf 3.12\"},\n\
     \"intervals\": [{\"sum\": {\"bits_per_second\": 8e9}}], \"end\": {\"sum_received\": {\"bits_per_second\": 4e9}}\n}\n",
    "{\"record\": \"rank\", \"rank\": 0, \"host\": \"n1\"}\n{\"record\": \"sample\", \"test\": \"nxn\", \"what\": \"latency\", \
     \"from\": 0, \"to\": 1, \"class\": \"same leaf\", \"bytes\": 0, \"unit\": \"s\", \"late\": [1], \"values\": [1e-06, null]}\n",
    "NetworkLoad Tests v1.3\n  Test with 8 MPI ranks (4 nodes)\n|  Isolated Network Tests  |\n| Name | Avg | 99% | Units |\n\
     | RR Two-sided Lat (8 B) | 2.9 | 4.3 | usec |\n|  Network Tests running with Congestion Tests  |\n| Name | Avg | 99% | Units |\n\
     | RR Two-sided Lat (8 B) | 3.9 | 5.3 | usec |\n",
    "  0:       1 bytes  23983 times -->      4.35 Mbps in       1.75 usec\n  1: 8 B 5 times -->  8.3  Gbps  in  1000.00 usecs\n",
    "| API:          protocol layer |\n| Test:         tag match bandwidth |\n| Message size: 8 |\n\
     | | | overhead (usec) | bandwidth (MB/s) | message rate (msg/s) |\nFinal: 1000000 0.183 0.182 0.181 41.80 41.80 5478763 5478763\n",
    "Cluster Kit 1.15, latency test\n    Rank:  0   1\n  0 (n1):  0.00  1.79\n  1 (n2):  1.80  0.00\n",
    "{\"version\":3,\"args\":[\"./sendrecv_perf\"],\"config\":{\"devices\":[{\"rank\":0,\"hostname\":\"g1\"}]},\"results\":[{\"size\":8,\"count\":2,\
     \"type\":\"float\",\"redop\":\"none\",\"root\":\"-1\",\"out_of_place\":{\"time\":5.5,\"alg_bw\":0.25,\"bus_bw\":0.5,\"nwrong\":1}}]}\n",
    "[\n{\"name\":\"AllReduce\",\"ranks\":16,\"size\":8,\"type\":\"float\",\"redop\":\"sum\",\"inPlace\":1,\"time\":5.5,\"busBw\":0.5,\"wrong\":0},\n]\n",
    "{\ntest_info: {\ntest: RDMA_Write_BW_Test,\nDevice: \"rxe0\",\n},\nresults: {\nMsgSize: 65536,\nBW_average: 391.98,\nMsgRate: 0.747640,\n},\n}\n",
    "{\"event\":\"start\",\"data\":{\"connected\":[{\"socket\":5,\"local_host\":\"a\",\"remote_host\":\"b\"}],\"version\":\"iperf 3.17\"}}\n\
     {\"event\":\"interval\",\"data\":{\"streams\":[{\"socket\":5}],\"sum\":{\"start\":0,\"end\":1,\"bits_per_second\":8e9}}}\n{\"event\":\"end\",\"data\":{}}\n",
    "+ mpirun -np 2 -H n1,n2:4 -x UCX_MAX_RNDV_RAILS=1 ./osu_bw\n[0] MPI startup(): 0 12475 n1 {0,1}\n[n1:77] MCW rank 0 bound to socket 0\n\
     [1,0]<stdout>:# OSU MPI_Put Bandwidth Test v5.3\n[1,0]<stdout>:# Window creation: MPI_Win_allocate\n[1,1]<stdout>:1  1.78\n",
    "                    Send Bidirectional BW Test\n local address: LID 0x01 QPN 0x0d02\n GID: 254:128:00:00:00:00:00:00:12:155:161:255:254:01:02:03\n\
     remote address: LID 0x05 QPN 0x0d24\n#bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]\n65536 5000 8.0 4.0 0.5\n Local results:\n65536 5000 8.0 4.0 0.5\n",
    "2026-07-09T16:03:21Z stdout F 0: # OSU MPI Latency Test v7.4\nSep 12 10:03:12 n1 osu[7]: 1: # OSU MPI Latency Test v7.4\n{\"log\":\"0: 8 1.5\\n\",\"stream\":\"stdout\"}\n1: 8 1.5\n",
];

const PIECES: [&str; 16] =
    ["0", "1", "4294967295", "-1", "nan", "inf", "1e400", ",", "#", "\n", " ", "\t", "{", "}", "\"", "é"];

fn wanted() -> Wanted {
    Wanted { test: Some("t".into()), what: "w".into(), unit: Unit::parse("s"), bytes: None }
}

/// Two samples, one after the other or one inside the other, with pieces lost and put in.
fn texts() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0_usize..4, 0_usize..PIECES.len(), 1_usize..9);
    (0..SAMPLES.len(), 0..SAMPLES.len(), any::<prop::sample::Index>(), vec(edit, 0..8)).prop_map(
        |(outer, inner, at, edits)| {
            let mut text: Vec<char> = SAMPLES[outer].chars().collect();
            let at = at.index(text.len() + 1);
            drop(text.splice(at..at, SAMPLES[inner].chars()));
            for (at, kind, piece, length) in edits {
                let at = at.index(text.len() + 1);
                let end = (at + length).min(text.len());
                match kind {
                    0 => drop(text.drain(at..end)),
                    1 => text.truncate(at),
                    2 => drop(text.splice(at..at, PIECES[piece].chars())),
                    _ => drop(text.splice(at..end, PIECES[piece].chars())),
                }
            }
            text.into_iter().collect()
        },
    )
}

proptest! {
    #[test]
    fn no_output_makes_a_reader_panic_and_values_are_numbers(texts in vec(texts(), 1..3)) {
        let mut reader = Reader::new(wanted());
        for text in &texts {
            let _ = reader.feed(text.as_bytes());
        }
        let found = reader.finish();
        let n = found.value.len();
        prop_assert_eq!([found.of.len(), found.source.len(), found.destination.len(), found.repeat.len(), found.class.len()], [n; 5]);
        prop_assert!(found.value.iter().all(|value| value.is_finite() && *value > 0.0));
        for i in 0..n {
            prop_assert!((found.of[i] as usize) < found.series.len());
            let (source, destination) = (found.source[i], found.destination[i]);
            prop_assert!(source == NONE || source != destination);
            prop_assert!(source == NONE || (source as usize) < found.ends.len());
        }
    }

    #[test]
    fn rows_of_nxnlatbw_may_come_in_any_order(n in 2_u32..9, seed in any::<u64>()) {
        let mut rows: Vec<(u32, u32)> = (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).filter(|(a, b)| a != b).collect();
        let mut state = seed;
        for i in (1..rows.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            rows.swap(i, (state >> 33) as usize % (i + 1));
        }
        let text = rows.iter().map(|(a, b)| format!("{a},{b},{}.50,{}.25 \n", a + 1, b + 1)).collect::<Vec<_>>().concat();
        let found = read(text.as_bytes(), &Wanted::default()).unwrap();
        prop_assert_eq!(found.value.len(), 2 * rows.len());
        prop_assert!(found.notes.is_empty());
        for i in 0..found.value.len() {
            let rank = |end: u32| found.ends[end as usize].rank.unwrap();
            let expected = match found.series[found.of[i] as usize].unit {
                Unit::Seconds => (f64::from(rank(found.source[i])) + 1.5) * 1e-6,
                _ => (f64::from(rank(found.destination[i])) + 1.25) * 1e6,
            };
            prop_assert!((found.value[i] / expected - 1.0).abs() < 1e-12);
            prop_assert_eq!(found.repeat[i], 0);
        }
    }

    #[test]
    fn what_is_written_as_a_matrix_reads_as_it_was(n in 2_usize..8, values in vec(1e-7_f64..1e3, 64)) {
        let head = (0..n).map(|i| format!(",n{i}")).collect::<Vec<_>>().concat();
        let row = |i: usize| (0..n).map(|j| if i == j { ",".into() } else { format!(",{:e}", values[i * n + j]) }).collect::<String>();
        let text = (0..n).map(|i| format!("n{i}{}\n", row(i))).collect::<Vec<_>>().concat();
        let found = read(format!("{head}\n{text}").as_bytes(), &wanted()).unwrap();
        prop_assert_eq!(found.value.len(), n * (n - 1));
        for i in 0..found.value.len() {
            let at = |end: u32| found.ends[end as usize].host.as_ref().unwrap()[1..].parse::<usize>().unwrap();
            let written = values[at(found.source[i]) * n + at(found.destination[i])];
            prop_assert_eq!(found.value[i].to_bits(), written.to_bits());
        }
    }
}
