"""Does every way of a draft that a model or a person made pass the approvals that the text demands?"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiler.conformance.conformance_input import ConformanceInput
from compiler.extract.rules.required_approvals import demanded_approvals
from compiler.extract.rules.statements import Act
from compiler.grounding.coverage import overlaps, spans_of
from compiler.text.sentences import Piece
from ir.diagnostics import Diagnostic, Location, Related
from ir.document import Document
from ir.predicate import Junction, Ref, Tree, conjoin, references
from ir.procedure import DETERMINISTIC, Element
from ir.source import Evidence, Span
from ir.workflow import HUMAN_APPROVAL
from validator.analysis.graph import completing_ends
from validator.analysis.locations import at_node
from validator.analysis.wording import cut
from validator.check_input import error


def bypassed_approval(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A way leads past an approval that the text demands, and no words say when it may.

    What: the reading from cue words finds an approval in a sentence, a `human.approval` of a draft that a model or a
        person made rests on it, and what the draft puts after this approval (a step, a completing end) can be reached
        without it: by edges none of which parts from the way to the approval at a condition that rests on words of the
        document other than those of another approval, in a run in which the conditions that the text gives for this
        approval itself hold. Where a person corrected what the rules read, only the ways count that have an edge of
        theirs, and all ways past an approval whose own edges are theirs.
    Why: one more edge is enough to pay without anybody's consent, and the draft is sound all the same.
    Bad: “The manager approves the payment. The cashier pays.”, and an edge that leads from the request to the payment.
    Good: the payment after the approval alone; or the words that say which payments need none.
    """
    provenance = given.workflow.provenance
    if provenance is None or provenance.mode == "offline" or given.analysis.graph.back:
        return
    for document in given.documents:
        demanded = demanded_approvals(document)
        standing = _standing(given, [said.sentence for said in demanded])
        passed = list[_Passed]()
        for name, node in given.workflow.nodes.items():
            if node.type != HUMAN_APPROVAL:
                continue
            spans = spans_of([Element(evidence=node.evidence)])
            own = [number for number, said in enumerate(demanded) if overlaps(said.sentence, spans)]
            if own:
                parting = {link for link, quotes in standing.items() if any(one.issubset(own) for one in quotes)}
                worded = {link for link in parting if any(one and one.issubset(own) for one in standing[link])}
                ways = _ways_past(given, name, parting)
                passed.append(_Passed(name, demanded[own[0]], ways, _needed(given, name, worded)))
        yield from (_bypassed(given, one, reached, document) for one, reached in _reached(given, passed))


@dataclass(frozen=True)
class _Passed:
    """An approval that the text demands.

    Args:
        said: where it demands it.
        ways: what the draft puts after it and the graph leads to without it, each with a way.
        needed: holds in the runs that need it; None: it is needed in all.
    """

    name: str
    said: Act
    ways: Mapping[str, tuple[str, ...]]
    needed: Tree | None


def _standing(given: ConformanceInput, sentences: Sequence[Piece]) -> dict[int, list[frozenset[int]]]:
    """Of each edge with a condition, by index, for each quote that it rests on: in which of the sentences it stands."""
    edges = ((at, one) for at, one in enumerate(given.workflow.edges) if isinstance(one.condition, Tree))
    return {
        at: [
            frozenset(number for number, sentence in enumerate(sentences) if span and _inside(span, sentence))
            for span in (one.span for one in edge.evidence if one.supports)
        ]
        for at, edge in edges
    }


