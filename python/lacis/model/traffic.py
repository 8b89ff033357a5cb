"""What is sent: the texts of patterns and programs, the files that they name, and what comes as arrays."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from .. import _core
from ..errors import LacisError
from ..io.files import reading, text_of
from .pairs import pattern_text, phases_of, trace_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .._core import Participants
    from ..requests.traffic import Phase, Traffic
    from .pairs import Checked


@contextlib.contextmanager
def listed(
    traffic: Traffic,
    hosts: Participants,
    *,
    has_sizes: bool = True,
    size: int | None = None,
    ranks_per_host: int = 1,
) -> Iterator[tuple[str, str]]:
    """Traffic as the engine takes it: what is asked for, and the text of the file that it names, if any.

    Args:
        traffic: as users give it. Numbers are hosts, or ranks where a host has several. One phase without bytes, and
            several where messages have no sizes, are a pattern, as that of `file:PATH`; what else has bytes, several
            phases or several ranks a host is a program, as that of `trace:PATH`.
        hosts: those that send and receive.
        has_sizes: whether messages have sizes; otherwise only flows count, and programs make no sense.
        size: of messages without bytes; none where all have some.
        ranks_per_host: how many ranks of a program are on each host.

    Raises:
        LacisError: when there is no such traffic, or the file cannot be read; errors inside name the file.
    """
    if not isinstance(traffic, str):
        try:
            given = _given(traffic, hosts, has_sizes=has_sizes, size=size, ranks_per_host=ranks_per_host)
        except LacisError as error:
            raise error.within("`traffic`") from None
        yield given
        return
    kind, path = _core.traffic_kind(traffic)
    if has_sizes and size is None and (kind, path is None) != ("program", False):
        raise LacisError("the size of messages is missing", text=traffic)
    if path is None:
        yield traffic, ""
        return
    with reading(path) as data:
        yield traffic, text_of(data)


def _given(
    traffic: Phase | Callable[[int], Phase | Iterator[Phase]],
    hosts: Participants,
    *,
    has_sizes: bool,
    size: int | None,
    ranks_per_host: int,
) -> tuple[str, str]:
    """Pairs, or what a function makes, as the text of a pattern or a program; see `listed`."""
    names = hosts.hosts if ranks_per_host == 1 else ()
    phases = phases_of(traffic, names, len(hosts.hosts) * ranks_per_host)
    has_bytes = any(phase.bytes is not None for phase in phases)
    is_program = has_bytes or (has_sizes and len(phases) > 1) or ranks_per_host > 1
    _check_sizes(phases, has_sizes, size)
    if is_program:
        return "trace:pairs", trace_text(phases, size or 0)
    return "file:pairs", "---\n".join(pattern_text(phase, hosts.hosts) for phase in phases)


def _check_sizes(phases: Sequence[Checked], has_sizes: bool, size: int | None) -> None:
    """Refuses bytes where only flows count, and messages without a size where they have one."""
    if has_sizes:
        if size is None and any(phase.bytes is None for phase in phases):
            raise LacisError("the size of messages is missing: pairs without bytes need one")
    elif any(phase.bytes is not None for phase in phases):
        raise LacisError("flows without sizes are predicted here: bytes are for `times` and `simulate`")
