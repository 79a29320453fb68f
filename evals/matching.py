"""Which node, input and value of a draft stands for which of a gold workflow: one to one, optimal, never by name.

Nodes are matched by what they do (Node Type), by the words they rest on and, where they have none of their own (they
come from primers), by the nodes around them. Inputs are matched by concept, else by type and words. Outcomes of human
tasks are matched by wording.
"""

from dataclasses import dataclass

from pydantic import JsonValue
from rapidfuzz import fuzz

from evals.assignment import assign
from ir.source import Evidence
from ir.workflow import CONTROL_END, HUMAN_TASK, Node, Workflow

SAME_TYPE, SAME_WORDS, SAME_END, AROUND = 1.0, 1.5, 0.5, 0.6
LEAST = 0.9
ROUNDS = 4


@dataclass(frozen=True)
class Matching:
    """What stands for what.

    Args:
        nodes: draft node by gold node.
        inputs: draft input by gold input.
    """

    nodes: dict[str, str]
    inputs: dict[str, str]


def match(gold: Workflow, draft: Workflow) -> Matching:
    """Match a draft to gold; nodes and inputs that find no partner are left out."""
    return Matching(_nodes(gold, draft), _inputs(gold, draft))


def _nodes(gold: Workflow, draft: Workflow) -> dict[str, str]:
    """Similarity of the nodes themselves first, then, round by round, of what stands around them."""
    own = {(g, d): _likeness(gold.nodes[g], draft.nodes[d]) for g in gold.nodes for d in draft.nodes}
    matched: dict[str, str] = {}
    for _ in range(ROUNDS):
        rows, columns = list(gold.nodes), list(draft.nodes)
        weights = [[_weight(own[g, d], gold, draft, g, d, matched) for d in columns] for g in rows]
        found = {rows[r]: columns[c] for r, c in assign(weights)}
        if found == matched:
            break
        matched = found
    return matched


def _weight(own: float, gold: Workflow, draft: Workflow, g: str, d: str, matched: dict[str, str]) -> float:
    score = own + AROUND * _around(gold, draft, g, d, matched)
    return score if own > 0 and score >= LEAST else 0.0


def _likeness(gold: Node, draft: Node) -> float:
    """How much one node may stand for another by itself; 0 where it cannot."""
    if (gold.type == CONTROL_END) != (draft.type == CONTROL_END):
        return 0.0
    if gold.type == CONTROL_END:
        return (
            SAME_TYPE + (SAME_END if gold.reason_code == draft.reason_code else 0)
            if gold.status == draft.status
            else 0.0
        )
    words = overlap(gold.evidence, draft.evidence)
    kind = SAME_TYPE if gold.type == draft.type else 0.0
    if not kind and not words:
        return 0.0
    return kind + SAME_WORDS * words


def _around(gold: Workflow, draft: Workflow, g: str, d: str, matched: dict[str, str]) -> float:
    """Share of a gold node's neighbours whose partners are neighbours of the draft's node."""
    pairs = [
        ({e.source for e in gold.edges_to(g)}, {e.source for e in draft.edges_to(d)}),
        ({e.target for e in gold.edges_from(g)}, {e.target for e in draft.edges_from(d)}),
    ]
    shares = [len({matched[n] for n in a if n in matched} & b) / max(len(a), len(b)) for a, b in pairs if a or b]
    return sum(shares) / len(shares) if shares else 0.0


def overlap(gold: tuple[Evidence, ...], draft: tuple[Evidence, ...]) -> float:
    """How much of gold's words the draft's words hold, 0 to 1; words of different documents share nothing.

    >>> gold = (Evidence(doc_id="a", quote="check the  class"),)
    >>> overlap(gold, (Evidence(doc_id="a", quote="must check the class."),))
    1.0
    """
    best = 0.0
    for one in gold:
        for other in draft:
            if one.doc_id != other.doc_id:
                continue
            a, b = ("".join(e.quote.split()).lower() for e in (one, other))
            if a in b or b in a:
                best = max(best, 1.0)
            elif a and b:
                best = max(best, fuzz.partial_ratio(a, b) / 100 if fuzz.partial_ratio(a, b) >= 80 else 0.0)
    return best


def _inputs(gold: Workflow, draft: Workflow) -> dict[str, str]:
    rows, columns = list(gold.inputs), list(draft.inputs)
    weights = []
    for g in rows:
        row = []
        for d in columns:
            one, other = gold.inputs[g], draft.inputs[d]
            same = 1.0 if one.concept and one.concept == other.concept else 0.0
            words = overlap(one.evidence, other.evidence) if one.type == other.type else 0.0
            row.append(same + 0.5 * words if same or words >= 0.8 else 0.0)
        weights.append(row)
    return {rows[r]: columns[c] for r, c in assign(weights)}


def outcomes(gold: Node, draft: Node) -> dict[str, str]:
    """For two human tasks the draft's outcome by gold's: equal words first, then by place."""
    mine, theirs = list(gold.outcomes or ("done",)), list(draft.outcomes or ("done",))
    weights = [
        [fuzz.ratio(a, b) / 100 + (0.4 if i == j else 0.1) for j, b in enumerate(theirs)] for i, a in enumerate(mine)
    ]
    return {mine[r]: theirs[c] for r, c in assign(weights)}


def translate(record: dict[str, JsonValue], gold: Node, draft: Node) -> dict[str, JsonValue]:
    """A gold node's recorded output as the matched draft node would have given it."""
    if draft.type == HUMAN_TASK and gold.type == HUMAN_TASK and "outcome" in record:
        names = outcomes(gold, draft)
        return {**record, "outcome": names.get(str(record["outcome"]), record["outcome"])}
    return record
