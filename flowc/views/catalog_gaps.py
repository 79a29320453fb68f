"""What the catalog lacks, for people: a block for each want, with some of its steps and where they stand."""

from collections.abc import Iterator

from catalog.gaps import Want, WantGroup
from flowc.terminal import clean, one_line, paint
from flowc.views.findings import plural

_WIDTH = 110


def as_text(group: WantGroup, examples: int) -> str:
    """The want's block: how often, what, which Types came near, and its first steps with their places."""
    return "".join(line + "\n" for line in _lines(group, examples))


def _lines(group: WantGroup, examples: int) -> Iterator[str]:
    count = f"{plural(group.count, 'step')} in {plural(group.documents, 'document')}"
    yield f"{paint(one_line(clean(group.act), _WIDTH), 'bold')} [{group.kind}]: {count}"
    yield f"  nearest: {', '.join(group.nearest) or 'none'}"
    for want in group.wants[:examples]:
        yield f"  {_place(want)}: “{one_line(clean(want.step), _WIDTH)}”"
    if len(group.wants) > examples:
        yield paint(f"  and {len(group.wants) - examples} more", "dim")


def _place(want: Want) -> str:
    return clean(want.document + (f" {want.block}" if want.block else ""))
