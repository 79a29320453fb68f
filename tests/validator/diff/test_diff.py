"""What changed between two versions: structure, renames, and choices with runs that show them."""

import json
from pathlib import Path
from typing import Any

import pytest
from test_check_fixtures import FIXTURES, read, small_catalog

from catalog.load import Catalog, load_catalog
from compiler.report.changes.lines import lines
from ir.codec import read_workflow
from ir.walk import walk
from ir.workflow import Workflow
from validator.diff import ChoiceChange, Difference, compare
from validator.diff.changes import Change, Comparison
from validator.diff.pairing import FolderWorkflow, compare_folders

LEVEL = "$.outputs.risk.level"
EVIDENCE = {"doc_id": "a.md", "quote": "must be assessed", "block": "p1", "start": 0, "end": 16, "status": "exact"}


def payment() -> dict[str, Any]:
    """A payment whose risk decides who approves it, as JSON."""
    return {
        "workflow_id": "payment",
        "version": "v1",
        "metadata": {"title": "Payments"},
        "inputs": {"amount": {"type": "number", "unit": "CNY"}, "country": {"type": "string", "enum": ["CN", "DE"]}},
        "outputs": {"level": LEVEL},
        "results": {"paid": {"type": "string", "enum": ["yes", "no"]}},
        "guards": [{"condition": {"gt": ["$.inputs.amount", 0]}, "error_code": "NOTHING_TO_PAY"}],
        "triggers": [{"text": "when an invoice comes"}],
        "nodes": {
            "risk": {
                "type": "decision.assess_risk",
                "inputs": {"amount": "$.inputs.amount"},
                "step_ids": ["s1"],
                "actor": "clerk",
                "deadline": {"duration": "P2D"},
                "policy": {"timeout": "PT1M"},
                "evidence": [dict(EVIDENCE)],
            },
            "approve": {"type": "human.approval", "approvers": ["director"], "step_ids": ["s2"]},
            "done": {"type": "control.end", "status": "completed", "results": {"paid": "yes"}},
            "rejected": {"type": "control.end", "status": "rejected", "reason_code": "REFUSED"},
        },
        "edges": [
            {
                "from": "risk",
                "to": "done",
                "condition": {"and": [{"eq": [LEVEL, "low"]}, {"lt": ["$.inputs.amount", 100]}]},
            },
            {"from": "risk", "to": "approve", "condition": "otherwise"},
            {"from": "approve", "to": "done", "condition": {"eq": ["$.outputs.approve.approved", True]}},
            {"from": "approve", "to": "rejected", "condition": "otherwise"},
        ],
        "execution_policy": {"risk_level": "medium", "require_approval": True},
        "rule_packs": {"p": {"version": "1", "rules": [{"rule_id": "R1", "outcome": {"level": "low"}}]}},
        "gaps": [{"id": "g1", "kind": "ambiguity", "question": "How much is much?", "about": ["s1"]}],
        "provenance": {"compiler": "1", "mode": "model", "model": "m1", "catalog": "c1", "primers": ["joins@1.0.0"]},
    }  # fmt: skip


def difference(new: dict[str, Any], old: dict[str, Any] | None = None) -> Difference:
    """The payment, or another, compared with a changed one."""
    pair = [Workflow.model_validate(one) for one in (old or payment(), new)]
    return compare(pair[0], pair[1], small_catalog())


def said(found: Difference) -> set[tuple[str, str, str, str | None]]:
    """The changes in short."""
    return {(one.part, one.kind, one.name, one.aspect) for one in found.changes}


def change(path: str, value: Any) -> dict[str, Any]:
    """The payment with one value replaced, put in, or (None) taken out."""
    whole: Any = payment()
    *above, last = path.split("/")
    place = whole
    for name in above:
        place = place[int(name) if isinstance(place, list) else name]
    key = int(last) if isinstance(place, list) and last != "-" else last
    if last == "-":
        place.append(value)
    elif value is None:
        del place[key]
    else:
        place[key] = value
    return whole  # type: ignore[no-any-return]


