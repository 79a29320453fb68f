"""The four answers before a run: steps, routes, people, and whether it can do without them."""

from time import process_time
from typing import Any

import pytest
from test_check_fixtures import FIXTURES, read, small_catalog

from catalog.load import load_catalog
from ir.codec import read_workflow
from ir.walk import walk
from ir.workflow import InputSpec, Workflow
from validator.explain.explanation import Explanation, Route, explain
from validator.explain.text import render_text


def workflow(nodes: dict[str, Any], edges: list[dict[str, Any]], **rest: Any) -> Workflow:
    """A workflow about an amount."""
    whole = {
        "workflow_id": "payment",
        "version": "v1",
        "inputs": {"amount": {"type": "number", "unit": "CNY"}, "note": {"type": "string"}},
        "nodes": nodes | {"done": {"type": "control.end", "status": "completed"}},
        "edges": edges,
        "execution_policy": {"risk_level": "medium"},
    }
    return Workflow.model_validate(whole | rest)


RISK = {"type": "decision.assess_risk", "inputs": {"amount": "$.inputs.amount"}, "label": "Assess the risk"}
APPROVE = {"type": "human.approval", "approvers": ["director"], "question": "Pay?"}
LEVEL = "$.outputs.risk.level"


def payment() -> Workflow:
    """Low risk goes straight on, anything else to the director, failure to a clerk."""
    return workflow(
        {
            "risk": RISK,
            "approve": APPROVE,
            "look": {"type": "human.task", "instruction": "Find out why it failed.", "assignee": "clerk"},
            "rejected": {"type": "control.end", "status": "rejected"},
        },
        [
            {"from": "risk", "to": "done", "condition": {"eq": [LEVEL, "low"]}},
            {"from": "risk", "to": "approve", "condition": "otherwise"},
            {"from": "risk", "to": "look", "on": "error"},
            {"from": "approve", "to": "done", "condition": {"eq": ["$.outputs.approve.approved", True]}},
            {"from": "approve", "to": "rejected", "condition": {"eq": ["$.outputs.approve.approved", False]}},
            {"from": "look", "to": "rejected"},
        ],
    )


@pytest.fixture(scope="module")
def explained() -> Explanation:
    """The explanation of the payment."""
    return explain(payment(), small_catalog())


def test_steps_say_who(explained: Explanation) -> None:
    """Every node is a step, with type, label and who carries it out."""
    steps = {step.node: step for step in explained.steps}
    assert set(steps) == set(payment().nodes)
    assert (steps["risk"].by, steps["risk"].label) == ("system", "Assess the risk")
    assert (steps["approve"].by, steps["approve"].who) == ("person", "director")
    assert steps["done"].by == "control"


def test_routes_with_conditions_and_ends(explained: Explanation) -> None:
    """Each way through is listed with what must hold on it, where it ends and whom it needs."""
    assert explained.exact
    assert explained.route_count == len(explained.routes) == 4
    assert explained.routes_with_person == 3
    assert explained.routes[0] == Route(
        nodes=("risk", "done"), edges=(0,), conditions=(f'{LEVEL} == "low"',), ends="completed", people=()
    )
    assert [route.ends for route in explained.routes] == ["completed", "completed", "rejected", "rejected"]
    assert explained.routes[1].conditions == ("otherwise at risk", "$.outputs.approve.approved == true")
    assert explained.routes[3].conditions == ("risk fails",)


def test_people_and_why(explained: Explanation) -> None:
    """Who is needed where, for what, and when."""
    people = {person.node: person for person in explained.people}
    assert set(people) == {"approve", "look"}
    assert people["approve"].what == "approves or rejects: Pay?"
    assert people["look"].why == "the document says so; when risk fails"


def test_what_decides(explained: Explanation) -> None:
    """The amount decides through the assessment; the note decides nothing."""
    assert [(item.input, item.directly, item.at) for item in explained.deciding] == [("amount", False, ("risk",))]
    assert explained.learnt == (LEVEL, "$.outputs.approve.approved")


