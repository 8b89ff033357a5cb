"""Documents of `lacis rails env`, `check` and `doctor`: what libraries do with several rails."""

from __future__ import annotations

from typing import Annotated

from .base import Count, Document, FabricReading, Row, Severity, one_of


class RegimeRow(Row, frozen=True):
    """What happens to messages up to a size."""

    up_to_bytes: Count | None
    """That size included; null for all larger ones."""
    rails: Count
    """Rails that one message uses."""
    how: str
    """In words."""
    source: Annotated[str, one_of("documented", "assumed")]
    """How it is known."""


class EnvDocument(FabricReading, frozen=True, tag="lacis.rails-env/1"):
    """`lacis rails env --stack STACK --use RAILS [FABRIC…] --json`: the environment in which a library uses the rails that are wanted."""

    stack: str
    """The library."""
    use: str
    """The rails, as typed."""
    hosts: str
    """The hosts, in words."""
    hosts_counted: Count | None
    """How many hosts the fabrics have; null where hosts are assumed."""
    settings: dict[str, str]
    """Variable → value."""
    rails: list[str]
    """Adapters with their ports."""
    regimes: list[RegimeRow]
    """By message size."""
    troubled: Count
    """Hosts in pairs that would not connect, or on fewer rails."""


class ConnectionFailure(Row, frozen=True):
    """Why two processes do not connect."""

    text: str
    """As the library prints it; empty where it prints nothing."""
    cause: str
    """In words."""
    fix: str
    """What to set or to change."""


class PairOutcome(Row, frozen=True):
    """What two processes get."""

    rails: list[tuple[str, str]]
    """The pairs of adapters that carry their messages."""
    failure: ConnectionFailure | None
    """Why they do not connect."""
    lost: str
    """Why they silently use fewer rails than are set."""
    beside: str
    """Why their messages take TCP, beside the adapters; empty where they do not."""


class BetweenHosts(Row, frozen=True):
    """A pair of kinds of hosts."""

    hosts: tuple[list[str], list[str]]
    """The hosts of both; empty for any."""
    verdict: Annotated[str, one_of("connects", "fewer rails", "tcp", "depends", "fails")]
    """What happens between them."""
    rails_used: Count
    """Rails that they use."""
    rails_in_common: Count
    """Rails that both have."""
    outcomes: list[PairOutcome]
    """Of pairs of processes."""


class VariableRemark(Row, frozen=True):
    """A remark on a variable."""

    severity: Severity
    """`error`: it does not do what it says."""
    name: str
    """The variable."""
    line: Count | None
    """Where it is set; null where that is not known."""
    text: str
    """What is the case."""
    advice: str
    """What to do."""


class CheckedStack(Row, frozen=True):
    """What a library does in an environment."""

    stack: str
    """The library."""
    settings: dict[str, str | None]
    """Variable → value; null where a value is not known."""
    between: list[BetweenHosts]
    """For each pair of kinds of hosts."""
    by_size: list[RegimeRow]
    """By message size."""
    remarks: list[VariableRemark]
    """On its variables."""


class CheckDocument(FabricReading, frozen=True, tag="lacis.rails-check/1"):
    """`lacis rails check ENV [FABRIC…] --json`: what happens between any two hosts under an environment."""

    environment: str
    """The file read."""
    hosts: str
    """The hosts, in words."""
    hosts_counted: Count | None
    """How many hosts the fabrics have; null where hosts are assumed."""
    variables: Count
    """Variables read."""
    notes: list[str]
    """Lines that were left out."""
    stacks: list[CheckedStack]
    """Library by library."""
    variables_unknown: list[VariableRemark]
    """Remarks on variables that no library reads."""


class LogLine(Row, frozen=True):
    """A line of a log."""

    line: Count
    """Its number, from 1."""
    text: str
    """The line."""


class KnownFailure(Row, frozen=True):
    """A known failure in a log."""

    code: str
    """Its stable name."""
    stack: str
    """The library."""
    count: Count
    """Lines that have its text."""
    lines: list[LogLine]
    """The first of them."""
    cause: str
    """Why it happens."""
    fix: str
    """What to do."""
    consequence: bool
    """Whether it follows from something else."""


class UnknownFailure(Row, frozen=True):
    """Lines that look like an error, alike except for numbers, and have no known text."""

    count: Count
    """How many."""
    lines: list[LogLine]
    """The first of them."""


class CableEndRow(Row, frozen=True):
    """An end of a cable."""

    node: str
    """The node."""
    port: Count
    """Its port."""


class SharedCableRow(Row, frozen=True):
    """A cable on the way of failures."""

    ends: tuple[CableEndRow, CableEndRow]
    """Both ends."""
    failures: Count
    """Failing pairs and hosts that it is on the way of."""


class FailureLocations(Row, frozen=True):
    """Where the failures of a log are, by the hosts, LIDs and GIDs that their lines name."""

    fabric: str
    """The fabric, as typed."""
    engine_used: str
    """The engine that made the tables."""
    tables: str | None
    """The file that they were read from; null where the engine made them."""
    lines: Count
    """Lines of failures that name an end port of the fabric."""
    pairs: list[tuple[str, str]]
    """Pairs that failed, each once."""
    hosts: list[str]
    """Named alone."""
    unknown: list[str]
    """LIDs and GIDs that the fabric has not."""
    lids_left_out: Count
    """LIDs that were not looked up, as the fabric's source says none."""
    cables: list[SharedCableRow]
    """On the way of most failures first."""


class DoctorDocument(Document, frozen=True, tag="lacis.rails-doctor/1"):
    """`lacis rails doctor LOG --json`: known failures of libraries in a job's log."""

    log: str
    """The file, as typed."""
    lines: Count
    """Its lines."""
    bytes: Count
    """Its size."""
    known: list[KnownFailure]
    """Worst first."""
    unknown: list[UnknownFailure]
    """In the order of the log."""
    more_unknown: Count
    """Lines of further kinds."""
    long_lines: Count
    """Lines of which only the beginning was read."""
    locations: FailureLocations | None
    """With FABRIC, where they are."""
