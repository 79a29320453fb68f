"""A tiny case, written by hand: eight steps, two branches, an approval, a deadline, a question that stays open."""

import json
from collections.abc import Callable
from pathlib import Path

from pydantic import JsonValue

from evals.cases import Case, read_case
from evals.matching.view import View
from evals.tally import Tally
from ir.codec import write_json, write_yaml
from ir.predicate import Literally, Ref, parse_condition
from ir.procedure import ConditionText, Deadline, Fact, Flow, Gap, Procedure, Step
from ir.scenario import ExpectedResult, Scenario, Scenarios
from ir.source import Evidence
from ir.workflow import Edge, ExecutionPolicy, InputSpec, Metadata, Node, Workflow

Figures = dict[str, Tally]
Drafted = Callable[..., View]
DOC = "Loan Policy.html"
SLUG = "equipment-loan"
HTML = """<!DOCTYPE html>
<html lang="en"><head><title>Loan of Measuring Equipment</title></head><body>
<h1>Loan of Measuring Equipment</h1>
<p>3.1 The borrower hands in the loan request at the equipment desk.</p>
<p>3.2 The desk clerk checks the request for completeness within 2 working days.</p>
<p>3.3 If anything is missing, the desk clerk gives the request back to the borrower and the procedure ends.</p>
<p>3.4 A complete request is entered by the desk clerk in the loan register.</p>
<p>3.5 Where the equipment is worth more than 5000 euros, the laboratory head must approve the loan.</p>
<p>3.6 Where the loan is refused, the desk clerk tells the borrower by message and the procedure ends.</p>
<p>3.7 The store keeper then hands over the equipment against signature.</p>
<p>3.8 The desk clerk sets a reminder for the return date in good time.</p>
<table><tr><th>Role</th><th>Room</th></tr><tr><td>Equipment desk</td><td>B 104</td></tr></table>
</body></html>
"""
QUOTES = {
    "submit": "The borrower hands in the loan request at the equipment desk",
    "check": "The desk clerk checks the request for completeness",
    "give_back": "the desk clerk gives the request back to the borrower",
    "enter": "A complete request is entered by the desk clerk in the loan register",
    "approve": "the laboratory head must approve the loan",
    "refuse": "the desk clerk tells the borrower by message",
    "hand_over": "The store keeper then hands over the equipment against signature",
    "remind": "The desk clerk sets a reminder for the return date",
}
MISSING, COMPLETE = "If anything is missing", "A complete request"
WORTH, REFUSED = "Where the equipment is worth more than 5000 euros", "Where the loan is refused"
IN_GOOD_TIME, IN_TWO_DAYS = "in good time", "within 2 working days"
ROLES = {
    "submit": "borrower", "check": "desk clerk", "give_back": "desk clerk", "enter": "desk clerk",
    "approve": "laboratory head", "refuse": "desk clerk", "hand_over": "store keeper", "remind": "desk clerk",
}  # fmt: skip
KINDS = {
    "submit": "input", "check": "check", "give_back": "notify", "enter": "record",
    "approve": "approval", "refuse": "notify", "hand_over": "task", "remind": "task",
}  # fmt: skip
TYPES = {
    "enter": "record.register", "approve": "human.approval", "refuse": "notify.message",
    "remind": "schedule.set_reminder",
}  # fmt: skip
STEPS = tuple(QUOTES)


def quoted(*quotes: str) -> tuple[Evidence, ...]:
    """Evidence in the document of the sample."""
    return tuple(Evidence(doc_id=DOC, quote=quote) for quote in quotes)


