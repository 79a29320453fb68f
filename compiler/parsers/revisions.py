"""Tracked changes of Word: read as accepted, as rejected, or with both texts."""

from compiler.parsers.docx_package import Element, w
from compiler.parsers.limits import Revisions

_INSERTIONS, _DELETIONS = (w("ins"), w("moveTo")), (w("del"), w("moveFrom"))
_SWAPPED = dict(zip((*_INSERTIONS, *_DELETIONS), (*_DELETIONS, *_INSERTIONS), strict=True))


def seen_as(root: Element, revisions: Revisions) -> Element:
    """The tree as if its changes were the other way round, so that what reads it needs to know of one way only.

    For `original` insertions become deletions and deletions insertions. For `both` all are insertions, deleted text in
    `[-…-]` and inserted in `{+…+}`, so that `3` deleted before `5` does not read as 35.
    """
    if revisions == "accepted":
        return root
    if revisions == "both":
        for element in list(root.iter(*_INSERTIONS, *_DELETIONS)):
            marks = ("{+", "+}") if element.tag in _INSERTIONS else ("[-", "-]")
            texts = list(element.iter(w("t"), w("delText")))
            if texts:
                texts[0].text = marks[0] + (texts[0].text or "")
                texts[-1].text = (texts[-1].text or "") + marks[1]
    names = _SWAPPED if revisions == "original" else dict(zip(_DELETIONS, _INSERTIONS, strict=True))
    for element in list(root.iter(*names, w("delText"))):
        element.tag = names.get(element.tag, w("t"))
    return root
