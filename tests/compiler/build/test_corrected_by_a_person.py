"""What a person put into procedures, told as theirs and looked at again."""

from pathlib import Path

import pytest

from compiler.build.builder import compile_documents
from compiler.build.results import Build
from compiler.build.scheduler import Settings
from ir.procedure import Procedure

TEXT = """# Claims

1. The clerk enters the claim in the register.
2. The director approves the claim.
3. The cashier pays the claim.
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A policy."""
    file = tmp_path / "claims.md"
    file.write_text(TEXT, encoding="utf-8")
    return file


def again(policy: Path, **changed: object) -> Build:
    """The build of its procedure with another second step."""
    read = compile_documents(policy).procedures[0].procedure
    steps = tuple(step.model_copy(update=changed) if step.kind == "approval" else step for step in read.steps)
    return compile_documents(policy, procedures=[read.model_copy(update={"steps": steps})])


def test_what_is_unchanged_is_the_documents(policy: Path) -> None:
    """The same procedure, put in again, gives the same draft."""
    first = compile_documents(policy).procedures[0]
    second = compile_documents(policy, procedures=[first.procedure]).procedures[0]
    assert second.workflow.to_json() == first.workflow.to_json()


def test_a_changed_step_is_a_persons(policy: Path) -> None:
    """Its node says so, and so does the provenance; the others are the document's."""
    draft = again(policy, actor="clerk").procedures[0].workflow
    origins = {node.step_ids: node.origin for node in draft.nodes.values() if node.step_ids}
    assert sorted(origins.values()) == ["document", "document", "person"]
    assert draft.provenance is not None and draft.provenance.mode == "person"


def test_the_provenance_says_who_it_was(policy: Path) -> None:
    """Where somebody corrected something; what is unchanged is nobody's."""
    read = compile_documents(policy).procedures[0].procedure
    mine = read.model_copy(update={"title": "Claims of customers"})
    by = Settings(author="j.doe")
    (changed,) = compile_documents(policy, by, procedures=[mine]).procedures
    assert changed.workflow.provenance is not None and changed.workflow.provenance.author == "j.doe"
    (same,) = compile_documents(policy, by, procedures=[read]).procedures
    assert same.workflow.provenance is not None and same.workflow.provenance.author is None


def test_somebody_whom_the_document_does_not_name_is_told(policy: Path) -> None:
    """With the step."""
    (fault,) = (d for d in again(policy, actor="Auditor").documents[0].diagnostics if d.error_code == "unknown-actor")
    assert fault.found == "Auditor" and "s2" in fault.message
    assert not [d for d in again(policy, actor="Clerk").documents[0].diagnostics if d.error_code == "unknown-actor"]


def test_an_approval_made_a_record_is_an_error(policy: Path) -> None:
    """The sentence still demands one."""
    faults = again(policy, kind="record").procedures[0].diagnostics
    assert "lost-approval" in {fault.error_code for fault in faults if fault.severity == "error"}


def test_the_steps_of_a_model_are_not_compared(policy: Path) -> None:
    """What it had read is not at hand; the draft as a whole is a person's."""
    read = compile_documents(policy).procedures[0].procedure
    mine: Procedure = read.model_copy(update={"method": "some-model json_schema"})
    draft = compile_documents(policy, procedures=[mine]).procedures[0].workflow
    assert draft.provenance is not None and draft.provenance.mode == "person"
    assert {node.origin for node in draft.nodes.values() if node.step_ids} == {"document"}
