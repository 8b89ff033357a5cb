"""Reports of fabrics of every kind with every section filled, and their pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lacis import _core
from lacis.documents.report import AdaptiveComparison, AdaptiveRow, EngineFailures, FlowRates, HotLink
from lacis.facts.found.cabling import Apart, CableEnd, CableWork, Missing
from lacis.report import collect
from lacis.report.page import render

if TYPE_CHECKING:
    from pathlib import Path

    from lacis._core import Fabric
    from lacis.report.content import Report


# Names as a site could have them, and as someone could set them who means harm. Two leaves, one spine.
HOSTILE = (
    "</script><script>document.title='broken'</script>",
    '"><img src=x onerror=document.title="broken">',
    'leaf\'with &amp; "quotes" and a name that is as long as a description can be 64',
    "ブレード-スイッチ-日本語の長い名前-東京第一データセンター",
    "switch 🚀🚀🚀 {{ 7 * 7 }} ${1+1} </style>",
)

HOSTILE_NET = "\n".join(
    [
        *(
            f'switchguid=0x{s + 1:x}\nSwitch 8 "S-{s + 1:x}" # "{name}" base port 0 lid 0 lmc 0\n'
            + "".join(
                f'[{t + 1}] "S-{t + 3:x}"[{s + 1}] # "x" lid 0 4xHDR\n' for t in range(3 if s < 2 else 0)
            )
            + "".join(
                f'[{t + 1}] "S-{t + 1:x}"[{s - 1}] # "x" lid 0 4xHDR\n' for t in range(2 if s >= 2 else 0)
            )
            + (f'[8] "H-{s + 16:x}"[1] # "x" lid 0 4xHDR\n' if s < 2 else "")
            for s, name in enumerate(n.replace('"', "'") for n in HOSTILE)
        ),
        *(
            f'caguid=0x{s + 16:x}\nCa 1 "H-{s + 16:x}" # "{name} HCA-1"\n[1] "S-{s + 1:x}"[8] # lid 0 lmc 0 "x" lid 0 4xHDR\n'
            for s, name in enumerate(("<b>node</b>1", "node2"))
        ),
    ]
)

FABRICS = {
    "tree": "fat-tree:8,3",
    "directors": "itasca:67",
    "torus": "torus:4x4x3",
    "grid": "mesh:3x5",
    "absent": "fat-tree:8,2",
    "hostile": "",
}


def _fabric(name: str) -> Fabric:
    if name == "hostile":
        return _core.read_fabric(HOSTILE_NET.encode())
    fabric = _core.generate_fabric(FABRICS[name])
    if name == "absent":
        return fabric.without(["spine-02", "node0010"])
    return fabric.without(["random-cables=3%,seed=1"]) if name == "tree" else fabric


def _fill(report: Report) -> None:
    """Every section with something to say, names as long as they come."""
    here = CableEnd("leaf-02-04", "0x0002c90200400000", 7)
    there = CableEnd("mid-02-02 <i>", "0x0002c90200400040", 12)
    report.cabling = [
        CableWork(
            "plug in",
            here,
            there,
            "A09 – A10",
            "UPLINK_MISSING",
            "warning",
            Missing(0, 1),
            "no cable where its peers have 1",
        ),
        CableWork(
            "check",
            there,
            None,
            "",
            "LINK_SPEED_LOW",
            "warning",
            Apart(1),
            "4xHDR where its peers run at 4xNDR",
        ),
        CableWork(
            "move",
            CableEnd("leaf-01-01", "", 10),
            here,
            "A09",
            "CABLE_UNEXPECTED",
            "warning",
            Apart(1),
            "x" * 90,
        ),
    ]
    row = AdaptiveRow("minhop", FlowRates(34.7e9, 12.4e9), FlowRates(48.9e9, 42.5e9))
    report.adaptive = AdaptiveComparison(
        "HDR switches, assumed", "8 MB, permutation", [row], "Adaptive routing helps."
    )
    report.failures = [EngineFailures("eventree", "no manager", 10, 572, 9, "spine-4 dies", 34776, 0.0)]
    report.hot = [HotLink("1", "a[1]", "b[2]", 100, 2.5, ["node0001", "node2?"])]


Reports = dict[str, "tuple[Report, Path]"]


def pages_of(folder: Path) -> Reports:
    """Each fabric's report, and its page."""
    made = {}
    for name in FABRICS:
        report = collect.collect(_fabric(name), name, lambda _: None)
        _fill(report)
        page = folder / f"{name}.html"
        page.write_text(render(report), "utf-8")
        made[name] = (report, page)
    return made