QUOTED = {"value": 100, "quote": "100"}
CHANGES: list[tuple[str, Any, tuple[str, str, str, str | None]]] = [
    ("workflow_id", "payments", ("workflow", "changed", "workflow", "workflow_id")),
    ("version", "v2", ("workflow", "changed", "workflow", "version")),
    ("metadata/title", "Paying", ("workflow", "changed", "workflow", "metadata.title")),
    ("inputs/amount/unit", "EUR", ("inputs", "changed", "amount", "unit")),
    ("inputs/country/enum", ["CN"], ("inputs", "changed", "country", "enum")),
    ("inputs/note", {"type": "string"}, ("inputs", "added", "note", None)),
    ("inputs/country", None, ("inputs", "removed", "country", None)),
    ("outputs/level", "$.inputs.amount", ("outputs", "changed", "level", None)),
    ("results/paid/enum", ["yes"], ("results", "changed", "paid", "enum")),
    ("results/by", {"type": "string"}, ("results", "added", "by", None)),
    ("nodes/done/results/paid", LEVEL, ("steps", "changed", "done", "results.paid")),
    ("triggers/0/text", "on receipt", ("triggers", "added", "on receipt", None)),
    ("guards/0/error_code", "NOTHING", ("guards", "changed", "NOTHING", "error_code")),
    ("guards/0/condition/gt/1", 5, ("guards", "changed", "NOTHING_TO_PAY", "condition")),
    ("nodes/risk/type", "decision.check_risk", ("steps", "changed", "risk", "type")),
    ("nodes/risk/inputs/amount", 5, ("steps", "changed", "risk", "inputs.amount")),
    ("nodes/risk/actor", "cashier", ("steps", "changed", "risk", "actor")),
    ("nodes/risk/deadline/duration", "P3D", ("steps", "changed", "risk", "deadline.duration")),
    ("nodes/risk/policy/timeout", "PT2M", ("steps", "changed", "risk", "policy.timeout")),
    ("nodes/approve/approvers", ["board"], ("steps", "changed", "approve", "approvers")),
    ("nodes/risk/evidence/0/quote", "is assessed", ("steps", "added", "risk", "evidence")),
    ("nodes/risk/evidence/0/status", "fuzzy", ("steps", "changed", "risk", "evidence")),
    ("nodes/rejected/reason_code", "NO", ("steps", "changed", "rejected", "reason_code")),
    ("edges/0/condition/and/1/lt/1", 200, ("edges", "changed", "risk→done", "condition")),
    ("edges/0/condition/and/1/lt/1", QUOTED, ("edges", "changed", "risk→done", "condition.literals")),
    ("edges/0/priority", 1, ("edges", "changed", "risk→done", "priority")),
    ("edges/1/to", "rejected", ("edges", "rerouted", "risk→rejected", None)),
    ("edges/-", {"from": "risk", "to": "rejected", "on": "error"}, ("edges", "added", "risk→rejected on error", None)),
    ("edges/1", None, ("edges", "removed", "risk→approve", None)),
    ("execution_policy/risk_level", "high", ("policy", "changed", "execution policy", "risk_level")),
    ("rule_packs/p/rules/0/outcome/level", "high", ("rules", "changed", "p/R1", "outcome.level")),
    ("gaps/0", None, ("gaps", "removed", "g1", None)),
    ("gaps/-", {"id": "g2", "kind": "loop", "question": "Again?"}, ("gaps", "added", "g2", None)),
    ("provenance/model", "m2", ("provenance", "changed", "provenance", "model")),
    ("provenance/catalog", "c2", ("provenance", "changed", "provenance", "catalog")),
    ("provenance/primers", ["joins@1.1.0"], ("provenance", "changed", "provenance", "primers")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "value", "expected"), CHANGES, ids=[f"{path}={value}"[:50] for path, value, _ in CHANGES]
)
def test_each_change_is_told(path: str, value: Any, expected: tuple[str, str, str, str | None]) -> None:
    """One change is one change, at its place; the texts are made of it; and the other way round it is told as well."""
    new = change(path, value)
    found = difference(new)
    assert expected in said(found)
    assert len(found.changes) <= 2
    assert not found.same
    back = difference(payment(), new)
    assert len(back.changes) == len(found.changes)
    told = "\n".join(line.text for line in lines(Comparison(differences=(found,))))
    assert expected[2] in told
    assert (expected[3] or "") in told


def test_nothing_changed() -> None:
    """A workflow is the same as itself, in whatever order its parts stand and with defaults written out."""
    old, new = payment(), payment()
    for whole in (old, new):
        whole["rule_packs"]["p"]["rules"] += [{"rule_id": "R2", "outcome": {"reason_code": "R"}}]
    new["rule_packs"]["p"]["rules"].reverse()
    new["edges"].reverse()
    new["nodes"] = dict(reversed(new["nodes"].items()))
    new["nodes"]["risk"] |= {"id": "risk", "split": "exclusive"}
    new["inputs"]["amount"]["required"] = True
    assert difference(new, old) == difference(old, old)
    assert difference(new, old).same


