"""What one node gave in a run."""

from collections.abc import Mapping

from pydantic import JsonValue, model_validator

from ir.base import Model

ERROR_KEY = "$error"


class Outcome(Model):
    """What one node gave: an output object, or the error code with which it failed; neither: no output.

    A plain mapping may stand in its place, as in scenarios: `{"level": 2}` is an output, `{"$error": "TIMEOUT"}` a
    failure.

    Args:
        message: what was said of the failure.
        answered_by: who answered, where a person did.
    """

    output: dict[str, JsonValue] | None = None
    error: str | None = None
    message: str | None = None
    answered_by: str | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> "Outcome":
        if self.output is not None and self.error is not None:
            raise ValueError("a node either gives an output or fails")
        return self

    @property
    def failed(self) -> bool:
        """Whether the node failed."""
        return self.error is not None

    @classmethod
    def read(cls, record: "RecordedOutput") -> "Outcome":
        """The outcome, whichever of the two forms it has.

        Raises:
            ValueError: `$error` is no text, or stands beside outputs.

        >>> Outcome.read({"$error": "TIMEOUT"}).error
        'TIMEOUT'
        """
        if isinstance(record, Outcome):
            return record
        if ERROR_KEY not in record:
            return cls(output=dict(record))
        error = record[ERROR_KEY]
        if len(record) > 1 or not isinstance(error, str):
            raise ValueError(f"{ERROR_KEY} holds an error code and stands alone")
        return cls(error=error)


RecordedOutput = Outcome | Mapping[str, JsonValue]
