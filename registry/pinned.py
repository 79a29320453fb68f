"""Whether the Types that a version is pinned to are still those of the catalog here, and still to be used."""

from collections.abc import Iterator, Sequence

from catalog.load import Catalog
from ir.base import Model
from registry.forms import Pin, Version
from registry.publishable import pin_of


class StalePin(Model):
    """A pin that the catalog here does not have any more.

    Args:
        here: the version that the catalog has; None where it has none.
        what: what is the matter and what to do, in words.
    """

    type: str
    version: str
    here: str | None = None
    what: str


def stale_pins(version: Version, catalog: Catalog) -> tuple[StalePin, ...]:
    """The Types that a version is pinned to and that the catalog does not have in that version; no run of it begins."""
    return tuple(found for pin in version.pins if (found := _stale(version, pin, catalog)) is not None)


def _stale(version: Version, pin: Pin, catalog: Catalog) -> StalePin | None:
    here = catalog.node_types.get(pin.type)
    if here is not None and pin_of(here) == pin:
        return None
    keep = f"name the catalog that has {pin.type} {pin.version} in flowc.toml"
    if here is None:
        replaced = catalog.resolve(pin.type)
        instead = f", or publish a version that uses {replaced.type}" if replaced else ", or publish one without it"
        return StalePin(type=pin.type, version=pin.version, what=f"the catalog here has no {pin.type}; {keep}{instead}")
    if here.version == pin.version:
        what = f"it takes or gives something else here, under the same version; give {pin.type} a new version"
        what += f", and submit {version.workflow_id} again"
    else:
        what = f"the catalog here has {here.version}; submit {version.workflow_id} again and publish it, or {keep}"
    return StalePin(type=pin.type, version=pin.version, here=here.version, what=what)


def deprecated_types(pins: Sequence[Pin], catalog: Catalog) -> Iterator[str]:
    """That a version uses Types that should not be used any more, each in a sentence."""
    for pin in pins:
        here = catalog.node_types.get(pin.type)
        if here is not None and here.lifecycle == "deprecated":
            owner = f"ask {here.owner}" if here.owner else "it has no owner to ask"
            instead = f"use {here.replaced_by} instead" if here.replaced_by else f"nothing replaces it; {owner}"
            yield f"{pin.type} {pin.version} is deprecated; {instead}"
