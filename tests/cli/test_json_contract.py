"""The keys of `--json` that others build on: `schema` first, every promised key there, with its type."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from lacis.cli import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

NUMBER = (int, float)
NONE = type(None)

FABRIC = {
    "switches": int,
    "end_nodes": int,
    "hosts": int,
    "planes": int,
    "links": int,
    "levels": (int, NONE),
    "findings": [{"code": str, "severity": str, "where": str, "text": str}],
}
FORCED = {"flows": int, "why": str}
VERIFY = {
    "engine_requested": str,
    "engine_used": str,
    "pairs": int,
    "verdicts": dict.fromkeys(
        ("delivered", "no_entry", "dead_port", "loop", "wrong_port", "unknown_lid"), int
    ),
    "apart": int,
    "hops": dict,
    "credit_loops": [[str]],
    "lanes": int,
    "balance": {"max": int, "mean": NUMBER, "links": int, "used": int, "forced": FORCED},
}
PREDICT = {
    "model": str,
    "traffic": str,
    "patterns": int,
    "seed": int,
    "relative_bandwidth": dict.fromkeys(("mean", "min", "max", "p01", "p50", "p99"), NUMBER),
    "max_contention": int,
    "mean_max_contention": NUMBER,
    "hottest": [{"link": str, "flows": [dict]}],
}
ROUTE = {
    "engine_requested": str,
    "engine_used": str,
    "refusals": [{"engine": str, "reason": str}],
    "switches": int,
    "lids": int,
    "unrouted": int,
    "lanes": int,
    "entries_by_service_level": dict,
    "file": (str, NONE),
}
ORDER = {"by": str, "hosts": [str], "guids": [str], "file": (str, NONE)}
TRACE = {"routes": [{"from": str, "to": str, "verdict": str, "hops": [dict]}]}
RATE = (int, float, NONE)
JOB = {
    "engine_requested": str,
    "engine_used": str,
    "file": (str, NONE),
    "adaptive": str,
    "hosts": [str],
    "rails": [
        {
            "rail": int,
            "hosts": int,
            "without": [str],
            "leaves": [{"name": str, "hosts": [str]}],
            "spines": [str],
            "links": int,
        }
    ],
    "shared": [{"rail": int, "egress": str, "ingress": str, "pairs": int, "flows": [list]}],
    "bandwidths": [{"what": str, "counted": str, "static": RATE, "adaptive": RATE}],
    "shifts": {"looked_at": int, "of": int},
    "with": [str],
    "meetings": [
        {
            "name": str,
            "hosts": int,
            "common": [str],
            "links": int,
            "worst": [dict],
            **dict.fromkeys(("alone", "together", "worst_alone", "worst_together", "slower"), NUMBER),
            "slowdown": RATE,
        }
    ],
    "notes": [str],
}
DIFF_FABRICS = {
    "kind": str,
    "a": str,
    "b": str,
    "equal": bool,
    "no_guid": bool,
    "same_cables": int,
    "nodes": [{"change": str, "old": (dict, NONE), "new": (dict, NONE)}],
    "cables": [{"change": str, "at": str, "old": (list, NONE), "new": (list, NONE), "with_node": bool}],
    "lids": [{"port": str, "old": int, "new": int}],
}
DIFF_TABLES = {
    "kind": str,
    "fabric": str,
    "expected": str,
    "found": str,
    "refusals": [{"engine": str, "reason": str}],
    "equal": bool,
    "compared": int,
    "differing": int,
    "reasons": [{"why": str, "text": str, "entries": int}],
    "switches": [{"switch": str, "entries": int}],
    "destinations": [{"port": str, "lid": int, "entries": int}],
    "entries": [
        {"switch": str, "to": str, "lid": int, "expected": (int, NONE), "found": (int, NONE), "why": str}
    ],
}
DIFF_ENGINES = {
    "kind": str,
    "fabric": str,
    "found": str,
    "equal": bool,
    "candidates": [{"engine": str, "options": [str], "equal_entries": int, "compared": int, "share": NUMBER}],
    "refused": [{"engine": str, "reason": str}],
    "untried": [str],
    "seconds": NUMBER,
}
REFUSALS = [{"engine": str, "reason": str}]
ENTRIES = dict.fromkeys(("changed", "rerouted", "lost", "gained", "switches", "compared"), int)
LOSSES = {
    **dict.fromkeys(("pairs_lost", "apart", "unrouted", "regained"), int),
    **{key: [str] for key in ("cut_off", "gone", "back")},
    "lost": [{"to": str, "lid": int, "why": str, "sources": int, "from": [str]}],
}
SHIFTS = {
    **dict.fromkeys(("distances", "worst_distance", "max_contention", "unrouted"), int),
    **dict.fromkeys(("worst", "mean"), NUMBER),
}
STATE = {
    "engine_used": str,
    "refusals": REFUSALS,
    "blind": [str],
    "credit_loops": int,
    "hosts": int,
    "bisection": {"mean": NUMBER, "max_contention": int, "unrouted": int},
    "shifts": SHIFTS,
}
WHATIF = {
    "engine_requested": str,
    "before": STATE,
    "steps": [
        {
            "changes": [{"asked": str, "selector": str, "happened": str, "parts": [str]}],
            "sweeps": [
                {
                    "manager": str,
                    "mode": str,
                    "engine_before": str,
                    "engine_used": (str, NONE),
                    "fell_back": bool,
                    "refusals": REFUSALS,
                }
            ],
            "entries": ENTRIES,
            "losses": LOSSES,
            "after": STATE,
        }
    ],
    "total": {"entries": ENTRIES, "losses": LOSSES},
    "file": (str, NONE),
}
SURVIVE = {
    "engine_requested": str,
    "baseline": {"engine_used": str, "refusals": REFUSALS, "pairs": int, "delivered": int, "shifts": SHIFTS},
    "failures": [
        {
            "id": int,
            "kind": str,
            "name": str,
            **LOSSES,
            "engine_used": str,
            "refusals": REFUSALS,
            "fell_back": bool,
            "no_engine": bool,
            "blinded": bool,
            "entries": ENTRIES,
            "shifts": SHIFTS,
        }
    ],
    "file": (str, NONE),
}
SIMULATE = {
    "model": str,
    "traffic": str,
    "test": str,
    "bytes": int,
    "device": str,
    "engine_used": str,
    "partial": bool,
    **dict.fromkeys(("phases", "flows", "unrouted", "payload", "events", "hops"), int),
    "times": [float],
    "simulated": float,
    "packets": dict.fromkeys(("sent", "arrived", "discarded"), int),
    "bandwidth": {"unit": str, **dict.fromkeys(("mean", "min", "max"), float), "flows": [float]},
    "latency": dict.fromkeys(("count", "mean", "min", "p50", "p99", "p999", "max"), float),
    "waited": dict.fromkeys(("behind_others", "for_credits", "for_turn"), float),
    "deadlock": NONE,
    "busiest": [{"link": str, "busy": float, "without_credits": float, "bytes": int}],
}
TIMES = {
    **dict.fromkeys(("model", "provenance", "traffic", "engine_used", "multipath"), str),
    **dict.fromkeys(("bytes_each", "ranks", "ranks_per_host", "phases", "messages", "bytes"), int),
    **dict.fromkeys(("inside_hosts", "unrouted", "skipped", "events"), int),
    **dict.fromkeys(("host_efficiency", "link_efficiency", "local_rate", "seconds"), float),
    "completion": dict.fromkeys(("mean", "min", "max", "p01", "p50", "p99"), float),
    "distribution": {"seconds": [float], "messages": [int]},
    "bandwidth": {"algorithm": float, "bus": float, "unit": str},
    "each_phase": {"name": [str], "begins": [float], "time": [float], "messages": [int], "bytes": [int]},
    "busiest": [{"link": str, "bytes": int, "utilisation": float}],
}
REPRODUCE = {
    "reports": [
        {
            **dict.fromkeys(("report", "title", "story"), str),
            "assumptions": [str],
            "rows": [
                {
                    **dict.fromkeys(("number", "what", "class", "model", "unit", "verdict"), str),
                    "reported": [NUMBER],
                    "ours": [NUMBER],
                    "interval": [NUMBER],
                    **dict.fromkeys(("said", "tolerance", "note"), (str, NONE)),
                }
            ],
        }
    ],
    "out": int,
}
OPENSM_CONF = {
    "engines": [str],
    "lines": [{"key": str, "value": str}],
    "good": bool,
    "serves": (str, NONE),
    "refusals": REFUSALS,
    "prove": str,
    "proof": (dict, NONE),
    "before": (dict, NONE),
    "library": str,
    "library_dir": (str, NONE),
}
ADVISE = {
    **dict.fromkeys(("fabric", "groups"), str),
    "baseline": {**dict.fromkeys(("label", "words", "provenance"), str), "adaptive": (str, NONE)},
    "bundles": [
        {
            **dict.fromkeys(("name", "kind", "title", "purpose", "why", "gain"), str),
            "folder": (str, NONE),
            "engines": [str],
            "lines": [{"key": str, "value": str}],
            **{key: [str] for key in ("files", "applications", "needs", "back")},
            "figures": [{"name": str, "unit": str, "now": NUMBER, "then": NUMBER, "provenance": str}],
            "failures": {
                **dict.fromkeys(("tried", "of", "lossy", "apart", "most_lost"), int),
                **dict.fromkeys(("worst", "repaired_by"), str),
            },
        }
    ],
    "not_advised": [{"label": str, "reason": str}],
}
REPORT = {"file": str, "fabric": FABRIC, "engines": [{"engine_requested": str, "engine_used": str}]}

FIGURES = {
    "label": str,
    "engine": str,
    "options": dict,
    "accepted": bool,
    "objections": list,
    "bisection": float,
    "bisection_worst": float,
    "shift": float,
    "shift_worst": float,
    "most_flows": int,
    "patterns": int,
    "distances": int,
    "confirmed": {"mean": float, "half": float, "seeds": int},
    "pairs_lost": int,
    "credit_loops": int,
    "undefined": bool,
    "fullest_over_forced": float,
}
TUNE = {
    "provenance": str,
    "fabric": str,
    "hosts": int,
    "seed": int,
    "looked_at": int,
    "refused": int,
    "seconds": float,
    "stopped": bool,
    "baseline": FIGURES,
    "yardstick": FIGURES,
    "found": [{**FIGURES, "failures": dict}],
    "best": int,
    "conf": [str],
    "written": list,
}
RAILS = {
    "provenance": str,
    "planes": [{"plane": int, "switches": int, "adapters": int, "hosts": int, "switch": str}],
    "rails": [{"rail": int, "labels": [str], "adapters": int, "leaves": int, "planes": [int]}],
    "leaves": [{"leaf": str, "adapters": int}],
    "rail_optimised": bool,
    "hosts": [{"host": str, "adapters": [{"label": str, "guid": str, "port": int}]}],
    "findings": list,
}

# A two-level tree that lost a cable: it has findings, and ftree refuses it.
SPEC = ("fat-tree:4,2", "--without", "random-cables=1,seed=1")
# What each list that may be empty must hold an item of here, so that its items are looked at.
CASES: dict[str, tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]] = {
    "fabric": (FABRIC, (), ("findings",)),
    "verify": (VERIFY, (), ()),
    "predict": (PREDICT, ("--patterns", "3"), ("hottest",)),
    "simulate": (SIMULATE, (), ("times", "busiest")),
    "route": (ROUTE, ("-R", "ftree"), ("refusals",)),
    "order": (ORDER, (), ("hosts", "guids")),
    "trace": (TRACE, (), ("routes",)),
    "rails": (RAILS, (), ("planes", "rails", "leaves", "hosts")),
    "job": (JOB, ("--with", "node[0005-0008]"), ("rails", "bandwidths", "meetings")),
    "report": (REPORT, (), ("engines",)),
    "whatif": (WHATIF, ("--drop", "spine-01", "--restore", "spine-01"), ("steps",)),
    "tune": (TUNE, ("--steps", "20", "--failures", "4"), ("found", "conf")),
    "survive": (SURVIVE, ("-R", "ftree"), ("failures",)),
}
WITHOUT_JSON = {"completion"}
# The leaf that lost a cable is lost with its other one.
STATUS = {"survive": 1}
# `lacis rails FABRIC` is `lacis rails show FABRIC`.
SCHEMA = {"rails": "rails-show"}


def check(value: Any, shape: Any, where: str) -> None:
    if isinstance(shape, dict):
        assert isinstance(value, dict), where
        for key, inner in shape.items():
            assert key in value, f"{where}.{key} is missing"
            check(value[key], inner, f"{where}.{key}")
    elif isinstance(shape, list):
        assert isinstance(value, list), where
        for item in value:
            check(item, shape[0], f"{where}[]")
    else:
        assert isinstance(value, shape), f"{where} is {value!r}"
        assert shape is bool or not isinstance(value, bool), f"{where} is {value!r}"


def test_every_command_has_a_contract() -> None:
    assert {*CASES, "reproduce", "opensm", "opafm", "advise", "diff", "measure", "results", "explain"} == set(
        COMMANDS
    ) - WITHOUT_JSON


@pytest.mark.parametrize("source", ["spec", "standard input"])
@pytest.mark.parametrize("name", CASES)
def test_json(lacis: Lacis, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, source: str) -> None:
    shape, options, filled = CASES[name]
    where: tuple[str, ...] = SPEC
    if source == "standard input":
        file = tmp_path / "fabric.net"
        assert lacis("fabric", *SPEC, "-o", file).status == 0
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))
        where = ("-",)
    ends = {"trace": ("1", "3"), "job": ("node[0001-0004]",)}.get(name, ())
    page = ("-o", str(tmp_path / "page.html")) if name == "report" else ()

    result = lacis(name, where[0], *ends, *where[1:], *options, *page, "--json")

    assert result.status == STATUS.get(name, 0), result.err
    content = json.loads(result.out)
    assert next(iter(content)) == "schema"
    assert content["schema"] == f"lacis.{SCHEMA.get(name, name)}/1"
    check(content, shape, name)
    assert all(content[key] for key in filled)


def test_retold_reports_have_their_keys(lacis: Lacis) -> None:
    content = json.loads(lacis("reproduce", "C", "--json").out)
    assert (next(iter(content)), content["schema"]) == ("schema", "lacis.reproduce/1")
    check(content, REPRODUCE, "reproduce")
    assert content["reports"][0]["rows"]


def test_differences_have_their_keys(lacis: Lacis, tmp_path: Path) -> None:
    cut, dump = tmp_path / "cut.json", tmp_path / "t"
    assert lacis("fabric", *SPEC, "-o", cut).status == 0
    assert lacis("route", SPEC[0], "-R", "updn", "-o", dump).status == 0
    for args, shape, filled in (
        ((SPEC[0], cut), DIFF_FABRICS, "cables"),
        ((SPEC[0], dump, "-R", "dor"), DIFF_TABLES, "entries"),
        ((SPEC[0], dump, "--which-engine"), DIFF_ENGINES, "candidates"),
    ):
        content = json.loads(lacis("diff", *args, "--json").out)
        assert (next(iter(content)), content["schema"]) == ("schema", "lacis.diff/1")
        check(content, shape, "diff")
        assert content[filled]


def test_times_have_their_keys(lacis: Lacis) -> None:
    asked = ("--model", "fluid", "--traffic", "allreduce:ring", "--ranks-per-host", "2", "--json")
    content = json.loads(lacis("predict", *SPEC, *asked).out)
    assert (next(iter(content)), content["schema"]) == ("schema", "lacis.times/1")
    check(content, TIMES, "times")
    assert content["busiest"]
    assert content["each_phase"]["time"]


def test_lines_of_an_opensm_conf_have_their_keys(lacis: Lacis) -> None:
    result = lacis("opensm", "conf", *SPEC, "-R", "ftree,eventree", "--prove", "delivery", "--json")
    content = json.loads(result.out)
    assert (result.status, next(iter(content)), content["schema"]) == (1, "schema", "lacis.opensm-conf/1")
    check(content, OPENSM_CONF, "opensm conf")
    assert content["refusals"]
    result = lacis("opensm", "conf", "fat-tree:4,2", "-R", "eventree", "--json")
    content = json.loads(result.out)
    assert result.status == 0
    check(content, OPENSM_CONF | {"proof": {key: VERIFY[key] for key in VERIFY if "engine" not in key}}, "")


def test_bundles_have_their_keys(lacis: Lacis) -> None:
    done = lacis("advise", "fat-tree:6,2", "--without", "random-cables=6%,seed=3", "--json")
    assert done.status == 0, done.err
    content = json.loads(done.out)
    assert content["schema"] == "lacis.advise/1"
    check(content, ADVISE, "advise")
    assert content["bundles"]


def test_hops_and_loops_have_the_promised_form(lacis: Lacis) -> None:
    # A ring of six switches with a host on each, routed by shortest paths: a credit loop both ways.
    # Of the 5 other hosts 2 are one link away (2 switches), 2 two links, 1 three links: times 6 senders.
    result = lacis("verify", "ring:6", "--json")
    assert result.status == 1
    content = json.loads(result.out)
    assert content["hops"] == {"2": 12, "3": 12, "4": 6}
    check(content, VERIFY, "verify")
    assert content["credit_loops"]
    assert content["verdicts"]["delivered"] == content["pairs"] == 30


def test_where_there_is_no_tree_levels_are_null(lacis: Lacis) -> None:
    assert json.loads(lacis("fabric", "torus:4x4", "--json").out)["levels"] is None
