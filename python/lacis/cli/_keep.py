"""`--save`: what a model says is kept as a run, beside the measured ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..errors import LacisError
from ._fabric import source, warn
from ._routing import tables_file
from .results._shared import store_option

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._core import Fabric, Routes
    from ..measure import Launch
    from ..measured.results import Results

_save_option = click.option(
    "--save",
    "save_as",
    metavar="NAME",
    help="Keep the results as a run of this name, for `lacis results`.",
)
_test_option = click.option(
    "--save-test",
    "save_test",
    metavar="TEST",
    help="--save: what to call the test, such as that of a measured run, so that both compare; the traffic's name.",
)


def save_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--save`, `--save-test` and `--store`; the command receives `save_as`, `save_test` and `where`."""
    return _save_option(_test_option(store_option(function)))


def check(save_as: str | None, save_test: str | None) -> None:
    """Refuses a test's name without a run, and an empty name."""
    if save_as is None and save_test is not None:
        raise click.UsageError("--save-test names the test of --save, which is not given")
    if save_as == "":
        raise click.UsageError("--save: a name is not empty")


def facts(routes: Routes, model: str, asked: Mapping[str, object]) -> dict[str, str]:
    """What modelled values follow from, as `run.json` has it."""
    from ..measured.of_models import texts

    engines = {"engine requested": routes.engine_requested, "engine used": routes.engine_used}
    return texts({"model": model, **engines, "tables": tables_file(), **asked})


def keep(results: Results, name: str, where: str, fabric: Fabric) -> None:
    """Keeps a run, and says so on standard error: standard output is the result's own."""
    from ..measured import Store
    from ..measured.of_models import about

    given, described = source()
    changes = described if described != given else ""
    run = Store(where).add(results, name=name, fabric=about(given, fabric, changes))
    warn(f"kept as {run.id} in {where}")


def keep_measured(
    launch: Launch, fabric: Fabric | None, source_of: str | None, name: str, where: str
) -> str | None:
    """Keeps what a launch wrote as a run; its id, or none with a warning where there is nothing to keep.

    The measurement is done and its file is written, so no error here ends the command.
    """
    import shlex

    from .. import measured

    try:
        results = measured.read([launch.output])
        about = None
        if fabric is not None and source_of is not None:
            from ..measured.of_models import about as about_fabric

            about = about_fabric(source_of, fabric)
            results = measured.classify(_named(results, fabric, source_of), fabric)
        for note in results.notes:
            warn(str(note))
        facts = {**results.facts, "launch line": shlex.join(launch.line)}
        return measured.Store(where).add(results.with_facts(facts), name=name, fabric=about).id
    except LacisError as error:
        warn(f"no run is kept in {where}: {error}")
        return None


def _named(results: Results, fabric: Fabric, source_of: str) -> Results:
    """Results with the fabric's names of hosts, where it is clear which is which."""
    from ..measured.hosts import compare_names, rename
    from .results._shared import warn_of_names

    naming = compare_names(results, fabric)
    warn_of_names(naming, source_of, "auto")
    return rename(results, naming.proposed)
