"""Documents of one title have procedures of their own."""

from pathlib import Path

from compiler.build.builder import compile_documents

TEXT = "# 采购管理办法\n\n第一条 采购部应当核对采购预算。\n\n第二条 采购部应当将采购结果{act}。\n"


def test_equal_titles_in_two_folders_have_two_ids(tmp_path: Path) -> None:
    """The second has a number behind, in its workflow and in its document's result alike."""
    for folder, act in (("a", "归档"), ("b", "报送总经理审批")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "policy.md").write_text(TEXT.format(act=act), encoding="utf-8")
    build = compile_documents([tmp_path])
    ids = [one.procedure.id for one in build.procedures]
    assert len(set(ids)) == 2
    assert ids[1] == f"{ids[0]}-2"
    assert [name for document in build.documents for name in document.procedures] == ids
