"""The fixtures of all tests of agents; see `agent_plant`."""

from agent_plant import plant, privacy

__all__ = ["plant", "privacy"]
