"""Everything that the requirements forbid is kept, as docs/forbidden.md says: by a code or by construction."""

import ast
import copy
import importlib
import inspect
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from diagnostics_page import sections
from effort import drawn
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from catalog.errors import CatalogError
from catalog.load import Catalog, load_catalog, parse_node_type
from ir.codec import read_form, read_workflow, read_yaml
from ir.diagnostics import Diagnostic, Severity, has_errors
from ir.predicate import COMPARE_OPS, ConditionError, parse_condition
from ir.scenario import Scenario, Scenarios
from ir.walk import Outcome, walk
from ir.workflow import CONTROL_CALL, CONTROL_END, HUMAN_APPROVAL, HUMAN_INPUT, HUMAN_TASK, Workflow
from validator.checks import CheckInput, validate
from validator.explain.explanation import explain
from validator.fixes.json_patch import apply_patch

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "forbidden.md"
FOLDER = ROOT / "fixtures" / "forbidden"
REQUIREMENTS = ROOT.parent / "shared" / "spec" / "requirements.md"
PACKAGES = ("agents", "catalog", "compiler", "evals", "flowc", "ir", "llm", "primers", "validator")
FORBIDDEN = [
    *(f"DSL-{number}" for number in (10, 15, 16, 23, 24, 25, 28, 29, 30, 36, 37, 38, 41, 42, 43)),
    *("NODE-3", "NODE-4", "NODE-13", "NODE-14", "CAT-9", "CAT-10", "POL-4"),
    *("MCP-2", "MCP-5", "MCP-6", "SC-1", "SC-2"),
]
"""The items of the requirements that are marked as forbidden, in their order."""
WITHOUT_CODE = {"MCP-2", "MCP-5", "MCP-6"}
"""Items about what agents do; every other has a code and a file that breaks it."""
LINK = re.compile(r"\]\(\.\./(fixtures/forbidden/[^)]+)\)")
Json = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One row of a table of the page: the item, its part, how that is kept, and by what."""

    id: str
    what: str
    kept: str
    how: str

    @property
    def codes(self) -> set[str]:
        """For `code`: the codes that the file has."""
        return set(re.findall(r"`([^`]+)`", self.how.split("[")[0]))

    @property
    def file(self) -> Path:
        """The file that breaks the rule."""
        (link,) = LINK.findall(self.kept + self.how)
        return ROOT / str(link)


def rows(table: str) -> list[Row]:
    """The rows of one of the page's tables."""
    text = PAGE.read_text(encoding="utf-8").split(f"<!-- {table} -->")[1].split(f"<!-- /{table} -->")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.strip().splitlines()]
    return [Row(*row) for row in cells[2:]]


ROWS, OPENINGS = rows("table"), rows("openings")
BROKEN = [row for row in ROWS if row.kept == "code"]
CONSTRUCTED = [(row.id, name) for row in ROWS for name in re.findall(r"`(tests/[^`]+)`", row.how)]


@cache
def catalog() -> Catalog:
    """The shipped catalog."""
    return load_catalog()


def resolve(name: str) -> str | None:
    """The Node Type that a name stands for."""
    found = catalog().resolve(name)
    return found.type if found else None


def findings(source: str | Path) -> tuple[Diagnostic, ...]:
    """What reader and validator say of a workflow."""
    workflow, notes = read_workflow(source, resolve=resolve)
    return notes if workflow is None else (*notes, *validate(CheckInput(workflow, catalog())))


def placed(source: str | Path) -> list[tuple[str, str]]:
    """Codes and pointers of all findings of a workflow, or of an entry of the catalog."""
    text = source if isinstance(source, str) else source.read_text(encoding="utf-8")
    if text.startswith("{") and "inputs_schema" in json.loads(text):
        try:
            parse_node_type(text, "entry.yaml")
        except CatalogError as error:
            return [("malformed-catalog", fault.pointer) for fault in error.faults]
        return []
    return [(one.error_code, one.location.pointer or "") for one in findings(source)]


