"""docs/diagnostics.md and the source agree: every code has its section, and every example does what the page says.

The examples of the validator's checks are run by `validator/checks/test_diagnostics_document.py`.
"""

import errno
import json
import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from diagnostic_codes import emitted_codes
from diagnostic_documents import DESCRIBED, word
from diagnostics_page import BARE, Example, Part, Section, sections

import catalog.importing.mcp_client
import flowc.commands.validate
import flowc.terminal
import validator.code_page
from catalog.concept import Concept
from catalog.lint import lint
from catalog.load import Catalog, load_catalog
from catalog.node_type import NodeType
from compiler.budget import Budget
from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from compiler.draft.primer_check import check_primers
from compiler.parsers import Limits, parse
from compiler.report.words import Words
from flowc.main import main
from flowc.reading import decisions_for
from ir.codec import read_form, read_json, read_workflow, read_yaml
from ir.diagnostics import Diagnostic
from ir.normalise import declared_outputs
from ir.procedure import Procedure
from llm import ModelChoice
from primers.load import Primers
from primers.primer import Primer
from validator.inline_outputs import differing_outputs

pytestmark = pytest.mark.slow

SECTIONS = sections()
PARTS = ("**What:**", "**Why:**", "**Bad", "**Good", "**Mend it:**")
Run = Callable[[Section, Part], tuple[Diagnostic, ...]]


def found_by(word: str) -> list[Section]:
    """The sections whose codes come from one finder first of all."""
    return [section for section in SECTIONS if section.finder.startswith(word)]


def each(*words: str) -> pytest.MarkDecorator:
    """A test for each section of these finders."""
    chosen = [section for word in words for section in found_by(word)]
    return pytest.mark.parametrize("section", chosen, ids=[section.code for section in chosen])


def assert_true(section: Section, run: Run) -> None:
    """The bad example has the fault with a severity of the section; the good one has not."""
    bad = [diagnostic for diagnostic in run(section, "Bad") if diagnostic.error_code == section.code]
    assert bad
    assert {diagnostic.severity.value for diagnostic in bad} <= set(section.severity.split(" or "))
    assert section.code not in {diagnostic.error_code for diagnostic in run(section, "Good")}


# --- the page as a whole ----------------------------------------------------------------------------------------------


def test_every_code_has_a_section_and_every_section_a_source() -> None:
    """No code is without explanation, and no code is explained that nothing emits."""
    emitted, explained = emitted_codes(), {section.code for section in SECTIONS}
    assert {code: place for code, place in emitted.items() if code not in explained} == {}
    assert explained - set(emitted) == set()


def test_the_codes_are_found_in_all_their_shapes() -> None:
    """Arguments, defaults, classes, tables, alternatives and filled-in texts are all read from the source."""
    shapes = {
        "malformed-json",  # an argument
        "malformed-yaml",  # a default
        "missing-path",  # a class's code beside others
        "code-in-workflow",  # a table
        "bad-reference",  # an alternative
        "few-examples",  # filled in
        "unplaced-text",  # an argument of a method
        "unknown-form",  # an argument of a class
        "cycle",  # the name of a check
    }
    assert shapes <= set(emitted_codes())


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.code)
def test_every_section_has_all_parts_in_order(section: Section) -> None:
    """What, why, bad, good, how to mend it; the sentence at the top is one."""
    places = [section.text.find(f"\n{part}") for part in PARTS]
    assert places[0] > 0
    assert places == sorted(places)
    assert section.summary.endswith(".")
    assert ". " not in section.summary


def test_every_section_is_run_by_a_test() -> None:
    """The finders of the page are those whose examples the tests run."""
    run = [
        s
        for word in ("validator", "conformance", "reader", "parser", "pass", "catalog", "primers", "command")
        for s in found_by(word)
    ]
    assert sorted(section.code for section in run) == [section.code for section in SECTIONS]


# --- reader -----------------------------------------------------------------------------------------------------------


def reading(section: Section, part: Part) -> tuple[Diagnostic, ...]:
    """What the reader says of an example, which is put into the bare minimum where its text can be read at all."""
    (example,) = section.examples(part)
    syntax: Any = example.language
    value, faults = (read_yaml if syntax == "yaml" else read_json)(example.text)
    if faults:
        return faults
    assert isinstance(value, dict)
    whole = {"nodes": {}, "edges": [], **BARE, **value}
    workflow, notes = read_workflow(json.dumps(whole))
    if workflow is None or section.code != "outputs-differ":
        return notes
    return (*notes, *differing_outputs(workflow, load_catalog(), declared_outputs(notes)))


@each("reader")
def test_examples_of_the_reader_are_true(section: Section) -> None:
    """The bad workflow has the fault when it is read; with the good one nothing at all is wrong."""
    assert_true(section, reading)
    assert reading(section, "Good") == ()


# --- parser -----------------------------------------------------------------------------------------------------------


