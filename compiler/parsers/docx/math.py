"""Formulas of Word on one line, so that their bars, powers and brackets do not get lost."""

import re
from collections.abc import Iterator

from compiler.parsers.docx.package import Element, w

M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
_PLAIN = re.compile(r"[\w.%√\u4e00-\u9fff]*|\([^()]*\)")
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_DELETED = (w("del"), w("moveFrom"))


def m(name: str) -> str:
    """The qualified name of an element or attribute of formulas."""
    return f"{{{M}}}{name}"


def formula(element: Element) -> str:
    """What a formula says: fractions with a slash, powers with `^`, roots with their sign, groups in brackets."""
    return "".join(_formula_text(child) for child in element if isinstance(child.tag, str))


def grouped(text: str) -> str:
    """The text in brackets, if it is more than one number, word or group.

    >>> grouped("a"), grouped("a+b"), grouped("(a+b)")
    ('a', '(a+b)', '(a+b)')
    """
    text = text.strip()
    return text if _PLAIN.fullmatch(text) else f"({text})"


def root_of(text: str, degree: str = "") -> str:
    """A root.

    >>> root_of("2"), root_of("a+b", "3"), root_of("x", "n")
    ('√2', '∛(a+b)', 'n√x')
    """
    return _ROOTS.get(degree, f"{grouped(degree)}√") + grouped(text)


def _formula_text(element: Element) -> str:
    name = element.tag.removeprefix(f"{{{M}}}")
    if name == "t":
        return element.text or ""
    if name == "f":
        return f"{grouped(_part(element, 'num'))}/{grouped(_part(element, 'den'))}"
    if name in ("sSup", "sSub", "sSubSup", "sPre"):
        return grouped(_part(element, "e")) + _scripts(element)
    if name == "rad":
        return root_of(_part(element, "e"), _part(element, "deg").strip())
    if name == "d":
        return _bracketed(element)
    if name == "nary":
        return _property(element, "nary", "chr", "∫") + _scripts(element) + f" {_part(element, 'e')}"
    if name in ("limLow", "limUpp"):
        return f"{_part(element, 'e')}{'_' if name == 'limLow' else '^'}{grouped(_part(element, 'lim'))} "
    if name == "func":
        return f"{_part(element, 'fName').strip()} {grouped(_part(element, 'e'))}"
    if name == "m":
        return "; ".join(", ".join(formula(cell) for cell in row.findall(m("e"))) for row in element.findall(m("mr")))
    if name == "eqArr":
        return "; ".join(formula(row) for row in element.findall(m("e")))
    return "" if element.tag in _DELETED else formula(element)


def _part(element: Element, name: str) -> str:
    part = element.find(m(name))
    return formula(part) if part is not None else ""


def _scripts(element: Element) -> str:
    marks: Iterator[tuple[str, str]] = iter((("_", "sub"), ("^", "sup")))
    return "".join(mark + grouped(_part(element, name)) for mark, name in marks if _part(element, name).strip())


def _bracketed(element: Element) -> str:
    between = _property(element, "d", "sepChr", "|").join(formula(part) for part in element.findall(m("e")))
    return _property(element, "d", "begChr", "(") + between + _property(element, "d", "endChr", ")")


def _property(element: Element, name: str, which: str, otherwise: str) -> str:
    """A sign that the element's properties name; an empty one is none, a missing one the usual one."""
    found = element.find(f"{m(f'{name}Pr')}/{m(which)}")
    sign = found.get(m("val")) if found is not None else None
    return otherwise if sign is None else str(sign)
