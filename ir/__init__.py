"""The language: documents, procedures, workflows, conditions and diagnostics.

`from ir import Workflow` and `from ir.workflow import Workflow` are the same; a module is imported when a name of it is
first asked for. The functions `walk` and `normalise` bear their modules' names and are only there: `ir.walk.walk`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ir.base import Model, canonical_json
    from ir.codec import digest, read_form, read_json, read_workflow, read_yaml, write_json, write_yaml
    from ir.diagnostics import Diagnostic, Fix, Location, Related, Severity, has_errors
    from ir.document import Block, Cell, Document, Label, Passage
    from ir.duration import Calendar, Duration, duration_length
    from ir.facts import Binding, Bindings, DocumentRole, Entry, Found, Quantity, Reference
    from ir.fields import Fields, FieldSpec, object_schema
    from ir.formula import Formula, expression_json, parse_expression
    from ir.formulas.evaluate import FormulaFault, compute
    from ir.formulas.infix import parse_formula, to_formula
    from ir.infix import InfixError, parse_infix, to_infix
    from ir.normalise import declared_outputs
    from ir.predicate import (
        ALWAYS,
        OTHERWISE,
        Compare,
        ConditionError,
        Junction,
        Literally,
        Not,
        Null,
        Ref,
        Tree,
        condition_json,
        evaluate,
        parse_condition,
        parse_tree,
        references,
    )
    from ir.procedure import ConditionText, Constraint, Deadline, Fact, Flow, Gap, Procedure, Step, UnplacedText
    from ir.scenario import Scenario, Scenarios
    from ir.schema import json_schema, schema_texts
    from ir.source import Evidence, Grounding, Language, Source, Span
    from ir.walk import Outcome, Undecided, Walk, WalkResult, topological_order
    from ir.workflow import Edge, ExecutionPolicy, InputSpec, Node, NodePolicy, Trigger, Workflow

__all__ = [
    "ALWAYS",
    "OTHERWISE",
    "Binding",
    "Bindings",
    "Block",
    "Calendar",
    "Cell",
    "Compare",
    "ConditionError",
    "ConditionText",
    "Constraint",
    "Deadline",
    "Diagnostic",
    "Document",
    "DocumentRole",
    "Duration",
    "Edge",
    "Entry",
    "Evidence",
    "ExecutionPolicy",
    "Fact",
    "FieldSpec",
    "Fields",
    "Fix",
    "Flow",
    "Formula",
    "FormulaFault",
    "Found",
    "Gap",
    "Grounding",
    "InfixError",
    "InputSpec",
    "Junction",
    "Label",
    "Language",
    "Literally",
    "Location",
    "Model",
    "Node",
    "NodePolicy",
    "Not",
    "Null",
    "Outcome",
    "Passage",
    "Procedure",
    "Quantity",
    "Ref",
    "Reference",
    "Related",
    "Scenario",
    "Scenarios",
    "Severity",
    "Source",
    "Span",
    "Step",
    "Tree",
    "Trigger",
    "Undecided",
    "UnplacedText",
    "Walk",
    "WalkResult",
    "Workflow",
    "canonical_json",
    "compute",
    "condition_json",
    "declared_outputs",
    "digest",
    "duration_length",
    "evaluate",
    "expression_json",
    "has_errors",
    "json_schema",
    "object_schema",
    "parse_condition",
    "parse_expression",
    "parse_formula",
    "parse_infix",
    "parse_tree",
    "read_form",
    "read_json",
    "read_workflow",
    "read_yaml",
    "references",
    "schema_texts",
    "to_formula",
    "to_infix",
    "topological_order",
    "write_json",
    "write_yaml",
]

_MODULES = (
    "base source diagnostics duration fields predicate document procedure facts formula "
    "workflow formulas.infix formulas.evaluate walk scenario infix normalise codec schema"
)


def __getattr__(name: str) -> object:
    """Import modules, the lightest first, up to the one that has the name."""
    if name in __all__:
        for module in _MODULES.split():
            found = vars(import_module(f"ir.{module}")).get(name)
            if found is not None:
                return found
    raise AttributeError(f"module 'ir' has no attribute {name!r}")
