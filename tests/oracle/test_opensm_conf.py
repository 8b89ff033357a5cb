"""The real OpenSM accepts the lines of `lacis opensm conf`: the engine that they name routes, with its tables."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from lacis import _core

from .. import schemas
from . import opensm
from .fabrics import FABRICS, Subject, spec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ..conftest import Lacis

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("plugin_built")]


def fabric(name: str) -> Subject:
    """A fabric by the oracle's name for it, or a synthetic one."""
    return FABRICS[name]() if name in FABRICS else spec(name, seed=1)


def write(subject: Subject, folder: Path) -> list[str]:
    """The fabric as a file, and the manager's node, as arguments."""
    net = folder / "fabric.net"
    net.write_text(subject.text)
    return [str(net), "--sm", subject.idents[0]]


def guids(folder: Path, name: str, listed: Sequence[int]) -> str:
    """A file of GUIDs; its path."""
    (folder / name).write_text("".join(f"0x{guid:016x}\n" for guid in listed))
    return str(folder / name)


def swept(subject: Subject, conf: str) -> opensm.Outcome:
    """One sweep with the configuration."""
    return opensm.run(
        subject.text, "", ["-F", "@opensm.conf"], sm=subject.idents[0], files={"opensm.conf": conf}
    )


GOOD: list[tuple[str, str, list[str], list[str]]] = [
    ("two-tier-24", "lacis-eventree,minhop", [], []),
    ("missing-cable", "eventree,updn", [], []),
    ("three-tier-18", "ftree", ["-a", "ROOTS"], ["--threads", "1"]),
    ("three-tier-uneven-pods", "updn", ["-a", "ROOTS", "-X", "PORTS"], ["--prove", "hosts"]),
    ("two-cables-each", "minhop", ["-l", "1", "--scatter-ports", "7"], ["--time", "9", "--memory", "900"]),
    ("torus:4x4", "dfsssp,minhop", [], []),
    ("torus:5x4", "lash", ["--lash-start-vl", "1", "--do-mesh-analysis"], []),
    ("torus:4x4", "nue", ["--nue-max-num-vls", "3", "--nue-include-switches"], []),
    ("torus:4x4", "numbered", ["--nue-max-num-vls", "4"], []),
    ("torus:5x4", "numbered", [], []),
    ("torus:4x4", "minhop", [], ["--prove", "delivery"]),
    ("torus:4x4", "dfsssp", ["--vls", "4"], ["--prove", "nothing"]),
]
"""Fabric, engines, options of routing, options of the plugin."""


@pytest.mark.parametrize(("name", "engines", "routing", "plugin"), GOOD)
def test_the_engine_named_serves_with_the_tables_of_route(
    lacis: Lacis, tmp_path: Path, name: str, engines: str, routing: list[str], plugin: list[str]
) -> None:
    subject = fabric(name)
    files = {
        "ROOTS": guids(tmp_path, "roots", subject.roots),
        "PORTS": guids(tmp_path, "ports", subject.adapter_port_guids[::2]),
    }
    asked = [*write(subject, tmp_path), *(files.get(word, word) for word in routing)]
    done = lacis("opensm", "conf", *asked, "-R", engines, *plugin, "--report", tmp_path / "sweeps.jsonl")
    assert done.status == 0, done.err
    first, tables = engines.split(",")[0].removeprefix("lacis-"), tmp_path / "tables"
    assert lacis("route", *asked, "-R", first, "-o", tables).status == 0

    outcome = swept(subject, done.out)

    assert (outcome.engine, outcome.failed) == (f"lacis-{first}", ())
    assert "ERR" not in outcome.log
    assert outcome.dump == tables.read_text()
    line = json.loads((tmp_path / "sweeps.jsonl").read_text())
    schemas.check(line, "lacis.opensm/1")
    assert (line["outcome"], line["pairs_lost"]) == ("tables", 0)


