"""Names, references and mappings of a draft: how facts and outcomes of a procedure become those of a workflow."""

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rapidfuzz import fuzz

from catalog.load import Catalog
from catalog.node_type import NodeType
from catalog.verdicts import verdict_field
from compiler.draft.alignment import Sources
from compiler.draft.computations import Computations
from compiler.draft.earlier import Earlier, Steps
from compiler.text.lexicon import lexicon
from ir.fields import Fields, FieldSpec
from ir.formula import Call, parts
from ir.infix import InfixError, parse_infix
from ir.predicate import (
    Compare,
    CompareOp,
    Junction,
    Literally,
    Not,
    Null,
    Operand,
    Ref,
    Tree,
    leaves,
    parse_tree,
    with_literals,
)
from ir.procedure import Fact, Gap, GapKind, Procedure, Result
from ir.source import Evidence
from ir.workflow import HUMAN_APPROVAL, HUMAN_TASK, InputSpec, Node
from primers.params import EndParams
from validator.analysis.fit import value_misfit
from validator.analysis.implication import OUTCOMES, PLAIN_OUTCOMES

_ALIKE = 70  # of 100, how alike descriptions of one thing are
_SEVERAL_WORDS = re.compile(r"[a-z0-9][A-Z_-]")
_POSITIVE = frozenset(good for good, _ in OUTCOMES)
"""Outcomes that a truth value can stand for."""


