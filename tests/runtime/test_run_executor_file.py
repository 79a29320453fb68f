"""The executor `file`: records and documents in one folder, once a key, nowhere else."""

import fcntl
import hashlib
import json
import resource
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from systems import call, carried_out

from ir.errors import BadSetting
from runtime.executors.contract import ExecutorFault
from runtime.executors.file import FileExecutor
from runtime.executors.registry import executors_from

GIVE = {"path": "path", "digest": "sha256", "at": "at", "operation_ref": "key", "stored": True}
LOG = {"folder": "out", "name": "filings/{{shipment}}.jsonl", "give": GIVE}
PAPER = {"folder": "out", "name": "{{shipment}}.txt", "write": "document", "content": "paper.text", "give": GIVE}


def written(root: Path, inputs: dict[str, Any], key: str = "e-1:n:1", **settings: Any) -> dict[str, Any]:
    """What comes of a call in this folder."""
    return carried_out(FileExecutor(), call(inputs, key=key, **settings), root)


def refused(root: Path, inputs: dict[str, Any], **settings: Any) -> str:
    """The code of a call that is not carried out."""
    with pytest.raises(ExecutorFault) as stopped:
        written(root, inputs, **settings)
    assert stopped.value.made is False
    return stopped.value.code


def test_records_are_lines(tmp_path: Path) -> None:
    """Each with inputs, execution, node and key; what is given are facts of it."""
    found = [written(tmp_path, {"shipment": "S-1", "kg": number}, f"e-1:n:{number}", **LOG) for number in (1, 2)]
    lines = (tmp_path / "out" / "filings" / "S-1.jsonl").read_bytes().splitlines()
    records = [json.loads(line) for line in lines]
    assert [(one["inputs"]["kg"], one["key"], one["node"], one["execution"]) for one in records] == [
        (1, "e-1:n:1", "n", "e-1"), (2, "e-1:n:2", "n", "e-1"),
    ]  # fmt: skip
    for line, record, given in zip(lines, records, found, strict=True):
        assert given == {
            "path": "filings/S-1.jsonl", "digest": hashlib.sha256(line).hexdigest(), "at": record["at"],
            "operation_ref": record["key"], "stored": True,
        }  # fmt: skip


def test_the_same_key_is_written_once(tmp_path: Path) -> None:
    """A record or a document that a key wrote is found again, its facts as they were."""
    for settings in (LOG, PAPER):
        inputs = {"shipment": "S-1", "paper": {"text": "危险"}}
        first = written(tmp_path, inputs, **settings)
        before = sorted((one, one.read_bytes()) for one in tmp_path.rglob("*") if one.is_file())
        assert written(tmp_path, inputs, **settings) == first
        assert sorted((one, one.read_bytes()) for one in tmp_path.rglob("*") if one.is_file()) == before
    assert (tmp_path / "out" / "S-1.txt").read_text("utf-8") == "危险"


def test_a_name_has_one_document(tmp_path: Path) -> None:
    """Another content under the name of a document is refused; the same content is taken as written."""
    first = written(tmp_path, {"shipment": "S-1", "paper": {"text": "one"}}, **PAPER)
    again = written(tmp_path, {"shipment": "S-1", "paper": {"text": "one"}}, "e-1:n:2", **PAPER)
    assert again["digest"] == first["digest"] and again["operation_ref"] == "e-1:n:2"
    assert refused(tmp_path, {"shipment": "S-1", "paper": {"text": "two"}}, key="e-2:n:1", **PAPER) == "FILE_EXISTS"
    assert [one.name for one in (tmp_path / "out").iterdir() if one.suffix != ".jsonl"] == ["S-1.txt"]


