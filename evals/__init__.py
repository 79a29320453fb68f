"""How good are the drafts: suites of cases, metrics against gold, reports, baselines."""

from evals.runner import Choice, run, run_with_pictures

__all__ = ["Choice", "run", "run_with_pictures"]
