"""Workflows in a reader's words: names of nodes and fields, conditions, values, durations."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from catalog.load import Catalog
from catalog.node_type import NodeType
from compiler.fates.verdict import unmapped_nodes
from compiler.report.words import Words
from ir.diagnostics import Location
from ir.fields import Fields, FieldSpec
from ir.formula import Expression, expression_references, without_sources
from ir.formulas.infix import to_formula
from ir.infix import to_infix
from ir.predicate import (
    Always,
    AnyCondition,
    Compare,
    Junction,
    Literally,
    Not,
    Null,
    Operand,
    Otherwise,
    Ref,
    Tree,
    references,
)
from ir.procedure import Deadline
from ir.workflow import CONTROL_CALL, CONTROL_END, HUMAN_APPROVAL, HUMAN_INPUT, HUMAN_TASK, InputSpec, Node, Workflow

SECTION = "section"
"""The type of a node that stands for a folded section; no Node Type is called so."""
_DURATION_PART = re.compile(r"(\d+)(BD|[YMWDHS])")
_UNITS = {
    "zh": {"Y": "年", "M": "个月", "W": "周", "D": "天", "BD": "个工作日", "H": "小时", "TM": "分钟", "S": "秒"},
    "en": {
        "Y": "year",
        "M": "month",
        "W": "week",
        "D": "day",
        "BD": "business day",
        "H": "hour",
        "TM": "minute",
        "S": "second",
    },
}
_HUMAN_OUTPUTS: dict[str, tuple[str, ...]] = {
    HUMAN_APPROVAL: ("approved", "approver", "comment", "at"),
    HUMAN_TASK: ("outcome", "comment"),
}


def reader_language(workflow: Workflow, default: str = "en") -> str:
    """`zh` for a Chinese workflow, `en` for an English one; one that does not say is judged by its title and labels."""
    if workflow.metadata.language in ("zh", "en"):
        return workflow.metadata.language or default
    said = (workflow.metadata.title or "") + "".join(node.label or "" for node in workflow.nodes.values())
    return "zh" if re.search("[\u4e00-\u9fff]", said) else default


def duration_words(text: str, language: str) -> str:
    """An ISO 8601 duration (or business days, `P5BD`) in words; other text as it is.

    >>> duration_words("P2BD", "zh"), duration_words("PT48H", "en"), duration_words("P1D", "en")
    ('2个工作日', '48 hours', '1 day')
    """
    date, _, time = text.removeprefix("P").partition("T")
    parts = [(number, unit) for number, unit in _DURATION_PART.findall(date)]
    parts += [(number, "TM" if unit == "M" else unit) for number, unit in _DURATION_PART.findall(time)]
    if not text.startswith("P") or not parts:
        return text
    if language == "zh":
        return "".join(number + _UNITS["zh"][unit] for number, unit in parts)
    return " ".join(f"{number} {_UNITS['en'][unit]}{'' if number == '1' else 's'}" for number, unit in parts)


@dataclass(frozen=True)
class Reader:
    """Reads a workflow aloud in its own language, with the names that the catalog and the workflow itself give.

    Args:
        catalog: for the names of fields and values; without it a field goes by its own name.
    """

    workflow: Workflow
    catalog: Catalog | None = None
    language: str | None = None

    @cached_property
    def words(self) -> Words:
        """The fixed words of the reader's language."""
        return Words("zh" if (self.language or reader_language(self.workflow)) == "zh" else "en")

    def node_type(self, node: Node) -> NodeType | None:
        """The node's type as the catalog has it."""
        return self.catalog.resolve(node.type) if self.catalog else None

    def summary(self, node_type: NodeType) -> str:
        """What a Node Type does, in the reader's language where the catalog has it."""
        return node_type.summary_i18n.get(self.words.language, node_type.summary)

    @cached_property
    def unmapped(self) -> frozenset[str]:
        """The steps that no Type fits."""
        names = unmapped_nodes(self.workflow)
        return frozenset(step for name in names for step in self.workflow.nodes[name].step_ids)

    def kind(self, node: Node) -> str:
        """`system`, `decision`, `human`, `approval`, `call`, `end`, `unmapped`, or `section` for what is folded."""
        node_type = self.node_type(node)
        if node.type == SECTION:
            return "section"
        if node.type == HUMAN_TASK and not self.unmapped.isdisjoint(node.step_ids):
            return "unmapped"
        if node.type in (CONTROL_END, CONTROL_CALL):
            return "end" if node.type == CONTROL_END else "call"
        if node.type == HUMAN_APPROVAL:
            return "approval"
        category = node_type.category if node_type else node.type.partition(".")[0]
        return {"human": "human", "decision": "decision"}.get(category, "system")

    def node_name(self, node_id: str) -> str:
        """A node's label; else how it ends or the summary of its Type; else its id."""
        node = self.workflow.nodes.get(node_id)
        if node is None:
            return node_id
        if node.label:
            return node.label
        if node.status:
            return self.words(f"end.{node.status}")
        if node.type == CONTROL_CALL and node.call:
            return f"{node.call.workflow_id} {node.call.version}"
        return node_id

    def place(self, location: Location) -> str:
        """The node or the way that a diagnostic names, else its field; empty where it names none."""
        nodes, (source, _, target) = self.workflow.nodes, (location.edge or "").partition("->")
        if source in nodes and target in nodes:
            return self.words("diff.edge", *(self.words("case.named", self.node_name(one)) for one in (source, target)))
        if location.node in nodes:
            return self.words("case.named", self.node_name(location.node))
        field = location.field or ""
        return self.field_name(field, self.workflow.inputs.get(field)) if field else ""

    def field(self, ref: Ref) -> FieldSpec | None:
        """The declaration of the field that a reference reads, where workflow or catalog have it."""
        if ref.root == "inputs":
            spec: FieldSpec | None = self.workflow.inputs.get(ref.path[0])
            return spec.at(ref.path[1:]) if spec else None
        node = self.workflow.nodes.get(ref.path[0]) if ref.root == "outputs" else None
        if node is None or len(ref.path) < 2:
            return None
        spec = self.outputs(node).get(ref.path[1])
        return spec.at(ref.path[2:]) if spec else None

    def outputs(self, node: Node) -> Fields:
        """What a node gives: of a `human.input` the fields it asks for, else those of its Type."""
        if node.type == HUMAN_INPUT:
            return node.requested_fields or {}
        node_type = self.node_type(node)
        return node_type.outputs_schema if node_type else {}

    def field_name(self, name: str, spec: FieldSpec | None) -> str:
        """A field as a person named it, else by its concept's label in the reader's language, else by its own name."""
        if isinstance(spec, InputSpec) and spec.origin == "person" and spec.description:
            return spec.description
        concept = self.catalog.concepts.get(spec.concept) if self.catalog and spec and spec.concept else None
        if concept:
            return concept.labels.get(self.words.language) or name
        if spec and spec.description and len(spec.description) <= 16 and self.words.language == "zh":
            return spec.description
        return name.replace("_", " ") if self.words.language == "en" else name

    def ref_name(self, ref: Ref) -> str:
        """What a reference reads: the field's name, or the node's where its whole output is read."""
        if ref.root == "outputs" and len(ref.path) == 1:
            return self.words("of", self.words("outputs"), self.node_name(ref.path[0]))
        if self._of_person(ref):
            return self.words(f"field.{ref.path[1]}")
        return self.field_name(ref.path[-1], self.field(ref))

    def _of_person(self, ref: Ref) -> bool:
        """Whether it reads a fixed output of a human node, which has words of its own."""
        node = self.workflow.nodes.get(ref.path[0]) if ref.root == "outputs" and len(ref.path) == 2 else None
        return node is not None and ref.path[-1] in _HUMAN_OUTPUTS.get(node.type, ())

    def ref_full(self, ref: Ref) -> str:
        """A reference with where it comes from: `危险等级（查询等级）`."""
        if ref.root == "outputs" and len(ref.path) > 1:
            return self.words("of", self.ref_name(ref), self.node_name(ref.path[0]))
        return self.ref_name(ref)

    def value(self, value: JsonValue, spec: FieldSpec | None = None) -> str:
        """A value in words: the concept's own word for it where there is one, with its unit."""
        if isinstance(value, list):
            return self.words("list_comma").join(self.value(item, spec) for item in value)
        word = self._value_word(value, spec)
        if word:
            return word
        if value is None:
            return self.words("null")
        if isinstance(value, bool):
            return self.words("yes" if value else "no")
        if isinstance(value, str):
            return duration_words(value, self.words.language) if spec and spec.type == "duration" else value
        text = f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)
        return f"{text} {spec.unit}" if spec and spec.unit and isinstance(value, int | float) else text

    def _value_word(self, value: JsonValue, spec: FieldSpec | None) -> str | None:
        concept = self.catalog.concepts.get(spec.concept) if self.catalog and spec and spec.concept else None
        for item in concept.values if concept else ():
            if item.value == value and isinstance(item.value, bool) == isinstance(value, bool):
                return next(iter(item.words.get(self.words.language, ())), None)
        return None

    def operand(self, operand: Operand, spec: FieldSpec | None = None) -> str:
        """An operand in words, in full."""
        return self.ref_full(operand) if isinstance(operand, Ref) else self.value(operand.value, spec)

    def condition(self, condition: AnyCondition, at: str | None = None) -> str:
        """A condition in short words: `危险等级 ∈ {一类、二类} 且 运输方式 = 公路`.

        Args:
            at: id of the node whose way on it decides; a yes or no of another node is given with that node's name.
        """
        match condition:
            case Always():
                return self.words("always")
            case Otherwise():
                return self.words("otherwise")
        return self._tree(condition, self.short_names(references(condition)), at)

    def formula(self, tree: Expression) -> str:
        """A formula with the names of what it reads: `费用 * 5%`."""
        names, text = self.short_names(expression_references(tree)), to_formula(without_sources(tree))
        longest_first = sorted(names, key=lambda ref: len(ref.text), reverse=True)
        pattern = "|".join(re.escape(ref.text) for ref in longest_first)
        return re.sub(pattern, lambda found: names[Ref(found[0])], text) if names else text

    def exact(self, condition: AnyCondition) -> str:
        """A condition in the infix form, which says everything."""
        return self.condition(condition) if isinstance(condition, Always | Otherwise) else to_infix(condition)

    def short_names(self, refs: Iterable[Ref]) -> dict[Ref, str]:
        """Short names; those that two different references would share are given in full."""
        unique = list(dict.fromkeys(refs))
        short = {ref: self.ref_name(ref) for ref in unique}
        return {
            ref: self.ref_full(ref) if list(short.values()).count(name) > 1 else name for ref, name in short.items()
        }

    def _tree(self, tree: Tree, names: dict[Ref, str], at: str | None) -> str:
        match tree:
            case Null(ref, negated):
                return self.words("exists" if negated else "is_null", names[ref])
            case Not(item):
                inner = self._tree(item, names, at)
                return self.words("not") + (f"（{inner}）" if self.words.language == "zh" else f"({inner})")
            case Junction(op, items):
                parts = [self._tree(item, names, at) for item in items]
                nested = [isinstance(item, Junction) and item.op != op for item in items]
                return self.words(op).join(
                    f"({part})" if inside else part for part, inside in zip(parts, nested, strict=True)
                )
            case Compare():
                return self._compare(tree, names, at)

    def _compare(self, tree: Compare, names: dict[Ref, str], at: str | None) -> str:
        left, right = tree.left, tree.right
        if (
            isinstance(left, Ref)
            and isinstance(right, Literally)
            and isinstance(right.value, bool)
            and tree.op in ("eq", "ne")
        ):
            truth = right.value == (tree.op == "eq")
            key = "is_true" if truth else "is_false"
            word = self.words.get(f"{key}.{left.path[-1]}", "") if self._of_person(left) else ""
            said = right.quote if tree.op == "eq" else None  # the document's own word for it says most
            word = word or said or self._value_word(truth, self.field(left)) or ""
            if word and left.node not in (None, at) and at is not None:
                word = self.words("of", word, self.node_name(left.path[0]))
            return word or self.words(key, names[left])
        if isinstance(left, Ref) and left.path[-1] == "outcome" and isinstance(right, Literally) and right.quote:
            return right.quote  # the document's own words for how it came out
        sides = [
            names[side]
            if isinstance(side, Ref)
            else self.value(side.value, self.field(other) if isinstance(other, Ref) else None)
            for side, other in ((left, right), (right, left))
        ]
        for index, side in enumerate((left, right)):
            if isinstance(side, Literally) and isinstance(side.value, list):
                sides[index] = self.words("set", sides[index])
        return sides[0] + self.words(f"op.{tree.op}") + sides[1]

    def duration(self, text: str | None) -> str | None:
        """A duration in words; None stays None."""
        return None if text is None else duration_words(text, self.words.language)

    def choices(self, spec: FieldSpec) -> str:
        """The values that a field may have, in words; empty where it is open."""
        if spec.enum is None:
            return ""
        separator = " / " if self.words.language == "zh" else " | "
        return separator.join(self.value(value, spec) for value in spec.enum)

    def deadline(self, deadline: Deadline) -> str:
        """A deadline in words: `2个工作日，自收到任务单起`."""
        length = duration_words(deadline.duration, self.words.language)
        text = self.words("deadline.from", deadline.start, length) if deadline.start else length
        return f"{text} ({deadline.calendar})" if deadline.calendar else text
