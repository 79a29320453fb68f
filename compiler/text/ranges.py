"""Ranges as cells and conditions give them, exact about their ends: `10万元(含)至50万元`, `over £50 and up to £500`."""

import re
from dataclasses import dataclass

from compiler.text.lexicon import Lexicon
from compiler.text.measures import Measure, quantities_in
from ir.predicate import CompareOp
from ir.quantities.units import Measured

_TO = re.compile(r"\s*(?:至|到|[-–—~～]|to|and|but not (?:more|over) than)\s*", re.IGNORECASE)
_NOTE = re.compile(
    r"\s*[（(]\s*(?P<not>不)?(?:含|包括|inclusive|exclusive|incl\.?|excl\.?)[^）)]{0,14}[）)]", re.IGNORECASE
)
_SIGNS: dict[str, CompareOp] = {
    "≤": "lte", "<=": "lte", "≥": "gte", ">=": "gte", "<": "lt", ">": "gt", "＜": "lt", "＞": "gt",
    "between": "gte", "from": "gte",
}  # fmt: skip
_JOINING = re.compile(r"^[\s，,、;；]*(?:(?:但|且|并且?|而且?|(?:but|and)\b)\s*)*", re.IGNORECASE)
_CURRENCY = re.compile(r"^\s*人民币")
_SIGN = r"\s*(?:<=|>=|[<>≤≥＜＞])"
_AROUND = re.compile(
    r"\s*(?P<low>[^<>≤≥＜＞=]*?\d[^<>≤≥＜＞=]*?)\s*(?P<sign><=?|[≤＜])\s*[^\d<>≤≥＜＞=]{1,20}?(?P<high>\s*(?:<=?|[≤＜]).*\d.*)"
)
_TURNED = {"<": "> ", "<=": ">= ", "≤": "≥", "＜": "＞"}
_NAMED = re.compile(rf"^\s*(?:[A-Za-z]|[^\d<>≤≥＜＞=]{{1,20}}?)(?={_SIGN}\s*[$€£¥￥]?\s*[A-Z]{{0,3}}\s*\d)")
_PLUS = re.compile(r"(\d[\d,.]*(?:\s?[kKmM]\b)?)\s?[+＋](?=\s|$|[A-Za-z])(\s*[A-Za-z]*)")
_STRICT: dict[CompareOp, CompareOp] = {"gte": "gt", "lte": "lt"}
_LOOSE: dict[CompareOp, CompareOp] = {"gt": "gte", "lt": "lte"}


def band(
    text: str, cues: Lexicon, open_ends: frozenset[str] = frozenset(), measure: Measure | None = None
) -> tuple[tuple[CompareOp, Measured], ...]:
    """The limits that make up a text which is nothing but one range; empty where it is anything else.

    Of `A(含)至B` the end without a note is excluded, since only the other is said to be included; of plain `A至B` both
    are included.

    Args:
        open_ends: words such as `以下` that leave the number itself out in this document.
        measure: of numbers without a unit, as the column's heading names it.

    >>> from compiler.text.lexicon import lexicon
    >>> [(op, q.value) for op, q in band("over £50 and up to £500", lexicon("en"))]
    [('gt', 50.0), ('lte', 500.0)]
    >>> [(op, q.value) for op, q in band("10 万元(含)至 50 万元", lexicon("zh"))]
    [('gte', 100000.0), ('lt', 500000.0)]
    """
    text = _NOTE.sub(lambda note: re.sub(r"(?<=[含括])[^）)]+", lambda rest: "." * len(rest[0]), note[0]), text)
    text = _unnamed(text)
    quantities = quantities_in(text, measure)
    if not 1 <= len(quantities) <= 2:
        return ()
    found: list[_Limit] = []
    begin = 0
    for at, quantity in enumerate(quantities):
        end = quantities[at + 1].start if at + 1 < len(quantities) else len(text)
        read = _limit(text[begin : quantity.start], text[quantity.end : end], cues, open_ends)
        if read is None:
            return ()
        op, noted, rest = read
        found.append(_Limit(op, quantity, noted))
        begin = end - len(rest)
    return _joined(found)