def test_the_order_of_guards_is_a_change() -> None:
    """Which of two guards speaks first is told; that of the rows of a rule pack is not."""
    old = change("guards/-", {"condition": {"eq": ["$.inputs.country", "CN"]}, "error_code": "ABROAD"})
    new = change("guards/-", old["guards"][1])
    new["guards"].reverse()
    assert said(difference(new, old)) == {("guards", "changed", "guards", "order")}


def test_a_renamed_step_is_one_step() -> None:
    """A node under another id is known by its step, wherever it is named; nothing else changed."""
    text = json.dumps(payment()).replace('"risk"', '"judge"').replace("outputs.risk", "outputs.judge")
    found = difference(json.loads(text))
    assert said(found) == {("steps", "renamed", "judge", "id")}
    assert (found.changes[0].old, found.changes[0].new) == ("risk", "judge")
    assert found.choices == ()


def test_renamed_and_changed_at_once() -> None:
    """What changed in a renamed step is told of it; an example names it as each version does."""
    text = json.dumps(payment()).replace('"risk"', '"judge"').replace("outputs.risk", "outputs.judge")
    new = json.loads(text.replace('"clerk"', '"cashier"'))
    new["edges"][0]["condition"]["and"][1]["lt"][1] = 50
    found = difference(new)
    assert {("steps", "renamed", "judge", "id"), ("steps", "changed", "judge", "actor")} <= said(found)
    (choice,) = found.choices
    example = choice.examples[0]
    assert example.old and example.old.path == ("risk", "done")
    assert example.new and example.new.path[:2] == ("judge", "approve")


def test_another_step_is_no_rename() -> None:
    """The same step number of another document's reading, with other Type, words and label, is another step."""
    new = payment()
    new["nodes"]["log"] = {"type": "record.log", "step_ids": ["s1"], "label": "Write it down"}
    del new["nodes"]["risk"]
    new["edges"] = [{"from": "log", "to": "approve"}, *new["edges"][2:]]
    new["outputs"] = {}
    assert {("steps", "added", "log", None), ("steps", "removed", "risk", None)} <= said(difference(new))


def only(found: Difference) -> ChoiceChange:
    """The one choice that changed."""
    (choice,) = found.choices
    return choice


def test_a_wider_condition_shows_a_run() -> None:
    """Values for which the old and the new version choose differently, walked in both to the end."""
    new = change("edges/0/condition/and/1/lt/1", 200)
    choice = only(difference(new))
    assert (choice.at, choice.on, choice.verdict) == ("risk", "success", "differs")
    (example,) = choice.examples
    amount = example.values["$.inputs.amount"]
    assert isinstance(amount, int | float) and 100 <= amount < 200
    assert (example.old_takes, example.new_takes) == (("approve",), ("done",))
    assert example.run and example.old and example.new
    assert example.old.path == ("risk", "approve", "done")
    assert example.new.path == ("risk", "done")
    for version, taken in ((payment(), example.old), (new, example.new)):
        again = walk(Workflow.model_validate(version), example.run.inputs, example.run.outputs)
        assert (again.path, again.result.status) == (taken.path, taken.status)


def test_each_way_of_differing_has_an_example() -> None:
    """A condition that lets some in and shuts others out shows both."""
    new = change("edges/0/condition/and/1", {"gt": ["$.inputs.amount", 50]})
    choice = only(difference(new))
    assert {(one.old_takes, one.new_takes) for one in choice.examples} == {
        (("approve",), ("done",)),
        (("done",), ("approve",)),
    }


@pytest.mark.parametrize(
    "condition",
    [
        {"and": [{"lt": ["$.inputs.amount", 100]}, {"eq": [LEVEL, "low"]}]},
        {"and": [{"not": {"gte": ["$.inputs.amount", 100]}}, {"not": {"in": [LEVEL, ["medium", "high"]]}}]},
    ],
)
def test_rewritten_is_the_same_meaning(condition: dict[str, Any]) -> None:
    """Words changed, no choice did: said so, and still a difference."""
    found = difference(change("edges/0/condition", condition))
    assert only(found).verdict == "same"
    assert only(found).because is None
    assert ("edges", "changed", "risk→done", "condition") in said(found)


