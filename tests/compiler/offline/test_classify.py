"""A document with a head of keys and values is still a policy; a form is not."""

from catalog.index import NodeIndex
from catalog.load import load_catalog
from compiler.context import Context
from compiler.parsers import parse
from compiler.passes.classify_document import classify_document
from primers.load import load_primers

ROWS = (("文件编号", "SOP-17"), ("版本", "第4版"), ("编写", "生化组"))
HEAD = "<table>" + "".join(f"<tr><td>{key}</td><td>{value}</td></tr>" for key, value in ROWS) + "</table>"
STEPS = "".join(f"<p>6.{n} 检查第{n}台仪器的压力读数，填写记录表并在登记簿上签名。</p>" for n in range(1, 9))


def role(html: str) -> str:
    """The role of an HTML document."""
    document = parse(f"<html><body><h1>操作规程</h1>{html}</body></html>".encode(), "a.html").document
    assert document is not None
    catalog = load_catalog()

    def index() -> NodeIndex:
        raise AssertionError("no search is needed")

    return classify_document(Context(catalog, load_primers(), index), document).role


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
