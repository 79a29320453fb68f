"""What the other documents of a folder say becomes rules of the nodes that apply them."""

import shutil
from pathlib import Path

import pytest

from compiler.build.builder import compile_documents
from compiler.build.results import Build

CASE = Path(__file__).resolve().parents[3] / "fixtures" / "cases" / "hazmat-transport" / "documents"
MORE = """# 冬季运输补充规定

第一条 物流部应当每日登记路面温度。

第二条 安全环保部应当发布限行通知。

第三条 三类危险化学品不得采用航空方式运输。
"""


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The hazmat documents with a second policy beside them."""
    folder = tmp_path_factory.mktemp("folder")
    for file in CASE.iterdir():
        shutil.copy(file, folder)
    (folder / "补充规定.md").write_text(MORE, encoding="utf-8")
    return compile_documents([folder])


def test_a_prohibition_of_another_policy(build: Build) -> None:
    """It is a rule of the decision that is given what it speaks of, on the other policy's words."""
    draft = next(p for p in build.procedures if p.procedure.doc_id.endswith(".pdf"))
    rules = draft.workflow.rule_packs["check_transport_mode"].rules
    (foreign,) = [rule for rule in rules if rule.evidence[0].doc_id == "补充规定.md"]
    assert foreign.outcome == {"allowed": False}
    assert "三类危险化学品" in foreign.evidence[0].quote
    assert [rule.rule_id for rule in rules] == [f"R{n}" for n in range(1, len(rules) + 1)]
    assert draft.clean


def test_the_rows_of_a_reference_table(build: Build) -> None:
    """The lookup by CAS number has the table's rows, each on its own cells."""
    draft = next(p for p in build.procedures if p.procedure.doc_id.endswith(".pdf"))
    rules = draft.workflow.rule_packs["lookup_hazard_level"].rules
    (table,) = build.references
    assert len(rules) == len(table.rows)
    evidence = {"source_type": "ontology", "source_id": table.id, "record_id": "118-96-7"}
    assert rules[0].outcome == {"hazard_level": 1, "hazard_class": "爆炸品", "evidence": evidence}
    assert rules[0].evidence[0].quote == "118-96-7"
