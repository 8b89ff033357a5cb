"""Other traffic while a measurement ran, by counters: stories in which what was sent is known, from a generator of its own."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

import lacis
import numpy as np
import polars as pl
import pytest
from lacis import _core
from lacis.documents.explain import Suspect
from lacis.explain import traffic as judged
from lacis.explain.traffic.rows import others_counted
from lacis.explain.traffic.spared import Spared
from lacis.facts import traffic as of
from lacis.measured import modelled

from benchmarks.explain.fair import damaged
from benchmarks.explain.net import Net, net
from benchmarks.explain.traffic import BEGAN, Plan, Story, said, seen_links
from tests.conftest import one_quick
from tests.why_readings import AT, readings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lacis.counters import Readings
    from lacis.explain.traffic import Others


@cache
def site(name: str, engine: str, cables: int = 0) -> Net:
    found = net(name, engine)
    assert found is not None
    return damaged(found, cables, 1, engine) if cables else found


def small() -> Net:
    return site("fat-tree:4,3", "updn")


def story(plan: Plan, seed: int = 1, where: Net | None = None) -> Story:
    return Story(where or small(), plan, np.random.default_rng(seed))


def of_sweeps(one: Story, sweeps: Iterable[Readings], frame: Any = None) -> Others:
    hosts = _core.participants(one.net.routes, groups="all", rail="1", order="topology")
    sent = judged.sent_of(one.net.routes, hosts, hosts.hosts, one.frame() if frame is None else frame)
    assert sent is not None
    read = list(sweeps)
    return judged.together([judged.judged(part, judged.carried(part, read)) for part in sent.parts()])


FABRICS = [("fat-tree:4,3", "ftree", 0), ("fat-tree:4,3", "minhop", 3), ("itasca:3", "minhop", 0)]


@pytest.mark.slow
@pytest.mark.parametrize("period", [1.0, 10.0])
@pytest.mark.parametrize("where", FABRICS)
def test_where_nothing_else_is_sent_none_is_seen(where: tuple[str, str, int], period: float) -> None:
    for seed in range(3):
        plan = Plan(period, 10 if period == 1 else 40, header=(0.004, 0.012, 0.03)[seed])
        found = said(story(plan, seed, site(*where)))
        assert isinstance(found.fact, of.NothingElseSent), found
        # Headers are all that is left, and are not taken for traffic.
        assert found.fact.share < 0.04
        assert found.word == "none"


@pytest.mark.slow
@pytest.mark.parametrize("period", [1.0, 10.0])
@pytest.mark.parametrize("where", FABRICS)
def test_another_job_is_seen_on_its_links_and_on_no_others(
    where: tuple[str, str, int], period: float
) -> None:
    above = caught = 0
    for seed in range(3):
        plan = Plan(
            period, 10 if period == 1 else 40, others=(0.1, 0.2, 0.4)[seed], duty=(0.5, 0.8, 1.0)[seed]
        )
        one = story(plan, 100 + seed, site(*where))
        found = said(one)
        crossed, seen = seen_links(one, found)
        shares = one.shares()
        assert (shares[seen] > 0).all()
        above += int((shares[crossed] >= 0.1).sum())
        caught += int((shares[seen] >= 0.1).sum())
        assert found.word == ("seen" if len(seen) else "none")
        at_most_what_it_was(one, found)
    assert caught >= 0.95 * above > 0


def at_most_what_it_was(one: Story, found: Others) -> None:
    """What is said to have been sent at least was sent in the time that is said."""
    for part in found.parts:
        links = part.links
        egress = {part.sent.ends(at)[0]: at for at in np.flatnonzero(links.seen).tolist()}
        names = [
            *(name for name, _ in one.net.fabric.switches()),
            *one.net.fabric.descriptions()[one.net.fabric.num_switches :],
        ]
        for link, (node, port) in enumerate(one.net.ends[:, :2].tolist()):
            at = egress.get(f"{names[node]}[{port}]")
            if at is not None:
                begin, end = ((int(times[at]) - BEGAN) / 1e9 for times in (links.began, links.ended))
                # Clocks may differ by a tenth of a second, and headers are sent too.
                truth = one.counted(end + 0.1, one.theirs)[link] - one.counted(begin - 0.1, one.theirs)[link]
                assert links.bytes[at] <= truth * (1 + one.plan.header) + 1


def kinds(found: Others) -> set[type]:
    assert found.word == "cannot_tell", found
    assert isinstance(found.fact, of.CannotSay)
    return {type(one) for one in found.unsaid}


def test_what_counters_do_not_cover_is_not_said() -> None:
    assert kinds(said(story(Plan(late=3.0)))) == {of.LinksUncovered}
    assert kinds(said(story(Plan(cleared=2)))) == {of.GrowthLost}
    one = story(Plan())
    [only, *_] = one.sweeps()
    assert kinds(of_sweeps(one, [only])) == {of.SweepsFew}
    assert kinds(of_sweeps(one, [])) == {of.SweepsFew}


def test_holes_within_the_time_are_bridged_by_the_sweeps_around_them() -> None:
    one = story(Plan(others=0.4))
    sweeps = list(one.sweeps())
    # Half of the ports are missed by every second sweep but the first and the last ones.
    some = [
        each.taken(np.arange(len(each)) % 2 == 0) if 4 < at < len(sweeps) - 5 and at % 2 else each
        for at, each in enumerate(sweeps)
    ]
    crossed, seen = seen_links(one, of_sweeps(one, some))
    assert len(seen) >= 0.9 * int((one.shares()[crossed] >= 0.1).sum()) > 0
    assert (one.shares()[seen] > 0).all()


@pytest.mark.parametrize("clock", one_quick([0.3, -0.3, 0.5, 2.0, -5.0]))
def test_clocks_that_differ_make_no_traffic(clock: float) -> None:
    for seed in range(2):
        assert said(story(Plan(clock=clock), seed)).word != "seen"


def test_clocks_that_are_seconds_apart_are_said_to_be() -> None:
    found = said(story(Plan(clock=4.0)))
    assert kinds(found) == {of.ClocksApart}
    [apart] = found.unsaid
    assert isinstance(apart, of.ClocksApart)
    assert apart.seconds == pytest.approx(4.0, rel=0.25)


def test_a_measurement_that_ran_elsewhere_is_not_judged() -> None:
    one = story(Plan())
    quiet = [
        replace(each, values={name: np.full(len(each), 7, np.uint64) for name in each.values})
        for each in one.sweeps()
    ]
    assert kinds(of_sweeps(one, quiet)) == {of.SentElsewhere}


def sent_by(routes: Any, amounts: dict[tuple[str, str], int]) -> Any:
    """What flows sent in a minute but its first and last second, after the first reading of `why_readings`."""
    hosts = _core.participants(routes, groups="all", rail="1", order="topology")
    begin = datetime.fromtimestamp(AT + 1, UTC)
    columns = {
        "test": ["rounds"] * len(amounts),
        "unit": ["bytes/s"] * len(amounts),
        "value": [1e9] * len(amounts),
        "source": [source for source, _ in amounts],
        "destination": [destination for _, destination in amounts],
        "sent": list(amounts.values()),
        "began": [begin] * len(amounts),
        "ended": [begin + timedelta(seconds=58)] * len(amounts),
    }
    sent = judged.sent_of(routes, hosts, hosts.hosts, modelled(columns, provenance="measured").frame)
    assert sent is not None
    return sent


def test_what_a_host_sent_under_the_name_of_another_is_no_other_traffic() -> None:
    tree = lacis.read("fat-tree:8,2")
    routes = lacis.route(tree, "ftree")
    name = "node{:04}".format
    # Each of 16 hosts sends one of the others 100 GB, two of them 500 GB and 20 GB under each other's name.
    size = 10**9
    usual = {(name(at), name(at + 16)): 100 * size for at in range(3, 17)}
    claimed = sent_by(routes, usual | {(name(1), name(17)): 500 * size, (name(2), name(18)): 20 * size})
    truly = sent_by(routes, usual | {(name(1), name(17)): 20 * size, (name(2), name(18)): 500 * size})

    def found(more: int) -> Others:
        words = {
            (truly.ends(at)[0], "XmitData"): int(truly.bytes[truly.link == at].sum()) // 4
            for at in range(len(truly.rows))
        }
        words[f"{name(5)} HCA-1[1]", "XmitData"] += more // 4
        read = [readings(tree, 0), readings(tree, 60, words)]
        return judged.judged(claimed, judged.carried(claimed, read))

    # Hosts 1 and 17 lack 480 GB each, which is seen on the links of 2 and 18.
    exchanged = found(0)
    assert of.SentElsewhere(2, 32) in exchanged.unsaid
    assert of.SentElsewhere in kinds(exchanged)
    # 1,200 GB more are beyond what any host lacks.
    other = found(1200 * size)
    assert isinstance(other.fact, of.OthersSent)
    assert (other.fact.links, other.fact.ends[0]) == (1, f"{name(5)} HCA-1[1]")


def test_links_between_switches_are_not_judged_where_other_tables_run() -> None:
    other = site("fat-tree:4,3", "sssp")
    assert (other.table != small().table).any()
    # The flows took the paths of other tables than those that are assumed.
    ran = story(Plan(), where=other)
    found = of_sweeps(story(Plan()), ran.sweeps(), ran.frame())
    assert kinds(found) == {of.PathsDiffer}


def test_what_collective_operations_send_is_not_known_and_is_no_other_traffic() -> None:
    one = story(Plan())
    frame = one.frame()
    # What is known of the fourth round is that something was measured on all hosts together.
    whole = frame.filter(pl.col("round") == 3).head(1)
    whole = whole.with_columns(
        test=pl.lit("alltoall", dtype=frame.schema["test"]),
        source=pl.lit(None, dtype=pl.String),
        destination=pl.lit(None, dtype=pl.String),
        sent=pl.lit(None, dtype=pl.UInt64),
    )
    found = of_sweeps(one, one.sweeps(), pl.concat([frame.filter(pl.col("round") != 3), whole]))
    assert of.SentUnknown in kinds(found)
    [seconds] = [reason.seconds for reason in found.unsaid if isinstance(reason, of.SentUnknown)]
    assert seconds == pytest.approx(one.windows[3, 1] - one.windows[3, 0], abs=1e-5)


def test_what_others_send_in_a_long_pause_is_no_matter() -> None:
    one = story(Plan(others=0.4, duty=1.0))
    # Half a minute before the first round nothing is measured: two rounds an hour earlier are a part of their own.
    frame = one.frame()
    earlier = frame.filter(pl.col("round") < 2).with_columns(pl.col("began", "ended") - pl.duration(hours=1))
    hosts = _core.participants(one.net.routes, groups="all", rail="1", order="topology")
    sent = judged.sent_of(one.net.routes, hosts, hosts.hosts, pl.concat([earlier, frame]))
    assert sent is not None
    first, second = sent.parts()
    assert (len(first.began), len(second.began)) == (2, one.plan.rounds)
    assert first.bytes.sum() + second.bytes.sum() == pytest.approx(sent.bytes.sum())
    found = of_sweeps(one, one.sweeps(), pl.concat([earlier, frame]))
    assert found.word == "seen"
    assert any(isinstance(reason, of.LinksUncovered) for reason in found.unsaid)


def test_a_ping_pong_sends_as_much_back_and_both_ends_of_a_flow_report_it_once() -> None:
    where = small()
    hosts = _core.participants(where.routes, groups="all", rail="1", order="topology")
    one = story(Plan())
    frame = one.frame().filter(pl.col("round") == 0).head(1)
    there = judged.sent_of(where.routes, hosts, hosts.hosts, frame)
    twice = pl.concat([frame, frame.with_columns(what=pl.lit("send", dtype=frame.schema["what"]))])
    again = judged.sent_of(where.routes, hosts, hosts.hosts, twice)
    assert there is not None
    assert again is not None
    assert there.bytes.tolist() == again.bytes.tolist()
    # One flow crosses each link of its path once, with all that it sent.
    assert set(there.bytes.tolist()) == {float(one.sent[0].astype(np.uint64))}
    back = judged.sent_of(
        where.routes, hosts, hosts.hosts, frame.with_columns(unit=pl.lit("s", dtype=frame.schema["unit"]))
    )
    assert back is not None
    assert back.bytes.sum() == pytest.approx(2 * there.bytes.sum())


def test_rows_have_names_times_and_rounds() -> None:
    one = story(Plan(pairs=((0, 5),)))
    found = said(one)
    row = others_counted(found, one.frame()).links[0]
    host = one.net.hosts
    assert {row.egress.split(" ")[0], row.ingress.split(" ")[0]} & {host[0], host[5]} or "[" in row.egress
    assert row.began.startswith("2026-11-28T16:28:")
    assert row.rounds
    assert set(row.rounds) <= set(range(one.plan.rounds))
    assert 0.05 < row.share <= 1.0


def suspect(kind: str, egress: str | None, ingress: str | None, node: str = "x") -> Suspect:
    return Suspect(kind, node, egress, ingress, None, None, [])


def test_suspects_whose_links_carried_others_are_spared() -> None:
    found = said(story(Plan(pairs=((0, 5),))))
    [part] = found.parts
    egress, ingress = part.sent.ends(int(part.links.share.argmax()))
    spared = Spared(found)
    assert spared.spares([suspect("link", egress, ingress)])
    assert not spared.spares([suspect("link", ingress, egress)])
    assert spared.spares([suspect("cable", ingress, egress)])
    assert spared.spares([suspect("link", "a[1]", "b[2]"), suspect("link", egress, ingress)])
    assert not spared.spares([suspect("link", "a[1]", "b[2]")])
    node = egress.rpartition("[")[0]
    assert spared.spares([suspect("switch", None, None, node)])
    assert not spared.spares([suspect("switch", None, None, "elsewhere")])
    assert not Spared(None).spares([suspect("link", egress, ingress)])
