"""What the readers of sources agree on: a tool, whatever its source."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from catalog.binding import Binding, ListStyle, Place
from catalog.importing.shapes import Part, Shape
from catalog.read import Parsed
from catalog.read import Path as KeyPath
from ir.fields import Fields


@dataclass(frozen=True)
class Effects:
    """What a source says of the effects of a tool; None where it says nothing.

    Args:
        read_only: it changes nothing.
        destructive: what it changes cannot be had back.
        idempotent: doing it twice is doing it once.
    """

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None


@dataclass(frozen=True)
class Tool:
    """A tool of a source.

    Args:
        name: by which it is known there.
        path: keys and indexes that lead to it in the file.
        title: a name for people.
        description: what it does.
        inputs: its arguments; None where it takes none.
        outputs: what it gives; None where the source does not say.
        gives_nothing: the source says that nothing comes back.
        declared: inputs and outputs that are known without a schema.
        binding: how it is called, without what is told of its fields.
        places: by argument, where it goes.
        lists: by argument that is a list, how it stands outside of a body.
        sent_as: by argument, its name in the system where another argument has that.
        words: further names by which people may know it.
    """

    name: str
    path: KeyPath
    binding: Binding
    title: str | None = None
    description: str | None = None
    inputs: Part | Shape | None = None
    outputs: Part | None = None
    gives_nothing: bool = False
    declared: tuple[Fields, Fields] | None = None
    effects: Effects = Effects()
    places: Mapping[str, Place] = field(default_factory=dict)
    lists: Mapping[str, ListStyle] = field(default_factory=dict)
    sent_as: Mapping[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """What was read of a source.

    Args:
        said: the file, address or command, as it was named.
        name: what the source calls itself, from which the namespace comes; None where it does not.
        parsed: where faults are placed.
    """

    said: str
    parsed: Parsed
    tools: tuple[Tool, ...]
    name: str | None = None
