"""Answers kept as files: a cache beside an endpoint, and recordings that stand for one.

A file holds one answer with what it answers: what is asked about, a digest of each part of the question, the text as it
was received, and the tokens that the endpoint counted. It holds no key, no header and no address.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from ir.files import write_whole
from llm.answered import Unusable, json_of
from llm.faults import ModelFault
from llm.protocol import Model, Reply, Request, schema_of
from llm.usage import Usage

FORMAT = 1
ANSWERS = "answers"
"""The folder of the cache, below where a model's things are kept."""


@dataclass(frozen=True)
class Recording:
    """The answers in a folder, by the digest of the question.

    Args:
        folder: made when the first answer is kept.
    """

    folder: Path

    def get(self, request: Request, model: str | None = None) -> Reply | None:
        """The answer to just this request; None where there is none that is whole.

        Args:
            model: only an answer of this model, as a cache must; None for any.
        """
        kept = self._load_record(self.file_of(request, model))
        if kept is None or kept["parts"] != parts_of(request):
            return None
        try:
            value = read_answer(request.form, kept["text"])
        except (ValidationError, Unusable):
            return None
        usage = Usage(*kept["usage"])
        return Reply(value, kept["text"], usage, kept["model"], kept["mode"], kept["attempts"], kept=True)

    def put(self, request: Request, reply: Reply, model: str | None = None) -> None:
        """Keep an answer; the file appears whole or not at all."""
        file = self.file_of(request, model)
        kept = {
            "format": FORMAT, "purpose": request.purpose, "subject": request.subject, "form": request.form.__name__,
            "parts": parts_of(request), "model": reply.model, "mode": reply.mode, "attempts": reply.attempts,
            "usage": [reply.usage.sent, reply.usage.received], "text": reply.text,
        }  # fmt: skip
        write_whole(file, json.dumps(kept, ensure_ascii=False, indent=1) + "\n")

    def why_not_recorded(self, request: Request) -> str:
        """Why there is no answer: which part of the question differs from the one that was recorded."""
        asked = parts_of(request)
        for file in sorted(self.folder.glob(f"{request.purpose}-*.json")):
            kept = self._load_record(file)
            if kept is not None and kept["subject"] == request.subject:
                names = [name for name in asked if kept["parts"].get(name) != asked[name]]
                return f"the {' and the '.join(names)} changed since {file.name} was recorded"
        return "nothing was recorded for it"

    def file_of(self, request: Request, model: str | None) -> Path:
        """Where the answer to a request is kept, whether there is one or not."""
        digest = _digest([parts_of(request), model])
        subject = re.sub(r"\W+", "-", request.subject).strip("-")[:40] or "all"
        return self.folder / f"{request.purpose}-{subject}-{digest[:12]}.json"

    @staticmethod
    def _load_record(file: Path) -> dict[str, Any] | None:
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        whole = isinstance(kept, dict) and kept.get("format") == FORMAT and _of_form(kept)
        return kept if whole else None


@dataclass(frozen=True)
class CachedModel:
    """A model whose answers are kept, so that a request is answered once even when a build is begun anew.

    Args:
        of_any_model: what another model answered will do as well, as in a recording for replay; not in a cache.
    """

    model: Model
    recording: Recording
    of_any_model: bool = False

    @property
    def name(self) -> str:
        """That of the model."""
        return self.model.name

    def answer(self, request: Request) -> Reply:
        """See `Model.answer`; an answer that was kept costs nothing."""
        by = None if self.of_any_model else self.name
        kept = self.recording.get(request, by)
        if kept is not None:
            return kept
        reply = self.model.answer(request)
        self.recording.put(request, reply, by)
        return reply


@dataclass(frozen=True)
class ReplayedModel:
    """A recording that stands for a model: no network, the same answers every time."""

    recording: Recording

    @property
    def name(self) -> str:
        """Says that it is one."""
        return "replay"

    def answer(self, request: Request) -> Reply:
        """The recorded answer.

        Raises:
            ModelFault: `stale` where the question is not the one that was recorded; it says which part changed.
        """
        kept = self.recording.get(request)
        if kept is None:
            raise ModelFault(
                "stale", f"{request.purpose} {request.subject}: {self.recording.why_not_recorded(request)}"
            )
        return kept


def parts_of(request: Request) -> dict[str, str]:
    """A digest of each part of a question: instructions, question, what came after it, and the form."""
    roles = [role for role, _ in request.messages]
    first = roles.index("user") if "user" in roles else len(roles)
    texts = [text for _, text in request.messages]
    return {
        "instructions": _digest(texts[:first]),
        "question": _digest(texts[first : first + 1]),
        "follow-up": _digest(texts[first + 1 :]),
        "form": _digest([schema_of(request.form), request.max_tokens]),
    }


def read_answer(form: type[BaseModel], text: str) -> BaseModel:
    """An answer's text as its form, with or without a fence around the JSON.

    Raises:
        ValidationError: it is not of the form.
        Unusable: it holds several answers.
    """
    return form.model_validate_json(json_of(text))


def _of_form(kept: dict[str, Any]) -> bool:
    """Whether a file holds all that an answer that was kept has."""
    usage = kept.get("usage")
    return (
        all(isinstance(kept.get(name), str) for name in ("subject", "text", "model", "mode"))
        and isinstance(kept.get("parts"), dict)
        and type(kept.get("attempts")) is int
        and isinstance(usage, list)
        and len(usage) == 2
        and all(one is None or (type(one) is int and 0 <= one < 10**12) for one in usage)
    )


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
