"""`flowc schema`, `explain-code`, `catalog`, `primers` and `config`."""

import json
import re
from pathlib import Path

import pytest
from conftest import Flowc

from catalog.schemas import ALL_FORMS
from flowc.views.code import as_text
from validator.code_page import catalogue


def test_prints_the_schema_of_every_form(flowc: Flowc, repository: Path) -> None:
    """The schema is the one committed; without a name the forms are listed."""
    assert flowc("schema").out.split() == sorted(ALL_FORMS)
    for name in ALL_FORMS:
        committed = repository / "docs" / "schema" / f"{name}.schema.json"
        assert json.loads(flowc("schema", name).out) == json.loads(committed.read_text("utf-8"))


def test_an_unknown_form(flowc: Flowc) -> None:
    """A misspelt form is met with the right one."""
    result = flowc("schema", "wrkflow")
    assert result.status == 2
    assert 'did you mean "workflow"?' in result.err


def test_explains_a_code(flowc: Flowc) -> None:
    """A code's section is printed whole and alone; brackets as in a finding are accepted."""
    result = flowc("explain-code", "[cycle]")
    assert (result.status, result.out.splitlines()[0]) == (0, "## cycle")
    assert result.out.count("\n## ") == 0
    assert "**Why:**" in result.out


def test_an_unknown_code(flowc: Flowc) -> None:
    """A misspelt code is met with the right one."""
    result = flowc("explain-code", "branch-overlp")
    assert result.status == 2
    assert 'did you mean "branch-overlap"?' in result.err


def test_lists_and_shows_node_types(flowc: Flowc) -> None:
    """Types by line; one in full by type or older name; concepts by any of their names, with who uses them."""
    assert "\nhuman.approval " in flowc("catalog", "list").out
    listed = json.loads(flowc("catalog", "list", "--category", "human", "--json").out)
    assert {one["category"] for one in listed} == {"human"}
    assert flowc("catalog", "show", "identify_substance").out.startswith("type: ontology.identify_substance\n")
    assert "# used by " in flowc("catalog", "show", "危险等级").out
    assert 'did you mean "human.approval"?' in flowc("catalog", "show", "human.aproval").err


def test_searches_the_catalog(flowc: Flowc) -> None:
    """The best candidate comes first; a fallback of the embedder is said on stderr."""
    found = json.loads(flowc("catalog", "search", "识别物质", "--embedder", "lexical", "--json").out)
    assert found[0]["type"] == "ontology.identify_substance"
    result = flowc("catalog", "search", "识别物质", "--embedder", "sentence-transformers:no-such-model", "-n", "1")
    assert result.status == 0
    assert "is not used" in result.err


def test_lints_the_catalog(flowc: Flowc) -> None:
    """The shipped catalog has nothing worse than notes."""
    result = flowc("catalog", "lint", "--embedder", "lexical")
    assert result.status == 0
    assert "warning" not in result.out
    assert result.out.endswith(" concepts\n")


def test_lists_shows_and_checks_primers(flowc: Flowc) -> None:
    """Primers by line; one as a model sees it; the shipped ones are sound."""
    assert "\ngovernance " in flowc("primers", "list").out
    assert flowc("primers", "show", "governance", "--language", "zh").out.startswith("# governance@")
    assert json.loads(flowc("primers", "show", "governance", "--json").out)["name"] == "governance"
    assert flowc("primers", "check").status == 0


def test_shows_which_setting_won(flowc: Flowc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment wins over the file; a key is never printed."""
    (tmp_path / "flowc.toml").write_text('embedder = "lexical"\nbase_url = "http://file/v1"\n', encoding="utf-8")
    monkeypatch.setenv("FLOWC_BASE_URL", "http://variable/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    result = flowc("config", "--json")
    found = {one["name"]: (one["value"], one["source"]) for one in json.loads(result.out)["settings"]}
    assert found["embedder"] == ("lexical", str(tmp_path / "flowc.toml"))
    assert found["base_url"] == ("http://variable/v1", "FLOWC_BASE_URL")
    assert found["catalog"] == (None, "default")
    assert found["api_key"][1] == "OPENAI_API_KEY"
    assert "sk-very-secret" not in result.out + flowc("config").out


def test_every_code_is_explained_in_full(flowc: Flowc) -> None:
    """What, why, bad, good and how to mend it are there for each code of the page, as text and as JSON."""
    for code, entry in catalogue().items():
        assert all((entry.severity, entry.finder, entry.summary, entry.what, entry.why, entry.bad, entry.good)), code
        assert entry.mend, code
        assert as_text(entry) == entry.text
    found = json.loads(flowc("explain-code", "cycle", "--json").out)
    assert (found["code"], found["severity"], found["finder"]) == ("cycle", "error", "validator, structure")
    assert found["summary"] == "Edges form a cycle."
    assert found["bad"].startswith("```json\n{")
    assert found["mend"].startswith("Break it where")


def test_a_code_is_coloured_where_a_person_looks(flowc: Flowc, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal head, labels and examples are coloured; the words are the same."""
    plain = flowc("explain-code", "cycle").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = flowc("explain-code", "cycle").out
    assert "\x1b[1m**Bad**\x1b[0m" in coloured
    assert "\x1b[31m" in coloured or "\x1b[1;31m*error" in coloured
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
