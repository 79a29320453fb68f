"""Money in the currency of the document: never converted, never mixed."""

from pathlib import Path

import pytest

from compiler.build.builder import compile_documents
from compiler.build.results import Build
from ir.infix import to_infix
from ir.predicate import Tree

ENGLISH = """# Purchasing Policy

1. The buyer must send the request to the approver.

2. If the contract value exceeds {limit}, the Finance Director must approve the request. Otherwise the buyer's \
manager must approve the request.
"""
CHINESE = """# 采购管理办法

第一条 采购部应当核对采购预算。

第二条 合同金额超过50万元的，由总经理审批；否则由部门经理审批。
"""
FORM = """# 采购申请表

| 项目 | 内容 |
| --- | --- |
| 申请人 | 张三 |
| 合同金额 | {sum} |
"""


def compiled(folder: Path, **texts: str) -> Build:
    """The build of some documents."""
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return compile_documents([folder])


def conditions(build: Build) -> set[str]:
    """The conditions on edges of the only procedure, in infix form."""
    (one,) = build.procedures
    return {to_infix(edge.condition) for edge in one.workflow.edges if isinstance(edge.condition, Tree)}


@pytest.mark.parametrize(("limit", "unit"), [("$5,000", "USD"), ("£5,000", "GBP"), ("5,000 EUR", "EUR")])
def test_the_documents_currency_is_the_inputs(tmp_path: Path, limit: str, unit: str) -> None:
    """A sum in any currency is of the concept, and the input is in that currency."""
    build = compiled(tmp_path, policy=ENGLISH.format(limit=limit))
    spec = build.procedures[0].workflow.inputs["contract_value"]
    assert (spec.concept, spec.unit) == ("contract_value", unit)
    assert any("contract_value > 5000" in condition for condition in conditions(build))


@pytest.mark.parametrize(
    ("text", "value", "unit"), [("68万元", 680000, "CNY"), ("680000", 680000, None), ("$90,000", None, None)]
)
def test_a_form_is_bound_in_the_same_currency_only(
    tmp_path: Path, text: str, value: int | None, unit: str | None
) -> None:
    """A sum in the input's currency, or a bare number, is bound; one in another currency is left to a person."""
    build = compiled(tmp_path, policy=CHINESE, form=FORM.format(sum=text))
    (one,) = build.procedures
    assert one.workflow.inputs["contract_value"].unit == "CNY"
    bound = {b.input: (b.value, b.unit) for each in one.bindings for b in each.bindings}
    unbound = {name for each in one.bindings for name in each.unbound}
    assert bound.get("contract_value") == (None if value is None else (value, unit))
    assert ("contract_value" in unbound) is (value is None)


def test_a_second_currency_is_a_fact_of_its_own(tmp_path: Path) -> None:
    """Dollars are not compared with a fact that is in yuan."""
    text = CHINESE.replace("；否则", "；合同金额超过8万美元的，由董事长审批；否则")
    build = compiled(tmp_path, policy=text)
    workflow = build.procedures[0].workflow
    units = {name: (spec.unit, spec.concept) for name, spec in workflow.inputs.items() if spec.unit}
    assert units == {"contract_value": ("CNY", "contract_value"), "contract_value_usd": ("USD", None)}
    assert any("contract_value_usd > 80000" in condition for condition in conditions(build))


def test_a_column_of_a_table_is_in_one_currency(tmp_path: Path) -> None:
    """The first sum sets the currency of the column; a sum in another one is left out and said."""
    table = (
        "# 往年合同\n\n| 供应商 | 合同金额 | 合同编号 |\n| --- | --- | --- |\n"
        "| 甲公司 | 5万元 | A-1 |\n| 乙公司 | $900 | A-2 |\n| 丙公司 | 6万元 | A-3 |\n"
        "| 丁公司 | 7万元 | A-4 |\n| 戊公司 | 8万元 | A-5 |\n"
    )
    build = compiled(tmp_path, policy=CHINESE, table=table)
    (reference,) = build.references
    assert reference.columns["contract_value"].unit == "CNY"
    assert [row.values["contract_value"] for row in reference.rows] == [50000, None, 60000, 70000, 80000]
    assert "untyped-cell" in {diagnostic.error_code for diagnostic in build.diagnostics}
