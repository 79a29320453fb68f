"""Two readers of a draft in the browser: blind until both are done, then their differences, and who settles them."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from conftest import Browser, Browsers, Person

from ir.decisions.decision import FILE
from review.agreement import KINDS, Agreement, agreement
from review.decide import decide, decide_all, new_decision
from review.draft import ReviewDraft, drafts_of, open_draft, seen_by
from review.forms import operation_from
from review.queue import Item, queue
from server.site import Site
from store import audit
from store.users import add_user, set_password

READERS = {"by": ["ng", "wu"]}


@dataclass(frozen=True)
class Pair:
    """The draft of the first case, which ng and wu review."""

    out: Path
    workflow: str

    @property
    def place(self) -> str:
        """The address of the draft."""
        return f"/drafts/hazmat/{self.workflow}"

    @property
    def draft(self) -> ReviewDraft:
        """The draft as it stands."""
        return open_draft(self.out, self.workflow)

    @property
    def lines(self) -> list[dict[str, object]]:
        """What was written."""
        file = self.out / FILE
        return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.is_file() else []

    @property
    def found(self) -> Agreement:
        """How far they agree."""
        return agreement((self.draft,), "ng", "wu")

    def step(self, number: int) -> Item:
        """A step of the queue."""
        return [one for one in queue(self.draft) if one.subject == "step"][number]

    def judge(self, author: str, rejected: Iterable[Item] = (), most: int | None = None) -> None:
        """Have a reader judge all, or the first of them, accepting but for some."""
        draft, keys = self.draft, {one.key for one in rejected}
        listed = [one for one in queue(seen_by(draft, author)) if one.subject in KINDS][:most]
        made = [
            new_decision(
                draft, one, "reject" if one.key in keys else "accept", author=author, reason=f"{author} read it"
            )
            for one in listed
        ]  # fmt: skip
        decide_all(draft, made)

    def settle(self, person: Browser, **fields: object) -> tuple[int, str, str]:
        """Send the form of the first difference as the page shows it; gives status, code and text."""
        page = person.get(f"{self.place}/agreement", params=READERS)
        sent = {"item": page.field("item"), "stamp": page.field("stamp"), **READERS, **fields}
        answer = person.send(f"{self.place}/agreement/settle", **sent)
        return answer.status, answer.code, unescape(answer.text)


@pytest.fixture
def pair(site: Site, kept_password: str, tmp_path: Path) -> Pair:
    """Two more reviewers; what is decided stands in the build's own folder."""
    with site.workspace.transaction() as connection:
        for name in ("ng", "wu"):
            add_user(connection, name, frozenset({"reviewer"}), "wen")
            set_password(connection, name, kept_password, "wen")
    out = tmp_path / "hazmat"
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    (out / "summary.json").write_text(json.dumps(summary | {"decisions": FILE}, ensure_ascii=False), "utf-8")
    return Pair(out, drafts_of(out)[0])


def test_where_they_differ_waits_until_both_are_done(pair: Pair, browser: Browsers) -> None:
    """Before that it only tells how many each judged; an approver may see more, and is told what that costs."""
    pair.judge("ng", rejected=[pair.step(0)])
    pair.judge("wu", most=3)
    left = pair.found.whole.elements - 3
    for name in ("wu", "ren", "rui"):
        person = browser(name)
        page = person.get(f"{pair.place}/agreement", params=READERS)
        assert page.status == 200 and f"wu has {left} left" in page.text
        assert "ng read it" not in page.text and "not settled" not in page.text and "Alike" not in page.text
        early = person.get(f"{pair.place}/agreement", params={**READERS, "unfinished": "1"})
        assert (early.status, early.code) == (403, "not-allowed")
    before = pair.lines
    fields = {"item": pair.step(0).key, "take": "first", "stamp": "x", "reason": "x", **READERS}
    for more in ({}, {"unfinished": "1"}):
        sent = browser("ren").send(f"{pair.place}/agreement/settle", **fields, **more)
        assert (sent.status, sent.code) == (403, "not-allowed")
    assert pair.lines == before
    early = browser("zhao").get(f"{pair.place}/agreement", params={**READERS, "unfinished": "1"})
    assert early.status == 200 and "not blind any more" in early.text


