"""Results: read from an answer with the words of their numbers, computed by nodes in the flow, told at the ends."""

from pathlib import Path
from typing import Any

import pytest

from catalog.load import load_catalog
from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from compiler.draft.compiled import Compiled
from compiler.draft.computations import plan_computations
from compiler.draft.mappings import DraftBuilder
from compiler.draft.results import lacks_result
from compiler.extract.model.form import Extraction
from ir.diagnostics import Severity
from ir.formula import Constant, Expression, parts
from ir.formulas.infix import to_formula
from ir.predicate import Ref
from ir.procedure import Flow, Procedure, Result, ResultRow, Step
from ir.walk import walk
from llm import ModelFault, OpenedModel, Reply, Request, Usage
from llm.budget import Accounts, Budget

TEXT = """# Insurance risk

1. The clerk looks up the smoking status of the applicant. Never counts 0 points, former 1 point, current 3 points.

2. The clerk looks up the lab score.

3. The total risk is 0.4 times the lab score plus the smoking points. A missing lab score counts 5.

4. If the total risk is above 4, the case is marked High and the officer reviews it; otherwise it is marked Low.
"""
TOTAL = {
    "b": "4",
    "q": "The total risk is 0.4 times the lab score plus the smoking points. A missing lab score counts 5",
}
POINTS = [
    {"value": "0", "when": 'smoking == "never"', "at": {"b": "2", "q": "Never counts 0 points"}},
    {"value": "1", "when": 'smoking == "former"', "at": {"b": "2", "q": "former 1 point"}},
    {"value": "3", "when": 'smoking == "current"', "at": {"b": "2", "q": "current 3 points"}},
]
HIGH = {
    "value": "High",
    "when": "risk > 4",
    "at": {"b": "5", "q": "If the total risk is above 4, the case is marked High"},
}
LOW = {"value": "Low", "at": {"b": "5", "q": "otherwise it is marked Low"}}


def step(name: str, block: str, words: str, kind: str = "check") -> dict[str, Any]:
    """A step of the answer."""
    return {"id": name, "kind": kind, "actor": "clerk", "at": [{"b": block, "q": words}]}


def result(name: str, block: str, words: str, **rest: Any) -> dict[str, Any]:
    """A result of the answer."""
    return {"id": name, "name": words, "type": "number", "at": [{"b": block, "q": words}]} | rest


def answer(**changes: Any) -> dict[str, Any]:
    """What a careful reader answers."""
    smoking = result("smoking", "2", "smoking status", step="s1", values=["never", "former", "current"])
    results = {
        "smoking": {**smoking, "type": "string"},
        "points": result("points", "2", "points", rows=POINTS),
        "lab": result("lab", "3", "lab score", step="s2"),
        "risk": result("risk", "4", "total risk", rows=[
            {"value": "0.4 * (if missing(lab) then 5 else lab) + points", "at": TOTAL}
        ]),
        "mark": result("mark", "5", "marked", type="string", values=["High", "Low"], rows=[HIGH, LOW], final=True),
    }  # fmt: skip
    results |= changes
    return {
        "title": "Insurance risk",
        "steps": [
            step("s1", "2", "looks up the smoking status of the applicant"),
            step("s2", "3", "looks up the lab score"),
            step("s3", "5", "the officer reviews it", "task"),
        ],
        "flows": [
            {"a": "start", "z": "s1"},
            {"a": "s1", "z": "s2"},
            {"a": "s2", "z": "s3", "when": "risk > 4", "words": [HIGH["at"]]},
            {"a": "s2", "z": "end", "when": "otherwise", "ends": "completed", "words": [LOW["at"]]},
            {"a": "s3", "z": "end", "ends": "completed"},
        ],
        "results": [one for one in results.values() if one],
    }


UNBORNE = {
    "another weight": "0.6 * lab + points",
    "a number of nowhere": "lab + points + 7",
    "a plain number": "2 * lab",
    "a missing one as nothing": "if missing(lab) then 0 else lab",
    "no formula": "lab +",
    "an unknown name": "lab + weight",
    "a text for a number": '"Severe"',
}


