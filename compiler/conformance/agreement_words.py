"""Does a comparison say what the words say that it was read from?"""

from collections.abc import Iterator

from compiler.conformance.conformance_input import ConformanceInput
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.ranges import comparator
from ir.diagnostics import Diagnostic
from ir.fields import FieldSpec
from ir.predicate import Compare, CompareOp, Literally, Ref, leaves
from ir.quantities.numerals import find_numbers
from ir.quantities.units import convert, find_quantities, unit_word
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
    for item in evidence:
        cues = lexicon("zh" if any("\u4e00" <= char <= "\u9fff" for char in item.quote) else "en")
        for start, end, amount in _amounts(item.quote, spec):
            word = _word(item.quote[:start], item.quote[end:], cues) if amount == value else None
            if word is not None:
                yield item.quote, word


def _amounts(quote: str, spec: FieldSpec) -> Iterator[tuple[int, int, float]]:
    """The numbers of a quote with their places, in the unit of a field where they have one that converts."""
    unit = unit_word(spec.unit) if spec.unit else None
    quantities = find_quantities(quote)
    for number in find_numbers(quote):
        quantity = next((one for one in quantities if one.start <= number.start < one.end), None)
        amount = convert(quantity.value, quantity.unit.id, unit.id) if quantity and unit else None
        start, end = (quantity.start, quantity.end) if quantity else (number.start, number.end)
        if amount is not None or quantity is None or unit is None:
            yield start, end, number.value if amount is None else amount


def _word(before: str, after: str, cues: Lexicon) -> CompareOp | None:
    """The comparison that stands around a number; None where there is none, or its words may mean either border."""
    found = comparator(before, after, cues)
    if found is None or found[0] not in _BORDERS:
        return None
    op, lead, tail = found
    if cues.language == "zh" and tail:
        return None
    said = before[len(before) - lead :].strip().lower() if lead else ""
    return None if said.startswith(("from", "between")) else op


CHECKS = (comparison_against_words,)
