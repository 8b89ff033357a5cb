"""A copy of what a description of a host reads: small, and enough to describe it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .described import KEPT_VARIABLES, described_by
from .tree import COMMANDS, Tree

if TYPE_CHECKING:
    import os


class _Recording(Tree):
    """A tree that keeps what is read of it."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        super().__init__(root)
        self.read: dict[str, bytes] = {}

    def text(self, path: str) -> str | None:
        text = super().text(path)
        if text is not None:
            self.read[path] = f"{text}\n".encode()
        return text

    def has(self, path: str) -> bool:
        found = super().has(path)
        if found and not (self.root / path).is_file():
            self.read.setdefault(f"{path}/.folder", b"")
        return found

    def names(self, path: str, pattern: str) -> list[str]:
        names = super().names(path, pattern)
        for name in names:
            # Of a device all that is asked is whether it is there.
            is_folder = (self.root / path / name).is_dir()
            self.read.setdefault(f"{path}/{name}/.folder" if is_folder else f"{path}/{name}", b"")
        return names

    def output(self, *command: str) -> str | None:
        output = super().output(*command)
        if output is not None:
            self.read[f"{COMMANDS}/{' '.join(command)}"] = output.encode()
        return output


def recorded(root: str | os.PathLike[str] = "/") -> dict[str, bytes]:
    """What a description of a host reads: path below the root → content.

    Raises:
        LacisError: when there is no such folder.
    """
    tree = _Recording(root)
    host = described_by(tree).host
    variables = "".join(f"{name}={value}\n" for name, value in host.variables.items())
    return tree.read | {KEPT_VARIABLES: variables.encode()}
