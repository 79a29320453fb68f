"""Comparisons with quantities as sentences state them: comparator, negation, quantity and what is counted, as one.

A negation is taken with the comparator that it stands before (`不超过`, `no more than`), and with no other. A modal
that forbids (`不得`, `must not`) governs the sentence, not the comparator: `must not exceed 5 t` speaks of more than
five tonnes, and that is what it forbids. Who reads the sentence applies the modal.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from compiler.text.lexicon import Lexicon
from compiler.text.measures import PLAIN, quantities_in
from ir.predicate import CompareOp
from ir.quantities.numerals import Number, find_numbers
from ir.quantities.units import Measured

INVERSE: dict[CompareOp, CompareOp] = {"lte": "gt", "lt": "gte", "gte": "lt", "gt": "lte"}
_STRICT: dict[CompareOp, CompareOp] = {"gte": "gt", "lte": "lt"}
_OPS: tuple[CompareOp, ...] = ("gt", "gte", "lt", "lte", "eq")
_FORBIDS_ZH = re.compile(r"(?:不得|不能|不可以?|不应当?|不宜|不准|不许|不允许|严禁|禁止|切勿|请勿|勿)[^，。；、]{0,4}$")
_DENIES_ZH = re.compile(r"(?:(?<![不得能可应宜准许禁])不|未|没有|没|无)$")
_FORBIDS_EN = re.compile(
    r"\b(?:(?:must|may|shall|should|can|could|will|is|are)\s+(?:not|never)|cannot|can't|mustn't|never)"
    r"(?:\s+to)?(?:\s+(?:be|have|ever|in\s+total))?\s*$",
    re.IGNORECASE,
)
_BARE_IS_NOT = re.compile(r"\b(?:is|are)\s+not\s*$", re.IGNORECASE)
_DENIES_EN = re.compile(
    r"(?:\b(?:not|no|never|neither|nor|without)|n't)(?:\s+(?:be|been|being|to|have|any))*\s*$", re.IGNORECASE
)
_FILL_ZH = re.compile(r"了?(?:人民币|总计|合计|累计|共计|约)?\s*$")
_FILL_EN = re.compile(
    r"(?:\s+(?:a|an|the))?(?:\s+(?:total|sum|value|limit|amount|level|temperature|weight|maximum|minimum|rate|threshold|"
    r"distance|length|age|period|speed|price|cost|concentration|pressure|content)(?:\s+of)?)?\s*$",
    re.IGNORECASE,
)
_RANGE_EN = re.compile(r"\b(?:between|from)\s+$", re.IGNORECASE)
_RANGE_TO = re.compile(r"\s*(?:and|to|[-–—])\s*$", re.IGNORECASE)
_OUTSIDE = re.compile(
    r"\b(?:outside|out of|beyond|not (?:lie |be |fall )?(?:within|in|between))\b[^,.;]{0,24}$", re.IGNORECASE
)
_OUTSIDE_ZH = re.compile(r"\s*(?:这一|的)?(?:范围|区间)?(?:之外|以外)")
_TO_ZH = re.compile(r"\s*(?:至|到|[-–—－~～])\s*$")
_AFTER_EN = re.compile(
    r"\s*(?:\([^)]*\)\s*)?,?\s*(?:or|and)\s+(?P<word>more|over|above|greater|higher|longer|older|heavier|larger|upwards|"
    r"beyond|later|warmer|hotter|less|fewer|below|under|lower|shorter|younger|lighter|smaller|cheaper|colder|earlier)\b",
    re.IGNORECASE,
)
_LESS = frozenset(
    [
        "less",
        "fewer",
        "below",
        "under",
        "lower",
        "shorter",
        "younger",
        "lighter",
        "smaller",
        "cheaper",
        "colder",
        "earlier",
    ]
)
_NOTE = re.compile(
    r"\s*[（(]\s*(?P<no>不)?(?:含|包括|包含|inclusive|including|exclusive|excluding)[^）)]{0,10}[）)]", re.IGNORECASE
)
_COUNTED_EN = re.compile(r"\s?(?P<what>[a-z][a-z-]+)")
_COUNTED_ZH = re.compile(
    r"\s*(?P<unit>[个名位人瓶件台辆次份套箱桶只张家项条间门支本页枚根袋块罐批笔户幅处层级种轮课卷册艘架头株度两旬打亩里尺寸盏]|周岁|刻钟)?"
)
_UNITS_UNKNOWN = frozenset(
    [
        "度",
        "两",
        "旬",
        "打",
        "亩",
        "里",
        "尺",
        "寸",
        "刻钟",
        "pounds",
        "pound",
        "degrees",
        "degree",
        "mbar",
        "amps",
        "points",
    ]
)
"""Words for units that are not known here, or are of more than one thing, so that a number with them is not read."""
_UNIT_ZH = re.compile(
    r"\s*(?![以之及或和与至到的时者且为不须应可由就即方后才内外而并则可需要必分学级类])[\u4e00-\u9fff]"
)
"""What follows a number and is neither a counter nor a word that goes on with the sentence."""
_RATE = re.compile(r"\s*(?:/|per\s+(?:hour|minute|second)\b|每(?:小时|分钟|秒))")
_NO_COUNT = frozenset(
    [
        "of",
        "the",
        "and",
        "or",
        "to",
        "in",
        "on",
        "at",
        "by",
        "per",
        "if",
        "when",
        "a",
        "an",
        "is",
        "are",
        "must",
        "may",
        "shall",
        "in",
        "which",
        "that",
    ]
)


_DIMENSION = re.compile(
    r"(?:no |not |any )?(?:longer|shorter|heavier|lighter|older|younger|warmer|colder|hotter|cooler|wider|narrower|"
    r"taller|thicker|thinner)\b",
    re.IGNORECASE,
)
"""Comparators of measures alone: what a number counts after them is a unit that is not known here."""


@dataclass(frozen=True)
class Limit:
    """A comparison with a quantity, by code points of the text it was found in.

    Args:
        op: what is said of the quantity, local negation included, a forbidding modal before it not.
        start, end: all its words: a local negation, the comparator, the number, its unit, a note on its end.
        forbidden: a modal that forbids governs the comparator itself (`不得超过`, `must not exceed`).
        counted: what a plain number counts (`three quotations`), empty where a unit says it.
        modal: where the modal begins that forbids, -1 without one; what is measured stands before it.
    """

    op: CompareOp
    quantity: Measured
    start: int
    end: int
    forbidden: bool = False
    counted: str = ""
    modal: int = -1

    @property
    def named_until(self) -> int:
        """Where the words end that may name what is measured."""
        return self.modal if self.modal >= 0 else self.start


_PART_OF = re.compile(r"其中|\b(?:of|among)\s+(?:which|whom|these|them)\b|\bthereof\b", re.IGNORECASE)


def limits_a_part(text: str) -> bool:
    """Whether a text speaks of a part of what a limit in it is of: its limits are not of one thing.

    >>> limits_a_part("不得超过30人，其中新员工不得超过5人"), limits_a_part("not more than 30 beds")
    (True, False)
    """
    return _PART_OF.search(text) is not None


def limits_in(text: str, cues: Lexicon, open_ends: frozenset[str] = frozenset()) -> tuple[Limit, ...]:
    """The comparisons of a text, left to right; a number without comparator is none.

    Args:
        open_ends: words such as `以下` that leave the number itself out in this document.

    >>> from compiler.text.lexicon import lexicon
    >>> [(m.op, m.quantity.value, m.forbidden) for m in limits_in("不得超过5吨，且不少于2吨", lexicon("zh"))]
    [('gt', 5.0, True), ('gte', 2.0, False)]
    >>> [(m.op, m.quantity.value) for m in limits_in("must carry no more than 5 t", lexicon("en"))]
    [('lte', 5.0)]
    >>> [(m.op, m.quantity.value) for m in limits_in("must not carry more than 5 t", lexicon("en"))]
    [('gt', 5.0)]
    """
    found: list[Limit] = []
    notes = [match.span() for match in _NOTE.finditer(text)]
    quantities = [
        (q, what) for q, what in _quantities(text, cues) if not any(begin <= q.start < end for begin, end in notes)
    ]
    for at, (quantity, counted) in enumerate(quantities):
        begin = quantities[at - 1][0].end if at else 0
        end = quantities[at + 1][0].start if at + 1 < len(quantities) else len(text)
        if _RATE.match(text[quantity.end : end]):
            continue  # `100 km/h` is no distance
        before, after = text[begin : quantity.start], text[quantity.end : end]
        if counted in _UNITS_UNKNOWN or _unknown_unit(text, quantity, counted, cues):
            continue
        if counted and found and quantity.start < found[-1].end:
            continue
        limit = _around(before, after, begin, quantity, cues, open_ends)
        if limit is not None and not (counted and _DIMENSION.match(text, limit.start)):
            found.append(_with_count(limit, counted, text))
    return tuple(_with_ranges(text, found, quantities, cues))


def numbers_told(text: str, cues: Lexicon, *, known: bool = False) -> tuple[tuple[int, int], ...]:
    """Where a text gives quantities and counts of things, whether anything compares them or not; no lengths of time.

    Args:
        known: those alone whose unit is known here.

    >>> from compiler.text.lexicon import lexicon
    >>> [(m, "响铃4声以内接起"[slice(*m)]) for m in numbers_told("响铃4声以内接起", lexicon("zh"))]
    [((2, 4), '4声')]
    """
    found = []
    for quantity, counted in _quantities(text, cues):
        unknown = _unknown_unit(text, quantity, counted, cues) or counted in _UNITS_UNKNOWN
        if quantity.duration or (known and unknown) or (unknown and not _is_bound(text, quantity)):
            continue
        end = quantity.end + (max(len(counted), 1) if unknown or counted else 0)
        if quantity.unit.id or unknown or (counted and cues.language == "zh"):
            found.append((quantity.start, min(end, len(text))))
    return tuple(found)


def _is_bound(text: str, quantity: Measured) -> bool:
    """Whether a Chinese number in an unknown unit is one: written in digits and no label, or compared."""
    if _COMPARED_ZH.search(text[: quantity.start]) or re.match(r".{1,2}(?:[以之][内上下])", text[quantity.end :]):
        return True
    return text[quantity.start].isdigit() and not re.match(
        r"\s*[号楼栋层室期条款项日月年章节页版栏行列]", text[quantity.end :]
    )


def _quantities(text: str, cues: Lexicon) -> list[tuple[Measured, str]]:
    """What is measured, and plain numbers with what they count."""
    measured = [(q, "") for q in quantities_in(text)]
    plain = []
    for number in find_numbers(text):
        if any(q.start < number.end and number.start < q.end for q, _ in measured):
            continue
        if _labels(text, number):
            continue
        plain.append((PLAIN.apply_to(number), _counted(text, number, cues)))
    return sorted([*measured, *plain], key=lambda pair: pair[0].start)


def _labels(text: str, number: Number) -> bool:
    """Whether a number only names something: `第3条`, `class 3`, `level 2`, `一类`."""
    before, after = text[: number.start].rstrip(), text[number.end :].lstrip()
    if number.value == 1 and re.match(
        r"or\s+(?:more|several)\b|[个项种名处份]?(?:及|或者?)?(?:以上|或者?多)", after, re.IGNORECASE
    ):
        return True  # `one or more` says that there is one
    if re.match(r"[级档等]?(?:及|或者?)?以[上下内]", after) or _COMPARED_ZH.search(before):
        return False
    if before.endswith(("第", "附件", "附表", "附录", "附", "表", "图")) or re.search(
        r"\b(?:class|category|grade|type|zone|tier|group|no\.?|number|section|form|building|room)$",
        before,
        re.IGNORECASE,
    ):
        return True
    return (
        number.text.strip() in "一二三四五六七八九十"
        and re.match(r"[类级档等型般些方旦切律并定样直同]", after) is not None
    )


def _counted(text: str, number: Number, cues: Lexicon) -> str:
    end = number.start + len(number.text.rstrip())
    if cues.language == "zh":
        match = _COUNTED_ZH.match(text, end)
        return (match["unit"] or "") if match else ""
    match = _COUNTED_EN.match(text, end)
    return match["what"] if match and match["what"] not in _NO_COUNT else ""


def _unknown_unit(text: str, quantity: Measured, counted: str, cues: Lexicon) -> bool:
    """Whether a plain Chinese number is followed by a word that may be a unit which is not known here."""
    if cues.language != "zh" or counted or quantity.unit.id or quantity.unit.dimension != "number":
        return False
    return _UNIT_ZH.match(text, quantity.end) is not None


def _with_count(limit: Limit, counted: str, text: str) -> Limit:
    """The limit with the noun that its number counts among its words."""
    if not counted:
        return limit
    shift = re.match(rf"\s*{re.escape(counted)}", text[limit.quantity.end :])
    end = max(limit.end, limit.quantity.end + (shift.end() if shift else 0))
    return replace(limit, end=end, counted=counted)


def _around(
    before: str, after: str, begin: int, quantity: Measured, cues: Lexicon, open_ends: frozenset[str]
) -> Limit | None:
    """The comparison whose comparator stands before or after one quantity."""
    tail = _behind(after, cues, open_ends)
    lead = _ahead(before, cues)
    note = _NOTE.match(after[tail[1] if tail else 0 :])
    note = note if note or tail is None else _NOTE.match(after)
    if lead is None and tail is None:
        return None
    if lead is None:
        assert tail is not None
        op, width = tail
        start = quantity.start
        denied, modal = _denied(before, cues) if cues.language == "zh" else (None, None)
        end = quantity.end + width
        if denied is not None:
            op, start = INVERSE.get(op, op), begin + denied
        return _noted(Limit(op, quantity, start, end, modal is not None, modal=_at(modal, begin)), note)
    op, at = lead
    if tail is not None and op == "eq":  # `is 5 or more`
        return _noted(Limit(tail[0], quantity, begin + at, quantity.end + tail[1]), note)
    if op == "eq":
        return None
    if tail is not None and op in ("gt", "gte") and tail[0] in ("gt", "gte"):  # `达到5吨以上`
        return _noted(Limit(tail[0], quantity, begin + at, quantity.end + tail[1]), note)
    denied, modal = _denied(before[:at], cues)
    if denied is not None:
        op, at = INVERSE.get(op, op), denied
    limit = Limit(op, quantity, begin + at, quantity.end, modal is not None, modal=_at(modal, begin))
    return _noted(limit, note)


def _at(modal: int | None, begin: int) -> int:
    return -1 if modal is None else begin + modal


def _noted(limit: Limit, note: re.Match[str] | None) -> Limit:
    """The limit with what a note in brackets says of the number itself."""
    if note is None:
        return limit
    excluded = note["no"] is not None or "exclu" in note[0].lower()
    loose: dict[CompareOp, CompareOp] = {"gt": "gte", "lt": "lte"}
    op = _STRICT.get(limit.op, limit.op) if excluded else loose.get(limit.op, limit.op)
    return replace(limit, op=op, end=limit.end + note.end())


def _behind(after: str, cues: Lexicon, open_ends: frozenset[str]) -> tuple[CompareOp, int] | None:
    """The comparison that the words after a quantity make, and how long they are (`以上`, `or more`)."""
    rest = after
    if cues.language == "zh":
        counter = re.match(r"[个名位人瓶件台辆次份套箱桶只张家项条间门支本页枚根袋块罐批笔户级]?", after)
        skip = counter.end() if counter else 0
        stripped = rest[skip:]
        note = _NOTE.match(stripped)
        gap = note.end() if note else 0
        for op in ("gte", "lte"):
            for word in cues.words("comparators_after", op):
                if stripped[gap:].lstrip().startswith(word):
                    end = skip + gap + (len(stripped[gap:]) - len(stripped[gap:].lstrip())) + len(word)
                    said: CompareOp = "gte" if op == "gte" else "lte"
                    exact = note is not None and note["no"] is not None
                    return (_STRICT[said] if word[-2:] in open_ends or exact else said), end
        return None
    counted = re.match(r"\s+[a-z-]+(?:\s+of\s+age)?(?=,?\s+or\b)", after)
    for skip in dict.fromkeys((0, counted.end() if counted else 0)):
        match = _AFTER_EN.match(after[skip:])
        if match is not None:
            return ("lte" if match["word"].lower() in _LESS else "gte"), skip + match.end()
    return None


def _ahead(before: str, cues: Lexicon) -> tuple[CompareOp, int] | None:
    """The comparison of the words right before a quantity, without negation, and where they begin."""
    fill = (_FILL_ZH if cues.language == "zh" else _FILL_EN).search(before)
    ends = dict.fromkeys((len(before.rstrip()), len(before[: fill.start()].rstrip()) if fill else len(before)))
    best: tuple[int, int, CompareOp, int] | None = None
    if cues.language == "zh" and (most := _MOST_ZH.search(before)) is not None:
        return ("lte" if most["word"] in ("最多", "至多", "最长", "最高", "最大", "顶多") else "gte"), most.start()
    for end in ends:
        head = before[:end].lower()
        for op in _OPS:
            for word in cues.words("comparators", op):
                whole = cues.language == "zh" or not head[: -len(word)][-1:].isalnum()
                if head.endswith(word) and whole and (best is None or (end, len(word)) > best[:2]):
                    best = (end, len(word), op, end - len(word))
    if best is not None and best[2] == "eq" and cues.language == "en":
        return None
    if best is None and cues.language == "en" and (match := _MORE_THAN.search(before)):
        return ("lt" if match["word"].lower() in _FEWER else "gt"), match.start()
    return (best[2], best[3]) if best else None


_COMPARED_ZH = re.compile(r"(?:超过|高于|低于|达到|大于|小于|不足|未满|至少|不少于|不低于)$")
_MOST_ZH = re.compile(
    r"(?P<word>最多|至多|至少|最少|最长|最高|最大|最低|最短|顶多)(?:只能|可以?|能|应|须|得|为|是)?[\u4e00-\u9fff]{0,4}$"
)
_FEWER = frozenset(
    [
        "less",
        "fewer",
        "lower",
        "smaller",
        "shorter",
        "younger",
        "lighter",
        "colder",
        "cooler",
        "narrower",
        "thinner",
        "slower",
        "earlier",
        "cheaper",
        "weaker",
    ]
)
_MORE_THAN = re.compile(
    r"\b(?P<word>less|more|[a-z]{2,}er)\s+than\s*(?:(?:a|an|the)\s+)?(?:level|total of|sum of)?\s*$", re.IGNORECASE
)


def _denied(before: str, cues: Lexicon) -> tuple[int | None, int | None]:
    """Where a negation begins that belongs to the comparator after it, and where a modal does that forbids it."""
    plain = before.rstrip()
    zh = cues.language == "zh"
    forbids = (_FORBIDS_ZH if zh else _FORBIDS_EN).search(plain)
    if forbids is not None and (zh or not _BARE_IS_NOT.search(plain)):
        return None, forbids.start()
    match = (_DENIES_ZH if zh else _DENIES_EN).search(plain)
    return (match.start() if match else None), None


def _with_ranges(
    text: str, found: list[Limit], quantities: list[tuple[Measured, str]], cues: Lexicon
) -> Iterator[Limit]:
    """The limits with both ends of ranges: `between A and B`, `A至B`, `A以上B以下`."""
    taken = {limit.quantity.start for limit in found}
    for at in range(len(quantities) - 1):
        (low, _), (high, counted) = quantities[at], quantities[at + 1]
        if (
            (low.start in taken and high.start in taken)
            or low.unit.dimension != high.unit.dimension
            or low.value > high.value
        ):
            continue
        between = text[low.end : high.start]
        if cues.language == "zh":
            pair = re.match(r"\s*[与和及]\s*$", between) and re.match(r"\s*之间", text[high.end :])
            joined = _TO_ZH.fullmatch(between) is not None or pair is not None
            lead, width = low.start, re.match(r"\s*之间|\s*范围内|\s*以内", text[high.end :])
        else:
            named = _RANGE_EN.search(text[: low.start])
            joined = _RANGE_TO.fullmatch(between) is not None and (
                named is not None or "to" in between or between.strip() in "-–—"
            )
            lead, width = (named.start() if named else low.start), re.match(r"\s*inclusive", text[high.end :])
        if not joined:
            continue
        found = [limit for limit in found if limit.quantity.start not in (low.start, high.start)]
        if _OUTSIDE.search(text[:lead]) or _OUTSIDE_ZH.match(text[high.end :]):
            continue  # below the one or above the other, which no pair of limits says
        end = high.end + (width.end() if width else 0)
        found += [Limit("gte", low, lead, low.end, counted=counted), Limit("lte", high, low.end, end, counted=counted)]
    yield from sorted(found, key=lambda limit: limit.quantity.start)
