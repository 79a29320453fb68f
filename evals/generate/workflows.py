"""Workflows that are valid by construction, drawn from a seed: what the validator says against one is a false alarm.

Each split is a partition of a field that nothing else on its way has asked about, so that every case can come about
and none is left out; what is read has been given on every path; what is risky stands behind an approval.
"""

from random import Random
from typing import Any

from catalog.load import Catalog
from catalog.node_type import NodeType
from evals.generate.fields import field_of, outputs_of, random_spec, risky, same_kind
from evals.generate.partitions import ORDERED, Case, Field, additions, against, cross, partition
from ir.fields import FieldSpec
from ir.predicate import ALWAYS, Compare, Literally, Ref, condition_json
from ir.workflow import CONTROL_END, HUMAN_APPROVAL, HUMAN_INPUT, HUMAN_TASK, Workflow

Json = dict[str, Any]
EARLY = ("returned", "rejected", "cancelled", "failed")


def valid_workflow(seed: int, catalog: Catalog, stages: int = 8) -> Workflow:
    """A valid workflow.

    Args:
        stages: how many sequences, splits, parallel parts and approvals follow each other.
    """
    return Maker(Random(seed), catalog).whole(seed, stages)  # noqa: S311 - no secret


class Maker:
    """Grows one workflow, node after node; `stages` and the parts they are made of keep it valid."""

    def __init__(self, rng: Random, catalog: Catalog) -> None:
        self.rng, self.catalog = rng, catalog
        self.inputs: dict[str, Json] = {}
        self.nodes: dict[str, Json] = {}
        self.edges: list[Json] = []
        self.risk = rng.choice(["low", "medium", "high"])
        self.approved = False
        self.certain: list[Field] = []
        self.types = [
            node_type for node_type in catalog.node_types.values() if node_type.category not in ("human", "control")
        ]

    def whole(self, seed: int, stages: int) -> Workflow:
        """The workflow."""
        at = self.task()
        for _ in range(stages):
            at = self.stage(at)
        if not self.approved:
            at = self.approval(at)
        done = self.end("completed")
        self.edge(at, done)
        return self.finished(f"generated_{seed}")

    def finished(self, name: str) -> Workflow:
        """What was grown, as a workflow."""
        policy = {"risk_level": self.risk, "allow_auto": False, "require_approval": True}
        raw: Json = {
            "workflow_id": name,
            "version": "v1",
            "inputs": self.inputs,
            "outputs": {f"result_{n}": field.ref.text for n, field in enumerate(self.certain[:3])},
            "guards": [self.guard()] if self.rng.random() < 0.3 else [],
            "nodes": self.nodes,
            "edges": self.edges,
            "execution_policy": policy,
        }
        return Workflow.model_validate(raw)

    def stage(self, at: str) -> str:
        """One more part after a node; the node at its end."""
        parts = [
            self.step,
            self.typed,
            self.choice,
            self.choice,
            self.choice,
            self.inclusive,
            self.parallel,
            self.asked,
        ]
        return self.rng.choice([*parts, self.approval])(at)

    def step(self, at: str) -> str:
        """A task in sequence."""
        return self.after(at, self.task())

    def asked(self, at: str) -> str:
        """A person who is asked for values, and a split by one of them."""
        wanted = {f"field_{n}": random_spec(self.rng, required=True) for n in range(self.rng.randint(1, 3))}
        name = self.after(at, self.node({"type": HUMAN_INPUT, "question": "?", "requested_fields": wanted}))
        fields = [field_of(f"$.outputs.{name}.{field}", spec) for field, spec in wanted.items()]
        self.certain += [field for field in fields if not field.null]
        return self.split(name, partition(self.rng, self.rng.choice(fields)))

    def typed(self, at: str) -> str:
        """A node of some Type of the catalog, and perhaps an edge for its failure and a split by what it gives."""
        name, node_type = self.automatic()
        self.edge(at, name)
        if self.rng.random() < 0.2:
            self.edge(name, self.end("failed"), on="error")
        fields = outputs_of(name, node_type)
        self.certain += [field for field in fields if not field.null]
        if fields and node_type.capabilities.deterministic and self.rng.random() < 0.5:
            return self.split(name, partition(self.rng, self.rng.choice(fields)))
        return name

    def automatic(self) -> tuple[str, NodeType]:
        """A new node of some Type, given what earlier nodes gave or new inputs of the workflow."""
        free = [found for found in self.types if self.approved or not risky(found)]
        node_type = self.rng.choice([found for found in free if self.allows(found)])
        name = f"n{len(self.nodes)}"
        given: Json = {}
        for field, spec in node_type.inputs_schema.items():
            at_hand = [known.ref.text for known in self.certain if same_kind(known.spec, spec)]
            if at_hand and self.rng.random() < 0.5:
                given[field] = self.rng.choice(at_hand)
            elif spec.required or self.rng.random() < 0.3:
                self.inputs[f"{name}_{field}"] = spec.to_json() | {"required": True, "nullable": False}
                given[field] = f"$.inputs.{name}_{field}"
        return self.node({"type": node_type.type, "type_version": f"^{node_type.version}", "inputs": given}), node_type

    def choice(self, at: str, depth: int = 0) -> str:
        """An exclusive split over inputs, over two of them, between two of them, or over the outcome of a task."""
        kind = self.rng.random()
        if kind < 0.2:
            task = self.after(at, self.task(outcomes=["agreed", "refused", "open"][: self.rng.randint(2, 3)]))
            spec = FieldSpec(type="string", enum=tuple(self.nodes[task]["outcomes"]))
            return self.split(task, partition(self.rng, Field(Ref(f"$.outputs.{task}.outcome"), spec)), depth)
        if kind < 0.35:
            return self.split(at, cross(self.rng, self.input(), self.input()), depth)
        if kind < 0.45:
            kept = self.rng.choice(ORDERED)
            return self.split(at, against(self.rng, self.input({"type": kept}), self.input({"type": kept})), depth)
        return self.split(at, partition(self.rng, self.input(random_spec(self.rng))), depth)

    def split(self, at: str, cases: list[Case], depth: int = 0) -> str:
        """The ways of a split: one joins the others, ends, or splits again before it joins."""
        join = self.task()
        for number, case in enumerate(cases):
            luck = self.rng.random()
            if number == 0 or luck < 0.3:
                target = join if number else self.task()
            elif luck < 0.5:
                target = self.end(self.rng.choice(EARLY))
            else:
                target = self.task()
            self.edge(at, target, case)
            if target != join and self.nodes[target]["type"] != CONTROL_END:
                last = self.choice(target, depth + 1) if depth < 1 and self.rng.random() < 0.2 else target
                self.edge(last, join)
        return join

    def inclusive(self, at: str) -> str:
        """An inclusive split whose ways all join."""
        at = self.after(at, self.task(split="inclusive"))
        join = self.task()
        for case in additions(self.rng, [self.input(random_spec(self.rng)) for _ in range(self.rng.randint(2, 3))]):
            way = self.task()
            self.edge(at, way, case)
            self.edge(way, join)
        return join

    def parallel(self, at: str) -> str:
        """Tasks beside each other, and one after them."""
        join = self.task()
        for _ in range(self.rng.randint(2, 4)):
            self.edge(self.after(at, self.task()), join)
        return join

    def approval(self, at: str) -> str:
        """An approval, perhaps with a task of high risk behind it."""
        name = self.after(at, self.node({"type": HUMAN_APPROVAL, "approvers": ["director"], "question": "?"}))
        read = Ref(f"$.outputs.{name}.approved")
        self.edge(name, self.end("rejected"), Case(Compare("eq", read, Literally(False))))
        policy = {"policy": {"risk_level": "high"}} if self.risk == "high" else {}
        task = self.task(**policy)
        self.edge(name, task, Case(Compare("eq", read, Literally(True))))
        self.approved = True
        return task

    def guard(self) -> Json:
        """A precondition over an input of its own."""
        case = partition(self.rng, self.input())[0]
        return {"condition": condition_json(case.condition), "error_code": "NOT_ADMITTED"}

    def allows(self, node_type: NodeType) -> bool:
        """Whether the workflow's risk is that of the Type or higher."""
        order = ["low", "medium", "high"]
        return order.index(node_type.governance.risk_level_default) <= order.index(self.risk)

    def input(self, spec: Json | None = None) -> Field:
        """A new input, at times inside an object; without a declaration it is never null."""
        declared = spec or {key: value for key, value in random_spec(self.rng).items() if key != "nullable"}
        name = f"in{len(self.inputs)}"
        if self.rng.random() < 0.15:
            self.inputs[name] = {"type": "object", "properties": {"part": declared | {"required": True}}}
            return field_of(f"$.inputs.{name}.part", declared)
        self.inputs[name] = declared
        return field_of(f"$.inputs.{name}", declared)

    def task(self, **rest: Any) -> str:
        """A new task, not yet joined to anything."""
        return self.node({"type": HUMAN_TASK, "instruction": "do it", **rest})

    def end(self, status: str) -> str:
        """A new end."""
        reason = {} if status == "completed" else {"reason_code": "GENERATED"}
        return self.node({"type": CONTROL_END, "status": status, **reason})

    def node(self, raw: Json) -> str:
        """A new node."""
        name = f"n{len(self.nodes)}"
        self.nodes[name] = raw | {"label": name, "origin": "person"}
        return name

    def after(self, at: str, name: str) -> str:
        """The node, led to by another always."""
        self.edge(at, name)
        return name

    def edge(self, source: str, target: str, case: Case | None = None, on: str = "success") -> None:
        """A new edge."""
        condition = condition_json(case.condition if case else ALWAYS)
        raw: Json = {"from": source, "to": target, "origin": "person", "condition": condition, "on": on}
        self.edges.append(raw | ({"priority": case.priority} if case and case.priority is not None else {}))
