"""The executor `document`: templates of text and of Word, filled whole or not at all."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.shared import Pt
from systems import call, carried_out

from ir.errors import BadSetting
from runtime.executors.contract import ExecutorFault
from runtime.executors.document import DocumentExecutor
from runtime.executors.registry import executors_from

CONTENT = {"substance": "硫酸", "kg": 5000.0, "hazardous": True, "note": "one\ntwo"}
INPUTS = {"document_type": "报告", "content": CONTENT}
GIVE = {"document_id": "path", "digest": "sha256", "document_text": "text"}


@pytest.fixture
def text(tmp_path: Path) -> dict[str, Any]:
    """Settings with a template of text."""
    path = tmp_path / "report.txt"
    path.write_text(
        "{{document_type}}: {{ content.substance }}, {{content.kg}} kg {{{{ {{content.hazardous}}\n", "utf-8"
    )
    return {"template": "report.txt", "folder": "out", "name": "{{document_type}}.txt", "give": GIVE}


@pytest.fixture
def word(tmp_path: Path) -> dict[str, Any]:
    """Settings with a template of Word: names cut into runs, in a table, a header and a footer."""
    document = docx.Document()
    paragraph = document.add_paragraph("Substance ")
    for piece, bold in (("{", True), ("{content.sub", True), ("stance}", False), ("}, then {{content.kg}} kg", False)):
        paragraph.add_run(piece).bold = bold
    document.add_paragraph().add_run("{{content.note}}").font.size = Pt(20)
    document.add_table(rows=1, cols=1).cell(0, 0).text = "{{document_type}} / {{document_type}}"
    document.sections[0].header.paragraphs[0].text = "Head {{document_type}}"
    document.sections[0].footer.paragraphs[0].text = "Foot {{content.substance}}"
    document.save(str(tmp_path / "report.docx"))
    return {"template": "report.docx", "folder": "out", "name": "{{document_type}}.docx", "give": GIVE}


def test_a_text_is_filled(tmp_path: Path, text: dict[str, Any]) -> None:
    """With inputs and their parts; path, digest and text are given."""
    found = carried_out(DocumentExecutor(), call(INPUTS, **text), tmp_path)
    content = (tmp_path / "out" / "报告.txt").read_bytes()
    assert content.decode() == "报告: 硫酸, 5000 kg {{ true\n"
    assert found == {
        "document_id": "报告.txt", "digest": hashlib.sha256(content).hexdigest(), "document_text": content.decode(),
    }  # fmt: skip


def test_a_document_of_word_is_filled(tmp_path: Path, word: dict[str, Any]) -> None:
    """Names are found across runs and in every part, and values have the look of the run in which a name begins."""
    found = carried_out(DocumentExecutor(), call(INPUTS, **word), tmp_path)
    document = docx.Document(str(tmp_path / "out" / "报告.docx"))
    first, second = document.paragraphs[:2]
    assert first.text == "Substance 硫酸, then 5000 kg"
    assert [(run.text, run.bold) for run in first.runs if run.text] == [
        ("Substance ", None), ("硫酸", True), (", then 5000 kg", False),
    ]  # fmt: skip
    assert second.text == "one\ntwo" and second.runs[0].font.size == Pt(20)
    assert document.tables[0].cell(0, 0).text == "报告 / 报告"
    assert document.sections[0].header.paragraphs[0].text == "Head 报告"
    assert document.sections[0].footer.paragraphs[0].text == "Foot 硫酸"
    assert "{{" not in found["document_text"] and "硫酸" in found["document_text"]


@pytest.mark.parametrize("kind", ["text", "word"])
def test_the_same_inputs_make_the_same_document(
    kind: str, tmp_path: Path, text: dict[str, Any], word: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the byte, whenever; so a second call finds it written, and other inputs do not take its name."""
    settings = {"text": text, "word": word}[kind]
    first = carried_out(DocumentExecutor(), call(INPUTS, **settings), tmp_path)
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert carried_out(DocumentExecutor(), call(INPUTS, key="e-2:n:1", **settings), tmp_path) == first
    other = {**INPUTS, "content": {**CONTENT, "substance": "液氯"}}
    with pytest.raises(ExecutorFault) as stopped:
        carried_out(DocumentExecutor(), call(other, key="e-3:n:1", **settings), tmp_path)
    assert stopped.value.code == "FILE_EXISTS"


@pytest.mark.parametrize("kind", ["text", "word"])
@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda given: given.pop("substance"), "MISSING_VALUE"),
        (lambda given: given.update(substance=None), "MISSING_VALUE"),
        (lambda given: given.update(substance=" "), "MISSING_VALUE"),
        (lambda given: given.update(substance={"name": "硫酸"}), "BAD_INPUT"),
    ],
)
def test_a_value_that_is_missing(
    kind: str, change: Callable[[Any], Any], code: str, tmp_path: Path, text: dict[str, Any], word: dict[str, Any]
) -> None:
    """Fails the node; no document with a hole in it is written."""
    content: dict[str, Any] = {**CONTENT}
    change(content)
    given = call({**INPUTS, "content": content}, **{"text": text, "word": word}[kind])
    with pytest.raises(ExecutorFault, match=r"content\.substance") as stopped:
        carried_out(DocumentExecutor(), given, tmp_path)
    assert (stopped.value.code, stopped.value.made) == (code, False)
    assert not (tmp_path / "out").exists()


def test_what_word_cannot_hold(tmp_path: Path, word: dict[str, Any]) -> None:
    """A value with a character that XML has not is refused."""
    given = call({**INPUTS, "document_type": "bell \x07"}, **word)
    with pytest.raises(ExecutorFault) as stopped:
        carried_out(DocumentExecutor(), given, tmp_path)
    assert (stopped.value.code, stopped.value.made) == ("NOT_FILLED", False)


def test_a_value_is_never_a_template(tmp_path: Path, text: dict[str, Any], word: dict[str, Any]) -> None:
    """Braces in an input stay braces."""
    inputs = {**INPUTS, "content": {**CONTENT, "substance": "{{document_type}}"}}
    for settings in (text, word):
        assert (
            "{{document_type}}" in carried_out(DocumentExecutor(), call(inputs, **settings), tmp_path)["document_text"]
        )


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("none.txt", None, "there is no file"),
        ("bad.txt", b"{{a", "braces that are not closed"),
        ("bad.txt", b"\xff\xfe\x00", "cannot be read"),
        ("bad.docx", b"no document", "no document of Word"),
    ],
)
def test_templates_are_looked_at_when_settings_are_loaded(
    name: str, content: bytes | None, told: str, tmp_path: Path
) -> None:
    """One that is not there or cannot be filled is told by name."""
    if content is not None:
        (tmp_path / name).write_bytes(content)
    settings = {"kind": "document", "template": name, "folder": "out", "name": "a.txt"}
    with pytest.raises(BadSetting, match=rf"template: .*{name}.*{told}|template: {told}.*{name}"):
        executors_from({"document.generate": settings}, root=tmp_path)
