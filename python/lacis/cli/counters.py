"""`lacis counters`: the counters of every port of a running fabric, or of files."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from typing import TYPE_CHECKING

import click

from ._counters_read import device_options, filed, live
from ._fabric import optional_fabric_argument, warn
from ._help import GroupedCommand
from ._numbers import SOME_LISTED, SWEEPS
from ._output import json_option, print_json
from ._units import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .._core import Fabric
    from ..counters import Growth, Readings, Unread
    from ..documents.counters import CountersDocument
    from ._counters_read import Source, Through


@click.command("counters", cls=GroupedCommand)
@optional_fabric_argument
@click.option(
    "--discover", is_flag=True, help="Find the fabric with ibnetdiscover; what it found is kept for a day."
)
@click.option("--fresh", is_flag=True, help="--discover: find it again, whatever is kept.")
@click.option(
    "--from",
    "files",
    multiple=True,
    metavar="FILE",
    help="Read files instead: recordings, and what other tools print; repeatable.",
)
@click.option("--every", type=Span(0.01, 86_400), metavar="TIME", help="Read again and again: 1s, 500ms, 5m.")
@click.option("--count", "how_often", type=SWEEPS, help="--every: end after so many sweeps.")
@click.option(
    "--for", "lasting", type=Span(0.01, 3.2e7), metavar="TIME", help="--every: end after a time: 10m."
)
@click.option("--all", "every_port", is_flag=True, help="Show every port, and name all without an answer.")
@click.option("--top", type=SOME_LISTED, default=20, show_default=True, help="How many ports to show.")
@click.option("--keep", metavar="STORE", help="Keep each sweep in this store.")
@click.option("-o", "--output", metavar="FILE", help="Write the sweeps as a recording, JSON lines.")
@click.option("--clear", is_flag=True, help="Set all counters to zero after they are read.")
@device_options
@json_option
def command(
    fabric: Fabric | None,
    discover: bool,
    fresh: bool,
    files: tuple[str, ...],
    every: float | None,
    how_often: int | None,
    lasting: float | None,
    every_port: bool,
    top: int,
    keep: str | None,
    output: str | None,
    clear: bool,
    through: Through,
    as_json: bool,
) -> int:
    """Read the counters of every cabled port of FABRIC, by management datagrams from an adapter of this host.

    FABRIC says which ports there are and by which LIDs they are read: what ibnetdiscover printed of the running fabric.
    Nothing is set, unless --clear asks for it. Ports whose link is not up come first, then those with errors, then the busiest;
    rates are known from the second sweep on.

    Exit status 1: a port gave no answer, or was not cleared.
    \f
    LIDs are checked: nodes are asked for their GUID, all of them in the first sweep and after a sign of change, else
    some in each. What a LID gives that now belongs to another node is left out. With --discover the fabric is then found
    again.

    What links do (state, lanes, speed) is asked of all ports every 10 seconds (--links), and of those with a sign of change
    in each sweep: by LID, or by the path to each node where none answers to that.

    With --every, Ctrl-C ends the command well.
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    _refuse(fabric, discover, fresh, files, every, how_often, lasting, clear)
    from ..counters.growth import growth

    is_complete = True
    with contextlib.ExitStack() as stack:
        source = filed(files, fabric) if files else stack.enter_context(live(fabric, through, fresh=fresh))
        store = stack.enter_context(_keeping(keep))
        record = stack.enter_context(_recording(output, is_one=every is None))
        before = source.before
        stopped = contextlib.suppress(KeyboardInterrupt) if every is not None else contextlib.nullcontext()
        with stopped:
            for readings in _sweeps(source, every, how_often, lasting):
                grown = source.names().agreed(growth(before, readings)) if before is not None else None
                uncleared = source.clear() if clear else None
                is_complete = not readings.unread and not uncleared
                store(readings)
                wanted = record is not None or as_json
                document = _document(source, readings, grown, uncleared, before) if wanted else None
                if record is not None and document is not None:
                    record(document)
                if as_json and document is not None:
                    _print_json(document, is_line=every is not None)
                elif not as_json:
                    _print(source, readings, grown, uncleared, None if every_port else top, before)
                before = readings
    return 0 if is_complete else 1


def _refuse(
    fabric: Fabric | None,
    discover: bool,
    fresh: bool,
    files: tuple[str, ...],
    every: float | None,
    count: int | None,
    lasting: float | None,
    clear: bool,
) -> None:
    """Refuses options that contradict each other."""
    if files and (discover or every is not None or clear):
        raise click.UsageError(
            "--from reads files; --discover, --every and --clear are about a running fabric"
        )
    if not files and (fabric is None) != discover:
        raise click.UsageError("the fabric is given once: FABRIC, or --discover")
    if fresh and not discover:
        raise click.UsageError("--fresh is about --discover, which is not given")
    if every is None and (count is not None or lasting is not None):
        raise click.UsageError("--count and --for end --every, which is not given")
    if clear and every is not None:
        raise click.UsageError("--clear sets counters to zero after one sweep, and --every reads on")


def _sweeps(
    source: Source, every: float | None, count: int | None, lasting: float | None
) -> Iterator[Readings]:
    """Sweeps, one or at the pace that is asked for; one that takes longer than its time delays the next."""
    begun = due = time.monotonic()
    number = 0
    while True:
        yield source.sweep()
        number += 1
        if every is None or number == count:
            return
        due = max(due + every, time.monotonic())
        if lasting is not None and due - begun > lasting:
            return
        time.sleep(max(0.0, due - time.monotonic()))


@contextlib.contextmanager
def _keeping(store: str | None) -> Iterator[Callable[[Readings], object]]:
    """Keeps sweeps in a store, where one is given."""
    if store is None:
        yield lambda _: None
        return
    from ..counters.store import CounterStore

    with CounterStore(store) as kept:
        yield kept.append


@contextlib.contextmanager
def _recording(output: str | None, *, is_one: bool) -> Iterator[Callable[[CountersDocument], object] | None]:
    """Writes sweeps to a file: one at once, before it is printed; several when the command ends well."""
    if output is None:
        yield None
        return
    from ..counters import recording
    from ..io.files import write, writing

    if is_one:
        yield lambda document: write(output, recording.line(document))
        return
    with writing(output) as out:
        yield lambda document: out.write(recording.line(document))


def _document(
    source: Source,
    readings: Readings,
    grown: Growth | None,
    uncleared: Sequence[Unread] | None,
    before: Readings | None,
) -> CountersDocument:
    from ..counters import recording

    return recording.document(readings, source.names(), grown, source.remarks(), uncleared, before)


def _print_json(document: CountersDocument, *, is_line: bool) -> None:
    if not is_line:
        print_json(document)
        return
    from ..counters import recording

    text = recording.line(document).decode()
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = f"{json.dumps(json.loads(text))}\n"
    sys.stdout.write(text)
    sys.stdout.flush()


def _print(
    source: Source,
    readings: Readings,
    grown: Growth | None,
    uncleared: Sequence[Unread] | None,
    top: int | None,
    before: Readings | None,
) -> None:
    from ..facts.wording import text
    from ._counters_shown import print_sweep

    for remark in source.remarks():
        warn(text(remark))
    print_sweep(
        readings,
        grown,
        source.names(),
        top=top,
        uncleared=uncleared,
        before=before,
        is_timed=source.is_timed,
    )
