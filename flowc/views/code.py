"""A code's section as people read it: as the page has it, coloured on a terminal."""

import re

from flowc.terminal import paint
from flowc.views.findings import COLOURS
from ir.diagnostics import Severity
from validator.code_page import CodeEntry

_LABEL = re.compile(r"\*\*([^*]+)\*\*")
_HEAD = re.compile(r"\*([^*]+)\*")


def as_text(entry: CodeEntry) -> str:
    """The section: Markdown, with head, labels and examples in colours where stdout shows them."""
    lines: list[str] = []
    fenced = False
    for line in entry.text.split("\n"):
        fence = line.startswith("```")
        lines.append(paint(line, "dim") if fence else paint(line, "cyan") if fenced and line else _prose(line))
        fenced = fenced != fence
    return "\n".join(lines)


def _prose(line: str) -> str:
    if line.startswith("## "):
        return paint(line, "bold")
    if head := _HEAD.fullmatch(line):
        severity = next((one for one in Severity if head[1].startswith(one)), None)
        return paint(line, COLOURS[severity] if severity else "dim")
    return _LABEL.sub(lambda match: paint(match[0], "bold"), line)