def test_what_no_run_comes_to_is_the_same() -> None:
    """Values that tell two versions apart but that the guard keeps out change no run."""
    old = change("edges/0/condition", {"lt": ["$.inputs.amount", 0]})
    new = change("edges/0/condition", {"lt": ["$.inputs.amount", -5]})
    choice = only(difference(new, old))
    assert (choice.verdict, choice.because) == ("same", "no run comes there with values that would tell them apart")


def test_a_guard_shows_a_run() -> None:
    """An amount that one guard lets in and the other does not."""
    choice = only(difference(change("guards/0/condition/gt/1", 5)))
    assert choice.at is None
    (example,) = choice.examples
    assert (example.old_takes, example.new_takes) == (("risk",), ("[rejected NOTHING_TO_PAY]",))
    assert example.new and (example.new.path, example.new.status) == ((), "rejected")


def test_an_error_edge_shows_a_run() -> None:
    """Where a failure led on, and now the run fails: the run in which the node fails."""
    old = change("edges/-", {"from": "risk", "to": "rejected", "on": "error"})
    choice = only(difference(payment(), old))
    assert (choice.at, choice.on) == ("risk", "error")
    example = choice.examples[0]
    assert (example.old_takes, example.new_takes) == (("rejected",), ("[fails]",))
    assert example.old and example.new
    assert (example.old.status, example.new.status) == ("rejected", "failed")


def test_a_step_put_between_shows_a_run() -> None:
    """A new step on an old edge changes the choice before it."""
    new = payment()
    new["nodes"]["log"] = {"type": "record.log"}
    new["edges"] += [{"from": "log", "to": "approve"}]
    new["edges"][1]["to"] = "log"
    choice = only(difference(new))
    assert choice.at == "risk"
    assert choice.examples[0].new and "log" in choice.examples[0].new.path


def in_words(found: Difference) -> list[str]:
    """The lines that are told."""
    return [line.text for line in lines(Comparison(differences=(found,)))]


def in_line(*edges: tuple[str, str]) -> dict[str, Any]:
    """Steps one after the other, and more edges between them."""
    whole = payment()
    nodes = {name: {"type": "record.log"} for name in "abc"}
    pairs = [("a", "b"), ("b", "c"), ("c", "done"), *edges]
    whole |= {"inputs": {}, "guards": [], "outputs": {}, "gaps": [], "nodes": nodes | {"done": whole["nodes"]["done"]}}
    whole["edges"] = [{"from": source, "to": target} for source, target in pairs]
    return whole


def test_another_edge_with_the_same_steps() -> None:
    """An edge past a step on the same way: other edges are taken, the steps stay, and no run is said to be missing."""
    found = difference(in_line(("a", "c")), in_line())
    choice = only(found)
    assert (choice.at, choice.verdict) == ("a", "differs")
    (example,) = choice.examples
    assert (example.old_takes, example.new_takes, example.same_steps) == (("b",), ("b", "c"), True)
    assert example.old and example.new and example.old.path == example.new.path == ("a", "b", "c", "done")
    told = [line.text for line in lines(Comparison(differences=(found,)))]
    assert "after a: every run that comes there takes other edges; the runs looked at run the same steps" in told
    assert "(the run takes the same steps in both: a→b→c→done [completed])" in told
    assert not any("no whole run" in text for text in told)


def test_other_steps_further_on_are_looked_for() -> None:
    """A failure that leads past a step which runs anyway: only where that step says no do the ways part."""
    old, new = payment(), payment()
    for whole, target in ((old, "approve"), (new, "log")):
        whole["nodes"]["log"] = {"type": "record.log"}
        whole["edges"] = [
            {"from": "risk", "to": "done"},
            {"from": "risk", "to": target, "on": "error"},
            {"from": "approve", "to": "log", "condition": {"eq": ["$.outputs.approve.approved", True]}},
            {"from": "approve", "to": "rejected", "condition": "otherwise"},
            {"from": "log", "to": "done"},
        ]
    (example,) = next(one for one in difference(new, old).choices if one.at == "risk").examples
    assert not example.same_steps
    assert example.old and example.new
    assert (example.old.path, example.new.path) == (
        ("risk", "approve", "rejected"),
        ("risk", "approve", "rejected", "log", "done"),
    )


def test_every_run_takes_another_way() -> None:
    """Where no values decide, it is every run that comes there, not some of them always."""
    new = in_line()
    new["edges"][0]["to"] = "c"
    del new["edges"][1], new["nodes"]["b"]
    told = [line.text for line in lines(Comparison(differences=(difference(new, in_line()),)))]
    at = told.index("after a: every run that comes there takes another way")
    assert told[at + 1 : at + 3] == ["old: a→b→c→done [completed]", "new: a→c→done [completed]"]


