"""Registry search: is the workflow that is for a task among the first, in and across languages, and is what no workflow
is for told as that?

Hits at k, in 0..1: the share of tasks whose workflow is among the first k that are told. Silence: of the tasks that no
workflow is for, those for which none is told. Tasks whose workflow is of a held-out case are counted by themselves.
"""

import argparse
import sys
from pathlib import Path

from catalog.embedders import load_embedder
from catalog.load import load_catalog
from evals.cases import read_suite
from evals.registry_search.tasks import CASES, TASKS, as_published, least_score, read_tasks, splits_of, table
from registry.search import LEAST, WorkflowIndex


def main() -> int:
    """Print the table for a file of tasks, and what the least score of the search would be by the titles."""
    parser = argparse.ArgumentParser(prog="python -m evals.registry_search", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=TASKS, help="tasks by direction; those of the fixtures")
    parser.add_argument("--embedder", default="default")
    given = parser.parse_args()
    catalog, embedder, cases = load_catalog(), load_embedder(given.embedder).embedder, read_suite(CASES)
    known = [as_published(one, catalog) for case in cases for one in case.workflows.values()]
    print(table(WorkflowIndex(known, catalog, embedder), read_tasks(given.file), splits_of(cases)))  # noqa: T201
    dev = [one for case in cases if case.file.split == "dev" for one in case.workflows.values()]
    found = least_score(dev, catalog, embedder)
    print(f"least score {LEAST}; by titles of the split dev {found:.3f}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
