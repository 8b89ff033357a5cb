"""Pages and pictures of the documentation that sources name are there."""

from __future__ import annotations

import re

from ..conftest import ROOT
from .test_words import sources

NAMED = re.compile(r"\bdocs/\w+/[\w.-]+\.(?:md|svg|png)\b")


def test_every_page_that_a_source_names_is_there() -> None:
    named = {
        (path, page) for path in sources(ROOT) for page in NAMED.findall(path.read_text(errors="replace"))
    }
    assert len(named) > 10
    missing = [
        f"{path.relative_to(ROOT)}: {page}" for path, page in sorted(named) if not (ROOT / page).is_file()
    ]
    assert missing == []
