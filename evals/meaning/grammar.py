"""Grammars of policy sentences: templates with slots, each with its truth; and the sentences drawn from them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal

import yaml
from pydantic import BeforeValidator

from evals.meaning.truth import Truth, Value
from ir.base import Model
from ir.source import Language

_SLOT = re.compile(r"\{(?:(\w+):)?(\w+)\}")
_BARE = re.compile(r"\{(\w+)\}")
Words = Annotated[tuple[str, ...], BeforeValidator(lambda v: (v,) if isinstance(v, str) else v)]


class Filler(Model):
    """Words that stand in a slot, and what they mean where that is a number or a time."""

    text: str
    number: float | None = None
    duration: str | None = None

    @property
    def value(self) -> Value:
        """What the slot's name means in a truth."""
        return self.text if self.number is None else self.number


def _filler(raw: Any) -> Any:
    return raw if isinstance(raw, dict) else {"text": str(raw)}


WrittenFiller = Annotated[Filler, BeforeValidator(_filler)]


class Variable(Model):
    """What the truth is about.

    Args:
        unit: of a number; None for things that are counted.
        values: of a choice, the ways in which each value is written; there is always another value than these.
        true, false: of a flag, the words for it.
        of: of an outcome, the act whose outcome it is; true is the positive one.
    """

    type: Literal["number", "choice", "flag", "outcome"]
    unit: str | None = None
    values: dict[str, Words] = {}
    true: Words = ()
    false: Words = ()
    of: str | None = None


class Case(Model):
    """What holds when: whether the run is stopped, which acts are done and which are not."""

    when: str
    stopped: bool | None = None
    done: Words = ()
    not_done: Words = ()

    @property
    def truth(self) -> Truth:
        """The condition, read."""
        return Truth(self.when)


class Template(Model):
    """A sentence with slots, and its truth."""

    id: str
    family: str
    text: str
    variables: dict[str, Variable] = {}
    acts: dict[str, str] = {}
    cases: tuple[Case, ...] = ()
    deadlines: dict[str, str] = {}
    order: tuple[tuple[str, str], ...] = ()
    deciding: Words


class Grammar(Model):
    """Templates of one language with what fills their slots."""

    language: Language
    slots: dict[
        str, tuple[Annotated[Filler, BeforeValidator(lambda v: v if isinstance(v, dict) else {"text": str(v)})], ...]
    ]
    sentences: tuple[Template, ...]


class Sentence(Model):
    """A sentence with nothing left open.

    Args:
        slots: what each slot's name means.
        acts, deadlines, deciding: as in the template, with the slots filled; deadlines as ISO 8601.
    """

    id: str
    family: str
    language: Language
    text: str
    slots: dict[str, float | str]
    variables: dict[str, Variable]
    acts: dict[str, str]
    cases: tuple[Case, ...]
    deadlines: dict[str, str]
    order: tuple[tuple[str, str], ...]
    deciding: tuple[str, ...]


def read_grammar(path: Path) -> Grammar:
    """A grammar from its YAML file.

    Raises:
        ValueError: it is none.
    """
    return Grammar.model_validate(_text_keys(yaml.safe_load(path.read_text("utf-8"))))


def _text_keys(data: Any) -> Any:
    """The data with texts for keys: YAML reads the keys `true` and `false` as truth values."""
    if isinstance(data, dict):
        return {str(key).lower() if isinstance(key, bool) else str(key): _text_keys(v) for key, v in data.items()}
    return [_text_keys(item) for item in data] if isinstance(data, list) else data


def draw(grammar: Grammar, count: int, seed: int) -> Iterator[Sentence]:
    """Sentences of a grammar: every template in turn, its slots filled at random; none comes twice."""
    random = Random(f"{grammar.language} {seed}")  # noqa: S311 - no secret
    seen: set[str] = set()
    misses = 0
    number = 0
    while len(seen) < count and misses < 20 * len(grammar.sentences):
        sentence = fill(grammar, grammar.sentences[number % len(grammar.sentences)], random)
        number += 1
        if sentence.text in seen:
            misses += 1
            continue
        seen.add(sentence.text)
        yield sentence


def fill(grammar: Grammar, template: Template, random: Random) -> Sentence:
    """One sentence of a template; two slots of it never hold the same words, and numbers of one slot rise."""
    names = {(m[1] or m[2]): m[2] for m in _SLOT.finditer(template.text)}
    chosen: dict[str, Filler] = {}
    for slot in dict.fromkeys(names.values()):
        wanted = [name for name, its in names.items() if its == slot]
        pool = list(grammar.slots[slot])
        picked = random.sample(pool, len(wanted)) if len(wanted) <= len(pool) else pool
        if all(one.number is not None for one in picked):
            picked.sort(key=lambda one: one.number or 0)
        chosen |= dict(zip(wanted, picked, strict=False))

    def filled(text: str) -> str:
        return _SLOT.sub(lambda m: chosen[m[1] or m[2]].text, text)

    text = filled(template.text)
    if template.text.startswith("{") and grammar.language == "en":
        text = text[0].upper() + text[1:]
    return Sentence(
        id=template.id, family=template.family, language=grammar.language, text=text,
        slots={name: one.value for name, one in chosen.items()},
        variables={name: _filled_variable(v, filled) for name, v in template.variables.items()},
        acts={name: filled(words) for name, words in template.acts.items()}, cases=template.cases,
        deadlines={name: _duration(words, chosen) for name, words in template.deadlines.items()},
        order=template.order, deciding=tuple(filled(words) for words in template.deciding),
    )  # fmt: skip


def _filled_variable(variable: Variable, filled: Any) -> Variable:
    return variable.model_copy(
        update={
            "values": {filled(v): tuple(map(filled, words)) for v, words in variable.values.items()},
            "true": tuple(map(filled, variable.true)),
            "false": tuple(map(filled, variable.false)),
        }
    )


def _duration(words: str, chosen: Mapping[str, Filler]) -> str:
    return _BARE.sub(lambda m: chosen[m[1]].duration or chosen[m[1]].text, words)
