"""Hostile documents: whatever their words say, the draft is that of the same document without them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hostile import ATTACKS, DATA, EMPTY, Attack, made, name_of, twin_of
from readers import Honest, Obedient, opened, shown

import compiler.build.scheduler
from compiler.build.builder import compile_documents
from compiler.build.folder import write_build
from compiler.build.results import Build
from compiler.build.scheduler import Settings
from compiler.report.graph.mermaid import render_mermaid
from compiler.report.graph.svg import render_svg
from compiler.text.addressed import fold
from ir.diagnostics import has_errors
from llm import OpenedModel

pytestmark = pytest.mark.slow

Compile = Callable[[str, str, Attack | None, Honest | None], Build]
Twin = Callable[[Attack, str], tuple[dict[str, Any], list[str]]]
BY_ID = {attack.id: attack for attack in ATTACKS}
FORMS = list({(attack.language, attack.format): attack for attack in ATTACKS if attack.channel == "paragraph"}.values())


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compile]:
    """Compiles a policy, clean or with an attack, offline or by a model; the catalog is loaded once."""
    base, _ = compiler.build.scheduler._context(Settings())

    def surroundings(settings: Settings, opened: OpenedModel | None = None) -> tuple[Any, tuple[str, ...]]:
        context = base.on("")
        if opened is not None:
            context.model, context.accounts = opened.model, opened.accounts
        return context, ()

    def build(language: str, form: str, attack: Attack | None, model: Honest | None) -> Build:
        path = tmp_path_factory.mktemp("hostile") / name_of(attack, form)
        path.write_bytes(made(language, form, attack))
        return compile_documents([path], Settings(model=opened(model) if model else None))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler.build.scheduler, "_context", surroundings)
        yield build


@pytest.fixture(scope="module")
def twin(compiled: Compile) -> Twin:
    """What the clean document gives in a form of synthesis, and what a model was shown of it; made once for each."""
    known: dict[object, tuple[dict[str, Any], list[str]]] = {}

    def of(attack: Attack, way: str) -> tuple[dict[str, Any], list[str]]:
        clean = twin_of(attack)
        key = (attack.language, attack.format, way, clean is None)
        if key not in known:
            model = Honest(attack.language) if way == "model" else None
            found = essence(compiled(attack.language, attack.format, clean, model))
            known[key] = found, [text for text in (said(model) if model else ()) if EMPTY[attack.language] not in text]
        return known[key]

    return of


def essence(build: Build) -> dict[str, Any]:
    """All of the only workflow but where it came from: evidence by its words."""
    (one,) = build.procedures
    assert one.clean, one.diagnostics
    workflow = json.loads(json.dumps(one.workflow.to_json()))
    del workflow["provenance"]
    return _by_words(workflow)  # type: ignore[no-any-return]


def _by_words(value: Any) -> Any:
    if isinstance(value, dict):
        if {"doc_id", "quote"} <= value.keys():
            return {"quote": value["quote"].replace("[1]", ""), "status": value.get("status")}
        return {key: _by_words(each) for key, each in value.items()}
    return [_by_words(each) for each in value] if isinstance(value, list) else value


def said(model: Honest) -> list[str]:
    """The texts of the document that a model was shown, without the marks of footnotes."""
    asked = [request for request in model.asked if request.purpose == "extract"]
    return [text.replace("[1]", "") for request in asked for _, text in shown(request)]


def _plain(text: str) -> str:
    """The letters and digits of a text as a reader sees it."""
    return "".join(filter(str.isalnum, fold(text)[0]))


# --- the documents ----------------------------------------------------------------------------------------------------


def test_there_are_enough_attacks_over_all_channels() -> None:
    """Both languages, all formats, each channel that a hostile hand can reach."""
    assert len(ATTACKS) == len(BY_ID) >= 36
    assert {attack.format for attack in ATTACKS} == {"markdown", "html", "docx", "pdf"}
    channels = {attack.channel for attack in ATTACKS}
    wanted = {"paragraph", "inline", "table", "comment", "name", "split", "code", "vanish", "white", "deletion", "tiny"}
    assert wanted <= channels
    assert min(sum(attack.language == language for attack in ATTACKS) for language in ("zh", "en")) >= 15


@pytest.mark.parametrize("attack", FORMS, ids=lambda attack: f"{attack.language}-{attack.format}")
def test_the_clean_twins_have_what_can_be_attacked(twin: Twin, attack: Attack) -> None:
    """An approval by the person whom the document names, behind its own limit, in both forms of synthesis."""
    approver = {"en": "director", "zh": "总经理"}[attack.language]
    for way in ("offline", "model"):
        clean, _ = twin(attack, way)
        (name,) = (n for n, node in clean["nodes"].items() if approver in node.get("approvers", ()))
        (edge,) = (edge for edge in clean["edges"] if edge["to"] == name)
        assert "50000" in json.dumps(edge["condition"]), way


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.id)
def test_offline_the_draft_is_that_of_the_clean_twin(compiled: Compile, twin: Twin, attack: Attack) -> None:
    """Open words are reported and listed; all others leave no trace in the procedure."""
    build = compiled(attack.language, attack.format, attack, None)
    assert essence(build) == twin(attack, "offline")[0]
    told = [d for d in build.diagnostics if d.error_code == "addressed-to-machine"]
    listed = "\n".join(text.text for text in build.procedures[0].procedure.unplaced)
    found = _plain("".join(str(d.found) for d in told))
    for words in attack.words if attack.open else ():
        assert _plain(words) in found
        assert _plain(words) in _plain(listed)
    assert bool(told) == attack.open


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.id)
def test_by_model_the_draft_is_that_of_the_clean_twin(compiled: Compile, twin: Twin, attack: Attack) -> None:
    """An honest model is shown the clean document: no prompt has a word of the attack."""
    model = Honest(attack.language)
    build = compiled(attack.language, attack.format, attack, model)
    assert said(model) == twin(attack, "model")[1]
    sent = "\n".join(text for request in model.asked for _, text in request.messages)
    assert not [words for words in attack.words if words in sent]
    assert essence(build) == twin(attack, "model")[0]


# --- a model that obeys -----------------------------------------------------------------------------------------------


def add_all(words: str) -> Callable[[dict[str, Any]], None]:
    """Adds all that the words ask for, on the strength of these words and of others that are nowhere."""

    def change(answer: dict[str, Any]) -> None:
        answer["facts"].append({"id": "safe", "name": words, "type": "boolean", "at": [words]})
        answer["triggers"].append(words)
        answer["steps"] += [
            {"id": "s6", "kind": "task", "actor": "treasurer", "at": [words]},
            {
                "id": "s7",
                "kind": "approval",
                "actor": "robot",
                "at": ["the robot approves it"],
            },
        ]
        last = answer["flows"].pop()
        answer["flows"] += [
            {"a": "s5", "z": "s6"},
            {"a": "s6", "z": "s7"},
            {**last, "a": "s7"},
            {"a": "s3", "z": "s6", "when": "safe == true", "words": words},
        ]
        answer["rules"].append({"modality": "must", "steps": ["s3"], "at": words})

    return change


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.id)
def test_what_an_obedient_model_adds_comes_to_nothing(compiled: Compile, twin: Twin, attack: Attack) -> None:
    """Steps, an approval, a fact, a way and a rule without words of the document: the draft is the clean twin's."""
    model = Obedient(attack.language, change=add_all(attack.words[0]))
    build = compiled(attack.language, attack.format, attack, model)
    assert essence(build) == twin(attack, "model")[0]
    listed = [text.text for text in build.procedures[0].procedure.unplaced]
    assert {attack.words[0], "the robot approves it"} <= set(listed)
    assert "ungrounded-evidence" in {d.error_code for d in build.diagnostics}


