"""What changed from one version of a workflow to another: what it is made of, and which way runs take."""

from validator.diff.changes import ChoiceChange, Difference
from validator.diff.compare import compare

__all__ = ["ChoiceChange", "Difference", "compare"]
