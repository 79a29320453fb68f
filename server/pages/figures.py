"""Figures of runs (OBS-3): how they ended, who was asked, which rows decided, what failed, and how long all took."""

from dataclasses import dataclass
from datetime import UTC, date, datetime

import sqlalchemy as sa
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from compiler.report.markup import Markup
from registry.versions import states
from runtime.metrics import Metrics, metrics
from server.access import Reading, Shown
from server.charts import Bar, bars
from server.errors import BadForm
from server.rendering import language_of, page
from server.site import Site
from server.words import Words
from store.tables import AUDIT

router = APIRouter()
MOST_ROWS = 30
"""Rows of a chart; its table has all of them."""


@dataclass(frozen=True)
class Chart:
    """A picture with the table that says the same.

    Args:
        key: of its words.
        of: how many runs or calls stand behind it, in words.
        head: of the columns.
        left_out: rows that only the table has.
    """

    key: str
    of: str
    svg: Markup | None
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0


@router.get("/figures")
def figures(
    request: Request, site: Shown, session: Reading, workflow: str = "", since: str = "", until: str = ""
) -> Response:  # fmt: skip
    """How runs went, of a workflow or one of its versions, begun within some days; as JSON for who asks for that."""
    name, number = _version(workflow)
    found = _counted(site, name, number, _day(since), _day(until))
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse(found.model_dump(mode="json"), headers={"Vary": "Accept"})
    with site.workspace.database.transaction() as connection:
        known = states(connection)
    names = sorted({f"{one}@v{of}" for one, of, _ in known} | {one for one, _, _ in known})
    words = Words(language_of(request))
    chosen = {"workflow": workflow, "since": since, "until": until}
    answer = page(
        request, "figures.html", session, found=found, names=names, chosen=chosen, share=lambda one: told(words, one),
        lasting=lambda seconds: length(words, seconds), charts=_charts(words, found),
    )  # fmt: skip
    answer.headers["Vary"] = "Accept"
    return answer


def told(words: Words, share: float | None) -> str:
    """A share in words; nothing is not 0 %."""
    return words("figures.none") if share is None else f"{share * 100:.1f} %"


def length(words: Words, seconds: float | None) -> str:
    """A length of time, in the largest unit of which there is one at least."""
    if seconds is None:
        return words("figures.few")
    for unit, size in (("d", 86_400.0), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= size:
            return words(f"figures.{unit}", f"{seconds / size:.1f}".removesuffix(".0"))
    return words("figures.s", f"{seconds:.2f}".rstrip("0").removesuffix("."))


def _version(name: str) -> tuple[str | None, int | None]:
    workflow_id, at, number = name.partition("@v")
    if at and not (number.isascii() and number.isdigit() and len(number) < 10):
        raise BadForm(f"{name}: expected the id of a workflow, or ID@vN for one of its versions")
    return workflow_id or None, int(number) if at else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise BadForm(f"{text[:40]}: expected a day as 2026-05-04") from None


def _counted(site: Site, name: str | None, number: int | None, since: date | None, until: date | None) -> Metrics:
    """The figures; those of a moment ago where nothing has happened since."""
    with site.workspace.database.transaction() as connection:
        last = connection.execute(sa.select(sa.func.max(AUDIT.c.sequence))).scalar_one()
    minute = f"{datetime.now(UTC):%Y-%m-%dT%H:%M}"  # a task may be overdue without an event
    key = repr(("figures", name, number, since, until, last, minute))
    return site.searches.counted(
        key, lambda: metrics(site.host, workflow=name, number=number, since=since, until=until)
    )  # fmt: skip


def _charts(words: Words, found: Metrics) -> list[Chart]:
    return [_ends(words, found), _lasted(words, found), _systems(words, found), _rules(words, found)]


def _drawn(words: Words, key: str, rows: list[Bar]) -> tuple[Markup | None, int]:
    shown = rows[:MOST_ROWS]
    return (bars(words(f"figures.{key}"), shown) if shown else None), len(rows) - len(shown)


def _ends(words: Words, found: Metrics) -> Chart:
    total = sum(found.ended.values())
    ends = sorted(found.ended.items(), key=lambda one: -one[1])
    rows = [(words.get(f"end.{name}", name), number, told(words, number / total)) for name, number in ends]
    svg, left = _drawn(words, "ends", [Bar(name, count / total, f"{count} · {share}") for name, count, share in rows])
    head = (words("figures.end"), words("figures.runs"), words("figures.share"))
    table = tuple((name, str(count), share) for name, count, share in rows)
    return Chart("ends", words("figures.of_ended", total, found.begun), svg, head, table, left)


def _lasted(words: Words, found: Metrics) -> Chart:
    total = sum(one.runs for one in found.lasted)
    rows, before = [], ""
    for one in found.lasted:
        most = "" if one.most is None else length(words, one.most)
        name = words("figures.up_to", most) if most else words("figures.beyond", before)
        rows.append((name, one.runs, told(words, one.runs / total if total else None)))
        before = most
    drawn = [Bar(name, count / total, f"{count} · {share}") for name, count, share in rows] if total else []
    svg, left = _drawn(words, "lasted", drawn)
    head = (words("figures.length"), words("figures.runs"), words("figures.share"))
    table = tuple((name, str(count), share) for name, count, share in rows) if total else ()
    return Chart("lasted", words("figures.of_ended", total, found.begun), svg, head, table, left)


def _systems(words: Words, found: Metrics) -> Chart:
    systems = sorted(found.systems.items(), key=lambda one: (-(one[1].failure_rate or 0), one[0]))
    drawn = [
        Bar(name, one.failure_rate, f"{told(words, one.failure_rate)} · {one.failed}/{one.calls}")
        for name, one in systems
    ]
    svg, left = _drawn(words, "systems", drawn)
    head = tuple(
        words(f"figures.{name}") for name in ("system", "calls", "failed", "share", "parked", "median", "p90", "p99")
    )
    table = tuple(
        (name, str(one.calls), str(one.failed), told(words, one.failure_rate), str(one.parked),
         *(length(words, value) for value in (one.seconds.median, one.seconds.p90, one.seconds.p99)))
        for name, one in systems
    )  # fmt: skip
    return Chart("systems", words("figures.of_calls", found.calls), svg, head, table, left)


def _rules(words: Words, found: Metrics) -> Chart:
    rules = sorted(found.rules.rules.items(), key=lambda one: (-one[1].hits, one[0]))
    drawn = [Bar(name, one.share, f"{told(words, one.share)} · {one.hits}") for name, one in rules]
    svg, left = _drawn(words, "rules", drawn)
    head = (words("figures.rule"), words("figures.hits"), words("figures.share"))
    table = tuple((name, str(one.hits), told(words, one.share)) for name, one in rules)
    rate = told(words, found.rules.hit_rate)
    return Chart("rules", words("figures.of_applied", found.rules.applied, rate), svg, head, table, left)
