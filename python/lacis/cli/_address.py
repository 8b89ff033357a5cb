"""Where a server listens, as it is typed."""

from __future__ import annotations

from typing import Any

import click

from ._numbers import number_of


class Address(click.ParamType[tuple[str, int]]):
    """`ADDRESS:PORT`, an IPv6 address in brackets; port 0 is any that is free."""

    name = "ADDRESS:PORT"

    def __init__(self, port: int) -> None:
        """`port`: that of the examples in errors."""
        self._port = port

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """The address without brackets, and the port."""
        if isinstance(value, tuple):
            return value
        host, colon, port = str(value).rpartition(":")
        number = number_of(port, 0, 65535)
        in_brackets = host.startswith("[") and host.endswith("]")
        if not colon or not host.strip("[]") or number is None or (":" in host and not in_brackets):
            examples = f"127.0.0.1:{self._port} or [::1]:{self._port}"
            self.fail(f"{value!r}: expected ADDRESS:PORT, such as {examples}", param, ctx)
        return host.strip("[]"), number
