"""What a procedure is for, who does what in it and when, and who approves."""

from collections.abc import Iterator

from ir.source import Evidence
from ir.workflow import HUMAN_APPROVAL, Node, ResultSpec
from review.paper.parts import Part, Row, Section, Table, Text, Weight
from review.paper.source import PaperSource, put_in

MOST_PURPOSES = 3
_STOPS = ("。", "；", ".", ";")
"""What a whole sentence ends with; dates and titles are none."""


def purpose(source: PaperSource) -> Section:
    """What it is for, what starts it, and how the draft stands."""
    words, verdict = source.words, source.page.verdict
    said = [one for one in source.review.statements if one.fate == "purpose" and one.text.rstrip().endswith(_STOPS)]
    aims = [words("paper.says", one.text.strip(), source.clause_of(one)) for one in said[:MOST_PURPOSES]]
    starts = [words("paper.starts", _trigger(source, one.text, one.evidence)) for one in source.workflow.triggers]
    steps, bans, asked = verdict.steps, verdict.prohibitions, verdict.questions
    policy = source.workflow.execution_policy
    risk = words(f"risk.{policy.risk_level}")
    figures = [
        words("paper.overview", steps.all, steps.executable, steps.manual, steps.unmapped),
        words("paper.overview_rules", bans.all, bans.enforced, bans.accepted, bans.unenforced),
        words("paper.overview_questions", asked.all, asked.weighty),
        words("paper.needs" if policy.require_approval else "paper.needs_not", risk),
    ]
    inputs = {name: spec for name, spec in source.workflow.inputs.items() if spec.is_required}
    needed = words("paper.semicolon").join(source.reader.field_name(name, spec) for name, spec in inputs.items())
    figures += [words("paper.given", needed)] if needed else []
    given = words("paper.semicolon").join(_result(source, name, spec) for name, spec in source.workflow.results.items())
    figures += [words("paper.results", given)] if given else []
    if not source.review.statements:
        del figures[1]  # what is forbidden is not recorded
    parts: list[Part] = [Text(one) for one in dict.fromkeys([*aims, *(starts or [words("paper.no_trigger")])])]
    parts.append(Table(tuple(Row((one,), Weight.KEPT) for one in figures)))
    parts += [] if verdict.sound else [Text(words("paper.not_sound"))]
    return Section(words("paper.purpose"), tuple(parts))


def _trigger(source: PaperSource, text: str, evidence: tuple[Evidence, ...]) -> str:
    clause = source.clause(evidence)
    return source.words("paper.says", text, clause) if clause else text


def _result(source: PaperSource, name: str, spec: ResultSpec) -> str:
    """A result with the values that it can have."""
    told, choices = source.reader.field_name(name, spec), source.reader.choices(spec)
    return source.words("paper.says", told, choices) if choices else told


def steps(source: PaperSource) -> Section:
    """Who does what, and when: the document's steps in their order."""
    unmapped = source.unmapped
    rows = (
        Row(
            (
                str(number),
                source.reader.node_name(name),
                source.who(node) or source.words("paper.nobody"),
                source.words("paper.no_means" if name in unmapped else f"kind.{source.reader.kind(node)}"),
                _when(source, name, node),
                source.clause(node.evidence),
            ),
            _weight(node, unmapped=name in unmapped),
        )
        for number, (name, node) in enumerate(((name, source.workflow.nodes[name]) for name in source.own_steps), 1)
    )
    head = ("number", "step", "who", "how", "when", "clause")
    return Section(
        source.words("paper.steps"), (source.table(head, (0.06, 0.33, 0.13, 0.11, 0.24, 0.13), rows, "no_steps"),)
    )


def _weight(node: Node, *, unmapped: bool) -> Weight:
    if node.type == HUMAN_APPROVAL or node.deadline:
        return Weight.KEPT
    return Weight.HEAVY if unmapped or node.actor else Weight.PLAIN


def _when(source: PaperSource, name: str, node: Node) -> str:
    """Under which conditions a step comes, and by when it is done."""
    told = [source.when_taken(edge) for edge in source.workflow.edges_to(name)]
    ways = list(dict.fromkeys(one for one in told if one is not None))
    parts = [] if None in told or not ways else [source.words("paper.if", source.words("paper.either").join(ways))]
    parts += [source.words("paper.within", source.reader.deadline(node.deadline))] if node.deadline else []
    return source.words("paper.semicolon").join(parts)


def approvals(source: PaperSource) -> Section:
    """What is approved by whom, by when, and what follows."""
    head = ("matter", "who", "when", "after", "clause")
    rows = _approvals(source)
    widths = (0.27, 0.14, 0.19, 0.27, 0.13)
    return Section(source.words("paper.approvals"), (source.table(head, widths, rows, "no_approvals"),))


def _approvals(source: PaperSource) -> Iterator[Row]:
    for name in source.order:
        node = source.workflow.nodes[name]
        if node.type != HUMAN_APPROVAL:
            continue
        after = [
            source.words(
                "paper.gives", source.reader.told_condition(edge.condition, name), source.leads_to(edge.target)
            )
            for edge in source.workflow.edges_from(name)
            if edge.on == "success"
        ]
        who = source.who(node) or source.words("paper.nobody")
        within = source.reader.deadline(node.deadline) if node.deadline else source.words("paper.nobody")
        allowed = next((edge for edge in source.workflow.edges_from(name) if not source.is_end(edge.target)), None)
        matter = source.reader.node_name(name)
        if put_in(node) and not node.label and allowed is not None:
            matter = source.words("paper.approval_before", source.leads_to(allowed.target))
        cells = (
            matter,
            who,
            within,
            source.words("paper.semicolon").join(after),
            source.basis(node),
        )
        yield Row(cells, Weight.KEPT)
