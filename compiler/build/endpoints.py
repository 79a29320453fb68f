"""Endpoints to which a person has said that a key may be sent, though a file found with the documents names them."""

import os
from pathlib import Path

from compiler.build.files import write_whole
from ir.errors import CompilerError
from llm.address import check_address, origin

FILE = "endpoints"


class UntrustedEndpoint(CompilerError):  # noqa: N818 - named for the fault
    """A settings file that was found names an address, and nobody has said that a key may go there."""

    code, exit_status = "untrusted-endpoint", 2


def trust(address: str) -> str:
    """Note that keys may be sent to an address; gives what was noted: scheme, host and port.

    Raises:
        BadSetting: it is no address.
        OutputError: it cannot be noted.
    """
    check_address(address, "--trust")
    one = origin(address)
    if not is_trusted(address):
        write_whole(_file(), "".join(f"{line}\n" for line in (*_trusted(), one)))
    return one


def is_trusted(address: str) -> bool:
    """Whether keys may be sent to an address."""
    return origin(address) in _trusted()


def _trusted() -> list[str]:
    try:
        return _file().read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return []


def _file() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "flowc" / FILE