def test_differences_are_told_and_a_third_settles_them(pair: Pair, browser: Browsers, site: Site) -> None:
    """With the words, both judgements and the figures, which stay as they are; the audit says who settled."""
    pair.judge("ng", rejected=[pair.step(0), pair.step(1)])
    pair.judge("wu", rejected=[pair.step(1)])
    ren, found = browser("ren"), pair.found
    assert f'href="{pair.place}/agreement"' in ren.get(pair.place).text
    page = ren.get(f"{pair.place}/agreement")
    (difference,) = found.differences
    text = unescape(page.text)
    assert "Differences: 1, not settled: 1" in text and all(words in text for words in difference.words)
    assert "ng read it" in text and "wu read it" in text and f"?item=step:{difference.element.id}" in text.replace(
        "%3A", ":"
    )  # fmt: skip
    assert found.whole.alpha is not None and f"<td>{found.whole.alpha:.2f}</td>" in text
    stamp, before = page.field("stamp"), len(pair.lines)
    status, _, text = pair.settle(ren, take="second", reason="clause 4 says so")
    assert status == 200 and "Settled: " in text and "clause 4 says so" in text and 'name="stamp"' not in text
    assert pair.found.whole == found.whole
    settled = pair.found.differences[0].settled_by
    assert settled is not None and (settled.author, settled.kind) == ("ren", "accept")
    both = {one.id for side in (difference.first, difference.second) for one in side.decisions}
    assert set(settled.settles) == both
    with site.workspace.database.transaction() as connection:
        told = [one for one in audit.events(connection) if one.kind == "draft-decided"]
    assert [one.principal for one in told] == ["ren"] and settled.id in str(told[0].body)
    written = len(pair.lines)
    assert written == before + 2
    late = pair.settle(
        browser("wen"), item=pair.step(0).key, stamp=stamp, take="first", reason="I <b> disagree"
    )  # fmt: skip
    assert late[0] == 409 and "It changed since you opened the page" in late[2] and len(pair.lines) == written
    assert "You wrote: I <b> disagree" in late[2]


def test_neither_reader_settles_nor_who_has_no_role(pair: Pair, browser: Browsers) -> None:
    """Reviewers who are none of the two do, and approvers; the others are shown no form."""
    pair.judge("ng", rejected=[pair.step(0)])
    pair.judge("wu")
    form = browser("ren").get(f"{pair.place}/agreement", params=READERS)
    entered = {"item": form.field("item"), "stamp": form.field("stamp"), "take": "first", "reason": "so", **READERS}
    before = pair.lines
    for name in ("ng", "wu", "li", "rui", "oda"):
        person = browser(name)
        page = person.get(f"{pair.place}/agreement", params=READERS)
        assert page.status == 200 and "ng read it" in page.text and 'name="take"' not in page.text
        sent = person.send(f"{pair.place}/agreement/settle", "/builds", **entered)
        assert (sent.status, sent.code) == (403, "not-allowed"), name
    assert pair.lines == before
    assert pair.settle(browser("zhao"), take="first", reason="as the law has it")[0] == 200
    assert pair.lines[-1]["author"] == "zhao" and pair.lines[-1]["kind"] == "reject"


def test_a_comment_leaves_it_open_and_a_reason_is_needed(pair: Pair, browser: Browsers) -> None:
    """What was entered stands in the form again where it is not taken."""
    pair.judge("ng", rejected=[pair.step(0)])
    pair.judge("wu")
    ren, before = browser("ren"), len(pair.lines)
    status, _, text = pair.settle(ren, take="first", reason="  ")
    assert status == 422 and "say why" in text and re.search(r'value="first" required checked', text)
    assert pair.settle(ren, take="third", reason="x")[:2] == (400, "bad-form")
    assert len(pair.lines) == before
    status, _, text = pair.settle(ren, take="comment", reason="ask <the> registrar")
    assert status == 200 and "ask <the> registrar" in text and "not settled: 1" in text
    assert pair.lines[-1]["kind"] == "comment" and len(pair.lines) == before + 1


def test_a_correction_is_told_by_what_it_wants(pair: Pair, browser: Browsers) -> None:
    """With the field and the value, in the reader's language."""
    step, draft = pair.step(0), pair.draft
    operation = operation_from(draft, step, "change_step.actor", {"value": "<登记员>"})
    decide(draft, new_decision(draft, step, "correct", author="ng", reason="renamed", value=operation))
    pair.judge("ng")
    pair.judge("wu")
    text = browser("ren").get(f"{pair.place}/agreement", headers={"Accept-Language": "zh"}).text
    assert "由谁做" in text and "<code>&lt;登记员&gt;</code>" in text and "差异 1 处，1 处未裁定" in text


@pytest.mark.parametrize(
    ("named", "status", "code"),
    [(["ng", "ng"], 400, "bad-form"), (["ng"], 400, "bad-form"), (["ng", "<i>"], 404, "unknown-place"),
     (["ng", "wu", "ren"], 400, "bad-form")],
)  # fmt: skip
def test_readers_are_two_who_judged(
    pair: Pair, browser: Browsers, named: list[str], status: int, code: str
) -> None:  # fmt: skip
    """A name that nobody judged under is more likely misspelt."""
    assert "takes two people" in browser("ren").get(f"{pair.place}/agreement").text
    pair.judge("ng", most=1)
    answer = browser("ren").get(f"{pair.place}/agreement", params={"by": named})
    assert (answer.status, answer.code) == (status, code) and "<i>" not in answer.text


def blind(pair: Pair, person: Browser, *, on: bool) -> str:
    """Have somebody review blind, or stop to; gives the draft's page as they see it then."""
    answer = person.send(f"{pair.place}/blind", "/builds", **({"on": "1"} if on else {}))
    assert answer.path == pair.place
    return answer.text


