"""`lacis explain --counters`: other traffic that the counters of a store or a recording show, and suspects that it speaks for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from lacis import measured
from lacis.counters import recording
from lacis.counters.names import PortNames
from lacis.counters.store import CounterStore

from benchmarks.explain.net import Net, net
from benchmarks.explain.traffic import Plan, Story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis, Result

pytest.importorskip("polars")
pytestmark = pytest.mark.slow

SPEC = "itasca:5"
PAIR = (3, 4)


@pytest.fixture(scope="module")
def site() -> Net:
    found = net(SPEC, "minhop")
    assert found is not None
    return found


def kept(site: Net, path: Path, plan: Plan, kind: str = "store") -> tuple[str, ...]:
    """The arguments that explain a story, whose values and counters are kept."""
    one = Story(site, plan, np.random.default_rng(1))
    measured.Store(path / "results").add(measured.Results(one.frame()))
    counters = path / "counters"
    if kind == "store":
        with CounterStore(counters) as store:
            for sweep in one.sweeps():
                store.append(sweep)
    else:
        names = PortNames(site.fabric)
        counters.write_bytes(b"".join(recording.line(recording.document(one, names)) for one in one.sweeps()))
    known = ("explain", SPEC, "-R", "minhop", "--measured", "latest", "--store", str(path / "results"))
    return (*known, "--counters", str(counters))


def both(lacis: Lacis, asked: tuple[str, ...]) -> tuple[int, dict[str, Any], str]:
    document, text = lacis(*asked, "--json"), lacis(*asked)
    assert document.status == text.status, (document.err, text.err)
    # Lines are wrapped.
    return document.status, json.loads(document.out), " ".join(text.out.split())


@pytest.mark.parametrize("kind", ["store", "recording"])
def test_a_suspect_whose_link_carried_other_traffic_is_not_accused(
    lacis: Lacis, site: Net, tmp_path: Path, kind: str
) -> None:
    asked = kept(site, tmp_path, Plan(rounds=30, seconds=(0.4, 1.2), pairs=(PAIR,)), kind)
    sender, receiver = (site.hosts[at] for at in PAIR)
    # Without counters the links of the two hosts are accused: the other job sends from one to the other.
    without: Result = lacis(*asked[:-2], "--json")
    assert without.status == 1
    accused = [one["suspects"][0] for one in json.loads(without.out)["found"]]
    assert [one["kind"] for one in accused] == ["sending", "receiving"]
    assert json.loads(without.out)["others_counted"] is None
    for one, host in zip(accused, (sender, receiver), strict=True):
        assert one["node"].startswith(host)

    status, document, text = both(lacis, asked)
    assert (status, document["found"], document["verdict"]) == (2, [], "other_traffic")
    assert document["withheld"] == len(accused)
    one = document["others_counted"]
    assert (one["verdict"], one["fact"]["kind"]) == ("seen", "others_sent")
    # The two hosts have one leaf, so that the other flow crosses two links.
    ends = {(link["egress"].split(" ")[0], link["ingress"].split(" ")[0]) for link in one["links"]}
    assert {egress for egress, _ in ends} & {sender}
    assert {ingress for _, ingress in ends} & {receiver}
    assert len(ends) == one["fact"]["links"] == 2
    assert all(link["rounds"] and "jobs" not in link for link in one["links"])
    assert "counters show other traffic on 2 of" in text
    assert "drain the hosts of other jobs" in text


def test_counters_without_other_traffic_are_outright_evidence(
    lacis: Lacis, site: Net, tmp_path: Path
) -> None:
    status, document, text = both(lacis, kept(site, tmp_path, Plan(rounds=20, seconds=(0.4, 1.2))))
    assert status in {0, 2}
    assert (document["others_counted"]["verdict"], document["others_counted"]["because"]) == ("none", [])
    assert "counters show no other traffic" in text
    assert document["verdict"] in {"nothing", "cannot_tell"}


def test_the_jobs_behind_other_traffic_are_named_where_they_ran_at_the_time(
    lacis: Lacis, site: Net, tmp_path: Path
) -> None:
    asked = kept(site, tmp_path, Plan(rounds=20, seconds=(0.4, 1.2), pairs=(PAIR,)))
    sender, receiver = (site.hosts[at] for at in PAIR)
    jobs = tmp_path / "jobs"
    rows = [
        f"7|{sender},{receiver}|2026-11-28T00:00:00Z|2026-11-29T00:00:00Z",
        f"8|{sender},{receiver}|2026-11-27T00:00:00Z|2026-11-28T00:00:00Z",
        f"9|{site.hosts[10]},{site.hosts[11]}|2026-11-28T00:00:00Z|Unknown",
        f"10|{','.join(site.hosts)}|2026-11-28T00:00:00Z|Unknown",
    ]
    jobs.write_text("\n".join(["JobID|NodeList|Start|End", *rows]) + "\n")
    _, document, text = both(lacis, (*asked, "--jobs", str(jobs)))
    assert [link["jobs"] for link in document["others_counted"]["links"]] == [["7"], ["7"]]
    assert "perhaps of 7" in text
    jobs.write_text("no list\n")
    done = lacis(*asked, "--jobs", jobs)
    assert (done.status, done.out) == (2, "")
    assert f"{jobs}:1: no list of jobs" in done.err


def test_values_without_times_say_so(lacis: Lacis, site: Net, tmp_path: Path) -> None:
    asked = kept(site, tmp_path, Plan(rounds=6))
    run = measured.Store(tmp_path / "results").find("latest")[0]
    frame = run.values().drop("began", "ended", "sent")
    measured.Store(tmp_path / "old").add(measured.modelled(frame.to_dict(as_series=False)))
    again = [str(tmp_path / "old") if one.endswith("results") else one for one in asked]
    _, document, text = both(lacis, tuple(again))
    [reason] = document["others_counted"]["because"]
    assert reason == {"kind": "values_undated", "values": frame.height, "of": frame.height}
    assert "counters cannot tell whether there was other traffic" in text


def test_jobs_need_counters_over_time(lacis: Lacis, site: Net, tmp_path: Path) -> None:
    asked = kept(site, tmp_path, Plan(rounds=3))
    done = lacis(*asked[:-2], "--jobs", "x")
    assert (done.status, done.out) == (2, "")
    assert "--jobs says whose traffic counters show: it needs --counters STORE" in done.err
    done = lacis("explain", "--measured", "latest", "--jobs", "x")
    assert done.status == 2
    assert "it needs a FABRIC" in done.err


def test_the_report_says_the_same(lacis: Lacis, site: Net, tmp_path: Path) -> None:
    asked = kept(site, tmp_path, Plan(rounds=20, seconds=(0.4, 1.2), pairs=(PAIR,)))
    store, counters, page = asked[asked.index("--store") + 1], asked[-1], tmp_path / "page.html"
    words = ("--measured", "latest", "--store", store, "--counters", counters, "-o", page, "--json")
    done = lacis("report", SPEC, *words)
    suspects = json.loads(done.out)["suspects"]
    assert suspects["others_counted"]["verdict"] == "seen"
    assert suspects["found"] == []
    text = page.read_text()
    assert "Counters show other traffic on 2 of" in text
    assert "of its rate from 2026-11-28" in text
