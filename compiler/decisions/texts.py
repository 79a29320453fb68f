"""Conditions and formulas of operations: text with names as people write them, and with marks of what they name."""

from collections.abc import Iterable, Mapping

from compiler.decisions.anchoring import Anchoring
from compiler.decisions.elements import elements
from compiler.decisions.unfit import UnfitError
from ir.decisions.anchor import Mark, Subject
from ir.formula import Constant, Expression, Item, expression_references, replace_parts
from ir.formulas.infix import parse_formula, to_formula
from ir.infix import InfixError, parse_infix, to_infix
from ir.predicate import ConditionError, Ref, Tree, references, substitute
from ir.procedure import Procedure

KINDS: Mapping[str, Subject] = {"facts": "fact", "steps": "step", "results": "result"}
"""What references of a procedure name, by their root."""


def names_of(procedure: Procedure) -> dict[str, str]:
    """References by the names that a person may write for them: ids, and what the document calls things."""
    named: dict[str, str] = {}
    for result in procedure.results:
        named[result.name] = named[result.id] = f"$.results.{result.id}"
    for fact in procedure.facts:
        named[fact.name] = named[fact.id] = f"$.facts.{fact.id}"
    for step in procedure.steps:
        named.setdefault(step.id, f"$.steps.{step.id}")
    return {name: ref for name, ref in named.items() if name.strip() == name and name}


def condition_of(field: str, text: str, names: Mapping[str, str]) -> Tree:
    """A condition that a person wrote.

    Raises:
        UnfitError: it is none; the message has the column.
    """
    try:
        return parse_infix(text, names)
    except (InfixError, ConditionError) as error:
        raise UnfitError(field, f"{error}; write it as `amount > 5000`") from None


def formula_of(field: str, text: str, names: Mapping[str, str]) -> Expression:
    """A formula that a person wrote.

    Raises:
        UnfitError: it is none; the message has the column.
    """
    try:
        return parse_formula(text, names)
    except (InfixError, ConditionError) as error:
        raise UnfitError(field, f"{error}; write it as `amount * 5%`") from None


def marked(procedure: Procedure, anchoring: Anchoring, read: Iterable[Ref]) -> tuple[Mark, ...]:
    """Marks of what references name."""
    wanted = dict.fromkeys((KINDS[ref.root], ref.path[0]) for ref in read if ref.root in KINDS)
    own = {(one.kind, one.id): one for one in elements(procedure)}
    return tuple(own[key].mark(anchoring) for key in wanted if key in own)


def renamed_condition(text: str, ids: Mapping[tuple[str, str], str]) -> str:
    """A condition whose references name things by the ids that they have now."""
    return to_infix(substitute(parse_infix(text), lambda ref: _renamed(ref, ids)))


def renamed_formula(text: str, ids: Mapping[tuple[str, str], str]) -> str:
    """A formula, likewise."""

    def one(part: Ref | Constant | Item) -> Expression:
        return _renamed(part, ids) if isinstance(part, Ref) else part

    return to_formula(replace_parts(parse_formula(text), one))


def unknown_names(procedure: Procedure, read: Iterable[Ref]) -> tuple[str, ...]:
    """References to what the procedure does not have."""
    own = {(one.kind, one.id) for one in elements(procedure)}
    return tuple(ref.text for ref in read if (KINDS.get(ref.root, ""), ref.path[0]) not in own)


def read_by(tree: Tree | Expression | None) -> tuple[Ref, ...]:
    """The references of a condition or a formula."""
    if tree is None:
        return ()
    return tuple(references(tree)) if isinstance(tree, Tree) else expression_references(tree)


def _renamed(ref: Ref, ids: Mapping[tuple[str, str], str]) -> Ref:
    now = ids.get((KINDS.get(ref.root, ""), ref.path[0]))
    return Ref(".".join(("$", ref.root, now, *ref.path[1:]))) if now else ref
