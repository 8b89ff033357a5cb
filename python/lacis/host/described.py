"""A host described: what is there, and what is wrong with it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ..documents.host import HostDescription
from ..errors import LacisError
from ..io import archive
from .adapters import adapters, system_image
from .mpi import VARIABLES, libraries
from .system import system
from .tree import Tree
from .wrong import wrong

if TYPE_CHECKING:
    from ..facts.host import HostFact

KEPT_VARIABLES = "environment"
"""The file of a kept copy that has the environment, `NAME=VALUE` a line."""


class DescribedHost(NamedTuple):
    """A host, and what is wrong with it."""

    host: HostDescription
    facts: list[HostFact]
    """What is wrong, the worst first."""


def described(root: str | os.PathLike[str] = "/") -> DescribedHost:
    """Describes this host, or the one of which `root`, a folder or an archive of `lacis capture`, has a copy.

    Raises:
        LacisError: when there is no such folder, or the archive has no host.
    """
    if archive.is_archive(root):
        kept = archive.unpacked(root) / "host"
        if not kept.is_dir():
            raise LacisError("an archive without a host", source=os.fspath(root))
        root = kept
    return described_by(Tree(root))


def described_by(tree: Tree) -> DescribedHost:
    """Describes the host whose files a tree has."""
    found = adapters(tree)
    variables = _variables(tree)
    host = HostDescription(system(tree), found, libraries(tree, found, variables), variables)
    images = {one.name: image for one in found if (image := system_image(tree, one.name))}
    return DescribedHost(host, wrong(tree, host, images))


def _variables(tree: Tree) -> dict[str, str]:
    """What libraries of communication read of the environment, by name."""
    if tree.is_live:
        pairs = list(os.environ.items())
    else:
        lines = (tree.text(KEPT_VARIABLES) or "").splitlines()
        pairs = [(name, value) for name, equals, value in (line.partition("=") for line in lines) if equals]
    return {name: value for name, value in sorted(pairs) if name.startswith(VARIABLES)}
