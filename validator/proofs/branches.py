"""What is proved of the choice of one node: first by itself, and only where that leaves a doubt, over whole runs."""

from dataclasses import dataclass

from ir.predicate import Otherwise
from ir.walk import Why
from validator.proofs.runs import Example, Runs

Answer = Example | bool | None
"""A run that shows it; False where it is proved that there is none; None where that is not known."""


@dataclass(frozen=True)
class Branches:
    """What is proved of the edges that a node leaves by, as indexes.

    Args:
        overlap: several can hold at once, none having priority.
        gap: there are values for which none is taken.
        meaningless: their conditions are never known, whatever the values.
        contradictory: their conditions can never be true.
        shadowed: their conditions can be true, but then another of smaller priority always is.
        certain: their conditions can never be false.
        idle: `otherwise`, and some condition always holds.
        undecided: what the solver did not find out.
    """

    overlap: Answer = False
    gap: Answer = False
    meaningless: tuple[int, ...] = ()
    contradictory: tuple[int, ...] = ()
    shadowed: tuple[int, ...] = ()
    certain: tuple[int, ...] = ()
    idle: tuple[int, ...] = ()
    undecided: tuple[str, ...] = ()

    @property
    def never(self) -> tuple[int, ...]:
        """The edges that the node never chooses, whatever came before."""
        return (*self.meaningless, *self.contradictory, *self.shadowed, *self.idle)


def prove_branches(runs: Runs, node: str, passed: frozenset[str]) -> Branches | None:
    """Prove what can be proved of a node's choice; None where the solver cannot be asked about its conditions.

    Args:
        passed: nodes that every path to it passes on success.

    Raises:
        Contradiction: the walk does not confirm a run that the solver found.
    """
    choice = runs.choice(node)
    if choice is None:
        return None
    prover, encoder = runs.alone(node, passed), runs.encoder
    asked = {("true", index): own.true for index, own in choice.truths.items()}
    asked |= {("false", index): own.false for index, own in choice.truths.items()}
    asked |= {("first", index): first for index, first in choice.first.items()}
    asked |= {("taken", index): taken for index, taken in choice.taken.items() if index not in choice.first}
    can, unknown = prover.possible(asked)

    def never(what: str, index: int) -> bool:
        return (what, index) not in can and (what, index) not in unknown

    meaningless = tuple(i for i in choice.truths if never("true", i) and never("false", i))
    contradictory = tuple(i for i in choice.truths if never("true", i) and i not in meaningless)
    doubtful = [("overlap", choice.clash), ("gap", choice.gap)]
    answers: dict[str, Answer] = {}
    for why, formula in doubtful:
        alone = False if formula is encoder.no else prover.can_hold(formula)
        answers[why] = _anywhere(runs, node, why) if alone else alone
    return Branches(
        overlap=answers["overlap"],
        gap=answers["gap"],
        meaningless=meaningless,
        contradictory=contradictory,
        shadowed=tuple(i for i in choice.truths if never("first", i) and ("true", i) in can),
        certain=tuple(i for i in choice.truths if never("false", i) and i not in meaningless),
        idle=tuple(i for i, e in runs.edges(node).items() if isinstance(e.condition, Otherwise) and never("taken", i)),
        undecided=tuple(sorted({what for what, _ in unknown} | {why for why in answers if answers[why] is None})),
    )


def _anywhere(runs: Runs, node: str, why: str) -> Answer:
    """Whether it can come about in a run."""
    choice = runs.choice(node)
    assert choice is not None
    wanted: Why = "overlap" if why == "overlap" else "no-way-on"
    formula = choice.clash if why == "overlap" else choice.gap
    return runs.find(
        f"{why} at {node}",
        [node],
        (runs.names.succeeds(node), formula),
        lambda example: example.node == node and example.stuck is not None and example.stuck.why == wanted,
    )
