"""Validity: the share of drafts that the validator finds no error in, before and after repair; and of right refusals.

`validity.first` looks at the completed draft, `validity.final` at the settled one. `validity.refusal` is for cases that
hold no procedure: right where nothing was made of them and a code says why.
"""

from collections.abc import Mapping

from evals.matching.view import View
from evals.tally import Tally, share


def validity(view: View) -> Mapping[str, Tally]:
    """Tallies of a case."""
    drafts = view.outcome.drafts
    found = {
        "validity.first": share(sum(draft.valid_at_first for draft in drafts), len(drafts)),
        "validity.final": share(sum(draft.valid for draft in drafts), len(drafts)),
    }
    if not view.case.procedures:
        found["validity.refusal"] = refusal(len(drafts), len(view.outcome.refused))
    return found


def refusal(drafts: int, refused: int) -> Tally:
    """Whether documents without a procedure were refused with a code, and nothing was made of them.

    >>> refusal(0, 1).value, refusal(1, 0).value, refusal(0, 0).value
    (1.0, 0.0, 0.0)
    """
    return share(drafts == 0 and refused > 0, 1)
