"""Search over what is published: which workflow is for a task, and why it may be.

A workflow is found by its own words and, across languages, by those of the concepts of its inputs and of the Types of
its steps. Likeness is that of the catalog's search, meaning and a little of the letters. The score is mostly the
likeness of the task as a whole, to all texts of the workflow and to those that say what it is for, and for the rest
that of the task's words one by one, each to the text that is most like it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from catalog.index import LEXICAL_WEIGHT, NEAREST, letters_of, of_length_one, plain
from catalog.load import Catalog
from ir.base import Model
from ir.fields import FieldSpec
from ir.walk import performer
from ir.workflow import RiskLevel, Workflow
from registry.forms import Version
from validator.analysis.fit import describe

if TYPE_CHECKING:  # numpy and the embedders are loaded when something is searched
    import numpy as np
    from numpy.typing import NDArray

    from catalog.embedders.cache import VectorCache
    from catalog.embedders.protocol import Embedder

Part = Literal["title", "description", "domain", "tag", "trigger", "input", "result", "step"]
MET = 0.45
"""Likeness from which a word of the task is met by a text of a workflow."""
OF_PURPOSE, OF_WORDS, OF_MET = 0.3, 0.2, 0.1
"""Shares of the score: of what says what the workflow is for, in the likeness of the whole task; of single words beside
the whole; of words that are met, on top. Neighbouring values rank the tasks of fixtures/search alike."""
LEAST = 0.33
"""Score from which a workflow is found: nine in ten of the workflows in the cases' `dev` split have it for their own
title where that is not searched, as `python -m evals.registry_search` works it out."""
PURPOSE: tuple[Part, ...] = ("title", "description", "trigger", "tag", "domain")
_WEIGHTS: dict[Part, float] = {"tag": 0.9, "domain": 0.9, "step": 0.85, "input": 0.8, "result": 0.8}
_FRAMES = re.compile(
    r"\bhow (?:do|can|should|to)(?: i| we| you)?\b|\bwhat (?:to do|do i need)(?: to| for)?\b"
    r"|\bi (?:want|need|would like) to\b|怎么办|怎么处理|怎样|怎么|如何|要办什么手续|需要什么|什么"
    r"|\bwhat\b|\bmy\b|\bi\b",
    re.IGNORECASE,
)
_COMMON = re.compile(
    "an?|and|any|are|as|at|be|been|by|can|do|does|for|from|has|have|he|if|in|into|is|its?|may|must|new|not|of|off|on|or"
    "|our|she|should|some|that|the|their|them|they|this|to|under|up|us|was|we|were|when|which|who|will|with|you|your"
)
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9'-]*|[\u3400-\u9fff]+")


class Match(Model):
    """A word of a task and what of a workflow it is most like.

    Args:
        word: of the task; the whole task for what is most like all of it.
        part, text: where in the workflow, and what stands there.
    """

    word: str
    part: Part
    text: str
    likeness: float


class NeededInput(Model):
    """What a run has to be given, or may be."""

    name: str
    type: str
    required: bool


class FoundWorkflow(Model):
    """A published workflow that may be for a task, and why.

    Args:
        version: `ID@vN`.
        score: 0 to 1; only for ranking within one search.
        matches: why it was found, what is most like the task first.
        allow_auto: whether it may start and go on without a person.
        people: how many of its nodes wait for a person.
    """

    version: str
    state: str
    title: str
    score: float
    matches: tuple[Match, ...]
    inputs: tuple[NeededInput, ...]
    allow_auto: bool
    people: int
    risk_level: RiskLevel
    owner: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Text:
    """A text by which a version may be found."""

    owner: int
    part: Part
    text: str


class WorkflowIndex:
    """Versions by what they are for.

    Args:
        known: those that may be found.
        cache: keeps the vectors of their texts; None means the one in the user's cache folder.
    """

    def __init__(
        self, known: Sequence[Version], catalog: Catalog, embedder: Embedder, cache: VectorCache | None = None
    ) -> None:
        from catalog.embedders.cache import user_cache

        self._versions, self._embedder, self._cache = tuple(known), embedder, cache or user_cache()
        self._texts = [
            _Text(at, part, text)
            for at, version in enumerate(self._versions)
            for part, text in dict.fromkeys(searchable_texts(version.definition, catalog))
        ]

    def search(self, task: str, limit: int = 5, least: float = LEAST) -> tuple[FoundWorkflow, ...]:
        """The workflows that a task may be for, best first; none where nothing fits.

        Args:
            least: score from which one is told.

        Raises:
            EmbedderError: the embedder failed.
        """
        asked = " ".join(_FRAMES.sub(" ", task).split()) or task.strip()
        if not asked or not self._texts:
            return ()
        words = words_of(asked)
        likeness = self._likeness([asked, *words])
        found = [self._found(at, [asked, *words], likeness) for at in range(len(self._versions))]
        fitting = [one for one in found if one.score >= least]
        return tuple(sorted(fitting, key=lambda one: (-one.score, one.version))[:limit])

    def _found(self, at: int, asked: Sequence[str], likeness: NDArray[np.float32]) -> FoundWorkflow:
        import numpy as np

        places = [place for place, text in enumerate(self._texts) if text.owner == at]
        own = likeness[:, places]
        whole = (own[0].max() + np.sort(own[0])[-NEAREST:].mean()) / 2
        purpose = [at for at, place in enumerate(places) if self._texts[place].part in PURPOSE]
        if purpose:
            whole = (1 - OF_PURPOSE) * whole + OF_PURPOSE * own[0][purpose].max()
        each = own[1:].max(axis=1) if len(asked) > 1 else own[:1].max(axis=1)
        score = min(1.0, (1 - OF_WORDS) * whole + OF_WORDS * each.mean() + OF_MET * (each >= MET).mean())
        best = [
            (float(row.max()), word, self._texts[places[int(row.argmax())]])
            for word, row in zip(asked, own, strict=True)
        ]
        matches = [
            Match(word=word, part=text.part, text=text.text, likeness=round(min(1.0, value), 3))
            for place, (value, word, text) in enumerate(best)
            if value >= MET or place == 0
        ]
        return _told(self._versions[at], round(float(score), 4), matches)

    def _likeness(self, asked: Sequence[str]) -> NDArray[np.float32]:
        """Of each word to each text: meaning, letters, and what part of the workflow it is."""
        import numpy as np

        from catalog.embedders.lexical import LexicalEmbedder

        weights = np.array([_WEIGHTS.get(text.part, 1.0) for text in self._texts], dtype=np.float32)
        rows, rarity = letters_of(self._plain)
        dense = self._embedder.embed([plain(one) for one in asked]) @ self._dense.T
        letters = of_length_one(LexicalEmbedder().counts([plain(one) for one in asked]) * rarity) @ rows.T
        return np.asarray(((1 - LEXICAL_WEIGHT) * dense + LEXICAL_WEIGHT * letters) * weights, dtype=np.float32)

    @cached_property
    def _plain(self) -> tuple[str, ...]:
        return tuple(plain(text.text) for text in self._texts)

    @cached_property
    def _dense(self) -> NDArray[np.float32]:
        return self._cache.vectors(self._embedder, self._plain)


def searchable_texts(workflow: Workflow, catalog: Catalog) -> Iterator[tuple[Part, str]]:
    """All texts by which a workflow may be found, each with the part of it that says so."""
    about = workflow.metadata
    named: tuple[tuple[Part, str | None], ...] = (
        ("title", about.title), ("description", about.description), ("domain", about.domain),
    )  # fmt: skip
    yield from ((part, text) for part, text in named if text)
    yield from (("tag", tag) for tag in about.tags)
    yield from (("trigger", trigger.text) for trigger in workflow.triggers)
    fields: tuple[tuple[Part, dict[str, FieldSpec]], ...] = (
        ("input", dict(workflow.inputs)), ("result", dict(workflow.results)),
    )  # fmt: skip
    for part, specs in fields:
        for name, spec in specs.items():
            concept = catalog.concepts.get(spec.concept or "")
            values = [value for value in spec.enum or () if isinstance(value, str)]
            said = [word for one in concept.values for words in one.words.values() for word in words] if concept else []
            texts = [name, spec.description, *(concept.names() if concept else ()), *values, *said]
            yield from ((part, text) for text in texts if text)
    yield from (("result", name) for name in workflow.outputs)
    for node in workflow.nodes.values():
        node_type = catalog.node_types.get(node.type)
        if node.label and not node.type.startswith("control."):
            yield "step", node.label
        if node_type and node_type.category not in ("human", "control"):
            yield from (("step", text) for text in (node_type.summary, *node_type.summary_i18n.values()))


def words_of(task: str) -> list[str]:
    """The words of a task that say something, each once.

    >>> words_of("ship sulphuric acid by road"), words_of("用公路运输硫酸")
    (['ship', 'sulphuric', 'acid', 'road'], ['公路', '运输', '公路运输', '硫酸'])
    """
    import rjieba

    found: list[str] = []
    for run in _WORD.findall(task):
        if run.isascii():
            found += [run] if len(run) > 2 and not _COMMON.fullmatch(run.casefold()) else []
        else:
            found += [word for word in rjieba.cut_for_search(run) if len(word) > 1]
    return list(dict.fromkeys(found))


def _told(version: Version, score: float, matches: Sequence[Match]) -> FoundWorkflow:
    workflow = version.definition
    whole, *words = matches
    return FoundWorkflow(
        version=version.name,
        state=version.state,
        title=workflow.metadata.title or version.workflow_id,
        score=score,
        matches=(whole, *sorted(words, key=lambda one: -one.likeness)),
        inputs=tuple(
            NeededInput(name=name, type=describe(spec), required=spec.is_required)
            for name, spec in workflow.inputs.items()
        ),
        allow_auto=workflow.execution_policy.allow_auto,
        people=sum(
            performer(node) == "person" or version.executors.get(name) == "manual"
            for name, node in workflow.nodes.items()
        ),
        risk_level=workflow.execution_policy.risk_level,
        owner=workflow.metadata.owner,
        tags=workflow.metadata.tags,
    )
