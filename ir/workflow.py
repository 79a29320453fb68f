"""The DSL: a workflow as a static, closed, declarative object. What may be run is all here, and nothing else."""

from typing import Literal

from pydantic import Field, JsonValue, model_validator

from ir.base import Model
from ir.duration import Calendar, CalendarName, Duration
from ir.fields import Fields, FieldSpec
from ir.formula import Formula
from ir.predicate import ALWAYS, Condition, Predicate, Ref, Value
from ir.procedure import Deadline, EndStatus, Gap
from ir.source import Evidence, Language

DSL_VERSION = "1.0"
RiskLevel = Literal["low", "medium", "high"]
RISK_ORDER: dict[RiskLevel, int] = {"low": 0, "medium": 1, "high": 2}
NAME = r"^[A-Za-z_][A-Za-z0-9_-]*$"
REFERENCE_TEXT = r"^\$\.(inputs|outputs)(\.[A-Za-z_][A-Za-z0-9_-]*)+$"

HUMAN_INPUT, HUMAN_APPROVAL, HUMAN_TASK = "human.input", "human.approval", "human.task"
CONTROL_START, CONTROL_END, CONTROL_CALL = "control.start", "control.end", "control.call"
CONTROL_COMPUTE = "control.compute"


class InputSpec(FieldSpec):
    """A fact that a run must be given, and the words that ask for it.

    Args:
        origin: `person` where a person corrected it: its description is then what it is called everywhere.
    """

    origin: Literal["document", "person"] = "document"
    evidence: tuple[Evidence, ...] = ()

    @property
    def is_required(self) -> bool:
        """Whether a run cannot start without it; absent means yes."""
        return self.required is not False and self.default is None


class ResultSpec(FieldSpec):
    """What a run gives, as the document names it: a class, a status, an entry of a report, the problems found.

    `required` absent means that every run that completes gives it. `default` is what the document says stands where no
    end and no output gives it. Of an array every end that a run comes to gives members.

    Args:
        report: the report that it is an entry of, in the document's words.
    """

    report: str | None = None
    evidence: tuple[Evidence, ...] = ()

    @property
    def is_required(self) -> bool:
        """Whether every run that completes gives it; absent means yes."""
        return self.required is not False and not self.nullable


class NodePolicy(Model):
    """Governance of one node; it may only be tighter than the Node Type's own.

    Args:
        timeout: ISO 8601 duration.
        max_attempts: 1 means no retry; more is legal only for idempotent and retryable Types.
        backoff: ISO 8601 duration between attempts.
    """

    risk_level: RiskLevel | None = None
    requires_allowlist: bool | None = None
    idempotent: bool | None = None
    timeout: Duration | None = None
    max_attempts: int | None = Field(default=None, ge=1)
    backoff: Duration | None = None


class PolicyDefaults(Model):
    """Limits for the nodes that set none of their own."""

    timeout: Duration | None = None
    max_attempts: int | None = Field(default=None, ge=1)
    backoff: Duration | None = None


class ExecutionPolicy(Model):
    """Under what premises the workflow may run at all.

    Args:
        allow_auto: it may start and advance without a person.
        require_approval: a `human.approval` must be in it.
    """

    risk_level: RiskLevel
    allow_auto: bool = False
    require_approval: bool = False
    defaults: PolicyDefaults = PolicyDefaults()


class CalledWorkflow(Model):
    """The workflow that a `control.call` node runs."""

    workflow_id: str = Field(pattern=NAME)
    version: str = Field(pattern=r"^v[1-9]\d*$")


class Node(Model):
    """One use of a Node Type.

    Args:
        id: optional; equals the key in `nodes`.
        type: a registered Node Type, `namespace.name`.
        type_version: semver range in a draft (`^1.0.0`, `1.0.0`).
        step_ids: the steps of the procedure that the node carries out.
        actor: the role that acts or answers for it, in the document's words.
        inputs: for each input of the Type a reference or a literal.
        split: how edges with conditions are chosen; None stands for `exclusive`.
        assumed_outputs: what the node is held to give where its Type does not say it, in the document's words; checked
            when it first gives something.
        rule_pack: id of the rule pack that a decision node applies.
        origin: `document`, `primer:NAME@VERSION`, `repair` or `person`.
        requested_fields: (human.input) what the person is asked for; the node's outputs.
        approvers: (human.approval) roles.
        question: (human.input, human.approval) what the person is asked.
        assignee, instruction, outcomes: (human.task) who does what, and in what it can end.
        status, reason_code: (control.end) how the run ends there.
        results: (control.end) by name of a result of the workflow, what a run that ends there gives.
        call: (control.call) which workflow is run.
    """

    id: str | None = None
    type: str
    type_version: str | None = None
    label: str | None = None
    step_ids: tuple[str, ...] = ()
    actor: str | None = None
    inputs: dict[str, Value] = {}
    deadline: Deadline | None = None
    policy: NodePolicy = NodePolicy()
    split: Literal["exclusive", "inclusive"] | None = None
    assumed_outputs: Fields | None = None
    rule_pack: str | None = None
    origin: str = Field(default="document", pattern=r"^(document|repair|person|primer:[a-z0-9-]+@\d+\.\d+\.\d+)$")
    evidence: tuple[Evidence, ...] = ()
    requested_fields: Fields | None = None
    approvers: tuple[str, ...] | None = None
    question: str | None = None
    assignee: str | None = None
    instruction: str | None = None
    outcomes: tuple[str, ...] | None = None
    status: EndStatus | None = None
    reason_code: str | None = Field(default=None, pattern=r"^[A-Z][A-Z0-9_]*$")
    results: dict[str, Value] | None = None
    call: CalledWorkflow | None = None

    @property
    def references(self) -> dict[str, Ref]:
        """The inputs that are references."""
        return {name: value for name, value in self.inputs.items() if isinstance(value, Ref)}


