"""A draft's page with hands: who may decide, what each act writes, and that nothing is overwritten or lost."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from conftest import Answer, Browser, Browsers

from compiler.report.review.page import Panel, side_panels
from compiler.report.review.parts import Page
from ir.decisions.decision import FILE, in_force, read_decisions
from ir.errors import BadInputFile
from review import draft as drafts
from review.decide import decide, new_decision
from review.draft import ReviewDraft, drafts_of, open_draft
from review.forms import forms_of
from review.queue import Risk, queue
from review.worked_out import KEPT
from server import proving
from server.builds.trials import Trials
from server.pages import review_panes
from server.site import Site
from store import audit

ON_ROAD = '运输方式 == "公路" and quantity > 5'


@pytest.fixture(autouse=True)
def ended(site: Site) -> Iterator[None]:
    """No process is left behind."""
    yield
    site.trials.close()


class Desk:
    """The draft of the first case as a reviewer's browser has it."""

    def __init__(self, site: Site, browser: Browser) -> None:
        self.out, self.browser = site.builds.build("hazmat").out, browser
        self.address = f"/drafts/hazmat/{drafts_of(self.out)[0]}"

    @property
    def draft(self) -> ReviewDraft:
        """The draft as it stands."""
        return open_draft(self.out, drafts_of(self.out)[0])

    @property
    def lines(self) -> list[dict[str, object]]:
        """What was written."""
        file = self.draft.build.decisions
        return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.is_file() else []

    def key(self, subject: str, number: int = 0) -> str:
        """The key of a thing of a sort."""
        return [one.key for one in queue(self.draft) if one.subject == subject][number]

    def get(self, part: str = "", **query: str) -> Answer:
        """The page, or a part of it."""
        return self.browser.get(self.address + part, params=query)

    def send(self, act: str, **fields: object) -> Answer:
        """Do something, as the page that shows the draft as it stands would."""
        fields.setdefault("seen", self.draft.revision)
        return self.browser.send(f"{self.address}/{act}", self.address, **fields)


@pytest.fixture
def desk(site: Site, browser: Browsers, tmp_path: Path) -> Desk:
    """The draft before ren, who reviews; what is decided stands in the build's own folder."""
    out = tmp_path / "hazmat"
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    (out / "summary.json").write_text(json.dumps(summary | {"decisions": FILE}, ensure_ascii=False), "utf-8")
    return Desk(site, browser("ren"))


def test_the_riskiest_thing_comes_first(desk: Desk) -> None:
    """The page opens with it, says how far the review is, and has every thing in the queue with its words."""
    page = desk.get()
    items = queue(desk.draft)
    listed = [unescape(one) for one in re.findall(r'<li id="row-[^>]*><a [^>]*data-item="([^"]*)"', page.text)]
    assert listed == [one.key for one in items] and len(listed) > 100
    assert f"0 / {len(items)}" in page.text or f"0 of {len(items)}" in page.text
    assert f'<div id="card" class="desk-card" data-item="{items[0].key}"' in page.text
    assert items[0].risk is Risk.PROHIBITION and items[0].words[0][0] in page.text
    assert re.findall(r'style="', page.text) == []


def test_accepting_writes_one_line_and_moves_on(desk: Desk, site: Site) -> None:
    """The next open thing comes back with the progress, and the audit says who decided."""
    key, items = desk.key("condition"), queue(desk.draft)
    made = desk.send("decide", item=key, kind="accept", reason="as the words have it")
    after = items[[one.key for one in items].index(key) + 1]
    assert made.status == 200 and f'data-item="{after.key}"' in made.text
    assert re.search(rf"1 (/|of) {len(items)}", made.text)
    assert [(one["kind"], one["author"], one["reason"]) for one in desk.lines] == [
        ("accept", "ren", "as the words have it")
    ]
    with site.workspace.database.transaction() as connection:
        told = [one for one in audit.events(connection) if one.kind == "draft-decided"]
    assert [one.principal for one in told] == ["ren"] and desk.lines[0]["id"] in str(told[0].body)


