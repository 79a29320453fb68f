"""Tables of contents: lines that point to headings and are none."""

import re
from collections.abc import Sequence
from dataclasses import replace

from compiler.parsers.draft import Draft
from compiler.parsers.join import is_title

_LEADERS = re.compile(
    r"(?:[.．·…‥]\s?){4,}\s*(?:\d{1,4}|[ivxlc]{1,6})?\s*$|_{4,}\s*(?:\d{1,4}|[ivxlc]{1,6})\s*$"
    r"|…{2,}\s*\d*\s*$|\t\s*\d{1,4}\s*$"
)
_HEAD = re.compile(r"\s*(?:目\s*[录次]|(?:table\s+of\s+)?contents)\s*[:：]?\s*", re.I)
_SQUEEZE = re.compile(r"[\s\u3000.．·…‥]+")
_PAGE = re.compile(r"\s+\d{1,4}\s*$")
_LONGEST = 400


def mark_contents(drafts: Sequence[Draft]) -> tuple[Draft, ...]:
    """Tag the lines of a table of contents `navigation`: lines with leaders, and lines under its title that recur.

    A line of underscores without a number is a place to fill in.

    >>> [d.tag for d in mark_contents([Draft("目录"), Draft("第一章 总则"), Draft("第一章 总 则"), Draft("第一条")])]
    ['navigation', 'navigation', None, None]
    """
    squeezed = [_squeeze(draft.text) for draft in drafts]
    last = {text: index for index, text in enumerate(squeezed) if drafts[index].tag is None}
    inside, out = False, list(drafts)
    for index, draft in enumerate(drafts):
        if draft.tag is not None:
            continue
        text = draft.text
        if (draft.kind != "table" and len(text) < _LONGEST and _LEADERS.search(text)) or (
            _HEAD.fullmatch(text) and _begins_contents(drafts, index, last)
        ):
            out[index] = _navigation(draft)
            inside = True
        elif inside and is_title(text) and _recurs(text, index, last):
            out[index] = _navigation(draft)
        else:
            inside = False
    return tuple(out)


def _begins_contents(drafts: Sequence[Draft], index: int, last: dict[str, int]) -> bool:
    following = [later for later in range(index + 1, len(drafts)) if drafts[later].tag is None][:3]
    return any(_LEADERS.search(drafts[later].text) or _recurs(drafts[later].text, later, last) for later in following)


def _recurs(text: str, index: int, last: dict[str, int]) -> bool:
    return any(last.get(_squeeze(form), -1) > index for form in (text, _PAGE.sub("", text)) if form.strip())


def _squeeze(text: str) -> str:
    return _SQUEEZE.sub("", text).lower()


def _navigation(draft: Draft) -> Draft:
    return replace(draft, tag="navigation", kind="paragraph", heading=None, depth=None)