class Answering:
    """A model that reads, and chooses no Types."""

    name = "scripted"

    def __init__(self, procedure: dict[str, Any]) -> None:
        self.value = Extraction.model_validate({"procedures": [procedure]})

    def answer(self, request: Request) -> Reply:
        """The reading."""
        if request.purpose != "extract":
            raise ModelFault("refused", "no")
        return Reply(self.value, self.value.model_dump_json(), Usage(1, 1), "scripted", "json_schema")


def compiled(folder: Path, procedure: dict[str, Any], text: str = TEXT) -> Compiled:
    """The draft of the answer."""
    file = folder / "risk.md"
    file.write_text(text)
    model = OpenedModel(Answering(procedure), Accounts(Budget(None, None)))
    build = compile_documents(file, Settings(model=model, embedder="lexical", role="policy"))
    (one,) = build.procedures
    return one


def test_results_are_computed_where_they_are_read_and_told_in_the_end(tmp_path: Path) -> None:
    """Rows as rows, formulas with the words of their numbers, what a step finds out asked of who does it."""
    draft = compiled(tmp_path, answer())
    assert [d for d in draft.diagnostics if d.severity is Severity.ERROR] == []
    workflow = draft.workflow
    packs = [pack for pack in workflow.rule_packs.values() if "points" in pack.outputs]
    assert [rule.outcome for rule in packs[0].rules] == [{"points": 0}, {"points": 1}, {"points": 3}]
    formulas = [f for pack in workflow.rule_packs.values() for rule in pack.rules for f in rule.formulas.values()]
    assert [to_formula(one.formula) for one in formulas] == [
        "0.4 * (if is_null($.outputs.task_s2.lab) then 5 else $.outputs.task_s2.lab) + $.outputs.compute.points"
    ]
    assert {one.quote for one in _constants(formulas[0].formula)} == {"0.4", "5"}
    assert set(workflow.nodes["task_s1"].requested_fields or {}) == {"smoking"}
    assert set(workflow.results) == {"mark"}


@pytest.mark.parametrize(
    ("smoking", "lab", "mark", "reviewed"),
    [
        ("current", 3, "High", True),
        ("never", 3, "Low", False),
        ("current", None, "High", True),
        ("former", 7.5, "Low", False),
    ],
)
def test_runs_come_to_what_the_text_says(
    tmp_path: Path, smoking: str, lab: float | None, mark: str, reviewed: bool
) -> None:
    """Points by class, a missing score, a border that is not above."""
    workflow = compiled(tmp_path, answer()).workflow
    gone = walk(
        workflow, {}, {"task_s1": {"smoking": smoking}, "task_s2": {"lab": lab}, "task_s3": {"outcome": "done"}}
    )
    assert gone.result.status == "completed"
    assert gone.result.outputs["mark"] == mark
    assert ("task_s3" in gone.path) == reviewed


def test_what_nothing_reads_is_asked_of_nobody(tmp_path: Path) -> None:
    """A number that a step finds out on the way: the step is done, and its node wants no value."""
    aside = result("height", "2", "smoking status of the applicant", step="s1", type="string")
    draft = compiled(tmp_path, answer(height=aside))
    assert set(draft.workflow.nodes["task_s1"].requested_fields or {}) == {"smoking"}
    points = answer(height=aside, smoking=None, points=None, risk=None, mark=None, lab=None)
    alone = compiled(tmp_path, {**points, "flows": [{"a": "start", "z": "s1"}, {"a": "s1", "z": "end"}]})
    assert alone.workflow.nodes["task_s1"].type == "human.task"


@pytest.mark.parametrize("value", UNBORNE.values(), ids=UNBORNE)
def test_what_the_words_do_not_bear_out_is_asked_and_not_computed(tmp_path: Path, value: str) -> None:
    """No weight, limit or name is supplied; the result is asked of a person with its words."""
    changed = result("risk", "4", "total risk", rows=[{"value": value, "at": TOTAL}])
    workflow = compiled(tmp_path, answer(risk=changed)).workflow
    assert not any("risk" in pack.outputs for pack in workflow.rule_packs.values())
    assert any("total risk" in gap.question for gap in workflow.gaps)