def test_what_leaves_the_draft_as_it_is_drafts_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Accepting, commenting and answering are taken without making the draft anew."""
    monkeypatch.setattr(drafts, "redraft", lambda *_, **__: pytest.fail("the draft was made anew"))
    assert desk.send("decide", item=desk.key("edge"), kind="accept", reason="so it is").status == 200
    assert desk.send("decide", item=desk.key("prohibition"), kind="comment", reason="who checks?").status == 200
    answered = desk.send("decide", item=desk.key("question"), kind="answer", value="within one day")
    assert answered.status == 200
    assert "The answer changes nothing in the flow" in answered.text or "回答不改变流程" in answered.text
    card = desk.get("/card", item=desk.key("question")).text
    assert "The answer changes nothing in the flow" in card or "回答不改变流程" in card
    assert [one["kind"] for one in desk.lines] == ["accept", "comment", "answer"]
    assert "who checks?" in desk.get("/card", item=desk.key("prohibition")).text
    assert desk.draft.verdict.questions.weighty == 20


def test_what_drafts_anew_takes_its_turn_at_proving(
    desk: Desk, browser: Browsers, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """Looking, rejecting, taking back and submitting: the solver is never asked by two requests at once."""
    turns: list[bool] = []
    drafting = drafts.redraft

    def watched(*words: Any, **more: Any) -> Any:
        turns.append(proving._TURN.locked())
        return drafting(*words, **more)

    monkeypatch.setattr(drafts, "redraft", watched)

    def drafted(act: Callable[[], Answer]) -> None:
        drafts._drafted.cache_clear()
        drafts._opened.cache_clear()
        KEPT.clear()
        turns.clear()
        assert act().status == 200
        assert turns and all(turns)

    address, step = desk.address, desk.key("step")
    rejecting = {"item": step, "kind": "reject", "reason": "it is none", "seen": 0}
    drafted(lambda: desk.browser.send(f"{address}/decide", **rejecting))
    drafted(lambda: desk.browser.get(address))
    drafted(lambda: desk.browser.get(f"{address}/cases"))
    drafted(lambda: desk.browser.get(f"{address}/card", params={"item": step}))
    drafted(lambda: browser("both").send("/registry/submit", build="hazmat", workflow=address.rpartition("/")[2]))
    drafted(lambda: desk.browser.send(f"{address}/undo"))


def test_panes_are_made_once_for_each_draft(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is ruled shows in the head alone; what is corrected, in new panes; what is taken back, in the old ones."""
    made: list[Page] = []

    def counted(page: Page) -> tuple[Panel, ...]:
        made.append(page)
        return side_panels(page)

    monkeypatch.setattr(review_panes, "side_panels", counted)
    before = desk.get().text
    assert desk.get().text == before and len(made) == 1
    asked = next(one for one in queue(desk.draft) if one.subject == "question" and one.risk is Risk.QUESTION)
    assert desk.send("decide", item=asked.key, kind="answer", value="none", reason="asked").status == 200
    weighty = re.compile(r"count weighty[^>]*>[^<]*<b>(\d+)</b>")
    (first,), (now,) = weighty.findall(before), weighty.findall(desk.get().text)
    assert int(now) == int(first) - 1 and len(made) == 1
    key = desk.key("condition", 1)
    corrected = {"item": key, "do": "set_condition", "text": ON_ROAD, "reason": "only from five tons on"}
    assert desk.send("correct", **corrected).status == 200
    assert "$.inputs.quantity &gt; 5" in desk.get().text and len(made) == 2
    assert desk.send("undo").status == 200
    assert "$.inputs.quantity &gt; 5" not in desk.get().text and len(made) == 2


def test_what_is_taken_at_once_is_what_drafting_anew_gives(desk: Desk) -> None:
    """Workflow, findings, verdict, and what became of each decision."""
    draft = desk.draft
    chosen = [one for one in queue(draft) if one.subject in ("step", "edge", "condition", "fact", "question")][:9]
    for number, item in enumerate(chosen):
        asked = item.subject == "question" and number % 2 == 0
        value, kind = ("yes", "answer") if asked else (None, "accept")
        draft = decide(draft, new_decision(draft, item, kind, author="ren", reason="so", value=value))  # type: ignore[arg-type]
    anew = drafts._drafted(
        draft.folder, draft.workflow.workflow_id, drafts._stamp(draft.folder), in_force(draft.decisions),
        draft.build.decisions,
    )  # fmt: skip
    for part in ("workflow", "procedure", "diagnostics", "statements", "verdict", "fates"):
        assert getattr(anew, part) == getattr(draft, part)


