"""What became of the statements of a document, on a review page: chips in the text, and the list of constraints."""

from compiler.report.markup import Child, Markup, element, join
from compiler.report.review.parts import Page, chip, facts, section
from ir.verdict import SET_ASIDE, StatementFate

_LISTED = ("unenforced", "question", "enforced")


def fate_chip(page: Page, index: int) -> Markup | None:
    """The mark behind a statement that says what became of it; None for what demands nothing."""
    one = page.review.statements[index]
    if one.fate in SET_ASIDE:
        return None
    bearers = page.words("list_comma").join(page.names.get(key, key) for key in page.keys_of(one.by))
    told = page.words(f"fate.{one.fate}") + (f": {bearers}" if bearers else f": {one.reason}" if one.reason else "")
    return element("span", {"class": f"fate f-{one.fate}", "title": told}, page.words(f"fate_mark.{one.fate}"))


def constraints_panel(page: Page) -> Markup:
    """How many statements became what; then what the document forbids or demands beside its steps, the open first."""
    words, statements = page.words, page.review.statements
    if not statements:
        return element("p", {"class": "empty"}, words("no_statements"))
    counted = page.verdict.statements
    parts = ("carried", "constraint", "question", "unplaced", "set_aside")
    figures = [(words(f"statements.{name}"), str(getattr(counted, name))) for name in parts]
    listed = [(index, one) for index, one in enumerate(statements) if one.prohibition or one.fate in _LISTED[::2]]
    sections = [
        section(f"{words(f'fate.{fate}')} ({len(own)})", join([_card(page, index, one) for index, one in own]))
        for fate in _LISTED
        if (own := [(index, one) for index, one in listed if _group(one) == fate])
    ]
    intro = element("p", {"class": "muted"}, words("statements.intro", counted.all))
    return join([intro, facts(figures), *(sections or [element("p", {"class": "empty"}, words("no_constraints"))])])


def _group(one: StatementFate) -> str:
    if one.fate in _LISTED:
        return one.fate
    return "unenforced" if one.prohibition == "unenforced" else "enforced"


def _card(page: Page, index: int, one: StatementFate) -> Markup:
    words, key = page.words, f"s{index}"
    status = words(f"prohibition.{one.prohibition}") if one.prohibition else None
    sort = {"unenforced": "severity-error", "accepted": "warn", "enforced": "good"}.get(one.prohibition or "", "")
    bearers: Child = page.links(page.keys_of(one.by)) if page.keys_of(one.by) else None
    by = words("enforced_by") if one.fate == "enforced" or one.prohibition == "enforced" else words("about")
    pick = element("button", {"type": "button", "class": "pick", "data-select": key}, one.text)
    return element(
        "article",
        {"class": f"card fate-{one.fate}", "data-key": key, "data-hash": f"statement={index}"},
        element("p", {"class": "chips"}, chip(status, sort) if status else None),
        pick,
        facts([(by, bearers), (words("reason"), one.reason)]),
    )
