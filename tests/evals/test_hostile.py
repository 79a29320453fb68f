"""A folder of a hundred hostile inputs: each becomes a document or a code, wherever it is compiled."""

import sys
from pathlib import Path

import pytest
from effort import FULL

from compiler.build.sources import collect
from compiler.text.names import printable_path
from evals.generate.hostile_folder import make_hostile_folder
from evals.hostile import compile_hostile

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="names and links of POSIX")]


def test_there_are_a_hundred_and_each_is_found(tmp_path: Path) -> None:
    """Under an id of its own that can be printed; what surrounds them is none of them."""
    made = make_hostile_folder(tmp_path / "inputs")
    names = [printable_path(path.relative_to(tmp_path / "inputs")) for path in made]
    assert len(made) == len(set(names)) == 100
    found = [file.doc_id for file in collect([tmp_path / "inputs"])]
    assert sorted(found) == sorted(names)
    assert all(name.isprintable() for name in found)


def test_hostile_inputs_become_documents_or_codes_everywhere(tmp_path: Path) -> None:
    """None is lost, none is stumbled over, and locales and other processes change nothing."""
    left_out = () if FULL else ("text", "html", "word")
    found = compile_hostile(tmp_path, left_out)
    assert (found.lost, found.stumbled) == ((), ())
    assert {name: files for name, files in found.different.items() if files} == {}
    assert found.codes["unreadable-file"] == 6
    assert found.codes["document"] > (50 if FULL else 20)
    assert not Path("/tmp/flowc-was-here").exists()
