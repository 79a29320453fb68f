"""Whose approval may stand for the one that a sentence demands."""

from pathlib import Path

import pytest

from catalog.load import load_catalog
from compiler.build.builder import compile_documents
from compiler.conformance import ConformanceInput
from compiler.conformance.approvals import lost_approval
from ir.workflow import HUMAN_APPROVAL

TEXT = "第一条 区城管局受理设置申请。\n\n第二条 {who}应当在二十日内审批申请。\n\n第三条 窗口通知申请人。\n"


def lost(who: str, approver: str, folder: Path) -> bool:
    """Whether a model's draft in which one approves lacks the approval by the other that the text demands."""
    file = folder / "policy.md"
    file.write_text(f"# 户外设施设置许可办法\n\n{TEXT.format(who=who)}", "utf-8")
    build = compile_documents(file)
    (one,) = build.procedures
    workflow = one.workflow
    approvals = [name for name, node in workflow.nodes.items() if node.type == HUMAN_APPROVAL and node.step_ids]
    assert approvals
    nodes = {
        name: node.model_copy(update={"approvers": (approver,)}) if name in approvals else node
        for name, node in workflow.nodes.items()
    }
    assert workflow.provenance is not None
    made = workflow.provenance.model_copy(update={"mode": "model"})
    given = ConformanceInput(
        workflow.model_copy(update={"nodes": nodes, "provenance": made}),
        load_catalog(),
        procedures=(one.procedure,),
        documents=tuple(each.document for each in build.documents if each.document is not None),
    )
    return any(lost_approval(given))


@pytest.mark.parametrize(
    ("who", "approver", "expected"),
    [
        ("许可机关", "许可机关", False),
        ("许可机关", "区城管局", False),
        ("许可机关", "市规划局", True),
        ("总监", "区城管局", True),
    ],
)
def test_an_office_told_by_what_it_does_may_be_named_elsewhere(
    who: str, approver: str, expected: bool, tmp_path: Path
) -> None:
    """One that the document names nowhere is not it, and a role that is named is nobody else."""
    assert lost(who, approver, tmp_path) == expected
