"""A document with a head of keys and values is still a policy; a form is not."""

from catalog.index import NodeIndex
from catalog.load import load_catalog
from compiler.context import Context
from compiler.extract.rules.rule_reader import RuleReader
from compiler.parsers import parse
from primers.load import load_primers

ROWS = (("文件编号", "SOP-17"), ("版本", "第4版"), ("编写", "生化组"))
HEAD = "<table>" + "".join(f"<tr><td>{key}</td><td>{value}</td></tr>" for key, value in ROWS) + "</table>"
STEPS = "".join(f"<p>6.{n} 检查第{n}台仪器的压力读数，填写记录表并在登记簿上签名。</p>" for n in range(1, 9))


def role(html: str) -> str:
    """The role of an HTML document with a heading that calls it a procedure."""
    return parse_role(f"<h1>操作规程</h1>{html}")


def parse_role(html: str) -> str:
    """The role of an HTML document."""
    document = parse(f"<html><body>{html}</body></html>".encode(), "a.html").document
    assert document is not None
    catalog = load_catalog()

    def index() -> NodeIndex:
        raise AssertionError("no search is needed")

    return RuleReader().classify_document(Context(catalog, load_primers(), index), document).role


def test_a_procedure_with_a_head_is_a_policy() -> None:
    """The table on top does not make it a form."""
    assert role(HEAD + STEPS) == "policy"


def test_keys_with_values_alone_are_a_form() -> None:
    """Without the steps it is one."""
    assert role(HEAD) == "form"


def test_what_is_told_as_it_is_done_is_a_policy() -> None:
    """Without a single duty word."""
    assert role("<p>仓库管理员清点货物。财务部核对发票。</p>") == "policy"
    assert role("<p>本仪器外形小巧。屏幕清晰。</p>") == "none"


def table(*rows: str) -> str:
    """A table of rows whose cells are parted by `|`, the first of them the headings."""
    cells = [[f"<td>{cell}</td>" for cell in row.split("|")] for row in rows]
    head = "".join(cells[0]).replace("td>", "th>")
    body = "".join("<tr>" + "".join(row) + "</tr>" for row in cells[1:])
    return f"<table><tr>{head}</tr>{body}</table>"


def test_a_notice_whose_table_outweighs_its_prose_is_a_policy() -> None:
    """Limits of approval are rules, however many rows there are."""
    rows = [f"{n}万元以上{n + 1}万元以下（不含）|第{n}审批组组长" for n in range(1, 30)]
    assert role("<p>采购申请按照下表审批。</p>" + table("采购金额|审批人", *rows)) == "policy"


def test_duties_beside_a_long_list_make_a_policy() -> None:
    """The list is data, but the articles bind somebody."""
    rows = [f"物质{n}|{n}0-00-{n}|易燃" for n in range(1, 40)]
    articles = "<p>仓库管理员应当登记入库数量。</p><p>安全部应当每月核对台账。</p><p>车间主任必须批准领用申请。</p>"
    assert role(articles + table("名称|编号|性质", *rows)) == "policy"
    assert role(table("名称|编号|性质", *rows)) == "reference"


def test_what_speaks_of_duties_and_binds_nobody_is_none() -> None:
    """A speech, and the guide to a game."""
    speech = "<p>我们必须坚定信心。我们应当团结一致。时代呼唤担当，实干成就未来。我们要把握机遇。</p>" * 4
    assert role(speech) == "none"
    game = "<ol><li>击败首领战中的怪物，拾取掉落的金币。</li><li>升级技能点，打开宝箱。</li></ol>"
    assert parse_role("<h1>新手攻略</h1>" + game) == "none"


def test_terms_with_meanings_are_data() -> None:
    """A glossary is looked up, not filled in."""
    rows = [f"术语{n}|第{n}个术语的含义" for n in range(1, 9)]
    assert parse_role("<h1>词汇</h1>" + table("术语|定义", *rows)) == "reference"


def test_blanks_to_fill_in_make_a_form() -> None:
    """Keys before lines."""
    assert parse_role("<h1>申请</h1><p>姓名：______</p><p>部门：______</p><p>日期：______</p>") == "form"