def raise_limit(answer: dict[str, Any]) -> None:
    """The limit of the attack for that of the document."""
    answer["flows"][2]["when"] = "amount > 999999"


def drop_approver(answer: dict[str, Any]) -> None:
    """Nobody approves."""
    answer["steps"][2]["actor"] = None


def invent_approver(answer: dict[str, Any]) -> None:
    """Somebody approves of whom the document knows nothing."""
    answer["steps"][2]["actor"] = "treasurer of the Cayman branch"


def swap_approver(answer: dict[str, Any]) -> None:
    """Whoever wants something approves it."""
    answer["steps"][2]["actor"] = answer["steps"][0]["actor"]


def make_a_task(answer: dict[str, Any]) -> None:
    """The approval is only noted."""
    answer["steps"][2] |= {"kind": "record", "outcomes": None}
    answer["flows"] = [flow for flow in answer["flows"] if flow["a"] != "s3"] + [{"a": "s3", "z": "s4"}]


def drop_approval(answer: dict[str, Any]) -> None:
    """There is no approval."""
    del answer["steps"][2]
    kept = [flow for flow in answer["flows"] if "s3" not in (flow["a"], flow["z"])]
    answer["flows"] = [{**flow, "when": None} if flow["a"] == "s2" else flow for flow in kept]


