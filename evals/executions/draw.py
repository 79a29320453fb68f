"""A generated workflow with a run of it drawn from a seed: inputs, what systems give at each attempt, what people say.

What the walk is given of it (`records`) is what these come to by `docs/semantics.md`: S5 for calls whose fate nobody
knows, S6 for attempts, S7 for answers that do not fit. It is drawn beside the stepper, so that each node is asked for
what it gives only where the run comes to it. Where nodes stand beside each other none of them stops the run, since
which of the others went before it would then hang on who is quicker, of which the walk says nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pydantic import JsonValue

from catalog.load import Catalog
from catalog.node_type import NodeType
from evals.executions.values import drawn_record, drawn_value, limits_read, misfit
from evals.generate.workflows import Maker
from ir.walk import ERROR_KEY, Outcome, Run, start
from ir.workflow import Workflow
from runtime.executors.contract import ExecutorFault
from runtime.people import fields_of
from runtime.values import faults

Record = dict[str, JsonValue]


class BusyMaker(Maker):
    """Grows workflows in which systems do more, in parallel parts beside people."""

    def stage(self, at: str) -> str:
        """One more part after a node; the node at its end."""
        parts = [self.typed] * 4 + [self.parallel] * 2 + [self.choice, self.inclusive, self.asked, self.approval]
        return self.rng.choice(parts)(at)

    def parallel(self, at: str) -> str:
        """Nodes beside each other, and one after them."""
        join = self.task()
        for _ in range(self.rng.randint(2, 4)):
            name = self.automatic()[0] if self.rng.random() < 0.5 else self.task()
            self.edge(self.after(at, name), join)
        return join


def drawn_workflow(rng: Random, number: int, catalog: Catalog) -> Workflow:
    """A valid workflow; what may be tried again is, one to three times in all, without a pause."""
    grown = BusyMaker(rng, catalog).whole(number, rng.randint(2, 8))
    nodes = {}
    for name, node in grown.nodes.items():
        node_type = catalog.node_types.get(node.type)
        limits = {"max_attempts": rng.randint(1, 3), "backoff": "PT0S"} if node_type and _again(node_type) else {}
        nodes[name] = node.model_copy(update={"policy": node.policy.model_copy(update=limits)})
    return grown.model_copy(update={"nodes": nodes})


def _again(node_type: NodeType) -> bool:
    """Whether calls of a Type may be tried again."""
    return node_type.capabilities.idempotent_default and node_type.capabilities.retryable_default


@dataclass
class Drawn:
    """One run as it is to come about.

    Args:
        later: those of the inputs that are given only when they are asked for.
        calls: by node what its system does when it is called for the first time, the second …
        answers: by node what a person answers the first time, the second …
        settled: by node what a person says of a call whose fate nobody knows.
        records: by node what all this comes to, as the walk takes it.
        kinds: what was drawn, for counting.
    """

    inputs: Record
    later: frozenset[str] = frozenset()
    calls: dict[str, list[Record | ExecutorFault]] = field(default_factory=dict)
    answers: dict[str, list[Record]] = field(default_factory=dict)
    settled: dict[str, Record] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    kinds: list[str] = field(default_factory=list)


def drawn_run(rng: Random, workflow: Workflow, catalog: Catalog) -> Drawn:
    """A run of a workflow."""
    limits = limits_read(workflow)
    for _ in range(rng.randint(1, 4)):  # most often until no guard stops it
        inputs = {name: drawn_value(rng, spec, limits, f"$.inputs.{name}") for name, spec in workflow.inputs.items()}
        if not start(workflow, inputs).stopped:
            break
    needed = [name for name, spec in workflow.inputs.items() if spec.is_required and inputs[name] is not None]
    later = frozenset(rng.sample(needed, rng.randint(1, len(needed)))) if needed and rng.random() < 0.1 else frozenset()
    found = Drawn(inputs, later, kinds=["asked for inputs"] if later else [])
    artist = _Artist(rng, workflow, catalog, limits, found)
    run = start(workflow, inputs)
    beside: set[str] = set()
    while run.ready:
        if len(run.ready) > 1:
            beside |= {one.node for one in run.ready}
        name = run.ready[0].node
        may_stop = name not in beside or any(one.source == name and one.on == "error" for one in workflow.edges)
        artist.draw(run, may_fail=may_stop)
        run = run.take(name, Outcome.read(found.records[name]))
    return found


@dataclass
class _Artist:
    rng: Random
    workflow: Workflow
    catalog: Catalog
    limits: Mapping[str, list[JsonValue]]
    found: Drawn

    def draw(self, run: Run, *, may_fail: bool) -> None:
        """What the first node that is ready comes to, and how."""
        ready = run.ready[0]
        if ready.performer == "person":
            record, kind = self._answered(ready.node, may_fail=may_fail)
        else:
            node_type = self.catalog.node_types[ready.type]
            assert not [*faults(ready.inputs, node_type.inputs_schema, of_type=True)], ready
            record, kind = self._called(ready.node, node_type, may_fail=may_fail)
        self.found.records[ready.node] = record
        self.found.kinds += [kind] if kind else []

    def _answered(self, name: str, *, may_fail: bool) -> tuple[Record, str]:
        fields = fields_of(self.workflow.nodes[name])
        asked = {one: spec.model_copy(update={"required": spec.required is not False}) for one, spec in fields.items()}
        record = drawn_record(self.rng, asked, self.limits, f"$.outputs.{name}")
        if record.get("approved") is False and self.rng.random() < 0.8:
            record["approved"] = True  # else most runs would end at an approval
        wrong = [misfit(self.rng, fields), misfit(self.rng, fields)]
        luck = self.rng.random()
        if luck < 0.01 and may_fail:
            self.found.answers[name] = wrong
            return {ERROR_KEY: "INVALID_ANSWER"}, "answer refused twice"
        if luck < 0.15:
            self.found.answers[name] = [wrong[0], record]
            return record, "answer refused once"
        self.found.answers[name] = [record]
        return record, "approval refused" if record.get("approved") is False else ""

    def _called(self, name: str, node_type: NodeType, *, may_fail: bool) -> tuple[Record, str]:
        good = drawn_record(self.rng, node_type.outputs_schema, self.limits, f"$.outputs.{name}")
        idempotent = node_type.capabilities.idempotent_default
        most = self.workflow.nodes[name].policy.max_attempts or 1
        kind = self.rng.choice(["passing", "passing", "staying", "unknown", "unfit", *[""] * 12])
        if kind == "unknown" and not idempotent:
            return self._settled(name, good, may_fail=may_fail)
        if kind in ("passing", "unknown"):
            fault = ExecutorFault("NO_ANSWER", "drawn", passing=True, made=None if kind == "unknown" else False)
            return self._tried(name, good, fault, most, may_fail=may_fail)
        if kind == "staying" and may_fail:
            self.found.calls[name] = [ExecutorFault("NO_SUCH_THING", "drawn")]
            return {ERROR_KEY: "NO_SUCH_THING"}, "failed for good"
        unfit = {**good, **misfit(self.rng, node_type.outputs_schema, of_type=True)} if kind == "unfit" else good
        if may_fail and [*faults(unfit, node_type.outputs_schema, of_type=True)]:
            self.found.calls[name] = [unfit]
            return {ERROR_KEY: "BAD_OUTPUT"}, "output that does not fit"
        self.found.calls[name] = [good]
        return good, ""

    def _tried(self, name: str, good: Record, fault: ExecutorFault, most: int, *, may_fail: bool) -> tuple[Record, str]:
        """A failure that may pass, once or more, and then what is right."""
        times = most if may_fail and self.rng.random() < 0.3 else self.rng.randint(0, most - 1)
        if times == most:
            self.found.calls[name] = [fault] * most
            return {ERROR_KEY: fault.code}, "failed after all attempts"
        self.found.calls[name] = [*[fault] * times, good]
        return good, "passed when tried again" if times else ""

    def _settled(self, name: str, good: Record, *, may_fail: bool) -> tuple[Record, str]:
        """A call whose fate nobody knows, and what a person says of it."""
        fault = ExecutorFault("NO_ANSWER", "drawn", passing=True, made=None)
        said = self.rng.choice(["done", "not_done", "give_up"] if may_fail else ["done", "not_done"])
        self.found.settled[name] = {"what": said, **({"outputs": good} if said == "done" else {})}
        self.found.calls[name] = [fault, good] if said == "not_done" else [fault]
        return {ERROR_KEY: "UNSETTLED"} if said == "give_up" else good, f"settled: {said}"


def calls_of(drawn: Drawn) -> dict[str, Any]:
    """What an executor is to be told; it takes what it gives out of the lists."""
    return {name: list(given) for name, given in drawn.calls.items()}
