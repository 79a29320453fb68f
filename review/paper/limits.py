"""What decides which way a procedure takes, and the limits in its rules."""

from collections.abc import Iterator

from ir.predicate import Always, Otherwise, leaves
from ir.source import Evidence
from ir.workflow import HUMAN_APPROVAL, Rule, RulePack
from review.paper.parts import Row, Section, Weight
from review.paper.source import PaperSource, put_in
from review.paper.wording import rule_reader

MOST_ROWS = 12
"""A rule pack of more rows than these, all from one other document, is told as a whole."""


def limits(source: PaperSource) -> Section:
    """Guards, choices and rules, each with its condition in words and its clause."""
    rows = [*_guards(source), *_choices(source), *_rules(source)]
    head, widths = ("where", "condition", "result", "clause"), (0.24, 0.37, 0.25, 0.14)
    return Section(source.words("paper.limits"), (source.table(head, widths, rows, "no_limits"),))


def _guards(source: PaperSource) -> Iterator[Row]:
    words = source.words
    for guard in source.workflow.guards:
        told = source.reader.told_condition(guard.condition)
        cells = (words("paper.before_start"), told, words("paper.not_admitted"), source.clause(guard.evidence))
        yield Row(cells, Weight.HEAVY)


def _choices(source: PaperSource) -> Iterator[Row]:
    """The ways on where the document's own conditions decide; approvals have a section of their own."""
    for name in source.order:
        ways = [edge for edge in source.workflow.edges_from(name) if edge.on == "success" and not put_in(edge)]
        decided = [edge for edge in ways if not isinstance(edge.condition, Always | Otherwise)]
        if not decided or source.workflow.nodes[name].type == HUMAN_APPROVAL:
            continue
        for edge in ways:
            told = source.reader.told_condition(edge.condition, name)
            cells = (source.reader.node_name(name), told, source.leads_to(edge.target), source.clause(edge.evidence))
            yield Row(cells, Weight.HEAVY if edge in decided else Weight.PLAIN)


def _rules(source: PaperSource) -> Iterator[Row]:
    for name in source.order:
        node = source.workflow.nodes[name]
        pack = source.workflow.rule_packs.get(node.rule_pack or "")
        if pack is None:
            continue
        origin = _only_document(source, pack)
        if origin is not None and len(pack.rules) > MOST_ROWS:
            told = source.words("paper.looked_up", origin, len(pack.rules))
            yield Row((source.reader.node_name(name), told, source.words("paper.each_row"), origin), Weight.HEAVY)
            continue
        reader = rule_reader(source.reader, node)
        for rule in pack.rules:
            told = reader.told_condition(rule.condition)
            cells = (source.reader.node_name(name), told, _given(source, name, rule), source.clause(rule.quotes))
            numbers = any(True for _ in leaves(rule.condition))
            yield Row(cells, Weight.HEAVY if numbers else Weight.PLAIN)


def _only_document(source: PaperSource, pack: RulePack) -> str | None:
    """The title of the one other document that all rows of a pack rest on."""
    quotes: list[Evidence] = [one for rule in pack.rules for one in rule.quotes]
    cited = {one.doc_id for one in quotes}
    main = source.review.procedure.doc_id if source.review.procedure else None
    if len(cited) != 1 or main in cited:
        return None
    return next((one.title for one in source.review.documents if one.doc_id in cited), next(iter(cited)))


def _given(source: PaperSource, name: str, rule: Rule) -> str:
    """What a row gives, in words; where a value came from is left to its clause."""
    node = source.workflow.nodes[name]
    pack = source.workflow.rule_packs[node.rule_pack or ""]
    specs = {**source.reader.outputs(node), **pack.outputs}
    told = [one for key, value in rule.outcome.items() if (one := source.given(key, specs.get(key), value))]
    told += [
        source.words("paper.gives", source.reader.field_name(key, specs.get(key)), source.reader.formula(one.formula))
        for key, one in rule.formulas.items()
    ]
    return source.words("paper.semicolon").join(told)
