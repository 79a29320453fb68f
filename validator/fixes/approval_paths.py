"""Puts approvals into a workflow so that they come before what is risky, and that both their decisions are read."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence

from catalog.load import Catalog
from ir.predicate import ALWAYS, OTHERWISE, Compare, Literally, Ref, Tree, conjoin, negate, references
from ir.source import Language
from ir.workflow import CONTROL_END, HUMAN_APPROVAL, Edge, Node, Workflow
from primers.load import Primers
from primers.params import ApprovalParams, RejectionParams, fill, in_language
from validator.analysis.graph import completing_ends, graph_of
from validator.check_input import CheckInput
from validator.runs.workflow_analysis import Analysis


class ApprovalInsertion:
    """A workflow while approvals are put in.

    Args:
        catalog: the Node Types that it is analysed with.
        workflow: the workflow so far; each method replaces it.
    """

    def __init__(self, primers: Primers, catalog: Catalog, workflow: Workflow) -> None:
        self.workflow = workflow
        self._catalog = catalog
        self._known: _Unapproved | None = None
        self._primer = primers.primer("governance")
        self._language: Language = workflow.metadata.language or "en"

    def approve_before(self, node: str) -> None:
        """Lead every way into a node through an approval, unless one comes before it on every path."""
        if node in self._unapproved.nodes:
            label = self.workflow.nodes[node].label or node
            self._insert([node], f"approve_{node}", "action", label)

    def approve_completion(self, closing: Container[str] = ()) -> None:
        """Have an approval come before every completing end, unless one comes before it on every path.

        Where some runs pass the document's own approvals by, it stands beside these, for those runs alone; else before
        what tells or records how it ended.

        Args:
            closing: nodes that only tell or record how the run came out.
        """
        title = self.workflow.metadata.title or ""
        for target, sources in self._passing_by().items() if self._unapproved_ends() else ():
            self._insert([target], "approve_conclusion", "conclusion", title, sources)
        if ends := self._unapproved_ends():
            first = [self._before_closing(ends[0], closing)] if len(ends) == 1 else ends
            self._insert(first, "approve_conclusion", "conclusion", title)

    def _unapproved_ends(self) -> list[str]:
        unapproved = self._unapproved.nodes
        return [name for name in completing_ends(self.workflow) if name in unapproved]

    def _passing_by(self) -> dict[str, frozenset[str]]:
        """The nodes that follow the approvals which there are, each with the nodes that lead there unapproved."""
        graph, leading = graph_of(self.workflow), _leading_to_completion(self.workflow)
        waiting = [name for name, node in self.workflow.nodes.items() if node.type == HUMAN_APPROVAL]
        approvals, after = frozenset(waiting), set[str]()
        while waiting:
            found = {link.target for link in graph.out[waiting.pop()]} & leading - after - approvals
            after |= found
            waiting += found
        unapproved = self._unapproved.nodes
        passing = {
            target: frozenset(link.source for link in graph.into[target] if link.source in unapproved)
            - after
            - approvals
            for target in graph.order
            if target in after & unapproved
        }
        return {target: sources for target, sources in passing.items() if sources}

    def _before_closing(self, end: str, closing: Container[str]) -> str:
        """The first of the nodes that lead one by one to an end and only tell or record how it came out, or the end."""
        while True:
            into = self.workflow.edges_to(end)
            before = into[0].source if len(into) == 1 and into[0].condition == ALWAYS else None
            if before is None or before not in closing or len(self.workflow.edges_from(before)) > 1:
                return end
            if not self.workflow.edges_to(before):
                return end  # what the run begins with
            end = before

    def read_decisions(self) -> None:
        """Give every approval of which a decision is not read the way out that lacks.

        What leads on under a condition that does not speak of the decision leads on only what is approved: "the head
        decides. Over 3 days: the director decides" puts nothing before the director that the head refused.
        """
        completing = _leading_to_completion(self.workflow)
        for name, node in list(self.workflow.nodes.items()):
            if node.type != HUMAN_APPROVAL or self._read_later(name):
                continue
            held = self._held(name, completing)
            if self._rest_is_granted(name, completing):
                self._refuse_before_the_rest(name, held)
            elif self._reads_both(name):
                self.workflow = self.workflow.model_copy(update={"edges": tuple(map(held, self.workflow.edges))})
            else:
                self._read_both(name, held)
        self._reasons()

    def _reasons(self) -> None:
        """Ends that a refusal leads to say why, where they say nothing yet."""
        code = self._primer.params(RejectionParams).reason_code
        nodes = dict(self.workflow.nodes)
        for edge in self.workflow.edges:
            end = nodes[edge.target]
            if self._refusal(edge) and end.type == CONTROL_END and end.reason_code is None:
                others = [e for e in self.workflow.edges_to(edge.target) if not self._refusal(e)]
                nodes[edge.target] = end if others else end.model_copy(update={"reason_code": code})
        self.workflow = self.workflow.model_copy(update={"nodes": nodes})

    @property
    def _unapproved(self) -> "_Unapproved":
        if self._known is None:
            self._known = _Unapproved(CheckInput(self.workflow, self._catalog).analysis)
        return self._known

    def _insert(
        self, targets: list[str], wanted: str, question: str, label: str, sources: Container[str] | None = None
    ) -> None:
        """Lead the ways into nodes through one approval.

        Args:
            sources: the nodes whose ways are led through it, all where there are none.
        """
        said = self._primer.params(ApprovalParams)
        texts = said.question.conclusion if question == "conclusion" else said.question.action
        name, number = wanted, 2
        while name in self.workflow.nodes:
            name, number = f"{wanted}_{number}", number + 1
        approval = Node(
            type=HUMAN_APPROVAL, type_version="^1.0.0", label=in_language(said.label, self._language),
            approvers=said.approvers["zh" if self._language == "zh" else "en"],
            question=fill(in_language(texts, self._language), step=label, title=label), origin=self._primer.origin,
        )  # fmt: skip
        into = [e for e in self.workflow.edges if e.target in targets and (sources is None or e.source in sources)]
        edges = [e.model_copy(update={"target": name}) if e in into else e for e in self.workflow.edges]
        distinct = _without_doubles(edges)
        if len(distinct) < len(edges) or sources is not None or self._unapproved.cyclic:
            self._known = None  # an approval may change more than what comes after it
        else:
            self._unapproved.hold_up(targets)
        edges = distinct
        for target in targets:
            evidence = next((edge.evidence for edge in into if edge.target == target), ())
            edges.append(self._edge(name, target, approved=True).model_copy(update={"evidence": evidence}))
        nodes = {**self.workflow.nodes, name: approval}
        self.workflow = self.workflow.model_copy(update={"nodes": nodes, "edges": tuple(edges)})

    def _reads_both(self, name: str) -> bool:
        """Whether approval and refusal lead to different places."""
        out = [edge for edge in self.workflow.edges_from(name) if edge.on == "success"]
        reads = [e for e in out if any(r.text == f"$.outputs.{name}.approved" for r in references(e.condition))]
        return len(out) > 1 and bool(reads) and (len(reads) > 1 or any(e.condition == OTHERWISE for e in out))

    def _rest_is_granted(self, name: str, completing: frozenset[str]) -> bool:
        """Whether `otherwise` stands for the other cases of what is approved, and nothing for the refusal.

        So it is where approval alone takes no edge, and the rest leads to where approval leads: `once it is approved, a
        stand-in is named for ward staff; the employee is told to go`.
        """
        out = [edge for edge in self.workflow.edges_from(name) if edge.on == "success"]
        rest = {edge.target for edge in out if edge.condition == OTHERWISE} & completing
        granted = {edge.target for edge in out if self._mentions(edge)} - rest
        decision = f"$.outputs.{name}.approved"
        later = any(
            ref.text == decision for e in self.workflow.edges if e.source != name for ref in references(e.condition)
        )
        if later or not rest or not granted or any(map(self._decided_alone, out)):
            return False
        graph = graph_of(self.workflow)
        waiting, reached = [*granted], set(granted)
        while waiting and not rest & reached:
            after = {link.target for link in graph.out[waiting.pop()]} - reached
            reached |= after
            waiting += after
        return bool(rest & reached)

    def _refuse_before_the_rest(self, name: str, held: Callable[[Edge], Edge]) -> None:
        """Give an approval a way out for its refusal, so that `otherwise` is the rest of what is approved."""
        nodes = dict(self.workflow.nodes)
        refusal = self._edge(name, self._rejected(nodes), approved=False)
        self.workflow = self.workflow.model_copy(
            update={"nodes": nodes, "edges": (*map(held, self.workflow.edges), refusal)}
        )

    def _read_later(self, name: str) -> bool:
        """Whether all go on whatever is decided, to a node at which the decision parts the ways.

        `The applicant is told in writing; where the permit is refused, the file is closed.`
        """
        out = [edge for edge in self.workflow.edges_from(name) if edge.on == "success"]
        if len(out) != 1 or out[0].condition != ALWAYS:
            return False
        decision = f"$.outputs.{name}.approved"
        after = [edge for edge in self.workflow.edges_from(out[0].target) if edge.on == "success"]
        refused = [edge for edge in after if self._refusal(edge, decision)]
        granted = [edge for edge in after if any(r.text == decision for r in references(edge.condition))]
        return bool(refused) and (len(granted) > len(refused) or any(edge.condition == OTHERWISE for edge in after))

    def _held(self, name: str, completing: frozenset[str]) -> Callable[[Edge], Edge]:
        """Has an edge of an approval lead on only what is approved, where its condition does not speak of the decision.

        An edge after which no run completes stays as it is: refused or not, its case is no approved one.

        Args:
            completing: the nodes from which a run may complete.
        """
        granted = _granted(name)

        def held(edge: Edge) -> Edge:
            if edge.source != name or edge.on != "success" or not isinstance(edge.condition, Tree):
                return edge
            if self._mentions(edge) or edge.target not in completing:
                return edge
            return edge.model_copy(update={"condition": conjoin(granted, edge.condition)})

        return held

    def _read_both(self, name: str, held: Callable[[Edge], Edge]) -> None:
        edges: list[Edge] = []
        granted = _granted(name)
        siblings = [
            e.condition
            for e in self.workflow.edges_from(name)
            if isinstance(e.condition, Tree) and not self._mentions(e)
        ]
        refused = any(self._refusal(edge) for edge in self.workflow.edges_from(name))
        for edge in self.workflow.edges:
            if edge.source == name and edge.on == "success" and edge.condition in (ALWAYS, OTHERWISE):
                rest = [negate(tree) for tree in siblings] if edge.condition == OTHERWISE else []
                edge = edge.model_copy(update={"condition": conjoin(granted, *rest)})
            edges.append(held(edge))
        nodes = dict(self.workflow.nodes)
        always = sum(e.condition == ALWAYS and e.on == "success" for e in self.workflow.edges_from(name))
        if always and always + len(siblings) > 1:  # they were taken beside each other, and still are
            nodes[name] = nodes[name].model_copy(update={"split": "inclusive"})
        if not refused:
            end = self._rejected(nodes)
            edges.append(self._edge(name, end, approved=False))
        self.workflow = self.workflow.model_copy(update={"nodes": nodes, "edges": tuple(edges)})

    def _mentions(self, edge: Edge) -> bool:
        return any(ref.text == f"$.outputs.{edge.source}.approved" for ref in references(edge.condition))

    def _refusal(self, edge: Edge, decision: str | None = None) -> bool:
        tree = edge.condition
        if not self._decided_alone(edge, decision) or not isinstance(tree, Compare):
            return False
        return isinstance(tree.right, Literally) and (tree.op, tree.right.value) in (("eq", False), ("ne", True))

    def _decided_alone(self, edge: Edge, decision: str | None = None) -> bool:
        """Whether an edge asks for the decision, and for nothing else."""
        tree = edge.condition
        if not isinstance(tree, Compare) or not isinstance(tree.right, Literally):
            return False
        return (decision or f"$.outputs.{edge.source}.approved") in {ref.text for ref in references(tree)}

    def _rejected(self, nodes: dict[str, Node]) -> str:
        said = self._primer.params(RejectionParams)
        name = "end_refused" if "end_rejected" in nodes else "end_rejected"
        if name not in nodes:
            nodes[name] = Node(
                type=CONTROL_END, type_version="^1.0.0", status=said.status, reason_code=said.reason_code,
                label=in_language(said.label, self._language), origin=self._primer.origin,
            )  # fmt: skip
        return name

    def _edge(self, source: str, target: str, *, approved: bool) -> Edge:
        tree = Compare("eq", Ref(f"$.outputs.{source}.approved"), Literally(approved))
        return Edge(source=source, target=target, condition=tree, origin=self._primer.origin)


def _leading_to_completion(workflow: Workflow) -> frozenset[str]:
    """The nodes from which a run may complete."""
    graph, found = graph_of(workflow), set(completing_ends(workflow))
    for node in reversed(graph.order):
        if any(link.target in found for link in graph.out[node]):
            found.add(node)
    return frozenset(found)


def _granted(name: str) -> Tree:
    return Compare("eq", Ref(f"$.outputs.{name}.approved"), Literally(True))


class _Unapproved:
    """The nodes that some run enters though nobody approves anything, while approvals are put before some of them.

    In a graph without cycles a node is entered as long as one of its ways in is, so that each edge is looked at once.

    Args:
        nodes: those that are entered so far.
        cyclic: the graph has edges that lead back; which they are may be another question after an approval is put in.
    """

    def __init__(self, analysis: Analysis) -> None:
        self.nodes = set(analysis.unapproved_nodes)
        self.cyclic = bool(analysis.graph.back)
        self._leading: dict[str, list[str]] = {}
        for link in analysis.unapproved_links:
            self._leading.setdefault(link.source, []).append(link.target)
        self._ways_in = Counter(link.target for link in analysis.unapproved_links)

    def hold_up(self, nodes: Iterable[str]) -> None:
        """Have nodes entered by no run any more, nor what only they lead to."""
        waiting = [node for node in nodes if node in self.nodes]
        self.nodes.difference_update(waiting)
        while waiting:
            for target in self._leading.get(waiting.pop(), ()):
                self._ways_in[target] -= 1
                if not self._ways_in[target] and target in self.nodes:
                    self.nodes.remove(target)
                    waiting.append(target)


def _without_doubles(edges: Sequence[Edge]) -> list[Edge]:
    """The edges, of those that lead the same way under the same condition the last one in the place of the first."""
    beside = Counter((edge.source, edge.target, edge.on) for edge in edges)
    if max(beside.values(), default=1) == 1:
        return list(edges)
    return list({(edge.source, edge.target, repr(edge.condition), edge.on): edge for edge in edges}.values())
