"""Addresses: where a piece stands, readable, unique and the same for the same bytes."""

from collections import Counter

from compiler.parsers.outline import Placed

_NAMES = {"paragraph": "para", "list_item": "li", "caption": "cap", "heading": "h"}
_TAGS = {"footnote": "note", "navigation": "nav"}


class AddressNamer:
    """Names pieces in reading order.

    By page (`p3-para2`, `p3-li1`, `p2-h1`) where the format has pages, else by section (`s2.1-li3`, `s2.1-h`,
    `para12` before the first heading); tables by number (`t4`), since they may go over pages.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def name(self, placed: Placed) -> str:
        """The address of the next piece."""
        draft = placed.draft
        if placed.kind == "table":
            return self._numbered("t")
        word = _TAGS.get(draft.tag, draft.tag) if draft.tag else _NAMES[placed.kind]
        if draft.page is not None:
            return self._numbered(f"p{draft.page}-{word}")
        section = (
            f"s{'.'.join(map(str, placed.path))}-" if placed.path and draft.tag not in ("header", "footer") else ""
        )
        if section and word == "h":
            return f"{section}h"
        return self._numbered(f"{section}{word}")

    def _numbered(self, stem: str) -> str:
        self._counts[stem] += 1
        return f"{stem}{self._counts[stem]}"
