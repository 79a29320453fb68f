"""The text of a page's elements, as a browser shows it."""

import re
from dataclasses import replace

from bs4 import Tag
from bs4.element import CData, Comment, NavigableString, PreformattedString

from compiler.parsers.draft import Draft
from compiler.parsers.join import has_ideographs, ideographs, is_title
from compiler.text.labels import parse_label

_FILE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp)$", re.I)


def is_markup(text: NavigableString) -> bool:
    """Whether the string is a comment, a declaration or the like."""
    """Whether the string is a comment, a declaration or the like."""
    return isinstance(text, Comment) or (isinstance(text, PreformattedString) and not isinstance(text, CData))


def heading_level(element: Tag, name: str) -> int | None:
    """The level of a heading element, None for others."""
    """The level of a heading element, None for others."""
    if len(name) == 2 and name[0] == "h" and name[1] in "123456":
        return int(name[1])
    if element.get("role") == "heading":
        level = str(element.get("aria-level", "2"))
        return int(level) if level.isdecimal() and 0 < int(level) < 10 else 2
    return None


def control_text(element: Tag) -> str:
    """What a form's control shows."""
    kind = str(element.get("type", "")).lower()
    if element.name == "input" and kind in ("checkbox", "radio"):
        return "☑ " if element.has_attr("checked") else "☐ "
    if element.name == "input" and kind in ("", "text", "number", "date", "email", "tel"):
        return str(element.get("value", ""))
    if element.name == "select":
        chosen = element.find("option", selected=True) or element.find("option")
        return chosen.get_text(" ", strip=True) if isinstance(chosen, Tag) else ""
    return element.get_text(" ") if element.name == "textarea" else ""


def alternative(element: Tag) -> str:
    """What stands in for a picture, where it says something that a name or an ornament does not.

    >>> [alternative(Tag(name="img", attrs={"alt": alt})) for alt in ("logo", "Flow: apply, sign, send", "a_b.png")]
    ['', 'Flow: apply, sign, send', '']
    """
    words = " ".join(str(element.get("alt", "")).split())
    if _FILE.search(words) or element.get("role") in ("presentation", "none"):
        return ""
    telling = parse_label(words) is not None or len(words.split()) >= 3 or ideographs(words) >= 6
    return words if telling else ""


def collapse(text: str) -> str:
    """White space as a browser shows it; between Chinese characters a line break of the source is none."""
    out: list[str] = []
    for part in text.replace("\u200b", "").split("\n"):
        part = part.replace("\r", "")
        if out and has_ideographs(out[-1][-1:]) and has_ideographs(part.lstrip()[:1]):
            part = part.lstrip(" \t")
        elif out:
            out.append(" ")
        out.append(part.replace("\t", " "))
    collapsed = "".join(out)
    while "  " in collapsed:
        collapsed = collapsed.replace("  ", " ")
    return collapsed


def closed(text: str) -> str:
    """Gathered text without the blanks that stand double or beside a break."""
    """Gathered text without the blanks that stand double or beside a break."""
    while "  " in text:
        text = text.replace("  ", " ")
    return text.replace(" \n", "\n").replace("\n ", "\n").replace("\u00a0", " ")


def inline_text(element: Tag) -> str:
    """All the text of an element on one line."""
    """All the text of an element on one line."""
    return closed(collapse(element.get_text(" "))).strip()


def join_titles(drafts: list[Draft]) -> list[Draft]:
    """A title that is set as several centred paragraphs of the same bold type, as one."""
    out: list[Draft] = []
    for draft in drafts:
        last = out[-1] if out else None
        if (
            (
                last
                and _is_display(last)
                and _is_display(draft)
                and last.size == draft.size
                and not parse_label(draft.text)
            )
            and not parse_label(last.text)
            and is_title(last.text + draft.text)
        ):
            joint = "" if has_ideographs(draft.text[:1]) else " "
            out[-1] = replace(last, text=f"{last.text}{joint}{draft.text}")
            continue
        out.append(draft)
    return out


def _is_display(draft: Draft) -> bool:
    return draft.centred and draft.bold and draft.size >= 14 and draft.tag is None and is_title(draft.text)