def test_completing_without_a_person(explained: Explanation) -> None:
    """Low risk needs nobody; with the approval on every way, somebody is needed."""
    assert explained.completes_without_person
    assert not explained.may_start_by_itself
    always = workflow(
        {"risk": RISK, "approve": APPROVE},
        [
            {"from": "risk", "to": "approve"},
            {"from": "approve", "to": "done", "condition": {"eq": ["$.outputs.approve.approved", True]}},
        ],
    )
    assert not explain(always, small_catalog()).completes_without_person


def test_a_parallel_person_is_needed_too() -> None:
    """A route without a person does not suffice where a person works beside it in the same run."""
    fork = workflow(
        {"risk": RISK, "look": {"type": "human.task", "instruction": "Look at it."}},
        [{"from": "risk", "to": "look"}, {"from": "risk", "to": "done"}, {"from": "look", "to": "done"}],
    )
    found = explain(fork, small_catalog())
    assert [route.people for route in found.routes] == [("look",), ()]
    assert not found.completes_without_person
    assert found.side_by_side
    assert "side by side" in render_text(found)


def test_rows_say_what_a_run_can_be() -> None:
    """A rule pack that gives low for small amounts alone leaves no large amount without a person."""

    def judged(border: int) -> Explanation:
        rows = [
            {"rule_id": "R1", "condition": {"lte": ["$.inputs.amount", 1000]}, "outcome": {"level": "low"}},
            {"rule_id": "R2", "condition": "otherwise", "outcome": {"level": "high"}},
        ]
        small = {"and": [{"eq": [LEVEL, "low"]}, {"gt": ["$.inputs.amount", border]}]}
        whole = workflow(
            {"risk": RISK | {"rule_pack": "limits"}, "approve": APPROVE},
            [
                {"from": "risk", "to": "done", "condition": small},
                {"from": "risk", "to": "approve", "condition": "otherwise"},
                {"from": "approve", "to": "done", "condition": {"eq": ["$.outputs.approve.approved", True]}},
            ],
            rule_packs={"limits": {"version": "1.0.0", "rules": rows}},
        )
        return explain(whole, small_catalog())

    assert judged(1000).completes_without_person is False
    able = judged(900)
    assert able.completes_without_person
    assert able.without_person is not None
    assert 900 < able.without_person.inputs["amount"] <= 1000  # type: ignore[operator]


def test_the_worst_end_counts() -> None:
    """Where each run is rejected beside what completes, none completes."""
    refused = {"type": "control.end", "status": "rejected", "reason_code": "NO"}
    whole = workflow({"risk": RISK, "no": refused}, [{"from": "risk", "to": "done"}, {"from": "risk", "to": "no"}])
    assert explain(whole, small_catalog()).completes_without_person is False


def test_routes_that_contradict_themselves_are_left_out() -> None:
    """What was high before is not low afterwards."""
    log = {"type": "record.log"}
    again = workflow(
        {"risk": RISK, "a": log, "join": log, "b": log},
        [
            {"from": "risk", "to": "a", "condition": {"eq": [LEVEL, "high"]}},
            {"from": "risk", "to": "join", "condition": "otherwise"},
            {"from": "a", "to": "join"},
            {"from": "join", "to": "b", "condition": {"eq": [LEVEL, "high"]}},
            {"from": "join", "to": "done", "condition": "otherwise"},
            {"from": "b", "to": "done"},
        ],
    )
    assert [route.nodes for route in explain(again, small_catalog()).routes] == [
        ("risk", "a", "join", "b", "done"),
        ("risk", "join", "done"),
    ]


