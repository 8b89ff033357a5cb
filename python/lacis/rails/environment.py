"""Environments as sites write them: the output of `env`, a job script, a file of settings, a command line."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .elsewhere import settings
from .variables import family

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ASSIGNMENT = re.compile(rf"(?s)({_NAME})=(.*)")
_REFERENCE = re.compile(rf"\$(?:\{{({_NAME})(?::?-([^}}]*))?\}}|({_NAME}))")
_LISTS = ("--export", "--export-all-but")
_LAUNCHERS = (
    *(
        "mpirun",
        "mpiexec",
        "mpiexec.hydra",
        "srun",
        "prun",
        "orterun",
        "mpirun_rsh",
        "aprun",
        "ibrun",
        "jsrun",
        "flux",
    ),
    *("docker", "podman", "apptainer", "singularity", "nvidia-docker"),
)
_OF_LAUNCHER = re.compile(r"\$\{?[A-Za-z_]*(?:MPI|RUN|LAUNCH)[A-Za-z_]*\}?", re.IGNORECASE)
_OF_CONTAINERS = ("APPTAINERENV_", "SINGULARITYENV_")
"""What container runtimes take off the names of variables that they set inside."""
LONGEST = 1 << 16
"""Longest line that is read."""


@dataclass(frozen=True)
class Variable:
    """The final state of a variable.

    Attributes:
        name: as written.
        value: as the program gets it; None where it depends on something unknown, such as `$SLURM_LOCALID`.
        line: 1-based line of the input; 0 for a setting given beside it.
        written: the value as written.
    """

    name: str
    value: str | None
    line: int
    written: str = ""


@dataclass
class Environment:
    """Variables by name, and what was noticed while reading them."""

    variables: dict[str, Variable] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    processes: int | None = None
    """Processes a host, as a launcher or a scheduler has it; None where it is not."""
    parameters: dict[str, str] = field(default_factory=dict)
    """Parameters of Open MPI (`--mca btl ^ofi`), by name."""

    def get(self, name: str) -> str | None:
        """The value of a variable; None where it is not set or not known."""
        variable = self.variables.get(name)
        return None if variable is None else variable.value

    def __contains__(self, name: str) -> bool:
        return name in self.variables

    def number(self, name: str, default: int) -> int:
        """A variable as C's `strtol` takes it; the default where it is unset, unknown or no number."""
        match = re.match(r"\s*([+-]?(?:0[xX][0-9a-fA-F]+|\d+))", self.get(name) or "")
        return int(match.group(1), 16 if "x" in match.group(1).lower() else 10) if match else default

    def whole_number(self, name: str, default: int) -> int:
        """A variable as PSM2 takes it: the default unless C's `strtol` of base 0 takes all of it."""
        match = re.fullmatch(r"\s*([+-]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)", self.get(name) or "")
        if match is None:
            return default
        digits = match.group(2)
        base = 16 if digits[:2].lower() == "0x" else 8 if digits.startswith("0") and digits != "0" else 10
        return int(match.group(1) + digits, base)

    def size(self, name: str, default: int) -> int:
        """A size such as `64K`, `1m` or `8192` [bytes]; the default where it is unset, unknown or none."""
        match = re.fullmatch(r"\s*(\d{1,15})\s*([kKmMgG]?)[iI]?[bB]?\s*", self.get(name) or "")
        return (
            int(match.group(1)) << {"": 0, "k": 10, "m": 20, "g": 30}[match.group(2).lower()]
            if match
            else default
        )


def read(text: str, given: Mapping[str, str] | None = None) -> Environment:
    """Reads an environment; `given` are settings that override it.

    Understood are `NAME=VALUE` (as `env` prints it, before a command too), `export`, `declare -x`, `setenv`, `unset`,
    `unsetenv`, `ENV` of container files, `set -x` of fish, and options of launchers (`-x NAME=VALUE`, `-genv NAME VALUE`,
    `-env`, `--export=…`, `#SBATCH --export=…`); module files in Lua, assignments to Python's `os.environ`, and variables
    in YAML and JSON. Later lines override earlier ones. A reference to a variable set above is resolved; with any other the
    value is unknown.
    """
    environment = Environment()
    lines = text.splitlines()
    continued, first = "", 0
    if _is_printed(lines):
        for number, line in enumerate(lines, start=1):
            name, is_variable, value = line.partition("=")
            if is_variable and re.fullmatch(_NAME, name):
                environment.variables[name] = Variable(name, value, number, value)
        lines = []
    before = ""
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST:
            environment.notes.append(f"line {number} has {len(line):,} characters and is left out")
            continue
        found = [] if continued else settings(line, before)
        before = line
        for one in found:
            environment.variables.pop(one.name, None)
            if not one.is_removed:
                environment.variables[one.name] = Variable(one.name, one.value, number, one.written)
        if found:
            continue
        first = first if continued else number
        if line.endswith("\\") and not line.endswith("\\\\"):
            continued += line[:-1] + " "
            continue
        _read_line(environment, continued + line, first)
        continued = ""
    if continued:
        _read_line(environment, continued, first)
    for name, value in (given or {}).items():
        environment.variables[name] = Variable(name, value, 0, value)
    _settle(environment)
    return environment


