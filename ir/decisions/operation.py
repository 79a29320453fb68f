"""Corrections as typed operations, each on elements that it names by a `Mark`; conditions and formulas are infix text.

Those of the *procedure* say what the document says and are carried out before anything is drafted; those of the *draft*
say how it is carried out. What of the document an operation takes the place of stands in its `was`, so that it is seen
when the document has changed the same.
"""

from typing import Annotated, Literal, get_args

from pydantic import Field, JsonValue, TypeAdapter, model_validator

from ir.base import Model
from ir.decisions.anchor import Anchor, Mark
from ir.duration import Duration
from ir.fields import FieldType
from ir.procedure import EndStatus, FlowKind, StepKind
from ir.workflow import RiskLevel

NEW_ID = r"^[A-Za-z_][A-Za-z0-9_]*$"
Id = Annotated[str, Field(pattern=NEW_ID)]
StepField = Literal["text", "kind", "actor", "object", "recipient", "modality", "outcomes", "ends"]
FactField = Literal["name", "type", "concept", "unit", "enum", "required"]
EdgeField = Literal["condition", "kind", "priority", "ends", "to"]
PolicyField = Literal["risk_level", "allow_auto", "require_approval"]


class AddStep(Model):
    """A step that the reading does not have, put after another; what came after that one comes after it.

    After an approval whose ways say what it decided, it comes where that grants.

    Args:
        id: unique in the procedure.
        after: a step, or `start`.
        condition: of the ways of `after` that lead to it: infix text or `otherwise`; the others lead where they led.
        quote: the words of the document that prescribe it; None where it is the person's alone.
        places: a text without a place that has its place by it.
    """

    do: Literal["add_step"] = "add_step"
    id: Id
    text: str = Field(min_length=1)
    kind: StepKind = "task"
    actor: str | None = None
    after: Mark
    condition: str | None = None
    names: tuple[Mark, ...] = ()
    quote: Anchor | None = None
    places: Mark | None = None


class ChangeStep(Model):
    """One field of a step; `outcomes` is a list, `kind`, `modality` and `ends` one of their words."""

    do: Literal["change_step"] = "change_step"
    step: Mark
    field: StepField
    value: JsonValue
    was: JsonValue = None


class RemoveStep(Model):
    """A step that is none; what led to it leads on to what came after it."""

    do: Literal["remove_step"] = "remove_step"
    step: Mark


class MoveStep(Model):
    """A step at another place in the order: after another, or first."""

    do: Literal["move_step"] = "move_step"
    step: Mark
    after: Mark


class SetCondition(Model):
    """What a condition, a constraint or a trigger says, decidably.

    Args:
        on: the condition or constraint.
        text: in infix over `$.facts.ID`, `$.steps.ID.outcome`, `$.results.ID`.
        names: marks of what the text refers to.
        was: its text before, None where it was not definite.
    """

    do: Literal["set_condition"] = "set_condition"
    on: Mark
    text: str = Field(min_length=1)
    names: tuple[Mark, ...] = ()
    was: str | None = None


class AddEdge(Model):
    """A way from a step (or `start`) to a step (or `end`).

    Args:
        condition: infix text, `otherwise`, or None for always.
        ends: for a way to `end`, with which status.
    """

    do: Literal["add_edge"] = "add_edge"
    source: Mark = Field(alias="from")
    target: Mark = Field(alias="to")
    kind: FlowKind = "sequence"
    condition: str | None = None
    names: tuple[Mark, ...] = ()
    priority: int | None = None
    ends: EndStatus | None = None


class ChangeEdge(Model):
    """One field of a way; `condition` is infix text, `otherwise` or None; `to` is the id that `target` marks."""

    do: Literal["change_edge"] = "change_edge"
    edge: Mark
    source: Mark = Field(alias="from")
    target: Mark = Field(alias="to")
    field: EdgeField
    value: JsonValue
    names: tuple[Mark, ...] = ()
    was: JsonValue = None


class RemoveEdge(Model):
    """A way that is none."""

    do: Literal["remove_edge"] = "remove_edge"
    edge: Mark
    source: Mark = Field(alias="from")
    target: Mark = Field(alias="to")


class SetDeadline(Model):
    """By when a step is done; `duration` None takes the deadline away.

    Args:
        start: what it counts from, in words.
    """

    do: Literal["set_deadline"] = "set_deadline"
    step: Mark
    duration: Duration | None
    start: str | None = Field(default=None, alias="from")
    was: str | None = None