def test_what_a_skipped_node_gave_is_not_read_as_given() -> None:
    """A route that did not pass a node has nothing of it: its output is null, and no comparison with it holds."""
    log: dict[str, Any] = {"type": "record.log"}
    level = "$.outputs.again.level"
    skipping = workflow(
        {"risk": RISK, "again": RISK, "join": log, "known": log, "none": log},
        [
            {"from": "risk", "to": "again", "condition": {"eq": [LEVEL, "high"]}},
            {"from": "risk", "to": "join", "condition": "otherwise"},
            {"from": "again", "to": "join"},
            {"from": "join", "to": "known", "condition": {"exists": level}},
            {"from": "join", "to": "none", "condition": {"is_null": level}},
            {"from": "known", "to": "done"},
            {"from": "none", "to": "done"},
        ],
    )
    found = explain(skipping, small_catalog())
    assert [route.nodes for route in found.routes] == [
        ("risk", "again", "join", "known", "done"),
        ("risk", "join", "none", "done"),
    ]
    assert (found.route_count, found.exact) == (2, True)


def long(count: int, condition: Any) -> Workflow:
    """A line of nodes each of which may go by a second one.

    Args:
        condition: of going there, by the node's number.
    """
    nodes: dict[str, Any] = {}
    edges: list[dict[str, Any]] = []
    for number in range(count):
        name, side, following = f"n{number}", f"s{number}", f"n{number + 1}" if number < count - 1 else "done"
        nodes |= {name: RISK, side: {"type": "record.log"}}
        edges += [
            {"from": name, "to": side, "condition": condition(number)},
            {"from": name, "to": following, "condition": "otherwise"},
            {"from": side, "to": following},
        ]
    return workflow(nodes, edges)


def test_a_thousand_nodes_take_no_long() -> None:
    """Counted exactly, be the choices independent or all by one number; a run of a thousand nodes is shown."""
    begun = process_time()
    apart = explain(long(500, lambda number: {"eq": [f"$.outputs.n{number}.level", "high"]}), small_catalog())
    alike = explain(long(500, lambda number: {"gt": ["$.inputs.amount", number % 7]}), small_catalog())
    assert process_time() - begun < 20  # of processor time: a second or two
    assert (apart.route_count, apart.exact) == (2**500, True)
    assert (alike.route_count, alike.exact) == (8, True)
    assert apart.completes_without_person is True
    assert apart.without_person is not None


def test_what_cannot_be_counted_is_an_upper_bound() -> None:
    """Choices by twelve numbers at once are not held against each other, and the text says so."""
    numbers = [f"n{number}" for number in range(12)]
    both = {"and": [{"gt": [f"$.inputs.{name}", 5]} for name in numbers]}
    many = long(2, lambda number: both).model_copy(
        update={"inputs": {name: InputSpec(type="number") for name in ("amount", *numbers)}}
    )
    found = explain(many, small_catalog())
    assert (found.route_count, found.exact) == (4, False)  # in truth two: both ways are chosen by the same condition
    text = render_text(found)
    assert "Routes (at most 4, 0 of them with a person)" in text
    assert "may contradict themselves" in text


def test_the_run_without_a_person_is_one(explained: Explanation) -> None:
    """The example walks to a completed end past no person, and the text shows it."""
    assert explained.without_person is not None
    taken = explained.without_person.walk(payment())
    assert taken is not None
    assert (taken.path, taken.result.status) == (("risk", "done"), "completed")
    assert '$.outputs.risk.level = "low"' in render_text(explained)


def test_no_run_without_a_person_where_conditions_exclude_it() -> None:
    """Past the person only if the risk is both high and not: found out though the graph alone would let it."""
    excluded = workflow(
        {"risk": RISK, "first": APPROVE, "log": {"type": "record.log"}, "second": APPROVE},
        [
            {"from": "risk", "to": "first", "condition": {"eq": [LEVEL, "high"]}},
            {"from": "risk", "to": "log", "condition": "otherwise"},
            {"from": "first", "to": "log", "condition": {"eq": ["$.outputs.first.approved", True]}},
            {"from": "first", "to": "done", "condition": "otherwise"},
            {"from": "log", "to": "done", "condition": {"eq": [LEVEL, "high"]}},
            {"from": "log", "to": "second", "condition": "otherwise"},
            {"from": "second", "to": "done"},
        ],
    )
    found = explain(excluded, small_catalog())
    assert found.completes_without_person is False
    assert "It cannot complete without a person" in render_text(found)


