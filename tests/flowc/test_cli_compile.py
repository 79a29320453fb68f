"""`flowc compile`: the folder, the forms on the way, the way back in from corrected procedures."""

import json
from pathlib import Path

import pytest
from conftest import Flowc
from diagnostic_documents import pdf

OFFLINE = ("--offline", "--embedder", "lexical")


def test_compiles_a_folder(flowc: Flowc, policies: Path, tmp_path: Path) -> None:
    """The build is written and the summary says what became of the document and where to look."""
    result = flowc("compile", policies, "-o", tmp_path / "out", *OFFLINE)
    summary = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    assert result.status == (0 if summary["clean"] else 1)
    assert "报销办法.md" in result.out
    assert f"Look at {tmp_path / 'out' / 'index.html'}\n" in result.out
    assert summary["procedures"][0]["review"] in result.out
    assert result.err == ""
    assert not set(result.out) & set("│┃─━\x1b")


def test_says_once_that_there_is_no_model(flowc: Flowc, policies: Path, tmp_path: Path) -> None:
    """Without `--offline` stderr says plainly that no model is used; `--quiet` silences it and the summary."""
    words = ("compile", policies, "-o", tmp_path / "out", "--embedder", "lexical")
    notice = "no model configured: compiling offline, from cue words"
    assert flowc(*words).err.count(notice) == 1
    quiet = flowc(*words, "--quiet")
    assert (quiet.out, quiet.err) == ("", "")


def test_summary_as_json(flowc: Flowc, policies: Path, tmp_path: Path) -> None:
    """`--json` prints the summary of the build folder, and nothing else on stdout."""
    result = flowc("compile", policies, "-o", tmp_path / "out", *OFFLINE, "--json")
    printed = json.loads(result.out)
    written = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    assert printed.pop("out") == str(tmp_path / "out")
    assert printed == written


def test_a_refused_document_is_a_finding(flowc: Flowc, policies: Path, tmp_path: Path) -> None:
    """One document that cannot be read gives status 1 and its reason, and costs no other document."""
    (policies / "broken.docx").write_bytes(b"PK\x03\x04 cut off")
    result = flowc("compile", policies, "-o", tmp_path / "out", *OFFLINE)
    assert result.status == 1
    assert "broken.docx: error: " in result.out
    assert "1 refused" in result.out
    assert json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))["procedures"]


def test_a_refused_document_that_was_repaired(flowc: Flowc, tmp_path: Path) -> None:
    """Where nothing comes of a damaged file, its damage is told beside: what it lacks may be lost."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "notice.pdf").write_bytes(pdf("Nothing much.").replace(b"startxref", b"startxxxx"))
    result = flowc("compile", tmp_path / "in", "-o", tmp_path / "out", *OFFLINE)
    assert result.status == 1
    assert "[repaired-document]" in result.out and "[no-procedure]" in result.out


def test_a_document_of_doubtful_content_is_told(flowc: Flowc, policies: Path, tmp_path: Path) -> None:
    """What is not what its name says is compiled as what it is, and the summary says so."""
    (policies / "报销办法.md").rename(policies / "报销办法.docx")
    result = flowc("compile", policies, "-o", tmp_path / "out", *OFFLINE)
    assert result.status == 0
    assert "报销办法.docx: warning: 文件的内容与文件名的后缀不符" in result.out
    assert "(Word (DOCX)), but its content is plain text" in result.out and "[file-kind-mismatch]" in result.out


def test_emits_each_form(flowc: Flowc, policies: Path) -> None:
    """Each form on the way is printed as JSON of its own shape; no folder is needed."""
    printed = {
        form: json.loads(flowc("compile", policies, "--emit", form, *OFFLINE).out)
        for form in ("document", "procedure", "candidates", "draft")
    }
    procedure = printed["procedure"][0]
    assert printed["document"][0]["doc_id"] == procedure["doc_id"] == "报销办法.md"
    assert set(printed["candidates"][procedure["id"]]) == {step["id"] for step in procedure["steps"]}
    assert printed["draft"][0]["dsl_version"] == "1.0"


def test_goes_on_from_corrected_procedures(flowc: Flowc, policies: Path, tmp_path: Path) -> None:
    """What a person changed in a procedure is in the workflow, and stderr says what was taken over."""
    given = tmp_path / "procedures.json"
    flowc("compile", policies, "--emit", "procedure", "-o", given, *OFFLINE)
    corrected = json.loads(given.read_text("utf-8"))
    corrected[0]["title"] = "差旅报销"
    given.write_text(json.dumps(corrected), encoding="utf-8")
    result = flowc("compile", policies, "-o", tmp_path / "out", "--from", given, *OFFLINE)
    assert f"报销办法.md: taken over from {given}: {corrected[0]['id']}" in result.err
    workflow = next((tmp_path / "out").glob("*/*.workflow.json")).read_text("utf-8")
    assert json.loads(workflow)["metadata"]["title"] == "差旅报销"


def test_procedures_of_another_document_are_refused(flowc: Flowc, policies: Path, tmp_path: Path) -> None:
    """Procedures whose document is not compiled are an error of the command."""
    given, other = tmp_path / "procedures.json", tmp_path / "other.md"
    flowc("compile", policies, "--emit", "procedure", "-o", given, *OFFLINE)
    other.write_text("# 说明", encoding="utf-8")
    result = flowc("compile", other, "-o", tmp_path / "out", "--from", given, *OFFLINE)
    assert result.status == 2
    assert "error[unknown-document]" in result.err
    assert not (tmp_path / "out").exists()


def test_a_file_that_holds_no_procedures_lists_every_fault(flowc: Flowc, policies: Path, tmp_path: Path) -> None:
    """Faults of the procedures are placed by pointer and coded."""
    given = tmp_path / "procedures.json"
    given.write_text('[{"id": "p", "titel": "x"}]', encoding="utf-8")
    result = flowc("compile", policies, "-o", tmp_path / "out", "--from", given)
    assert result.status == 2
    assert 'unknown key "titel"; did you mean "title"? [unknown-key]' in result.err
    assert "/0/language: " in result.err


def test_somewhere_to_write_must_be_named(flowc: Flowc, policies: Path) -> None:
    """Without `-o` and `--emit` there is nothing to do."""
    result = flowc("compile", policies)
    assert result.status == 2
    assert "-o OUT" in result.err


def test_an_output_that_is_a_file_is_refused_before_the_work(flowc: Flowc, policies: Path, tmp_path: Path) -> None:
    """`-o` must name a folder; the file is left as it is."""
    (tmp_path / "out").write_text("mine", encoding="utf-8")
    for out in (tmp_path / "out", tmp_path / "out" / "deeper"):
        result = flowc("compile", policies, "-o", out)
        assert result.status == 2
        assert "is a file" in result.err
    assert (tmp_path / "out").read_text("utf-8") == "mine"


def test_an_output_is_tried_before_the_work(
    flowc: Flowc, policies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing can be written, no document is read, and the exit status is the environment's."""
    monkeypatch.setattr("compiler.build.builder.compile_documents", lambda *_, **__: pytest.fail("the work was begun"))
    result = flowc("compile", policies, "-o", tmp_path / ("x" * 300), *OFFLINE)
    assert (result.status, "File name too long" in result.err) == (3, True)
    monkeypatch.setattr("os.fsync", full)
    result = flowc("compile", policies, "-o", tmp_path / "out", *OFFLINE)
    assert (result.status, result.err.split(":")[0]) == (3, "error[output-failed]")
    assert not (tmp_path / "out").exists()


