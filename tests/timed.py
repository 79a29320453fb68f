"""Runs a command and prints what it took, as wall time and as processor time of all its processes."""

import resource
import subprocess
import sys
import time


def said(seconds: float) -> str:
    """Seconds as people say them.

    >>> said(75.4), said(8)
    ('1 min 15 s', '8 s')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def main(name: str, *command: str) -> int:
    """Run a command.

    Args:
        name: what the time is said to be of.

    Returns:
        Its exit status.
    """
    begun = time.monotonic()
    status = subprocess.run(command, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{name}: {said(time.monotonic() - begun)}, {said(used.ru_utime + used.ru_stime)} of processor time")  # noqa: T201
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
