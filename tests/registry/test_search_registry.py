"""Search over what is published: what is found for a task, with which reasons, and what is not found."""

from pathlib import Path

import pytest

from catalog.embedders.cache import VectorCache
from catalog.embedders.default import DefaultEmbedder
from catalog.load import load_catalog
from evals.registry_search.tasks import as_published
from ir.codec import read_workflow
from registry.forms import Version
from registry.search import FoundWorkflow, WorkflowIndex, searchable_texts

CATALOG = load_catalog()
CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases"
TASKS = {
    "我的孩子出生了，想休陪产假": "leave-application",
    "warn an employee who broke the rules": "disciplinary-action",
    "报销打车费和住宿费": "expense-reimbursement",
    "a fire damaged my kitchen, claim on the policy": "household-claim-settlement",
    "approval for a study that interviews patients": "research-ethics-review",
    "someone in my team clicked on a fake login page": "phishing-and-compromised-mailbox",
    "采砂许可证快到期了": "licence-extension",
    "apply to dredge sand from a river": "sand-mining-licence",
    "jar test": "jar-test-and-coagulant-dose",
    "出厂水浊度超标": "works-outlet-turbidity-alarm",
    "get rid of used solvents": "laboratory-waste",
    "暴雨过后清理积水和发放救助": "waterlogging-aftermath",
    "root access to a production machine": "privileged-access",
    "动火许可": "hot-work-permit",
    "sign a contract with a supplier above my limit": "commitment-approval",
    "新的注射器要进医院": "consumable-admission",
    "penalty for a shop that broke the law": "penalty-case",
    "working on Sunday": "overtime",
    "我今天不舒服不能上班": "sick-leave",
    "change a pump in the chemical plant": "equipment-change",
    "try out an artificial intelligence product in our department": "piloting-and-buying",
    "在楼顶立一块广告牌": "outdoor-advertising-permit",
    "check whether a customer is on a sanctions list": "customer-review",
    "运输一车盐酸": "transport-compliance",
    "scrap an old computer": "fixed-asset-disposal",
    "a buyer sends back a faulty device under warranty": "warranty-returns",
    "埋设管道需要开挖马路": "road-excavation-permit",
    "发送用户信息到海外服务器": "personal-data-export",
    "set up a new vendor": "supplier-onboarding",
    "食堂食品安全检查": "school-meals-campaign",
}
"""Tasks written after all else was set, each with the workflow that is for it."""
NOBODYS = (
    "boil an egg", "更换汽车轮胎", "rent skis", "学吉他", "reserve a table for dinner", "name a baby",
    "how to sleep better", "讲个笑话", "play sudoku", "明天穿什么", "wallpaper a room", "去海边度假",
    "keep bees", "unblock a sink", "stream a series", "学跳舞", "sew a button", "预订出租车",
    "plant roses", "learn Spanish",
)  # fmt: skip


def version(path: Path) -> Version:
    """A gold workflow as if it were in the registry."""
    definition, faults = read_workflow(path.read_bytes())
    assert definition is not None, faults
    return as_published(definition, CATALOG)


def index(*versions: Version) -> WorkflowIndex:
    """Search over some versions."""
    return WorkflowIndex(versions, CATALOG, DefaultEmbedder(), VectorCache(None))


@pytest.fixture(scope="module")
def gold() -> WorkflowIndex:
    """All gold workflows."""
    return index(*(version(path) for path in sorted(CASES.glob("*/gold/*.workflow.json"))))


@pytest.fixture(scope="module")
def hazmat() -> Version:
    """The first case."""
    return version(CASES / "hazmat-transport" / "gold" / "transport-compliance.workflow.json")


def names(found: tuple[FoundWorkflow, ...]) -> list[str]:
    """Their ids."""
    return [one.version.partition("@")[0] for one in found]


@pytest.mark.parametrize("task", ["how do I ship sulphuric acid by road", "运输硫酸要做什么", "危险化学品运输"])
def test_a_task_finds_its_workflow_in_both_languages(gold: WorkflowIndex, task: str) -> None:
    """Though the workflow speaks Chinese."""
    assert names(gold.search(task))[:1] == ["transport-compliance"]


def test_reasons_are_told(hazmat: Version) -> None:
    """What matched where, what it asks for, whether it runs by itself, its risk, owner and tags."""
    (found,) = index(hazmat).search("how do I ship sulphuric acid by road")
    assert found.matches[0].word == "ship sulphuric acid by road"
    assert ("road", "input") in [(one.word, one.part) for one in found.matches]
    texts = set(searchable_texts(hazmat.definition, CATALOG))
    assert {(one.part, one.text) for one in found.matches} <= texts
    assert [(one.name, one.type, one.required) for one in found.inputs][2] == ("quantity_kg", "number in kg", True)
    assert (found.allow_auto, found.people, found.risk_level) == (False, 3, "high")
    assert (found.owner, found.tags) == ("物流部", ("危险化学品", "运输", "合规"))


def test_nodes_that_people_carry_out_by_hand_are_counted(hazmat: Version) -> None:
    """As they were bound when it was published."""
    by_hand = hazmat.model_copy(update={"executors": {"filing": "manual", "identify": "reference"}})
    (found,) = index(by_hand).search("危险化学品运输")
    assert found.people == 4


def test_best_first_and_no_more_than_asked_for(gold: WorkflowIndex) -> None:
    """The same each time."""
    found = gold.search("河道采砂", 3)
    assert len(found) == 3 and names(found)[0] in ("sand-mining-licence", "completion-acceptance", "licence-extension")
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert names(gold.search("河道采砂", 1)) == names(found)[:1]


def test_nothing_is_found_where_there_is_nothing(gold: WorkflowIndex) -> None:
    """No versions, no words."""
    assert index().search("ship acid") == () and gold.search("  ") == ()


@pytest.mark.slow
def test_what_is_found_for_tasks_in_other_words(gold: WorkflowIndex) -> None:
    """Of 30 tasks 16 find theirs first, 20 among three, 7 nothing; of 20 that no workflow is for, 15 find nothing."""
    found = {task: names(gold.search(task, 3)) for task in TASKS}
    first = [task for task, name in TASKS.items() if found[task][:1] == [name]]
    among = [task for task, name in TASKS.items() if name in found[task]]
    assert (len(first), len(among), list(found.values()).count([])) == (16, 20, 7)
    assert sum(gold.search(task) == () for task in NOBODYS) == 15