class Edge(Model):
    """A legal route.

    Args:
        condition: `always` (stored where none is given), `otherwise`, or a tree.
        priority: of the true conditional edges of a node those of the smallest number are taken; None comes last.
        on: `success` edges are taken when the node succeeds, `error` edges when it fails.
    """

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    condition: Condition = ALWAYS
    priority: int | None = None
    on: Literal["success", "error"] = "success"
    label: str | None = None
    origin: str = Field(default="document", pattern=r"^(document|repair|person|primer:[a-z0-9-]+@\d+\.\d+\.\d+)$")
    evidence: tuple[Evidence, ...] = ()


class Trigger(Model):
    """When the workflow is of use; for choosing it, never executed."""

    text: str
    condition: Predicate | None = None
    concepts: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


class Guard(Model):
    """A precondition on the inputs, evaluated before the start."""

    condition: Predicate
    error_code: str = Field(pattern=r"^[A-Z][A-Z0-9_]*$")
    message: str | None = None
    evidence: tuple[Evidence, ...] = ()


class Rule(Model):
    """One row of a rule pack: when the condition holds, these outputs.

    Args:
        outcome: outputs that are given as they stand.
        formulas: outputs that are computed.
    """

    rule_id: str
    condition: Condition = ALWAYS
    outcome: dict[str, JsonValue] = {}
    formulas: dict[str, Formula] = {}
    evidence: tuple[Evidence, ...] = ()

    @model_validator(mode="after")
    def _given_once(self) -> "Rule":
        if both := [name for name in self.outcome if name in self.formulas]:
            raise ValueError(f"{both[0]!r} is both given and computed")
        return self

    @property
    def quotes(self) -> tuple[Evidence, ...]:
        """All words that the row rests on, those of its formulas among them, each once."""
        computed = (one for formula in self.formulas.values() for one in formula.evidence)
        return tuple(dict.fromkeys((*self.evidence, *computed)))

    @property
    def names(self) -> tuple[str, ...]:
        """The outputs that the row gives."""
        return (*self.outcome, *self.formulas)


class RulePack(Model):
    """Rules as data, which a decision node applies.

    Args:
        outputs: what its rows give beyond the outputs of the Type of the node that applies it: points, a fee, a class.
    """

    version: str
    domain: str | None = None
    outputs: Fields = {}
    rules: tuple[Rule, ...]

    @property
    def computes(self) -> bool:
        """Whether what it gives follows from its rows alone, and need not be recorded."""
        return bool(self.outputs) or any(rule.formulas for rule in self.rules)


class Metadata(Model):
    """What people call the workflow."""

    title: str | None = None
    description: str | None = None
    owner: str | None = None
    tags: tuple[str, ...] = ()
    domain: str | None = None
    language: Language | None = None


class DocumentRef(Model):
    """A document that the workflow was drawn from, by content."""

    doc_id: str
    sha256: str


class Provenance(Model):
    """What made the draft, so that it can be made again.

    Args:
        mode: `offline` or `model`; `person` where somebody corrected what was read.
        author: who corrected it, where that was said.
        method: what extracted the steps: `cues`, `syntax` or a model's name.
        embedder: id of the embedding model behind recall.
        catalog: digest of the catalog.
        primers: `NAME@VERSION`.
    """

    compiler: str
    mode: Literal["offline", "model", "person"]
    author: str | None = None
    method: str | None = None
    model: str | None = None
    embedder: str | None = None
    catalog: str | None = None
    primers: tuple[str, ...] = ()
    documents: tuple[DocumentRef, ...] = ()


class Workflow(Model):
    """A workflow definition: the only carrier of structure between extraction, validation, execution and audit.

    Args:
        outputs: by name what a run gives, wherever it ends.
        results: by name what a run gives as the document names it; its value is what the end gives to which the run
            comes, else the output of that name, else its default.
    """

    dsl_version: Literal["1.0"] = "1.0"
    workflow_id: str = Field(pattern=NAME)
    version: str = Field(pattern=r"^v[1-9]\d*$")
    status: Literal["draft", "review", "published", "deprecated"] = "draft"
    metadata: Metadata = Metadata()
    triggers: tuple[Trigger, ...] = ()
    inputs: dict[str, InputSpec]
    outputs: dict[str, Value] = {}
    results: dict[str, ResultSpec] = {}
    guards: tuple[Guard, ...] = ()
    nodes: dict[str, Node]
    edges: tuple[Edge, ...]
    execution_policy: ExecutionPolicy
    rule_packs: dict[str, RulePack] = {}
    calendars: dict[CalendarName, Calendar] = {}
    gaps: tuple[Gap, ...] = ()
    provenance: Provenance | None = None

    def edges_from(self, node: str) -> tuple[Edge, ...]:
        """The edges that leave a node, in file order."""
        return tuple(edge for edge in self.edges if edge.source == node)

    def edges_to(self, node: str) -> tuple[Edge, ...]:
        """The edges that enter a node, in file order."""
        return tuple(edge for edge in self.edges if edge.target == node)
