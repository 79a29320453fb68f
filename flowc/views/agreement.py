"""Where two readers of a draft agree, and where they differ."""

from pydantic import JsonValue

from flowc.terminal import clean, one_line, paint, print_line, table
from ir.decisions.decision import Decision
from review.agreement import Agreement, Count, Disagreement, Judgement


def key_of(difference: Disagreement) -> str:
    """What a difference is called on the command line."""
    return f"{difference.element.kind}:{difference.element.id}"


def print_agreement(found: Agreement, *, shown: bool) -> None:
    """Counts and alpha by kind, then the differences where they may be seen."""
    first, second = map(clean, found.readers)
    counts = [(f"{kind}s", count) for kind, count in found.by_kind.items()] + [("all", found.whole)]
    rows = [
        [name, *map(str, _figures(count)), str(count.same) if shown else "-", _alpha(count) if shown else "-"]
        for name, count in counts
    ]
    table(["", "of the draft", f"judged by {first}", f"by {second}", "by both", "alike", "alpha"], rows)
    for name, count in counts:
        if shown and count.why_not is not None and count.both:
            print_line(f"no alpha over {name}: {count.why_not}")
    if not shown:
        whole = found.whole
        left = [
            f"{name} has {whole.elements - done} left" for name, done in zip(
                (first, second), (whole.first, whole.second), strict=True
            ) if done < whole.elements
        ]  # fmt: skip
        print_line(f"{' and '.join(left)}: where they differ is shown when both are done")
        return
    open_ = sum(one.settled_by is None for one in found.differences)
    print_line(paint(f"differences ({len(found.differences)}, {open_} of them not settled):", "bold"))
    for one in found.differences:
        print_line(f"  {key_of(one)}: {clean(one_line(one.element.name))}")
        for words in one.words:
            print_line(f"    “{clean(one_line(words))}”")
        for reader, judgement in zip(found.readers, (one.first, one.second), strict=True):
            print_line(f"    {clean(reader)}: {_told(judgement)}")
        by = one.settled_by
        said = f"settled by {by.author}: {by.reason}" if by else "open; `flowc review settle` takes one of them"
        print_line(f"    {clean(one_line(said))}")


def _figures(count: Count) -> tuple[int, ...]:
    return count.elements, count.first, count.second, count.both


def _alpha(count: Count) -> str:
    return "-" if count.alpha is None else f"{count.alpha:.2f}"


def _told(judgement: Judgement) -> str:
    return clean(one_line("; ".join(_said(one) for one in judgement.decisions)))


def _said(decision: Decision) -> str:
    """A decision with what it wants, and why."""
    value = decision.value
    if value is None or isinstance(value, str):
        return f"{decision.kind} ({decision.reason})"
    fields = value.to_json()
    wanted = [f"{name}={fields[name]}" for name in ("field", "value", "text", "duration", "type") if name in fields]
    return f"{value.do} {' '.join(wanted)} ({decision.reason})"


def agreement_json(found: Agreement, *, shown: bool) -> dict[str, JsonValue]:
    """The same for programs; differences are null as long as they may not be seen."""
    listed: list[JsonValue] = [
        {
            "key": key_of(one), "name": one.element.name, "words": list(one.words),
            "judgements": [
                {"reader": reader, "value": side.value, "decisions": [each.to_json() for each in side.decisions]}
                for reader, side in zip(found.readers, (one.first, one.second), strict=True)
            ],
            "settled_by": one.settled_by.to_json() if one.settled_by else None,
        }
        for one in found.differences
    ]  # fmt: skip
    return {
        "readers": list(found.readers), "done": found.done, "all": _count(found.whole, shown=shown),
        "by_kind": {kind: _count(count, shown=shown) for kind, count in found.by_kind.items()},
        "differences": listed if shown else None,
    }  # fmt: skip


def _count(count: Count, *, shown: bool) -> dict[str, JsonValue]:
    """A count; how many are alike would tell a reader who is not done what the other said."""
    listed: dict[str, JsonValue] = dict(zip(("elements", "first", "second", "both"), _figures(count), strict=True))
    told: dict[str, JsonValue] = {"same": count.same, "alpha": count.alpha, "why_not": count.why_not}
    return listed | (told if shown else dict.fromkeys(told))
