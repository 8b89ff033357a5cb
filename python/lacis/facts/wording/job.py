"""The words of remarks on a job."""

from __future__ import annotations

from .. import job as of_job
from ..words import count, noun
from .dispatch import text


@text.register
def _(_: of_job.OneHost) -> str:
    return "a job of one host sends nothing over the fabric"


@text.register
def _(fact: of_job.MessagesUnrouted) -> str:
    return f"{fact.traffic}: {count(fact.messages, 'message')} {noun(fact.messages, 'has', 'have')} no route; the rate of the others is not computed"


@text.register
def _(fact: of_job.NotComputed) -> str:
    return f"{fact.traffic}, {fact.multipath}: {fact.reason}"


@text.register
def _(fact: of_job.RateAssumed) -> str:
    return f"assumed: {fact.rate} for {count(fact.links, 'link')} whose rate the source does not have"


@text.register
def _(fact: of_job.CollectivesOnRails) -> str:
    if not fact.rails:
        return "NCCL's collectives: no rail has all of the hosts"
    numbers = ", ".join(map(str, fact.rails))
    return f"NCCL's collectives: on {noun(len(fact.rails), 'rail')} {numbers}, which every host has"
