"""Extraction: which steps were found, who acts, of what kind, how binding, by when; which conditions and gaps.

Steps are matched one to one (`View.steps`). Who, kind and modality are shares of the matched steps; deadlines,
conditions and gaps are found or missed for themselves, so that leaving one out and inventing one both cost.
"""

import re
from collections.abc import Mapping, Sequence

from evals.matching.assignment import assign
from evals.matching.places import Places
from evals.matching.view import View
from evals.tally import Tally, share
from ir.procedure import Element, Gap

SAME = 0.3  # overlap of evidence from which on two conditions, or two gaps, speak of the same words
_ARTICLE = re.compile(r"^(?:the|a|an|our|your|any|each)\s+", re.IGNORECASE)


def extraction(view: View) -> Mapping[str, Tally]:
    """Tallies of a case: step, actor, kind, modality, deadline, condition, gap."""
    steps = [(gold.step, found.step) for gold, found in view.steps]
    deadlines = sum(
        1
        for gold, found in steps
        if gold.deadline and found.deadline and gold.deadline.duration == found.deadline.duration
    )
    procedures = [draft.procedure for draft in view.outcome.drafts]
    return {
        "extraction.step": Tally(right=len(steps), wanted=len(view.gold_steps), found=len(view.found_steps)),
        "extraction.actor": share(sum(same_actor(g.actor, f.actor) for g, f in steps), len(steps)),
        "extraction.kind": share(sum(g.kind == f.kind for g, f in steps), len(steps)),
        "extraction.modality": share(sum(g.modality == f.modality for g, f in steps), len(steps)),
        "extraction.deadline": Tally(
            right=deadlines,
            wanted=sum(one.step.deadline is not None for one in view.gold_steps),
            found=sum(one.step.deadline is not None for one in view.found_steps),
        ),
        "extraction.condition": paired(
            [c for p in view.case.procedures for c in p.conditions],
            [c for p in procedures for c in p.conditions],
            view.places,
        ),
        "extraction.gap": paired(
            [g for p in view.case.procedures for g in p.gaps],
            [g for p in procedures for g in p.gaps if _asked(g)],
            view.places,
        ),
    }


def _asked(gap: Gap) -> bool:
    """Whether the document leaves it open, not the catalog."""
    return gap.kind not in ("unmapped_step", "unclear_condition")


def same_actor(gold: str | None, found: str | None) -> bool:
    """Whether two names are of one role: equal but for articles and case, or one the whole of the other's end.

    >>> same_actor("the safety officer", "Safety Officer"), same_actor("安全环保部", "公司安全环保部")
    (True, True)
    >>> same_actor("officer", None), same_actor(None, None)
    (False, True)
    """
    if gold is None or found is None:
        return gold is found
    one, other = (_ARTICLE.sub("", name.strip()).casefold().replace(" ", "") for name in (gold, found))
    return one == other or (min(len(one), len(other)) > 1 and (one.endswith(other) or other.endswith(one)))


def paired(gold: Sequence[Element], found: Sequence[Element], places: Places) -> Tally:
    """Elements that speak of the same words, one to one.

    Elements that rest on nothing are left out on both sides: nobody could tell whether they are the same.
    """
    gold, found = ([one for one in side if one.evidence] for side in (gold, found))
    weights = [[_likeness(g, f, places) for f in found] for g in gold]
    return Tally(right=len(assign(weights)), wanted=len(gold), found=len(found))


def _likeness(gold: Element, found: Element, places: Places) -> float:
    overlap = places.overlap(gold.evidence, found.evidence)
    return overlap if overlap >= SAME else 0.0
