"""What sees to what a document forbids or demands, asked of the solver; a citation is not enough."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from catalog.load import Catalog
from catalog.verdicts import verdict_field
from compiler.fates.bearers import Bearer, Part
from compiler.fates.statements import Statement
from compiler.text.lexicon import lexicon
from ir.predicate import Compare, Literally, Ref, Tree, leaves, negate, references, substitute
from ir.procedure import Action, Constraint, Fact
from ir.workflow import HUMAN_APPROVAL
from validator.analysis.call_graph import CallGraph
from validator.proofs.proofs import Proofs
from validator.runs.workflow_analysis import Analysis

BARE = 2  # words or characters that may stand beside a verb that has no thing


class Enforcement:
    """Asks of one draft which of its constraints every run keeps.

    What must not be is kept where no run in which it is comes to the forbidden act, or, where no node is that act, to a
    completing end, unless a node that judges by rules has said no.
    """

    def __init__(self, part: Part, catalog: Catalog) -> None:
        self.part, self.catalog = part, catalog
        self.workflow = part.workflow
        self.analysis = Analysis(self.workflow, catalog, CallGraph.from_workflows(self.workflow, ()))
        self._kept: dict[str, tuple[str, ...] | None] = {}

    @cached_property
    def proofs(self) -> Proofs:
        """The solver, told of everything that it may be asked."""
        asked = [tree for rule in self.part.procedure.constraints for tree in self._forbidden(rule)]
        asked += [tree for edge in self.workflow.edges if isinstance(edge.condition, Tree)
                  for tree in (edge.condition, negate(edge.condition))]  # fmt: skip
        asked += [*self.verdicts.values()]
        graph, scope = self.analysis.graph, self.analysis.scope
        return Proofs(self.workflow, graph, scope, self.analysis.dominators, asked=asked)

    @cached_property
    def verdicts(self) -> dict[str, Tree]:
        """By node that judges by rules: that it said no."""
        found: dict[str, Tree] = {}
        for name, node in self.workflow.nodes.items():
            node_type = self.catalog.resolve(node.type)
            field = verdict_field(node_type, self.catalog) if node_type and node.rule_pack else None
            if field is not None:
                found[name] = Compare("eq", Ref(f"$.outputs.{name}.{field}"), Literally(False))
        return found

    def keeps(self, rule: Constraint) -> tuple[str, ...] | None:
        """What sees to a constraint, as in `StatementFate.by`; None where nothing does, or that is not known."""
        if rule.id not in self._kept:
            self._kept[rule.id] = self._keeps(rule)
        return self._kept[rule.id]

    def _keeps(self, rule: Constraint) -> tuple[str, ...] | None:
        quoted = set(rule.evidence)
        guards = tuple(f"guard:{at}" for at, guard in enumerate(self.workflow.guards) if quoted & set(guard.evidence))
        if guards:
            return guards
        for tree in self._forbidden(rule):
            held = self._unreachable(tree, self._ends, rule.evidence)
            if held is not None:
                return held
        return None

    def keeps_words(self, said: Statement, bearers: Iterable[Bearer]) -> tuple[str, ...] | None:
        """What sees to a prohibition that is carried by parts of the workflow and is no constraint; else None."""
        named = list(dict.fromkeys(bearer.name for bearer in bearers if bearer.sort == "acts"))
        guards = tuple(name for name in named if name.startswith("guard:"))
        if guards:
            return guards
        if waited := self._deadline(said, named):
            return waited
        at = self.acts_forbidden(said) or self._ends
        for name in named:
            sort, _, what = name.partition(":")
            if sort == "node" and self.workflow.nodes[what].type == HUMAN_APPROVAL and self._approves(what, at):
                return (name,)
            if sort == "edge":
                condition = self.workflow.edges[int(what)].condition
                told = isinstance(condition, Tree) and _rests_on(condition, said.piece.text)
                trees = [condition, negate(condition)] if told and isinstance(condition, Tree) else []
                if any(self._unreachable(tree, at, ()) is not None for tree in trees):
                    return (name,)
        return None

    def _deadline(self, said: Statement, named: Sequence[str]) -> tuple[str, ...]:
        """The nodes whose deadline stands in the words: the time is watched while they wait."""
        nodes = [name.partition(":")[2] for name in named if name.startswith("node:")]
        piece = said.piece
        return tuple(
            f"node:{node}"
            for node in nodes
            for quote in (self.workflow.nodes[node].deadline.evidence if self.workflow.nodes[node].deadline else ())  # type: ignore[union-attr]
            if quote.block == piece.block and piece.start <= (quote.start or 0) < piece.end
        )

    def acts_forbidden(self, said: Statement) -> tuple[str, ...]:
        """The nodes that do what the words forbid: whose verb and thing stand after what forbids it."""
        language = self.part.procedure.language
        cues = lexicon(language)
        match = cues.pattern("forbids").search(said.piece.text)
        if match is None:
            return ()
        before, words = said.piece.text[: match.start()], said.piece.text[match.end() :]
        return tuple(
            name
            for name, steps in self.part.steps_of.items()
            if any(_names(words, before, action, language) for step in steps for action in step.actions)
        )

    # --- the solver ---------------------------------------------------------------------------------------------------

    @cached_property
    def _ends(self) -> tuple[str, ...]:
        return tuple(sorted(self.analysis.completing_ends))

    def _approves(self, approval: str, at: Sequence[str]) -> bool:
        """Whether no run comes to any of some nodes without this approval."""
        unread = self.analysis.unread_approvals
        return bool(at) and all(
            node == approval or self.proofs.unapproved(node, [approval], unread) is False for node in at
        )

    def _unreachable(self, tree: Tree, at: Sequence[str], evidence: Sequence[object]) -> tuple[str, ...] | None:
        """What keeps runs in which a condition holds from some nodes; None where nothing does."""
        if not at:
            return None
        if self.proofs.reached_although(at, tree) is False:
            return self._steering(tree)
        for node, refused in self.verdicts.items():
            if self.proofs.reached_although(at, tree, refused) is False:
                pack = self.workflow.nodes[node].rule_pack or ""
                rows = self.workflow.rule_packs[pack].rules if pack in self.workflow.rule_packs else ()
                own = tuple(f"rule:{pack}/{row.rule_id}" for row in rows if set(row.evidence) & set(evidence))
                return own or (f"node:{node}",)
        return None

    def _steering(self, tree: Tree) -> tuple[str, ...]:
        """The guards and edges that read what a condition reads."""
        read = {ref.text for ref in references(tree)}
        guards = (f"guard:{at}" for at, guard in enumerate(self.workflow.guards)
                  if read & {ref.text for ref in references(guard.condition)})  # fmt: skip
        edges = (f"edge:{at}" for at, edge in enumerate(self.workflow.edges)
                 if read & {ref.text for ref in references(edge.condition)})  # fmt: skip
        return (*guards, *edges)

    def _forbidden(self, rule: Constraint) -> Iterator[Tree]:
        """When a constraint is broken, over the workflow's values; each way in which its facts may be known there."""
        if rule.predicate is None or rule.modality == "may":
            return
        tree = rule.predicate if rule.modality == "must_not" else negate(rule.predicate)
        facts = {fact.id: fact for fact in self.part.procedure.facts}
        if any(ref.root != "facts" or ref.path[0] not in facts for ref in references(tree)):
            return
        seen = []
        for outputs_first in (True, False):
            known = {key: self._known(fact, outputs_first=outputs_first) for key, fact in facts.items()}
            if all(known[ref.path[0]] is not None for ref in references(tree)):
                mapped = substitute(tree, lambda ref, known=known: known[ref.path[0]])  # type: ignore[misc]
                if mapped not in seen:
                    seen.append(mapped)
                    yield mapped

    def _known(self, fact: Fact, *, outputs_first: bool) -> Ref | None:
        """Where the workflow has what a fact says."""
        inputs = [Ref(f"$.inputs.{fact.id}")] if fact.id in self.workflow.inputs else []
        inputs += [
            Ref(f"$.inputs.{name}")
            for name, spec in self.workflow.inputs.items()
            if fact.concept is not None and spec.concept == fact.concept and name != fact.id
        ]
        outputs = [self._first_outputs[fact.concept]] if fact.concept in self._first_outputs else []
        found = [*outputs, *inputs] if outputs_first else [*inputs, *outputs]
        return found[0] if found else None

    @cached_property
    def _first_outputs(self) -> dict[str | None, Ref]:
        """By concept the first output that is of it."""
        outputs: dict[str | None, Ref] = {}
        for name in self.analysis.graph.order:
            node_type = self.catalog.resolve(self.workflow.nodes[name].type)
            for field, spec in node_type.outputs_schema.items() if node_type is not None else ():
                if spec.concept is not None:
                    outputs.setdefault(spec.concept, Ref(f"$.outputs.{name}.{field}"))
        return outputs


