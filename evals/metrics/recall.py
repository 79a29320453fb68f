"""Recall and alignment: is the right Node Type among the candidates of a step, and is it the one that was taken?

Only steps that were found are looked at, so that search and choice are judged by themselves. `hits@k` is the share of
steps whose gold Type is among the first k candidates; `type` the share of those steps whose node has it; `unmapped`
the share of steps that gold leaves to people and the draft does as well.
"""

from collections.abc import Mapping, Sequence

from evals.matching.view import View
from evals.tally import Tally, share
from ir.workflow import Workflow

DEPTHS = (1, 5, 10)


def recall(view: View) -> Mapping[str, Tally]:
    """Tallies of a case: hits@1, hits@5, hits@10, type, unmapped."""
    drafts = {draft.procedure.id: draft for draft in view.outcome.drafts}
    ranks: list[tuple[str, tuple[str, ...], str | None]] = []
    people: list[str | None] = []
    for gold, found in view.steps:
        wanted = _type(view.case.workflows[gold.procedure.id], gold.step.id)
        draft = drafts[found.procedure.id]
        taken = _type(draft.workflow, found.step.id)
        if wanted is None:
            continue
        if wanted.startswith("human."):
            people.append(taken)
        else:
            ranks.append((wanted, draft.candidates.get(found.step.id, ()), taken))
    found_at = [(wanted, candidates) for wanted, candidates, _ in ranks]
    hits = {f"recall.hits@{k}": hits_at(k, found_at) for k in DEPTHS}
    return hits | {
        "recall.type": share(sum(wanted == taken for wanted, _, taken in ranks), len(ranks)),
        "recall.unmapped": share(sum(t is not None and t.startswith("human.") for t in people), len(people)),
    }


def hits_at(depth: int, searched: Sequence[tuple[str, Sequence[str]]]) -> Tally:
    """How many gold Types are among the first candidates.

    >>> hits_at(1, [("a.x", ("a.x", "b.y")), ("b.y", ("a.x", "b.y"))]).value
    0.5
    """
    return share(sum(wanted in candidates[:depth] for wanted, candidates in searched), len(searched))


def _type(workflow: Workflow, step: str) -> str | None:
    """The Node Type that carries a step out; None where no node does, or an end."""
    found = [node.type for node in workflow.nodes.values() if step in node.step_ids]
    return next((name for name in found if not name.startswith("control.")), None)
