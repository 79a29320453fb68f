"""Conditions and quotes in words, for messages and explanations."""

import json
from collections.abc import Iterable

from pydantic import JsonValue

from ir.formula import parse_expression
from ir.formulas.infix import to_formula
from ir.infix import to_infix
from ir.predicate import Always, AnyCondition, ConditionError, Otherwise
from ir.source import Evidence


def condition_words(condition: AnyCondition) -> str:
    """A condition on one line, in the form that people may also write.

    >>> from ir.predicate import parse_tree
    >>> condition_words(parse_tree({"in": ["$.outputs.level.hazard_level", [1, 2]]}))
    '$.outputs.level.hazard_level in [1, 2]'
    """
    if isinstance(condition, Always):
        return "always"
    return "otherwise" if isinstance(condition, Otherwise) else to_infix(condition)


def formula_words(formula: JsonValue) -> str:
    """A formula in JSON form on one line; as JSON where it is none.

    >>> formula_words({"mul": ["$.inputs.price", {"percent": [5]}]})
    '$.inputs.price * 5%'
    """
    try:
        return to_formula(parse_expression(formula))
    except ConditionError:
        return json.dumps(formula, ensure_ascii=False)


def cut(text: str) -> str:
    """A quote as far as a message shows it."""
    return text if len(text) <= 60 else text[:59] + "…"


def quoted_places(evidence: Iterable[Evidence]) -> frozenset[tuple[object, ...]]:
    """Which words evidence quotes: their places, or the quotes that nobody has placed yet; to be compared.

    >>> one, other = Evidence(doc_id="a", quote="x"), Evidence(doc_id="a", quote="x", status="exact")
    >>> quoted_places([one]) == quoted_places([other])
    True
    """
    return frozenset(
        (one.doc_id, one.quote, one.occurrence) if one.span is None else (one.doc_id, one.block, one.start, one.end)
        for one in evidence
    )