class AddFact(Model):
    """A fact that conditions may read."""

    do: Literal["add_fact"] = "add_fact"
    id: Id
    name: str = Field(min_length=1)
    type: FieldType
    concept: str | None = None
    unit: str | None = None
    enum: tuple[str | int, ...] | None = None
    required: bool = True
    quote: Anchor | None = None


class ChangeFact(Model):
    """One field of a fact."""

    do: Literal["change_fact"] = "change_fact"
    fact: Mark
    field: FactField
    value: JsonValue
    was: JsonValue = None


class RemoveFact(Model):
    """A fact that nothing reads."""

    do: Literal["remove_fact"] = "remove_fact"
    fact: Mark


class RowText(Model):
    """A row of a result as it was."""

    formula: str | None = None
    condition: str | None = None


class SetRow(Model):
    """A row of a result: what it is, and when.

    Args:
        row: its number from 0; the number of rows adds one at the end.
        formula: infix text over `$.facts.ID` and `$.results.ID`; None takes the row away.
        condition: infix text; None in all cases that no row before it names.
        was: formula and condition before, each as text; None for a new row.
    """

    do: Literal["set_row"] = "set_row"
    result: Mark
    row: int = Field(ge=0)
    formula: str | None
    condition: str | None = None
    names: tuple[Mark, ...] = ()
    was: RowText | None = None


class PlaceText(Model):
    """A text without a place belongs to a step or a constraint that is there."""

    do: Literal["place_text"] = "place_text"
    text: Mark
    at: Mark


class SetTitle(Model):
    """What the procedure is called; its id stays."""

    do: Literal["set_title"] = "set_title"
    value: str = Field(min_length=1)
    was: str | None = None


class MapType(Model):
    """Which Node Type carries a step out; None leaves it to a person."""

    do: Literal["map_type"] = "map_type"
    step: Mark
    type: str | None


class BindInput(Model):
    """Where an input of the node that carries a step out comes from: one of a literal, an input, an output of a step.

    Args:
        literal: as JSON.
        given: name of an input of the workflow.
        step_of, output: the step whose node gives it, and under which name.
    """

    do: Literal["bind_input"] = "bind_input"
    step: Mark
    input: str
    literal: JsonValue = None
    given: str | None = None
    step_of: Mark | None = None
    output: str | None = None

    @model_validator(mode="after")
    def _one_source(self) -> "BindInput":
        sources = [self.literal is not None, self.given is not None, self.step_of is not None]
        if sum(sources) != 1 or (self.step_of is None) != (self.output is None):
            raise ValueError("give one of `literal`, `given`, or `step_of` with `output`")
        return self


class RuleText(Model):
    """A row of a rule pack as it was."""

    condition: str | None = None
    outcome: dict[str, JsonValue] = {}


class SetRule(Model):
    """A row of a rule pack: when it holds, and what it gives.

    Args:
        step: whose node applies the pack.
        rule: the row; None adds one at the end.
        condition: infix over `$.inputs.NAME` of the node; None holds always.
        outcome: what is given, by name.
        was: the row before.
    """

    do: Literal["set_rule"] = "set_rule"
    step: Mark
    rule: Mark | None = None
    condition: str | None = None
    outcome: dict[str, JsonValue] = Field(min_length=1)
    was: RuleText | None = None


class SetPolicy(Model):
    """A premise under which the workflow may run at all."""

    do: Literal["set_policy"] = "set_policy"
    field: PolicyField
    value: RiskLevel | bool


ProcedureOperation = (
    AddStep | ChangeStep | RemoveStep | MoveStep | SetCondition | AddEdge | ChangeEdge | RemoveEdge | SetDeadline
    | AddFact | ChangeFact | RemoveFact | SetRow | PlaceText | SetTitle
)  # fmt: skip
DraftOperation = MapType | BindInput | SetRule | SetPolicy
AnyOperation = ProcedureOperation | DraftOperation
Operation = Annotated[AnyOperation, Field(discriminator="do")]
OPERATIONS: tuple[type[AnyOperation], ...] = get_args(AnyOperation)
OPERATION: TypeAdapter[AnyOperation] = TypeAdapter(Operation)
"""Reads an operation of any sort."""


def marks_of(operation: AnyOperation) -> tuple[Mark, ...]:
    """Every element that an operation names."""
    found: list[Mark] = []
    for name in type(operation).model_fields:
        value = getattr(operation, name)
        listed = value if isinstance(value, tuple) else (value,)
        found += [one for one in listed if isinstance(one, Mark)]
    return tuple(found)
