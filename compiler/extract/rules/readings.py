"""What the provisions of a document say, one by one, and what the provisions of a section say together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from compiler.extract.rules.provisions import Provision
from compiler.extract.rules.repeats import says_again
from compiler.extract.rules.statements import Act, End, Jump, Norm, Skip, Statement
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.sentences import Piece

PATTERN = lexicon("en").patterns("readings")

LEAST_NAMED = 2  # acts of named people that make a course of acts of a section
NAMED = 3  # acts of named people, from which on a document says who acts
_TOLD_SILENTLY = ("approval", "record", "notify")  # kinds of acts that are told so
_BINDING = re.compile(r"拒绝|谢绝|(?:prohibit|forbid|ban|barr?|allow|permit|authori[sz]|entitl)\w*", re.IGNORECASE)
"""Verbs that bind somebody and are no acts."""


@dataclass(frozen=True)
class ProvisionReading:
    """What one provision says.

    Args:
        statements: in the order of the words.
        unplaced: sentences that speak of a duty but stand where no procedure is, each with the reason.
        norms: of its sentences those that forbid or demand, understood as a whole.
        unclear: cells of a table of approvals that was not understood, each with the words to be asked about.
    """

    provision: Provision
    statements: tuple[Statement, ...] = ()
    unplaced: tuple[tuple[Piece, str], ...] = ()
    norms: tuple[Norm, ...] = ()
    unclear: tuple[tuple[Piece, str], ...] = ()

    @property
    def acts_beside_norms(self) -> bool:
        """Whether it tells of an act in a sentence that is no norm."""
        norms = [piece for norm in self.norms for piece in (norm.piece, *norm.exempted)]
        return any(
            isinstance(s, Act) and not any(n.start <= s.sentence.start and s.sentence.end <= n.end for n in norms)
            for s in self.statements
        )


def tells_an_act(statement: Statement, *, acting: bool) -> bool:
    """Whether what a statement of a norm's sentence tells is an act, a jump or an end, and no mere norm.

    Args:
        acting: somebody acts in this procedure, so that ends are ends of acts.
    """
    if isinstance(statement, Act):
        bound = statement.verb is not None and _BINDING.fullmatch(statement.verb.text) is not None
        somebody = statement.actor is not None and statement.modality not in ("may", "must_not")
        refuses = statement.ends is not None and somebody and acting  # `由受理员拒绝申请`
        return refuses or (not bound and (somebody or acting))
    return isinstance(statement, Jump | Skip) or (acting and isinstance(statement, End))


def states(statement: Statement) -> bool:
    """Whether a statement is a passive without agent and duty, of which nothing shows that somebody must do it."""
    if not isinstance(statement, Act) or statement.actor is not None or statement.verb is None:
        return False
    text = statement.piece.text
    passive = PATTERN.passive.search(text[: max(0, statement.verb.start - statement.piece.start)]) is not None
    return passive and statement.step_kind not in _TOLD_SILENTLY and not PATTERN.binds.search(text)


def tells_a_course(told: Sequence[Sequence[Statement]], cues: Lexicon) -> bool:
    """Whether the sentences of a section tell what people do in the course of a matter, whatever its heading says.

    Most of them have acts or ends, two or more name who acts, and one of these acts is more than a task of an office:
    something is handed in, checked, decided, told or kept, within a time or in a case.

    Args:
        told: the statements of each of its sentences.
    """
    acts = [[s for s in said if isinstance(s, Act | End | Jump)] for said in told]
    named = [s for said in acts for s in said if s.actor is not None and not _speaks(s.actor.text, cues)]
    telling = [s for s in named if isinstance(s, Act) and (s.step_kind != "task" or s.deadlines or s.conditions)]
    return len(named) >= LEAST_NAMED and bool(telling) and 2 * sum(map(bool, acts)) > len(told)


def _speaks(who: str, cues: Lexicon) -> bool:
    return cues.pattern("speakers").fullmatch(who) is not None


def descriptive(told: list[ProvisionReading]) -> set[tuple[str, ...]]:
    """The sections of prose in which nobody acts and all is stated, beside others that name who acts."""
    by_section: dict[tuple[str, ...], list[ProvisionReading]] = {}
    for each in told:
        by_section.setdefault(each.provision.headings, []).append(each)
    acts = {
        section: [s for each in inside for s in each.statements if isinstance(s, Act)]
        for section, inside in by_section.items()
    }
    if sum(s.actor is not None for found in acts.values() for s in found) < NAMED:
        return set()
    listed = {
        each.provision.headings
        for each in told
        if each.provision.block.kind != "paragraph" and any(map(states, each.statements))
    }
    return {section for section, found in acts.items() if section not in listed and all(map(states, found))}


def without_summaries(told: list[ProvisionReading]) -> list[ProvisionReading]:
    """Tables of marks that sum up what sentences tell are no acts of their own."""
    sentences_of = {s.sentence.text for e in told if e.provision.block.kind != "table" for s in e.statements}
    kept = []
    for each in told:
        summed = [s for s in each.statements if isinstance(s, Act) and s.marked]
        again = sum(any(says_again(s.piece.text, sentence) for sentence in sentences_of) for s in summed)
        kept.append(replace(each, statements=()) if summed and again * 2 >= len(summed) else each)
    return kept