def _rests_on(condition: Tree, words: str) -> bool:
    """Whether a condition compares with something that was read from some words."""
    sides = (side for leaf in leaves(condition) if isinstance(leaf, Compare) for side in (leaf.left, leaf.right))
    return any(isinstance(side, Literally) and side.quote is not None and side.quote in words for side in sides)


def _names(words: str, before: str, action: Action, language: str) -> bool:
    """Whether words name an act: its verb first, and its thing, here or before it, where it has one."""
    thing = action.object.quote if action.object else ""
    if language == "zh":
        bare = len(words.strip("。；，.; ")) <= len(action.verb.quote) + BARE
        return words.startswith(action.verb.quote) and (thing[-2:] in before + words if thing else bare)
    said, verb = _stems(words), _stems(action.verb.quote)
    said = said[1:] if said[:1] == ("b",) else said  # `must not be released`
    return said[: len(verb)] == verb and (
        set(_stems(thing)[-1:]) <= {*said, *_stems(before)} if thing else len(said) <= len(verb) + BARE
    )


@lru_cache(maxsize=8192)
def _stems(words: str) -> tuple[str, ...]:
    """English words without the endings of verbs and plurals, roughly."""
    return tuple(re.sub(r"(?:ies|y|e?s|ed|ing|e)$", "", word) for word in re.findall(r"[a-z]+", words.lower()))
