"""The classes of a workflow's fields, and where values of a class stand in what is recorded of a run.

A field has the class of its name in `[privacy]`, else of its concept, else the default. What a node is given, a result,
and a value that decided a choice have the class of what they refer to as well. A text that flowc, a system or a person
wrote about values has the highest class that the workflow has. A text that repeats the words of a value has at least
the class of that value, wherever it stands. Classes go along with calls: what a called run is given has the class that
it has in its caller, what it gives the class that it has there, and the other way round.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter
from typing import Any

from pydantic import JsonValue

from catalog.load import Catalog
from ir.fields import Fields, FieldSpec
from ir.predicate import Ref
from ir.walk import TakenOutcome
from ir.workflow import HUMAN_INPUT, CalledWorkflow, Node, Workflow
from runtime.privacy.settings import CLASSES, Class, Privacy
from store.personal import GONE, Path, is_mark, put

PERSONAL: frozenset[Class] = frozenset({"personal"})
LEAST, LEAST_NUMBER = 2, 4
"""Characters of a value that is looked for in texts, and of a number."""
_OF_NODES = ("node", "type", "key", "task", "path", "took", "kind", "roles", "due", "at", "attempt", "what")
_OF_RUNS = ("workflow", "digest", "status", "end", "reason_code", "error", "code", "answered_by", "asked", "held")
NO_VALUES = frozenset((*_OF_NODES, *_OF_RUNS, "unknown", "values"))
"""Names in records under which flowc tells of the run itself."""
_TEXTS = ("message", "faults", "why", "reason", "shown")
_FIXED = "not-retried"
"""The kind of the events whose `why` is flowc's own."""
_BEGUN = ("began", "inputs-given")


@dataclass(frozen=True)
class Shape:
    """The class of a value, and of what is in it.

    Args:
        own: of all of it that `below` and `items` do not name.
        below: of the fields of an object.
        items: of what an array holds.
    """

    own: Class
    below: Mapping[str, "Shape"] = field(default_factory=dict)
    items: "Shape | None" = None

    def at(self, path: Iterable[str]) -> "Shape":
        """What is below."""
        found = self
        for name in path:
            found = found.below.get(name, Shape(found.own))
        return found

    def classes(self) -> Iterator[Class]:
        """All that occur in it."""
        yield self.own
        for one in (*self.below.values(), *([self.items] if self.items else [])):
            yield from one.classes()


def higher(one: Class, other: Class) -> Class:
    """The stricter of two classes."""
    return max(one, other, key=CLASSES.index)


