"""Why a case cannot be judged, or a question not be asked."""

from ir.errors import CompilerError
from ir.kept_case import KeptCase


class UnknownCase(CompilerError):  # noqa: N818 - named for the fault
    """There is no such case."""

    code, exit_status = "unknown-words", 1


class UnknownStep(CompilerError):  # noqa: N818
    """The workflow has no such end or step."""

    code, exit_status = "unknown-node", 1


class UnclearJudgement(CompilerError):  # noqa: N818
    """What is said does not go with right, wrong or unsure."""

    code, exit_status = "bad-setting", 2


class UnknownFact(CompilerError):  # noqa: N818
    """A fact is of nothing that the workflow reads."""

    code, exit_status = "bad-setting", 2


class UnfitFact(CompilerError):  # noqa: N818
    """A value is not of the type of its fact."""

    code, exit_status = "bad-value", 2


class JudgedMeanwhile(Exception):  # noqa: N818 - named for what it is
    """Somebody else judged a case, or made it anew, since it was shown; nothing was written.

    Args:
        now: the case as it is kept now.
    """

    def __init__(self, now: KeptCase) -> None:
        self.now = now
        said = now.judgement
        what = f"{said.author} judged it {said.verdict} at {said.time}" if said else "it was made anew"
        super().__init__(f"case {now.id} is not as it was shown: {what}; look at it again, then judge it")
