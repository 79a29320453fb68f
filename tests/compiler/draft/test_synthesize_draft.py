"""What a draft takes from earlier nodes where ways part and meet, what it gives, and which outcomes it can read."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from catalog.index import NodeIndex
from catalog.load import load_catalog
from compiler.conformance import ConformanceInput
from compiler.conformance.evidence import lost_flow
from compiler.context import Context
from compiler.draft.alignment import AlignedStep, Sources
from compiler.draft.complete_draft import complete_draft
from compiler.draft.synthesize_draft import synthesize_draft
from compiler.fates.verdict import is_weighty, verdict
from ir.diagnostics import Diagnostic
from ir.infix import to_infix
from ir.predicate import Ref, Tree
from ir.procedure import Procedure
from ir.workflow import HUMAN_APPROVAL, HUMAN_TASK, Edge, Workflow
from primers.load import load_primers

CATALOG = load_catalog()
NUMBER, CLOSE, OPEN = "utility.assign_number", "record.close_case", "record.open_investigation"
AMOUNT, PAY, JUDGE = "document.extract_amount", "finance.make_payment", "decision.check_consistency"


@cache
def context() -> Context:
    """Surroundings without a search index."""

    def index() -> NodeIndex:
        raise AssertionError("no search is needed")

    return Context(CATALOG, load_primers(), index, "p.md")


def said(quote: str) -> list[dict[str, str]]:
    """Evidence of some words."""
    return [{"doc_id": "p.md", "quote": quote}]


def told(types: dict[str, str], *ways: str, when: dict[str, Any] | None = None, kind: str = "task") -> Procedure:
    """A procedure of steps, of which the first may end well or badly.

    Args:
        ways: `a b` always, `a b good` if the first step came out well, `a b otherwise`; after `end` how it ends.
        when: another condition for `good`.
        kind: of the first step.
    """
    first = next(iter(types))
    steps = [
        {"id": step, "text": f"does {step}", "kind": kind if step == first else "task", "actor": "clerk",
         "outcomes": ["good", "bad"] if step == first else [], "evidence": said(step)}
        for step in types
    ]  # fmt: skip
    good = when or {"eq": [f"$.steps.{first}.outcome", outcome("good")]}
    flows = []
    for way in ways:
        source, target, *rest = way.split()
        case = {"good": "c1", "otherwise": "otherwise"}.get(rest[0]) if rest else None
        ends = rest[-1] if rest and rest[-1] in ("completed", "rejected") else None
        flows.append({"from": source, "to": target, "condition": case, "ends": ends})
    conditions = [{"id": "c1", "text": "it is so", "predicate": good, "evidence": said("it is so")}]
    return Procedure.model_validate(
        {"id": "orders", "title": "Orders", "doc_id": "p.md", "language": "en", "method": "m", "steps": steps,
         "conditions": conditions, "flows": flows}
    )  # fmt: skip


def outcome(word: str) -> dict[str, str]:
    """An outcome with its words."""
    return {"value": word, "quote": word, "status": "converted", "from": word}


def drafted(procedure: Procedure, types: dict[str, str], sources: Sources | None = None) -> Workflow:
    """The draft in which each step is carried out by such a Type."""
    alignment = {
        step: AlignedStep(step_id=step, disposition="mapped", type=type_, score=1, reason="")
        for step, type_ in types.items()
    }
    return synthesize_draft(context(), procedure, alignment, sources)


def case_number_of(*ways: str, **types: str) -> Ref:
    """Where the closing of a case, step d, has the case's number from; step a is a person's, b gives the number."""
    all_types = {"a": HUMAN_TASK, "b": NUMBER, "c": HUMAN_TASK, "d": CLOSE, **types}
    workflow = drafted(told(all_types, "start a", *ways, "d end"), all_types)
    given = workflow.nodes["close_case"].inputs["case_number"]
    assert isinstance(given, Ref)
    return given


# --- what a run has to be given ---------------------------------------------------------------------------------------


def test_who_gives_the_values_of_a_run_is_asked_once() -> None:
    """With all of them, the words of all that take them, and their nodes: it is no weighty question."""
    types = {"a": HUMAN_TASK, "b": PAY, "c": CLOSE}
    workflow = drafted(told(types, "start a", "a b", "b c", "c end"), types)
    (asked,) = [gap for gap in workflow.gaps if gap.kind == "missing_parameter"]
    taken = {ref.path[0] for name in ("make_payment", "close_case") for ref in inputs_of(workflow, name)}
    labels = [workflow.inputs[name].description or name for name in workflow.inputs if name in taken]
    assert len(labels) > 1
    assert all(f"“{label}”" in asked.question for label in labels)
    assert {"b", "c", "make_payment", "close_case"} == set(asked.about)
    assert [one.quote for one in asked.evidence] == ["b", "c"]
    assert not is_weighty(asked, workflow)


def test_a_step_that_no_type_fits_is_counted_with_the_steps() -> None:
    """It is no question of its own; it keeps a draft from being settled all the same."""
    procedure = told({"a": HUMAN_TASK}, "start a", "a end")
    alone = AlignedStep(step_id="a", disposition="unmapped", type=HUMAN_TASK, score=0, reason="")
    workflow = synthesize_draft(context(), procedure, {"a": alone})
    assert [gap.kind for gap in workflow.gaps] == ["unmapped_step"]
    said = verdict(workflow, ())
    assert (said.questions.all, said.steps.unmapped, said.settled) == (0, 1, False)


def inputs_of(workflow: Workflow, name: str) -> list[Ref]:
    """The workflow inputs that a node reads."""
    given = workflow.nodes[name].inputs.values()
    return [ref for ref in given if isinstance(ref, Ref) and ref.root == "inputs"]


# --- what surely ran before -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ways",
    [
        ("a b", "b c", "c d"),
        ("a b", "a c", "b d", "c d"),
        ("a b good", "a c otherwise", "c b", "b d"),
        ("a b good", "b d", "a c otherwise", "c end"),
        ("a b", "b c good", "b d otherwise", "c d"),
        ("a c", "a b", "c d good", "b d"),
        ("a b", "b d", "c d"),
    ],
    ids=[
        "one after the other", "beside another way", "where two ways met before", "in its own branch",
        "before the ways part", "always beside a way that is taken sometimes",
        "beside a step that nothing leads to",
    ],
)  # fmt: skip
def test_a_value_is_taken_from_a_node_that_surely_ran(ways: tuple[str, ...]) -> None:
    """Through joins too, where each way that comes there has passed the node, or the node runs beside it always."""
    assert case_number_of(*ways) == Ref("$.outputs.assign_number.case_number")


@pytest.mark.parametrize(
    "ways",
    [
        ("a b good", "a c otherwise", "b d", "c d"),
        ("a b good", "a d otherwise", "b d", "d c"),
        ("a c", "c b good", "c d otherwise", "b d"),
        ("a b good", "b c", "c d", "a d otherwise"),
        ("a b good", "a c", "b d", "c d"),
        ("a d", "d b", "b c"),
    ],
    ids=[
        "one of two ways", "a way that is left out", "left out further on", "two steps of a way that is left out",
        "sometimes beside another way", "after it",
    ],
)  # fmt: skip
def test_a_value_is_not_taken_from_a_node_that_may_not_have_run(ways: tuple[str, ...]) -> None:
    """Somebody gives it when the workflow runs; the case without the node would have none."""
    assert case_number_of(*ways) == Ref("$.inputs.case_number")


def test_of_two_nodes_that_give_a_value_the_later_that_surely_ran_counts() -> None:
    """The later of two in a row; the earlier where the later may be left out."""
    in_a_row = case_number_of("a b", "b c", "c d", c=OPEN)
    left_out = case_number_of("a b", "b c good", "b d otherwise", "c d", c=OPEN)
    assert in_a_row == Ref("$.outputs.open_investigation.case_number")
    assert left_out == Ref("$.outputs.assign_number.case_number")


# --- what the workflow gives ------------------------------------------------------------------------------------------


def given_by(types: dict[str, str], *ways: str) -> dict[str, str]:
    """The outputs of the draft."""
    outputs = drafted(told(types, *ways), types).outputs
    return {name: ref.text for name, ref in outputs.items() if isinstance(ref, Ref)}


def required(type_: str, name: str) -> dict[str, str]:
    """All that a Type always gives, as outputs of a node."""
    fields = CATALOG.node_type(type_).outputs_schema
    return {key: f"$.outputs.{name}.{key}" for key, spec in fields.items() if spec.required}


def test_a_workflow_gives_what_its_last_step_found_and_what_others_made() -> None:
    """Only what is always given; what an earlier step has merely found out stays within."""
    found_last = given_by({"a": NUMBER, "b": AMOUNT}, "start a", "a b", "b end")
    assert found_last == required(AMOUNT, "extract_amount") | required(NUMBER, "assign_number")
    assert "currency" not in found_last
    assert given_by({"a": AMOUNT, "b": NUMBER}, "start a", "a b", "b end") == required(NUMBER, "assign_number")


def test_what_only_some_runs_make_is_no_output() -> None:
    """Where ways meet before the end, and where each comes to an end of its own that completes."""
    types = {"a": HUMAN_TASK, "b": NUMBER, "c": HUMAN_TASK, "d": HUMAN_TASK}
    assert given_by(types, "start a", "a b good", "a c otherwise", "b d", "c d", "d end") == {}
    assert given_by(types, "start a", "a b good", "a c otherwise", "b d", "d end", "c end") == {}
    both = given_by(types, "start a", "a b", "b c good", "b d otherwise", "c end", "d end")
    assert both == required(NUMBER, "assign_number")


def test_runs_that_do_not_complete_do_not_count() -> None:
    """They give nothing; those that complete give what all of them made."""
    types = {"a": HUMAN_TASK, "b": NUMBER}
    ways = ("start a", "a b good", "a end otherwise rejected")
    assert given_by(types, *ways, "b end completed") == required(NUMBER, "assign_number")
    assert given_by(types, *ways, "b end rejected") == {}


def test_of_two_results_of_one_name_the_later_is_given() -> None:
    """Both give a case's number."""
    found = given_by({"a": NUMBER, "b": OPEN}, "start a", "a b", "b end")
    assert found == required(NUMBER, "assign_number") | required(OPEN, "open_investigation")
    assert found["case_number"] == "$.outputs.open_investigation.case_number"
    other = given_by({"a": OPEN, "b": NUMBER}, "start a", "a b", "b end")
    assert other["case_number"] == "$.outputs.assign_number.case_number"