def many(threshold: int) -> dict[str, Any]:
    """A choice by twelve numbers, far too many values to be tried."""
    whole = payment()
    whole["inputs"] |= {f"n{number}": {"type": "integer"} for number in range(12)}
    parts = [{"gt": [f"$.inputs.n{number}", number]} for number in range(11)]
    whole["edges"][0]["condition"] = {"and": [*parts, {"gt": ["$.inputs.n11", threshold]}]}
    return whole


def test_too_many_values_are_asked_of_the_solver() -> None:
    """What cannot be tried is decided all the same: one number in twelve makes the difference, or none does."""
    example = only(difference(many(7), many(5))).examples[0]
    assert example.values["$.inputs.n11"] in (6, 7)
    assert example.old and example.new and example.old.path != example.new.path
    turned = many(5)
    turned["edges"][0]["condition"]["and"].reverse()
    assert only(difference(turned, many(5))).verdict == "same"


def test_what_cannot_be_decided_is_told_so() -> None:
    """A field of unknown type has values that nobody knows: that is never called the same."""
    old, new = payment(), payment()
    for whole, most in ((old, 3), (new, 4)):
        whole["nodes"]["risk"]["type"] = "unheard.of"
        whole["outputs"] = {}
        whole["edges"][0]["condition"] = {"and": [{"gt": [LEVEL, 5]}, {"lt": [LEVEL, most]}]}
    choice = only(difference(new, old))
    assert choice.verdict == "undecided"
    assert choice.because


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_any_workflow_is_the_same_as_itself(path: Path) -> None:
    """Valid or not, a workflow does not differ from itself, and differs from one without its last edge."""
    workflow = read(path).workflow
    assert compare(workflow, workflow, small_catalog()).same
    if workflow.edges:
        assert not compare(workflow, workflow.model_copy(update={"edges": workflow.edges[:-1]}), small_catalog()).same


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    """The catalog that comes with flowc."""
    return load_catalog()


def test_class_three_let_into_the_filing(repository: Path, catalog: Catalog) -> None:
    """The correction of the dangerous goods draft: a shipment of class 3 by road goes another way."""
    text = (repository / "tests/flowc/dangerous_goods.workflow.json").read_text("utf-8")
    narrow = '{"value": [1, 2], "status": "quoted"}'
    assert text.count(narrow) == 1
    old, _ = read_workflow(text)
    new, _ = read_workflow(text.replace(narrow, narrow.replace("2]", "2, 3]")))
    assert old and new
    choice = only(compare(old, new, catalog))
    (example,) = choice.examples
    assert example.values == {
        "$.outputs.check_transport_mode.allowed": True,
        "$.outputs.lookup_hazard_level.hazard_level": 3,
        "$.inputs.transport_mode": "公路",
    }
    assert example.old and "check_filing_status" not in example.old.path
    assert example.new and "check_filing_status" in example.new.path
    assert compare(old, old, catalog).same


def listed(file: str, document: str, procedure: str, **changes: Any) -> FolderWorkflow:
    """A workflow of a build folder."""
    return FolderWorkflow(file, document, procedure, Workflow.model_validate(payment() | changes))


def test_folders_are_paired() -> None:
    """By document and procedure, else by id; what has no counterpart is listed, and ambiguous names pair nothing."""
    old = [listed("a/p", "a", "p"), listed("a/q", "a", "q", workflow_id="q"), listed("b/x", "b", "x", workflow_id="x")]
    new = [listed("a/p", "a", "p"), listed("a/r", "a", "r", workflow_id="q"), listed("c/y", "c", "y", workflow_id="y")]
    found = compare_folders(old, new, small_catalog())
    assert [(one.old, one.new, one.same) for one in found.differences] == [("a/p", "a/p", True), ("a/q", "a/r", True)]
    assert ([one.file for one in found.added], [one.file for one in found.removed]) == (["c/y"], ["b/x"])
    assert not found.same
    twins = [listed("1", "a", "p"), listed("2", "b", "q")]
    assert compare_folders(twins, [listed("3", "c", "r")], small_catalog()).differences == ()


def test_changes_are_frozen_data() -> None:
    """A difference is read back from its JSON."""
    found = difference(change("edges/0/condition/and/1/lt/1", 200))
    assert Difference.model_validate(found.to_json()) == found
    assert all(isinstance(one, Change) for one in found.changes)
