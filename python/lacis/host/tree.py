"""The files that a kernel shows, of this host or of a copy that was kept: `sys/`, `proc/`, and output of programs.

A kept copy has the output of programs in `commands/`, a file for each, named as the program with its arguments.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from ..errors import LacisError

_MOST = 1 << 16
"""Bytes that are read of a file: those of sysfs have a page, and a limit keeps out what is none."""
_MOST_OUTPUT = 1 << 20
_SECONDS = 10
"""Seconds after which a program is given up."""
COMMANDS = "commands"


class Tree:
    """A root below which `sys/class/infiniband` and the like lie."""

    def __init__(self, root: str | os.PathLike[str] = "/") -> None:
        """`root` is `/`, or the folder of a kept copy.

        Raises:
            LacisError: when there is no such folder.
        """
        self.root = Path(root)
        if not self.root.is_dir():
            raise LacisError("no such folder", source=os.fspath(root))
        self.is_live = self.root.resolve() == Path("/")

    def text(self, path: str) -> str | None:
        """The content of a file without the line's end; none where it is absent or unreadable, as many are for users."""
        try:
            with (self.root / path).open("rb") as file:
                data = file.read(_MOST)
        except OSError:
            return None
        return data.decode("utf-8", "replace").replace("\0", " ").strip()

    def number(self, path: str) -> int | None:
        """The whole number that a file holds; none where it holds something else."""
        text = self.text(path)
        return int(text) if text is not None and re.fullmatch(r"-?\d{1,18}", text) else None

    def has(self, path: str) -> bool:
        """Whether a file or folder is there."""
        return (self.root / path).exists()

    def names(self, path: str, pattern: str) -> list[str]:
        """What lies in a folder under names that match a pattern, in their order; nothing where it is absent."""
        try:
            names = [entry.name for entry in os.scandir(self.root / path)]
        except OSError:
            return []
        return sorted(name for name in names if re.fullmatch(pattern, name))

    def output(self, *command: str) -> str | None:
        """What a program prints on standard output; none where it is absent or fails.

        Of a kept copy it is what the file of that name has.
        """
        if not self.is_live:
            return self.text(f"{COMMANDS}/{' '.join(command)}")
        if shutil.which(command[0]) is None:
            return None
        try:
            done = subprocess.run(  # noqa: S603 - a fixed list of programs
                command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout[:_MOST_OUTPUT].decode("utf-8", "replace") if done.returncode == 0 else None
