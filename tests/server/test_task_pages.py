"""Tasks in the browser: the inbox by who looks, forms, two people on one task, claims, delegation, deadlines."""

import html
import re
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import ADDRESS, Browser, Browsers
from run_site import HAZMAT, HOSTILE_TEXT, INPUTS, begun, done, open_task, publish_hazmat, work
from starlette.testclient import TestClient
from test_page_attacks import acting_markup

from ir.codec import read_workflow
from registry.versions import publish, review, submit
from runtime.commands import begin
from runtime.executions import execution_of, task_of
from runtime.forms import Execution, Task
from runtime.governance.agency import Agency
from runtime.overdue import hand_in_overdue
from runtime.privacy.settings import Privacy
from runtime.views.inbox import inbox
from server.app import make_app
from server.site import Site
from store import audit
from store.tables import TASKS
from store.users import add_user

TWO_APPROVALS = Path(__file__).resolve().parents[1] / "runtime" / "two-approvals.workflow.json"
ENTITY = {"canonical_name": "硫酸", "cas_number": "7664-93-9", "un_number": "UN1830"}
IDENTIFIED = {"field/is_hazardous": "true", **{f"field/entity/{name}": value for name, value in ENTITY.items()}}


@pytest.fixture
def site(site: Site, kept_password: str) -> Site:
    """With the first case published."""
    publish_hazmat(site, kept_password)
    return site


@pytest.fixture
def run(site: Site) -> Execution:
    """A run that waits for its first task, which a department does by hand."""
    return begun(site)


@pytest.fixture
def task(site: Site, run: Execution) -> Task:
    """That task."""
    return open_task(site, run.id)


def again(site: Site, task: Task) -> Task:
    """A task as it stands."""
    with site.workspace.database.transaction() as connection:
        return task_of(connection, task.id)


def approval(site: Site, run: Execution) -> Task:
    """The approval that a run waits for, all before it done."""
    while (found := open_task(site, run.id)).kind != "approval":
        done(site, found)
    return found


def test_the_inbox_is_of_whoever_looks(site: Site, browser: Browsers, task: Task) -> None:
    """What one may claim by role, what one has, all for operators; nothing of others for anybody else."""
    link = f'href="/tasks/{task.id}"'
    han, dan, oda, rui = (browser(name) for name in ("han", "dan", "oda", "rui"))
    assert link in han.get("/tasks").text and link not in han.get("/tasks?which=mine").text
    assert "危险化学品运输合规判定" in han.get("/tasks").text
    assert link not in dan.get("/tasks").text and link not in rui.get("/tasks").text
    assert link in oda.get("/tasks?which=all").text and link not in oda.get("/tasks").text
    for other in (han, dan, rui):
        assert (other.get("/tasks?which=all").status, other.get("/tasks?which=all").code) == (403, "not-allowed")
    assert f'href="/runs/{task.execution}"' not in han.get("/tasks").text
    assert han.send(f"/tasks/{task.id}/claim", page="/tasks").path == f"/tasks/{task.id}"
    assert link in han.get("/tasks").text and link in han.get("/tasks?which=mine").text
    assert link not in browser("ma").get("/tasks").text


def test_who_sees_nothing_but_tasks_is_led_there(browser: Browsers) -> None:
    """Somebody with a role of a document alone comes to the tasks first, and is offered nothing that is refused."""
    first, other = browser("dan").get("/"), browser("rui").get("/")
    assert (first.path, other.path) == ("/tasks", "/builds")
    assert 'href="/registry"' not in first.text and 'href="/runs"' in other.text
    assert browser("bot").get("/").code == "not-allowed"


def test_who_has_nothing_to_do_with_a_task_does_not_see_it(browser: Browsers, task: Task) -> None:
    """Nor does a program; whoever may answer it, steers runs or began the run does."""
    for name, status in (("han", 200), ("oda", 200), ("wen", 200), ("dan", 403), ("rui", 403), ("guest", 403)):
        assert browser(name).get(f"/tasks/{task.id}").status == status, name
    bot = browser("bot")
    assert (bot.get("/tasks").code, bot.get(f"/tasks/{task.id}").code) == ("not-allowed", "not-allowed")
    for act in ("answer", "claim", "give-back", "delegate"):
        sent = browser("dan").send(f"/tasks/{task.id}/{act}", page="/tasks", to="dan", **IDENTIFIED)
        assert (sent.status, sent.code) == (403, "not-allowed"), act
    assert browser("han").get("/tasks/t-nothing").code == "unknown-task"


