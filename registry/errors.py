"""What the registry refuses, each with a code and the next step in its message."""

from ir.errors import CompilerError
from registry.forms import Blocker


class UnknownVersion(CompilerError):  # noqa: N818 - named for the fault
    """No such workflow, or no such version of it."""

    code, exit_status = "unknown-version", 2


class WrongState(CompilerError):  # noqa: N818
    """The version is not in the state that this takes."""

    code, exit_status = "wrong-state", 1


class NotPublishable(CompilerError):  # noqa: N818
    """What stands in the way of publishing, all of it.

    Args:
        blockers: each names the next step.
    """

    code, exit_status = "not-publishable", 1

    def __init__(self, message: str, blockers: tuple[Blocker, ...]) -> None:
        super().__init__("\n".join((message, *(f"- {one}" for one in blockers))))
        self.blockers = blockers


class Tampered(CompilerError):  # noqa: N818
    """What is stored is not what was signed."""

    code, exit_status = "tampered", 3
