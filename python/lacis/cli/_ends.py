"""How a command line ends: its exit status, and one line for what went wrong.

| status | meaning |
|--------|---------|
| 0      | yes, or done; also where the reader of the output has seen enough |
| 1      | the answer is no |
| 2      | it cannot be known: bad input, wrong usage, a disk or memory that is too small |
| 70     | a bug in Lacis (`EX_SOFTWARE` of sysexits.h) |
| 130    | interrupted |

With `--json` the same is an object on standard output, `documents.error`.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from ..errors import LacisError, RefusedError
from ..facts.words import harmless
from ._flags import with_file_flags, with_flags
from ._interrupts import Interrupts
from ._json import begin, has_printed, print_object
from ._streams import discard_output, replace_what_cannot_be_encoded

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..documents.error import ErrorKind

NO: Final = 1
UNKNOWN: Final = 2
BUG: Final = 70
INTERRUPTED: Final = 130
DEBUG = "LACIS_DEBUG"
"""Environment variable that has bugs print their traceback, and the engine its own."""


class Ending(NamedTuple):
    """An end that was not meant: status, kind and words, and the error where it is one of Lacis'."""

    status: int
    kind: ErrorKind
    words: str
    error: LacisError | None = None


def ended(command: Callable[[], int], *, as_json: bool) -> int:
    """Runs a command and returns its exit status, whatever happens; every error is one line on standard error."""
    begin()
    replace_what_cannot_be_encoded()
    interrupts = Interrupts()
    try:
        with interrupts.listening():
            status = command()
            sys.stdout.flush()
            return status
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except BrokenPipeError:  # the reader of our output has seen enough
        discard_output()
        return 0
    except BaseException as error:  # noqa: BLE001 - also panics of the engine, which are no Exception
        if os.environ.get(DEBUG):
            import traceback

            traceback.print_exc()
        ending = _ending(error)
        if ending.status == BUG and interrupts.heard:
            ending = _ending(KeyboardInterrupt())
        return _reported(ending, as_json=as_json)


def _ending(error: BaseException) -> Ending:
    """What an exception means to the user."""
    match error:
        case click.UsageError():
            usage = f" (see `{error.ctx.command_path} --help`)" if error.ctx else ""
            return Ending(UNKNOWN, "usage", with_flags(f"{error.format_message()}{usage}"))
        case click.ClickException():
            return Ending(UNKNOWN, "usage", with_flags(error.format_message()))
        case RefusedError():
            return Ending(NO, "refused", _of_lacis(error), error)
        case LacisError():
            return Ending(UNKNOWN, "input", _of_lacis(error), error)
        case KeyboardInterrupt() | click.Abort():
            return Ending(INTERRUPTED, "interrupted", "interrupted")
        case OSError():
            return Ending(UNKNOWN, "system", _of_system(error))
        case MemoryError():
            return Ending(UNKNOWN, "system", "not enough memory")
    return Ending(BUG, "bug", _of_bug(error))


def _of_lacis(error: LacisError) -> str:
    line = with_file_flags(str(error))
    # What is wrong with a line of an input is in the input's words: a field of JSON may be called as an argument is.
    return line if error.line is not None else with_flags(line)


def _of_system(error: OSError) -> str:
    from ..io.files import reason_of

    reason = reason_of(error)
    if error.filename:
        return f"{os.fsdecode(error.filename)}: {reason}"
    # Files are written by name, and standard output by none.
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
    return f"standard output: cannot be written: {reason}" if is_full else f"input or output: {reason}"


def _of_bug(error: BaseException) -> str:
    text = " ".join(str(error).split())
    what = f"{type(error).__name__}{': ' * bool(text)}{text[:200]}"
    return (
        f"a bug in Lacis: {what} ({_where(error)}); please report this line with the command and, if it can be shared, "
        f"its input; {DEBUG}=1 prints the traceback"
    )


def _where(error: BaseException) -> str:
    """The file and line of an error: of the engine where it panicked, or the last one of ours in the traceback."""
    core = sys.modules.get("lacis._core")
    if type(error).__name__ == "PanicException" and core is not None and (place := core.panicked_at()):
        return str(place)
    found = "no place known"
    trace = error.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.partition(".")[0] == "lacis" and module != __name__:
            found = f"{module}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return found


def _reported(ending: Ending, *, as_json: bool) -> int:
    """Prints an end, and returns its status."""
    line = _one_line(ending.words)
    try:
        if as_json and not has_printed():
            _print_object(ending, line)
        sys.stdout.flush()
    except OSError:
        discard_output()
    click.echo(f"lacis: {harmless(line)}", err=True)
    return ending.status


def _one_line(text: str) -> str:
    return " ".join(piece.strip() for piece in text.split("\n"))


def _print_object(ending: Ending, line: str) -> None:
    from ..documents.error import ErrorDocument

    error = ending.error
    print_object(
        ErrorDocument(
            status=ending.status,
            kind=ending.kind,
            words=line,
            file=(error.source or None) if error else None,
            line=(error.line or None) if error else None,
            text=(error.text or None) if error else None,
            refusals=list(error.refusals) if isinstance(error, RefusedError) else [],
        )
    )
