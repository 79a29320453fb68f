"""Does a comparison say what the words say that it was read from?"""

from collections.abc import Iterator

from compiler.conformance.conformance_input import ConformanceInput
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.limits import Limit, limits_in
from ir.diagnostics import Diagnostic
from ir.fields import FieldSpec
from ir.predicate import Compare, CompareOp, Literally, Ref, leaves
from ir.quantities.units import convert, unit_word
from ir.source import Evidence
from validator.analysis.locations import at_edge, edge_name
from validator.analysis.wording import condition_words
from validator.check_input import warning

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
            said = {_BORDERS[word]: quote for quote, word in _words(edge.evidence, value, spec)}
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


def _words(evidence: tuple[Evidence, ...], value: float, spec: FieldSpec) -> Iterator[tuple[str, CompareOp]]:
    """The quotes in which a number stands beside words for a comparison, with that comparison."""
    unit = unit_word(spec.unit) if spec.unit else None
    for item in evidence:
        cues = lexicon("zh" if any("\u4e00" <= char <= "\u9fff" for char in item.quote) else "en")
        for limit in limits_in(item.quote, cues):
            own = limit.quantity
            amount = convert(own.value, own.unit.id, unit.id) if unit and own.unit.id else own.value
            if (
                amount == value
                and not limit.forbidden
                and limit.op in _BORDERS
                and not _either(item.quote, limit, cues)
            ):
                yield item.quote, limit.op


def _either(quote: str, limit: Limit, cues: Lexicon) -> bool:
    """Whether the words of a comparison may mean either border (`以上`, `from … to`)."""
    if cues.language == "zh":
        return limit.start == limit.quantity.start and limit.end > limit.quantity.end
    return quote[limit.start : limit.quantity.start].strip().lower().startswith(("from", "between", "to", "and"))


CHECKS = (comparison_against_words,)
