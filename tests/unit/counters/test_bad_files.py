"""Files of counters that are none, are damaged or of another fabric: one line, whatever they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lacis
import numpy as np
import pytest
from lacis import _core
from lacis.counters.files import read, read_sensors

from tests.conftest import one_quick

from .texts import (
    DATA,
    DB_CSV,
    DETAILS,
    ERRORS,
    EXTENDED,
    FABRIC,
    PLAIN,
    SENSORS,
    UFM,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "a.txt: is empty"),
        ("hello\n", "a.txt: is not a file of counters: neither perfquery's"),
        (FABRIC, "a.txt: has no counters: it seems to be a dump of ibnetdiscover"),
        (PLAIN.replace("77", "-77"), "a.txt:4: the value of a counter is a number, and not negative: -77"),
        (PLAIN.replace("77", "nan"), "a.txt:4: the value of a counter is a number, and not negative: nan"),
        (
            PLAIN.replace("77", "18446744073709551616"),
            "a.txt:4: the value of a counter has more than 64 bits: 184467",
        ),
        (
            PLAIN.replace("..77", "\x1b[31m"),
            "a.txt:4: the value of a counter is a number, and not negative: \\x1b[31m",
        ),
        (PLAIN + "PortXmitDa\n", "a.txt:13: not a line of perfquery, `NAME:....VALUE`: PortXmitDa"),
        (PLAIN.replace("Lid 1 port 4", "Lid 1 port 256"), "a.txt:1: a port's number is at most 255: 256"),
        (ERRORS[:128], "a.txt:3: not `GUID 0x… port N: [NAME == VALUE]`: the line looks cut: GUID 0x"),
        (
            ERRORS.replace("== 77]", "== x]"),
            "a.txt:3: the value of a counter is a number, and not negative: x",
        ),
        (
            ERRORS.replace("312]", "312"),
            "a.txt:3: not `[NAME == VALUE]`: the line looks cut: GUID 0x8f10001 port 4",
        ),
        (DATA.replace("0xa0 port", "0xzz port"), "a.txt:2: a bad GUID: 0xzz"),
        (DB_CSV.replace("END_PM_INFO\n", ""), "a.txt:2: PM_INFO has no end: the file looks cut"),
        (
            DB_CSV.replace("PM_INFO", "NODES"),
            "a.txt: has no table PM_INFO: ibdiagnet was not asked for counters",
        ),
        (
            DB_CSV.replace(",77,", ",7.5,"),
            "a.txt:4: the value of a counter is a number, and not negative: 7.5",
        ),
        (
            DB_CSV.replace(",77,123456", ",77"),
            "a.txt:4: 6 values in a table of 7 columns: the line looks cut: 0x0000",
        ),
        (
            DB_CSV.replace("PortNumber", "Pt"),
            "a.txt:3: a table of counters needs the columns NodeGUID and PortNumber",
        ),
        (UFM.replace(",3,", ",3e5,"), "a.txt:2: the value of a counter is a number, and not negative: 3e5"),
        (UFM.replace("1795694400123456", "9" * 30), "a.txt:2: a time has more than 64 bits: 9999"),
        (UFM.replace(",4,1,", ",4,99999999999,"), "a.txt:2: a LID is at most 4294967295: 99999999999"),
        ("<Report><Snapshot>", "a.txt"),
    ],
)
def test_bad_input_is_one_line_with_the_file_the_line_and_the_text(
    given: Callable[..., str], fabric: _core.Fabric, text: str, error: str
) -> None:
    path = given(text)
    with pytest.raises(lacis.LacisError) as caught:
        read([path], fabric)
    said = str(caught.value).replace(path, "a.txt")
    assert said.startswith(error)
    assert said.isprintable()


def test_perfquery_without_a_fabric_is_not_guessed_at(given: Callable[..., str]) -> None:
    with pytest.raises(lacis.LacisError, match=r"a\.txt:1: perfquery prints LIDs and no GUIDs"):
        read([given(PLAIN)])


SAMPLES = (PLAIN, EXTENDED + PLAIN, DETAILS, ERRORS, DATA, DB_CSV, UFM, SENSORS)


def changed(text: str, rng: np.random.Generator) -> bytes:
    """A sample with a few bytes changed, a piece cut out, doubled, or taken from another sample."""
    data = bytearray(text.encode())
    for _ in range(int(rng.integers(1, 5))):
        at, length = int(rng.integers(0, len(data) + 1)), int(rng.integers(0, 40))
        kind = rng.integers(0, 5)
        if kind == 0:
            data[at : at + 1] = bytes([int(rng.integers(0, 256))])
        elif kind == 1:
            del data[at : at + length]
        elif kind == 2:
            data[at:at] = data[at : at + length] * int(rng.integers(1, 4))
        elif kind == 3:
            other = SAMPLES[int(rng.integers(0, len(SAMPLES)))].encode()
            data[at:at] = other[: length * 8]
        else:
            data[at:at] = [b"0", b"-", b"\n", b",", b"nan", b"\x00", b"0x", b"9" * 25, "٣".encode(), b"\r"][
                rng.integers(0, 10)
            ]
    return bytes(data)


@pytest.mark.parametrize("seed", one_quick(range(8)))
def test_no_text_makes_anything_but_readings_or_one_line(
    given: Callable[..., str], fabric: _core.Fabric, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    read_well, errors = 0, []
    path = given("")
    for n in range(250):
        given(changed(SAMPLES[n % len(SAMPLES)], rng))
        try:
            found = read([path], fabric if n % 3 else None)
        except lacis.LacisError as error:
            errors.append(error)
        else:
            read_well += 1
            assert (found.guids != 0).all()
            for name, values in found.values.items():
                assert not values[~found.known[name]].any()
        try:
            read_sensors(path)
        except lacis.LacisError as error:
            errors.append(error)
    assert read_well > 20
    assert all(str(error).isprintable() and error.source == path for error in errors)
