"""Which files of a folder are read as documents."""

from pathlib import Path

import pytest

from compiler.build.sources import collect, skipped_files_notice
from ir.errors import NoDocuments


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
