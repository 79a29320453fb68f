"""The most memory that this process took since it was last asked."""

import resource
import sys
from contextlib import suppress
from pathlib import Path

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def reset_peak() -> int:
    """Begin anew, where the system can; gives the bytes that are taken now."""
    with suppress(OSError):
        _RESET.write_text("5")
    return peak()


def peak() -> int:
    """The most bytes since then; where the system cannot begin anew, since the process began."""
    try:
        line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    except (OSError, StopIteration):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
