"""What a command needs beside flowc is named with the extra that brings all of it."""

import tomllib
from pathlib import Path

import pytest
from conftest import Flowc

from flowc import extras

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


@pytest.mark.parametrize(
    ("words", "lacking", "extra"),
    [
        (("serve",), "dbos", "serve"),
        (("serve",), "fastapi", "serve"),
        (("workspace", "init", "w", "--user", "wen"), "dbos", "run"),
        (("mcp", "--as", "bot"), "mcp", "run,mcp"),
        (("review", "export", "out", "questions.xlsx"), "openpyxl", "review"),
        (("review", "agreement", "out", "--by", "a", "--by", "b"), "krippendorff", "review"),
    ],
)
def test_what_is_missing_is_named_with_what_brings_it(
    flowc: Flowc, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], lacking: str, extra: str
) -> None:
    """Whichever part of it is missing."""
    Path("out").mkdir()
    there = extras.find_spec
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == lacking else there(name))
    result = flowc(*words)
    assert result.status == 3
    assert "missing-extra" in result.err and f"({lacking})" in result.err and f"'flowc[{extra}]'" in result.err


def test_each_extra_has_a_package_for_each_module() -> None:
    """The modules that are looked for are those that the extra brings, under their packages' names."""
    listed = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["optional-dependencies"]
    named = {"argon2": "argon2-cffi", "python_multipart": "python-multipart"}
    for extra, modules in (("run", extras.RUN), ("serve", extras.SERVE)):
        brought = {one.split("[")[0].split(">")[0].split("=")[0] for one in listed[extra]}
        assert {named.get(module, module) for module in modules} <= brought
