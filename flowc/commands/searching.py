"""Search over what is published, by the embedder that the settings name, which is loaded when something is searched."""

from typing import TYPE_CHECKING

from flowc.commands.options import loaded_embedder, settings
from flowc.stopping import setup_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from registry.forms import Version
    from registry.search import FoundWorkflow
    from runtime.host import Host


class Search:
    """Ranks versions for a task.

    Args:
        embedder: its name; None for what the settings say.
    """

    def __init__(self, host: "Host", embedder: str | None) -> None:
        self._host, self._configuration = host, settings(embedder=embedder, quiet=True, at=host.workspace.folder.parent)

    def __call__(self, known: "Sequence[Version]", task: str, limit: int) -> "tuple[FoundWorkflow, ...]":
        """The versions that a task may be for, best first."""
        from registry.search import WorkflowIndex

        with setup_faults(self._configuration):
            found = loaded_embedder(self._configuration).embedder
            return WorkflowIndex(known, self._host.catalog, found).search(task, limit)
