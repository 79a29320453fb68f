"""What keeps a decision from being taken."""

from dataclasses import dataclass

from ir.decisions.decision import Decision


@dataclass(frozen=True)
class Fault:
    """What is wrong with what was entered.

    Args:
        field: of the form; empty where it is the whole.
        code: kebab-case name of the fault.
        message: what was found, what was expected, and what to do.
    """

    field: str
    code: str
    message: str


class Conflict(Exception):  # noqa: N818 - named for what it is
    """Somebody else decided about the same element meanwhile; nothing was written.

    Args:
        other: their decision.
    """

    def __init__(self, other: Decision) -> None:
        self.other = other
        what = f"{other.kind} by {other.author} at {other.time}: {other.reason}"
        super().__init__(f"{other.subject} {other.element or ''} was decided meanwhile ({what}); look at it again")


class Refused(Exception):  # noqa: N818
    """A decision does not fit the draft; nothing was written."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        super().__init__("; ".join(f"{one.field}: {one.message}" if one.field else one.message for one in faults))
