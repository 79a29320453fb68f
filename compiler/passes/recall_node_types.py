"""Recalls candidate Node Types for each step by searching the catalog."""

from catalog.node_type import Candidate
from compiler.context import Context
from compiler.offline.act_words import act_words
from ir.procedure import Procedure

Candidates = dict[str, tuple[Candidate, ...]]
LIMIT = 10


def recall_node_types(ctx: Context, procedure: Procedure) -> Candidates:
    """The best candidates for each step, by step id; one batch of queries for the whole procedure."""
    queries = [act_words(step, procedure.language) for step in procedure.steps]
    found = ctx.index.search_many(queries, limit=LIMIT)
    return {step.id: candidates for step, candidates in zip(procedure.steps, found, strict=True)}