def test_a_form_is_made_from_the_fields_and_read_back(site: Site, browser: Browsers, task: Task) -> None:
    """Objects, choices, what is not known; the page shows inputs, what the step is given, and the document's words."""
    han = browser("han")
    page = han.get(f"/tasks/{task.id}").text
    assert "SHIP-2026-00019" in page and "5000 kg" in page and "<blockquote>将运输物品的名称与目录进行核对" in page
    assert 'name="field/entity/cas_number"' in page and 'name="field/is_hazardous?"' in page
    assert han.send(f"/tasks/{task.id}/answer", page="/tasks", **IDENTIFIED).path == f"/tasks/{task.id}"
    work(site)
    with site.workspace.database.transaction() as connection:
        taken = execution_of(connection, task.execution).progress.run.taken[0]
    assert taken.outcome.output == {"is_hazardous": True, "entity": ENTITY} and taken.outcome.answered_by == "han"
    assert "han has answered this task" in han.get(f"/tasks/{task.id}").text


def test_an_answer_that_does_not_fit_is_told_beside_the_field(site: Site, browser: Browsers, task: Task) -> None:
    """Once, with what was typed and that the next one counts; the second one fails the step, as the semantics say."""
    han, place = browser("han"), f"/tasks/{task.id}/answer"
    both = han.send(place, page="/tasks", **{"field/is_hazardous": "true", "field/is_hazardous?": "true"})
    assert both.status == 400 and "said not to be known" in both.text and again(site, task).status == "open"
    wrong = {"field/entity/cas_number": "7664 & <b>", "field/is_hazardous": "perhaps"}
    refused = han.send(place, page="/tasks", **wrong)
    assert refused.status == 400 and 'value="7664 &amp; &lt;b&gt;"' in refused.text
    assert 'id="field/entity/un_number-fault">is missing' in refused.text
    assert 'id="field/is_hazardous-fault">does not fit' in refused.text and "the step fails" in refused.text
    assert han.send(place, page="/tasks", **wrong).path == f"/tasks/{task.id}"
    work(site)
    with site.workspace.database.transaction() as connection:
        found = execution_of(connection, task.execution)
    assert (found.status, found.progress.run.taken[0].outcome.error) == ("failed", "INVALID_ANSWER")


def test_what_is_not_known_is_said_aloud(site: Site, browser: Browsers, task: Task) -> None:
    """As null, which is another thing than an empty field."""
    unknown = {"field/entity?": "true", "field/is_hazardous?": "true"}
    browser("han").send(f"/tasks/{task.id}/answer", page="/tasks", **unknown)
    work(site)
    with site.workspace.database.transaction() as connection:
        taken = execution_of(connection, task.execution).progress.run.taken[0]
    assert taken.outcome.output == {"entity": None, "is_hazardous": None}


def test_two_people_on_one_task(site: Site, browser: Browsers, task: Task) -> None:
    """The second is told who has it or has done it, and what they typed is still there; it counts once."""
    han, ma, place = browser("han"), browser("ma"), f"/tasks/{task.id}"
    han.send(f"{place}/claim", page="/tasks")
    for act, fields in (("claim", {}), ("answer", IDENTIFIED), ("delegate", {"to": "ma"}), ("give-back", {})):
        told = ma.send(f"{place}/{act}", page="/tasks", **fields)
        assert told.status == 409 and "han has it" in told.text, act
    assert 'value="7664-93-9"' in ma.send(f"{place}/answer", page="/tasks", **IDENTIFIED).text
    assert 'action="/tasks' not in ma.get(place).text
    assert han.send(f"{place}/answer", page="/tasks", **IDENTIFIED).path == place
    late = ma.send(f"{place}/answer", page="/tasks", **IDENTIFIED)
    assert late.status == 409 and "han has answered this task" in late.text
    with site.workspace.database.transaction() as connection:
        kinds = [one.principal for one in audit.events(connection, task.execution) if one.kind == "answered"]
    assert kinds == ["han"]


