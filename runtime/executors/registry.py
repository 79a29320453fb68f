"""Which executors there are here, and which Types they are bound to: what `flowc.toml` says under `[executors]`.

[executors."io.check_filing_status"]
kind = "http"
url = "https://filing.example.org/check"
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any

from catalog.node_type import NodeType
from ir.errors import BadSetting
from ir.workflow import Node
from runtime.executors.contract import Executor
from runtime.executors.http import HttpExecutor
from runtime.executors.reference import ReferenceExecutor
from runtime.executors.summary import SummaryExecutor

GROUP = "flowc.executors"
MANUAL = "manual"


@dataclass(frozen=True)
class Executors:
    """The executors of an installation.

    Args:
        bound: by Type its settings: `kind` and what that kind takes.
        kinds: by name; `http`, `reference`, `summary`, those of entry points, and those that a test gives.
    """

    bound: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    kinds: Mapping[str, Executor] = field(default_factory=dict)

    def bind(self, node: Node, node_type: NodeType | None) -> str | None:
        """The kind that carries out a node here; None where there is none. See `registry.publishable.Bind`."""
        return str(self.bound[node.type]["kind"]) if node.type in self.bound else None

    def settings(self, type_name: str) -> Mapping[str, Any]:
        """What the executor of a Type is told."""
        return self.bound.get(type_name, {})


def executors_from(settings: Mapping[str, Any], kinds: Mapping[str, Executor] | None = None) -> Executors:
    """The executors that a configuration names.

    Raises:
        BadSetting: a kind that there is not, or no kind.
    """
    known: dict[str, Executor] = {
        "http": HttpExecutor(),
        "reference": ReferenceExecutor(),
        "summary": SummaryExecutor(),
        **_of_entry_points(),
        **(kinds or {}),
    }
    bound = {}
    for name, given in settings.items():
        kind = given.get("kind") if isinstance(given, Mapping) else None
        if kind != MANUAL and kind not in known:
            told = ", ".join((*sorted(known), MANUAL))
            raise BadSetting(f'[executors."{name}"] in flowc.toml: kind is {kind!r}; there is {told}')
        if not isinstance(given.get("allow", []), list):
            raise BadSetting(f'[executors."{name}"] in flowc.toml: allow is no list; write allow = ["USER"], or ["*"]')
        bound[name] = dict(given)
    return Executors(bound, known)


def _of_entry_points() -> dict[str, Executor]:
    """One's own executors: installed packages with entry points of the group `flowc.executors`."""
    return {one.name: one.load()() for one in entry_points(group=GROUP)}
