"""Conditions in words, for messages and explanations."""

from ir.infix import to_infix
from ir.predicate import Always, AnyCondition, Otherwise


def condition_words(condition: AnyCondition) -> str:
    """A condition on one line, in the form that people may also write.

    >>> from ir.predicate import parse_tree
    >>> condition_words(parse_tree({"in": ["$.outputs.level.hazard_level", [1, 2]]}))
    '$.outputs.level.hazard_level in [1, 2]'
    """
    if isinstance(condition, Always):
        return "always"
    return "otherwise" if isinstance(condition, Otherwise) else to_infix(condition)
