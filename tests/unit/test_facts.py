"""Facts: every kind is in a closed list and has words; as JSON it has its kind and its fields; the core has the same refusals."""

from __future__ import annotations

import re
from typing import get_args

import msgspec
import pytest
from lacis.facts import (
    advice,
    allocation,
    bounds,
    counters,
    doubts,
    gains,
    guilt,
    host,
    job,
    mapping,
    refusals,
    scheduler,
    steps,
    suspects,
    traffic,
    verdicts,
    watch,
)
from lacis.facts.fact import Fact
from lacis.facts.found import refusals as reasons
from lacis.facts.wording import purpose, text, why

from ..conftest import ROOT


def kinds() -> set[type[Fact]]:
    lists = (
        verdicts.Verdict,
        job.JobRemark,
        watch.Condition,
        host.HostFact,
        counters.CountersRemark,
        allocation.AllocationRemark,
        mapping.MappingRemark,
        doubts.Doubt,
        guilt.Evidence,
        guilt.Missing,
        guilt.Guilt,
        advice.Running,
        advice.Alternative,
        advice.Need,
        advice.WayBack,
        advice.Compared,
        gains.Reason,
        gains.NumberChange,
        gains.Objection,
        gains.InputsObjection,
        steps.Step,
        scheduler.WhyUnplaced,
        scheduler.TopologyRemark,
        scheduler.TopologyFault,
        suspects.SuspectsVerdict,
        suspects.WhyUnfit,
        suspects.SuspectsRemark,
        traffic.OtherTraffic,
        traffic.Unsaid,
        traffic.FromOthers,
    )
    alone: set[type[Fact]] = {
        bounds.ShiftsBounded,
        advice.LanesNeeded,
        advice.RanksOrdered,
        advice.SingleFailures,
        *refusals.BY_LACIS,
    }
    return {kind for closed in lists for kind in get_args(closed)} | alone


def test_every_kind_of_fact_is_in_a_closed_list_and_has_words() -> None:
    assert set(Fact.__subclasses__()) == kinds()
    assert all(kind.__struct_config__.frozen for kind in kinds())
    assert {kind for kind in kinds() if text.dispatch(kind) is text.dispatch(Fact)} == set()


def test_every_alternative_has_a_purpose_and_every_step_a_reason() -> None:
    for function, closed in ((purpose, advice.Alternative), (why, steps.Step)):
        other = function.dispatch(Fact)
        assert {kind for kind in get_args(closed) if function.dispatch(kind) is other} == set()


def test_a_fact_as_json_has_its_kind_and_its_fields() -> None:
    lost = verdicts.PairsLost("minhop", 3, "hosts")
    assert msgspec.to_builtins(lost) == {
        "kind": "pairs_lost",
        "tables": "minhop",
        "pairs": 3,
        "population": "hosts",
    }
    assert msgspec.json.decode(msgspec.json.encode(lost), type=verdicts.Verdict) == lost


RUST = re.compile(r"^    (?P<kind>[A-Z]\w+)(?: \{(?P<fields>.*?)^    \})?,$", re.M | re.S)
"""A variant of an enum of the core, with its fields."""


def variants(file: str, enum: str) -> dict[str, list[str]]:
    """Variants of an enum of the core's `sm/refusal`, each with the names of its fields."""
    source = (ROOT / "crates/lacis-core/src/sm/refusal" / file).read_text()
    body = source.split(f"pub enum {enum} {{\n", 1)[1].split("\n}\n", 1)[0] + "\n"
    return {
        one["kind"]: re.findall(r"^        (\w+):", one["fields"] or "", re.M) for one in RUST.finditer(body)
    }


@pytest.mark.parametrize(
    ("file", "enum", "closed"),
    [
        ("mod.rs", "RefusalReason", reasons.RefusalReason),
        ("tree.rs", "TreeMisfit", reasons.TreeMisfits),
        ("torus.rs", "TorusMisfit", reasons.TorusMisfits),
    ],
)
def test_a_refusal_has_the_same_kinds_and_fields_in_the_core(file: str, enum: str, closed: object) -> None:
    assert {kind.__name__: [*kind.__struct_fields__] for kind in get_args(closed)} == variants(file, enum)
