"""A command line to run in tests: no settings from outside, results kept apart by stream."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from flowc.main import main

POLICY = """# 费用报销办法

第一条 员工应当在费用发生后三十日内提交报销申请。

第二条 财务部应当核对发票。金额超过5000元的，由财务总监审批；否则由部门经理审批。

第三条 审批通过后，财务部应当在五个工作日内付款，并以电子邮件通知申请人。
"""

RELEASE = """# Release of goods

1. The clerk enters the order in the register.
2. The manager approves the order. If the manager approves it, the clerk releases the goods; otherwise the order ends.
3. Smoking is prohibited in the store.
"""


@dataclass(frozen=True)
class Result:
    """How a command ended and what it said."""

    status: int
    out: str
    err: str


Flowc = Callable[..., Result]


def said(result: Result, status: int = 0) -> Any:
    """What a command printed as JSON."""
    assert result.status == status, result.err
    return json.loads(result.out)


@pytest.fixture
def flowc(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Flowc:
    """Runs a command in an empty folder, with no settings in the environment."""
    for name in list(os.environ):
        if name.startswith(("FLOWC_", "OPENAI_")) or name in ("NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)

    def run(*words: str | Path) -> Result:
        status = main([str(word) for word in words])
        said = capsys.readouterr()
        return Result(status, said.out, said.err)

    return run


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    """A folder with one small policy."""
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "报销办法.md").write_text(POLICY, encoding="utf-8")
    return folder


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A build of one policy."""
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "release.md").write_text(RELEASE, encoding="utf-8")
    assert main(["compile", str(folder), "-o", str(tmp_path / "out"), "--offline", "--quiet"]) in (0, 1)
    return tmp_path / "out"


def ended(capsys: pytest.CaptureFixture[str], status: int, *words: str) -> tuple[str, str]:
    """Run a command that ends so; gives what it printed."""
    capsys.readouterr()
    assert main(list(words)) == status
    printed = capsys.readouterr()
    return printed.out, printed.err