def joined(one: Shape, other: Shape) -> Shape:
    """A value of two shapes, at each place of the higher class."""
    names = dict.fromkeys((*one.below, *other.below))
    below = {name: joined(one.at((name,)), other.at((name,))) for name in names}
    items = one.items and other.items and joined(one.items, other.items)
    return Shape(higher(one.own, other.own), below, items or one.items or other.items)


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a workflow's fields.

    Args:
        inputs, outputs: of the run, by name.
        takes: by node of what it is given.
        gives: by node of what it gives.
        highest: the strictest class that occurs.
        unknown: what the settings say of fields that the workflow has not.
    """

    inputs: Shape
    outputs: Shape
    takes: Mapping[str, Shape]
    gives: Mapping[str, Shape]
    highest: Class
    unknown: frozenset[str]

    def of_ref(self, ref: str) -> Shape:
        """Of what a reference stands for."""
        return _of_ref(Ref(ref), self.inputs, self.gives, self.highest)

    def of_event(self, kind: str, body: Mapping[str, Any]) -> Shape:
        """Of the body of an event of the audit."""
        node, _, call = str(body.get("node") or "").partition("#")
        gives, takes = self.gives.get(node, Shape(self.highest)), self.takes.get(node, Shape(self.highest))
        begins = replace(self.inputs, below={"comment": Shape(self.highest), **self.inputs.below})
        answer = Shape("public", {"outputs": gives}) if call else gives if node else begins
        values = body.get("by")
        known = {
            "inputs": self.inputs if kind in _BEGUN else takes,
            "output": gives,
            "answer": answer,
            "outputs": self.outputs,
            "details": takes.at(("details",)),
            "by": Shape("public", {ref: self.of_ref(ref) for ref in values} if isinstance(values, Mapping) else {}),
            **{name: Shape(self.highest) for name in _TEXTS},
        }
        return Shape("public", {name: known[name] for name in body if name in known and kind != _FIXED})

    def words(self, inputs: JsonValue, taken: Iterable[TakenOutcome], wanted: frozenset[Class]) -> dict[str, Class]:
        """By the words of a run's values of some classes, so that they are known again in texts, the class."""
        if not self.has(wanted):
            return {}
        words = words_of(inputs, self.inputs, wanted)
        for one in taken:
            words |= words_of(one.outcome.output, self.gives.get(one.node, Shape(self.highest)), wanted)
        return words

    def sealed_in(self, kind: str, body: Mapping[str, Any], words: Mapping[str, Class]) -> tuple[Path, ...]:
        """Where in an event's body personal values stand.

        Args:
            words: of the values that were known before; see `words`.
        """
        if not self.has(PERSONAL):
            return ()
        shape = self.of_event(kind, body)
        values = replace(shape, below={name: one for name, one in shape.below.items() if name not in _TEXTS})
        return tuple(found(body, shape, PERSONAL, {**words, **words_of(body, values, PERSONAL)}))

    def has(self, wanted: frozenset[Class]) -> bool:
        """Whether values of some classes, or of stricter ones, may occur at all."""
        return any(CLASSES.index(self.highest) >= CLASSES.index(one) for one in wanted)

    def of_task(self, node: str, kind: str) -> Shape:
        """Of what a task shows."""
        takes = self.takes.get(node.partition("#")[0], Shape(self.highest))
        return Shape("public", {"inputs": takes if kind == "settle" else self.inputs, "given": takes})

    def of_step(self, node: str) -> Shape:
        """Of a step that a task shows as one that came before it."""
        highest = Shape(self.highest)
        return Shape("public", {"gave": self.gives.get(node, highest), "message": highest})


@dataclass(frozen=True)
class Around:
    """What a run has from its caller: the classes of what it is given, and of what the caller takes from it."""

    given: Shape = Shape("public")
    taken: Shape = Shape("public")


@dataclass(frozen=True, eq=False)
class Calls:
    """What a workflow calls.

    Args:
        workflows: all that it calls, directly or not, in no ring.
    """

    workflows: Mapping[CalledWorkflow, Workflow] = field(default_factory=dict)
    _known: dict[tuple[CalledWorkflow, Class, str], Classes] = field(default_factory=dict)

    def of(self, node: Node) -> Workflow | None:
        """What a node calls; None where it calls nothing, or nobody says what that is."""
        return self.workflows.get(node.call) if node.call is not None else None

    def classes(self, call: CalledWorkflow, catalog: Catalog, privacy: Privacy, around: Around) -> Classes:
        """The classes of what is called; worked out once, however many ways lead to it."""
        key = call, privacy.default, repr(around)
        if key not in self._known:
            self._known[key] = classes_of(self.workflows[call], catalog, privacy, self, around)
        return self._known[key]


