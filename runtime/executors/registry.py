"""Which executors there are here, and which Types they are bound to: what `flowc.toml` says under `[executors]`.

[executors."io.check_filing_status"]
kind = "http"
url = "https://filing.example.org/check"

[executors."petshop.*"]           # all Types of that beginning which no longer name fits
kind = "imported"
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from catalog.node_type import NodeType
from ir.errors import BadSetting
from ir.workflow import Node
from runtime.executors.contract import Call, Executor, ExecutorFault, Keeping, Settling, SettlingByType
from runtime.executors.document import DocumentExecutor
from runtime.executors.file import FileExecutor
from runtime.executors.http import HttpExecutor
from runtime.executors.imported import ImportedExecutor
from runtime.executors.mail import MailExecutor
from runtime.executors.mcp.mcp import McpExecutor
from runtime.executors.model import ModelExecutor
from runtime.executors.reference import ReferenceExecutor
from runtime.executors.sql import SqlExecutor
from runtime.executors.summary import SummaryExecutor
from runtime.executors.webhook import WebhookExecutor
from runtime.values import storable

GROUP = "flowc.executors"
MANUAL, ANY = "manual", "*"


@dataclass(frozen=True)
class Executors:
    """The executors of an installation.

    Args:
        bound: by Type its settings: `kind` and what that kind takes.
        kinds: by name; those of flowc, those of entry points, and those that a test gives.
    """

    bound: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    kinds: Mapping[str, Executor] = field(default_factory=dict)

    def bind(self, node: Node, node_type: NodeType | None) -> str | None:
        """The kind that carries out a node here; None where there is none. See `registry.publishable.Bind`."""
        return str(self.bound[node.type]["kind"]) if node.type in self.bound else None

    def settings(self, type_name: str) -> Mapping[str, Any]:
        """What the executor of a Type is told."""
        return self.bound.get(type_name, {})

    def carried_out(self, call: Call, bound: str) -> dict[str, JsonValue] | ExecutorFault:
        """Make a call; gives what came back, or why nothing that can be used did. It never raises.

        Args:
            bound: the kind of executor that the version was published with.
        """
        kind = str(call.settings.get("kind", ""))
        executor = self.kinds.get(kind) if kind == bound else None
        if executor is None:
            told = f"{call.type} was published with {bound}, and flowc.toml has {kind or 'nothing'} for it"
            return ExecutorFault("NO_EXECUTOR", told, made=False)
        try:
            found = executor.carry_out(call)
        except ExecutorFault as fault:
            return fault
        except BaseException as error:  # noqa: BLE001 - an executor of somebody else must not end the worker
            return ExecutorFault("EXECUTOR_ERROR", f"{type(error).__name__}: {error}"[:500], made=None)
        if not isinstance(found, dict) or not storable(found):
            return ExecutorFault("BAD_OUTPUT", "what came back is no object of JSON that can be stored")
        return found

    def forget(self, executions: Collection[str]) -> None:
        """Delete what executors keep of runs beside what they gave.

        Raises:
            OSError: something cannot be deleted.
        """
        for settings in self.bound.values():
            executor = self.kinds.get(str(settings["kind"]))
            if isinstance(executor, Keeping):
                executor.forget(settings, executions)


def executors_from(
    settings: Mapping[str, Any],
    kinds: Mapping[str, Executor] | None = None,
    root: Path = Path(),
    types: Mapping[str, NodeType] | None = None,
) -> Executors:
    """The executors that a configuration names.

    Args:
        root: the folder of `flowc.toml`, which paths are relative to.
        types: of the catalog here, which names that end with `*` stand for.

    Raises:
        BadSetting: a kind that there is not, or no kind, or settings that it cannot work with.
    """
    types = types or {}
    known: dict[str, Executor] = {
        "document": DocumentExecutor(),
        "file": FileExecutor(),
        "http": HttpExecutor(),
        "imported": ImportedExecutor(),
        "mail": MailExecutor(),
        "mcp": McpExecutor(),
        "model": ModelExecutor(),
        "reference": ReferenceExecutor(),
        "sql": SqlExecutor(),
        "summary": SummaryExecutor(),
        "webhook": WebhookExecutor(),
        **_of_entry_points(),
        **(kinds or {}),
    }
    for name, given in settings.items():
        kind = given.get("kind") if isinstance(given, Mapping) else None
        if kind != MANUAL and kind not in known:
            told = ", ".join((*sorted(known), MANUAL))
            raise BadSetting(f'[executors."{name}"] in flowc.toml: kind is {kind!r}; there is {told}')
        if not isinstance(given.get("allow", []), list):
            raise BadSetting(f'[executors."{name}"] in flowc.toml: allow is no list; write allow = ["USER"], or ["*"]')
        if name.endswith(ANY) and not any(one.startswith(name.removesuffix(ANY)) for one in types):
            raise BadSetting(f'[executors."{name}"] in flowc.toml: the catalog here has no Type of a name like that')
    named = {name: name for name in settings if not name.endswith(ANY)}
    named |= {name: chosen for name in types if (chosen := setting_for(name, settings)) is not None}
    bound = {
        name: _settled(name, chosen, settings[chosen], known.get(settings[chosen]["kind"]), root, types.get(name))
        for name, chosen in named.items()
    }
    return Executors(bound, known)


def setting_for(type_name: str, names: Iterable[str]) -> str | None:
    """Which of the names in `[executors]` a Type is bound by: its own, else the longest beginning.

    >>> setting_for("petshop.get_pet", ["*", "petshop.*", "petshop.get_*", "desk.*"])
    'petshop.get_*'
    >>> setting_for("petshop.get_pet", ["petshop.*", "petshop.get_pet"])
    'petshop.get_pet'
    """
    fitting = [one for one in names if one.endswith(ANY) and type_name.startswith(one.removesuffix(ANY))]
    return type_name if type_name in names else max(fitting, key=len, default=None)


def _settled(
    name: str, chosen: str, given: Mapping[str, Any], executor: Executor | None, root: Path, node_type: NodeType | None
) -> Mapping[str, Any]:
    try:
        if isinstance(executor, SettlingByType):
            return executor.settle_for(given, root, node_type)
        return executor.settle(given, root) if isinstance(executor, Settling) else dict(given)
    except ValueError as error:
        of = "" if name == chosen else f" for {name}"
        raise BadSetting(f'[executors."{chosen}"] in flowc.toml{of}: {error}') from error


def _of_entry_points() -> dict[str, Executor]:
    """One's own executors: installed packages with entry points of the group `flowc.executors`."""
    return {one.name: one.load()() for one in entry_points(group=GROUP)}