def decided(pair: Pair, person: Browser, key: str, kind: str, reason: str) -> int:
    """Decide on a thing as its card shows it; gives the status."""
    seen = person.get(f"{pair.place}/card", params={"item": key}).field("seen")
    return person.send(f"{pair.place}/decide", item=key, kind=kind, reason=reason, seen=seen).status


def test_two_review_blind(pair: Pair, browser: Browsers, site: Site) -> None:
    """Neither is shown what the other decided, nor does it bear on the draft or on what they decide."""
    key, ng, wu = pair.step(0).key, browser("ng"), browser("wu")
    assert "decisions of others are not shown" not in wu.get(pair.place).text
    for person in (ng, wu):
        assert "decisions of others are not shown" in blind(pair, person, on=True)
    assert decided(pair, ng, key, "reject", "no such step") == 200
    entered = {"item": key, "do": "change_step.actor", "value": "登记员", "reason": "the registrar does"}
    saved = ng.send(f"{pair.place}/correct", seen="0", **entered)
    assert saved.status == 409 and "no such step" in saved.text
    for page in (wu.get(pair.place, params={"item": key}), wu.get(f"{pair.place}/card", params={"item": key})):
        assert page.status == 200 and "no such step" not in page.text and "is-reject" not in page.text
    assert decided(pair, wu, key, "accept", "as it stands") == 200
    mine = wu.get(f"{pair.place}/card", params={"item": key}).text
    assert "as it stands" in mine and "no such step" not in mine
    assert [(one["author"], one["kind"]) for one in pair.lines] == [("ng", "reject"), ("wu", "accept")]
    assert wu.send(f"{pair.place}/undo", "/builds").status == 200
    assert wu.send(f"{pair.place}/undo", "/builds").status == 422
    blind(pair, wu, on=False)
    assert "no such step" in wu.get(f"{pair.place}/card", params={"item": key}).text
    with site.workspace.database.transaction() as connection:
        told = [(one.principal, one.body["on"]) for one in audit.events(connection) if one.kind == "review-blind"]
    assert told == [("ng", True), ("wu", True), ("wu", False)]


def test_what_others_corrected_is_not_tried_with(pair: Pair, browser: Browsers, site: Site) -> None:
    """A correction is tried and saved on the draft as its reader sees it."""
    step, draft, wu = pair.step(0), pair.draft, browser("wu")
    was = draft.procedure.step(step.id).actor
    operation = operation_from(draft, step, "change_step.actor", {"value": "登记员"})
    decide(draft, new_decision(draft, step, "correct", author="ng", reason="renamed", value=operation))
    blind(pair, wu, on=True)
    form = wu.get(f"{pair.place}/forms", params={"item": step.key, "do": "change_step.actor"})
    assert "登记员" not in form.text and f'value="{was or ""}"' in form.text
    entered = {"item": step.key, "do": "change_step.actor", "value": "仓库主管", "reason": "seen", "seen": "0"}
    shown = wu.send(f"{pair.place}/preview", **entered)
    assert shown.status == 200 and "登记员" not in shown.text
    assert wu.send(f"{pair.place}/correct", **entered).status == 200
    assert [one["author"] for one in pair.lines] == ["ng", "wu"]
    site.trials.close()


def test_blindness_is_of_one_person(pair: Pair, browser: Browsers) -> None:
    """Who signs in with the same browser afterwards is not blind; who may not decide cannot be."""
    pair.judge("ng", rejected=[pair.step(0)])
    pair.judge("wu")
    ren = browser("ren")
    blind(pair, ren, on=True)
    hidden = ren.get(f"{pair.place}/agreement", params=READERS).text
    assert "You review blind and are neither" in hidden and "ng read it" not in hidden
    assert ren.send("/sign-out").path == "/sign-in"
    assert ren.sign_in("wu").status == 200
    assert "decisions of others are not shown" not in ren.get(pair.place).text
    assert "ng read it" in ren.get(f"{pair.place}/agreement", params=READERS).text
    refused = browser("li").send(f"{pair.place}/blind", on="1")
    assert (refused.status, refused.code) == (403, "not-allowed")


@pytest.mark.slow
def test_a_difference_is_settled_in_a_real_browser(pair: Pair, address: str, chromium: Any) -> None:
    """The page with a difference, and the draft's page of who reviews blind, are held against axe and the policy."""
    pair.judge("ng", rejected=[pair.step(0)])
    pair.judge("wu")
    ren = Person(chromium, address, "zh-CN")
    ren.open(f"{pair.place}/agreement")
    ren.sign_in("ren")
    ren.page.check("input[value=second]")
    ren.page.fill("textarea[name=reason]", "第四条如此规定")
    ren.press("form[action$='/settle'] button")
    assert "由 ren 裁定" in ren.page.inner_text("main") and "第四条如此规定" in ren.page.inner_text("main")
    ren.open(pair.place, known=True)
    ren.press("form[action$='/blind'] button")
    assert "独立审阅：不显示他人的决定" in ren.page.inner_text(".bar-below")
    assert ren.faults == []
