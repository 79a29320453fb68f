"""Sends webhooks while a worker works: a thread for each endpoint, so that one that hangs holds up no other."""

import logging
import threading

from runtime.webhooks.deliveries import deliver
from runtime.webhooks.endpoints import Endpoint, Endpoints
from runtime.webhooks.outbox import gather, register
from store.workspace import Workspace

LOOK, LAST = 0.5, 5.0
"""Seconds between two looks, and that an attempt is waited for at the end; one that is cut off is made again."""
LOG = logging.getLogger("flowc.webhooks")


class Sending:
    """Sends webhooks until it is closed.

    Args:
        address: of a task's page; see `gather`.
    """

    def __init__(self, workspace: Workspace, endpoints: Endpoints, address: str | None) -> None:
        self._workspace, self._endpoints, self._address = workspace, endpoints, address
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._send, args=one, name=f"webhooks {one[0]}", daemon=True)
            for one in endpoints.items()
        ]

    def __enter__(self) -> "Sending":
        register(self._workspace, self._endpoints)
        for one in self._threads:
            one.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Take nothing more."""
        self._stop.set()
        for one in self._threads:
            one.join(LAST)

    def _send(self, name: str, endpoint: Endpoint) -> None:
        while not self._stop.is_set():
            try:
                while gather(self._workspace, name, endpoint, self._address):
                    pass
                more = deliver(self._workspace, name, endpoint)
            except Exception:
                LOG.exception("%s: webhooks cannot be sent; it is tried again", name)
                more = False
            if not more and self._stop.wait(LOOK):
                return
