"""The program, as `lacis` and as `python -m lacis`."""

from __future__ import annotations

# The part of `signal` that is compiled in: the rest of it takes time to load, in which an interrupt prints a traceback.
import _signal as signal  # type: ignore[import-not-found, unused-ignore]
import atexit
import gc

_FEW = 50_000
"""Objects that are made before cycles are looked for among them: commands make few cycles, and most of them end soon."""


def main() -> None:
    """Entry point: runs the command line; an interrupt while that is loaded ends the program silently."""
    # Where a shell starts a background job, interrupts are ignored and remain so.
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(_FEW)
    # At its end Python would go through all objects several times, only to give memory back that goes with the process.
    atexit.register(gc.freeze)
    from .cli import main as command_line

    if heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command_line()


if __name__ == "__main__":
    main()
