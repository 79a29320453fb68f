"""Files and findings as other programs know them: addresses of files, and what tells a finding from all others."""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from ir.base import canonical_json
from ir.diagnostics import Diagnostic
from validator.suppressions import JudgedFinding

_EDGE = re.compile(r"^/edges/\d+")


def relative(path: Path) -> str:
    """The path from the working folder, with forward slashes; the whole path where it is not below it."""
    whole, here = path.absolute(), Path.cwd()
    return (whole.relative_to(here) if whole.is_relative_to(here) else path).as_posix()


def uri(path: Path) -> str:
    """The address of a file: relative to the working folder, else `file:///…`.

    >>> uri(Path("policies/a b.json"))
    'policies/a%20b.json'
    """
    named = Path(relative(path))
    return named.as_uri() if named.is_absolute() else quote(named.as_posix())


def fingerprints(judged: Iterable[JudgedFinding], seed: str = "") -> list[str]:
    """For each finding a hexadecimal text of its own, which stays when lines or the order of edges change.

    Args:
        judged: all findings on one file.
        seed: what tells the file from others, where the texts must differ over files.
    """
    counts: dict[str, int] = {}
    found = []
    for one in judged:
        key = _key(one.finding)
        counts[key] = counts.get(key, 0) + 1
        text = canonical_json([seed, key, counts[key]])
        found.append(hashlib.sha256(text.encode("utf-8", errors="backslashreplace")).hexdigest())
    return found


def _key(finding: Diagnostic) -> str:
    """What a finding is about, without lines and indices of edges."""
    place = finding.location
    pointer = _EDGE.sub(f"/edges/{place.edge}", place.pointer or "")
    return canonical_json([finding.error_code, place.workflow, place.node, place.edge, pointer])