def test_many_routes_are_counted_not_listed() -> None:
    """Forty diamonds in a row have two to the fortieth routes, counted without walking them."""
    nodes: dict[str, Any] = {}
    edges: list[dict[str, Any]] = []
    for number in range(40):
        name, side, following = f"n{number}", f"s{number}", f"n{number + 1}" if number < 39 else "done"
        nodes[name] = RISK
        nodes[side] = {"type": "human.task", "instruction": "Look."} if number == 0 else {"type": "record.log"}
        edges += [
            {"from": name, "to": side, "condition": {"eq": [f"$.outputs.{name}.level", "high"]}},
            {"from": name, "to": following, "condition": "otherwise"},
            {"from": side, "to": following},
        ]
    found = explain(workflow(nodes, edges), small_catalog(), shown=5)
    assert (found.route_count, found.routes_with_person) == (2**40, 2**39)
    assert found.exact
    assert len(found.routes) == 5
    assert "… and 1099511627771 more" in render_text(found)


def test_the_text_gives_all_answers(explained: Explanation) -> None:
    """The rendering names every step, route count, person and deciding input."""
    text = render_text(explained)
    for part in ("payment (risk medium)", "Steps", "Routes (4, 3 of them with a person)", "risk→done [completed]"):
        assert part in text
    assert "approve: director approves or rejects: Pay?" in text
    assert "It can complete without a person, and it may not start by itself." in text
    assert "input amount at risk, through what is found out from it" in text


def test_nobody_and_nothing() -> None:
    """A straight line says so."""
    text = render_text(explain(workflow({"risk": RISK}, [{"from": "risk", "to": "done"}]), small_catalog()))
    assert "nobody is needed" in text
    assert "nothing: every run takes the same way" in text


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_counts_agree_with_the_list(path: Any) -> None:
    """For any workflow, the routes listed are as many as were counted; where a guard compares lists, at most."""
    found = explain(read(path).workflow, small_catalog())
    assert found.exact == (path.stem != "err_guard_behind_one_on_two_lists")
    assert len(found.routes) == found.route_count
    assert sum(bool(route.people) for route in found.routes) == found.routes_with_person


def test_gold_is_explained(repository: Any) -> None:
    """The gold of the first case: it completes only with a person, and a walk follows one of the routes."""
    path = repository / "fixtures/cases/hazmat-transport/gold/transport-compliance.workflow.json"
    if not path.is_file():
        pytest.skip("the gold workflow is not there")
    gold, notes = read_workflow(path)
    assert gold is not None, notes
    found = explain(gold, load_catalog())
    assert not found.completes_without_person
    taken = walk(gold, {}, {"identify": {"entity": None}})
    assert taken.path in [route.nodes for route in found.routes]


def test_what_comes_out_is_told() -> None:
    """Each result with what it can be, the ends that give it, and what stands otherwise."""
    verdict = {"type": "string", "enum": ["paid", "refused"], "report": "the slip"}
    found = explain(
        workflow(
            {"risk": RISK, "no": {"type": "control.end", "status": "rejected", "results": {"verdict": "refused"}}},
            [
                {"from": "risk", "to": "done", "condition": {"eq": [LEVEL, "low"]}},
                {"from": "risk", "to": "no", "condition": "otherwise"},
            ],
            results={"verdict": verdict | {"default": "paid"}, "level": {"type": "string", "required": False}},
            outputs={"level": LEVEL},
        ),
        small_catalog(),
    )
    first, second = found.results
    assert (first.given, first.can_be, first.default, first.always) == (
        {"no": '"refused"'},
        ("paid", "refused"),
        "paid",
        True,
    )
    assert (second.given, second.always) == ({"output": LEVEL}, False)
    text = render_text(found)
    assert (
        'verdict: string, "paid" or "refused"\n      in the report the slip\n      no: "refused"\n      else "paid"'
        in text
    )
