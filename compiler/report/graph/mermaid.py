"""A workflow as Mermaid text, for Markdown pages that draw it themselves."""

from catalog.load import Catalog
from compiler.report.graph.drawing import edge_text
from compiler.report.markup import visible
from compiler.report.readers_words import Reader
from ir.workflow import Edge, Workflow

_BRACKETS = {
    "system": ("[", "]"),
    "decision": ("{{", "}}"),
    "human": ("(", ")"),
    "approval": ("(", ")"),
    "call": ("[[", "]]"),
    "end": ("([", "])"),
    "unmapped": ("[/", "/]"),
}
_CLASSES = (
    "classDef system fill:#f3f7fc,stroke:#3d6fa5",
    "classDef decision fill:#fff8e8,stroke:#b07d1a",
    "classDef human fill:#eff8f3,stroke:#2e7d5b",
    "classDef approval fill:#e3f3ea,stroke:#1f6b4a,stroke-width:2px",
    "classDef call fill:#f5f2fb,stroke:#6b55a3",
    "classDef end_ fill:#f2f4f7,stroke:#5c6b7a",
    "classDef unmapped fill:#fdf0e6,stroke:#a34a00,stroke-dasharray:2 3",
    "classDef missing fill:#fef3f2,stroke:#b42318,stroke-dasharray:6 3",
    "classDef added stroke-dasharray:6 3",
)
_MEANT = '#&;<>"`|\\{}[]()'  # what Mermaid or a browser could read as more than text


def render_mermaid(workflow: Workflow, *, catalog: Catalog | None = None, language: str | None = None) -> str:
    """Write a workflow as a Mermaid flowchart, top to bottom.

    Nodes are numbered (`n0`, `n1` in the workflow's order), since ids may hold anything; what primers put in is dashed
    and says so, error edges are dotted.

    Args:
        language: `zh` or `en`; by default the workflow's own.
    """
    reader = Reader(workflow, catalog, language)
    ends = [end for edge in workflow.edges for end in (edge.source, edge.target)]
    names = {node_id: f"n{index}" for index, node_id in enumerate(dict.fromkeys([*workflow.nodes, *ends]))}
    entered = {edge.target for edge in workflow.edges if edge.source != edge.target}
    entries = [node_id for node_id in workflow.nodes if node_id not in entered]
    lines = ["flowchart TD"]
    if entries:
        lines.append(f'  start(["{_text(reader.words("start"))}"])')
    lines += [_node(name, node_id, reader) for node_id, name in names.items()]
    lines += [f"  start --> {names[entry]}" for entry in entries]
    lines += [_edge(edge, names, reader) for edge in workflow.edges]
    return "\n".join([*lines, *(f"  {line}" for line in _CLASSES)]) + "\n"


def _node(name: str, node_id: str, reader: Reader) -> str:
    node = reader.workflow.nodes.get(node_id)
    if node is None:
        return f'  {name}["{_text(reader.words("kind.missing") + ": " + node_id)}"]:::missing'
    kind = reader.kind(node)
    opened, closed = _BRACKETS[kind]
    lines = [reader.node_name(node_id)]
    if node.actor or node.assignee:
        lines.append(node.actor or node.assignee or "")
    if node.status:
        lines.append(reader.words(f"end.{node.status}"))
    if node.origin != "document":
        lines.append("〔" + reader.words("origin." + node.origin.partition(":")[0]) + "〕")
    label = "<br/>".join(_text(line) for line in lines)
    classes = [f"  class {name} {'end_' if kind == 'end' else kind}"]
    if node.origin != "document":
        classes.append(f"  class {name} added")
    return "\n".join([f'  {name}{opened}"{label}"{closed}', *classes])


def _edge(edge: Edge, names: dict[str, str], reader: Reader) -> str:
    text = edge_text(edge, reader)
    arrow = "-.->" if edge.on == "error" else "-->"
    label = f'|"{_text(text)}"|' if text else ""
    return f"  {names[edge.source]} {arrow}{label} {names[edge.target]}"


def _text(text: str) -> str:
    """Text as Mermaid takes it: what could mean something is written as a character code.

    >>> _text('a "b" <script>')
    'a #34;b#34; #60;script#62;'
    """
    flat = " ".join(visible(text).split())
    return "".join(f"#{ord(character)};" if character in _MEANT else character for character in flat)
