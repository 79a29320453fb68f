"""Which lines made the elements of a procedure, told by the interpreter itself: no reader knows that it is watched."""

import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from ir.procedure import Element

ROOT = Path(__file__).resolve().parents[2]
WATCHED = ("compiler.extract.", "compiler.draft.", "ir.procedure", "ir.workflow")
"""Modules of whose objects it is kept which line made them."""
OURS, JUDGING = ("compiler/", "llm/"), "compiler/conformance/"
_DEPTH = 4  # lines of ours that are shown of each
_CUT = 160


@dataclass(frozen=True)
class Passage:
    """Where the words stand."""

    doc_id: str
    block: str
    start: int
    end: int
    quote: str

    def touched_by(self, doc_id: str, block: str | None, start: int | None, end: int | None) -> bool:
        """Whether a span shares a character with it."""
        same = (doc_id, block) == (self.doc_id, self.block)
        return same and start is not None and end is not None and start < self.end and self.start < end


@dataclass(frozen=True)
class Made:
    """Something that was made of the words while the document was read.

    Args:
        what: its kind and what it says.
        by: the lines that made it, innermost first: `compiler/extract/rules/zh/sentences.py:120 read_act`.
    """

    what: str
    by: tuple[str, ...]


@dataclass
class Creations:
    """Which lines made the objects of a build, told by the interpreter itself: no reader knows that it is watched."""

    made: list[tuple[object, tuple[str, ...]]] = field(default_factory=list)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch this thread, and those that it starts, while the block runs."""
        before = sys.getprofile()
        threading.setprofile(self._seen)
        sys.setprofile(self._seen)
        try:
            yield
        finally:
            sys.setprofile(before)
            threading.setprofile(None)

    def _seen(self, frame: FrameType, event: str, _: object) -> None:
        if event != "return" or frame.f_code.co_name != "__init__":
            return
        made = frame.f_locals.get("self")
        if (type(made).__module__.startswith(WATCHED) and isinstance(made, Element)) or hasattr(made, "sentence"):
            lines = _lines(frame.f_back)
            if lines:
                self.made.append((made, lines))

    def of_words(self, passages: Sequence[Passage]) -> Iterator[Made]:
        """What was made of the words, in order; of what was made over, only what changed."""
        before: dict[object, dict[str, str]] = {}
        for made, lines in self.made:
            if not any(rests_on(made, passage) for passage in passages):
                continue
            key, now = (type(made).__name__, getattr(made, "piece", None) or id(made)), said_of(made)
            known = before.get(key, {})
            changed = {name: text for name, text in now.items() if known.get(name) != text}
            changed |= dict.fromkeys(known.keys() - now.keys(), "no more")
            before[key] = now
            if changed:
                again = " (made over)" if known else ""
                yield Made(f"{type(made).__name__}{again}: {brief(changed)}", lines)


def _lines(frame: FrameType | None) -> tuple[str, ...]:
    """The lines of ours that led to a frame, innermost first; none where a check read the document for itself."""
    found = []
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        name = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else ""
        if name.startswith(JUDGING):
            return ()
        if name.startswith(OURS) and name != "compiler/context.py":
            found.append(f"{name}:{frame.f_lineno} {frame.f_code.co_name}")
        frame = frame.f_back
    return tuple(found[:_DEPTH])


def rests_on(made: object, passage: Passage) -> bool:
    """Whether an element's evidence, or a statement's piece of text, shares a character with the words."""
    if isinstance(made, Element):
        return any(passage.touched_by(e.doc_id, e.block, e.start, e.end) for e in made.evidence)
    piece = getattr(made, "piece", None)
    return piece is not None and passage.touched_by(passage.doc_id, piece.block, piece.start, piece.end)


def shown(made: object) -> str:
    """An element or a statement on one line."""
    return brief(said_of(made))


def said_of(made: object) -> dict[str, str]:
    """The fields of an element or a statement as texts, without its evidence and what it has not."""
    if isinstance(made, Element):
        dumped = made.model_dump(exclude_defaults=True, exclude={"evidence", "actions", "cue"}, by_alias=True)
        return {name: str(value) for name, value in dumped.items()}
    fields: Mapping[str, Any] = getattr(made, "__dict__", {})
    told = {name: value for name, value in fields.items() if name not in ("sentence", "block_index")}
    return {name: _plain_text(value) for name, value in told.items() if value not in (None, (), "", False)}


def _plain_text(value: Any) -> str:
    """A piece of text as its words, what has several parts as those."""
    if isinstance(value, tuple):
        return "; ".join(map(_plain_text, value))
    if isinstance(getattr(value, "text", None), str):
        return f"“{value.text}”"
    return brief(said_of(value)) if hasattr(value, "piece") else str(value)


def brief(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {brief(item)}" for name, item in value.items())
    text = str(value)
    return text if len(text) <= _CUT else text[: _CUT - 1] + "…"


def listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "no step"
