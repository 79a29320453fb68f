"""docs/diagnostics.md as data: its sections, and the examples in them."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

PAGE = Path(__file__).resolve().parent.parent / "docs" / "diagnostics.md"
BARE: dict[str, Any] = {
    "dsl_version": "1.0",
    "workflow_id": "example",
    "version": "v1",
    "inputs": {},
    "execution_policy": {"risk_level": "low"},
}
"""What the examples of workflows leave out."""
Part = Literal["Bad", "Good"]


@dataclass(frozen=True)
class Example:
    """A fenced block: its language, the file that it stands for (empty where it is none), its text."""

    language: str
    name: str
    text: str


@dataclass(frozen=True)
class Section:
    """One code's section: its head line, the sentence below it, and all of its text."""

    code: str
    severity: str
    finder: str
    summary: str
    text: str

    def examples(self, part: Part) -> list[Example]:
        """The fenced blocks of the parts of this name; none where they only describe."""
        parts = re.findall(rf"(?ms)^\*\*{part}\b.*?(?=^\*\*(?:Bad|Good|Mend it)\b|\Z)", self.text)
        assert parts, f"{self.code} has no part {part}"
        return [Example(*block) for text in parts for block in re.findall(r"(?ms)^```(\w+) ?(.*?)\n(.*?)\n```$", text)]


def sections() -> list[Section]:
    """The sections in the order of the page."""
    found = []
    for text in re.split(r"(?m)^## ", PAGE.read_text(encoding="utf-8"))[1:]:
        head = re.match(
            r"(?P<code>\S+)\n\n\*(?P<severity>.+?) · (?P<finder>.+?)\*\n\n(?P<summary>.+?)\n\n", text, re.DOTALL
        )
        assert head, f"a section begins with its code, *severity · who finds it* and one sentence: {text[:80]!r}"
        found.append(Section(text=text, **{key: " ".join(value.split()) for key, value in head.groupdict().items()}))
    return found


def table() -> str:
    """The table at the top of the page."""
    rows = [f"| [{s.code}](#{s.code}) | {s.severity} | {s.finder} | {s.summary} |" for s in sections()]
    return "\n".join(["| code | severity | found by | what |", "| --- | --- | --- | --- |", *rows])
