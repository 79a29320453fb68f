"""A build by several processes is the build that one process makes."""

from pathlib import Path

from compiler.build.builder import compile_documents

RULES = {
    "a.md": "# Leave\n\nStaff submit a request. The manager approves the request. The clerk files the request.\n",
    "b.md": "# Leave\n\nThe clerk registers the claim. If the claim exceeds $500, the director approves the claim.\n",
    "c.md": "# Notes\n\nNothing is prescribed here.\n",
}


def test_processes_change_nothing(tmp_path: Path) -> None:
    """Ids, workflows, findings and the passes recorded are the same, in the same order."""
    for name, text in RULES.items():
        (tmp_path / name).write_text(text)
    alone, beside = compile_documents([tmp_path]), compile_documents([tmp_path], jobs=2)
    assert [p.procedure.id for p in beside.procedures] == ["Leave", "Leave-2"]
    assert [p.workflow for p in alone.procedures] == [p.workflow for p in beside.procedures]
    assert alone.diagnostics == beside.diagnostics
    assert [(r.name, r.subject) for r in alone.records] == [(r.name, r.subject) for r in beside.records]
