"""From engines and options to a bundle."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from .. import _core, opensm
from ..facts.advice import LanesNeeded
from ..ranks.participants import GROUPS
from .bundle import Bundle
from .failures import Failures, single_failures
from .gains import figures
from .outcome import Outcome, outcome
from .texts import GUIDS, PORTS, files
from .variants import Variant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._core import Fabric, Routes
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
        repaired = "Lacis inside OpenSM makes new tables" if is_ours else "OpenSM makes new tables"
        return Bundle(
            name=_slug([names[0], *(key for key in (*GUIDS, *PORTS) if options.get(key))]),
            kind="plugin" if is_ours else "opensm",
            title=_title(names, options),
            purpose=_purpose(names, is_ours),
            engines=names,
            lines=lines,
            paths=paths,
            files=texts,
            lanes=_lanes(names, options, after.routes),
            needs=_needs(is_ours, self.baseline),
            back=self._back(lines, paths),
            figures=figures(self.base, after),
            against=self.baseline.words,
            failures=self.failures(",".join(names), options, f"{repaired} after each"),
        )

    def tables(self, after: Outcome) -> Bundle:
        """The bundle that lets OpenSM load the tables of an engine from a file."""
        dumped = bytearray()
        after.routes.dump(dumped.extend)
        kept = {
            k: v for k, v in after.variant.options.items() if k in self.baseline.kept and k not in NOT_IN_CONF
        }
        lines = opensm.routing_lines(["file"], kept)
        paths = {"lfts_file": TABLES}
        lines |= opensm.resets(lines | paths, self.baseline.now or {})
        loaded = {**after.variant.options, "lfts_file": _core.read_table_file(bytes(dumped))}
        unmended = "no manager mends such tables: write and load new ones after each"
        return Bundle(
            name=_slug([after.variant.label, "tables"]),
            kind="tables",
            title=f"the tables of {after.label} from a file",
            purpose=(
                f"OpenSM loads tables that {after.label} of Lacis made for the fabric as it is now. It needs no plugin. "
                "OpenSM does not mend them. Prefer the plugin."
            ),
            engines=["file"],
            lines=lines,
            paths=paths,
            files={TABLES: bytes(dumped)},
            needs=[],
            back=self._back(lines, paths),
            figures=figures(self.base, after),
            against=self.baseline.words,
            failures=self.failures("file", cast("RouteOptions", loaded), unmended),
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

    def failures(self, engines: str, options: RouteOptions, repaired_by: str) -> Failures | None:
        """Single failures under engines, where they are tried."""
        if not self.fails and engines != "file":
            return None
        return single_failures(self.fabric, opensm.plain(engines), repaired_by, **options)

    def _back(self, lines: Mapping[str, str], paths: Mapping[str, str]) -> list[str]:
        now = self.baseline.now
        if now is None:
            keys = ", ".join([*lines, *paths])
            return [
                "Before you load it, keep a copy of the site's opensm.conf. To go back, put the copy in its place and "
                f"restart OpenSM. Without a copy: take out or put back as they were {keys}."
            ]
        new = dict(lines) | dict.fromkeys(paths, "")
        return opensm.back({key: now.get(key) for key in new if now.get(key) != new[key]})


def _slug(words: list[str]) -> str:
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-")


def _title(names: list[str], options: Mapping[str, object]) -> str:
    said = [f"{what} given" for key, what in _CALLED.items() if options.get(key)]
    said += [key.replace("_", " ") for key, value in options.items() if _is_steering(key, value)]
    first = f"{names[0]} inside OpenSM" if names[0].startswith(opensm.PREFIX) else f"OpenSM's {names[0]}"
    if len(names) > 1 and names[1] != "no_fallback":
        said.append(f"{' then '.join(names[1:])} behind it")
    return first + (f" ({', '.join(said)})" if said else "")


_CALLED = {"roots": "roots", "cn": "compute nodes", "io": "I/O nodes", "order": "the order of hosts"}


def _is_steering(key: str, value: object) -> bool:
    return bool(value) and key not in (*GUIDS, *NOT_IN_CONF, "lmc", "lmc_esp0", "fresh_lids", "vls")


def _purpose(names: list[str], is_ours: bool) -> str:
    if not is_ours:
        return (
            "OpenSM routes by itself, with better inputs; it mends its tables after failures as it does now."
        )
    behind = (
        f" Where it fails, {names[1]} takes over." if len(names) > 1 and names[1] != "no_fallback" else ""
    )
    return (
        f"{opensm.plain(names[0])} of Lacis runs inside OpenSM as its plugin: in every sweep it makes tables for the "
        f"fabric as it is then, and proves them before they are programmed.{behind}"
    )


def _needs(is_ours: bool, baseline: Baseline) -> list[str]:
    needs = []
    if is_ours:
        needs += [
            f"OpenSM {opensm.VERSION} on the manager's node (`opensm --version`): the plugin knows its structures and "
            "no other's.",
            f"The plugin, {opensm.LIBRARY}, which `make opensm-plugin` builds, in a folder that the loader searches "
            '(/usr/local/lib and `ldconfig`, or LD_LIBRARY_PATH of the service). Without it OpenSM logs "ERR 1000: '
            f"cannot load plugin '{opensm.PLUGIN}'\" and goes on to the next engine of the list.",
        ]
    if baseline.adaptive:
        needs.append(
            f"What runs now, {baseline.adaptive}, lets switches choose among equal ports. These tables are static, and so "
            "are the figures: compare `lacis simulate --adaptive` before you leave adaptive routing, and set ar_mode 0."
        )
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
