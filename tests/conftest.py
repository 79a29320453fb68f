"""What all tests share: `--accept`, which rewrites committed outputs instead of comparing with them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "corpus"

# a slow machine is no failure; the same examples each time, new ones with FLOWC_SEED
settings.register_profile("flowc", deadline=None, derandomize="FLOWC_SEED" not in os.environ)
settings.load_profile("flowc")

Expect = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--accept`."""
    parser.addoption("--accept", action="store_true", help="rewrite the committed outputs; review the diff")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether outputs are to be rewritten."""
    return bool(request.config.getoption("--accept"))


@pytest.fixture
def expect_file(accept: bool) -> Expect:
    """Compares a text with a committed file; with `--accept`, writes it there."""

    def expect(path: Path, text: str) -> None:
        if accept:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        found = path.read_text(encoding="utf-8") if path.is_file() else None
        assert text == found, f"{path.name} is not as committed; rerun with --accept and review the diff"

    return expect


@pytest.fixture(scope="session")
def repository() -> Path:
    """The repository's folder."""
    return ROOT


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real documents beside the repository; the test is skipped where there is none."""
    if not CORPUS.is_dir():
        pytest.skip("no corpus beside the repository")
    return CORPUS
