"""Diagnostics for people, programs and CI: with the lines of the file that they speak of."""

import json
import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TextIO

from pydantic import JsonValue

from flowc.commands.terminal import Colour, clean, one_line, paint, print_to_stderr
from flowc.views.quoted import quoted
from flowc.views.spots import Spot, spot_at, spots
from ir.diagnostics import Diagnostic, Fix, Location, Severity
from ir.document import Document

COLOURS: dict[Severity, Colour] = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}
_AROUND = 1
_WIDTH = 110
_SAYS_WHERE = re.compile(r"line (\d+), column (\d+): ")


@dataclass(frozen=True)
class Region:
    """A part of a text: lines and columns from 1, in code points; the end column is the first one after it."""

    line: int
    column: int
    end_line: int
    end_column: int


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

    def region(self, location: Location) -> Region | None:
        """From where to where the value of a location stands, of a member of an object with its key."""
        if self.root is None or not location.pointer:
            return None
        spot = spot_at(self.root, location.pointer)
        return Region(spot.line, spot.column, *self.position(spot.end))

    def region_of(self, diagnostic: Diagnostic) -> Region | None:
        """From where to where stands what a diagnostic is about; one character where the text itself is malformed."""
        if said := _SAYS_WHERE.match(diagnostic.message):
            line, column = int(said[1]), int(said[2])
            return Region(line, column, line, column + 1)
        return self.region(diagnostic.location)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a code point of the text."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]


def tell_findings(file: Text, diagnostics: Iterable[Diagnostic]) -> None:
    """A line on each finding, to stderr, where what is asked for is something else."""
    for diagnostic in diagnostics:
        print_to_stderr(headline(file, diagnostic, sys.stderr))


def as_text(file: Text, diagnostics: Iterable[Diagnostic], documents: Sequence[Document] = ()) -> str:
    """The findings on one file, each with what is known of it; empty where there are none.

    Args:
        documents: those that the findings quote, as far as they are at hand.
    """
    return "".join("\n".join(_lines(file, diagnostic, documents)) + "\n" for diagnostic in diagnostics)


def headline(file: Text, diagnostic: Diagnostic, stream: TextIO | None = None) -> str:
    """`FILE:LINE:COLUMN: SEVERITY: MESSAGE [CODE]`, on one line, coloured for a stream (stdout by default)."""
    where = file.place(diagnostic)
    place = ":".join([clean(file.name), *(str(number) for number in where or ())])
    severity = paint(diagnostic.severity, COLOURS[diagnostic.severity], stream)
    code = paint(f"[{diagnostic.error_code}]", "dim", stream)
    return f"{paint(place, 'bold', stream)}: {severity}: {one_line(clean(diagnostic.message))} {code}"


def _lines(file: Text, diagnostic: Diagnostic, documents: Sequence[Document]) -> Iterator[str]:
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
    yield from quoted(diagnostic, documents)
    for fix in diagnostic.fixes:
        yield f"  {paint('fix', 'green')}: {fix_line(fix)}"


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


def fix_line(fix: Fix) -> str:
    """A fix in a line: `use "notify.email" (replace /nodes/a/type "notify.email")`."""
    patch = "; ".join(_change(operation) for operation in fix.patch)
    return f"{one_line(clean(fix.title))} ({patch})"


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