def test_a_decision_needs_its_reason_and_an_answer_its_words(desk: Desk) -> None:
    """What is missing is told in place, and nothing is written."""
    rejected = desk.send("decide", item=desk.key("step"), kind="reject", reason="  ")
    answered = desk.send("decide", item=desk.key("question"), kind="answer", value=" ")
    for one in (rejected, answered):
        assert one.status == 422 and "missing-value" in one.text and one.header("hx-retarget") == "#refused"
    assert desk.send("decide", item=desk.key("step"), kind="bless", reason="x").code == "bad-form"
    assert desk.lines == []


def test_a_second_reviewer_is_told_and_overwrites_nothing(desk: Desk, browser: Browsers) -> None:
    """They see who decided what, and what they entered is kept; when they decide again, theirs takes the place."""
    key, seen = desk.key("question"), desk.draft.revision
    other = browser("wen")
    assert desk.send("decide", item=key, kind="answer", value="a day").status == 200
    fields = {"item": key, "kind": "answer", "value": "two days <b>"}
    late = other.send(f"{desk.address}/decide", desk.address, seen=seen, **fields)
    assert late.status == 409 and len(desk.lines) == 1
    assert "ren" in late.text and "a day" in late.text and "two days &lt;b&gt;" in late.text
    revision = re.search(r'name="seen" value="(\d+)"', late.text)
    assert revision is not None
    assert other.send(f"{desk.address}/decide", desk.address, seen=revision[1], **fields).status == 200
    assert [one["author"] for one in desk.lines] == ["ren", "wen"]


@pytest.mark.parametrize("name", ["li", "rui", "zhao", "oda", "bot"])
def test_others_look_and_do_not_decide(desk: Desk, browser: Browsers, name: str) -> None:
    """It takes the role of a reviewer; who has none is shown no act."""
    person = browser(name)
    page = person.get(desk.address)
    assert name == "bot" or (page.status == 200 and 'data-key="a"' not in page.text)
    for act in ("decide", "undo", "agreed", "check", "preview", "correct"):
        fields = {"item": desk.key("step"), "kind": "accept", "reason": "x", "seen": "0", "do": "remove_step"}
        refused = person.send(f"{desk.address}/{act}", "/language/en", **fields)
        assert refused.status == 403
    assert desk.lines == []


def test_a_form_from_elsewhere_decides_nothing(desk: Desk) -> None:
    """Without the session's token, or sent by another site's page."""
    fields = {"item": desk.key("step"), "kind": "accept", "reason": "x", "seen": "0"}
    for headers in ({"Origin": "http://127.0.0.1:8650"}, {"Origin": "https://evil.example"}):
        answer = desk.browser.client.post(f"{desk.address}/decide", data=fields, headers=headers)
        assert answer.status_code == 403
    assert desk.lines == []


def test_errors_stand_where_they_were_made(desk: Desk) -> None:
    """A condition is checked as it is typed; the fault names the column, and the rest of the text is marked."""
    key = desk.key("condition", 1)
    wrong = desk.send("check", item=key, do="set_condition", text="quantity > > 5", reason="")
    fault = re.search(r'<p id="fault-text"[^>]*>(.*?)</p>', wrong.text, re.DOTALL)
    assert fault is not None and "column 12" in fault[1] and "<mark>&gt; 5</mark>" in fault[1]
    right = desk.send("check", item=key, do="set_condition", text=ON_ROAD, reason="")
    assert re.search(r'<p id="fault-text"[^>]*></p>', right.text)
    names = desk.get("/names", text="quantity > 1 and 运输", at="19").text
    assert 'data-name="运输方式"' in names


