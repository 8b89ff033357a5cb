"""Commands that are about OpenSM's inputs refuse an Omni-Path fabric in one line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Lacis


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (("tune", "FABRIC", "--steps", "1"), "no inputs of OpenSM's"),
        (("opensm", "conf", "FABRIC", "-R", "eventree"), "no opensm.conf and no plugin"),
        (("order", "FABRIC"), "no guid_routing_order_file"),
    ],
)
def test_what_only_opensm_has_is_not_made_for_omni_path(
    lacis: Lacis, tmp_path: Path, command: tuple[str, ...], what: str
) -> None:
    snapshot = tmp_path / "snapshot.xml"
    assert lacis("route", "fat-tree:4,2", "-R", "fattree", "--snapshot", str(snapshot)).status == 0
    done = lacis(*(str(snapshot) if word == "FABRIC" else word for word in command))
    assert done.status == 2
    said = f"{snapshot}: an Omni-Path fabric, whose manager has {what}; `lacis advise` compares what it has"
    assert said in " ".join(done.err.split())
    assert not done.out
