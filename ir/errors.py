"""Faults of setup and our own bugs. Faults of a document or a model are diagnostics, never exceptions."""


class CompilerError(Exception):
    """Something outside the documents is wrong; the message names the next step.

    Args:
        code: kebab-case name of the fault, as in diagnostics.
        exit_status: what a command ends with: 2 its words are off, 3 the environment failed.
    """

    code = "internal-error"
    exit_status = 3

    def __str__(self) -> str:
        return f"{super().__str__()} [{self.code}]"


class MissingPath(CompilerError):  # noqa: N818 - named for the fault, as the codes are
    """A path that was named does not exist."""

    code, exit_status = "missing-path", 2


class NoDocuments(CompilerError):  # noqa: N818
    """There is nothing to compile under the paths that were named."""

    code, exit_status = "no-documents", 2


class UnreadableFile(CompilerError):  # noqa: N818
    """A file exists but cannot be read."""

    code, exit_status = "unreadable-file", 3


class BadInputFile(CompilerError):  # noqa: N818
    """A file that the command was given (procedures, workflow, settings) is not of its form."""

    code, exit_status = "bad-input-file", 2


class BadSetting(CompilerError):  # noqa: N818
    """A flag, environment variable or line of flowc.toml has no legal value."""

    code, exit_status = "bad-setting", 2


class NoAnswer(CompilerError):  # noqa: N818
    """A model was to read documents, and answered nothing."""

    code, exit_status = "no-answer", 3


class WorkerDied(CompilerError):  # noqa: N818
    """A process of a build ended before its work was done."""
