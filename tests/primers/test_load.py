"""Reading primers: what ships, what a folder may hold, and every fault of every file."""

import pickle
from pathlib import Path

import pytest

from primers.load import PrimerError, load_primers

SMALL = """---
name: small
version: 1.2.3
pass: synthesize_draft
languages: [en]
rules:
  - id: only-candidates
    code: unknown-node-type
    text: {en: Never make up a Type.}
examples:
  - id: one
    language: en
    doc_id: a.md
    text: The clerk signs.
    explanation: Shows the form.
    procedure: {id: a, title: A, doc_id: a.md, language: en}
---

What it is for.
"""


def faults_of(folder: Path, **files: str) -> tuple[tuple[str, str], ...]:
    """File and pointer of each fault, after writing the files."""
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    with pytest.raises(PrimerError) as caught:
        load_primers(folder)
    return tuple((fault.file, fault.pointer) for fault in caught.value.faults)


def test_shipped_primers_load() -> None:
    """The nine primers are there, each in both languages, and are found by their pass."""
    primers = load_primers()
    assert primers.references == (
        "computing@1.1.0",
        "exception-paths@1.0.0",
        "extraction@1.4.0",
        "governance@1.0.0",
        "human-steps@1.0.0",
        "joins-and-branches@1.0.0",
        "matters@1.0.0",
        "synthesis@1.2.0",
        "systems@1.0.0",
    )
    assert all(set(primer.languages) == {"zh", "en"} for primer in primers.by_name.values())
    assert [primer.name for primer in primers.for_pass("complete_draft")] == ["exception-paths", "governance"]
    assert [primer.name for primer in primers.for_pass("extract_procedures")] == ["extraction"]
    assert primers.for_pass("emit") == ()


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    """A folder replaces the shipped primers; the body and the example are kept as written."""
    (tmp_path / "small.md").write_text(SMALL, encoding="utf-8")
    primer = load_primers(tmp_path).primer("small")
    assert (primer.origin, primer.body) == ("primer:small@1.2.3", "What it is for.\n")
    assert primer.examples[0].expected["title"] == "A"


def test_digest_follows_content_and_survives_pickling(tmp_path: Path) -> None:
    """Layout does not change the digest, a word does, and worker processes get the same primers."""
    path = tmp_path / "small.md"
    path.write_text(SMALL, encoding="utf-8")
    first = load_primers(tmp_path)
    path.write_text(SMALL.replace("languages: [en]", "# a comment\nlanguages: [ en ]"), encoding="utf-8")
    assert load_primers(tmp_path).digest == first.digest
    path.write_text(SMALL.replace("Never make up", "Never invent"), encoding="utf-8")
    assert load_primers(tmp_path).digest != first.digest
    assert pickle.loads(pickle.dumps(first)).digest == first.digest


def test_json_scalars_stay_what_they_are(tmp_path: Path) -> None:
    """In front matter `on` is a key and a date is text, as in JSON."""
    text = SMALL.replace("language: en}", "language: en, on: 2026-01-31, answer: no}")
    (tmp_path / "small.md").write_text(text, encoding="utf-8")
    expected = load_primers(tmp_path).primer("small").examples[0].expected
    assert (expected["on"], expected["answer"]) == ("2026-01-31", "no")


def test_all_faults_of_all_files_at_once(tmp_path: Path) -> None:
    """Two files, three faults, one error; each with a pointer into its front matter."""
    found = faults_of(
        tmp_path,
        a=SMALL.replace("version: 1.2.3", "version: first").replace("code: unknown-node-type", "kode: x"),
        b="No front matter.\n",
    )
    assert set(found) == {("a.md", "/version"), ("a.md", "/rules/0/kode"), ("b.md", "line 1")}


@pytest.mark.parametrize(
    ("old", "new", "pointer"),
    [
        ("    code: unknown-node-type\n", "", "/rules/0"),
        ("    code: unknown-node-type\n", "    code: unknown-node-type\n    advisory: true\n", "/rules/0"),
        ("{en: Never make up a Type.}", "{zh: 不得编造类型。}", ""),
        ("    doc_id: a.md\n", "", "/examples/0/doc_id"),
        ("    procedure: {id: a, title: A, doc_id: a.md, language: en}\n", "", "/examples/0"),
        ("name: small\n", "name: small\nname: big\n", "/name"),
        ("name: small\n", "name: [small\n", ""),
        ("name: small\n", "", "/name"),
    ],
    ids=["no-code", "code-and-advisory", "language", "no-doc", "no-result", "key-twice", "no-yaml", "no-name"],
)
def test_faults(tmp_path: Path, old: str, new: str, pointer: str) -> None:
    """Each fault is reported where it stands."""
    assert old in SMALL
    assert faults_of(tmp_path, small=SMALL.replace(old, new, 1)) == (("small.md", pointer),)


def test_fault_says_what_was_expected(tmp_path: Path) -> None:
    """A fault names the file, what stands there, what should, and the next step."""
    (tmp_path / "small.md").write_text(SMALL.replace("1.2.3", "first"), encoding="utf-8")
    with pytest.raises(PrimerError, match=r"small\.md: /version: found 'first', expected .*; correct it"):
        load_primers(tmp_path)


def test_missing_params_of_a_primer_that_passes_read(tmp_path: Path) -> None:
    """A governance primer without what the deterministic pass reads is refused, once for each kind."""
    found = faults_of(tmp_path, governance=SMALL.replace("name: small", "name: governance"))
    assert found == (("governance.md", "/rules"),) * 4


def test_two_files_of_one_name(tmp_path: Path) -> None:
    """A name belongs to one primer."""
    assert faults_of(tmp_path, a=SMALL, b=SMALL) == (("b.md", "/name"),)


def test_empty_folder_and_broken_encoding(tmp_path: Path) -> None:
    """A folder without primers and a file that is not UTF-8 are faults, not empty results."""
    assert faults_of(tmp_path) == ((str(tmp_path), ""),)
    (tmp_path / "x.md").write_bytes("名称".encode("gb18030"))
    assert faults_of(tmp_path) == (("x.md", ""),)
