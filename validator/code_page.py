"""The catalogue of codes: what docs/diagnostics.md says of each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ir.errors import CompilerError

_HEADING = re.compile(r"## `?([a-z][a-z0-9-]*)`?[ \t]*\n")
_HEAD_LINE = re.compile(r"^\*([^*·]+) · ([^*]+)\*$", re.MULTILINE)
_PART = re.compile(r"^\*\*(What|Why|Bad|Good|Mend it):?\*\*[ \t]*", re.MULTILINE)


class MissingPage(CompilerError):  # noqa: N818 - named for the fault, as the codes are
    """The page on diagnostics is not among the installed files."""

    code, exit_status = "broken-install", 3


@dataclass(frozen=True)
class CodeEntry:
    """What the page says of one code, in Markdown.

    Args:
        severity: as the page has it: `error`, or `error or warning`.
        finder: who finds it, and of what family: `validator, branches`.
        summary: one sentence.
        bad, good: examples, or a description of one.
        text: the whole section.
    """

    code: str
    severity: str
    finder: str
    summary: str
    what: str
    why: str
    bad: str
    good: str
    mend: str
    text: str

    @property
    def stops_reading(self) -> bool:
        """Whether the finding says that a file cannot be read as what it should be."""
        return self.finder.startswith("reader") and self.severity == "error"


def code_sections(page: str) -> dict[str, str]:
    """The sections of the page on diagnostics whose headings are codes, by code.

    >>> code_sections("# Codes\\nText.\\n## cycle\\nOne.\\n\\n## `too-deep`\\nTwo.\\n")
    {'cycle': '## cycle\\nOne.', 'too-deep': '## `too-deep`\\nTwo.'}
    """
    sections = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    return {match[1]: section.rstrip() for section in sections if (match := _HEADING.match(section))}


def catalogue() -> Mapping[str, CodeEntry]:
    """All codes, in the order of the page.

    Raises:
        MissingPage: the page is not among the installed files.
    """
    return _entries(_page())


@cache
def _entries(page: Path) -> Mapping[str, CodeEntry]:
    sections = code_sections(page.read_text(encoding="utf-8"))
    return {code: code_entry(code, text) for code, text in sections.items()}


def code_entry(code: str, text: str) -> CodeEntry:
    """A section in its parts; a part that it has not is empty."""
    head = _HEAD_LINE.search(text)
    pieces = _PART.split(text)
    parts: dict[str, str] = {}
    for name, body in zip(pieces[1::2], pieces[2::2], strict=True):
        parts[name] = "\n\n".join(part for part in (parts.get(name), body.strip()) if part)
    return CodeEntry(
        code=code,
        severity=head[1] if head else "",
        finder=head[2] if head else "",
        summary=pieces[0][head.end() if head else 0 :].strip(),
        what=parts.get("What", ""),
        why=parts.get("Why", ""),
        bad=parts.get("Bad", ""),
        good=parts.get("Good", ""),
        mend=parts.get("Mend it", ""),
        text=text,
    )


def _page() -> Path:
    """The file of docs/diagnostics.md, which an installed flowc has among the validator's texts."""
    package = Path(__file__).parent
    for path in (package / "texts" / "diagnostics.md", package.parent / "docs" / "diagnostics.md"):
        if path.is_file():
            return path
    raise MissingPage("the page on diagnostics is missing from this installation; install flowc again")
