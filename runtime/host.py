"""What an execution runs in: the workspace, the catalog and the executors of an installation."""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache, cached_property

import sqlalchemy as sa

from catalog.load import Catalog
from catalog.node_type import NodeType
from ir.duration import duration_length
from ir.errors import CompilerError
from ir.workflow import Node, Workflow
from registry.forms import Version
from registry.publishable import Bind, pin_of
from registry.versions import called_by, checked, version_of
from runtime.calendars import OfficeCalendar
from runtime.errors import NotPublished
from runtime.executions import execution_of
from runtime.executors.registry import MANUAL, Executors
from runtime.forms import Execution
from runtime.governance.agency import Agency
from runtime.overdue import Escalation
from runtime.privacy.classes import Around, Calls, Classes, classes_of
from runtime.privacy.settings import Privacy
from runtime.webhooks.endpoints import Endpoints
from store.workspace import Workspace

TIMEOUT, BACKOFF = 30.0, 1.0
"""Seconds, where neither node nor workflow says."""


@dataclass(frozen=True, eq=False)
class Host:
    """Where executions run.

    Args:
        calendar: by which the deadlines of tasks are counted.
        escalation: who may answer a task as well whose time is over.
        privacy: which fields are personal, and who reads what.
        agency: what agents may do.
        webhooks: who is told of ends and tasks.
    """

    workspace: Workspace
    catalog: Catalog
    executors: Executors
    calendar: OfficeCalendar = field(default_factory=OfficeCalendar)
    escalation: Escalation = field(default_factory=dict)
    privacy: Privacy = field(default_factory=Privacy)
    agency: Agency = field(default_factory=Agency)
    webhooks: Endpoints = field(default_factory=dict)

    @cached_property
    def _versions(self) -> dict[tuple[str, int], Version]:
        return {}

    def version(self, workflow_id: str, number: int, connection: sa.Connection | None = None) -> Version:
        """A version that was published, unchanged; read once.

        Args:
            connection: of the transaction in which this is asked; None outside of one.

        Raises:
            UnknownVersion: there is none such.
            NotPublished: it never was, or its Types are not those of the catalog here.
            Tampered: it is not what was published.
        """
        known = self._versions.get((workflow_id, number))
        if known is not None:
            return known
        if connection is not None:
            found = version_of(connection, workflow_id, number)
        else:
            with self.workspace.database.transaction() as own:
                found = version_of(own, workflow_id, number)
        if found.state not in ("published", "deprecated"):
            raise NotPublished(f"{found.name} is {found.state}; only what is published runs (`flowc registry publish`)")
        checked(found, self.workspace.key)
        for pin in found.pins:
            here = self.catalog.node_types.get(pin.type)
            if here is None or pin_of(here) != pin:
                raise NotPublished(
                    f"{found.name} is pinned to {pin.type} {pin.version}, and the catalog here has another one; "
                    "run it with the catalog that it was published with, or publish a new version"
                )
        for call in found.calls:
            if self.version(call.workflow_id, call.number, connection).digest != call.digest:
                raise NotPublished(f"{found.name} calls {call.workflow_id}@v{call.number}, which is another than then")
        self._versions[workflow_id, number] = found
        return found

    def can_run(self, version: Version) -> bool:
        """Whether a version is what was signed, and its Types are those of the catalog here."""
        try:
            self.version(version.workflow_id, version.number)
        except CompilerError:
            return False
        return True

    @cached_property
    def _classes(self) -> dict[tuple[str, int, str], Classes]:
        return {}

    def classes(
        self, workflow_id: str, number: int, connection: sa.Connection, around: Around | None = None
    ) -> Classes:
        """The classes of a version's fields, whether it may run here or not; read once.

        Args:
            around: what a caller says of them; None for what is said of the version alone.

        Raises:
            UnknownVersion: there is none such.
        """
        key = workflow_id, number, repr(around)
        if key not in self._classes:
            version = version_of(connection, workflow_id, number)
            calls = Calls({call: one.definition for call, one in called_by(connection, version).items()})
            self._classes[key] = classes_of(version.definition, self.catalog, self.privacy, calls, around)
        return self._classes[key]

    def classes_in(self, execution: Execution, connection: sa.Connection) -> Classes:
        """The classes of the values of a run; of one that another called, together with what that says of them."""
        parent, around = execution.progress.parent, None
        if parent is not None:
            caller = self.classes_in(execution_of(connection, parent.execution), connection)
            around = Around(caller.takes[parent.node], caller.gives[parent.node])
        return self.classes(execution.workflow_id, execution.number, connection, around)

    def node_type(self, node: Node) -> NodeType | None:
        """The Type of a node."""
        return self.catalog.node_types.get(node.type)

    def binder(self, people: Collection[str] = ()) -> Bind:
        """Who carries nodes out here.

        Args:
            people: Types whose nodes become tasks, whatever executor they have.
        """

        def bind(node: Node, node_type: NodeType | None) -> str | None:
            return MANUAL if node.type in people else self.executors.bind(node, node_type)

        return bind

    def is_manual(self, version: Version, node: str) -> bool:
        """Whether a person carries a node out."""
        return version.executors.get(node) == MANUAL


def idempotent(node: Node, node_type: NodeType | None) -> bool:
    """Whether doing a node twice is doing it once."""
    if node.policy.idempotent is not None:
        return node.policy.idempotent
    return node_type is not None and node_type.capabilities.idempotent_default


def attempts(workflow: Workflow, node: Node, node_type: NodeType | None) -> int:
    """How often a node may be tried: once, unless doing it twice does no harm and its Type may be tried again."""
    if not idempotent(node, node_type) or node_type is None or not node_type.capabilities.retryable_default:
        return 1
    return node.policy.max_attempts or workflow.execution_policy.defaults.max_attempts or 1


def timeout(workflow: Workflow, node: Node) -> float:
    """Seconds after which a call is given up."""
    return _seconds(node.policy.timeout or workflow.execution_policy.defaults.timeout, TIMEOUT)


def backoff(workflow: Workflow, node: Node, attempt: int) -> float:
    """Seconds before the next attempt: the policy's, doubled with each."""
    return _seconds(node.policy.backoff or workflow.execution_policy.defaults.backoff, BACKOFF) * float(
        2 ** (attempt - 1)
    )


@cache
def _seconds(length: str | None, otherwise: float) -> float:
    found = duration_length(length) if length else None
    return float(found[0]) if found is not None and found[1] == "clock" else otherwise