@dataclass
class DraftBuilder:
    """A workflow while it is put together.

    Args:
        sources: what a model names as the origin of values.
        ending: how a path ends to which the document gives no end.
        computations: where results come about.
        node_of: node id by step id.
        earlier: for each node those that surely or possibly ran before it.
        given: what no words of the document name and a run has to be given, each with the node that takes it.
    """

    catalog: Catalog
    procedure: Procedure
    sources: Sources = field(default_factory=Sources)
    ending: EndParams | None = None
    computations: Computations | None = None
    nodes: dict[str, Node] = field(default_factory=dict)
    node_of: dict[str, str] = field(default_factory=dict)
    earlier: Earlier = field(default_factory=Earlier)
    inputs: dict[str, InputSpec] = field(default_factory=dict)
    given: list[tuple[str, str]] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    _named: dict[str, tuple[str, FieldSpec]] = field(default_factory=dict)  # Type and field that first took a name
    _asked: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)
    _holding: dict[str, Steps] = field(default_factory=dict)  # by concept, see `_holders`

    # --- inputs -----------------------------------------------------------------------------------------------------

    def input_for(self, name: str, spec: FieldSpec, needed_by: str) -> Ref:
        """The workflow input that holds a field's concept; of a new one that no words name, `ask_who_gives` asks."""
        fact = self.fact_of(spec.concept) or next((f for f in self.procedure.facts if f.id == name), None)
        if fact is not None and fact.concept not in (None, spec.concept):
            return self.input_of(fact)
        concept = self.catalog.concepts.get(spec.concept or "")
        wanted = fact.id if fact else concept.id if concept else self._own_name(name, spec, needed_by)
        if wanted not in self.inputs:
            self.inputs[wanted] = _input(spec, fact, self._label(wanted, fact))
            if fact is None:
                self.given.append((self._label(wanted, None), needed_by))
        return Ref(f"$.inputs.{wanted}")

    def _own_name(self, name: str, spec: FieldSpec, needed_by: str) -> str:
        """The workflow input for a field that neither words nor a concept tell of.

        Two tools take the same thing where they call it the same, in several words, and describe it the same; those
        of one system, nearly the same. What `id` or `name` is of, each tool knows for itself.
        """
        node_type = self.catalog.resolve(self.nodes[needed_by].type)
        if node_type is None or node_type.imported is None:
            return name
        owner, first = self._named.setdefault(name, (node_type.type, spec))
        same_system = owner.partition(".")[0] == node_type.type.partition(".")[0]
        alike_told = fuzz.token_set_ratio(spec.description or "", first.description or "") >= _ALIKE
        described = spec.description == first.description or (same_system and alike_told)
        told = bool(_SEVERAL_WORDS.search(name)) and described
        alike = (spec.type, spec.enum, spec.unit) == (first.type, first.enum, first.unit)
        taken = self.inputs.get(name)
        if (owner == node_type.type or (told and alike)) and (taken is None or taken.type == spec.type):
            return name
        return f"{needed_by}_{name}"

    def fact_of(self, concept: str | None) -> Fact | None:
        """The procedure's fact of a concept, else the only one of a narrower concept (a `supplier` is a `party`)."""
        if concept is None:
            return None
        known = [fact for fact in self.procedure.facts if fact.concept]
        narrower = [fact for fact in known if concept in self.catalog.broader(fact.concept or "")]
        own = next((fact for fact in known if fact.concept == concept), None)
        return own or (narrower[0] if len(narrower) == 1 else None)

    def input_of(self, fact: Fact) -> Ref:
        """The workflow input that a fact becomes."""
        if fact.id not in self.inputs:
            spec = FieldSpec(type=fact.type, unit=fact.unit, enum=fact.enum, concept=fact.concept)
            known = _input(spec, fact, fact.name)
            may_lack = Ref(f"$.facts.{fact.id}") in self._asked_whether_known
            lacking = {"required": False, "nullable": True} if may_lack else {}
            self.inputs[fact.id] = known.model_copy(update=lacking)
        return Ref(f"$.inputs.{fact.id}")

    @cached_property
    def _asked_whether_known(self) -> set[Ref]:
        return _asked_whether_known(self.procedure)

    def _label(self, name: str, fact: Fact | None) -> str:
        concept = self.catalog.concepts.get(name)
        if fact is not None:
            return fact.name
        return concept.labels.get(self.procedure.language, name) if concept else name

    def gap(
        self, kind: GapKind, question: str, words: str, about: tuple[str, ...], evidence: tuple[Evidence, ...]
    ) -> None:
        """Add an open question, once."""
        text = str(lexicon(self.procedure.language).table("questions")[question]).format(words=words)
        if (text, about) not in self._asked:
            self._asked.add((text, about))
            known = len(self.procedure.gaps) + len(self.gaps)
            self.gaps.append(Gap(id=f"g{known + 1}", kind=kind, question=text, about=about, evidence=evidence))

    def ask_who_gives(self) -> None:
        """One question for all that a run has to be given and no words of the document name."""
        if not self.given:
            return
        takers = [self.nodes[name] for name in dict.fromkeys(name for _, name in self.given)]
        about = (*(step for node in takers for step in node.step_ids), *(name for _, name in self.given))
        between = "”、“" if self.procedure.language == "zh" else "”, “"
        words = between.join(dict.fromkeys(label for label, _ in self.given))
        evidence = tuple(dict.fromkeys(one for node in takers for one in node.evidence))
        self.gap("missing_parameter", "parameter", words, tuple(dict.fromkeys(about)), evidence)

    # --- references ---------------------------------------------------------------------------------------------------

    def upstream(self, concept: str | None, at: str, *, surely: bool) -> Ref | None:
        """An output of an earlier node that holds a concept, the nearest first; with `surely`, of one always run."""
        if concept is None:
            return None
        return self._output_of(concept, self.earlier.before(at, surely=surely))

    def _output_of(self, concept: str, among: Steps) -> Ref | None:
        """The output that holds a concept, of the last among some nodes that has one."""
        name = self.earlier.last(among & self._holders(concept, lambda one: _path_to(concept, one.outputs_schema)))
        path = _path_to(concept, self.catalog.node_type(self.nodes[name].type).outputs_schema) if name else None
        return Ref(".".join(("$.outputs", name, *path))) if name and path else None

    def _holders(self, what: str, gives: Callable[[NodeType], object]) -> Steps:
        """The system nodes of steps whose Type gives something; asked when the nodes of all steps are there."""
        if what not in self._holding:
            found, known = 0, dict[str, bool]()
            for name in self.earlier.nodes:
                type_name = self.nodes[name].type
                if type_name not in known:
                    node_type = self.catalog.resolve(type_name)
                    known[type_name] = (
                        node_type is not None
                        and node_type.category not in ("human", "control")
                        and bool(gives(node_type))
                    )
                found |= self.earlier.alone(name) if known[type_name] else 0
            self._holding[what] = found
        return self._holding[what]

    def whole(self, concept: str | None, at: str) -> Ref | None:
        """An earlier node as a whole whose Type establishes a concept."""
        if concept is None:
            return None
        holders = self._holders(f"whole {concept}", lambda one: concept in one.concepts)
        name = self.earlier.last(self.earlier.before(at) & holders)
        return Ref(f"$.outputs.{name}") if name else None

    def last_result(self, at: str) -> Ref | None:
        """The whole output of the last system node that surely ran: what an approver is asked about."""
        holders = self._holders("", lambda one: one.outputs_schema)
        name = self.earlier.last(self.earlier.before(at, surely=True) & holders)
        return Ref(f"$.outputs.{name}") if name else None

    def given_by(self, key: str, spec: FieldSpec, at: str) -> Ref | None:
        """The earlier output that an input takes: a whole node, a field of the same concept, what is decided on."""
        whole = self.whole(spec.concept, at) if spec.type == "object" else None
        if whole is not None:
            return whole
        if key == "subject" and spec.concept is None:
            return self.last_result(at)
        if spec.concept is None and (named := self._named_alike(key, spec, at)) is not None:
            return named
        return self.upstream(spec.concept, at, surely=bool(spec.required) and not spec.nullable)

    def _named_alike(self, key: str, spec: FieldSpec, at: str) -> Ref | None:
        """What an imported Type takes by a name of several words: a result so called, an output of the same system."""
        own = self.catalog.node_type(self.nodes[at].type)
        if own.imported is None or not _SEVERAL_WORDS.search(key):
            return None
        if any(result.id == key for result in self.procedure.results) and (ref := self.result(key, at)) is not None:
            return ref
        space = own.type.partition(".")[0]

        def gives(one: NodeType) -> bool:
            given = one.outputs_schema.get(key)
            return one.type.partition(".")[0] == space and given is not None and _holds(given, spec)

        name = self.earlier.last(self.earlier.before(at) & self._holders(f"named {space} {key} {spec.type}", gives))
        return Ref(f"$.outputs.{name}.{key}") if name else None

    def map_inputs(self, name: str) -> dict[str, Operand]:
        """The inputs of a node: upstream outputs, then facts that the document names, then new workflow inputs."""
        node_type = self.catalog.node_type(self.nodes[name].type)
        mapped: dict[str, Operand] = {}
        for key, spec in node_type.inputs_schema.items():
            ref = self.given_by(key, spec, name)
            if ref is not None:
                mapped[key] = ref
            elif spec.required or self.fact_of(spec.concept) is not None:
                mapped[key] = self.input_for(key, spec, name)
        return mapped

    def _output(self, said: str, spec: FieldSpec, among: Steps) -> Ref | None:
        """The output `STEP.FIELD` of one of some nodes that holds what a field holds; None where there is none."""
        step, _, path = said.partition(".")
        name = self.node_of.get(step)
        if name is None or not self.earlier.holds(among, name):
            return None
        found = output_at(self.catalog.node_type(self.nodes[name].type), path.split("."))
        return Ref(f"$.outputs.{name}.{path}") if found is not None and _holds(found, spec) else None

    # --- conditions ---------------------------------------------------------------------------------------------------

    def condition(self, tree: Tree, source: str) -> Tree | None:
        """A procedure's condition over facts and outcomes as one over inputs and outputs known after a node.

        None where it reads the outcome of a step that is not known there.
        """
        match tree:
            case Junction(op, items):
                parts = [self.condition(item, source) for item in items]
                return None if None in parts else Junction(op, tuple(part for part in parts if part is not None))
            case Not(item):
                inner = self.condition(item, source)
                return None if inner is None else Not(inner)
            case Null(ref, negated):
                found = self._reference(ref, source)
                return None if found is None else Null(found, negated)
            case Compare(op, left, right):
                if isinstance(left, Ref) and left.root == "steps" and isinstance(right, Literally):
                    return self._outcome(op, left, right, source)
                sides = [self._reference(side, source) if isinstance(side, Ref) else side for side in (left, right)]
                return None if sides[0] is None or sides[1] is None else Compare(op, sides[0], sides[1])

    def _reference(self, ref: Ref, source: str) -> Ref | None:
        if ref.root == "results":
            return self.result(ref.path[0], source)
        if ref.root != "facts":
            return ref
        fact = next((fact for fact in self.procedure.facts if fact.id == ref.path[0]), None)
        if fact is None:
            return None
        own = self.earlier.before(source) | self.earlier.alone(source)
        named = self._output(self.sources.facts.get(fact.id, ""), FieldSpec(type=fact.type, unit=fact.unit), own)
        given = self._output_of(fact.concept, own) if fact.concept is not None else None
        return given or named or self.input_of(fact)

    def result(self, name: str, source: str) -> Ref | None:
        """Where a result of the procedure stands after a node; None where it is not known there."""
        if self.computations is None:
            return None
        own = self.earlier.before(source) | self.earlier.alone(source)
        places = [p.step for p in self.computations.places.values() if name in {one.id for one in p.results}]
        nodes = [self.node_of[step] for step in places if self.earlier.holds(own, self.node_of[step])]
        if nodes and nodes[-1] != source:
            return Ref(f"$.outputs.{nodes[-1]}.{name}")
        if (nodes or places) and name not in self.computations.found:
            return Ref(f"$.outputs.{nodes[-1]}.{name}") if nodes else None
        found = self.computations.found.get(name)
        if found is None:
            return None
        if found.step is None:
            return self.input_of(_as_fact(found))
        node = self.node_of.get(found.step)
        return self._given(found, node) if node is not None and self.earlier.holds(own, node) else None

    def _given(self, result: Result, name: str) -> Ref | None:
        """The output of a step's node that is a result of the step."""
        node = self.nodes[name]
        if result.id in {**(node.requested_fields or {}), **(node.assumed_outputs or {})}:
            return Ref(f"$.outputs.{name}.{result.id}")
        path = self.output_for(result, self.catalog.node_type(node.type))
        return Ref(f"$.outputs.{name}.{path}") if path is not None else None

    def output_for(self, result: Result, node_type: NodeType) -> str | None:
        """The output of a Type that is a result of its step: what a model names, of its name, or the only one."""
        spec = FieldSpec(type=result.type, unit=result.unit)
        step, _, path = self.sources.facts.get(result.id, "").partition(".")
        told = output_at(node_type, path.split(".")) if path and step == result.step else None
        if told is not None and _holds(told, spec):
            return path
        given = node_type.outputs_schema.items()
        fitting = [key for key, one in given if key != "reason_code" and _holds(one, spec)]
        named = [key for key in fitting if _plain(key) in (_plain(result.id), _plain(result.name))]
        chosen = named or (fitting if len(fitting) == 1 else [])
        return chosen[0] if len(chosen) == 1 else None

    def _outcome(self, op: CompareOp, ref: Ref, literal: Literally, source: str) -> Tree | None:
        """What is said of how a step came out, as said of its node."""
        name = self.node_of.get(ref.node or "")
        if name is None or (name != source and not self.earlier.holds(self.earlier.before(source), name)):
            return None
        node = self.nodes[name]
        if node.type == HUMAN_TASK or "outcome" in {**(node.requested_fields or {}), **(node.assumed_outputs or {})}:
            return Compare(op, Ref(f"$.outputs.{name}.outcome"), literal)
        if op == "ne":
            is_so = self._outcome("eq", ref, literal, source)
            return None if is_so is None else Not(is_so)
        if isinstance(literal.value, list):
            each = [Literally(value, literal.quote, literal.status, literal.source) for value in literal.value]
            parts = list(dict.fromkeys(self._outcome("eq", ref, one, source) for one in each))
            said = tuple(part for part in parts if part is not None)
            return None if len(said) < len(parts) else said[0] if len(said) == 1 else Junction("or", said)
        named = self.sources.outcomes.get(ref.node or "", {}).get(str(literal.value))
        if named is not None:
            return outcome_condition(named, name, self.catalog.node_type(node.type), literal.quote)
        key = (
            "approved"
            if node.type == HUMAN_APPROVAL
            else verdict_field(self.catalog.node_type(node.type), self.catalog)
        )
        if key is None or literal.value not in PLAIN_OUTCOMES:
            return None  # which truth value another word stands for is not guessed
        words = Literally(literal.value in _POSITIVE, literal.quote, "converted", literal.quote)
        return Compare("eq", Ref(f"$.outputs.{name}.{key}"), words)


