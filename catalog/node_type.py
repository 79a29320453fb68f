"""Node Types: the controlled set of capabilities from which workflows are composed."""

from typing import Annotated, Literal

from pydantic import Field

from catalog.binding import Binding
from ir.base import Model
from ir.fields import Fields
from ir.workflow import RiskLevel

Category = Literal[
    "ontology",
    "decision",
    "io",
    "document",
    "notify",
    "record",
    "schedule",
    "finance",
    "hr",
    "security",
    "compliance",
    "utility",
    "human",
    "control",
]


class Capabilities(Model):
    """What running the Type does to the world.

    Args:
        deterministic: the same inputs give the same outputs; False for Types backed by a model, whose outputs may
            not steer an edge directly.
    """

    side_effect: bool
    idempotent_default: bool
    retryable_default: bool
    deterministic: bool = True


class Governance(Model):
    """The governance defaults, which an instance may only tighten."""

    risk_level_default: RiskLevel
    requires_allowlist: bool = False


class Imported(Model):
    """Where a Type came from that `flowc catalog import` wrote, and what a person still has to look at.

    Args:
        source: the file, address or command, as it was named.
        at: where in it: a JSON pointer, or the name of a tool.
        description: what the source says of the capability, where that is more than the summary.
        assumed: JSON pointers to what the source does not say and flowc set with caution; a person who has seen to one
            removes it here.
        samples: how many outputs of the tool those of the Type were learnt from; None where they were not.
        proposed: by JSON pointer of a field, the concept that it may hold; a person writes it there or removes it here.
    """

    source: str
    at: str
    description: str | None = None
    assumed: tuple[str, ...] = ()
    samples: int | None = None
    proposed: dict[str, str] = {}


class NodeType(Model):
    """The contract of one capability: what it takes, gives, does and risks; never how, nor what comes next.

    Args:
        type: `namespace.name`.
        version: semver.
        summary: one sentence; `summary_i18n` has it by language.
        aliases: other names, in any language, as documents say it; older type names too.
        tags: searchable attributes, `ontology_query`.
        writes: what running the Type changes, by kind of thing; for each the inputs that say which one.
        units: inputs whose unit another input says: a text names it, a number is in it.
        concepts: ids of the concepts that the Type establishes; an input of such a concept that takes an object is
            mapped to a node of this Type as a whole.
        examples: sentences of documents that ask for this capability.
        domains: business domains that it is limited to; empty means any.
        permissions: permissions that a caller needs.
        binding: how it is called; None where nothing is known of a system behind it.
        imported: where it came from; None for a Type that people wrote.
        owner: who answers for it.
        lifecycle: `deprecated` where no new workflow should use it; None means `active`.
        replaced_by: the Type to use in place of a deprecated one.
    """

    type: str = Field(pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$")
    version: str = Field(pattern=r"^\d+\.\d+\.\d+$")
    category: Category
    summary: str
    inputs_schema: Fields
    outputs_schema: Fields
    capabilities: Capabilities
    governance: Governance
    writes: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], tuple[str, ...]] = {}
    units: dict[str, str] = {}
    summary_i18n: dict[str, str] = {}
    domains: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    binding: Binding | None = None
    imported: Imported | None = None
    owner: str | None = None
    lifecycle: Literal["active", "deprecated"] | None = None
    replaced_by: str | None = None

    def assumes(self, pointer: str) -> bool:
        """Whether nobody has said what stands at a place of the Type: not its source, and no person yet."""
        return self.imported is not None and pointer in self.imported.assumed

    @property
    def outputs_unsaid(self) -> bool:
        """Whether nobody has said, and no sample has shown, what it gives."""
        return self.assumes("/outputs_schema") and not self.outputs_schema

    @property
    def human(self) -> bool:
        """Carried out by a person; the engine waits."""
        return self.category == "human"


class Candidate(Model):
    """A Node Type that search proposes for a text.

    Args:
        score: 0 to 1; only for ranking within one search.
        dense: cosine similarity of the embeddings.
        lexical: similarity of the letters.
        matched: which of the Type's texts matched best.
    """

    type: str
    score: float
    dense: float
    lexical: float
    matched: str