def test_a_correction_shows_what_changes_and_is_saved_then(desk: Desk) -> None:
    """The preview writes nothing; what was saved is on the next page, and can be taken back."""
    key = desk.key("condition", 1)
    entered = {"item": key, "do": "set_condition", "text": ON_ROAD}
    bare = desk.send("preview", **entered, reason="")
    assert bare.status == 422 and "no-reason" in bare.text
    shown = desk.send("preview", **entered, reason="only from five tons on")
    assert shown.status == 200 and "Which way runs take" in shown.text and "incomplete-branch" in shown.text
    assert "“" in shown.text and "check_transport_mode" not in shown.text.split("<h4>")[0]
    assert desk.lines == []
    before = desk.draft.workflow
    saved = desk.send("correct", **entered, reason="only from five tons on")
    assert saved.header("hx-redirect").startswith(f"{desk.address}?told=")
    assert desk.draft.workflow != before
    card = desk.get("/card", item=key).text
    name = next(one.name for one in desk.draft.procedure.facts if one.id == "quantity")
    assert "only from five tons on" in card and f"{name} &gt; 5</" in card
    assert desk.send("undo").header("hx-redirect")
    assert desk.draft.workflow == before and [one["kind"] for one in desk.lines] == ["correct", "undo"]


def test_a_correction_is_told_in_the_language_of_the_reviewer(desk: Desk) -> None:
    """By the titles of the steps, with the conditions as the graph has them; no word of English, no id."""
    desk.browser.client.headers["Accept-Language"] = "zh-CN"
    key = desk.key("condition", 1)
    shown = desk.send("preview", item=key, do="set_condition", text=ON_ROAD, reason="五吨以上才适用")
    told, findings = shown.text.split("<details")[0].split("<h4>", 1)
    text = re.sub(r"<[^>]+>", "\n", told[told.index('<div class="diff"') :])
    title = next(one.label for one in desk.draft.workflow.nodes.values() if one.type == "decision.check_transport_mode")
    assert "流程走向" in text and f"“{title}”之后：" in text and "运输方式 = 公路 且 运输数量 &gt; 5" in text
    assert not re.search(r"\b(runs?|with|after|condition|edges?|old|new|check_\w+)\b", text) and "$." not in text
    assert f"“{title}”：" in findings and "incomplete-branch" in findings and 'lang="en"' not in findings
    assert "check_transport_mode" not in findings


@pytest.mark.parametrize(
    ("subject", "do", "value"),
    [("fact", "change_fact.enum", "一般风险,高风险"), ("step", "change_step.outcomes", "done")],
)
def test_a_correction_with_a_list_is_looked_at_and_saved(desk: Desk, subject: str, do: str, value: str) -> None:
    """What is chosen from, and what a step can give, are several values."""
    key = next(one.key for one in queue(desk.draft) if one.subject == subject and one.title != "危险等级")
    looked = desk.send("preview", item=key, do=do, value=value, reason="as the office names them")
    assert looked.status == 200 and desk.lines == []
    assert desk.send("correct", item=key, do=do, value=value, reason="as the office names them").status == 200
    assert desk.lines[0]["value"]["value"] == value.split(",")  # type: ignore[index]


def test_of_two_ways_between_the_same_steps_one_alone_is_a_persons(desk: Desk) -> None:
    """Who reads the draft sees which of them was corrected."""
    key = next(one.key for one in queue(desk.draft) if one.subject == "condition" and one.title.startswith("三类"))
    reason = "as article 16 says"
    assert desk.send("correct", item=key, do="set_condition", text="危险等级 == 3", reason=reason).status == 200
    workflow = desk.draft.workflow
    (edge,) = [one for one in workflow.edges if one.origin == "person"]
    beside = [one for one in workflow.edges if (one.source, one.target) == (edge.source, edge.target)]
    assert len(beside) == 2 and "三类" in edge.evidence[0].quote


