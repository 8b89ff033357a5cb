"""`lacis serve` and `lacis top` where an opafm.xml says whether switches choose."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from lacis.live import PairsOnPorts

    from tests.conftest import Lacis

OPAFM = """<Config><Common><Shared></Shared></Common><Fm><Sm><AdaptiveRouting>
<Enable>{}</Enable><LostRouteOnly>{}</LostRouteOnly><FineGrained>{}</FineGrained>
</AdaptiveRouting></Sm></Fm></Config>
"""
CHOOSES = [
    ((1, 0, 0), "opa100", True),
    ((0, 0, 0), "opa100", False),
    # For lost links alone no route moves, as long as none is lost.
    ((1, 1, 0), "opa100", False),
    # Newer switches choose for each packet, if they are newer.
    ((1, 1, 1), "opa100", False),
    ((1, 1, 1), "ideal", True),
]


@pytest.fixture
def words(tmp_path: Path, tags: tuple[int, int, int], device: str) -> list[str]:
    """What both programs are given: a fabric whose opafm.xml has these tags, and simulated traffic on such a device."""
    opafm = tmp_path / "opafm.xml"
    opafm.write_text(OPAFM.format(*tags))
    traffic = f"shift:1 bytes=64KiB count=1 device={device}"
    return ["fat-tree:8,2", "-R", "minhop", "--opafm", str(opafm), "--simulate", traffic]


def parts(found: PairsOnPorts) -> set[float]:
    """The parts in which what hosts send leaves by the first cable up from a leaf."""
    ports = found.crossings.ports
    up = next(
        row for row in ports.between_switches.nonzero()[0] if ports.names[ports.nodes[row]] == "leaf-01"
    )
    return {pair.part for pair in found.there(int(up), 1000, "", {}).listed}


@pytest.mark.parametrize(("tags", "device", "is_so"), CHOOSES)
def test_pairs_behind_a_link_leave_in_part_where_switches_choose(
    lacis: Lacis, monkeypatch: pytest.MonkeyPatch, words: list[str], is_so: bool
) -> None:
    sessions: list[Any] = []
    monkeypatch.setattr("lacis.serve.running.serve", lambda session, *_, **__: sessions.append(session))
    done = lacis("serve", *words, "--job", "one=node[0001-0032]", "--listen", "127.0.0.1:0")
    assert done.status == 0, done.err
    [session] = sessions
    assert session.adaptive == session.jobs.adaptive == is_so
    # fat-tree:8,2 has 4 spines, over which a leaf spreads what leaves it.
    session.pairs(0, 1, "", None)
    assert parts(session._pairs) == ({0.25} if is_so else {1.0})


@pytest.mark.parametrize(("tags", "device", "is_so"), CHOOSES[:2])
def test_the_terminal_shows_them_too(
    lacis: Lacis, monkeypatch: pytest.MonkeyPatch, words: list[str], is_so: bool
) -> None:
    shown: list[Any] = []

    class Top:
        def __init__(self, _state: object, _every: object, behind: object) -> None:
            shown.append(behind)

        def run(self) -> None:
            pass

    monkeypatch.setattr("lacis.top.app.Top", Top)
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(
        "lacis.cli.top.sys", SimpleNamespace(stdin=terminal, stdout=terminal, stderr=terminal)
    )
    done = lacis("top", *words)
    assert done.status == 0, done.err
    assert parts(shown[0].all) == ({0.25} if is_so else {1.0})
