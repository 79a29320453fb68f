"""Follows words of a document through a build: what made each element of them, and what each pass made of it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from compiler.build.builder import compile_documents
from compiler.build.creations import Creations, Made, Passage
from compiler.build.results import Build
from compiler.build.scheduler import Settings
from compiler.build.traced_passes import Stage, stages
from compiler.extract.rules.document_reader import provision_readings
from compiler.extract.rules.required_approvals import statements_of
from compiler.grounding.locate import QuoteFinder
from ir.document import Document
from llm import Model, Reply, Request
from llm.choice import ModelChoice, open_model


@dataclass(frozen=True)
class Answered:
    """The parts of a model's answer that quote the words."""

    purpose: str
    subject: str
    model: str
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Tracing:
    """What became of some words of a document."""

    passages: tuple[Passage, ...]
    answers: tuple[Answered, ...]
    made: tuple[Made, ...]
    stages: tuple[Stage, ...]


def trace_words(path: Path, words: str, settings: Settings) -> tuple[Build, Tracing]:
    """Compile one document and follow words of it, through the reader that read them and all passes.

    Returns:
        The build, and what became of the words; without passages where the document does not have them.
    """
    asked: list[tuple[Request, Reply]] = []
    creations = Creations()
    for read_before in (provision_readings, statements_of):  # what is at hand was made by nobody while it is watched
        read_before.cache_clear()
    with creations.watched():
        build = compile_documents(path, _listening(settings, asked))
    passages = tuple(place for one in build.documents if one.document for place in _places(one.document, words))
    return build, Tracing(
        passages,
        tuple(answer for request, reply in asked for answer in _answered(request, reply, passages)),
        tuple(creations.of_words(passages)),
        tuple(stages(build.records, passages)),
    )


# --- where the words stand --------------------------------------------------------------------------------------------


def _places(document: Document, words: str) -> Iterator[Passage]:
    """Each place where the document has the words, else the place of what is most like them."""
    found = False
    for passage in document.passages():
        at = passage.text.find(words)
        while at >= 0:
            found = True
            yield Passage(document.doc_id, passage.address, at, at + len(words), words)
            at = passage.text.find(words, at + 1)
    if not found:
        span = QuoteFinder(document).search(words, occurrence=1).evidence.span
        if span is not None:
            yield Passage(document.doc_id, span.block, span.start, span.end, span.quote)


# --- what a model answered --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Listening:
    """A model whose answers are kept aside."""

    model: Model
    asked: list[tuple[Request, Reply]]

    @property
    def name(self) -> str:
        """The model's own."""
        return self.model.name

    def answer(self, request: Request) -> Reply:
        """The model's own answer.

        Raises:
            ModelFault: as the model's own.
        """
        reply = self.model.answer(request)
        self.asked.append((request, reply))
        return reply


def _listening(settings: Settings, asked: list[tuple[Request, Reply]]) -> Settings:
    chosen = settings.model
    opened = open_model(chosen) if isinstance(chosen, ModelChoice) else chosen
    if opened is None:
        return settings
    return replace(settings, model=replace(opened, model=_Listening(opened.model, asked), max_tasks=1))


def _answered(request: Request, reply: Reply, passages: Sequence[Passage]) -> Iterator[Answered]:
    """The smallest objects of an answer that hold the words, or words of theirs."""
    parts = [
        json.dumps(part, ensure_ascii=False)
        for part in _objects(json.loads(reply.value.model_dump_json(exclude_defaults=True)))
        if any(_quotes(part, passage.quote) for passage in passages)
    ]
    if parts:
        yield Answered(request.purpose, request.subject, reply.model, tuple(parts))


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(item)
    if isinstance(value, dict):
        yield value


def _quotes(part: dict[str, Any], words: str) -> bool:
    """Whether an object quotes the words, itself or in a list of quotes that it alone has."""
    own = [item for item in part.values() if isinstance(item, list | dict)]
    quotes = [
        quote for item in own for quote in (item if isinstance(item, list) else [item]) if isinstance(quote, dict)
    ]
    return any(isinstance(q.get("q"), str) and (q["q"] in words or words in q["q"]) for q in quotes)