def _settle(environment: Environment) -> None:
    """What schedulers and Open MPI say by variables, where no option says otherwise."""
    for name in ("SLURM_NTASKS_PER_NODE", "I_MPI_PERHOST", "SLURM_TASKS_PER_NODE", "MPI_PERHOST"):
        match = re.match(r"\s*(\d{1,5})(?:\s*$|\(x\d+\)\s*$)", environment.get(name) or "")
        if environment.processes is None and match:
            environment.processes = int(match.group(1))
    for variable in environment.variables.values():
        parameter = variable.name.removeprefix("OMPI_MCA_")
        if parameter != variable.name and variable.value is not None:
            environment.parameters.setdefault(parameter, variable.value)


def _is_printed(lines: list[str]) -> bool:
    """Whether lines are what `env` prints: only assignments, and continuations of values of several lines."""
    assignments = sum(bool(re.match(rf"{_NAME}=", line)) for line in lines)
    others = [line for line in lines if line.strip() and not re.match(rf"{_NAME}=", line)]
    if any(_is_command(line) for line in lines):
        return False
    return assignments > 0 and all(line.startswith((" ", "\t", "}", "BASH_FUNC")) for line in others)


def _is_command(line: str) -> bool:
    """Whether a line sets variables for a command: several of libraries, or one before a launcher."""
    words, _ = _words(line)
    set_first = [match.group(1) for match in map(_ASSIGNMENT.fullmatch, words) if match]
    if not set_first or not _ASSIGNMENT.fullmatch(words[0]):
        return False
    after = next((word for word in words if not _ASSIGNMENT.fullmatch(word)), "")
    several = len(words) > 1 and bool(_ASSIGNMENT.fullmatch(words[1])) and family(set_first[1]) is not None
    return several or after.rpartition("/")[2] in _LAUNCHERS


def _read_line(environment: Environment, line: str, number: int) -> None:
    words, is_comment = _words(line)
    if not words:
        return
    if is_comment:
        if words[0].lstrip("#").upper() in ("SBATCH", "PBS", "BSUB", "FLUX"):
            _launcher(environment, words[1:], number)
        return
    for command in _split(words):
        _command(environment, command, number)


def _words(line: str) -> tuple[list[str], bool]:
    """Words as a shell splits them, quotes kept for references; whether the line is a comment."""
    text = line.strip()
    if text.startswith("#"):
        return text.split(), True
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:  # an open quote, as `env` prints values without quoting
        words = [text] if _ASSIGNMENT.fullmatch(text) else text.split()
    for index, word in enumerate(words):
        if word.startswith("#"):
            return words[:index], False
    return words, False


def _split(words: list[str]) -> Iterator[list[str]]:
    command: list[str] = []
    for word in words:
        if set(word) <= set(";&|") and word:
            yield command
            command = []
        else:
            command.append(word)
    yield command


def _command(environment: Environment, words: list[str], number: int) -> None:
    while words and words[0] in ("then", "do", "else", "exec", "time", "command", "if", "{", "("):
        words = words[1:]
    if not words:
        return
    first, rest = words[0], words[1:]
    if first in ("export", "declare", "typeset", "readonly", "local"):
        for word in rest:
            _assign(environment, word, number)
    elif first in ("setenv", "pushenv") and rest:
        _set(environment, rest[0], " ".join(rest[1:]), number)
    elif first in ("unset", "unsetenv"):
        for word in rest:
            environment.variables.pop(word, None)
    elif first == "ENV" and rest:
        if not _assign(environment, rest[0], number):
            _set(environment, rest[0], " ".join(rest[1:]), number)
        for word in rest[1:]:
            _assign(environment, word, number)
    elif first == "set" and len(rest) > 2 and re.fullmatch(r"-[gUl]?x[gUl]?", rest[0]):
        _set(environment, rest[1], " ".join(rest[2:]), number)
    elif first == "env":
        for word in rest:
            if word.startswith("-") or _assign(environment, word, number):
                continue
            break
    else:
        while words and _assign(environment, words[0], number):
            words = words[1:]
        if (at := next((k for k, word in enumerate(words[:4]) if _is_launcher(word)), None)) is not None:
            _launcher(environment, _expanded(environment, words[at + 1 :]), number)