def sources() -> Iterator[tuple[Path, ast.Module]]:
    """Every module of ours."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> set[str]:
    """The top names that a module imports, wherever."""
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name.split(".")[0] for name in names}


def cases() -> Iterator[tuple[Json, Workflow, tuple[Scenario, ...]]]:
    """The gold workflows, as JSON and read, each with its scenarios."""
    for path in sorted((ROOT / "fixtures" / "cases").glob("*/gold/*.workflow.json")):
        raw, _ = read_yaml((path.parent.parent / "scenarios.yaml").read_text(encoding="utf-8"))
        read, faults = read_form(Scenarios, raw)
        workflow, notes = read_workflow(path)
        assert workflow is not None and read is not None, (*notes, *faults)
        own = tuple(one for one in read.scenarios if one.workflow in (None, workflow.workflow_id))
        yield json.loads(path.read_text(encoding="utf-8")), workflow, own


# --- the page ---------------------------------------------------------------------------------------------------------


def test_every_item_has_its_rows() -> None:
    """The table has all items in the order of the requirements, each kept in one of the two ways."""
    assert list(dict.fromkeys(row.id for row in ROWS)) == FORBIDDEN
    for row in ROWS:
        assert row.kept in ("code", "by construction"), row
        assert row.what and row.how, row
        assert row.kept != "by construction" or "`tests/" in row.how, row


def test_every_item_that_binds_a_workflow_has_a_code() -> None:
    """Only items about what agents do go without a file that breaks them."""
    assert {row.id for row in BROKEN} == set(FORBIDDEN) - WITHOUT_CODE


@pytest.mark.skipif(not REQUIREMENTS.is_file(), reason="the requirements are not beside the repository")
def test_the_items_are_those_of_the_requirements() -> None:
    """The committed list is what the requirements mark as forbidden."""
    marked = re.findall(r"^\d+\. ([A-Z]+-\d+) \*\*F\*\*", REQUIREMENTS.read_text(encoding="utf-8"), re.MULTILINE)
    assert marked == FORBIDDEN


def test_no_file_is_left_over() -> None:
    """Every file is named once, under its item's id, and has what it is mended by; every code has its section."""
    named = [row.file for row in BROKEN + OPENINGS]
    assert all(path.name.startswith(f"{row.id}_") for row, path in zip(BROKEN + OPENINGS, named, strict=True))
    mends = {path for row in BROKEN for path in beside(row.file)}
    assert sorted([*named, *mends]) == sorted(path for path in FOLDER.rglob("*.*") if path.is_file())
    assert {code for row in BROKEN for code in row.codes} <= {section.code for section in sections()}


# --- by a code --------------------------------------------------------------------------------------------------------


def beside(path: Path) -> list[Path]:
    """What a file is mended by: a patch for JSON, the sound workflow of the item for anything else."""
    if path.suffix == ".json":
        return [path.with_suffix(".mend.json")]
    return list(FOLDER.glob(f"{path.name.split('_')[0]}.good.*"))


@pytest.mark.parametrize("row", BROKEN, ids=lambda row: row.file.stem)
def test_what_is_forbidden_is_refused(row: Row) -> None:
    """The errors of the file are those of its row, and no others."""
    if row.file.suffix == ".json" and row.codes == {"malformed-catalog"}:
        assert {code for code, _ in placed(row.file)} == row.codes
    else:
        assert {one.error_code for one in findings(row.file) if one.severity is Severity.ERROR} == row.codes


@pytest.mark.parametrize("row", BROKEN, ids=lambda row: row.file.stem)
def test_without_it_nothing_is_found(row: Row) -> None:
    """Mended at the place of the finding, the file has no finding; no other part of it was at fault."""
    (mend,) = beside(row.file)
    if row.file.suffix != ".json":
        assert placed(mend) == []
        return
    raw, patch = (json.loads(path.read_text(encoding="utf-8")) for path in (row.file, mend))
    touched = {one for operation in patch for one in elements(raw, operation["path"])}
    at_fault = {one for code, pointer in placed(row.file) if code in row.codes for one in elements(raw, pointer)[:1]}
    assert at_fault and at_fault <= touched
    assert placed(json.dumps(apply_patch(raw, patch))) == []


def elements(raw: Json, pointer: str) -> list[str]:
    """The node, edge or other element in which a pointer lies; an edge belongs to the node that it leaves as well."""
    parts = pointer.split("/")[1:3]
    own = ["/".join(parts)]
    if parts[0] == "edges" and int(parts[1]) < len(raw["edges"]):
        own.append(f"nodes/{raw['edges'][int(parts[1])]['from']}")
    return own


