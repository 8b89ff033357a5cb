"""Other traffic beside a measurement on a simulated fabric: counters that ibsim's console sets, read by management packets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import lacis as api
import pytest
from lacis import _core
from lacis.explain import traffic as judged
from lacis.facts import traffic as of
from lacis.measured import modelled

from .test_why import LEAF, MINUTE, TREE, fabric

pytestmark = pytest.mark.oracle

SENT = 300_000_000_000
"""Bytes that node0001 sent node0003, in the second minute but its first and last second; a link carries 25 GB/s."""
WORDS = SENT * 101 // 100 // 4
"""With headers of 1 %, in words of 4 bytes."""


@pytest.mark.slow
def test_what_a_link_counts_beyond_what_was_sent_is_other_traffic() -> None:
    tree = api.read(TREE)
    ids = [
        f"{'S' if at < tree.num_switches else 'H'}-{guid:016x}"
        for at, guid in enumerate(tree.guids().tolist())
    ]
    switches = dict(zip((name for name, _ in tree.switches()), ids, strict=False))
    sender = ids[[name.split(" ")[0] for name in tree.descriptions()].index("node0001")]
    assert switches["leaf-02"] == LEAF
    # minhop's path: node0001, leaf-01 by its port 3 to spine-01, by its port 2 to leaf-02, and by its port 1 to node0003.
    path = [(sender, 1), (switches["leaf-01"], 3), (switches["spine-01"], 2), (LEAF, 1)]
    routes = api.route(tree, "minhop")
    hosts = _core.participants(routes, groups="all", rail="1", order="topology")
    begin = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(minutes=1, seconds=1)
    columns = {
        "test": ["rounds"],
        "what": ["bandwidth"],
        "unit": ["bytes/s"],
        "value": [SENT / 58],
        "bytes": [1 << 20],
        "source": ["node0001"],
        "destination": ["node0003"],
        "round": [0],
        "sent": [SENT],
        "began": [begin],
        "ended": [begin + timedelta(seconds=58)],
    }
    sent = judged.sent_of(routes, hosts, hosts.hosts, modelled(columns, provenance="measured").frame)
    assert sent is not None
    assert {sent.ends(at)[0] for at in range(4)} == {
        "node0001 HCA-1[1]",
        "leaf-01[3]",
        "spine-01[2]",
        "leaf-02[1]",
    }
    assert (sent.began.tolist(), sent.ended.tolist()) == ([MINUTE + 10**9], [2 * MINUTE - 10**9])

    with fabric() as (running, read):
        before = read(1)

        def found() -> judged.Others:
            return judged.judged(sent, judged.carried(sent, [before, read(2)]))

        # Nothing that was sent has been counted.
        assert [type(one) for one in found().unsaid] == [of.SentElsewhere]
        running.count([(node, port, "PortCountersExtended.PortXmitData", WORDS) for node, port in path])
        calm = found()
        assert isinstance(calm.fact, of.NothingElseSent), calm
        # 1 % of 300 GB, of what the link carries in 58 s.
        assert calm.fact.share == pytest.approx(3 / (25 * 58), rel=0.01)

        # Half a minute of the link's rate more.
        more = 25_000_000_000 // 4 * 30
        running.count([(switches["spine-01"], 2, "PortCountersExtended.PortXmitData", WORDS + more)])
        other = found()
        assert isinstance(other.fact, of.OthersSent), other
        assert (other.fact.links, other.fact.of, other.fact.ends) == (1, 4, ("spine-01[2]", "leaf-02[3]"))
        assert 0.3 < other.fact.share <= 0.5

        # A switch that loses what it is asked, and what is behind it, are not read; what they received says as much of links to them.
        running.count([(switches["spine-01"], 2, "PortCountersExtended.PortXmitData", WORDS)])
        running.lose(LEAF, 100)
        blind = found()
        assert blind.word == "cannot_tell"
        assert [type(one) for one in blind.unsaid] == [of.LinksUncovered]
        [uncovered] = blind.unsaid
        assert isinstance(uncovered, of.LinksUncovered)
        assert uncovered.links == [("leaf-02[1]", "node0003 HCA-1[1]")]
