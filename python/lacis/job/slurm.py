"""Jobs as Slurm lists them: what `squeue` or `sacct` prints, in either's own format or with columns of a site's choice.

    JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
      123     batch    train    alice  R      10:00      2 node[0001-0002]

    JobID|NodeList|Start|End
    123|node[0001-0002]|2026-11-28T10:00:00|2026-11-28T11:00:00

    123 2 node[0001-0002]

Columns are known by their headings (the manuals' sections OUTPUT FORMAT and Job Accounting Fields); without headings a line is the
job's number, how many nodes it has, and the nodes. Those of a fixed width may have any width and lie at either side of it. A list of
nodes that was cut to a width is refused, not guessed at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..errors import LacisError
from ..facts.words import noun
from ..io.files import reading, text_of
from ..ranks import nodesets
from ..ranks.names import Names
from .windows import Window, time

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

_KNOWN = {
    "job": ("jobid", "job_id", "jobidraw", "array_job_id", "arrayjobid", "job"),
    "nodes": ("nodelist(reason)", "nodelist", "node_list", "nodes_list", "hosts"),
    "count": ("nodes", "num_nodes"),
    "begin": ("start", "start_time", "starttime"),
    "end": ("end", "endtime"),
    "limit": ("end_time",),
    "left": ("time_left",),
    "state": ("st", "state"),
    "name": ("name", "jobname"),
}
"""Columns, and what squeue and sacct call them. The end_time of squeue is when a job must have ended; it has where its state says so."""
_WAITING = {"PD", "PENDING", "REQUEUED", "RQ"}
_ENDED = {"CD", "CA", "F", "TO", "NF", "PR", "BF", "DL", "OOM"}
_ENDED_NAMES = (
    *("COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE"),
    "OUT_OF_MEMORY",
)
"""States of jobs that have ended (squeue's manual, JOB STATE CODES), which have given their nodes back."""
_CUT_NAME = 7
"""So much of the name of a state is left where a column is too narrow for all of it, at least."""
_UNKNOWN = {"", "UNKNOWN", "N/A", "NONE", "NONE ASSIGNED", "(NULL)"}
_NUMBER = re.compile(r"\d[\w\[\]%,+*.-]*")
_COUNT = re.compile(r"\d{1,9}")
_REASON = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)$")
_LENGTH = re.compile(r"(?:(\d{1,6})-)?(?:(\d{1,6}):)?(\d{1,6}):(\d{2})")
_WHOLE = "`squeue -o '%i|%D|%N'` and `sacct -P -o JobID,NodeList,Start,End` print whole lists"


@dataclass(frozen=True)
class SlurmJob:
    """A job of a list that has nodes, or had them.

    Attributes:
        name: its number, as printed.
        nodes: their names, as printed.
        begin: when it began, nanoseconds since 1970; none where the list does not say.
        end: when it ended; none where it runs, or the list does not say.
        left: seconds until its limit; none where the list does not say.
        has_ended: whether it has ended, by its state or as the list says when.
        line: where it stands in the list.
    """

    name: str
    nodes: tuple[str, ...]
    begin: int | None
    end: int | None
    left: float | None
    has_ended: bool
    line: int

    def overlaps(self, window: Window) -> bool:
        """Whether it can have run within a window."""
        return (self.begin is None or self.begin < window.end) and (
            self.end is None or self.end > window.begin
        )


@dataclass(frozen=True)
class SlurmJobs:
    """What `squeue` or `sacct` prints.

    Attributes:
        jobs: those that have nodes, or had them, in their order; steps left out.
        pending: how many have none yet.
    """

    jobs: tuple[SlurmJob, ...]
    pending: int

    @property
    def running(self) -> tuple[SlurmJob, ...]:
        """The jobs that have not ended."""
        return tuple(job for job in self.jobs if not job.has_ended)

    def find(self, name: str) -> SlurmJob:
        """The job of a number.

        Raises:
            LacisError: when the list has no such job, or several.
        """
        found = [job for job in self.jobs if job.name == name]
        if len(found) == 1:
            return found[0]
        if found:
            raise LacisError(f"{len(found)} jobs of the list have this number", text=name)
        some = ", ".join(job.name for job in self.jobs[:4])
        more = f" and {len(self.jobs) - 4:,} more" if len(self.jobs) > 4 else ""
        there = f"it has {some}{more}" if self.jobs else "it has no job with nodes"
        raise LacisError(f"no job of the list has this number; {there}", text=name[:80])


class _Line(NamedTuple):
    number: int
    row: str


