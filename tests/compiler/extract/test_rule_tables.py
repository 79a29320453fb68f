"""What tables prescribe: who acts, what, by when, and in which case, with the ends of ranges exact."""

import pytest

from catalog.load import load_catalog
from compiler.extract.rules.document_reader import DocumentReader
from compiler.extract.rules.procedures import Extractor
from compiler.extract.rules.segments import segments
from compiler.grounding.coverage import list_uncovered
from compiler.parsers import parse
from compiler.text.mentions import Mentions
from ir.infix import to_infix
from ir.predicate import parse_tree

MENTIONS = Mentions(load_catalog())


def rules(before: str, rows: str, after: str = "") -> list[str]:
    """Each step of the table as `actor: text [deadline] if condition`."""
    lines = [line.strip() for line in rows.strip().splitlines()]
    lines.insert(1, "|" + "---|" * (lines[0].count("|") - 1))
    text = "\n".join([*before.splitlines(), "", *lines, "", *after.splitlines()])
    document = parse(text.encode(), "a.md").document
    assert document is not None
    (segment,) = segments(document, DocumentReader(document).read())
    procedure = Extractor(MENTIONS, document).procedure("p", segment)
    conditions = {c.id: c.predicate for c in procedure.conditions}
    said = []
    for step in procedure.steps:
        if not (step.evidence and (step.evidence[0].block or "").startswith("t")):
            continue
        flows = [f for f in procedure.flows if f.target == step.id and f.condition]
        predicate = conditions.get(flows[0].condition or "") if flows else None
        case = f" if {to_infix(parse_tree(predicate)).replace('$.facts.', '')}" if predicate is not None else ""
        otherwise = " otherwise" if flows and flows[0].condition == "otherwise" else ""
        by = f" [{step.deadline.duration}]" if step.deadline else ""
        said.append(f"{step.actor or '-'}: {step.text}{by}{case}{otherwise}")
    return said


BEFORE_EN = "# Orders\n\n1. The clerk shall register the order.\n\n2. Orders are handled as the table says."
BEFORE_ZH = "# 订单管理办法\n\n第一条 秘书应当登记订单。\n\n第二条 订单按照下表办理。"

