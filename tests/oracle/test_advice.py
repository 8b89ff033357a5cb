"""Bundles of `lacis advise` keep their promises: OpenSM runs as the README says, and the figures are computed from its tables."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from lacis import _core
from lacis.advice.gains import figures
from lacis.advice.outcome import outcome
from lacis.advice.variants import Variant

from . import opensm
from .fabrics import Subject, dgx_subject, spec

if TYPE_CHECKING:
    from ..conftest import Lacis

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("plugin_built")]

LIMIT = 120.0


def advised(lacis: Lacis, subject: Subject, folder: Path) -> list[dict[str, Any]]:
    """The bundles of a fabric, written into a folder."""
    net = folder / "fabric.net"
    net.write_text(subject.text)
    done = lacis("advise", net, "--sm", subject.idents[0], "-o", folder / "advice", "--json")
    assert (done.status, done.err) == (0, ""), done.err
    bundles: list[dict[str, Any]] = json.loads(done.out)["bundles"]
    return bundles


def loaded(subject: Subject, bundle: dict[str, Any]) -> opensm.Outcome:
    """OpenSM's results with a bundle's opensm.conf, run as its README says."""
    read_me = (Path(bundle["folder"]) / "README.md").read_text()
    [typed] = re.findall(r"^ +opensm (-F \S+)$", read_me, re.M)
    return opensm.run(subject.text, "", typed.split(), sm=subject.idents[0], limit_s=LIMIT)


def check(subject: Subject, bundle: dict[str, Any]) -> None:
    swept = loaded(subject, bundle)
    assert swept.failed == ()
    assert swept.engine == bundle["engines"][0]
    fabric = _core.read_fabric(subject.text.encode())
    routes, _ = _core.read_lfts(fabric, swept.dump.encode())
    found = outcome(fabric, Variant("loaded", swept.engine), routes, "all")
    has = [(f.name, f.unit, f.then) for f in figures(found, found)]
    promised = [(f["name"], f["unit"], f["then"]) for f in bundle["figures"]]
    if any("qos TRUE" in line for line in bundle["applications"]):
        # A dump of tables has no lanes; the bundle warns applications of its credit loops without lanes.
        loops = {name: then for name, _, then in has}["credit loops among hosts"]
        warned = "\n".join(bundle["applications"])
        assert ("no credit loop" in warned) == (loops == 0)
        has, promised = ([f for f in some if f[1] != "loops"] for some in (has, promised))
    assert has == promised


@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("fat-tree:6,2", ("random-cables=6%,seed=3",)),
        ("fat-tree:4,3", ("random-cables=6%,seed=5",)),
        ("torus:3x3:h=2", ()),
    ],
)
def test_every_bundle_does_in_opensm_what_it_promises(
    lacis: Lacis, tmp_path: Path, name: str, without: tuple[str, ...]
) -> None:
    subject = spec(name, seed=1, without=without)
    bundles = advised(lacis, subject, tmp_path)
    assert {bundle["kind"] for bundle in bundles} >= {"plugin", "tables"}
    for bundle in bundles:
        check(subject, bundle)


def test_the_plugin_does_on_a_real_cluster_what_its_bundle_promises(
    lacis: Lacis, tmp_path: Path, dgx: Path
) -> None:
    subject = dgx_subject(dgx, keep_lids=False)
    plugin = advised(lacis, subject, tmp_path)[0]
    assert plugin["engines"] == ["lacis-eventree", "lacis-numbered", "minhop"]
    check(subject, plugin)


def test_opensm_reads_each_line_of_a_bundle_as_it_is_written(lacis: Lacis, tmp_path: Path) -> None:
    """`opensm -c` writes the configuration as it has read it."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    program = opensm.program("opensm")
    assert program is not None
    for bundle in advised(lacis, spec("fat-tree:6,2", 1, without=("random-cables=6%,seed=3",)), folder):
        conf, understood = Path(bundle["folder"]) / "opensm.conf", tmp_path / "understood"
        subprocess.run([program, "-F", conf, "-c", understood], capture_output=True, check=True, timeout=20)
        has = set(understood.read_text().splitlines())
        lines = conf.read_text().splitlines()
        assert [line for line in lines if line.replace('"', "") not in has] == []