def _is_launcher(word: str) -> bool:
    return word.rpartition("/")[2] in _LAUNCHERS or _OF_LAUNCHER.fullmatch(word) is not None


def _expanded(environment: Environment, words: list[str]) -> list[str]:
    """Words with the options that a variable set above holds: `mpirun $OPTIONS`."""
    found: list[str] = []
    for word in words:
        match = re.fullmatch(rf"\$(?:({_NAME})|\{{({_NAME})\}})", word)
        value = environment.get(match[1] or match[2]) if match else None
        found += [word] if value is None else _words(value)[0]
    return found


_PER_HOST = ("-ppn", "-perhost", "--ntasks-per-node", "--npernode", "-npernode", "--tasks-per-node", "-ppr")
"""Options that say how many processes each host has."""


def _launcher(environment: Environment, words: list[str], number: int) -> None:
    """Sets the variables that a launcher passes on, and what it says about processes and parameters."""
    index = 0
    while index < len(words):
        word = words[index]
        option, has_value, value = word.partition("=")
        following = words[index + 1] if index + 1 < len(words) else ""
        if word in ("-genv", "--genv", "-env", "--env") and index + 2 < len(words) and "=" not in following:
            _set(environment, following, words[index + 2], number)
            index += 3
            continue
        if word in ("--mca", "-mca", "--prtemca", "--gmca", "-gmca") and index + 2 < len(words):
            _parameter(environment, following, words[index + 2], number)
            index += 3
            continue
        if option in ("--env", "--set-env") and "=" in value:
            _assign(environment, value, number)
            index += 1
            continue
        if word in ("-x", "-genv", "-env", "--env", "-v", "-e", "-E") and "=" in following:
            # One variable: what stands after a comma belongs to its value.
            _assign(environment, following, number)
            index += 2
            continue
        if option in _PER_HOST and (match := re.match(r"\d{1,5}$", value if has_value else following)):
            environment.processes = int(match[0])
        elif match := re.match(r"ppr:(\d{1,5}):(?:node|host)", value if has_value else following):
            environment.processes = (
                int(match[1]) if option in ("--map-by", "-map-by") else environment.processes
            )
        elif option in _LISTS or word in _LISTS:
            _exported(environment, value or following, number)
        elif _ASSIGNMENT.fullmatch(word):  # mpirun_rsh takes them bare
            _assign(environment, word, number)
        index += 1


def _parameter(environment: Environment, name: str, value: str, number: int) -> None:
    """A parameter of Open MPI; one of them lists variables."""
    environment.parameters[name] = value
    if name == "mca_base_env_list":
        for one in value.split(";"):
            _assign(environment, one.strip(), number)


def _exported(environment: Environment, text: str, number: int) -> None:
    """The variables of Slurm's `--export`, which ends a value at a comma."""
    words = _between_commas(text)
    for before, word in zip(["", *words], words, strict=False):
        is_bare = re.fullmatch(_NAME, word) and word not in ("ALL", "NONE", "NIL")
        if "=" in before and is_bare and word not in environment and not word.isupper():
            environment.notes.append(
                f"line {number}: --export ends {before.partition('=')[0]} at the comma, and {word} is then a variable's name; "
                "set it by export, and give --export=ALL"
            )
        _assign(environment, word, number)


def _between_commas(text: str) -> list[str]:
    """`A=1,B=0:1,1:1`: text without a name belongs to the value before it."""
    found: list[str] = []
    for word in text.split(","):
        if found and not re.match(rf"{_NAME}(=|$)", word):
            found[-1] += f",{word}"
        else:
            found.append(word)
    return found


def _assign(environment: Environment, word: str, number: int) -> bool:
    match = _ASSIGNMENT.fullmatch(word)
    if match is None:
        return False
    _set(environment, match.group(1), match.group(2), number)
    return True


def _set(environment: Environment, name: str, written: str, number: int) -> None:
    if not re.fullmatch(_NAME, name):
        return
    for prefix in _OF_CONTAINERS:
        name = name.removeprefix(prefix)
    environment.variables[name] = Variable(name, _resolve(environment, written), number, written)


def _resolve(environment: Environment, written: str) -> str | None:
    """The value with references to variables that are known; None where one is not."""
    if "`" in written or "$(" in written:
        return None
    is_known = True

    def replace(match: re.Match[str]) -> str:
        nonlocal is_known
        value = environment.get(match.group(1) or match.group(3))
        if value is None:
            value = match.group(2)
        is_known &= value is not None
        return value or ""

    value = _REFERENCE.sub(replace, written)
    return value if is_known else None
