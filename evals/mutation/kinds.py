"""The kinds of fault, by name."""

from collections.abc import Mapping

from evals.mutation import conditions, constants, edges, evidence, governance, nodes, reads
from evals.mutation.subject import Kind

KINDS: Mapping[str, Kind] = {
    kind.__name__: kind
    for family in (edges, conditions, constants, nodes, reads, governance, evidence)
    for kind in family.KINDS
}
