"""The real OpenSM, with the files that `lacis tune` writes, has the predicted tables, before and after cables are cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lacis import _core, tuning

from .daemon import daemon
from .fabrics import FABRICS, Subject, dgx_subject
from .failure_scenarios import Site, _compare
from .scores import Count

if TYPE_CHECKING:
    from pathlib import Path

    from lacis.requests.routing import RouteOptions

pytestmark = pytest.mark.oracle


def promised(subject: Subject, folder: Path) -> list[str]:
    """Runs OpenSM with the best inputs of every kind, cuts a cable of the root and another, and compares every entry."""
    fabric = _core.read_fabric(subject.text.encode())
    found = tuning.tune(fabric, limits=tuning.Limits(steps=60, failures=0))
    by_kind = {tuned.engine: tuned for tuned in reversed(found) if len(tuned.options.get("roots") or ()) == 1}
    assert by_kind, "nothing was found that has a root"
    differences, manager = [], subject.idents[0]
    for number, tuned in enumerate(by_kind.values()):
        written = folder / str(number)
        assert tuning.LINES in tuning.write(tuned.engine, tuned.options, written)
        conf = (written / tuning.LINES).read_text()
        options: RouteOptions = {**tuned.options, "sm": manager}
        ours = _core.manage(fabric, tuned.engine, **options)
        site = Site(subject.text)
        (root,) = tuned.options["roots"] or ()
        cables = site.between_switches()
        at_root = next(cable for cable in cables if f"S-{root:016x}" in (cable[0], cable[2]))
        cut = [
            at_root,
            next(cable for cable in cables if not {at_root[0], at_root[2]} & {cable[0], cable[2]}),
        ]
        with daemon(subject.text, tuned.engine, conf, sm=manager) as subnet:
            count = Count()
            for step in (None, *cut):
                if step is None:
                    theirs = subnet.first()
                else:
                    change = ("cut", f"{step[0]}[{step[1]}]")
                    site.tell([change], subnet)
                    ours, _ = ours.after([change])
                    theirs = subnet.sweep()
                assert not ours.routes.undefined
                assert theirs.engine == ours.routes.engine_used
                where = f"{tuned.label} after {step}"
                differences += _compare(where, theirs.tables, theirs.lids, ours, count)
            assert count.entries > 0
    return differences


def test_a_damaged_tree_has_the_tables_promised(tmp_path: Path) -> None:
    assert promised(FABRICS["missing-parallel-cable"](), tmp_path) == []


def test_a_real_cluster_has_the_tables_promised(dgx: Path, tmp_path: Path) -> None:
    assert promised(dgx_subject(dgx, keep_lids=True), tmp_path) == []
