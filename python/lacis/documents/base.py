"""What documents are made of: the two kinds of objects, and values whose range or form is fixed."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from ..facts.doubts import Doubt
from ..facts.fact import Severity as Severity
from ..facts.row import Count as Count
from ..facts.row import FindingCode as FindingCode
from ..facts.row import Guid as Guid
from ..facts.row import Positive as Positive
from ..facts.row import Row as Row
from ..facts.row import one_of as one_of


class Document(Row, frozen=True, tag_field="schema"):
    """What a command prints, or a file holds: its first key is `schema`, the tag of its class."""


class ReaderNote(Row, frozen=True):
    """What a reader noticed in a file."""

    file: str
    """The file, as typed."""
    kind: str
    """What it is about, of a closed list: `unknown_line`, `repeated`."""
    line: Count
    """The first line that it is about, from 1; 0 where it is about none."""
    count: Positive
    """How many lines it is about."""
    text: str
    """The text of the first, cut to 80 characters."""
    words: str
    """In words, as on standard error."""


class DoubtRow(Row, frozen=True):
    """What a user should know about tables that were made, or about the files that were read for them."""

    text: str
    """In words, as on standard error."""
    fact: Doubt
    """What is the case."""


class FabricReading(Document, frozen=True, kw_only=True):
    """What a command prints that reads a fabric and what belongs to it."""

    reader_notes: list[ReaderNote] | UnsetType = UNSET
    """What readers noticed in the files; absent where they noticed nothing."""
    doubts: list[DoubtRow] | UnsetType = UNSET
    """What is doubtful about tables that were made, and about the files that were read for them or written; absent where nothing is."""


BASES = (Document, FabricReading)
"""Classes that no document is alone."""


class KeptRow(Row, frozen=True, forbid_unknown_fields=False):
    """An object of a file that is kept: a later version of Lacis may have written keys that this one does not know."""


AnyRow = TypeVar("AnyRow", bound=Row)


def row_of(kind: type[AnyRow], result: object) -> AnyRow:
    """A row with the fields of a result: a named tuple, a dataclass or a row, and what it has inside.

    Raises:
        msgspec.ValidationError: when the result has other fields, or values that the row cannot have.
    """
    return msgspec.convert(_plain(result), kind)


def _plain(value: Any) -> Any:
    """Fields by key, the field `from_` by `from`; lists of what is inside."""
    if isinstance(value, Struct):
        config = value.__struct_config__
        tag = {config.tag_field: config.tag} if config.tag_field else {}
        return tag | {
            field.encode_name: _plain(inner)
            for field in msgspec.structs.fields(value)
            if (inner := getattr(value, field.name)) is not msgspec.UNSET
        }
    if dataclasses.is_dataclass(value):
        return {
            field.name.rstrip("_"): _plain(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: _plain(inner) for name, inner in zip(value._fields, value, strict=True)}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value


Amount = Annotated[float, Meta(ge=0)]
Fraction = Annotated[float, Meta(ge=0, le=1)]
Link = Annotated[str, Meta(pattern=r"^.+\[[0-9]+\] → .+\[[0-9]+\]$")]
"""A directed link: the sending and the receiving port."""
NodeKind = Annotated[str, one_of("switch", "adapter", "router", "aggregation")]
Population = Annotated[str, one_of("hosts", "all")]
HostGroup = Annotated[str, Meta(pattern="^(compute|management|storage|gateway)$")]
"""A group of hosts, as a key."""
Verdict = Annotated[str, one_of("delivered", "no_entry", "dead_port", "loop", "wrong_port", "unknown_lid")]
"""What tables do with a pair of end ports."""
Provenance = Literal["measured", "modelled", "assumed"]
Modelled = Literal["modelled"]
ByteRate = Literal["bytes/s"]
