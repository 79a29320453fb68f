"""How an endpoint is held to a form: tried out once per endpoint and model, and kept on disk."""

import json
import os
import threading
from pathlib import Path

from instructor import Mode

from ir.files import write_whole

MODES: dict[str, Mode] = {"json_schema": Mode.JSON_SCHEMA, "tools": Mode.TOOLS, "md_json": Mode.MD_JSON}
"""From the strictest to the one that any endpoint understands."""


def default_folder() -> Path:
    """Where modes are kept: `flowc` in the user's cache folder (`XDG_CACHE_HOME`)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "flowc"


class KnownModes:
    """The modes that were found to work, by endpoint and model, in `modes.json`.

    A file that cannot be read or written costs a new trial, nothing else.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "modes.json"
        self._lock = threading.Lock()

    def get(self, endpoint: str, model: str) -> str | None:
        """The mode that works, None where none was tried."""
        mode = self._load().get(f"{endpoint} {model}")
        return mode if mode in MODES else None

    def put(self, endpoint: str, model: str, mode: str) -> None:
        """Keep a mode."""
        with self._lock:
            known = self._load() | {f"{endpoint} {model}": mode}
            try:
                write_whole(self._file, json.dumps(known, indent=1, sort_keys=True) + "\n")
            except OSError:
                return

    def _load(self) -> dict[str, str]:
        try:
            known = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}
