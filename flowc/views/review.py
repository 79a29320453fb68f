"""What is to be looked at in a draft, what became of its statements, and what a decision would change."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import JsonValue

from flowc.terminal import clean, one_line, paint, print_line, table
from flowc.views.findings import plural
from ir.verdict import FATES, SET_ASIDE, StatementFate
from review.decide import Preview
from review.forms import Form
from review.queue import Item, Risk, progress

if TYPE_CHECKING:
    from review.status import Status

_TITLES = {
    Risk.DECISION: "decisions that do not hold any more",
    Risk.PROHIBITION: "prohibitions that nothing enforces",
    Risk.APPROVAL: "approvals",
    Risk.QUESTION: "weighty questions",
    Risk.UNMAPPED: "steps that no Node Type fits",
    Risk.DIFFERS: "read in two ways",
    Risk.INFERRED: "without words of the document",
    Risk.UNPLACED: "texts without a place",
    Risk.FINDING: "with findings or lesser questions",
    Risk.PLAIN: "the rest",
}


def print_items(items: Sequence[Item], statements: Sequence[StatementFate]) -> None:
    """What is open, by its risk; then the texts that demand something and have no place."""
    _print_by_risk(items, ids=True)
    unplaced = [one for one in statements if one.fate == "unplaced"]
    if unplaced:
        print_line(paint(f"texts without a place ({len(unplaced)}):", "bold"))
    for text in unplaced:
        reason = f" ({clean(text.reason)})" if text.reason else ""
        print_line(f"  {text.block}: {clean(one_line(text.text))}{reason}")
    count = len(items) + len(unplaced)
    print_line(f"{plural(count, 'thing')} open" if count else "nothing open")


def print_queue(items: Sequence[Item]) -> None:
    """Everything that can be decided on, by its risk, and how much is decided."""
    _print_by_risk(items, ids=False)
    decided, whole = progress(items)
    print_line(f"{decided} of {whole} decided")


def _print_by_risk(items: Sequence[Item], *, ids: bool) -> None:
    for risk, title in _TITLES.items():
        own = [one for one in items if one.risk is risk]
        if own:
            print_line(paint(f"{title} ({len(own)}):", "bold"))
        for one in own:
            done = "" if one.open or one.decision is None else f" [{one.decision.kind}: {clean(one.decision.author)}]"
            why = f" ({', '.join(one.why)})" if risk is Risk.DECISION else ""
            print_line(f"  {one.id if ids and one.id else one.key}: {clean(one_line(one.title))}{why}{done}")


def print_statements(statements: Sequence[StatementFate]) -> None:
    """Each statement with what became of it, and how many there are of each kind."""
    rows = [
        [one.block, _fate(one), clean(one_line(one.text)), " ".join(one.by) or one.reason or ""] for one in statements
    ]
    table(["place", "fate", "words", "by"], rows, wrapped=["words", "by"])
    kinds = [one.fate for one in statements]
    counted = [f"{kinds.count(fate)} {fate}" for fate in FATES if fate in kinds]
    aside = sum(kind in SET_ASIDE for kind in kinds)
    print_line(f"{plural(len(kinds), 'statement')}: {', '.join(counted)}; {aside} of them demand nothing")


def print_forms(item: Item, forms: Sequence[Form]) -> None:
    """The operations that may be made on an item, each with its fields and what stands there now."""
    print_line(paint(f"{item.key}: {clean(one_line(item.title))}", "bold"))
    for form in forms:
        fields = [f"{one.name}={clean(one_line(one.value)) or '…'}" for one in form.fields]
        print_line(f"  {form.do} {' '.join(fields)}".rstrip())


def print_preview(looked: Preview) -> None:
    """What a decision changes by meaning, and the findings that come and go."""
    if looked.changes is not None:
        for change in looked.changes.changes:
            what = f"{change.part} {clean(change.name)}" + (f": {change.aspect}" if change.aspect else "")
            print_line(f"  {change.kind} {what}")
        for choice in looked.changes.choices:
            print_line(f"  runs choose: {choice.verdict} at {clean(choice.at or 'the start')}")
    else:
        print_line("  nothing of the workflow changes")
    for sign, found in (("+", looked.new), ("-", looked.gone)):
        for one in found:
            print_line(f"  {sign} {clean(str(one))}")


def print_status(status: "Status") -> None:
    """How many decisions there are of each kind, and each that does not hold with the reason."""
    rows = [[kind, *(str(counts.get(state, 0)) for state in status.STATES)] for kind, counts in status.counts.items()]
    if rows:
        table(["kind", *status.STATES], rows)
    for trouble in status.troubles:
        print_line(f"{trouble.code}: {clean(trouble.id)}: {clean(one_line(trouble.message or ''))}")
    print_line(
        f"{status.decided} of {status.whole} things decided; {plural(len(status.troubles), 'decision')} to look at"
    )


def item_json(one: Item) -> dict[str, JsonValue]:
    """An item for programs."""
    return {
        "key": one.key, "subject": one.subject, "id": one.id, "title": one.title,
        "quotes": [[words, block] for words, block in one.words], "standing": one.standing,
        "risk": one.risk.name.lower(), "why": list(one.why), "open": one.open,
        "decision": one.decision.id if one.decision else None,
    }  # fmt: skip


def items_json(items: Sequence[Item], statements: Sequence[StatementFate]) -> list[JsonValue]:
    """What is open for programs; texts without a place have the subject `text`."""
    unplaced = (one.to_json() for one in statements if one.fate == "unplaced")
    return [*map(item_json, items), *({"subject": "text", **one} for one in unplaced)]


def _fate(one: StatementFate) -> str:
    return f"{one.fate}, forbidden: {one.prohibition}" if one.prohibition else one.fate
