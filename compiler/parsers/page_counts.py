"""Tells whoever waits for a document how many pages it has, as soon as that is known."""

from collections.abc import Callable

_listeners: list[Callable[[int], None]] = []


def listen(listener: Callable[[int], None]) -> None:
    """Have the number of pages of each document told from now on, before its pages are read."""
    _listeners.append(listener)


def tell_pages(count: int) -> None:
    """Say that the document that is being read has so many pages."""
    for listener in _listeners:
        listener(count)
