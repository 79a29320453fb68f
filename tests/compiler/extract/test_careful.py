"""Two readings held against each other: differences are settled by the model, and what stays open is asked."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted
from test_reading_by_model import ANSWER, POLICY, context, document

from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from compiler.extract.model.differences import other_person
from compiler.extract.model.extract_with_model import extract_with_model
from ir.procedure import Procedure
from llm import ModelFault, OpenedModel, Request
from llm.budget import Accounts, Budget


def other(change: Any) -> dict[str, Any]:
    """The answer of the second reading: the first one, changed."""
    answer = deepcopy(ANSWER)
    change(answer["procedures"][0])
    return answer


def read(second: Mapping[str, Any] | ModelFault, right: str = "unsure") -> tuple[Procedure, Scripted, list[str]]:
    """The procedure of two readings where every point is settled in one way; with the model, and codes that were told.

    Args:
        right: `first` or `second`, else as the model says it of every point.
    """

    def say(request: Request) -> Mapping[str, Any]:
        if request.purpose == "settle":
            count = request.messages[1][1].count(" | words: ")
            sides = {"first": "ab", "second": "ba"}.get(right)
            return {"points": [{"n": n, "right": sides[1 - n % 2] if sides else right} for n in range(1, count + 1)]}
        if request.purpose == "reread" and isinstance(second, ModelFault):
            raise second
        return second if request.purpose == "reread" else ANSWER  # type: ignore[return-value]

    model, ctx = Scripted(say), replace(context(), careful=True)
    found = extract_with_model(ctx, document(), model)
    assert found is not None and len(found) == 1
    return found[0], model, [one.error_code for one in ctx.diagnostics]


def actor(procedure: dict[str, Any]) -> None:
    """Another approves."""
    procedure["steps"][1]["actor"] = "buyer"


def limit(procedure: dict[str, Any]) -> None:
    """The border itself is on the other side, and the fact has another name."""
    procedure["facts"][0]["id"] = "value"
    procedure["flows"][1]["when"] = "value >= 50000"


def deadline(procedure: dict[str, Any]) -> None:
    """No time limit."""
    del procedure["steps"][1]["by"]


def way(procedure: dict[str, Any]) -> None:
    """The order is issued beside the approval."""
    del procedure["flows"][3]
    procedure["flows"].append({"a": "start", "z": "s3"})


def step(procedure: dict[str, Any]) -> None:
    """The request is not sent."""
    del procedure["steps"][0]
    procedure["flows"] = [{**flow, "a": "start" if flow["a"] == "s1" else flow["a"]} for flow in procedure["flows"][1:]]


def other_names(procedure: dict[str, Any]) -> None:
    """The same with other ids, in another order."""
    procedure["facts"][0]["id"] = "total"
    procedure["flows"][1]["when"] = "not (total <= 50000)"
    procedure["flows"].reverse()


def test_what_both_say_is_agreed_and_asked_of_nobody() -> None:
    """Names of facts and ways to write a condition are no differences; nothing is to be settled."""
    found, model, told = read(other(other_names))
    assert [request.purpose for request in model.asked] == ["extract", "reread"]
    assert found.agreed == ("s1", "s2", "s3") and told == []
    assert not [gap for gap in found.gaps if gap.id.startswith("r")]


@pytest.mark.parametrize(
    ("change", "step_id", "words"),
    [(actor, "s2", "buyer"), (limit, "s1", "value >= 50000"), (deadline, "s2", "P3BD"), (step, "s1", "sends")],
)  # fmt: skip
def test_where_the_readings_differ_and_nobody_knows_a_person_is_asked(change: Any, step_id: str, words: str) -> None:
    """The question has the words of both, is about the step, and the step is not agreed."""
    found, model, _ = read(other(change))
    assert model.asked[-1].purpose == "settle" and "<document-" in model.asked[-1].messages[1][1]
    asked = [gap for gap in found.gaps if gap.id.startswith("r") and step_id in gap.about]
    assert any(words in gap.question for gap in asked) and all(gap.evidence for gap in asked)
    assert step_id not in found.agreed
    assert found.steps[1].actor == "director"


def test_the_first_reading_stands_and_is_asked_about_where_it_is_not_right() -> None:
    """What is settled for it is not asked; the step is not one on which both agree, all the same."""
    first, _, _ = read(other(actor), "first")
    second, _, _ = read(other(actor), "second")
    assert [one.steps[1].actor for one in (first, second)] == ["director", "director"]
    assert not [gap for gap in first.gaps if gap.id.startswith("r")]
    assert any("buyer" in gap.question and gap.about == ("s2",) for gap in second.gaps)
    assert "s2" not in first.agreed and "s2" not in second.agreed


def test_a_way_that_one_reading_has_is_a_difference() -> None:
    """Where a run goes on is compared past what only one of them has."""
    found, _, _ = read(other(way))
    assert any("→" in gap.question for gap in found.gaps if gap.id.startswith("r"))


def test_where_the_second_reading_fails_the_first_stands_and_it_is_told() -> None:
    """Nothing counts as agreed then."""
    found, _, told = read(ModelFault("refused", "no"))
    assert told == ["model-failed"] and found.agreed is None and len(found.steps) == 3


def test_a_procedure_that_one_reading_alone_has_is_asked_about() -> None:
    """It is kept, whichever has it, unless the other is right."""
    more = deepcopy(ANSWER)
    first = more["procedures"][0]
    more["procedures"].append({**deepcopy(first), "title": "Orders", "steps": first["steps"][2:], "flows": [  # type: ignore[dict-item]
        {"a": "start", "z": "s3"}, {"a": "s3", "z": "end", "ends": "completed"}
    ]})  # fmt: skip
    first["steps"], first["flows"] = first["steps"][:2], [f for f in first["flows"] if "s3" not in (f["a"], f["z"])]

    def say(request: Request) -> Mapping[str, Any]:
        if request.purpose == "settle":
            raise ModelFault("refused", "no")
        return more if request.purpose == "reread" else {"procedures": [first]}

    ctx = replace(context(), careful=True)
    found = extract_with_model(ctx, document(), Scripted(say))
    assert found is not None and [one.title for one in found] == ["Purchases", "Orders"]
    assert any(gap.id.startswith("r") for gap in found[1].gaps)
    assert [one.error_code for one in ctx.diagnostics] == ["model-failed"]


def test_a_build_reads_twice_where_it_is_told_to(tmp_path: Path) -> None:
    """And once where it is not."""
    (tmp_path / "policy.md").write_text(POLICY)
    for careful, readings in ((True, ["extract", "reread"]), (False, ["extract"])):
        model = Scripted(lambda request: ANSWER if request.purpose in ("extract", "reread") else {"steps": []})
        opened = OpenedModel(model, Accounts(Budget(None, None)))
        build = compile_documents([tmp_path / "policy.md"], Settings(embedder="lexical", model=opened, careful=careful))
        assert [one.purpose for one in model.asked if one.purpose in ("extract", "reread")] == readings
        assert bool(build.procedures[0].procedure.agreed) is careful


def test_procedures_of_one_title_are_kept_apart() -> None:
    """Titles that make one name do not make one procedure, and what only the second has needs no steps."""
    first = deepcopy(ANSWER)["procedures"][0]
    one = {**first, "title": "Orders", "steps": first["steps"][:1], "flows": first["flows"][:1]}  # type: ignore[index]
    two = {**first, "title": "Orders.", "steps": first["steps"][2:], "flows": [{"a": "start", "z": "s3"}]}  # type: ignore[index]
    model = Scripted(lambda request: {"procedures": [one, two]})
    found = extract_with_model(replace(context(), careful=True), document(), model)
    assert found is not None
    assert sorted(step.actor or "" for each in found for step in each.steps) == ["buyer", "buyer"]
    assert len({each.id for each in found}) == 2 and all(each.agreed for each in found)


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("director", "the Director", False), ("director", "deputy director", True), ("director", "directorate", True),
        ("officer", "compliance officer", False), ("处长", "副处长", True), ("安全部", "公司安全部", False),
        ("clerk", None, True), (None, None, False),
    ],
)  # fmt: skip
def test_who_acts_is_the_same_where_one_name_ends_in_the_other(one: str, other: str, differ: bool) -> None:
    """But not somebody's deputy."""
    assert other_person(one, other) is differ