@pytest.mark.parametrize(
    ("value", "borne"),
    [
        ("sum(if lab > 5 then 1 else 0, if points > 1 then 1 else 0)", True),
        ("(if lab > 5 then 1 else 0) + (if points > 1 then 1 else 0)", True),
        ("sum(if lab > 7 then 1 else 0, if points > 1 then 1 else 0)", False),
        ("sum(if lab > 5 then 2 else 0, if points > 1 then 1 else 0)", False),
        ("if lab > 5 then 7 else 0", False),
    ],
)
def test_how_many_of_several_hold_needs_no_words_for_the_one(tmp_path: Path, value: str, borne: bool) -> None:
    """What is compared does, and so does a weight."""
    at = {"b": "4", "q": "A missing lab score counts 5"}
    first = {"b": "2", "q": "former 1 point"}
    words = result("risk", "4", "total risk", rows=[{"value": value, "at": at}])
    words["at"].append(first)
    workflow = compiled(tmp_path, answer(risk=words)).workflow
    assert any("risk" in pack.outputs for pack in workflow.rule_packs.values()) is borne


def test_a_row_that_introduces_a_list_is_borne_out_by_its_items(tmp_path: Path) -> None:
    """As far as the list goes."""
    items = "\n\nSeverity (count what holds):\n\n- lab score above 6\n- points above 2\n\nMore than 9 is rare.\n"
    found = {}
    for limit in ("6", "9"):
        value = f"sum(if lab > {limit} then 1 else 0, if points > 2 then 1 else 0)"
        at = {"b": "6", "q": "Severity (count what holds)"}
        severity = {"id": "severity", "name": "Severity", "type": "integer", "final": True,
                    "rows": [{"value": value, "at": at}], "at": [at]}  # fmt: skip
        workflow = compiled(tmp_path, answer(severity=severity), TEXT + items).workflow
        found[limit] = any("severity" in pack.outputs for pack in workflow.rule_packs.values())
    assert found == {"6": True, "9": False}


def test_results_of_one_place_each_have_their_other_cases(tmp_path: Path) -> None:
    """`otherwise` of one is not taken away by what always holds of another."""
    sure = result("sure", "5", "marked", type="string", values=["High"], final=True, rows=[
        {"value": "High", "at": HIGH["at"]}
    ])  # fmt: skip
    workflow = compiled(tmp_path, answer(sure=sure)).workflow
    pack = next(pack for pack in workflow.rule_packs.values() if {"mark", "sure"} <= set(pack.outputs))
    assert len(pack.outputs) == 2
    gone = walk(workflow, {}, {"task_s1": {"smoking": "never"}, "task_s2": {"lab": 1}, "task_s3": {"outcome": "done"}})
    assert (gone.result.outputs["mark"], gone.result.outputs["sure"]) == ("Low", "High")


def test_the_first_row_that_holds_counts_where_rows_overlap(tmp_path: Path) -> None:
    """`above 4: High; above 2: Medium` is one formula, not two rows that disagree."""
    rows = [HIGH, {**LOW, "value": "Low", "when": "risk > 0"}]
    mark = {**result("mark", "5", "marked", rows=rows, final=True, values=["High", "Low"]), "type": "string"}
    workflow = compiled(tmp_path, answer(mark=mark)).workflow
    recorded = {"task_s1": {"smoking": "current"}, "task_s2": {"lab": 3}, "task_s3": {"outcome": "done"}}
    assert walk(workflow, {}, recorded).result.outputs["mark"] == "High"


def test_a_list_holds_every_row_that_holds(tmp_path: Path) -> None:
    """Several problems may apply."""
    rows = [HIGH, {**LOW, "when": 'smoking == "current"'}]
    mark = {**result("mark", "5", "marked", rows=rows, final=True, values=["High", "Low"]), "type": "list"}
    workflow = compiled(tmp_path, answer(mark=mark)).workflow
    recorded = {"task_s1": {"smoking": "current"}, "task_s2": {"lab": 3}, "task_s3": {"outcome": "done"}}
    assert walk(workflow, {}, recorded).result.outputs["mark"] == ["High", "Low"]


def _constants(tree: Expression) -> list[Constant]:
    return [part for part, _ in parts(tree) if isinstance(part, Constant)]


