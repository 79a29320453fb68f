"""Whatever an answer holds, what can be carried of it is carried, and the rest is asked about or told."""

from typing import Any

import pytest

from catalog.load import load_catalog
from compiler.build.builder import compile_documents
from compiler.build.results import Build
from compiler.build.scheduler import Settings
from compiler.extract.model.expand import Expander
from compiler.extract.model.form import AnsweredFlow, AnsweredProcedure, AnsweredResult, AnsweredRow, Extraction, Quote
from compiler.extract.model.tenable import MOST_PROCEDURES, MOST_STEPS, tenable, ways_back
from compiler.parsers import parse
from compiler.text.mentions import mentions_of
from ir.procedure import Procedure
from llm import OpenedModel, Reply, Request, Usage
from llm.budget import Accounts, Budget

TEXT = "# Purchases\n\n1. The buyer sends the request to Finance.\n\n2. Finance files the request.\n"
STEPS = [
    {"id": "s1", "kind": "input", "actor": "buyer", "at": [{"b": "2", "q": "sends the request to Finance"}]},
    {"id": "s2", "kind": "record", "actor": "Finance", "at": [{"b": "3", "q": "files the request"}]},
]


def answer(flows: list[tuple[str, str]], **more: Any) -> AnsweredProcedure:
    """The procedure of two steps with these flows."""
    ways = [{"a": a, "z": z} for a, z in flows]
    return AnsweredProcedure.model_validate({"title": "Purchases", "steps": STEPS, "flows": ways} | more)


def expanded(given: AnsweredProcedure) -> Procedure:
    """The procedure that an answer tells of."""
    document = parse(TEXT.encode(), "policy.md").document
    assert document is not None
    return Expander(document, mentions_of(load_catalog()), "m").procedure(given, "p")


STRAIGHT = [("start", "s1"), ("s1", "s2"), ("s2", "end")]


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ([("s1", "s1")], "loop"),
        ([("s2", "s1")], "loop"),
        ([("s1", "s9")], "ambiguity"),
        ([("s1", "amount")], "ambiguity"),
        ([("s1", "start")], "ambiguity"),
        ([("end", "s1")], "ambiguity"),
    ],
)
def test_a_flow_that_leads_nowhere_or_back_is_asked_about(more: list[tuple[str, str]], kind: str) -> None:
    """The others stand; a fact is no step."""
    fact = {"id": "amount", "name": "amount", "type": "number", "at": []}
    found = expanded(answer([*STRAIGHT, *more], facts=[fact]))
    assert [(flow.source, flow.target) for flow in found.flows] == STRAIGHT
    assert [gap.kind for gap in found.gaps] == [kind]


def test_a_ring_is_opened_where_it_closes() -> None:
    """Also one that nothing leads into, and one of thousands of steps."""
    ring = [AnsweredFlow(a=f"s{n}", z=f"s{(n + 1) % 5000}") for n in range(5000)]
    assert ways_back(ring) == {4999}
    assert ways_back([AnsweredFlow(a="start", z="s7"), *ring]) == {7}


def test_a_time_limit_that_is_none_is_asked_about() -> None:
    """Its words stay with the question; it is the reading that is unclear, not the document."""
    limit = {"iso": "3 days", "at": {"b": "3", "q": "files the request"}}
    found = expanded(answer(STRAIGHT, steps=[STEPS[0], STEPS[1] | {"by": limit}]))
    assert [step.deadline for step in found.steps] == [None, None]
    assert [(gap.kind, gap.about) for gap in found.gaps] == [("unclear_condition", ("s2",))]


def test_steps_of_one_name_are_told_apart() -> None:
    """None is lost, and none is the start or the end."""
    steps = [STEPS[0], *({**STEPS[1], "id": name} for name in ("s1", "start", "", "end"))]
    (found,) = tenable(Extraction(procedures=[answer(STRAIGHT, steps=steps)]), 1000).answer.procedures
    assert [step.id for step in found.steps] == ["s1", "s1-2", "start-3", "-4", "end-5"]


def test_an_honest_answer_passes_as_it_is() -> None:
    """The bounds are for others."""
    given = Extraction(procedures=[answer(STRAIGHT)])
    assert (found := tenable(given, len(TEXT))).answer == given and not found.left_out


@pytest.mark.parametrize(
    ("characters", "steps", "procedures"), [(100, 40, 10), (4000, 200, 20), (10**6, MOST_STEPS, MOST_PROCEDURES)]
)
def test_no_more_is_taken_than_words_can_mean(characters: int, steps: int, procedures: int) -> None:
    """Of a thousand steps, and of three hundred procedures."""
    many = [{**STEPS[0], "id": f"s{n}"} for n in range(1000)]
    found = tenable(Extraction(procedures=[answer([("s0", "s1"), ("s1", "s999")], steps=many)]), characters)
    assert len(found.answer.procedures[0].steps) == steps and found.left_out == {"steps": 1000 - steps}
    assert [(flow.a, flow.z) for flow in found.answer.procedures[0].flows] == [("s0", "s1")]
    one = answer(STRAIGHT, steps=STEPS[:1])
    assert len(tenable(Extraction(procedures=[one] * 300), characters).answer.procedures) == procedures


def test_an_oversize_answer_is_told(tmp_path: Any) -> None:
    """The document has a draft of what was taken."""

    class Babbling:
        name = "m@host"

        def answer(self, request: Request) -> Reply:
            many = [STEPS[0], *({**STEPS[1], "id": f"s{n}"} for n in range(2, 1001))]
            flows = [{"a": "start", "z": "s1"}, *({"a": f"s{n}", "z": f"s{n + 1}"} for n in range(1, 1000))]
            given = {"procedures": [{"title": "P", "steps": many, "flows": flows}]}
            value = request.form.model_validate(given if "procedures" in request.form.model_fields else {"steps": []})
            return Reply(value, "", Usage(1, 1), "m", "json_schema")

    (tmp_path / "policy.md").write_text(TEXT)
    opened = OpenedModel(Babbling(), Accounts(Budget(None, None)))
    build: Build = compile_documents([tmp_path], Settings(embedder="lexical", model=opened))
    (told,) = [one for one in build.diagnostics if one.error_code == "model-failed"]
    assert (told.found, "960 steps are left out" in told.message) == ("oversize", True)
    assert [len(one.procedure.steps) for one in build.procedures] == [40]


def test_results_have_no_more_rows_than_a_document_bears() -> None:
    """Whole results are left out, for one without its rows would be what a step finds out; it is told how many."""
    row = AnsweredRow(value="1", at=Quote(b="1", q="x"))
    results = [AnsweredResult(id=f"r{n}", name="r", type="integer", rows=[row] * 150, at=[]) for n in range(3)]
    given = Extraction(procedures=[AnsweredProcedure(title="p", steps=[], flows=[], results=results)])
    taken = tenable(given, 100)
    assert [len(one.rows) for one in taken.answer.procedures[0].results] == [150]
    assert taken.left_out == {"results": 2}
    assert tenable(given, 100_000).answer == given
