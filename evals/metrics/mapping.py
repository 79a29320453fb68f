"""Input mapping: does a node of the right Type read the right fact or hold the right literal?

Counted over the nodes that have one Type in gold and draft, input by input: a reference is right where it reads the
partner of what gold reads (the same fact, or the same output of the partner node), a literal where its value is gold's.
"""

from collections.abc import Mapping

from evals.matching.nodes import Matching
from evals.matching.view import View
from evals.tally import Tally
from ir.base import canonical_json
from ir.predicate import Literally, Operand, Ref


def mapping(view: View) -> Mapping[str, Tally]:
    """Tally of a case: inputs of nodes of one Type."""
    total = Tally()
    for pair in view.pairs:
        if pair.matching is None:
            continue
        for name, partner in pair.matching.nodes.items():
            gold, draft = pair.matching.gold.nodes[name], pair.matching.draft.nodes[partner]
            if gold.type != draft.type:
                continue
            right = sum(
                1
                for key, operand in gold.inputs.items()
                if key in draft.inputs and same_operand(operand, draft.inputs[key], pair.matching)
            )
            total += Tally(right=right, wanted=len(gold.inputs), found=len(draft.inputs))
    return {"workflow.mapping": total}


def same_operand(gold: Operand, draft: Operand, known: Matching) -> bool:
    """Whether a draft's operand says what gold's says.

    >>> same_operand(Literally(5, "five"), Literally(5.0), None), same_operand(Literally(5), Ref("$.inputs.a"), None)
    (True, False)
    """
    if isinstance(gold, Literally) and isinstance(draft, Literally):
        return canonical_json(gold.value) == canonical_json(draft.value)
    if not isinstance(gold, Ref) or not isinstance(draft, Ref):
        return False
    if gold in known.facts:
        return known.facts[gold].ref == draft
    partner = known.nodes.get(gold.node or "")
    return partner is not None and partner == draft.node and gold.path[1:] == draft.path[1:]
