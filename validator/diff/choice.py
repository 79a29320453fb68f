"""Whether two versions of a node can choose different ways, and for which values."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ir.fields import FieldSpec
from ir.predicate import Lookup, Ref, Tree, references
from validator.analysis.enumeration import Assignment, Nulls
from validator.analysis.path_conditions import PathCondition
from validator.analysis.types import Scope, whole_output
from validator.diff.formulas import difference_formula
from validator.diff.places import Place, Side, Taken
from validator.proofs.encode import Encoder
from validator.proofs.formulas import Formula
from validator.runs.solve import Problem
from validator.runs.workflow_analysis import Analysis


@dataclass(frozen=True)
class ChoiceDifference:
    """That two versions of a place choose differently, and not in one of the cases excluded.

    Args:
        excluded: what the two choose in cases that are known.
    """

    old: Place
    new: Place
    excluded: frozenset[tuple[Taken, Taken]] = frozenset()

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The conditions of both."""
        return (*self.old.trees, *self.new.trees)

    @property
    def refs(self) -> tuple[Ref, ...]:
        """What decides, each once."""
        return tuple(dict.fromkeys(ref for tree in self.trees for ref in references(tree)))

    def takes(self, values: Lookup) -> tuple[Taken, Taken]:
        """What the two choose with these values."""
        return self.old.takes(values), self.new.takes(values)

    def holds(self, values: Lookup) -> bool:
        """Whether they choose differently with these values."""
        pair = self.takes(values)
        return pair[0] != pair[1] and pair not in self.excluded

    def formula(self, encoder: Encoder) -> Formula:
        """When they choose differently; Opaque where the solver cannot be asked."""
        return difference_formula(encoder, self.old, self.new, self.excluded)


@dataclass(frozen=True, eq=False)
class BothScopes(Scope):
    """What references refer to in two versions: a field of both may hold what either allows.

    Args:
        other: of the old version; the rest is the new one's.
    """

    other: Scope = field(kw_only=True)

    def spec(self, ref: Ref) -> FieldSpec | None:
        """The field that a reference reads; None where neither knows it or they do not agree on its type."""
        mine, before = super().spec(ref), self.other.spec(ref)
        if mine is None or before is None:
            return mine or before
        if mine.type != before.type:
            return None
        enum = None if mine.enum is None or before.enum is None else (*mine.enum, *before.enum)
        return mine.model_copy(update={"enum": enum})


def nulls_in_either(old: Analysis, new: Analysis, node: str | None) -> Nulls:
    """From where a reference can be null at a node, or at the start, in one of the versions."""

    def nulls(ref: Ref) -> Iterable[Ref]:
        knowing = [one for one in (old, new) if ref.node is None or ref.node in one.workflow.nodes]
        if node is None:
            return dict.fromkeys(source for one in knowing for source in one.scope.null_sources(ref))
        if not knowing:
            return (whole_output(ref),)
        return dict.fromkeys(source for one in knowing for source in one.null_sources(ref, node))

    return nulls


def changed_choice(
    old: Analysis,
    new: Analysis,
    node: str | None,
    on: Side,
    difference: ChoiceDifference,
    given: tuple[PathCondition, ...] = (),
) -> Assignment | None:
    """Values for which two versions of a place choose differently; None where it is certain that there are none.

    Args:
        node: the place; None for the start.
        given: what is known of the values.

    Raises:
        UnsolvedError: neither was found out.
    """
    fixed = frozenset((Ref(f"$.outputs.{node}"),)) if on == "error" else frozenset[Ref]()
    scope = BothScopes(new.workflow, new.catalog, new.scope.call_graph, other=old.scope)
    return Problem(scope, given, difference, fixed, nulls_in_either(old, new, node)).solve()
