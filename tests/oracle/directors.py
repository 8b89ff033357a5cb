"""Directors as ibutils describes them: files in the IBNL format of Debian's libibdm1 (man page ibdm-ibnl-file)."""

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Part:
    """A switch or a board in a system: what each of its ports leads to."""

    of: str | None
    """The system that a board is; none for a switch."""
    ports: int
    leads: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Port: another part and its port, or the name of a port of the system."""


@dataclass
class System:
    """A chassis or a board."""

    parts: dict[str, Part] = field(default_factory=dict)


End = tuple[str, int]
"""A switch and its port."""


def described() -> list[Path]:
    """The descriptions that Debian's package holds; none where it is not installed."""
    return sorted(Path("/usr/lib").glob("*/ibdm*/ibnl/*.ibnl"))


def systems(text: str) -> tuple[dict[str, System], str]:
    """The systems of a description by each of their names, and the chassis."""
    named: dict[str, System] = {}
    system, part, top = System(), Part(None, 0), ""
    for line in text.splitlines():
        match re.sub(r"-\S*>", " -> ", line).split():
            case ["SYSTEM" | "TOPSYSTEM" as kind, *names]:
                system = System()
                every = [name for name in "".join(names).split(",") if name]
                named |= dict.fromkeys(every, system)
                top = every[0] if kind == "TOPSYSTEM" else top
            case ["NODE", _, ports, _, name]:
                part = system.parts[name] = Part(None, int(ports))
            case ["SUBSYSTEM", of, name]:
                part = system.parts[name] = Part(of, 0)
            case [port, "->", *to] if to:
                part.leads[port] = tuple(to)
            case _:
                continue
    return named, top


def cables(text: str) -> tuple[dict[str, int], list[tuple[End, End]], list[tuple[End, str]]]:
    """The switches of a chassis with their numbers of ports, the cables between them, and the ports of the chassis: the end of a switch
    and the port's name. Switches are named by the path of boards to them."""
    named, top = systems(text)
    switches: dict[str, int] = {}
    inside: dict[End, End] = {}

    def place(system: System, path: str) -> dict[str, End]:
        """Puts a system's switches in place; its own ports."""
        outside: dict[tuple[str, str], End] = {}
        for name, part in system.parts.items():
            if part.of is None:
                switches[path + name] = part.ports
                outside |= {(name, port): (path + name, int(port)) for port in part.leads}
            else:
                board = place(named[part.of], f"{path}{name}/")
                outside |= {(name, port): end for port, end in board.items()}
        own: dict[str, End] = {}
        for name, part in system.parts.items():
            for port, to in part.leads.items():
                end = outside.get((name, port))
                if end is None:
                    continue
                if len(to) == 1:
                    own[to[0]] = end
                elif (far := outside.get((to[0], to[1]))) is not None:
                    a, b = sorted((end, far))
                    inside[a] = b
        return own

    ports = place(named[top], "")
    return switches, sorted(inside.items()), sorted((end, name) for name, end in ports.items())


def natural(text: str) -> list[int | str]:
    """A key that orders names by the numbers in them."""
    return [int(word) if word.isdigit() else word for word in re.split(r"(\d+)", text)]


def ibnetdiscover(text: str) -> str:
    """A chassis with a host at each of its ports, as ibnetdiscover prints it."""
    switches, between, outside = cables(text)
    guid = {name: f"{0x2C90000 + n:016x}" for n, name in enumerate(sorted(switches, key=natural))}
    hosts = sorted(outside, key=lambda port: natural(port[1]))
    rows: dict[str, list[str]] = {name: [] for name in switches}
    for a, b in between:
        for (near, port), (far, peer) in ((a, b), (b, a)):
            rows[near].append(f'[{port}]\t"S-{guid[far]}"[{peer}]\t\t# "{far}" lid 0 4xDDR')
    adapters = []
    for n, ((switch, port), name) in enumerate(hosts):
        host = f"{0x5C90000 + n:016x}"
        rows[switch].append(f'[{port}]\t"H-{host}"[1]({host})\t\t# "host{n + 1}" lid 0 4xDDR')
        adapters.append(
            f'caguid=0x{host}\nCa\t1 "H-{host}"\t\t# "host{n + 1} {name}"\n'
            f'[1]({host})\t"S-{guid[switch]}"[{port}]\t\t# lid 0 lmc 0 "{switch}" lid 0 4xDDR'
        )
    blocks = [
        f'switchguid=0x{guid[name]}({guid[name]})\nSwitch\t{ports} "S-{guid[name]}"\t\t# "{name}" base port 0 lid 0 lmc 0\n'
        + "\n".join(rows[name])
        for name, ports in switches.items()
    ]
    return "\n\n".join(blocks + adapters) + "\n"
