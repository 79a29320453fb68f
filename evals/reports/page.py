"""A report as one HTML page that needs nothing else: figures, then the cases, the worst first, gold beside draft."""

import base64
import hashlib
from collections.abc import Iterable, Iterator
from importlib.resources import files

from compiler.report.markup import Markup, element, join
from compiler.report.templates import read_template
from evals.metrics import FOUND
from evals.reports.markdown import headlines
from evals.reports.pictures import Picture, Status
from evals.reports.report import CaseResult, Figure, SuiteResult
from evals.reports.run import Run

LOW, HIGH = 0.5, 0.8
_SHOWN = 25  # failed scenarios of a case
_NUMBERS = ("value", "95 %", "precision", "recall", "cases", "right", "wanted", "found")
KEY: tuple[tuple[Status, str], ...] = (
    ("matched", "in both"),
    ("missing", "in gold alone"),
    ("extra", "in the draft alone"),
    ("unasked", "asked for by no document, compared apart"),
)


def page(run: Run) -> str:
    """The whole page."""
    css = read_template("base.css") + files("evals.reports").joinpath("templates/report.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = element(
        "head",
        {},
        element("meta", {"charset": "utf-8"}),
        element("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element("title", {}, "flowc evaluation"),
        Markup(f"<style>{css}</style>"),
    )
    body = element("body", {}, _top(run), element("main", {}, (_suite(run, suite) for suite in run.report.suites)))
    return "<!DOCTYPE html>\n" + element("html", {"lang": "en"}, head, body) + "\n"


def _top(run: Run) -> Markup:
    made = run.report.made
    facts = [
        ("flowc", made.flowc),
        ("mode", made.mode),
        ("method", made.method),
        ("split", made.split or "all"),
        ("commit", (made.commit or "unknown")[:12]),
        ("embedder", made.embedder),
        ("seconds", f"{run.report.seconds:.1f}"),
        *made.versions.items(),
    ]
    said = [element("span", {}, f"{name} ", element("b", {}, value)) for name, value in facts]
    title = element("h1", {}, "Evaluation")
    return element("header", {"class": "top"}, title, element("div", {"class": "facts"}, said))


def _suite(run: Run, suite: SuiteResult) -> Markup:
    cases = [_case(suite, case, run.pictures.get(f"{suite.name}/{case.slug}", ())) for case in suite.worst_first]
    return element(
        "section",
        {},
        element("h2", {}, f"{suite.name}: {len(suite.cases)} cases"),
        _figures(suite),
        element("h3", {}, "Cases, the worst first"),
        cases,
    )


def _figures(suite: SuiteResult) -> Markup:
    heads = ["metric", "value", "95 %", "precision", "recall", "cases"]
    rows = [element("tr", {}, _row(figure)) for figure in suite.figures.values()]
    return _table(heads, rows)


def _table(heads: Iterable[str], rows: Iterable[Markup]) -> Markup:
    row = element(
        "tr",
        {},
        (element("th", {"scope": "col", "class": "number" if name in _NUMBERS else None}, name) for name in heads),
    )
    table = element("table", {}, element("thead", {}, row), element("tbody", {}, rows))
    return element("div", {"class": "scroll"}, table)


def _row(figure: Figure) -> Iterator[Markup]:
    tally, interval = figure.tally, figure.interval
    yield element("td", {}, figure.name)
    yield _value(figure.value)
    yield _number(f"{interval.low:.2f}–{interval.high:.2f}" if interval else "")
    parted = tally.wanted != tally.found or figure.name in FOUND
    yield _number(f"{tally.precision:.3f}" if parted else "")
    yield _number(f"{tally.recall:.3f}" if parted else "")
    yield _number(str(figure.cases))


def _number(text: str) -> Markup:
    return element("td", {"class": "number"}, text)


def _value(value: float) -> Markup:
    grade = "low" if value < LOW else "high" if value >= HIGH else "middle"
    return element("td", {"class": f"number {grade}"}, f"{value:.3f}")


def _case(suite: SuiteResult, case: CaseResult, pictures: tuple[Picture, ...]) -> Markup:
    names = [name for name in headlines(suite) if name in case.metrics]
    values = [element("span", {"class": "value"}, f"{name} {case.metrics[name].value:.2f}") for name in names]
    about = ", ".join([case.language, case.split, *case.features])
    crash = element("p", {"class": "crash"}, f"crashed: {case.crash}; it counts as missed") if case.crash else None
    figures = [
        element("tr", {}, element("td", {}, name), _value(tally.value), _number(f"{tally.right:g}"),
                _number(f"{tally.wanted:g}"), _number(f"{tally.found:g}"))
        for name, tally in case.metrics.items()
    ]  # fmt: skip
    return element(
        "details",
        {"id": f"{suite.name}-{case.slug}"},
        element("summary", {}, case.slug, values),
        element("p", {"class": "muted"}, f"{case.title} ({about})"),
        crash,
        element(
            "details",
            {},
            element("summary", {}, "Figures"),
            _table(["metric", "value", "right", "wanted", "found"], figures),
        ),
        (_picture(picture) for picture in pictures),
        _failures(case),
    )


def _failures(case: CaseResult) -> Markup | None:
    if not case.failures:
        return None
    rows = [
        element(
            "tr",
            {},
            element("td", {}, _kind_of(one.scenario), one.scenario),
            element("td", {}, join(one.differences, "; ")),
        )
        for one in case.failures[:_SHOWN]
    ]
    return _folded(_counted(len(case.failures)), _table(["scenario", "difference"], rows))


def _kind_of(scenario: str) -> Markup | None:
    """A mark at scenarios that were generated from one of the case by another value."""
    return element("span", {"class": "muted"}, "generated: ") if "; $." in scenario else None


def _counted(failures: int) -> str:
    more = f", of which the first {_SHOWN} are shown; report.json has all" if failures > _SHOWN else ""
    return f"Scenarios that went otherwise than in gold: {failures}{more}"


def _folded(title: str, inside: Markup) -> Markup:
    return element("details", {}, element("summary", {}, title), inside)


def _picture(picture: Picture) -> Markup:
    key = element("p", {"class": "key"}, (element("span", {"class": mark}, words) for mark, words in KEY))
    sides = element(
        "div",
        {"class": "sides"},
        _side("Gold", picture.gold, picture.gold_marks),
        _side("Draft", picture.draft, picture.draft_marks),
    )
    rows = [
        element("tr", {}, element("td", {"class": row.status}, row.status), element("td", {}, row.gold),
                element("td", {}, row.gold_quote), element("td", {}, row.draft), element("td", {}, row.draft_quote))
        for row in picture.rows
    ]  # fmt: skip
    table = _table(["", "gold", "words", "draft", "words"], rows)
    return element("div", {}, element("h3", {}, picture.title), key, sides, _folded("Nodes and their words", table))


def _side(name: str, drawing: str | None, marks: dict[str, Status]) -> Markup:
    if drawing is None:
        return element("div", {"class": "side"}, element("h4", {}, f"{name}: none"))
    for node, mark in marks.items():
        named = element("g", {"data-node": node}).removeprefix("<g ").removesuffix("></g>")
        drawing = drawing.replace(named, f'{named} data-mark="{mark}"')
    return element("div", {"class": "side"}, element("h4", {}, name), Markup(drawing))