# --- outcomes ---------------------------------------------------------------------------------------------------------


def read_where(type_: str, when: dict[str, Any], **sources: dict[str, str]) -> tuple[list[str], list[Diagnostic]]:
    """What the edges out of the first step read where such is the way to step b, and the ways that are lost.

    Args:
        sources: what a model says that outcomes of the step are, as `a`.
    """
    types = {"a": type_, "b": HUMAN_TASK, "c": HUMAN_TASK}
    ways = ("start a", "a b good", "a c otherwise", "b end", "c end")
    procedure = told(types, *ways, when=when, kind="approval")
    workflow = drafted(procedure, types, Sources(outcomes=sources))
    first = next(name for name, node in workflow.nodes.items() if node.step_ids == ("a",))
    conditions = [edge.condition for edge in workflow.edges_from(first)]
    read = [to_infix(condition) for condition in conditions if isinstance(condition, Tree)]
    return read, lost_from(workflow, procedure)


def read_as(type_: str, word: str, **sources: dict[str, str]) -> tuple[list[str], list[Diagnostic]]:
    """The same for an outcome."""
    return read_where(type_, {"eq": ["$.steps.a.outcome", outcome(word)]}, **sources)


def lost_from(workflow: Workflow, procedure: Procedure) -> list[Diagnostic]:
    """The ways of the procedure that the workflow has not, as the check finds them."""
    return list(lost_flow(ConformanceInput(workflow, CATALOG, procedures=(procedure,))))


