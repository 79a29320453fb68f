"""What the runtime refuses, each with a code and the next step in its message."""

from ir.errors import CompilerError


class NotPublished(CompilerError):  # noqa: N818 - named for the fault
    """Only what is published runs."""

    code, exit_status = "not-published", 1


class BadInputs(CompilerError):  # noqa: N818
    """Inputs are missing or do not fit; all of them are named."""

    code, exit_status = "bad-inputs", 2


class KeyReused(CompilerError):  # noqa: N818
    """The key under which something is asked for is that of something else."""

    code, exit_status = "key-reused", 2


class NotAutomatic(CompilerError):  # noqa: N818
    """An agent would begin what may not begin without a person."""

    code, exit_status = "not-automatic", 1


class TooManyCalls(CompilerError):  # noqa: N818
    """A program called more often than it may.

    Args:
        wait: seconds until it may call again.
    """

    code, exit_status = "too-many-calls", 1

    def __init__(self, message: str, wait: int) -> None:
        super().__init__(message)
        self.wait = wait


class UnknownExecution(CompilerError):  # noqa: N818
    """No such execution."""

    code, exit_status = "unknown-execution", 2


class UnknownTask(CompilerError):  # noqa: N818
    """No such task, or not any more."""

    code, exit_status = "unknown-task", 2


class UnknownDelivery(CompilerError):  # noqa: N818
    """No such delivery of a webhook."""

    code, exit_status = "unknown-delivery", 2


class TaskClosed(CompilerError):  # noqa: N818
    """The task is answered, or its execution ended."""

    code, exit_status = "task-closed", 1


class BadAnswer(CompilerError):  # noqa: N818
    """The answer does not fit the form, or is about something else than what was shown."""

    code, exit_status = "bad-answer", 2


class AlreadyEnded(CompilerError):  # noqa: N818
    """The execution ended; nothing can be done to it any more."""

    code, exit_status = "already-ended", 1


class WorkerRunning(CompilerError):  # noqa: N818
    """Another process works on this workspace."""

    code, exit_status = "worker-running", 1


class NotExported(CompilerError):  # noqa: N818
    """A trace was not handed over: its run has not ended, or the collector did not take it."""

    code, exit_status = "not-exported", 1


class NotEnded(CompilerError):  # noqa: N818
    """The execution goes on, and needs its values."""

    code, exit_status = "not-ended", 1


class CalledRun(CompilerError):  # noqa: N818
    """Another execution called this one, and holds its values too."""

    code, exit_status = "called-run", 1


class ValuesDeleted(CompilerError):  # noqa: N818
    """The personal values of the execution were deleted."""

    code, exit_status = "values-deleted", 1


class NotDeleted(CompilerError):  # noqa: N818
    """What an executor keeps of the execution cannot be deleted."""

    code, exit_status = "not-deleted", 3


class UnsealedValues(CompilerError):  # noqa: N818
    """Personal values stand in the audit itself, which cannot be changed."""

    code, exit_status = "unsealed-values", 1
