"""What a model was asked, or would be, what it came to, and where it failed."""

from collections.abc import Iterable
from typing import Any

from compiler.build.estimate import Estimate, Sums
from compiler.build.results import Build
from flowc.source_text import SourceText
from flowc.terminal import print_line, table
from flowc.views.findings import headline, plural
from ir.diagnostics import Diagnostic
from llm.budget import Spent

_SHOWN = 3
"""How many failures of one kind are listed."""
_NOTES = (
    "each request once: an answer that is not of the form is sent back at most twice, a lost one is asked for again; "
    "--max-cost holds all of it",
    "requests after the reading (all but extract) are counted for the procedures that cue words find; "
    "a model may find others",
)


def print_model(build: Build) -> None:
    """Print where the model failed, alike failures together, and what it came to."""
    failed = [(one.doc_id, one.doc_id, fault) for one in build.documents for fault in one.diagnostics]
    of_procedures = [(one.procedure, fault) for one in build.procedures for fault in one.diagnostics]
    failed += [(procedure.doc_id, f"{procedure.doc_id}: {procedure.id}", fault) for procedure, fault in of_procedures]
    kinds: dict[str, list[tuple[str, str, Diagnostic]]] = {}
    for one in failed:
        if one[2].error_code == "model-failed":
            kinds.setdefault(str(one[2].found), []).append(one)
    if kinds or (build.spent and build.spent.asked):
        print_line()
    for kind, faults in kinds.items():
        for _, name, fault in faults[:_SHOWN]:
            print_line(headline(SourceText(name), fault))
        if len(faults) > _SHOWN:
            names = {doc_id for doc_id, _, _ in faults}
            print_line(
                f"… and {len(faults) - _SHOWN} more of this kind ({kind}), {plural(len(names), 'document')} in all"
            )
    if build.spent and build.spent.asked:
        print_line(f"model: {spent_line(build.spent)}")


def spent_line(spent: Spent) -> str:
    """What requests came to, in a line.

    >>> spent_line(Spent(asked=3, calls=2, sent=1200, received=300, cost=None))
    '3 requests, 2 calls, 1,200 tokens sent, 300 received, cost unknown (no price for the model)'
    """
    parts = [plural(spent.asked, "request"), plural(spent.calls, "call")]
    parts += [f"{spent.sent:,} tokens sent", f"{spent.received:,} received"]
    parts.append(_cost(spent))
    if spent.kept:
        parts.append(f"{plural(spent.kept, 'answer')} kept from before")
    return ", ".join(parts)


def _cost(spent: Spent) -> str:
    if spent.cost is None:
        return "cost unknown (no price for the model)"
    if spent.uncounted:
        return f"at least {_usd(spent.cost)} ({plural(spent.uncounted, 'call')} of unknown cost)"
    return _usd(spent.cost)


def estimate_json(found: Estimate) -> dict[str, Any]:
    """An estimate for programs; `null` is unknown."""
    return {
        "model": found.model,
        "documents": [{"document": name, **_sums(found.about_document(name))} for name in found.documents],
        "endpoint_trial": _sums(found.about_document("")),
        "purposes": {name: _sums(sums) for name, sums in found.by_purpose().items()},
        "total": _sums(found.total),
        "notes": list(_notes(found)),
    }


def print_estimate(found: Estimate) -> None:
    """Print what would be asked about each document and in all."""
    rows = [(name, found.about_document(name)) for name in found.documents]
    if found.about_document("").calls:
        rows.append(("(trial of the endpoint)", found.about_document("")))
    heads = [
        "document",
        "calls",
        "kept",
        "sent, about",
        "sent at most",
        "received at most",
        "cost sent",
        "cost at most",
    ]
    lines = [_row(name, sums) for name, sums in [*rows, ("in all", found.total)]]
    table(heads, lines, numbers=heads[1:], wrapped=["document"])
    print_line()
    purposes = ", ".join(f"{name} {sums.calls}" for name, sums in found.by_purpose().items() if name)
    print_line(f"{found.model}: {plural(found.total.calls, 'call')} ({purposes}); nothing was sent")
    for note in _notes(found):
        print_line(f"note: {note}")


def _notes(found: Estimate) -> Iterable[str]:
    yield _NOTES[0]
    if set(found.by_purpose()) - {"extract", "trial"}:
        yield _NOTES[1]
    if found.price is None:
        yield "the price of the model is unknown; give one with --prices"


def _row(name: str, sums: Sums) -> list[str]:
    counts = (sums.calls, sums.kept, sums.sent, sums.most_sent, sums.most_received)
    return [name, *(f"{count:,}" for count in counts), _usd(sums.usd_sent), _usd(sums.usd_most)]


def _sums(sums: Sums) -> dict[str, int | float | None]:
    return {
        "calls": sums.calls, "kept": sums.kept, "tokens_sent": sums.sent, "tokens_sent_at_most": sums.most_sent,
        "tokens_received_at_most": sums.most_received, "usd_sent": sums.usd_sent, "usd_at_most": sums.usd_most,
    }  # fmt: skip


def _usd(amount: float | None) -> str:
    return "unknown" if amount is None else f"{amount:.4f} USD"
