"""Which files of a folder of C include which: a file and its header are one module, the name without the suffix."""

from __future__ import annotations

import re
from pathlib import Path

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)


def imports(folder: Path) -> dict[str, dict[str, str]]:
    """By module, the others of the folder whose headers it includes, each with the header's name."""
    files = [path for path in sorted(folder.iterdir()) if path.suffix in (".c", ".h")]
    found: dict[str, dict[str, str]] = {path.stem: {} for path in files}
    for path in files:
        for header in _INCLUDE.findall(_COMMENT.sub("", path.read_text())):
            other = Path(header).stem
            if other != path.stem and (folder / header).exists():
                found[path.stem].setdefault(other, header)
    return found