def test_given_back_and_delegated(site: Site, browser: Browsers, task: Task) -> None:
    """Whoever got it answers without the role; who gave it may take it back; a program never gets one."""
    han, guest, place = browser("han"), browser("guest"), f"/tasks/{task.id}"
    assert "<option>guest</option>" in han.get(place).text and "<option>bot</option>" not in han.get(place).text
    assert "nobody" in han.send(f"{place}/delegate", page="/tasks", to="nobody").text
    han.send(f"{place}/delegate", page="/tasks", to="guest", reason="on leave")
    assert again(site, task).claimed_by == "guest" and "given by han" in guest.get(place).text
    assert f'href="{place}"' in guest.get("/tasks").text
    assert han.send(f"{place}/give-back", page="/tasks").path == place and again(site, task).claimed_by is None
    assert guest.get(place).status == 403
    han.send(f"{place}/delegate", page="/tasks", to="guest")
    assert guest.send(f"{place}/answer", page="/tasks", **IDENTIFIED).path == place
    assert again(site, task).status == "done"


def test_an_approval_is_given_or_refused_with_a_comment(site: Site, browser: Browsers, run: Execution) -> None:
    """By two buttons, about what was shown; the one who began the run may not where the risk is high."""
    task = approval(site, run)
    dan, place = browser("dan"), f"/tasks/{task.id}"
    page = dan.get(place).text
    assert 'name="field/approved" value="true"' in page and 'name="field/approved" value="false"' in page
    stale = dan.send(f"{place}/answer", page="/tasks", shown="sha256:0", **{"field/approved": "true"})
    assert stale.status == 400 and task.digest in stale.text
    sent = {"shown": task.digest, "field/approved": "false", "field/comment": "the permit is missing"}
    assert dan.send(f"{place}/answer", page=place, **sent).path == place
    work(site)
    told = browser("oda").get(f"/runs/{run.id}").text
    assert "the permit is missing" in told and "by dan" in told


def test_an_approver_sees_what_came_before(site: Site, browser: Browsers, run: Execution) -> None:
    """Each step in its order, by title, with who gave it and when, its values by name, and the words of the rule."""
    task = approval(site, run)
    page, place = browser("dan").get(f"/tasks/{task.id}").text, f"/tasks/{task.id}"
    told = page[page.index("<h2>What came before it</h2>") :]
    assert re.findall(r"<p><b>([^<]+)</b>", told) == ["物质识别", "等级查询", "运输方式审查", "备案核查", "结论汇总"]
    who = re.findall(r'<span class="muted">([^·<]+) · (\d{4}-\d\d-\d\d \d\d:\d\d)', told)
    assert [one[0] for one in who] == ["by han", "by han", "judged by rules", "by sun", "by han"]
    clause = "运输方式应当符合下列要求，不符合其中任何一项的，不予许可"
    assert told.index("运输方式审查") < told.index(f"<blockquote>{clause}</blockquote>") < told.index("备案核查")
    assert "<dt>hazard level</dt><dd>class 2</dd>" in told and "<dt>verdict</dt><dd>passed</dd>" in told
    chinese = browser("dan").get(f"/language/zh?next={place}").text
    assert "<h2>此前的步骤</h2>" in chinese and "han 办理" in chinese and "按规则判定" in chinese


def test_what_came_before_is_masked_for_others(site: Site, kept_password: str) -> None:
    """An operator who only looks at the task sees the mask where somebody gave what is personal."""
    site = replace(site, host=replace(site.host, privacy=Privacy(concepts={"hazard_level": "personal"})))
    task = approval(site, begun(site))
    with TestClient(make_app(site), base_url=ADDRESS) as client:
        someone = Browser(client)
        for name, masked in (("oda", True), ("dan", False)):
            someone.sign_in(name)
            told = someone.get(f"/tasks/{task.id}").text.partition("<h2>What came before it</h2>")[2]
            assert told and ("<dt>hazard level</dt><dd>•••</dd>" in told) is masked, name


def test_who_began_what_is_risky_does_not_approve_it(site: Site, browser: Browsers, run: Execution) -> None:
    """Not even the owner; the page says why before anything is tried."""
    own = begin(site.host, site.workspace.user("wen"), HAZMAT, 1, INPUTS)
    work(site)
    task, wen = approval(site, own), browser("wen")
    assert "you began this run" in wen.get(f"/tasks/{task.id}").text
    sent = wen.send(f"/tasks/{task.id}/answer", page="/tasks", shown=task.digest, **{"field/approved": "true"})
    assert sent.status == 409 and again(site, task).status == "open"