def classes_of(
    workflow: Workflow, catalog: Catalog, privacy: Privacy, calls: Calls | None = None, around: Around | None = None
) -> Classes:
    """The classes of a workflow's fields.

    Args:
        calls: what it calls; of a call of which nobody says what it is, all has the highest class.
        around: what its caller says; None where no other workflow calls it.
    """
    calls, around = calls or Calls(), around or Around()
    cut = [(*name.partition("."), one) for name, one in privacy.fields.items()]
    own = {rest: one for of, _, rest, one in cut if of == workflow.workflow_id}
    reader = _Reader(privacy, own)
    inputs = joined(reader.fields(workflow.inputs), around.given)
    calling = _calling(workflow, calls)
    gives = {
        name: (reader.plain() if name in calling else reader).fields(_outputs(node, catalog, calls), (name,))
        for name, node in workflow.nodes.items()
    }

    def is_said(ref: Ref, said: Shape) -> None:
        """What is personal where it is used is personal where it comes from."""
        nonlocal inputs
        if ref.root == "inputs":
            inputs = joined(inputs, _below(ref.path, said))
        elif ref.node in gives:
            gives[ref.node] = joined(gives[ref.node], _below(ref.path[1:], said))

    for ref, spec, name in _references(workflow, catalog):
        is_said(ref, reader.said(spec, name))
    for ref, name in _results(workflow):
        is_said(ref, around.taken.at((name,)))
    for name, call in reversed(calling.items()):
        wanted = Around(taken=gives[name])
        said = calls.classes(call, catalog, replace(privacy, default="public"), wanted).inputs
        for one, ref in workflow.nodes[name].references.items():
            is_said(ref, said.at((one,)))
    takes = {name: reader.fields(_inputs(node, catalog)) for name, node in workflow.nodes.items()}
    for name, call in calling.items():
        handed = Around(_handed(workflow.nodes[name], inputs, gives), gives[name])
        called = calls.classes(call, catalog, privacy, handed)
        takes[name], gives[name] = called.inputs, called.outputs
    outputs = joined(
        reader.fields(workflow.results), Shape("public", {n: reader.said(None, n) for n in workflow.outputs})
    )
    outputs = joined(outputs, around.taken)
    occurring = (one for shape in (inputs, outputs, *gives.values(), *takes.values()) for one in shape.classes())
    highest = max(occurring, key=CLASSES.index)
    for name, node in workflow.nodes.items():
        if node.type.startswith("human.") and node.type != HUMAN_INPUT:
            gives[name] = joined(gives[name], Shape("public", {"comment": Shape(highest)}))
        elif not _outputs(node, catalog, calls):
            gives[name] = joined(gives[name], Shape(highest))
    for ref, name in _results(workflow):
        outputs = joined(outputs, Shape("public", {name: _of_ref(ref, inputs, gives, highest)}))
    for name, node in workflow.nodes.items():
        takes[name] = joined(takes[name], _handed(node, inputs, gives, highest))
    return Classes(inputs, outputs, takes, gives, highest, frozenset(own.keys() - reader.known))


def _handed(node: Node, inputs: Shape, gives: Mapping[str, Shape], highest: Class = "public") -> Shape:
    """What a node is given by reference, of the class of what that refers to."""
    return Shape("public", {one: _of_ref(ref, inputs, gives, highest) for one, ref in node.references.items()})


def _calling(workflow: Workflow, calls: Calls) -> dict[str, CalledWorkflow]:
    """What nodes call, each node after those whose outputs it is given."""
    reads = {
        name: [ref.node for ref in node.references.values() if ref.node and ref.node in workflow.nodes]
        for name, node in workflow.nodes.items()
    }
    ordered = ((name, workflow.nodes[name].call) for name in TopologicalSorter(reads).static_order())
    return {name: call for name, call in ordered if call is not None and call in calls.workflows}


def _references(workflow: Workflow, catalog: Catalog) -> Iterator[tuple[Ref, FieldSpec | None, str]]:
    """What nodes and results refer to, with the field that it is given as and its name."""
    for node in workflow.nodes.values():
        for name, ref in node.references.items():
            yield ref, _inputs(node, catalog).get(name), name
    for ref, name in _results(workflow):
        yield ref, workflow.results.get(name), name


def _results(workflow: Workflow) -> Iterator[tuple[Ref, str]]:
    """What a run gives by reference, under which name."""
    ends = (pair for node in workflow.nodes.values() for pair in (node.results or {}).items())
    for name, value in (*workflow.outputs.items(), *ends):
        if isinstance(value, Ref):
            yield value, name


def _below(path: tuple[str, ...], shape: Shape) -> Shape:
    """A value that has a shape at a path in it."""
    for name in reversed(path):
        shape = Shape("public", {name: shape})
    return shape


def _inputs(node: Node, catalog: Catalog) -> Fields:
    node_type = catalog.node_types.get(node.type)
    return {} if node_type is None else node_type.inputs_schema


def _of_ref(ref: Ref, inputs: Shape, gives: Mapping[str, Shape], highest: Class) -> Shape:
    if ref.root == "inputs":
        return inputs.at(ref.path)
    return gives.get(ref.node or "", Shape(highest)).at(ref.path[1:])


def _outputs(node: Node, catalog: Catalog, calls: Calls) -> Fields:
    """What a node gives; nothing where nobody says."""
    inner = calls.of(node)
    if inner is not None:
        return {**{name: FieldSpec(type="string") for name in inner.outputs}, **inner.results}
    node_type = catalog.node_types.get(node.type)
    of_type = node_type.outputs_schema if node_type is not None else node.assumed_outputs
    return node.requested_fields or of_type or {}


