"""What in a case is not as it was, in sentences."""

from pydantic import JsonValue

from compiler.report.words import Words
from ir.fields import FieldSpec
from ir.predicate import Ref
from review.cases.tested import Tested
from validator.examples.kept import Difference


def difference_words(tested: Tested, one: Difference, words: Words) -> str:
    """A difference in a sentence of the reader's language."""
    nodes = tested.workflow.nodes

    def name(node: JsonValue) -> str:
        known = nodes.get(str(node))
        return words("case.named", known.label if known is not None and known.label else str(node))

    def listed(found: list[JsonValue]) -> str:
        return words("list_comma").join(map(name, found))

    if one.what == "way" and isinstance(one.expected, list) and isinstance(one.found, list):
        lost = [node for node in one.expected if node not in one.found]
        new = [node for node in one.found if node not in one.expected]
        parts = [words("differs.no_longer", listed(lost))] if lost else []
        parts += [words("differs.now", listed(new))] if new else []
        told = words("case.semicolon").join(parts) or words("differs.order")
        return words("differs.after", name(one.at), told) if one.at is not None else told
    what = one.name or ""
    if one.what == "end":
        what = words(f"differs.{what.replace(' ', '_')}")
    spec: FieldSpec | None = None
    if one.what == "output":
        what = words("differs.output", what)
    elif one.what == "rows" and one.at is not None:
        ref = Ref(f"$.outputs.{one.at}.{one.name}")
        spec = tested.targets.analysis.scope.spec(ref)
        what = words("differs.at", name(one.at), tested.teller.reader.ref_name(ref))
    expected, found = (_value(tested, value, one, words, spec) for value in (one.expected, one.found))
    return words("differs.value", what, expected, found)


def _value(tested: Tested, value: JsonValue, one: Difference, words: Words, spec: FieldSpec | None) -> str:
    if value is None:
        return words("differs.nothing")
    if one.what == "end" and one.name == "status":
        return words("answer.undecided" if value == "undecided" else f"end.{value}")
    if one.what == "end" and one.name == "open at":
        return words("case.named", tested.teller.reader.node_name(str(value)))
    return tested.teller.reader.value(value, spec)