def test_one_person_for_all_is_told(site: Site, browser: Browsers) -> None:
    """Before they approve, in the language of the page, and on the page of the run; others are told nothing."""
    workflow, faults = read_workflow(TWO_APPROVALS.read_bytes())
    assert workflow is not None, faults
    user = site.workspace.user
    submit(site.workspace, user("li"), workflow, site.host.catalog, "0.1")
    review(site.workspace, user("li"), "purchase", 1)
    publish(site.workspace, user("zhao"), "purchase", 1, site.host.catalog, site.host.binder(), accepted="asked")
    run = begin(site.host, user("wen"), "purchase", 1, {"amount": 3})
    work(site)
    task = open_task(site, run.id)
    wen, place = browser("wen"), f"/tasks/{task.id}"
    told = wen.get(place).text
    assert "wen also began this run; the audit will tell" in told and "also answered" not in told
    wen.send(f"{place}/answer", page=place, shown=task.digest, **{"field/approved": "true"})
    work(site)
    task = open_task(site, run.id)
    assert "wen also answered the approval “部门审批”; the audit" in wen.get(f"/tasks/{task.id}").text
    chinese = wen.get(f"/language/zh?next=/tasks/{task.id}").text
    assert "wen 也是本次运行的发起人；由同一人" in chinese and "wen 也作出了审批“部门审批”；由同一人" in chinese
    wen.send(f"/tasks/{task.id}/answer", page=f"/tasks/{task.id}", shown=task.digest, **{"field/approved": "true"})
    work(site)
    assert "也作出了审批“部门审批”" in wen.get(f"/runs/{run.id}").text


def test_what_is_due_stands_first_and_goes_to_others(site: Site, browser: Browsers, kept_password: str) -> None:
    """Overdue tasks are marked, told with their deadline, and in the inbox of the role that they escalated to."""
    site = replace(site, host=replace(site.host, escalation={"安全总监": ("总经理",)}))
    with site.workspace.transaction() as connection:
        add_user(connection, "gao", frozenset({"总经理"}), "wen")
    first, second = begun(site), begun(site)
    task, gao, oda = approval(site, second), site.workspace.user("gao"), site.workspace.user("oda")
    assert task.due_at is not None
    with site.workspace.transaction() as connection:
        late = "2026-01-02T00:00:00.000000+00:00"
        connection.execute(TASKS.update().where(TASKS.c.id == task.id).values(due_at=late))
        assert inbox(connection, gao, "claimable").total == 0
    hand_in_overdue(site.workspace)
    work(site)
    with site.workspace.database.transaction() as connection:
        (entry,) = inbox(connection, gao, "claimable").entries
        assert entry.task.id == task.id and entry.workflow_id == HAZMAT
        everything = inbox(connection, oda, "all").entries
        assert [one.task.execution for one in everything] == [second.id, first.id]
        page = inbox(connection, oda, "all", most=1, skip=1)
        assert ([one.task.execution for one in page.entries], page.total) == ([first.id], 2)
    listed = browser("dan").get("/tasks").text
    assert "2026-01-02 00:00" in listed and "overdue" in listed and "since it is overdue also 总经理" in listed
    assert "总经理" in browser("dan").get(f"/tasks/{task.id}").text


def test_personal_values_are_shown_to_who_may_answer(site: Site, kept_password: str) -> None:
    """By role or by delegation; an operator who only looks sees the mask, and no digest of what is hidden."""
    secret = "SHIP-王小明-4711"
    site = replace(site, host=replace(site.host, privacy=Privacy(concepts={"shipment_id": "personal"})))
    task = approval(site, begun(site, shipment_id=secret))
    with TestClient(make_app(site), base_url=ADDRESS) as client:
        someone = Browser(client)
        someone.sign_in("oda")
        seen = someone.get(f"/tasks/{task.id}").text
        assert secret not in seen and "•••" in seen and task.digest not in seen
        someone.sign_in("dan")
        assert secret in someone.get(f"/tasks/{task.id}").text
        someone.send(f"/tasks/{task.id}/delegate", page="/tasks", to="guest")
        someone.sign_in("guest")
        page = someone.get(f"/tasks/{task.id}")
        assert secret in page.text and page.field("shown") == task.digest
        someone.send(f"/tasks/{task.id}/answer", page="/tasks", shown=task.digest, **{"field/approved": "true"})
        assert again(site, task).status == "done"


