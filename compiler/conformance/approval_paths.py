"""Does every way of a draft that a model or a person made pass the approvals that the text demands?"""

from collections.abc import Iterable, Iterator, Mapping

from compiler.conformance.conformance_input import ConformanceInput
from compiler.extract.rules.required_approvals import demanded_approvals
from compiler.extract.rules.statements import Act
from compiler.grounding.coverage import overlaps, spans_of
from compiler.text.sentences import Piece
from ir.diagnostics import Diagnostic, Location, Related
from ir.document import Document
from ir.predicate import Ref, Tree, references
from ir.procedure import Element
from ir.source import Evidence
from ir.workflow import HUMAN_APPROVAL, Edge
from validator.analysis.graph import completing_ends
from validator.analysis.locations import at_node
from validator.analysis.wording import cut
from validator.check_input import error


def bypassed_approval(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A way leads past an approval that the text demands, and no words say when it may.

    What: the reading from cue words finds an approval in a sentence, a `human.approval` of a draft that a model or a
        person made rests on it, and what the draft puts after this approval (a step, a completing end) can be reached
        without it: by edges none of which parts from the way to the approval at a condition that rests on words of the
        document other than those of another approval.
    Why: one more edge is enough to pay without anybody's consent, and the draft is sound all the same.
    Bad: “The manager approves the payment. The cashier pays.”, and an edge that leads from the request to the payment.
    Good: the payment after the approval alone; or the words that say which payments need none.
    """
    provenance = given.workflow.provenance
    if provenance is None or provenance.mode == "offline" or given.analysis.graph.back:
        return
    for document in given.documents:
        demanded = demanded_approvals(document)
        for name, node in given.workflow.nodes.items():
            if node.type != HUMAN_APPROVAL:
                continue
            spans = spans_of([Element(evidence=node.evidence)])
            own = [said for said in demanded if overlaps(said.sentence, spans)]
            if not own:
                continue
            others = [said.sentence for said in demanded if not overlaps(said.sentence, spans)]
            reached = next(_reached_past(given, name, others), None)
            if reached is not None:
                yield _bypassed(given, name, reached, own[0], document)


def _reached_past(given: ConformanceInput, approval: str, others: list[Piece]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What the draft puts after an approval and some run comes to without it, with such a way."""
    graph, nodes = given.analysis.graph, given.workflow.nodes
    ends = completing_ends(given.workflow)
    after = [
        name
        for name in graph.order
        if approval in graph.ancestors[name] and (name in ends or (nodes[name].step_ids and name != approval))
    ]
    ways = _ways(given, approval, others)
    for name in after:
        if name not in ways or _decided_later(given, approval, name, ways[name]):
            continue
        if given.analysis.proofs.unapproved(name, [approval], ()) is not False:
            yield name, ways[name]


def _ways(given: ConformanceInput, approval: str, others: list[Piece]) -> Mapping[str, tuple[str, ...]]:
    """The nodes that are come to without an approval, each with a way; where words part a way, it is not followed."""
    graph = given.analysis.graph
    toward, decision = {approval, *graph.ancestors[approval]}, Ref(f"$.outputs.{approval}.approved")
    found: dict[str, tuple[str, ...]] = {entry: (entry,) for entry in graph.entries if entry != approval}
    waiting = list(found)
    while waiting:
        at = waiting.pop(0)
        parted = at in toward and any(_in_words(link.edge, others) for link in graph.out[at])
        for link in graph.out[at]:
            if link.target == approval or link.target in found or not link.on_success:
                continue
            if decision in references(link.edge.condition):  # which cannot be true before it was made
                continue
            if parted and link.target not in toward:
                continue
            found[link.target] = (*found[at], link.target)
            waiting.append(link.target)
    return found


def _decided_later(given: ConformanceInput, approval: str, name: str, way: tuple[str, ...]) -> bool:
    """Whether several are asked side by side, and what comes after a node still hangs on this approval.

    `Both decide; when both decisions are to hand they are entered; only if both are favourable …`
    """
    nodes, graph = given.workflow.nodes, given.analysis.graph
    before = graph.ancestors[approval]
    asked = (each for each in way if nodes[each].type == HUMAN_APPROVAL)
    beside = any(each not in before and approval not in graph.ancestors[each] for each in asked)
    decision = Ref(f"$.outputs.{approval}.approved")
    return beside and any(
        decision in references(edge.condition) and (edge.source == name or name in graph.ancestors.get(edge.source, ()))
        for edge in given.workflow.edges
    )


def _in_words(edge: Edge, others: Iterable[Piece]) -> bool:
    """Whether an edge has a condition that rests on words, and not on those that demand another approval."""
    if not isinstance(edge.condition, Tree):
        return False
    quotes = [one for one in edge.evidence if one.supports]
    return any(not any(_inside(quote, sentence) for sentence in others) for quote in quotes)


def _inside(quote: Evidence, sentence: Piece) -> bool:
    span = quote.span
    return span is not None and span.block == sentence.block and sentence.start <= span.start < sentence.end


def _bypassed(
    given: ConformanceInput, approval: str, reached: tuple[str, tuple[str, ...]], said: Act, document: Document
) -> Diagnostic:
    span = document.span(said.sentence.block, said.sentence.start, said.sentence.end)
    name, way = reached
    place = Location(file=document.doc_id, block=span.block)
    return error(
        "bypassed-approval",
        f"“{cut(span.quote)}” demands “{approval}”, but a run can come to “{name}” without it, by {' → '.join(way)}, "
        "and no words say when",
        at_node(given.workflow, name, "type"),
        witness={"path": list(way)},
        evidence=(Evidence.from_span(span),),
        related=(Related(message="the sentence", location=place),),
        expected=f"ways to “{name}” that pass “{approval}”, or a condition on the words that say when it is not needed",
    )


CHECKS = (bypassed_approval,)
