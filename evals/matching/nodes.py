"""Which node and which fact of a draft stands for which of gold: one to one, optimal, never by name.

Nodes are matched by the words they rest on and by what they do (Node Type), then, round by round, by the nodes around
them. Facts are matched by concept, by the node that gives them, by type, and by the words of the conditions that read
them; their values by wording and by the words of the edges that they choose. Scenarios written for gold are walked
over a draft through these matches.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from catalog.load import Catalog
from evals.matching.assignment import assign
from evals.matching.contraction import contract
from evals.matching.facts import Fact, facts_of, likeness
from evals.matching.labels import Translation, translation
from evals.matching.places import Places
from ir.predicate import Ref
from ir.workflow import CONTROL_END, CONTROL_START, Node, Workflow

SAME_TYPE, SAME_WORDS, AROUND, NEARBY = 0.3, 1.5, 0.4, 0.1
LEAST = 0.7
ROUNDS = 4


@dataclass(frozen=True)
class Matching:
    """What stands for what, in workflows without the nodes that no document asked for.

    Args:
        gold, draft: the contracted workflows.
        nodes: draft node by gold node; ends and starts are in none.
        gold_facts: gold's facts by reference.
        facts: draft fact by gold fact.
        values: how the values of a gold fact are said in the draft.
    """

    gold: Workflow
    draft: Workflow
    nodes: dict[str, str]
    gold_facts: dict[Ref, Fact]
    facts: dict[Ref, Fact]
    values: dict[Ref, Translation]

    @property
    def back(self) -> dict[str, str]:
        """Gold node by draft node."""
        return {draft: gold for gold, draft in self.nodes.items()}

    def as_gold(self, name: str) -> str:
        """What a node of the draft is called in gold; one without a partner bears a name that gold cannot have."""
        return name if name.startswith("end:") else self.back.get(name, f"({name})")


def steps_of(workflow: Workflow) -> tuple[str, ...]:
    """The ids of the nodes that do something: all but ends and starts."""
    return tuple(name for name, node in workflow.nodes.items() if node.type not in (CONTROL_END, CONTROL_START))


def match(gold: Workflow, draft: Workflow, places: Places, catalog: Catalog) -> Matching:
    """Match a draft to gold; nodes and facts that find no partner are left out.

    Raises:
        ValueError: the graph of one of them has a cycle.
    """
    gold, draft = contract(gold), contract(draft)
    nodes = _nodes(gold, draft, places)
    wanted, found = facts_of(gold, catalog), facts_of(draft, catalog)
    weights = [[likeness(g, d, nodes, places) for d in found] for g in wanted]
    facts = {wanted[r].ref: found[c] for r, c in assign(weights)}
    values = {fact.ref: translation(fact, facts[fact.ref], places) for fact in wanted if fact.ref in facts}
    return Matching(gold, draft, nodes, {fact.ref: fact for fact in wanted}, facts, values)


def _nodes(gold: Workflow, draft: Workflow, places: Places) -> dict[str, str]:
    """Similarity of the nodes themselves first, then, round by round, of what stands around them."""
    rows, columns = steps_of(gold), steps_of(draft)
    own = {(g, d): _own(gold.nodes[g], draft.nodes[d], places) for g in rows for d in columns}
    matched: dict[str, str] = {}
    for _ in range(ROUNDS):
        weights = [[_weight(own[g, d], gold, draft, g, d, matched) for d in columns] for g in rows]
        found = {rows[r]: columns[c] for r, c in assign(weights)}
        if found == matched:
            break
        matched = found
    return matched


def _own(gold: Node, draft: Node, places: Places) -> float:
    """How much one node may stand for another by itself; 0 where nothing speaks for it."""
    words = places.overlap(gold.evidence, draft.evidence)
    same = gold.type == draft.type and not gold.type.startswith("human.")
    if words < 0.5 and not same:
        return 0.0
    near = 1.0 - places.distance(gold.evidence, draft.evidence)
    return SAME_WORDS * words + SAME_TYPE * (gold.type == draft.type) + (LEAST if same else 0.0) + NEARBY * near


def _weight(own: float, gold: Workflow, draft: Workflow, g: str, d: str, matched: dict[str, str]) -> float:
    if not own:
        return 0.0
    score = own + AROUND * _around(gold, draft, g, d, matched)
    return score if score >= LEAST else 0.0


def _around(gold: Workflow, draft: Workflow, g: str, d: str, matched: dict[str, str]) -> float:
    """Share of a gold node's neighbours whose partners are neighbours of the draft's node."""
    pairs: Sequence[tuple[set[str], set[str]]] = [
        ({e.source for e in gold.edges_to(g)}, {e.source for e in draft.edges_to(d)}),
        ({e.target for e in gold.edges_from(g)}, {e.target for e in draft.edges_from(d)}),
    ]
    shares = [len({matched[n] for n in a if n in matched} & b) / max(len(a), len(b)) for a, b in pairs if a or b]
    return sum(shares) / len(shares) if shares else 0.0


def pair_workflows(gold: Sequence[Workflow], drafts: Sequence[Workflow], places: Places) -> list[tuple[int, int]]:
    """Which draft is meant to be which gold workflow, as (gold, draft) by their places; by the steps they share."""
    weights = [
        [float(sum(g.nodes[a].type != CONTROL_END for a in _nodes(contract(g), contract(d), places))) for d in drafts]
        for g in gold
    ]
    return assign(weights)
