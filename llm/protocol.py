"""What a pass asks of a language model, and what comes back."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

from pydantic import BaseModel

from llm.budget import Budget
from llm.usage import Usage

Messages = tuple[tuple[str, str], ...]
"""Role (`system`, `user`, `assistant`) and text, in order."""


@dataclass(frozen=True)
class Request:
    """One question with the form of its answer.

    Args:
        purpose: the pass that asks, for the ledger and the recording: `extract`, `align`, `synthesize`, `repair`.
        subject: what is asked about, such as a document's id with the number of a chunk; the same in every build.
        messages: without the schema's text, which the client adds.
        form: what the answer must be; its field descriptions are part of the prompt.
        max_tokens: most that may be received.
        account: pays for it; None: the build's. It is no part of the question.
    """

    purpose: str
    subject: str
    messages: Messages
    form: type[BaseModel]
    max_tokens: int = 8000
    account: Budget | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Reply:
    """An answer that is complete and of the form asked for.

    Args:
        value: an instance of the request's form.
        text: the answer as it was received, without reasoning.
        usage: of all attempts together.
        model: as the endpoint named it.
        mode: how the form was enforced: `json_schema`, `tools`, `md_json`.
        attempts: answers that it took, the first included.
        kept: it comes from a recording or a cache, and nothing was sent for it.
    """

    value: BaseModel
    text: str
    usage: Usage
    model: str
    mode: str
    attempts: int = 1
    kept: bool = field(default=False, compare=False)


class Model(Protocol):
    """Answers requests. Safe to use from several threads."""

    @property
    def name(self) -> str:
        """Endpoint's host and model, for provenance."""

    def answer(self, request: Request) -> Reply:
        """The answer to a request.

        Raises:
            ModelFault: there is none that is complete and of the form.
        """


@lru_cache(maxsize=64)
def schema_of(form: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a form, made once; not to be changed."""
    return form.model_json_schema()