TABLES = {
    "a yes or no beside other conditions": (
        BEFORE_EN,
        """
        | Customer | Order value | Overdue | Action |
        | New | over EUR 5,000 | - | Refuse the order |
        | New | up to EUR 5,000 | - | Ask for prepayment |
        | Known | - | Yes | Ask for prepayment |
        | Known | - | No | Accept the order |""",
        [
            '-: Refuse the order if customer == "New" and order > 5000',
            '-: Ask for prepayment if customer == "New" and order <= 5000',
            '-: Ask for prepayment if customer == "Known" and overdue == true',
            '-: Accept the order if customer == "Known" and not (customer == "Known" and overdue == true)',
        ],
    ),
    "conditions as clauses": (
        BEFORE_EN,
        """
        | If | And | Then |
        | The supplier is new | the order value exceeds EUR 5,000 | the buyer shall ask for a guarantee |
        | The supplier is new | the order value does not exceed EUR 5,000 | the buyer shall ask for prepayment |
        | The supplier is known | any | the buyer shall place the order |""",
        [
            "buyer: the buyer shall ask for a guarantee if the_supplier_is_new == true and order > 5000",
            "buyer: the buyer shall ask for prepayment if the_supplier_is_new == true and order <= 5000",
            "buyer: the buyer shall place the order if the_supplier_is_known == true",
        ],
    ),
    "who approves where class and amount cross": (
        BEFORE_EN,
        """
        | Class | up to EUR 1,000 | over EUR 1,000 |
        | Travel | Line manager | Head of Department |
        | Computers | Head of IT | CFO |""",
        [
            'Line manager: up to EUR 1,000: Line manager if class == "Travel" and amount <= 1000',
            'Head of Department: over EUR 1,000: Head of Department if class == "Travel" and amount > 1000',
            'Head of IT: up to EUR 1,000: Head of IT if class == "Computers" and amount <= 1000',
            'CFO: over EUR 1,000: CFO if class == "Computers" and amount > 1000',
        ],
    ),
    "limits of roles": (
        BEFORE_EN,
        """
        | Role | Approval limit (USD) |
        | Branch manager | 5,000 |
        | Regional manager | 50,000 |
        | Chief Executive | no limit |""",
        [
            "Branch manager: Role: Branch manager if approval_limit <= 5000",
            "Regional manager: Role: Regional manager if approval_limit > 5000 and approval_limit <= 50000",
            "Chief Executive: Role: Chief Executive if approval_limit > 50000",
        ],
    ),
    "who is responsible": (
        BEFORE_EN,
        """
        | Activity | Shift lead | Safety officer | Plant manager |
        | Report the incident | R | I | I |
        | Investigate the incident | C | R | A |""",
        [
            "Shift lead: Report the incident",
            "Safety officer: Investigate the incident",
        ],
    ),
    "measures by class": (
        BEFORE_EN,
        """
        | Information class | Encrypt the file | Shred the copy |
        | Public | N | N |
        | Internal | Y | N |
        | Secret | Y | Y |""",
        [
            '-: Encrypt the file if information_class == "Internal" or information_class == "Secret"',
            '-: Shred the copy if information_class == "Secret"',
        ],
    ),
    "whom to tell by when": (
        BEFORE_EN,
        """
        | Severity | Report to | Deadline |
        | Critical | CIO | 1 hour |
        | Low | Service desk | 3 working days |""",
        [
            '-: Report to: CIO [PT1H] if severity == "Critical"',
            '-: Report to: Service desk [P3BD] if severity == "Low"',
        ],
    ),
    "the unit in the heading": (
        BEFORE_ZH,
        """
        | 采购金额（万元） | 审批人 |
        | 10以下 | 部门经理 |
        | 10（不含）至50 | 总经理 |
        | 50以上（不含） | 董事会 |""",
        [
            "部门经理: 审批人：部门经理 if contract_value <= 100000",
            "总经理: 审批人：总经理 if contract_value > 100000 and contract_value <= 500000",
            "董事会: 审批人：董事会 if contract_value > 500000",
        ],
    ),
    "steps with who and by when": (
        BEFORE_ZH,
        """
        | 序号 | 责任部门 | 工作内容 | 办理时限 |
        | 1 | 业务部 | 受理客户投诉 | 1个工作日 |
        | 2 | 质量部 | 调查投诉原因 | 3个工作日 |""",
        [
            "业务部: 受理客户投诉 [P1BD]",
            "质量部: 调查投诉原因 [P3BD]",
        ],
    ),
    "points": (
        BEFORE_ZH,
        """
        | 信用评分 | 是否有抵押 | 处理方式 |
        | 700分以上 | — | 直接放款 |
        | 700分以下（不含） | 是 | 提交审贷会审议 |
        | 700分以下（不含） | 否 | 拒绝申请 |""",
        [
            "-: 直接放款 if fact_1 >= 700",
            "-: 提交审贷会审议 if fact_1 < 700 and fact_2 == true",
            "-: 拒绝申请 if fact_1 < 700 and fact_2 == false",
        ],
    ),
    "classes that count": (
        BEFORE_ZH,
        """
        | 作业等级 | 批准人 | 审批时限 |
        | 三级 | 车间主任 | 2小时 |
        | 二级 | 安全部部长 | 4小时 |
        | 一级 | 副总经理 | 8小时 |""",
        [
            '车间主任: 批准人：车间主任 [PT2H] if fact_1 == "三级"',
            '安全部部长: 批准人：安全部部长 [PT4H] if fact_1 == "二级"',
            '副总经理: 批准人：副总经理 [PT8H] if fact_1 == "一级"',
        ],
    ),
    "levels that name ranges": (
        BEFORE_ZH,
        """
        | 级别 | 采购金额 | 审批人 |
        | 一级 | 5万元以下 | 采购经理 |
        | 二级 | 5万元以上（不含） | 总经理 |""",
        [
            "采购经理: 审批人：采购经理 if contract_value <= 50000",
            "总经理: 审批人：总经理 if contract_value > 50000",
        ],
    ),
    "levels with ranges of their own": (
        BEFORE_ZH,
        """
        | 风险等级 | 采购金额 | 审批人 |
        | 一级 | 5万元以下 | 采购经理 |
        | 一级 | 5万元以上（不含） | 总经理 |
        | 二级 | 5万元以下 | 采购员 |""",
        [
            '采购经理: 审批人：采购经理 if fact_1 == "一级" and contract_value <= 50000',
            '总经理: 审批人：总经理 if fact_1 == "一级" and contract_value > 50000',
            '采购员: 审批人：采购员 if fact_1 == "二级" and contract_value <= 50000',
        ],
    ),
    "who reviews and who approves": (
        BEFORE_ZH,
        """
        | 变更等级 | 审核人 | 批准人 | 审批时限 |
        | 三级 | 车间安全员 | 车间主任 | 2小时 |
        | 二级 | 车间主任、安全部部长 | 副总经理 | 4小时 |
        | 一级 | 车间主任 | 副总经理 | 8小时 |""",
        [
            '车间安全员: 审核人：车间安全员 if fact_1 == "三级"',
            "车间主任: 批准人：车间主任 [PT2H]",
            '车间主任: 审核人：车间主任 if fact_1 == "二级"',
            "安全部部长: 审核人：安全部部长",
            "副总经理: 批准人：副总经理 [PT4H]",
            '车间主任: 审核人：车间主任 if fact_1 == "一级"',
            "副总经理: 批准人：副总经理 [PT8H]",
        ],
    ),
    "who reviews and who approves, each by when": (
        BEFORE_EN,
        """
        | Level | Reviewer | Review time | Approved by | Time limit |
        | Low | shift supervisor | 1 hour | plant manager | 2 hours |
        | High | plant manager | 2 hours | managing director | 4 hours |""",
        [
            'shift supervisor: Reviewer: shift supervisor [PT1H] if level == "Low"',
            "plant manager: Approved by: plant manager [PT2H]",
            'plant manager: Reviewer: plant manager [PT2H] if level == "High"',
            "managing director: Approved by: managing director [PT4H]",
        ],
    ),
    "who approves after whom, in one cell": (
        BEFORE_ZH,
        """
        | 请假类别 | 审批权限 |
        | 事假 | 科室负责人审批 |
        | 病假 | 科室负责人同意后，报分管院长审批 |""",
        [
            '科室负责人: 审批权限：科室负责人审批 if fact_1 == "事假"',
            '科室负责人: 审批权限：科室负责人 if fact_1 == "病假"',
            "分管院长: 审批权限：分管院长",
        ],
    ),
    "approvals in the order of the rows": (
        BEFORE_ZH,
        """
        | 序号 | 审批环节 | 审批人 |
        | 1 | 初审 | 车间主任 |
        | 2 | 终审 | 副总经理 |""",
        ["车间主任: 审批人：车间主任", "副总经理: 审批人：副总经理"],
    ),
    "approvals in turn of each class": (
        BEFORE_ZH,
        """
        | 采购类别 | 审批环节 | 审批人 |
        | 物资 | 初审 | 车间主任 |
        | 物资 | 终审 | 副总经理 |
        | 服务 | 初审 | 行政部经理 |
        | 服务 | 终审 | 总经理 |""",
        [
            '车间主任: 审批人：车间主任 if fact_1 == "物资"',
            "副总经理: 审批人：副总经理",
            '行政部经理: 审批人：行政部经理 if fact_1 == "服务"',
            "总经理: 审批人：总经理",
        ],
    ),
    "a record of revisions": (
        BEFORE_EN,
        """
        | Rev. | Date | Description | Approved |
        | 1 | 2020-01-01 | First issue | BS |
        | 2 | 2021-01-01 | New forms | BS |""",
        [],
    ),
    "marks of doubtful meaning": (
        BEFORE_ZH,
        """
        | 信息级别 | 加密存储 | 双人保管 |
        | 内部 | ○ | △ |
        | 机密 | ○ | ○ |""",
        [],
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_what_a_table_prescribes(name: str) -> None:
    """Row by row; a table of other matter prescribes nothing."""
    before, rows, expected = TABLES[name]
    assert rules(before, rows) == expected


def test_a_row_that_is_not_understood_is_listed() -> None:
    """Of a table that is read in part, nothing goes without a word."""
    text = f"{BEFORE_EN}\n\n| Amount | Approver |\n|---|---|\n| up to $50 | Line manager |\n| more | to be agreed |\n"
    document = parse(text.encode(), "a.md").document
    assert document is not None
    procedure = Extractor(MENTIONS, document).procedure("p", segments(document, DocumentReader(document).read())[0])
    (whole,) = list_uncovered(document, (procedure,))
    assert [(item.text, item.reason) for item in whole.unplaced] == [
        ("more | to be agreed", "a row of a table that is not read as a step or rule")
    ]


def test_ranges_under_kinds_of_one_thing() -> None:
    """In each kind another sum leads to the same approver: either, never both at once."""
    html = (
        "<h1>贷款审批办法</h1><p>第一条 客户经理应当核对材料。</p><p>第二条 审批权限如下。单位：万元</p><table>"
        "<tr><th rowspan=2>审批人</th><th colspan=2>担保方式</th></tr><tr><th>信用</th><th>抵押</th></tr>"
        "<tr><td>支行行长</td><td>200以下</td><td>500以下</td></tr>"
        "<tr><td>分行行长</td><td>超过200</td><td>超过500</td></tr></table>"
    )
    document = parse(f"<html><body>{html}</body></html>".encode(), "a.html").document
    assert document is not None
    procedure = Extractor(MENTIONS, document).procedure("p", segments(document, DocumentReader(document).read())[0])
    said = {
        to_infix(parse_tree(c.predicate)).replace("$.facts.", "")
        for c in procedure.conditions
        if c.predicate is not None
    }
    assert said == {
        '(fact_1 == "信用" and fact_2 <= 200) or (fact_1 == "抵押" and fact_2 <= 500)',
        '(fact_1 == "信用" and fact_2 > 200) or (fact_1 == "抵押" and fact_2 > 500)',
    }


def test_by_when_those_of_the_table_decide() -> None:
    """A sentence that says so of the approvers is no decision of its own."""
    rows = "| 金额 | 审批人 |\n|---|---|\n| 5万元以下 | 支行行长 |\n| 超过5万元 | 分行首席风险官 |\n"
    after = "\n第三条 支行行长、分行首席风险官应当自收到意见之日起二个工作日内作出决定。\n"
    document = parse(f"{BEFORE_ZH}\n\n{rows}{after}".encode(), "a.md").document
    assert document is not None
    procedure = Extractor(MENTIONS, document).procedure("p", segments(document, DocumentReader(document).read())[0])
    assert [step.actor for step in procedure.steps if step.kind in ("approval", "decision")] == [
        "支行行长", "分行首席风险官"
    ]  # fmt: skip
