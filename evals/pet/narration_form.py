"""The form of the answer to "what does this account tell?": word numbers alone, and no word of the text."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Words = Annotated[
    list[int], Field(min_length=1, max_length=2, description="[n] for one word, [first, last] for a run.")
]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ToldAct(_Part):
    """Something that is done."""

    v: Words = Field(description="The verb.")
    o: list[Words] = Field(default_factory=list, description="What it is done to.")
    by: list[Words] = Field(default_factory=list, description="Who does it.")
    to: list[Words] = Field(default_factory=list, description="To whom it goes.")
    how: list[Words] = Field(default_factory=list, description="Further specification: how, where to, what for.")


class ToldGateway(_Part):
    """A word that parts the course."""

    w: Words
    kind: Literal["xor", "and"]
    same: int | None = Field(None, description="First word of the gateway before it in the same choice.")


class Narration(_Part):
    """All that an account tells; empty lists where it tells of no process."""

    acts: list[ToldAct] = Field(description="In order of the text.")
    gateways: list[ToldGateway] = Field(default_factory=list)
    conditions: list[Words] = Field(default_factory=list)
    flows: list[list[int]] = Field(
        default_factory=list,
        description="What follows what: chains of acts, gateways and conditions, each by the number of its first word.",
    )