def outcome_condition(said: str, name: str, node_type: NodeType, quote: str | None) -> Tree | None:
    """A condition over the outputs of a node's Type, as one over the node; None where the Type gives no such thing.

    Args:
        said: infix over the names of the outputs: `hit == false`.
        quote: the document's words for the outcome.
    """
    try:
        tree = parse_infix(said, {field: f"$.outputs.{name}.{field}" for field in node_type.outputs_schema})
    except InfixError:
        return None
    for leaf in leaves(tree):
        if not (isinstance(leaf, Compare) and isinstance(leaf.left, Ref) and isinstance(leaf.right, Literally)):
            return None
        spec = output_at(node_type, leaf.left.path[1:]) if leaf.left.root == "outputs" else None
        values = leaf.right.value if isinstance(leaf.right.value, list) else [leaf.right.value]
        if spec is None or any(value_misfit(value, spec, null_fits=False) for value in values):
            return None
    return with_literals(tree, lambda literal, _: Literally(literal.value, quote, "converted", quote))


def output_at(node_type: NodeType, path: Sequence[str]) -> FieldSpec | None:
    """The output of a Type at a path; None where it gives no such thing."""
    return FieldSpec(type="object", properties=node_type.outputs_schema).at(path)


def _holds(found: FieldSpec, spec: FieldSpec) -> bool:
    """Whether a fact may be what an output gives: its type, whole numbers or not, and its unit where it names one."""
    numbers = {"integer", "number"}
    return (spec.type == found.type or {spec.type, found.type} <= numbers) and spec.unit in (found.unit, None)


