"""The page of the audit: what it shows to whom, its filters and pages, and what verification says."""

import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import ADDRESS, ORIGIN, Answer, Browser, Browsers, Person
from ran import INPUTS, of_runs, run, some_runs
from starlette.testclient import TestClient

from runtime.privacy.settings import Privacy
from server.app import make_app
from server.pages.audit import MOST_ROWS
from server.site import Site
from server.words import TEMPLATES
from store import audit
from store.tables import AUDIT

LINES = """cells => cells.map(cell => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return range.getClientRects().length;
})"""
"""In how many lines each cell's text stands."""
BOTTOMS = "fields => fields.map(one => Math.round(one.getBoundingClientRect().bottom))"
"""Where each field ends, in pixels."""


@pytest.fixture
def site(site: Site) -> Site:
    """A site whose workspace has the first case published."""
    return of_runs(site)


def numbers(answer: Answer) -> list[int]:
    """The numbers of the events on a page, in their order."""
    return [int(one) for one in re.findall(r'<tr>\s*<td class="number">(\d+)</td>', answer.text)]


def kinds(answer: Answer) -> set[str]:
    """The kinds of the events on a page."""
    return set(re.findall(r'<span class="sub">([a-z-]+)</span></th>', answer.text))


def note(site: Site, count: int, kind: str = "noted", by: str = "li") -> None:
    """Have so many more events."""
    with site.workspace.transaction() as connection:
        audit.extend(connection, [audit.Note(kind, by, {"n": one}) for one in range(count)])


def verified(browser: Browser) -> str:
    """What a verification says."""
    answer = browser.send("/audit/verify", page="/audit")
    assert answer.status == 200
    found = re.search(
        r'<section class="card" aria-labelledby="verified">(.*?)<div class="fields', answer.text, re.DOTALL
    )
    assert found is not None
    return " ".join(re.sub(r"<[^>]+>", " ", found[1]).split())


@pytest.mark.parametrize(
    ("name", "status"),
    [("wen", 200), ("oda", 200), ("zhao", 200), ("rui", 403), ("li", 403), ("ren", 403), ("bot", 403), ("guest", 403)],
)
def test_who_may_look(browser: Browsers, name: str, status: int) -> None:
    """Who owns, operates or approves; others see no link either, and may neither verify, sign nor take the heads."""
    found = browser(name)
    assert found.get("/audit").status == found.get("/audit/heads").status == status
    if status == 403:
        assert 'href="/audit"' not in found.get("/registry").text
        token = re.search(r'name="csrf" value="([^"]+)"', found.get("/nothing").text)
        assert token is not None
        for act in ("verify", "head"):
            sent = found.client.post(f"/audit/{act}", data={"csrf": token[1]}, headers=ORIGIN)
            assert (sent.status_code, Answer(sent).code) == (403, "not-allowed")


def test_the_newest_first_a_page_at_a_time(site: Site, browser: Browsers) -> None:
    """Every event is on one page, in one order, and nothing that comes meanwhile moves it."""
    note(site, 2 * MOST_ROWS)
    oda = browser("oda")
    with site.workspace.transaction() as connection:
        last = sum(1 for _ in audit.events(connection))
    answer, found = oda.get("/audit"), []
    assert numbers(answer)[0] == last
    while True:
        found += numbers(answer)
        link = re.search(r'<a href="(/audit\?[^"]*)" rel="next">', answer.text)
        if link is None:
            break
        note(site, 1)
        answer = oda.get(link[1].replace("&amp;", "&"))
    assert found == [*range(last, 0, -1)]


def test_events_are_filtered(site: Site, browser: Browsers) -> None:
    """By kind, run, who acted and day; a filter goes along to older pages."""
    first, second = run(site.host), run(site.host, None)
    note(site, MOST_ROWS + 5, by="ghost")
    oda = browser("oda")
    assert kinds(oda.get("/audit", params={"kind": "began"})) == {"began"}
    assert len(numbers(oda.get("/audit", params={"kind": "began"}))) == 2
    assert {"began", "ended"} <= kinds(oda.get("/audit", params={"run": f" {first} "}))
    assert "ended" not in kinds(oda.get("/audit", params={"run": second}))
    page = oda.get("/audit", params={"principal": "ghost"})
    older = re.search(r'<a href="(/audit\?[^"]*)" rel="next">', page.text)
    assert older is not None and len(numbers(page)) == MOST_ROWS
    assert len(numbers(oda.get(older[1].replace("&amp;", "&")))) == 5
    assert numbers(oda.get("/audit", params={"since": "2999-01-01"})) == []
    assert numbers(oda.get("/audit", params={"until": "1999-01-01"})) == []
    assert numbers(oda.get("/audit", params={"kind": "nothing"})) == []
    for wrong in ({"since": "soon"}, {"before": "0"}, {"before": "x"}, {"before": str(2**60)}):
        assert oda.get("/audit", params=wrong).status == 400


def test_hidden_values_stay_hidden(site: Site, browser: Browsers) -> None:
    """As `flowc audit export` masks them, for everybody."""
    private = of_privacy(site)
    run(private.host, None)
    text = browser_at(private, "wen").get("/audit").text
    assert INPUTS["substance_name"] not in text
    assert html_of({"masked": "personal"}) in text
    assert INPUTS["transport_mode"] in text


