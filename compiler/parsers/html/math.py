"""Formulas of a page, written on one line."""

from bs4 import Tag
from bs4.element import NavigableString

from compiler.parsers.scripts import write_script

_UNSHOWN = frozenset({"annotation", "annotation-xml"})
_DEEPEST = 40


def math_text(element: Tag, depth: int = 0) -> str:
    """A formula with `/` for fractions, `√` for roots and its raised figures raised.

    >>> from bs4 import BeautifulSoup
    >>> sum_ = "<mrow><mi>a</mi><mo>+</mo><msup><mi>b</mi><mn>2</mn></msup></mrow>"
    >>> math_text(BeautifulSoup(f"<math><mfrac><mn>1</mn>{sum_}</mfrac></math>", "lxml"))
    '1/(a+b²)'
    """
    if element.name in _UNSHOWN or depth > _DEEPEST:
        return ""
    parts = [
        math_text(child, depth + 1) if isinstance(child, Tag) else " ".join(str(child).split())
        for child in element.children
        if isinstance(child, Tag | NavigableString)
    ]
    parts = [part for part in parts if part]
    if element.name == "mfrac" and len(parts) == 2:
        return f"{_closed(parts[0])}/{_closed(parts[1])}"
    if element.name == "msqrt":
        return f"√{_closed(''.join(parts))}"
    if element.name == "msup" and len(parts) == 2:
        raised = write_script(parts[1], "super", parts[0])
        return parts[0] + (raised if raised != parts[1] else f"^{_closed(parts[1])}")
    if element.name == "msub" and len(parts) == 2:
        return parts[0] + write_script(parts[1], "sub", parts[0])
    return "".join(parts)


def _closed(part: str) -> str:
    return part if part.isalnum() else f"({part})"
