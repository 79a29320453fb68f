"""What the form of every answer is made of."""

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A part of an answer; what it has no field for is a fault."""

    model_config = ConfigDict(extra="forbid")
