"""What holds while a clause is read, in either language."""

from dataclasses import dataclass, field

from compiler.extract.rules.statements import ConditionCue, DeadlineCue
from compiler.text.sentences import Piece
from ir.procedure import Modality


@dataclass
class Scope:
    """Conditions met so far, time words, the last actor and modality.

    Args:
        said: an act has been told since the conditions, so that a further condition begins a branch of its own.
        recurring: the clause speaks of what is done again and again.
    """

    conditions: list[ConditionCue] = field(default_factory=list)
    deadlines: list[DeadlineCue] = field(default_factory=list)
    after: list[Piece] = field(default_factory=list)
    actor: Piece | None = None
    modality: Modality | None = None
    parallel: bool = False
    said: bool = False
    recurring: bool = False
