"""What changed from one version of a workflow to another: what it is made of, and which way runs take."""

from compiler.diff.changes import ChoiceChange, Difference
from compiler.diff.compare import compare

__all__ = ["ChoiceChange", "Difference", "compare"]
