"""What generation must obey: rules with the codes that enforce them, worked examples, and their text for a model."""

from primers.load import PrimerError, PrimerFault, Primers, load_primers
from primers.primer import Primer, Rule, WorkedExample
from primers.render import render

__all__ = [
    "Primer",
    "PrimerError",
    "PrimerFault",
    "Primers",
    "Rule",
    "WorkedExample",
    "load_primers",
    "render",
]