@pytest.mark.parametrize(
    ("word", "truth"), [("approved", "true"), ("pass", "true"), ("rejected", "false"), ("fail", "false")]
)
def test_a_plain_outcome_is_a_truth_value(word: str, truth: str) -> None:
    """Of an approval its decision, of a Type that judges its verdict."""
    assert read_as(HUMAN_APPROVAL, word) == ([f"$.outputs.approval.approved == {truth}"], [])
    assert read_as(JUDGE, word) == ([f"$.outputs.check_consistency.consistent == {truth}"], [])


@pytest.mark.parametrize("type_", [HUMAN_APPROVAL, JUDGE, CLOSE])
@pytest.mark.parametrize("word", ["sent back", "approved in part", "Approved", "退回修改"])
def test_another_word_is_no_truth_value_and_its_way_is_lost(type_: str, word: str) -> None:
    """Nobody knows which it stands for: no edge reads it, and the draft says which way has none."""
    read, lost = read_as(type_, word)
    assert read == []
    (one,) = lost
    assert one.error_code == "lost-flow"
    assert "from a to b" in one.message
    assert "reads an outcome of a" in one.message


def test_a_plain_outcome_of_what_judges_nothing_is_lost() -> None:
    """A record that is closed neither passes nor fails."""
    read, lost = read_as(CLOSE, "pass")
    assert (read, len(lost)) == ([], 1)


