"""What a subnet manager does when cables and nodes of a fabric fail and come back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from ..routing.making import warn_of_fallback

if TYPE_CHECKING:
    from typing import Unpack

    from .._core import Fabric, Managed, Participants, Survey
    from ..requests.routing import RouteOptions


def manage(fabric: Fabric, engines: str = "minhop", **options: Unpack[RouteOptions]) -> Managed:
    """A fabric after the first sweep of its manager, to which changes can happen.

    Where all engines refuse in that sweep, OpenSM falls back to minhop, and a `FallbackWarning` has the reasons.

    >>> import lacis
    >>> whole = lacis.manage(lacis.read("fat-tree:8,2"), "ftree")
    >>> cut, step = whole.after([("cut", "leaf-01--spine-01")])
    >>> cut.routes.engine_used, whole.losses(cut).pairs_lost
    ('minhop', 0)

    Args:
        fabric: what to route.
        engines: an engine, or a list `a,b` of which every sweep uses the first that accepts the fabric.
        options: see `RouteOptions`.

    Raises:
        RefusedError: when all engines refuse and `fallback` is off.
        LacisError: when there is no such engine or node.
    """
    managed = _core.manage(fabric, engines, **options)
    warn_of_fallback(managed.routes, stacklevel=3)
    return managed


def survey(
    managed: Managed, hosts: Participants, *, pairs: str = "all", host_cables: bool = False, step: int = 1
) -> Survey:
    """Every cable and every switch, each of which can fail alone; `survive` tries them all.

    Args:
        managed: the fabric while nothing fails, from `manage`.
        hosts: whose shifts are judged, from `participants`.
        pairs: `all` end nodes, or `hosts`.
        host_cables: whether cables of hosts fail too.
        step: the distance between two shifts that are judged.
    """
    return _core.survey(managed, hosts, pairs=pairs, host_cables=host_cables, step=step)
