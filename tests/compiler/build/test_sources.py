"""Which files of a folder are read as documents."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from compiler.build.sources import collect, skipped_files_notice
from ir.errors import NoDocuments, UnreadableFile


def test_data_files_of_a_folder_are_passed_over_and_said(tmp_path: Path) -> None:
    """A listing beside the documents is none of them, unless it is named itself."""
    (tmp_path / "policy.txt").write_text("The clerk must file the form.")
    (tmp_path / "index.tsv").write_text("a\tb")
    assert [file.doc_id for file in collect([tmp_path])] == ["policy.txt"]
    notice = skipped_files_notice([tmp_path])
    assert notice is not None
    assert notice.startswith("1 data and program files (.tsv)")
    assert [file.doc_id for file in collect([tmp_path / "index.tsv"])] == ["index.tsv"]
    assert skipped_files_notice([tmp_path / "policy.txt"]) is None


def test_a_folder_of_data_alone_says_what_was_passed_over(tmp_path: Path) -> None:
    """It is not empty, and the message does not say so."""
    (tmp_path / "index.tsv").write_text("a\tb")
    with pytest.raises(NoDocuments, match=r"1 data and program files \(\.tsv\)"):
        collect([tmp_path])


def refused(path: Path) -> dict[str, str]:
    """The files of a folder that cannot be read, and why."""
    told = {}
    for file in collect([path]):
        try:
            file.read()
        except UnreadableFile as error:
            told[file.doc_id] = str(error)
    return told


def test_names_that_are_not_utf8_have_printable_ids(tmp_path: Path) -> None:
    """Chinese of Windows is read as such; other bytes and what acts on a terminal are spelled out; each is its own."""
    names = ["制度.md".encode(), "制度.md".encode("gbk"), b"caf\xe9.md", b"\xff\xfe.md", b"a\nb\x1b[2J.md", b"100%.md"]
    names.append("\u202efdp.md".encode())
    for number, name in enumerate(names):
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))).write_text(f"The clerk must file form {number}.")
    found = {file.doc_id: file.read().decode()[-2:-1] for file in collect([tmp_path])}
    assert found == {
        "100%.md": "5", "a%0Ab%1B[2J.md": "4", "caf%E9.md": "2", f"{tmp_path.name}/制度.md": "1",
        "2-制度.md": "0", "%E2%80%AEfdp.md": "6", "%FF%FE.md": "3",
    }  # fmt: skip


def test_ids_are_the_same_in_any_locale(tmp_path: Path, repository: Path) -> None:
    """What Python takes names of files for does not matter."""
    for name in ("制度.md".encode(), "规定.md".encode("gbk"), b"caf\xe9.md"):
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))).write_text("")
    code = "import pathlib, sys; from compiler.build.sources import collect; "
    code += "sys.stdout.buffer.write(repr([f.doc_id for f in collect([pathlib.Path(sys.argv[1])])]).encode())"
    told = [
        subprocess.run(
            [sys.executable, "-X", f"utf8={mode}", "-c", code, str(tmp_path)],
            env={"PATH": os.environ["PATH"], "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": str(repository)},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for mode in (0, 1)
    ]
    assert told[0] == told[1]
    assert told[0].decode() == "['caf%E9.md', '规定.md', '制度.md']"


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")
def test_what_is_no_file_of_the_folder_is_refused(tmp_path: Path) -> None:
    """Links out and nowhere, in circles, pipes, sockets and devices: each is said, none is waited for."""
    folder = tmp_path / "policies"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "rules.md").write_text("The clerk must file the form.")
    (tmp_path / "secret.md").write_text("The clerk must not tell.")
    for name, target in {
        "inside.md": "sub/rules.md", "outside.md": "../secret.md", "up": "..", "nowhere.md": "gone.md",
        "circle.md": "circle.md", "zero.md": "/dev/zero", "again": "sub",
    }.items():  # fmt: skip
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "pipe.md")
    found = refused(folder)
    outside, nowhere = "leads out of the folder", "leads nowhere"
    said = {"outside.md": outside, "up": outside, "zero.md": outside, "nowhere.md": nowhere, "circle.md": nowhere}
    said["pipe.md"] = "is a pipe, not a file"
    assert {name: words in found[name] for name, words in said.items()} == dict.fromkeys(said, True)
    assert set(found) == set(said)
    assert [file.doc_id for file in collect([folder]) if file.doc_id not in said] == ["inside.md"]
    assert [file.read() for file in collect([folder / "outside.md"])] == [b"The clerk must not tell."]
    assert "policies/outside.md" not in refused(tmp_path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device")
def test_devices_and_pipes_that_are_named_are_refused(tmp_path: Path) -> None:
    """They could give for ever, or never begin."""
    os.mkfifo(tmp_path / "pipe.md")
    for path in (Path("/dev/zero"), tmp_path / "pipe.md"):
        (file,) = collect([path])
        with pytest.raises(UnreadableFile, match="not a file"):
            file.read()


def test_a_file_beyond_all_measure_is_not_read_into_memory(tmp_path: Path) -> None:
    """It is refused by its size, which is said."""
    with (tmp_path / "vast.md").open("wb") as file:
        file.truncate(1 << 40)
    (result,) = compile_documents([tmp_path], Settings(embedder="lexical")).documents
    assert [(d.error_code, d.found) for d in result.diagnostics] == [("oversize-document", 1 << 40)]


def test_folders_are_searched_however_deep(tmp_path: Path) -> None:
    """Where the system cannot follow any more, it is said."""
    home = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("dd", dir_fd=home)
        deeper = os.open("dd", os.O_RDONLY, dir_fd=home)
        os.close(home)
        home = deeper
    os.close(home)
    (tmp_path / "rules.md").write_text("The clerk must file the form.")
    try:
        (told,) = refused(tmp_path).values()
        assert "cannot be listed: File name too long" in told
    finally:
        subprocess.run(["rm", "-rf", str(tmp_path)], check=True)


def test_a_folder_of_an_earlier_build_is_passed_over_and_said(tmp_path: Path) -> None:
    """So that it does not look as if its files had been compiled."""
    (tmp_path / "rules.md").write_text("The clerk must file the form.")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.md").write_text("The clerk must file the form.")
    (tmp_path / "out" / "summary.json").write_text('{"flowc": "0"}')
    (tmp_path / "out" / "ledger.jsonl").write_text("")
    assert [file.doc_id for file in collect([tmp_path])] == ["rules.md"]
    assert skipped_files_notice([tmp_path]) == f"an earlier build stands in {tmp_path / 'out'}, which was passed over"
