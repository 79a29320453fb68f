"""Urgent courses: what may be done where there is no time for the ordinary one, and where it leads back."""

from collections.abc import Mapping, Sequence

from compiler.extract.rules.readings import ProvisionReading
from compiler.extract.rules.statements import Act
from compiler.text.lexicon import Lexicon
from ir.document import Block

ORDINARY = 3  # acts of the ordinary course that an urgent one stands beside


def urgent_courses(told: Sequence[ProvisionReading], headings: Mapping[str, Block], cues: Lexicon) -> dict[int, str]:
    """The address that an urgent course goes by, for the position of each provision that belongs to one.

    A course is a section whose heading says so (`紧急变更`, `Part C: Urgent measures`), or a clause that permits, in an
    urgent case, what the ordinary course would forbid (`遇紧急情况可以先行使用，事后补办手续`). Both need an ordinary
    course before them, and to be the shorter.

    Args:
        told: the provisions of one procedure.
        headings: the document's blocks by address.
    """
    found: dict[int, str] = {}
    for at, each in enumerate(told):
        heading = next((h for h in each.provision.headings if _is_heading(headings[h].body, cues)), None)
        block = each.provision.block
        if heading is not None:
            found[at] = heading
        elif block.parent in found.values():
            found[at] = block.parent or block.address
        elif (at and found.get(at - 1) == block.address) or _permits(each, cues):
            found[at] = block.address
    for course in dict.fromkeys(found.values()):
        inside = [at for at, name in found.items() if name == course]
        before = sum(_acts(each) for at, each in enumerate(told[: inside[0]]) if at not in found)
        ordinary = sum(_acts(each) for at, each in enumerate(told) if at not in found)
        if before < ORDINARY or sum(_acts(told[at]) for at in inside) > ordinary:
            found = {at: name for at, name in found.items() if name != course}
    return found


def _acts(told: ProvisionReading) -> int:
    return sum(isinstance(s, Act) for s in told.statements)


def _is_heading(text: str, cues: Lexicon) -> bool:
    return cues.pattern("urgent", "heading").search(text) is not None


def _permits(told: ProvisionReading, cues: Lexicon) -> bool:
    """Whether a clause speaks of an urgent case and of acting before, or without, what is ordinarily needed."""
    text = told.provision.piece.text
    cased = any(cues.pattern("urgent", "case").search(c.piece.text) for s in told.statements for c in s.conditions)
    return cased and cues.pattern("urgent", "ahead").search(text) is not None and _acts(told) > 0
