"""Documents of the PET corpus, from JSON lines into typed form.

One JSON object a line: `id`, `text`, `tokens` in order, `mentions` (runs of tokens with a type) and `relations`
between mentions. Other keys (parts of speech, sentences, clusters, categories) are not read: a text is all that a
reader of processes is given, and the tokens serve to say where in it a mention stands.
"""

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ir.document import Block, Document
from ir.errors import BadInputFile, MissingPath, UnreadableFile
from ir.source import Source

BLOCK = "p1"  # the address of the one block of a document made from a record


class MentionType(StrEnum):
    """What a run of tokens is in the process."""

    ACTIVITY = "activity"
    ACTIVITY_DATA = "activity data"
    ACTOR = "actor"
    XOR_GATEWAY = "xor gateway"
    AND_GATEWAY = "and gateway"
    CONDITION = "condition specification"
    FURTHER = "further specification"


class RelationType(StrEnum):
    """How two mentions hang together; the head is the activity, or what comes first."""

    FLOW = "flow"
    USES = "uses"
    PERFORMER = "actor performer"
    RECIPIENT = "actor recipient"
    FURTHER = "further specification"
    SAME_GATEWAY = "same gateway"


@dataclass(frozen=True, order=True)
class Mention:
    """A run of tokens with a type.

    Args:
        tokens: indices in the document, rising, at least one.
    """

    type: MentionType
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Relation:
    """From one mention to another; both are indices into `Annotation.mentions`."""

    type: RelationType
    head: int
    tail: int


@dataclass(frozen=True)
class Annotation:
    """What a text says of a process, as gold has it or as a system found it."""

    mentions: tuple[Mention, ...]
    relations: tuple[Relation, ...]


@dataclass(frozen=True)
class Record:
    """One document of the corpus.

    Args:
        tokens: for each token the code points of `text` from its start to its end.
    """

    id: str
    text: str
    tokens: tuple[tuple[int, int], ...]
    gold: Annotation

    @property
    def document(self) -> Document:
        """The text alone as a document of one paragraph, whose offsets are those of the text."""
        raw = self.text.encode()
        source = Source(path=self.id, sha256=hashlib.sha256(raw).hexdigest(), size=len(raw), kind="text")
        block = Block(address=BLOCK, kind="paragraph", text=self.text)
        return Document(doc_id=self.id, title=self.id, source=source, language="en", blocks=(block,))


def read_records(path: Path) -> tuple[Record, ...]:
    """All documents of a file; blank lines do not count.

    Raises:
        MissingPath: there is no such file.
        UnreadableFile: it is no UTF-8 text, or may not be read.
        BadInputFile: a line is not of the form, or an id recurs; the message says which line.
    """
    if not path.exists():
        raise MissingPath(f"{path}: no such file")
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFile(f"{path}: {error}") from error
    records: dict[str, Record] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = read_record(line)
        except ValueError as error:
            raise BadInputFile(f"{path}:{number}: {_error_text(error)}") from error
        if record.id in records:
            raise BadInputFile(f"{path}:{number}: a second document with the id {record.id!r}")
        records[record.id] = record
    if not records:
        raise BadInputFile(f"{path}: no documents in it; expected one JSON object a line")
    return tuple(records.values())


def read_record(line: str) -> Record:
    """One line of the file.

    Raises:
        ValueError: it is not JSON, not of the form, or refers to tokens or mentions that it does not have.

    >>> read_record('{"id": "a", "text": "Go on", "tokens": [{"text": "Go"}, {"text": "on"}]}').tokens
    ((0, 2), (3, 5))
    """
    raw = _Line.model_validate(json.loads(line))
    mentions = tuple(Mention(m.type, tuple(sorted(set(m.tokens)))) for m in raw.mentions)
    for at, mention in enumerate(mentions):
        if mention.tokens[0] < 0 or mention.tokens[-1] >= len(raw.tokens):
            raise ValueError(f"mentions[{at}]: tokens {list(mention.tokens)}, but there are {len(raw.tokens)}")
    for at, relation in enumerate(raw.relations):
        if not (0 <= relation.head < len(mentions) and 0 <= relation.tail < len(mentions)):
            raise ValueError(
                f"relations[{at}]: mentions {relation.head} and {relation.tail}, but there are {len(mentions)}"
            )
    relations = tuple(dict.fromkeys(Relation(r.type, r.head, r.tail) for r in raw.relations))
    places = _places(raw.text, [token.text for token in raw.tokens])
    return Record(raw.id, raw.text, places, Annotation(mentions, relations))


def _places(text: str, tokens: list[str]) -> tuple[tuple[int, int], ...]:
    """Where each token stands in the text; they stand there in order, with nothing but white space between."""
    places, at = [], 0
    for index, token in enumerate(tokens):
        start = text.find(token, at)
        if start < 0 or text[at:start].strip():
            raise ValueError(f"tokens[{index}]: {token!r} does not follow in the text, at character {at}")
        at = start + len(token)
        places.append((start, at))
    return tuple(places)


def _error_text(error: ValueError) -> str:
    """What is wrong, on one line."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(str(part) for part in first['loc']) or 'line'}: {first['msg']}"
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg}, at column {error.colno}"
    return str(error)


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Token(_Part):
    text: Annotated[str, Field(min_length=1)]


class _Mention(_Part):
    type: Annotated[MentionType, BeforeValidator(_lower)]
    tokens: tuple[int, ...] = Field(alias="tokenDocumentIndices", min_length=1)


class _Relation(_Part):
    type: Annotated[RelationType, BeforeValidator(_lower)]
    head: int = Field(alias="headMentionIndex")
    tail: int = Field(alias="tailMentionIndex")


class _Line(_Part):
    id: Annotated[str, Field(min_length=1)]
    text: str
    tokens: tuple[_Token, ...]
    mentions: tuple[_Mention, ...] = ()
    relations: tuple[_Relation, ...] = ()