def test_what_is_missing_is_given_by_a_person(site: Site, browser: Browsers) -> None:
    """Whoever began the run gives the inputs that were left out, in a form with their names and units."""
    found = begin(site.host, site.workspace.user("oda"), HAZMAT, 1, {"substance_name": "硫酸"}, ask=True)
    work(site)
    task, oda = open_task(site, found.id), browser("oda")
    page = oda.get(f"/tasks/{task.id}").text
    assert "quantity in kilograms" in page and "a number in kg" in page and 'value="铁路"' in page
    given = {f"field/{name}": str(value) for name, value in INPUTS.items() if name != "substance_name"}
    assert oda.send(f"/tasks/{task.id}/answer", page="/tasks", **given).path == f"/tasks/{task.id}"
    work(site)
    with site.workspace.database.transaction() as connection:
        assert execution_of(connection, found.id).progress.run.inputs == INPUTS
    assert open_task(site, found.id).node == "identify"


def test_a_run_that_an_agent_asked_for_is_let_begin(site: Site, browser: Browsers) -> None:
    """By an operator, on the task's page; refused, it is called off with the reason."""
    site = replace(site, host=replace(site.host, agency=Agency(allow={"bot": frozenset({HAZMAT})})))
    runs = [begin(site.host, site.workspace.user("bot"), HAZMAT, 1, INPUTS) for _ in range(2)]
    oda = browser("oda")
    for run, said in zip(runs, ("true", "false"), strict=True):
        task = open_task(site, run.id)
        assert "bot" in oda.get(f"/tasks/{task.id}").text
        sent = {"shown": task.digest, "field/approved": said, "field/comment": "not today"}
        assert oda.send(f"/tasks/{task.id}/answer", page="/tasks", **sent).path == f"/tasks/{task.id}"
    work(site)
    assert open_task(site, runs[0].id).node == "identify"
    assert "not today" in oda.get(f"/runs/{runs[1].id}").text


def test_script_in_values_is_text(site: Site, browser: Browsers) -> None:
    """In inputs, answers, comments and reasons, on every page that shows them."""
    run = begun(site, shipment_id=HOSTILE_TEXT)
    task, oda, han = open_task(site, run.id), browser("oda"), browser("han")
    hostile = {f"field/entity/{name}": HOSTILE_TEXT for name in ENTITY}
    refused = han.send(f"/tasks/{task.id}/answer", page="/tasks", **{**hostile, "field/is_hazardous": HOSTILE_TEXT})
    assert refused.status == 400 and acting_markup(refused) == []
    han.send(f"/tasks/{task.id}/delegate", page="/tasks", to="ma", reason=HOSTILE_TEXT)
    browser("ma").send(f"/tasks/{task.id}/answer", page="/tasks", **{**hostile, "field/is_hazardous": "true"})
    work(site)
    oda.send(f"/runs/{run.id}/pause", page="/runs", reason=HOSTILE_TEXT)
    work(site)
    oda.send(f"/runs/{run.id}/cancel", page="/runs", reason=HOSTILE_TEXT)
    work(site)
    what_if = oda.send(f"/runs/{run.id}/what-if", page="/runs", **{"$.inputs/shipment_id": HOSTILE_TEXT})
    start = oda.send(f"/registry/{HAZMAT}/v1/start", page="/runs", key="0" * 16, **{"field/quantity_kg": HOSTILE_TEXT})
    pages = [oda.get(f"/runs/{run.id}{more}") for more in ("", "/told", "/replay", "/what-if")]
    for answer in (*pages, what_if, start, oda.get(f"/tasks/{task.id}"), oda.get("/tasks?which=all")):
        assert answer.status in (200, 400) and acting_markup(answer) == [], answer.path
    assert html.escape("<script>alert(1)</script>") in pages[0].text


def test_the_words_are_in_the_readers_language(browser: Browsers, task: Task) -> None:
    """In Chinese as in English, and no key without words in either."""
    han = browser("han")
    for address in ("/tasks", f"/tasks/{task.id}"):
        chinese = han.get(address, headers={"Accept-Language": "zh-CN"}).text
        assert "由谁办理" in chinese and not re.search(r">\s*(task|answer|control)\.[a-z_.]+\s*<", chinese)
