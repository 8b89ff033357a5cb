"""The words of alternatives to what runs now: what they are, what they need, how to take them back, what failures do."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from .. import advice as of
from ..words import count
from .dispatch import text

if TYPE_CHECKING:
    from collections.abc import Collection

# --- what runs now -----------------------------------------------------------------------------


@text.register
def _(fact: of.DefaultAssumed) -> str:
    whose = "OpenSM's default" if fact.manager == "OpenSM" else f"the default of {fact.manager}"
    return f"{fact.engine} (assumed: {whose})"


@text.register
def _(fact: of.ConfigurationModelled) -> str:
    also = f", adaptively among equal ports ({fact.adaptive})" if fact.adaptive else ""
    return f"{fact.engine} as {fact.file} configures it{also} (modelled)"


@text.register
def _(fact: of.TablesRead) -> str:
    return f"the tables in {fact.file} (read)"


# --- what can run instead ----------------------------------------------------------------------

_CALLED = {"roots": "roots", "cn": "compute nodes", "io": "I/O nodes", "order": "the order of hosts"}


@text.register
def _(fact: of.PluginEngine) -> str:
    return f"{fact.name} inside OpenSM{_inputs(fact)}"


@text.register
def _(fact: of.OpensmEngine) -> str:
    return f"OpenSM's {fact.engine}{_inputs(fact)}"


@text.register
def _(fact: of.TablesFromFile) -> str:
    return f"the tables of {fact.tables} from a file"


@text.register
def _(fact: of.OmniPathEngine) -> str:
    return f"{fact.engine} of Omni-Path's manager"


def _inputs(fact: of.PluginEngine | of.OpensmEngine) -> str:
    """What steers an engine, and what takes over where it fails."""
    parts = [f"{_CALLED[kind]} given" for kind in fact.given]
    parts += [option.replace("_", " ") for option in fact.options]
    if fact.behind:
        parts.append(f"{' then '.join(fact.behind)} behind it")
    if fact.called:
        parts.append(fact.called)
    return f" ({', '.join(parts)})" if parts else ""


@singledispatch
def purpose(alternative: of.Alternative) -> str:
    """What an alternative is for, in sentences.

    Raises:
        NotImplementedError: when its kind has none, which a test rules out.
    """
    raise NotImplementedError(type(alternative).__name__)


@purpose.register
def _(alternative: of.PluginEngine) -> str:
    behind = f" Where it fails, {alternative.behind[0]} takes over." if alternative.behind else ""
    return (
        f"{alternative.engine} of Lacis runs inside OpenSM as its plugin: in every sweep it makes tables for the "
        f"fabric as it is then, and proves them before they are programmed.{behind}"
    )


@purpose.register
def _(_: of.OpensmEngine) -> str:
    return "OpenSM routes by itself, with better inputs; it mends its tables after failures as it does now."


@purpose.register
def _(alternative: of.TablesFromFile) -> str:
    return (
        f"OpenSM loads tables that {alternative.tables} of Lacis made for the fabric as it is now. It needs no plugin. "
        "OpenSM does not mend them. Prefer the plugin."
    )


@purpose.register
def _(_: of.OmniPathEngine) -> str:
    return "The fabric manager routes by another of its algorithms; it mends its tables after failures as it does now."


# --- what it needs -----------------------------------------------------------------------------


@text.register
def _(fact: of.OpensmVersion) -> str:
    return (
        f"OpenSM {fact.version} on the manager's node (`opensm --version`): the plugin knows its structures and no "
        "other's."
    )


@text.register
def _(fact: of.PluginInstalled) -> str:
    return (
        f"The plugin, {fact.library}, which `lacis opensm build` builds, in a folder that the loader searches "
        '(/usr/local/lib and `ldconfig`, or LD_LIBRARY_PATH of the service). Without it OpenSM logs "ERR 1000: '
        f"cannot load plugin '{fact.plugin}'\" and goes on to the next engine of the list."
    )


@text.register
def _(fact: of.AdaptiveLost) -> str:
    return (
        f"What runs now, {fact.engine}, lets switches choose among equal ports. These tables are static, and so "
        "are the figures: compare `lacis simulate --adaptive` before you leave adaptive routing, and set ar_mode 0."
    )


def credit_loops(number: int) -> str:
    """Credit loops, counted: `no credit loop`, `a credit loop`, `3 credit loops`."""
    return {0: "no credit loop", 1: "a credit loop"}.get(number, f"{number} credit loops")


@text.register
def _(fact: of.LanesNeeded) -> str:
    whose = "the same" if fact.bare_engine == fact.engine else f"{fact.bare_engine}'s"
    tables = f"its tables are {whose} on one lane then"
    loops = (
        f"with {credit_loops(fact.bare_credit_loops)} among the pairs of hosts"
        if fact.bare_credit_loops
        else "which leaves no credit loop among the pairs of hosts here"
    )
    return f"Where QoS is off, or an application sends on service level 0 without asking: {tables}, {loops}."


def applications(lanes: of.LanesNeeded | None) -> list[str]:
    """What applications must do for tables, line by line."""
    if lanes is None:
        return ["Nothing: one lane carries all traffic, and paths are found as before."]
    return [
        f"{lanes.engine} keeps its paths apart on lanes. For that to hold:",
        "",
        "* OpenSM needs `qos TRUE`, which is among the lines: without it no lanes are set up.",
        "* Every application must take the service level of each path from a path record of OpenSM: librdmacm and IPoIB "
        "do; Open MPI's openib needs `--mca btl_openib_ib_path_record_service_level 1`; others must be asked.",
        f"* {text(lanes)}",
    ]


_ORDERS = {
    "topology": "leaf by leaf",
    "eventree": "as eventree numbers hosts",
    "name": "by the names of hosts",
}


@text.register
def _(fact: of.RanksOrdered) -> str:
    return (
        f"Shifts get {fact.shifts:.3f} of the link rate where ranks are placed {_ORDERS[fact.order]} (order {fact.order}), "
        f"{fact.by_leaf:.3f} leaf by leaf (order topology)."
    )


# --- how to go back ----------------------------------------------------------------------------

_RESTART = "restart OpenSM, which reads them at its start only"


@text.register
def _(fact: of.CopyRestored) -> str:
    return "\n".join(way_back(fact))


@text.register
def _(fact: of.LinesRestored) -> str:
    return "\n".join(way_back(fact))


@text.register
def _(fact: of.LinesKept) -> str:
    return "\n".join(way_back(fact))


@text.register
def _(fact: of.LinesUnknown) -> str:
    return "\n".join(way_back(fact))


def way_back(fact: of.WayBack) -> list[str]:
    """How to go back to a configuration, line after line."""
    match fact:
        case of.CopyRestored(file="opafm.xml"):
            return [
                "Before you change it, keep a copy of opafm.xml. To go back, put the copy in its place and restart the "
                "manager."
            ]
        case of.CopyRestored(keys=keys):
            return [
                "Before you load it, keep a copy of the site's opensm.conf. To go back, put the copy in its place and "
                f"restart OpenSM. Without a copy: take out or put back as they were {', '.join(keys)}."
            ]
        case of.LinesUnknown():
            return [
                "To go back, put routing_engine and the other lines back as they were (--opensm-conf FILE shows how), "
                f"take event_plugin_name out, and {_RESTART}."
            ]
        case of.LinesKept():
            return [
                f"The configuration has these lines already. To leave them, change routing_engine and {_RESTART}."
            ]
        case of.LinesRestored(settings=settings, absent=absent):
            lines = [f"To go back, put these lines back as they were and {_RESTART}:"]
            lines += [f"  {one.key} {one.value}" for one in settings]
            return lines + ([f"and take out: {', '.join(absent)}"] if absent else [])


# --- what failures do --------------------------------------------------------------------------

_MENDS = {
    "opensm": "OpenSM makes new tables after each",
    "plugin": "Lacis inside OpenSM makes new tables after each",
    "omni-path": "the manager makes new tables after each",
    "none": "no manager mends such tables: write and load new ones after each",
}


def mending(mender: of.Mender) -> str:
    """What mends tables after failures."""
    return _MENDS[mender]


@text.register
def _(fact: of.SingleFailures) -> str:
    some = (
        f"{fact.tried:,} of {fact.of:,} single failures, drawn with seed {fact.seed}"
        if fact.tried < fact.of
        else f"all {fact.of:,} single failures"
        if fact.of > 1
        else count(fact.of, "single failure")
    )
    of_some = f"Of {some} (cables between switches, switches)"
    mended = mending(fact.mender)
    if not fact.lossy:
        return f"{of_some} none loses a pair of the hosts that are left; {mended}."
    whatever = f" ({fact.apart:,} whatever the tables, as no cables join these)" if fact.apart else ""
    lose = "loses" if fact.lossy == 1 else "lose"
    return (
        f"{of_some} {fact.lossy:,} {lose} pairs of hosts that are left{whatever}, {fact.worst} {fact.most_lost:,} of them; "
        f"{mended}."
    )


_LEFT = {"lmc": "LMC", "sm_priority": "priority", "partition_config_file": "partitions", "qos": "QoS"}
"""Keys of `opensm.conf` that sites set → what they are about."""


def as_a_test(keys: Collection[str]) -> str:
    """What OpenSM leaves at its defaults when a bundle's configuration, which has these keys, is all that it reads."""
    left = ", ".join(name for key, name in _LEFT.items() if key not in keys)
    return f"a test: {left} and whatever else it does not set are at OpenSM's defaults"


@text.register
def _(fact: of.EnginesUntried) -> str:
    size = f"{fact.switches:,} switches × {fact.end_nodes:,} end nodes"
    return f"Not tried, as they take long: {', '.join(fact.engines)} ({size}, more than {fact.most:,})."


@text.register
def _(fact: of.BisectionsWithoutPairs) -> str:
    share = f"{fact.pairs / fact.of:.1%}".replace(".0%", "%")
    return f"{fact.pairs:,} of {fact.of:,} pairs of random bisections ({share}) are left out, on a rail that one of the two lacks"


@text.register
def _(fact: of.ManagerFallsBack) -> str:
    return f"OpenSM would run {fact.engine} instead and say so only in its log"