@dataclass(frozen=True)
class _Reader:
    """Reads declared fields.

    Args:
        own: by path below the workflow's name what is said of its fields.
        known: the names of fields that were read.
    """

    privacy: Privacy
    own: Mapping[str, Class]
    known: set[str] = field(default_factory=set)

    def fields(self, fields: Mapping[str, FieldSpec], path: tuple[str, ...] = ()) -> Shape:
        """The shape of an object with these fields."""
        below = {name: self.shape(spec, (*path, name), "public") for name, spec in fields.items()}
        return Shape(self.privacy.default, below)

    def plain(self) -> "_Reader":
        """The same without the default."""
        return _Reader(replace(self.privacy, default="public"), self.own, self.known)

    def said(self, spec: FieldSpec | None, name: str) -> Shape:
        """The shape of a field by what is said of it alone, without the default; of one without a form by its name."""
        if spec is not None:
            return self.plain().shape(spec, (name,), "public")
        self.known.add(name)
        return Shape(self.own.get(name, "public"))

    def shape(self, spec: FieldSpec, path: tuple[str, ...], floor: Class) -> Shape:
        """The shape of a field: what is in it has at least the class that is said of the whole."""
        names = (".".join(path), *path[1:]) if len(path) == 2 else (".".join(path),)
        self.known.update(names)
        said = next((self.own[name] for name in names if name in self.own), None)
        said = said or self.privacy.concepts.get(spec.concept or "")
        floor = floor if said is None else higher(floor, said)
        own = higher(floor, self.privacy.default) if said is None else floor
        below = {name: self.shape(one, (*path, name), floor) for name, one in (spec.properties or {}).items()}
        items = None if spec.items is None else self.shape(spec.items, (*path, "items"), floor)
        return Shape(own, below, items)


# --- values -----------------------------------------------------------------------------------------------------------


def found(value: Any, shape: Shape, wanted: frozenset[Class], words: Mapping[str, Class]) -> dict[Path, Class]:
    """Where values of some classes stand, the outermost of them; no value is none.

    Args:
        words: see `words_of`.
    """
    told = dict(_classed(value, shape, wanted))
    for path, text in _texts(value):
        if any(path[:n] in told for n in range(len(path) + 1)):
            continue
        of = [one for word, one in words.items() if word in text and one in wanted]
        if of:
            told[path] = max(of, key=CLASSES.index)
    return told


def _classed(value: Any, shape: Shape, wanted: frozenset[Class], path: Path = ()) -> Iterator[tuple[Path, Class]]:
    if value is None or _stands_for_another(value):
        return
    if isinstance(value, dict) and (shape.below or not value):
        for name, item in value.items():
            yield from _classed(item, shape.at((name,)), wanted, (*path, name))
    elif isinstance(value, list) and shape.items is not None:
        for at, item in enumerate(value):
            yield from _classed(item, shape.items, wanted, (*path, at))
    elif shape.own in wanted:
        yield path, shape.own


def _stands_for_another(value: object) -> bool:
    return value == GONE or is_mark(value)


def _texts(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """The texts in a record; not those by which flowc tells of the run itself, nor what stands for a value."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list) and not _stands_for_another(value):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if path or key not in NO_VALUES or isinstance(item, dict):
                yield from _texts(item, (*path, key))


def words_of(value: Any, shape: Shape, wanted: frozenset[Class]) -> dict[str, Class]:
    """The words of the values of some classes, by which they are known again in texts; the shortest are left out."""
    words: dict[str, Class] = {}
    for path, one in _classed(value, shape, wanted):
        item = value
        for key in path:
            item = item[key]
        for word in _words(item):
            words[word] = higher(words.get(word, one), one)
    return words


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, str) and len(value.strip()) >= LEAST:
        yield value.strip()
    elif isinstance(value, int | float) and not isinstance(value, bool) and len(str(value)) >= LEAST_NUMBER:
        yield str(value)
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _words(item)


def masked(value: Any, places: Mapping[Path, Class]) -> Any:
    """A value with what says its class, and nothing else, in place of some of it.

    >>> masked({"name": "Wang", "kg": 5}, {("name",): "personal"})
    {'name': {'masked': 'personal'}, 'kg': 5}
    """
    given: dict[Path, JsonValue] = {path: {"masked": one} for path, one in places.items()}
    return put(value, given)
