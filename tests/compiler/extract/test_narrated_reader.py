"""Accounts of what is done, read into procedures from the syntax of their sentences."""

from pathlib import Path

import pytest

from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from compiler.extract.rules.en.narrated import is_account
from compiler.parsers import parse
from compiler.text import syntax
from compiler.text.lexicon import lexicon
from ir.procedure import Procedure

parsed = pytest.mark.skipif(not syntax.available(), reason="the syntax extra is not installed")
ACCOUNT = (
    "A subscriber wires the librarian about a misprint. The librarian scans the page. If the misprint is grave, the "
    "typesetter recasts the plate and the foreman proofs it. Otherwise the librarian pastes a slip into the volume. "
    "Finally the porter shelves the volume."
)


def account(text: str, tmp_path: Path) -> Procedure:
    """The one procedure that a text gives."""
    (tmp_path / "account.txt").write_text(text, "utf-8")
    (found,) = compile_documents([tmp_path / "account.txt"], Settings(role="policy")).procedures
    return found.procedure


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (ACCOUNT, True),
        ("The clerk must file it. The clerk shall sign it. The clerk must seal it. The clerk sends it.", False),
        ("The clerk files it. The clerk signs it.", False),
        ("1. The clerk files it.\n\n2. The clerk signs it.\n\n3. The clerk seals it.\n\n4. The clerk sends it.", False),
    ],
)
def test_what_an_account_is(text: str, told: bool) -> None:
    """Running text of some length in which few sentences speak of duties, and no clause has a number."""
    document = parse(text.encode(), "account.txt").document
    assert document is not None
    assert is_account(document, lexicon("en")) is told


@parsed
def test_acts_that_no_word_list_knows(tmp_path: Path) -> None:
    """Who does what to which thing; a condition holds for all acts of its sentence, and the other case for its own."""
    found = account(ACCOUNT, tmp_path)
    assert [(step.actor, step.actions[0].verb.quote, step.object) for step in found.steps] == [
        ("subscriber", "wires", "the librarian"),
        ("librarian", "scans", "the page"),
        ("typesetter", "recasts", "the plate"),
        ("foreman", "proofs", "it"),
        ("librarian", "pastes", "a slip"),
        ("porter", "shelves", "the volume"),
    ]
    ways = {(flow.source, flow.target): flow.condition for flow in found.flows}
    assert ways["s2", "s3"] is not None and ways["s2", "s5"] is not None
    assert ways["s2", "s3"] != ways["s2", "s5"]
    assert ways["s4", "s6"] is None and ways["s5", "s6"] is None
    grave = next(one for one in found.conditions if one.id == ways["s2", "s3"])
    assert "the misprint is grave" in grave.text


@parsed
def test_unless_and_what_ends(tmp_path: Path) -> None:
    """What is done unless, and where the process ends."""
    text = (
        "The warden inspects the berth. Unless the berth is fouled, the pilot moors the barge. If the tide turns, the "
        "process ends. The bargeman unloads the cargo."
    )
    found = account(text, tmp_path)
    assert [step.actions[0].verb.quote for step in found.steps] == ["inspects", "moors", "unloads"]
    assert {flow.ends for flow in found.flows if flow.target == "end"} >= {"completed"}
    assert any(flow.target == "end" and flow.condition is not None for flow in found.flows)
