"""Completion, asked of the shells themselves: bash, zsh and fish."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Lacis

PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

# What bash does with the tab key, but for the key: the words as its readline breaks them.
BASH = r"""
source <(lacis completion bash)
compopt() { local IFS=' '; echo "compopt $*"; }
COMP_LINE=$1 COMP_POINT=${#1}
IFS=' ' read -r -a COMP_WORDS <<< "$1"
_lacis_completion lacis
printf '%s\n' "${COMPREPLY[@]}"
"""
# zsh completes on a terminal only, which zpty is. Two lines, as the first one loads the script from $fpath.
ZSH = r"""
zmodload zsh/zpty
zpty shell "zsh -f -i"
zpty -w shell "PS1= PATH='$PATH' TERM=dumb fpath=($PWD \$fpath); autoload -Uz compinit; compinit -D -u"
zpty -w shell "$1; echo READY-NOW"
zpty -r -m shell line '*READY-NOW*READY-NOW*'
zpty -n -w shell 'lacis verify fat-tree:4,2 -R df'$'\t'
zpty -r -m shell line '*-R dfsssp*'
zpty -n -w shell $'\x15lacis fabric tor\t'
zpty -r -m shell line '*fabric torus:*'
zpty -d shell
"""


def need(shell: str) -> None:
    """Every machine of ours has bash; without another shell its tests skip, and fail where all are to run."""
    if shutil.which(shell) is None:
        reason = f"no {shell}: apt-get install {shell}"
        pytest.fail(reason) if shell == "bash" or os.environ.get("CI") == "true" else pytest.skip(reason)


def bash(line: str, folder: Path) -> list[str]:
    return run(["bash", "--norc", "-c", BASH, "bash", line], folder)


def fish(line: str, folder: Path) -> list[str]:
    script = f"lacis completion fish | source; complete -C '{line}'"
    return [answer.partition("\t")[0] for answer in run(["fish", "--no-config", "-c", script], folder)]


def run(command: list[str], folder: Path) -> list[str]:
    environment = {"PATH": PATH, "HOME": str(folder), "TERM": "dumb", "LANG": "C.UTF-8"}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env=environment, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


@pytest.fixture(params=["bash", pytest.param("fish", marks=pytest.mark.slow)])
def ask(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], list[str]]:
    shell = {"bash": bash, "fish": fish}[request.param]
    need(request.param)
    return lambda line: shell(line, tmp_path)


def test_commands(ask: Callable[[str], list[str]]) -> None:
    assert ask("lacis ver") == ["verify"]
    assert {"report", "fabric", "route", "completion"} <= set(ask("lacis "))
    assert ask("lacis opensm ") == ["build", "conf"]


def test_options_and_their_values(ask: Callable[[str], list[str]]) -> None:
    assert ask("lacis predict fat-tree:4,2 --traf") == ["--traffic"]
    assert ask("lacis predict fat-tree:4,2 --model ") in (["load", "fluid"], ["fluid", "load"])
    assert ask("lacis simulate fat-tree:4,2 --test w") == ["windows"]


@pytest.mark.slow
def test_engines_one_after_another(ask: Callable[[str], list[str]]) -> None:
    assert ask("lacis route x.net -R min") == ["minhop"]
    assert ask("lacis route x.net -R updn,df") == ["updn,dfsssp"]
    assert {"ftree", "eventree"} <= set(ask("lacis route x.net --engine "))
    assert "minhop" not in ask("lacis route x.net -R minhop,")


@pytest.mark.slow
def test_traffic(ask: Callable[[str], list[str]]) -> None:
    assert ask("lacis predict fat-tree:4,2 --traffic bi") == ["bisection"]
    # A shell may sort them.
    assert sorted(ask("lacis simulate fat-tree:4,2 --traffic allg")) == [
        "allgather:bruck",
        "allgather:recursive-doubling",
        "allgather:ring",
    ]
    assert {"shift", "nccl-tree", "trace:"} <= set(ask("lacis predict fat-tree:4,2 --traffic "))


@pytest.mark.slow
def test_nodes_and_hosts(ask: Callable[[str], list[str]]) -> None:
    # Two leaves of two hosts each would be a tree of radix 4: 4 leaves, 8 hosts.
    assert ask("lacis trace fat-tree:4,2 node000") == [f"node000{n}" for n in range(1, 9)]
    assert ask("lacis trace fat-tree:4,2 node0001 leaf-") == [f"leaf-0{n}" for n in range(1, 5)]
    assert ask("lacis whatif fat-tree:4,2 --cut leaf-01--spi") == ["leaf-01--spine-01", "leaf-01--spine-02"]
    assert ask("lacis fabric fat-tree:4,2 --without spine-") == ["spine-01", "spine-02"]
    assert ask("lacis job fat-tree:4,2 node0001,node0008") == ["node0001,node0008"]
    assert not any(ask("lacis predict fat-tree:4,2 --hosts leaf"))
    # Where the fabric is not named yet, or is no fabric, there is nothing to say.
    assert not any(ask("lacis fabric --without spine-"))
    assert not any(ask("lacis trace /absent/file no"))


def test_names_with_blanks_are_quoted_for_the_shell(lacis: Lacis, tmp_path: Path) -> None:
    assert lacis("fabric", "fat-tree:4,2", "-o", tmp_path / "tree.json").status == 0
    text = (tmp_path / "tree.json").read_text()
    (tmp_path / "tree.json").write_text(text.replace('"spine-01"', '"the spine 1"'))
    assert bash("lacis trace tree.json the", tmp_path) == [r"the\ spine\ 1"]


def test_every_traffic_that_is_completed_is_one_or_begins_one(lacis: Lacis) -> None:
    from lacis import _core

    arguments = {"file:": "x", "trace:": "x", "stencil:": "2x2", "incast:": "2"}
    page = (Path(__file__).parents[2] / "docs" / "reference" / "traffic.md").read_text("utf-8")
    names = _core.traffic_names()
    assert len(names) > 20
    for name in names:
        assert _core.traffic_kind(name + arguments.get(name, ""))[0] in ("pattern", "program")
        assert name.partition(":")[0] in page
    # Those that need a file end in a refusal of the file, not of the name.
    assert "absent: " in lacis("predict", "fat-tree:4,2", "--traffic", "file:absent").err


def test_synthetic_fabrics(ask: Callable[[str], list[str]]) -> None:
    assert "fat-tree:" in ask("lacis fabric fat")
    assert "itasca" in ask("lacis report ita")


def test_files(tmp_path: Path) -> None:
    (tmp_path / "my.fabric").touch()
    assert bash("lacis fabric my", tmp_path) == ["compopt -o filenames -o default", ""]
    assert bash("lacis route my.fabric --lfts ", tmp_path) == ["compopt -o filenames -o default", ""]


FILES = (
    ("diff", ""),
    ("diff", "a.net", ""),
    ("rails", "doctor", ""),
    ("rails", "check", ""),
    ("permute", "--fabric", "fat-tree:4,2", ""),
    ("opafm", ""),
    ("replay", "fat-tree:4,2", ""),
    ("results", "import", ""),
    ("results", "show", ""),
    ("explain", "--measured", ""),
    ("why", "--counters", ""),
    ("top", "fat-tree:4,2", "--store", ""),
    ("counters", ""),
    ("rails", "show", ""),
)


@pytest.mark.parametrize("line", FILES, ids=" ".join)
def test_what_reads_a_file_completes_files(
    lacis: Lacis, monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...]
) -> None:
    monkeypatch.setenv("_LACIS_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_LINE", " ".join(("lacis", *line)))
    assert lacis().out.splitlines() == ["file,"]


def test_what_takes_a_fabric_completes_specs(lacis: Lacis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_LACIS_COMPLETE", "bash_complete")
    for line in ("diff tor", "counters tor", "rails show tor", "fabric a --since tor"):
        monkeypatch.setenv("COMP_LINE", f"lacis {line}")
        assert lacis().out.splitlines() == ["prefix,torus:"]


def test_files_in_fish(tmp_path: Path) -> None:
    need("fish")
    (tmp_path / "my.fabric").touch()
    assert fish("lacis fabric my", tmp_path) == ["my.fabric"]


def test_bash_breaks_words_at_signs_that_fabrics_and_options_have_inside(tmp_path: Path) -> None:
    # The answer to `--engine=mi` goes after `=`; `:` and `,` of a fabric end no argument.
    assert bash("lacis trace torus:4x4:h=2,rails=2 a b --lft", tmp_path) == ["--lfts", "--lfts-file"]
    assert bash("lacis route x.net --engine=mi", tmp_path) == ["minhop"]


@pytest.mark.slow
@pytest.mark.parametrize("load", [":", "source <(lacis completion zsh)"], ids=["$fpath", "source"])
def test_zsh(lacis: Lacis, tmp_path: Path, load: str) -> None:
    need("zsh")
    if load == ":":
        (tmp_path / "_lacis").write_text(lacis("completion", "zsh").out)
    # It waits until each answer is there, and fails after a minute without it.
    run(["zsh", "-f", "-c", ZSH, "zsh", load], tmp_path)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_variable_of_click_gives_the_same_script(
    lacis: Lacis, monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    script = lacis("completion", shell).out
    assert "lacis" in script
    monkeypatch.setenv("_LACIS_COMPLETE", f"{shell}_source")
    assert lacis().out == script
    # Asked without a line, which shells never do.
    monkeypatch.setenv("_LACIS_COMPLETE", f"{shell}_complete")
    assert (lacis().status, lacis().err) == (0, "")


def test_a_question_of_no_shell_is_one_line(lacis: Lacis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_LACIS_COMPLETE", "nonsense")
    result = lacis()
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert result.err.startswith("lacis: _LACIS_COMPLETE=nonsense: expected one of bash_source")


def test_a_shell_that_is_not_there_is_one_line(lacis: Lacis) -> None:
    result = lacis("completion", "tcsh")
    assert (result.status, result.out) == (2, "")
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in result.err
