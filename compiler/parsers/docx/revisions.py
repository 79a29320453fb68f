"""Tracked changes of Word: read as accepted, as rejected, or with both texts."""

from compiler.parsers.docx.package import Element, w
from compiler.parsers.limits import Revisions

_INSERTIONS, _DELETIONS = (w("ins"), w("moveTo")), (w("del"), w("moveFrom"))
_REFERENCES = (w("footnoteReference"), w("endnoteReference"))
_REFORMATTED = {
    w("pPrChange"): (w("pPr"), {w("rPr"), w("sectPr")}),
    w("rPrChange"): (w("rPr"), {*_INSERTIONS, *_DELETIONS}),
}
OPENED, CLOSED = w("opened"), w("closed")  # attributes of a note's reference that was inserted or deleted
_SWAPPED = dict(zip((*_INSERTIONS, *_DELETIONS), (*_DELETIONS, *_INSERTIONS), strict=True))


def seen_as(root: Element, revisions: Revisions) -> Element:
    """The tree as if its changes were the other way round, so that what reads it needs to know of one way only.

    For `original` insertions become deletions and deletions insertions, and formats what they were before. For `both`
    all are insertions, deleted text in `[-…-]` and inserted in `{+…+}`, so that `3` deleted before `5` does not read
    as 35.
    """
    if revisions == "accepted":
        return root
    if revisions == "both":
        for element in list(root.iter(*_INSERTIONS, *_DELETIONS)):
            marks = ("{+", "+}") if element.tag in _INSERTIONS else ("[-", "-]")
            texts = list(element.iter(w("t"), w("delText")))
            for reference in element.iter(*_REFERENCES):
                reference.set(OPENED, marks[0])
                reference.set(CLOSED, marks[1])
            if texts:
                texts[0].text = marks[0] + (texts[0].text or "")
                texts[-1].text = (texts[-1].text or "") + marks[1]
    else:
        _restore_formats(root)
    names = _SWAPPED if revisions == "original" else dict(zip(_DELETIONS, _INSERTIONS, strict=True))
    for element in list(root.iter(*names, w("delText"))):
        element.tag = names.get(element.tag, w("t"))
    return root


def _restore_formats(root: Element) -> None:
    """Put what a paragraph's or a run's format was before its change in the place of what it is."""
    for change in list(root.iter(*_REFORMATTED)):
        name, kept = _REFORMATTED[change.tag]
        properties, before = change.getparent(), change.find(name)
        for child in list(properties):
            if child.tag not in kept:
                properties.remove(child)
        for at, child in enumerate(list(before) if before is not None else ()):
            properties.insert(at, child)
