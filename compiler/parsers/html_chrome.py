"""The parts of a page that lead about the site rather than say something: menus, trails and the like."""

import re

from bs4 import Tag

_MENU = re.compile(r"(?:^|[\s_-])(?:nav|navbar|menu|breadcrumbs?|pagination|sidebar|toc)(?:$|[\s_-])", re.I)
_MENU_LINKS = 5


def is_navigation(element: Tag) -> bool:
    """Whether the element is a menu: named so, or little else than links."""
    if element.name == "nav" or element.get("role") in ("navigation", "menu", "menubar", "doc-toc"):
        return True
    if element.name not in ("ul", "ol", "div", "td", "p", "section", "aside", "table"):
        return False
    links = element.find_all("a", href=True)
    if len(links) < _MENU_LINKS:
        return False
    text = "".join(element.get_text().split())
    linked = sum(len("".join(link.get_text().split())) for link in links)
    named = _MENU.search(" ".join([*element.get_attribute_list("class"), str(element.get("id", ""))]).strip())
    prose = any(mark in text for mark in "。；") or any(len(link.get_text()) > 60 for link in links)
    return bool(text) and not prose and linked >= (0.6 if named else 0.88) * len(text)
