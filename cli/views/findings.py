"""Diagnostics for people, programs and CI: with the lines of the file that they speak of."""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TextIO

from pydantic import JsonValue

from cli.terminal import Colour, clean, one_line, paint, tell
from cli.views.spots import Spot, spot_at, spots
from ir.diagnostics import Diagnostic, Location, Severity

COLOURS: dict[Severity, Colour] = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}
_ANNOTATIONS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_AROUND = 1
_WIDTH = 110
_SAYS_WHERE = re.compile(r"line (\d+), column (\d+): ")


@dataclass(frozen=True)
class Text:
    """A file whose diagnostics are shown.

    Args:
        name: as the person named it.
        text: its content; empty where it is not to be quoted.
    """

    name: str
    text: str = ""

    @classmethod
    def read(cls, path: Path) -> "Text":
        """The file's text, as far as it is text."""
        return cls(str(path), path.read_bytes().decode("utf-8-sig", errors="replace"))

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return self.text.split("\n")

    @cached_property
    def root(self) -> Spot | None:
        """The places of all values."""
        return spots(self.text, is_yaml=self.name.lower().endswith((".yaml", ".yml"))) if self.text else None

    def place(self, diagnostic: Diagnostic) -> tuple[int, int] | None:
        """Line and column of what a diagnostic is about, None where that is not one place."""
        said = _SAYS_WHERE.match(diagnostic.message)
        if said:
            return int(said[1]), int(said[2])
        return self.at(diagnostic.location)

    def at(self, location: Location) -> tuple[int, int] | None:
        """Line and column of a location."""
        if self.root is None or not location.pointer:
            return None
        spot = spot_at(self.root, location.pointer)
        return spot.line, spot.column


def tell_findings(file: Text, diagnostics: Iterable[Diagnostic]) -> None:
    """A line on each finding, to stderr, where what is asked for is something else."""
    for diagnostic in diagnostics:
        tell(headline(file, diagnostic, sys.stderr))


def as_text(file: Text, diagnostics: Iterable[Diagnostic]) -> str:
    """The findings on one file, each with what is known of it; empty where there are none."""
    return "".join("\n".join(_lines(file, diagnostic)) + "\n" for diagnostic in diagnostics)


def headline(file: Text, diagnostic: Diagnostic, stream: TextIO | None = None) -> str:
    """`FILE:LINE:COLUMN: SEVERITY: MESSAGE [CODE]`, on one line, coloured for a stream (stdout by default)."""
    where = file.place(diagnostic)
    place = ":".join([clean(file.name), *(str(number) for number in where or ())])
    severity = paint(diagnostic.severity, COLOURS[diagnostic.severity], stream)
    code = paint(f"[{diagnostic.error_code}]", "dim", stream)
    return f"{paint(place, 'bold', stream)}: {severity}: {one_line(clean(diagnostic.message))} {code}"


def _lines(file: Text, diagnostic: Diagnostic) -> Iterator[str]:
    yield headline(file, diagnostic)
    location = diagnostic.location
    inside = str(location.model_copy(update={"file": None, "workflow": None}))
    if inside and not (location.edge and location.pointer):
        yield f"  at {clean(inside)}"
    elif inside:
        yield f"  at edge {clean(location.edge or '')} ({clean(inside)})"
    if where := file.place(diagnostic):
        yield from _excerpt(file, where[0], where[1], COLOURS[diagnostic.severity])
    for word, value in (("found", diagnostic.found), ("expected", diagnostic.expected)):
        if value is not None and str(value) not in diagnostic.message:
            yield f"  {word}: {_short(value)}"
    for name, value in (diagnostic.witness or {}).items():
        yield f"  for example: {clean(name)} = {_short(value)}"
    for related in diagnostic.related:
        at = file.at(related.location)
        place = f"{clean(file.name)}:{at[0]}:{at[1]}" if at else clean(str(related.location))
        yield f"  see {place}: {one_line(clean(related.message))}"
    for evidence in diagnostic.evidence[:1]:
        if evidence.quote not in diagnostic.message:
            yield f"  quote: “{one_line(clean(evidence.quote), 90)}”"
    for fix in diagnostic.fixes:
        patch = "; ".join(_change(operation) for operation in fix.patch)
        yield f"  {paint('fix', 'green')}: {one_line(clean(fix.title))} ({patch})"


def _excerpt(file: Text, line: int, column: int, colour: Colour) -> Iterator[str]:
    """The line and its neighbours, the line itself marked; long lines are cut around the column."""
    first, last = max(1, line - _AROUND), min(len(file.lines), line + _AROUND)
    gutter = len(str(last))
    for number in range(first, last + 1):
        mark = paint(">", colour) if number == line else " "
        text = _window(file.lines[number - 1].rstrip("\r"), column if number == line else 1)
        yield f"  {mark} {number:>{gutter}} | {clean(text)}".rstrip()


def _window(text: str, column: int) -> str:
    flat = text.replace("\t", " ")
    if len(flat) <= _WIDTH:
        return flat
    start = max(0, min(column - 1 - _WIDTH // 3, len(flat) - _WIDTH))
    cut = flat[start : start + _WIDTH]
    return ("…" if start else "") + cut + ("…" if start + _WIDTH < len(flat) else "")


def _change(operation: Mapping[str, JsonValue]) -> str:
    """One operation of a JSON Patch in a line: `replace /nodes/a/type "notify.email"`."""
    words = [str(operation.get(key)) for key in ("op", "from", "path") if key in operation]
    value = [_short(operation["value"])] if "value" in operation else []
    return " ".join([clean(word) for word in words] + value)


def _short(value: JsonValue) -> str:
    return one_line(clean(json.dumps(value, ensure_ascii=False)), _WIDTH)


def plain_lines(diagnostics: Iterable[Diagnostic]) -> str:
    """The findings, a line each, as they name their places themselves; empty where there are none."""
    return "".join(headline(Text(str(one.location)), one) + "\n" for one in diagnostics)


def as_annotations(file: Text, diagnostics: Iterable[Diagnostic]) -> str:
    """The findings as GitHub workflow commands, one a line."""
    return "".join(_annotation(file, diagnostic) + "\n" for diagnostic in diagnostics)


def _annotation(file: Text, diagnostic: Diagnostic) -> str:
    properties = {"file": file.name}
    if where := file.place(diagnostic):
        properties |= {"line": str(where[0]), "col": str(where[1])}
    properties["title"] = diagnostic.error_code
    listed = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in properties.items())
    return f"::{_ANNOTATIONS[diagnostic.severity]} {listed}::{_escaped(diagnostic.message)}"


def _escaped(text: str, also: str = "") -> str:
    """Text as a workflow command takes it.

    >>> _escaped("50%, see: x", ":,")
    '50%25%2C see%3A x'
    """
    return "".join(f"%{ord(char):02X}" if char in "%\r\n" + also else char for char in text)


def counted(diagnostics: Sequence[Diagnostic]) -> str:
    """`2 errors, 1 warning`; `nothing found` where there is nothing.

    >>> counted([])
    'nothing found'
    """
    numbers = {severity: sum(one.severity is severity for one in diagnostics) for severity in Severity}
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    parts = [plural(number, words[severity]) for severity, number in numbers.items() if number]
    return ", ".join(parts) or "nothing found"


def plural(number: int, word: str) -> str:
    """A number and its word.

    >>> plural(1, "error"), plural(2, "error")
    ('1 error', '2 errors')
    """
    return f"{number} {word}" + ("" if number == 1 else "s")
