"""OpenSM run twice: with its own engine, and with Lacis' engine of the same name inside it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from difflib import unified_diff

from . import opensm
from .compare import Run

AS_IT_IS = opensm.PLUGIN_CONF + "event_plugin_options prove=nothing\n"
"""Unproved tables, with credit loops and lost pairs, as OpenSM's have them too."""

OWN = ("opensm-ftree-ca-order.dump", "opensm-updn-roots.dump", "opensm-torus.dump")
"""Dumps that only OpenSM's own engines write."""
OWN_HOPS = ("sssp", "dfsssp", "nue", "torus-2QoS")


def inside(engines: str) -> str:
    """A list of OpenSM's engines as Lacis' inside OpenSM."""
    return ",".join(f"lacis-{engine}" for engine in engines.split(","))


def outside(engine: str) -> str:
    """The name of an engine of Lacis inside OpenSM as OpenSM spells it."""
    return engine.removeprefix("lacis-")


def differences(net: str, run: Run) -> list[str]:
    """Differences between OpenSM's results with its own engines and with Lacis' of the same names."""
    plugged = replace(run, engines=inside(run.engines))
    with ThreadPoolExecutor(2) as pool:
        own = pool.submit(run.opensm, net)
        theirs, ours = own.result(), pool.submit(plugged.opensm, net, conf=AS_IT_IS).result()
    found = []
    if outside(ours.engine) != theirs.engine:
        found.append(f"{theirs.engine} {theirs.reasons[-2:]} and {ours.engine} {ours.reasons[-2:]}")
    if tuple(map(outside, ours.failed)) != theirs.failed:
        found.append(f"refused: {theirs.failed} {theirs.reasons[-2:]} and {ours.failed} {ours.reasons[-2:]}")
    if ours.guid2lid != theirs.guid2lid:
        found.append(_first("guid2lid", theirs.guid2lid, ours.guid2lid))
    if theirs.engine == "ftree":
        # OpenSM's ftree ends tables at the last base LID of a switch or adapter, Lacis' at the last LID.
        short = {g: {lid: p for lid, p in t.items() if lid <= theirs.max_lid} for g, t in ours.tables.items()}
        if short != theirs.tables:
            found.append(_first("tables", theirs.dump, ours.dump))
    elif ours.dump != theirs.dump:
        found.append(_first("tables", theirs.dump, ours.dump))
    for name, text in theirs.dumps.items():
        # The hop matrices of these engines differ; a failed dfsssp leaves rows of end nodes behind.
        is_hops = name == "opensm-lid-matrix.dump"
        if name in OWN or (is_hops and (theirs.engine in OWN_HOPS or "dfsssp" in theirs.failed)):
            continue
        if ours.dumps.get(name) != text:
            found.append(_first(name, text, ours.dumps.get(name, "")))
    return [f"{run}: {what}" for what in found]


def _first(name: str, theirs: str, ours: str) -> str:
    lines = unified_diff(theirs.splitlines(), ours.splitlines(), n=0, lineterm="")
    return f"{name}: " + " | ".join([line for line in lines if not line.startswith(("---", "+++"))][:6])
