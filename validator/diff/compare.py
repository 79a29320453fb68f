"""Two versions of a workflow side by side."""

from catalog.load import Catalog
from ir.workflow import Workflow
from validator.diff.changes import Difference
from validator.diff.judging import judgements, row_conditions
from validator.diff.meaning import choice_changes, deciding_conditions
from validator.diff.renames import renamed_nodes, with_ids
from validator.diff.search import Versions
from validator.diff.structure import structural_changes
from validator.diff.units import in_new_units, unit_changes
from validator.runs.workflow_analysis import Analysis


def compare(old: Workflow, new: Workflow, catalog: Catalog, names: tuple[str, str] = ("old", "new")) -> Difference:
    """What changed from one version to the other, valid or not.

    Args:
        names: what the versions are called.
    """
    renamed = renamed_nodes(old, new)
    called = with_ids(old, renamed)
    written, after = Analysis(called, catalog), Analysis(new, catalog)
    units = unit_changes(written, after, (*deciding_conditions(written, after), *row_conditions(written, after)))
    counted = in_new_units(called, new, units)
    before = Analysis(counted, catalog) if units else written
    versions = Versions(before, after, {new: old for old, new in renamed.items()}, written, units)
    return Difference(
        old=names[0],
        new=names[1],
        title=new.metadata.title or new.workflow_id,
        changes=structural_changes(called, new, renamed),
        choices=tuple(choice_changes(versions)),
        judgements=tuple(judgements(versions)),
        units=tuple(units.values()),
    )
