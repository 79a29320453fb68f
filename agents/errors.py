"""What agents are refused beside what the runtime refuses, each with a code and the next step in its message."""

from ir.errors import CompilerError


class NotAnAgent(CompilerError):  # noqa: N818 - named for the fault
    """Who acts has not the role `agent`, or has more than that."""

    code, exit_status = "not-an-agent", 1


class UnknownTool(CompilerError):  # noqa: N818
    """There is no such tool, or not for this agent."""

    code, exit_status = "unknown-tool", 2


class ToolReplaced(CompilerError):  # noqa: N818
    """The workflow behind a tool has another contract by now, and so another tool."""

    code, exit_status = "tool-replaced", 1


class BadArguments(CompilerError):  # noqa: N818
    """Arguments do not fit the schema of their tool; all of it is named."""

    code, exit_status = "bad-arguments", 2


class TooLarge(CompilerError):  # noqa: N818
    """Arguments are larger than the installation takes."""

    code, exit_status = "too-large", 2


class NothingMissing(CompilerError):  # noqa: N818
    """A run waits for no value that an agent may give."""

    code, exit_status = "nothing-missing", 1


class BadResult(CompilerError):  # noqa: N818
    """What a run gave does not fit what its tool promises."""

    code, exit_status = "bad-result", 3
