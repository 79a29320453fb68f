"""What goes wrong with a workspace, each with a code and the next step in its message."""

from ir.errors import CompilerError


class NoWorkspace(CompilerError):  # noqa: N818 - named for the fault
    """There is no workspace where one was looked for."""

    code, exit_status = "no-workspace", 2


class WorkspaceExists(CompilerError):  # noqa: N818
    """A workspace was to be made where there is one."""

    code, exit_status = "workspace-exists", 2


class StaleWorkspace(CompilerError):  # noqa: N818
    """The database is of another version of flowc."""

    code, exit_status = "stale-workspace", 3


class DatabaseUnavailable(CompilerError):  # noqa: N818
    """The database cannot be reached or written."""

    code, exit_status = "database-unavailable", 3


class UnknownUser(CompilerError):  # noqa: N818
    """Nobody of that name, or not any more."""

    code, exit_status = "unknown-user", 2


class UserExists(CompilerError):  # noqa: N818
    """There is a user of that name."""

    code, exit_status = "user-exists", 2


class NotAllowed(CompilerError):  # noqa: N818
    """The user may not do this."""

    code, exit_status = "not-allowed", 1


class OutOfScope(NotAllowed):
    """The user may, but not with the token that was brought."""

    code = "out-of-scope"


class BadToken(CompilerError):  # noqa: N818
    """The token is none that was given out, or it expired or was revoked.

    Args:
        token: its id, where one of that id was given out.
        user: to whom it was.
        why: `none` was brought, it is `unknown`, `wrong-secret`, `expired` or `revoked`, or there is `no-user` of it.
    """

    code, exit_status = "bad-token", 2

    def __init__(self, message: str, token: str | None = None, user: str = "", why: str = "unknown") -> None:
        super().__init__(message)
        self.token, self.user, self.why = token, user, why


class BadKey(CompilerError):  # noqa: N818
    """The workspace's key is not there, or not one."""

    code, exit_status = "bad-key", 3


class TakenOver(CompilerError):  # noqa: N818
    """What one process alone may write is another one's by now."""

    code, exit_status = "taken-over", 1


class BadPassword(CompilerError):  # noqa: N818
    """The password cannot be taken."""

    code, exit_status = "bad-password", 2
