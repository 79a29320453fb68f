"""Is a literal a value, and no code, template or prompt?"""

import re
from collections.abc import Iterator

from pydantic import JsonValue

from ir.diagnostics import Diagnostic, Location
from ir.fields import FieldSpec
from ir.predicate import Literally
from validator.analysis.locations import at_node, at_workflow
from validator.check_input import CheckInput, error

_CODE = re.compile(
    r"\{\{|\}\}|\$\{|<%|%>|</?script\b|=>|\b(?:eval|exec|require|__import__)\s*\(|\bfunction\s*\w*\s*\(|\blambda\b[^:]*:"
    r"|^\s*(?:def|class|import|from)\s+\w+.*(?::|\bimport\b)|\b(?:select\b.+\bfrom|insert\s+into|delete\s+from|drop\s+table)\b"
    r"|;\s*(?:rm|curl|wget|drop|select)\b|`[^`]+`|\|\s*(?:sh|bash)\b",
    re.IGNORECASE | re.DOTALL,
)
_PROMPT = re.compile(
    r"\byou are (?:an?|the|now)\s+\w+|\b(?:ignore|disregard)\b.{0,30}\b(?:instructions?|above|previous)\b|\bas an ai\b"
    r"|\b(?:system|user|assistant)\s*(?:prompt\b|:\s)|\bthink step by step\b"
    r"|\b(?:respond|answer|reply) (?:only )?(?:with|in) json\b",
    re.IGNORECASE,
)
_FOR_PEOPLE = re.compile(r"(?:text|body|subject|content|description|comment|summary|question|note|purpose|matter)$")
"""Concepts and names of fields whose words people read."""


def code_in_literal(given: CheckInput) -> Iterator[Diagnostic]:
    """A literal holds code, a template or a prompt.

    What: a literal input of a node, an output of the workflow, what an end gives, or what a row of a rule pack gives is
        text that reads as a program, a template with placeholders or an instruction to a model. Fields whose words
        people read may.
    Why: a workflow is data; whatever runs such a text runs what nobody declared, reviewed or allowed.
    Bad: `"query": {"value": "SELECT * FROM invoices"}`
    Good: a Node Type that does it, with its fields.
    """
    for name, node in given.workflow.nodes.items():
        fields = given.analysis.scope.inputs(name) or {}
        for key, value in node.inputs.items():
            if isinstance(value, Literally):
                yield from _faults(value.value, key, fields.get(key), at_node(given.workflow, name, "inputs", key))
        for key, value in (node.results or {}).items():
            if isinstance(value, Literally):
                yield from _faults(value.value, key, None, at_node(given.workflow, name, "results", key))
    for key, value in given.workflow.outputs.items():
        if isinstance(value, Literally):
            yield from _faults(value.value, key, None, at_workflow(given.workflow, "outputs", key))
    for pack, rules in given.workflow.rule_packs.items():
        for at, rule in enumerate(rules.rules):
            for key, held in rule.outcome.items():
                place = at_workflow(given.workflow, "rule_packs", pack, "rules", at, "outcome", key)
                yield from _faults(held, key, None, place)


def _faults(value: JsonValue, key: str, spec: FieldSpec | None, place: Location) -> Iterator[Diagnostic]:
    concept = spec.concept if spec is not None and spec.concept else ""
    if _FOR_PEOPLE.search(key) or _FOR_PEOPLE.search(concept):
        return
    for text in _texts(value):
        kind = "code or a template" if _CODE.search(text) else "a prompt" if _PROMPT.search(text) else None
        if kind is not None:
            shown = text if len(text) <= 60 else text[:59] + "…"
            yield error(
                "code-in-literal",
                f'"{key}" is given {kind}: “{shown}”; expected a value',
                place,
                found=text,
                expected="a value, or a Node Type that does this",
            )


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)


CHECKS = (code_in_literal,)
