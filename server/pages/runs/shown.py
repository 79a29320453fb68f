"""Values of runs as a page shows them: by the names of their fields, in words, masked where they are hidden."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

from compiler.report.readers_words import Reader
from ir.errors import CompilerError
from ir.fields import Fields, FieldSpec
from ir.predicate import Ref
from ir.source import Language
from ir.workflow import HUMAN_APPROVAL, HUMAN_TASK, Node, Workflow
from registry.forms import Version
from runtime.executions import execution_of
from runtime.forms import Execution
from runtime.people import fields_of
from runtime.veil import MASK, is_masked, seen, veil_of
from server.site import Site
from store.users import User


@dataclass(frozen=True)
class ShownValue:
    """A value with its name.

    Args:
        block: whether it is structured, and stands by itself.
    """

    label: str
    text: str
    block: bool = False


def shown_values(values: Mapping[str, Any], fields: Fields, reader: Reader) -> tuple[ShownValue, ...]:
    """Values by the names of their fields."""
    return tuple(
        ShownValue(reader.field_name(name, fields.get(name)), *_text(seen(value), fields.get(name), reader))
        for name, value in values.items()
    )


def _text(value: Any, spec: FieldSpec | None, reader: Reader) -> tuple[str, bool]:
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, dict | list) for one in value)):
        return json.dumps(value, ensure_ascii=False, indent=1), True
    return "—" if value is None else reader.value(value, spec), False


def takes_of(node: Node | None, reader: Reader) -> Fields:
    """The fields of what a node is given."""
    node_type = reader.node_type(node) if node is not None else None
    return node_type.inputs_schema if node_type is not None else {}


@dataclass(frozen=True, eq=False)
class ShownRun:
    """A run, its version, and what reads it aloud."""

    execution: Execution
    version: Version
    reader: Reader

    @property
    def workflow(self) -> Workflow:
        """What it is a run of."""
        return self.version.definition

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """By words of the documents the document and the block in which they stand."""
        workflow = self.workflow
        of_graph = (*(one.evidence for one in workflow.nodes.values()), *(one.evidence for one in workflow.edges))
        found = chain.from_iterable((*of_graph, *(one.evidence for one in workflow.guards)))
        return {one.quote: " · ".join(filter(None, (one.doc_id, one.block))) for one in found}

    def inputs(self, site: Site, user: User) -> tuple[ShownValue, ...]:
        """What the run was given, as somebody may see it; nothing, once its values were deleted."""
        if self.execution.progress.deleted_at is not None:
            return ()
        with site.workspace.database.transaction() as connection:
            veil = veil_of(site.host, connection, self.execution, user)
        given = veil.over(dict(self.execution.progress.run.inputs), veil.classes.inputs)
        return shown_values(given, {**self.workflow.inputs}, self.reader)

    def gave(self, node: str, output: Any) -> tuple[ShownValue, ...]:
        """What a node gave."""
        if not isinstance(output, dict):
            return ()
        if is_masked(output):
            return (ShownValue(self.reader.words("outputs"), MASK),)
        values = shown_values(output, self.outputs(node), self.reader)
        names = (self.reader.ref_name(Ref(f"$.outputs.{node}.{name}")) for name in output)
        return tuple(replace(one, label=name) for one, name in zip(values, names, strict=True))

    def results(self, outputs: Mapping[str, Any]) -> tuple[ShownValue, ...]:
        """What the run gives; what is not declared goes by the field that it is read from."""
        read = {name: self.reader.field(of) for name, of in self.workflow.outputs.items() if isinstance(of, Ref)}
        fields: Fields = {name: spec for name, spec in read.items() if spec is not None}
        return shown_values(outputs, {**fields, **self.workflow.results}, self.reader)

    def outputs(self, name: str) -> Fields:
        """The fields of what a node gives."""
        node = self.workflow.nodes[name]
        return dict(fields_of(node) if node.type in (HUMAN_APPROVAL, HUMAN_TASK) else self.reader.outputs(node))


def opened_run(site: Site, execution: str, language: Language) -> ShownRun:
    """A run.

    Raises:
        UnknownExecution: there is none such.
        NotPublished: its version cannot be read with the catalog here.
    """
    with site.workspace.database.transaction() as connection:
        found = execution_of(connection, execution)
    version = site.host.version(found.workflow_id, found.number)
    return ShownRun(found, version, Reader(version.definition, site.host.catalog, language))


def titles(site: Site, named: Iterator[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """What workflows are called; those whose version cannot be read here go by their ids."""
    return {one: _title(site, *one) for one in set(named)}


def _title(site: Site, workflow_id: str, number: int) -> str:
    try:
        return title_of(site.host.version(workflow_id, number))
    except CompilerError:
        return workflow_id


def title_of(version: Version) -> str:
    """What a version is called."""
    return version.definition.metadata.title or version.workflow_id
