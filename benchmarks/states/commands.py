"""What is asked about every fabric, and once about files without a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..measure import ROOT, shared_file
from .installation import Command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .fabrics import Subject
    from .inputs import Known

ENGINES = (
    *("minhop", "updn", "dnup", "ftree", "dor", "lash", "sssp", "dfsssp", "nue", "torus-2QoS"),
    *("shortestpath", "fattree", "dgshortestpath", "eventree", "numbered"),
)
SLOW_ENGINES = ("lash", "nue", "dfsssp")
"""Engines that are left out on fabrics of more than `LARGE` hosts."""
SMALL, MIDDLE, LARGE = 40, 200, 600
"""Hosts up to which commands are run that take long on more."""
TIME = "2026-01-02T03:04:05Z"


def first(subject: Subject, source: str) -> list[Command]:
    """What makes the files from which the inputs of all others are made."""
    changed = (source, *subject.changes)
    return [
        Command(
            "fabric-json", ("fabric", *changed, "--why-levels", "--json", "-o", "whole.json"), ("whole.json",)
        ),
        Command("order-name", ("order", "whole.json", "--by", "name", "--json")),
    ]


def about(subject: Subject, source: str, known: Known) -> Iterator[Command]:
    """Every command about a fabric, in an order in which those that read files come after those that write them."""
    hosts = len(known.hosts)
    changed = (source, *subject.changes)
    yield Command("fabric", ("fabric", *changed, "--all", "--why-levels"))
    yield Command("fabric-net", ("fabric", *changed, "-o", "fabric.net"), ("fabric.net",))
    yield from _states(known)
    yield from _tables(hosts)
    yield from _orders(hosts)
    if hosts < 2:
        return
    yield from _traffic(known)
    yield from _rails(hosts)
    if hosts <= LARGE:
        yield from _measured(known)
        yield from _failures(known)
        yield from _pages(hosts)


def _both(name: str, *words: str, files: tuple[str, ...] = ()) -> Iterator[Command]:
    """A command with `--json`, and as text."""
    yield Command(f"{name}-json", (*words, "--json"), files)
    yield Command(name, words)


def _states(known: Known) -> Iterator[Command]:
    yield from _both("fabric-rotated", "fabric", "rotated.json", "--all")
    yield from _both("fabric-slow", "fabric", "slow.json", "--all")
    yield from _both("diff-rotated", "diff", "whole.json", "rotated.json", "--all")
    less = ("--without", known.trunk) if known.trunk else ()
    yield Command("fabric-less", ("fabric", "whole.json", *less, "-o", "less.json"), ("less.json",))
    yield from _both("diff-less", "diff", "whole.json", "less.json")
    yield from _both("plan", "verify", "whole.json", "--topology", "plan.csv", "--all")
    yield from _both("plan-rotated", "verify", "rotated.json", "--topology", "whole.json", "--all")


def _tables(hosts: int) -> Iterator[Command]:
    for engine in ENGINES:
        if hosts > LARGE and engine in SLOW_ENGINES:
            continue
        words = ("route", "whole.json", "-R", engine, "--no-fallback", "--json", "-o", f"{engine}.lfts")
        yield Command(f"route-{engine}", words, (f"{engine}.lfts",))
    yield Command("route", ("route", "whole.json", "-R", "updn,minhop", "--lid-matrix", "hops"), ("hops",))
    if hosts > LARGE:
        return
    odd = ("-l", "1", "--scatter-ports", "3", "--port-shifting", "--connect-roots")
    yield Command(
        "route-options", ("route", "whole.json", "-R", "updn", *odd, "-o", "odd.lfts"), ("odd.lfts",)
    )
    yield from _both("verify-minhop", "verify", "whole.json", "--lfts", "minhop.lfts", "--switches")
    yield Command("verify-dfsssp", ("verify", "whole.json", "-R", "dfsssp", "--json"))
    yield Command("verify-numbered", ("verify", "whole.json", "-R", "numbered", "--pairs", "all", "--json"))
    yield Command("verify-eventree", ("verify", "whole.json", "-R", "eventree", "--no-fallback", "--json"))
    yield from _both("diff-engine", "diff", "whole.json", "minhop.lfts", "-R", "updn")
    yield from _both("diff-tables", "diff", "--fabric", "whole.json", "minhop.lfts", "ftree.lfts")


def _orders(hosts: int) -> Iterator[Command]:
    for by in ("topology", "lid", "ftree"):
        yield Command(f"order-{by}", ("order", "whole.json", "--by", by))
    if hosts <= LARGE:
        yield Command("order-each", ("order", "whole.json", "--by", "topology", "--rail", "each", "--json"))


def _traffic(known: Known) -> Iterator[Command]:
    few = ("--patterns", "20", "--json")
    hosts, names = len(known.hosts), known.hosts
    for engine in ("minhop", "ftree"):
        words = ("predict", "whole.json", "-R", engine, *few)
        yield Command(f"predict-{engine}", words)
        yield Command(f"predict-fluid-{engine}", (*words, "--model", "fluid", "--traffic", "permutation"))
    yield from _both("predict-shift", "predict", "whole.json", "--traffic", "shift")
    yield from _both("trace", "trace", "whole.json", names[0], names[-1])
    if hosts > MIDDLE:
        return
    predict = ("predict", "whole.json")
    yield from _both("predict-leaves", *predict, "--traffic", "leaf-offset", "--patterns", "10")
    yield from _both("predict-alltoall", *predict, "--traffic", "alltoall", "--model", "fluid")
    timed = ("--model", "fluid", "--bytes", "1MB", "--traffic", "allreduce:ring")
    yield from _both("predict-times", *predict, *timed)
    yield from _both("predict-job-file", *predict, "--hosts", "file:hosts", "--traffic", "mpigraph")
    simulate = ("simulate", "whole.json", "-R", "minhop")
    yield from _both("simulate", *simulate, "--bytes", "64KiB")
    yield Command("simulate-windows", (*simulate, "--test", "windows", "--bytes", "16KiB", "--json"))
    yield Command("simulate-adaptive", (*simulate, "--adaptive", "least", "--bytes", "32KiB", "--json"))
    job = (
        "simulate",
        "whole.json",
        "--hosts",
        "file:hosts",
        "--bytes",
        "4KiB",
        "--traffic",
        "allreduce:ring",
    )
    yield Command("simulate-job", (*job, "--json"))
    yield from _both("job", "job", "whole.json", "file:hosts", "--with", "file:others", "-R", "ftree")
    yield from _both("job-cut", "job", "less.json", "file:hosts", "-R", "dor")


def _rails(hosts: int) -> Iterator[Command]:
    if hosts > LARGE:
        return
    yield from _both("rails", "rails", "show", "whole.json")
    for stack in ("psm2", "ucx", "nccl"):
        yield Command(f"rails-env-{stack}", ("rails", "env", "--stack", stack, "whole.json", "--json"))
    for script in ("mpirun-x-comma", "ucx-tcp-eth0"):
        if (path := shared_file(f"cases/environments/{script}.sh")) is not None:
            yield from _both(f"rails-check-{script}", "rails", "check", str(path), "whole.json")
    yield from _both("rails-nccl", "rails", "nccl", "whole.json")


def _measured(known: Known) -> Iterator[Command]:
    hosts = len(known.hosts)
    if hosts > MIDDLE:
        return
    matrix = ("--measured", "measured.csv", "--test", "own", "--unit", "MB/s")
    yield from _both("explain", "explain", "whole.json", "-R", "ftree", *matrix)
    yield from _both("explain-structure", "explain", *matrix)
    yield from _both(
        "explain-tables", "explain", "whole.json", "--which-tables", "--lfts", "minhop.lfts", *matrix
    )
    traffic = "alltoall" if hosts <= SMALL else "permutation"
    saved = ("--model", "fluid", "--traffic", traffic, "--patterns", "30", "--save", "slow")
    yield Command("predict-slow", ("predict", "slow.json", "-R", "ftree", *saved))
    yield from _both("explain-slow", "explain", "whole.json", "-R", "ftree", "--measured", "slow")
    imported = ("results", "import", "measured.csv", "--name", "made", "--time", TIME)
    kind = ("--what", "bandwidth", "--unit", "MB/s", "--test", "own", "--fabric", "whole.json")
    yield Command("import", (*imported, *kind, "--json"))
    yield from _both("results", "results", "show", "made", "--by-class")
    yield from _both("measure-plan", "measure", "plan", "whole.json", "--rounds", "4", "--crossings", "1")


def _failures(known: Known) -> Iterator[Command]:
    hosts = len(known.hosts)
    if known.trunk is None or hosts > MIDDLE:
        return
    switch = known.switches[-1]
    few = ("--patterns", "10", "--shifts", "5")
    changes = ("--cut", known.trunk, "--drop", switch, "--restore", switch)
    yield from _both("whatif", "whatif", "whole.json", "-R", "ftree,minhop", *changes, *few)
    if hosts > SMALL:
        return
    survive = ("survive", "whole.json", "-R", "updn", "--shifts", "4")
    yield from _both("survive", *survive)


def _pages(hosts: int) -> Iterator[Command]:
    if hosts > MIDDLE:
        return
    yield Command("report-json", ("report", "whole.json", "-o", "page.html", "--json"), ("page.html",))
    if hosts > SMALL:
        return
    yield Command("report", ("report", "whole.json", "-o", "page.html"))
    yield from _both("advise", "advise", "whole.json")
    yield Command("advise-folder", ("advise", "whole.json", "-o", "bundles"), ("bundles/**/*",))
    for name, words in (("rotated", ("rotated.json",)), ("measured", ("whole.json", "--measured", "slow"))):
        yield Command(f"report-{name}", ("report", *words, "-o", f"{name}.html"), (f"{name}.html",))


def without_fabric() -> Iterator[Command]:
    """Commands about files alone."""
    yield from _both("opafm", "opafm", "new.xml")
    yield from _both("opafm-diff", "opafm", "diff", "old.xml", "new.xml")
    yield from _both("opafm-emit", "opafm", "--emit", "--enable", "1", "--threshold", "7", "--algorithm", "2")
    tried = (
        "--fabric",
        "fat-tree:4,2:rate=4xOPA100",
        "--bytes",
        "64KiB",
        "--seeds",
        "3",
        "--pattern",
        "shift:3",
    )
    yield from _both("opafm-try", "opafm", "diff", "old.xml", "new.xml", *tried)
    for stack in ("psm2", "ucx", "opx", "nccl", "mvapich2", "intelmpi"):
        yield from _both(f"rails-env-{stack}", "rails", "env", "--stack", stack, "--use", "all")
    for folder, words in (("logs", ("rails", "doctor")), ("environments", ("rails", "check"))):
        for path in _files(f"cases/{folder}"):
            yield from _both(path.name, *words, str(path))
    for folder in ("measurements", "cases/measurements"):
        for path in _files(folder):
            name = path.name
            imported = ("results", "import", str(path), "--name", name, "--time", TIME)
            yield Command(f"import-{name}", (*imported, "--json"))
            yield from _both(f"show-{name}", "results", "show", name)
    for path in sorted((ROOT / "tests" / "measured").glob("*.json")):
        imported = ("results", "import", str(path), "--name", path.name, "--time", TIME)
        yield Command(f"import-{path.name}", (*imported, "--json"))
        yield from _both(f"show-{path.name}", "results", "show", path.name)
    yield from _both("results-list", "results", "list")
    for path in sorted((ROOT / "tests" / "fabrics" / "broken").glob("*.*")):
        yield Command(f"broken-{path.name}", ("fabric", str(path), "--json"))
    yield from _both("reproduce", "reproduce", "A", "C", "D")
    yield Command("opensm-conf", ("opensm", "conf", "fat-tree:8,2"))
    for name in (
        "report",
        "fabric",
        "route",
        "explain",
        "predict",
        "simulate",
        "job",
        "advise",
        "results import",
    ):
        yield Command(f"help-{name.replace(' ', '-')}", (*name.split(), "--help-all"))
    yield Command("help", ("--help",))
    yield Command("completion", ("completion", "bash"))


def _files(folder: str) -> list[Path]:
    top = shared_file("README.md")
    return sorted((top.parent / folder).iterdir()) if top is not None else []
