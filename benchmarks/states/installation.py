"""One installation of Lacis, asked many commands by one process, which forks for each."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LIMIT = 120
"""Seconds of processor time after which a command is stopped, and counts as status -27."""
ENVIRONMENT = {"COLUMNS": "100", "TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "NO_COLOR": "1"}
SERVER = """
import importlib, json, os, pkgutil, signal, sys, traceback
room, function, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
main = getattr(importlib.import_module(room), function)
heavy = ["polars", "rich.console", "rich.table", "matplotlib.figure", "matplotlib.backends.backend_svg"]
heavy += [module.name for module in pkgutil.walk_packages(importlib.import_module("lacis").__path__, "lacis.")]
for name in heavy:
    if not name.endswith("__main__"):
        try:
            importlib.import_module(name)
        except ImportError:
            pass
replies = os.fdopen(os.dup(1), "w")
for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_PROF, limit)
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(os.path.join(asked["answer"], name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(asked["folder"])
        sys.argv = ["lacis", *asked["words"]]
        status = 70
        try:
            main()
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=replies, flush=True)
"""
"""Imports everything once, then forks for each command, so that a command costs what it computes."""


@dataclass(frozen=True)
class Command:
    """A command line, by a name of its own, and the files that it writes and that are to be compared."""

    name: str
    words: tuple[str, ...]
    files: tuple[str, ...] = ()


class Installation:
    """A working tree with a built `_core`, whose own `lacis` one process runs, command after command."""

    def __init__(self, checkout: Path) -> None:
        checkout = checkout.resolve()
        with (checkout / "pyproject.toml").open("rb") as file:
            entry = tomllib.load(file)["project"]["scripts"]["lacis"]
        environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(checkout / "python")}
        for name in ("LACIS_RESULTS", "FORCE_COLOR"):
            environment.pop(name, None)
        words = [sys.executable, "-c", SERVER, *entry.split(":"), str(LIMIT)]
        self._process = subprocess.Popen(
            words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, commands: Sequence[Command], work: Path, answers: Path) -> None:
        """Runs commands in the folder `work`, and keeps what each prints and writes in a folder of its name."""
        work, answers = work.resolve(), answers.resolve()
        for command in commands:
            folder = answers / command.name
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            asked = {"words": command.words, "folder": str(work), "answer": str(folder)}
            print(json.dumps(asked), file=self._process.stdin, flush=True)
            status = self._process.stdout.readline().strip() if self._process.stdout else ""
            if not status:
                raise RuntimeError(f"lacis cannot be run: {command.words}")
            (folder / "status").write_text(status)
            for pattern in command.files:
                for path in sorted(work.glob(pattern)):
                    if path.is_file():
                        kept = folder / "files" / path.relative_to(work)
                        kept.parent.mkdir(parents=True, exist_ok=True)
                        shutil.copyfile(path, kept)

    def end(self) -> None:
        """Ends the process."""
        if self._process.stdin:
            self._process.stdin.close()
        self._process.wait()
