"""What a sentence of an account tells: acts with their people and things, conditions, ends. Forms only."""

from dataclasses import dataclass

from ir.source import Span


@dataclass(frozen=True)
class Guard:
    """On what an act depends.

    Args:
        cue: the words that open the condition: `if`, `otherwise`.
        condition: the condition without its opener; None for `otherwise`.
    """

    cue: Span
    condition: Span | None = None


@dataclass(frozen=True)
class Act:
    """Something that is done.

    Args:
        lemma: the verb's plain form.
        objects: to what it is done.
        manners: into what, or to what purpose.
        choice: the `or` that makes it an alternative to the act before it.
        beside: the `while` that sets it beside the acts after it.
    """

    verb: Span
    lemma: str
    actors: tuple[Span, ...] = ()
    objects: tuple[Span, ...] = ()
    recipients: tuple[Span, ...] = ()
    manners: tuple[Span, ...] = ()
    guard: Guard | None = None
    choice: Span | None = None
    beside: Span | None = None


@dataclass(frozen=True)
class SentenceContent:
    """What one sentence tells.

    Args:
        acts: in the order of time: what opens with `when` before what it opens.
        meanwhile: the words that set the sentence beside the one before.
        pending: a condition upon which the sentence tells no act; it holds for the next one.
        stops: the process ends where this holds.
    """

    sentence: Span
    acts: tuple[Act, ...]
    meanwhile: Span | None = None
    pending: Guard | None = None
    stops: Guard | None = None
