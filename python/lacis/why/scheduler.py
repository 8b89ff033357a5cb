"""Jobs as Slurm lists them: the output of `squeue`, `sacct` or either with columns of a site's choice.

    JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
      123     batch    train    alice  R      10:00      2 node[0001-0002]

    JobID|NodeList|Start|End
    123|node[0001-0002]|2026-11-28T10:00:00|2026-11-28T11:00:00

Columns are known by their headings; those of a fixed width may have any width and lie at either side of it. A list of hosts
that was cut to a width is refused, not guessed at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ..errors import LacisError
from ..ranks import nodesets
from .windows import Window, time

if TYPE_CHECKING:
    from collections.abc import Sequence

_JOB = ("jobid", "job_id", "jobidraw", "arrayjobid", "job")
_HOSTS = ("nodelist(reason)", "nodelist", "node_list", "nodes_list", "hosts")
_START = ("start", "start_time", "starttime")
_END = ("end", "end_time", "endtime")
_STATE = ("st", "state")
_WAITING = {"PD", "PENDING", "CF", "CONFIGURING", "REQUEUED", "RQ"}
_UNKNOWN = {"", "UNKNOWN", "N/A", "NONE", "NONE ASSIGNED", "(NULL)"}


@dataclass(frozen=True)
class ListedJob:
    """A job of a list.

    Attributes:
        name: its number.
        hosts: as Slurm names them: `node[0001-0002]`.
        begin: when it began, nanoseconds since 1970; none where the list does not say.
        end: when it ended; none where it runs, or the list does not say.
        line: where it stands in the list.
    """

    name: str
    hosts: str
    begin: int | None
    end: int | None
    line: int

    def overlaps(self, window: Window | None) -> bool:
        """Whether it can have run within a window."""
        if window is None:
            return True
        return (self.begin is None or self.begin < window.end) and (
            self.end is None or self.end > window.begin
        )


def jobs_of(text: str) -> list[ListedJob]:
    """The jobs of a list that have hosts, steps left out.

    Raises:
        LacisError: when the text is no such list, or a list of hosts in it is cut off.
    """
    lines = [
        (number, _shown(line).rstrip())
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]
    at = next((at for at, (_, line) in enumerate(lines) if _is_heading(line)), None)
    if at is None:
        shown = lines[0][1].strip()[:80] if lines else ""
        raise LacisError("no list of jobs: no line has the headings JOBID and NODELIST", text=shown)
    heading = lines[at][1]
    split = _delimited if "|" in heading else _Columns(heading, [line for _, line in lines[at + 1 :]])
    names = [word.strip().lower() for word in split(heading)]
    column = {key: _column(names, known) for key, known in _KNOWN.items()}
    jobs = []
    for number, line in lines[at + 1 :]:
        if set(line) <= set("- |"):
            continue
        cells = split(line)
        job = _job(number, {key: _cell(cells, at) for key, at in column.items()}, line)
        if job is not None:
            jobs.append(job)
    return jobs


def _shown(line: str) -> str:
    """A line without what a terminal would obey: names of jobs are their users'."""
    return "".join(char if char.isprintable() else " " for char in line)


_KNOWN = {"job": _JOB, "hosts": _HOSTS, "begin": _START, "end": _END, "state": _STATE}


def _is_heading(line: str) -> bool:
    words = [word.strip().lower() for word in (line.split("|") if "|" in line else line.split())]
    return _column(words, _JOB) is not None and _column(words, _HOSTS) is not None


def _column(names: Sequence[str], known: Sequence[str]) -> int | None:
    return next((names.index(name) for name in known if name in names), None)


def _cell(cells: Sequence[str], at: int | None) -> str:
    return "" if at is None or at >= len(cells) else cells[at].strip()


def _delimited(line: str) -> list[str]:
    return line.split("|")


class _Columns:
    """Columns of a fixed width: each begins or ends where its heading does, and a blank column lies between two of them."""

    def __init__(self, heading: str, lines: Sequence[str]) -> None:
        words = [(found.start(), found.end()) for found in re.finditer(r"\S+", heading)]
        blank = [
            all(line[at : at + 1] in ("", " ") for line in (heading, *lines)) for at in range(len(heading))
        ]
        self._cuts = [0]
        for (_, end), (start, _) in pairwise(words):
            between = [at for at in range(end, start) if blank[at]]
            # Without a blank column between two headings each is as wide as its own words.
            self._cuts.append(between[0] if between else start)

    def __call__(self, line: str) -> list[str]:
        ends = [*self._cuts[1:], None]
        return [line[start:end] for start, end in zip(self._cuts, ends, strict=True)]


def _job(number: int, cell: dict[str, str], line: str) -> ListedJob | None:
    name, hosts = cell["job"], cell["hosts"]
    if not name or "." in name or hosts.startswith("(") or hosts.upper() in _UNKNOWN:
        return None
    if cell["state"].upper().partition(" ")[0] in _WAITING:
        return None
    if hosts.endswith("+") or hosts.count("[") != hosts.count("]") or " " in hosts:
        raise LacisError(
            "a list of hosts that was cut to the width of its column; `squeue -o '%i|%N|%S'` and `sacct -P -o JobID,NodeList,Start,End` "
            "have whole ones",
            line=number,
            text=line.strip()[:80],
        )
    return ListedJob(name, hosts, _time(cell["begin"], number), _time(cell["end"], number), number)


def _time(text: str, number: int) -> int | None:
    if text.upper() in _UNKNOWN:
        return None
    try:
        return time(text)
    except LacisError as error:
        raise LacisError(error.reason, line=number, text=error.text) from None


def find(jobs: Sequence[ListedJob], name: str) -> ListedJob:
    """The job of a number.

    Raises:
        LacisError: when the list has no such job, or several.
    """
    found = [job for job in jobs if job.name == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise LacisError(f"{len(found)} jobs of the list have this number", text=name)
    some = ", ".join(job.name for job in jobs[:4])
    more = f" and {len(jobs) - 4:,} more" if len(jobs) > 4 else ""
    there = f"it has {some}{more}" if jobs else "it has no job with hosts"
    raise LacisError(f"no job of the list has this number; {there}", text=name[:80])


def hosts_there(job: ListedJob, known: Sequence[str]) -> list[str]:
    """The hosts of a job that a fabric has: other jobs may run elsewhere too."""
    there = set(known)
    return [name for name in nodesets.expand(job.hosts) if name in there]
