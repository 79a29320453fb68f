"""The page of figures: what it counts, what it says where there is nothing, its filters, and what programs get."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from conftest import Browsers, Person
from ran import ID, of_runs, run, some_runs

from compiler.report.markup import Markup
from runtime.metrics import metrics
from server.charts import Bar, bars
from server.pages.figures import length, told
from server.site import Site
from server.words import Words

FILING = "io.check_filing_status"


@pytest.fixture
def site(site: Site) -> Site:
    """A site whose workspace has the first case published."""
    return of_runs(site)


def said(text: str) -> str:
    """The words of a page's overview, with single spaces."""
    overview = re.search(r'<dl class="figures">(.*?)</dl>', text, re.DOTALL)
    assert overview is not None
    return " ".join(re.sub(r"<[^>]+>", " ", overview[1]).split())


def test_nothing_is_told_as_none(site: Site, browser: Browsers) -> None:
    """Not as 0 %, and no chart is drawn of it; rows of rules are only known of versions that ran."""
    rui = browser("rui")
    english = rui.get("/figures", headers={"Accept-Language": "en"}).text
    assert said(english).startswith("Runs 0 Ended well none of 0 runs that ended")
    assert "0.0 %" not in english and "<svg" not in english and english.count("There is nothing to count yet.") == 4
    assert "成功率 无" in said(rui.get("/figures", headers={"Accept-Language": "zh"}).text)


def test_each_figure_says_what_stands_behind_it(site: Site, browser: Browsers) -> None:
    """As counted by hand; each chart has its table, and the picture has a name."""
    some_runs(site.host)
    text = browser("rui").get("/figures", headers={"Accept-Language": "en"}).text
    told_here = said(text)
    assert "Runs 6" in told_here and "Ended well 75.0 % of 4 runs that ended" in told_here
    assert "Asked a person 83.3 % 5 of 6 runs" in told_here
    assert "Overdue 0.0 % of 5 tasks" in told_here
    assert text.count("<svg") == text.count('role="img"') == 4
    assert "5 of 6 runs have ended" in text and "NO_FILE × 1" in text
    cells = re.search(rf'<th scope="row">{FILING}</th>(.*?)</tr>', text, re.DOTALL)
    assert cells is not None and re.findall(r'<td class="number">([^<]*)</td>', cells[1])[:4] == [
        "6",
        "1",
        "16.7 %",
        "0",
    ]
    assert "R-AIR-L2-LIMIT" in text


def test_programs_get_what_the_command_prints(site: Site, browser: Browsers) -> None:
    """The same figures as JSON, for who may look."""
    some_runs(site.host)
    asked = {"Accept": "application/json"}
    answer = browser("oda").get("/figures", headers=asked)
    assert answer.response.json() == metrics(site.host).model_dump(mode="json")
    assert answer.header("Vary") == "Accept"
    assert browser("bot").get("/figures", headers=asked).status == 403
    assert browser(None).get("/figures", headers=asked).path == "/sign-in"


def test_figures_are_filtered(site: Site, browser: Browsers) -> None:
    """By workflow, by version, by the days on which runs began; both days count."""
    run(site.host)
    run(site.host, None)
    rui, today = browser("rui"), datetime.now(UTC).date()
    yesterday, tomorrow = today - timedelta(days=1), today + timedelta(days=1)

    def begun(**chosen: object) -> Any:
        return rui.get("/figures", params=chosen, headers={"Accept": "application/json"}).response.json()["begun"]

    assert begun(workflow=ID) == begun(workflow=f"{ID}@v1") == begun(since=yesterday, until=tomorrow) == 2
    assert begun(since=tomorrow) == begun(until=yesterday) == 0
    assert begun(since="0001-01-01", until="9999-12-31") == 2 and begun(since="9999-12-31") == 0
    page = rui.get("/figures", params={"workflow": f"{ID}@v1", "since": str(today)}).text
    assert f"<option selected>{ID}@v1</option>" in page and f'value="{today}"' in page


@pytest.mark.parametrize(
    ("chosen", "status", "code"),
    [
        ({"workflow": "nothing"}, 404, "unknown-version"),
        ({"workflow": f"{ID}@v9"}, 404, "unknown-version"),
        ({"workflow": f"{ID}@vx"}, 400, "bad-form"),
        ({"since": "yesterday"}, 400, "bad-form"),
        ({"until": "2026-13-01"}, 400, "bad-form"),
    ],
)
def test_what_cannot_be_chosen_is_refused(browser: Browsers, chosen: dict[str, str], status: int, code: str) -> None:
    """With what was expected; never figures of something else."""
    answer = browser("rui").get("/figures", params=chosen)
    assert (answer.status, answer.code) == (status, code)


def test_what_was_counted_is_counted_again_when_something_happened(site: Site, browser: Browsers) -> None:
    """And only then: a page that is loaded anew does not read the whole audit."""
    rui, counted = browser("rui"), []
    real = site.searches.counted

    def noted(key: str, count: Any) -> Any:
        return real(key, lambda: counted.append(key) or count())  # type: ignore[func-returns-value]

    object.__setattr__(site.searches, "counted", noted)
    rui.get("/figures")
    run(site.host)
    rui.get("/figures")
    assert 2 <= len(counted) <= 3 and "Runs 1" in said(rui.get("/figures", headers={"Accept-Language": "en"}).text)


def test_bars_are_escaped_and_none_is_no_bar() -> None:
    """Names come from documents; a row of which nothing is known has its ground alone."""
    svg = bars("x", [Bar("<script>", 0.5, "50 %"), Bar("b", None, "none"), Bar("c", 0.0, "0 %"), Bar("d", 2.0, "all")])
    assert isinstance(svg, Markup) and "<script>" not in svg and "&lt;script&gt;" in svg
    assert svg.count("<rect") == 4 + 2 and "style" not in svg
    assert max(float(one) for one in re.findall(r'width="([\d.]+)"', svg)) == 640


def test_lengths_and_shares_in_words() -> None:
    """In the largest unit of which there is one; too few to tell is not nothing."""
    english = Words("en")
    shown = [length(english, one) for one in (None, 0.004, 59.0, 90.0, 3_600.0, 90_000.0)]
    assert shown == ["too few", "0 s", "59 s", "1.5 min", "1 h", "1 d"]
    assert (told(english, None), told(english, 0.0), told(Words("zh"), 1.0)) == ("none", "0.0 %", "100.0 %")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["zh-CN", "en-GB"])
def test_the_pages_in_a_browser(site: Site, address: str, chromium: Any, language: str) -> None:
    """With runs and without, held against axe and the policy; a table opens by keyboard."""
    oda = Person(chromium, address, language)
    oda.open("/figures")
    oda.sign_in("oda")
    some_runs(site.host)
    oda.open("/figures")
    oda.page.focus("details summary")
    oda.page.keyboard.press("Enter")
    assert oda.page.locator("details[open] table").count() == 1
    oda.hold()
    assert oda.faults == []
