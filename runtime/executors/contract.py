"""What an executor is."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from pydantic import JsonValue

from catalog.node_type import NodeType
from ir.fields import Fields


@dataclass(frozen=True)
class Call:
    """What a node asks of an executor.

    Args:
        key: the same for the same call, however often it is made; systems that can should refuse to do it twice.
        timeout: seconds.
        settings: of the executor, from `flowc.toml`.
        references: the tables of data of the version, by id.
        outputs: what its Type gives.
        sources: by input the reference that it was filled from, where it was filled from one.
    """

    execution: str
    node: str
    type: str
    inputs: Mapping[str, JsonValue]
    key: str
    timeout: float
    settings: Mapping[str, Any]
    references: Mapping[str, JsonValue]
    outputs: Fields = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)


class ExecutorFault(Exception):  # noqa: N818 - named for the fault
    """A node could not be carried out.

    Args:
        code: in capitals, as edges and reason codes have it.
        passing: it may work when it is tried again.
        made: whether the call reached the system: True, False, or None where nobody knows.
    """

    def __init__(self, code: str, message: str, *, passing: bool = False, made: bool | None = True) -> None:
        super().__init__(message)
        self.code, self.message, self.passing, self.made = code, message, passing, made


class Executor(Protocol):
    """Carries out nodes of the Types that it is bound to."""

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """The outputs of the node.

        Raises:
            ExecutorFault: there are none.
        """


@runtime_checkable
class Settling(Protocol):
    """An executor that looks at its settings when they are loaded, before anything runs."""

    def settle(self, settings: Mapping[str, Any], root: Path) -> Mapping[str, Any]:
        """The settings as calls get them.

        Args:
            root: the folder of `flowc.toml`, which paths are relative to.

        Raises:
            ValueError: all that is wrong with them.
        """


@runtime_checkable
class SettlingByType(Protocol):
    """An executor whose settings are looked at together with the Type that they are for."""

    def settle_for(self, settings: Mapping[str, Any], root: Path, node_type: NodeType | None) -> Mapping[str, Any]:
        """The settings as calls get them.

        Args:
            node_type: None where the catalog here has none of that name.

        Raises:
            ValueError: all that is wrong with them, or with how the Type is bound.
        """


@runtime_checkable
class Keeping(Protocol):
    """An executor that keeps something of a run beside what it gives."""

    def forget(self, settings: Mapping[str, Any], executions: Collection[str]) -> None:
        """Delete all that was kept of runs under some settings; nothing where nothing was.

        Raises:
            OSError: something cannot be deleted.
        """
