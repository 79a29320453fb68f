"""Drives `fixtures/passes/<pass>/<behaviour>.yaml`: documents in, a pass's output in short form out.

A fixture holds `documents` (file name to text) and `output`, which `--accept` rewrites. The short forms are made to be
read: a step, a flow, a node or an edge a line.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from catalog.embedders import load_embedder
from catalog.index import NodeIndex
from catalog.load import load_catalog
from compiler.context import Context
from compiler.draft.align_steps import align_steps
from compiler.draft.complete_draft import complete_draft
from compiler.draft.recall_node_types import recall_node_types
from compiler.draft.synthesize_draft import synthesize_draft
from compiler.extract.forms.link_documents import link_documents
from compiler.extract.rules.rule_reader import RuleReader
from compiler.parsers import parse
from ir.document import Document
from ir.infix import to_infix
from ir.predicate import ALWAYS, OTHERWISE, Tree
from ir.procedure import Flow, Procedure
from ir.workflow import Edge, Workflow
from primers.load import load_primers

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "passes"
READER = RuleReader()
Short = list[str] | dict[str, Any]


@pytest.fixture(scope="module")
def context() -> Context:
    """A context over the shipped catalog and primers."""
    catalog = load_catalog()
    embedder = load_embedder("default").embedder
    return Context(catalog, load_primers(), lambda: NodeIndex(catalog, embedder), subject="fixture")


def read(documents: dict[str, str]) -> tuple[Document, ...]:
    """The fixture's documents, parsed as their text says."""
    parsed = [parse(text.encode(), name) for name, text in documents.items()]
    assert all(one.document for one in parsed), [str(d) for one in parsed for d in one.diagnostics]
    return tuple(one.document for one in parsed if one.document)


def classified(ctx: Context, documents: tuple[Document, ...]) -> Short:
    """`classify_document`."""
    return {d.doc_id: READER.classify_document(ctx, d).role for d in documents}


def linked(ctx: Context, documents: tuple[Document, ...]) -> Short:
    """`link_documents`."""
    found = link_documents(ctx, documents, tuple(READER.classify_document(ctx, d) for d in documents))
    facts = [
        f"{f.key} [{f.concept}] = {f.value!r}{' ' + f.unit if f.unit else ''}"
        + (f" from {f.converted_from.value:g} {f.converted_from.unit}" if f.converted_from else "")
        for f in found.facts
    ]
    tables = {r.id: {"key": r.key, "rows": [row.values for row in r.rows]} for r in found.references}
    return {"facts": facts, "references": tables}


def extracted(ctx: Context, documents: tuple[Document, ...]) -> Short:
    """`extract_procedures`."""
    ctx.diagnostics.clear()
    procedures = [p for d in documents for p in READER.extract_procedures(ctx, d)]
    if not procedures:
        return {"diagnostics": [str(d) for d in ctx.diagnostics]}
    return {p.id: _procedure(p) for p in procedures} if len(procedures) > 1 else _procedure(procedures[0])


def _procedure(procedure: Procedure) -> dict[str, Any]:
    steps = [
        f"{s.id} {s.kind} {s.actor or '-'}: {s.text}"
        + (f" ({'/'.join(s.outcomes)})" if s.outcomes else "")
        + (f" by {s.deadline.duration}" if s.deadline else "")
        + (f" to {s.recipient}" if s.recipient else "")
        + ("" if s.modality == "must" else f" [{s.modality}]")
        for s in procedure.steps
    ]
    trees = {c.id: c.predicate for c in procedure.conditions}
    short: dict[str, Any] = {"steps": steps, "flows": [_flow(f, trees) for f in procedure.flows]}
    short["facts"] = [
        f"{f.id}: {f.name} {f.type}{' ' + f.unit if f.unit else ''}" for f in procedure.facts if f.required
    ]
    short["constraints"] = [
        f"{k.modality}: {k.text}" + (f" <{to_infix(k.predicate)}>" if k.predicate else "")
        for k in procedure.constraints
    ]
    short["gaps"] = [f"{g.kind}: {g.evidence[0].quote}" for g in procedure.gaps]
    short["unplaced"] = [f"{u.reason}: {u.text}" for u in procedure.unplaced]
    short["triggers"] = [t.text for t in procedure.triggers]
    return {key: value for key, value in short.items() if value}


def _flow(flow: Flow, trees: dict[str, Tree | None]) -> str:
    tree = trees.get(flow.condition or "")
    condition = f" if {to_infix(tree)}" if tree else f" {flow.condition}" if flow.condition else ""
    return f"{flow.source} -> {flow.target}{condition}{' ' + flow.ends if flow.ends else ''}"


def _draft(ctx: Context, documents: tuple[Document, ...]) -> tuple[Workflow, Procedure]:
    (procedure,) = [
        p
        for d in documents
        if READER.classify_document(ctx, d).role == "policy"
        for p in READER.extract_procedures(ctx, d)
    ]
    return synthesize_draft(ctx, procedure, align_steps(ctx, procedure, recall_node_types(ctx, procedure))), procedure


def synthesized(ctx: Context, documents: tuple[Document, ...]) -> Short:
    """`synthesize_draft`."""
    return _workflow(_draft(ctx, documents)[0])


def completed(ctx: Context, documents: tuple[Document, ...]) -> Short:
    """`complete_draft`; completing twice is completing once."""
    draft, procedure = _draft(ctx, documents)
    once = complete_draft(ctx, draft, procedure)
    assert complete_draft(ctx, once, procedure) == once
    return _workflow(once)


def _workflow(workflow: Workflow) -> dict[str, Any]:
    policy = workflow.execution_policy
    return {
        "policy": f"{policy.risk_level}, allow_auto {policy.allow_auto}, require_approval {policy.require_approval}",
        "inputs": [
            f"{name} {spec.type}{' ' + spec.unit if spec.unit else ''}" for name, spec in workflow.inputs.items()
        ],
        "nodes": [
            f"{name}: {node.type}"
            + (f" {node.split}" if node.split else "")
            + (f" {node.status} {node.reason_code or ''}".rstrip() if node.status else "")
            + (f" asks {', '.join(node.requested_fields)}" if node.requested_fields else "")
            + ("" if node.origin == "document" else f" [{node.origin.split('@')[0]}]")
            for name, node in workflow.nodes.items()
        ],
        "edges": [_edge(edge) for edge in workflow.edges],
        "gaps": [f"{gap.kind}: {gap.question}" for gap in workflow.gaps],
    }


def _edge(edge: Edge) -> str:
    condition = {ALWAYS: "", OTHERWISE: " otherwise"}.get(edge.condition)
    if condition is None:
        assert isinstance(edge.condition, Tree)
        condition = f" if {to_infix(edge.condition)}"
    priority = f" priority {edge.priority}" if edge.priority is not None else ""
    return f"{edge.source} -> {edge.target}{condition}{priority}"


RUN: dict[str, Callable[[Context, tuple[Document, ...]], Short]] = {
    "classify_document": classified,
    "link_documents": linked,
    "extract_procedures": extracted,
    "synthesize_draft": synthesized,
    "complete_draft": completed,
}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/*.yaml")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_pass(path: Path, context: Context, accept: bool) -> None:
    """The pass gives the output that the fixture holds."""
    fixture = yaml.safe_load(path.read_text("utf-8"))
    found = RUN[path.parent.name](context, read(fixture["documents"]))
    if accept:
        fixture["output"] = found
        path.write_text(yaml.dump(fixture, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1000), "utf-8")
    assert found == fixture.get("output"), f"rerun with --accept and review {path.name}"


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None),
)
