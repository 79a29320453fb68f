"""Cases: documents with what a careful reader finds in them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import JsonValue

from evals.errors import MalformedSuite
from ir.base import Model
from ir.codec import read_form, read_json, read_workflow, read_yaml
from ir.diagnostics import Diagnostic
from ir.procedure import END, START, Procedure
from ir.scenario import Scenario, Scenarios
from ir.source import Language
from ir.workflow import Workflow

Form = TypeVar("Form", bound=Model)
Split = Literal["dev", "held_out"]
CASE_FILE = "case.yaml"


class CaseDocument(Model):
    """One document of a case.

    Args:
        path: below the case's folder.
        source: the text that it was made from, where it was made; the parsing metrics hold the document against it.
    """

    path: str
    role: Literal["policy", "reference", "form", "none"]
    source: str | None = None


class CaseFile(Model):
    """`case.yaml`.

    Args:
        split: `dev` cases may be looked at while the compiler is improved; of `held_out` ones only the scores.
        features: what is special about it, for choosing cases.
        procedures: false where the documents hold none, so that they must be refused.
    """

    title: str
    language: Language
    origin: str
    licence: str
    split: Split
    features: tuple[str, ...] = ()
    documents: tuple[CaseDocument, ...]
    made_by: str | None = None
    question: str | None = None
    procedures: bool = True


@dataclass(frozen=True)
class Case:
    """One case with its gold.

    Args:
        slug: the folder's name, unique in a suite.
        workflows: by id, which is the id of the procedure.
    """

    slug: str
    folder: Path
    file: CaseFile
    procedures: tuple[Procedure, ...]
    workflows: dict[str, Workflow]
    scenarios: tuple[Scenario, ...]

    @property
    def documents(self) -> Path:
        """The folder that is compiled."""
        return self.folder / "documents"

    def scenarios_of(self, workflow: str) -> tuple[Scenario, ...]:
        """The scenarios of one workflow."""
        return tuple(one for one in self.scenarios if one.workflow in (None, workflow))


def read_suite(folder: Path) -> tuple[Case, ...]:
    """The cases below a folder, or the one case that it is, by slug.

    Raises:
        MalformedSuite: there is none, or one is not of its form; the message names the file.
    """
    folder = folder.parent if folder.name == CASE_FILE else folder
    files = [folder / CASE_FILE] if (folder / CASE_FILE).is_file() else sorted(folder.glob(f"*/{CASE_FILE}"))
    if not files:
        raise MalformedSuite(f"{folder}: no {CASE_FILE} here or one level below; name a folder of cases")
    return tuple(read_case(file.parent) for file in files)


def read_case(folder: Path) -> Case:
    """One case.

    Raises:
        MalformedSuite: a file is missing or not of its form.
    """
    file = _read_yaml(folder / CASE_FILE, CaseFile)
    procedures = tuple(_procedures(folder / "gold" / "procedures.json"))
    workflows = {w.workflow_id: w for w in map(_workflow, sorted((folder / "gold").glob("*.workflow.json")))}
    scenarios = _read_yaml(folder / "scenarios.yaml", Scenarios).scenarios if file.procedures else ()
    if file.procedures != bool(procedures):
        raise MalformedSuite(f"{folder}: gold procedures and `procedures: {str(file.procedures).lower()}` disagree")
    ids = {p.id for p in procedures}
    if ids != set(workflows):
        told = ", ".join(sorted(ids ^ set(workflows)))
        raise MalformedSuite(f"{folder / 'gold'}: the ids of procedures and of workflows differ: {told}")
    for procedure in procedures:
        _check_flows(folder / "gold" / "procedures.json", procedure)
    for scenario in scenarios:
        _check_scenario(folder / "scenarios.yaml", scenario, workflows)
    if procedures and not file.documents:
        raise MalformedSuite(f"{folder / CASE_FILE}: no documents")
    for document in file.documents:
        for path in (document.path, document.source):
            if path is not None and not (folder / path).is_file():
                raise MalformedSuite(f"{folder}: {path} is named in {CASE_FILE} and is not there")
    return Case(folder.name, folder, file, procedures, workflows, scenarios)


def _check_flows(path: Path, procedure: Procedure) -> None:
    """Flows lead between steps that there are, on conditions that there are."""
    steps = {step.id for step in procedure.steps} | {START, END}
    conditions = {condition.id for condition in procedure.conditions} | {"otherwise", None}
    for flow in procedure.flows:
        if not {flow.source, flow.target} <= steps or flow.condition not in conditions:
            name = f"{procedure.id}: the flow {flow.source}->{flow.target}"
            raise MalformedSuite(f"{path}: {name} names a step or condition that is not there")


def _check_scenario(path: Path, scenario: Scenario, workflows: dict[str, Workflow]) -> None:
    """A scenario is of a workflow of the case, and gold goes in it as it says."""
    if scenario.workflow is not None and scenario.workflow not in workflows:
        raise MalformedSuite(f"{path}: scenario {scenario.name!r} is of no workflow of the case")
    for name, workflow in workflows.items():
        if scenario.workflow not in (None, name):
            continue
        try:
            wrong = scenario.differences(workflow)
        except ValueError as error:
            raise MalformedSuite(f"{path.parent / 'gold' / name}.workflow.json: {error}") from error
        if wrong:
            raise MalformedSuite(f"{path}: scenario {scenario.name!r}: {wrong[0]}")


def _read_yaml(path: Path, model: type[Form]) -> Form:
    raw, faults = read_yaml(_bytes(path))
    return _form(path, model, raw, faults)


def _procedures(path: Path) -> Iterator[Procedure]:
    raw, faults = read_json(_bytes(path))
    if faults or not isinstance(raw, list):
        raise MalformedSuite(f"{path}: {faults[0] if faults else 'not a list of procedures'}")
    for item in raw:
        yield _form(path, Procedure, item, ())


def _workflow(path: Path) -> Workflow:
    workflow, faults = read_workflow(_bytes(path))
    if workflow is None:
        raise MalformedSuite(f"{path}: {faults[0]}")
    return workflow


def _form(path: Path, model: type[Form], raw: JsonValue, faults: tuple[Diagnostic, ...]) -> Form:
    form, more = read_form(model, raw) if not faults else (None, faults)
    if form is None:
        raise MalformedSuite(f"{path}: {more[0]}")
    return form


def _bytes(path: Path) -> bytes:
    if not path.is_file():
        raise MalformedSuite(f"{path}: there is no such file")
    return path.read_bytes()
