"""Runs a server's command between two pipes and lets so many bytes through and no more: what it says may be endless.

Lines that are no JSON objects, such as greetings, are no messages and left out. Run as a script, with nothing but the
standard library: `python -I mcp_relay.py BYTES COMMAND...`; the end is status 75 where there was more.
"""

import subprocess
import sys
import threading
from typing import Any

TOO_MUCH = 75
_ERRORS = 64 * 1024
_CHUNK = 64 * 1024


def main(arguments: list[str]) -> int:
    """Run the command; its standard input is this process's own."""
    most, command = int(arguments[0]), arguments[1:]
    try:
        server: Any = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603 - it was asked for
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return 127
    errors = threading.Thread(target=_errors, args=(server,), daemon=True)
    errors.start()
    assert server.stdout is not None
    rest = b""
    while chunk := server.stdout.read1(_CHUNK):
        if (most := most - len(chunk)) < 0:
            server.kill()
            sys.stderr.write(f"it sent more than {arguments[0]} bytes\n")
            return TOO_MUCH
        *lines, rest = (rest + chunk).split(b"\n") if b"\n" in chunk else (rest + chunk,)
        sys.stdout.buffer.write(b"".join(line + b"\n" for line in lines if line.lstrip()[:1] == b"{"))
        sys.stdout.buffer.flush()
    errors.join(1)
    return int(server.wait())


def _errors(server: Any) -> None:
    """Pass on the beginning of what the command says on its standard error."""
    assert server.stderr is not None
    left = _ERRORS
    while chunk := server.stderr.read1(_CHUNK):
        sys.stderr.buffer.write(chunk[: max(left, 0)])
        sys.stderr.buffer.flush()
        left -= len(chunk)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
