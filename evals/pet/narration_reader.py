"""Reads an account of a process with a language model, which answers in word numbers alone.

An answer of numbers is cheap, is tied to its words by itself, and can be kept beside texts that must not be copied.
"""

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from compiler.extract.model.fence import fenced
from evals.pet.narration_expand import procedure_from_answer
from evals.pet.narration_form import Narration
from evals.pet.word_numbers import NumberedText
from ir.document import Block, Document
from ir.procedure import Procedure
from ir.source import Source
from llm import Model, Request

_LEAST, _EACH = 4000, 20  # tokens of an answer: so many for each word, and no fewer than these


def read_narration(document: Document, model: Model) -> Procedure:
    """The process that a document tells of; without steps where it tells of none.

    What `read_narrative` gives, read by a model: a step is one verb, with an action for each of its objects and people;
    what an act is done into, and to what purpose, are constraints on its step. What of the answer refers to no words is
    listed as gaps.

    Raises:
        ModelFault: there is no answer.
    """
    text = NumberedText(document)
    request = Request(
        "narrate",
        document.doc_id,
        (("system", instructions()), ("user", f"What does this account tell?\n{fenced(text.shown)}")),
        Narration,
        max_tokens=max(_LEAST, _EACH * len(text.words)),
    )
    reply = model.answer(request)
    assert isinstance(reply.value, Narration)
    return procedure_from_answer(reply.value, text, reply.model)


@cache
def instructions() -> str:
    """The conventions by which accounts are marked, with worked examples."""
    package = files("evals.pet")
    texts = [package.joinpath("narration_rules.md").read_text("utf-8").strip()]
    for text, answer in examples():
        shown = fenced(NumberedText(text).shown)
        texts.append(f"EXAMPLE\n{shown}\nAnswer: {answer.model_dump_json(exclude_defaults=True)}")
    return "\n\n".join(texts)


def examples() -> tuple[tuple[Document, Narration], ...]:
    """The worked examples: accounts with the answers that are right for them."""
    raw: list[dict[str, Any]] = yaml.safe_load(
        files("evals.pet").joinpath("narration_examples.yaml").read_text("utf-8")
    )
    return tuple((_account(each["text"]), Narration.model_validate(each["answer"])) for each in raw)


def _account(text: str) -> Document:
    digest = hashlib.sha256(text.encode()).hexdigest()
    source = Source(path="example", sha256=digest, size=len(text.encode()), kind="text")
    block = Block(address="p1", kind="paragraph", text=text)
    return Document(doc_id="example", title="example", source=source, language="en", blocks=(block,))
