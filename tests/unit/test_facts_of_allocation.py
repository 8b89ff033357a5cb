"""The words of remarks on allocations, on ranks in another order, and on a scheduler's topology: one and several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lacis.facts import allocation, mapping, scheduler
from lacis.facts.wording import text

if TYPE_CHECKING:
    from lacis.facts.fact import Fact

SEVEN = [f"n{number}" for number in range(1, 8)]
FOUR_OF_SEVEN = "n1, n2, n3, n4 and 3 more"


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (
            allocation.NamesMatched(1, "N1", "n1"),
            "1 node is a host whose name differs in case or domain, such as N1, here n1",
        ),
        (
            allocation.NamesMatched(2, "N1", "n1"),
            "2 nodes are hosts whose name differs in case or domain, such as N1, here n1",
        ),
        (
            allocation.AdaptersUnknown(1),
            "1 adapter of unknown hosts, or of hosts with another one's name, is not taken",
        ),
        (
            allocation.AdaptersUnknown(2),
            "2 adapters of unknown hosts, or of hosts with another one's name, are not taken",
        ),
        (allocation.HostsApart("lacis", 1), "Lacis: 1 pair of its hosts has no path on some rail"),
        (allocation.HostsApart("first", 4), "first fit: 4 pairs of its hosts have no path on some rail"),
        (allocation.HostsUnlinked(1), "1 free host without a link is not taken"),
        (allocation.HostsUnlinked(2), "2 free hosts without a link are not taken"),
        (allocation.JobsPending(1), "1 job of the list has no nodes"),
        (allocation.JobsPending(2), "2 jobs of the list have no nodes"),
        (allocation.NothingTaken("contiguous"), "contiguous finds no nodes: no gap is long enough"),
        (allocation.NothingTaken("slurm"), "Slurm's tree finds no nodes: too few hosts are below one switch"),
        (
            allocation.JobsUnknown(1),
            "1 job of the trace is left out: run time, processors or submission unknown",
        ),
        (allocation.JobsTooLarge(2, 1), "2 jobs of the trace are left out: more than the machine's 1 node"),
        (allocation.JobsTooLarge(1, 8), "1 job of the trace is left out: more than the machine's 8 nodes"),
    ],
)
def test_remarks_on_allocations(fact: Fact, words: str) -> None:
    assert text(fact) == words


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (mapping.SeatsLeft(1), "1 slot at the end of the list is left as it was: no rank takes it"),
        (mapping.SeatsLeft(2), "2 slots at the end of the list are left as they were: no rank takes them"),
        (mapping.RecordsPassedOver(1), "1 line of the record passed over: "),
        (mapping.Unrouted(1.5e9, 2e9), "1.5 GB have no route: "),
        (
            mapping.Unrouted(0, 2e9),
            "2 GB have no route in the order given, and all have one in the order chosen: ",
        ),
        (mapping.EveryOrderTried(3), "every order of the 3 hosts was tried"),
        (
            mapping.TimeNotComputed(2000, 1000),
            "the time of 2,000 messages is not modelled (at most 1,000 are); what the most loaded link needs is",
        ),
        (
            mapping.OtherAlgorithm("ring", 1e-3, 2e-3),
            "ring helps more than another order: in the order given the most loaded link needs 1 ms with it, "
            "and 2 ms in the order chosen; ",
        ),
        (
            mapping.TimeInCalls("alltoall", 90.0, 0.125),
            "ranks were 90 s in all-to-all, 12.5% of the run: exchanging with fewer ranks",
        ),
        (
            mapping.BytesBetweenLeaves(0.5, 0.25, 4.0, 2.0),
            "neighbours far apart: 50.0% of bytes go between leaves, 25.0% in the order chosen; the most loaded link "
            "needs 4 s for the run, and 2 s",
        ),
    ],
)
def test_remarks_on_orders(fact: Fact, words: str) -> None:
    assert text(fact).startswith(words)


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (scheduler.HostOffGroups("storage", SEVEN[:4]), "storage; no compute host hangs on n1, n2, n3, n4"),
        (
            scheduler.HostBetweenGroups(SEVEN),
            f"as many cables to the groups of {FOUR_OF_SEVEN}: two hosts of one name, or cables in wrong ports",
        ),
        (scheduler.AdapterHostless("x", ""), "adapter 'x', whose host nothing shows"),
        (scheduler.AdapterHostless("x", "leaf-1"), "adapter 'x' on leaf-1, whose host nothing shows"),
        (scheduler.HostsInferred(["a"]), "1 host whose name is inferred from cabling and numbers: a"),
        (
            scheduler.HostsInferred(SEVEN),
            f"7 hosts whose names are inferred from cabling and numbers: {FOUR_OF_SEVEN}",
        ),
        (
            scheduler.LeavesThin(["a"]),
            "a keeps less than half of the bandwidth of other groups, and stands apart",
        ),
        (
            scheduler.LeavesThin(["a", "b"]),
            "a, b keep less than half of the bandwidth of other groups, and stand apart",
        ),
        (
            scheduler.HostsElsewhere(["a"], "s1", "leaf-2", "s2"),
            "a: under s1, but hangs on leaf-2; move to s2 (the file's leaf for leaf-2)",
        ),
        (
            scheduler.HostsElsewhere(["a", "b"], "s1", "leaf-2", None),
            "a, b: under s1, but hang on leaf-2; move to a leaf for leaf-2, which the file lacks",
        ),
        (scheduler.HostDoubled("a", ["s1"]), "a: twice under s1; remove one"),
        (
            scheduler.HostDoubled("a", ["s1", "s2"]),
            "a: under s1, s2; a host hangs on one group of leaves: keep one",
        ),
        (scheduler.HostsUnknown(["a"], "s1", []), "a: under s1, but not in the fabric"),
        (scheduler.HostsUnknown(["a"], "s1", ["c"]), "a: under s1, but not in the fabric; it may mean c"),
        (
            scheduler.HostsUnknown(["a", "b"], "s1", ["c", "d"]),
            "a, b: under s1, but not in the fabric; the first may mean c or d",
        ),
        (
            scheduler.HostsMisspelt(["A"], ["a"]),
            "A means a: names are spelt in several ways, and a scheduler takes each for a host of its own",
        ),
        (scheduler.HostsRespelt(1, "A", "a"), "1 host is spelt otherwise than in the fabric: A means a"),
        (
            scheduler.HostsRespelt(2, "A", "a"),
            "2 hosts are spelt otherwise than in the fabric, all in one way: A means a",
        ),
        (scheduler.TierMissing(2, ["a"]), "tier 2: the file has no switch for a"),
        (scheduler.TierMissing(1, ["a", "b"]), "tier 1: the file has no switches for a, b"),
        (
            scheduler.LeavesElsewhere(["a"], "", "pod-1", "s9"),
            "a: under no switch, but cables lead to pod-1; move to s9",
        ),
        (
            scheduler.LeavesElsewhere(["a"], "s1", "pod-1", None),
            "a: under s1, but cables lead to pod-1; move to a switch for pod-1, which the file lacks",
        ),
        (
            scheduler.LinksAbsent("s1", [["a", "b", "c"], ["d"], ["e"], ["f"], ["g"]]),
            "s1: joins what no cables join: a, b and 1 more | d | e | f",
        ),
        (scheduler.SwitchesCircular(["a", "b"]), "a > b > a: a cycle"),
        (
            scheduler.SwitchesCircular(SEVEN),
            "n1 > n2 > n3 > n4 > n5 > n6 > … > n1: a cycle",
        ),
        (scheduler.SwitchesCircular(SEVEN[:6]), "n1 > n2 > n3 > n4 > n5 > n6 > n1: a cycle"),
        (scheduler.ChildUnknown("s", "c", []), "s: its child c is not defined"),
        (scheduler.ChildUnknown("s", "c", ["d"]), "s: its child c is not defined; did you mean d?"),
        (scheduler.SwitchRepeated("s", 0), "s: defined twice"),
        (scheduler.SwitchRepeated("s", 3), "s: defined twice, first in line 3"),
        (scheduler.BlockSmall("b", 1, 4), "b: 1 host, fewer than the block size 4"),
        (
            scheduler.BlockSizesUneven([4, 12]),
            "block sizes 4, 12: each must be the one before it times a power of two",
        ),
    ],
)
def test_remarks_on_a_schedulers_topology(fact: Fact, words: str) -> None:
    assert text(fact) == words
