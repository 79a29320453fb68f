"""What the catalog lacks, for people: a block for each gap, with some of its steps and where they stand."""

from collections.abc import Iterator

from catalog.gaps import CatalogGap, CatalogGapGroup
from flowc.terminal import clean, one_line, paint
from flowc.views.findings import plural

_WIDTH = 110


def as_text(group: CatalogGapGroup, examples: int) -> str:
    """The gap's block: how often, what, which Types came near, and its first steps with their places."""
    return "".join(line + "\n" for line in _lines(group, examples))


def _lines(group: CatalogGapGroup, examples: int) -> Iterator[str]:
    count = f"{plural(group.count, 'step')} in {plural(group.documents, 'document')}"
    yield f"{paint(one_line(clean(group.act), _WIDTH), 'bold')} [{group.kind}]: {count}"
    yield f"  nearest: {', '.join(group.nearest) or 'none'}"
    for gap in group.wants[:examples]:
        yield f"  {_place(gap)}: “{one_line(clean(gap.step), _WIDTH)}”"
    if len(group.wants) > examples:
        yield paint(f"  and {len(group.wants) - examples} more", "dim")


def _place(gap: CatalogGap) -> str:
    return clean(gap.document + (f" {gap.block}" if gap.block else ""))
