"""Does a comparison say what the words say that it was read from?"""

import re
from collections.abc import Iterator

from compiler.conformance.conformance_input import ConformanceInput
from compiler.grounding.coverage import overlaps, spans_of
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.limits import Limit, limits_in
from compiler.text.sentences import Piece, sentences
from ir.diagnostics import Diagnostic
from ir.fields import FieldSpec
from ir.predicate import Compare, CompareOp, Junction, Literally, Ref, Tree, leaves
from ir.procedure import Element
from ir.quantities.units import convert, unit_word
from ir.source import Evidence
from validator.analysis.locations import at_edge, edge_name
from validator.analysis.wording import condition_words
from validator.check_input import error, warning

_TURNED: dict[CompareOp, CompareOp] = {"lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte"}
_BORDERS: dict[CompareOp, tuple[CompareOp, CompareOp]] = {
    "gt": ("gt", "lte"), "lte": ("gt", "lte"), "gte": ("gte", "lt"), "lt": ("gte", "lt"),
}  # fmt: skip
"""The comparisons that divide the values at the same place: `over 5,000` and, of the other way, `up to 5,000`."""
_NO_WORD = 0


def comparison_against_words(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A comparison counts the border itself where the words that it rests on do not, or the other way round.

    What: a number that an edge's condition compares stands in the edge's evidence beside words for a comparison
        (`over`, `at least`, `不超过`, `不少于`), always for one border, and the condition draws the other. Words of
        either meaning (`以上`, `以下`, `from … to`) decide nothing.
    Why: the one case that people ask about, the sum that is exactly the limit, goes the wrong way.
    Bad: “purchases over 5,000” with `amount >= 5000`.
    Good: `amount > 5000`, or `amount <= 5000` for the other way.
    """
    for index, edge in enumerate(given.workflow.edges):
        if edge.origin != "document":
            continue
        for leaf in leaves(edge.condition):
            op, spec, value = _compared(given, leaf)
            if op is None or spec is None:
                continue
            said = {_BORDERS[word]: quote.quote for quote, word in _quotes(edge.evidence, value, spec)}
            if len(said) != 1 or op in next(iter(said)):
                continue
            ((border, quote),) = said.items()
            yield warning(
                "comparison-against-words",
                f"{edge_name(edge)}: {condition_words(leaf)} rests on “{quote}”, which draws the border with "
                f"{' or '.join(border)}",
                at_edge(given.workflow, index, "condition"),
                found=op,
                expected=list(border),
                evidence=edge.evidence,
            )


def _compared(given: ConformanceInput, leaf: object) -> tuple[CompareOp | None, FieldSpec | None, float]:
    """The comparison of a field with a number, the field first; None where it is none."""
    if not isinstance(leaf, Compare) or leaf.op not in _BORDERS:
        return None, None, _NO_WORD
    op, ref, literal = leaf.op, leaf.left, leaf.right
    if isinstance(ref, Literally):
        op, ref, literal = _TURNED[op], leaf.right, leaf.left
    if not isinstance(ref, Ref) or not isinstance(literal, Literally):
        return None, None, _NO_WORD
    value = literal.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None, None, _NO_WORD
    return op, given.analysis.scope.spec(ref), value


def _quotes(evidence: tuple[Evidence, ...], value: float, spec: FieldSpec) -> Iterator[tuple[Evidence, CompareOp]]:
    """The quotes in which a number stands beside words for a comparison, with that comparison."""
    unit = unit_word(spec.unit) if spec.unit else None
    for item in evidence:
        cues = _cues(item.quote)
        for limit in limits_in(item.quote, cues):
            own = limit.quantity
            amount = convert(own.value, own.unit.id, unit.id) if unit and own.unit.id else own.value
            if (
                amount == value
                and not limit.forbidden
                and limit.op in _BORDERS
                and not _either(item.quote, limit, cues)
            ):
                yield item, limit.op


def _cues(words: str) -> Lexicon:
    return lexicon("zh" if any("\u4e00" <= char <= "\u9fff" for char in words) else "en")


def _either(quote: str, limit: Limit, cues: Lexicon) -> bool:
    """Whether the words of a comparison may mean either border (`以上`, `from … to`)."""
    if cues.language == "zh":
        return limit.start == limit.quantity.start and limit.end > limit.quantity.end
    return quote[limit.start : limit.quantity.start].strip().lower().startswith(("from", "between", "to", "and"))


def inverted_condition(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A step is done in just the cases in which its sentence says that it is not.

    What: an edge leads to the only node that rests on a sentence; the words of its condition stand in that sentence
        and compare with a number, without a negation or an exception beside them; and the condition is the opposite.
    Why: what is meant for the large sums is done for the small ones, and not for the large.
    Bad: “Requests above 50,000 are approved by the director”, with `amount <= 50000` on the edge to the director.
    Good: `amount > 50000`
    """
    for index, edge in enumerate(given.workflow.edges):
        tree = edge.condition
        parts = tree.items if isinstance(tree, Junction) and tree.op == "and" else (tree,)
        for leaf in parts if edge.origin == "document" else ():
            op, spec, value = _compared(given, leaf)
            if op is None or spec is None:
                continue
            said = {(word, quote) for quote, word in _quotes(edge.evidence, value, spec)}
            against = [quote for word, quote in said if word != op and op in _BORDERS[word]]
            quote = against[0] if len(said) == 1 and against else None
            if quote is not None and _leads_to_its_own_act(given, edge.target, quote):
                yield error(
                    "inverted-condition",
                    f"{edge_name(edge)}: {condition_words(leaf)} is the opposite of “{quote.quote}”, on which it rests",
                    at_edge(given.workflow, index, "condition"),
                    found=op,
                    expected=next(word for word, _ in said),
                    evidence=(quote,),
                )


def vacuous_condition(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A condition holds always, though the words that it rests on set a limit.

    What: the solver proves that an edge's condition can never be false, and its words compare with a number.
    Why: what the document demands in some cases is done in all, or what stands in the way never does.
    Bad: “above 50,000” with `amount > 50000 or amount <= 50000`.
    Good: `amount > 50000`
    """
    for source in given.leaving:
        proved = given.analysis.proofs.branches(source) if source in given.analysis.graph.out else None
        for index in sorted(proved.certain) if proved is not None else ():
            edge = given.workflow.edges[index]
            quotes = [one for one in edge.evidence if one.supports and limits_in(one.quote, _cues(one.quote))]
            if edge.origin == "document" and quotes and isinstance(edge.condition, Tree):
                yield error(
                    "vacuous-condition",
                    f"{edge_name(edge)}: {condition_words(edge.condition)} can never be false, but rests on "
                    f"“{quotes[0].quote}”, which sets a limit",
                    at_edge(given.workflow, index, "condition"),
                    evidence=(quotes[0],),
                )


_TURNS = re.compile(
    r"\b(?:unless|except|otherwise|others?|not|no|never|without|rest|remaining)\b|n't\b|[不未无非]|除|其他|其余|否则",
    re.IGNORECASE,
)
"""Words that may turn what stands beside them into its opposite."""


def _leads_to_its_own_act(given: ConformanceInput, target: str, quote: Evidence) -> bool:
    """Whether a node, and no other, rests on the sentence in which plain words for a limit stand."""
    sentence = _sentence(given, quote)
    if sentence is None or _TURNS.search(sentence.text):
        return False
    spans = {name: spans_of([Element(evidence=node.evidence)]) for name, node in given.workflow.nodes.items()}
    return [name for name, own in spans.items() if overlaps(sentence, own)] == [target]


def _sentence(given: ConformanceInput, quote: Evidence) -> Piece | None:
    span = quote.span
    document = next((one for one in given.documents if one.doc_id == quote.doc_id), None)
    text = document.text_at(span.block) if document is not None and span is not None else None
    if span is None or document is None or text is None:
        return None
    found = sentences(Piece(span.block, 0, len(text), text), document.language)
    return next((piece for piece in found if piece.start <= span.start < piece.end), None)


CHECKS = (comparison_against_words, inverted_condition, vacuous_condition)
