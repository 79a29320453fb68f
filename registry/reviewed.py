"""What is known of a draft beside its definition: it is handed over with it, so that who publishes it sees it."""

from typing import Literal

from ir.base import Model
from ir.decisions.anchor import Subject
from ir.decisions.decision import DecisionKind
from ir.diagnostics import Diagnostic
from ir.kept_case import CaseVerdict
from ir.verdict import Verdict

OpenKind = Literal["decision", "prohibition", "question", "step", "text"]
"""A decision that does not hold any more, a prohibition that nothing enforces, a weighty question, a step that no Type
fits, a text without a place."""


class OpenThing(Model):
    """Something of a draft that nobody settled.

    Args:
        id: as in decisions.
        words: what it says.
    """

    kind: OpenKind
    id: str
    words: str


class Waived(Model):
    """Something that was open when a version was published, and stayed so for a reason.

    Args:
        id: as in decisions; of a case its id, of a warning its code.
        words: what it said then.
    """

    kind: OpenKind | Literal["case", "warning"]
    id: str
    words: str


class Settled(Model):
    """What somebody decided about a draft, and that it goes by.

    Args:
        about: what the thing is called.
        said: the words of an answer; the operation of a correction.
    """

    kind: DecisionKind
    subject: Subject
    about: str
    said: str = ""
    reason: str
    author: str
    time: str


class JudgedCase(Model):
    """A case that somebody judged, run on the definition as it is.

    Args:
        told: the case in words.
        outcome: as `flowc test` names it: `still wrong`, `differs`, `stale`, `mended`, `passed`, `unsure`.
        said: what should happen, or what was said of it.
    """

    id: str
    told: str
    verdict: CaseVerdict
    outcome: str
    author: str
    said: str = ""


class Reviewed(Model):
    """A draft as its page and its queue show it when it is submitted.

    Args:
        findings: of the document: what the definition alone does not tell.
        open: what is not settled, the riskiest first.
        decided, things: how many things of the queue somebody decided on, of how many.
        decisions: those in force, in their order.
        build: id of the server's build that drafted it; empty where it came from elsewhere.
    """

    verdict: Verdict
    findings: tuple[Diagnostic, ...] = ()
    open: tuple[OpenThing, ...] = ()
    decided: int = 0
    things: int = 0
    decisions: tuple[Settled, ...] = ()
    build: str = ""

    def open_of(self, kind: OpenKind) -> tuple[OpenThing, ...]:
        """What is open of one kind."""
        return tuple(one for one in self.open if one.kind == kind)
