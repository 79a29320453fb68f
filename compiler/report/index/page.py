"""The front page of a build: its documents and procedures as tables, its totals, what it took."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from compiler.report.index.sortable import Cell, sortable_table
from compiler.report.markup import Attributes, Child, Markup, element, join
from compiler.report.review.page import html_page
from compiler.report.review.parts import chip
from compiler.report.words import Words
from ir.source import Language, MediaKind
from ir.verdict import Verdict
from ir.workflow import RiskLevel

_STEPS = ("executable", "manual", "unmapped")


@dataclass(frozen=True)
class DocumentRow:
    """One document of a build.

    Args:
        name: path relative to the folder that was compiled.
        kind: None where the content could not be told.
        role: None where the document was refused before it was read.
        procedures: how many were found in it.
        refused: why it was not compiled, a sentence; None where it was.
        code: the code of the fault, where it was refused.
        folder: the document's folder, relative to the page; None for no link.
    """

    name: str
    kind: MediaKind | None = None
    pages: int | None = None
    role: Literal["policy", "reference", "form", "none"] | None = None
    procedures: int = 0
    refused: str | None = None
    code: str | None = None
    folder: str | None = None


@dataclass(frozen=True)
class ProcedureRow:
    """One procedure of a build.

    Args:
        document: the name of its document.
        review: the review page, relative to this page; None for no link.
        errors: of the validator and against the document.
        verdict: what the draft says of itself.
    """

    title: str
    document: str
    review: str | None
    errors: int
    warnings: int
    verdict: Verdict
    risk: RiskLevel | None = None


@dataclass(frozen=True)
class WorkRow:
    """What one pass took in all; None means unknown, which is never shown as zero.

    Args:
        seconds: of processor and waiting, summed over documents.
        calls: calls of a model.
        cost: in the build's currency.
    """

    name: str
    seconds: float | None
    calls: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None


@dataclass(frozen=True)
class BuildIndex:
    """A build as its front page shows it.

    Args:
        title: the folder's name.
        facts: further names and values for the head of the page: compiler, mode, model, catalog, date.
        seconds: the whole build by the clock.
        currency: for costs, as in `USD`.
    """

    title: str
    language: Language
    documents: tuple[DocumentRow, ...] = ()
    procedures: tuple[ProcedureRow, ...] = ()
    work: tuple[WorkRow, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    seconds: float | None = None
    currency: str = "USD"


def render_index(index: BuildIndex) -> str:
    """The whole page as one HTML file that needs nothing else."""
    words = Words(index.language)
    body = join(
        [
            _header(index, words),
            element("main", {}, _procedures(index, words), _documents(index, words), _work(index, words)),
        ]
    )
    return html_page(f"{index.title} · {words('index')}", words, body, style="index.css", script="index.js")


def _header(index: BuildIndex, words: Words) -> Markup:
    rows = index.procedures
    refused = sum(row.refused is not None for row in index.documents)
    invalid = sum(row.errors > 0 for row in rows)
    verdicts = [row.verdict for row in rows]
    figures: list[tuple[str, int, str]] = [
        (words("index.documents"), len(index.documents), ""),
        (words("refused"), refused, "bad" if refused else ""),
        (words("index.procedures"), len(rows), ""),
        (words("state.errors"), invalid, "bad" if invalid else ""),
        (words("col.warnings"), sum(row.warnings for row in rows), ""),
        (words("col.gaps"), sum(one.questions.all for one in verdicts), ""),
        (words("col.weighty"), sum(one.questions.weighty for one in verdicts), ""),
        (words("col.unenforced"), sum(one.prohibitions.unenforced for one in verdicts), ""),
        (words("col.steps"), sum(one.steps.all for one in verdicts), ""),
    ]
    tiles = [
        element("div", {"class": f"tile {sort}".strip()}, element("b", {}, str(number)), element("span", {}, name))
        for name, number, sort in figures
    ]
    shares = _shares(words, *(sum(getattr(one.steps, name) for one in verdicts) for name in _STEPS))
    tiles.append(element("div", {"class": "tile wide"}, shares, element("span", {}, words("col.shares"))))
    facts = [element("span", {"class": "fact"}, f"{name} ", element("b", {}, value)) for name, value in index.facts]
    title = element("div", {"class": "title"}, element("h1", {}, index.title), chip(words("index")))
    return element(
        "header",
        {"class": "top"},
        title,
        element("div", {"class": "facts"}, facts) if facts else None,
        element("div", {"class": "tiles"}, tiles),
    )


def _shares(words: Words, executable: int, manual: int, unmapped: int) -> Markup:
    """A bar of three parts with its numbers."""
    total = executable + manual + unmapped
    numbers = f"{executable} / {manual} / {unmapped}"
    if not total:
        return element("span", {"class": "muted"}, numbers)
    size: Attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "width": 90,
        "height": 8,
        "role": "img",
        "aria-label": numbers,
    }
    parts, x = [], 0.0
    for name, number in zip(_STEPS, (executable, manual, unmapped), strict=True):
        width = 90 * number / total
        title = element("title", {}, f"{words(f'steps.{name}')} {number} ({number / total:.0%})")
        parts.append(element("rect", {"class": name, "x": x, "width": width, "height": 8}, title))
        x += width
    return element("span", {"class": "shares"}, element("svg", size, parts), element("span", {}, numbers))


def _link(text: str, target: str | None) -> Child:
    """A link to a file of the build; whatever the file is called, it stays a path below the page."""
    return element("a", {"href": "./" + quote(target, safe="/")}, text) if target else text


def _number(value: int, *, bad: bool = False) -> Cell:
    return Cell(element("b", {"class": "bad"}, str(value)) if bad and value else str(value), value, number=True)


def _procedures(index: BuildIndex, words: Words) -> Markup:
    risks: dict[str | None, int] = {None: 0, "low": 1, "medium": 2, "high": 3}
    rows = []
    for row in index.procedures:
        said = row.verdict
        name = "errors" if row.errors else "settled" if said.settled else "open"
        state = chip(words(f"state.{name}"), {"errors": "severity-error", "settled": "good"}.get(name, "warn"))
        risk = chip(words(f"risk.{row.risk}"), f"risk-{row.risk}") if row.risk else words("unknown")
        unmapped = said.steps.unmapped / said.steps.all if said.steps.all else 0.0
        cells = [
            Cell(_link(row.title, row.review), row.title),
            Cell(row.document, row.document),
            Cell(state, ("settled", "open", "errors").index(name)),
            _number(row.errors, bad=True),
            _number(row.warnings),
            _number(said.questions.all),
            _number(said.questions.weighty, bad=True),
            _number(said.prohibitions.unenforced, bad=True),
            _number(said.steps.all),
            Cell(_shares(words, said.steps.executable, said.steps.manual, said.steps.unmapped), unmapped),
            Cell(risk, risks[row.risk]),
            Cell(said.read_by, said.read_by),
        ]
        rows.append((bool(row.errors or row.warnings or not said.settled), cells))
    columns = [
        "title", "document", "state", "errors", "warnings", "gaps", "weighty", "unenforced", "steps", "shares", "risk",
        "read_by",
    ]  # fmt: skip
    return sortable_table(words, "procedures", [f"col.{name}" for name in columns], rows, "no_procedures")


def _documents(index: BuildIndex, words: Words) -> Markup:
    rows = []
    for row in index.documents:
        code = element("code", {}, row.code) if row.code else None
        reason = element("span", {"class": "reason"}, code, " ", row.refused) if row.refused is not None else None
        state = chip(words("refused"), "severity-error") if row.refused is not None else chip(words("ok"), "good")
        cells = [
            Cell(_link(row.name, row.folder), row.name),
            Cell(row.kind.upper() if row.kind else words("unknown"), row.kind or ""),
            Cell("—" if row.pages is None else str(row.pages), -1 if row.pages is None else row.pages, number=True),
            Cell(words(f"role.{row.role}") if row.role else "—", row.role or ""),
            _number(row.procedures),
            Cell(join([state, reason]), int(row.refused is not None)),
        ]
        rows.append((row.refused is not None, cells))
    columns = ["document", "kind", "pages", "role", "procedures", "status"]
    return sortable_table(words, "documents", [f"col.{name}" for name in columns], rows, "no_documents")


def _work(index: BuildIndex, words: Words) -> Markup | None:
    if not index.work and index.seconds is None:
        return None

    def shown(value: float | None, form: str) -> str:
        return words("unknown") if value is None else format(value, form)

    def line(name: str, row: WorkRow, *, last: bool = False) -> Markup:
        texts = [str(row.calls), shown(row.seconds, ",.1f")]
        texts += [shown(number, ",") if row.calls else "—" for number in (row.tokens_in, row.tokens_out)]
        texts.append(shown(row.cost, ",.4f") if row.calls else "—")
        cells = [element("td", {"class": "number"}, text) for text in texts]
        return element("tr", {"class": "total" if last else None}, element("th", {"scope": "row"}, name), cells)

    heads = ["work", "calls", "seconds", "tokens_in", "tokens_out", "cost"]
    names = [words(f"col.{name}") + (f" ({index.currency})" if name == "cost" else "") for name in heads]
    head = [
        element("th", {"scope": "col", "class": "number" if place else None}, name) for place, name in enumerate(names)
    ]
    body = [line(row.name, row) for row in index.work]
    body.append(line(words("total"), total_work(index.work), last=True))
    clock = (
        element("p", {"class": "muted"}, f"{words('index.clock')}: {index.seconds:,.1f} s")
        if index.seconds is not None
        else None
    )
    table = element(
        "table", {"class": "work"}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, body)
    )
    return element(
        "section",
        {},
        element("div", {"class": "bar"}, element("h2", {}, words("index.cost"))),
        element("div", {"class": "scroll"}, table),
        clock,
    )


def total_work(rows: Iterable[WorkRow]) -> WorkRow:
    """The sum of the rows; a sum over anything unknown is unknown, passes without calls having no tokens to know.

    >>> total_work([WorkRow("a", 1.0), WorkRow("b", 2.0, 1, 10, 5, None)])
    WorkRow(name='', seconds=3.0, calls=1, tokens_in=10, tokens_out=5, cost=None)
    """
    kept = list(rows)
    called = [row for row in kept if row.calls]

    def total(values: list[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return sum(known) if len(known) == len(values) else None

    tokens = [total([row.tokens_in for row in called]), total([row.tokens_out for row in called])]
    whole = [None if number is None else int(number) for number in tokens]
    seconds = total([row.seconds for row in kept])
    return WorkRow("", seconds, sum(row.calls for row in kept), whole[0], whole[1], total([row.cost for row in called]))
