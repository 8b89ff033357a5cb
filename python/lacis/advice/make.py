"""From engines and options to a bundle."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast, get_args

from .. import _core, opensm
from ..facts.advice import (
    AdaptiveLost,
    CopyRestored,
    GivenList,
    LanesNeeded,
    OpensmEngine,
    OpensmVersion,
    PluginEngine,
    PluginInstalled,
    TablesFromFile,
)
from ..ranks.participants import GROUPS
from .bundle import CONF, Bundle
from .failures import failures_of_tables, single_failures
from .gains import figures
from .outcome import Outcome, outcome
from .texts import GUIDS, PORTS, files
from .variants import Variant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._core import Fabric, Routes
    from ..facts.advice import Mender, Need, SingleFailures, WayBack
    from ..requests.routing import RouteOptions
    from .baseline import Baseline

TABLES = "lfts.txt"
NOT_IN_CONF = ("sm", "guid2lid", "fallback")
"""Options without a key in `opensm.conf`: which node the manager is on, and what it remembers."""


@dataclass(frozen=True)
class Maker:
    """Makes bundles for a fabric, each compared with what runs there now."""

    fabric: Fabric
    base: Outcome
    """What runs now."""
    baseline: Baseline
    groups: str = GROUPS
    fails: bool = True
    """Whether single failures are tried; under tables from a file, which nothing repairs, they always are."""

    def bundle(self, engines: str, options: RouteOptions, after: Outcome | None = None) -> Bundle:
        """The bundle that lets OpenSM route with engines and options.

        Args:
            engines: a list as `routing_engine` of `opensm.conf` has it; the first is Lacis' where it begins with
                `lacis-`.
            options: of the manager, as `routing.route` takes them.
            after: what its tables do; found here unless given.

        Raises:
            RefusedError: when the first engine refuses the fabric.
            LacisError: when there is no such engine, or OpenSM has no such option.
        """
        names = [name.strip() for name in engines.split(",")]
        if after is None:
            after = self._tried(names, options)
        is_ours = names[0].startswith(opensm.PREFIX)
        paths, texts = files(options)
        kept = {
            name: value
            for name, value in options.items()
            if name not in (*GUIDS, *PORTS, *NOT_IN_CONF, "torus_config")
        }
        now = self.baseline.now or {}
        if is_ours:
            lines = opensm.settings(names, kept, opensm.PluginOptions(prove=self._proof(after)), now)
        else:
            lines = opensm.routing_lines(names, kept)
        lines |= opensm.resets(lines | paths, now)
        return Bundle(
            name=_slug([names[0], *(key for key in (*GUIDS, *PORTS) if options.get(key))]),
            alternative=_engine(names, options, is_ours=is_ours),
            engines=names,
            lines=lines,
            back=self._back(lines, paths),
            against=self.baseline.running,
            paths=paths,
            files=texts,
            lanes=_lanes(names, options, after.routes),
            needs=_needs(is_ours, self.baseline),
            figures=figures(self.base, after),
            failures=self.failures(",".join(names), options, "plugin" if is_ours else "opensm"),
        )

    def tables(self, after: Outcome) -> Bundle:
        """The bundle that lets OpenSM load the tables of an engine from a file."""
        kept = {
            k: v for k, v in after.variant.options.items() if k in self.baseline.kept and k not in NOT_IN_CONF
        }
        lines = opensm.routing_lines(["file"], kept)
        paths = {"lfts_file": TABLES}
        lines |= opensm.resets(lines | paths, self.baseline.now or {})
        return Bundle(
            name=_slug([after.variant.label, "tables"]),
            alternative=TablesFromFile(after.label),
            engines=["file"],
            lines=lines,
            back=self._back(lines, paths),
            against=self.baseline.running,
            paths=paths,
            files={TABLES: after.routes},
            figures=figures(self.base, after),
            failures=failures_of_tables(self.fabric, after.routes, **after.variant.options),
        )

    def _tried(self, names: list[str], options: RouteOptions) -> Outcome:
        strict = cast("RouteOptions", {**options, "fallback": False})
        first = opensm.plain(names[0])
        routes = _core.route(self.fabric, first, **strict)
        return outcome(self.fabric, Variant(names[0], first, options), routes, self.groups)

    def _proof(self, after: Outcome) -> str:
        """What the plugin can prove of the tables: of all end nodes, or of hosts alone."""
        every = after.verify.all
        return "hosts" if every.avoidable or every.credit_loops else "all"

    def failures(self, engines: str, options: RouteOptions, mender: Mender) -> SingleFailures | None:
        """Single failures under engines, where they are tried."""
        if not self.fails:
            return None
        return single_failures(self.fabric, opensm.plain(engines), mender, **options)

    def _back(self, lines: Mapping[str, str], paths: Mapping[str, str]) -> WayBack:
        now = self.baseline.now
        if now is None:
            return CopyRestored(CONF, (*lines, *paths))
        new = dict(lines) | dict.fromkeys(paths, "")
        return opensm.back({key: now.get(key) for key in new if now.get(key) != new[key]})


def _slug(words: list[str]) -> str:
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-")


def _engine(names: list[str], options: Mapping[str, object], *, is_ours: bool) -> PluginEngine | OpensmEngine:
    """What runs, by what it is steered, and what takes over where it fails."""
    lists: tuple[GivenList, ...] = get_args(GivenList)
    given = tuple(key for key in lists if options.get(key))
    others = tuple(key for key, value in options.items() if _is_steering(key, value))
    behind = tuple(name for name in names[1:] if name != "no_fallback")
    if is_ours:
        return PluginEngine(opensm.plain(names[0]), names[0], given, others, behind)
    return OpensmEngine(names[0], given, others, behind)


def _is_steering(key: str, value: object) -> bool:
    return bool(value) and key not in (
        *GUIDS,
        *NOT_IN_CONF,
        "lmc",
        "lmc_esp0",
        "fresh_lids",
        "vls",
        "ucast_cache",
    )


def _needs(is_ours: bool, baseline: Baseline) -> list[Need]:
    needs: list[Need] = []
    if is_ours:
        needs += [OpensmVersion(opensm.VERSION), PluginInstalled(opensm.LIBRARY, opensm.PLUGIN)]
    if baseline.adaptive:
        needs.append(AdaptiveLost(baseline.adaptive))
    return needs


_WITHOUT_LANES = {"dfsssp": "sssp"}
"""The engine whose tables an engine's are on one lane, where it is not the same."""


def _lanes(names: list[str], options: Mapping[str, object], routes: Routes) -> LanesNeeded | None:
    """What applications must do for these tables."""
    if not opensm.needs_qos(names, options):
        return None
    engine = opensm.plain(names[0])
    bare = _core.verify(routes.with_table(routes.table()), "hosts")
    return LanesNeeded(engine, _WITHOUT_LANES.get(engine, engine), len(bare.credit_loops))
