"""What is to be said of one file: its findings after all that was decided about them."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import JsonValue

from flowc.checking import CheckContext, Checked, check_file
from flowc.reading import documents_beside
from flowc.source_text import SourceText
from ir.diagnostics import Diagnostic, has_errors
from ir.document import Document
from validator.suppressions import JudgedFinding, Rules, judge


@dataclass(frozen=True)
class Report:
    """One file's findings.

    Args:
        judged: gravest first, those set aside among them.
        left_out: how many findings were of codes that nobody asked for.
    """

    checked: Checked
    judged: tuple[JudgedFinding, ...]
    left_out: int = 0

    @classmethod
    def check(cls, path: Path, context: CheckContext, rules: Rules) -> "Report":
        """Read a file, check it, and judge what was found."""
        return cls.from_findings(check_file(path, context), rules)

    @classmethod
    def from_findings(cls, checked: Checked, rules: Rules) -> "Report":
        """Judge what was found in a file."""
        judged, left_out = judge(checked.found, rules, readable=checked.workflow is not None)
        return cls(checked, judged, left_out)

    @cached_property
    def text(self) -> SourceText:
        """The file's text, for places and excerpts."""
        return SourceText(str(self.checked.path), self.checked.text)

    @property
    def shown(self) -> tuple[Diagnostic, ...]:
        """The findings that count."""
        return tuple(one.finding for one in self.judged if one.ignored is None)

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        """The documents that the findings quote, as far as they lie beside the file."""
        cited = frozenset(one.doc_id for finding in self.shown for one in finding.evidence)
        return documents_beside(self.checked.path, cited) if cited else ()

    @property
    def set_aside(self) -> tuple[JudgedFinding, ...]:
        """Those set aside."""
        return tuple(one for one in self.judged if one.ignored is not None)

    def to_json(self) -> list[dict[str, JsonValue]]:
        """Each finding, those set aside among them; `location` with `line` and `column` where it is one place."""
        entries = [one.to_json() for one in self.judged]
        for entry, one in zip(entries, self.judged, strict=True):
            if where := self.text.place(one.finding):
                entry["location"] |= dict(zip(("line", "column"), where, strict=True))
        return entries

    @property
    def has_errors(self) -> bool:
        """Whether an error counts."""
        return has_errors(self.shown)