def _needed(given: ConformanceInput, approval: str, worded: Container[int]) -> Tree | None:
    """When an approval is asked for, by its own words, as far as other approvals before it leave that open.

    `Over 500 the manager approves; over 5000 the director, too`: who goes past both at 400 needs no director.

    Args:
        worded: the edges, by index, whose condition rests on words of its sentence.

    Returns:
        None where the way to it rests on no such words, or is open without a condition.
    """
    into = given.analysis.graph.into[approval]
    if not any(link.index in worded for link in into):
        return None
    decisions = {Ref(f"$.outputs.{name}.approved") for name, node in given.workflow.nodes.items()
                 if node.type == HUMAN_APPROVAL}  # fmt: skip
    found = list[Tree]()
    for link in into:
        condition = link.edge.condition
        parts = condition.items if isinstance(condition, Junction) and condition.op == "and" else (condition,)
        own = [one for one in parts if isinstance(one, Tree) and decisions.isdisjoint(references(one))]
        together = conjoin(*own)
        if together is None:
            return None
        found.append(together)
    return found[0] if len(found) == 1 else Junction("or", tuple(found))


def _reached(
    given: ConformanceInput, passed: Sequence[_Passed]
) -> Iterator[tuple[_Passed, tuple[str, tuple[str, ...]]]]:
    """Each approval that some run passes, with the first node that it comes to without it, and a way to it."""
    proofs = given.analysis.proofs
    cases: dict[str, list[tuple[str, Tree | None]]] = {}
    for one in passed:
        for name in one.ways:
            cases.setdefault(name, []).append((one.name, one.needed))
    led_to = {name for name, each in cases.items() if proofs.past_some(name, each) is not False}
    for one in passed:
        for name, way in one.ways.items():
            if name in led_to and proofs.unapproved(name, [one.name], (), one.needed) is not False:
                yield one, (name, way)
                break


def _ways_past(given: ConformanceInput, approval: str, parting: Container[int]) -> dict[str, tuple[str, ...]]:
    """What the draft puts after an approval and the graph leads to without it, each with a way.

    Args:
        parting: the edges, by index, whose condition rests on words other than those of another approval.
    """
    graph, nodes = given.analysis.graph, given.workflow.nodes
    ends = completing_ends(given.workflow)
    after = [
        name
        for name in graph.order
        if approval in graph.ancestors[name] and (name in ends or (nodes[name].step_ids and name != approval))
    ]
    ways = _ways(given, approval, parting)
    return {
        name: ways[name] for name in after if name in ways and not _decided_later(given, approval, name, ways[name])
    }


def _ways(given: ConformanceInput, approval: str, parting: Container[int]) -> Mapping[str, tuple[str, ...]]:
    """The nodes that are come to without an approval, each with a way; where words part a way, it is not followed."""
    graph = given.analysis.graph
    toward, decision = {approval, *graph.ancestors[approval]}, Ref(f"$.outputs.{approval}.approved")
    judged = _is_judged_whole(given, approval)
    found: dict[tuple[str, bool], tuple[str, ...]] = {(one, judged): (one,) for one in graph.entries if one != approval}
    waiting = list(found)
    while waiting:
        at, judged = waiting.pop(0)
        parted = at in toward and any(link.index in parting for link in graph.out[at])
        for link in graph.out[at]:
            there = link.target, judged or link.edge.origin == "person"
            if link.target == approval or there in found or not link.on_success:
                continue
            if decision in references(link.edge.condition):  # which cannot be true before it was made
                continue
            if parted and link.target not in toward:
                continue
            found[there] = (*found[at, judged], link.target)
            waiting.append(there)
    return {name: way for (name, judged), way in found.items() if judged}


def _is_judged_whole(given: ConformanceInput, approval: str) -> bool:
    """Whether all ways past an approval count, and not those alone that a person made of what the rules read."""
    provenance = given.workflow.provenance
    if provenance is None or provenance.mode != "person" or provenance.method not in DETERMINISTIC:
        return True
    return any(edge.origin == "person" for edge in given.workflow.edges if approval in (edge.source, edge.target))


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


def _inside(span: Span, sentence: Piece) -> bool:
    return span.block == sentence.block and sentence.start <= span.start < sentence.end


def _bypassed(
    given: ConformanceInput, passed: _Passed, reached: tuple[str, tuple[str, ...]], document: Document
) -> Diagnostic:
    approval, said = passed.name, passed.said
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