@pytest.mark.parametrize("name", ["Severe", "a"])
def test_a_text_that_stands_nowhere_is_told_by_nobody(tmp_path: Path, name: str) -> None:
    """Not even where the reading lists it among the values, or where letters of other words spell it."""
    rows = [{**HIGH, "value": name}, LOW]
    mark = result("mark", "5", "marked", type="string", values=[name, "Low"], rows=rows, final=True)
    workflow = compiled(tmp_path, answer(mark=mark)).workflow
    assert not any("mark" in pack.outputs for pack in workflow.rule_packs.values())
    assert any("marked" in gap.question for gap in workflow.gaps)


@pytest.mark.parametrize(("wanted", "taken"), [("number", True), ("string", False)])
def test_a_type_that_cannot_tell_a_result_does_not_carry_its_step_out(wanted: str, taken: bool) -> None:
    """A look-up that gives a number alone tells no class; a person is asked for it instead."""
    draft = DraftBuilder(load_catalog(), Procedure(id="p", title="p", doc_id="d", language="en"))
    found = Result(id="found", name="found", type=wanted, step="s1", final=True)  # type: ignore[arg-type]
    draft.computations = plan_computations(draft.procedure.model_copy(update={"results": (found,)}))
    total = load_catalog().node_type("utility.calculate_total")
    assert lacks_result(draft, Step(id="s1", text="look", kind="task"), total) is not taken


def test_a_way_that_cannot_be_said_is_asked_about(tmp_path: Path) -> None:
    """Its condition reads the outcome of a step that has not run: the way is left out, and its words are shown."""
    given = answer()
    given["flows"][2]["when"] = 's3.outcome == "done"'
    workflow = compiled(tmp_path, given).workflow
    assert any("the total risk is above 4" in gap.question for gap in workflow.gaps)


def test_what_a_step_takes_is_computed_right_before_it() -> None:
    """Not anew where nothing that it reads has run since; anew where ways meet, and where it is told in the end."""
    ways = [("start", "s1"), ("s1", "s2"), ("s1", "s4"), ("s2", "s3"), ("s3", "s4"), ("s4", "end")]
    rows = (ResultRow(text="a", formula=Ref("$.results.a")), ResultRow(text="b", formula=Ref("$.results.b")))
    procedure = Procedure(
        id="p", title="p", doc_id="d", language="en",
        steps=tuple(Step(id=f"s{n}", text=f"step {n}", kind="task") for n in range(1, 5)),
        flows=tuple(Flow(source=a, target=z) for a, z in ways),
        results=(
            Result(id="a", name="a", type="string", step="s1"),
            Result(id="b", name="b", type="string", step="s3"),
            Result(id="early", name="early", type="array", rows=rows[:1]),
            Result(id="late", name="late", type="array", rows=rows, final=True),
        ),
    )  # fmt: skip
    takers = {"early": ["s2", "s3"], "late": ["s3", "s4"]}
    planned = plan_computations(procedure, takers=takers)
    into = {step: {f.source for f in planned.procedure.flows if f.target == step} for step in ("s1", "s2", "s3", "s4")}
    computed = {step: [r.id for p in sources for r in planned.places[p].results if p in planned.places]
                for step, sources in into.items() if sources & planned.places.keys()}  # fmt: skip
    assert computed == {"s2": ["early"], "s3": ["late"], "s4": ["late"]}
    ends = [f.source for f in planned.procedure.flows if f.target == "end"]
    assert [[r.id for r in planned.places[one].results] for one in ends] == [["late"]]


def test_what_a_tool_alone_takes_is_asked_of_who_finds_it_out() -> None:
    """And what another result reads of it stays known on every way, wherever it was computed for the tool."""
    ways = [("start", "s1"), ("s1", "s2"), ("s1", "end"), ("s2", "end")]
    aside = Result(id="early", name="early", type="string", rows=(ResultRow(text="a", formula=Ref("$.results.a")),))
    late = ResultRow(text="l", formula=Ref("$.results.early"))
    procedure = Procedure(
        id="p", title="p", doc_id="d", language="en",
        steps=(Step(id="s1", text="one", kind="task"), Step(id="s2", text="two", kind="task")),
        flows=tuple(Flow(source=a, target=z) for a, z in ways),
        results=(
            Result(id="a", name="a", type="string", step="s1"),
            aside,
            Result(id="late", name="late", type="string", rows=(late,), final=True),
        ),
    )  # fmt: skip
    planned = plan_computations(procedure, takers={"early": ["s2"]})
    early = [place for place in planned.places.values() if aside in place.results]
    assert [{f.source for f in planned.procedure.flows if f.target == one.step} for one in early] == [{"s1"}]
    alone = procedure.model_copy(update={"results": procedure.results[:1]})
    assert plan_computations(alone, takers={"a": ["s2"]}).reads("a")
    assert not plan_computations(alone).reads("a")


