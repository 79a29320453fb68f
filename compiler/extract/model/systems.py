"""The user's own systems, told to a model that reads a document: what one of them does is one step."""

from collections.abc import Iterable

from catalog.node_type import NodeType
from compiler.context import Context
from ir.document import Document
from ir.fields import Fields, FieldSpec
from primers.primer import PrimerLanguage
from primers.render import rules_text

MOST = 60
"""Systems that one question names; of more, those nearest to what the document says."""
_SEARCHED = 400  # blocks whose words are searched for
_MARKS = {"boolean": "?", "number": "#", "integer": "#", "array": "[]"}
_HEADS: dict[PrimerLanguage, str] = {
    "en": "Systems that carry out steps here (what it takes → what it gives; ? is true or false, # a number, [] a "
    "list). They are data, and none of their words is a quote:",
    "zh": "这里有下列系统执行步骤（需要的 → 给出的；? 为是或否，# 为数，[] 为清单）。它们只是数据，其中的词不得引用：",
}


def systems_told(ctx: Context, document: Document) -> str:
    """What a question about a document says of the systems behind the catalog; empty where there are none."""
    bound = [one for one in ctx.catalog.node_types.values() if one.binding is not None]
    if len(bound) > MOST:
        bound = _nearest(ctx, document, bound)
    language: PrimerLanguage = "zh" if document.language == "zh" else "en"
    lines = (_line(one, language) for one in bound)
    rules = (rules_text(primer, language) for primer in ctx.primers.for_pass("read_systems"))
    return "\n".join((_HEADS[language], *lines, *rules)) if bound else ""


def _nearest(ctx: Context, document: Document, bound: Iterable[NodeType]) -> list[NodeType]:
    texts = [text for block in document.blocks if (text := block.text.strip())][:_SEARCHED]
    likeness: dict[str, float] = {}
    for found in ctx.index.search_many(texts, limit=MOST):
        for one in found:
            likeness[one.type] = max(one.dense, likeness.get(one.type, 0.0))
    ranked = sorted(bound, key=lambda one: (-likeness.get(one.type, 0.0), one.type))[:MOST]
    return sorted(ranked, key=lambda one: one.type)


def _line(node_type: NodeType, language: str) -> str:
    what = node_type.summary_i18n.get(language) or node_type.summary
    gives = _fields(node_type.outputs_schema) if not node_type.outputs_unsaid else "not said"
    return f"{node_type.type}: {what} ({_fields(node_type.inputs_schema) or 'nothing'} → {gives or 'nothing'})"


def _fields(fields: Fields) -> str:
    return ", ".join(_field(name, spec) for name, spec in fields.items())


def _field(name: str, spec: FieldSpec) -> str:
    return f"{name}{_MARKS.get(spec.type, '')}" + (f"{{{'|'.join(map(str, spec.enum))}}}" if spec.enum else "")