def read_jobs(data: bytes) -> SlurmJobs:
    """Reads what `squeue` or `sacct` prints.

    Raises:
        LacisError: when the text is no such list, or a list of nodes in it is cut off; with the line.
    """
    shown = (_Line(at, _shown(text).rstrip()) for at, text in enumerate(text_of(data).splitlines(), start=1))
    lines = [line for line in shown if not set(line.row) <= set("- |")]
    headings = [at for at, line in enumerate(lines) if _is_heading(line)]
    found: list[SlurmJob | None] = []
    if headings:
        # `squeue --iterate` and `-M` print headings again.
        for begin, end in pairwise([*headings, len(lines)]):
            found += _below(lines[begin], [line for line in lines[begin + 1 : end] if not _is_between(line)])
    else:
        found = _without_headings(lines)
    jobs = tuple(job for job in found if job is not None)
    return SlurmJobs(jobs, len(found) - len(jobs))


def _shown(line: str) -> str:
    """A line without what a terminal would obey: names of jobs are their users'."""
    return "".join(char if char.isprintable() else " " for char in line)


def _is_heading(line: _Line) -> bool:
    """Whether a line has the headings of jobs' numbers and of nodes.

    Raises:
        LacisError: when it has one of the two as only such a list has it.
    """
    words = [word.strip().lower() for word in line.row.split("|" if "|" in line.row else None)]
    has_job, has_nodes = (_column(words, _KNOWN[key]) is not None for key in ("job", "nodes"))
    if has_job and has_nodes:
        return True
    if has_nodes and "nodelist" in words[-1]:
        raise LacisError(f"no column of job numbers (JOBID); {_WHOLE}", line.number, line.row.strip()[:80])
    if has_job and line.row.split()[0].strip("|").lower() in _KNOWN["job"][:-1]:
        cut = any(word.startswith("nodeli") for word in words)
        reason = "the column of nodes is too narrow" if cut else "no column of nodes (NODELIST)"
        raise LacisError(f"{reason}; {_WHOLE}", line.number, line.row.strip()[:80])
    return False


def _is_between(line: _Line) -> bool:
    """`Sat Nov 28 12:00:00 2026`, which stands above headings, or `CLUSTER: blue`."""
    words = line.row.split()
    is_date = len(words) in (5, 6) and any(re.fullmatch(r"\d\d:\d\d:\d\d", word) for word in words)
    return words[0] == "CLUSTER:" or (is_date and words[0].isalpha())


def _column(names: Sequence[str], known: Sequence[str]) -> int | None:
    return next((names.index(name) for name in known if name in names), None)


def _below(heading: _Line, lines: Sequence[_Line]) -> Iterable[SlurmJob | None]:
    """The jobs below headings, none for each that waits; steps and jobs without a number are left out."""
    delimited = "|" in heading.row
    split = _delimited if delimited else _Columns(heading.row, [line.row for line in lines])
    names = [word.strip().lower() for word in heading.row.split("|" if delimited else None)]
    columns = {key: _column(names, known) for key, known in _KNOWN.items()}
    for line in lines:
        cells = split(line)
        cell = {
            key: "" if at is None or at >= len(cells) else cells[at].strip() for key, at in columns.items()
        }
        if " " in cell["job"]:
            raise _too_few(line, len(names))
        # 123.batch is a step of job 123.
        if cell["job"] and "." not in cell["job"]:
            yield _job(line, cell)


def _too_few(line: _Line, headings: int) -> LacisError:
    reason = f"{len(line.row.split())} words below {headings} headings; {_WHOLE}"
    return LacisError(reason, line.number, line.row.strip()[:80])


def _delimited(line: _Line) -> list[str]:
    return line.row.split("|")


class _Columns:
    """Columns of a fixed width: each begins or ends where its heading does, and a blank column lies between two of them.

    Where there is no blank column (`-o '%N %i'` has no widths), one blank, or more, lies between two cells; what is too much is of
    the job's name, else of the first column that is not known.
    """

    def __init__(self, heading: str, lines: Sequence[str]) -> None:
        words = [(found.start(), found.end()) for found in re.finditer(r"\S+", heading)]
        blank = [
            all(line[at : at + 1] in ("", " ") for line in (heading, *lines)) for at in range(len(heading))
        ]
        between = [[at for at in range(end, start) if blank[at]] for (_, end), (start, _) in pairwise(words)]
        self._spans = list(pairwise([0, *(gap[0] for gap in between if gap), None]))
        names = heading.lower().split()
        known = {name for names in _KNOWN.values() for name in names}
        unknown = next((at for at, name in enumerate(names) if name not in known), None)
        name = _column(names, _KNOWN["name"])
        self._wide = unknown if name is None else name
        self._ends_with_nodes = names[-1] in _KNOWN["nodes"]
        self._count = len(names)
        self._is_aligned = all(between) and not all(self._is_plain(line) for line in (heading, *lines))

    def _is_plain(self, line: str) -> bool:
        """Whether one blank lies between two cells; behind the last one a job that waits has none."""
        missing = self._count - len(line.split(" "))
        return missing == 0 or (missing == 1 and self._ends_with_nodes)

    def __call__(self, line: _Line) -> list[str]:
        if self._is_aligned:
            return [line.row[start:end] for start, end in self._spans]
        cells, words = line.row.split(" "), line.row.split()
        if len(cells) == self._count:
            return cells
        more = len(words) - self._count
        if self._ends_with_nodes and (_REASON.search(line.row) or more == -1):
            return words[: self._count - 1]
        if more == 0:
            return words
        if more < 0 or self._wide is None:
            raise _too_few(line, self._count)
        at = self._wide
        return [*words[:at], " ".join(words[at : at + more + 1]), *words[at + more + 1 :]]


