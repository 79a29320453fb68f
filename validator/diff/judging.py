"""What changed rows of a rule pack mean: whether a node that applies them judges any values otherwise."""

from collections.abc import Iterator
from dataclasses import replace

from ir.predicate import Tree
from validator.analysis.path_conditions import TRUE, PathCondition
from validator.analysis.tables import Table, tables
from validator.diff.changes import Judged, Judgement
from validator.diff.choice import ChoiceDifference, changed_choice
from validator.diff.meaning import EXAMPLES, decides_otherwise
from validator.diff.places import Rows
from validator.diff.search import Versions
from validator.diff.units import Units, changed_among, incomparable_words, one_unit_words, tree_in_new_units
from validator.runs.solve import UnsolvedError
from validator.runs.workflow_analysis import Analysis


def row_conditions(*analyses: Analysis) -> Iterator[Tree]:
    """The conditions of all rows, over the values that the nodes which apply them are given."""
    return (tree for one in analyses for table in tables(one.scope) for tree in table.trees.values())


def judgements(versions: Versions) -> Iterator[Judgement]:
    """Every node of both versions whose rows changed, or what they read, and whether it judges otherwise."""
    before = {table.node: table for table in tables(versions.written.scope)}
    for new in tables(versions.new.scope):
        if new.node in before:
            written = before[new.node]
            old = _counted(written, versions.units)
            if decides_otherwise(versions, (Rows(written), Rows(old), Rows(new))):
                yield _judged(versions, old, new)


def _counted(table: Table, units: Units) -> Table:
    """The rows of the old version with their numbers in the units of the new one."""
    trees = {row: tree_in_new_units(tree, units) for row, tree in table.trees.items()}
    return replace(table, trees=trees, admitted=tuple(tree_in_new_units(tree, units) for tree in table.admitted))


def _judged(versions: Versions, old: Table, new: Table) -> Judgement:
    """Whether the judgement changed, with examples of each way in which it did."""
    difference = ChoiceDifference(Rows(old), Rows(new))
    found = Judgement(at=new.node, pack=new.pack, verdict="same")
    units = tuple(changed_among(difference.trees, versions.units))
    if apart := next((one for one in units if one.because is not None), None):
        return found.model_copy(update={"verdict": "undecided", "because": incomparable_words(apart)})
    given = tuple(PathCondition(tree, TRUE) for tree in dict.fromkeys((*old.admitted, *new.admitted)))
    examples: list[Judged] = []
    while len(examples) < EXAMPLES:
        asked = replace(difference, excluded=frozenset((one.old, one.new) for one in examples))
        try:
            values = changed_choice(versions.old, versions.new, new.node, "success", asked, given)
        except UnsolvedError as fault:
            if examples:
                break
            return found.model_copy(update={"verdict": "undecided", "because": fault.why})
        if values is None:
            break
        takes = asked.takes(values)
        examples.append(Judged(values={ref.text: values(ref) for ref in asked.refs}, old=takes[0], new=takes[1]))
    if not examples:
        counted = one_unit_words(units)
        return found.model_copy(update={"because": f"no values are judged otherwise, {counted}" if counted else None})
    return found.model_copy(update={"verdict": "differs", "examples": tuple(examples)})
