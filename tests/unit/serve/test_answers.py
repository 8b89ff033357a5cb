"""Answers of `lacis serve` in numbers, where a test without a server says it best."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from lacis import _core
from lacis.errors import LacisError
from lacis.fabric.ports import ports_of
from lacis.live import Recorded, jobs_on_ports
from lacis.serve import answers
from lacis.serve.session import Session

from ...ports_read import cable, read, row_of
from ...served import START

if TYPE_CHECKING:
    from lacis._core import Fabric


def alone(fabric: Fabric, engine: str | None = "minhop", **more: Any) -> Session:
    """A fabric without counters, with tables where an engine is named."""
    routes = None if engine is None else _core.route(fabric, engine)
    return Session(fabric, ports_of(fabric), "made", None, routes, **more)


def asked(session: Session, row: int) -> tuple[int, int]:
    """GUID and number of a port."""
    return int(session.ports.guids[row]), int(session.ports.numbers[row])


def test_each_cable_is_given_once_by_the_lower_row_of_its_ends(session: Session) -> None:
    found = answers.fabric(session)
    near, far = (np.frombuffer(base64.b64decode(found[name]), "<u4") for name in ("near", "far"))
    assert len(near) == 16  # 8 cables to hosts, 8 between switches
    assert (near < far).all()
    assert (session.ports.far[near] == far).all()


def test_the_engine_is_named_where_there_are_tables(fabric: Fabric) -> None:
    for engine in ("updn", None):
        found = answers.fabric(alone(fabric, engine))
        assert (found["engine"], found["has_tables"]) == (engine or "", engine is not None)


def test_the_first_port_is_a_port_like_others(fabric: Fabric) -> None:
    session = alone(fabric)
    assert session.ports.name(0) == "leaf-01[1]"
    for row in (0, int(session.ports.far[0])):
        ends = answers.port(session, *asked(session, row), None)["rows"]
        assert ends == [row, int(session.ports.far[row])]


def test_a_curve_has_the_last_60_instants(fabric: Fabric) -> None:
    ports = ports_of(fabric)
    readings = [read(ports, START + number, {}) for number in range(63)]
    session = Session(fabric, ports, "tree", Recorded(readings, "by hand"), None)
    curve = answers.port(session, *asked(session, cable(ports)[0]), None)["curve"]
    # 63 sweeps make 62 intervals, which end at START + 1 to START + 62.
    assert curve["times"] == [START + number for number in range(3, 63)]
    assert [len(shares) for shares in curve["shares"]] == [60, 60]


def test_20_jobs_and_50_pairs_of_a_port_are_listed(fabric: Fabric) -> None:
    routes, ports = _core.route(fabric, "minhop"), ports_of(fabric)
    jobs = {f"job{number:02}": ["node0001", "node0003"] for number in range(21)}
    session = Session(fabric, ports, "tree", None, routes, jobs_on_ports(routes, ports, jobs))
    leaves = asked(session, int(ports.far[row_of(ports, "leaf-01[1]")]))
    assert [len(listed) for listed in answers.port(session, *leaves, None)["jobs"]] == [20, 20]
    # Each of four hosts of a leaf sends to 28 others, part of each flow by each of four cables.
    wide = alone(_core.generate_fabric("fat-tree:8,2"), adaptive=True)
    up = answers.pairs(wide, *asked(wide, cable(wide.ports)[0]), None, "")["ends"][0]
    assert (up["total"], len(up["pairs"])) == (112, 50)


def test_a_port_names_the_jobs_that_send_there(session: Session, fabric: Fabric) -> None:
    # The one job is node0001 and node0003: each sends to the other, and nothing goes by node0005's cable.
    for port, there in (("leaf-01[1]", ["one"]), ("leaf-03[1]", [])):
        found = answers.port(session, *asked(session, row_of(session.ports, port)), None)["jobs"]
        assert [[job["name"] for job in end] for end in found] == [there, there]
    bare = alone(fabric)
    assert answers.port(bare, *asked(bare, row_of(bare.ports, "leaf-01[1]")), None)["jobs"] == [[], []]


def test_a_what_if_keeps_the_engine_unless_another_is_named(fabric: Fabric) -> None:
    assert answers.what_if(alone(fabric, "updn"), [], "")["asked"] == "updn"
    assert answers.what_if(alone(fabric, "updn"), [], "dnup")["asked"] == "dnup"
    bare = answers.what_if(alone(fabric, None), [], "")
    assert (bare["asked"], bare["most_before"]) == ("minhop", None)


def test_adaptive_switches_fill_less_than_tables_where_hosts_do_not_divide() -> None:
    # Of six leaves with three hosts each, below three spines, the first lacks a host. A full leaf sends from each of three hosts to
    # 14 elsewhere: 42 flows over three cables, 14 each where switches choose. Tables send all that is for one host by one cable:
    # 14 destinations make 5, 5 and 4, of which three hosts send 15, 15 and 12.
    session = alone(_core.generate_fabric("fat-tree:6,2").without(["node0001"]), "updn")
    tables = answers.what_if(session, [], "")
    assert not tables["adaptive"]
    assert tables["most"] == tables["most_before"] >= 15
    chosen = answers.what_if(session, [], "", adaptive=True)
    assert chosen["most"] == pytest.approx(14)


def test_32_cuts_are_tried_and_one_more_is_not(fabric: Fabric) -> None:
    session = alone(fabric)
    # No cable is named twice: the second time it is gone already, which is another reason than their number.
    with pytest.raises(LacisError, match="0 cables there"):
        answers.what_if(session, ["leaf-01--spine-01"] * 32, "")
    with pytest.raises(LacisError, match="more than 32 selectors"):
        answers.what_if(session, ["leaf-01--spine-01"] * 33, "")


def test_a_finding_names_the_nodes_that_it_is_about(fabric: Fabric) -> None:
    hurt = fabric.without(["leaf-01--spine-01"])
    guids = {int(hurt.guids()[list(ports_of(hurt).names).index(name)]) for name in ("leaf-01", "spine-01")}
    (found,) = answers.findings(alone(hurt, None))["findings"]
    assert {int(str(node), 0) for node in found["nodes"]} == guids