def test_torus_2qos_gets_its_configuration(lacis: Lacis, tmp_path: Path) -> None:
    subject = fabric("torus:5x4")
    torus = _core.read_fabric(subject.text.encode())
    guid = dict(zip(torus.descriptions(), torus.guids().tolist(), strict=True))
    named = {
        name: f"0x{guid[name]:016x}" for name in ("switch-0-0", "switch-1-0", "switch-0-1", "switch-0-3")
    }
    conf = tmp_path / "torus-2QoS.conf"
    conf.write_text(
        f"torus 5 4 1\nxp_link {named['switch-0-0']} {named['switch-1-0']}\n"
        f"yp_link {named['switch-0-0']} {named['switch-0-1']}\n"
        f"ym_link {named['switch-0-0']} {named['switch-0-3']}\n"
    )
    done = lacis("opensm", "conf", *write(subject, tmp_path), "-R", "torus-2QoS", "--torus-config", conf)
    assert done.status == 0, done.err
    outcome = swept(subject, done.out)
    assert (outcome.engine, outcome.failed) == ("lacis-torus-2QoS", ())


@pytest.mark.parametrize(
    ("name", "engines", "serves"),
    [
        ("missing-cable", "ftree,updn", "updn"),
        ("torus:4x4", "minhop,lacis-ftree,lacis-numbered,dor", "lacis-numbered"),
        ("torus:4x4", "minhop", "lacis-numbered"),
        ("itasca:67", "updn,lacis-eventree", "lacis-eventree"),
    ],
)
def test_where_the_plugin_refuses_the_predicted_engine_routes(
    lacis: Lacis, tmp_path: Path, name: str, engines: str, serves: str
) -> None:
    subject = fabric(name)
    where = [*write(subject, tmp_path), "-R", engines]
    done = lacis("opensm", "conf", *where, "--json")
    answer = json.loads(done.out)
    assert (done.status, answer["good"], answer["serves"]) == (1, False, serves)

    outcome = swept(subject, "".join(f"{line['key']} {line['value']}\n" for line in answer["lines"]))

    assert outcome.engine == serves
    assert list(outcome.failed) == [refusal["engine"] for refusal in answer["refusals"]]


def test_opensm_reads_each_line_as_it_is_written(lacis: Lacis, tmp_path: Path) -> None:
    """`opensm -c` writes the configuration as it has read it."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    subject = fabric("two-tier-24")
    roots = guids(folder, "roots", subject.roots)
    now = tmp_path / "now.conf"
    now.write_text("event_plugin_name other\nevent_plugin_options a=b\nrouting_engine updn\n")
    asked: list[str | Path] = ["--opensm-conf", now, "-R", "updn,ftree", "-a", roots, "-z", "-H", "2"]
    asked += ["--vls", "4", "-l", "1", "--prove", "hosts", "--report", tmp_path / "report"]
    done = lacis("opensm", "conf", *write(subject, tmp_path), *asked)
    assert done.status == 0, done.err
    conf, understood = tmp_path / "conf", tmp_path / "understood"
    conf.write_text(done.out)
    program = opensm.program("opensm")
    assert program is not None
    subprocess.run([program, "-F", conf, "-c", understood], capture_output=True, check=True, timeout=20)
    lines = [line for line in done.out.splitlines() if line and not line.startswith("#")]
    has = set(understood.read_text().splitlines())
    assert [line for line in lines if line.replace('"', "") not in has] == []
    assert "event_plugin_name other,osmlacis" in lines
    assert f"event_plugin_options a=b prove=hosts report={tmp_path / 'report'}" in lines
    assert f'root_guid_file "{roots}"' in lines
    assert "max_op_vls 3" in lines


def test_without_the_plugin_opensm_goes_on_to_its_own_engine(lacis: Lacis, tmp_path: Path) -> None:
    subject = fabric("two-tier-24")
    done = lacis("opensm", "conf", *write(subject, tmp_path), "-R", "eventree,updn")
    outcome = opensm.run(
        *(subject.text, "", ["-F", "@opensm.conf"]),
        sm=subject.idents[0],
        files={"opensm.conf": done.out},
        plugin=tmp_path / "libosmlacis.so",
    )
    assert outcome.engine == "updn"
    assert "ERR 1000: cannot load plugin 'osmlacis'" in outcome.log