def test_a_word_that_a_person_or_an_output_tells_is_read() -> None:
    """A person's task ends in the document's words; a model may have named the output that tells one."""
    assert read_as(HUMAN_TASK, "sent back") == (['$.outputs.task_a.outcome == "sent back"'], [])
    found = read_as(AMOUNT, "sent back", a={"sent back": "amount > 5"})
    assert found == (["$.outputs.extract_amount.amount > 5"], [])


@pytest.mark.parametrize("words", [["approved", "sent back"], ["sent back", "held over"]])
def test_a_list_with_one_such_word_is_not_read_at_all(words: list[str]) -> None:
    """A part of it would let the way be taken in fewer cases; a list of plain ones is read whole."""

    def named(values: list[str]) -> dict[str, Any]:
        return {"in": ["$.steps.a.outcome", {"value": values, "quote": "x", "status": "converted", "from": "x"}]}

    read, lost = read_where(HUMAN_APPROVAL, named(words))
    assert (read, [one.error_code for one in lost]) == ([], ["lost-flow"])
    both = "$.outputs.approval.approved == true or $.outputs.approval.approved == false"
    assert read_where(HUMAN_APPROVAL, named(["approved", "rejected"])) == ([both], [])


def test_not_a_plain_outcome_is_read_and_not_another_word_is_lost() -> None:
    """`not rejected` is known, `not sent back` is not."""
    plain, other = ({"ne": ["$.steps.a.outcome", outcome(word)]} for word in ("rejected", "sent back"))
    assert read_where(HUMAN_APPROVAL, plain) == (["not ($.outputs.approval.approved == false)"], [])
    read, lost = read_where(HUMAN_APPROVAL, other)
    assert (read, len(lost)) == ([], 1)


def test_an_approval_that_the_primers_put_in_between_loses_no_way() -> None:
    """The way leads through it, and is lost where nothing does. The way to an end is not led by its rejection."""
    types = {"a": JUDGE, "b": PAY}
    ways = ("start a", "a b good", "a end otherwise rejected", "b end")
    procedure = told(types, *ways, when={"eq": ["$.steps.a.outcome", outcome("pass")]}, kind="check")
    completed = complete_draft(context(), drafted(procedure, types), procedure)
    assert not any((edge.source, edge.target) == ("check_consistency", "make_payment") for edge in completed.edges)
    assert not lost_from(completed, procedure)
    without = [edge for edge in completed.edges if edge.target != "make_payment"]
    cut = completed.model_copy(update={"edges": tuple(without)})
    assert [one.found for one in lost_from(cut, procedure)] == ["it is so"]
    refused = told(types, "start a", "a end good rejected", "a b otherwise", "b end", kind="check")
    only_beyond = completed.model_copy(update={"edges": tuple(_past_approvals(completed, "check_consistency"))})
    assert [one.found for one in lost_from(only_beyond, refused)] == ["it is so"]


def _past_approvals(workflow: Workflow, source: str) -> Iterator[Edge]:
    """The edges, of those that leave a node only such as come to an approval."""
    for edge in workflow.edges:
        if edge.source != source or workflow.nodes[edge.target].type == HUMAN_APPROVAL:
            yield edge
