"""The names of counters in files, however they are spelt: `PortXmitDataExtended`, `port_xmit_data`, `XmitData`."""

from __future__ import annotations

from functools import lru_cache

from ..fields import FIELDS

_OTHERS = {
    "symbolerrorcounter": "SymbolErrors",
    "symbolerror": "SymbolErrors",
    "linkerrorrecoverycounter": "LinkErrorRecovery",
    "linkdownedcounter": "LinkDowned",
    "excessivebufferoverrunerrors": "ExcessiveBufferOverruns",
    "fecuncorrectableblockcounter": "FecUncorrectable",
    "xmitpackets": "XmitPkts",
    "rcvpackets": "RcvPkts",
    "unicastxmitpackets": "UnicastXmitPkts",
    "unicastrcvpackets": "UnicastRcvPkts",
    "multicastxmitpackets": "MulticastXmitPkts",
    "multicastrcvpackets": "MulticastRcvPkts",
    "xmitdiscard": "XmitDiscards",
}
_NAMES = {name.lower(): name for name in FIELDS} | _OTHERS


@lru_cache(maxsize=4096)
def counter(name: str) -> tuple[str, bool] | None:
    """The counter that a name is of, and whether it names the form of 64 bits; none where it is no counter that Lacis knows."""
    plain = name.lower().replace("_", "").replace(" ", "")
    is_wide = False
    for ending in ("extended", "ext"):
        if plain.endswith(ending):
            plain, is_wide = plain.removesuffix(ending), True
            break
    found = _NAMES.get(plain) or _NAMES.get(plain.removeprefix("port"))
    return None if found is None else (found, is_wide)
