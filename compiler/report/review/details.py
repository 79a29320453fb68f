"""The details of nodes and edges on a review page: what each is, where it comes from, on which words it stands."""

from collections.abc import Iterator

from compiler.fates.verdict import unmapped_nodes
from compiler.report.graph.drawing import edge_text, effective_risk
from compiler.report.markup import Child, Markup, element, join
from compiler.report.review.parts import Page, chip, facts, section
from ir.fields import Fields
from ir.predicate import Always, Literally, Otherwise, Ref, Tree, leaves
from ir.workflow import Edge, Node


def render_details(page: Page) -> Iterator[Markup]:
    """One article for each node, then one for each edge."""
    unmapped = unmapped_nodes(page.workflow)
    for node_id, node in page.workflow.nodes.items():
        yield _node(page, node_id, node, unmapped=node_id in unmapped)
    for index, edge in enumerate(page.workflow.edges):
        yield _edge(page, index, edge)


def origin_words(page: Page, origin: str) -> Markup:
    """Where something comes from and why: the document, a primer by name, repair, a person."""
    kind, _, name = origin.partition(":")
    primer = name.partition("@")[0]
    why = page.review.primer_reasons.get(primer) or page.words.get(f"why.{primer or kind}", page.words(f"why.{kind}"))
    title = page.words(f"origin.{kind}") + (f" {name}" if name else "")
    return element("p", {"class": f"why {kind}"}, element("b", {}, title), " ", why)


def _node(page: Page, node_id: str, node: Node, *, unmapped: bool) -> Markup:
    words, reader, key = page.words, page.reader, page.node_keys[node_id]
    risk = effective_risk(node, reader)
    chips = [
        chip(words(f"kind.{reader.kind(node)}"), f"kind-{reader.kind(node)}"),
        chip(words(f"end.{node.status}")) if node.status else None,
        chip(words("unmapped"), "warn") if unmapped else None,
        _readings(page, node),
        chip(f"{words('risk')} {words(f'risk.{risk}')}", f"risk-{risk}") if risk else None,
        chip(words(f"origin.{node.origin.partition(':')[0]}"), "origin"),
    ]
    return element(
        "article",
        {"class": "detail", "data-key": key, "data-node": node_id, "data-hash": f"node={node_id}"},
        element("h3", {}, reader.node_name(node_id)),
        element("p", {"class": "chips"}, chips),
        facts([*_what(page, node), *_policy(page, node)]),
        origin_words(page, node.origin),
        section(words("evidence"), page.quotes(key) or element("p", {"class": "muted"}, words("no_evidence"))),
        section(words("steps"), _steps(page, node)),
        section(words("inputs"), _inputs(page, node)),
        section(words("outputs"), field_list(page, reader.outputs(node)) if node.type != "human.input" else None),
        section(words("results"), _results(page, node)),
        section(words("ways_in"), _ways(page, node_id, incoming=True)),
        section(words("ways_out"), _ways(page, node_id, incoming=False)),
        section(words("findings"), _findings(page, key)),
    )


def _readings(page: Page, node: Node) -> Markup | None:
    """Whether two readings agree on the steps of a node; nothing where the document was read once."""
    procedure = page.review.procedure
    if procedure is None or procedure.agreed is None or not node.step_ids:
        return None
    agree = set(node.step_ids) <= set(procedure.agreed)
    return chip(page.words("readings.agree" if agree else "readings.differ"), "" if agree else "warn")


