"""docs/diagnostics.md is complete, in order, and true: its examples are run."""

import inspect
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from catalog.load import load_catalog
from compiler.checks import CHECKS, CheckInput, code_of, validate
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.procedure import Procedure
from ir.workflow import Workflow

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "diagnostics.md"
CATALOG = load_catalog(ROOT / "fixtures" / "checks" / "catalog")
CODES = sorted(code_of(check) for check in CHECKS)
BARE: dict[str, Any] = {
    "dsl_version": "1.0",
    "workflow_id": "example",
    "version": "v1",
    "inputs": {},
    "execution_policy": {"risk_level": "low"},
}


@dataclass(frozen=True)
class Section:
    """One code's section: its head line, the sentence below it, and all of its text."""

    code: str
    severity: str
    finder: str
    summary: str
    text: str

    def examples(self, word: str) -> list[str]:
        """The JSON blocks under `**Bad**` or `**Good**`."""
        return re.findall(rf"\*\*{word}\*\*\n\n```json\n(.*?)\n```", self.text, re.DOTALL)


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


BY_CODE = {section.code: section for section in sections()}


def findings(text: str) -> tuple[Diagnostic, ...]:
    """What the validator says of an example."""
    raw = json.loads(text)
    whole = raw if "workflow" in raw else {"workflow": raw}
    return validate(
        CheckInput(
            Workflow.model_validate(BARE | whole["workflow"]),
            CATALOG,
            tuple(Procedure.model_validate(item) for item in whole.get("procedures", ())),
            tuple(Document.model_validate(item) for item in whole.get("documents", ())),
        )
    )


def table() -> str:
    """The table at the top of the page."""
    rows = [f"| [{s.code}](#{s.code}) | {s.severity} | {s.finder} | {s.summary} |" for s in sections()]
    return "\n".join(["| code | severity | found by | what |", "| --- | --- | --- | --- |", *rows])


def test_the_table_lists_every_section(expect_file: Callable[[Path, str], None]) -> None:
    """The table at the top is what the sections say."""
    page = PAGE.read_text(encoding="utf-8")
    made = f"<!-- table -->\n{table()}\n<!-- /table -->"
    expect_file(PAGE, re.sub(r"<!-- table -->\n(.*\n)?<!-- /table -->", lambda _: made, page, flags=re.DOTALL))


def test_sections_stand_in_order_and_once() -> None:
    """The codes are in the order of the alphabet, none twice."""
    codes = [section.code for section in sections()]
    assert codes == sorted(set(codes))


@pytest.mark.parametrize("code", CODES)
def test_every_check_has_a_section_that_says_the_same(code: str) -> None:
    """What the section says first is the first line of the check's docstring; all parts are there."""
    check = next(check for check in CHECKS if code_of(check) == code)
    section = BY_CODE[code]
    assert section.summary == (inspect.getdoc(check) or "").split("\n")[0]
    assert section.finder.startswith("validator")
    for part in ("**What:**", "**Why:**", "**Bad**", "**Good**", "**Mend it:**"):
        assert part in section.text


@pytest.mark.parametrize("code", CODES)
def test_examples_are_true(code: str) -> None:
    """Each bad example has the fault, with the severity that the section names; no good one has it."""
    section = BY_CODE[code]
    for text in section.examples("Bad"):
        own = [diagnostic for diagnostic in findings(text) if diagnostic.error_code == code]
        assert own
        assert all(diagnostic.severity.value in section.severity for diagnostic in own)
    for text in section.examples("Good"):
        assert code not in {diagnostic.error_code for diagnostic in findings(text)}


@pytest.mark.parametrize("check", CHECKS, ids=code_of)
def test_a_check_says_what_why_bad_and_good(check: Callable[..., object]) -> None:
    """The docstring of each check has the four parts, in order."""
    text = inspect.getdoc(check) or ""
    assert re.search(r"^What: .*^Why: .*^Bad: .*^Good: ", text, re.DOTALL | re.MULTILINE)