def parsing(section: Section, part: Part) -> tuple[Diagnostic, ...]:
    """What the parser says of an example."""
    examples = section.examples(part)
    limits = Limits(bytes=1000) if section.code == "oversize-document" else Limits()
    if not examples:
        return parse(DESCRIBED[section.code][part == "Good"], "policy", limits).diagnostics
    (example,) = examples
    data = word(example.text) if example.name == "word" else example.text.encode()
    return parse(data, example.name, limits).diagnostics


@each("parser")
def test_examples_of_the_parser_are_true(section: Section) -> None:
    """The bad document has the fault; the good one has nothing."""
    assert_true(section, parsing)
    assert parsing(section, "Good") == ()


# --- passes -----------------------------------------------------------------------------------------------------------


def written(examples: list[Example], folder: Path) -> list[Example]:
    """Write the files of an example; gives the blocks that are none."""
    for example in examples:
        if example.name:
            (folder / example.name).parent.mkdir(parents=True, exist_ok=True)
            (folder / example.name).write_text(example.text + "\n", encoding="utf-8")
    return [example for example in examples if not example.name]


@each("pass")
def test_examples_of_the_passes_are_true(section: Section, tmp_path: Path) -> None:
    """Compiling the bad documents reports the fault; the good not.

    Procedures that a person corrected and recorded answers of a model are among the files where the code needs them.
    """

    def compiling(section: Section, part: Part) -> tuple[Diagnostic, ...]:
        folder = tmp_path / part
        folder.mkdir()
        examples = section.examples(part)
        replies = [example for example in examples if example.name.startswith("replies/")]
        documents = [e for e in examples if e.name != "procedures.json" and e not in replies]
        assert not written(documents, folder)
        assert not written(replies, tmp_path)
        given = [json.loads(example.text) for example in examples if example.name == "procedures.json"]
        procedures = [Procedure.model_validate(item) for listed in given for item in listed]
        model = ModelChoice(replay=tmp_path / "replies") if replies else None
        none = section.code == "over-budget" and part == "Bad"
        budget = Budget(seconds=1e-6, seconds_a_character=0) if none else Budget()
        decisions = decisions_for([folder])
        settings = Settings(embedder="lexical", model=model, budget=budget, decisions=decisions)
        build = compile_documents([folder], settings, procedures=procedures)
        return tuple(diagnostic for result in build.documents for diagnostic in result.diagnostics)

    assert_true(section, compiling)


# --- catalog and primers ----------------------------------------------------------------------------------------------

WEIGH: dict[str, Any] = {
    "type": "io.weigh",
    "version": "1.0.0",
    "category": "io",
    "summary": "Weigh a parcel on scales",
    "summary_i18n": {"zh": "在秤上称量包裹的重量", "en": "Weigh a parcel on scales"},
    "inputs_schema": {"parcel_id": {"type": "string", "required": True, "concept": "parcel_id"}},
    "outputs_schema": {"weight": {"type": "number", "required": True, "concept": "weight"}},
    "capabilities": {"side_effect": False, "idempotent_default": True, "retryable_default": True},
    "governance": {"risk_level_default": "low"},
    "aliases": [
        "称重",
        "过磅",
        "称量包裹",
        "测量重量",
        "weigh it",
        "put it on scales",
        "find the mass",
        "take its weight",
    ],
    "examples": ["收件员对包裹称重。", "过磅后登记。", "The clerk weighs the parcel.", "Each parcel is weighed."],
}
"""A Node Type with which nothing is wrong; examples change parts of it."""


def linting(section: Section, part: Part) -> tuple[Diagnostic, ...]:
    """What the lint says of a catalog with the example's Types, or its concept."""
    (example,) = section.examples(part)
    raw = yaml.safe_load(example.text)
    entries = raw if isinstance(raw, list) else [raw]
    concepts = [Concept.model_validate(entry) for entry in entries if "id" in entry]
    types = [NodeType.model_validate(WEIGH | entry) for entry in entries if "id" not in entry]
    return lint(Catalog({one.type: one for one in types}, {one.id: one for one in concepts}))


@each("catalog lint")
def test_examples_of_the_catalog_are_true(section: Section) -> None:
    """The bad entry is found; the good one has no fault of that kind."""
    assert_true(section, linting)
    if section.code != "indistinguishable-types":  # its Types leave out what does not matter there
        assert linting(section, "Good") == ()