def _what(page: Page, node: Node) -> list[tuple[str, Child]]:
    words, reader = page.words, page.reader
    node_type = reader.node_type(node)
    version = f" {node.type_version}" if node.type_version else ""
    about = reader.summary(node_type) if node_type else words("type.unknown") if page.review.catalog else None
    type_words = join(
        [element("code", {}, node.type + version), element("span", {"class": "sub"}, about) if about else None]
    )
    split = node.split or "exclusive"
    comma = words("list_comma").join
    return [
        (words("type"), type_words),
        (words("actor"), node.actor),
        (words("assignee"), node.assignee if node.assignee != node.actor else None),
        (words("approvers"), comma(node.approvers or ())),
        (words("question"), node.question),
        (words("instruction"), node.instruction),
        (words("requested_fields"), field_list(page, node.requested_fields or {})),
        (words("outcomes"), comma(node.outcomes or ())),
        (words("reason_code"), element("code", {}, node.reason_code) if node.reason_code else None),
        (words("calls"), f"{node.call.workflow_id} {node.call.version}" if node.call else None),
        (words("rule_pack"), node.rule_pack),
        (words("split"), words(f"split.{split}") if node.split else None),
        (words("deadline"), reader.deadline(node.deadline) if node.deadline else None),
    ]


def _policy(page: Page, node: Node) -> list[tuple[str, Child]]:
    words, policy = page.words, node.policy
    return [
        (words("policy.timeout"), page.reader.duration(policy.timeout)),
        (words("policy.max_attempts"), str(policy.max_attempts) if policy.max_attempts else None),
        (words("policy.backoff"), page.reader.duration(policy.backoff)),
        (words("policy.requires_allowlist"), yes_no(page, policy.requires_allowlist)),
        (words("policy.idempotent"), yes_no(page, policy.idempotent)),
    ]


def yes_no(page: Page, value: bool | None) -> str | None:
    """A truth in words; None stays None."""
    return None if value is None else page.words("yes" if value else "no")


def _steps(page: Page, node: Node) -> Markup | None:
    steps = page.steps
    items = [
        element("li", {}, element("code", {}, step_id), " ", steps[step_id].text if step_id in steps else "")
        for step_id in node.step_ids
    ]
    return element("ul", {"class": "plain"}, items) if items else None


def _inputs(page: Page, node: Node) -> Markup | None:
    node_type = page.reader.node_type(node)
    rows = []
    for name, value in node.inputs.items():
        spec = node_type.inputs_schema.get(name) if node_type else None
        shown = page.reader.field_name(name, spec)
        title = join([shown, " ", element("code", {}, name)]) if shown != name else element("code", {}, name)
        rows.append(
            element("tr", {}, element("th", {"scope": "row"}, title), element("td", {}, mapping_words(page, value)))
        )
    return element("table", {"class": "map"}, element("tbody", {}, rows)) if rows else None


def _results(page: Page, node: Node) -> Markup | None:
    """What an end gives."""
    rows = []
    for name, value in (node.results or {}).items():
        key = page.result_keys.get(name)
        title = page.link(key) if key else element("code", {}, name)
        rows.append(
            element("tr", {}, element("th", {"scope": "row"}, title), element("td", {}, mapping_words(page, value)))
        )
    return element("table", {"class": "map"}, element("tbody", {}, rows)) if rows else None


def mapping_words(page: Page, value: Ref | Literally) -> Markup:
    """Where an input or output gets its value, with a link to the node or workflow input that it reads."""
    words = page.words
    if isinstance(value, Literally):
        origin = [words.get(f"literal.{value.status}", "") if value.status else "", value.quote or ""]
        note = " ".join(part for part in origin if part)
        shown = element("span", {"title": note or None}, page.reader.value(value.value))
        return join([shown, " ", element("span", {"class": "muted"}, words("literal"))])
    code = element("code", {"class": "ref"}, value.text)
    key = page.node_keys.get(value.path[0]) if value.node else page.input_keys.get(value.path[0])
    source = page.link(key, page.names[key] if value.node else words("from_input")) if key else value.path[0]
    return join(["← ", page.reader.ref_name(value), element("span", {"class": "sub"}, source, " ", code)])


def field_list(page: Page, fields: Fields) -> Markup | None:
    """Fields with their types, one a line; None where there are none."""
    items = []
    for name, spec in fields.items():
        kind = spec.type + (f" ({spec.unit})" if spec.unit else "")
        notes = [kind, page.words("nullable") if spec.nullable else None, page.reader.choices(spec)]
        shown = page.reader.field_name(name, spec)
        code = element("code", {}, name) if shown != name else None
        items.append(
            element(
                "li",
                {},
                shown,
                " ",
                code,
                " ",
                element("span", {"class": "muted"}, join([note for note in notes if note], " · ")),
            )
        )
    return element("ul", {"class": "plain"}, items) if items else None