def procedure() -> Procedure:
    """Gold: 8 steps, 1 deadline, 4 conditions, 1 gap, 3 facts; 23 quotes."""
    due = Deadline(duration="P2BD", evidence=quoted(IN_TWO_DAYS))
    steps = [
        Step(id=name, text=QUOTES[name], kind=KINDS[name], actor=ROLES[name], evidence=quoted(QUOTES[name]))
        for name in STEPS
    ]
    steps[1] = steps[1].model_copy(update={"deadline": due, "outcomes": ("complete", "incomplete")})
    flows = [
        ("start", "submit", None, ()), ("submit", "check", None, (QUOTES["check"],)),
        ("check", "give_back", "c1", (MISSING,)), ("check", "enter", "c2", (COMPLETE,)),
        ("enter", "approve", "c3", (WORTH,)), ("enter", "hand_over", "otherwise", ()),
        ("approve", "refuse", "c4", (REFUSED,)), ("approve", "hand_over", "otherwise", ()),
        ("hand_over", "remind", None, (QUOTES["remind"],)), ("remind", "end", None, ()),
    ]  # fmt: skip
    return Procedure(
        id=SLUG,
        title="Loan of Measuring Equipment",
        doc_id=DOC,
        language="en",
        facts=(
            Fact(id="worth", name="worth of the equipment", type="number", unit="EUR", evidence=quoted(WORTH)),
            Fact(id="request", name="loan request", type="object", evidence=quoted("the loan request")),
            Fact(id="return_date", name="return date", type="date", evidence=quoted("the return date")),
        ),
        steps=tuple(steps),
        conditions=tuple(
            ConditionText(id=name, text=text, evidence=quoted(text))
            for name, text in (("c1", MISSING), ("c2", COMPLETE), ("c3", WORTH), ("c4", REFUSED))
        ),
        flows=tuple(
            Flow.model_validate({"from": a, "to": b, "condition": c, "evidence": quoted(*words)})
            for a, b, c, words in flows
        ),
        gaps=(Gap(id="g1", kind="missing_parameter", question="How long before?", evidence=quoted(IN_GOOD_TIME)),),
    )


def edge(source: str, target: str, condition: JsonValue = None, *words: str, **rest: object) -> Edge:
    """An edge with its condition in JSON and the words that it rests on."""
    fields = {"from": source, "to": target, "condition": parse_condition(condition), "evidence": quoted(*words)}
    return Edge.model_validate(fields | rest)


def end(status: str) -> Node:
    """An end of the workflow."""
    return Node(type="control.end", status=status)


def workflow() -> Workflow:
    """Gold: 8 nodes and 3 ends, 11 edges, 21 ordered pairs, 3 steering facts, 6 conditional edges, 7 node inputs."""
    nodes = {name: _node(name) for name in STEPS}
    nodes |= {"done": end("completed"), "given_back": end("returned"), "refused": end("rejected")}
    approved = "$.outputs.approve.approved"
    return Workflow(
        workflow_id=SLUG,
        version="v1",
        metadata=Metadata(title="Loan of Measuring Equipment", language="en"),
        inputs={
            "worth": InputSpec(type="number", unit="EUR", evidence=quoted(WORTH)),
            "request": InputSpec(type="object", concept="record_data", evidence=quoted("the loan request")),
            "return_date": InputSpec(type="date", concept="due_date", evidence=quoted("the return date")),
        },
        nodes=nodes,
        edges=(
            edge("submit", "check"),
            edge("check", "give_back", {"eq": ["$.outputs.check.outcome", "incomplete"]}, MISSING),
            edge("check", "enter", {"eq": ["$.outputs.check.outcome", "complete"]}, COMPLETE),
            edge("give_back", "given_back"),
            edge("enter", "approve", {"gt": ["$.inputs.worth", 5000]}, WORTH),
            edge("enter", "hand_over", "otherwise"),
            edge("approve", "refuse", {"eq": [approved, False]}, REFUSED),
            edge("approve", "hand_over", {"eq": [approved, True]}),
            edge("refuse", "refused"),
            edge("hand_over", "remind"),
            edge("remind", "done"),
        ),
        execution_policy=ExecutionPolicy(risk_level="medium", allow_auto=False, require_approval=True),
    )


def _node(name: str) -> Node:
    """The node of a step: its own Type, else a task of the person who acts."""
    type_ = TYPES.get(name, "human.task")
    fields: dict[str, object] = {"type": type_, "step_ids": (name,), "label": QUOTES[name], "actor": ROLES[name]}
    if type_ == "human.task":
        fields |= {"assignee": ROLES[name], "instruction": QUOTES[name]}
    inputs: dict[str, dict[str, object]] = {
        "enter": {"register": Literally("loan register"), "record_data": Ref("$.inputs.request")},
        "refuse": {"recipient": Literally("borrower"), "message_body": Literally("refused")},
        "remind": {
            "due_date": Ref("$.inputs.return_date"),
            "recipient": Literally("borrower"),
            "message_body": Literally("return date"),
        },
    }
    own: dict[str, dict[str, object]] = {
        "check": {"outcomes": ("complete", "incomplete")},
        "approve": {"approvers": ("laboratory head",), "question": QUOTES["approve"]},
    }
    return Node(**fields, **own.get(name, {}), inputs=inputs.get(name, {}), evidence=quoted(QUOTES[name]))