@each("catalog import")
def test_examples_of_imports_are_true(
    section: Section, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last command of the bad example tells the code and ends with status 1; that of the good one does not."""
    parts: tuple[Part, ...] = ("Bad", "Good")
    for part in parts:
        folder = tmp_path / part
        folder.mkdir()
        monkeypatch.chdir(folder)
        for command in written(section.examples(part), folder):
            status = main(shlex.split(command.text.removeprefix("$ flowc ")))
            said = capsys.readouterr().out
        assert (status, f"[{section.code}]" in said) == ((1, True) if part == "Bad" else (0, False)), said


def test_the_lint_too_finds_a_retry_that_is_not_idempotent() -> None:
    """What the section of the validator's code says of the catalog is so."""
    can = {"side_effect": True, "idempotent_default": False, "retryable_default": True}
    one = NodeType.model_validate(WEIGH | {"capabilities": can})
    assert [d.error_code for d in lint(Catalog({one.type: one}, {}))] == ["retry-not-idempotent"]


def checking(section: Section, part: Part) -> tuple[Diagnostic, ...]:
    """What the check says of a primer with the example's rules or worked examples."""
    (block,) = section.examples(part)
    small = {"name": "small", "version": "1.0.0", "pass": "synthesize_draft", "languages": ["en"]}
    rule = {"id": "a-rule", "advisory": True, "text": {"en": "Do."}}
    raw = {**small, "rules": [rule], **yaml.safe_load(block.text)}
    for worked in raw.get("examples", ()):
        worked["workflow"] = {**BARE, "execution_policy": {"risk_level": "medium"}, **worked["workflow"]}
    primer, faults = read_form(Primer, raw)
    assert primer, faults
    return check_primers(Primers({"small": primer}), Catalog(_people(), {}))


def _people() -> dict[str, NodeType]:
    """The Node Types of the language itself."""
    return {name: one for name, one in load_catalog().node_types.items() if one.category in ("human", "control")}


@each("primers check")
def test_examples_of_the_primers_are_true(section: Section) -> None:
    """The bad primer has the fault; with the good one nothing is wrong."""
    assert_true(section, checking)
    assert checking(section, "Good") == ()


# --- command line -----------------------------------------------------------------------------------------------------


def raising(error: BaseException) -> Callable[..., object]:
    """A function that fails."""

    def fail(*_: object, **__: object) -> object:
        raise error

    return fail


BROKEN: dict[str, tuple[object, str, object]] = {
    "broken-install": (validator.code_page, "__file__", os.devnull),
    "environment": (flowc.terminal, "finish", raising(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))),
    "missing-extra": (catalog.importing.mcp_client, "find_spec", lambda name: None),
    "internal-error": (flowc.commands.validate, "existing_path", raising(KeyError("node"))),
    "unreadable-file": (os, "fdopen", raising(PermissionError(errno.EACCES, os.strerror(errno.EACCES)))),
    "untrusted-endpoint": (os, "environ", {**os.environ, "OPENAI_API_KEY": "k"}),
}
"""What must be broken for a command to fail in a way that no file or word brings about: object, attribute, value."""


@each("command line")
def test_examples_of_the_command_line_are_true(
    section: Section, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last bad command ends with the status of the section and says what the page shows; the good one ends well."""
    for name in [name for name in os.environ if name.startswith(("FLOWC_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    statuses = {int(number) for number in re.findall(r"\d", section.finder)}
    parts: tuple[Part, ...] = ("Bad", "Good")
    for part in parts:
        folder = tmp_path / part
        folder.mkdir()
        monkeypatch.chdir(folder)
        commands = written(section.examples(part), folder)
        assert commands or part == "Good"
        for command in commands:
            line, *shown = command.text.split("\n")
            with monkeypatch.context() as patch:
                if part == "Bad" and section.code in BROKEN:
                    patch.setattr(*BROKEN[section.code])
                status = main(shlex.split(line.removeprefix("$ flowc ")))
            said = capsys.readouterr().err
            prepares = command is not commands[-1] and status == 0  # what the failing command needs
            assert prepares or ((status in statuses) if part == "Bad" else (status == 0)), said
            if part == "Bad" and not prepares:
                assert said.startswith(f"error[{section.code}]: ")
                pieces = [piece for words in shown for piece in words.split("…") if piece]
                assert re.search(".*".join(re.escape(piece) for piece in pieces), said, re.DOTALL), said


def test_an_unreadable_file_of_a_folder_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the section says of files in folders is so: the build goes on."""
    (tmp_path / "policy.md").write_text("The clerk shall check the invoice.", encoding="utf-8")
    monkeypatch.setattr(*BROKEN["unreadable-file"])
    (result,) = compile_documents([tmp_path], Settings(embedder="lexical")).documents
    assert [diagnostic.error_code for diagnostic in result.diagnostics] == ["unreadable-file"]


def test_each_code_of_a_draft_has_a_sentence_for_people() -> None:
    """In both languages; the English one is the page's."""
    english, chinese = Words("en"), Words("zh")
    for section in SECTIONS:
        if section.finder.split()[0].rstrip(",;") in ("validator", "conformance", "pass", "parser"):
            assert english.of_code(section.code, "") == section.summary, section.code
            assert chinese.of_code(section.code, "").endswith("。"), section.code
