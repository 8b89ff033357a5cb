"""What `ibswinfo` prints of a switch: power supplies, fans, temperature. It has no counters.

GUID               | 0x1c34da0300010540
PSU0 status        | OK
     power (W)     | 72
temperature (C)    | 45
fan#1 (rpm)        | 8493
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...facts.words import excerpt
from ...io.files import reading
from .rows import bad, guid, lines

_FAN = re.compile(r"fan#(\d{1,3}) \(rpm\)", re.ASCII)
_SUPPLY = re.compile(r"PSU(\d{1,2}) status", re.ASCII)
_UPTIME = re.compile(r"(?:(\d{1,6})d-)?(\d{1,2}):(\d{2}):(\d{2})", re.ASCII)


@dataclass(frozen=True)
class PowerSupply:
    """A power supply.

    Attributes:
        number: from 0.
        is_ok: whether it is; none where that is not said.
        dc_ok: whether it gives power; none where that is not said.
        fan_ok: whether its fan turns; none where that is not said.
        watts: what it takes in; none where that is no number.
    """

    number: int
    is_ok: bool | None
    dc_ok: bool | None
    fan_ok: bool | None
    watts: int | None


@dataclass(frozen=True)
class FanSpeed:
    """A fan; `rpm` is none where it is no number."""

    number: int
    rpm: int | None


@dataclass(frozen=True)
class Sensors:
    """The sensors of a switch.

    Attributes:
        guid: its node's.
        name: of the product.
        part: number of the part.
        serial: serial number.
        firmware: version.
        uptime: seconds since it was started; none where that is not said.
        celsius: temperature now.
        celsius_most: the highest temperature so far.
        fans_ok: whether all fans turn; none where that is not said.
        fans: speeds.
        supplies: power supplies.
    """

    guid: int
    name: str
    part: str
    serial: str
    firmware: str
    uptime: int | None
    celsius: int | None
    celsius_most: int | None
    fans_ok: bool | None
    fans: tuple[FanSpeed, ...]
    supplies: tuple[PowerSupply, ...]


def recognises(text: str) -> bool:
    """Whether a text is ibswinfo's."""
    head = text[:4096]
    return re.search(r"^GUID +\| 0x", head, re.M) is not None and "firmware version" in head


def read_sensors(path: str) -> Sensors:
    """The sensors that a file of ibswinfo's has.

    Raises:
        LacisError: when it is none.
    """
    with reading(path) as data:
        return parsed(data.decode("utf-8", "replace"))


def parsed(text: str) -> Sensors:
    """The sensors in a text of ibswinfo's.

    Raises:
        LacisError: when a line breaks the grammar, or there is no GUID.
    """
    plain: dict[str, str] = {}
    supplies: dict[int, dict[str, str]] = {}
    fans: list[FanSpeed] = []
    inside: dict[str, str] | None = None
    own = 0
    for line, raw in enumerate(lines(text), 1):
        if not raw.strip() or raw.startswith(("==", "--")):
            inside = None
            continue
        key, bar, value = raw.partition("|")
        name, value = key.strip(), value.strip()
        if not bar:
            if plain or supplies:
                raise bad("not `NAME | VALUE`: the line looks cut", line, raw)
            continue  # The product's line above the table.
        if match := _SUPPLY.fullmatch(name):
            inside = supplies.setdefault(int(match[1]), {})
            inside["status"] = value
        elif match := _FAN.fullmatch(name):
            fans.append(FanSpeed(int(match[1]), _whole(value)))
        elif inside is not None and key.startswith(" "):
            inside[name] = value
        else:
            inside = None
            plain[name] = value
            if name == "GUID":
                own = guid(value, line)
    if not own:
        raise bad("no GUID of a switch, as ibswinfo prints it", None, "")
    return Sensors(
        own,
        excerpt(plain.get("product name", "")),
        excerpt(plain.get("part number", "")),
        excerpt(plain.get("serial number", "")),
        excerpt(plain.get("firmware version", "")),
        _seconds(plain.get("uptime (d-h:m:s)", "")),
        _whole(plain.get("temperature (C)", "")),
        _whole(plain.get("max temp (C)", "")),
        _is_ok(plain.get("fan status", "")),
        tuple(fans),
        tuple(
            PowerSupply(
                at,
                _is_ok(one.get("status", "")),
                _is_ok(one.get("DC power", "")),
                _is_ok(one.get("fan status", "")),
                _whole(one.get("power (W)", "")),
            )
            for at, one in sorted(supplies.items())
        ),
    )


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?\d{1,9}", text, re.ASCII) else None


def _is_ok(text: str) -> bool | None:
    return text == "OK" if text else None


def _seconds(text: str) -> int | None:
    match = _UPTIME.fullmatch(text)
    if match is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
