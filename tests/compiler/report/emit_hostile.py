"""A review in which every free text tries to break out of the page."""

from dataclasses import replace

from pydantic import BaseModel

from compiler.report.review.page import Review
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.facts import Bindings
from ir.procedure import Procedure
from ir.workflow import Workflow

HOSTILE = "</title></style><script>alert(1)</script>\"'><img src=x onerror=alert(1)>${style}$style &amp;]]>"
_NODE = "level"  # becomes a node whose id is hostile too
_FREE = frozenset(
    [
        "title",
        "description",
        "owner",
        "domain",
        "label",
        "actor",
        "question",
        "assignee",
        "instruction",
        "text",
        "reason",
        "message",
        "start",
        "calendar",
        "unit",
        "compiler",
        "method",
        "embedder",
        "catalog",
        "reference",
        "error_message",
        "file",
        "field",
    ]
)


def _spoil(value: object, key: str = "") -> object:
    if isinstance(value, BaseModel):
        value = value.model_dump(by_alias=True, exclude_defaults=True)
    if isinstance(value, dict):
        return {name: _spoil(item, name) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_spoil(item, key) for item in value]
    return f"{value}{HOSTILE}" if isinstance(value, str) and key in _FREE else value


def _workflow(workflow: Workflow) -> Workflow:
    spoiled = Workflow.model_validate(_spoil(workflow))
    nodes = dict(spoiled.nodes)
    nodes[HOSTILE] = nodes[_NODE]
    nodes[f"{HOSTILE} 2"] = nodes[_NODE].model_copy(update={"label": None})
    edges = (*spoiled.edges, spoiled.edges[0].model_copy(update={"target": f"{HOSTILE} missing"}))
    gaps = tuple(gap.model_copy(update={"id": HOSTILE, "about": (HOSTILE,)}) for gap in spoiled.gaps)
    return spoiled.model_copy(update={"nodes": nodes, "edges": edges, "gaps": gaps})


def hostile(review: Review) -> Review:
    """The review with markup in every text; block texts get it at the end, so that quotes stay where they are."""
    return replace(
        review,
        workflow=_workflow(review.workflow),
        procedure=Procedure.model_validate(_spoil(review.procedure)),
        documents=tuple(Document.model_validate(_spoil(document)) for document in review.documents),
        diagnostics=tuple(Diagnostic.model_validate(_spoil(one)) for one in review.diagnostics),
        bindings=tuple(Bindings.model_validate(_spoil(form)) for form in review.bindings),
        notes=(HOSTILE,),
    )
