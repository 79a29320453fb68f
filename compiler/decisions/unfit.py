"""Why an operation cannot be carried out."""


class UnfitError(Exception):
    """An operation does not fit what it is to change.

    Args:
        code: `unfit-decision`, or `contradicted-decision` where what it changes is not what it was.
        field: of the operation, that is at fault.
        message: what was found, what was expected, and what to do.
    """

    def __init__(self, field: str, message: str, code: str = "unfit-decision") -> None:
        self.code, self.field, self.message = code, field, message
        super().__init__(message)