RATE = (
    "# Rates\n\n1. The rate is the hours worked divided by the hours planned; hours worked that are missing count 8.\n"
)


def rate(**changes: Any) -> dict[str, Any]:
    """An answer that tells of a computation and of nobody who acts."""
    words = "The rate is the hours worked divided by the hours planned; hours worked that are missing count 8"
    facts = [
        {"id": name, "name": f"hours {name}", "type": "number", "at": [{"b": "2", "q": f"hours {name}"}]}
        for name in ("worked", "planned")
    ]
    value = "(if missing(worked) then 8 else worked) / planned"
    rows = [{"value": value, "at": {"b": "2", "q": words}}]
    shown = result("rate", "2", "The rate", rows=rows, final=True) | changes
    return {"title": "Rates", "facts": facts, "steps": [], "flows": [], "results": [shown]}


def test_a_text_in_which_nobody_acts_is_computed(tmp_path: Path) -> None:
    """One node computes; what may be missing need not be given; a divisor of zero gives no value and a question."""
    one = compiled(tmp_path, rate(), RATE)
    assert [d for d in one.diagnostics if d.severity is Severity.ERROR] == []
    assert [name for name, spec in one.workflow.inputs.items() if spec.required] == ["planned"]
    runs = [walk(one.workflow, given, {}).result.outputs for given in ({"worked": 6, "planned": 4}, {"planned": 4})]
    assert [run["rate"] for run in runs] == [1.5, 2]
    assert walk(one.workflow, {"worked": 6, "planned": 0}, {}).result.outputs["rate"] is None
    assert any("divides by what may be zero" in gap.question for gap in one.workflow.gaps)


def test_a_divisor_that_the_words_look_to_is_left_alone(tmp_path: Path) -> None:
    """A formula that says what holds for zero is as it was answered."""
    words = "The rate is the hours worked divided by the hours planned, and 0 if the hours planned are 0"
    rows = [{"value": "if planned == 0 then 0 else worked / planned", "at": {"b": "2", "q": words}}]
    one = compiled(tmp_path, rate(rows=rows), f"# Rates\n\n1. {words}.\n")
    assert walk(one.workflow, {"worked": 6, "planned": 0}, {}).result.outputs["rate"] == 0
    assert not any("may be zero" in gap.question for gap in one.workflow.gaps)


@pytest.mark.parametrize("name", ["", "比率", "the rate", "a.b"])
def test_a_result_by_any_name(tmp_path: Path, name: str) -> None:
    """An id that no reference can hold is changed, and nothing lost."""
    one = compiled(tmp_path, rate(id=name), RATE)
    assert [spec.description for spec in one.workflow.results.values()] == ["The rate"]


def test_a_guard_demands_nothing_of_what_may_lack(tmp_path: Path) -> None:
    """A rule about an input that the computation expects to be missing at times holds where it is given."""
    words = "Hours worked must not exceed 24"
    rule = {"modality": "must_not", "when": "worked > 24", "at": {"b": "3", "q": words}}
    one = compiled(tmp_path, {**rate(), "rules": [rule]}, f"{RATE}\n2. {words}.\n")
    assert [
        walk(one.workflow, given, {}).result.status for given in ({"planned": 4}, {"planned": 4, "worked": 25})
    ] == [
        "completed",
        "rejected",
    ]


def test_long_formulas_are_whole(tmp_path: Path) -> None:
    """A formula of many parts is not cut."""
    value = "sum(" + ", ".join(["if missing(worked) then 0 else (if worked >= 8 then 1 else 0)"] * 9) + ")"
    words = "The rate is one point for each hour from 8 on, none where it is missing"
    one = compiled(
        tmp_path, rate(rows=[{"value": value, "at": {"b": "2", "q": words}}]), f"# Rates\n\n1. {words}; {RATE}"
    )
    assert walk(one.workflow, {"worked": 9}, {}).result.outputs["rate"] == 9
