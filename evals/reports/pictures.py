"""Gold and draft side by side: both drawn, with what each node stands for and the words that it rests on."""

from dataclasses import dataclass
from typing import Literal

from compiler.report.graph.svg import render_svg
from evals.matching.contraction import unasked
from evals.matching.view import Pair, View
from ir.workflow import CONTROL_END, CONTROL_START, Node, Workflow

Status = Literal["matched", "missing", "extra", "unasked", "end"]


@dataclass(frozen=True)
class Row:
    """One node of gold, of the draft, or of both.

    Args:
        gold, draft: what each is called; None on the side that has none.
        gold_quote, draft_quote: the words that it rests on.
    """

    status: Status
    gold: str | None
    draft: str | None
    gold_quote: str
    draft_quote: str


@dataclass(frozen=True)
class Picture:
    """One workflow of a case.

    Args:
        gold, draft: drawings (SVG); the draft's is None where there is no draft.
        marks: by node id how it is marked, in gold and in the draft.
    """

    title: str
    gold: str | None
    draft: str | None
    gold_marks: dict[str, Status]
    draft_marks: dict[str, Status]
    rows: tuple[Row, ...]


def pictures_of(view: View) -> tuple[Picture, ...]:
    """The pictures of a case: each gold workflow with its draft, then the drafts that stand for none."""
    extra = tuple(_of_extra(draft.workflow, view) for draft in view.extra)
    return (*(_of_pair(pair, view) for pair in view.pairs), *extra)


def _of_pair(pair: Pair, view: View) -> Picture:
    nodes = pair.matching.nodes if pair.matching else {}
    draft = pair.draft.workflow if pair.draft else None
    gold_marks = {name: _mark(node, name in nodes, "missing") for name, node in pair.gold.nodes.items()}
    back = set(nodes.values())
    draft_marks = {name: _mark(node, name in back, "extra") for name, node in draft.nodes.items()} if draft else {}
    rows = [
        _row(status, pair.gold, name, draft if name in nodes else None, nodes.get(name))
        for name, status in gold_marks.items()
        if status in ("matched", "missing")
    ]
    rows += [_row("extra", None, None, draft, name) for name, status in draft_marks.items() if status == "extra"]
    return Picture(
        title=pair.gold.metadata.title or pair.gold.workflow_id,
        gold=_drawn(pair.gold, view),
        draft=_drawn(draft, view) if draft else None,
        gold_marks=gold_marks,
        draft_marks=draft_marks,
        rows=tuple(rows),
    )


def _of_extra(draft: Workflow, view: View) -> Picture:
    marks = {name: _mark(node, False, "extra") for name, node in draft.nodes.items()}
    rows = tuple(_row("extra", None, None, draft, name) for name, status in marks.items() if status == "extra")
    return Picture(draft.metadata.title or draft.workflow_id, None, _drawn(draft, view), {}, marks, rows)


def _mark(node: Node, matched: bool, otherwise: Status) -> Status:
    if node.type in (CONTROL_END, CONTROL_START):
        return "end"
    if unasked(node):
        return "unasked"
    return "matched" if matched else otherwise


def _row(status: Status, gold: Workflow | None, name: str | None, draft: Workflow | None, other: str | None) -> Row:
    one = gold.nodes[name] if gold and name else None
    two = draft.nodes[other] if draft and other else None
    return Row(status, _called(one, name), _called(two, other), _quote(one), _quote(two))


def _called(node: Node | None, name: str | None) -> str | None:
    return None if node is None else f"{node.label or name} ({node.type})"


def _quote(node: Node | None) -> str:
    return " … ".join(evidence.quote for evidence in node.evidence) if node else ""


def _drawn(workflow: Workflow, view: View) -> str:
    return str(render_svg(workflow, catalog=view.catalog, interactive=False))
