"""The figures of the rule reader alone, without the passes after it, so that they can be taken hundreds of times."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from catalog.index import NodeIndex
from catalog.load import load_catalog
from compiler.context import Context
from compiler.extract.rules.rule_reader import RuleReader
from evals.cases import Case
from evals.matching.view import View
from evals.meaning.__main__ import judged
from evals.meaning.grammar import Sentence
from evals.metrics.extraction import extraction
from evals.metrics.workflow import agreement
from evals.outcome import Draft, Outcome, Usage, read_documents
from evals.tally import Tally, pooled
from ir.document import Document
from ir.procedure import END, START, Procedure
from ir.workflow import ExecutionPolicy, Workflow
from primers.load import load_primers

NOTHING = Workflow(
    workflow_id="none",
    version="v1",
    inputs={},
    nodes={},
    edges=(),
    execution_policy=ExecutionPolicy(risk_level="low", allow_auto=False, require_approval=False),
)
"""In place of a draft: extraction is measured without one."""
FIGURES = ("step", "condition", "order")


@dataclass(frozen=True)
class ReadCase:
    """A case with its documents, as parsed."""

    case: Case
    documents: dict[str, Document]


def read_all(cases: Iterable[Case]) -> tuple[ReadCase, ...]:
    """Parse the documents of cases, once."""
    ctx = context()
    return tuple(ReadCase(case, read_documents(case, ctx)) for case in cases)


def context() -> Context:
    """A context of the shipped catalog that cannot search."""

    def none() -> NodeIndex:
        raise AssertionError("the reader does not search")

    return Context(load_catalog(), load_primers(), none)


def figures(cases: Sequence[ReadCase]) -> dict[str, float]:
    """F1 of steps, conditions and order, over all cases together."""
    tallies = [_of_case(one) for one in cases]
    return {name: pooled(one[name] for one in tallies).value or 0.0 for name in FIGURES}


def _of_case(read: ReadCase) -> dict[str, Tally]:
    found: list[Procedure] = []
    for one in read.case.file.documents:
        document = read.documents.get(one.path.removeprefix("documents/"))
        if one.role == "policy" and document is not None:
            found += RuleReader(syntax=False).extract_procedures(context(), document)
    drafts = tuple(Draft(procedure, NOTHING, {}, True, True) for procedure in found)
    view = View(read.case, Outcome(read.documents, drafts, (), Usage(0.0)), load_catalog())
    told = extraction(view)
    to = {gold.key: draft.key for gold, draft in view.steps}
    names = {key: "/".join(key) for key in (*to, *to.values())}
    order = agreement(
        _orders(read.case.procedures), _orders(found), {names[gold]: names[draft] for gold, draft in to.items()}
    )
    return {"step": told["extraction.step"], "condition": told["extraction.condition"], "order": order}


def _orders(procedures: Iterable[Procedure]) -> set[tuple[str, str]]:
    """Pairs of steps of which the first comes before the second on some way."""
    found: set[tuple[str, str]] = set()
    for procedure in procedures:
        after: dict[str, set[str]] = {}
        for flow in procedure.flows:
            if flow.source != START and flow.target != END:
                after.setdefault(flow.source, set()).add(flow.target)
        for first in after:
            reached: set[str] = set()
            waiting = list(after[first])
            while waiting:
                name = waiting.pop()
                if name not in reached:
                    reached.add(name)
                    waiting += after.get(name, ())
            found |= {(f"{procedure.id}/{first}", f"{procedure.id}/{name}") for name in reached}
    return found


def fates(sentences: Iterable[Sentence]) -> dict[str, int]:
    """What becomes of sentences of known meaning: `bad` are those that are wrong, lost or opaque."""
    found = [judged(one).fate for one in sentences]
    return {"right": found.count("right"), "bad": sum(fate in ("wrong", "lost", "opaque") for fate in found)}
