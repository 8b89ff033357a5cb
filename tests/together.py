"""Which tests run in one process of pytest-xdist, because they share what one of them makes.

A plugin of pytest: `tests/conftest.py` names it. All other tests go one by one to the first process that is free.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController

TOGETHER = (
    "tests/cli/test_report.py",  # one report of each fabric
    "tests/cli/test_report_page",  # one browser, one report of each fabric
    "tests/cli/test_same_numbers.py",  # the answers of all commands about a fabric
    "tests/cli/test_serve_page",  # one browser
    "tests/cli/test_tune.py",  # one search
    "tests/cli/test_width.py",  # the files that commands read
    "tests/mpi/test_functions.py",  # one library, compiled
    "tests/unit/test_python_rooms.py",  # the imports of all files
    "tests/unit/test_rooms.py",  # the imports of all files
    "tests/unit/test_scheduler_check.py",  # the topology of one large machine
    "tests/unit/top/",  # the classes and styles of textual
    "tests/package/test_wheel.py",  # one wheel, installed
    "tests/oracle/test_plugin_faults.py::test_no_access_out_of_bounds",  # one plugin with checks of its accesses
)
"""Beginnings of the names of tests; those with the same beginning run in one process."""


class Together(LoadScopeScheduling):  # type: ignore[misc]
    """Sends tests one by one, and those of `TOGETHER` in one piece."""

    def _split_scope(self, nodeid: str) -> str:
        return next((beginning for beginning in TOGETHER if nodeid.startswith(beginning)), nodeid)

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Drops what is done, which is counted after each test: with thousands of tests the count takes longer than many of them."""
        super().mark_test_complete(node, item_index, duration)
        scope = self._split_scope(self.registered_collections[node][item_index])
        if all(self.assigned_work[node][scope].values()):
            del self.assigned_work[node][scope]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Together:
    """The scheduler, whatever `--dist` says."""
    return Together(config, log)
