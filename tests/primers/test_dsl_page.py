"""The page about the workflow language says what holds: its example is valid, its conditions parse."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from catalog.load import load_catalog
from ir.fields import FieldType
from ir.formula import OPERATIONS
from ir.formulas.infix import parse_formula
from ir.infix import parse_infix
from ir.predicate import COMPARE_OPS
from ir.procedure import EndStatus, GapKind
from ir.workflow import Edge, Node, Workflow
from validator.checks import CheckInput, validate

PAGE = (Path(__file__).parents[2] / "docs" / "dsl.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(json|text)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
EXAMPLE = next(text for kind, text in BLOCKS if kind == "json")
CONDITIONS = [line for line in next(text for kind, text in BLOCKS if kind == "text").splitlines() if line]


def test_example_is_valid() -> None:
    """The running example loads strictly and the validator finds nothing in it."""
    workflow = Workflow.model_validate_json(EXAMPLE, strict=True)
    assert [str(finding) for finding in validate(CheckInput(workflow, load_catalog()))] == []


def test_example_quotes_its_document() -> None:
    """Every quote stands in the document that the page shows."""
    document = " ".join(line.removeprefix("> ") for line in PAGE.splitlines() if line.startswith("> "))
    quotes = re.findall(r'"quote": "([^"]*)"', EXAMPLE)
    assert len(quotes) > 5
    assert [quote for quote in quotes if quote not in document] == []


@pytest.mark.parametrize("text", CONDITIONS)
def test_infix_conditions_parse(text: str) -> None:
    """Each condition in text form is one that the parser takes."""
    parse_infix(text)


@pytest.mark.parametrize("text", next(text for _, text in BLOCKS if text.startswith("min(")).splitlines())
def test_formulas_parse(text: str) -> None:
    """Each formula in text form is one that the parser takes."""
    parse_formula(text)


def test_page_names_every_operation() -> None:
    """No operation of formulas is left out."""
    section = PAGE[PAGE.index("## Formulas") : PAGE.index("## Evidence and gaps")]
    assert {op for op in OPERATIONS if not re.search(rf"\b{op}\b", section)} == set()


def test_infix_form_of_the_example() -> None:
    """The first condition in text form is the tree of the example, but for its quotes."""
    tree = json.loads(EXAMPLE)["edges"][3]["condition"]
    bare = json.loads(re.sub(r'\{"value": (.*?), "quote": [^}]*\}', r"\1", json.dumps(tree)))
    edge = Edge.model_validate({"from": "level", "to": "approve", "condition": bare})
    assert edge.condition == parse_infix(CONDITIONS[0])


def test_page_names_every_key_and_word() -> None:
    """No key of a workflow, node or edge, no operator, type, status or kind of gap is left out."""
    keys = {
        field.alias or name
        for form in (Workflow, Node, Edge)
        for name, field in form.model_fields.items()
        if name != "id"
    }
    words = {*COMPARE_OPS, "and", "or", "not", "is_null", "exists", *get_args(EndStatus), *get_args(GapKind)}
    missing = [
        word for word in sorted(keys | words | set(get_args(FieldType))) if not re.search(rf"[`\" ]{word}[`\" ]", PAGE)
    ]
    assert missing == []
