"""Examples in the help of commands; `tests/cli/test_examples.py` runs each of them as it stands here.

Fabrics are synthetic, so that an example can be tried anywhere. The files that some read are named after what they are.
"""

from __future__ import annotations

EXAMPLES = {
    "report": (
        "lacis report fat-tree:8,2 -o page.html",
        "lacis report fat-tree:8,2 --without leaf-03--spine-02 --opensm-conf opensm.conf",
    ),
    "advise": ("lacis advise fat-tree:8,2 --without spine-04 -o advice",),
    "fabric": (
        "lacis fabric fat-tree:36,2 --without leaf-03--spine-07",
        "lacis fabric fat-tree:8,3 --strict --json",
    ),
    "trace": ("lacis trace fat-tree:8,2 node0001 node0032 -R updn",),
    "diff": (
        "lacis diff before.net after.net",
        "lacis diff fat-tree:8,2 opensm-lfts.dump --which-engine",
    ),
    "job": ("lacis job fat-tree:8,2 'node[0001-0008]' -R ftree --with 'node[0009-0016]'",),
    "why": (
        "lacis why fat-tree:8,2 'node[0001-0008]' --counters counters --last 10m",
        "lacis why fat-tree:8,2 4711 --jobs jobs.txt --counters counters -R ftree",
    ),
    "rails show": ("lacis rails show fat-tree:8,2:rails=2 --strict",),
    "rails env": ("lacis rails env --stack psm2 --use all",),
    "rails check": ("lacis rails check job.sh --units 2 --technology omni-path",),
    "rails doctor": ("lacis rails doctor job.log fat-tree:8,2 -R updn",),
    "rails nccl": ("lacis rails nccl fat-tree:8,2:rails=2 --hosts 'node[0001-0004]' -R ftree",),
    "topology": (
        "lacis topology fat-tree:8,3",
        "lacis topology fat-tree:8,3:rails=2 --as k8s-labels -o labels.sh",
        "lacis topology fat-tree:8,2 --check topology.conf",
    ),
    "route": (
        "lacis route fat-tree:8,2 -R ftree,updn -o opensm-lfts.dump",
        "lacis route torus:4x4x4 -R torus-2QoS --json",
    ),
    "order": (
        "lacis order fat-tree:8,2 --by eventree --names -o hosts",
        "lacis order 'pgft:2;6,8;1,6;1,1' --by eventree-exchanges --names -o doubling",
        "lacis order fat-tree:8,2 --as openmpi-seq --ranks-per-host 8 -o ranks",
    ),
    "verify": (
        "lacis verify fat-tree:8,2 --lfts opensm-lfts.dump",
        "lacis verify torus:3x3x3 -R dor",
    ),
    "opensm conf": ("lacis opensm conf fat-tree:8,2 -R eventree --library-dir /usr/local/lib",),
    "opensm build": ("lacis opensm build -o libosmlacis.so",),
    "opafm": (
        "lacis opafm opafm.xml",
        "lacis opafm --emit --enable 1 --threshold 7",
    ),
    "permute": (
        "lacis permute --fabric fat-tree:8,2 nodefile --stencil 8x4x4 -R ftree -o newhosts",
        "lacis permute --fabric fat-tree:8,2 nodefile --mesh tp=4,pp=4,dp=8 --json",
    ),
    "predict": (
        "lacis predict fat-tree:8,2 -R updn --traffic bisection --patterns 100",
        "lacis predict fat-tree:8,2 -R ftree --traffic alltoall --hosts 'node[0001-0016]'",
    ),
    "simulate": ("lacis simulate fat-tree:8,2 -R updn --traffic permutation --bytes 64KiB --device hdr",),
    "whatif": ("lacis whatif fat-tree:8,2 -R ftree --drop spine-01 --cut leaf-03--spine-02",),
    "survive": ("lacis survive fat-tree:8,2 -R ftree --top 5",),
    "tune": ("lacis tune fat-tree:8,2 --without leaf-03--spine-02 --steps 20 --failures 2",),
    "fit": (
        "lacis fit fat-tree:8,2 --nodes 6 --free 'node[0003-0020]'",
        "lacis fit fat-tree:8,2 --nodes 6 --squeue squeue.txt --how-long 24 -R ftree",
    ),
    "fragmentation": ("lacis fragmentation fat-tree:8,2 --squeue squeue.txt",),
    "replay": (
        "lacis replay fat-tree:8,2 trace.swf",
        "lacis replay fat-tree:8,2 --share 0.1 --seeds 2 -R ftree",
    ),
    "measure test": ("lacis measure nxn --hosts 'node[01-16]' --dry-run -- --bytes 1M",),
    "measure plan": ("lacis measure plan fat-tree:8,2 -R ftree --rounds 8 -o rounds",),
    "measure show": ("lacis measure show nxn.jsonl",),
    "explain": (
        "lacis explain fat-tree:8,2 --measured nxn.csv --test nxn --what bandwidth --unit MB/s -R ftree",
    ),
    "watch": ("lacis watch fat-tree:8,2 --from sweeps.jsonl --log opensm.log",),
    "exporter": (
        "lacis exporter fat-tree:8,2 --from sweeps.jsonl --textfile -",
        "lacis exporter --scrape-config --every 10s",
    ),
    "host": ("lacis host --root n017",),
    "top": ("lacis top fat-tree:8,2 --simulate bisection",),
    "serve": ("lacis serve fat-tree:8,2 --simulate bisection --listen 127.0.0.1:0",),
    "capture": ("lacis capture fat-tree:8,2 --lfts opensm-lfts.dump --anonymous -o lacis-capture.tar.gz",),
    "counters": ("lacis counters --from sweeps.jsonl --all",),
    "results import": ("lacis results import nxn.csv --test nxn --what bandwidth --unit MB/s --name monday",),
    "results list": ("lacis results list",),
    "results show": ("lacis results show monday --test nxn",),
    "results diff": ("lacis results diff monday tuesday --least 0.05",),
    "results history": ("lacis results history nxn -o nxn.svg",),
    "results export": ("lacis results export monday -o monday.csv",),
    "reproduce": ("lacis reproduce B",),
    "completion": ("lacis completion bash",),
}
"""What follows `lacis` up to its options → command lines, as they are typed."""
