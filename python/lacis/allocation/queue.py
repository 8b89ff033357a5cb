"""What `squeue` prints: which jobs run on which nodes.

Any format with the job's number and its nodes is read: the default, `--long`, `-o "%i %D %N"`, with and without the line
of headings. Columns are known by their headings (squeue's manual, section OUTPUT FORMAT); without headings a line is number, number of
nodes, nodes. A pending job has a reason in parentheses in place of nodes, or nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import LacisError
from ..ranks import nodesets

if TYPE_CHECKING:
    from collections.abc import Sequence

_JOB = ("JOBID", "ARRAY_JOB_ID", "JOB_ID")
_COUNT = ("NODES", "NUM_NODES")
_LIST = ("NODELIST", "NODELIST(REASON)")
_LEFT = "TIME_LEFT"
_DONE = {"CD", "CA", "F", "TO", "NF", "PR", "BF", "DL", "OOM"}
"""States of jobs that have ended (squeue's manual, JOB STATE CODES); such a job has given its nodes back."""
_TIME = re.compile(r"(?:(\d{1,6})-)?(?:(\d{1,6}):)?(\d{1,6}):(\d{2})")
_REASON = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)$")
_NUMBER = re.compile(r"\d[\w\[\]%,+*-]*")


@dataclass(frozen=True)
class QueuedJob:
    """A job of `squeue`.

    Attributes:
        name: its number, as printed.
        nodes: their names, as printed; empty for a pending job.
        left: seconds until its limit; none where the output does not say.
        line: of the output.
    """

    name: str
    nodes: tuple[str, ...]
    left: float | None
    line: int


@dataclass(frozen=True)
class Queue:
    """The output of `squeue`.

    Attributes:
        running: jobs that have nodes.
        pending: how many have none.
    """

    running: tuple[QueuedJob, ...]
    pending: int


def read_queue(data: bytes) -> Queue:
    """Reads the output of `squeue`.

    Raises:
        LacisError: when there is no column of nodes, or a list of nodes is cut off; with the line.
    """
    headings: list[str] = []
    running: list[QueuedJob] = []
    pending = seen = 0
    for number, raw in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        words = raw.split()
        if not words or _is_date(words):
            continue
        if any(word in _JOB for word in words) or any(word in _LIST for word in words):
            headings = words
            _check(headings, number, raw)
            continue
        seen += 1
        job = _row(raw, words, headings, number)
        if job is None or not job.nodes:
            pending += 1
        else:
            running.append(job)
    if not seen and not headings:
        raise LacisError("no line of squeue: neither headings nor a job")
    return Queue(tuple(running), pending)


def _is_date(words: Sequence[str]) -> bool:
    """`Sat Nov 28 12:00:00 2026`, the line above the headings of `squeue --long`."""
    return (
        len(words) in (5, 6)
        and any(re.fullmatch(r"\d\d:\d\d:\d\d", word) for word in words)
        and words[0].isalpha()
    )


def _check(headings: Sequence[str], line: int, text: str) -> None:
    if not any(word in _JOB for word in headings):
        raise LacisError("no column of job numbers (JOBID)", line=line, text=text.strip()[:80])
    if not any(word in _LIST for word in headings):
        cut = [word for word in headings if word.startswith("NODELI")]
        reason = "the column of nodes is too narrow" if cut else "no column of nodes (NODELIST)"
        raise LacisError(f'{reason}: print it with squeue -o "%i %D %N"', line=line, text=text.strip()[:80])


def _row(raw: str, words: Sequence[str], headings: Sequence[str], line: int) -> QueuedJob | None:
    """A job; none where it has no nodes."""
    if not _NUMBER.fullmatch(words[0]) and (not headings or headings[0] in _JOB):
        raise LacisError(
            "not a line of squeue: it begins with no job number", line=line, text=raw.strip()[:80]
        )
    text = raw.strip()
    if not headings:
        return _plain(text, words, line)
    at = next(i for i, word in enumerate(headings) if word in _LIST)
    if at == len(headings) - 1 and _REASON.search(text):
        return None
    behind = len(headings) - 1 - at
    missing = len(words) - len(headings)
    if behind == 0 and (missing == -1 or (missing >= 0 and _is_count(words[-1]))):
        return None  # `%N` of a pending job is nothing, and what comes last is what stands before it
    if missing < 0:
        raise LacisError(f"{len(words)} words below {len(headings)} headings", line=line, text=text[:80])
    # Names of jobs may have blanks: what stands before the nodes is counted from the left, the rest from the right.
    value = {word: words[i] for i, word in enumerate(headings[:1])}
    value |= {word: words[i - len(headings)] for i, word in enumerate(headings) if i}
    job = next(value[word] for word in _JOB if word in value)
    state = value.get("ST") or value.get("STATE") or ""
    if state in _DONE or state.startswith(("COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "PREEMPTED")):
        return None
    counted = next((value[word] for word in _COUNT if word in value), None)
    return _job(job, counted, words[len(words) - 1 - behind], value.get(_LEFT), line)


def _plain(text: str, words: Sequence[str], line: int) -> QueuedJob | None:
    """A line without headings: number, number of nodes, nodes."""
    if _REASON.search(text) or (len(words) == 2 and _is_count(words[1])):
        return None
    if len(words) == 2:
        return _job(words[0], None, words[1], None, line)
    # The nodes come last, behind their number where that is printed.
    counted = words[-2] if _is_count(words[-2]) else None
    return _job(words[0], counted, words[-1], None, line)


def _is_count(word: str) -> bool:
    return bool(re.fullmatch(r"\d{1,9}", word))


def _job(name: str, counted: str | None, nodes: str, left: str | None, line: int) -> QueuedJob | None:
    if nodes in ("", "n/a", "N/A", "(null)") or nodes.startswith("("):
        return None
    if nodes.count("[") != nodes.count("]") or nodes.endswith((",", "-", "+", "…", "...")):
        raise _cut_off(name, line, nodes)
    try:
        named = tuple(dict.fromkeys(nodesets.expand(nodes)))
    except LacisError as error:
        raise LacisError(error.reason, line=line, text=error.text or nodes[:80]) from None
    if counted is not None and _is_count(counted) and int(counted) != len(named):
        raise _cut_off(
            name, line, nodes, f"job {name} has {int(counted):,} nodes and the list {len(named):,}"
        )
    return QueuedJob(name, named, _seconds(left), line)


def _cut_off(name: str, line: int, nodes: str, why: str = "") -> LacisError:
    reason = why or f"the nodes of job {name} are cut off"
    return LacisError(f'{reason}: print whole lists with squeue -o "%i %D %N"', line=line, text=nodes[:80])


def _seconds(text: str | None) -> float | None:
    """`1-02:03:04`, `02:03:04` or `03:04` in seconds; none for UNLIMITED and the like."""
    found = _TIME.fullmatch(text or "")
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
