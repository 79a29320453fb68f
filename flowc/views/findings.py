"""Diagnostics for people, programs and CI: with the lines of the file that they speak of."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from pydantic import JsonValue

from flowc.source_text import SourceText
from flowc.terminal import Colour, clean, one_line, paint, print_to_stderr
from flowc.views.quoted import quoted
from ir.diagnostics import Diagnostic, Fix, Severity
from ir.document import Document

COLOURS: dict[Severity, Colour] = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}
_AROUND = 1
_WIDTH = 110


def tell_findings(file: SourceText, diagnostics: Iterable[Diagnostic]) -> None:
    """A line on each finding, to stderr, where what is asked for is something else."""
    for diagnostic in diagnostics:
        print_to_stderr(headline(file, diagnostic, sys.stderr))


def as_text(file: SourceText, diagnostics: Iterable[Diagnostic], documents: Sequence[Document] = ()) -> str:
    """The findings on one file, each with what is known of it; empty where there are none.

    Args:
        documents: those that the findings quote, as far as they are at hand.
    """
    return "".join("\n".join(_lines(file, diagnostic, documents)) + "\n" for diagnostic in diagnostics)


def headline(file: SourceText, diagnostic: Diagnostic, stream: TextIO | None = None) -> str:
    """`FILE:LINE:COLUMN: SEVERITY: MESSAGE [CODE]`, on one line, coloured for a stream (stdout by default)."""
    where = file.place(diagnostic)
    place = ":".join([clean(file.name), *(str(number) for number in where or ())])
    severity = paint(diagnostic.severity, COLOURS[diagnostic.severity], stream)
    code = paint(f"[{diagnostic.error_code}]", "dim", stream)
    return f"{paint(place, 'bold', stream)}: {severity}: {one_line(clean(diagnostic.message))} {code}"


def _lines(file: SourceText, diagnostic: Diagnostic, documents: Sequence[Document]) -> Iterator[str]:
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


def _excerpt(file: SourceText, line: int, column: int, colour: Colour) -> Iterator[str]:
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
    return "".join(headline(SourceText(str(one.location)), one) + "\n" for one in diagnostics)


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
