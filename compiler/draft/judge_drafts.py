"""Holds the drafts of a document against its statements, and says of each what is open in it."""

from dataclasses import replace

from compiler.context import Context
from compiler.draft.compiled import Compiled
from compiler.fates.bearers import Part
from compiler.fates.fates import fates
from compiler.fates.verdict import read_by, verdict
from ir.decisions.decision import Decision
from ir.document import Document
from ir.verdict import StatementFate


def judge_drafts(
    ctx: Context, document: Document, drafts: tuple[Compiled, ...], model: str | None
) -> tuple[Compiled, ...]:
    """The drafts of one document, each with its verdict; none with anything weighty left open starts by itself.

    Args:
        model: the name of the model that was to read the document; None where none was.
    """
    parts = [Part(one.workflow, one.procedure) for one in drafts]
    told = fates(document, parts, ctx.catalog, ctx.decisions)
    return tuple(_judged(one, own, ctx.decisions, model) for one, own in zip(drafts, told, strict=True))


def _judged(
    one: Compiled, own: tuple[StatementFate, ...], decisions: tuple[Decision, ...], model: str | None
) -> Compiled:
    said = verdict(one.workflow, one.diagnostics, own, decisions, read_by(one.procedure.method, model))
    return replace(one if said.settled else held(one), statements=own, verdict=said)


def held(one: Compiled) -> Compiled:
    """A draft that does not start by itself."""
    policy = one.workflow.execution_policy
    if not policy.allow_auto:
        return one
    waiting = policy.model_copy(update={"allow_auto": False})
    return replace(one, workflow=one.workflow.model_copy(update={"execution_policy": waiting}))
