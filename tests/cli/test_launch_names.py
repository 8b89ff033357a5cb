"""`lacis order`: names of hosts as lists have them, and as launchers can hold them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import lacis as library
import pytest

from tests.launched import TREE, written

if TYPE_CHECKING:
    from tests.conftest import Lacis


def test_names_mean_hosts_in_any_case_and_by_their_short_names(lacis: Lacis, tmp_path: Path) -> None:
    listed = tmp_path / "list"
    listed.write_text("NODE0003\nnode0001.cluster.example\n")
    given = ("--by", "host", "--list", listed)
    # Launchers get the names that the list has; OpenSM the GUIDs of the hosts that they mean.
    assert written(lacis("order", TREE, *given, "--as", "slurm")) == "NODE0003\nnode0001.cluster.example\n"
    plain = tmp_path / "plain"
    plain.write_text("node0003\nnode0001\n")
    assert written(lacis("order", TREE, *given)) == written(
        lacis("order", TREE, "--by", "host", "--list", plain)
    )
    job = lacis("job", TREE, "Node0003,node0001.cluster.example", "-R", "minhop", "--json")
    assert json.loads(job.out)["hosts"] == ["node0003", "node0001"]


def renamed(tmp_path: Path, names: dict[str, str]) -> Path:
    """The tree with other names of hosts."""
    whole = json.loads(library.read(TREE).to_json())
    for node in whole["nodes"]:
        for old, new in names.items():
            if node["description"].split(" ")[0] == old:
                node["description"] = node["description"].replace(old, new)
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(whole))
    return path


def test_a_name_that_may_mean_two_hosts_means_none(lacis: Lacis, tmp_path: Path) -> None:
    tree = renamed(tmp_path, {"node0001": "login.a", "node0002": "login.b"})
    listed = tmp_path / "list"
    listed.write_text("login.b\nlogin\n")
    given = ("--by", "host", "--list", listed)
    for form in ("slurm", "guids", "names"):
        done = lacis("order", tree, *given, "--as", form)
        assert (done.status, done.out) == (2, "")
        assert (
            done.err
            == f"lacis: {listed}:2: may be login.a or login.b, which differ in case or domain alone: login\n"
        )
    # The same name is no doubt, whatever else is like it.
    listed.write_text("login.b\n")
    assert written(lacis("order", tree, *given, "--as", "slurm")) == "login.b\n"


@pytest.mark.parametrize(
    "form", ["openmpi", "openmpi-seq", "openmpi-rankfile", "hydra", "slurm", "pbs", "mpijob", "torchrun"]
)
@pytest.mark.parametrize("name", ["a host", "a:1", "a#b", "-rf", "a,b", "a\x1b[31m", "$(a)", "ä"])
def test_a_name_that_a_launcher_cannot_hold_is_an_error(
    lacis: Lacis, tmp_path: Path, form: str, name: str
) -> None:
    whole = json.loads(library.read(TREE).to_json())
    next(node for node in whole["nodes"] if node["kind"] != "switch")["description"] = name
    tree = tmp_path / "tree.json"
    tree.write_text(json.dumps(whole))
    done = lacis("order", tree, "--as", form)
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(r"lacis: a name that [^\n]+ cannot hold: [ -~]+\n", done.err)


def test_names_of_two_hosts_that_open_mpi_would_misread(lacis: Lacis, tmp_path: Path) -> None:
    # Tried with 4.1.4: `slots` is a key of its host files, and it refuses underscores.
    tree = renamed(tmp_path, {"node0001": "slots", "node0002": "n_2"})
    for host in ("slots", "n_2"):
        assert lacis("order", tree, "--hosts", host, "--as", "openmpi-seq").status == 2
        assert written(lacis("order", tree, "--hosts", host, "--as", "hydra")) == f"{host}:1\n"


def test_names_with_blanks_are_quoted_in_lists_of_names(lacis: Lacis, tmp_path: Path) -> None:
    whole = json.loads(library.read(TREE).to_json())
    hosts = [node for node in whole["nodes"] if node["kind"] != "switch"]
    hosts[0]["description"] = "rack 7 left"
    tree = tmp_path / "tree.json"
    tree.write_text(json.dumps(whole))
    done = lacis("order", tree, "--names", "-o", tmp_path / "names")
    name = (tmp_path / "names").read_text().splitlines()[0]
    assert name.startswith('"')
    assert "1 name with blanks in quotes, which no launcher reads" in done.err
    assert lacis("order", tree, "--by", "host", "--list", tmp_path / "names").status == 0