def full(_: int) -> None:
    """A disk without room."""
    raise OSError(28, "No space left on device")


def test_a_draft_changed_by_hand_is_kept(flowc: Flowc, policies: Path, tmp_path: Path) -> None:
    """The new one stands beside it, stderr and the summary say so, and the exit status is 1; unless it is forced."""
    words = ("compile", policies, "-o", tmp_path / "out", *OFFLINE)
    clean = flowc(*words).status
    (draft,) = (tmp_path / "out").rglob("*.workflow.json")
    compiled = draft.read_bytes()
    draft.write_text("mine", encoding="utf-8")
    result = flowc(*words)
    new = draft.with_name(draft.name.replace(".workflow.json", ".workflow.new.json"))
    assert (result.status, draft.read_text(), new.read_bytes()) == (1, "mine", compiled)
    assert f"{draft} was changed by hand and is kept; what was compiled is in {new}" in result.err
    (kept,) = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))["kept"]
    assert [tmp_path / "out" / kept[name] for name in ("file", "new")] == [draft, new]
    assert flowc(*words, "--force").status == clean
    assert (draft.read_bytes(), new.exists()) == (compiled, False)


def test_an_output_among_the_inputs_is_warned_of(flowc: Flowc, policies: Path) -> None:
    """A build inside an input folder would be read next time; a hidden folder would not."""
    assert "the next build will read its files" in flowc("compile", policies, "-o", policies / "out", *OFFLINE).err
    said = flowc("compile", policies, "-o", policies / ".out", *OFFLINE).err
    assert "an earlier build stands in" in said
    assert said.count("note:") == 1


def test_nothing_to_compile(flowc: Flowc, tmp_path: Path) -> None:
    """A folder without documents is an error of the command."""
    (tmp_path / "none").mkdir()
    result = flowc("compile", tmp_path / "none", "-o", tmp_path / "out", "--offline")
    assert (result.status, result.err.split(":")[0]) == (2, "error[no-documents]")


def test_a_build_of_which_nothing_is_left(
    flowc: Flowc, policies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each document that set off a bug is named, and the summary is printed all the same."""

    def stumbling(*_: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr("compiler.pipeline.synthesize_draft", stumbling)
    result = flowc("compile", policies, "-o", tmp_path / "out", "--offline")
    assert result.status == 1
    assert "internal-error" in result.out + result.err
    assert "ZeroDivisionError" in result.out + result.err
