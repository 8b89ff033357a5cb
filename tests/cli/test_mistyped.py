"""Mistyped command lines: each ends with 0, 1 or 2, and what is refused is one line.

The lines are drawn from what the commands themselves declare, so that an option that is added is drawn, too.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import click
import pytest
from lacis.cli import COMMANDS
from lacis.cli._also import ALSO

from tests.cli import samples
from tests.cli.test_main import EVERY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Lacis

LINES = 260
NUMBERS = (click.types.IntParamType, click.types.FloatParamType)
JUNK = (
    "",
    "-",
    "--",
    "\N{SNOWMAN}",
    "[",
    "a--b",
    "0x",
    "-1",
    "1e400",
    "nan",
    "9" * 5000,
    "²",
    "x" * 300,
    "a\nb",
    "9007199254740992",
    "99999999999s",
    "node[0-99999999999]",
    "shift:1-99999999999",
    "@x",
    "file:absent",
)


def options(command: click.Command) -> list[click.Option]:
    return [one for one in command.params if isinstance(one, click.Option) and not one.is_eager]


def ranges() -> Iterator[tuple[str, click.ParamType[Any]]]:
    """The types of all numbers on the command line, by where they are."""
    for name, command in EVERY:
        for option in command.params:
            kinds = option.type.types if isinstance(option.type, click.Tuple) else [option.type]
            yield from ((f"{name} {option.opts[0]}", kind) for kind in kinds)
    yield from ((f"--also {key}", kind) for key, (_, kind) in ALSO.items())


def test_every_number_has_a_least_and_a_greatest() -> None:
    numbers = [(where, kind) for where, kind in ranges() if isinstance(kind, NUMBERS)]
    assert len(numbers) > 100
    endless = [
        where for where, kind in numbers if None in (getattr(kind, "min", None), getattr(kind, "max", None))
    ]
    assert not endless


def beyond(kind: click.ParamType[Any], draw: random.Random) -> str:
    """A text that a number's range has not."""
    least, most = getattr(kind, "min", 0), getattr(kind, "max", 0)
    return draw.choice(
        [str(least - 1), str(most + 1), "9" * 40, "-" + "9" * 40, "nan", "inf", "one", "", "0x10", "1,5"]
    )


def misspelt(word: str, draw: random.Random) -> str:
    """A word with a letter missing, doubled or replaced."""
    at = draw.randrange(len(word))
    return word[:at] + draw.choice(["", word[at] * 2, "q"]) + word[at + 1 :]


def mistyped(draw: random.Random) -> list[str]:
    """A line with one mistake; of what takes a text, the text may be meant."""
    name, command = draw.choice(EVERY)
    line = [*name.split(), *samples.LINES[name]]
    words = len(name.split())
    mistakes = ["number", "choice", "option", "command", "value", "argument"]
    if name not in samples.SLOW:
        mistakes += ["text", "input"]
    match draw.choice(mistakes):
        case "number":
            numbers = [one for one in options(command) if isinstance(one.type, NUMBERS)]
            if numbers:
                option = draw.choice(numbers)
                return [*line, option.opts[-1], beyond(option.type, draw)]
        case "choice":
            choices = [
                (one, one.type.choices) for one in options(command) if isinstance(one.type, click.Choice)
            ]
            if choices:
                option, known = draw.choice(choices)
                return [*line, option.opts[-1], misspelt(draw.choice(list(known)), draw)]
        case "command":
            return [misspelt(line[0], draw), *line[1:]]
        case "value":
            valued = [one for one in options(command) if not one.is_flag and one.nargs == 1]
            if valued:
                return [*line, draw.choice(valued).opts[-1]]
        case "argument" if any(isinstance(one, click.Argument) and one.required for one in command.params):
            return line[:words]
        case "text":
            texts = [one for one in options(command) if not one.is_flag and not isinstance(one.type, NUMBERS)]
            if texts:
                option = draw.choice(texts)
                return [*line, option.opts[-1], *(draw.choice(JUNK) for _ in range(option.nargs))]
        case "input" if samples.LINES[name][0][:1].isalpha():
            return [*line[:words], draw.choice([misspelt(line[words], draw), *JUNK]), *line[words + 1 :]]
    given = draw.choice(options(command) or [click.Option(["--help"])]).opts[-1]
    return [*line, "--" + misspelt(given.removeprefix("--").lstrip("-"), draw)]


def test_the_table_has_every_command() -> None:
    assert set(samples.LINES) == {name for name, _ in EVERY}


def test_mistyped_lines_end_as_they_should(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    draw = random.Random(2026)
    lines = [mistyped(draw) for _ in range(LINES)]
    wrong = []
    refused = 0
    for line in lines:
        done = lacis(*line)
        if done.status == 2:
            refused += 1
            is_right = done.err.startswith("lacis: ") and done.err.count("\n") == 1
        else:
            is_right = done.status in (0, 1)
        if not is_right:
            wrong.append(f"{line}: {done.status} {done.err[-300:]}")
    assert not wrong, "\n".join(wrong)
    # Some texts are meant: a host may be called so, and a file is written.
    assert refused > LINES * 3 / 4
    assert {line[0] for line in lines} >= set(COMMANDS) - {"completion"}
