"""Packed files are read as what they hold; damaged ones and bombs are refused in one line."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys

import pytest
from lacis.errors import LacisError
from lacis.io import packed

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    import backports.zstd as zstd

TEXT = b"vendid=0x2c9\n" * 1000
PACKED = {
    "gzip": gzip.compress(TEXT),
    "xz": lzma.compress(TEXT),
    "zstd": zstd.compress(TEXT),
    "bzip2": bz2.compress(TEXT),
}


@pytest.mark.parametrize("name", PACKED)
def test_packed_data_is_recognised_by_its_first_bytes(name: str) -> None:
    assert packed.packing(PACKED[name]) == name
    assert packed.unpacked(PACKED[name]) == TEXT
    assert packed.stream(io.BytesIO(PACKED[name])).read() == TEXT


def test_other_data_is_left_alone() -> None:
    assert packed.unpacked(TEXT) is TEXT
    assert packed.stream(io.BytesIO(TEXT)).read() == TEXT
    assert packed.stream(io.BytesIO(b"")).read() == b""


def test_members_one_after_the_other_are_one_content() -> None:
    assert packed.unpacked(PACKED["gzip"] + PACKED["gzip"]) == 2 * TEXT
    assert packed.unpacked(PACKED["zstd"] + PACKED["zstd"]) == 2 * TEXT


@pytest.mark.parametrize("name", PACKED)
def test_data_that_is_cut_off_or_damaged_is_refused(name: str) -> None:
    whole = PACKED[name]
    with pytest.raises(LacisError, match=f"the {name} data has no end: the file looks truncated"):
        packed.unpacked(whole[:-6])
    with pytest.raises(LacisError, match=f"the {name} data "):
        packed.unpacked(whole[:12] + b"\xff" * 20 + whole[32:])


@pytest.mark.parametrize("name", PACKED)
def test_a_bomb_is_refused_before_it_is_unpacked(name: str) -> None:
    # 13,000 bytes of text: more than 4,000 are refused, and so is more than 10 times the packed size beyond 1,000.
    with pytest.raises(LacisError, match=f"the {name} data unpacks to more than"):
        packed.unpacked(PACKED[name], most=4000)
    with pytest.raises(LacisError, match=f"the {name} data unpacks to more than"):
        packed.unpacked(PACKED[name], bomb=(1000, 10))
