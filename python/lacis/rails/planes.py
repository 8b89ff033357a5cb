"""The planes of a machine as one fabric, and which adapter is on which plane, rail and leaf."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import msgspec

from .. import _core
from ..documents.rails import RailsDocument
from ..errors import LacisError
from ..io.files import reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Fabric

DEFAULT_PREFIX = 0xFE80000000000000
"""The subnet prefix that managers are shipped with."""


def join(fabrics: Sequence[Fabric], *, generated: Sequence[bool] = ()) -> Fabric:
    """Joins fabrics, each one or more planes of one machine, into one; hosts are matched by name.

    Args:
        fabrics: in the order in which planes are to be numbered.
        generated: whether each fabric is synthetic. The GUIDs of all of these except the first are drawn afresh, as
            two would have the same.

    Raises:
        LacisError: when two of them have a switch in common, or contradict each other.
    """
    made = [False] * len(fabrics) if not generated else list(generated)
    own = [
        fabric.shuffle_guids(k) if k and is_made else fabric
        for k, (fabric, is_made) in enumerate(zip(fabrics, made, strict=True))
    ]
    return _core.join_fabrics(own)


def rail_map(fabric: Fabric, prefixes: Sequence[int | None] = ()) -> RailsDocument:
    """Which adapter of which host is on which plane, rail and leaf, and what is wrong there.

    Args:
        fabric: of one or more planes.
        prefixes: subnet prefix of each plane; None for that which the ports report.
    """
    found = json.loads(_core.rail_map_json(fabric, list(prefixes)))
    return msgspec.convert({"schema": "lacis.rails-show/1", "provenance": "measured", **found}, RailsDocument)


def prefix(text: str) -> int:
    """A subnet prefix: a number (`0xfe80000000000001`), or the one in a manager's configuration (opensm.conf, opafm.xml).

    Raises:
        LacisError: when it is no number, and no file that names a prefix.
    """
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", text):
        return int(text, 16)
    if not re.search(r"[./]|conf|xml", text):
        raise LacisError(
            f'a subnet prefix is a number such as 0xfe80000000000001, or a file that names one: "{text}"'
        )
    with reading(text) as data:
        content = _of_started(re.sub(rb"(?s)<!--.*?-->", b"", data))
        found = re.findall(
            rb"(?m)^\s*subnet_prefix\s+(\S+)|<SubnetPrefix>\s*(\S+?)\s*</SubnetPrefix>", content
        )
        values = {word.decode(errors="replace") for pair in found for word in pair if word}
        if not values:
            return DEFAULT_PREFIX
        if len(values) > 1:
            raise LacisError(f"names several subnet prefixes: {', '.join(sorted(values))}")
        [value] = values
        try:
            number = int(value, 0)
        except ValueError:
            number = -1
        if not 0 <= number < 1 << 64:
            raise LacisError(f'"{value}" is no subnet prefix')
        return number


def prefixes_of(found: RailsDocument) -> list[int | None]:
    """The subnet prefix of each plane, as given or as the ports report it."""
    return [None if plane.prefix is None else int(plane.prefix, 16) for plane in found.planes]


def _of_started(content: bytes) -> bytes:
    """The instances of an opafm.xml that are started, where any is; the shipped file has four."""
    instances = re.findall(rb"(?s)<Fm>.*?</Fm>", content)
    starts = [re.search(rb"<Start>\s*(\d+)", instance) for instance in instances]
    started = [
        instance
        for instance, start in zip(instances, starts, strict=True)
        if start is None or int(start[1]) != 0
    ]
    return b"\n".join(started) if any(b"<SubnetPrefix>" in instance for instance in started) else content
