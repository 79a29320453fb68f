"""What a document forbids and how that is kept, what is still asked, and what people decided."""

from collections.abc import Iterator

from compiler.fates.verdict import asked, is_weighty
from ir.decisions.decision import Decision, accepted
from ir.source import Evidence
from ir.verdict import StatementFate
from review.paper.parts import Part, Row, Section, Table, Text, Weight
from review.paper.source import PaperSource


def prohibitions(source: PaperSource) -> Section:
    """Each prohibition in the document's words, with what sees to it."""
    if not source.review.statements:
        return Section(source.words("paper.prohibitions"), (Text(source.words("no_statements")),))
    said = [one for one in source.review.statements if one.prohibition is not None]
    rows = (Row((one.text.strip(), _kept(source, one), source.clause_of(one)), _weight(one)) for one in said)
    table = source.table(("rule", "kept", "clause"), (0.5, 0.36, 0.14), rows, "no_prohibitions")
    return Section(source.words("paper.prohibitions"), (table,))


def _weight(said: StatementFate) -> Weight:
    return Weight.KEPT if said.prohibition == "unenforced" else Weight.HEAVY


def _kept(source: PaperSource, said: StatementFate) -> str:
    if said.prohibition == "enforced":
        names = source.joined(name for one in said.by if (name := _bearer(source, one)))
        return source.words("paper.enforced", names) if names else source.words("paper.enforced_plain")
    if said.prohibition == "accepted" and said.reason:
        return source.words("paper.accepted", said.reason)
    return source.words("paper.unenforced" if said.prohibition == "unenforced" else "prohibitions.accepted")


def _bearer(source: PaperSource, bearer: str) -> str:
    """What carries a statement, in words; empty for what a reader of the report does not know."""
    sort, _, name = bearer.partition(":")
    workflow = source.workflow
    if sort == "node" and name in workflow.nodes:
        return source.reader.node_name(name)
    if sort == "edge" and name.isdecimal() and int(name) < len(workflow.edges):
        return source.reader.node_name(workflow.edges[int(name)].source)
    if sort == "rule":
        pack = name.partition("/")[0]
        return next(
            (source.reader.node_name(key) for key, node in workflow.nodes.items() if node.rule_pack == pack),
            "",
        )
    return source.words("paper.before_start") if sort == "guard" else ""


def questions(source: PaperSource) -> Section:
    """What is still asked, the weighty first, and texts without a place; steps without means stand among the steps."""
    words, workflow = source.words, source.workflow
    still = [gap for gap in asked(workflow) if not _answered(source.decisions, gap.question, gap.evidence)]
    weighty = {gap.id: is_weighty(gap, workflow) for gap in still}
    rows = [
        Row(
            (gap.question, words("paper.weighty" if weighty[gap.id] else "paper.plain"), source.clause(gap.evidence)),
            Weight.PLAIN if weighty[gap.id] else Weight.LIGHT,
        )
        for gap in sorted(still, key=lambda gap: not weighty[gap.id])
    ]
    parts: list[Part] = [source.table(("question", "weight", "clause"), (0.74, 0.1, 0.16), rows, "no_open")]
    lost = [one for one in source.review.statements if one.fate == "unplaced" and one.prohibition is None]
    if lost:
        parts.append(Text(words("paper.unplaced", len(lost))))
        lost.sort(key=lambda one: one.modality is None)
        told = (words("paper.says", one.text.strip(), source.clause_of(one)) for one in lost)
        parts.append(Table(tuple(Row((one,), Weight.LIGHT) for one in told)))
    return Section(words("paper.open"), tuple(parts))


def _answered(decisions: tuple[Decision, ...], question: str, evidence: tuple[Evidence, ...]) -> bool:
    """Whether a person answered a question or accepted that it is open."""
    told = [accepted(decisions, "question", one.doc_id, one.quote) for one in evidence]
    return any(one is not None and one.name == question for one in told)


def decided(source: PaperSource) -> Section:
    """What people decided: what, why, by whom and when; what does not hold any more is told so."""
    head, widths = ("about", "decision", "reason", "by"), (0.38, 0.2, 0.24, 0.18)
    table = source.table(head, widths, _decisions(source), "no_decided")
    return Section(source.words("paper.decided"), (table,))


def _decisions(source: PaperSource) -> Iterator[Row]:
    fates = {one.id: one for one in source.fates}
    for one in source.decisions:
        if one.kind in ("comment", "undo"):
            continue
        fate = fates.get(one.id)
        broken = fate is not None and fate.code is not None
        kind = source.words(f"paper.decided.{one.kind}", one.value if isinstance(one.value, str) else "")
        words = one.anchor.text if one.anchor and one.subject in ("prohibition", "statement", "text") else one.name
        cells = (
            words or (one.anchor.text if one.anchor else source.words("paper.part.workflow")),
            kind + (source.words("paper.broken") if broken else ""),
            one.reason,
            f"{one.author} {one.time[:10]}",
        )
        yield Row(cells, Weight.KEPT if broken else Weight.HEAVY if one.kind == "accept" else Weight.PLAIN)