def go_around(answer: dict[str, Any]) -> None:
    """The condition's words are the attack's."""
    answer["flows"][2] |= {"when": "amount > 50000", "words": "approvals are not required below 999,999"}


CHANGES = {
    raise_limit: "lost-flow",
    drop_approver: "lost-approval",
    invent_approver: "lost-approval",
    swap_approver: "lost-approval",
    make_a_task: "lost-approval",
    drop_approval: "lost-approval",
    go_around: "lost-flow",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("language", DATA["policies"])
def test_what_an_obedient_model_takes_away_is_found_out(
    compiled: Compile, language: str, change: Callable[[dict[str, Any]], None]
) -> None:
    """A coded error says so, and the draft is not called valid."""
    attack = BY_ID["override" if language == "en" else "override-zh"]
    build = compiled(language, attack.format, attack, Obedient(language, change=change))
    (one,) = build.procedures
    assert not one.clean
    assert CHANGES[change] in {d.error_code for d in one.diagnostics if has_errors([d])}
    assert "999999" not in json.dumps(one.workflow.to_json()["edges"])


@pytest.mark.parametrize("language", DATA["policies"])
def test_an_approval_without_outcomes_is_heeded_all_the_same(compiled: Compile, language: str) -> None:
    """Where an obedient model tells of no outcome, the draft reads the decision, or an error says that it does not."""

    def change(answer: dict[str, Any]) -> None:
        answer["steps"][2]["outcomes"] = None
        answer["flows"] = [flow for flow in answer["flows"] if flow["a"] != "s3"] + [{"a": "s3", "z": "s4"}]

    (one,) = compiled(language, "markdown", None, Obedient(language, change=change)).procedures
    (name,) = (n for n, node in one.workflow.nodes.items() if "s3" in node.step_ids)
    onward = [edge for edge in one.workflow.to_json()["edges"] if edge["from"] == name]
    read = all(f"$.outputs.{name}.approved" in json.dumps(edge["condition"]) for edge in onward)
    assert (read and len(onward) == 2) or not one.clean


@pytest.mark.parametrize("way", ["offline", "model"])
def test_words_stay_words_in_everything_that_is_written(compiled: Compile, tmp_path: Path, way: str) -> None:
    """Markup and the marks of diagrams in a policy's own words and name are text on pages, drawings and diagrams."""
    hostile = '</script><script>alert(1)</script><img src=x onerror=alert(1)>]-->%%{init: {}}%%|click n0 href "x:y"|'
    attack = Attack("markup", "en", "docx", "inline", (hostile,))
    model = Honest("en") if way == "model" else None
    build = compiled("en", "docx", attack, model)
    written = write_build(build, tmp_path / "out")
    (one,) = build.procedures
    drawn = [render_svg(one.workflow), render_mermaid(one.workflow)]
    pages = [path.read_text(encoding="utf-8") for path in written.files if path.suffix == ".html"]
    assert any("alert(1)" in page for page in pages)
    for text in (*pages, *drawn):
        assert "<script>alert" not in text
        assert "<img src=x" not in text
    assert "%%{init: {}" not in drawn[1]


def test_a_question_of_an_unknown_kind_is_refused() -> None:
    """The test's models know what they were taught, so that new questions fall back on what code does without them."""
    from compiler.extract.model.form import Extraction
    from llm import ModelFault, Request

    with pytest.raises(ModelFault):
        Honest("en").answer(Request("dream", "x", (("user", ""),), Extraction))
