"""How the time of validating grows with the size of a workflow, without the start of the interpreter."""

import time
from collections.abc import Iterator
from random import Random

from catalog.load import Catalog, load_catalog
from evals.generate.fields import random_spec
from evals.generate.partitions import Case, Field, additions, partition
from evals.generate.workflows import EARLY, Maker
from ir.diagnostics import Severity
from ir.fields import FieldSpec
from ir.predicate import Compare, Literally, Ref
from ir.workflow import HUMAN_APPROVAL, HUMAN_INPUT, Workflow
from validator.checks import CheckInput, validate

SIZES = (100, 300, 1000, 3000)
WIDEST, NODES_AN_END = 6, 40


def big_workflow(nodes: int, edges: int, seed: int) -> Workflow:
    """A valid workflow in the shape of a long procedure: splits and joins between stages, ends on the way.

    Args:
        nodes: how many, exactly, at least 20.
        edges: about how many; from one to two and a half times the nodes can be had.
    """
    return _Growing(Random(seed), load_catalog(), nodes, edges).big(seed)  # noqa: S311 - no secret


def report() -> Iterator[str]:
    """The lines of the growth table."""
    catalog = load_catalog()
    yield "validating generated workflows"
    for nodes in SIZES:
        workflow = big_workflow(nodes, 2 * nodes, seed=nodes)
        seconds, errors = timed(workflow, catalog)
        size = f"{nodes:5} nodes, {len(workflow.edges):5} edges"
        yield f"  {size} {seconds:9.3f} s  {1000 * seconds / nodes:7.2f} ms a node  {errors} errors"


def timed(workflow: Workflow, catalog: Catalog) -> tuple[float, int]:
    """The seconds of the processor that validating takes, and how many errors it finds."""
    started = time.process_time()
    found = validate(CheckInput(workflow, catalog))
    return time.process_time() - started, sum(one.severity is Severity.ERROR for one in found)


class _Growing(Maker):
    """Grows one workflow stage by stage, each node led to from the stage before."""

    def __init__(self, rng: Random, catalog: Catalog, nodes: int, edges: int) -> None:
        super().__init__(rng, catalog)
        self.risk, self.wanted, self.ratio = "medium", nodes, edges / nodes
        self.ends = [self.end("completed"), *(self.end(EARLY[n % 4]) for n in range(max(2, nodes // NODES_AN_END)))]

    def big(self, seed: int) -> Workflow:
        """The workflow."""
        stage, waiting = [self.new()], self.ends[1:]
        while len(self.nodes) < self.wanted:
            routes = [(name, case) for name, cases in stage for case in cases]
            self.rng.shuffle(routes)
            widest = min(len(routes), WIDEST, self.wanted - len(self.nodes))
            following = [self.new() for _ in range(self.rng.randint(min(2, widest), widest))]
            names = [name for name, _ in following]
            for place, (source, case) in enumerate(routes):
                early = self.rng.random() < len(self.ends) / self.wanted
                target = names[place] if place < len(names) else self.rng.choice(names)
                if place >= len(names) and early and case is not None:
                    target = waiting.pop() if waiting else self.rng.choice(self.ends[1:])
                self.edge(source, target, case)
            stage = following
        for source, case in [(name, case) for name, cases in stage for case in cases]:
            self.edge(source, self.ends[0], case)
        return self.finished(f"big_{seed}")

    def new(self) -> tuple[str, list[Case | None]]:
        """A node of some kind with the cases of its edges, None for one that is always taken."""
        if len(self.edges) > self.ratio * len(self.nodes):
            return self.automatic()[0] if self.rng.random() < 0.5 else self.task(), [None]
        luck = self.rng.random()
        if luck < 0.35:
            outcomes = ("agreed", "refused", "open")[: self.rng.randint(2, 3)]
            name = self.task(outcomes=list(outcomes))
            spec = FieldSpec(type="string", enum=outcomes)
            return name, [*partition(self.rng, Field(Ref(f"$.outputs.{name}.outcome"), spec))]
        if luck < 0.45:
            name = self.node({"type": HUMAN_APPROVAL, "approvers": ["director"], "question": "?"})
            approved, refused = (
                Case(Compare("eq", Ref(f"$.outputs.{name}.approved"), Literally(value))) for value in (True, False)
            )
            self.edge(name, self.rng.choice(self.ends[1:]), refused)
            return name, [approved]
        if luck < 0.55:
            return self.task(), [*partition(self.rng, self.input(random_spec(self.rng)))]
        if luck < 0.6:
            return self.task(split="inclusive"), [
                *additions(self.rng, [self.input(random_spec(self.rng)) for _ in range(2)])
            ]
        told = random_spec(self.rng, required=True)
        name = self.node({"type": HUMAN_INPUT, "question": "?", "requested_fields": {"told": told}})
        spec = FieldSpec.model_validate(told)
        return name, [*partition(self.rng, Field(Ref(f"$.outputs.{name}.told"), spec, null=spec.nullable))]
