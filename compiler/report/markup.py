"""Markup in which text cannot become markup: whatever is not made here is escaped."""

import re
from collections.abc import Iterable, Mapping
from html import escape

# Control characters, lone surrogates and the marks that turn the direction of writing: invisible, illegal in XML, or
# able to show a reader other words than the document holds. Shown as U+FFFD, one for one, so that offsets stay true.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_VOID = frozenset({"br", "col", "hr", "img", "input", "meta"})


class Markup(str):
    """A string that is markup already; only this module's functions should make one."""

    __slots__ = ()


Child = str | Iterable["Child"] | None
Attribute = str | int | float | bool | None
Attributes = Mapping[str, Attribute]


def visible(text: str) -> str:
    """The text with characters that a reader cannot see, or that deceive one, shown as U+FFFD.

    >>> visible("pay\\u202e 05") == "pay\\ufffd 05"
    True
    """
    return _UNSAFE.sub("\ufffd", text)


def plain(text: str) -> Markup:
    """Text as markup: escaped, unless it is markup already.

    >>> plain("<b> & c")
    '&lt;b&gt; &amp; c'
    """
    return text if isinstance(text, Markup) else Markup(escape(visible(text)))


def element(name: str, attributes: Attributes | None = None, *children: Child) -> Markup:
    """An element; attributes that are None or False are left out, True gives an empty one.

    >>> element("p", {"title": 'a "b"', "hidden": True}, "x < y", element("br"))
    '<p title="a &quot;b&quot;" hidden="">x &lt; y<br></p>'
    """
    head = "".join(
        f' {key}="{"" if value is True else escape(visible(_number(value)))}"'
        for key, value in (attributes or {}).items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Markup(f"<{name}{head}>")
    return Markup(f"<{name}{head}>{join(children)}</{name}>")


def join(children: Iterable[Child], between: str = "") -> Markup:
    """Several pieces of text or markup as one.

    >>> join(["a", None, ["b", "<"]])
    'ab&lt;'
    """
    parts: list[str] = []
    for child in children:
        if child is None:
            continue
        parts.append(plain(child) if isinstance(child, str) else join(child))
    return Markup(plain(between).join(parts))


def _number(value: Attribute) -> str:
    """Numbers short and the same everywhere: at most one decimal, which is a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