def _without_headings(lines: Sequence[_Line]) -> list[SlurmJob | None]:
    """Lines of a job's number, its number of nodes where that is printed, and its nodes; none where it has none."""
    found: list[SlurmJob | None] = []
    cells = [line.row.replace("|", " ").split() for line in lines]
    for line, words in zip(lines, cells, strict=True):
        if not _NUMBER.fullmatch(words[0]) or all(len(one) == 1 for one in cells):
            raise _no_list(line)
        if _REASON.search(line.row) or len(words) == 1 or (len(words) == 2 and _COUNT.fullmatch(words[1])):
            found.append(None)
            continue
        count = words[-2] if len(words) > 2 and _COUNT.fullmatch(words[-2]) else ""
        found.append(_job(line, {"job": words[0], "nodes": words[-1], "count": count}))
    if not found:
        raise _no_list(_Line(1, ""))
    return found


def _no_list(line: _Line) -> LacisError:
    reason = "no list of jobs: no line has the headings JOBID and NODELIST, nor a job's number first"
    return LacisError(reason, line.number if line.row else None, line.row.strip()[:80])


def _job(line: _Line, cell: Mapping[str, str]) -> SlurmJob | None:
    """A job; none where it has no nodes."""
    name, nodes, state = cell["job"], cell["nodes"], cell.get("state", "").upper().partition(" ")[0]
    if state in _WAITING or nodes.startswith("(") or nodes.endswith(")") or nodes.upper() in _UNKNOWN:
        return None
    is_cut = nodes.count("[") != nodes.count("]") or nodes.endswith((",", "-", "+", "…", "..."))
    if is_cut or " " in nodes:
        raise _cut_off(line, f"the nodes of job {name} are cut off")
    try:
        named = tuple(dict.fromkeys(nodesets.expand(nodes)))
    except LacisError as error:
        raise LacisError(error.reason, line.number, error.text or nodes[:80]) from None
    count = cell.get("count", "")
    if _COUNT.fullmatch(count) and int(count) != len(named):
        raise _cut_off(
            line, f"job {name} has {int(count):,} {noun(int(count), 'node')} and the list {len(named):,}"
        )
    ended = _has_ended(state)
    begin, end = _time(line, cell.get("begin", "")), _time(line, cell.get("end", ""))
    if ended and end is None:
        end = _time(line, cell.get("limit", ""))
    return SlurmJob(
        name, named, begin, end, _seconds(cell.get("left", "")), ended or end is not None, line.number
    )


def _has_ended(state: str) -> bool:
    state = state.rstrip("+")
    return (
        state in _ENDED
        or (len(state) >= _CUT_NAME and any(name.startswith(state) for name in _ENDED_NAMES))
        or state in _ENDED_NAMES
    )


def _cut_off(line: _Line, reason: str) -> LacisError:
    return LacisError(f"{reason}; {_WHOLE}", line.number, line.row.strip()[:80])


def _time(line: _Line, text: str) -> int | None:
    if text.upper() in _UNKNOWN:
        return None
    try:
        return time(text)
    except LacisError as error:
        raise LacisError(error.reason, line.number, error.text) from None


def _seconds(text: str) -> float | None:
    """`1-02:03:04`, `02:03:04` or `03:04` in seconds; none for UNLIMITED and the like."""
    found = _LENGTH.fullmatch(text)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


def hosts_there(job: SlurmJob, known: Names) -> tuple[str, ...]:
    """The hosts of a job that a fabric has: other jobs may run elsewhere too.

    Raises:
        LacisError: when a node may be several hosts; with the line.
    """
    try:
        meant = [known.meant(node) for node in job.nodes]
    except LacisError as error:
        raise LacisError(error.reason, job.line, error.text) from None
    return tuple(dict.fromkeys(host for host in meant if host is not None))


def running_hosts(path: str | os.PathLike[str], hosts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The hosts of jobs that run, by job, in the order of a file.

    Hosts that the fabric does not have are left out, and so are jobs without a host in it.

    Args:
        path: what `squeue` or `sacct` prints.
        hosts: those of the fabric.

    Raises:
        LacisError: when the file cannot be read, or is no such list.
    """
    known = Names(hosts)
    with reading(path) as data:
        found = {job.name: hosts_there(job, known) for job in read_jobs(data).running}
    return {name: here for name, here in found.items() if here}
