"""What each column of a table is for: in which case a row holds, what is done, by whom, by when."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from compiler.extract.forms.tables import is_key_value
from compiler.extract.rules.en.words import words
from compiler.extract.rules.statements import Act, End, Statement
from compiler.text.lexicon import Lexicon
from compiler.text.measures import PLAIN, POINTS, Measure, named_measure, quantities_in
from compiler.text.ranges import band
from compiler.text.sentences import Piece, sentences
from ir.document import Block, Cell
from ir.quantities.units import CURRENCIES, find_quantities

Use = Literal[
    "case", "band", "clause", "act", "told", "approver", "reviewer", "limit", "recipient", "who", "when", "mark", "none"
]  # fmt: skip
Read = Callable[[Piece, Piece | None], list[Statement]]
Role = Callable[[Piece], Piece | None]
LEAST_ROWS = 2
LONGEST_CASE = 90  # letters
SHARE = 0.5  # of a column's cells that must be of one sort
BLANK = re.compile(
    r"^[\s—–\-/／]*$|^(?:n/?a|none|nil|any|all)\.?$|^(?:不适用|无|無|不限|任意|任何|全部|所有|均可|均适用)$",
    re.IGNORECASE,
)
UNLIMITED = re.compile(r"^(?:no limit|unlimited|without limit|不限|无限额?|无上限)$", re.IGNORECASE)
MARK = re.compile(r"^[\s√✓✔●■×✗✘○◎△▲xX]$|^(?:[RACIraci](?:\s*[/,、]\s*[RACIraci])*|[YyNn])$")
_ORDINAL = re.compile(r"^[\s第（(]*[0-9一二三四五六七八九十ivxIVX]{1,4}[\s）).、级步档类号]*$")
_KIND = re.compile(r"^[特一二三四五六甲乙丙丁A-Da-dIVXⅠ-Ⅴ0-9]{1,3}\s*[级类档]$")
_KEYED = re.compile(r"\s*[^：:，。；]{1,12}[：:]\s*\S")
_CODE = re.compile(r"\d[.\-]\d|^[A-Z]{2,}")
_OF_MONEY = re.compile(
    r"金额|额度|限额|价款?|费用?|款|投资|预算|支出|标的|"
    r"\b(?:amounts?|values?|costs?|price|sum|spend(?:ing)?|expenditure|limit|exposure|budget|threshold|approver)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Column:
    """One column.

    Args:
        heading: without the unit that it names for the numbers under it.
        cells: by row.
        group: the heading above several that it stands under.
        measure: that unit, or the one that is named for the whole table.
        units: the words that name it.
        acting: the heading names an act of approving (`审核人`, `Approved by`), so that its cells say who does that.
    """

    heading: Piece
    cells: dict[int, Piece]
    use: Use = "none"
    group: Piece | None = None
    measure: Measure | None = None
    units: tuple[Piece, ...] = ()
    acting: bool = False

    @property
    def filled(self) -> list[Piece]:
        """The cells that say something."""
        return [cell for cell in self.cells.values() if not BLANK.match(cell.text)]

    def is_empty(self, row: int) -> bool:
        """Whether nothing at all is written in a row."""
        return row not in self.cells or not self.cells[row].text.strip()

    def says(self, row: int) -> bool:
        """Whether the cell of a row says something."""
        return row in self.cells and not BLANK.match(self.cells[row].text)


def columns_of(block: Block, cues: Lexicon, read: Read, role: Role, above: Piece | None) -> list[Column]:
    """The columns of a table that may prescribe; none where it is a form, a record of revisions or of other matter.

    Args:
        read: reads a sentence of a cell, given who acts.
        role: the role that a cell names, None where it names none.
        above: the text right above the table.
    """
    rows = sorted({cell.row for cell in block.cells})
    first = [cell for cell in block.cells if rows and cell.row == rows[0]]
    heads, depth = _heads(block, first)
    if len(rows) < LEAST_ROWS + depth or (is_key_value(block) and not all(cell.header for cell in first)):
        return []
    if sum(_KEYED.match(cell.text) is not None for cell in block.cells) * 2 > len(block.cells):
        return []  # `发布日期：1月30日`: keys with values
    if len(heads) < 2 or any(not cell.text.strip() or len(cell.text) > 40 for cell in heads):
        return []
    if sum(_is_of_revisions(cell.text, cues) for cell in first) >= 2:
        return []
    last = rows[0] + depth - 1
    groups = {head: next((c for c in first if c != head and _over(c, head.column)), None) for head in heads}
    columns = [
        Column(piece(head), dict(_spread(block, head.column, last)), group=piece(over) if over else None)
        for head, over in groups.items()
    ]
    columns = [_measured(column, cues, above) for column in columns]
    acting = cues.pattern("tables", "acts")
    columns = [replace(c, acting=acting.match(c.heading.text) is not None) for c in columns]
    columns = [replace(c, use=_use(at, c, cues, read, role)) for at, c in enumerate(columns)]
    columns = _without_names_of_ranges(_with_reviewers(columns, cues, above), cues)
    return _beside_others(columns, cues, role)


def spanning(block: Block) -> dict[int, Cell]:
    """By row the cell that goes over several columns, but not over all."""
    width = max((cell.column + cell.column_span for cell in block.cells), default=1) - 1
    return {cell.row: cell for cell in block.cells if 1 < cell.column_span < width}


def numbered(columns: list[Column]) -> bool:
    """Whether the first column counts the rows."""
    return bool(columns) and all(_ORDINAL.match(cell.text) for cell in columns[0].cells.values())


def piece(cell: Cell) -> Piece:
    """The words of a cell."""
    return Piece(cell.address, 0, len(cell.text), cell.text).part(0)


def approvers(cell: Piece, role: Role) -> list[Piece]:
    """Who approves: `A和B共同审批`, `A and B jointly` and `A同意后，报B审批` name two; nobody, where one is no role."""
    steps = _split(cell, _THEN)
    if len(steps) > 1:
        found = [approvers(step, role) for step in steps]
        return [who for several in found for who in several] if all(found) else []
    joint = _JOINTLY.search(cell.text)
    alone = cell.part(0, joint.start() if joint else len(cell.text))
    listed = _roles(_split(alone, _LISTED), role)
    if len(listed) > 1:
        return listed
    who = role(cell)
    return [who] if who is not None else _roles(_split(alone, _BESIDE), role)


def _roles(names: list[Piece], role: Role) -> list[Piece]:
    """The roles that names are; none where one of them is no role."""
    found = [role(name) for name in names]
    return [who for who in found if who is not None] if all(found) else []


def _split(cell: Piece, between: re.Pattern[str]) -> list[Piece]:
    """The parts of a cell around what stands between them."""
    found, begin = [], 0
    for match in between.finditer(cell.text):
        found.append(cell.part(begin, match.start()))
        begin = match.end()
    return [part for part in (*found, cell.part(begin)) if part.text]


_APPROVES = "审核|复核|审查|审批|批准|核准|签批|会签|同意|签字"
_JOINTLY = re.compile(rf"(?:共同|联合|分别)?(?:{_APPROVES})$|,?\s+(?:jointly|together)$", re.IGNORECASE)
_LISTED = re.compile("、")
_BESIDE = re.compile(r"、|以及|[和与及]|,?\s+and\s+")
_THEN = re.compile(
    rf"(?:{_APPROVES})+后[，,]?再?(?:报请?|提交|由|送|呈)?|(?:{_APPROVES})[，,；;]?再?(?:报请?|由|送|呈)|\s*(?:→|->)\s*|,?\s+then\s+"
)


def parts(cell: Piece, cues: Lexicon) -> tuple[Piece, ...]:
    """The sentences of a cell."""
    return sentences(cell, cues.language)


def duration(cell: Piece) -> str | None:
    """The length of time that a cell gives."""
    return next((quantity.duration for quantity in find_quantities(cell.text) if quantity.duration), None)


def _is_of_revisions(heading: str, cues: Lexicon) -> bool:
    """Whether a heading is one of a record of revisions; `变更等级` speaks of kinds of matters."""
    found, kind = (cues.pattern("tables", use).search(heading) for use in ("not_rules", "kind"))
    return found is not None and kind is None


# --- headings and units -----------------------------------------------------------------------------------------------


def _over(cell: Cell, column: int) -> bool:
    return cell.column <= column < cell.column + cell.column_span


def _heads(block: Block, first: list[Cell]) -> tuple[list[Cell], int]:
    """The headings of the columns and how many rows they take: two where one stands above several others."""
    nested = any(cell.row_span > 1 for cell in first) and any(cell.column_span > 1 for cell in first)
    if not nested:
        return first, 1
    depth = max(cell.row_span for cell in first)
    top = first[0].row
    inside = [cell for cell in block.cells if top <= cell.row < top + depth]
    deepest = [cell for cell in inside if cell.row + cell.row_span == top + depth]
    return sorted(deepest, key=lambda cell: cell.column), depth


def _spread(block: Block, column: int, head: int) -> Iterator[tuple[int, Piece]]:
    """The cells of a column by row; a merged cell stands for each of its rows."""
    width = max(cell.column + cell.column_span for cell in block.cells) - 1
    for cell in block.cells:
        note = cell.column_span == width > 1  # a remark below the table
        if _over(cell, column) and cell.row > head and not note:
            for row in range(cell.row, cell.row + cell.row_span):
                yield row, piece(cell)


def _measured(column: Column, cues: Lexicon, above: Piece | None) -> Column:
    """The column with the unit that its heading, the text above the table or, failing these, another cell names.

    Bare numbers of which at least one is compared (`≥ 700`) are taken as they stand.
    """
    if (named := named_measure(column.heading.text)) is not None:
        measure, end = named
        return replace(column, measure=measure, units=(column.heading,), heading=column.heading.part(0, end))
    of_money = _OF_MONEY.search(column.heading.text) is not None
    if above is not None and len(above.text) <= LONGEST_CASE and of_money:
        named = named_measure(above.text)
        if named is not None and named[0].unit.id in CURRENCIES:
            return replace(column, measure=named[0], units=(above,))
    for plain in (PLAIN, *POINTS):
        ranges = [band(cell.text, cues, measure=plain) for cell in column.filled]
        if all(ranges) and any(len(limits) == 1 for limits in ranges):
            return replace(column, measure=plain)
    return column


# --- uses -------------------------------------------------------------------------------------------------------------


def _use(at: int, column: Column, cues: Lexicon, read: Read, role: Role) -> Use:
    filled = column.filled
    if not filled:
        return "none"
    heading = column.heading.text

    def most(holds: Callable[[Piece], object]) -> bool:
        return sum(bool(holds(cell)) for cell in filled) >= SHARE * len(filled)

    def named(use: str) -> bool:
        return cues.pattern("tables", use).search(heading) is not None

    if all(MARK.match(cell.text) for cell in filled):
        return "mark"
    if named("when") and most(lambda cell: duration(cell) is not None):
        return "when"
    if named("recipient") and most(role):
        return "recipient"
    if named("limit") and all(_is_limit(cell, column.measure) for cell in filled):
        return "limit"
    approves = cues.pattern("tables", "approver")
    if column.acting and most(lambda cell: approvers(cell, role)):
        return "approver" if named("approver") else "reviewer"
    if (named("approver") and most(role)) or most(lambda cell: approves.match(cell.text) and role(cell)):
        return "approver"
    if column.group is not None and most(lambda cell: len(cell.text) <= 40 and role(cell)):
        return "approver"  # who is named where a row and a column cross
    if band(heading, cues, measure=column.measure) and most(role):
        return "approver"
    if named("who") and most(role):
        return "who"
    if most(lambda cell: band(cell.text, cues, measure=column.measure)):
        return "band"
    if named("consequence") and len({cell.text for cell in filled}) > 1:
        return "told"
    if named("connective"):
        return "clause"
    short = most(lambda cell: len(cell.text) <= (24 if cues.language == "zh" else 60))
    if _tells_kinds(column, cues) and short:
        return "case"
    if named("other") or most(lambda cell: _ORDINAL.match(cell.text)):
        return "none"
    if named("case") and short:
        return "case"
    if most(lambda cell: len(cell.text) > 3 and _tells_acts(cell, cues, read)):
        return "act"
    return "case" if at == 0 and short and not most(lambda cell: _CODE.search(cell.text)) else "none"


def _tells_kinds(column: Column, cues: Lexicon) -> bool:
    """Whether a column says of which class a matter is, also where its cells would count rows (`一级`, `2`)."""
    heading = column.heading.text
    if any(cues.pattern("tables", use).search(heading) for use in ("approver", "other", "order")):
        return False
    named = cues.pattern("tables", "kind").search(heading) is not None
    kinds = all(_ORDINAL.match(cell.text) and (named or _KIND.match(cell.text)) for cell in column.filled)
    return kinds and len({cell.text for cell in column.filled}) > 1


def _is_limit(cell: Piece, measure: Measure | None) -> bool:
    """Whether a cell is one plain sum, or says that there is no limit."""
    return UNLIMITED.match(cell.text) is not None or len(quantities_in(cell.text, measure)) == 1


def _tells_acts(cell: Piece, cues: Lexicon, read: Read) -> bool:
    return any(isinstance(s, Act | End) for part in parts(cell, cues) for s in read(part, None))


def _with_reviewers(columns: list[Column], cues: Lexicon, above: Piece | None) -> list[Column]:
    """In a table of approvals, by its columns or by what leads to it, whoever reviews or checks is one who approves."""
    leads = above is not None and cues.pattern("tables", "approver").search(above.text) is not None
    approval = leads or any(c.use == "approver" for c in columns)
    use: Use = "approver" if approval else "none"
    return [replace(c, use=use) if c.use == "reviewer" else c for c in columns]


def _without_names_of_ranges(columns: list[Column], cues: Lexicon) -> list[Column]:
    """Levels that count the rows only name the ranges beside them (`一级 | 5万元以下`): the ranges are the cases."""

    def apart(column: Column) -> bool:
        return len({cell.text for cell in column.cells.values()}) == len(column.cells)

    ranged = any(c.use in ("band", "limit") and apart(c) for c in columns)
    return [
        replace(c, use="none") if ranged and c.use == "case" and _tells_kinds(c, cues) and apart(c) else c
        for c in columns
    ]


def _beside_others(columns: list[Column], cues: Lexicon, role: Role) -> list[Column]:
    """The columns whose use the others tell: what is left beside a consequence, or beside one approver, is a case.

    Beside an approver, the first of them is, unless it names people.
    """
    told = any(c.use == "told" for c in columns)
    approving = [c for c in columns if c.use == "approver"]
    one = len(approving) == 1 or (bool(approving) and all(c.acting for c in approving))
    by_whom = any(c.use == "who" for c in columns) and not any(c.use in ("act", "told") for c in columns)
    acts = [c for c in columns if c.use in ("act", "told", "approver", "recipient")]
    kept: list[Column] = []
    for column in columns:
        answers = bool(column.filled) and all(cues.answer(cell.text) is not None for cell in column.filled)
        heading = column.heading.text
        if column.use in ("none", "mark") and answers and acts and not _responsible(columns):
            column = replace(column, use="case")
        elif column.use == "none" and by_whom and _is_activity(column, cues):
            column = replace(column, use="told")
        elif column.use == "none" and not any(
            cues.pattern("tables", use).search(heading) for use in ("other", "order")
        ):
            first = one and not any(c.use in ("case", "band", "clause", "limit") for c in (*columns, *kept))
            case = (told and _short(column)) or (first and _tells_cases(column))
            column = replace(column, use="case") if case and not names_people(column, role) else column
        kept.append(column)
    return kept


def names_people(column: Column, role: Role) -> bool:
    """Whether a column names who does something, rather than what it is about."""
    filled = column.filled
    found = [approvers(cell, role) for cell in filled]
    whole = sum(
        sum(len(who.text) for who in who_all) >= SHARE * len(c.text) for c, who_all in zip(filled, found, strict=True)
    )
    return bool(filled) and whole > SHARE * len(filled)


def _is_activity(column: Column, cues: Lexicon) -> bool:
    """Whether beside a column of roles this one says what they do: in English with a verb first, not a noun."""
    if not cues.pattern("tables", "activity").search(column.heading.text):
        return False
    first = [cell.text.split()[0] for cell in column.filled if cell.text.split()]
    verbs = sum(words().is_base(word) or words().third(word) is not None for word in first)
    return not any(map(_ORDINAL.match, first)) and (cues.language == "zh" or verbs >= 0.8 * len(first))


def _responsible(columns: list[Column]) -> bool:
    """Whether most columns hold marks, as in a matrix of who does what."""
    return sum(c.use == "mark" for c in columns) > 1


def _short(column: Column) -> bool:
    cells = [cell.text for cell in column.filled]
    return bool(cells) and all(len(text) <= LONGEST_CASE and not _ORDINAL.match(text) for text in cells)


def _tells_cases(column: Column) -> bool:
    """Whether a column of longer words says in which case the approver of its row is the one."""
    cells = [cell.text for cell in column.cells.values()]
    return column.group is None and _short(column) and len(set(cells)) == len(cells) > 1
