"""The text that a model is shown."""

import json

import pytest

from primers.load import load_primers
from primers.primer import Primer, Rule, WorkedExample
from primers.render import render

PRIMER = Primer(
    name="small",
    version="1.0.0",
    pass_="synthesize_draft",
    languages=("zh", "en"),
    rules=(
        Rule(
            id="only-candidates", code="unknown-node-type", text={"zh": "不得编造类型。", "en": "Never make up a Type."}
        ),
        Rule(id="write-once", advisory=True, text={"zh": "只写一次。", "en": "Write it once."}),
    ),
    examples=(
        WorkedExample(
            id="one", language="en", doc_id="a.md", text="Sign it.", procedure={"id": "签"}, explanation="The form."
        ),
    ),
    body="For people.",
)


def test_rules_are_numbered_with_ids_and_codes() -> None:
    """The whole text of a small primer."""
    assert render(PRIMER, "en") == (
        "# small@1.0.0\n\n## Rules\n\n"
        "1. [only-candidates] Never make up a Type. (a breach is reported as unknown-node-type)\n"
        "2. [write-once] Write it once. (advisory)\n\n"
        "## Worked examples\n\n### one\n\n"
        'Document (a.md):\nSign it.\n\nProcedure it gives (JSON):\n{"id": "签"}\n\nWhy: The form.\n'
    )


def test_language_falls_back() -> None:
    """An undetermined language is shown English; examples of the other language serve where there are none."""
    assert render(PRIMER, "und") == render(PRIMER, "en")
    assert "不得编造类型。" in render(PRIMER, "zh")
    assert "### one" in render(PRIMER, "zh")
    only_chinese = PRIMER.model_copy(
        update={"languages": ("zh",), "rules": (Rule(id="x", advisory=True, text={"zh": "只写一次。"}),)}
    )
    assert "只写一次。" in render(only_chinese, "en")


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("name", load_primers().by_name)
def test_shipped_primers_render_stably(name: str, language: str) -> None:
    """Every rule appears, every example of the language as JSON that reads back, and twice the same text."""
    primer = load_primers().primer(name)
    text = render(primer, language)
    assert text == render(load_primers().primer(name), language)
    assert all(f"[{rule.id}]" in text for rule in primer.rules)
    shown = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    assert shown == [example.expected for example in primer.examples if example.language == language]
    assert bool(shown) == bool(primer.examples)
