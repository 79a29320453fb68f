"""Tables that a reader can sort and filter."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from compiler.report.markup import Child, Markup, element
from compiler.report.words import Words


@dataclass(frozen=True)
class Cell:
    """One cell: what it shows, by what it sorts, and whether it is a number."""

    shown: Child
    key: str | float
    number: bool = False


def sortable_table(
    words: Words, name: str, columns: Sequence[str], rows: Iterable[tuple[bool, Sequence[Cell]]], empty: str
) -> Markup:
    """A table that sorts by its column heads and filters by text and by whether a row has findings."""
    kept = list(rows)
    title = words(f"index.{name}")
    if not kept:
        return element("section", {}, element("h2", {}, title), element("p", {"class": "empty"}, words(empty)))
    numbers = [cell.number for cell in kept[0][1]]
    heads = [
        element(
            "th",
            {"scope": "col", "aria-sort": "none", "class": "number" if number else None},
            element("button", {"type": "button"}, words(column)),
        )
        for column, number in zip(columns, numbers, strict=True)
    ]
    lines = [
        element(
            "tr",
            {"class": "faulty" if faulty else None},
            (
                element("td", {"data-key": cell.key, "class": "number" if cell.number else None}, cell.shown)
                for cell in cells
            ),
        )
        for faulty, cells in kept
    ]
    only = element(
        "label", {}, element("input", {"type": "checkbox", "class": "only"}), " ", words("index.only_faults")
    )
    search = element(
        "input",
        {
            "type": "search",
            "class": "filter",
            "placeholder": words("index.filter"),
            "aria-label": f"{title}: {words('index.filter')}",
        },
    )
    shown = element("span", {"class": "muted shown", "data-text": words("index.shown"), "aria-live": "polite"}, "")
    bar = element("div", {"class": "bar"}, element("h2", {}, title), search, only, shown)
    table = element(
        "table", {"class": "sortable"}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, lines)
    )
    return element("section", {"class": "listing"}, bar, element("div", {"class": "scroll"}, table))
