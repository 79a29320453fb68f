"""What the documents say is so: doctests pass, examples run, links lead somewhere."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("agents", "catalog", "compiler", "evals", "flowc", "ir", "llm", "primers", "server", "validator")
WITH_DOCTESTS = sorted(
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
    if ">>> " in path.read_text("utf-8")
)
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("module", WITH_DOCTESTS)
def test_doctests(module: str) -> None:
    """The examples in docstrings give what they say."""
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted and not result.failed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """Relative links and pictures name files that exist."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_python_example_of_the_guide_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The Python of docs/using.md runs as printed and gives a valid draft."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "using.md").read_text("utf-8"), flags=re.DOTALL)
    assert len(blocks) == 3
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/using.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "危险化学品运输管理制度 True" in printed
    assert (tmp_path / "out" / "index.html").is_file()
