"""The hazmat documents changed in harmless ways compile to correspondingly changed workflows and bindings."""

import importlib.util
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

import pytest
from test_cases import gold, scenarios

from catalog.load import load_catalog
from compiler.build.builder import compile_documents
from compiler.build.results import Compiled
from evals.behaviour import walk_scenario
from evals.matching.nodes import Matching, match, steps_of
from evals.matching.places import Places
from ir.infix import to_infix
from ir.predicate import Compare, Literally, Tree, leaves
from ir.quantities.numerals import han_number
from ir.workflow import Workflow

pytestmark = pytest.mark.slow

HAZMAT = Path(__file__).resolve().parent.parent / "fixtures" / "cases" / "hazmat-transport"
Edit = Callable[[str], str]
Compile = Callable[..., Compiled]
HAN = "零一二三四五六七八九"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """The case's own script, which lays the texts out as documents."""
    spec = importlib.util.spec_from_file_location("make_documents", HAZMAT / "make_documents.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def compiled(maker: ModuleType, tmp_path: Path) -> Compile:
    """Compiles the case's documents with their texts passed through an edit."""

    def run(edit: Edit, *, form_only: bool = False) -> Compiled:
        maker.build(tmp_path, maker.identity if form_only else edit)
        (tmp_path / maker.FORM).write_bytes(maker.form_docx(edit))
        build = compile_documents([tmp_path])
        assert build.clean, [str(d) for d in build.diagnostics]
        (one,) = build.procedures
        return one

    return run


def replacing(*pairs: tuple[str, str]) -> Edit:
    """An edit that replaces words; each must stand somewhere, which the caller's assertions show."""

    def edit(text: str) -> str:
        for old, new in pairs:
            text = text.replace(old, new)
        return text

    return edit


def condition_to(workflow: Workflow, node_type: str) -> str:
    """The infix form of the condition under which the node of a Type is entered."""
    (name,) = [name for name, node in workflow.nodes.items() if node.type == node_type]
    (edge,) = workflow.edges_to(name)
    assert isinstance(edge.condition, Tree)
    return to_infix(edge.condition)


def constants(trees: Iterable[object]) -> list[object]:
    """The literal values of conditions, in order."""
    found = []
    for tree in trees:
        assert isinstance(tree, Tree)
        found += [
            leaf.right.value for leaf in leaves(tree) if isinstance(leaf, Compare) and isinstance(leaf.right, Literally)
        ]
    return found


def numeral(number: int) -> str:
    """A Chinese numeral below one hundred."""
    tens, ones = divmod(number, 10)
    return (("" if tens == 1 else HAN[tens]) + "十" if tens else "") + (HAN[ones] if ones else "")


def matched(draft: Workflow) -> Matching:
    """What of a draft stands for what of gold; by words, as the documents of a variant are others."""
    return match(gold(), draft, Places({}), load_catalog())


def behaves(draft: Workflow) -> list[str]:
    """What goes another way than in gold, over all scenarios."""
    known = matched(draft)
    kept = [
        scenario.model_copy(update={"outputs": {n: r for n, r in scenario.outputs.items() if n in known.gold.nodes}})
        for scenario in scenarios()
    ]
    return [d for scenario in kept for d in walk_scenario(scenario, known).differences]


def test_articles_renumbered(compiled: Compile) -> None:
    """Other article numbers, in labels and in references to them, change nothing but the words."""

    def edit(text: str) -> str:
        return re.sub(r"第([一二三四五六七八九十]+)条", lambda m: f"第{numeral((han_number(m[1]) or 0) + 7)}条", text)

    assert edit("第二十八条") == "第三十五条"
    draft = compiled(edit).workflow
    assert set(matched(draft).nodes) == set(steps_of(matched(draft).gold))
    assert behaves(draft) == []


def test_synonyms_of_the_concepts(compiled: Compile) -> None:
    """Other names for concepts and their values lead to the same workflow."""
    edit = replacing(("公路", "道路"), ("CAS号", "CAS登记号"), ("任务编号", "运单号"), ("危险等级", "危险级别"))
    one = compiled(edit)
    assert behaves(one.workflow) == []
    assert {b.input: b.value for b in one.bindings[0].bindings}["transport_mode"] == "公路"


@pytest.mark.parametrize(
    ("name", "level", "cas"), [("氯", 1, "7782-50-5"), ("光气", 1, "75-44-5"), ("TNT", 1, "118-96-7")]
)
def test_another_chemical(compiled: Compile, name: str, level: int, cas: str) -> None:
    """The form names another substance, by its name or by another name that the list gives it."""
    bindings = compiled(replacing(("硫酸", name)), form_only=True).bindings[0]
    assert {b.input: b.value for b in bindings.bindings}["substance_name"] == name
    (found,) = bindings.found
    assert (found.row["hazard_level"], found.row["cas_number"]) == (level, cas)


@pytest.mark.parametrize(
    ("written", "kilograms", "unit"),
    [("12,500 kg", 12500, None), ("12500千克", 12500, None), ("1.2万公斤", 12000, None), ("0.8 t", 800, "t")],
)
def test_another_quantity(compiled: Compile, written: str, kilograms: int, unit: str | None) -> None:
    """A quantity in another unit or notation is bound in kilograms, with what was written kept."""
    one = compiled(replacing(("5 吨", written)))
    (weight,) = [b for b in one.bindings[0].bindings if b.input == "quantity_kg"]
    assert (weight.value, weight.unit) == (kilograms, "kg")
    assert (weight.converted_from.unit if weight.converted_from else None) == unit
    assert weight.evidence[0].quote == written


def test_other_thresholds(compiled: Compile) -> None:
    """Other limits of the transport mode become other constants of its rules."""
    draft = compiled(replacing(("0.5吨", "800千克"), ("30吨", "二十五吨"))).workflow
    pack = draft.rule_packs["check_transport_mode"]
    found = constants(rule.condition for rule in pack.rules)
    numbers = [value for value in found if isinstance(value, int) and value > 9]
    assert numbers == [800, 25000]


def test_other_classes_need_filing(compiled: Compile) -> None:
    """The filing is asked for other classes: the condition of its edge follows."""
    rest = ("三类危险化学品的运输，以及一类、二类", "一类危险化学品的运输，以及二类、三类")
    draft = compiled(replacing(("一类或者二类", "二类或者三类"), rest)).workflow
    assert "in [2, 3]" in condition_to(draft, "io.check_filing_status")


def test_a_single_class_needs_filing(compiled: Compile) -> None:
    """One class instead of two is an equality."""
    draft = compiled(replacing(("属于一类或者二类危险化学品", "属于一类危险化学品"))).workflow
    assert "hazard_level == 1" in condition_to(draft, "io.check_filing_status")


def test_another_mode_needs_filing(compiled: Compile) -> None:
    """Another transport mode in the rule is another constant."""
    rest = ("采用铁路、水路或者航空方式的运输", "采用公路、水路或者航空方式的运输")
    edit = replacing(("或者二类危险化学品采用公路方式运输的", "或者二类危险化学品采用铁路方式运输的"), rest)
    assert '"铁路"' in condition_to(compiled(edit).workflow, "io.check_filing_status")


def test_another_approver_and_deadline(compiled: Compile) -> None:
    """Who approves and by when follow the text."""
    draft = compiled(replacing(("安全总监", "总经理"), ("2个工作日", "四十八小时"))).workflow
    (approval,) = [node for node in draft.nodes.values() if node.type == "human.approval"]
    (summary,) = [node for node in draft.nodes.values() if node.type == "utility.compliance_summary"]
    assert approval.approvers == ("总经理",)
    assert summary.deadline is not None and summary.deadline.duration == "PT48H"