def _as_fact(result: Result) -> Fact:
    return Fact(
        id=result.id, name=result.name, type=result.type, concept=result.concept, unit=result.unit, enum=result.enum,
        evidence=result.evidence,
    )  # fmt: skip


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _input(spec: FieldSpec, fact: Fact | None, label: str) -> InputSpec:
    unit = spec.unit or (fact.unit if fact else None)
    enum = spec.enum or (fact.enum if fact and fact.type != "boolean" else None)
    return InputSpec(
        type=spec.type, description=label, unit=unit, enum=enum, concept=spec.concept, required=True,
        properties=spec.properties, items=spec.items, evidence=fact.evidence[:1] if fact else (),
    )  # fmt: skip


def _asked_whether_known(procedure: Procedure) -> set[Ref]:
    """What conditions or formulas ask of whether it is there, so that it may lack."""
    trees = [parse_tree(one.predicate) for one in procedure.conditions if one.predicate is not None]
    rows = [row for result in procedure.results for row in result.rows]
    trees += [parse_tree(row.condition) for row in rows if row.condition is not None]
    found = {leaf.ref for tree in trees for leaf in leaves(tree) if isinstance(leaf, Null)}
    formulas = [part for row in rows if row.formula is not None for part, _ in parts(row.formula)]
    tested = [part.args[0] for part in formulas if isinstance(part, Call) and part.op == "is_null"]
    return found | {ref for ref in tested if isinstance(ref, Ref)}


def _path_to(concept: str, fields: Fields) -> tuple[str, ...] | None:
    for name, spec in fields.items():
        if spec.concept == concept:
            return (name,)
    for name, spec in fields.items():
        below = _path_to(concept, spec.properties) if spec.properties else None
        if below:
            return (name, *below)
    return None


def node_name(type_name: str, taken: Container[str], numbers: dict[str, int] | None = None) -> str:
    """A node id from a Type's name, unique among those taken.

    Args:
        numbers: the number that each name was last given, from which on it is looked for the next one.

    >>> node_name("ontology.identify_substance", {"identify_substance"})
    'identify_substance_2'
    """
    base = re.sub(r"[^A-Za-z0-9_]", "_", type_name.split(".")[-1])
    number = (numbers or {}).get(base, 1)
    while (name := base if number == 1 else f"{base}_{number}") in taken:
        number += 1
    if numbers is not None:
        numbers[base] = number
    return name
