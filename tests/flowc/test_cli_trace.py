"""`flowc trace` leads from words of a document to the lines that made something of them, and through the passes."""

import json
import re
from pathlib import Path

import pytest
from conftest import Flowc

ROOT = Path(__file__).resolve().parents[2]
CASE = ROOT / "fixtures" / "cases" / "hazmat-transport"
POLICY = """# Purchases

1. The clerk shall check the request within 3 days.
2. If the amount exceeds 5,000 CNY, the director shall approve the request.
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A small policy."""
    path = tmp_path / "purchases.md"
    path.write_text(POLICY, encoding="utf-8")
    return path


def test_words_lead_to_the_lines_that_made_a_step_of_them(policy: Path, flowc: Flowc) -> None:
    """Each line stands in a file of ours, at a line that it has; the step and its node are followed by name."""
    told = flowc("trace", policy, "the director shall approve", "--json")
    assert told.status == 0, told.err
    found = json.loads(told.out)
    (place,) = found["passages"]
    assert place["quote"] == "the director shall approve"
    steps = [made for made in found["made"] if made["what"].startswith("Step")]
    assert steps and "kind approval" in steps[0]["what"]
    for made in found["made"]:
        for line in made["by"]:
            file, number = re.match(r"(\S+):(\d+) ", line).groups()  # type: ignore[union-attr]
            assert int(number) <= len((ROOT / file).read_text("utf-8").splitlines())
    passes = {stage["name"]: stage["shows"] for stage in found["passes"]}
    assert any("approval" in line for line in passes["extract_procedures"])
    assert any("human.approval" in line for line in passes["synthesize_draft"])


def test_it_says_which_line_read_the_sentence(policy: Path, flowc: Flowc) -> None:
    """The English reader, for people."""
    told = flowc("trace", policy, "the director shall approve")
    assert told.status == 0, told.err
    assert "compiler/extract/rules/en/" in told.out
    assert "compiler/extract/rules/zh/" not in told.out


def test_the_answer_of_a_model_is_shown(flowc: Flowc) -> None:
    """What it quoted the words for, from a recording."""
    document = next((CASE / "documents").glob("*.pdf"))
    words = "不得发运"
    told = flowc("trace", document, words, "--replay", CASE / "replies", "--json")
    assert told.status == 0, told.err
    found = json.loads(told.out)
    assert found["passages"]
    assert [answer["purpose"] for answer in found["answers"]]


def test_words_that_are_not_there(policy: Path, flowc: Flowc) -> None:
    """A code, and what to look at."""
    told = flowc("trace", policy, "nothing of the kind whatsoever")
    assert told.status == 1
    assert "unknown-words" in told.err and "flowc parse" in told.err
