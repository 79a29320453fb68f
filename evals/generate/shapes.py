"""Documents of one shape each, as long as is wanted: what an algorithm chokes on that compares all with all.

`SHAPES` has them by name; a maker takes the number of parts.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

ROLES = ("clerk", "manager", "director", "auditor", "treasurer", "inspector", "registrar", "secretary")
THINGS = ("record", "form", "claim", "invoice", "permit", "contract", "report", "licence")
ACTS = ("file", "check", "send", "sign", "archive", "register", "copy", "approve")


@dataclass(frozen=True)
class Shape:
    """A kind of document.

    Args:
        ending: of the file, which says how it is read.
        make: its text, of so many parts.
        small: the number of parts of the smallest document whose growth is looked at.
    """

    ending: str
    make: Callable[[int], str]
    small: int

    def document(self, parts: int) -> bytes:
        """The file, of so many parts."""
        return self.make(parts).encode()

    def parts_of(self, characters: int) -> int:
        """How many parts make about so many characters.

        >>> SHAPES["one-character"].parts_of(1000)
        1000
        """
        few, many = len(self.make(100)), len(self.make(300))
        return max(1, round((characters - few) * 200 / (many - few)) + 100)


def _lines(parts: Iterable[str]) -> str:
    return "\n".join(parts) + "\n"


def _plain_steps(n: int) -> str:
    return "# Filing\n\n" + _lines(f"{i}. The clerk must file record {i}." for i in range(1, n + 1))


def _guarded_articles(n: int) -> str:
    return "# 费用审批办法\n\n" + "\n\n".join(
        f"第{i}条 申请金额超过{1000 * i}元的，由部门经理审批第{i}类申请。" for i in range(1, n + 1)
    )


def _approvals(n: int) -> str:
    return "# Requests\n\n" + _lines(
        f"{i}. The manager approves request {i}. If amount {i} exceeds {10 * i} EUR, the director approves request {i}."
        for i in range(1, n + 1)
    )


def _guarded_steps(n: int) -> str:
    return "# Claims\n\n" + _lines(
        f"{i}. If the amount exceeds {100 * i} USD, the {ROLES[i % 8]} must {ACTS[i % 8]} the {THINGS[i // 8 % 8]}."
        for i in range(1, n + 1)
    )


def _one_character(n: int) -> str:
    return "一" * n


def _blanks(n: int) -> str:
    return f"# Filing\n\nThe clerk must{' ' * n}file the record.\n"


def _roles(n: int) -> str:
    named = ", ".join(f"the {ROLES[i % 8]} of unit {i}" for i in range(1, n + 1))
    return f"# Signing\n\n{named[0].upper()}{named[1:]} and the head must sign the form.\n"


def _long_sentence(n: int) -> str:
    acts = ", ".join(f"{ACTS[i % 8]} the {THINGS[i // 8 % 8]} {i}" for i in range(1, n + 1))
    return f"# Filing\n\nThe clerk must {acts} and close the case.\n"


def _long_sentence_zh(n: int) -> str:
    return "# 归档办法\n\n经办人应当" + "，".join(f"核对第{i}项材料并登记" for i in range(1, n + 1)) + "。\n"


def _long_condition(n: int) -> str:
    either = " or ".join(f"the amount of item {i} exceeds {i}" for i in range(1, n + 1))
    return f"# Approving\n\nIf {either}, the manager must approve the claim.\n"


def _nested_lists(n: int) -> str:
    items = "".join(f"<ol><li>The clerk must file record {i}." for i in range(1, n + 1))
    return f"<html><body><h1>Filing</h1>{items}{'</li></ol>' * n}</body></html>"


def _brackets(n: int) -> str:
    return f"# Filing\n\nThe clerk must file the record.\n\n{'[' * n}\n"


def _parentheses(n: int) -> str:
    return f"# 归档办法\n\n经办人应当登记{'（' * n}申请{'）' * n}。\n"


def _table(n: int) -> str:
    rows = (f"| {100 * i} to {100 * i + 99} USD | the {ROLES[i % 8]} approves claim {i} |" for i in range(1, n + 1))
    return "# Approving\n\n| Amount | Approval |\n| --- | --- |\n" + _lines(rows)


def _deadlines(n: int) -> str:
    return "# 时限\n\n经办人应当在" + "".join(f"第{i}次通知后三十个工作日内、" for i in range(1, n + 1)) + "办结。\n"


def _numerals(n: int) -> str:
    return f"# 时限\n\n经办人应当在{'十' * n}日内办结。\n"


def _headings(n: int) -> str:
    return _lines(f"# Part {i}\n\nThe {ROLES[i % 8]} must {ACTS[i // 8 % 8]} record {i}.\n" for i in range(1, n + 1))


def _empty_headings(n: int) -> str:
    return _lines(f"{'#' * (1 + i % 4)} Part {i}\n" for i in range(n)) + "\nThe clerk must file the record.\n"


def _html_nesting(n: int) -> str:
    return f"<html><body>{'<div>' * n}<p>The clerk must file the record.</p>{'</div>' * n}</body></html>"


def _prohibitions(n: int) -> str:
    return "# 管理规定\n\n" + _lines(f"第{i}条 经办人不得将第{i}类资料交给外部人员。\n" for i in range(1, n + 1))


def _references(n: int) -> str:
    return "# 处理办法\n\n" + _lines(
        f"第{i}条 经办人应当依照第{max(1, i - 1)}条、第{n + 1 - i}条办理第{i}号申请。\n" for i in range(1, n + 1)
    )


def _commas(n: int) -> str:
    return f"# Filing\n\nThe clerk must file the record{',' * n} and close.\n"


def _digits(n: int) -> str:
    return f"# Filing\n\nIf the amount exceeds {'1' * n} USD, the manager must approve it.\n"


def _empty_lines(n: int) -> str:
    return "The clerk must file the record." + "\n" * n + "The manager must sign it."


SHAPES = {
    "plain-steps": Shape("md", _plain_steps, 250),
    "guarded-articles": Shape("md", _guarded_articles, 100),
    "guarded-steps": Shape("md", _guarded_steps, 100),
    "approvals": Shape("md", _approvals, 50),
    "headings": Shape("md", _headings, 50),
    "prohibitions": Shape("md", _prohibitions, 100),
    "references": Shape("md", _references, 100),
    "table": Shape("md", _table, 100),
    "roles": Shape("md", _roles, 500),
    "long-sentence": Shape("md", _long_sentence, 200),
    "long-sentence-zh": Shape("md", _long_sentence_zh, 200),
    "long-condition": Shape("md", _long_condition, 100),
    "nested-lists": Shape("html", _nested_lists, 100),
    "html-nesting": Shape("html", _html_nesting, 5000),
    "empty-headings": Shape("md", _empty_headings, 500),
    "deadlines": Shape("md", _deadlines, 200),
    "numerals": Shape("md", _numerals, 5000),
    "one-character": Shape("txt", _one_character, 20_000),
    "blanks": Shape("md", _blanks, 20_000),
    "empty-lines": Shape("txt", _empty_lines, 20_000),
    "brackets": Shape("md", _brackets, 10_000),
    "parentheses": Shape("md", _parentheses, 10_000),
    "commas": Shape("md", _commas, 20_000),
    "digits": Shape("md", _digits, 5_000),
}
"""What documents are made of, by name; `small` is large enough for its time to be measured."""
