"""Workflows read aloud to people who know no formulas: comparisons in words, no ids."""

import re
from functools import cached_property

from compiler.report.readers_words import Reader
from compiler.report.words import Words
from ir.fields import FieldSpec
from ir.predicate import AnyCondition, Compare, Junction, Literally, Not, Ref, Tree, leaves
from ir.workflow import Workflow

_DIGIT = re.compile(r"\d")


class PlainWords(Words):
    """The words of the pages, with comparisons told in words.

    >>> PlainWords("zh")("op.lte"), PlainWords("en")("yes")
    ('不超过', 'yes')
    """

    def _at(self, key: str) -> str:
        plain = "" if key.startswith("plain.") else self.get(f"plain.{key}", "")
        return plain or super()._at(key)


class PlainReader(Reader):
    """Reads a workflow in plain words."""

    @cached_property
    def words(self) -> Words:
        """The fixed words of the reader's language."""
        return PlainWords(super().words.language)

    def node_name(self, node_id: str) -> str:
        """A node's label; else what it asks or does; never its id where something else is known."""
        name, node = super().node_name(node_id), self.workflow.nodes.get(node_id)
        if node is None or name != node_id:
            return name
        node_type = self.node_type(node)
        return node.instruction or node.question or (self.summary(node_type) if node_type else "") or name

    def field_name(self, name: str, spec: FieldSpec | None) -> str:
        """A field by its concept, else by its description, else by its name in words."""
        told = super().field_name(name, spec)
        said = spec.description if spec is not None and told in (name, name.replace("_", " ")) else None
        return said if said and self._is_own(said) else told

    def condition(self, condition: AnyCondition, at: str | None = None) -> str:
        """A condition in words; that a yes is not so is told as the no that it is."""
        return super().condition(_affirmed(condition), at)

    def told_condition(self, condition: AnyCondition, at: str | None = None) -> str:
        """A condition, with the document's own quantity behind a number that was converted."""
        text = self.condition(condition, at)
        if not isinstance(condition, Tree):
            return text
        said = [
            side.quote
            for leaf in leaves(condition)
            if isinstance(leaf, Compare)
            for side in (leaf.left, leaf.right)
            if isinstance(side, Literally) and side.status == "converted" and side.quote and _DIGIT.search(side.quote)
        ]
        quotes = self.words("list_comma").join(dict.fromkeys(one for one in said if one not in text))
        return self.words("paper.in_words", text, quotes) if quotes else text

    def _is_own(self, text: str) -> bool:
        """Whether a text is in the reader's language."""
        return bool(re.search("[\u4e00-\u9fff]", text)) == (self.words.language == "zh")


def _affirmed(condition: AnyCondition) -> AnyCondition:
    """A condition in which no yes or no is denied."""
    match condition:
        case Not(Compare("eq", Ref() as left, Literally(value=bool(value)))):
            return Compare("eq", left, Literally(not value))
        case Not(item):
            inner = _affirmed(item)
            return Not(inner) if isinstance(inner, Tree) else condition
        case Junction(op, items):
            return Junction(op, tuple(one for item in items if isinstance(one := _affirmed(item), Tree)))
        case _:
            return condition


def plain_reader(reader: Reader, workflow: Workflow) -> PlainReader:
    """A plain reader of a workflow, with the names and in the language of another reader."""
    return PlainReader(workflow, reader.catalog, reader.words.language)
