"""What `import flowc` offers to programs."""

import subprocess
import sys
from pathlib import Path

import pytest

import flowc

CASE = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "hazmat-transport"
POLICY = """# Purchases

1. The clerk shall check the request.
2. The director shall approve the request.
"""


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> flowc.Build:
    """A small policy, compiled from its path as a text."""
    path = tmp_path_factory.mktemp("documents") / "purchases.md"
    path.write_text(POLICY, encoding="utf-8")
    return flowc.compile(str(path))


@pytest.mark.parametrize("name", flowc.__all__)
def test_every_public_name_is_there(name: str) -> None:
    """Each name of `__all__` can be had from the package."""
    assert getattr(flowc, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A name that is not offered is refused as Python does it."""
    with pytest.raises(AttributeError, match="nonsense"):
        _ = flowc.nonsense  # type: ignore[attr-defined]


def test_importing_the_package_is_cheap(repository: Path) -> None:
    """`import flowc` alone loads neither the compiler nor pydantic."""
    code = "import sys, flowc; print([m for m in sys.modules if m.startswith('compiler') or m == 'pydantic'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=repository, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_one_string_is_one_path(build: flowc.Build) -> None:
    """Its letters are no paths; a path that is not there is refused by name."""
    assert [result.doc_id for result in build.documents] == ["purchases.md"]
    with pytest.raises(flowc.CompilerError, match="/nope: there is no such file"):
        flowc.compile("/nope")


def test_a_model_is_named_as_on_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name is enough; without a key for it the message is the command's."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(flowc.CompilerError, match="--model some-model: no key; set OPENAI_API_KEY"):
        flowc.compile(CASE / "documents", model="some-model")


def test_a_workflow_is_held_against_its_sources_where_they_are_given(build: flowc.Build) -> None:
    """Alone, nothing is said of a step that the workflow leaves out."""
    (one,) = build.procedures
    gone = next(name for name, node in one.workflow.nodes.items() if node.step_ids)
    node = one.workflow.nodes[gone].model_copy(update={"step_ids": ()})
    changed = one.workflow.model_copy(update={"nodes": {**one.workflow.nodes, gone: node}})
    assert "lost-step" not in {found.error_code for found in flowc.validate(changed)}
    assert "lost-step" in {found.error_code for found in flowc.validate(changed, procedures=[one.procedure])}


def test_a_file_is_checked_with_what_lies_beside_it(build: flowc.Build, tmp_path: Path) -> None:
    """The file of a build folder has the findings of the build."""
    flowc.write(build, tmp_path / "out")
    (file,) = (tmp_path / "out").glob("*/*.workflow.json")
    of_file = {found.error_code for found in flowc.validate(file)}
    (one,) = build.procedures
    documents = [result.document for result in build.documents if result.document]
    assert of_file == {
        d.error_code for d in flowc.validate(one.workflow, procedures=[one.procedure], documents=documents)
    }


def test_a_walk_refuses_what_the_workflow_does_not_have(build: flowc.Build) -> None:
    """An input or a node that is misspelt is an error with the name that was probably meant."""
    workflow = build.procedures[0].workflow
    (node, *_) = workflow.nodes
    with pytest.raises(ValueError, match='no input "amonut"'):
        flowc.walk(workflow, {"amonut": 1})
    with pytest.raises(ValueError, match=f'no node "{node}x"; did you mean "{node}"'):
        flowc.walk(workflow, {}, {f"{node}x": {}})
    assert flowc.walk(workflow, {}).path


def test_versions_are_compared_and_explained(build: flowc.Build) -> None:
    """A workflow differs from itself in nothing, and says how it runs."""
    workflow = build.procedures[0].workflow
    assert flowc.diff(workflow, workflow).same
    assert flowc.explain(workflow).routes
