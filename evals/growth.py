"""How time grows with size: of each pass over documents of one shape, and of validating workflows made at random.

Time is that of the processor, without the start of the interpreter and without what is loaded once.
"""

import math
import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from catalog.load import Catalog, load_catalog
from compiler.build.builder import compile_documents
from compiler.build.folder import write_build
from evals.generate.fields import random_spec
from evals.generate.partitions import Case, Field, additions, partition
from evals.generate.shapes import SHAPES, Shape
from evals.generate.workflows import EARLY, Maker
from ir.diagnostics import Severity
from ir.fields import FieldSpec
from ir.predicate import Compare, Literally, Ref
from ir.workflow import HUMAN_APPROVAL, HUMAN_INPUT, Workflow
from validator.checks import CheckInput, validate

SIZES = (100, 300, 1000, 3000)
WIDEST, NODES_AN_END = 6, 40
STEEPEST = 1.3  # the exponent with which the time of a pass may grow
NOTICED = 0.25  # seconds of the processor below which growth is noise
MOST_SECONDS = 15.0  # for each document of `LARGE`
LARGE_CHARACTERS = 100_000
WARM_ENGLISH = (
    "# Loans\n\n1. If the loan exceeds 500 USD, the keeper must approve it.\n2. The keeper must hand it out.\n"
)
WARM_CHINESE = "# 借用办法\n\n第一条 借用超过500元的，由保管员批准。\n\n第二条 保管员应当在三日内发放。\n"
LARGE = {"plain-steps": 1000, "guarded-articles": 400, "guarded-steps": 400}  # the others are made by characters


def big_workflow(nodes: int, edges: int, seed: int) -> Workflow:
    """A valid workflow in the shape of a long procedure: splits and joins between stages, ends on the way.

    Args:
        nodes: how many, exactly, at least 20.
        edges: about how many; from one to two and a half times the nodes can be had.
    """
    return _Growing(Random(seed), load_catalog(), nodes, edges).big(seed)  # noqa: S311 - no secret


def report() -> Iterator[str]:
    """The lines of the growth tables."""
    yield from document_report()
    catalog = load_catalog()
    yield "validating generated workflows"
    for nodes in SIZES:
        workflow = big_workflow(nodes, 2 * nodes, seed=nodes)
        seconds, errors = timed(workflow, catalog)
        size = f"{nodes:5} nodes, {len(workflow.edges):5} edges"
        yield f"  {size} {seconds:9.3f} s  {1000 * seconds / nodes:7.2f} ms a node  {errors} errors"


def document_report(names: Iterator[str] | None = None) -> Iterator[str]:
    """The passes over documents of each shape at once, twice and four times its small size, and over a large one."""
    yield f"compiling documents of one shape: processor seconds at n, 2n, 4n, and the exponent (at most {STEEPEST})"
    for name in names or SHAPES:
        shape = SHAPES[name]
        sizes = [shape.small, 2 * shape.small, 4 * shape.small]
        grown = [measured(shape, parts) for parts in sizes]
        yield f"  {name}, n = {shape.small}"
        for each in ["all", *sorted(grown[-1], key=lambda one: -grown[-1][one])]:
            took = [sum(one.values()) if each == "all" else one.get(each, 0.0) for one in grown]
            if took[-1] >= NOTICED:
                steep = exponent(took)
                told = "".join(f"{seconds:9.2f}" for seconds in took)
                yield f"    {each:20} {told}   {steep:5.2f}{'  too steep' if steep > STEEPEST else ''}"
        parts = LARGE.get(name) or shape.parts_of(LARGE_CHARACTERS)
        seconds = sum(measured(shape, parts).values())
        beyond = "  too long" if seconds > MOST_SECONDS else ""
        yield f"    of {parts} parts, {len(shape.make(parts))} characters: {seconds:.2f} s{beyond}"


def exponent(took: list[float]) -> float:
    """With which power of its size a document's time grows, from the time at n, 2n, 4n, …

    >>> round(exponent([1, 4, 16]), 2), round(exponent([1, 2, 4]), 2)
    (2.0, 1.0)
    """
    return math.log(took[-1] / max(took[0], 1e-3)) / math.log(2 ** (len(took) - 1))


def measured(shape: Shape, parts: int) -> dict[str, float]:
    """The processor seconds of each pass over a document of so many parts, writing included.

    Measured in a process of its own, which has loaded what is loaded once and seen none of the document's sentences.
    """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (shape.ending, shape.document(parts)))


def _measured(ending: str, data: bytes) -> dict[str, float]:
    _compiled("md", WARM_ENGLISH.encode())
    _compiled("md", WARM_CHINESE.encode())
    return _compiled(ending, data)


def _compiled(ending: str, data: bytes) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"document.{ending}"
        file.write_bytes(data)
        build = compile_documents([file])
        begun = time.process_time()
        write_build(build, Path(folder) / "out")
        took = {"write_build": time.process_time() - begun}
    for record in build.records:
        took[record.name] = took.get(record.name, 0.0) + record.processor
    return took


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
            self.nodes[name]["origin"] = "primer:governance@1.0.0"  # each for an act of its own, side by side
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
