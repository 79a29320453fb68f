"""Primers: what generation must obey, as rules with the codes that enforce them, and worked examples."""

from typing import Literal, TypeVar

from pydantic import Field, JsonValue, model_validator

from ir.base import Model
from primers.params import Params

PrimerLanguage = Literal["zh", "en"]
CODE = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
P = TypeVar("P")


class Rule(Model):
    """One rule: what a draft must or must not do.

    Args:
        text: by language, one or two sentences.
        code: the diagnostic that appears where the rule is broken.
        advisory: nothing enforces the rule.
        by_construction: code keeps it whatever a model answers, so a model is not told it.
        params: what the deterministic passes read in order to keep the rule.
    """

    id: str = Field(pattern=CODE)
    text: dict[PrimerLanguage, str]
    code: str | None = Field(default=None, pattern=CODE)
    advisory: bool = False
    by_construction: bool = False
    params: Params | None = None

    @model_validator(mode="after")
    def _enforced_or_advisory(self) -> "Rule":
        if (self.code is None) == (not self.advisory):
            raise ValueError("a rule has either the `code` that enforces it or `advisory: true`")
        return self


class WorkedExample(Model):
    """A piece of a document and what is made of it.

    Args:
        doc_id: the document's id, as the evidence in the example names it.
        text: the piece of the document; every quote of the example stands in it.
        procedure: what extraction makes of it, in the form of `ir.procedure`.
        workflow: what synthesis and completion make of it, in the form of `ir.workflow`.
        explanation: which rule the example shows, and how.
    """

    id: str = Field(pattern=CODE)
    language: PrimerLanguage
    doc_id: str
    text: str = Field(min_length=1)
    procedure: dict[str, JsonValue] | None = None
    workflow: dict[str, JsonValue] | None = None
    explanation: str = Field(min_length=1)

    @model_validator(mode="after")
    def _one_result(self) -> "WorkedExample":
        if (self.procedure is None) == (self.workflow is None):
            raise ValueError("a worked example has either a `procedure` or a `workflow`")
        return self

    @property
    def expected(self) -> dict[str, JsonValue]:
        """The procedure or the workflow, as JSON."""
        return self.procedure or self.workflow or {}


class Primer(Model):
    """The rules for one pass.

    Args:
        pass_: the pass that obeys it.
        languages: those in which every rule is written.
        body: Markdown for people: what the primer is for and how its parameters are read.
    """

    name: str = Field(pattern=CODE)
    version: str = Field(pattern=r"^\d+\.\d+\.\d+$")
    pass_: str = Field(alias="pass", pattern=r"^[a-z]+(_[a-z]+)*$")
    languages: tuple[PrimerLanguage, ...] = Field(min_length=1)
    rules: tuple[Rule, ...]
    examples: tuple[WorkedExample, ...] = ()
    body: str = ""

    @model_validator(mode="after")
    def _whole(self) -> "Primer":
        if not self.rules:
            raise ValueError("a primer has at least one rule")
        for rule in self.rules:
            if set(rule.text) != set(self.languages) or not all(text.strip() for text in rule.text.values()):
                raise ValueError(f"rule {rule.id!r}: its text is given in each of {', '.join(self.languages)}")
        for ids in ([rule.id for rule in self.rules], [example.id for example in self.examples]):
            twice = sorted({name for name in ids if ids.count(name) > 1})
            if twice:
                raise ValueError(f"ids are unique; used twice: {', '.join(twice)}")
        return self

    @property
    def origin(self) -> str:
        """The origin of nodes and edges that this primer puts in: `primer:NAME@VERSION`."""
        return f"primer:{self.name}@{self.version}"

    @property
    def reference(self) -> str:
        """`NAME@VERSION`, as provenance lists it."""
        return f"{self.name}@{self.version}"

    def rule(self, rule_id: str) -> Rule:
        """The rule with this id; KeyError where there is none."""
        for rule in self.rules:
            if rule.id == rule_id:
                return rule
        raise KeyError(rule_id)

    def params(self, kind: type[P]) -> P:
        """The parameters of one kind, from whichever rule has them; KeyError where none has.

        The loader makes sure that `exception-paths`, `governance` and `joins-and-branches` have theirs.
        """
        for rule in self.rules:
            if isinstance(rule.params, kind):
                return rule.params
        raise KeyError(f"{self.reference} has no {kind.__name__}")
