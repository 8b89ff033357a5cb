"""The Python interface: what it exports, how results show themselves, and results as tables."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import lacis
import pytest
from lacis.facts.found.refusals import RootsAlone, TreeMisfit
from lacis.failures.survival import failure_row


def test_everything_that_is_exported_is_there_and_is_documented() -> None:
    import inspect

    for name in lacis.__all__:
        value = getattr(lacis, name)
        assert inspect.getdoc(value), name
    page = (Path(__file__).parents[2] / "docs" / "reference" / "api.md").read_text("utf-8")
    missing = [name for name in lacis.__all__ if f"lacis.{name}" not in page]
    assert not missing


@pytest.mark.parametrize(
    "module",
    [
        "lacis",
        "lacis.failures.manager",
        "lacis.explain",
        "lacis.measured",
        "lacis.report.origin",
        "lacis.tables",
    ],
)
def test_examples_of_docstrings_are_true(module: str) -> None:
    import doctest
    import importlib

    found = doctest.testmod(importlib.import_module(module))
    assert found.failed == 0


def test_importing_lacis_imports_no_engine() -> None:
    code = "import lacis, sys; sys.exit(bool({'numpy', 'lacis._core', 'polars', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_results_say_what_they_are() -> None:
    # Four leaves with two hosts and two uplinks each, two spines.
    fabric = lacis.read("fat-tree:4,2")
    routes = lacis.route(fabric, "ftree,minhop")
    hosts = lacis.participants(routes)
    assert repr(fabric) == "<lacis.Fabric: switches: 6, end nodes: 8, cables: 16>"
    assert repr(routes) == "<lacis.Routes: tables of ftree, switches: 6, LIDs: 14>"
    assert repr(lacis.verify(routes)) == "<lacis.Verification: 56 of 56 pairs delivered, credit loops: 0>"
    assert repr(hosts) == "<lacis.Participants: hosts: 8, rails: 1, ports: 8>"
    shift = lacis.predict(routes, "shift:1")
    assert repr(shift).startswith("<lacis.Prediction: model load, phases: 1, flows: 8, mean relative ")
    # 1 MB over links of 25 GB/s (4xHDR) takes 40 µs where nothing is shared.
    assert repr(lacis.times(routes, "shift:2", 10**6)).endswith("s, phases: 1, messages: 8>")
    managed = lacis.manage(fabric, "minhop")
    assert repr(managed) == "<lacis.Managed: tables of minhop, switches: 6, blind managers: 0>"
    run = lacis.simulate(routes, lacis.Workload(traffic="shift:1", size=64))
    assert repr(run).startswith("<lacis.Simulation: phases: 1, flows: 8, ")


def test_rows_of_results_have_names() -> None:
    routes = lacis.route(lacis.read("ring:6"), "minhop")
    proof = lacis.verify(routes)
    most, mean, links, used = proof.balance
    assert (proof.balance.max, proof.balance.mean, proof.balance.links, proof.balance.used) == (
        most,
        mean,
        links,
        used,
    )
    assert len(proof.credit_loops[0].ports) <= proof.credit_loops[0].channels
    refused = lacis.route(lacis.read("ring:6"), "ftree,minhop").refusals[0]
    # Every switch of a ring has hosts, so that all are of rank 0 and each would be a root.
    assert (refused.engine, refused.fact) == ("ftree", TreeMisfit(RootsAlone()))
    *_, a, b = routes.fabric.descriptions()
    assert [hop.kind for hop in lacis.trace(routes, a, b).hops][::3] == ["adapter", "adapter"]


def test_what_a_failure_costs_has_names() -> None:
    # Two spines: without one, the pairs of all eight hosts go by the other.
    whole = lacis.manage(lacis.read("fat-tree:4,2"), "minhop")
    less, step = whole.after([("drop", "spine-01")])
    losses = whole.losses(less)
    assert (losses.pairs_lost, losses.lost, losses.cut_off) == (0, [], [])
    assert repr(losses) == (
        "Losses(pairs_lost=0, apart=0, unrouted=0, regained=0, cut_off=[], gone=[], back=[], lost=[], destinations=0)"
    )
    assert [(event, names) for event, names in step.events] == [("drop", ["spine-01"])]
    assert step.sweeps[0].mode == "kept"
    # An end port whose only cable is cut: 7 others have lost it, and it them; it is cut off.
    less, _ = whole.after([("cut", "node0008 HCA-1--leaf-04")])
    assert len(whole.losses(less).cut_off) == 1
    survey = lacis.survey(whole, lacis.participants(whole.routes))
    intact, failures = lacis.survive(survey)
    assert (intact.delivered, intact.pairs) == (56, 56)
    assert [failure.kind for failure in failures] == [kind for kind, _ in survey.parts]
    assert failure_row(failures[0]).entries == failures[0].damage.entries
    run = lacis.simulate(whole.routes, lacis.Workload(traffic="allreduce:ring", size=64))
    job = run.workload(0)
    assert job.ranks == 8
    assert job.phases is not None
    assert len(job.phases.name) == len(job.phases.begins)


def test_tables_have_what_results_have() -> None:
    import polars as pl

    fabric = lacis.read("fat-tree:4,2")
    routes = lacis.route(fabric)
    tables = lacis.tables
    entries = tables.entries(routes).to_polars()
    assert entries.shape == (6 * 14, 3)
    assert entries.filter(pl.col("port") > 4).is_empty()  # radix 4: every entry has a port
    for node, lid, port in entries.sample(10, seed=1).iter_rows():
        assert routes.table()[node, lid] == port
    # All-to-all: 8 hosts send to 6 hosts of other leaves each, once up and once down.
    assert tables.link_loads(lacis.verify(routes)).to_polars()["flows"].sum() == 2 * 8 * 6
    nodes = tables.nodes(fabric).to_polars()
    assert nodes["kind"].to_list() == ["switch"] * 6 + ["adapter"] * 8
    assert tables.cables(fabric).to_polars().shape == (16, 6)
    matrix = tables.matrix(lacis.predict(routes, "mpigraph", matrix="leaf")).to_polars()
    assert matrix.columns == ["source", "target", "mean", "min", "max"]
    assert len(matrix) == 4 * 4
    found = lacis.examine(fabric.without(["leaf-01--spine-01"]))
    assert tables.findings(found).to_polars()["code"].to_list() == [f.code for f in found.findings]
    run = lacis.simulate(routes, lacis.Workload(traffic="shift:1", size=64), record=True)
    assert len(tables.messages(run)) == 8
    assert len(tables.phases(lacis.predict(routes, "mpigraph"))) == 7
    managed = lacis.manage(fabric)
    _, damages = lacis.survive(lacis.survey(managed, lacis.participants(managed.routes)))
    assert tables.failures(damages).to_polars()["kind"].to_list() == ["cable"] * 8 + ["switch"] * 6


def test_tables_are_arrow() -> None:
    import polars as pl

    table = lacis.tables.nodes(lacis.read("fat-tree:4,2"))
    assert repr(table) == "<lacis.Table: 14 rows of node, guid, kind, description, system_guid, level>"
    assert table["node"][13] == 13
    # polars reads any object with a stream of Arrow's C interface.
    assert pl.DataFrame(_Stream(table)).equals(table.to_polars())


class _Stream:
    """A table of which nothing is known but that it is Arrow."""

    def __init__(self, table: lacis.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def test_what_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    routes = lacis.route(lacis.read("fat-tree:4,2"))
    with pytest.raises(lacis.LacisError, match="no matrix"):
        lacis.tables.matrix(lacis.predict(routes, "shift:1"))
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(lacis.LacisError, match=r"pip install 'lacis\[results\]'"):
        lacis.tables.entries(routes).to_polars()


def test_settings_of_a_simulation_that_contradict_each_other() -> None:
    routes = lacis.route(lacis.read("fat-tree:4,2"))
    with pytest.raises(lacis.LacisError, match="settings of `adaptive` omni-path with `adaptive` least"):
        lacis.simulate(routes, "shift:1", adaptive=lacis.Adaptive(how="least", threshold=3))
    with pytest.raises(lacis.LacisError, match="device"):
        lacis.simulate(routes, "shift:1", device="nonesuch")


def test_an_opensm_conf_line_by_line(tmp_path: Path) -> None:
    conf = tmp_path / "opensm.conf"
    conf.write_text("routing_engine updn\nsm_priority 3\nbogus 1\n")
    said = lacis.read_conf(conf)
    assert said.settings == [(1, "routing_engine", "updn")]
    assert said.ignored[0].key == "sm_priority"
    assert said.unknown[0] == (3, "bogus", "1")
    conf.write_text("lmc 9\n")
    with pytest.raises(lacis.LacisError, match=r"opensm\.conf:1: "):
        lacis.read_conf(conf)
