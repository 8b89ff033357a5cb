"""`lacis watch`: lines of text and of JSON, exit status, and bad input."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

import lacis as api
import pytest
from lacis.counters import recording
from lacis.counters.names import PortNames
from lacis.counters.store import CounterStore

from tests import counted, schemas
from tests.cli import samples

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

pytestmark = pytest.mark.usefixtures("here")
TREE = "fat-tree:4,2"
AT = 1_700_000_000
"""14 November 2023, 22:13:20 UTC."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a recording: a cable is bad in the second minute, a link is down for two, another hot from minute 3 on."""
    fabric = api.read(TREE)
    names = PortNames(fabric)
    lines = []
    for minute in range(16):
        words = max(0, minute - 2) * 60 * 25 * 10**9 // 4
        values = {"leaf-01[1]": {"SymbolErrors": 5 * (minute > 0)}, "leaf-01[3]": {"XmitData": words}}
        down = ["leaf-02[3]"] if minute in (1, 2) else []
        sweep = counted.read(fabric, AT + 60 * minute, values, down=down)
        lines.append(recording.line(recording.document(sweep, names)))
    (tmp_path / "sweeps.jsonl").write_bytes(b"".join(lines))
    (tmp_path / "opensm.log").write_text(samples.LOG)
    (tmp_path / "jobs").write_text("JOBID|ST|NODELIST\n17|R|node[0001-0008]\n18|R|node[0003-0004]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


WARNING = (
    "2023-11-14T22:14:20Z  2  warning: leaf-01[1] from node0001 HCA-1[1]: 5 symbol errors within 12 minutes, "
    "where a good cable has 1.44 at most"
)


def test_each_condition_has_a_line_when_it_begins_and_one_when_it_has_ended(lacis: Lacis) -> None:
    done = lacis("watch", TREE, "--from", "sweeps.jsonl")
    assert done.status == 1
    assert done.out.splitlines() == [
        "2023-11-14T22:14:20Z  1  error: leaf-02[3]: the link to spine-01[2] is down",
        WARNING,
        "2023-11-14T22:17:20Z  3  notice: leaf-01[3] → spine-01[1] carries 25 GB/s, 100% of its rate",
        "2023-11-14T22:26:20Z  1  over after 12 min, error: leaf-02[3]: the link to spine-01[2] is down",
    ]


@pytest.mark.parametrize(
    ("minute", "lasted"), [(11, "11 min"), (59.4, "59 min"), (59.6, "1 h 0 min"), (150, "2 h 30 min")]
)
def test_what_is_over_says_how_long_it_lasted(lacis: Lacis, here: Path, minute: float, lasted: str) -> None:
    fabric = api.read(TREE)
    names = PortNames(fabric)
    sweeps = [
        counted.read(fabric, AT + 60 * at, down=["leaf-02[3]"] if not at else []) for at in (0, 1, minute)
    ]
    lines = [recording.line(recording.document(sweep, names)) for sweep in sweeps]
    (here / "short.jsonl").write_bytes(b"".join(lines))
    done = lacis("watch", TREE, "--from", "short.jsonl")
    assert done.status == 0  # nothing is wrong at the end
    assert f"  1  over after {lasted}, error: leaf-02[3]: " in done.out


def test_json_is_a_line_for_each_event(lacis: Lacis) -> None:
    done = lacis("watch", TREE, "--from", "sweeps.jsonl", "--jobs", "jobs", "--json", "-R", "minhop")
    lines = [json.loads(line) for line in done.out.splitlines()]
    for line in lines:
        schemas.check(line)
    assert [(line["event"], line["number"], line["condition"]["kind"]) for line in lines] == [
        ("opened", 1, "link_is_down"),
        ("opened", 2, "symbol_errors_many"),
        ("opened", 3, "link_hot"),
        ("closed", 1, "link_is_down"),
    ]
    (hot,) = (line["condition"] for line in lines if line["condition"]["kind"] == "link_hot")
    assert [(job["name"], job["hosts"]) for job in hot["jobs"]] == [("17", 8)]
    assert (lines[2]["time"], lines[2]["since"]) == ("2023-11-14T22:17:20Z", "2023-11-14T22:16:20Z")
    assert lines[1]["words"] == WARNING.partition(": ")[2]


def test_jobs_may_be_named(lacis: Lacis) -> None:
    given = ("--job", "a=node[0001-0004]", "--job", "b=node[0005-0008]", "-R", "minhop")
    out = lacis("watch", TREE, "--from", "sweeps.jsonl", *given).out
    (hot,) = (line for line in out.splitlines() if "notice: leaf-01[3] → spine-01[1]" in line)
    assert "100% of its rate: job a with " in hot
    assert "job b" not in hot


def test_it_ends_after_as_many_sweeps_as_it_is_asked_for(lacis: Lacis) -> None:
    done = lacis("watch", TREE, "--from", "sweeps.jsonl", "--sweeps", "1")
    assert (done.status, done.out) == (0, "")
    done = lacis("watch", TREE, "--from", "sweeps.jsonl", "--from", "sweeps.jsonl", "--sweeps", "2")
    assert len(done.out.splitlines()) == 2


@pytest.fixture
def kept(here: Path) -> Path:
    """A store with one sweep, in which nothing is wrong."""
    with CounterStore(here / "kept") as store:
        store.append(counted.read(api.read(TREE), AT))
    return here / "kept"


@pytest.mark.parametrize(
    ("age", "every", "status"),
    # Ten sweeps of 60 s are 600.
    [(420, "5s", 1), (420, "30s", 1), (420, "60s", 0), (240, "5s", 0)],
)
def test_readings_are_old_after_five_minutes_or_ten_sweeps(
    lacis: Lacis, kept: Path, monkeypatch: pytest.MonkeyPatch, age: int, every: str, status: int
) -> None:
    monkeypatch.setattr("time.time", lambda: float(AT + age))
    done = lacis("watch", TREE, "--store", kept, "--every", every, "--sweeps", "1")
    assert done.status == status
    assert done.out.endswith(": the last readings are 7 minutes old\n") == bool(status)


def test_a_store_is_watched_until_it_is_to_end(
    lacis: Lacis, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ending:
        """Is set after three looks."""

        looks = 0

        def is_set(self) -> bool:
            self.looks += 1
            return self.looks > 3

        def wait(self, seconds: float) -> None:
            """Lets no time pass."""

    ending = Ending()
    monkeypatch.setattr("lacis.cli.watch._asked_to_end", lambda: contextlib.nullcontext(ending))
    monkeypatch.setattr("time.time", lambda: AT + 1.0)
    done = lacis("watch", TREE, "--store", kept)
    assert (done.status, done.out, ending.looks) == (0, "", 4)


def test_files_alone_can_be_watched(lacis: Lacis, here: Path) -> None:
    done = lacis("watch", TREE, "--no-counters", "--log", "opensm.log", "--sweeps", "1")
    assert done.status == 1
    assert done.out.endswith("1  error: opensm.log: ftree refused the fabric, and minhop made the tables\n")
    api.read(TREE)
    planned = ("--no-counters", "--plan", "plan.json", "--sweeps", "1")
    (here / "plan.json").write_text(api.read(TREE).to_json())
    (here / "now.json").write_text(api.read(TREE).without(["leaf-01--spine-01"]).to_json())
    done = lacis("watch", "now.json", *planned)
    assert "warning: plan.json: 1 cable missing\n" in done.out
    assert lacis("watch", TREE, *planned).status == 0


def test_a_log_that_is_absent_is_a_condition_and_no_end(lacis: Lacis) -> None:
    done = lacis("watch", TREE, "--no-counters", "--log", "absent", "--sweeps", "2", "--every", "10ms")
    assert done.status == 1
    assert done.out.endswith("1  warning: absent: no such file or directory\n")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--no-counters",), "--no-counters needs a file to watch"),
        (("--no-counters", "--from", "sweeps.jsonl"), "--no-counters leaves nothing to read"),
        (("--from", "sweeps.jsonl", "--store", "kept"), "--from and --store are two sources"),
        (("--from", "sweeps.jsonl", "--jobs", "jobs", "--job", "a=node0001"), "jobs are given once"),
        (("--from", "sweeps.jsonl", "--job", "node0001"), "--job 'node0001': expected NAME=HOSTS"),
        (("--from", "sweeps.jsonl", "--job", "a=node0099"), "node0099"),
        (("--from", "sweeps.jsonl", "--jobs", "opensm.log"), "opensm.log:1: no list of jobs"),
        (("--from", "sweeps.jsonl", "--lfts", "absent"), "absent: no such file or directory"),
        (("--from", "sweeps.jsonl", "--plan", "absent"), "absent: no such file or directory"),
        (("--from", "sweeps.jsonl", "--hot", "2"), "2"),
        (("--from", "absent"), "lacis: absent: no such file or directory"),
        (("--from", "opensm.log"), "lacis: opensm.log"),
        ((), "says no LIDs, by which counters are read"),
    ],
)
def test_bad_input_is_one_line(lacis: Lacis, words: tuple[str, ...], error: str) -> None:
    done = lacis("watch", TREE, *words)
    assert (done.status, done.out) == (2, "")
    assert error in done.err
    assert done.err.count("\n") == 1