def test_the_forbidden_node_is_the_designs_own() -> None:
    """The file of NODE-4 has the node of the design's example, with the input that its Type asks for."""
    node = json.loads((FOLDER / "NODE-4_review_contract.json").read_text(encoding="utf-8"))["nodes"]["review"]
    design = json.loads((ROOT / "fixtures" / "examples" / "EX-05.json").read_text(encoding="utf-8"))
    assert {key: node[key] for key in design} == design


@pytest.mark.parametrize("row", OPENINGS, ids=lambda row: row.file.stem)
def test_an_opening_is_still_open(row: Row) -> None:
    """The example has no error; once it has, its row belongs into the first table, with a patch that mends it."""
    assert row.id in FORBIDDEN
    assert not has_errors(findings(row.file)), f"closed: move {row.file.name} into the table of {PAGE.name}"


# --- by construction --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("item", "name"), CONSTRUCTED, ids=[f"{item}-{name}" for item, name in CONSTRUCTED])
def test_the_test_exists(item: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a row names is a test of ours that pytest collects, and says what it shows."""
    file, _, function = name.partition("::")
    monkeypatch.syspath_prepend(str((ROOT / file).parent))
    found: Callable[..., None] | None = getattr(importlib.import_module(Path(file).stem), function, None)
    assert function.startswith("test_") and inspect.isfunction(found) and found.__doc__, f"{item}: {name}"


def test_every_object_of_a_workflow_is_closed() -> None:
    """A key that the language does not have is an error in the objects of gold, but in data: outcomes, literals.

    Which is why no key of any name can bring code, prompts, flow or a drawing into a workflow.
    """

    def objects(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
        if isinstance(value, dict):
            yield path
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(item, dict | list):
                yield from objects(item, (*path, key))

    for raw, _, _ in cases():
        for path in list(objects(raw))[:: drawn(5, 1)]:
            changed = copy.deepcopy(raw)
            place: Any = changed
            for key in path:
                place = place[key]
            place["surprise"] = {"do": "it"}
            workflow, _ = read_workflow(json.dumps(changed), resolve=resolve)
            data = (path[:1] == ("rule_packs",) and path[-1] == "outcome") or "value" in path
            assert (workflow is not None) == data, path


# The process that reads documents, and four measuring tools: one holds other readers (poppler, Chromium) against it,
# one ends the compiler halfway, one lets a benchmark's own tools run in a process apart, one starts workers.
RUNS = ("evals/full_disk.py",)  # runs flowc itself in its own process
STARTS = (
    "catalog/importing/mcp_relay.py",
    "compiler/parsers/worker.py",
    "evals/clicks/reviewer.py",
    "evals/executions/process.py",
    "evals/hostile.py",
    "evals/kills.py",
    "evals/load/served.py",
    "evals/reading.py",
    "evals/sopbench/tools.py",
)


def test_no_module_runs_text() -> None:
    """Nothing in the source evaluates or imports text, starts programs, or builds objects from files."""
    for path, tree in sources():
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        names = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
        assert not names & {"eval", "exec", "compile", "__import__"}, path
        methods = {call.func.attr for call in calls if isinstance(call.func, ast.Attribute)}
        assert not methods & {"system", "popen", "unsafe_load", "full_load", "execv", "execve", "spawnv"}, path
        barred = {"code", "dill", "marshal", "pickle", "runpy", "shelve", "subprocess"}
        if path.relative_to(ROOT).as_posix() in STARTS:
            barred -= {"subprocess"}
        if path.relative_to(ROOT).as_posix() in RUNS:
            barred -= {"runpy"}
            (ran,) = [call for call in calls if ast.unparse(call.func) == "runpy.run_module"]
            assert ast.unparse(ran.args[0]) == "'flowc'"
        assert not imported(tree) & barred, path


def test_the_one_program_that_is_started_is_flowc_itself() -> None:
    """The process that reads documents: a fixed command without anything of a document in it, and no shell."""
    tree = ast.parse((ROOT / "compiler" / "parsers" / "worker.py").read_text("utf-8"))
    (started,) = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == "subprocess.Popen"]
    command = "[sys.executable, '-m', 'compiler.parsers.worker', str(os.getpid())]"
    assert [ast.unparse(argument) for argument in started.args] == [command]
    assert not any(keyword.arg in ("shell", "env", "cwd") for keyword in started.keywords)


def test_the_language_reads_neither_clock_nor_machine() -> None:
    """What reads and walks a workflow imports nothing that differs between two runs, and not what writes files."""
    outside = {"locale", "os", "platform", "random", "secrets", "socket", "ssl", "sys", "time", "urllib", "uuid"}
    for path, tree in sources():
        if path.relative_to(ROOT).parts[0] == "ir" and path != ROOT / "ir" / "files.py":
            assert not imported(tree) & outside, path
            assert "ir.files" not in ast.unparse(tree), path
            called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
            assert not called & {"now", "utcnow", "today", "fromtimestamp", "environ"}, path


@given(st.text())
@example("eval")
@example("call")
@example("model")
@example("now")
@example("$env")
@example("matches")
def test_only_known_operators_make_a_condition(name: str) -> None:
    """An object with any other operator is no condition."""
    if name in (*COMPARE_OPS, "and", "or", "not", "is_null", "exists"):
        return
    for operands in ([], ["$.inputs.a"], ["$.inputs.a", 1], "$.inputs.a", [{"eq": ["$.inputs.a", 1]}]):
        with pytest.raises(ConditionError):
            parse_condition({name: operands})


def test_no_output_adds_a_node_or_an_edge() -> None:
    """Whatever else nodes give, a walk has the nodes and edges of the file and takes the same way."""
    more: Json = {"nodes": {"added": {"type": "human.task"}}, "edges": [{"from": "a", "to": "added"}], "next": "added"}
    walked = 0
    for _, workflow, scenarios in cases():
        for scenario in scenarios:
            failed = {name for name, given_ in scenario.outputs.items() if Outcome.read(given_).error is not None}
            outputs = {name: o if name in failed else {**more, **o} for name, o in scenario.outputs.items()}
            plain = scenario.walk(workflow)
            found = walk(workflow, scenario.inputs, {**outputs, "added": more})
            assert (found.path, found.edges, dict(found.nodes)) == (plain.path, plain.edges, dict(plain.nodes))
            assert set(found.nodes) == set(workflow.nodes) and len(found.edges) == len(workflow.edges)
            assert "$.outputs.added" in found.undeclared
            walked += 1
    assert walked


def test_no_run_meets_a_person_who_was_not_told_of() -> None:
    """The people whom a scenario of gold comes to are among those named before the run."""
    met = 0
    for _, workflow, scenarios in cases():
        told = {person.node for person in explain(workflow, catalog()).people}
        human = {name for name, node in workflow.nodes.items() if catalog().node_type(node.type).human}
        assert told == human
        for scenario in scenarios:
            people = human & set(scenario.walk(workflow).path)
            assert people <= told
            met += len(people)
    assert met


def test_nothing_but_the_catalog_gives_governance() -> None:
    """No other package makes a Node Type or sets a part of its governance, and a loaded one cannot be changed."""
    own = {"capabilities", "idempotent_default", "retryable_default", "risk_level_default", "side_effect"}
    for path, tree in sources():
        if path.relative_to(ROOT).parts[0] == "catalog":
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("NodeType", "Governance", "Capabilities"), path
            if isinstance(node, ast.keyword):
                assert node.arg not in own, path
            if isinstance(node, ast.Dict):
                assert not own & {key.value for key in node.keys if isinstance(key, ast.Constant)}, path
    payment = catalog().node_type("finance.make_payment")
    with pytest.raises(ValidationError):
        payment.governance.risk_level_default = "low"  # type: ignore[misc]  # the refusal is tested
    with pytest.raises(ValidationError):
        payment.capabilities.side_effect = False  # type: ignore[misc]  # the refusal is tested


def test_controls_and_people_are_few() -> None:
    """The Types that control a run or wait for a person are these; gateways, events and loops are not among them."""
    of = {
        category: {name for name, one in catalog().node_types.items() if one.category == category}
        for category in ("control", "human")
    }
    assert of == {
        "control": {"control.start", "control.compute", CONTROL_CALL, CONTROL_END},
        "human": {HUMAN_APPROVAL, HUMAN_INPUT, HUMAN_TASK},
    }
