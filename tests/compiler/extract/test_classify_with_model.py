"""What a model says that a document is for, and what a person says."""

from pathlib import Path

import pytest
from scripted import Scripted
from test_reading_by_model import context, document

from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from compiler.extract.model.classify_with_model import classify_with_model
from ir.facts import DocumentRole, Role
from llm import ModelFault, Request

TALE = "# A summer at the lake\n\nThe lake was warm.\n\nWe swam for hours, and my sister told stories.\n"


def known(role: Role) -> DocumentRole:
    """What the cue words say."""
    return DocumentRole(doc_id="policy.md", role=role, reason="cues")


def test_a_model_overrules_cue_words_that_say_no() -> None:
    """Its answer stands, with both reasons; the document is shown to it as data."""
    model = Scripted(lambda _: {"role": "policy", "why": "guidance for visitors"})
    said = classify_with_model(context(), document(TALE), known("none"), model)
    assert said.role == "policy"
    assert "guidance for visitors" in said.reason and "cue words: none" in said.reason
    assert model.asked[0].purpose == "classify" and "<document-" in model.asked[0].messages[1][1]


@pytest.mark.parametrize("role", ["policy", "form"])
def test_a_model_is_not_asked_where_the_cue_words_are_sure(role: Role) -> None:
    """A policy is one; a form without duties is one."""
    model = Scripted(lambda _: {})
    assert classify_with_model(context(), document(TALE), known(role), model) == known(role)
    assert not model.asked


def test_a_model_that_fails_leaves_what_the_cue_words_say() -> None:
    """And that is said."""

    def silent(_: Request) -> dict[str, str]:
        raise ModelFault("unreachable", "no answer")

    ctx = context()
    said = classify_with_model(ctx, document(TALE), known("none"), Scripted(silent))
    assert said == known("none")
    assert [one.error_code for one in ctx.diagnostics] == ["model-failed"]


def test_long_documents_are_shown_in_parts() -> None:
    """The beginning, the middle and the end, within a limit."""
    model = Scripted(lambda _: {"role": "none", "why": "a tale"})
    long = document(TALE + "".join(f"\nThe {n}th day was like the others, warm and long.\n" for n in range(900)))
    classify_with_model(context(), long, known("none"), model)
    shown = model.asked[0].messages[1][1]
    assert len(shown) < 14_000 and "The 0th day" in shown and "The 899th day" in shown


def test_a_person_says_what_a_document_is_for(tmp_path: Path) -> None:
    """Whatever it looks like; `policy` reads it, `reference` does not."""
    file = tmp_path / "rules.md"
    file.write_text("# Rules\n\n1. The clerk checks the form.\n2. The manager approves the form.\n", encoding="utf-8")
    assert compile_documents(file, Settings(role="policy")).procedures
    refused = compile_documents(file, Settings(role="reference"))
    assert not refused.procedures and refused.documents[0].role is not None
    assert refused.documents[0].role.role == "reference"
