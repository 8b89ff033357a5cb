"""Hosts of results: ranks get names, names become those of a fabric, pairs their class."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..errors import LacisError
from ..facts.words import count
from ..io.files import reading, text_of
from .results import Results, polars

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from .._core import Fabric

_ADDRESS = re.compile(r"\d+(\.\d+){3}|[0-9a-f]*:[0-9a-f:.]+", re.IGNORECASE)
_NETWORK = re.compile(r"[-_.](ib|opa|hs|hsn|roce|eth|mlx|hfi)\d*$")


@dataclass(frozen=True)
class Naming:
    """How names of results and of a fabric agree.

    Attributes:
        found: hosts that the fabric has by that name.
        proposed: other names, each with the only host of the fabric that it can mean.
        absent: names without a similar one in the fabric.
        unmeasured: hosts of the fabric without a result.
    """

    found: Sequence[str]
    proposed: Mapping[str, str]
    absent: Sequence[str]
    unmeasured: Sequence[str]


def name_ranks(results: Results, hosts: Sequence[str], per_host: int = 1) -> Results:
    """Gives ranks without a host their names: `per_host` consecutive ranks on each host.

    Raises:
        LacisError: when there are not as many ranks as names.
    """
    pl = polars()
    frame = results.frame
    unnamed: list[Any] = [
        frame.filter(pl.col(end).is_null() & pl.col(f"{end}_rank").is_not_null())[f"{end}_rank"].max()
        for end in ("source", "destination")
    ]
    ranks = max((int(rank) + 1 for rank in unnamed if rank is not None), default=0)
    if not ranks:
        return results
    if ranks != len(hosts) * per_host:
        counted = count(len(hosts), "host") + (f" of {per_host} ranks" if per_host > 1 else "")
        raise LacisError(f"{counted}, but the results have {count(ranks, 'rank')}")
    names = pl.Series([*np.repeat(np.array(hosts, dtype=object), per_host), None], dtype=pl.String)
    return results.with_frame(
        frame.with_columns(
            pl.coalesce(end, names.gather(frame[f"{end}_rank"].fill_null(ranks))).alias(end)
            for end in ("source", "destination")
        )
    )


def compare_names(results: Results, fabric: Fabric) -> Naming:
    """How the names of hosts agree with a fabric's: by letter case, domain, a network's suffix and leading zeros."""
    known = _core.hosts(fabric).names
    names = results.hosts()
    by_form: dict[str, list[str]] = {}
    for name in known:
        by_form.setdefault(_form(name), []).append(name)
    there = set(known)
    found = [name for name in names if name in there]
    taken = set(found)
    proposed: dict[str, str] = {}
    absent = []
    for name in names:
        if name in there:
            continue
        meant = [host for host in by_form.get(_form(name), ()) if host not in taken]
        if len(meant) == 1:
            proposed[name] = meant[0]
        else:
            absent.append(name)
    # Where two names mean one host, neither is proposed.
    several = [host for host in set(proposed.values()) if list(proposed.values()).count(host) > 1]
    absent += [name for name, host in proposed.items() if host in several]
    proposed = {name: host for name, host in proposed.items() if host not in several}
    measured = {*found, *proposed.values()}
    return Naming(found, proposed, absent, [name for name in known if name not in measured])


def rename(results: Results, names: Mapping[str, str]) -> Results:
    """Return the results with other names of hosts."""
    pl = polars()
    return results.with_frame(
        results.frame.with_columns(pl.col("source", "destination").replace(dict(names)))
    )


def read_names(path: str | os.PathLike[str]) -> dict[str, str]:
    """A file of names: `MEASURED FABRIC` on each line, a comment after `#`.

    Raises:
        LacisError: when a line does not have two names, or a name is listed twice.
    """
    names: dict[str, str] = {}
    with reading(path) as data:
        for number, line in enumerate(text_of(data).splitlines(), 1):
            words = line.split("#", 1)[0].split()
            if not words:
                continue
            if len(words) != 2 or words[0] in names:
                reason = "no two names" if len(words) != 2 else "a name listed twice"
                raise LacisError(reason, number, line.strip()[:80])
            names[words[0]] = words[1]
    return names


def addressed(results: Results, fabric: Fabric) -> dict[str, str]:
    """The hosts that results know by a LID or a GID of their adapters (`LID 5`), as perftest prints them, by the fabric's names.

    An address that several hosts have, as on planes of their own, names none.
    """
    wanted = [name for name in results.hosts() if name.startswith(("LID ", "GID "))]
    if not wanted:
        return {}
    hosts = _core.hosts(fabric)
    names = hosts.names
    by_address: dict[str, set[str]] = {}
    for host, lid, guid in hosts.addresses():
        if lid:
            by_address.setdefault(f"LID {lid}", set()).add(names[host])
        # The interface identifier of a GID is the GUID of the port.
        groups = ":".join(f"{guid >> shift & 0xFFFF:x}" for shift in (48, 32, 16, 0))
        by_address.setdefault(groups, set()).add(names[host])
    found = {name: by_address.get(name, by_address.get(_identifier(name), set())) for name in wanted}
    return {name: next(iter(meant)) for name, meant in found.items() if len(meant) == 1}


def _identifier(name: str) -> str:
    """The last four groups of a GID."""
    return ":".join(name.removeprefix("GID ").split(":")[-4:])


def name_hosts(
    results: Results, fabric: Fabric, names: Mapping[str, str] | None = None
) -> tuple[Results, Naming]:
    """Results with the names of a fabric's hosts, and how names agree.

    Args:
        results: whatever their names are.
        fabric: whose names are wanted.
        names: other names of hosts; those of `Naming.proposed` are not applied unasked.

    Raises:
        LacisError: when no host that was measured is in the fabric.
    """
    results = rename(results, names) if names else results
    results = rename(results, addressed(results, fabric))
    naming = compare_names(results, fabric)
    if results.hosts() and not naming.found and not naming.proposed:
        count, first = len(results.hosts()), results.hosts()[0]
        raise LacisError(
            f"none of the {count} hosts measured is in the fabric, nor any like {first!r}: results of another fabric?"
        )
    return results, naming


def classify(results: Results, fabric: Fabric) -> Results:
    """Gives pairs of hosts that the fabric has their class: same node, same leaf, different leaves.

    A host's leaf is that of its first adapter.
    """
    pl = polars()
    of = leaves_of_hosts(fabric)
    a, b = (
        pl.col(end).replace_strict(of, default=None, return_dtype=pl.Int64)
        for end in ("source", "destination")
    )
    kind = (
        pl.when(pl.col("source") == pl.col("destination"))
        .then(pl.lit("same node"))
        .when(a == b)
        .then(pl.lit("same leaf"))
        .when(a.is_not_null() & b.is_not_null())
        .then(pl.lit("different leaves"))
        .otherwise(pl.col("class").cast(pl.String))
    )
    return results.with_frame(results.frame.with_columns(kind.cast(pl.Categorical).alias("class")))


def names_of(names: Sequence[str], fabric: Fabric) -> list[str]:
    """The names of hosts that take part in traffic, as results have them.

    Traffic names a host that lacks most rails by its adapter (`cache-01 mlx5_1`); where that is the host's only one in the
    traffic, it is the host's name here.
    """
    known = set(_core.hosts(fabric).names)
    first = [name if name in known else name.split()[0] for name in names]
    count = Counter(first)
    return [
        short if short in known and count[short] == 1 else name
        for name, short in zip(names, first, strict=True)
    ]


def leaves_of_hosts(fabric: Fabric) -> dict[str, int]:
    """For each host by name the number of its leaf, that of its first adapter; -1 where there is no cable."""
    found = _core.hosts(fabric)
    ends = fabric.cables().reshape(-1, 4)
    leaf = np.full(fabric.num_switches + fabric.num_end_nodes, -1, dtype=np.int64)
    leaf[ends[:, 0]] = ends[:, 2]
    leaf[ends[:, 2]] = ends[:, 0]
    adapters = [int(found.adapters(host)[0]) for host in range(len(found.names))]
    return dict(zip(found.names, leaf[adapters].tolist(), strict=True))


def _form(name: str) -> str:
    """The form that different names of one host share."""
    if _ADDRESS.fullmatch(name):
        return name
    short = _NETWORK.sub("", name.lower().split(".")[0])
    return re.sub(r"\d+", lambda digits: str(int(digits[0])), short)
