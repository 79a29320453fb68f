"""A workflow with its kept cases: making them, what they cover, and what decides them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from catalog.load import Catalog
from compiler.report.cases.clauses import Clause, Clauses
from compiler.report.cases.telling import Teller
from compiler.report.plain_words import PlainReader
from compiler.report.readers_words import reader_language
from compiler.report.words import Words
from ir.document import Document
from ir.infix import to_infix
from ir.kept_case import CaseClause, KeptCase, KeptCases
from ir.source import Evidence
from ir.walk import Run
from ir.workflow import Workflow
from review.cases.case_file import read_cases
from validator.analysis.tables import Table
from validator.examples.anchors import anchors_of, found_again
from validator.examples.cases import CaseSet, Limits, cases
from validator.examples.kept import CheckedCase, in_terms_of, rows_of_run, scenario_of
from validator.examples.play import Facts
from validator.examples.targets import Target, Targets
from validator.runs.workflow_analysis import Analysis

_NODE = re.compile(r"\$\.outputs\.([A-Za-z_][A-Za-z0-9_-]*)")


@dataclass(frozen=True)
class Covered:
    """How much of something kept cases show.

    Args:
        left: what none of them shows, in words.
    """

    shown: int
    count: int
    left: tuple[str, ...] = ()


@dataclass(frozen=True)
class Decider:
    """An element that decides a case.

    Args:
        clauses: those that it rests on.
        element: by which the page of a draft finds it: `edge=4`; None for a guard.
    """

    words: str
    clauses: tuple[Clause, ...]
    element: str | None = None


@dataclass(frozen=True, eq=False)
class Tested:
    """A workflow with its kept cases.

    Args:
        path: of the workflow.
        file: of the kept cases; it need not be there.
        documents: those that the workflow quotes, as far as they lie there.
    """

    path: Path
    file: Path
    workflow: Workflow
    catalog: Catalog
    documents: tuple[Document, ...] = ()

    @property
    def language(self) -> Words:
        """The fixed words of the workflow's language."""
        return Words("zh" if reader_language(self.workflow) == "zh" else "en")

    @cached_property
    def kept(self) -> KeptCases | None:
        """The kept cases; None where there is no file.

        Raises:
            BadInputFile: the file is of another form, or of another workflow.
        """
        return read_cases(self.file, self.workflow.workflow_id)

    @cached_property
    def targets(self) -> Targets:
        """All that cases can show."""
        return Targets(Analysis(self.workflow, self.catalog))

    @cached_property
    def clauses(self) -> Clauses:
        """Names of the places that the workflow quotes."""
        return Clauses(self.language, self.documents)

    @cached_property
    def found(self) -> CaseSet:
        """The cases that the solver finds."""
        return cases(self.workflow, self.catalog, Limits(other=self.language("case.other")))

    @cached_property
    def reader(self) -> PlainReader:
        """Reads the workflow in plain words."""
        return PlainReader(self.workflow, self.catalog)

    @cached_property
    def teller(self) -> Teller:
        """Tells single runs, with all that decides them."""
        return Teller(self.reader, self.targets, self.clauses, Facts())

    def made(self, kept: KeptCases | None) -> KeptCases:
        """The cases that the solver finds, beside those kept ones that were judged; these stay as they are.

        A case that nobody judged is made anew. What was judged and is not found any more stays as well.
        """
        before = None if kept is None else in_terms_of(kept, self.workflow)
        judged = [one for one in before.cases if one.judgement is not None] if before is not None else []
        known = {one.point for one in judged}
        teller = Teller.of(self.found, self.catalog, self.documents)
        taken = {one.id for one in judged}
        free = (name for rank in range(1, len(judged) + len(self.found.cases) + 1) if (name := f"c{rank}") not in taken)
        new: list[KeptCase] = []
        for case in self.found.cases:
            point = point_text(case.point, self.workflow)
            if point in known:
                continue
            told, name = teller.told(case), next(free)
            clauses = tuple(CaseClause(name=one.name, quote=one.quote, doc_id=one.doc_id) for one in told.clauses)
            scenario = scenario_of(case, self.targets, name)
            rows = rows_of_run(case.run)
            new.append(KeptCase(id=name, told=told.text, point=point, clauses=clauses, scenario=scenario, by_rows=rows))
        every = (*judged, *new)
        fresh = anchors_of(self.workflow, {node for one in new for node in one.named})
        nodes = {**(before.nodes if before is not None else {}), **fresh}
        named = {node for one in every for node in one.named}
        return KeptCases(
            workflow=self.workflow.workflow_id,
            usual=teller.usual(self.found),
            nodes={name: one for name, one in nodes.items() if name in named},
            cases=every,
        )

    def coverage(self, checked: Iterable[CheckedCase]) -> Mapping[str, Covered]:
        """What the runs of kept cases show: sides of choices, rows, exceptions, and the clauses on which they pass."""
        runs = [one.run for one in checked if one.run is not None]
        kinds = {"branch sides": ("side",), "rule rows": ("row",), "exceptions": ("error", "guard"), "ends": ("end",)}
        found = {}
        for name, own in kinds.items():
            wanted = [target for target in self.targets.all if target.kind in own]
            left = [target for target in wanted if not any(self.targets.shows(run, target) for run in runs)]
            told = tuple(self._target_words(target) for target in left)
            found[name] = Covered(len(wanted) - len(left), len(wanted), told)
        return {**found, "clauses": self._clauses_covered(runs)}

    def _target_words(self, target: Target) -> str:
        reader = self.reader
        if target.kind == "guard":
            return reader.condition(self.workflow.guards[target.index or 0].condition)
        if target.kind == "end" or target.index is None:
            return reader.node_name(target.node or "")
        if target.kind == "row":
            return self._row_words(self.targets.tables[target.node or ""], target.index)
        edge = self.workflow.edges[target.index]
        when = reader.words("on_error") if edge.on == "error" else reader.condition(edge.condition, edge.source)
        return f"{reader.node_name(edge.source)}: {when}"

    def _row_words(self, table: Table, row: int) -> str:
        reader = self.reader
        condition = table.trees.get(row, table.rules[row].condition)
        return f"{reader.node_name(table.node)}: {reader.condition(condition)}"

    def _clauses_covered(self, runs: Iterable[Run]) -> Covered:
        """The clauses that steps, choices, rows and guards rest on, and those of them that no run passes."""
        every = {one.name: one for one in self.clauses.of(self._all_evidence())}
        passed = {one.name for run in runs for one in self.clauses.of(self._evidence_of(run))}
        left = [one for name, one in every.items() if name not in passed]
        return Covered(len(every) - len(left), len(every), tuple(one.name for one in left))

    def _all_evidence(self) -> Iterable[Evidence]:
        workflow = self.workflow
        for guard in workflow.guards:
            yield from guard.evidence
        for node in workflow.nodes.values():
            yield from (*node.evidence, *(node.deadline.evidence if node.deadline else ()))
        for edge in workflow.edges:
            yield from edge.evidence
        for pack in workflow.rule_packs.values():
            yield from (one for rule in pack.rules for one in rule.quotes)

    def _evidence_of(self, run: Run) -> Iterable[Evidence]:
        for index, guard in enumerate(self.workflow.guards):
            refused = self.targets.shows(run, Target("guard", index=index))
            yield from guard.evidence if refused or run.taken else ()
        for name in run.path:
            node = self.workflow.nodes[name]
            yield from (*node.evidence, *(node.deadline.evidence if node.deadline else ()))
        for edge, state in zip(self.workflow.edges, run.edges, strict=True):
            yield from edge.evidence if state == "taken" else ()
        for node_name, table in self.targets.tables.items():
            for row, rule in enumerate(table.rules):
                yield from rule.quotes if self.targets.shows(run, Target("row", node_name, row)) else ()

    def deciding(self, one: CheckedCase) -> tuple[Decider, ...]:
        """The elements that decide how the run of a case goes now; all ways on, where none of them can be chosen."""
        run = one.run
        if run is None:
            return ()
        reader = self.reader
        found: list[Decider] = []
        kept = self.kept.nodes if self.kept is not None else {}
        now = found_again(kept, self.workflow)
        own = {now[name] for name in one.case.scenario.path or () if name in now}
        at = next((each.at for each in one.differences if each.what in ("way", "rows")), None)
        open_ = run.undecided.node if run.undecided is not None else None
        places = [at] if at is not None else [node for node in run.path if len(self.workflow.edges_from(node)) > 1]
        for table in (self.targets.tables[node] for node in run.path if node in self.targets.tables):
            if at is None or table.node == at or table.node in own:
                held = [
                    row for row in range(len(table.rules)) if self.targets.shows(run, Target("row", table.node, row))
                ]
                for row in held:
                    clauses = self.clauses.of(table.rules[row].quotes)
                    found.append(Decider(self._row_words(table, row), clauses, f"node={table.node}"))
        for index, (edge, state) in enumerate(zip(self.workflow.edges, run.edges, strict=True)):
            if edge.source in places and (state == "taken" or edge.source == open_):
                words = f"{reader.node_name(edge.source)} → {reader.node_name(edge.target)}: "
                words += reader.condition(edge.condition, edge.source)
                found.append(Decider(words, self.clauses.of(edge.evidence), f"edge={index}"))
        if not run.taken:
            refused = [
                g for i, g in enumerate(self.workflow.guards) if self.targets.shows(run, Target("guard", index=i))
            ]
            found += [Decider(reader.condition(one.condition), self.clauses.of(one.evidence)) for one in refused]
        return tuple(found)

    def point_words(self, case: KeptCase) -> str | None:
        """What a case is for, in words; None where the workflow has no such target any more."""
        target = next((one for one in self.targets.all if point_text(one, self.workflow) == case.point), None)
        return None if target is None else self._target_words(target)


def point_text(target: Target, workflow: Workflow) -> str:
    """What a case is for, as text that stays the same where only ids of nodes change.

    The node stands by its label, an edge by the label of its target.
    """
    parts: list[str] = [target.kind, _label(workflow, target.node or "")]
    if target.place == "edge" or target.kind in ("side", "error"):
        edge = workflow.edges[target.index or 0]
        parts.append(_label(workflow, edge.target))
        parts.append(str(len([one for one in workflow.edges[: target.index] if one.source == edge.source])))
    elif target.index is not None:
        parts.append(str(target.index))
    parts += [str(target.leaf)] if target.leaf is not None else []
    if target.wish is not None:
        parts.append(_NODE.sub(lambda found: f"$.outputs.{_label(workflow, found[1])}", to_infix(target.wish)))
    return "/".join(parts)


def _label(workflow: Workflow, name: str) -> str:
    """A node's label; with its id where another bears the same."""
    node = workflow.nodes.get(name)
    if node is None or node.label is None:
        return name
    same = [one for one in workflow.nodes.values() if one.label == node.label]
    return node.label if len(same) == 1 else f"{node.label} {name}"
