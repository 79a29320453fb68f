"""What a report consists of, whatever it is written as."""

from dataclasses import dataclass
from enum import IntEnum

from ir.source import Language


class Weight(IntEnum):
    """How much hangs on a row; where there is no room the lightest are left out first."""

    LIGHT = 0
    PLAIN = 1
    HEAVY = 2
    KEPT = 3  # never left out


@dataclass(frozen=True)
class Row:
    """A row of a table, or an item of a list, which has one cell."""

    cells: tuple[str, ...]
    weight: Weight = Weight.PLAIN


@dataclass(frozen=True)
class Text:
    """A paragraph; a note is set smaller."""

    text: str
    note: bool = False


@dataclass(frozen=True)
class Table:
    """Rows in the order of the document; without a head they are a list.

    Args:
        widths: of the columns, as shares of the whole width.
        left_out: how many rows had no room.
        more: what is said of those, in words.
    """

    rows: tuple[Row, ...]
    head: tuple[str, ...] = ()
    widths: tuple[float, ...] = (1.0,)
    left_out: int = 0
    more: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture in PNG; sizes in points as it is printed.

    Args:
        note: what is said under it; may be empty.
    """

    png: bytes
    width: float
    height: float
    title: str
    note: str = ""


@dataclass(frozen=True)
class Signatures:
    """Lines to sign on.

    Args:
        signed: what exactly is signed, line by line.
        note: for what the signatures hold.
    """

    head: tuple[str, ...]
    roles: tuple[str, ...]
    signed: tuple[str, ...]
    note: str


Part = Text | Table | Picture | Signatures


@dataclass(frozen=True)
class Section:
    """A titled part of a report."""

    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Paper:
    """A report.

    Args:
        kind: what it is, over the title.
        facts: names and values under the title.
        page_of: `Page {0} of {1}`, for the foot of each page.
    """

    title: str
    kind: str
    language: Language
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    page_of: str
