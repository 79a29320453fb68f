"""Recalls candidate Node Types for each step by searching the catalog."""

from catalog.node_type import Candidate
from compiler.context import Context
from compiler.text.act_words import act_words, head_words
from ir.procedure import Procedure

Candidates = dict[str, tuple[Candidate, ...]]
LIMIT = 10


def recall_node_types(ctx: Context, procedure: Procedure) -> Candidates:
    """The best candidates for each step, by step id.

    A step is searched for by the whole act and by its head alone (verb and object), since details of how and with what
    lead away from what is done; a candidate's better score counts. One batch of queries serves the whole procedure.
    """
    language = procedure.language
    whole = [act_words(step, language) for step in procedure.steps]
    heads = [head_words(step, language) for step in procedure.steps]
    found = ctx.index.search_many([*whole, *heads], limit=LIMIT)
    pairs = zip(found[: len(whole)], found[len(whole) :], strict=True)
    return {step.id: _better(*pair) for step, pair in zip(procedure.steps, pairs, strict=True)}


def _better(*searches: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    best: dict[str, Candidate] = {}
    for candidate in (candidate for search in searches for candidate in search):
        known = best.get(candidate.type)
        if known is None or candidate.dense > known.dense:
            best[candidate.type] = candidate
    return tuple(sorted(best.values(), key=lambda candidate: -candidate.score))[:LIMIT]
