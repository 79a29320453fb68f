"""The fixtures of all tests of agents; see `agent_plant` and `http_plant`."""

from agent_plant import plant, privacy
from http_plant import remote

__all__ = ["plant", "privacy", "remote"]