@pytest.mark.parametrize(
    ("shipment", "name"),
    [
        ("../../etc/passwd", "etc_passwd"),
        ("/etc/passwd", "etc_passwd"),
        ("a/b\\c\0d", "a_b_c_d"),
        ("危化品 一号", "危化品_一号"),
        (".hidden", "hidden"),
        ("{{paper}}", "paper"),
    ],
)
def test_inputs_are_cleaned_before_they_name_a_file(shipment: str, name: str, tmp_path: Path) -> None:
    """Nothing of them leads to another folder."""
    assert written(tmp_path / "in", {"shipment": shipment}, **LOG)["path"] == f"filings/{name}.jsonl"
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [tmp_path / "in/out/filings" / f"{name}.jsonl"]


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"shipment": ".."}, "BAD_INPUT"),
        ({"shipment": "///"}, "BAD_INPUT"),
        ({"shipment": "x" * 300}, "BAD_INPUT"),
        ({"shipment": ["S-1"]}, "BAD_INPUT"),
        ({"shipment": ""}, "MISSING_VALUE"),
        ({}, "MISSING_VALUE"),
    ],
)
def test_inputs_that_name_nothing(inputs: dict[str, Any], code: str, tmp_path: Path) -> None:
    """Are refused, and nothing is written."""
    assert refused(tmp_path, inputs, **LOG) == code and [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("link", ["filings", "filings/S-1.jsonl", "S-1.txt", ".written.jsonl"])
def test_links_are_not_followed(link: str, tmp_path: Path) -> None:
    """Neither a folder on the way nor the file itself may be one, wherever it leads."""
    outside, root = tmp_path / "outside", tmp_path / "out"
    outside.mkdir()
    (root / link).parent.mkdir(parents=True)
    target = outside if link == "filings" else outside / "S-1.txt"
    (root / link).symlink_to(target)
    settings = LOG if link.startswith("filings") else PAPER
    assert refused(tmp_path, {"shipment": "S-1", "paper": {"text": "x"}}, **settings) == "OUTSIDE_FOLDER"
    assert [*outside.iterdir()] == []


def test_half_a_line_that_a_crash_left(tmp_path: Path) -> None:
    """Is cut off; a whole one without its end is kept."""
    file = tmp_path / "out" / "filings" / "S-1.jsonl"
    file.parent.mkdir(parents=True)
    half = b'{"key":"e-1:n:' + b"x" * 10_000
    for left, kept in ((b'{"key":"a"}\n' + half, 1), (b'{"key":"a"}', 1), (b"", 0)):
        file.write_bytes(left)
        written(tmp_path, {"shipment": "S-1"}, **LOG)
        assert [json.loads(line)["key"] for line in file.read_bytes().splitlines()] == ["a"] * kept + ["e-1:n:1"]


def test_a_line_that_does_not_fit_is_taken_back(tmp_path: Path) -> None:
    """Where the disk takes only a part of it, the file is as it was, and the call may be tried again."""
    written(tmp_path, {"shipment": "S-1", "note": "x" * 2_000_000}, **LOG)
    file = tmp_path / "out" / "filings" / "S-1.jsonl"
    before = file.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, limits[1]))
    try:
        with pytest.raises(ExecutorFault) as stopped:
            written(tmp_path, {"shipment": "S-1"}, "e-2:n:1", **LOG)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (stopped.value.code, stopped.value.passing, stopped.value.made) == ("NOT_WRITTEN", True, False)
    assert file.read_bytes() == before


@pytest.mark.parametrize(("settings", "held"), [(LOG, "filings/S-1.jsonl"), (PAPER, ".written.jsonl")])
def test_a_file_that_others_hold(settings: dict[str, Any], held: str, tmp_path: Path) -> None:
    """Is waited for as long as the call may take, and not written meanwhile; later it is."""
    file, inputs = tmp_path / "out" / held, {"shipment": "S-1", "paper": {"text": "x"}}
    file.parent.mkdir(parents=True)
    given = replace(call(inputs, **settings), timeout=0.1)
    with file.open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ExecutorFault) as stopped:
            carried_out(FileExecutor(), given, tmp_path)
        assert (stopped.value.code, stopped.value.passing, stopped.value.made) == ("NOT_WRITTEN", True, False)
        assert file.read_bytes() == b""
    assert carried_out(FileExecutor(), given, tmp_path)["stored"] and file.read_bytes()


def test_many_write_one_file(tmp_path: Path) -> None:
    """Each line is whole, and each key has one, however many write at a time."""
    settings = dict(FileExecutor().settle({**LOG}, tmp_path))
    calls = [call({"shipment": "S-1"}, key=f"e-{n % 10}:n:1", **settings) for n in range(40)]
    threads = [threading.Thread(target=FileExecutor().carry_out, args=(replace(one, timeout=60),)) for one in calls]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    lines = (tmp_path / "out" / "filings" / "S-1.jsonl").read_bytes().splitlines()
    assert sorted(json.loads(line)["key"] for line in lines) == sorted({one.key for one in calls})


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """Is told; nothing was done."""
    (tmp_path / "out").write_text("a file", "utf-8")
    assert refused(tmp_path, {"shipment": "S-1"}, **LOG) == "NOT_WRITTEN"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"name": "../{{a}}.jsonl"}, "lies in the folder"),
        ({"name": "/etc/{{a}}"}, "lies in the folder"),
        ({"name": ".written.jsonl"}, "lies in the folder"),
        ({"name": "{a}.jsonl"}, r"write inputs as \{\{input\}\}"),
        ({"name": "{{a.jsonl"}, "braces that are not closed"),
        ({"name": "a", "write": "document"}, "content names the input"),
        ({"name": "a", "content": "text"}, "content names the input"),
        ({"folder": None, "name": "a"}, "folder"),
    ],
)
def test_settings_that_lead_elsewhere(settings: dict[str, Any], told: str) -> None:
    """Are refused when they are loaded."""
    with pytest.raises(BadSetting, match=told):
        executors_from({"record.create": {"kind": "file", "folder": "out", **settings}})


def test_facts_that_there_are_not(tmp_path: Path) -> None:
    """Are told before anything is written."""
    with pytest.raises(ExecutorFault, match="no column colour; there is path, file, sha256, at, key"):
        written(tmp_path, {"shipment": "S-1"}, **{**LOG, "give": {"x": "colour"}})
    assert [*tmp_path.iterdir()] == []
