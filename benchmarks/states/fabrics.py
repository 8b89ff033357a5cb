"""The fabrics: synthetic ones whole and damaged, files of the corpus, and real ones where they are present."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..measure import ROOT, shared_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True)
class Subject:
    """A fabric that commands are asked about."""

    name: str
    source: str | Path
    """A synthetic spec, or a file, which is copied beside the answers so that no path differs."""
    changes: tuple[str, ...] = ()
    """Options that change it first, such as `--without`."""


SYNTHETIC: dict[str, tuple[str, ...]] = {
    "diamond": ("diamond",),
    "article": ("article",),
    "itasca-9": ("itasca:9",),
    "tree-8": ("fat-tree:8,2",),
    "tree-16": ("fat-tree:16,2",),
    "tree-16-cut": ("fat-tree:16,2", "--without", "random-cables=6,seed=3"),
    "tree-12-leaf-gone": ("fat-tree:12,2", "--without", "leaf-03", "--without", "random-hosts=10%,seed=2"),
    "tree-12-shuffled": ("fat-tree:12,2", "--shuffle-guids", "7"),
    "tree-8-3": ("fat-tree:8,3",),
    "tree-8-3-cut": ("fat-tree:8,3", "--without", "random-cables=4%,seed=5"),
    "tree-12-3-pods": ("fat-tree:12,3:pods=4",),
    "tree-8-3-taper": ("fat-tree:8,3:taper=2",),
    "tree-4-4": ("fat-tree:4,4",),
    "tree-6-3-two": ("fat-tree:6,3:trees=2",),
    "tree-16-rails": ("fat-tree:16,2:rails=2",),
    "tree-8-rails-cut": ("fat-tree:8,2:rails=2", "--without", "random-cables=5,seed=4"),
    "tree-joined": (
        "fat-tree:16,2:radix=20,trees=2",
        "--with",
        "tree1-spine-01--tree2-spine-01",
    ),
    "tree-management-leaf": (
        "fat-tree:8,3:radix=10",
        "--with",
        "switch=mspine@core-01-*",
        "--with",
        "switch=mleaf@mspine:2",
        "--with",
        "host@mleaf:4",
    ),
    "tree-host-on-spine": ("fat-tree:8,2:radix=10", "--with", "host@spine-01", "--with", "host@spine-02"),
    "tree-unmanaged": ("fat-tree:8,2:unmanaged=1",),
    "tree-omni-path": ("fat-tree:8,2:rate=4xOPA100",),
    "tree-24-omni-path-cut": ("fat-tree:24,2:rate=4xOPA100", "--without", "random-cables=3,seed=1"),
    "pgft": ("pgft:3;4,3,4;1,2,3;1,2,1",),
    "pgft-cut": ("pgft:3;4,3,4;1,2,3;1,2,1", "--without", "random-cables=3,seed=6"),
    "torus-4-4-2": ("torus:4x4x2",),
    "torus-3-3-3-cut": ("torus:3x3x3", "--without", "random-cables=2,seed=2"),
    "mesh": ("mesh:4x4",),
    "ring": ("ring:6",),
    "hypercube": ("hypercube:4",),
    "random": ("random:24,5,2",),
    "random-cut": ("random:20,4,2:seed=3", "--without", "random-switches=2,seed=1"),
    "dragonfly": ("dragonfly:2,4,2",),
}
CORPUS = (
    "plain/ibnetdiscover.txt",
    "mixed/ibnetdiscover.txt",
    "director-mellanox/ibnetdiscover.txt",
    "director-voltaire/ibnetdiscover.txt",
    "ibsim-numbering/ibnetdiscover.txt",
)
REAL = ("dgx-2025.ibnetdiscover", "selene-2021.ibnetdiscover")
CASES = (
    "machines/dfp-small-even.fabric",
    "machines/dfp-small-uneven.fabric",
    "machines/dfp-even-crossed.fabric",
    "machines/dfp-even-moved.fabric",
    "machines/tree-moved.fabric",
    "machines/ev-half-stor.fabric",
    "machines/glued-roles.fabric",
    "machines/old-storage.fabric",
    "machines/director-of-directors.fabric",
    "machines/halfspine-quantum41.fabric",
    "fabrics/split-ports.ibnetdiscover",
    "fabrics/spine-slow.ibnetdiscover",
    "fabrics/iblinkinfo-could-be.txt",
    "fabrics/iblinkinfo-initialize.txt",
    "fabrics/whole-tree-other-ports.ibnetdiscover",
    "fabrics/mts9600.net",
    "fabrics/xdr-planes.ibnetdiscover",
    "fabrics/eventree-nolevels.net",
    "fabrics/loopback.net",
    "fabrics/underfilled-leaf.net",
    "omnipath/s1.xml",
    "omnipath/slow.xml",
    "omnipath/collide.xml",
)


def subjects() -> Iterator[Subject]:
    """Every fabric, those that this machine lacks left out."""
    for name, (spec, *changes) in SYNTHETIC.items():
        yield Subject(name, spec, tuple(changes))
    for file in CORPUS:
        yield Subject(file.split("/")[0], ROOT / "tests" / "fabrics" / file)
    for file in (*REAL, *(f"cases/{case}" for case in CASES)):
        if (path := shared_file(file)) is not None:
            yield Subject(path.name.replace(".", "-"), path)
