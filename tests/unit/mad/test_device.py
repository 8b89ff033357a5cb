"""An adapter for management datagrams: what it answers, threads that share it, and what cannot be opened."""

from __future__ import annotations

import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from lacis.counters.mad import Pace, building
from lacis.counters.mad import device as of_device
from lacis.counters.mad.device import REQUEST, Device, State
from lacis.errors import LacisError

from .mads import FIRST, SOON, SWITCH, Fake, number, star

if TYPE_CHECKING:
    from numpy.typing import NDArray


def asked(lid: int, many: int = 1) -> NDArray[np.void]:
    """Requests for PortCounters of ports 0, 1, 2 … at a LID."""
    requests = np.zeros(many, REQUEST)
    requests["lid"], requests["class"], requests["attribute"], requests["method"] = lid, 4, 0x12, 1
    requests["body"][:, 1] = np.arange(many)
    return requests


def test_an_answer_to_an_earlier_request_counts_as_nothing(fake: Fake, tmp_path: Path) -> None:
    star(fake, tmp_path)
    agent = fake.agent(FIRST)
    request = asked(FIRST)
    once = Pace(timeout=0.001, retries=0)
    with Device(library=str(fake.path)) as device:
        agent.hold = 1
        (lost,) = device.ask(request, once)
        # The answer to the first comes before that to the second, with other values.
        (found,) = device.ask(request, once)
    assert (lost["state"], found["state"]) == (State.LOST, State.ANSWERED)
    assert found["data"][4:8].tolist() == [number(FIRST, 0, byte) for byte in (4, 5, 6, 7)]


def test_threads_ask_a_device_one_after_the_other(fake: Fake, tmp_path: Path) -> None:
    star(fake, tmp_path)
    with Device(library=str(fake.path)) as device, ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda lid: device.ask(asked(lid, 60), SOON), [SWITCH, FIRST] * 20))
    for lid, found in zip([SWITCH, FIRST] * 20, answers, strict=True):
        assert (found["state"] == State.ANSWERED).all()
        assert found["data"][:, 4].tolist() == [number(lid, port, 4) for port in range(60)]


def test_closing_a_device_ends_what_another_thread_asks(fake: Fake, tmp_path: Path) -> None:
    star(fake, tmp_path)
    fake.agent(FIRST).is_silent = 1
    device = Device("mlx5_0", library=str(fake.path))
    with ThreadPoolExecutor(1) as threads:
        asking = threads.submit(device.ask, asked(FIRST), Pace(timeout=600, retries=0))
        while not fake.get("fake_waits"):
            time.sleep(0.001)
        device.close()
        with pytest.raises(LacisError, match="the adapter mlx5_0 was closed while it was asked"):
            asking.result()
    with pytest.raises(LacisError, match="the adapter mlx5_0 is closed"):
        device.ask(asked(FIRST), SOON)
    device.close()


# --- what cannot be opened --------------------------------------------------------------------------


def test_without_the_library_a_line_says_what_to_install() -> None:
    with pytest.raises(
        LacisError, match=r"libabsent\.so\.3, which is not installed: apt-get install libibumad3"
    ):
        Device(library="libabsent.so.3")


def test_a_library_that_is_too_old_is_named() -> None:
    # The C library has none of the functions.
    with pytest.raises(LacisError, match="lacks functions of libibumad 3"):
        Device(library="libc.so.6")


def test_without_a_compiler_a_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LacisError, match="needs a C compiler once: install gcc and libc6-dev"):
        building.build()


def test_a_compiler_that_fails_is_named_with_its_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho 'shim.c:1: error: no headers' >&2\nexit 1\n")
    compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(LacisError, match=r"does not compile with .*cc: shim\.c:1: error: no headers"):
        building.build()
    assert not building.location().exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(LacisError, match="XDG_CACHE_HOME names another folder"):
        building.build()


def test_a_damaged_shim_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    building.location().parent.mkdir(parents=True)
    building.location().write_bytes(b"no library")
    with pytest.raises(LacisError, match=r"shim-\w+\.so: cannot be loaded: .*remove it"):
        building.load()


@pytest.mark.parametrize(
    ("files", "readable", "words"),
    [
        ((), True, "no adapter of InfiniBand here: there is no /dev/infiniband/umad0"),
        (
            ("umad0",),
            False,
            "no permission to send management datagrams: .*umad0 is for root; run as root, or",
        ),
        (("umad0",), True, "the first adapter cannot be opened: no such device; `ibstat -l` lists adapters"),
    ],
)
def test_an_adapter_that_does_not_open_is_explained(
    fake: Fake,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: tuple[str, ...],
    readable: bool,
    words: str,
) -> None:
    fake.star(1)
    fake.set("fake_refuse_open", 19)  # ENODEV
    for name in files:
        (tmp_path / name).write_text("")
    monkeypatch.setattr(of_device, "_NODES", tmp_path)
    access = os.access

    def of_the_devices(path: str | Path, mode: int) -> bool:
        """Root may read whatever a mode forbids; the shim's compiler is looked for by the same function."""
        return readable if Path(path).parent == tmp_path else access(path, mode)

    monkeypatch.setattr(os, "access", of_the_devices)
    with pytest.raises(LacisError, match=words):
        Device(library=str(fake.path))


def test_an_agent_that_the_kernel_refuses_is_explained(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.star(1)
    fake.set("fake_refuse_agent", 1)  # EPERM
    monkeypatch.setattr(of_device, "_NODES", tmp_path)
    with pytest.raises(LacisError, match=r"mlx5_0, port 2 does not let this program send .*not permitted"):
        Device("mlx5_0", 2, library=str(fake.path))