def test_corrections_are_drafted_beside_the_server(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Saving a correction, tried or not, and trying the next; what is shown is what drafting anew gives."""
    with monkeypatch.context() as patched:
        patched.setattr(drafts, "redraft", lambda *_, **__: pytest.fail("the draft was made anew"))
        for number, text in ((1, ON_ROAD), (2, "危险等级 == 3")):
            fields = {"item": desk.key("condition", number), "do": "set_condition", "text": text, "reason": "as it is"}
            assert number == 2 or desk.send("preview", **fields).status == 200
            assert desk.send("correct", **fields).status == 200
        shown = desk.draft
    assert len(shown.decisions) == 2 and shown.workflow.provenance and shown.workflow.provenance.mode == "person"
    drafts._drafted.cache_clear()
    drafts._opened.cache_clear()
    KEPT.clear()
    anew = desk.draft
    assert anew is not shown
    for part in ("workflow", "procedure", "diagnostics", "statements", "verdict", "fates", "decisions"):
        assert getattr(anew, part) == getattr(shown, part)


def test_what_is_tried_once_is_never_written_twice(desk: Desk) -> None:
    """What is taken back and corrected again has an id of its own; in other words it was not tried."""
    fields = {"item": desk.key("condition", 1), "do": "set_condition", "text": ON_ROAD, "reason": "from five tons on"}
    assert desk.send("preview", **fields).status == 200
    assert desk.send("correct", **fields).status == 200
    assert desk.send("undo").status == 200
    assert desk.send("correct", **fields).status == 200
    ids = [one["id"] for one in desk.lines]
    assert len(ids) == len(set(ids)) == 3
    assert "$.inputs.quantity &gt; 5" in desk.get().text


def test_a_correction_that_does_not_fit_is_refused_at_its_field(desk: Desk) -> None:
    """A step that others lead on from cannot come after itself."""
    key = desk.key("fact")
    refused = desk.send("preview", item=key, do="remove_fact", reason="not needed")
    assert refused.status == 422 and "unfit-decision" in refused.text and "change that first" in refused.text
    unknown = desk.send("preview", item=key, do="paint_fact", reason="x")
    assert unknown.status == 422 and "unknown-operation" in unknown.text


def test_a_trial_that_takes_too_long_is_ended(desk: Desk, site: Site) -> None:
    """The server says so and goes on."""
    object.__setattr__(site, "trials", Trials(longest=0.01))
    slow = desk.send("preview", item=desk.key("condition"), do="set_condition", text=ON_ROAD, reason="x")
    assert slow.status == 503 and slow.code == "takes-too-long"
    assert desk.get().status == 200
    saved = desk.send("correct", item=desk.key("condition", 1), do="set_condition", text=ON_ROAD, reason="x")
    assert saved.status == 200 and "$.inputs.quantity &gt; 5" in desk.get().text


def test_what_agrees_is_accepted_together_each_by_itself(desk: Desk) -> None:
    """Each has a line of its own and can be taken back alone; what was not ticked stays open."""
    listed = re.findall(r'name="items" value="([^"]+)"', desk.get("/agreed").text)
    assert len(listed) > 50
    keys = [unescape(one) for one in listed]
    risky = desk.key("prohibition")
    done = desk.send("agreed", items=[*keys[:3], risky], reason="in the very words")
    assert done.status == 200 and [one["kind"] for one in desk.lines] == ["accept"] * 3
    assert desk.send("undo", which=desk.lines[1]["id"]).status == 200
    open_ = {one.key for one in queue(desk.draft) if one.open}
    assert {keys[1], keys[3], risky} <= open_ and {keys[0], keys[2]}.isdisjoint(open_)
    assert desk.send("agreed", reason="x").status == 422


def test_nothing_to_take_back_is_told(desk: Desk) -> None:
    """One's own last decision is meant, and ren has none."""
    refused = desk.send("undo")
    assert refused.status == 422 and "nothing-to-undo" in refused.text


def test_search_finds_clauses_nodes_and_cards(desk: Desk) -> None:
    """Wherever a word stands; what a reader searches for cannot become markup."""
    found = desk.get("/search", q="备案").text
    assert re.search(r'data-block-at="[^"]+" data-number="\d+" data-words="备案"', found)
    assert 'data-shape-at="n' in found and 'data-item-at="' in found
    assert "&lt;script&gt;" in desk.get("/search", q="<script>").text
    assert "script&gt;" not in desk.get(told="<script>").text
    assert "<script>" not in desk.get("/search", q="<script>").text
    assert desk.get("/search", q="").text.strip() == ""


def test_graphs_are_drawn_in_lanes_and_by_section(desk: Desk) -> None:
    """Lanes are named; what is folded can be opened; another way there is not."""
    assert '<g class="lanes">' in desk.get("/graph", view="lanes").text
    folded = desk.get("/graph", view="sections").text
    names = re.findall(r'data-node="section:([^"]+)"', folded)
    whole = desk.get("/graph").text.count('class="node ')
    assert names and folded.count('class="node ') < whole
    opened = desk.get("/graph", view="sections", unfolded=names[0]).text
    assert f"section:{names[0]}" not in opened and opened.count('class="node ') > folded.count('class="node ')
    assert desk.get("/graph", view="spiral").code == "bad-form"


def test_a_thing_that_is_not_there_is_told(desk: Desk) -> None:
    """By its key; what the graph shows of nothing in the queue changes nothing."""
    assert desk.get("/card", item="step:none").code == "unknown-place"
    assert desk.get("/card", graph="n9999").status == 204
    assert desk.get("/forms", item=desk.key("step"), do="set_deadline").text.count("fault-duration") == 2


def test_the_registry_takes_the_reviewed_draft(desk: Desk, site: Site, browser: Browsers) -> None:
    """As it was corrected, with the questions that nobody answered."""
    key = desk.key("condition", 1)
    desk.send("correct", item=key, do="set_condition", text=ON_ROAD, reason="from five tons on")
    asked = len([one for one in queue(desk.draft) if one.risk is Risk.QUESTION and one.open])
    desk.send("decide", item=desk.key("question"), kind="answer", value="within one day")
    browser("li").send("/registry/submit", desk.address, build="hazmat", workflow=desk.draft.workflow.workflow_id)
    from registry.versions import versions

    with site.workspace.database.transaction() as connection:
        version = versions(connection, desk.draft.workflow.workflow_id)[-1]
    own = desk.draft.workflow
    assert version.definition.edges == own.edges and version.definition.nodes == own.nodes
    assert len(version.report.open_questions) == asked - 1


def test_a_build_without_its_readings_is_only_shown(desk: Desk) -> None:
    """The page says why it cannot be reviewed, and shows what there is."""
    for file in desk.out.glob("*/reading.json"):
        file.unlink()
    for kept in (drafts._opened, drafts._folder, drafts._built):
        kept.cache_clear()
    with pytest.raises(BadInputFile):
        _ = desk.draft
    page = desk.browser.get(f"/drafts/hazmat/{drafts_of(desk.out)[0]}")
    assert page.status == 200 and 'class="canvas"' in page.text and 'id="card"' not in page.text
    assert "reading.json is missing" in page.text


def test_what_is_left_out_of_a_long_document_can_be_opened(site: Site, browser: Browsers, tmp_path: Path) -> None:
    """Its blocks come back whole, between the addresses that the page names."""
    from compiler.build.builder import compile_documents
    from compiler.build.folder import write_build
    from compiler.build.scheduler import Settings

    folder = tmp_path / "long"
    folder.mkdir()
    history = "\n\n".join(f"The harbour was calm on day {number}." for number in range(1, 900))
    steps = "1. The clerk records the return.\n2. The manager approves the return."
    text = f"# Returns\n\n{steps}\n\n# History\n\n{history}\n"
    (folder / "returns.md").write_text(text, "utf-8")
    settings = Settings(embedder="lexical", syntax=False, role="policy")
    write_build(compile_documents(folder, settings), tmp_path / "made")
    shutil.rmtree(tmp_path / "hazmat")
    (tmp_path / "made").rename(tmp_path / "hazmat")
    desk = Desk(site, browser("ren"))
    button = re.search(r'hx-get="([^"]*/source\?[^"]*)"', desk.get().text)
    assert button is not None
    opened = desk.browser.get(unescape(button[1])).text
    assert "The harbour was calm on day 500." in opened and "<html" not in opened
    assert desk.get("/source", first="nowhere", last="nowhere").text.strip() == ""


def test_decisions_are_those_that_the_command_reads(desk: Desk) -> None:
    """The page writes the file that the next compilation goes by."""
    desk.send("decide", item=desk.key("edge"), kind="accept", reason=quote("so it is"))
    file = desk.out / FILE
    assert file.is_file() and read_decisions(file.read_text("utf-8"), FILE)[0].subject == "edge"


def test_every_sort_of_thing_has_its_card_and_forms(desk: Desk) -> None:
    """In both languages: no sort, reason, operation or field is without words."""
    draft = desk.draft
    first = {one.subject: one for one in reversed(queue(draft))}
    assert len(first) >= 10
    for language in ("zh-CN", "en-GB"):
        desk.browser.client.headers["Accept-Language"] = language
        for item in first.values():
            assert desk.get("/card", item=item.key).status == 200
            for form in forms_of(draft, item):
                shown = desk.get("/forms", item=item.key, do=form.do)
                assert shown.status == 200 and all(f'id="fault-{one.name}"' in shown.text for one in form.fields)
