"""Node Types from the tools of a source: nothing is taken for harmless that the source does not say is."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from catalog.binding import Binding
from catalog.contract import fold
from catalog.errors import CatalogFault
from catalog.importing.errors import ImportClash, MalformedSource
from catalog.importing.fields import FieldReader
from catalog.importing.names import identifier_words, type_part
from catalog.importing.tool import Source, Tool
from catalog.node_type import Capabilities, Governance, Imported, NodeType
from catalog.read import pointer
from ir.diagnostics import Diagnostic, Location, Severity
from ir.fields import Fields
from ir.workflow import RiskLevel

SIDE_EFFECT, RISK = "/capabilities/side_effect", "/governance/risk_level_default"
OUTPUTS, CATEGORY = "/outputs_schema", "/category"
LONGEST_SUMMARY = 240
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9“\"])|(?<=[。！？])|\n\s*\n")
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True)
class Import:
    """What an import gives.

    Args:
        types: by name, in the order of the source.
        diagnostics: what the person should know of it.
    """

    namespace: str
    source: str
    types: dict[str, NodeType]
    diagnostics: tuple[Diagnostic, ...] = ()


def make_types(source: Source, namespace: str | None = None, *, skip_faulty: bool = False) -> Import:
    """The Node Types of a source.

    Args:
        namespace: the first half of their names; None for one made of what the source calls itself.
        skip_faulty: tools whose schemas are malformed are left out and listed.

    Raises:
        MalformedSource: there are no tools, or some are malformed.
        ImportClash: two would have the same name.
    """
    space = namespace or type_part(source.name or source.said)
    found: list[tuple[Tool, NodeType]] = []
    notes: list[Diagnostic] = []
    faults: list[CatalogFault] = []
    for tool in source.tools:
        reader = FieldReader(source.said)
        node_type = _node_type(source, tool, space, reader)
        if reader.faults:
            faults += [
                CatalogFault(source.parsed.file, one.at, str(one.found), one.expected, one.next_step)
                for one in reader.faults
            ]
            notes += [_left_out(source, tool)] if skip_faulty else []
            continue
        notes += [*_told(source, tool), *reader.notes]
        found.append((tool, node_type))
    if faults and not skip_faulty:
        raise MalformedSource(list(dict.fromkeys(faults)))
    if not found:
        raise MalformedSource([source.parsed.fault((), "no tool", "at least one tool", "name another source")])
    _no_clash(source, found)
    types = {node_type.type: node_type for node_type in _distinct_aliases(one for _, one in found)}
    return Import(space, source.said, types, tuple({str(note): note for note in notes}.values()))


def _node_type(source: Source, tool: Tool, space: str, reader: FieldReader) -> NodeType:
    inputs, outputs, result = _fields(tool, reader)
    summary, rest = _summary(tool)
    assumed = [*reader.assumed, CATEGORY]
    if tool.outputs is None and tool.declared is None and not tool.gives_nothing:
        assumed.append(OUTPUTS)
    effects = tool.effects
    changes = effects.read_only is not True
    if changes and effects.destructive is None:
        assumed += [SIDE_EFFECT, RISK] if effects.read_only is None else [RISK]
    risk: RiskLevel = "high" if effects.destructive else "medium" if changes else "low"
    twice = effects.idempotent is True or not changes
    return NodeType(
        type=f"{space}.{type_part(tool.name)}",
        version="1.0.0",
        category="decision" if tool.binding.kind == "table" else "io",
        summary=summary,
        summary_i18n={"zh" if _HAN.search(summary) else "en": summary},
        inputs_schema=inputs,
        outputs_schema=outputs,
        capabilities=Capabilities(side_effect=changes, idempotent_default=twice, retryable_default=twice),
        governance=Governance(risk_level_default=risk),
        aliases=tuple(_aliases(tool, summary)),
        tags=tool.tags,
        permissions=tool.permissions,
        binding=_binding(tool, reader, inputs, result),
        imported=Imported(
            source=source.said,
            at=pointer(tool.path) or tool.name,
            description=rest,
            assumed=tuple(sorted(one for one in assumed if one != CATEGORY or tool.binding.kind != "table")),
        ),
    )


def _binding(tool: Tool, reader: FieldReader, inputs: Fields, result: str | None) -> Binding:
    names, places, lists = {**tool.binding.names, **reader.names}, {}, {}
    for name in inputs:
        argument = names.get(f"inputs.{name}", name)
        if (sent := tool.sent_as.get(argument, argument)) != name:
            names[f"inputs.{name}"] = sent
        if argument in tool.places:
            places[name] = tool.places[argument]
        if argument in tool.lists:
            lists[name] = tool.lists[argument]
    told = {"names": names, "result": result} | ({"places": places} if places else {})
    return tool.binding.model_copy(update={**told, **({"lists": lists} if lists else {})})


def _fields(tool: Tool, reader: FieldReader) -> tuple[Fields, Fields, str | None]:
    if tool.declared is not None:
        return (*tool.declared, None)
    inputs = reader.inputs(tool.inputs) if tool.inputs is not None else {}
    outputs, result = reader.outputs(tool.outputs) if tool.outputs is not None else ({}, None)
    return inputs, outputs, result


def _summary(tool: Tool) -> tuple[str, str | None]:
    """One sentence that says what a tool does, and all that is said where that is more."""
    text = " ".join((tool.description or "").split())
    first = next((part for one in _SENTENCE.split(tool.description or "") if (part := " ".join(one.split()))), "")
    words = " ".join(identifier_words(tool.name))
    title = " ".join((tool.title or "").split())
    summary = (first or title or words or tool.name).rstrip("。.")
    if len(summary) > LONGEST_SUMMARY:
        summary = summary[: LONGEST_SUMMARY - 1].rstrip() + "…"
    return summary, text if text.rstrip("。.") != summary and text else None


def _aliases(tool: Tool, summary: str) -> Iterator[str]:
    """Other names of a tool as words; its identifier by its words, so that a text is like it."""
    seen = {fold(summary)}
    for name in (tool.title, " ".join(identifier_words(tool.name)), *tool.words):
        text = " ".join((name or "").split()).rstrip("。.")
        if text and fold(text) not in seen and len(text) <= LONGEST_SUMMARY:
            seen.add(fold(text))
            yield text


def _distinct_aliases(types: Iterable[NodeType]) -> Iterator[NodeType]:
    """The Types without the aliases that an earlier one has: words that fit two tell neither."""
    seen: set[str] = set()
    for one in types:
        kept = tuple(alias for alias in one.aliases if fold(alias) not in seen)
        seen |= {fold(alias) for alias in kept}
        yield one if kept == one.aliases else one.model_copy(update={"aliases": kept})


def _no_clash(source: Source, found: Iterable[tuple[Tool, NodeType]]) -> None:
    first: dict[str, Tool] = {}
    faults = []
    for tool, node_type in found:
        if (other := first.setdefault(node_type.type, tool)) is not tool:
            fault = source.parsed.fault(
                tool.path,
                tool.name,
                f"a name that makes another Type than {other.name!r}, which is {node_type.type} already",
                "rename one of the two in the source",
            )
            faults.append(replace(fault, pointer=pointer(tool.path)))
    if faults:
        raise ImportClash(faults)


def _told(source: Source, tool: Tool) -> Iterator[Diagnostic]:
    if not (tool.description or "").strip() and not (tool.title or "").strip():
        yield _diagnostic(
            "undescribed-tool",
            source,
            tool,
            f"the tool {tool.name!r} has no description, expected what it does in a sentence; its summary is its name, "
            "write one in the Type",
        )


def _left_out(source: Source, tool: Tool) -> Diagnostic:
    return _diagnostic("tool-left-out", source, tool, f"the tool {tool.name!r} is malformed and was left out")


def _diagnostic(code: str, source: Source, tool: Tool, message: str) -> Diagnostic:
    return Diagnostic(
        error_code=code,
        severity=Severity.WARNING,
        message=message,
        location=Location(file=source.parsed.file, pointer=pointer(tool.path) or None),
    )
