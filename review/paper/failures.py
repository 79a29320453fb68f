"""What happens when something fails, is not known, or ends before it is done."""

from collections.abc import Iterator

from ir.predicate import Always
from ir.workflow import HUMAN_APPROVAL, Edge
from review.paper.parts import Row, Section, Weight
from review.paper.source import PaperSource, put_in


def failures(source: PaperSource) -> Section:
    """Each such case with what follows, and whether the document says so."""
    rows = [_row(source, edge) for edge in _exceptional(source)]
    head, widths = ("case", "follows", "clause"), (0.4, 0.4, 0.2)
    return Section(source.words("paper.failures"), (source.table(head, widths, rows, "no_failures"),))


def _exceptional(source: PaperSource) -> Iterator[Edge]:
    """Edges for failures, edges that rules put in, and those into ends that do not complete.

    What follows a refused approval stands with the approvals.
    """
    nodes = source.workflow.nodes
    for edge in source.workflow.edges:
        if edge.source not in nodes or edge.target not in nodes or put_in(nodes[edge.source]):
            continue
        target, asked = nodes[edge.target], nodes[edge.source].type == HUMAN_APPROVAL
        early = source.is_end(edge.target) and target.status not in (None, "completed")
        plain = target.type == HUMAN_APPROVAL or (source.is_end(edge.target) and not early)
        if edge.on == "error" or (put_in(edge) and not plain) or (early and not asked):
            yield edge


def _row(source: PaperSource, edge: Edge) -> Row:
    at = source.reader.node_name(edge.source)
    when = source.when_taken(edge)
    told = source.words("paper.case_at", at, when) if when and edge.on == "success" else when or at
    way, node = [], edge.target
    while node not in way:
        way.append(node)
        onward = source.workflow.edges_from(node)
        if len(onward) != 1 or not put_in(onward[0]) or not isinstance(onward[0].condition, Always):
            break
        node = onward[0].target
    follows = source.words("paper.semicolon").join(source.leads_to(one) for one in way)
    return Row((told, follows, source.basis(edge)), Weight.PLAIN if put_in(edge) else Weight.HEAVY)
