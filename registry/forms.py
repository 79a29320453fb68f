"""What the registry holds of a version."""

from typing import Literal

from pydantic import JsonValue

from ir.base import Model
from ir.diagnostics import Diagnostic
from ir.workflow import Workflow
from registry.reviewed import JudgedCase, Reviewed, Waived

State = Literal["draft", "review", "published", "deprecated"]
Side = Literal["input", "output"]


class Pin(Model):
    """A Node Type as a version uses it.

    Args:
        schema_hash: digest of its inputs and outputs; a Type that gives others is another one.
    """

    type: str
    version: str
    schema_hash: str


class ContractChange(Model):
    """Something that callers of a version may notice in another.

    Args:
        name: of the input or output; parts after dots, members of an array after `[]`.
        what: in words.
        breaks: whether a call that was right before is wrong now, or a result cannot be read as before.
    """

    side: Side
    name: str
    what: str
    breaks: bool

    def __str__(self) -> str:
        """`input NAME: WHAT`."""
        return f"{self.side} {self.name}: {self.what}"


class Compatibility(Model):
    """Whether callers of a version before can call this one.

    Args:
        against: the version before, `ID@vN`.
    """

    against: str
    verdict: Literal["compatible", "incompatible"]
    changes: tuple[ContractChange, ...] = ()


class CallPin(Model):
    """A version that a version calls.

    Args:
        digest: of the definition that is called.
    """

    workflow_id: str
    number: int
    digest: str


class Report(Model):
    """What validation found, bound to what was validated.

    Args:
        digest: of the definition.
        tier: `alone`, or `sources` where it was held against its documents as well.
        catalog: digest of the catalog.
        open_questions: those whose answer could change a path, an approval or a deadline, by id.
        reviewed: what was known of its draft when it was submitted; None for a workflow that no build drafted.
        cases: those that people judged, as they ran when it was submitted or published.
        compatibility: with the version that was published before; None where there was none, and before publishing.
        waived: all that was open when it was published and stayed so, for the reason that its history tells.
    """

    digest: str
    tier: Literal["alone", "sources"]
    catalog: str
    compiler: str
    errors: int
    warnings: int
    findings: tuple[Diagnostic, ...] = ()
    open_questions: tuple[str, ...] = ()
    reviewed: Reviewed | None = None
    cases: tuple[JudgedCase, ...] = ()
    compatibility: Compatibility | None = None
    waived: tuple[Waived, ...] = ()


class Blocker(Model):
    """What has to be done before a version can be published.

    Args:
        kind: what it is about: a report of another definition, errors of validation, a prohibition that nothing
            enforces, a case that is still wrong, open questions, what else is left open, something open that a reason
            was not given for, the author's own approval, nodes that nobody carries out, what is called, or callers
            that it breaks.
        told: a sentence that names the next step.
        names: of what: codes, the words of a prohibition, the case, who judged it and what they said, questions, the
            sort of what is left with how many, the user, the Type and the node.
    """

    kind: Literal[
        "report", "errors", "prohibition", "case", "questions", "left", "unseen", "author", "unbound", "call", "breaks"
    ]
    told: str
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The sentence."""
        return self.told


class Transition(Model):
    """A change of state."""

    before: str
    after: State
    by: str
    at: str
    reason: str = ""


class Version(Model):
    """One version of a workflow.

    Args:
        digest: of the definition.
        references: by id the tables of data that the build brought along.
        calls: the versions that it calls; only of published versions.
        executors: by node who carries it out; only of published versions.
        signature: of the report, by the workspace's key; only of published versions.
    """

    workflow_id: str
    number: int
    state: State
    digest: str
    definition: Workflow
    references: dict[str, JsonValue] = {}
    pins: tuple[Pin, ...] = ()
    calls: tuple[CallPin, ...] = ()
    executors: dict[str, str] = {}
    report: Report
    signature: str = ""
    author: str
    changed_at: str
    history: tuple[Transition, ...] = ()

    @property
    def name(self) -> str:
        """`ID@vN`."""
        return f"{self.workflow_id}@v{self.number}"