@dataclass(frozen=True)
class _Limit:
    """One end of a range; `noted` where a note says that the number itself belongs to it, or does not."""

    op: CompareOp | None
    quantity: Measured
    noted: bool | None


def _unnamed(text: str) -> str:
    """The range without the name of what is measured: `10＜X≤50` says `＞10 ≤50`, `金额≥50万元` says `≥50万元`.

    >>> _unnamed("10＜X≤50"), _unnamed("5 % < share <= 10 %"), _unnamed("金额≥50万元"), _unnamed("$20,000+")
    ('＞10≤50', '> 5 % <= 10 %', '≥50万元', '$20,000 or more')
    """
    if (match := _AROUND.fullmatch(text)) is not None:
        return f"{_TURNED[match['sign']]}{match['low']}{match['high']}"
    text = _NAMED.sub("", text)
    return _PLUS.sub(r"\1 or more\2", text)


def _joined(found: list[_Limit]) -> tuple[tuple[CompareOp, Measured], ...]:
    if len(found) == 1:
        return ((found[0].op, found[0].quantity),) if found[0].op else ()
    low, high = found
    first, second = low.op or "gte", high.op or "lte"
    if first == "gte" and second == "lte":
        if low.op is None and (low.noted is False or (low.noted is None and high.noted)):
            first = "gt"
        if high.op is None and (high.noted is False or (high.noted is None and low.noted)):
            second = "lt"
    same = low.quantity.unit.dimension == high.quantity.unit.dimension
    fits = same and first in ("gte", "gt") and second in ("lte", "lt")
    return ((first, low.quantity), (second, high.quantity)) if fits else ()


def _limit(
    before: str, after: str, cues: Lexicon, open_ends: frozenset[str]
) -> tuple[CompareOp | None, bool | None, str] | None:
    """The comparison of one number, whether a note says that its end is included, and what is left after it.

    None where other words stand beside the number.
    """
    rest, noted = after, None
    if (note := _NOTE.match(rest)) is not None:
        noted, rest = not _says_not(note), rest[note.end() :]
    op: CompareOp | None = None
    rest = _CURRENCY.sub("", rest)
    for name in ("gte", "lte"):
        word = next((w for w in cues.words("comparators_after", name) if rest.lstrip().lower().startswith(w)), None)
        if word is not None:
            rest = rest.lstrip()[len(word) :]
            op = "gte" if name == "gte" else "lte"
            op = _STRICT[op] if word[-2:] in open_ends else op
            break
    if (note := _NOTE.match(rest)) is not None:
        noted, rest = not _says_not(note), rest[note.end() :]
    lead = _TO.sub("", before, count=1) if _TO.match(before) else before
    lead = _JOINING.sub("", lead).strip().lower()
    if lead:
        word_op = _before(lead, cues)
        if word_op is None:
            return None
        op = word_op
    if op is not None and noted is not None:
        op = _LOOSE.get(op, op) if noted else _STRICT.get(op, op)
    tail = _TO.match(rest)
    left = rest[tail.end() :] if tail else rest
    if tail or not rest.strip(" .。,，;；、"):
        return op, noted, left
    return (op, noted, rest) if _before(_JOINING.sub("", rest).strip().lower(), cues) else None


def _says_not(note: re.Match[str]) -> bool:
    return note["not"] is not None or "excl" in note[0].lower()


def _before(words: str, cues: Lexicon) -> CompareOp | None:
    """The comparison that the whole of the words before a number is."""
    if words in _SIGNS:
        return _SIGNS[words]
    ops: tuple[CompareOp, ...] = ("gte", "lte", "lt", "gt", "eq")
    lists = ((op, cues.words(key, op)) for op in ops for key in ("comparators", "comparators_modal"))
    return next((op for op, known in lists if words in known), None)