def _ways(page: Page, node_id: str, *, incoming: bool) -> Markup | None:
    items = []
    for index, edge in (page.edges_into if incoming else page.edges_out_of).get(node_id, ()):
        other = edge.source if incoming else edge.target
        text = edge_text(edge, page.reader) or page.words("always")
        node = page.link(page.node_keys[other]) if other in page.node_keys else other
        way = page.link(f"e{index}", text)
        items.append(element("li", {}, [node, ": ", way] if incoming else [way, " → ", node]))
    return element("ul", {"class": "plain"}, items) if items else None


def _findings(page: Page, key: str) -> Markup | None:
    """Links to the questions and diagnostics that concern a node or an edge."""
    items = [
        element("li", {}, page.link(f"g{index}", page.workflow.gaps[index].question))
        for index in page.gaps_about.get(key, ())
    ]
    items += [
        element(
            "li",
            {},
            page.link(
                f"d{index}",
                f"{page.words(f'severity.{one.severity}')}: {page.words.of_code(one.error_code, one.message)}",
            ),
        )
        for index, one in ((index, page.review.diagnostics[index]) for index in page.diagnostics_at.get(key, ()))
    ]
    return element("ul", {"class": "plain"}, items) if items else None


def _edge(page: Page, index: int, edge: Edge) -> Markup:
    words, reader, key = page.words, page.reader, f"e{index}"
    ends = [page.link(page.node_keys[end]) if end in page.node_keys else end for end in (edge.source, edge.target)]
    tree = None if isinstance(edge.condition, Always | Otherwise) else edge.condition
    rows: list[tuple[str, Child]] = [
        (words("condition"), edge_text(edge, reader) or words("always")),
        ("DSL", element("code", {}, reader.exact(tree)) if tree else None),
        (words("literals"), _literals(page, tree) if tree else None),
        (words("priority"), str(edge.priority) if edge.priority is not None else None),
    ]
    return element(
        "article",
        {"class": "detail", "data-key": key, "data-edge": index, "data-hash": f"edge={index}"},
        element("h3", {}, ends[0], " → ", ends[1]),
        element(
            "p",
            {"class": "chips"},
            chip(words("edge")),
            chip(words(f"origin.{edge.origin.partition(':')[0]}"), "origin"),
        ),
        facts(rows),
        _edge_origin(page, edge),
        section(words("evidence"), page.quotes(key) or element("p", {"class": "muted"}, words("no_evidence"))),
        section(words("findings"), _findings(page, key)),
    )


def _edge_origin(page: Page, edge: Edge) -> Markup:
    """Where an edge comes from; one of the document without a condition only follows the order of telling."""
    if edge.origin != "document" or not isinstance(edge.condition, Always | Otherwise):
        return origin_words(page, edge.origin)
    why = page.words("why.order" if isinstance(edge.condition, Always) else "why.rest")
    return element("p", {"class": "why document"}, element("b", {}, page.words("origin.document")), " ", why)


def _literals(page: Page, tree: Tree) -> Markup | None:
    """How the literals of a condition came from the document's words, where the workflow says so."""
    items = []
    for leaf in leaves(tree):
        for operand in (getattr(leaf, "left", None), getattr(leaf, "right", None)):
            if isinstance(operand, Literally) and (operand.status or operand.quote):
                was = "" if operand.source is None else f"{page.reader.value(operand.source)} → "
                note = words_of_status(page, operand.status)
                quote = element("q", {}, operand.quote) if operand.quote else None
                items.append(element("li", {}, was + page.reader.value(operand.value), " ", note, " ", quote))
    return element("ul", {"class": "plain"}, items) if items else None


def words_of_status(page: Page, status: str | None) -> Markup | None:
    """How a literal came about, as a muted word."""
    return element("span", {"class": "muted"}, page.words(f"literal.{status}")) if status else None
