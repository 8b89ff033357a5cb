"""What documents are made of: the two kinds of objects, and values whose range or form is fixed."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Row(Struct, frozen=True, forbid_unknown_fields=True):
    """An object inside a document; it has no other keys than its fields."""


class Document(Row, frozen=True, tag_field="schema"):
    """What a command prints, or a file holds: its first key is `schema`, the tag of its class."""


def one_of(*values: str) -> Meta:
    """The values that a text can have, where the library passes it on as a text."""
    return Meta(extra_json_schema={"enum": list(values)})


Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Amount = Annotated[float, Meta(ge=0)]
Fraction = Annotated[float, Meta(ge=0, le=1)]
Guid = Annotated[str, Meta(pattern="^0x[0-9a-f]{16}$")]
Link = Annotated[str, Meta(pattern=r"^.+\[[0-9]+\] → .+\[[0-9]+\]$")]
"""A directed link: the sending and the receiving port."""
Severity = Annotated[str, one_of("error", "warning", "notice")]
FindingCode = Annotated[str, Meta(pattern="^[A-Z_]+$")]
NodeKind = Annotated[str, one_of("switch", "adapter", "router", "aggregation")]
Population = Annotated[str, one_of("hosts", "all")]
HostGroup = Annotated[str, Meta(pattern="^(compute|management|storage|gateway)$")]
Verdict = Annotated[str, one_of("delivered", "no_entry", "dead_port", "loop", "wrong_port", "unknown_lid")]
"""What tables do with a pair of end ports."""
Provenance = Literal["measured", "modelled", "assumed"]
Modelled = Literal["modelled"]
ByteRate = Literal["bytes/s"]