def scenario(name: str, worth: int, status: str, outcome: str = "complete", approved: bool | None = None) -> Scenario:
    """One run: how the check ended, what the equipment is worth, what the laboratory head said."""
    outputs: dict[str, dict[str, JsonValue]] = {"check": {"outcome": outcome, "comment": None}}
    if approved is not None:
        outputs["approve"] = {"approved": approved}
    inputs: dict[str, JsonValue] = {"worth": worth, "request": {"item": "gauge"}, "return_date": "2026-05-04"}
    return Scenario(
        name=name, workflow=SLUG, inputs=inputs, outputs=outputs, result=ExpectedResult(status=status)
    )  # fmt: skip


def scenarios() -> tuple[Scenario, ...]:
    """Five runs; together with the records of the approval they take every edge of gold."""
    return (
        scenario("worth little", 4000, "completed"),
        scenario("worth just the limit", 5000, "completed"),
        scenario("worth more, approved", 5001, "completed", approved=True),
        scenario("worth more, refused", 8000, "rejected", approved=False),
        scenario("incomplete", 4000, "returned", outcome="incomplete"),
    )


def write_case(folder: Path, *, html: str = HTML, split: str = "dev", title: str = "Loan of equipment") -> Path:
    """The sample as the folder of a case."""
    for name in ("documents", "gold"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    file: JsonValue = {
        "title": title, "language": "en", "origin": "Invented.", "licence": "AGPL-3.0-or-later", "split": split,
        "documents": [{"path": f"documents/{DOC}", "role": "policy"}],
    }  # fmt: skip
    (folder / "case.yaml").write_text(write_yaml(file), "utf-8")
    (folder / "documents" / DOC).write_text(html, "utf-8")
    (folder / "gold" / "procedures.json").write_text(json.dumps([procedure().to_json()]), "utf-8")
    (folder / "gold" / f"{SLUG}.workflow.json").write_text(write_json(workflow()), "utf-8")
    (folder / "scenarios.yaml").write_text(write_yaml(Scenarios(scenarios=scenarios())), "utf-8")
    return folder


def sample_case(folder: Path) -> Case:
    """The sample, written and read again."""
    return read_case(write_case(folder / SLUG))


def changed_nodes(flow: Workflow, **nodes: Node | None) -> Workflow:
    """A workflow with some nodes put in or, with None, taken out together with their edges."""
    kept = {name: node for name, node in (flow.nodes | nodes).items() if node is not None}
    edges = tuple(e for e in flow.edges if e.source in kept and e.target in kept)
    return flow.model_copy(update={"nodes": kept, "edges": edges})


def changed_node(flow: Workflow, name: str, **fields: object) -> Workflow:
    """A workflow with some fields of one node changed."""
    return changed_nodes(flow, **{name: flow.nodes[name].model_copy(update=fields)})


def changed_edge(flow: Workflow, source: str, target: str, **fields: object) -> Workflow:
    """A workflow with some fields of one edge changed."""
    edges = [
        e.model_copy(update=fields) if (e.source, e.target) == (source, target) else e for e in flow.edges
    ]  # fmt: skip
    return flow.model_copy(update={"edges": tuple(edges)})


def changed_step(found: Procedure, name: str, **fields: object) -> Procedure:
    """A procedure with some fields of one step changed."""
    steps = tuple(s.model_copy(update=fields) if s.id == name else s for s in found.steps)
    return found.model_copy(update={"steps": steps})


def one_missing_one_invented() -> tuple[Procedure, Workflow]:
    """A draft without the reminder, and with a step of its own at the same place, which rests on the heading."""
    words = quoted("Loan of Measuring Equipment")
    gold, flow = procedure(), workflow()
    filing = Step(id="filing", text="files the papers", kind="record", evidence=words)
    steps = (*(s for s in gold.steps if s.id != "remind"), filing)
    node = Node(type="human.task", step_ids=("filing",), assignee="desk clerk", evidence=words)
    edges = (*changed_nodes(flow, remind=None).edges, edge("hand_over", "filing"), edge("filing", "done"))
    nodes = {**changed_nodes(flow, remind=None).nodes, "filing": node}
    return gold.model_copy(update={"steps": steps}), flow.model_copy(update={"nodes": nodes, "edges": edges})