def of_privacy(site: Site) -> Site:
    """The site with the name of the substance said to be personal."""
    private = Privacy(fields={"transport-compliance.substance_name": "personal"})
    return replace(site, host=replace(site.host, privacy=private))


def browser_at(site: Site, name: str) -> Browser:
    """Somebody's browser at a site."""
    found = Browser(TestClient(make_app(site), base_url=ADDRESS, raise_server_exceptions=False))
    found.sign_in(name)
    return found


def html_of(value: object) -> str:
    """A value as a page shows it."""
    return json.dumps(value).replace('"', "&#34;")


def test_a_whole_chain_is_told_to_be_whole(site: Site, browser: Browsers) -> None:
    """With how much was looked at; where no head was signed, that a chain made anew would not show."""
    run(site.host)
    oda = browser("oda")
    oda.client.headers["Accept-Language"] = "en"
    with site.workspace.database.transaction() as connection:
        count = sum(1 for _ in audit.events(connection))
    site.workspace.heads.unlink(missing_ok=True)
    told = verified(oda)
    assert f"It is whole: {count} events" in told and "No head was signed yet" in told
    assert oda.send("/audit/head", page="/audit").path == "/audit"
    assert "No head" not in verified(oda)
    kept = oda.get("/audit/heads")
    assert kept.text == site.workspace.heads.read_text("utf-8") and "attachment" in kept.header("Content-Disposition")
    with site.workspace.transaction() as connection:
        assert audit.verify(connection, kept.text, site.workspace.key.public) == []


def test_where_it_is_torn_is_told(site: Site, browser: Browsers) -> None:
    """Which event, in words, with its code and a way to it."""
    run(site.host)
    oda = browser("oda")
    oda.client.headers["Accept-Language"] = "en"
    oda.send("/audit/head", page="/audit")
    with site.workspace.transaction() as connection:
        connection.execute(sa.update(AUDIT).where(AUDIT.c.sequence == 5).values(principal="nobody"))
    told = verified(oda)
    assert "It is not whole: 1 faults" in told and "An event was changed. event 5" in told and "event-changed" in told
    with site.workspace.transaction() as connection:
        connection.execute(sa.delete(AUDIT).where(AUDIT.c.sequence > 20))
    assert "The end of the chain was cut off." in verified(oda)
    oda.client.headers["Accept-Language"] = "zh"
    assert "不完整" in verified(oda)


def test_every_fault_and_every_kind_has_its_words() -> None:
    """In both languages: the codes that verification has, the kinds that the source writes."""
    words = json.loads((TEMPLATES / "operations-words.json").read_text("utf-8"))
    root = TEMPLATES.parents[1]
    codes = set(re.findall(r'Fault\(\s*"([a-z-]+)"', (root / "store" / "audit.py").read_text("utf-8")))
    assert len(codes) >= 8 and {f"fault.{one}" for one in codes} <= words.keys()
    written = set[str]()
    writing = r"(?:append\(\s*connection,|Note\(|\bnote\(|tell\(host, connection, user,|_note\(site,)"
    for folder in ("agents", "registry", "runtime", "server", "store"):
        for file in (root / folder).rglob("*.py"):
            written |= set(re.findall(writing + r'\s*"([a-z-]+)"', file.read_text("utf-8")))
    assert len(written) > 30
    assert {one for one in written if f"event.{one}" not in words} == set()


def test_no_words_stand_in_for_others() -> None:
    """A key has its words in one table, so that no page gets those of another."""
    keys = Counter(key for file in TEMPLATES.glob("*words.json") for key in json.loads(file.read_text("utf-8")))
    assert [key for key, count in keys.items() if count > 1] == []


def test_a_kind_is_told_as_a_sentence_and_names_are_not_torn(site: Site, browser: Browsers) -> None:
    """What a run's page calls it in a word stands there alone."""
    run(site.host)
    text = browser("oda").get("/audit", params={"kind": "ended"}, headers={"Accept-Language": "en"}).text
    assert '<th scope="row">A run ended<span class="sub">ended</span></th>' in text
    assert re.search(r'<td class="whole">flowc</td>\s*<td class="whole"><a href="/audit\?run=', text)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["zh-CN", "en-GB"])
def test_the_page_in_a_browser(site: Site, address: str, chromium: Any, language: str) -> None:
    """Whole, torn, and filtered: held against axe and the policy."""
    some_runs(site.host)
    oda = Person(chromium, address, language)
    oda.open("/audit")
    oda.sign_in("oda")
    oda.press("form[action='/audit/verify'] button")
    with site.workspace.transaction() as connection:
        connection.execute(sa.update(AUDIT).where(AUDIT.c.sequence == 5).values(principal="nobody"))
    oda.press("form[action='/audit/verify'] button")
    assert {*oda.page.locator("td.whole:nth-child(4)").evaluate_all(LINES)} == {1}
    assert len({*oda.page.locator("form.filters :is(input, select, button)").evaluate_all(BOTTOMS)}) == 1
    oda.page.select_option("select[name=kind]", "began")
    oda.press("form.filters button")
    assert oda.page.locator("table tbody tr").count() == 6
    assert oda.faults == []
